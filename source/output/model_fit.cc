// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/base/text.h>
#include <tempera/output/model_fit.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace Tempera
{
  namespace
  {
    using Test    = ModelFit::Test;
    using Numbers = std::vector<double>;

    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    /** What the parameters follow so far is not tested. */
    constexpr double largest_influence = 0.5;
    /** Fewer directions say too little. */
    constexpr unsigned int least_tested = 3;
    /** Draws whose predictions make the influence. */
    constexpr std::size_t most_draws = 200, least_draws = 20;

    double
    two_sided(const double deviations)
    {
      return std::erfc(std::abs(deviations) / std::sqrt(2.));
    }

    double
    dot(const Numbers &a, const Numbers &b)
    {
      double sum = 0.;
      for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
      return sum;
    }


    /** Turns errors of measurement into independent standard normal numbers. */
    class Whitening
    {
    public:
      /** @param deviation Used where that of a measurement is unknown. */
      Whitening(const RunDescription &description, const double deviation)
      {
        for (const auto &one : description.measurements)
          deviations.push_back(one.deviation > 0. ? one.deviation : deviation);
        const std::size_t n = deviations.size();
        if (description.covariance.size() != n)
          return;
        dealii::FullMatrix<double> matrix(n, n);
        factor.reinit(n, n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            matrix(i, j) = description.covariance[i][j];
        factor.cholesky(matrix);
      }

      void
      apply(Numbers &errors) const
      {
        for (std::size_t i = 0; i < errors.size(); ++i)
          if (factor.m() == 0)
            errors[i] /= deviations[i];
          else
            {
              for (std::size_t j = 0; j < i; ++j)
                errors[i] -= factor(i, j) * errors[j];
              errors[i] /= factor(i, i);
            }
      }

      bool
      is_known() const
      {
        return std::all_of(deviations.begin(),
                           deviations.end(),
                           [](const double one) {
                             return one > 0. && std::isfinite(one);
                           });
      }

    private:
      Numbers                    deviations;
      dealii::FullMatrix<double> factor;
    };


    /** How much the predictions follow the data: \f$H\f$, by its largest
     * eigenvalues. */
    class Influence
    {
    public:
      /** @param draws Whitened predictions, less their mean. */
      explicit Influence(const std::vector<Numbers> &draws)
      {
        // The smaller of the two products has the same eigenvalues.
        const std::size_t n = draws[0].size(), n_draws = draws.size();
        const bool        by_draw = n_draws < n;
        const std::size_t size    = by_draw ? n_draws : n;
        dealii::LAPACKFullMatrix<double> product(size, size);
        for (std::size_t i = 0; i < size; ++i)
          for (std::size_t j = 0; j <= i; ++j)
            {
              double sum = 0.;
              if (by_draw)
                sum = dot(draws[i], draws[j]);
              else
                for (const Numbers &draw : draws)
                  sum += draw[i] * draw[j];
              product(i, j) = product(j, i) = sum / (n_draws - 1.);
            }
        constexpr double           least = 1e-3;
        dealii::FullMatrix<double> vectors;
        dealii::Vector<double>     eigenvalues;
        product.compute_eigenvalues_symmetric(
          least, 1e300, 1e-12, eigenvalues, vectors);
        for (std::size_t k = 0; k < eigenvalues.size(); ++k)
          {
            Numbers vector(n, 0.);
            for (std::size_t i = 0; i < size; ++i)
              if (by_draw)
                for (std::size_t j = 0; j < n; ++j)
                  vector[j] += vectors(i, k) * draws[i][j];
              else
                vector[i] = vectors(i, k);
            const double norm = std::sqrt(dot(vector, vector));
            for (double &entry : vector)
              entry /= norm;
            directions.push_back({eigenvalues[k], std::move(vector)});
          }
      }

      double
      trace() const
      {
        double sum = 0.;
        for (const auto &[value, vector] : directions)
          sum += value;
        return sum;
      }

      /** Leave out what the parameters follow; returns how many directions. */
      unsigned int
      remove_followed(Numbers &vector) const
      {
        unsigned int n = 0;
        for (const auto &[value, direction] : directions)
          if (value >= largest_influence)
            {
              ++n;
              const double part = dot(direction, vector);
              for (std::size_t i = 0; i < vector.size(); ++i)
                vector[i] -= part * direction[i];
            }
        return n;
      }

      /** Apply \f$(I - H)^{p}\f$ to what the parameters do not follow. */
      void
      apply_rest(const double power, Numbers &vector) const
      {
        remove_followed(vector);
        for (const auto &[value, direction] : directions)
          if (value < largest_influence)
            {
              const double part =
                dot(direction, vector) * (std::pow(1. - value, power) - 1.);
              for (std::size_t i = 0; i < vector.size(); ++i)
                vector[i] += part * direction[i];
            }
      }

      /** Variance of one residual, as far as the parameters do not follow. */
      double
      rest_of(const std::size_t i) const
      {
        double variance = 1.;
        for (const auto &[value, direction] : directions)
          variance -= (value < largest_influence ? value : 1.) * direction[i] *
                      direction[i];
        return variance;
      }

    private:
      std::vector<std::pair<double, Numbers>> directions;
    };


    /** Patterns that residuals may have: a name and weights. */
    std::vector<std::pair<std::string, Numbers>>
    make_patterns(const std::vector<RunDescription::Measurement> &measurements)
    {
      const std::size_t                            n = measurements.size();
      std::vector<std::pair<std::string, Numbers>> patterns;
      patterns.emplace_back("the mean of all", Numbers(n, 1.));

      std::map<Numbers, std::vector<std::size_t>> by_place;
      std::map<double, std::vector<std::size_t>>  by_time;
      for (std::size_t i = 0; i < n; ++i)
        {
          if (!measurements[i].place.empty())
            by_place[measurements[i].place].push_back(i);
          if (std::isfinite(measurements[i].time))
            by_time[measurements[i].time].push_back(i);
        }
      constexpr std::size_t least_members = 3, most_groups = 100;
      const auto add_groups = [&](const auto &groups, const auto &name_of) {
        if (groups.size() < 2 || groups.size() > most_groups)
          return;
        for (const auto &[key, members] : groups)
          if (members.size() >= least_members)
            {
              Numbers weights(n, 0.);
              for (const std::size_t i : members)
                weights[i] = 1.;
              patterns.emplace_back(name_of(key), weights);
            }
      };
      add_groups(by_place, [](const Numbers &place) {
        std::vector<std::string> texts;
        for (const double coordinate : place)
          texts.push_back(to_text(coordinate, 4));
        return "the mean of the sensor at (" + join(texts, ", ") + ")";
      });
      add_groups(by_time, [](const double time) {
        return "the mean at the time " + to_text(time, 4);
      });

      // A trend and a bow along each coordinate.
      const auto add_trends = [&](const std::string &name,
                                  const Numbers     &coordinates) {
        const std::set<double> values(coordinates.begin(), coordinates.end());
        if (values.size() < 3)
          return;
        const double low = *values.begin(), range = *values.rbegin() - low;
        Numbers      linear, bow;
        for (const double coordinate : coordinates)
          {
            const double place = 2. * (coordinate - low) / range - 1.;
            linear.push_back(place);
            bow.push_back(1.5 * place * place - 0.5);
          }
        patterns.emplace_back("a trend along " + name, linear);
        patterns.emplace_back("a bow along " + name, bow);
      };
      static const char *const names[] = {"x", "y", "z"};
      const std::size_t        dimension =
        by_place.empty() ? 0 : by_place.begin()->first.size();
      for (std::size_t d = 0; d < std::min<std::size_t>(3, dimension); ++d)
        {
          Numbers coordinates;
          for (const auto &one : measurements)
            if (one.place.size() > d)
              coordinates.push_back(one.place[d]);
          if (coordinates.size() == n)
            add_trends(names[d], coordinates);
        }
      if (!by_time.empty())
        {
          Numbers times;
          for (const auto &one : measurements)
            times.push_back(one.time);
          add_trends("time", times);
        }
      return patterns;
    }


    /** Measurements that are next to each other in time or space. */
    std::vector<std::pair<std::size_t, std::size_t>>
    neighbours(const std::vector<RunDescription::Measurement> &measurements)
    {
      const std::size_t                                n = measurements.size();
      std::map<Numbers, std::map<double, std::size_t>> by_place;
      std::map<double, std::vector<std::size_t>>       by_time;
      for (std::size_t i = 0; i < n; ++i)
        {
          const double time =
            std::isfinite(measurements[i].time) ? measurements[i].time : 0.;
          by_place[measurements[i].place][time] = i;
          by_time[time].push_back(i);
        }
      std::set<std::pair<std::size_t, std::size_t>> pairs;
      for (const auto &[place, times] : by_place)
        {
          std::size_t last = n;
          for (const auto &[time, i] : times)
            {
              if (last < n)
                pairs.insert(std::minmax(last, i));
              last = i;
            }
        }
      // All distances of many sensors are not worth their time.
      constexpr std::size_t most_members = 400;
      for (const auto &[time, members] : by_time)
        for (const std::size_t i : members)
          {
            std::size_t nearest  = n;
            double      distance = std::numeric_limits<double>::infinity();
            for (const std::size_t j : members)
              if (j != i && members.size() <= most_members &&
                  measurements[i].place.size() == measurements[j].place.size())
                {
                  double sum = 0.;
                  for (std::size_t d = 0; d < measurements[i].place.size(); ++d)
                    sum += std::pow(measurements[i].place[d] -
                                      measurements[j].place[d],
                                    2);
                  if (sum > 0. && sum < distance)
                    {
                      distance = sum;
                      nearest  = j;
                    }
                }
            if (nearest < n)
              pairs.insert(std::minmax(i, nearest));
          }
      return {pairs.begin(), pairs.end()};
    }


    /** Mean product of neighbours over the mean square. */
    double
    correlation(const Numbers                                          &vector,
                const std::vector<std::pair<std::size_t, std::size_t>> &pairs)
    {
      double sum = 0.;
      for (const auto &[i, j] : pairs)
        sum += vector[i] * vector[j];
      return sum / pairs.size() / (dot(vector, vector) / vector.size());
    }


    /** What a recorded state says of the measurements. */
    const Numbers &
    measured(const RecordedPrediction &prediction)
    {
      return prediction.measured.empty() ? prediction.values :
                                           prediction.measured;
    }


    /** Predictions of the measurements, evenly spaced over all chains. */
    std::vector<Numbers>
    predictions_of(const RecordedRun &run, Numbers &deviations)
    {
      const RunDescription &description = run.description();
      std::vector<Numbers>  result;
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        {
          const auto        all = run.predictions(chain);
          const std::size_t most =
            std::max<std::size_t>(1, most_draws / run.n_chains());
          const std::size_t n = std::min(most, all.size());
          // Draws whose predictions are taken, for an unknown deviation.
          std::map<std::uint64_t, double> deviation_of;
          for (std::size_t k = 0; k < n; ++k)
            {
              const RecordedPrediction &one = all[k * all.size() / n];
              const bool is_finite          = std::all_of(measured(one).begin(),
                                                 measured(one).end(),
                                                 [](const double value) {
                                                   return std::isfinite(value);
                                                 });
              if (measured(one).size() == description.measurements.size() &&
                  is_finite)
                {
                  result.push_back(measured(one));
                  deviation_of[one.draw] = 0.;
                }
            }
          if (description.deviation_unknown < 0 ||
              description.n_recorded_rungs == 0)
            continue;
          std::uint64_t number = 0;
          run.for_each_draw(chain, [&](const RecordedDraw &draw) {
            if (draw.is_burn_in)
              return;
            const auto place = deviation_of.find(number++);
            if (place != deviation_of.end())
              place->second =
                draw.rungs[0].values[description.deviation_unknown];
          });
          for (const auto &[draw, deviation] : deviation_of)
            deviations.push_back(deviation);
        }
      return result;
    }
  } // namespace



  std::vector<ModelFit::Finding>
  ModelFit::findings() const
  {
    std::vector<Finding> result;
    for (const Finding &one : tests)
      if (one.p_value < level(one.test))
        result.push_back(one);
    return result;
  }



  ModelFit
  check_fit(const RecordedRun &run, const bool has_converged)
  {
    // Of whole fields of data a part would do; nobody has asked for it yet.
    constexpr std::size_t most_measurements = 20000;
    const std::size_t     n = run.description().measurements.size();
    if (n == 0 || n > most_measurements)
      return ModelFit();
    Numbers              deviations;
    std::vector<Numbers> draws = predictions_of(run, deviations);
    return judge_fit(run.description(),
                     std::move(draws),
                     deviations,
                     has_converged);
  }



  ModelFit
  judge_fit(const RunDescription &description,
            std::vector<Numbers>  draws,
            const Numbers        &deviations,
            const bool            has_converged)
  {
    const std::size_t n = description.measurements.size();
    ModelFit          fit;
    fit.is_deviation_unknown = description.deviation_unknown >= 0;
    fit.noise                = description.noise;
    if (draws.size() < least_draws || !fit.noise.empty() ||
        (fit.is_deviation_unknown && deviations.size() != draws.size()))
      return fit;

    // One scale for all draws: that of the mean precision.
    double mean_precision = 0.;
    for (const double one : deviations)
      mean_precision += 1. / (one * one) / deviations.size();
    const double    deviation = 1. / std::sqrt(mean_precision);
    const Whitening whitening(description, deviation);
    if (!whitening.is_known())
      return fit;
    fit.n_draws        = draws.size();
    const double first = fit.is_deviation_unknown ?
                           deviation :
                           description.measurements[0].deviation;
    if (fit.is_deviation_unknown ||
        std::all_of(description.measurements.begin(),
                    description.measurements.end(),
                    [&](const auto &one) { return one.deviation == first; }))
      fit.given_deviation = first;

    Numbers mean(n, 0.), values;
    for (const auto &one : description.measurements)
      values.push_back(one.value);
    for (const Numbers &draw : draws)
      for (std::size_t i = 0; i < n; ++i)
        mean[i] += draw[i] / draws.size();
    const double size_of_values = std::sqrt(dot(values, values)),
                 size_of_mean   = std::sqrt(dot(mean, mean));
    fit.scale_factor = size_of_mean > 0. ? size_of_values / size_of_mean : 1.;

    // Of one draw: no less than of the best parameters.
    const auto squares_of = [&](const Numbers &draw) {
      Numbers errors(n);
      for (std::size_t i = 0; i < n; ++i)
        errors[i] = values[i] - draw[i];
      whitening.apply(errors);
      return dot(errors, errors);
    };
    if (!has_converged)
      {
        if (fit.is_deviation_unknown)
          return fit;
        constexpr double least_p_value = 1e-6;
        double           best          = std::numeric_limits<double>::max();
        for (const Numbers &draw : draws)
          best = std::min(best, squares_of(draw));
        fit.is_of_best_draw = true;
        fit.chi_square      = best;
        fit.n_tested        = n;
        fit.noise_factor    = std::sqrt(best / n);
        // Chains that still look for the answer fit badly, too.
        const double p_value = boost::math::gamma_q(0.5 * n, 0.5 * best);
        if (p_value < least_p_value)
          fit.tests.push_back({Test::too_large, p_value, best, ""});
        return fit;
      }

    for (Numbers &draw : draws)
      {
        for (std::size_t i = 0; i < n; ++i)
          draw[i] -= mean[i];
        whitening.apply(draw);
      }
    const Influence influence(draws);
    fit.n_effective_parameters = influence.trace();
    Numbers residual(n);
    for (std::size_t i = 0; i < n; ++i)
      residual[i] = values[i] - mean[i];
    whitening.apply(residual);
    const unsigned int n_followed = influence.remove_followed(residual);
    fit.n_tested                  = n > n_followed ? n - n_followed : 0;
    // Independent standard normal numbers in the tested directions.
    Numbers normal = residual;
    influence.apply_rest(-0.5, normal);
    fit.chi_square = dot(normal, normal);
    fit.residuals.assign(n, not_a_number);
    if (fit.n_tested < least_tested)
      return fit;
    fit.noise_factor        = std::sqrt(fit.chi_square / fit.n_tested);
    fit.suggested_deviation = fit.noise_factor * fit.given_deviation;

    // An unknown deviation follows the residuals, so that these hardly ever
    // find anything, unless its prior keeps it from that.
    const double half = 0.5 * fit.n_tested;
    fit.tests.push_back({Test::too_large,
                         boost::math::gamma_q(half, 0.5 * fit.chi_square),
                         fit.chi_square,
                         ""});
    // Unknowns that are not recorded, as weights, need not have mixed as their
    // predictions seem to; where they began, after a warm start, they follow
    // the data.
    if (!description.has_unrecorded)
      fit.tests.push_back({Test::too_small,
                           boost::math::gamma_p(half, 0.5 * fit.chi_square),
                           fit.chi_square,
                           ""});
    // An unknown deviation is that of the residuals themselves; it makes
    // deviations of single ones Student's, here brought back to normal.
    const double scale =
      fit.is_deviation_unknown ? std::max(fit.noise_factor, 1e-300) : 1.;
    const auto studentised = [&](const double value) {
      if (!fit.is_deviation_unknown)
        return value;
      const double m = fit.n_tested, one = value / scale;
      const double rest = std::max(1e-12, (m - one * one) / (m - 1.));
      const double t    = std::abs(one) / std::sqrt(rest);
      // Hill's approximation of a normal number with the same probability.
      const double dof = m - 1., a = dof - 0.5, b = 48. * a * a;
      const double z2 = a * std::log1p(t * t / dof), z = std::sqrt(z2);
      return z * (1. + (z2 + 3.) / b);
    };

    constexpr double least_left = 0.2;
    double           worst      = 0.;
    std::size_t      where = 0, n_looked_at = 0;
    for (std::size_t i = 0; i < n; ++i)
      {
        const double variance = influence.rest_of(i);
        if (variance < least_left)
          continue;
        fit.residuals[i] = residual[i] / std::sqrt(variance);
        ++n_looked_at;
        const double size = studentised(fit.residuals[i]);
        if (std::abs(size) > std::abs(worst))
          {
            worst = size;
            where = i;
          }
      }
    if (n_looked_at > 0)
      fit.tests.push_back({Test::outlier,
                           std::min(1., n_looked_at * two_sided(worst)),
                           fit.residuals[where],
                           description.measurements[where].name});

    const auto  patterns = make_patterns(description.measurements);
    std::string worst_pattern;
    double      worst_part = 0., worst_size = 0.;
    n_looked_at = 0;
    for (const auto &[name, weights] : patterns)
      {
        Numbers rest = weights;
        influence.apply_rest(0.5, rest);
        const double variance = dot(rest, rest);
        if (variance < least_left * dot(weights, weights))
          continue;
        ++n_looked_at;
        const double part = dot(weights, residual) / std::sqrt(variance),
                     size = studentised(part);
        if (std::abs(size) > std::abs(worst_size))
          {
            worst_size    = size;
            worst_part    = part;
            worst_pattern = name;
          }
      }
    if (n_looked_at > 0)
      fit.tests.push_back({Test::pattern,
                           std::min(1., n_looked_at * two_sided(worst_size)),
                           worst_part,
                           worst_pattern});

    const auto pairs = neighbours(description.measurements);
    if (pairs.size() >= 5 && fit.n_tested >= 6)
      {
        // Its law has no closed form; so many times it is made.
        const std::size_t n_times =
          std::max<std::size_t>(100, std::min<std::size_t>(400, 400000 / n));
        std::mt19937_64                  generator(1);
        std::normal_distribution<double> normals;
        Moments                          law;
        for (std::size_t k = 0; k < n_times; ++k)
          {
            Numbers one(n);
            for (double &entry : one)
              entry = normals(generator);
            influence.apply_rest(0.5, one);
            law.add(correlation(one, pairs));
          }
        const double found = correlation(residual, pairs);
        const double size =
          (found - law.mean()) / std::sqrt(std::max(1e-300, law.variance()));
        fit.tests.push_back({Test::neighbours,
                             size > 0. ? 0.5 * two_sided(size) : 1.,
                             found,
                             ""});
      }
    return fit;
  }
} // namespace Tempera
