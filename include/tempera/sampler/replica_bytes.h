// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_replica_bytes_h
#define tempera_sampler_replica_bytes_h

#include <tempera/base/archive.h>
#include <tempera/sampler/replica.h>

#include <string>

namespace Tempera
{
  /** Save or load what is known at a state; the sizes must be the same. */
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
    if constexpr (Archive::is_loading::value)
      {
        evaluation.is_from_elsewhere = evaluation.has_values;
        evaluation.linearisation.reset();
      }
  }


  template <typename Archive>
  void
  serialize_replica(Archive &archive, Replica &replica)
  {
    archive &replica.id;
    serialize_fixed(archive, replica.position);
    for (Evaluation &evaluation : replica.evaluations)
      serialize_evaluation(archive, evaluation);
  }


  /** What is known at a state, for another process. */
  std::string
  to_bytes(const Evaluation &evaluation);

  /** The same back. */
  void
  from_bytes(const std::string &bytes, Evaluation &evaluation);

  /** A state with all that is known of it, for another process. */
  std::string
  to_bytes(const Replica &replica);

  /** The same back. */
  void
  from_bytes(const std::string &bytes, Replica &replica);
} // namespace Tempera

#endif
