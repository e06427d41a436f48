// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_moments_of_kernels_h
#define tempera_tests_moments_of_kernels_h

// What an exact kernel must sample rightly: moments within 6 standard errors,
// with a floor on the effective size, else a stuck chain would pass.

#include "tests.h"

#include <tempera/analytic/banana.h>
#include <tempera/analytic/gaussian.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/replica_exchange.h>

namespace Tempera
{
  namespace Testing
  {
    using Function =
      std::function<double(const dealii::ArrayView<const double> &)>;

    struct Moment
    {
      std::string name;
      Function    function;
      double      truth;
    };

    struct Setting
    {
      std::string         kernel         = "MALA";
      double              step_size      = 0.5;
      double              temperature    = 1.;
      std::uint64_t       rounds         = 400000;
      NumberList          preconditioner = "none";
      std::vector<double> start;
      Temper              temper = Temper::posterior;
      /** More settings of the kernel, as in a parameter file. */
      std::string more;
    };

    inline void
    check_moments(const std::string                   &name,
                  const std::shared_ptr<const Energy> &energy,
                  const Setting                       &setting,
                  const std::vector<Moment>           &moments,
                  const double                         least_size = 2000.)
    {
      LadderParameters ladder_parameters;
      ladder_parameters.temperatures = std::vector<double>{setting.temperature};
      ladder_parameters.temper       = setting.temper;
      KernelParameters kernel_parameters;
      kernel_parameters.read(setting.more);
      kernel_parameters.types          = {setting.kernel};
      kernel_parameters.step_sizes     = {setting.step_size};
      kernel_parameters.preconditioner = setting.preconditioner;
      RunParameters run_parameters;
      run_parameters.burn_in    = 20000;
      run_parameters.iterations = run_parameters.burn_in + setting.rounds;

      ReplicaExchange sampler(
        run_parameters,
        SwapParameters(),
        Ladder(ladder_parameters, kernel_parameters, {{"fine", energy}}),
        {setting.start.empty() ?
           std::vector<double>(energy->space().dimension(), 0.1) :
           setting.start});

      std::vector<std::vector<double>> values(moments.size());
      bool                             in_support = true;
      sampler.signals.draw.connect([&](const Draw &draw) {
        if (draw.is_burn_in)
          return;
        in_support = in_support && energy->space().contains(draw.position);
        for (std::size_t i = 0; i < moments.size(); ++i)
          values[i].push_back(moments[i].function(draw.position));
      });
      sampler.run();

      check(name + ": in the support", in_support);
      for (std::size_t i = 0; i < moments.size(); ++i)
        {
          const Estimate e = estimate(values[i]);
          check(name + ": " + moments[i].name,
                e.deviation(moments[i].truth) < 6. &&
                  e.effective_size > least_size,
                e.text(moments[i].truth));
        }
    }

    inline Function
    power(const unsigned int i, const int exponent)
    {
      return [=](const dealii::ArrayView<const double> &x) {
        return std::pow(x[i], exponent);
      };
    }

    /** Three correlated unknowns. */
    struct GaussianCase
    {
      std::shared_ptr<const Energy> energy;
      std::vector<Moment>           moments;
    };

    inline GaussianCase
    gaussian_case()
    {
      Gaussian::Parameters parameters;
      parameters.mean       = {1., -2., 0.5};
      parameters.covariance = {{2., 0.6, 0.}, {0.6, 1., -0.3}, {0., -0.3, 0.5}};
      const auto gaussian   = std::make_shared<Gaussian>(parameters);

      std::vector<Moment> moments;
      for (unsigned int i = 0; i < 3; ++i)
        {
          moments.push_back(
            {"mean " + std::to_string(i), power(i, 1), parameters.mean[i]});
          for (unsigned int j = 0; j <= i; ++j)
            moments.push_back(
              {"covariance " + std::to_string(i) + std::to_string(j),
               [=](const dealii::ArrayView<const double> &x) {
                 return (x[i] - parameters.mean[i]) *
                        (x[j] - parameters.mean[j]);
               },
               parameters.covariance[i][j]});
        }
      return {gaussian, moments};
    }

    /** Laws of all sorts, with a kernel that claims to be exact. */
    inline void
    check_exact_kernel(const std::string &name, const Setting &setting)
    {
      {
        const GaussianCase  gaussian = gaussian_case();
        std::vector<Moment> moments  = gaussian.moments;
        check_moments(name + ", gaussian", gaussian.energy, setting, moments);

        Setting hot     = setting;
        hot.temperature = 4.;
        for (Moment &moment : moments)
          if (moment.name[0] == 'c')
            moment.truth *= 4.;
        check_moments(name + " at temperature 4, gaussian",
                      gaussian.energy,
                      hot,
                      moments);
      }
      {
        // Prior N(0, 2^2), likelihood N(3, 1) at temperature 2: the precisions
        // are 1/4 and 1/2.
        Gaussian::Parameters parameters;
        parameters.mean       = {3.};
        parameters.covariance = {{1.}};
        ReferenceParameters reference;
        reference.standard_deviation = 2.;
        Setting likelihood           = setting;
        likelihood.temper            = Temper::likelihood;
        likelihood.temperature       = 2.;
        check_moments(name + ", tempered likelihood",
                      std::make_shared<Gaussian>(parameters, reference),
                      likelihood,
                      {{"mean", power(0, 1), 2.},
                       {"square", power(0, 2), 4. + 4. / 3.}});
      }
      {
        Banana::Parameters parameters;
        Setting            long_run = setting;
        long_run.rounds *= 5;
        check_moments(name + ", banana",
                      std::make_shared<Banana>(parameters),
                      long_run,
                      {{"mean 0", power(0, 1), 0.},
                       {"mean 1", power(1, 1), 0.},
                       {"variance 0", power(0, 2), 1.},
                       {"variance 1", power(1, 2), 2.25},
                       {"kurtosis 0", power(0, 4), 3.}},
                      500.);
      }
      {
        GaussianMixture::Parameters parameters;
        parameters.weights             = {0.3, 0.7};
        parameters.means               = {{-1.5}, {1.}};
        parameters.standard_deviations = {0.6, 0.8};
        check_moments(name + ", mixture",
                      std::make_shared<GaussianMixture>(parameters),
                      setting,
                      {{"mean", power(0, 1), 0.25},
                       {"square", power(0, 2), 0.3 * 2.61 + 0.7 * 1.64}});
      }
      {
        // Half of a normal law: all of its mass at the wall.
        Gaussian::Parameters parameters;
        parameters.mean       = {0.};
        parameters.covariance = {{1.}};
        ReferenceParameters reference;
        reference.lower_bounds = std::vector<double>{0.};
        check_moments(name + " at one wall",
                      std::make_shared<Gaussian>(parameters, reference),
                      setting,
                      {{"mean", power(0, 1), std::sqrt(2. / M_PI)},
                       {"square", power(0, 2), 1.}});

        // Between two walls, with the mode outside.
        parameters.mean        = {-1.};
        reference.lower_bounds = std::vector<double>{0.};
        reference.upper_bounds = std::vector<double>{0.8};
        const auto density     = [](const double x) {
          return std::exp(-0.5 * x * x) / std::sqrt(2. * M_PI);
        };
        const double mass = normal_cdf(1.8) - normal_cdf(1.);
        const double mean = -1. + (density(1.) - density(1.8)) / mass;
        check_moments(name + " between two walls",
                      std::make_shared<Gaussian>(parameters, reference),
                      setting,
                      {{"mean", power(0, 1), mean}});
      }
    }
  } // namespace Testing
} // namespace Tempera

#endif
