// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/eigenpairs.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/laplace.h>
#include <tempera/sampler/prior_measure.h>

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Tempera
{
  namespace
  {
    double
    product(const std::vector<double> &a, const std::vector<double> &b)
    {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
    }

    void
    add(const double               factor,
        const std::vector<double> &vector,
        std::vector<double>       &sum)
    {
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += factor * vector[i];
    }

    std::vector<double>
    difference(const std::vector<double> &a, const std::vector<double> &b)
    {
      std::vector<double> result = a;
      add(-1., b, result);
      return result;
    }
  } // namespace



  LaplaceApproximation::LaplaceApproximation(const StepContext &context,
                                             Replica           &replica,
                                             Replica           &trial,
                                             StepOutcome       &outcome)
  {
    constexpr unsigned int most_iterations = 30, most_halvings = 20;
    // Of the energy, which differs by one between places that are alike.
    constexpr double small_decrease = 1e-4;
    constexpr double armijo         = 1e-4;

    const Rung  &rung   = context.rung;
    const double weight = rung.exponents.potential;
    RandomKey    key    = context.key;
    key.purpose         = Purpose::minibatch;
    const auto evaluate = [&](Replica &at, const Request request) {
      Evaluation &evaluation = at.evaluations[rung.level];
      context.energy.evaluate(dealii::make_array_view(
                                std::as_const(at.position)),
                              key,
                              request,
                              evaluation);
      outcome.count(request);
      evaluation.has_values    = true;
      evaluation.has_gradients = request != Request::values;
      return evaluation.is_finite();
    };

    const std::vector<double> mean = context.prior->centre();
    if (!evaluate(replica, Request::values_and_gradients))
      return;
    for (unsigned int iteration = 0; iteration < most_iterations; ++iteration)
      {
        const Evaluation &here = replica.evaluations[rung.level];
        if (!find_directions(context, replica.position, outcome))
          return;
        std::vector<double> target = difference(replica.position, mean);
        for (std::size_t k = 0; k < places.size(); ++k)
          places[k] =
            (eigenvalues[k] * product(duals[k], target) -
             weight * product(directions[k], here.potential_gradient)) /
            (1. + eigenvalues[k]);
        target = mean;
        move_centre(target);
        const std::vector<double> move = difference(target, replica.position);
        const double decrease = -product(here.reference_gradient, move) -
                                weight * product(here.potential_gradient, move);
        if (!(decrease > small_decrease))
          {
            converged = decrease <= small_decrease;
            return;
          }

        const double energy = here.tempered(rung.exponents);
        bool         found  = false;
        double       length = 1.;
        for (unsigned int n = 0; n < most_halvings && !found; ++n, length /= 2.)
          {
            trial.id       = replica.id;
            trial.position = replica.position;
            add(length, move, trial.position);
            trial.invalidate();
            found = evaluate(trial, Request::values) &&
                    trial.evaluations[rung.level].tempered(rung.exponents) <=
                      energy - armijo * length * decrease;
          }
        if (!found || !evaluate(trial, Request::gradients))
          return;
        swap(replica, trial);
      }
  }



  bool
  LaplaceApproximation::find_directions(const StepContext         &context,
                                        const std::vector<double> &position,
                                        StepOutcome               &outcome)
  {
    // Directions in which the data say less than this part of what the prior
    // says are left to the prior.
    constexpr double least_eigenvalue = 1e-6;
    constexpr double rounding         = 1e-12;

    *this = LaplaceApproximation();
    const std::vector<std::vector<double>> rows =
      context.energy.sensitivities(dealii::make_array_view(position));
    if (rows.empty())
      return false;
    outcome.count(Request::values);
    std::vector<std::vector<double>> smooth_rows(
      rows.size(), std::vector<double>(position.size()));
    for (std::size_t k = 0; k < rows.size(); ++k)
      {
        outcome.count(Request::gradients);
        context.prior->apply_covariance(dealii::make_array_view(rows[k]),
                                        dealii::make_array_view(
                                          smooth_rows[k]));
      }

    const double               weight = context.rung.exponents.potential;
    dealii::FullMatrix<double> matrix(rows.size(), rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t l = 0; l <= k; ++l)
        {
          matrix(k, l) = matrix(l, k) =
            weight * product(rows[k], smooth_rows[l]);
          if (!std::isfinite(matrix(k, l)))
            return false;
        }
    const Eigenpairs pairs = eigenpairs_of(matrix);
    for (std::size_t k = 0; k < pairs.values.size(); ++k)
      {
        const double eigenvalue = pairs.values[k];
        if (eigenvalue < least_eigenvalue ||
            eigenvalue < rounding * pairs.values[0])
          break;
        eigenvalues.push_back(eigenvalue);
        directions.emplace_back(position.size(), 0.);
        duals.emplace_back(position.size(), 0.);
        for (std::size_t l = 0; l < rows.size(); ++l)
          {
            const double factor =
              std::sqrt(weight / eigenvalue) * pairs.vectors[k][l];
            add(factor, rows[l], duals.back());
            add(factor, smooth_rows[l], directions.back());
          }
      }
    places.resize(eigenvalues.size(), 0.);
    return true;
  }



  void
  LaplaceApproximation::move_centre(std::vector<double> &mean) const
  {
    for (std::size_t k = 0; k < places.size(); ++k)
      add(places[k], directions[k], mean);
  }



  void
  LaplaceApproximation::shape(std::vector<double> &draw) const
  {
    // The duals of one direction do not see the others.
    for (std::size_t k = 0; k < eigenvalues.size(); ++k)
      add((1. / std::sqrt(1. + eigenvalues[k]) - 1.) * product(duals[k], draw),
          directions[k],
          draw);
  }



  double
  LaplaceApproximation::log_density_of_prior(
    const std::vector<double> &mean,
    const std::vector<double> &position) const
  {
    const std::vector<double> deviation = difference(position, mean);
    double                    result    = 0.;
    for (std::size_t k = 0; k < eigenvalues.size(); ++k)
      {
        const double place = product(duals[k], deviation);
        result += 0.5 * eigenvalues[k] * std::pow(place - places[k], 2) -
                  place * places[k];
      }
    return result;
  }



  double
  LaplaceApproximation::log_constant() const
  {
    double result = 0.;
    for (std::size_t k = 0; k < eigenvalues.size(); ++k)
      result += 0.5 * places[k] * places[k] - 0.5 * std::log1p(eigenvalues[k]);
    return result;
  }



  double
  LaplaceApproximation::distance(const std::vector<double> &one,
                                 const std::vector<double> &other) const
  {
    const std::vector<double> between = difference(one, other);
    double                    result  = 0.;
    for (std::size_t k = 0; k < eigenvalues.size(); ++k)
      result += (1. + eigenvalues[k]) * std::pow(product(duals[k], between), 2);
    return std::sqrt(result);
  }



  std::vector<double>
  LaplaceApproximation::deviation_along(const std::size_t k) const
  {
    std::vector<double> result = directions[k];
    for (double &one : result)
      one /= std::sqrt(1. + eigenvalues[k]);
    return result;
  }



  LaplaceApproximation
  LaplaceApproximation::widened(const double factor) const
  {
    constexpr double     nearly_nothing = 1e-12;
    LaplaceApproximation result         = *this;
    for (double &eigenvalue : result.eigenvalues)
      eigenvalue =
        std::max((1. + eigenvalue) / (factor * factor) - 1., nearly_nothing);
    return result;
  }



  void
  LaplaceApproximation::reduce_variances(std::vector<double> &variances) const
  {
    for (std::size_t k = 0; k < eigenvalues.size(); ++k)
      for (std::size_t i = 0; i < variances.size(); ++i)
        variances[i] -= eigenvalues[k] / (1. + eigenvalues[k]) *
                        directions[k][i] * directions[k][i];
    for (double &variance : variances)
      variance = std::max(0., variance);
  }
} // namespace Tempera
