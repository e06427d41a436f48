// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/adaptation.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  StepSizeAdaptation::StepSizeAdaptation(const double   step_size,
                                         const double   target,
                                         const StepRule rule)
    : target(target)
    , rule(rule)
  {
    restart(step_size);
  }



  void
  StepSizeAdaptation::restart(const double step_size)
  {
    // Hoffman and Gelman draw the iterates to ten times the first step size:
    // trying large steps is cheap.
    centre     = rule == StepRule::dual_averaging ? std::log(10. * step_size) :
                                                    std::log(step_size);
    count      = 0.;
    mean_error = 0.;
    mean_log_step = std::log(step_size);
  }



  double
  StepSizeAdaptation::update(const double acceptance)
  {
    count += 1.;
    if (rule == StepRule::robbins_monro)
      {
        constexpr double gain = 2., decay = 0.6, largest_step = 1e3;
        centre = std::min(centre + gain * std::pow(count, -decay) *
                                     (acceptance - target),
                          std::log(largest_step));
        // The later ones count more: the first half has a quarter of the
        // weight.
        mean_log_step += 2. / (count + 1.) * (centre - mean_log_step);
        return std::exp(centre);
      }

    constexpr double damping = 10., shrinkage = 0.05, decay = 0.75;
    mean_error += (target - acceptance - mean_error) / (count + damping);
    const double log_step = centre - std::sqrt(count) / shrinkage * mean_error;
    mean_log_step += std::pow(count, -decay) * (log_step - mean_log_step);
    return std::exp(log_step);
  }



  double
  StepSizeAdaptation::averaged() const
  {
    return std::exp(mean_log_step);
  }



  std::vector<double>
  equal_rejection_temperatures(const std::vector<double> &temperatures,
                               const std::vector<double> &rejections)
  {
    // A pair that never rejects must still keep a distance.
    constexpr double least_rejection = 1e-3;

    // Rungs of one temperature are one place on the way.
    std::vector<double>      places(1, temperatures[0]), barrier(1, 0.);
    std::vector<std::size_t> place_of(1, 0);
    for (std::size_t i = 1; i < temperatures.size(); ++i)
      {
        if (temperatures[i] != temperatures[i - 1])
          {
            places.push_back(temperatures[i]);
            barrier.push_back(barrier.back() +
                              std::max(rejections[i - 1], least_rejection));
          }
        place_of.push_back(places.size() - 1);
      }

    std::vector<double> moved = places;
    std::size_t         pair  = 0;
    for (std::size_t i = 1; i + 1 < places.size(); ++i)
      {
        const double wanted =
          barrier.back() * static_cast<double>(i) / (places.size() - 1);
        while (barrier[pair + 1] < wanted)
          ++pair;
        const double share =
          (wanted - barrier[pair]) / (barrier[pair + 1] - barrier[pair]);
        // On the way to the prior, inverse temperatures fall evenly.
        moved[i] =
          std::isinf(places[pair + 1]) ?
            places[pair] / (1. - share) :
            places[pair] * std::pow(places[pair + 1] / places[pair], share);
      }
    std::vector<double> result;
    for (const std::size_t place : place_of)
      result.push_back(moved[place]);
    return result;
  }



  std::vector<double>
  preconditioner_from_variances(const std::vector<double> &variances,
                                const std::uint64_t        n_draws)
  {
    double mean_log = 0.;
    for (const double variance : variances)
      mean_log += std::log(variance) / variances.size();
    // With n draws, give the common scale the weight of five of them.
    const double        n             = static_cast<double>(n_draws);
    const double        weight        = n / (n + 5.);
    double              log_of_result = 0.;
    std::vector<double> result        = variances;
    for (double &entry : result)
      {
        entry = weight * entry + (1. - weight) * std::exp(mean_log);
        log_of_result += std::log(entry) / variances.size();
      }
    for (double &entry : result)
      entry /= std::exp(log_of_result);
    return result;
  }



  bool
  is_end_of_adaptation_window(const std::uint64_t rounds_done,
                              const std::uint64_t burn_in)
  {
    for (const std::uint64_t sixteenths : {1, 2, 4, 8, 12})
      if (rounds_done == burn_in * sixteenths / 16 && rounds_done > 0)
        return true;
    return false;
  }
} // namespace Tempera
