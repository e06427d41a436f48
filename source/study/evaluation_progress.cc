// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/progress.h>
#include <tempera/study/evaluation_progress.h>

#include <algorithm>
#include <ostream>

namespace Tempera
{
  EvaluationProgress::EvaluationProgress(const std::string       &noun,
                                         std::ostream            &out,
                                         const bool               is_terminal,
                                         const std::atomic<bool> &stop)
    : noun(noun)
    , out(out)
    , is_terminal(is_terminal)
    , stop(stop)
    , begin(Clock::now())
    , next(begin + std::chrono::seconds(is_terminal ? 1 : 5))
  {}



  void
  EvaluationProgress::operator()(const std::size_t n_done,
                                 const std::size_t n_all)
  {
    if (stop)
      {
        clear();
        throw Stopped{n_done, n_all};
      }
    const auto now = Clock::now();
    if (n_done == n_all)
      clear();
    if (now < next || n_done == n_all)
      return;
    const double seconds = std::chrono::duration<double>(now - begin).count();
    out << (is_terminal ? "\r   " : "   ") << n_done << " of " << n_all << " "
        << noun << " (" << 100 * n_done / n_all << " %), "
        << duration_text(seconds * double(n_all - n_done) / double(n_done))
        << " left" << (is_terminal ? "\033[K" : "\n") << std::flush;
    is_shown = true;
    // A line of its own for every tenth, after the first.
    next =
      now +
      (is_terminal ?
         std::chrono::milliseconds(500) :
         std::chrono::milliseconds(static_cast<long>(
           std::max(5000., 100. * seconds * double(n_all) / double(n_done)))));
  }



  void
  EvaluationProgress::clear()
  {
    if (is_shown && is_terminal)
      out << "\r\033[K" << std::flush;
  }
} // namespace Tempera
