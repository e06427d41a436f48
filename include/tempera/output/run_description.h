// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_run_description_h
#define tempera_output_run_description_h

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  struct Prediction;

  /** What the sinks need to know of a run before it begins. */
  struct RunDescription
  {
    /** Names of the recorded unknowns. */
    std::vector<std::string> names;
    /** Where they stand in a state. */
    std::vector<unsigned int> indices;
    /** True states, where known. */
    std::vector<std::vector<double>> truth;
    /** Centre and radius, where the answer is known to be a circle. */
    std::vector<double> true_circle;
    /**
     * Where the first two recorded unknowns are a place: the places of the
     * sensors.
     */
    std::vector<std::vector<double>> sensors;
    /** Bounds of the recorded unknowns; infinite where there is none. */
    std::vector<double> lower, upper;
    /** Kernel of each rung. */
    std::vector<std::string> kernels;
    std::uint64_t            n_rounds = 0;
    /** The curve that every state predicts; null if there is none. */
    std::shared_ptr<const Prediction> prediction;
  };
} // namespace Tempera

#endif
