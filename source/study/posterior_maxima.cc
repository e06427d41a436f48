// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/level_draws.h>
#include <tempera/sampler/guarded_energy.h>
#include <tempera/sampler/ladder.h>
#include <tempera/study/posterior_maxima.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Numbers = std::vector<double>;

    /** Streams that neither start points nor draws of the prior use. */
    constexpr std::uint64_t first_stream = std::uint64_t(1) << 41;

    /** One search, and what it needs. */
    class Search
    {
    public:
      Search(const NormalCoordinates &posterior)
        : posterior(posterior)
        , energy(std::shared_ptr<const Energy>(&posterior, [](auto *) {}))
        , prior(*posterior.get_prior())
        , mean(prior.centre())
      {}

      /**
       * Go from a place to the maximum that is near.
       *
       * @return Whether there is one.
       */
      bool
      run(const Numbers &begin, PosteriorMaximum &result)
      {
        // Saddles one after the other.
        constexpr unsigned int most_attempts = 5;

        Replica           replica(0, begin, 1), trial = replica;
        const StepContext context{rung, energy, {}, true, false, &prior};
        for (unsigned int attempt = 0; attempt < most_attempts; ++attempt)
          {
            StepOutcome outcome;
            result.law = LaplaceApproximation(context, replica, trial, outcome);
            count(outcome);
            if (!result.law.has_converged())
              return false;
            result.place       = replica.position;
            result.potential   = replica.evaluations[0].potential;
            result.predictions = replica.evaluations[0].predictions;
            replica.position   = lower_place(result);
            if (replica.position.empty())
              {
                result.log_mass =
                  -result.potential +
                  result.law.log_density_of_prior(mean, result.place) +
                  result.law.log_constant();
                return true;
              }
            replica.invalidate();
          }
        return false;
      }

      /** In solves for values. */
      double
      get_work() const
      {
        return work;
      }

    private:
      void
      count(const StepOutcome &outcome)
      {
        for (const Request request : {Request::values,
                                      Request::gradients,
                                      Request::values_and_gradients})
          work += outcome.evaluations[static_cast<unsigned int>(request)] *
                  energy.work(request) / energy.work(Request::values);
      }

      double
      energy_at(const Numbers &place)
      {
        Evaluation evaluation;
        energy.evaluate(dealii::make_array_view(place),
                        RandomKey(),
                        Request::values,
                        evaluation);
        work += 1.;
        return evaluation.energy();
      }

      /**
       * A place beside a supposed maximum where the density is higher; empty if
       * there is none in the directions that could be tried. Of a saddle, which
       * Gauss and Newton's matrix cannot tell from a maximum.
       */
      Numbers
      lower_place(const PosteriorMaximum &maximum)
      {
        constexpr unsigned int most_directions = 12;
        constexpr double       least_decrease  = 0.05;

        const Numbers deviations = [&]() {
          Numbers variances = posterior.prior_variances();
          maximum.law.reduce_variances(variances);
          for (double &one : variances)
            one = std::sqrt(one);
          return variances;
        }();
        std::vector<Numbers> directions;
        const std::size_t    n = maximum.place.size();
        for (std::size_t i = 0; i < n && n <= most_directions; ++i)
          {
            directions.emplace_back(n, 0.);
            directions.back()[i] = deviations[i];
          }
        for (std::size_t k = 0; k < maximum.law.get_eigenvalues().size() &&
                                directions.size() < most_directions;
             ++k)
          directions.push_back(maximum.law.deviation_along(k));

        const double best = energy_at(maximum.place);
        for (const double step : {1., 0.3})
          for (const Numbers &direction : directions)
            for (const double sign : {1., -1.})
              {
                Numbers place = maximum.place;
                for (std::size_t i = 0; i < n; ++i)
                  place[i] += sign * step * direction[i];
                if (energy_at(place) < best - least_decrease)
                  return place;
              }
        return {};
      }

      const NormalCoordinates &posterior;
      const GuardedEnergy      energy;
      const PriorMeasure      &prior;
      const Numbers            mean;
      const Rung               rung;
      double                   work = 0.;
    };


    double
    log_sum(const Numbers &logs)
    {
      const double largest = *std::max_element(logs.begin(), logs.end());
      double       sum     = 0.;
      for (const double one : logs)
        sum += std::exp(one - largest);
      return largest + std::log(sum);
    }
  } // namespace



  std::vector<double>
  PosteriorMaximum::centre(const PriorMeasure &prior) const
  {
    Numbers result = prior.centre();
    law.move_centre(result);
    return result;
  }



  PosteriorMaxima
  find_maxima(const NormalCoordinates &posterior,
              const unsigned int       n_searches,
              const std::uint64_t      seed,
              const ProgressSlot      &progress)
  {
    // In deviations, and in the logarithm of the density.
    constexpr double same_place = 0.5, same_height = 0.1;

    PosteriorMaxima result;
    Search          search(posterior);
    for (unsigned int k = 0; k < n_searches; ++k)
      {
        progress(k, n_searches);
        RandomKey key;
        key.seed   = seed;
        key.stream = first_stream;
        key.round  = k;
        PosteriorMaximum found;
        if (!search.run(k == 0 ? posterior.get_prior()->centre() :
                                 posterior.get_prior()->sample(key),
                        found))
          {
            ++result.n_failed;
            continue;
          }
        const auto known = std::find_if(
          result.maxima.begin(),
          result.maxima.end(),
          [&](const PosteriorMaximum &one) {
            return std::abs(one.log_mass - found.log_mass) < same_height &&
                   one.law.distance(one.place, found.place) < same_place &&
                   found.law.distance(one.place, found.place) < same_place;
          });
        if (known != result.maxima.end())
          ++known->n_searches;
        else
          result.maxima.push_back(found);
      }
    progress(n_searches, n_searches);
    result.work = search.get_work();

    std::sort(result.maxima.begin(),
              result.maxima.end(),
              [](const PosteriorMaximum &a, const PosteriorMaximum &b) {
                return a.log_mass > b.log_mass;
              });
    Numbers masses;
    for (const PosteriorMaximum &one : result.maxima)
      masses.push_back(one.log_mass);
    for (PosteriorMaximum &one : result.maxima)
      one.share = std::exp(one.log_mass - log_sum(masses));
    return result;
  }



  bool
  ImportanceSample::is_good() const
  {
    constexpr double largest_k = 0.7, least_draws = 20.;
    const double     n = weights.size();
    return n > 0. && pareto_k <= std::min(largest_k, 1. - 1. / std::log10(n)) &&
           efficiency * n >= least_draws;
  }



  EstimatedValue
  ImportanceSample::mean(const unsigned int unknown) const
  {
    EstimatedValue result{0., 0.};
    for (std::size_t i = 0; i < states.size(); ++i)
      result.value += weights[i] * states[i][unknown];
    for (std::size_t i = 0; i < states.size(); ++i)
      result.error +=
        std::pow(weights[i] * (states[i][unknown] - result.value), 2);
    result.error = std::sqrt(result.error);
    return result;
  }



  double
  ImportanceSample::standard_deviation(const unsigned int unknown) const
  {
    const double centre = mean(unknown).value;
    double       sum    = 0.;
    for (std::size_t i = 0; i < states.size(); ++i)
      sum += weights[i] * std::pow(states[i][unknown] - centre, 2);
    return std::sqrt(sum);
  }



  ImportanceSample
  sample_around(const NormalCoordinates &posterior,
                PosteriorMaxima         &found,
                const unsigned int       n_draws,
                const std::uint64_t      seed,
                const ProgressSlot      &progress)
  {
    ImportanceSample result;
    if (found.maxima.empty() || n_draws == 0)
      return result;
    const PriorMeasure &prior = *posterior.get_prior();
    const GuardedEnergy energy(
      std::shared_ptr<const Energy>(&posterior, [](auto *) {}));
    const Numbers mean = prior.centre();

    // Each maximum has as many draws as its share says; some of them are
    // wider, since tails of posteriors may be heavier than normal ones.
    constexpr double part_of_wider = 0.15, wider = 2.;
    struct Component
    {
      double               share;
      LaplaceApproximation law;
      Numbers              centre;
    };
    std::vector<Component> components;
    for (const PosteriorMaximum &one : found.maxima)
      {
        const Numbers centre = one.centre(prior);
        components.push_back(
          {one.share * (1. - part_of_wider), one.law, centre});
        components.push_back(
          {one.share * part_of_wider, one.law.widened(wider), centre});
      }

    Numbers     logs;
    std::size_t number = 0;
    double      upto   = components[0].share;
    for (unsigned int k = 0; k < n_draws; ++k)
      {
        progress(k, n_draws);
        while ((k + 0.5) / n_draws > upto && number + 1 < components.size())
          upto += components[++number].share;
        const Component &around = components[number];

        RandomKey key;
        key.seed    = seed;
        key.purpose = Purpose::proposal;
        key.stream  = first_stream;
        key.round   = k;
        Numbers normals(prior.root_size()), place(mean.size());
        fill_normals(key, dealii::make_array_view(normals));
        prior.apply_covariance_root(dealii::make_array_view(
                                      std::as_const(normals)),
                                    dealii::make_array_view(place));
        around.law.shape(place);
        for (std::size_t i = 0; i < place.size(); ++i)
          place[i] += around.centre[i];

        Evaluation evaluation;
        energy.evaluate(dealii::make_array_view(std::as_const(place)),
                        RandomKey(),
                        Request::values,
                        evaluation);
        found.work += 1.;
        // The density of all laws together, with respect to the prior.
        Numbers densities;
        for (const Component &one : components)
          densities.push_back(std::log(one.share) -
                              one.law.log_density_of_prior(mean, place) -
                              one.law.log_constant());
        const double log_weight = -evaluation.potential - log_sum(densities);
        logs.push_back(std::isfinite(log_weight) ? log_weight : -1e300);
        result.states.push_back(posterior.to_state(place));
      }
    progress(n_draws, n_draws);

    const double largest = *std::max_element(logs.begin(), logs.end());
    Numbers     &weights = result.weights;
    for (const double one : logs)
      weights.push_back(std::exp(one - largest));
    result.pareto_k      = smooth_pareto_tail(weights);
    const double sum     = std::accumulate(weights.begin(), weights.end(), 0.);
    double       squares = 0.;
    for (double &one : weights)
      {
        one /= sum;
        squares += one * one;
      }
    result.efficiency   = 1. / (n_draws * squares);
    result.log_evidence = {largest + std::log(sum / n_draws),
                           std::sqrt(std::max(0., squares - 1. / n_draws))};
    return result;
  }
} // namespace Tempera
