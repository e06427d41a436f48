// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_noise_h
#define tempera_inference_noise_h

#include <tempera/inference/likelihood.h>
#include <tempera/inference/observations.h>
#include <tempera/inference/prior.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /** The errors of measurement as a user describes them. */
  struct Noise
  {
    std::shared_ptr<const Likelihood> likelihood;
    /** Of its numbers, in their order. */
    std::vector<Unknown> unknowns;
    /** Of Gaussian errors that are not independent, if it is known. */
    std::vector<std::vector<double>> covariance;
  };

  /** Of the values of the observations. What makes no sense is a UserError. */
  Noise
  make_noise(const ObservationParameters &parameters,
             const Observations          &observations);

  /**
   * Turn predictions into synthetic data: add errors of the parameters' law,
   * with the synthetic noise in the place of sigma.
   *
   * @param truth What is named for the numbers of the errors that are unknown;
   * may be empty.
   */
  void
  add_synthetic_errors(const ObservationParameters &parameters,
                       const Observations          &observations,
                       const std::vector<double>   &truth,
                       std::vector<double>         &predictions);
} // namespace Tempera

#endif
