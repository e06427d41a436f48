// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_record_blocks_h
#define tempera_output_record_blocks_h

// The layout of the blocks of a record, shared by who writes and who reads.

#include <tempera/output/run_description.h>
#include <tempera/sampler/signals.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Tempera
{
  /** Kinds of blocks. Never renumber: it would orphan every record. */
  enum class BlockKind : std::uint32_t
  {
    description = 1,
    draws       = 2,
    report      = 3,
    prediction  = 4,
    level_draws = 5,
    potentials  = 6
  };


  /** What stands before the content of a block. */
  struct BlockHead
  {
    static constexpr std::uint32_t right_letters = 0x52504d54; // "TMPR"
    /** No block is longer. */
    static constexpr std::uint32_t most_bytes = 1u << 28;

    std::uint32_t letters;
    std::uint32_t kind;
    std::uint32_t length;
    std::uint32_t checksum;
  };

  /** Of kind, length and content. */
  std::uint32_t
  block_checksum(const std::uint32_t kind,
                 const char         *content,
                 const std::uint32_t length);


  /** The content of a report's block. */
  std::string
  report_to_bytes(const RunReport &report);


  /** Sizes in bytes of the parts of a line of draws. */
  struct DrawLayout
  {
    explicit DrawLayout(const RunDescription &description);

    unsigned int n_rungs, n_pairs, n_columns;

    /** Round, whether in burn-in, round trips. */
    static constexpr std::size_t head = 3 * sizeof(std::uint64_t);
    /** Four numbers, two counts. */
    static constexpr std::size_t rung_head =
      4 * sizeof(double) + 2 * sizeof(std::uint32_t);
    static constexpr std::size_t pair = 2 * sizeof(std::uint32_t);

    std::size_t
    rung() const
    {
      return rung_head + n_columns * sizeof(double);
    }

    /** Where in a line the replica of a rung stands. */
    std::size_t
    replica(const unsigned int index) const
    {
      return head + n_pairs * pair + index * rung() + rung_head -
             sizeof(std::uint32_t);
    }

    std::size_t
    line() const
    {
      return head + n_pairs * pair + n_rungs * rung();
    }

    /** A known potential: rung, level, value. */
    static constexpr std::size_t potential =
      2 * sizeof(std::uint32_t) + sizeof(double);

    /** A line of level draws: rung, round, two energies, values. */
    std::size_t
    level_line() const
    {
      return 2 * sizeof(std::uint64_t) + (2 + n_columns) * sizeof(double);
    }
  };
} // namespace Tempera

#endif
