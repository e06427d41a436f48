// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/study/study.h>

namespace Tempera
{
  const std::string &
  FinishedRun::cold_level() const
  {
    return ladder.get_levels()[ladder[0].level].name;
  }



  bool
  FinishedRun::samples_posterior() const
  {
    return !settings.samples_prior() && target.samples_posterior(ladder);
  }



  bool
  FinishedRun::has_prior() const
  {
    return recorded.n_common_draws() > 0 && target.prior() != nullptr &&
           !description.names.empty() && !settings.samples_prior();
  }



  bool
  FinishedRun::can_evaluate() const
  {
    return recorded.n_common_draws() > 0 && !settings.samples_prior() &&
           has(ladder[0].level) && !is_stopped();
  }



  bool
  FinishedRun::has(const unsigned int level) const
  {
    return target.has(ladder.get_levels()[level].name);
  }



  std::vector<std::vector<double>>
  FinishedRun::draws(const unsigned int n) const
  {
    return evenly_spaced_states(recorded, n);
  }



  std::vector<std::vector<double>>
  FinishedRun::whole_draws(const unsigned int n) const
  {
    return ladder.space().recorded().size() < ladder.space().dimension() ?
             kept_draws.evenly_spaced(n) :
             draws(n);
  }
} // namespace Tempera
