// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/target/target.h>

#include <cmath>

namespace Tempera
{
  const std::vector<Unknown> &
  Target::unknowns() const
  {
    static const std::vector<Unknown> none;
    return none;
  }



  std::vector<double>
  Target::start(const RandomKey &key) const
  {
    const auto law = prior();
    return law ? law->sample(key) : centre();
  }



  void
  Target::check_prior_run() const
  {
    if (!prior())
      throw UserError(
        "'Target = prior' leaves the likelihood out, but an analytic energy "
        "has none: it is not made of a prior and data. Remove 'Target', or set "
        "'Problem/Type' or 'Network/Equation'.");
  }



  bool
  Target::samples_posterior(const Ladder &ladder) const
  {
    return std::abs(ladder[0].temperature - 1.) <= 1e-12;
  }
} // namespace Tempera
