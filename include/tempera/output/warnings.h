// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_warnings_h
#define tempera_output_warnings_h

#include <string>
#include <vector>

namespace Tempera
{
  struct Analysis;
  struct ModelFit;

  /** Something the reader of a result has to know, in words. */
  struct Warning
  {
    enum class Severity
    {
      /** Good to know. */
      note,
      /** The figures are less certain than they look. */
      doubtful,
      /** Do not believe the figures. */
      wrong
    };

    /** What it is about. */
    enum class Kind
    {
      /** The measurements do not look like the predictions. */
      fit,
      /** The data contradict a prior. */
      prior,
      missed_mode,
      /** A part of the posterior that the kernel cannot enter. */
      unreachable,
      /** Swaps with another level move the coldest rung's law. */
      coarse_bias,
      /** The finest level is too coarse. */
      resolution,
      /** The data are silent about something. */
      identifiability,
      convergence,
      swaps,
      rungs,
      record,
      /** Neighbouring rungs are too far from each other for it. */
      evidence
    };

    Kind        kind;
    Severity    severity;
    std::string what;
    /** What to change in the parameter file. */
    std::string remedy;
  };

  /** "note", "doubtful" or "wrong". */
  std::string
  to_text(const Warning::Severity severity);

  /** In a word or two: "fit", "missed mode", ... */
  std::string
  to_text(const Warning::Kind kind);

  /** What measurements and predictions alone give reason for. */
  std::vector<Warning>
  find_fit_warnings(const ModelFit &fit);

  /** All there is to warn about, the worst first. */
  std::vector<Warning>
  find_warnings(const Analysis &analysis);
} // namespace Tempera

#endif
