// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/failure_reason.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/chain_state.h>
#include <tempera/sampler/replica_bytes.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  void
  RunParameters::check() const
  {
    if (burn_in >= iterations)
      throw UserError(
        "The parameter 'Burn-in' (" + std::to_string(burn_in) +
        ") must be smaller than 'Iterations' (" + std::to_string(iterations) +
        "), which counts all rounds. Raise 'Iterations' or lower 'Burn-in'.");
    if (thinning > iterations - burn_in)
      throw UserError("The parameter 'Thinning' (" + std::to_string(thinning) +
                      ") is larger than the number of rounds after burn-in (" +
                      std::to_string(iterations - burn_in) +
                      "), so that no draw would be kept. Lower 'Thinning'.");
  }



  ChainState::ChainState(const RunParameters &run,
                         Ladder               the_ladder,
                         const Placement     &placement)
    : run((run.check(), run))
    , placement(placement)
    , ladder(std::move(the_ladder))
    , n_sub_rounds(ladder.n_sub_rounds())
    , work(ladder, run.chain == 0, run.work_budget)
  {
    const unsigned int n_levels  = ladder.get_levels().size();
    const unsigned int dimension = ladder.space().dimension();
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        const Kernel &kernel = *ladder[rung].kernel;
        // Without steps, only swaps want to know something.
        KernelNeeds needs;
        needs.gradients = false;
        if (ladder[rung].n_steps > 0)
          needs = kernel.needs();
        if (ladder[rung].n_steps > 0 && kernel.needs_burn_in() &&
            run.burn_in == 0)
          throw UserError(
            "The kernel of rung " + std::to_string(rung) +
            " learns during burn-in how to step, but 'Burn-in' is 0. Raise it, "
            "or set 'Sampler/Kernel/Type' to SGLD or MALA.");
        rungs.push_back(
          {Replica(rung, std::vector<double>(dimension), n_levels),
           needs,
           kernel.make_state(ladder[rung], dimension, n_levels),
           RungReport(),
           RungState::StuckWatch(),
           RungState::SinceDraw()});
      }
  }



  bool
  ChainState::complete_evaluation(const unsigned int rung,
                                  const Purpose      purpose,
                                  const bool         with_gradients)
  {
    const unsigned int level      = ladder[rung].level;
    Replica           &replica    = rungs[rung].replica;
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
        work.count(level, evaluation.has_values ? 0 : 1, energy.work(request));
        evaluation.has_values    = true;
        evaluation.has_gradients = evaluation.has_gradients || with_gradients;
      }
    return evaluation.is_finite();
  }



  bool
  ChainState::try_position(const unsigned int         rung,
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

    Replica &replica = rungs[rung].replica;
    replica.position = position;
    replica.invalidate();
    return !placement.is_here(rung) ||
           complete_evaluation(rung,
                               Purpose::start,
                               rungs[rung].needs.gradients);
  }



  void
  ChainState::set_position(const unsigned int         rung,
                           const std::vector<double> &position,
                           const AnotherStart        &another_start)
  {
    const unsigned int most_tries = another_start ? 100 : 1;

    bool is_finite = try_position(rung, position);
    for (unsigned int n_tried = 1; !is_finite && n_tried < most_tries;
         ++n_tried)
      is_finite = try_position(rung, another_start(rung, n_tried));
    if (is_finite)
      return;

    const std::vector<double> &last   = rungs[rung].replica.position;
    const std::string          reason = failure_reason_of(&ladder.energy(rung));
    throw UserError(
      "The energy or its gradient is not finite at the start point" +
      (last.size() <= 20 ? " (" + join(last) + ")" : std::string()) +
      " of rung " + std::to_string(rung) +
      (most_tries > 1 ?
         ", the last of " + std::to_string(most_tries) + " that were drawn. " :
         ". ") +
      (reason.empty() ?
         "Choose another one in 'Sampler/Start'; of a network, raise the "
         "noise in 'Network/Likelihood' or set 'Network/Precision = "
         "double'." :
         reason + " Choose priors that leave such values out, or another "
                  "start point in 'Sampler/Start'."));
  }



  template <typename Archive>
  void
  ChainState::serialize_rung(Archive &archive, const unsigned int rung)
  {
    RungState            &state       = rungs[rung];
    double                temperature = ladder[rung].temperature;
    archive &temperature &ladder[rung].noise;
    serialize_replica(archive, state.replica);
    if constexpr (Archive::is_loading::value)
      {
        if (!(temperature > 0.) ||
            std::isinf(temperature) != ladder[rung].is_prior())
          throw ArchiveError("a temperature is not positive");
        ladder.set_temperature(rung, temperature);
        state.kernel->load(archive);
      }
    else
      state.kernel->save(archive);
    archive &state.report;
    archive &state.watch.steps &state.watch.non_finite;
    archive &state.since_draw.acceptance_sum &state.since_draw
      .acceptance_count                      &state.since_draw.non_finite;
  }



  void
  ChainState::check_loaded() const
  {
    std::vector<bool> is_there(ladder.size(), false);
    for (const RungState &state : rungs)
      {
        const Replica &replica = state.replica;
        if (replica.id >= ladder.size() || is_there[replica.id])
          throw ArchiveError("the replicas are not each at one rung");
        is_there[replica.id] = true;
        if (!std::all_of(replica.position.begin(),
                         replica.position.end(),
                         [](const double x) { return std::isfinite(x); }) ||
            !ladder.space().contains(dealii::make_array_view(replica.position)))
          throw ArchiveError("a state is outside the bounds of the unknowns");
      }
  }



  template void
  ChainState::serialize_rung(boost::archive::binary_oarchive &,
                             const unsigned int);
  template void
  ChainState::serialize_rung(boost::archive::binary_iarchive &,
                             const unsigned int);
} // namespace Tempera
