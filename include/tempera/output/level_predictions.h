// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_level_predictions_h
#define tempera_output_level_predictions_h

#include <tempera/output/level_draws.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** The mean of what is predicted for a measurement. */
  struct LevelPrediction
  {
    /** From the draws of all levels, and of the coldest rung's alone. */
    EstimatedValue of_levels, of_draws;
  };


  /**
   * The means of the finest level's predictions, from the draws of all levels;
   * in the order of the measurements, empty if none are recorded.
   *
   * Only draws of the coldest rung have recorded predictions of the finest
   * level, and at draws of the others that would take solves. So a polynomial p
   * of the unknowns is fitted to these, and \f$E[F] = E[p] + E[F - p]\f$: the
   * first term is estimated from all levels, the second from the recorded
   * predictions. That is right for any p; a good one makes the error small.
   */
  std::vector<LevelPrediction>
  predict_from_levels(const LevelDraws &levels);
} // namespace Tempera

#endif
