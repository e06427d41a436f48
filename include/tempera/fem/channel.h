// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_channel_h
#define tempera_fem_channel_h

#include <tempera/fem/time_scheme.h>
#include <tempera/problems/problem.h>

#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * Data of one kind that share their course in time: step \f$n\f$ sees
   * \f$w_n \sum_k g_k(x; \theta)\f$. A function that varies in time has one
   * channel for each time level.
   */
  struct Channel
  {
    DataKind                                kind;
    std::vector<dealii::types::boundary_id> boundaries;
    /** Indices of the functions \f$g_k\f$. */
    std::vector<unsigned int> functions;
    /** At which the functions are evaluated. */
    double time = 0.;
    /**
     * Time levels with \f$w_n\f$ where it is not zero; that of a step stands
     * where the step ends.
     */
    std::vector<std::pair<unsigned int, double>> weights;
    /** Whether no unknown is in it. */
    bool is_constant = false;
  };


  /**
   * The channels of a problem under a time scheme; those without unknowns come
   * last.
   */
  std::vector<Channel>
  make_channels(const Problem                   &problem,
                const std::vector<unsigned int> &unknowns,
                const TimeGrid                  &grid,
                const TimeScheme                &scheme,
                const TimeScheme                &first_scheme);
} // namespace Tempera

#endif
