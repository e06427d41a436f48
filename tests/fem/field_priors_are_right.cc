// SPDX-License-Identifier: LGPL-2.1-or-later

// Gaussian laws of functions: variances, correlations and traces that are known
// in closed form or from elsewhere; energy, root, constant and draws belong to
// the same covariance.

#include "tests.h"

#include <tempera/fem/field_prior.h>

#include <deal.II/lac/lapack_full_matrix.h>

#include <numeric>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  template <int dim>
  Mesh<dim>
  box(const unsigned int n, const double lower = 0., const double upper = 1.)
  {
    Domain domain;
    domain.lower = {lower};
    domain.upper = {upper};
    FemLevelParameters level;
    level.subdivisions = {n};
    return make_mesh<dim>(domain, level, MPI_COMM_SELF);
  }

  template <int dim>
  unsigned int
  value_at(const FieldPrior<dim> &prior, const dealii::Point<dim> &place)
  {
    unsigned int best = 0;
    for (unsigned int i = 0; i < prior.space().dimension(); ++i)
      if (prior.place(i).distance(place) < prior.place(best).distance(place))
        best = i;
    return best;
  }

  /** Column of the covariance. */
  std::vector<double>
  covariances(const PriorMeasure &prior, const unsigned int value)
  {
    std::vector<double> unit(prior.space().dimension(), 0.), result(unit);
    unit[value] = 1.;
    prior.apply_covariance(dealii::make_array_view(std::as_const(unit)),
                           dealii::make_array_view(result));
    return result;
  }

  /** Whether a number is another one up to a relative error. */
  void
  check_value(const std::string &name,
              const double       value,
              const double       truth,
              const double       tolerance)
  {
    check(name,
          std::abs(value - truth) <= tolerance * std::abs(truth),
          std::to_string(value) + " instead of " + std::to_string(truth));
  }

  BiLaplacian<2>
  isotropic()
  {
    BiLaplacian<2> result;
    result.diffusion = 0.1;
    result.reaction  = 0.5;
    result.robin     = false;
    return result;
  }


  /**
   * The sum over the eigenfunctions of a mesh of the square. In one direction
   * its frequencies are known.
   */
  double
  exact_trace(const unsigned int n)
  {
    double result = 0.;
    for (unsigned int i = 0; i <= n; ++i)
      for (unsigned int j = 0; j <= n; ++j)
        {
          double frequency = 0.;
          for (const unsigned int k : {i, j})
            frequency += 6. * n * n * (1. - std::cos(M_PI * k / n)) /
                         (2. + std::cos(M_PI * k / n));
          result += std::pow(0.5 + 0.1 * frequency, -2);
        }
    return result;
  }

  void
  check_trace()
  {
    check_value("trace of the covariance",
                FieldPrior<2>("u", box<2>(24), isotropic()).trace(),
                exact_trace(24),
                1e-10);
    check_value("its limit on fine meshes", exact_trace(2000), 5.3648019, 1e-6);
  }


  /** On a large domain and a fine mesh. */
  void
  check_whole_space()
  {
    const FieldPrior<2>       prior("u", box<2>(192, -3., 3.), isotropic());
    const unsigned int        centre = value_at(prior, {0., 0.});
    const std::vector<double> column = covariances(prior, centre);
    check_value("variance in the whole space",
                column[centre],
                1. / (4. * M_PI * 0.1 * 0.5),
                3e-3);
    check_value("correlation at a distance",
                column[value_at(prior, {0.25, 0.})] / column[centre],
                0.8008136,
                3e-3);
  }


  /**
   * Bilinear elements against an independent computation with the same; and
   * their limit, at the corners extrapolated, against linear triangles on the
   * same nodes.
   */
  void
  check_anisotropy()
  {
    BiLaplacian<2> coefficients   = isotropic();
    coefficients.anisotropy[0][0] = coefficients.anisotropy[1][1] = 1.25;
    coefficients.anisotropy[0][1]                                 = 0.75;
    coefficients.robin                                            = true;
    const FieldPrior<2> prior("u", box<2>(32), coefficients),
      finer("u", box<2>(64), coefficients);
    const auto variance =
      [](const FieldPrior<2> &field, const double x, const double y) {
        return field.variance(value_at(field, {x, y}));
      };
    const auto limit = [&](const double x, const double y) {
      return (4. * variance(finer, x, y) - variance(prior, x, y)) / 3.;
    };
    constexpr double same = 1e-8, similar = 0.003;
    check_value("centre", variance(prior, 0.5, 0.5), 1.8622980431004, same);
    check_value("corner", variance(prior, 0., 0.), 1.5865957786312, same);
    check_value("other corner", variance(prior, 1., 0.), 1.3792419181735, same);
    check_value("edge", variance(prior, 0.5, 0.), 1.5817644730292, same);
    check_value("triangles, trace", prior.trace(), 1.796, similar);
    check_value("triangles, centre", variance(prior, 0.5, 0.5), 1.864, similar);
    check_value("triangles, corner", limit(0., 0.), 1.603, similar);
    check_value("triangles, opposite corner", limit(1., 1.), 1.603, similar);
    check_value("triangles, other corner", limit(1., 0.), 1.331, similar);
    check_value("triangles, its opposite", limit(0., 1.), 1.331, similar);
    check_value("triangles, edge", variance(prior, 0.5, 0.), 1.584, similar);
  }


  /** From standard deviation and correlation length, in all dimensions. */
  template <int dim>
  void
  check_matern(const unsigned int n)
  {
    constexpr double      deviation = 0.7, length = 0.5, half_width = 1.;
    const FieldPrior<dim> prior("u",
                                box<dim>(n, -half_width, half_width),
                                matern_field<dim>(deviation, {length}));
    dealii::Point<dim>    near;
    near[0]                          = 0.25;
    const unsigned int        centre = value_at(prior, dealii::Point<dim>());
    const std::vector<double> column = covariances(prior, centre);
    const double              smoothness = 2. - 0.5 * dim,
                 kappa                   = std::sqrt(8. * smoothness) / length;
    const double distance                = kappa * near[0];
    const double correlation =
      std::pow(2., 1. - smoothness) / std::tgamma(smoothness) *
      std::pow(distance, smoothness) * std::cyl_bessel_k(smoothness, distance);
    // In space, a field of smoothness 1/2 has kinks that a mesh cuts off.
    const double tolerance = dim == 3 ? 0.12 : 0.01;
    check_value("deviation in dimension " + std::to_string(dim),
                std::sqrt(column[centre]),
                deviation,
                tolerance);
    check_value("correlation in dimension " + std::to_string(dim),
                column[value_at(prior, near)] / column[centre],
                correlation,
                tolerance);
  }


  /** Turned axes: the long one is the diagonal. */
  void
  check_turned_axes()
  {
    const FieldPrior<2>       prior("u",
                              box<2>(160, -2., 2.),
                              matern_field<2>(1.5, {1., 0.4}, M_PI / 4.));
    const unsigned int        centre = value_at(prior, {0., 0.});
    const std::vector<double> column = covariances(prior, centre);
    const auto correlation_at        = [&](const double x, const double y) {
      return column[value_at(prior, {x, y})] / column[centre];
    };
    const auto matern = [](const double distance_by_length) {
      const double r = std::sqrt(8.) * distance_by_length;
      return r * std::cyl_bessel_k(1., r);
    };
    constexpr double part = 0.25;
    check_value("deviation of turned axes",
                std::sqrt(column[centre]),
                1.5,
                0.01);
    check_value("correlation along the long axis",
                correlation_at(part, part),
                matern(std::sqrt(2.) * part / 1.),
                0.01);
    check_value("correlation along the short axis",
                correlation_at(part, -part),
                matern(std::sqrt(2.) * part / 0.4),
                0.02);
  }


  /** Energy, root and constant against the dense covariance. */
  void
  check_consistency()
  {
    const auto mean = [](const dealii::Point<2> &x) { return 1. + x[0]; };
    const FieldPrior<2>              prior("u",
                              box<2>(5),
                              matern_field<2>(0.7, {0.6, 0.3}, 0.4),
                              mean);
    const unsigned int               n = prior.space().dimension();
    dealii::LAPACKFullMatrix<double> covariance(n, n);
    std::vector<double>              root(n * prior.root_size());
    for (unsigned int j = 0; j < n; ++j)
      {
        const std::vector<double> column = covariances(prior, j);
        for (unsigned int i = 0; i < n; ++i)
          covariance(i, j) = column[i];
      }
    std::vector<double>              unit(prior.root_size()), column(n);
    dealii::LAPACKFullMatrix<double> product(n, n);
    for (unsigned int k = 0; k < unit.size(); ++k)
      {
        std::fill(unit.begin(), unit.end(), 0.);
        unit[k] = 1.;
        prior.apply_covariance_root(dealii::make_array_view(
                                      std::as_const(unit)),
                                    dealii::make_array_view(column));
        for (unsigned int i = 0; i < n; ++i)
          for (unsigned int j = 0; j < n; ++j)
            product(i, j) += column[i] * column[j];
      }
    double difference = 0., asymmetry = 0.;
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        {
          difference =
            std::max(difference, std::abs(product(i, j) - covariance(i, j)));
          asymmetry =
            std::max(asymmetry, std::abs(covariance(i, j) - covariance(j, i)));
        }
    check("the root is one", difference < 1e-12, std::to_string(difference));
    check("the covariance is symmetric", asymmetry < 1e-12);
    check_value("variances are on its diagonal",
                prior.variance(7),
                covariance(7, 7),
                1e-12);

    RandomKey key;
    key.seed                        = 3;
    const std::vector<double> state = prior.sample(key);
    std::vector<double>       gradient(n), deviation(n);
    const double energy = prior.energy(dealii::make_array_view(state),
                                       dealii::make_array_view(gradient));
    prior.apply_covariance(dealii::make_array_view(std::as_const(gradient)),
                           dealii::make_array_view(deviation));
    double product_of_both = 0., error = 0.;
    for (unsigned int i = 0; i < n; ++i)
      {
        const double truth = state[i] - mean(prior.place(i));
        error              = std::max(error, std::abs(deviation[i] - truth));
        product_of_both += 0.5 * truth * gradient[i];
      }
    check("the gradient is that of a Gaussian around its mean",
          error < 1e-10,
          std::to_string(error));
    check_value("the energy belongs to it", energy, product_of_both, 1e-10);
    check("a draw is a function of its key", prior.sample(key) == state);
    key.seed = 4;
    check("another key, another draw", prior.sample(key) != state);

    covariance.compute_lu_factorization();
    check_value("the constant is that of the determinant",
                prior.log_normaliser(),
                0.5 * (n * std::log(2. * M_PI) +
                       std::log(covariance.determinant())),
                1e-10);
    // Last direction fastest.
    check("values are in order",
          prior.place(1).distance({0., 0.2}) < 1e-12 &&
            prior.place(6).distance({0.2, 0.}) < 1e-12 &&
            prior.space()[6].name == "u_6");
  }


  /** All pairs of nine places, within 4 standard errors. */
  void
  check_draws()
  {
    constexpr unsigned int n_draws      = 4000;
    BiLaplacian<2>         coefficients = isotropic();
    coefficients.anisotropy[0][0] = coefficients.anisotropy[1][1] = 1.25;
    coefficients.anisotropy[0][1]                                 = 0.75;
    coefficients.robin                                            = true;
    const auto mean = [](const dealii::Point<2> &x) { return 2. * x[1]; };
    const FieldPrior<2>       prior("u", box<2>(32), coefficients, mean);
    std::vector<unsigned int> places;
    for (const double x : {0., 0.5, 1.})
      for (const double y : {0., 0.5, 1.})
        places.push_back(value_at(prior, {x, y}));
    const unsigned int               n = places.size();
    std::vector<std::vector<double>> draws;
    RandomKey                        key;
    key.seed = 21;
    for (unsigned int k = 0; k < n_draws; ++k)
      {
        key.round                        = k;
        const std::vector<double> values = prior.sample(key);
        draws.emplace_back();
        for (const unsigned int place : places)
          draws.back().push_back(values[place] - mean(prior.place(place)));
      }
    double of_means = 0., of_products = 0.;
    for (unsigned int i = 0; i < n; ++i)
      {
        const std::vector<double> column = covariances(prior, places[i]);
        double                    sum    = 0.;
        for (const auto &draw : draws)
          sum += draw[i] / n_draws;
        of_means =
          std::max(of_means,
                   std::abs(sum) / std::sqrt(column[places[i]] / n_draws));
        for (unsigned int j = 0; j <= i; ++j)
          {
            const double truth    = column[places[j]];
            double       products = 0.;
            for (const auto &draw : draws)
              products += draw[i] * draw[j] / n_draws;
            // Of Gaussian numbers.
            const double error = std::sqrt(
              (truth * truth + column[places[i]] * prior.variance(places[j])) /
              n_draws);
            of_products =
              std::max(of_products, std::abs(products - truth) / error);
          }
      }
    check("means of draws", of_means < 4., std::to_string(of_means));
    check("covariances of draws",
          of_products < 4.,
          std::to_string(of_products));
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  check_trace();
  check_whole_space();
  check_anisotropy();
  check_matern<1>(200);
  check_matern<2>(80);
  check_matern<3>(24);
  check_turned_axes();
  check_consistency();
  check_draws();
  return result();
}
