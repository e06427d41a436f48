// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/eigenpairs.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/normal_law.h>

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  namespace
  {
    using Numbers = std::vector<double>;

    /** Of differences before any scale is known, in what an unknown is. */
    constexpr double first_step = 1e-4;

    /** The density of a rung, and what looking at it costs. */
    class Surroundings
    {
    public:
      Surroundings(const StepContext &context, StepOutcome &outcome)
        : context(context)
        , outcome(outcome)
      {}

      bool
      evaluate(const Request request, Replica &replica)
      {
        const auto place =
          dealii::make_array_view(std::as_const(replica.position));
        if (!context.energy.space().contains(place))
          return false;
        Evaluation &evaluation = replica.evaluations[context.rung.level];
        RandomKey   key        = context.key;
        key.purpose            = Purpose::minibatch;
        context.energy.evaluate(place, key, request, evaluation);
        outcome.count(request);
        evaluation.has_values    = true;
        evaluation.has_gradients = request != Request::values;
        return evaluation.is_finite();
      }

      double
      energy(const Replica &replica) const
      {
        return replica.evaluations[context.rung.level].tempered(
          context.rung.exponents);
      }

      Numbers
      gradient(const Replica &replica) const
      {
        const Evaluation &here   = replica.evaluations[context.rung.level];
        Numbers           result = gradient_of_prior(replica);
        for (std::size_t i = 0; i < result.size(); ++i)
          result[i] +=
            context.rung.exponents.potential * here.potential_gradient[i];
        return result;
      }

      Numbers
      gradient_of_prior(const Replica &replica) const
      {
        const Evaluation &here   = replica.evaluations[context.rung.level];
        Numbers           result = here.reference_gradient;
        for (double &entry : result)
          entry *= context.rung.exponents.reference;
        return result;
      }

      /** Infinite without bounds. */
      double
      width(const std::size_t i) const
      {
        const Coordinate &coordinate = context.energy.space()[i];
        return coordinate.upper - coordinate.lower;
      }

    private:
      const StepContext &context;
      StepOutcome       &outcome;
    };


    /**
     * A Hessian, in units in which that of the prior has the diagonal one;
     * where there is no such prior, its own.
     */
    class Hessian
    {
    public:
      /**
       * By differences of gradients.
       *
       * @param steps Replaced by better ones.
       * @return False if there is something on the way that is not finite.
       */
      bool
      find(Surroundings  &around,
           const Replica &replica,
           const Numbers &gradient,
           Replica       &trial,
           Numbers       &steps)
      {
        constexpr double relative_step = 0.02, least_share = 1e-11;

        const std::size_t          d = steps.size();
        dealii::FullMatrix<double> matrix(d, d);
        const Numbers              prior = around.gradient_of_prior(replica);
        Numbers                    of_prior(d);
        for (std::size_t i = 0; i < d; ++i)
          {
            double step = steps[i];
            for (const bool is_second : {false, true})
              {
                trial.id       = replica.id;
                trial.position = replica.position;
                trial.position[i] += step;
                trial.invalidate();
                if (around.evaluate(Request::values_and_gradients, trial))
                  break;
                // There may be a wall.
                step = -step;
                if (is_second)
                  return false;
              }
            const Numbers there = around.gradient(trial);
            step                = trial.position[i] - replica.position[i];
            for (std::size_t j = 0; j < d; ++j)
              matrix(i, j) = (there[j] - gradient[j]) / step;
            of_prior[i] =
              (around.gradient_of_prior(trial)[i] - prior[i]) / step;
          }
        units.resize(d);
        for (std::size_t i = 0; i < d; ++i)
          {
            // A uniform law between two walls has a width, too.
            constexpr double uniform = 12.;
            const double     width   = around.width(i);
            if (std::isfinite(width))
              {
                matrix(i, i) += uniform / (width * width);
                of_prior[i] += uniform / (width * width);
              }
            const double curvature = std::abs(matrix(i, i));
            if (!std::isfinite(curvature))
              return false;
            const double unit = of_prior[i] > 0. ? of_prior[i] : curvature;
            units[i]          = unit > 0. ? 1. / std::sqrt(unit) :
                                            std::abs(steps[i]) / first_step;
            steps[i] =
              relative_step /
              std::sqrt(std::max(curvature, 1. / (units[i] * units[i])));
          }
        dealii::FullMatrix<double> scaled(d, d);
        for (std::size_t i = 0; i < d; ++i)
          for (std::size_t j = 0; j < d; ++j)
            {
              scaled(i, j) =
                0.5 * (matrix(i, j) + matrix(j, i)) * units[i] * units[j];
              if (!std::isfinite(scaled(i, j)))
                return false;
            }
        // None is negative then.
        const double shift = scaled.frobenius_norm();
        for (std::size_t i = 0; i < d; ++i)
          scaled(i, i) += shift;
        pairs = eigenpairs_of(scaled);
        if (pairs.values.size() != d)
          return false;
        for (double &value : pairs.values)
          value = std::max(least_share * shift, std::abs(value - shift));
        return true;
      }

      /** The inverse, applied to a vector. */
      Numbers
      solve(const Numbers &vector) const
      {
        const std::size_t d = units.size();
        Numbers           result(d, 0.);
        for (std::size_t k = 0; k < d; ++k)
          {
            double sum = 0.;
            for (std::size_t i = 0; i < d; ++i)
              sum += pairs.vectors[k][i] * units[i] * vector[i];
            for (std::size_t i = 0; i < d; ++i)
              result[i] +=
                pairs.vectors[k][i] * units[i] * sum / pairs.values[k];
          }
        return result;
      }

      /** The lower half of the inverse. */
      Triangle
      inverse() const
      {
        const std::size_t d = units.size();
        Triangle          result(d);
        for (std::size_t k = 0; k < d; ++k)
          for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0; j <= i; ++j)
              result(i, j) += pairs.vectors[k][i] * pairs.vectors[k][j] *
                              units[i] * units[j] / pairs.values[k];
        return result;
      }

    private:
      Numbers    units;
      Eigenpairs pairs;
    };
  } // namespace



  FittedMixture
  find_normal_law(const StepContext &context,
                  Replica           &replica,
                  Replica           &trial,
                  StepOutcome       &outcome)
  {
    constexpr unsigned int most_iterations = 20, most_halvings = 20;
    // Of the energy, which differs by one between places that are alike.
    constexpr double small_decrease = 1e-2;
    constexpr double armijo         = 1e-4;

    const std::size_t d = replica.position.size();
    Surroundings      around(context, outcome);
    FittedMixture     law;
    if (!around.evaluate(Request::values_and_gradients, replica))
      return law;
    Numbers steps(d);
    for (std::size_t i = 0; i < d; ++i)
      steps[i] = first_step *
                 (std::isfinite(around.width(i)) ? around.width(i) :
                  replica.position[i] != 0. ? std::abs(replica.position[i]) :
                                              1.);

    for (unsigned int iteration = 0; iteration < most_iterations; ++iteration)
      {
        const Numbers gradient = around.gradient(replica);
        Hessian       hessian;
        if (!hessian.find(around, replica, gradient, trial, steps))
          return law;
        law                = FittedMixture(replica.position, hessian.inverse());
        const Numbers move = hessian.solve(gradient);
        double        slope = 0.;
        for (std::size_t i = 0; i < d; ++i)
          slope += gradient[i] * move[i];
        if (!(slope > small_decrease))
          return law;

        const double energy = around.energy(replica);
        bool         found  = false;
        double       length = 1.;
        for (unsigned int n = 0; n < most_halvings && !found; ++n, length /= 2.)
          {
            trial.id       = replica.id;
            trial.position = replica.position;
            for (std::size_t i = 0; i < d; ++i)
              trial.position[i] -= length * move[i];
            trial.invalidate();
            found = around.evaluate(Request::values, trial) &&
                    around.energy(trial) <= energy - armijo * length * slope;
          }
        if (!found || !around.evaluate(Request::values_and_gradients, trial))
          return law;
        swap(replica, trial);
      }
    return law;
  }
} // namespace Tempera
