// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/level_predictions.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    using Numbers = std::vector<double>;
    using Vector  = dealii::Vector<double>;

    /** More measurements than that are not looked at. */
    constexpr std::size_t most_measurements = 1000;

    /** The recorded predictions of a chain, with their unknowns. */
    struct Predicted
    {
      std::vector<Numbers> states, predictions;
    };


    std::vector<Predicted>
    read_predictions(const RecordedRun &run)
    {
      const std::size_t n_measurements = run.description().measurements.size(),
                        n_unknowns     = run.description().names.size();
      std::vector<Predicted> result(run.n_chains());
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        {
          const auto    all    = run.predictions(chain);
          auto          next   = all.begin();
          std::uint64_t number = 0;
          run.for_each_draw(chain, [&](const RecordedDraw &draw) {
            if (draw.is_burn_in)
              return;
            while (next != all.end() && next->draw < number)
              ++next;
            if (next != all.end() && next->draw == number &&
                !draw.rungs.empty())
              {
                // With a curve, those of the measurements stand apart.
                const Numbers &values =
                  next->measured.empty() ? next->values : next->measured;
                if (values.size() == n_measurements &&
                    std::all_of(values.begin(),
                                values.end(),
                                [](const double one) {
                                  return std::isfinite(one);
                                }))
                  {
                    const double *const state = draw.rungs[0].values;
                    result[chain].states.emplace_back(state,
                                                      state + n_unknowns);
                    result[chain].predictions.push_back(values);
                  }
              }
            ++number;
          });
        }
      return result;
    }


    /** Powers of the standardised unknowns. */
    class Terms
    {
    public:
      Terms(const std::vector<Predicted> &chains, const std::size_t n_unknowns)
      {
        std::size_t          n_states = 0;
        std::vector<Moments> moments(n_unknowns);
        for (const Predicted &chain : chains)
          for (const Numbers &state : chain.states)
            {
              ++n_states;
              for (std::size_t i = 0; i < n_unknowns; ++i)
                moments[i].add(state[i]);
            }
        for (const Moments &one : moments)
          {
            means.push_back(one.mean());
            deviations.push_back(
              one.variance() > 0. ? one.standard_deviation() : 1.);
          }
        // Draws enough for as many terms, or the fit would follow noise.
        constexpr unsigned int draws_of_term = 10;
        const std::size_t      n             = n_unknowns;
        if (n_states >= draws_of_term * (1 + n))
          order = 1;
        if (n_states >= draws_of_term * (1 + n + n * (n + 1) / 2))
          order = 2;
      }

      Numbers
      evaluate(const double *const state) const
      {
        Numbers           result = {1.};
        const std::size_t n      = order > 0 ? means.size() : 0;
        for (std::size_t i = 0; i < n; ++i)
          result.push_back((state[i] - means[i]) / deviations[i]);
        for (std::size_t i = 0; i < n && order > 1; ++i)
          for (std::size_t j = i; j < n; ++j)
            result.push_back(result[1 + i] * result[1 + j]);
        return result;
      }

      unsigned int order = 0;

    private:
      Numbers means, deviations;
    };


    /**
     * Means of the terms from all levels, in parts of the run that follow each
     * other: by term, chain and part.
     */
    std::vector<std::vector<Numbers>>
    means_of_terms(const LevelDraws &levels,
                   const Terms      &terms,
                   const Numbers    &centres)
    {
      constexpr std::uint64_t most_parts = 500;
      const std::uint64_t     n_parts  = std::min(most_parts, levels.n_rounds);
      const unsigned int      n_chains = levels.run.n_chains();
      const double            n_all    = double(n_parts) * n_chains;
      std::vector<std::vector<Numbers>> result;
      for (const double centre : centres)
        result.emplace_back(n_chains, Numbers(n_parts, centre));
      levels.visit([&](const LevelDraws::WeightedDraw &one) {
        if (one.weight == 0.)
          return;
        const Numbers       values = terms.evaluate(one.draw->values);
        const std::uint64_t part   = one.round * n_parts / levels.n_rounds;
        for (std::size_t i = 0; i < values.size(); ++i)
          result[i][one.chain][part] +=
            n_all * one.weight * (values[i] - centres[i]);
      });
      return result;
    }
  } // namespace



  std::vector<LevelPrediction>
  predict_from_levels(const LevelDraws &levels)
  {
    const RunDescription &description    = levels.run.description();
    const std::size_t     n_measurements = description.measurements.size();
    if (n_measurements == 0 || n_measurements > most_measurements)
      return {};
    const std::vector<Predicted> chains = read_predictions(levels.run);
    const Terms                  terms(chains, description.names.size());
    if (terms.order == 0)
      return {};

    // Least squares for all measurements at once.
    std::vector<std::vector<Numbers>> rows;
    std::size_t                       n_rows = 0;
    for (const Predicted &chain : chains)
      {
        rows.emplace_back();
        for (const Numbers &state : chain.states)
          rows.back().push_back(terms.evaluate(state.data()));
        n_rows += rows.back().size();
      }
    const std::size_t          m = rows[0].empty() ? 0 : rows[0][0].size();
    Numbers                    centres(m, 0.);
    dealii::FullMatrix<double> matrix(m, m);
    std::vector<Vector>        right(n_measurements, Vector(m));
    for (std::size_t c = 0; c < chains.size(); ++c)
      for (std::size_t k = 0; k < rows[c].size(); ++k)
        for (std::size_t i = 0; i < m; ++i)
          {
            centres[i] += rows[c][k][i] / n_rows;
            for (std::size_t j = 0; j < m; ++j)
              matrix(i, j) += rows[c][k][i] * rows[c][k][j];
            for (std::size_t j = 0; j < n_measurements; ++j)
              right[j](i) += rows[c][k][i] * chains[c].predictions[k][j];
          }
    if (m == 0)
      return {};
    for (std::size_t i = 0; i < m; ++i)
      matrix(i, i) += 1e-10 * n_rows;
    matrix.gauss_jordan();

    const auto                   means = means_of_terms(levels, terms, centres);
    std::vector<LevelPrediction> result;
    Vector                       coefficients(m);
    for (std::size_t j = 0; j < n_measurements; ++j)
      {
        matrix.vmult(coefficients, right[j]);
        std::vector<Numbers> fitted(chains.size()), left(chains.size()),
          plain(chains.size());
        for (std::size_t c = 0; c < chains.size(); ++c)
          {
            fitted[c].assign(means[0][c].size(), 0.);
            for (std::size_t i = 0; i < m; ++i)
              for (std::size_t part = 0; part < fitted[c].size(); ++part)
                fitted[c][part] += coefficients(i) * means[i][c][part];
            for (std::size_t k = 0; k < rows[c].size(); ++k)
              {
                double sum = 0.;
                for (std::size_t i = 0; i < m; ++i)
                  sum += coefficients(i) * rows[c][k][i];
                plain[c].push_back(chains[c].predictions[k][j]);
                left[c].push_back(plain[c].back() - sum);
              }
          }
        const EstimatedValue of_terms = diagnose(fitted).mean,
                             of_rest  = diagnose(left).mean;
        LevelPrediction one;
        one.of_draws  = diagnose(plain).mean;
        one.of_levels = {of_terms.value + of_rest.value,
                         std::hypot(of_terms.error, of_rest.error)};
        result.push_back(one);
      }
    return result;
  }
} // namespace Tempera
