// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/study/study.h>
#include <tempera/target/forward_target.h>

namespace Tempera
{
  namespace
  {
    class UnknownFieldStudy : public Study
    {
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
        for (const JointUnknowns &field : forward->fields())
          {
            const std::size_t      n = field.marginals.size();
            JointUnknowns::Columns numbers{{"mean", {}},
                                           {"standard deviation", {}},
                                           {"prior standard deviation", {}}};
            for (std::size_t i = 0; i < n; ++i)
              {
                const Diagnostics &found = columns[first + i].diagnostics;
                numbers[0].second.push_back(found.mean.value);
                numbers[1].second.push_back(found.standard_deviation.value);
                numbers[2].second.push_back(
                  field.marginals[i].prior.standard_deviation());
              }
            if (!truths.empty() && truths[0].size() >= first + n)
              numbers.push_back(
                {"truth",
                 {truths[0].begin() + first, truths[0].begin() + first + n}});
            field.write(numbers,
                        {run.folder.get_path() + "/fields",
                         "unknown_" + field.name,
                         1});
            first += n;
          }
        return "";
      }
    };

    const Registration<StudyRegistry, UnknownFieldStudy>
      registration("unknown fields",
                   "Mean and deviation of unknown fields, for pictures");
  } // namespace
} // namespace Tempera
