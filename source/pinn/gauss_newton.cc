// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/pinn/gauss_newton.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/lac/lapack_templates.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  using dealii::types::blas_int;



  GaussNewton::GaussNewton(const std::shared_ptr<const NetworkModel> &model,
                           std::vector<MisfitSet>                     sets,
                           const Exponents                           &exponents)
    : model(model)
    , space(model->prior()->space())
    , exponents(exponents)
    , sweep(model, std::move(sets))
  {
    const std::vector<MisfitSet> &all = sweep.get_sets();
    for (unsigned int set = 0; set < all.size(); ++set)
      for (unsigned int term = 0; term < all[set].terms.size(); ++term)
        for (unsigned int point = 0;
             point < all[set].n_points(model->shape.n_inputs);
             ++point)
          places.push_back({set, term, point});
    residuals.resize(places.size());
    jacobian.resize(places.size() * model->dimension());
  }



  double
  GaussNewton::energy(const std::vector<double> &state)
  {
    sweep.set_state(dealii::make_array_view(state));
    double potential = 0.;
    for (unsigned int set = 0; set < sweep.get_sets().size(); ++set)
      potential += sweep.add_set(set, false);
    return exponents.potential * potential +
           exponents.reference *
             model->prior_energy(dealii::make_array_view(state),
                                 dealii::ArrayView<double>());
  }



  void
  GaussNewton::linearise(const std::vector<double> &state)
  {
    const std::size_t d    = state.size();
    const double      root = std::sqrt(exponents.potential);
    sweep.set_state(dealii::make_array_view(state));
    for (std::size_t k = 0; k < places.size(); ++k)
      {
        residuals[k] =
          root *
          sweep.linearise(places[k].set, places[k].term, places[k].point);
        const dealii::ArrayView<double> row(&jacobian[k * d], d);
        sweep.get_gradient(row);
        for (double &entry : row)
          entry *= root;
      }
  }



  std::vector<double>
  GaussNewton::prior_precisions(const std::vector<double> &state) const
  {
    const unsigned int  n = model->shape.n_weights();
    std::vector<double> result(n,
                               1. / (model->weight_deviation *
                                     model->weight_deviation));
    // A uniform prior has no curvature; its standard deviation stands for it.
    for (std::size_t i = 0; i < model->unknowns.size(); ++i)
      {
        const double deviation =
          model->unknowns[i].prior.deviation_at(state[n + i]);
        result.push_back(1. / (deviation * deviation));
      }
    for (double &precision : result)
      precision *= exponents.reference;
    return result;
  }



  bool
  GaussNewton::factorise(const std::vector<double> &diagonal)
  {
    const std::size_t m = places.size(), d = diagonal.size();
    const std::size_t width = padded_width<double>(m);

    // The product is that of the weights' gradient: sums over rows.
    scaled_transpose.resize(d * width);
    constexpr std::size_t block = 32;
    std::vector<double>   roots(d);
    for (std::size_t i = 0; i < d; ++i)
      roots[i] = std::sqrt(diagonal[i]);
    for (std::size_t first = 0; first < d; first += block)
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t i = first; i < std::min(first + block, d); ++i)
          scaled_transpose[i * width + k] = roots[i] * jacobian[k * d + i];
    gram.resize(m * width);
    std::fill(gram.begin(), gram.end(), 0.);
    // In slices that stay in the cache.
    constexpr std::size_t slice = 64;
    for (std::size_t first = 0; first < d; first += slice)
      network_loops<double>().add_product_of_transpose(
        m,
        std::min(slice, d - first),
        width,
        &scaled_transpose[first * width],
        width,
        &scaled_transpose[first * width],
        gram.data());

    factor.resize(m * m);
    for (std::size_t k = 0; k < m; ++k)
      {
        std::copy_n(&gram[k * width], m, &factor[k * m]);
        factor[k * m + k] += 1.;
      }
    const char     uplo = 'U';
    const blas_int n    = m;
    blas_int       info = 0;
    dealii::potrf(&uplo, &n, factor.data(), &n, &info);
    return info == 0;
  }



  void
  GaussNewton::solve(std::vector<double> &values) const
  {
    const char     uplo = 'U';
    const blas_int n = places.size(), one = 1;
    blas_int       info = 0;
    dealii::potrs(&uplo, &n, &one, factor.data(), &n, values.data(), &n, &info);
    AssertThrow(info == 0, dealii::ExcInternalError());
  }



  GaussNewton::Report
  GaussNewton::minimise(
    std::vector<double>                           &state,
    const unsigned int                             max_iterations,
    const bool                                     moves_unknowns,
    const std::function<bool(const unsigned int)> &is_stopped)
  {
    // Relative to the largest entry of J'J: steps are then far shorter than
    // any that the linearisation suggests.
    constexpr double       largest_damping = 1e6;
    constexpr double       tolerance       = 1e-7;
    constexpr unsigned int n_patient       = 5;

    const std::size_t m = places.size(), d = state.size();
    Report            report;
    double            current = report.first_energy = energy(state);
    double            damping = 1e-2, growth = 2.;
    unsigned int      n_small = 0;

    std::vector<double> gradient(d), diagonal(d), image(m), trial(d);
    bool                is_fresh      = false;
    double              largest_entry = 0.;
    while (report.n_iterations < max_iterations && std::isfinite(current) &&
           !is_stopped(report.n_iterations))
      {
        const std::vector<double> precisions = prior_precisions(state);
        if (!is_fresh)
          {
            linearise(state);
            model->prior_energy(dealii::make_array_view(std::as_const(state)),
                                dealii::make_array_view(gradient));
            for (double &entry : gradient)
              entry *= exponents.reference;
            std::fill(diagonal.begin(), diagonal.end(), 0.);
            for (std::size_t k = 0; k < m; ++k)
              for (std::size_t i = 0; i < d; ++i)
                {
                  const double entry = jacobian[k * d + i];
                  gradient[i] += residuals[k] * entry;
                  diagonal[i] += entry * entry;
                }
            largest_entry = *std::max_element(diagonal.begin(), diagonal.end());
            is_fresh      = true;
          }
        ++report.n_iterations;
        for (std::size_t i = 0; i < d; ++i)
          diagonal[i] = 1. / (precisions[i] + damping);
        if (!moves_unknowns)
          std::fill(diagonal.begin() + model->shape.n_weights(),
                    diagonal.end(),
                    0.);
        bool   is_better = false;
        double decrease = 0., predicted = 0.;
        if (factorise(diagonal))
          {
            // -(D^-1 + J'J)^-1 g
            for (std::size_t k = 0; k < m; ++k)
              {
                double sum = 0.;
                for (std::size_t i = 0; i < d; ++i)
                  sum += jacobian[k * d + i] * diagonal[i] * gradient[i];
                image[k] = sum;
              }
            solve(image);
            trial = gradient;
            for (std::size_t k = 0; k < m; ++k)
              for (std::size_t i = 0; i < d; ++i)
                trial[i] -= image[k] * jacobian[k * d + i];
            for (std::size_t i = 0; i < d; ++i)
              {
                const double step = -diagonal[i] * trial[i];
                predicted -= 0.5 * step * (gradient[i] - damping * step);
                trial[i] = state[i] + step;
              }
            space.reflect(dealii::make_array_view(trial));
            const double there = energy(trial);
            decrease           = current - there;
            is_better          = std::isfinite(there) && decrease > 0.;
          }
        if (is_better)
          {
            state.swap(trial);
            current -= decrease;
            is_fresh = false;
            // After Nielsen (1999).
            const double ratio = predicted > 0. ? decrease / predicted : 1.;
            damping *= std::max(1. / 3., 1. - std::pow(2. * ratio - 1., 3));
            damping = std::max(damping, 1e-12);
            growth  = 2.;
            n_small = decrease < tolerance * current ? n_small + 1 : 0;
          }
        else
          {
            damping *= growth;
            growth *= 2.;
          }
        if (n_small == n_patient ||
            damping > largest_damping * std::max(1., largest_entry))
          {
            report.is_converged = true;
            break;
          }
      }
    report.last_energy = current;
    return report;
  }



  std::vector<double>
  GaussNewton::prepare_covariances(const std::vector<double> &state)
  {
    std::vector<double> diagonal = prior_precisions(state);
    for (double &entry : diagonal)
      entry = 1. / entry;
    linearise(state);
    return factorise(diagonal) ? diagonal : std::vector<double>();
  }



  double
  GaussNewton::covariance(const std::vector<double> &diagonal,
                          const std::vector<double> &one,
                          const std::vector<double> &other) const
  {
    const std::size_t m = places.size(), d = diagonal.size();
    const auto        image_of = [&](const std::vector<double> &direction) {
      std::vector<double> image(m, 0.);
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t i = 0; i < d; ++i)
          image[k] += jacobian[k * d + i] * diagonal[i] * direction[i];
      return image;
    };
    double result = 0.;
    for (std::size_t i = 0; i < d; ++i)
      result += one[i] * diagonal[i] * other[i];
    std::vector<double> solution = image_of(other);
    solve(solution);
    const std::vector<double> image = image_of(one);
    for (std::size_t k = 0; k < m; ++k)
      result -= image[k] * solution[k];
    return result;
  }



  std::vector<double>
  GaussNewton::deviations(const std::vector<double> &state,
                          const unsigned int         output,
                          const std::vector<double> &inputs)
  {
    const std::vector<double> diagonal = prepare_covariances(state);
    std::vector<double>       result, direction(state.size());
    if (diagonal.empty())
      return result;
    for (std::size_t place = 0; place < inputs.size();
         place += model->shape.n_inputs)
      {
        sweep.linearise_prediction(output, &inputs[place]);
        sweep.get_gradient(dealii::make_array_view(direction));
        result.push_back(
          std::sqrt(std::max(0., covariance(diagonal, direction, direction))));
      }
    return result;
  }



  dealii::FullMatrix<double>
  GaussNewton::information(const std::vector<double> &state)
  {
    const std::vector<double>  diagonal = prepare_covariances(state);
    const unsigned int         n        = model->unknowns.size();
    dealii::FullMatrix<double> result;
    if (diagonal.empty())
      return result;

    dealii::FullMatrix<double> covariances(n, n);
    const auto                 unit = [&](const unsigned int i) {
      std::vector<double> direction(state.size(), 0.);
      direction[model->shape.n_weights() + i] = 1.;
      return direction;
    };
    std::vector<double> deviations_of_prior;
    for (unsigned int i = 0; i < n; ++i)
      {
        for (unsigned int j = 0; j < n; ++j)
          covariances(i, j) = covariance(diagonal, unit(i), unit(j));
        deviations_of_prior.push_back(
          std::sqrt(diagonal[model->shape.n_weights() + i]));
      }
    result.reinit(n, n);
    result.invert(covariances);
    for (unsigned int i = 0; i < n; ++i)
      {
        for (unsigned int j = 0; j < n; ++j)
          result(i, j) *= deviations_of_prior[i] * deviations_of_prior[j];
        // Rounding may leave less than nothing.
        result(i, i) = std::max(0., result(i, i) - 1.);
      }
    result.symmetrize();
    return result;
  }
} // namespace Tempera
