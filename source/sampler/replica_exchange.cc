// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/adaptation.h>
#include <tempera/sampler/replica_exchange.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace Tempera
{
  ReplicaExchange::ReplicaExchange(
    const RunParameters                    &run_parameters,
    const SwapParameters                   &swap_parameters,
    Ladder                                  ladder,
    const std::vector<std::vector<double>> &start,
    std::shared_ptr<const SwapRule>         swap_rule,
    const Placement                        &placement,
    const AnotherStart                     &another_start)
    : chain(run_parameters, std::move(ladder), placement)
    , explorer(chain)
    , swapper(chain, swap_parameters, std::move(swap_rule))
    , hundredth(hundredth_of(run_parameters.iterations))
    , ahead(chain, swapper, outbox)
  {
    const unsigned int n_rungs = chain.ladder.size();
    while (n_level_rungs + 1 < n_rungs &&
           chain.ladder.is_change_of_level(n_level_rungs + 1))
      ++n_level_rungs;
    std::vector<unsigned int> paces, levels;
    for (unsigned int rung = 0; rung < n_rungs; ++rung)
      {
        paces.push_back(chain.ladder[rung].pace);
        levels.push_back(chain.ladder[rung].level);
        potential_strides.push_back(potential_stride(paces, levels, rung));
      }
    for (unsigned int rung = 0; rung < n_rungs; ++rung)
      chain.set_position(rung,
                         entry_for_rung(start, rung, n_rungs, "Sampler/Start"),
                         another_start);
  }



  void
  ReplicaExchange::do_round()
  {
    for (unsigned int i = 0; i < n_sub_rounds(); ++i)
      {
        explore();
        finish_round();
      }
  }



  void
  ReplicaExchange::finish_round()
  {
    end_moves();
    if (is_at_milestone())
      pass_milestone();
  }



  void
  ReplicaExchange::explore()
  {
    if (ahead.take_explored())
      return;
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      if (chain.placement.is_here(rung) && chain.is_awake(rung))
        advance(rung);
  }



  void
  ReplicaExchange::advance(const unsigned int rung)
  {
    // Before a swap only values are needed: gradients that are expensive can
    // wait until it is clear which state stays.
    const bool gradients_later =
      chain.ladder.energy(rung).gradients_are_separate() &&
      swapper.may_swap(rung);
    explorer.advance(rung, gradients_later);
  }



  void
  ReplicaExchange::end_moves()
  {
    const std::vector<SwapAttempt> &attempts = swapper.do_swaps();
    ahead.decide(attempts);
    emit_swaps(attempts);
    end_sub_round();
  }



  void
  ReplicaExchange::end_sub_round()
  {
    if (chain.in_burn_in())
      explorer.observe();
    if (n_level_rungs > 0)
      emit_level_draws();
    if (chain.is_last_sub_round())
      emit_draws();
    if (!chain.in_burn_in())
      emit_potentials();
    if (++chain.sub_round == chain.n_sub_rounds)
      {
        chain.sub_round = 0;
        ++chain.round;
      }
  }



  bool
  ReplicaExchange::has_rung_here() const
  {
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      if (chain.placement.is_here(rung))
        return true;
    return false;
  }



  void
  ReplicaExchange::allow_look_ahead()
  {
    if (ahead.allow())
      chain.while_waiting = [this](const unsigned int pair) {
        look_ahead(pair);
      };
  }



  void
  ReplicaExchange::look_ahead(const unsigned int pair)
  {
    if (!ahead.may_begin(pair))
      return;
    // Adaptation needs all rungs, and the last round has no next one.
    if (chain.is_last_sub_round() && (chain.round + 1 == chain.run.iterations ||
                                      is_adapted_at(chain.round + 1)))
      return;

    bool is_useful = false, is_explored = false;
    ahead.begin();
    try
      {
        if (swapper.change_places(pair))
          {
            end_sub_round();
            if (is_at_milestone())
              for (unsigned int rung = pair + 1; rung < chain.ladder.size();
                   ++rung)
                explorer.check_that_it_moves(rung);
            ahead.begin_counting();
            // Until the other process answers, or has to be asked again.
            while (!is_explored && !chain.placement.has_answer(pair))
              {
                explore();
                is_useful = true;
                is_explored =
                  chain.is_last_sub_round() || swapper.may_be_tested(pair);
                if (!is_explored)
                  end_moves();
              }
          }
      }
    catch (const std::exception &)
      {
        // If the guess was right, this will happen again, and count.
        is_useful = false;
      }
    ahead.end(is_useful, is_explored);
  }



  void
  ReplicaExchange::emit_swaps(const std::vector<SwapAttempt> &attempts)
  {
    if (attempts.empty() ||
        (chain.placement.is_shared() ? !remote_swaps :
                                       signals.swap_attempted.empty()))
      return;
    for (const SwapAttempt &attempt : attempts)
      if (!chain.placement.is_shared())
        signals.swap_attempted(attempt);
      else if (chain.placement.is_here(attempt.pair))
        outbox.add(chain.time(), attempt);
  }



  void
  ReplicaExchange::emit_level_draws()
  {
    if (chain.in_burn_in() ||
        (chain.placement.is_shared() ? !remote_level_draws :
                                       signals.level_draw.empty()))
      return;
    const Ladder &ladder = chain.ladder;
    for (unsigned int rung = 1; rung <= n_level_rungs; ++rung)
      {
        if (!chain.placement.is_here(rung) || !chain.is_awake(rung))
          continue;
        const Replica    &replica    = chain.rungs[rung].replica;
        const Evaluation &evaluation = replica.evaluations[ladder[rung].level],
                         &finer = replica.evaluations[ladder[rung - 1].level];
        const LevelDraw draw{
          rung,
          chain.own_rounds(rung) - chain.run.burn_in * ladder[rung].pace,
          evaluation.energy(),
          swapper.is_tested(rung - 1) && finer.has_values ?
            finer.energy() :
            std::numeric_limits<double>::quiet_NaN(),
          dealii::make_array_view(std::as_const(replica.position))};
        if (chain.placement.is_shared())
          outbox.add(chain.time(), draw);
        else
          signals.level_draw(draw);
      }
  }



  void
  ReplicaExchange::emit_draws()
  {
    const bool          is_shared = chain.placement.is_shared();
    const std::uint64_t rounds_of_phase =
      chain.round + 1 - (chain.in_burn_in() ? 0 : chain.run.burn_in);
    if (rounds_of_phase % chain.run.thinning != 0 ||
        (is_shared ? !remote_draws : signals.draw.empty()))
      return;
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      {
        if (!chain.placement.is_here(rung))
          continue;
        RungState  &state      = chain.rungs[rung];
        Replica    &replica    = state.replica;
        Evaluation &evaluation = replica.evaluations[chain.ladder[rung].level];
        // Steps by noisy gradients leave the energy out.
        if (!evaluation.has_values)
          chain.complete_evaluation(rung, Purpose::minibatch, false);
        const Draw draw{
          rung,
          replica.id,
          chain.round + 1,
          chain.in_burn_in(),
          evaluation.reference,
          evaluation.potential,
          chain.step_size(rung),
          state.since_draw.acceptance_count > 0 ?
            state.since_draw.acceptance_sum /
              state.since_draw.acceptance_count :
            std::numeric_limits<double>::quiet_NaN(),
          state.since_draw.non_finite,
          dealii::make_array_view(std::as_const(replica.position)),
          dealii::make_array_view(std::as_const(evaluation.predictions))};
        if (is_shared)
          outbox.add(chain.time(), draw);
        else
          signals.draw(draw);
        state.since_draw = RungState::SinceDraw();
      }
  }



  void
  ReplicaExchange::emit_potentials()
  {
    const bool is_shared = chain.placement.is_shared();
    if (is_shared ? !remote_potentials : signals.potential.empty())
      return;
    const Ladder &ladder = chain.ladder;
    const auto emit = [&](const unsigned int rung, const unsigned int level) {
      const Evaluation &evaluation =
        chain.rungs[rung].replica.evaluations[level];
      const KnownPotential known{rung,
                                 level,
                                 !evaluation.has_values ?
                                   std::numeric_limits<double>::quiet_NaN() :
                                 std::isfinite(evaluation.potential) ?
                                   evaluation.potential :
                                   std::numeric_limits<double>::infinity()};
      if (is_shared)
        outbox.add(chain.time(), known);
      else
        signals.potential(known);
    };
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        const unsigned int  pace = ladder[rung].pace;
        const std::uint64_t n_to_come =
          (pace - chain.own_rounds(rung) % pace) % pace;
        if (!chain.placement.is_here(rung) || !chain.is_awake(rung) ||
            n_to_come % potential_strides[rung] != 0)
          continue;
        emit(rung, ladder[rung].level);
        if (ladder.is_change_of_level(rung) && swapper.is_tested(rung - 1))
          emit(rung, ladder[rung - 1].level);
        if (rung + 1 < ladder.size() && ladder.is_change_of_level(rung + 1) &&
            swapper.is_tested(rung))
          emit(rung, ladder[rung + 1].level);
      }
  }



  bool
  ReplicaExchange::is_at_milestone() const
  {
    if (chain.sub_round > 0)
      return false;
    return chain.round % hundredth == 0 ||
           chain.round == chain.run.iterations || is_adapted_at(chain.round);
  }



  bool
  ReplicaExchange::is_adapted_at(const std::uint64_t round) const
  {
    const std::uint64_t burn_in = chain.run.burn_in;
    return round == burn_in ||
           (round < burn_in && is_end_of_adaptation_window(round, burn_in));
  }



  void
  ReplicaExchange::pass_milestone()
  {
    // Before the end of burn-in sets the counts back.
    if (chain.round % hundredth == 0 || chain.round == chain.run.iterations)
      {
        signals.hundredth_done(report());
        for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
          explorer.check_that_it_moves(rung);
      }

    if (chain.round == chain.run.burn_in)
      end_burn_in();
    else if (is_adapted_at(chain.round))
      end_adaptation_window();
  }



  void
  ReplicaExchange::end_adaptation_window()
  {
    const bool is_retempered = chain.ladder.has_automatic_spacing();
    if (is_retempered)
      swapper.space_temperatures();
    learn_from_hotter();
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      chain.ladder[rung].kernel->end_window(is_retempered,
                                            *chain.rungs[rung].kernel);
  }



  void
  ReplicaExchange::learn_from_hotter()
  {
    for (unsigned int rung = 0; rung + 1 < chain.ladder.size(); ++rung)
      chain.ladder[rung].kernel->learn_from_hotter(
        *chain.rungs[rung + 1].kernel, *chain.rungs[rung].kernel);
  }



  void
  ReplicaExchange::end_burn_in()
  {
    learn_from_hotter();
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      {
        chain.ladder[rung].kernel->end_burn_in(*chain.rungs[rung].kernel);
        chain.rungs[rung].report = RungReport();
      }
    swapper.end_burn_in();
    signals.end_of_burn_in(report());
  }



  void
  ReplicaExchange::end_run()
  {
    if (chain.round < chain.run.iterations)
      signals.hundredth_done(report());
    signals.progress(chain.round);
    signals.end_of_run(report());
  }



  RunReport
  ReplicaExchange::report() const
  {
    const Ladder &ladder = chain.ladder;
    RunReport     result;
    result.rounds      = chain.round;
    result.n_rounds    = chain.run.iterations;
    result.burn_in     = chain.run.burn_in;
    result.interrupted = interrupted;
    result.is_enough   = is_enough;
    result.pairs       = swapper.reports();
    chain.work.tell(result);
    for (const Level &level : ladder.get_levels())
      result.level_names.push_back(level.name);
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        RungReport report    = chain.rungs[rung].report;
        report.temperature   = ladder[rung].temperature;
        report.step_size     = chain.step_size(rung);
        report.noise         = ladder[rung].noise;
        report.level         = ladder[rung].level;
        report.is_adjusted   = ladder[rung].kernel->is_adjusted();
        report.is_stochastic = ladder.energy(rung).is_stochastic();
        result.rungs.push_back(report);
      }
    return result;
  }



  template <typename Archive>
  void
  ReplicaExchange::serialize(Archive &archive, const unsigned int)
  {
    if constexpr (Archive::is_loading::value)
      ahead.forget();
    archive &chain.round;
    chain.work.serialize(archive);
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      chain.serialize_rung(archive, rung);
    for (unsigned int pair = 0; pair + 1 < chain.ladder.size(); ++pair)
      swapper.serialize_pair(archive, pair);
    if constexpr (Archive::is_loading::value)
      chain.check_loaded();
  }



  std::string
  ReplicaExchange::save_part() const
  {
    std::ostringstream stream;
    {
      boost::archive::binary_oarchive archive(stream,
                                              boost::archive::no_header);
      // An archive that saves changes nothing.
      ReplicaExchange &self = const_cast<ReplicaExchange &>(*this);
      self.chain.work.save_own(archive);
      for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
        if (chain.placement.is_here(rung))
          self.chain.serialize_rung(archive, rung);
      for (unsigned int pair = 0; pair + 1 < chain.ladder.size(); ++pair)
        if (chain.placement.is_here(pair))
          self.swapper.serialize_pair(archive, pair);
    }
    return stream.str();
  }



  void
  ReplicaExchange::load_parts(const std::vector<std::string> &parts)
  {
    chain.work.begin_meeting();
    for (unsigned int peer = 0; peer < parts.size(); ++peer)
      {
        std::istringstream              stream(parts[peer]);
        boost::archive::binary_iarchive archive(stream,
                                                boost::archive::no_header);
        chain.work.load_part(archive);
        if (peer == chain.placement.me())
          continue;
        for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
          if (chain.placement.peer_of(rung) == peer)
            chain.serialize_rung(archive, rung);
        for (unsigned int pair = 0; pair + 1 < chain.ladder.size(); ++pair)
          if (chain.placement.peer_of(pair) == peer)
            swapper.serialize_pair(archive, pair);
      }
    chain.work.begin_anew();
  }



  template void
  ReplicaExchange::serialize(boost::archive::binary_oarchive &,
                             const unsigned int);
  template void
  ReplicaExchange::serialize(boost::archive::binary_iarchive &,
                             const unsigned int);
} // namespace Tempera
