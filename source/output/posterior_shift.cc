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


    /** Mean and deviation of numbers, standardised before. */
    Checks::Shift
    shift_of(const std::string &name,
             const Numbers     &values,
             const Numbers     &weights)
    {
      double sum = 0., mean = 0., square = 0.;
      for (std::size_t i = 0; i < values.size(); ++i)
        {
          sum += weights[i];
          mean += weights[i] * values[i];
          square += weights[i] * values[i] * values[i];
        }
      mean /= sum;
      square /= sum;
      Checks::Shift shift;
      shift.column = name;
      shift.mean   = mean;
      shift.width  = std::sqrt(std::max(0., square - mean * mean)) - 1.;
      return shift;
    }

    Numbers
    exponentials(Numbers logarithms)
    {
      const double largest =
        *std::max_element(logarithms.begin(), logarithms.end());
      for (double &one : logarithms)
        one = std::exp(one - largest);
      return logarithms;
    }
  } // namespace



  std::vector<Checks::Shift>
  shifts_by_weights(const std::vector<std::vector<double>> &states,
                    const std::vector<double>              &log_weights,
                    const std::vector<std::vector<double>> &population,
                    const std::vector<std::string>         &names)
  {
    const std::size_t n = names.size();
    if (states.size() < 3 || population.size() < 3 || n == 0)
      return {};

    std::vector<Moments> moments(n);
    for (const Numbers &state : population)
      for (std::size_t i = 0; i < n; ++i)
        moments[i].add(state[i]);
    const auto standardised = [&](const Numbers &state) {
      Numbers result(n, 0.);
      for (std::size_t i = 0; i < n; ++i)
        if (moments[i].variance() > 0.)
          result[i] =
            (state[i] - moments[i].mean()) / std::sqrt(moments[i].variance());
      return result;
    };

    // Twice as many draws as terms, or the fit would follow everything.
    Terms terms = Terms::constant;
    for (const Terms one : {Terms::linear, Terms::squares, Terms::quadratic})
      if (states.size() >= 2 * n_terms(one, n))
        terms = one;

    const std::size_t          m = n_terms(terms, n);
    dealii::FullMatrix<double> matrix(m, m);
    dealii::Vector<double>     right(m), coefficients(m);
    std::vector<Numbers>       rows;
    Moments                    given;
    for (std::size_t k = 0; k < states.size(); ++k)
      {
        rows.push_back(evaluate(terms, standardised(states[k])));
        given.add(log_weights[k]);
      }
    for (std::size_t k = 0; k < states.size(); ++k)
      for (std::size_t i = 0; i < m; ++i)
        {
          right(i) += rows[k][i] * (log_weights[k] - given.mean());
          for (std::size_t j = 0; j < m; ++j)
            matrix(i, j) += rows[k][i] * rows[k][j];
        }
    for (std::size_t i = 0; i < m; ++i)
      matrix(i, i) += 1e-6 * states.size();
    matrix.gauss_jordan();
    matrix.vmult(coefficients, right);
    const auto fitted = [&](const Numbers &row) {
      double sum = given.mean();
      for (std::size_t i = 0; i < m; ++i)
        sum += coefficients(i) * row[i];
      return sum;
    };

    Moments unexplained;
    double  lowest = log_weights[0], highest = log_weights[0];
    for (std::size_t k = 0; k < states.size(); ++k)
      {
        unexplained.add(log_weights[k] - fitted(rows[k]));
        lowest  = std::min(lowest, log_weights[k]);
        highest = std::max(highest, log_weights[k]);
      }
    // What is left is noise of the averages, if it is little.
    constexpr double little = 0.3, part = 0.5;
    const bool       fits = unexplained.standard_deviation() <
                      std::max(little, part * given.standard_deviation());

    std::vector<Checks::Shift>  shifts;
    const std::vector<Numbers> &draws = fits ? population : states;
    std::vector<Numbers>        columns(n);
    Numbers                     logarithms;
    for (std::size_t k = 0; k < draws.size(); ++k)
      {
        const Numbers place = standardised(draws[k]);
        for (std::size_t i = 0; i < n; ++i)
          columns[i].push_back(place[i]);
        // A polynomial knows nothing beyond the draws it was made of.
        const double margin = 0.5 * (highest - lowest);
        logarithms.push_back(
          fits ? std::min(highest + margin,
                          std::max(lowest - margin,
                                   fitted(evaluate(terms, place)))) :
                 log_weights[k]);
      }
    const Numbers weights = exponentials(logarithms);
    const Numbers ones(draws.size(), 1.);
    for (std::size_t i = 0; i < n; ++i)
      {
        Checks::Shift shift = shift_of(names[i], columns[i], weights);
        if (!fits)
          {
            // Of these few draws, and not of the population.
            const Checks::Shift own = shift_of(names[i], columns[i], ones);
            shift.mean -= own.mean;
            shift.width = (1. + shift.width) / (1. + own.width) - 1.;
          }
        shifts.push_back(shift);
      }
    return shifts;
  }
} // namespace Tempera
