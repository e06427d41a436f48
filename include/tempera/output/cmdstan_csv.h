// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_cmdstan_csv_h
#define tempera_output_cmdstan_csv_h

#include <string>
#include <vector>

namespace Tempera
{
  class RecordedRun;

  /**
   * Write the coldest rung as CSV in CmdStan's layout: `draws.csv`, or
   * `draws_1.csv`, `draws_2.csv`, ... if there are several chains. Numbers read
   * back as they were. Returns the paths.
   *
   * Burn-in is left out, as CmdStan leaves it out by default; `samples.nc` has
   * it. Chains of different lengths are cut to the shortest, as readers demand.
   * Names become identifiers, since readers take dots for indices and a double
   * underscore at the end for a statistic of the sampler.
   *
   * `algorithm` and `engine` name what has sampled: replica exchange, and the
   * kernel of the coldest rung. What CmdStan has and Tempera has not: a step of
   * Langevin is one leapfrog step, which is a tree of depth 1; `energy__` is
   * `-lp__`, since there is no momentum; the metric is given as ones, since
   * preconditioners are not recorded; there are no times.
   *
   * The rules followed are those of the readers in Stan (stan_csv_reader, which
   * stansummary and diagnose use), cmdstanr, cmdstanpy, rstan and ArviZ, as
   * their sources have them:
   * - the names of the columns begin with "lp__";
   * - no row comes before the four lines on adaptation where save_warmup is 0,
   *   and num_samples / thin after them;
   * - switches are 0 and 1, a seed has 32 bits, id is there;
   * - a line on adaptation is not followed by other comments;
   * - divergent__ and treedepth__ are integers, and max_depth is given.
   */
  std::vector<std::string>
  write_cmdstan_csv(const RecordedRun &run, const std::string &folder);
} // namespace Tempera

#endif
