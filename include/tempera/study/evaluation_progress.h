// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_evaluation_progress_h
#define tempera_study_evaluation_progress_h

#include <atomic>
#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace Tempera
{
  /**
   * Shows how far work of many equal parts is, where it takes longer than some
   * seconds, and ends it on request.
   */
  class EvaluationProgress
  {
  public:
    /** The user has had enough. */
    struct Stopped
    {
      std::size_t n_done, n_all;
    };

    /**
     * @param noun What is counted.
     * @param is_terminal Whether @p out can be drawn over.
     */
    EvaluationProgress(const std::string       &noun,
                       std::ostream            &out,
                       const bool               is_terminal,
                       const std::atomic<bool> &stop);

    /** So much is done; throws Stopped if it is enough. */
    void
    operator()(const std::size_t n_done, const std::size_t n_all);

  private:
    using Clock = std::chrono::steady_clock;

    void
    clear();

    const std::string        noun;
    std::ostream            &out;
    const bool               is_terminal;
    const std::atomic<bool> &stop;
    const Clock::time_point  begin;
    Clock::time_point        next;
    bool                     is_shown = false;
  };
} // namespace Tempera

#endif
