// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/triangle.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/langevin_loops.h>
#include <tempera/sampler/step_tuning.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Fewer draws say nothing of variances. */
    constexpr std::uint64_t least_draws = 10;

    /** L of the scales in use. */
    Triangle
    root_of(const StepScales &scales, const std::size_t n)
    {
      Triangle result(n);
      if (scales.is_dense())
        result.entries = scales.factor;
      else
        for (std::size_t i = 0; i < n; ++i)
          result(i, i) = scales.roots.empty() ? 1. : scales.roots[i];
      return result;
    }

    /** Lower half of L^-1 C L^-T, with the measured covariances C. */
    Triangle
    whitened(const PositionMoments &moments, const Triangle &root)
    {
      const std::size_t   n = root.n;
      std::vector<double> left(n * n);
      // Columns of C, then rows of what came of them.
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i)
          {
            double sum = moments.covariance(i, j);
            for (std::size_t k = 0; k < i; ++k)
              sum -= root(i, k) * left[k * n + j];
            left[i * n + j] = sum / root(i, i);
          }
      Triangle result(n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          {
            double sum = left[i * n + j];
            for (std::size_t k = 0; k < j; ++k)
              sum -= root(j, k) * result(i, k);
            result(i, j) = sum / root(j, j);
          }
      return result;
    }

    /** Largest eigenvalue of a positive matrix, by the power method. */
    double
    largest_eigenvalue(const Triangle &matrix)
    {
      constexpr unsigned int n_iterations = 100;

      const std::size_t   n = matrix.n;
      std::vector<double> x(n), y(n);
      // An irregular vector is not orthogonal to what is looked for.
      for (std::size_t i = 0; i < n; ++i)
        x[i] = 1. + 0.1 * std::sin(1. + 7. * i);
      double result = 0.;
      for (unsigned int k = 0; k < n_iterations; ++k)
        {
          double length = 0.;
          for (const double entry : x)
            length += entry * entry;
          length = std::sqrt(length);
          if (!(length > 0.) || !std::isfinite(length))
            return 0.;
          result = length;
          for (std::size_t i = 0; i < n; ++i)
            {
              x[i] /= length;
              y[i] = 0.;
            }
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j)
              {
                y[i] += matrix(i, j) * x[j];
                if (j < i)
                  y[j] += matrix(i, j) * x[i];
              }
          x.swap(y);
        }
      return result;
    }
  } // namespace



  void
  StepScales::update()
  {
    const std::vector<double> &first =
      preconditioner.empty() ? step_factors : preconditioner;
    const bool has_both = !preconditioner.empty() && !step_factors.empty();
    squares.resize(first.size());
    roots.resize(first.size());
    langevin_loops().step_scales(first.size(),
                                 first.data(),
                                 has_both ? step_factors.data() : nullptr,
                                 squares.data(),
                                 roots.data());
  }



  void
  StepScales::apply_root(std::vector<double> &x) const
  {
    if (is_dense())
      for (std::size_t i = x.size(); i-- > 0;)
        {
          const double *entries = row(i);
          double        sum     = 0.;
          for (std::size_t j = 0; j <= i; ++j)
            sum += entries[j] * x[j];
          x[i] = sum;
        }
    else if (!roots.empty())
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] *= roots[i];
  }



  void
  StepScales::apply_transposed_root(std::vector<double> &x) const
  {
    if (is_dense())
      for (std::size_t i = 0; i < x.size(); ++i)
        {
          const double *entries = row(i);
          const double  value   = x[i];
          for (std::size_t j = 0; j < i; ++j)
            x[j] += entries[j] * value;
          x[i] = entries[i] * value;
        }
    else if (!roots.empty())
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] *= roots[i];
  }



  PositionMoments::PositionMoments(const Kind         kind,
                                   const unsigned int dimension)
    : the_kind(kind)
    , means(kind == Kind::none ? 0 : dimension)
    , products(kind == Kind::covariances ? Triangle::n_entries(dimension) :
                                           means.size())
    , deviations(means.size())
  {}



  void
  PositionMoments::add(const std::vector<double> &position)
  {
    ++n;
    for (std::size_t i = 0; i < means.size(); ++i)
      {
        deviations[i] = position[i] - means[i];
        means[i] += deviations[i] / n;
      }
    if (the_kind == Kind::variances)
      for (std::size_t i = 0; i < means.size(); ++i)
        products[i] += deviations[i] * (position[i] - means[i]);
    else
      for (std::size_t i = 0; i < means.size(); ++i)
        {
          const double deviation = position[i] - means[i];
          double      *row       = products.data() + Triangle::n_entries(i);
          for (std::size_t j = 0; j <= i; ++j)
            row[j] += deviations[j] * deviation;
        }
  }



  void
  PositionMoments::forget()
  {
    n = 0;
    std::fill(means.begin(), means.end(), 0.);
    std::fill(products.begin(), products.end(), 0.);
  }



  double
  PositionMoments::variance(const std::size_t i) const
  {
    const std::size_t place =
      the_kind == Kind::covariances ? Triangle::n_entries(i) + i : i;
    return n > 1 ? products[place] / (n - 1) : 0.;
  }



  double
  PositionMoments::covariance(const std::size_t i, const std::size_t j) const
  {
    return n > 1 ?
             products[Triangle::n_entries(std::max(i, j)) + std::min(i, j)] /
               (n - 1) :
             0.;
  }



  Learning
  learning_of(const NumberList &preconditioner)
  {
    return preconditioner.keyword == "adapt"       ? Learning::diagonal :
           preconditioner.keyword == "adapt dense" ? Learning::dense :
                                                     Learning::nothing;
  }



  StepTuning::StepTuning(const Rung                 &rung,
                         const unsigned int          dimension,
                         const bool                  adapt_step_size,
                         const double                target,
                         const Learning              learning,
                         const PositionMoments::Kind kind,
                         const StepRule              rule)
    : n_unknowns(dimension)
    , adapts_step_size(adapt_step_size)
    , learning(learning)
    , current_step_size(rung.step_size)
    , adaptation(rung.step_size, target, rule)
    , moments(kind, dimension)
  {
    step_scales.preconditioner = rung.preconditioner;
    step_scales.step_factors   = rung.step_factors;
    step_scales.update();
  }



  StepTuning::StepTuning(const Rung        &rung,
                         const unsigned int dimension,
                         const bool         adapt_step_size,
                         const double       target,
                         const Learning     learning,
                         const StepRule     rule)
    : StepTuning(rung,
                 dimension,
                 adapt_step_size,
                 target,
                 learning,
                 learning == Learning::dense ?
                   PositionMoments::Kind::covariances :
                 learning == Learning::diagonal ?
                   PositionMoments::Kind::variances :
                   PositionMoments::Kind::none,
                 rule)
  {}



  void
  StepTuning::learn_scales()
  {
    if (learning == Learning::nothing || moments.count() < least_draws)
      return;
    std::vector<double> variances(n_unknowns);
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        variances[i] = moments.variance(i);
        if (!(variances[i] > 0.))
          return;
      }
    if (learning == Learning::dense)
      learn_dense();
    else
      {
        step_scales.preconditioner =
          preconditioner_from_variances(variances, moments.count());
        step_scales.step_factors.clear();
        step_scales.update();
      }
  }



  void
  StepTuning::learn_dense()
  {
    // In units of the scales in use, so that one window after the other comes
    // nearer to a needle of any shape: what is drawn to the common scale is
    // only what they have missed.
    const std::size_t n    = n_unknowns;
    const Triangle    root = root_of(step_scales, n);
    Triangle          matrix(whitened(moments, root));
    double            mean_log = 0.;
    for (std::size_t i = 0; i < n; ++i)
      mean_log += std::log(matrix(i, i)) / n;
    // The common scale has the weight of five draws and one per unknown.
    const double draws  = static_cast<double>(moments.count());
    const double weight = draws / (draws + 5. + n);
    for (double &entry : matrix.entries)
      entry *= weight;
    for (std::size_t i = 0; i < n; ++i)
      matrix(i, i) += (1. - weight) * std::exp(mean_log);
    if (!matrix.factorise())
      return;

    // The product of both roots, scaled to geometric mean one.
    Triangle product(n);
    double   log_of_diagonal = 0.;
    for (std::size_t i = 0; i < n; ++i)
      {
        for (std::size_t j = 0; j <= i; ++j)
          for (std::size_t k = j; k <= i; ++k)
            product(i, j) += root(i, k) * matrix(k, j);
        log_of_diagonal += std::log(product(i, i)) / n;
      }
    for (double &entry : product.entries)
      entry /= std::exp(log_of_diagonal);
    step_scales        = StepScales();
    step_scales.factor = product.entries;
  }



  double
  StepTuning::spread() const
  {
    if (moments.count() < least_draws)
      return 0.;
    if (moments.kind() == PositionMoments::Kind::covariances)
      return std::sqrt(largest_eigenvalue(
        whitened(moments, root_of(step_scales, n_unknowns))));
    double largest = 0.;
    for (unsigned int i = 0; i < moments.dimension(); ++i)
      largest =
        std::max(largest,
                 moments.variance(i) /
                   (step_scales.squares.empty() ? 1. : step_scales.squares[i]));
    return std::sqrt(largest);
  }



  void
  StepTuning::begin_window(const bool is_retempered)
  {
    if (moments.kind() != PositionMoments::Kind::none)
      moments.forget();
    if (is_retempered || learning != Learning::nothing)
      adaptation.restart(adaptation.averaged());
  }



  void
  StepTuning::end_burn_in()
  {
    if (adapts_step_size)
      current_step_size = adaptation.averaged();
  }



  void
  StepTuning::check_loaded() const
  {
    const auto is_positive = [](const double number) {
      return number > 0. && std::isfinite(number);
    };
    bool is_right = is_positive(current_step_size);
    for (const std::vector<double> *list :
         {&step_scales.preconditioner, &step_scales.step_factors})
      for (const double entry : *list)
        is_right = is_right && entry >= 0.;
    for (std::size_t i = 0; step_scales.is_dense() && i < n_unknowns; ++i)
      is_right = is_right && is_positive(step_scales.row(i)[i]);
    if (!is_right)
      throw ArchiveError("a step size or its scales are not positive");
  }
} // namespace Tempera
