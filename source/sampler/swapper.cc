// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/adaptation.h>
#include <tempera/sampler/swapper.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace Tempera
{
  Swapper::Swapper(ChainState                     &chain,
                   const SwapParameters           &parameters,
                   std::shared_ptr<const SwapRule> the_rule)
    : chain(chain)
    , every(parameters.every)
    , rule(the_rule ? std::move(the_rule) :
                      SwapRuleRegistry::create(parameters.rule, parameters))
    , multi_variance_rule(parameters)
    , exact_rule(parameters)
    , random_pairs(parameters.pairs == PairChoice::random)
    , intensity(parameters.intensity.keyword == "maximal" ?
                  0. :
                  parameters.intensity.numbers[0])
    , pairs(chain.ladder.size() - 1)
  {
    Ladder            &ladder       = chain.ladder;
    const bool         is_estimated = parameters.noise.keyword == "estimate";
    const unsigned int dimension    = ladder.space().dimension();
    for (Evaluation &evaluation : memory)
      {
        evaluation.reference_gradient.resize(dimension);
        evaluation.potential_gradient.resize(dimension);
      }
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      ladder[rung].noise = is_estimated ?
                             0. :
                             entry_for_rung(parameters.noise.numbers,
                                            rung,
                                            ladder.size(),
                                            "Sampler/Swaps/Noise");
    for (unsigned int pair = 0; pair < pairs.size(); ++pair)
      {
        rule->check(ladder[pair], ladder[pair + 1]);
        check_noise(pair);
        if (n_stages(pair) == 0)
          continue;
        pairs[pair].report.cross_evaluations.resize(ladder.get_levels().size());
        check_intensity(pair);
        if (is_estimated && (ladder.energy(pair).is_stochastic() ||
                             ladder.energy(pair + 1).is_stochastic()))
          {
            if (chain.run.burn_in < 100 * every)
              throw UserError(
                "'Sampler/Swaps/Noise = estimate' with a stochastic energy "
                "measures the noise during burn-in, which needs a 'Burn-in' of "
                "at least 100 times 'Sampler/Swaps/Every'. Raise 'Burn-in' or "
                "give the noise as numbers.");
            pairs[pair].probe.activate(chain.run.burn_in / every);
          }
      }
  }



  void
  Swapper::check_noise(const unsigned int pair) const
  {
    const Ladder &ladder    = chain.ladder;
    const Rung   &cold_rung = ladder[pair], &hot_rung = ladder[pair + 1];
    if (cold_rung.level == hot_rung.level && cold_rung.noise != hot_rung.noise)
      throw UserError(
        "'Sampler/Swaps/Noise' names " + to_text(cold_rung.noise) + " and " +
        to_text(hot_rung.noise) + " for neighbouring rungs of one level, '" +
        ladder.get_levels()[cold_rung.level].name +
        "', but an energy has one noise. Give the same number for both.");
    for (const unsigned int rung : {pair, pair + 1})
      if (ladder[rung].noise > 0. && !ladder.energy(rung).is_stochastic() &&
          !rule->takes_bias_for_noise())
        throw UserError(
          "'Sampler/Swaps/Noise' names " + to_text(ladder[rung].noise) +
          " for rung " + std::to_string(rung) +
          ", whose energy is deterministic: it has no noise, and a penalty "
          "for noise that is not there would bias the result. Set 'Noise = "
          "estimate', or 0 for this rung. (The rule 'multi-variance' alone "
          "may take a solver's error for noise, as its paper does.)");
  }



  void
  Swapper::check_intensity(const unsigned int pair) const
  {
    if (intensity > 0. && chain.ladder[pair].kernel->adapts_step_size())
      throw UserError(
        "A number for 'Sampler/Swaps/Intensity' needs a known step size, "
        "but that of the rungs is adapted. Set 'Sampler/Kernel/Adapt step "
        "size = false' or 'Sampler/Swaps/Intensity = maximal'.");
    if (test_probability(pair) > 1.)
      throw UserError(
        "The swap intensity times the step size of rung " +
        std::to_string(pair) + " is " + to_text(test_probability(pair), 4) +
        ", but it is a probability and must not exceed 1. Lower "
        "'Sampler/Swaps/Intensity' or 'Sampler/Kernel/Step sizes'.");
  }



  bool
  Swapper::may_swap(const unsigned int rung) const
  {
    return (rung > 0 && may_be_tested(rung - 1)) ||
           (rung < pairs.size() && may_be_tested(rung));
  }



  const std::vector<SwapAttempt> &
  Swapper::do_swaps()
  {
    attempts.clear();
    if (chain.in_burn_in())
      for (unsigned int pair = 0; pair < pairs.size(); ++pair)
        if (is_swap_round(pair) && pairs[pair].probe.is_active() &&
            is_concerned(pair))
          measure_noise(pair);

    // What the fast rungs have found goes on to the slower ones.
    for (unsigned int end = pairs.size(); end > 0;)
      {
        unsigned int begin = end - 1;
        while (begin > 0 &&
               chain.ladder[begin - 1].pace == chain.ladder[begin].pace)
          --begin;
        if (is_swap_round(begin))
          do_swaps(begin, end);
        end = begin;
      }
    return attempts;
  }



  void
  Swapper::do_swaps(const unsigned int begin, const unsigned int end)
  {
    const unsigned int n_pairs = end - begin;
    if (random_pairs)
      attempt(
        begin +
        std::min<unsigned int>(n_pairs - 1,
                               uniform(chain.key(begin, Purpose::swap_pair)) *
                                 n_pairs));
    else
      {
        const std::uint64_t sweep = chain.own_rounds(begin) / every - 1;
        // With one pair, waiting for its turn would waste every other sweep.
        for (unsigned int i = n_pairs; i-- > 0;)
          if (n_pairs == 1 || i % 2 == sweep % 2)
            attempt(begin + i);
      }
  }



  double
  Swapper::penalty(const unsigned int pair, const unsigned int stage) const
  {
    return pairs[pair].probe.is_active() ?
             pairs[pair].probe.penalty(stage) :
             rule->noise_penalty(stage,
                                 chain.ladder[pair],
                                 chain.ladder[pair + 1]);
  }



  void
  Swapper::attempt(const unsigned int pair)
  {
    const unsigned int n = n_stages(pair);
    if (n == 0 || !is_concerned(pair))
      return;

    // One number decides whether to test at all, one more each stage.
    std::array<double, 3> numbers;
    fill_uniforms(chain.key(pair, Purpose::swap_decision),
                  dealii::ArrayView<double>(numbers.data(), 1 + n));
    if (numbers[0] >= test_probability(pair))
      return;

    const Rung &cold_rung = chain.ladder[pair],
               &hot_rung  = chain.ladder[pair + 1];
    PairReport &report    = pairs[pair].report;
    SwapAttempt result{pair, chain.round + 1, chain.in_burn_in(), true, 0.};
    pairs[pair].last_test = chain.time() + 1;
    chain.placement.show(pair,
                         chain.rungs[pair].replica,
                         chain.rungs[pair + 1].replica);
    for (unsigned int stage = 0; stage < n && result.accepted; ++stage)
      {
        CurrentPairEnergies current =
          energies(pair, Purpose::swap_energy, stage);
        result.log_ratio =
          rule->log_ratio(stage, cold_rung, hot_rung, current) -
          penalty(pair, stage);
        if (!std::isfinite(result.log_ratio))
          ++report.non_finite;
        result.accepted =
          std::isfinite(result.log_ratio) &&
          (std::log(numbers[1 + stage]) < result.log_ratio || takes_all(pair));
      }
    if (cold_rung.level != hot_rung.level)
      note_rule_difference(pair);

    if (result.accepted && !exchange(pair))
      {
        result.accepted = false;
        ++report.non_finite;
      }
    ++report.attempts;
    report.accepted += result.accepted;
    attempts.push_back(result);
  }



  bool
  Swapper::change_places(const unsigned int pair)
  {
    const Ladder &ladder       = chain.ladder;
    const bool    is_one_level = ladder[pair].level == ladder[pair + 1].level;
    swap(chain.rungs[pair].replica, chain.rungs[pair + 1].replica);
    // Noise from an earlier stay at the other level must not come back.
    if (!is_one_level)
      for (const unsigned int rung : {pair, pair + 1})
        if (ladder.energy(rung).is_stochastic())
          chain.rungs[rung]
            .replica.evaluations[ladder[rung].level]
            .invalidate();
    const auto is_finite = [&](const unsigned int rung) {
      if (!chain.placement.is_here(rung))
        return true;
      const bool separate = ladder.energy(rung).gradients_are_separate();
      // At its own level a state was looked at when it was stored.
      return (is_one_level && !separate) ||
             chain.complete_evaluation(rung,
                                       Purpose::minibatch,
                                       !separate &&
                                         chain.rungs[rung].needs.gradients);
    };
    const bool cold_is_finite = is_finite(pair);
    const bool hot_is_finite  = is_finite(pair + 1);
    return cold_is_finite && hot_is_finite;
  }



  bool
  Swapper::exchange(const unsigned int pair)
  {
    if (chain.placement.agree(pair, change_places(pair)))
      return true;
    Replica &cold_replica = chain.rungs[pair].replica,
            &hot_replica  = chain.rungs[pair + 1].replica;
    // Each has found out something about the state of the other.
    chain.placement.show(pair, cold_replica, hot_replica);
    // A state without a finite gradient is never stored.
    swap(cold_replica, hot_replica);
    return false;
  }



  void
  Swapper::measure_noise(const unsigned int pair)
  {
    NoiseProbe &probe = pairs[pair].probe;
    if (!probe.is_due())
      return;
    chain.placement.show(pair,
                         chain.rungs[pair].replica,
                         chain.rungs[pair + 1].replica);
    probe.measure(chain.round >= chain.run.burn_in / 2,
                  *rule,
                  chain.ladder[pair],
                  chain.ladder[pair + 1],
                  [&](const unsigned int repeat, const unsigned int stage) {
                    return energies(
                      pair,
                      Purpose::noise_estimate,
                      2 * (NoiseProbe::n_repeats * pair + repeat) + stage);
                  });
  }



  void
  Swapper::note_rule_difference(const unsigned int pair)
  {
    CurrentPairEnergies current = energies(pair, Purpose::swap_energy, 0);
    if (!current.are_known())
      return;
    const Rung &cold_rung = chain.ladder[pair],
               &hot_rung  = chain.ladder[pair + 1];
    const auto all_stages = [&](const SwapRule &some_rule) {
      double sum = 0.;
      for (unsigned int stage = 0;
           stage < some_rule.n_stages(cold_rung, hot_rung);
           ++stage)
        sum += some_rule.log_ratio(stage, cold_rung, hot_rung, current);
      return sum;
    };
    const double difference =
      all_stages(multi_variance_rule) - all_stages(exact_rule);
    if (std::isfinite(difference))
      pairs[pair].report.rule_difference.add(difference);
  }



  void
  Swapper::space_temperatures()
  {
    constexpr std::uint64_t least_attempts = 20;

    for (const PairState &pair : pairs)
      if (pair.report.attempts < least_attempts)
        return;
    std::vector<double> temperatures, rejections;
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      temperatures.push_back(chain.ladder[rung].temperature);
    for (const PairState &pair : pairs)
      rejections.push_back(1. - pair.report.acceptance());
    temperatures = equal_rejection_temperatures(temperatures, rejections);
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      chain.ladder.set_temperature(rung, temperatures[rung]);
    // What was measured of swaps belongs to the old temperatures.
    for (PairState &pair : pairs)
      {
        pair.report.attempts = pair.report.accepted = 0;
        pair.probe.forget();
      }
  }



  void
  Swapper::end_burn_in()
  {
    for (unsigned int pair = 0; pair < pairs.size(); ++pair)
      {
        if (pairs[pair].probe.is_active())
          for (const Side side : {cold, hot})
            chain.ladder[pair + side].noise = pairs[pair].probe.noise(side);

        PairReport       &report   = pairs[pair].report;
        const std::size_t n_levels = report.cross_evaluations.size();
        report                     = PairReport();
        report.cross_evaluations.resize(n_levels);
      }
  }



  std::vector<PairReport>
  Swapper::reports() const
  {
    std::vector<PairReport> result;
    for (unsigned int pair = 0; pair < pairs.size(); ++pair)
      {
        result.push_back(pairs[pair].report);
        for (unsigned int stage = 0; stage < n_stages(pair); ++stage)
          result.back().penalties.push_back(penalty(pair, stage));
      }
    return result;
  }



  template <typename Archive>
  void
  Swapper::serialize_pair(Archive &archive, const unsigned int pair)
  {
    const std::size_t n_levels = pairs[pair].report.cross_evaluations.size();
    archive &pairs[pair].report &pairs[pair].probe;
    if (pairs[pair].report.cross_evaluations.size() != n_levels)
      throw ArchiveError("a pair has other levels");
  }



  template void
  Swapper::serialize_pair(boost::archive::binary_oarchive &,
                          const unsigned int);
  template void
  Swapper::serialize_pair(boost::archive::binary_iarchive &,
                          const unsigned int);
} // namespace Tempera
