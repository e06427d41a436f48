// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/study/study.h>
#include <tempera/target/forward_target.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    /** By number of a field: in how many of the coldest rung's draws it is
     * above. */
    std::vector<double>
    shares_above(const RecordedRun &run,
                 const std::size_t  first,
                 const std::size_t  n,
                 const double       threshold)
    {
      std::vector<double> shares(n, 0.);
      double              n_draws = 0.;
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        run.for_each_draw(chain, [&](const RecordedDraw &draw) {
          if (draw.is_burn_in)
            return;
          ++n_draws;
          for (std::size_t i = 0; i < n; ++i)
            shares[i] += draw.rungs[0].values[first + i] > threshold;
        });
      for (double &one : shares)
        one /= n_draws;
      return shares;
    }


    class UnknownFieldStudy : public Study
    {
      /** Draws of fields cost no solve. */
      static constexpr unsigned int fewest_draws = 3;

    public:
      std::string
      phase() const override
      {
        return "fields";
      }

      std::string
      make(const FinishedRun &run, Checks &) const override
      {
        ForwardTarget *const forward = run.target.forward();
        if (forward == nullptr || forward->fields().empty() ||
            run.recorded.n_common_draws() < 2)
          return "";
        const std::vector<Analysis::Column> &columns =
          run.analysis.get().columns;
        const auto &truths = forward->truth();
        std::size_t first  = forward->first_of_fields();
        const auto  draws =
          run.draws(std::max(fewest_draws, run.settings.output.n_field_draws));
        for (const JointUnknowns &field : forward->fields())
          {
            const std::size_t      n = field.marginals.size();
            JointUnknowns::Columns numbers;
            const auto add = [&](const std::string &label, const auto &value) {
              numbers.push_back({label, {}});
              for (std::size_t i = 0; i < n; ++i)
                numbers.back().second.push_back(value(i));
            };
            const auto diagnosed = [&](const std::size_t i) -> const auto &
            {
              return columns[first + i].diagnostics;
            };
            add("mean", [&](const auto i) { return diagnosed(i).mean.value; });
            add("standard deviation", [&](const auto i) {
              return diagnosed(i).standard_deviation.value;
            });
            add("prior standard deviation", [&](const auto i) {
              return field.marginals[i].prior.standard_deviation();
            });
            if (!truths.empty() && truths[0].size() >= first + n)
              add("truth", [&](const auto i) { return truths[0][first + i]; });
            add("5 %",
                [&](const auto i) { return diagnosed(i).quantile_5.value; });
            add("median",
                [&](const auto i) { return diagnosed(i).median.value; });
            add("95 %",
                [&](const auto i) { return diagnosed(i).quantile_95.value; });
            if (field.threshold)
              {
                const std::vector<double> shares =
                  shares_above(run.recorded, first, n, *field.threshold);
                add(field.threshold_text,
                    [&](const auto i) { return shares[i]; });
              }
            unsigned int number = 0;
            for (const std::vector<double> &draw : draws)
              {
                const std::string label = "draw " + std::to_string(number++);
                add(label, [&](const auto i) { return draw[first + i]; });
              }
            field.write(numbers,
                        {run.folder.get_path() + "/fields",
                         "unknown_" + field.name,
                         1});
            first += n;
          }
        return "";
      }
    };

    const Registration<StudyRegistry, UnknownFieldStudy> registration(
      "unknown fields",
      "Mean, deviation, quantiles and draws of unknown fields, for pictures");
  } // namespace
} // namespace Tempera
