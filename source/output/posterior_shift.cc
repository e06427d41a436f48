// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/posterior_shift.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    using Numbers = std::vector<double>;

    /** Polynomials of standardised numbers. */
    enum class Terms
    {
      constant,
      linear,
      squares,
      quadratic
    };

    std::size_t
    n_terms(const Terms terms, const std::size_t n)
    {
      return terms == Terms::constant ? 1 :
             terms == Terms::linear   ? 1 + n :
             terms == Terms::squares  ? 1 + 2 * n :
                                        1 + n + n * (n + 1) / 2;
    }

    Numbers
    evaluate(const Terms terms, const Numbers &place)
    {
      Numbers result = {1.};
      if (terms == Terms::constant)
        return result;
      result.insert(result.end(), place.begin(), place.end());
      for (std::size_t i = 0; i < place.size(); ++i)
        for (std::size_t j = i; j < place.size(); ++j)
          if (terms == Terms::quadratic || (terms == Terms::squares && i == j))
            result.push_back(place[i] * place[j]);
      return result;
    }


    /** Mean and standard deviation by weights. */
    struct WeightedMoments
    {
      double mean = 0., square = 0.;

      WeightedMoments(const Numbers &values, const Numbers &weights)
      {
        double sum = 0.;
        for (std::size_t i = 0; i < values.size(); ++i)
          {
            sum += weights[i];
            mean += weights[i] * values[i];
            square += weights[i] * values[i] * values[i];
          }
        mean /= sum;
        square /= sum;
      }

      double
      deviation() const
      {
        return std::sqrt(std::max(0., square - mean * mean));
      }
    };

    Numbers
    exponentials(Numbers logarithms)
    {
      const double largest =
        *std::max_element(logarithms.begin(), logarithms.end());
      for (double &one : logarithms)
        one = std::exp(one - largest);
      return logarithms;
    }


    /** A polynomial through numbers that are known at some places. */
    class Fit
    {
    public:
      Fit(const Terms                 terms,
          const std::vector<Numbers> &places,
          const Numbers              &values)
        : terms(terms)
      {
        const std::size_t          m = n_terms(terms, places[0].size());
        dealii::FullMatrix<double> matrix(m, m);
        dealii::Vector<double>     right(m);
        coefficients.reinit(m);
        std::vector<Numbers> rows;
        Moments              given;
        for (std::size_t k = 0; k < places.size(); ++k)
          {
            rows.push_back(evaluate(terms, places[k]));
            given.add(values[k]);
          }
        mean   = given.mean();
        lowest = highest = values[0];
        for (std::size_t k = 0; k < places.size(); ++k)
          {
            lowest  = std::min(lowest, values[k]);
            highest = std::max(highest, values[k]);
            for (std::size_t i = 0; i < m; ++i)
              {
                right(i) += rows[k][i] * (values[k] - mean);
                for (std::size_t j = 0; j < m; ++j)
                  matrix(i, j) += rows[k][i] * rows[k][j];
              }
          }
        for (std::size_t i = 0; i < m; ++i)
          matrix(i, i) += 1e-6 * places.size();
        matrix.gauss_jordan();
        matrix.vmult(coefficients, right);

        Moments unexplained;
        for (std::size_t k = 0; k < places.size(); ++k)
          {
            residuals.push_back(values[k] - of_row(rows[k]));
            unexplained.add(residuals.back());
          }
        // What is left is noise of the averages, if it is little.
        constexpr double little = 0.3, part = 0.5;
        is_good = unexplained.standard_deviation() <
                  std::max(little, part * given.standard_deviation());
      }

      /** It knows nothing far beyond what it was made of. */
      double
      value(const Numbers &place) const
      {
        const double margin = 0.5 * (highest - lowest);
        return std::min(highest + margin,
                        std::max(lowest - margin,
                                 of_row(evaluate(terms, place))));
      }

      /** What it leaves at the places. */
      Numbers residuals;
      bool    is_good = false;

    private:
      double
      of_row(const Numbers &row) const
      {
        double sum = mean;
        for (std::size_t i = 0; i < row.size(); ++i)
          sum += coefficients(i) * row[i];
        return sum;
      }

      const Terms            terms;
      dealii::Vector<double> coefficients;
      double                 mean = 0., lowest = 0., highest = 0.;
    };


    Numbers
    column(const std::vector<Numbers> &states, const std::size_t i)
    {
      Numbers result;
      for (const Numbers &state : states)
        result.push_back(state[i]);
      return result;
    }


    /** A law, some of whose draws have known weights. */
    class WeightedLaw
    {
    public:
      WeightedLaw(const std::vector<Numbers>     &states,
                  const Numbers                  &log_weights,
                  const std::vector<Numbers>     &population,
                  const std::vector<std::string> &names)
        : names(names)
        , log_weights(log_weights)
      {
        const std::size_t    n = names.size();
        std::vector<Moments> moments(n);
        for (const Numbers &state : population)
          for (std::size_t i = 0; i < n; ++i)
            moments[i].add(state[i]);
        const auto standardised = [&](const std::vector<Numbers> &all) {
          std::vector<Numbers> result;
          for (const Numbers &state : all)
            {
              result.emplace_back(n, 0.);
              for (std::size_t i = 0; i < n; ++i)
                if (moments[i].variance() > 0.)
                  result.back()[i] = (state[i] - moments[i].mean()) /
                                     std::sqrt(moments[i].variance());
            }
          return result;
        };
        known = standardised(states);
        all   = standardised(population);
        // Twice as many draws as terms, or the fit would follow everything.
        for (const Terms one :
             {Terms::linear, Terms::squares, Terms::quadratic})
          if (states.size() >= 2 * n_terms(one, n))
            terms = one;
      }

      /**
       * @param n_groups The draws are dealt to so many groups: the known ones
       * in turn, the others in parts that follow each other.
       * @param without The group that is left out; none if there is none such.
       */
      std::vector<Checks::Shift>
      shifts(const std::size_t n_groups, const std::size_t without) const
      {
        std::vector<Numbers> places, population;
        Numbers              given;
        for (std::size_t k = 0; k < known.size(); ++k)
          if (k % n_groups != without)
            {
              places.push_back(known[k]);
              given.push_back(log_weights[k]);
            }
        for (std::size_t k = 0; k < all.size(); ++k)
          if (k * n_groups / all.size() != without)
            population.push_back(all[k]);

        const Fit                   fit(terms, places, given);
        const std::vector<Numbers> &draws = fit.is_good ? population : places;
        Numbers                     logarithms = given;
        if (fit.is_good)
          {
            logarithms.clear();
            for (const Numbers &place : draws)
              logarithms.push_back(fit.value(place));
          }
        const Numbers weights = exponentials(logarithms),
                      ones(std::max(draws.size(), places.size()), 1.);

        std::vector<Checks::Shift> result;
        for (std::size_t i = 0; i < names.size(); ++i)
          {
            const Numbers         values = column(draws, i);
            const WeightedMoments before(values, ones);
            WeightedMoments       after(values, weights);
            if (fit.is_good)
              {
                // To first order, what the polynomial leaves.
                const Numbers         here = column(places, i);
                const WeightedMoments own(here, ones);
                for (std::size_t k = 0; k < here.size(); ++k)
                  {
                    const double part = fit.residuals[k] / (here.size() - 1.);
                    after.mean += part * (here[k] - own.mean);
                    after.square += part * (here[k] * here[k] - own.square);
                  }
              }
            Checks::Shift shift;
            shift.column = names[i];
            shift.mean   = after.mean - before.mean;
            if (before.deviation() > 0.)
              shift.width = after.deviation() / before.deviation() - 1.;
            result.push_back(shift);
          }
        return result;
      }

    private:
      const std::vector<std::string> names;
      const Numbers                  log_weights;
      std::vector<Numbers>           known, all;
      Terms                          terms = Terms::constant;
    };


    bool
    are_enough(const std::vector<Numbers>     &states,
               const std::vector<Numbers>     &population,
               const std::vector<std::string> &names)
    {
      return states.size() >= 3 && population.size() >= 3 && !names.empty();
    }
  } // namespace



  std::vector<Checks::Shift>
  shifts_by_weights(const std::vector<std::vector<double>> &states,
                    const std::vector<double>              &log_weights,
                    const std::vector<std::vector<double>> &population,
                    const std::vector<std::string>         &names)
  {
    if (!are_enough(states, population, names))
      return {};
    return WeightedLaw(states, log_weights, population, names).shifts(1, 1);
  }



  std::vector<Checks::Shift>
  shifts_with_errors(const std::vector<std::vector<double>> &states,
                     const std::vector<double>              &log_weights,
                     const std::vector<std::vector<double>> &population,
                     const std::vector<std::string>         &names)
  {
    constexpr std::size_t most_groups = 20;
    const std::size_t     n_groups    = std::min(most_groups, states.size());
    if (!are_enough(states, population, names) ||
        population.size() < 2 * n_groups)
      return {};
    const WeightedLaw          law(states, log_weights, population, names);
    std::vector<Checks::Shift> result = law.shifts(n_groups, n_groups);
    std::vector<Moments>       means(result.size()), widths(result.size());
    for (std::size_t group = 0; group < n_groups; ++group)
      {
        const auto without = law.shifts(n_groups, group);
        for (std::size_t i = 0; i < result.size(); ++i)
          {
            means[i].add(without[i].mean);
            widths[i].add(without[i].width);
          }
      }
    // The variance of the jackknife.
    const double factor = (n_groups - 1.) / std::sqrt(double(n_groups));
    for (std::size_t i = 0; i < result.size(); ++i)
      {
        result[i].mean_error  = factor * means[i].standard_deviation();
        result[i].width_error = factor * widths[i].standard_deviation();
      }
    return result;
  }
} // namespace Tempera
