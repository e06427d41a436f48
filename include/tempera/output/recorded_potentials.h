// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_recorded_potentials_h
#define tempera_output_recorded_potentials_h

#include <tempera/output/evidence.h>
#include <tempera/output/recorded_run.h>

#include <vector>

namespace Tempera
{
  /**
   * The potentials of all rungs of a recorded run, the coldest first, from its
   * draws or from what is recorded beside them. Memory is bounded: of very many
   * rounds some are there, and of many rounds several are one. To be called if
   * evidence_objection() has none.
   */
  std::vector<RungPotentials>
  recorded_potentials(const RecordedRun &run);

  /**
   * Why a run has no evidence, and what to set; without both if it has one, as
   * far as that is known without looking at potentials.
   */
  Evidence
  evidence_objection(const RecordedRun &run);

  /** The evidence of a recorded run, or why there is none. */
  Evidence
  recorded_evidence(const RecordedRun &run);
} // namespace Tempera

#endif
