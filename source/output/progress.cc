// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/progress.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace Tempera
{
  Progress::Progress(Journal            &journal,
                     const std::uint64_t n_rounds,
                     const bool          is_terminal,
                     const std::uint64_t n_rounds_before)
    : journal(journal)
    , n_rounds(n_rounds)
    , expected_rounds(n_rounds)
    , is_terminal(is_terminal)
    , n_rounds_before(n_rounds_before)
    , begin(std::chrono::steady_clock::now())
  {}



  void
  Progress::connect(Signals &signals)
  {
    if (is_terminal)
      {
        signals.progress.connect(
          [this](const std::uint64_t rounds) { draw_bar(rounds); });
        signals.end_of_run.connect([this](const RunReport &) {
          journal.get_terminal() << "\r\033[K" << std::flush;
        });
      }
    else
      signals.hundredth_done.connect(
        [this](const RunReport &report) { write_line(report.rounds); });
  }



  std::string
  Progress::text(const std::uint64_t rounds) const
  {
    const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
        .count();
    const double rate =
      seconds > 0. ? double(rounds - n_rounds_before) / seconds : 0.;
    const std::uint64_t end = std::max(rounds, expected_rounds);
    return std::to_string(100 * rounds / end) + " %, " + to_text(rate, 3) +
           " rounds/s, " +
           duration_text(rate > 0. ? (end - rounds) / rate : 0.) + " left" +
           words;
  }



  void
  Progress::expect_end(const std::uint64_t rounds, const std::string &text)
  {
    expected_rounds = std::min(n_rounds, rounds);
    words           = text;
  }



  void
  Progress::draw_bar(const std::uint64_t rounds)
  {
    winsize   window;
    const int columns =
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ?
        window.ws_col :
        80;
    const std::string words = text(rounds);
    // A line that wraps could not be drawn over.
    const int width =
      std::min(40, columns - 4 - static_cast<int>(words.size()));
    std::string line = words.substr(0, columns - 1);
    if (width > 0)
      {
        const int filled = static_cast<int>(
          width * std::min(1., double(rounds) / expected_rounds));
        line = "[" + std::string(filled, '=') +
               std::string(width - filled, ' ') + "] " + words;
      }
    journal.get_terminal() << "\r" << line << "\033[K" << std::flush;
  }



  void
  Progress::write_line(const std::uint64_t rounds)
  {
    const unsigned int tenths = 10 * rounds / n_rounds;
    if (tenths > tenths_shown)
      {
        tenths_shown = tenths;
        journal.write("   " + text(rounds) + "\n");
      }
  }



  std::string
  duration_text(const double seconds)
  {
    const long whole = std::lround(seconds);
    if (whole < 60)
      return std::to_string(whole) + " s";
    if (whole < 3600)
      return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) +
             " s";
    return std::to_string(whole / 3600) + " h " +
           std::to_string(whole % 3600 / 60) + " min";
  }
} // namespace Tempera
