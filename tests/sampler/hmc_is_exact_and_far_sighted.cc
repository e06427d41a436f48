// SPDX-License-Identifier: LGPL-2.1-or-later

// HMC samples the laws that MALA samples, and some more: with any mass, at
// walls that a dense mass meets aslant, where the energy is not finite. It
// makes far more effective draws per gradient than MALA where scales differ,
// and a dense mass makes a needle as easy as a ball
// (benchmarks/hmc_benchmark.cc has the long form).

#include "sampler/effective_draws.h"
#include "sampler/moments_of_kernels.h"

#include <tempera/analytic/decorators.h>
#include <tempera/base/user_error.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <array>
#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  Setting
  hmc(const std::string &own = "")
  {
    Setting setting;
    setting.kernel = "HMC";
    setting.rounds = 40000;
    setting.more   = "subsection HMC\n" + own + "\nend";
    return setting;
  }

  void
  check_masses()
  {
    const GaussianCase gaussian = gaussian_case();
    for (const std::string mass : {"unit", "diagonal", "dense"})
      check_moments("HMC with " + mass + " mass",
                    gaussian.energy,
                    hmc("set Mass = " + mass),
                    gaussian.moments);
    Setting given        = hmc("set Leapfrog steps = 4");
    given.preconditioner = std::vector<double>{2., 1., 0.5};
    check_moments("HMC with given mass and length",
                  gaussian.energy,
                  given,
                  gaussian.moments);
    check_moments(
      "MALA and HMC in turns",
      gaussian.energy,
      [] {
        Setting setting = hmc();
        setting.kernel  = "MALA + HMC";
        return setting;
      }(),
      gaussian.moments);
  }


  /** Correlated unknowns in a box that cuts most of their law off. */
  void
  check_walls_aslant()
  {
    Gaussian::Parameters parameters;
    parameters.mean       = {0.5, 0.};
    parameters.covariance = {{1., 0.9}, {0.9, 1.}};
    ReferenceParameters reference;
    reference.lower_bounds = std::vector<double>{0., -0.5};
    reference.upper_bounds = std::vector<double>{1.5, 0.4};
    const auto energy      = std::make_shared<Gaussian>(parameters, reference);

    // By the midpoint rule.
    constexpr unsigned int n = 1000;
    std::array<double, 4>  sums{{0., 0., 0., 0.}};
    Evaluation             evaluation;
    evaluation.reference_gradient.resize(2);
    evaluation.potential_gradient.resize(2);
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        {
          const std::vector<double> x = {1.5 * (i + 0.5) / n,
                                         -0.5 + 0.9 * (j + 0.5) / n};
          energy->evaluate(dealii::make_array_view(x),
                           RandomKey(),
                           Request::values,
                           evaluation);
          const double density = std::exp(-evaluation.energy());
          sums[0] += density;
          sums[1] += density * x[0];
          sums[2] += density * x[1];
          sums[3] += density * x[0] * x[1];
        }
    const std::vector<Moment> moments = {
      {"mean 0", power(0, 1), sums[1] / sums[0]},
      {"mean 1", power(1, 1), sums[2] / sums[0]},
      {"product",
       [](const dealii::ArrayView<const double> &x) { return x[0] * x[1]; },
       sums[3] / sums[0]}};
    for (const std::string mass : {"unit", "dense"})
      check_moments("HMC between walls with " + mass + " mass",
                    energy,
                    hmc("set Mass = " + mass),
                    moments);

    // A flat law, and steps that cross the box many times.
    parameters.covariance = {{1e16, 0.}, {0., 1e16}};
    Setting many          = hmc("set Mass = unit\nset Leapfrog steps = 3");
    many.more += "\nset Adapt step size = false";
    many.step_size = 1000.;
    check_moments("HMC with many reflections",
                  std::make_shared<Gaussian>(parameters, reference),
                  many,
                  {{"mean 0", power(0, 1), 0.75},
                   {"mean 1", power(1, 1), -0.05},
                   {"square 0", power(0, 2), 0.75}});
  }


  /** Neal's funnel by its non-centred unknowns: x = exp(v/2) z. */
  void
  check_funnel()
  {
    const CorrelatedGaussian energy({3., 1., 1.}, 0.);
    const auto inner = [](const dealii::ArrayView<const double> &x) {
      return std::abs(std::exp(0.5 * x[0]) * x[1]) < 1. ? 1. : 0.;
    };
    // P(|x| < 1) = E[erf(exp(-v/2) / sqrt(2))], v normal with deviation 3.
    double probability = 0., mass = 0.;
    for (double v = -30.; v <= 30.; v += 1e-3)
      {
        const double density = std::exp(-v * v / 18.);
        mass += density;
        probability += density * std::erf(std::exp(-0.5 * v) / std::sqrt(2.));
      }
    check_moments("HMC, funnel",
                  std::make_shared<CorrelatedGaussian>(energy),
                  hmc(),
                  {{"mean of v", power(0, 1), 0.},
                   {"variance of v", power(0, 2), 9.},
                   {"share of the neck", inner, probability / mass}});
  }


  void
  check_mixture_within_modes()
  {
    GaussianMixture::Parameters parameters;
    parameters.means               = {{-30.}, {30.}};
    parameters.standard_deviations = {0.6, 2.};
    for (const unsigned int mode : {0u, 1u})
      {
        Setting setting   = hmc();
        setting.start     = {parameters.means[mode][0] + 0.1};
        const double mean = parameters.means[mode][0];
        check_moments("HMC within mode " + std::to_string(mode),
                      std::make_shared<GaussianMixture>(parameters),
                      setting,
                      {{"mean", power(0, 1), mean},
                       {"variance",
                        [=](const dealii::ArrayView<const double> &x) {
                          return (x[0] - mean) * (x[0] - mean);
                        },
                        std::pow(parameters.standard_deviations[mode], 2)}});
      }
  }


  struct Run
  {
    RunReport           report;
    std::vector<double> last_position;
  };

  Run
  run(const std::shared_ptr<const Energy> &energy,
      const std::string                   &settings,
      const std::uint64_t                  burn_in,
      const std::uint64_t                  rounds,
      const std::uint64_t                  break_after = 0)
  {
    KernelParameters kernel_parameters;
    kernel_parameters.read(settings);
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 3.};
    RunParameters run_parameters;
    run_parameters.burn_in    = burn_in;
    run_parameters.iterations = burn_in + rounds;
    const auto make           = [&]() {
      return std::make_unique<ReplicaExchange>(
        run_parameters,
        SwapParameters(),
        Ladder(ladder_parameters, kernel_parameters, {{"fine", energy}}),
        std::vector<std::vector<double>>{
          std::vector<double>(energy->space().dimension(), 0.1)});
    };
    auto sampler = make();
    if (break_after > 0)
      {
        while (sampler->get_round() < break_after)
          sampler->do_round();
        std::stringstream stream;
        {
          boost::archive::binary_oarchive archive(stream);
          sampler->serialize(archive, 0);
        }
        sampler = make();
        boost::archive::binary_iarchive archive(stream);
        sampler->serialize(archive, 0);
      }
    sampler->run();
    return {sampler->report(), sampler->replica(0).position};
  }


  /** Counts its evaluations. */
  class CountingEnergy : public CorrelatedGaussian
  {
  public:
    using CorrelatedGaussian::CorrelatedGaussian;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override
    {
      ++calls;
      CorrelatedGaussian::evaluate(state, key, request, evaluation);
    }

    mutable std::uint64_t calls = 0;
  };


  void
  check_bookkeeping()
  {
    const std::string three =
      "set Type = HMC\nset Adapt step size = false\n"
      "subsection HMC\nset Leapfrog steps = 3\nset Mass = unit\nend";
    const auto counting =
      std::make_shared<CountingEnergy>(std::vector<double>{1., 2.}, 0.3);
    const Run short_run = run(counting, three, 0, 1000);
    check("every evaluation is counted",
          short_run.report.evaluations[0] == counting->calls,
          std::to_string(short_run.report.evaluations[0]) + " of " +
            std::to_string(counting->calls));
    check("every evaluation is paid for",
          short_run.report.work == 2. * counting->calls,
          std::to_string(short_run.report.work));
    // Two start points; then 1, 2 or 3, two on average.
    const double mean = (counting->calls - 2.) / 2000.;
    check("one to three leapfrog steps", std::abs(mean - 2.) < 0.1);

    // A normal law that is known below 1 only.
    const auto half = std::make_shared<FormulaEnergy>(
      [](const double x) {
        return x < 1. ? 0.5 * x * x : std::numeric_limits<double>::infinity();
      },
      [](const double x) {
        return x < 1. ? x : std::numeric_limits<double>::quiet_NaN();
      });
    const double cut = std::exp(-0.5) / std::sqrt(2. * M_PI) / normal_cdf(1.);
    check_moments("HMC where the energy is not finite",
                  half,
                  hmc(),
                  {{"mean", power(0, 1), -cut},
                   {"square", power(0, 2), 1. - cut}});
    // With one leapfrog step nothing else could count them.
    const Run rejected =
      run(half,
          "set Type = HMC\nsubsection HMC\nset Leapfrog steps = 1\nend",
          2000,
          2000);
    check("what is not finite is counted",
          rejected.report.rungs[0].non_finite > 100,
          std::to_string(rejected.report.rungs[0].non_finite));

    const auto needle =
      std::make_shared<CorrelatedGaussian>(std::vector<double>{1., 3., 0.1},
                                           0.99);
    for (const std::string type :
         {"set Type = HMC",
          "set Type = MALA + HMC\nset Steps per round = 3",
          "set Type = MALA\nset Preconditioner = adapt dense"})
      {
        const Run whole = run(needle, type, 400, 100);
        bool      same  = true;
        for (const std::uint64_t round : {60, 250, 430})
          same = same && run(needle, type, 400, 100, round).last_position ==
                           whole.last_position;
        check("resumed bit by bit: " + type.substr(11, type.find('\n') - 11),
              same);
      }
  }


  std::string
  message_of(const std::shared_ptr<const Energy> &energy,
             const std::string                   &settings,
             const std::uint64_t                  burn_in)
  {
    try
      {
        run(energy, settings, burn_in, 10);
      }
    catch (const UserError &error)
      {
        return error.what();
      }
    return "no error";
  }

  void
  check_mistakes()
  {
    const auto gaussian =
      std::make_shared<CorrelatedGaussian>(std::vector<double>{1., 2.}, 0.);
    const std::string noisy =
      message_of(std::make_shared<NoisyEnergy>(gaussian, 0.1, 0.1),
                 "set Type = HMC",
                 100);
    check("a noisy energy is refused",
          noisy.find("HMC needs a deterministic energy") != std::string::npos,
          noisy);
    const std::string at_once = message_of(gaussian, "set Type = HMC", 0);
    check("a run without burn-in is refused",
          at_once.find("'Burn-in' is 0") != std::string::npos,
          at_once);
    const std::string unknown =
      message_of(gaussian, "set Type = HMC + NUTS", 100);
    check("a kernel that is not there is refused",
          unknown != "no error",
          unknown);
  }


  void
  check_effective_draws()
  {
    const CorrelatedGaussian wide(geometric_deviations(100, 100.), 0.);
    const EffectiveDraws     trajectories =
      effective_draws(wide,
                      "set Type = HMC\nsubsection HMC\nset Mass = unit\nend",
                      1500,
                      1500,
                      3);
    const EffectiveDraws diffusion =
      effective_draws(wide, "set Type = MALA", 50000, 400000, 3);
    const double ratio = trajectories.per_gradient() / diffusion.per_gradient();
    check("HMC has 30 times MALA's effective draws per gradient",
          ratio > 30.,
          std::to_string(ratio));

    for (const unsigned int dimension : {2u, 20u})
      for (const std::string settings :
           {"set Type = HMC",
            "set Type = MALA\nset Preconditioner = adapt dense"})
        {
          double least[2];
          for (const unsigned int k : {0u, 1u})
            least[k] =
              effective_draws(CorrelatedGaussian(std::vector<double>(dimension,
                                                                     1.),
                                                 k == 0 ? 0. : 0.9994),
                              settings,
                              4000,
                              5000,
                              10)
                .least;
          check("a needle in " + std::to_string(dimension) +
                  " dimensions is no obstacle to " + settings.substr(11, 4),
                least[1] > 0.8 * least[0],
                std::to_string(least[1]) + " of " + std::to_string(least[0]));
        }
  }
} // namespace


int
main()
{
  check_exact_kernel("HMC", hmc());
  check_masses();
  check_walls_aslant();
  check_funnel();
  check_mixture_within_modes();
  check_bookkeeping();
  check_mistakes();
  check_effective_draws();
  return result();
}
