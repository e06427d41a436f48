// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/run_times.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace Tempera
{
  PhaseTimes
  read_times(const std::string &folder)
  {
    std::ifstream file(folder + "/times.csv");
    PhaseTimes    times;
    std::string   line;
    std::getline(file, line);
    while (std::getline(file, line))
      {
        const std::size_t comma = line.rfind(',');
        if (comma == std::string::npos)
          continue;
        char        *end     = nullptr;
        const double seconds = std::strtod(line.c_str() + comma + 1, &end);
        if (end != line.c_str() + comma + 1 && std::isfinite(seconds) &&
            seconds >= 0.)
          times.emplace_back(line.substr(0, comma), seconds);
      }
    return times;
  }



  RunTimes::RunTimes()
    : last(std::chrono::steady_clock::now())
  {}



  double &
  RunTimes::entry(const std::string &phase)
  {
    for (auto &one : phases)
      if (one.first == phase)
        return one.second;
    phases.emplace_back(phase, 0.);
    return phases.back().second;
  }



  void
  RunTimes::update()
  {
    const auto now = std::chrono::steady_clock::now();
    if (!current.empty())
      entry(current) += std::chrono::duration<double>(now - last).count();
    last = now;
  }



  void
  RunTimes::enter(const std::string &phase)
  {
    update();
    current = phase;
  }



  void
  RunTimes::add_from(const RunFolder &folder)
  {
    for (const auto &[phase, seconds] : read_times(folder.get_path()))
      entry(phase) += seconds;
  }



  void
  RunTimes::write(const RunFolder &folder)
  {
    update();
    std::string text = "phase,seconds\n";
    for (const auto &one : phases)
      text += one.first + "," + to_text(one.second, 6) + "\n";
    folder.write("times.csv", text);
  }



  PhaseTimes
  RunTimes::get()
  {
    update();
    return phases;
  }



  double
  RunTimes::seconds(const std::string &phase)
  {
    update();
    return entry(phase);
  }
} // namespace Tempera
