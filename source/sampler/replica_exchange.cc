// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/failure_reason.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/noise_probe.h>
#include <tempera/sampler/replica_bytes.h>
#include <tempera/sampler/replica_exchange.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace Tempera
{
  namespace
  {
    /** About how often the noise of a pair is measured during burn-in. */
    constexpr unsigned int n_noise_probes = 1000;
  } // namespace


  /**
   * Energies of the two states of a pair. Deterministic ones are kept with the
   * state; stochastic ones are drawn afresh, with one random key per state, so
   * that two levels at one state see the same noise where they can.
   */
  class ReplicaExchange::CurrentPairEnergies : public PairEnergies
  {
  public:
    CurrentPairEnergies(ReplicaExchange    &sampler,
                        const unsigned int  pair,
                        const Purpose       purpose,
                        const std::uint32_t substep)
      : sampler(sampler)
      , pair(pair)
      , purpose(purpose)
      , substep(substep)
    {
      for (Evaluation &evaluation : sampler.swap_evaluations)
        evaluation.invalidate();
    }

    const Evaluation &
    operator()(const Side energy_of, const Side state_of) override
    {
      const unsigned int level = sampler.ladder[pair + energy_of].level;
      // One energy has one noise, whichever of its two rungs asks.
      const Side slot = sampler.ladder[pair].level == level ? cold : energy_of;
      const unsigned int state_rung = pair + state_of;
      const Energy      &energy  = *sampler.ladder.get_levels()[level].energy;
      Replica           &replica = sampler.replicas[state_rung];

      Evaluation &evaluation = energy.is_stochastic() ?
                                 sampler.swap_evaluations[2 * slot + state_of] :
                                 replica.evaluations[level];
      if (!evaluation.has_values)
        {
          const unsigned int energy_rung = pair + energy_of;
          if (sampler.placement.is_here(energy_rung))
            {
              energy.evaluate(dealii::make_array_view(
                                std::as_const(replica.position)),
                              sampler.key(state_rung, purpose, substep),
                              Request::values,
                              evaluation);
              evaluation.has_values = true;
              sampler.count(level, 1, energy.work(Request::values));
              if (sampler.is_split(pair))
                sampler.placement.get_peers().send(sampler.partner(pair),
                                                   to_bytes(evaluation));
            }
          else
            from_bytes(sampler.placement.get_peers().receive(
                         sampler.partner(pair)),
                       evaluation);
          ++sampler.pair_reports[pair].cross_evaluations[level];
        }
      return evaluation;
    }

    /** Whether all four energies are deterministic and already known. */
    bool
    are_known() const
    {
      for (const unsigned int energy_rung : {pair, pair + 1})
        for (const unsigned int state_rung : {pair, pair + 1})
          if (sampler.ladder.energy(energy_rung).is_stochastic() ||
              !sampler.replicas[state_rung]
                 .evaluations[sampler.ladder[energy_rung].level]
                 .has_values)
            return false;
      return true;
    }

  private:
    ReplicaExchange    &sampler;
    const unsigned int  pair;
    const Purpose       purpose;
    const std::uint32_t substep;
  };



  ReplicaExchange::ReplicaExchange(
    const RunParameters &run_parameters,
    const KernelParameters &,
    const SwapParameters                   &swap_parameters,
    Ladder                                  the_ladder,
    const std::vector<std::vector<double>> &start,
    std::shared_ptr<const SwapRule>         the_swap_rule,
    const Placement                        &placement)
    : run_parameters(run_parameters)
    , swap_parameters(swap_parameters)
    , ladder(std::move(the_ladder))
    , swap_rule(the_swap_rule ? the_swap_rule :
                                SwapRuleRegistry::create(swap_parameters.rule,
                                                         swap_parameters))
    , multi_variance_rule(swap_parameters)
    , exact_rule(swap_parameters)
    , random_pairs(swap_parameters.pairs == "random")
    , swap_intensity(swap_parameters.intensity.keyword == "maximal" ?
                       0. :
                       swap_parameters.intensity.numbers[0])
    , hundredth(hundredth_of(run_parameters.iterations))
    , rung_reports(ladder.size())
    , stuck_watches(ladder.size())
    , since_draws(ladder.size())
    , pair_reports(ladder.size() - 1)
    , noise_probes(ladder.size() - 1)
    , evaluations(ladder.get_levels().size())
    , own_evaluations(evaluations.size())
    , placement(placement)
    , work_unit(ladder.energy(0).work(Request::values))
  {
    // The energies are made once for all chains.
    if (run_parameters.chain == 0)
      for (const Level &level : ladder.get_levels())
        set_up_work += level.energy->set_up_work();
    work = set_up_work;

    const unsigned int n_levels  = ladder.get_levels().size();
    const unsigned int dimension = ladder.space().dimension();
    for (Evaluation &evaluation : swap_evaluations)
      {
        evaluation.reference_gradient.resize(dimension);
        evaluation.potential_gradient.resize(dimension);
      }

    if (run_parameters.burn_in >= run_parameters.iterations)
      throw UserError(
        "The parameter 'Burn-in' (" + std::to_string(run_parameters.burn_in) +
        ") must be smaller than 'Iterations' (" +
        std::to_string(run_parameters.iterations) +
        "), which counts all rounds. Raise 'Iterations' or lower 'Burn-in'.");
    if (run_parameters.thinning >
        run_parameters.iterations - run_parameters.burn_in)
      throw UserError(
        "The parameter 'Thinning' (" + std::to_string(run_parameters.thinning) +
        ") is larger than the number of rounds after burn-in (" +
        std::to_string(run_parameters.iterations - run_parameters.burn_in) +
        "), so that no draw would be kept. Lower 'Thinning'.");

    if (run_parameters.work_budget > 0. && is_out_of_work())
      throw UserError("The 'Work budget' of " +
                      to_text(run_parameters.work_budget) +
                      " is used up by the set-up alone, which costs " +
                      to_text(set_up_work / work_unit, 4) + ". Raise it.");

    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        ladder[rung].noise = swap_parameters.noise.keyword == "estimate" ?
                               0. :
                               entry_for_rung(swap_parameters.noise.numbers,
                                              rung,
                                              ladder.size(),
                                              "Sampler/Swaps/Noise");
        if (ladder[rung].kernel->needs_burn_in() && run_parameters.burn_in == 0)
          throw UserError(
            "The kernel of rung " + std::to_string(rung) +
            " learns during burn-in how to step, but 'Burn-in' is 0. Raise it, "
            "or set 'Sampler/Kernel/Type' to SGLD or MALA.");
        kernel_states.push_back(
          ladder[rung].kernel->make_state(ladder[rung], dimension, n_levels));

        const std::vector<double> position =
          entry_for_rung(start, rung, ladder.size(), "Sampler/Start");
        replicas.emplace_back(rung, position, n_levels);
        set_position(rung, position);
      }

    for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
      {
        const Rung &cold_rung = ladder[pair], &hot_rung = ladder[pair + 1];
        swap_rule->check(cold_rung, hot_rung);
        check_noise(pair);
        if (swap_rule->n_stages(cold_rung, hot_rung) == 0)
          continue;

        pair_reports[pair].cross_evaluations.resize(n_levels);

        const double probability = test_probability(pair);
        if (swap_intensity > 0. && cold_rung.kernel->adapts_step_size())
          throw UserError(
            "A number for 'Sampler/Swaps/Intensity' needs a known step size, "
            "but that of the rungs is adapted. Set 'Sampler/Kernel/Adapt step "
            "size = false' or 'Sampler/Swaps/Intensity = maximal'.");
        if (probability > 1.)
          throw UserError(
            "The swap intensity times the step size of rung " +
            std::to_string(pair) + " is " + to_text(probability, 4) +
            ", but it is a probability and must not exceed 1. Lower "
            "'Sampler/Swaps/Intensity' or 'Sampler/Kernel/Step sizes'.");

        if (swap_parameters.noise.keyword == "estimate" &&
            (ladder.energy(pair).is_stochastic() ||
             ladder.energy(pair + 1).is_stochastic()))
          {
            if (run_parameters.burn_in < 100 * swap_parameters.every)
              throw UserError(
                "'Sampler/Swaps/Noise = estimate' with a stochastic energy "
                "measures the noise during burn-in, which needs a 'Burn-in' of "
                "at least 100 times 'Sampler/Swaps/Every'. Raise 'Burn-in' or "
                "give the noise as numbers.");
            noise_probes[pair].active = true;
            noise_probes[pair].stride =
              run_parameters.burn_in / swap_parameters.every / n_noise_probes +
              1;
          }
      }
  }



  ReplicaExchange::~ReplicaExchange() = default;



  void
  ReplicaExchange::check_noise(const unsigned int pair) const
  {
    const Rung &cold_rung = ladder[pair], &hot_rung = ladder[pair + 1];
    if (cold_rung.level == hot_rung.level && cold_rung.noise != hot_rung.noise)
      throw UserError(
        "'Sampler/Swaps/Noise' names " + to_text(cold_rung.noise) + " and " +
        to_text(hot_rung.noise) + " for neighbouring rungs of one level, '" +
        ladder.get_levels()[cold_rung.level].name +
        "', but an energy has one noise. Give the same number for both.");
    for (const unsigned int rung : {pair, pair + 1})
      if (ladder[rung].noise > 0. && !ladder.energy(rung).is_stochastic() &&
          !swap_rule->takes_bias_for_noise())
        throw UserError(
          "'Sampler/Swaps/Noise' names " + to_text(ladder[rung].noise) +
          " for rung " + std::to_string(rung) +
          ", whose energy is deterministic: it has no noise, and a penalty "
          "for noise that is not there would bias the result. Set 'Noise = "
          "estimate', or 0 for this rung. (The rule 'multi-variance' alone "
          "may take a solver's error for noise, as its paper does.)");
  }



  RandomKey
  ReplicaExchange::key(const unsigned int  rung,
                       const Purpose       purpose,
                       const std::uint32_t substep) const
  {
    RandomKey result;
    result.seed    = run_parameters.seed;
    result.chain   = run_parameters.chain;
    result.rung    = rung;
    result.round   = round;
    result.substep = substep;
    result.purpose = purpose;
    return result;
  }



  bool
  ReplicaExchange::complete_evaluation(const unsigned int rung,
                                       const Purpose      purpose,
                                       const bool         with_gradients,
                                       Replica           &replica)
  {
    const unsigned int level      = ladder[rung].level;
    Evaluation        &evaluation = replica.evaluations[level];
    if (!evaluation.has_values || (with_gradients && !evaluation.has_gradients))
      {
        const Request request = evaluation.has_values ?
                                  Request::gradients :
                                with_gradients && !evaluation.has_gradients ?
                                  Request::values_and_gradients :
                                  Request::values;
        const Energy &energy  = ladder.energy(rung);
        const auto    state =
          dealii::make_array_view(std::as_const(replica.position));
        // An energy is pure: this gives the same values again, and with them
        // what the gradients need.
        if (request == Request::gradients && evaluation.is_from_elsewhere &&
            !energy.is_stochastic() && !energy.has_noisy_gradients())
          energy.evaluate(state, RandomKey(), Request::values, evaluation);
        // With a substep that the kernel never uses in this round.
        energy.evaluate(state,
                        key(rung, purpose, ladder[rung].n_steps),
                        request,
                        evaluation);
        count(level,
              evaluation.has_values ? 0 : 1,
              ladder.energy(rung).work(request));
        evaluation.has_values    = true;
        evaluation.has_gradients = evaluation.has_gradients || with_gradients;
      }
    return evaluation.is_finite();
  }



  void
  ReplicaExchange::set_position(const unsigned int         rung,
                                const std::vector<double> &position)
  {
    const StateSpace &space = ladder.space();
    if (position.size() != space.dimension())
      throw UserError(
        "The start point of rung " + std::to_string(rung) + " has " +
        counted(position.size(), "number") + ", but the problem has " +
        counted(space.dimension(), "unknown") + ". Correct 'Sampler/Start'.");
    if (!space.contains(dealii::make_array_view(position)))
      throw UserError("The start point (" + join(position) + ") of rung " +
                      std::to_string(rung) +
                      " lies outside the bounds of the unknowns. Correct "
                      "'Sampler/Start' or the bounds.");

    Replica &replica = replicas[rung];
    replica.position = position;
    replica.invalidate();
    if (!placement.is_here(rung))
      return;
    if (!complete_evaluation(rung,
                             Purpose::start,
                             ladder[rung].kernel->needs().gradients,
                             replica))
      {
        const std::string reason = failure_reason_of(&ladder.energy(rung));
        throw UserError(
          "The energy or its gradient is not finite at the start point" +
          (position.size() <= 20 ? " (" + join(position) + ")" :
                                   std::string()) +
          " of rung " + std::to_string(rung) + ". " +
          (reason.empty() ?
             "Choose another one in 'Sampler/Start'; of a network, raise the "
             "noise in 'Network/Likelihood' or set 'Network/Precision = "
             "double'." :
             reason + " Choose priors that leave such values out, or another "
                      "start point in 'Sampler/Start'."));
      }
  }



  void
  ReplicaExchange::run()
  {
    const std::atomic<bool> never(false);
    run(never);
  }



  void
  ReplicaExchange::run(const std::atomic<bool> &stop)
  {
    using Clock = std::chrono::steady_clock;

    constexpr auto tick = std::chrono::milliseconds(100);

    // Looking at the clock costs as much as a cheap step: do it seldom.
    std::uint64_t     rounds_per_look = 1, next_look = round + 1;
    Clock::time_point last_look = Clock::now();

    while (!is_done() && !stop.load(std::memory_order_relaxed))
      {
        do_round();
        if (round >= next_look)
          {
            const auto now = Clock::now();
            if (now - last_look < tick / 2)
              rounds_per_look *= 2;
            else if (now - last_look > tick && rounds_per_look > 1)
              rounds_per_look /= 2;
            signals.progress(round);
            last_look = now;
            next_look = round + rounds_per_look;
          }
      }

    interrupted = !is_done();
    end_run();
  }



  void
  ReplicaExchange::end_run()
  {
    if (round < run_parameters.iterations && round % hundredth != 0)
      signals.hundredth_done(report());
    signals.progress(round);
    signals.end_of_run(report());
  }



  void
  ReplicaExchange::do_round()
  {
    advance_all();
    finish_round();
  }



  void
  ReplicaExchange::advance_all()
  {
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      if (placement.is_here(rung))
        advance(rung);
  }



  void
  ReplicaExchange::check_that_rungs_move()
  {
    constexpr std::uint64_t enough_steps = 100;
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        StuckWatch &watch = stuck_watches[rung];
        if (watch.steps < enough_steps)
          continue;
        if (watch.non_finite > 0.99 * watch.steps)
          throw UserError(
            "Rung " + std::to_string(rung) + " is stuck: of its last " +
            std::to_string(watch.steps) + " proposals " +
            std::to_string(watch.non_finite) +
            " had no finite energy, and its draws are worthless. With SGLD "
            "the step size is too large; lower 'Sampler/Kernel/Step sizes' "
            "(now " +
            to_text(kernel_states[rung]->step_size(), 4) +
            "). Otherwise look at where the energy is not finite.");
        watch = StuckWatch();
      }
  }



  void
  ReplicaExchange::advance(const unsigned int rung_index)
  {
    const Rung       &rung    = ladder[rung_index];
    const Kernel     &kernel  = *rung.kernel;
    const KernelNeeds needs   = kernel.needs();
    const Energy     &energy  = ladder.energy(rung_index);
    RungReport       &report  = rung_reports[rung_index];
    Replica          &replica = replicas[rung_index];
    StepContext       context{
      rung, energy, key(rung_index, Purpose::proposal), in_burn_in(), false};

    // Before a swap only values are needed: gradients that are expensive can
    // wait until it is clear which state stays.
    const bool separate = energy.gradients_are_separate();
    for (unsigned int step = 0; step < rung.n_steps; ++step)
      {
        context.key.substep     = step;
        context.gradients_later = separate && step + 1 == rung.n_steps &&
                                  is_swap_round() &&
                                  takes_part_in_swaps(rung_index);
        const Evaluation &evaluation = replica.evaluations[rung.level];
        const bool        is_known = (evaluation.has_values || !needs.values) &&
                              (evaluation.has_gradients || !needs.gradients);
        if (is_known ? separate && !evaluation.is_finite() :
                       !complete_evaluation(rung_index,
                                            Purpose::minibatch,
                                            needs.gradients,
                                            replica))
          {
            // Nothing to move by; the proposal that led here counts as bad.
            ++report.steps;
            ++report.non_finite;
            ++stuck_watches[rung_index].steps;
            ++stuck_watches[rung_index].non_finite;
            ++since_draws[rung_index].non_finite;
            continue;
          }
        const StepOutcome outcome =
          kernel.step(context, replica, *kernel_states[rung_index]);
        ++report.steps;
        report.acceptance_count += outcome.knows_acceptance;
        report.acceptance_sum += outcome.acceptance;
        report.non_finite += outcome.non_finite;
        ++stuck_watches[rung_index].steps;
        stuck_watches[rung_index].non_finite += outcome.non_finite;
        since_draws[rung_index].add(outcome);
        for (const Request request : {Request::values,
                                      Request::gradients,
                                      Request::values_and_gradients})
          if (const unsigned int n =
                outcome.evaluations[static_cast<unsigned int>(request)])
            count(rung.level, n, n * energy.work(request));
      }
  }



  bool
  ReplicaExchange::takes_part_in_swaps(const unsigned int rung) const
  {
    return (rung > 0 &&
            swap_rule->n_stages(ladder[rung - 1], ladder[rung]) > 0) ||
           (rung + 1 < ladder.size() &&
            swap_rule->n_stages(ladder[rung], ladder[rung + 1]) > 0);
  }



  void
  ReplicaExchange::count(const unsigned int level,
                         const unsigned int n_new,
                         const double       its_work)
  {
    work += its_work;
    own_work += its_work;
    evaluations[level] += n_new;
    own_evaluations[level] += n_new;
  }



  void
  ReplicaExchange::finish_round()
  {
    end_moves();
    if (is_at_milestone())
      pass_milestone();
  }



  void
  ReplicaExchange::end_moves()
  {
    const unsigned int n_pairs = ladder.size() - 1;
    if (is_swap_round())
      {
        if (in_burn_in())
          for (unsigned int pair = 0; pair < n_pairs; ++pair)
            if (noise_probes[pair].active &&
                (placement.is_here(pair) || placement.is_here(pair + 1)))
              measure_noise(pair);

        if (random_pairs)
          attempt_swap(std::min<unsigned int>(
            n_pairs - 1, uniform(key(0, Purpose::swap_pair)) * n_pairs));
        else
          {
            const std::uint64_t sweep = (round + 1) / swap_parameters.every - 1;
            // With one pair, waiting for its turn would waste every other
            // sweep.
            for (unsigned int pair = n_pairs == 1 ? 0 : sweep % 2;
                 pair < n_pairs;
                 pair += 2)
              attempt_swap(pair);
          }
      }

    if (in_burn_in())
      for (unsigned int rung = 0; rung < ladder.size(); ++rung)
        if (placement.is_here(rung))
          ladder[rung].kernel->observe(replicas[rung].position,
                                       *kernel_states[rung]);

    emit_draws();
    ++round;
  }



  bool
  ReplicaExchange::is_at_milestone() const
  {
    return round % hundredth == 0 || round == run_parameters.iterations ||
           round == run_parameters.burn_in ||
           (round < run_parameters.burn_in &&
            is_end_of_adaptation_window(round, run_parameters.burn_in));
  }



  void
  ReplicaExchange::pass_milestone()
  {
    // Before the end of burn-in sets the counts back.
    if (round % hundredth == 0 || round == run_parameters.iterations)
      {
        signals.hundredth_done(report());
        check_that_rungs_move();
      }

    if (round < run_parameters.burn_in &&
        is_end_of_adaptation_window(round, run_parameters.burn_in))
      end_adaptation_window();
    else if (round == run_parameters.burn_in)
      end_burn_in();
  }



  void
  ReplicaExchange::emit_draws()
  {
    const std::uint64_t rounds_of_phase =
      round + 1 - (in_burn_in() ? 0 : run_parameters.burn_in);
    if (rounds_of_phase % run_parameters.thinning != 0 ||
        (placement.is_shared() ? !remote_draws : signals.draw.empty()))
      return;
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        if (!placement.is_here(rung))
          continue;
        Replica &replica = replicas[rung];
        // Steps by noisy gradients leave the energy out.
        if (!replica.evaluations[ladder[rung].level].has_values)
          complete_evaluation(rung, Purpose::minibatch, false, replica);
        const Evaluation &evaluation = replica.evaluations[ladder[rung].level];
        SinceDraw        &since      = since_draws[rung];
        const Draw        draw{rung,
                        replica.id,
                        round + 1,
                        in_burn_in(),
                        evaluation.reference,
                        evaluation.potential,
                        step_size(rung),
                        since.acceptance_count > 0 ?
                                 since.acceptance_sum / since.acceptance_count :
                                 std::numeric_limits<double>::quiet_NaN(),
                        since.non_finite,
                        dealii::make_array_view(
                          std::as_const(replica.position)),
                        dealii::make_array_view(evaluation.predictions)};
        if (placement.is_shared())
          outbox.add(draw);
        else
          signals.draw(draw);
        since = SinceDraw();
      }
  }



  double
  ReplicaExchange::test_probability(const unsigned int pair) const
  {
    return swap_intensity == 0. ? 1. : swap_intensity * step_size(pair);
  }



  double
  ReplicaExchange::penalty(const unsigned int pair,
                           const unsigned int stage) const
  {
    return noise_probes[pair].active ?
             0.5 * noise_probes[pair].log_ratio_variance[stage].mean() :
             swap_rule->noise_penalty(stage, ladder[pair], ladder[pair + 1]);
  }



  void
  ReplicaExchange::attempt_swap(const unsigned int pair)
  {
    const Rung        &cold_rung = ladder[pair], &hot_rung = ladder[pair + 1];
    const unsigned int n_stages = swap_rule->n_stages(cold_rung, hot_rung);
    if (n_stages == 0 ||
        !(placement.is_here(pair) || placement.is_here(pair + 1)))
      return;

    // One number decides whether to test at all, one more each stage.
    std::array<double, 3> numbers;
    fill_uniforms(key(pair, Purpose::swap_decision),
                  dealii::ArrayView<double>(numbers.data(), 1 + n_stages));
    if (numbers[0] >= test_probability(pair))
      return;

    if (is_split(pair))
      exchange_replicas(pair);
    PairReport &pair_report = pair_reports[pair];
    SwapAttempt attempt{pair, round + 1, in_burn_in(), true, 0.};
    for (unsigned int stage = 0; stage < n_stages && attempt.accepted; ++stage)
      {
        CurrentPairEnergies energies(*this, pair, Purpose::swap_energy, stage);
        attempt.log_ratio =
          swap_rule->log_ratio(stage, cold_rung, hot_rung, energies) -
          penalty(pair, stage);
        if (!std::isfinite(attempt.log_ratio))
          ++pair_report.non_finite;
        attempt.accepted = std::isfinite(attempt.log_ratio) &&
                           std::log(numbers[1 + stage]) < attempt.log_ratio;
      }
    if (cold_rung.level != hot_rung.level)
      note_rule_difference(pair);

    if (attempt.accepted)
      {
        std::swap(replicas[pair], replicas[pair + 1]);
        // Noise from an earlier stay at the other level must not come back.
        if (cold_rung.level != hot_rung.level)
          for (const unsigned int rung : {pair, pair + 1})
            if (ladder.energy(rung).is_stochastic())
              replicas[rung].evaluations[ladder[rung].level].invalidate();
        const auto is_finite = [&](const unsigned int rung) {
          if (!placement.is_here(rung))
            return true;
          const bool separate = ladder.energy(rung).gradients_are_separate();
          // At its own level a state was looked at when it was stored.
          return (cold_rung.level == hot_rung.level && !separate) ||
                 complete_evaluation(rung,
                                     Purpose::minibatch,
                                     !separate &&
                                       ladder[rung].kernel->needs().gradients,
                                     replicas[rung]);
        };
        const bool cold_is_finite = is_finite(pair);
        const bool hot_is_finite  = is_finite(pair + 1);
        if (!agree(pair, cold_is_finite && hot_is_finite))
          {
            // Each has found out something about the state of the other.
            if (is_split(pair))
              exchange_replicas(pair);
            // A state without a finite gradient is never stored.
            std::swap(replicas[pair], replicas[pair + 1]);
            attempt.accepted = false;
            ++pair_report.non_finite;
          }
      }
    ++pair_report.attempts;
    pair_report.accepted += attempt.accepted;
    if (placement.is_shared())
      {
        if (remote_swaps && placement.is_here(pair))
          outbox.add(attempt);
      }
    else if (!signals.swap_attempted.empty())
      signals.swap_attempted(attempt);
  }



  void
  ReplicaExchange::exchange_replicas(const unsigned int pair)
  {
    const bool     has_cold = placement.is_here(pair);
    const Replica &mine     = replicas[has_cold ? pair : pair + 1];
    Replica       &other    = replicas[has_cold ? pair + 1 : pair];
    from_bytes(placement.get_peers().exchange(partner(pair), to_bytes(mine)),
               other);
  }



  bool
  ReplicaExchange::agree(const unsigned int pair, const bool is_well) const
  {
    if (!is_split(pair))
      return is_well;
    const std::string word = is_well ? "y" : "n";
    return (placement.get_peers().exchange(partner(pair), word) == "y") &&
           is_well;
  }



  void
  ReplicaExchange::measure_noise(const unsigned int pair)
  {
    constexpr unsigned int n_repeats = 8;

    NoiseProbe &probe = noise_probes[pair];
    if (probe.times++ % probe.stride != 0)
      return;
    if (is_split(pair))
      exchange_replicas(pair);
    // The first half of burn-in may be far from where the run will be.
    if (!probe.in_second_half && round >= run_parameters.burn_in / 2)
      {
        probe.in_second_half = true;
        probe.forget();
      }

    const Rung        &cold_rung = ladder[pair], &hot_rung = ladder[pair + 1];
    const unsigned int n_stages = swap_rule->n_stages(cold_rung, hot_rung);

    std::array<Moments, 2> log_ratios, energies_of_rungs;
    for (unsigned int repeat = 0; repeat < n_repeats; ++repeat)
      for (unsigned int stage = 0; stage < n_stages; ++stage)
        {
          CurrentPairEnergies energies(*this,
                                       pair,
                                       Purpose::noise_estimate,
                                       2 * (n_repeats * pair + repeat) + stage);
          log_ratios[stage].add(
            swap_rule->log_ratio(stage, cold_rung, hot_rung, energies));
          if (stage + 1 == n_stages)
            for (const Side side : {cold, hot})
              energies_of_rungs[side].add(energies(side, side).energy());
        }
    for (unsigned int stage = 0; stage < n_stages; ++stage)
      if (std::isfinite(log_ratios[stage].variance()))
        probe.log_ratio_variance[stage].add(log_ratios[stage].variance());
    for (const Side side : {cold, hot})
      if (std::isfinite(energies_of_rungs[side].variance()))
        probe.energy_variance[side].add(energies_of_rungs[side].variance());
  }



  void
  ReplicaExchange::note_rule_difference(const unsigned int pair)
  {
    CurrentPairEnergies energies(*this, pair, Purpose::swap_energy, 0);
    if (!energies.are_known())
      return;
    const Rung &cold_rung = ladder[pair], &hot_rung = ladder[pair + 1];
    double      exact = 0.;
    for (unsigned int stage = 0;
         stage < exact_rule.n_stages(cold_rung, hot_rung);
         ++stage)
      exact += exact_rule.log_ratio(stage, cold_rung, hot_rung, energies);
    const double difference =
      multi_variance_rule.log_ratio(0, cold_rung, hot_rung, energies) - exact;
    if (std::isfinite(difference))
      pair_reports[pair].rule_difference.add(difference);
  }



  void
  ReplicaExchange::end_adaptation_window()
  {
    constexpr std::uint64_t least_attempts = 20;

    const bool enough_attempts =
      std::all_of(pair_reports.begin(),
                  pair_reports.end(),
                  [](const PairReport &pair_report) {
                    return pair_report.attempts >= least_attempts;
                  });
    if (ladder.has_automatic_spacing() && enough_attempts)
      {
        std::vector<double> temperatures, rejections;
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          temperatures.push_back(ladder[rung].temperature);
        for (const PairReport &pair_report : pair_reports)
          rejections.push_back(1. - pair_report.acceptance());
        temperatures = equal_rejection_temperatures(temperatures, rejections);
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          ladder.set_temperature(rung, temperatures[rung]);
        // What was measured of swaps belongs to the old temperatures.
        for (PairReport &pair_report : pair_reports)
          pair_report.attempts = pair_report.accepted = 0;
        for (NoiseProbe &probe : noise_probes)
          probe.forget();
      }

    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      ladder[rung].kernel->end_window(ladder.has_automatic_spacing(),
                                      *kernel_states[rung]);
  }



  void
  ReplicaExchange::end_burn_in()
  {
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        ladder[rung].kernel->end_burn_in(*kernel_states[rung]);
        rung_reports[rung] = RungReport();
      }
    for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
      {
        if (noise_probes[pair].active)
          for (const Side side : {cold, hot})
            ladder[pair + side].noise =
              std::sqrt(noise_probes[pair].energy_variance[side].mean());

        const std::uint64_t n_levels =
          pair_reports[pair].cross_evaluations.size();
        pair_reports[pair] = PairReport();
        pair_reports[pair].cross_evaluations.resize(n_levels);
      }
    signals.end_of_burn_in(report());
  }



  RunReport
  ReplicaExchange::report() const
  {
    RunReport result;
    result.rounds      = round;
    result.n_rounds    = run_parameters.iterations;
    result.burn_in     = run_parameters.burn_in;
    result.interrupted = interrupted;
    result.rungs       = rung_reports;
    result.pairs       = pair_reports;
    result.evaluations = evaluations;
    result.work        = work / work_unit;
    result.set_up_work = set_up_work / work_unit;
    result.work_budget = run_parameters.work_budget;
    for (const Level &level : ladder.get_levels())
      result.level_names.push_back(level.name);
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        result.rungs[rung].temperature   = ladder[rung].temperature;
        result.rungs[rung].step_size     = step_size(rung);
        result.rungs[rung].noise         = ladder[rung].noise;
        result.rungs[rung].level         = ladder[rung].level;
        result.rungs[rung].is_adjusted   = ladder[rung].kernel->is_adjusted();
        result.rungs[rung].is_stochastic = ladder.energy(rung).is_stochastic();
      }
    for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
      for (unsigned int stage = 0;
           stage < swap_rule->n_stages(ladder[pair], ladder[pair + 1]);
           ++stage)
        result.pairs[pair].penalties.push_back(penalty(pair, stage));
    return result;
  }
} // namespace Tempera
