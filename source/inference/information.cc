// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/eigenpairs.h>
#include <tempera/forward/finite_differences.h>
#include <tempera/inference/information.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Columns = std::vector<std::vector<double>>;

    bool
    is_finite(const std::vector<double> &values)
    {
      return std::all_of(values.begin(), values.end(), [](const double value) {
        return std::isfinite(value);
      });
    }

    bool
    transposed_is_cheaper(const ForwardModel &model)
    {
      const SolverWork work = model.work();
      return model.n_predictions() * work.derivative <=
             2. * model.n_parameters() * work.prediction;
    }


    /**
     * The Jacobian, a column for each parameter; empty if it is not finite.
     * Gives the predictions, too.
     */
    Columns
    jacobian(const std::vector<Unknown>            &unknowns,
             const ForwardModel                    &model,
             const dealii::ArrayView<const double> &parameters,
             const bool                             transposed,
             std::vector<double>                   &predictions)
    {
      // Solvers have errors of their own, and the information is asked for to
      // a few digits: a longer step than rounding alone would want.
      constexpr double relative_step = 1e-4;

      const unsigned int n = model.n_parameters();
      predictions.resize(model.n_predictions());
      const std::shared_ptr<const Linearisation> linearisation =
        model.evaluate(parameters,
                       dealii::make_array_view(predictions),
                       transposed);
      if (!is_finite(predictions))
        return {};

      Columns columns(n, std::vector<double>(predictions.size()));
      if (transposed && linearisation)
        {
          std::vector<double> unit(predictions.size(), 0.), row(n);
          for (unsigned int k = 0; k < unit.size(); ++k)
            {
              unit[k] = 1.;
              linearisation->apply_transpose(dealii::make_array_view(
                                               std::as_const(unit)),
                                             dealii::make_array_view(row));
              unit[k] = 0.;
              for (unsigned int i = 0; i < n; ++i)
                columns[i][k] = row[i];
            }
        }
      else
        {
          std::vector<ParameterRange> ranges;
          for (unsigned int i = 0; i < n; ++i)
            {
              const Prior &prior = unknowns[i].prior;
              ranges.push_back({prior.deviation_at(parameters[i]),
                                prior.lower(),
                                prior.upper()});
            }
          const FiniteDifferences differences({DifferenceScheme::central,
                                               relative_step},
                                              ranges);
          for (unsigned int i = 0; i < n; ++i)
            differences.column(model,
                               parameters,
                               dealii::make_array_view(
                                 std::as_const(predictions)),
                               i,
                               dealii::make_array_view(columns[i]));
        }
      for (const std::vector<double> &column : columns)
        if (!is_finite(column))
          return {};
      return columns;
    }
  } // namespace



  Information
  average_information(const std::vector<Unknown>             &unknowns,
                      const Likelihood                       &likelihood,
                      const ForwardModel                     &model,
                      const std::vector<std::vector<double>> &draws,
                      const JacobianMethod                    method,
                      const std::function<bool()>            &is_stopped)
  {
    const unsigned int n      = model.n_parameters();
    const std::size_t  n_data = model.n_predictions();
    AssertDimension(n + likelihood.n_unknowns(), unknowns.size());
    const bool transposed =
      method == JacobianMethod::transposed ||
      (method == JacobianMethod::cheaper && transposed_is_cheaper(model));

    std::vector<dealii::FullMatrix<double>> matrices;
    std::size_t                             n_skipped = 0;
    for (const std::vector<double> &draw : draws)
      {
        if (is_stopped())
          return Information();
        std::vector<double> predictions;
        Columns             columns =
          jacobian(unknowns,
                   model,
                   dealii::ArrayView<const double>(draw.data(), n),
                   transposed,
                   predictions);
        if (columns.size() != n)
          {
            ++n_skipped;
            continue;
          }

        // The numbers of the errors are told by the data as they are.
        for (std::size_t i = 0; i < unknowns.size(); ++i)
          {
            if (i < n)
              columns[i].resize(n_data + likelihood.n_unknowns(), 0.);
            else
              {
                columns.emplace_back(n_data + likelihood.n_unknowns(), 0.);
                columns[i][n_data + i - n] = 1.;
              }
            for (double &entry : columns[i])
              entry *= unknowns[i].prior.deviation_at(draw[i]);
          }
        std::vector<double>        weighted(n_data + likelihood.n_unknowns());
        dealii::FullMatrix<double> here(unknowns.size(), unknowns.size());
        for (std::size_t i = 0; i < unknowns.size(); ++i)
          {
            likelihood.apply_information(
              dealii::make_array_view(std::as_const(predictions)),
              likelihood.noise_of(dealii::make_array_view(draw)),
              dealii::make_array_view(std::as_const(columns[i])),
              dealii::make_array_view(weighted));
            for (std::size_t j = 0; j < unknowns.size(); ++j)
              here(i, j) = std::inner_product(weighted.begin(),
                                              weighted.end(),
                                              columns[j].begin(),
                                              0.);
          }
        here.symmetrize();
        matrices.push_back(here);
      }
    Information result = average_information(matrices);
    result.n_skipped   = n_skipped;
    return result;
  }



  Information
  average_information(const std::vector<dealii::FullMatrix<double>> &matrices)
  {
    Information result;
    result.n_draws = matrices.size();
    if (!result.is_known())
      return result;
    const unsigned int n = matrices[0].m();
    result.matrix.reinit(n, n);
    result.ties.reinit(n, n);
    for (const dealii::FullMatrix<double> &here : matrices)
      {
        result.matrix.add(1., here);
        for (unsigned int i = 0; i < n; ++i)
          for (unsigned int j = 0; j < n; ++j)
            result.ties(i, j) += std::abs(here(i, j));
        for (const double value : eigenpairs_of(here).values)
          {
            result.n_informed_at_a_draw += value > 1.;
            result.n_silent_at_a_draw += value < Information::negligible;
          }
      }

    result.matrix /= result.n_draws;
    result.ties /= result.n_draws;
    result.n_informed_at_a_draw /= result.n_draws;
    result.n_silent_at_a_draw /= result.n_draws;
    Eigenpairs pairs   = eigenpairs_of(result.matrix);
    result.eigenvalues = std::move(pairs.values);
    result.directions  = std::move(pairs.vectors);
    return result;
  }
} // namespace Tempera
