// SPDX-License-Identifier: LGPL-2.1-or-later

// The evidence from potentials alone: draws of tempered Gaussians that remember
// each other and are swapped, failed solves, chains with temperatures of their
// own, levels; stated errors are honest, what overlaps too little is told, and
// probabilities of models are right. With an argument: so many sets of draws.

#include "tests.h"

#include <tempera/output/evidence.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr double infinite = std::numeric_limits<double>::infinity(),
                   unknown  = std::numeric_limits<double>::quiet_NaN();

  /**
   * The prior is N(0, 1), the likelihood exp(-4.5 x^2): at an exponent b the
   * law is N(0, 1 / (1 + 9 b)), and the evidence is 10^(-1/2).
   */
  const double truth = -0.5 * std::log(10.);

  /** Rungs that are drawn with memory, and whose neighbours are swapped. */
  struct Sampling
  {
    std::vector<double> exponents = {1., 0.4, 0.1, 0.};
    unsigned int        n_chains = 4, n_rounds = 400, pace = 1;
    /** Correlation from round to round. */
    double memory = 0.6;
    bool   swaps  = true;
    /** The likelihood is zero above; a half of the prior is. */
    bool half_fails = false;
    /** By chain, exponents of inner rungs are raised to this power. */
    double spread = 0.;
    /** Factor of the fine potential; only of the coldest rung, if not 1. */
    double fine = 1.;
  };

  std::vector<RungPotentials>
  draw(const Sampling &sampling, const unsigned int seed)
  {
    std::mt19937_64                  generator(seed);
    std::normal_distribution<>       normal;
    std::uniform_real_distribution<> uniform;
    const std::size_t                n          = sampling.exponents.size();
    const bool                       has_levels = sampling.fine != 1.;
    std::vector<RungPotentials>      rungs(n + has_levels);
    for (std::size_t r = 0; r < rungs.size(); ++r)
      {
        rungs[r].chains.resize(sampling.n_chains);
        rungs[r].pace  = sampling.pace;
        rungs[r].level = has_levels && r > 0;
      }
    if (has_levels)
      rungs[0].pace = 1;
    for (unsigned int c = 0; c < sampling.n_chains; ++c)
      {
        // The coldest rung of each level first.
        std::vector<double> b, factors, x;
        if (has_levels)
          {
            b.push_back(1.);
            factors.push_back(sampling.fine);
          }
        for (const double one : sampling.exponents)
          {
            b.push_back(std::pow(one, 1. + sampling.spread * c));
            factors.push_back(1.);
          }
        const auto potential = [&](const double y, const double factor) {
          return sampling.half_fails && y > 0. ? infinite :
                                                 4.5 * factor * y * y;
        };
        const auto deviation = [&](const std::size_t r) {
          return 1. / std::sqrt(1. + 9. * factors[r] * b[r]);
        };
        for (std::size_t r = 0; r < b.size(); ++r)
          {
            rungs[r].chains[c].exponent = b[r];
            x.push_back(-std::abs(deviation(r) * normal(generator)));
          }
        for (unsigned int t = 0; t < sampling.n_rounds * sampling.pace; ++t)
          {
            const bool is_last = (t + 1) % sampling.pace == 0;
            for (std::size_t r = 0; r < b.size(); ++r)
              if (b[r] == 0.)
                x[r] = normal(generator);
              else if (r > 0 || !has_levels || is_last)
                {
                  x[r] = sampling.memory * x[r] +
                         std::sqrt(1. - sampling.memory * sampling.memory) *
                           deviation(r) * normal(generator);
                  // Which keeps the law of a half.
                  if (sampling.half_fails)
                    x[r] = -std::abs(x[r]);
                }
            for (std::size_t r = b.size() - 1; sampling.swaps && r-- > 0;)
              {
                const auto energy = [&](const std::size_t rung,
                                        const double      y) {
                  return b[rung] == 0. ? 0. :
                                         b[rung] * potential(y, factors[rung]);
                };
                if ((r > 0 || !has_levels || is_last) &&
                    std::log(uniform(generator)) <
                      energy(r, x[r]) + energy(r + 1, x[r + 1]) -
                        energy(r, x[r + 1]) - energy(r + 1, x[r]))
                  std::swap(x[r], x[r + 1]);
              }
            for (std::size_t r = 0; r < b.size(); ++r)
              {
                if (r == 0 && has_levels && !is_last)
                  continue;
                RungPotentials::Chain &chain = rungs[r].chains[c];
                // In every other round nobody asks for that of the prior.
                chain.own.push_back(b[r] == 0. && t % 2 == 1 ?
                                      unknown :
                                      potential(x[r], factors[r]));
                if (has_levels && r == 0)
                  chain.hotter.push_back(potential(x[r], 1.));
                if (has_levels && r == 1)
                  chain.colder.push_back(
                    is_last ? potential(x[r], sampling.fine) : unknown);
              }
          }
      }
    return rungs;
  }

  Evidence
  all_of(const std::vector<RungPotentials> &rungs)
  {
    return estimate_evidence(rungs, 0, n_common_rounds(rungs));
  }

  void
  check_errors(const std::string &name,
               const Sampling    &sampling,
               const double       truth,
               const unsigned int n_sets)
  {
    unsigned int n_inside = 0, n_forward = 0, n_backward = 0, n_warned = 0;
    double       sum = 0., squares = 0., z_forward = 0., z_squares = 0.;
    for (unsigned int i = 0; i < n_sets; ++i)
      {
        const Evidence found  = all_of(draw(sampling, 100 + i));
        const auto     inside = [&](const EstimatedValue &one) {
          return std::abs(one.value - truth) < 2. * one.error;
        };
        n_inside += inside(found.log_integral);
        n_forward += inside(found.forward);
        n_backward += inside(found.backward);
        n_warned +=
          std::any_of(found.pairs.begin(),
                      found.pairs.end(),
                      [](const EvidencePair &pair) { return !pair.is_good(); });
        sum += found.log_integral.value - truth;
        squares += std::pow(found.log_integral.error, 2);
        const double ratio = std::exp(found.forward.value - truth);
        z_forward += ratio;
        z_squares += ratio * ratio;
      }
    const double share = double(n_inside) / n_sets,
                 slack = 3. * std::sqrt(0.95 * 0.05 / n_sets);
    check(name + ": stated errors are honest",
          share > 0.91 - slack && share < 0.98 + slack,
          std::to_string(share));
    check(name + ": so are those of the two directions",
          n_forward > (0.88 - slack) * n_sets &&
            n_backward > (0.86 - slack) * n_sets,
          std::to_string(n_forward) + ", " + std::to_string(n_backward));
    check(name + ": the mean of all is right",
          std::abs(sum) < 4. * std::sqrt(squares),
          std::to_string(sum / n_sets) + " +- " +
            std::to_string(std::sqrt(squares) / n_sets));
    check(name + ": no false alarm",
          n_warned <= 0.02 * n_sets + 1,
          std::to_string(n_warned));
    if (n_sets > 100)
      std::cout << "   coverage " << share << ", forward "
                << double(n_forward) / n_sets << ", backward "
                << double(n_backward) / n_sets << ", warned " << n_warned
                << std::endl;
  }

  /** With one pair, forward is unbiased for the ratio, backward for 1/ratio. */
  void
  check_directions()
  {
    constexpr unsigned int n_sets = 2000;
    Sampling               sampling;
    sampling.exponents     = {1., 0.2};
    sampling.n_rounds      = 20;
    sampling.n_chains      = 1;
    sampling.memory        = 0.;
    sampling.swaps         = false;
    const double log_ratio = -0.5 * std::log(10. / 2.8);
    double       forward = 0., backward = 0., f = 0., b = 0.;
    for (unsigned int i = 0; i < n_sets; ++i)
      {
        const Evidence found = all_of(draw(sampling, 5000 + i));
        const double   one   = std::exp(found.forward.value - log_ratio),
                     other   = std::exp(log_ratio - found.backward.value);
        forward += one / n_sets;
        backward += other / n_sets;
        f += one * one / n_sets;
        b += other * other / n_sets;
      }
    const auto error = [](const double mean, const double square) {
      return std::sqrt((square - mean * mean) / n_sets);
    };
    check("a pair's forward mean is unbiased for its ratio",
          std::abs(forward - 1.) < 4. * error(forward, f),
          std::to_string(forward) + " +- " + std::to_string(error(forward, f)));
    check("its backward mean is so for the inverse",
          std::abs(backward - 1.) < 4. * error(backward, b),
          std::to_string(backward) + " +- " +
            std::to_string(error(backward, b)));
  }

  void
  check_alarms()
  {
    Sampling sampling;
    sampling.exponents = {1000., 0.};
    sampling.swaps     = false;
    const Evidence far = all_of(draw(sampling, 1));
    check("rungs that have little in common are told",
          far.pairs[0].overlap < EvidencePair::least_overlap &&
            !far.pairs[0].is_good(),
          std::to_string(far.pairs[0].overlap));

    // The cold rung has not found what the hot one knows.
    Sampling                    plain;
    std::vector<RungPotentials> rungs = draw(plain, 2);
    for (RungPotentials::Chain &chain : rungs[1].chains)
      for (double &one : chain.own)
        one = one * 0.5 + 0.3;
    const Evidence wrong = all_of(rungs);
    check("directions that disagree are told",
          !wrong.pairs[0].is_good() || !wrong.pairs[1].is_good(),
          std::to_string(wrong.pairs[0].disagreement) + ", " +
            std::to_string(wrong.pairs[1].disagreement));

    for (RungPotentials::Chain &chain : rungs[2].chains)
      chain.own.assign(chain.own.size(), infinite);
    check("a rung without any likelihood is told",
          !all_of(rungs).is_known() && !all_of(rungs).remedy.empty());

    for (RungPotentials &rung : rungs)
      for (RungPotentials::Chain &chain : rung.chains)
        chain.own.assign(chain.own.size(), 3.);
    const Evidence constant = all_of(rungs);
    check("a constant likelihood is its own mean",
          constant.is_known() &&
            std::abs(constant.log_integral.value + 3.) < 1e-10 &&
            constant.log_integral.error < 1e-10,
          std::to_string(constant.log_integral.value));
  }

  void
  check_parts()
  {
    Sampling sampling;
    sampling.pace                           = 25;
    const std::vector<RungPotentials> all   = draw(sampling, 3);
    const std::vector<EvidencePart>   parts = evidence_by_parts(all);
    bool                              holds = parts.size() == 10;
    for (const EvidencePart &part : parts)
      for (const EstimatedValue *one : {&part.first, &part.last})
        holds = holds && std::abs(one->value - truth) < 4. * one->error;
    check("parts of the draws agree with the truth", holds);
    // Of N(0, 0.1) from N(0, 1).
    const double         divergence = 0.5 * (0.1 - 1. + std::log(10.));
    const EstimatedValue found      = all_of(all).information;
    check("so does the information that the data have brought",
          std::abs(found.value - divergence) < 4. * found.error &&
            found.error < 0.1,
          std::to_string(found.value) + " +- " + std::to_string(found.error));
    check("the two ends meet at the whole",
          parts.back().first.value == parts.back().last.value &&
            std::abs(parts.back().first.value -
                     all_of(all).log_integral.value) <
              4. * parts.back().first.error);
  }

  void
  check_models()
  {
    const std::vector<EstimatedValue> three{{-10., 0.1},
                                            {-11., 0.2},
                                            {-30., 1.}};
    const auto equal  = model_probabilities(three, {1., 1., 1.}),
               given  = model_probabilities(three, {1., 3., 1.});
    const double odds = std::exp(1.);
    check("probabilities of models are those of Bayes",
          std::abs(equal[0].probability.value - odds / (odds + 1.)) < 1e-8 &&
            std::abs(given[1].probability.value - 3. / (odds + 3.)) < 1e-8 &&
            std::abs(equal[1].log_bayes_factor.value + 1.) < 1e-12 &&
            std::abs(equal[1].log_bayes_factor.error - std::hypot(0.1, 0.2)) <
              1e-12);
    // To the first order: p (1 - p) times the error of the log odds.
    const double p = equal[0].probability.value;
    check("their errors follow",
          std::abs(equal[0].probability.error -
                   p * (1. - p) * std::hypot(0.1, 0.2)) < 1e-7);
  }
} // namespace


int
main(int argc, char **argv)
{
  const unsigned int n_sets = argc > 1 ? std::stoi(argv[1]) : 100;

  Sampling plain;
  check_errors("one level", plain, truth, n_sets);
  Sampling fails   = plain;
  fails.half_fails = true;
  check_errors("a half fails", fails, truth + std::log(0.5), n_sets);
  Sampling adapted = plain;
  adapted.spread   = 0.15;
  check_errors("chains with their own temperatures", adapted, truth, n_sets);
  Sampling fast = plain;
  fast.pace     = 9;
  fast.n_rounds = 100;
  check_errors("several draws in a round", fast, truth, n_sets);
  Sampling levels = fast;
  levels.fine     = 1.3;
  levels.n_rounds = 300;
  check_errors("two levels", levels, -0.5 * std::log(1. + 9. * 1.3), n_sets);

  check_directions();
  check_alarms();
  check_parts();
  check_models();
  return result();
}
