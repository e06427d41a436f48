// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/solve_failed.h>
#include <tempera/base/text.h>
#include <tempera/bridge/served_model.h>
#include <tempera/sampler/guarded_energy.h>
#include <tempera/target/forward_target.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace Tempera
{
  namespace
  {
    using Numbers = ServedModel::Numbers;

    dealii::ArrayView<const double>
    view(const Numbers &numbers)
    {
      return dealii::make_array_view(numbers);
    }

    double
    product(const Numbers &one, const Numbers &other)
    {
      double sum = 0.;
      for (std::size_t i = 0; i < one.size(); ++i)
        sum += one[i] * other[i];
      return sum;
    }

    void
    check_finite(const Numbers &numbers)
    {
      for (const double number : numbers)
        if (!std::isfinite(number))
          throw SolveFailed("There is no solution here.");
    }


    /** What the models of one target share. */
    struct Shared
    {
      explicit Shared(Target &target)
        : target(target)
        , levels(target.levels())
        , space(target.energy(levels[0])->space())
      {}

      /** The first unknown that is outside of its prior, in words. */
      std::string
      outside(const Numbers &input) const
      {
        for (std::size_t i = 0; i < input.size(); ++i)
          if (!(input[i] >= space[i].lower && input[i] <= space[i].upper))
            return "'" + space[i].name + "' is " + to_text(input[i]) +
                   ", outside of [" + to_text(space[i].lower) + ", " +
                   to_text(space[i].upper) + "].";
        return "";
      }

      void
      check_inside(const Numbers &input) const
      {
        const std::string words = outside(input);
        if (!words.empty())
          throw InvalidInput(words);
      }

      Target                        &target;
      const std::vector<std::string> levels;
      const StateSpace               space;
      /** Solvers have room for one solve at a time. */
      std::mutex one_at_a_time;
    };


    /** Along a direction, as far as the box goes. */
    ParameterRange
    range_along(const StateSpace &space,
                const Numbers    &input,
                const Numbers    &direction,
                const Numbers    &scales)
    {
      ParameterRange range;
      range.scale = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < direction.size(); ++i)
        {
          if (direction[i] == 0.)
            continue;
          const double one   = (space[i].lower - input[i]) / direction[i],
                       other = (space[i].upper - input[i]) / direction[i];
          range.lower        = std::max(range.lower, std::min(one, other));
          range.upper        = std::min(range.upper, std::max(one, other));
          range.scale =
            std::min(range.scale, scales[i] / std::abs(direction[i]));
        }
      return range;
    }


    /** The predictions of a forward model. */
    class ServedForward : public ServedModel
    {
    public:
      ServedForward(std::shared_ptr<Shared> shared, ForwardTarget &target)
        : shared(std::move(shared))
        , target(target)
      {
        for (const std::string &level : this->shared->levels)
          models[level] = target.model(level);
        for (const Unknown &unknown : target.unknowns())
          scales.push_back(unknown.prior.scale());
        scales.resize(n_inputs());
      }

      std::string
      name() const override
      {
        return "forward";
      }

      std::vector<std::string>
      levels() const override
      {
        return shared->levels;
      }

      unsigned int
      n_inputs() const override
      {
        return models.begin()->second->n_parameters();
      }

      unsigned int
      n_outputs() const override
      {
        return models.begin()->second->n_predictions();
      }

      ServedFeatures
      features() const override
      {
        return {true, true, false};
      }

      Numbers
      evaluate(const std::string &level, const Numbers &input) override
      {
        shared->check_inside(input);
        const ForwardModel &model = *models.at(level);
        Numbers             output(n_outputs());
        if (model.n_at_once() > 1)
          model.evaluate(view(input), dealii::make_array_view(output), false);
        else
          {
            const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
            output = solve(level, input, false).output;
          }
        check_finite(output);
        return output;
      }

      Numbers
      gradient(const std::string &level,
               const Numbers     &input,
               const Numbers     &sensitivity) override
      {
        shared->check_inside(input);
        const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
        Numbers                           result(n_inputs());
        linearisation(level, input)
          .apply_transpose(view(sensitivity), dealii::make_array_view(result));
        return result;
      }

      /** By rows if these are few, otherwise a difference along the vector. */
      Numbers
      apply_jacobian(const std::string &level,
                     const Numbers     &input,
                     const Numbers     &vector) override
      {
        constexpr unsigned int few = 50;

        shared->check_inside(input);
        const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
        Numbers                           result(n_outputs(), 0.);
        if (std::all_of(vector.begin(), vector.end(), [](const double entry) {
              return entry == 0.;
            }))
          return result;
        const ForwardModel &model = *models.at(level);
        if (n_outputs() <= few &&
            model.gradient_method() != "finite differences")
          {
            const Linearisation &derivative = linearisation(level, input);
            Numbers              unit(n_outputs(), 0.), row(n_inputs());
            for (unsigned int k = 0; k < n_outputs(); ++k)
              {
                unit[k] = 1.;
                derivative.apply_transpose(view(unit),
                                           dealii::make_array_view(row));
                unit[k]   = 0.;
                result[k] = product(row, vector);
              }
            return result;
          }
        const FunctionModel along(
          1,
          n_outputs(),
          [&](const dealii::ArrayView<const double> &distance,
              const dealii::ArrayView<double>       &predictions) {
            Numbers moved = input;
            for (std::size_t i = 0; i < moved.size(); ++i)
              moved[i] += distance[0] * vector[i];
            model.evaluate(view(moved), predictions, false);
          });
        const FiniteDifferences differences(
          FiniteDifferenceParameters(),
          {range_along(shared->space, input, vector, scales)});
        const Numbers middle = solve(level, input, false).output;
        const double  zero   = 0.;
        differences.column(along,
                           dealii::ArrayView<const double>(&zero, 1),
                           view(middle),
                           0,
                           dealii::make_array_view(result));
        return result;
      }

      Numbers
      apply_hessian(const std::string &,
                    const Numbers &,
                    const Numbers &,
                    const Numbers &) override
      {
        throw InvalidInput("There is no second derivative.");
      }

    private:
      /** What a derivative needs of the last solve. */
      struct LastSolve
      {
        Numbers                              input, output;
        std::shared_ptr<const Linearisation> derivative;
      };

      /** Most ask for a gradient where they have just asked for values. */
      const LastSolve &
      solve(const std::string &level,
            const Numbers     &input,
            const bool         derivative_follows)
      {
        LastSolve &last = last_solves[level];
        if (last.input != input)
          {
            last.input.clear();
            last.output.resize(n_outputs());
            last.derivative =
              models.at(level)->evaluate(view(input),
                                         dealii::make_array_view(last.output),
                                         derivative_follows);
            last.input = input;
          }
        return last;
      }

      const Linearisation &
      linearisation(const std::string &level, const Numbers &input)
      {
        const LastSolve &last = solve(level, input, true);
        check_finite(last.output);
        if (!last.derivative)
          throw SolveFailed("There is no derivative here.");
        return *last.derivative;
      }

      const std::shared_ptr<Shared>                              shared;
      ForwardTarget                                             &target;
      std::map<std::string, std::shared_ptr<const ForwardModel>> models;
      std::map<std::string, LastSolve>                           last_solves;
      Numbers                                                    scales;
    };


    /** What the logarithms of densities have in common. */
    class ServedDensity : public ServedModel
    {
    public:
      explicit ServedDensity(std::shared_ptr<Shared> shared)
        : shared(std::move(shared))
      {}

      std::vector<std::string>
      levels() const override
      {
        return shared->levels;
      }

      unsigned int
      n_inputs() const override
      {
        return shared->space.dimension();
      }

      unsigned int
      n_outputs() const override
      {
        return 1;
      }

      Numbers
      evaluate(const std::string &level, const Numbers &input) override
      {
        // JSON has no minus infinity.
        constexpr double impossible = std::numeric_limits<double>::lowest();

        if (!shared->outside(input).empty())
          return {impossible};
        const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
        const double                      result = value(level, input);
        return {std::isfinite(result) ? result : impossible};
      }

      Numbers
      gradient(const std::string &level,
               const Numbers     &input,
               const Numbers     &sensitivity) override
      {
        shared->check_inside(input);
        const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
        Numbers                           result = slope(level, input);
        check_finite(result);
        for (double &entry : result)
          entry *= sensitivity[0];
        return result;
      }

      Numbers
      apply_jacobian(const std::string &level,
                     const Numbers     &input,
                     const Numbers     &vector) override
      {
        return {product(gradient(level, input, {1.}), vector)};
      }

    protected:
      virtual double
      value(const std::string &level, const Numbers &input) = 0;

      virtual Numbers
      slope(const std::string &level, const Numbers &input) = 0;

      const std::shared_ptr<Shared> shared;
    };


    class ServedPrior : public ServedDensity
    {
    public:
      ServedPrior(std::shared_ptr<Shared>             shared,
                  std::shared_ptr<const PriorMeasure> prior)
        : ServedDensity(std::move(shared))
        , prior(std::move(prior))
      {}

      std::string
      name() const override
      {
        return "prior";
      }

      ServedFeatures
      features() const override
      {
        return {true, true, true};
      }

      Numbers
      apply_hessian(const std::string &level,
                    const Numbers     &input,
                    const Numbers     &sensitivity,
                    const Numbers     &vector) override
      {
        shared->check_inside(input);
        const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
        Numbers result = curvature(level, input, vector);
        for (double &entry : result)
          entry *= sensitivity[0];
        return result;
      }

      /** The second derivative, applied to a vector: differences of slopes. */
      Numbers
      curvature(const std::string &level,
                const Numbers     &input,
                const Numbers     &vector)
      {
        Numbers scales(n_inputs(), 0.), unit(n_inputs(), 0.);
        for (std::size_t i = 0; i < scales.size(); ++i)
          {
            unit[i] = 1.;
            prior->apply_covariance(view(unit),
                                    dealii::make_array_view(result_of_unit));
            unit[i]   = 0.;
            scales[i] = std::sqrt(result_of_unit[i]);
          }
        Numbers result(n_inputs(), 0.);
        if (std::all_of(vector.begin(), vector.end(), [](const double entry) {
              return entry == 0.;
            }))
          return result;
        const FunctionModel along(
          1,
          n_inputs(),
          [&](const dealii::ArrayView<const double> &distance,
              const dealii::ArrayView<double>       &slopes) {
            Numbers moved = input;
            for (std::size_t i = 0; i < moved.size(); ++i)
              moved[i] += distance[0] * vector[i];
            const Numbers there = slope(level, moved);
            std::copy(there.begin(), there.end(), slopes.begin());
          });
        const FiniteDifferences differences(
          FiniteDifferenceParameters(),
          {range_along(shared->space, input, vector, scales)});
        const Numbers middle = slope(level, input);
        const double  zero   = 0.;
        differences.column(along,
                           dealii::ArrayView<const double>(&zero, 1),
                           view(middle),
                           0,
                           dealii::make_array_view(result));
        return result;
      }

    private:
      double
      value(const std::string &, const Numbers &input) override
      {
        return -prior->energy(view(input), dealii::ArrayView<double>()) -
               prior->log_normaliser();
      }

      Numbers
      slope(const std::string &, const Numbers &input) override
      {
        Numbers result(input.size());
        prior->energy(view(input), dealii::make_array_view(result));
        for (double &entry : result)
          entry = -entry;
        return result;
      }

      const std::shared_ptr<const PriorMeasure> prior;
      Numbers result_of_unit = Numbers(n_inputs());
    };


    class ServedPosterior : public ServedDensity
    {
    public:
      /** @param forward, prior Null if there are none. */
      ServedPosterior(std::shared_ptr<Shared>        shared,
                      std::shared_ptr<ServedForward> forward,
                      std::shared_ptr<ServedPrior>   prior)
        : ServedDensity(std::move(shared))
        , forward(std::move(forward))
        , prior(std::move(prior))
      {
        Target &target = this->shared->target;
        for (const std::string &level : this->shared->levels)
          energies[level] =
            std::make_shared<GuardedEnergy>(target.energy(level));
        if (target.prior())
          constant += target.prior()->log_normaliser();
        if (target.forward() != nullptr)
          constant += target.forward()->get_likelihood().log_normaliser();
      }

      std::string
      name() const override
      {
        return "posterior";
      }

      ServedFeatures
      features() const override
      {
        ForwardTarget *target = shared->target.forward();
        return {true,
                true,
                forward && prior &&
                  target->get_likelihood().has_constant_information()};
      }

      /** Gauss and Newton's: \f$-J^T C^{-1} J v\f$ and the prior's. */
      Numbers
      apply_hessian(const std::string &level,
                    const Numbers     &input,
                    const Numbers     &sensitivity,
                    const Numbers     &vector) override
      {
        const Numbers change = forward->apply_jacobian(level, input, vector);
        Numbers       weighted(change.size());
        {
          const std::lock_guard<std::mutex> lock(shared->one_at_a_time);
          shared->target.forward()->get_likelihood().apply_information(
            {}, {}, view(change), dealii::make_array_view(weighted));
        }
        Numbers       result = forward->gradient(level, input, weighted);
        const Numbers of_prior =
          prior->apply_hessian(level, input, {1.}, vector);
        for (std::size_t i = 0; i < result.size(); ++i)
          result[i] = sensitivity[0] * (of_prior[i] - result[i]);
        return result;
      }

    private:
      double
      value(const std::string &level, const Numbers &input) override
      {
        Evaluation evaluation;
        evaluation.reference_gradient.resize(input.size());
        evaluation.potential_gradient.resize(input.size());
        energies.at(level)->evaluate(view(input),
                                     RandomKey(),
                                     Request::values,
                                     evaluation);
        return -evaluation.energy() - constant;
      }

      Numbers
      slope(const std::string &level, const Numbers &input) override
      {
        Evaluation evaluation;
        evaluation.reference_gradient.resize(input.size());
        evaluation.potential_gradient.resize(input.size());
        energies.at(level)->evaluate(view(input),
                                     RandomKey(),
                                     Request::values_and_gradients,
                                     evaluation);
        Numbers result(input.size());
        for (std::size_t i = 0; i < result.size(); ++i)
          result[i] = -evaluation.reference_gradient[i] -
                      evaluation.potential_gradient[i];
        return result;
      }

      const std::shared_ptr<ServedForward>                 forward;
      const std::shared_ptr<ServedPrior>                   prior;
      std::map<std::string, std::shared_ptr<const Energy>> energies;
      double                                               constant = 0.;
    };
  } // namespace



  std::vector<std::shared_ptr<ServedModel>>
  served_models(Target &target)
  {
    const auto shared = std::make_shared<Shared>(target);
    std::vector<std::shared_ptr<ServedModel>> result;
    std::shared_ptr<ServedForward>            forward;
    std::shared_ptr<ServedPrior>              prior;
    if (target.forward() != nullptr)
      {
        forward = std::make_shared<ServedForward>(shared, *target.forward());
        result.push_back(forward);
      }
    if (target.prior() &&
        target.prior()->space().dimension() == shared->space.dimension())
      prior = std::make_shared<ServedPrior>(shared, target.prior());
    result.push_back(std::make_shared<ServedPosterior>(shared, forward, prior));
    if (prior)
      result.push_back(prior);
    return result;
  }
} // namespace Tempera
