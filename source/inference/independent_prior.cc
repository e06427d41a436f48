// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/independent_prior.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    StateSpace
    space_of(const std::vector<Unknown> &unknowns)
    {
      std::vector<Coordinate> coordinates;
      for (const Unknown &unknown : unknowns)
        coordinates.push_back({unknown.name,
                               unknown.prior.lower(),
                               unknown.prior.upper(),
                               unknown.is_recorded});
      return StateSpace(coordinates);
    }
  } // namespace



  IndependentPrior::IndependentPrior(std::vector<Unknown> the_unknowns)
    : unknowns(std::move(the_unknowns))
    , state_space(space_of(unknowns))
  {}



  double
  IndependentPrior::energy(const dealii::ArrayView<const double> &state,
                           const dealii::ArrayView<double> &gradient) const
  {
    double result = 0.;
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      result += unknowns[i].prior.energy(state[i]);
    if (gradient.size() > 0)
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        gradient[i] = unknowns[i].prior.energy_derivative(state[i]);
    return result;
  }



  double
  IndependentPrior::log_normaliser() const
  {
    double result = 0.;
    for (const Unknown &unknown : unknowns)
      result += unknown.prior.log_normaliser();
    return result;
  }



  bool
  IndependentPrior::is_integrable(const double power) const
  {
    return std::all_of(unknowns.begin(),
                       unknowns.end(),
                       [power](const Unknown &unknown) {
                         return unknown.prior.is_integrable(power);
                       });
  }



  bool
  IndependentPrior::is_gaussian() const
  {
    return std::all_of(unknowns.begin(),
                       unknowns.end(),
                       [](const Unknown &unknown) {
                         return unknown.prior.is_normal();
                       });
  }



  std::vector<double>
  IndependentPrior::sample(const RandomKey &key) const
  {
    std::vector<double> result(unknowns.size());
    fill_uniforms(key, dealii::make_array_view(result));
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      result[i] = unknowns[i].prior.quantile(result[i]);
    return result;
  }



  std::vector<double>
  IndependentPrior::centre() const
  {
    std::vector<double> result;
    for (const Unknown &unknown : unknowns)
      result.push_back(unknown.prior.middle());
    return result;
  }



  void
  IndependentPrior::apply_covariance(
    const dealii::ArrayView<const double> &vector,
    const dealii::ArrayView<double>       &result) const
  {
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      result[i] =
        std::pow(unknowns[i].prior.standard_deviation(), 2) * vector[i];
  }



  void
  IndependentPrior::apply_covariance_root(
    const dealii::ArrayView<const double> &vector,
    const dealii::ArrayView<double>       &result) const
  {
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      result[i] = unknowns[i].prior.standard_deviation() * vector[i];
  }
} // namespace Tempera
