// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_summary_h
#define tempera_output_summary_h

#include <tempera/output/marginal.h>
#include <tempera/output/round_trips.h>
#include <tempera/output/run_description.h>
#include <tempera/sampler/signals.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** The closing table of a run: unknowns, rungs, pairs. */
  class Summary
  {
  public:
    explicit Summary(const RunDescription &description);

    void
    connect(Signals &signals);

    /** The table for the run as it stands. */
    std::string
    text(const RunReport &report) const;

    /** Of the recorded unknowns at the coldest rung, after burn-in. */
    const std::vector<Marginal> &
    get_marginals() const
    {
      return marginals;
    }

  private:
    const RunDescription  description;
    RoundTrips            round_trips;
    std::vector<Marginal> marginals;
  };


  /** What burn-in has settled: temperatures, step sizes, noise. */
  std::string
  burn_in_text(const RunReport &report);
} // namespace Tempera

#endif
