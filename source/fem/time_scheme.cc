// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/time_scheme.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Tempera
{
  namespace
  {
    const std::map<std::string, TimeScheme> schemes{
      {"backward Euler", {1, {{1., -1., 0.}}, {{1., 0., 0.}}}},
      {"Crank-Nicolson", {1, {{1., -1., 0.}}, {{0.5, 0.5, 0.}}}},
      {"BDF2", {2, {{1.5, -2., 0.5}}, {{1., 0., 0.}}}}};
  }



  TimeGrid::TimeGrid(const double final_time, const double longest_step)
  {
    constexpr double most_steps = 1e7;

    if (!(longest_step > 0.))
      throw UserError(
        "A level has no 'Time step'. Set it to a length above 0.");
    if (!(final_time > 0.))
      throw UserError(
        "The final time is " + to_text(final_time) +
        ", so that there would be no time steps. Set 'Problem/Final time' to a "
        "number above 0, or give an observation at a later time.");
    // A step that fits but for rounding is taken as it is.
    const double n = std::ceil(final_time / longest_step * (1. - 1e-10));
    if (!(n < most_steps))
      throw UserError("A 'Time step' of " + to_text(longest_step) +
                      " would need more than ten million steps to the final "
                      "time " +
                      to_text(final_time) + ". Make it longer.");
    n_steps = std::max(1u, static_cast<unsigned int>(n));
    step    = final_time / n_steps;
  }



  std::vector<std::string>
  TimeScheme::names()
  {
    return {"backward Euler", "Crank-Nicolson", "BDF2"};
  }



  TimeScheme
  TimeScheme::named(const std::string &name)
  {
    return schemes.at(name);
  }



  TimeScheme
  TimeScheme::for_first_step(const std::string &name)
  {
    const TimeScheme scheme = named(name);
    return scheme.n_old == 1 ? scheme : named("backward Euler");
  }
} // namespace Tempera
