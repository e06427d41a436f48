// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/archive.h>
#include <tempera/sampler/noise_probe.h>
#include <tempera/sampler/replica_exchange.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  namespace
  {
    /** A vector that is empty or has one entry for each unknown. */
    template <typename Archive>
    void
    serialize_optional(Archive             &archive,
                       std::vector<double> &vector,
                       const unsigned int   dimension)
    {
      serialize_vector(archive, vector, dimension);
      if (!vector.empty() && vector.size() != dimension)
        throw ArchiveError("a list has an entry for some unknowns only");
    }


    template <typename Archive>
    void
    serialize_evaluation(Archive &archive, Evaluation &evaluation)
    {
      // More predictions than anyone can wait for.
      constexpr std::uint64_t most_predictions = 10000000;

      serialize_flag(archive, evaluation.has_values);
      serialize_flag(archive, evaluation.has_gradients);
      archive &evaluation.reference &evaluation.potential;
      serialize_fixed(archive, evaluation.reference_gradient);
      serialize_fixed(archive, evaluation.potential_gradient);
      serialize_vector(archive, evaluation.predictions, most_predictions);
    }


    bool
    is_positive(const double number)
    {
      return number > 0. && std::isfinite(number);
    }
  } // namespace



  template <typename Archive>
  void
  ReplicaExchange::serialize(Archive &archive, const unsigned int)
  {
    const unsigned int dimension = ladder.space().dimension();

    archive &round &work;
    serialize_fixed(archive, evaluations);
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        double                temperature = ladder[rung].temperature;
        archive &temperature &ladder[rung].step_size &ladder[rung].noise;
        serialize_optional(archive, ladder[rung].preconditioner, dimension);
        serialize_optional(archive, ladder[rung].step_factors, dimension);

        Replica &replica = replicas[rung];
        archive &replica.id;
        serialize_fixed(archive, replica.position);
        for (Evaluation &evaluation : replica.evaluations)
          serialize_evaluation(archive, evaluation);

        Kernel::Workspace &workspace = workspaces[rung];
        serialize_optional(archive, workspace.squared_gradients, dimension);
        archive &workspace.weight_of_averages &step_size_adaptations[rung] &
          rung_reports[rung] &
          stuck_watches[rung]
            .steps            &stuck_watches[rung]
            .non_finite       &since_draws[rung]
            .acceptance_sum   &since_draws[rung]
            .acceptance_count &since_draws[rung]
            .non_finite;
        if (!position_moments.empty())
          for (Moments &moments : position_moments[rung])
            archive &moments;

        if constexpr (Archive::is_loading::value)
          {
            if (!is_positive(temperature) ||
                !is_positive(ladder[rung].step_size))
              throw ArchiveError(
                "a temperature or a step size is not positive");
            ladder.set_temperature(rung, temperature);
            ladder[rung].update_step_scales();
          }
      }
    for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
      {
        const std::size_t n_levels =
          pair_reports[pair].cross_evaluations.size();
        archive &pair_reports[pair] & noise_probes[pair];
        if (pair_reports[pair].cross_evaluations.size() != n_levels)
          throw ArchiveError("a pair has other levels");
      }

    if constexpr (Archive::is_loading::value)
      {
        check_loaded();
        restore_linearisations();
      }
  }



  void
  ReplicaExchange::check_loaded() const
  {
    std::vector<bool> is_there(ladder.size(), false);
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        const Replica &replica = replicas[rung];
        if (replica.id >= ladder.size() || is_there[replica.id])
          throw ArchiveError("the replicas are not each at one rung");
        is_there[replica.id] = true;
        if (!std::all_of(replica.position.begin(),
                         replica.position.end(),
                         [](const double x) { return std::isfinite(x); }) ||
            !ladder.space().contains(dealii::make_array_view(replica.position)))
          throw ArchiveError("a state is outside the bounds of the unknowns");
        for (const double square : workspaces[rung].squared_gradients)
          if (!(square >= 0.))
            throw ArchiveError("a square is negative");
      }
    if (!(work >= 0.))
      throw ArchiveError("the work done is negative");
  }



  void
  ReplicaExchange::restore_linearisations()
  {
    for (Replica &replica : replicas)
      for (unsigned int level = 0; level < ladder.get_levels().size(); ++level)
        {
          const Energy &energy     = *ladder.get_levels()[level].energy;
          Evaluation   &evaluation = replica.evaluations[level];
          if (!evaluation.has_values || evaluation.has_gradients ||
              energy.is_stochastic() || energy.has_noisy_gradients())
            continue;
          // An energy is pure: this gives the same values again.
          energy.evaluate(dealii::make_array_view(
                            std::as_const(replica.position)),
                          RandomKey(),
                          Request::values,
                          evaluation);
        }
  }



  template void
  ReplicaExchange::serialize(boost::archive::binary_oarchive &,
                             const unsigned int);
  template void
  ReplicaExchange::serialize(boost::archive::binary_iarchive &,
                             const unsigned int);
} // namespace Tempera
