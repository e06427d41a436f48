// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_summary_text_h
#define tempera_output_summary_text_h

#include <string>

namespace Tempera
{
  struct Analysis;
  struct RunReport;

  /**
   * The closing tables of a run: unknowns, modes, rungs, pairs, costs, and at
   * the end what to be warned about.
   */
  std::string
  summary_text(const Analysis &analysis);

  /** Unknowns, modes and the worst warnings, for a look at a run. */
  std::string
  short_summary(const Analysis &analysis);

  /** The closing tables for machines: JSON, with null for what is not a number.
   */
  std::string
  summary_json(const Analysis &analysis);


  /** What burn-in has settled: temperatures, step sizes, noise. */
  std::string
  burn_in_text(const RunReport &report);
} // namespace Tempera

#endif
