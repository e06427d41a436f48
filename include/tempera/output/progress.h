// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_progress_h
#define tempera_output_progress_h

#include <tempera/output/journal.h>
#include <tempera/sampler/signals.h>

#include <chrono>

namespace Tempera
{
  /**
   * Shows how far the run is: a bar with rate and time left on a terminal; a
   * plain line for every tenth of the run elsewhere, and then in the log too.
   */
  class Progress
  {
  public:
    Progress(Journal            &journal,
             const std::uint64_t n_rounds,
             const bool          is_terminal,
             const std::uint64_t n_rounds_before = 0);

    void
    connect(Signals &signals);

    /** The run will end before all rounds are done, as far as is known.
     *
     * @param words To be shown, too. */
    void
    expect_end(const std::uint64_t rounds, const std::string &words);

  private:
    /** Rounds done, rate and time left. */
    std::string
    text(const std::uint64_t rounds) const;

    void
    draw_bar(const std::uint64_t rounds);

    void
    write_line(const std::uint64_t rounds);

    Journal            &journal;
    const std::uint64_t n_rounds;
    std::uint64_t       expected_rounds;
    std::string         words;
    const bool          is_terminal;
    /** Done before, in a run that is resumed. */
    const std::uint64_t                         n_rounds_before;
    const std::chrono::steady_clock::time_point begin;
    unsigned int                                tenths_shown = 0;
  };


  /** Seconds as "59 s", "3 min 10 s" or "2 h 5 min". */
  std::string
  duration_text(const double seconds);
} // namespace Tempera

#endif
