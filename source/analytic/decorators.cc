// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/decorators.h>
#include <tempera/base/patterns.h>

#include <cmath>

namespace Tempera
{
  void
  LevelParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Bias",
      bias,
      "Amplitude of a smooth perturbation of the energy that plays a coarse solver's error.",
      Double());
    declare_number_above(prm,
                         "Bias wavelength",
                         bias_wavelength,
                         0.,
                         "Wavelength of that perturbation.");
    prm.add_parameter(
      "Noise",
      noise,
      "Standard deviation of Gaussian noise on the energy, as from minibatches.",
      Double(0.));
    prm.add_parameter(
      "Gradient noise",
      gradient_noise,
      "Standard deviation of Gaussian noise on each component of the gradient.",
      Double(0.));
    prm.add_parameter(
      "Noise correlation",
      noise_correlation,
      "Correlation of this level's noise with that of other levels at the same state, if theirs has the same value (else the geometric mean of both).",
      Double(0., 1.));
  }



  BiasedEnergy::BiasedEnergy(std::shared_ptr<const Energy> inner,
                             const double                  amplitude,
                             const double                  wavelength)
    : inner(std::move(inner))
    , amplitude(amplitude)
    , wavelength(wavelength)
  {}



  const StateSpace &
  BiasedEnergy::space() const
  {
    return inner->space();
  }



  bool
  BiasedEnergy::is_stochastic() const
  {
    return inner->is_stochastic();
  }



  bool
  BiasedEnergy::is_integrable(const Exponents &exponents) const
  {
    return inner->is_integrable(exponents);
  }



  void
  BiasedEnergy::evaluate(const dealii::ArrayView<const double> &state,
                         const RandomKey                       &key,
                         const Request                          request,
                         Evaluation &evaluation) const
  {
    inner->evaluate(state, key, request, evaluation);
    constexpr double phase     = 1.;
    const double     frequency = 2. * M_PI / wavelength;
    for (unsigned int i = 0; i < state.size(); ++i)
      {
        const double angle = frequency * state[i] + phase;
        if (request != Request::gradients)
          evaluation.potential += amplitude * std::sin(angle);
        if (request != Request::values)
          evaluation.potential_gradient[i] +=
            amplitude * frequency * std::cos(angle);
      }
  }



  NoisyEnergy::NoisyEnergy(std::shared_ptr<const Energy> inner,
                           const double                  noise,
                           const double                  gradient_noise,
                           const double                  correlation,
                           const unsigned int            index)
    : inner(std::move(inner))
    , noise(noise)
    , gradient_noise(gradient_noise)
    , correlation(correlation)
    , index(index)
  {}



  const StateSpace &
  NoisyEnergy::space() const
  {
    return inner->space();
  }



  bool
  NoisyEnergy::is_stochastic() const
  {
    return true;
  }



  bool
  NoisyEnergy::is_integrable(const Exponents &exponents) const
  {
    return inner->is_integrable(exponents);
  }



  void
  NoisyEnergy::evaluate(const dealii::ArrayView<const double> &state,
                        const RandomKey                       &key,
                        const Request                          request,
                        Evaluation                            &evaluation) const
  {
    inner->evaluate(state, key, request, evaluation);

    // One number for the value, then one per component of the gradient.
    std::vector<double> common(1 + state.size()), own(common.size());
    RandomKey           noise_key = key;
    fill_normals(noise_key, dealii::make_array_view(common));
    if (correlation < 1.)
      {
        noise_key.stream = 1 + index;
        fill_normals(noise_key, dealii::make_array_view(own));
      }
    const auto normal = [&](const unsigned int i) {
      return std::sqrt(correlation) * common[i] +
             std::sqrt(1. - correlation) * own[i];
    };
    if (request != Request::gradients)
      evaluation.potential += noise * normal(0);
    if (request != Request::values)
      for (unsigned int i = 0; i < state.size(); ++i)
        evaluation.potential_gradient[i] += gradient_noise * normal(1 + i);
  }



  std::shared_ptr<const Energy>
  decorate(std::shared_ptr<const Energy> energy,
           const LevelParameters        &parameters,
           const unsigned int            level_index)
  {
    if (parameters.bias != 0.)
      energy = std::make_shared<BiasedEnergy>(energy,
                                              parameters.bias,
                                              parameters.bias_wavelength);
    if (parameters.noise > 0. || parameters.gradient_noise > 0.)
      energy = std::make_shared<NoisyEnergy>(energy,
                                             parameters.noise,
                                             parameters.gradient_noise,
                                             parameters.noise_correlation,
                                             level_index);
    return energy;
  }
} // namespace Tempera
