// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/peers.h>
#include <tempera/sampler/replica_bytes.h>

#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

namespace Tempera
{
  namespace
  {
    constexpr int tag = 7;

    /** Adds the time from here to the end of the block to a sum. */
    class Stopwatch
    {
    public:
      explicit Stopwatch(double &sum)
        : sum(sum)
        , begin(std::chrono::steady_clock::now())
      {}

      ~Stopwatch()
      {
        sum += std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                             begin)
                 .count();
      }

    private:
      double                                     &sum;
      const std::chrono::steady_clock::time_point begin;
    };

    /** MPI counts in int. */
    int
    length_of(const std::string &bytes)
    {
      AssertThrow(bytes.size() <= std::size_t(std::numeric_limits<int>::max()),
                  dealii::ExcMessage("A message is too long for MPI."));
      return static_cast<int>(bytes.size());
    }

    /** What MPI says of a message's length, which may be wrong or too long. */
    std::size_t
    checked_length(const std::int64_t length)
    {
      AssertThrow(length >= 0 && length <= std::numeric_limits<int>::max(),
                  dealii::ExcMessage("MPI tells of a message of " +
                                     std::to_string(length) + " bytes."));
      return static_cast<std::size_t>(length);
    }
  } // namespace



  Peers::Peers(const MPI_Comm communicator)
    : communicator(communicator)
    , n_peers(dealii::Utilities::MPI::n_mpi_processes(communicator))
    , rank(dealii::Utilities::MPI::this_mpi_process(communicator))
  {}



  void
  Peers::send(const unsigned int to, const std::string &bytes) const
  {
    const Stopwatch watch(seconds_waited);
    MPI_Send(bytes.data(), length_of(bytes), MPI_BYTE, to, tag, communicator);
  }



  std::string
  Peers::receive(const unsigned int from) const
  {
    const Stopwatch watch(seconds_waited);
    MPI_Status      status;
    int             length = 0;
    MPI_Probe(from, tag, communicator, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    std::string bytes(checked_length(length), '\0');
    MPI_Recv(bytes.data(),
             length,
             MPI_BYTE,
             from,
             tag,
             communicator,
             MPI_STATUS_IGNORE);
    return bytes;
  }



  bool
  Peers::has_sent(const unsigned int from) const
  {
    int is_there = 0;
    MPI_Iprobe(from, tag, communicator, &is_there, MPI_STATUS_IGNORE);
    return is_there != 0;
  }



  std::string
  Peers::exchange(const unsigned int with, const std::string &bytes) const
  {
    MPI_Request request;
    MPI_Isend(bytes.data(),
              length_of(bytes),
              MPI_BYTE,
              with,
              tag,
              communicator,
              &request);
    std::string     result = receive(with);
    const Stopwatch watch(seconds_waited);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return result;
  }



  std::vector<std::string>
  Peers::gather(const std::string &bytes) const
  {
    if (n_peers == 1)
      return {bytes};
    const Stopwatch  watch(seconds_waited);
    const int        length = length_of(bytes);
    std::vector<int> lengths(n_peers), places(n_peers, 0);
    MPI_Allgather(
      &length, 1, MPI_INT, lengths.data(), 1, MPI_INT, communicator);
    for (unsigned int i = 1; i < n_peers; ++i)
      places[i] = places[i - 1] + lengths[i - 1];
    std::int64_t sum = 0;
    for (const int one : lengths)
      sum += checked_length(one);
    std::string all(checked_length(sum), '\0');
    MPI_Allgatherv(bytes.data(),
                   length,
                   MPI_BYTE,
                   all.data(),
                   lengths.data(),
                   places.data(),
                   MPI_BYTE,
                   communicator);
    std::vector<std::string> result;
    for (unsigned int i = 0; i < n_peers; ++i)
      result.push_back(all.substr(places[i], lengths[i]));
    return result;
  }



  std::vector<double>
  Peers::sum(std::vector<double> values) const
  {
    if (n_peers == 1)
      return values;
    const Stopwatch     watch(seconds_waited);
    std::vector<double> result(values.size());
    MPI_Allreduce(values.data(),
                  result.data(),
                  static_cast<int>(values.size()),
                  MPI_DOUBLE,
                  MPI_SUM,
                  communicator);
    return result;
  }



  std::string
  Peers::broadcast(const std::string &bytes) const
  {
    if (n_peers == 1)
      return bytes;
    const Stopwatch watch(seconds_waited);
    int             length = length_of(bytes);
    MPI_Bcast(&length, 1, MPI_INT, 0, communicator);
    std::string result = bytes;
    result.resize(checked_length(length));
    MPI_Bcast(result.data(), length, MPI_BYTE, 0, communicator);
    return result;
  }



  Placement::Placement(const Peers              &peers,
                       std::vector<unsigned int> peer_of_rung)
    : peers(peers.size() > 1 ? &peers : nullptr)
    , peer_of_rung(std::move(peer_of_rung))
  {}



  void
  Placement::exchange(const unsigned int pair,
                      Replica           &cold_replica,
                      Replica           &hot_replica) const
  {
    Replica &mine  = is_here(pair) ? cold_replica : hot_replica;
    Replica &other = is_here(pair) ? hot_replica : cold_replica;
    from_bytes(peers->exchange(partner(pair), to_bytes(mine)), other);
  }



  void
  Placement::share(const unsigned int pair,
                   const bool         is_known_here,
                   Evaluation        &evaluation) const
  {
    if (!is_split(pair))
      return;
    if (is_known_here)
      peers->send(partner(pair), to_bytes(evaluation));
    else
      from_bytes(peers->receive(partner(pair)), evaluation);
  }



  bool
  Placement::agree(const unsigned int pair, const bool is_well) const
  {
    if (!is_split(pair))
      return is_well;
    const std::string word = is_well ? "y" : "n";
    return (peers->exchange(partner(pair), word) == "y") && is_well;
  }
} // namespace Tempera
