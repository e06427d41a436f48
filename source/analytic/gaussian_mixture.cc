// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/base/patterns.h>
#include <tempera/base/user_error.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<GaussianMixture> gaussian_mixture_registration(
      "gaussian mixture",
      "A mixture of isotropic Gaussians in any dimension.");
  } // namespace



  void
  GaussianMixture::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    declare_numbers_above(
      prm,
      "Weights",
      weights,
      0.,
      "Mass of each component; they are scaled to sum to 1.");
    prm.add_parameter(
      "Means",
      means,
      "Mean of each component: components separated by semicolons, coordinates by commas.",
      List(List(Double(), 1), 1, List::max_int_value, ";"));
    declare_numbers_above(prm,
                          "Standard deviations",
                          standard_deviations,
                          0.,
                          "Standard deviation of each component.");
  }



  GaussianMixture::GaussianMixture(const Parameters          &parameters,
                                   const ReferenceParameters &reference)
    : AnalyticEnergy(parameters.means[0].size(), reference)
  {
    const std::size_t n       = parameters.weights.size();
    bool              correct = parameters.means.size() == n &&
                   parameters.standard_deviations.size() == n;
    for (const auto &mean : parameters.means)
      correct = correct && mean.size() == parameters.means[0].size();
    if (!correct)
      throw UserError(
        "The parameters 'Weights', 'Means' and 'Standard deviations' of "
        "'Energy/Gaussian mixture' must have the same number of components, "
        "and all means the same number of coordinates. There are " +
        std::to_string(n) + " weights, " +
        std::to_string(parameters.means.size()) + " means and " +
        std::to_string(parameters.standard_deviations.size()) +
        " standard deviations.");

    double sum = 0.;
    for (const double weight : parameters.weights)
      sum += weight;
    for (std::size_t k = 0; k < n; ++k)
      {
        const double deviation = parameters.standard_deviations[k];
        components.push_back(
          {parameters.means[k],
           1. / (deviation * deviation),
           std::log(parameters.weights[k] / sum) -
             parameters.means[k].size() * std::log(deviation)});
      }
  }



  double
  GaussianMixture::potential(const dealii::ArrayView<const double> &state,
                             const dealii::ArrayView<double> &gradient) const
  {
    // One pass: whenever a larger exponent turns up, rescale what is there.
    std::fill(gradient.begin(), gradient.end(), 0.);
    double largest = -std::numeric_limits<double>::infinity(), sum = 0.;
    for (const Component &component : components)
      {
        double squared_distance = 0.;
        for (unsigned int i = 0; i < state.size(); ++i)
          squared_distance +=
            (state[i] - component.mean[i]) * (state[i] - component.mean[i]);
        const double exponent = component.log_amplitude -
                                0.5 * component.precision * squared_distance;
        double amplitude = 1.;
        if (exponent > largest)
          {
            const double scale = std::exp(largest - exponent);
            sum *= scale;
            for (unsigned int i = 0; i < state.size(); ++i)
              gradient[i] *= scale;
            largest = exponent;
          }
        else
          amplitude = std::exp(exponent - largest);
        sum += amplitude;
        amplitude *= component.precision;
        for (unsigned int i = 0; i < state.size(); ++i)
          gradient[i] += amplitude * (state[i] - component.mean[i]);
      }
    for (unsigned int i = 0; i < state.size(); ++i)
      gradient[i] /= sum;
    return -largest - std::log(sum);
  }
} // namespace Tempera
