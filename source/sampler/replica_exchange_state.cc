// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/archive.h>
#include <tempera/sampler/noise_probe.h>
#include <tempera/sampler/replica_bytes.h>
#include <tempera/sampler/replica_exchange.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace Tempera
{
  namespace
  {
    bool
    is_positive(const double number)
    {
      return number > 0. && std::isfinite(number);
    }
  } // namespace



  template <typename Archive>
  void
  ReplicaExchange::serialize_rung(Archive &archive, const unsigned int rung)
  {
    double                temperature = ladder[rung].temperature;
    archive &temperature &ladder[rung].noise;
    serialize_replica(archive, replicas[rung]);
    if constexpr (Archive::is_loading::value)
      kernel_states[rung]->load(archive);
    else
      kernel_states[rung]->save(archive);
    archive &rung_reports[rung] & stuck_watches[rung]
                                    .steps            &stuck_watches[rung]
                                    .non_finite       &since_draws[rung]
                                    .acceptance_sum   &since_draws[rung]
                                    .acceptance_count &since_draws[rung]
                                    .non_finite;

    if constexpr (Archive::is_loading::value)
      {
        if (!is_positive(temperature))
          throw ArchiveError("a temperature is not positive");
        ladder.set_temperature(rung, temperature);
      }
  }



  template <typename Archive>
  void
  ReplicaExchange::serialize_pair(Archive &archive, const unsigned int pair)
  {
    const std::size_t n_levels = pair_reports[pair].cross_evaluations.size();
    archive          &pair_reports[pair] & noise_probes[pair];
    if (pair_reports[pair].cross_evaluations.size() != n_levels)
      throw ArchiveError("a pair has other levels");
  }



  template <typename Archive>
  void
  ReplicaExchange::serialize(Archive &archive, const unsigned int)
  {
    archive &round &work;
    serialize_fixed(archive, evaluations);
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      serialize_rung(archive, rung);
    for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
      serialize_pair(archive, pair);

    if constexpr (Archive::is_loading::value)
      {
        check_loaded();
        own_work = work_elsewhere = 0.;
        own_evaluations.assign(own_evaluations.size(), 0);
      }
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
      archive         &self.own_work;
      serialize_fixed(archive, self.own_evaluations);
      for (unsigned int rung = 0; rung < ladder.size(); ++rung)
        if (placement.is_here(rung))
          self.serialize_rung(archive, rung);
      for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
        if (placement.is_here(pair))
          self.serialize_pair(archive, pair);
    }
    return stream.str();
  }



  void
  ReplicaExchange::load_parts(const std::vector<std::string> &parts)
  {
    work -= own_work;
    for (std::size_t level = 0; level < evaluations.size(); ++level)
      evaluations[level] -= own_evaluations[level];
    std::vector<std::uint64_t> its_evaluations(evaluations.size());
    for (unsigned int peer = 0; peer < parts.size(); ++peer)
      {
        std::istringstream              stream(parts[peer]);
        boost::archive::binary_iarchive archive(stream,
                                                boost::archive::no_header);
        double                          its_work;
        archive                        &its_work;
        serialize_fixed(archive, its_evaluations);
        work += its_work;
        for (std::size_t level = 0; level < evaluations.size(); ++level)
          evaluations[level] += its_evaluations[level];
        if (peer == placement.get_peers().me())
          continue;
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          if (placement.peer_of(rung) == peer)
            serialize_rung(archive, rung);
        for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
          if (placement.peer_of(pair) == peer)
            serialize_pair(archive, pair);
      }
    own_work = work_elsewhere = 0.;
    own_evaluations.assign(own_evaluations.size(), 0);
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
      }
    if (!(work >= 0.))
      throw ArchiveError("the work done is negative");
  }



  template void
  ReplicaExchange::serialize(boost::archive::binary_oarchive &,
                             const unsigned int);
  template void
  ReplicaExchange::serialize(boost::archive::binary_iarchive &,
                             const unsigned int);
} // namespace Tempera
