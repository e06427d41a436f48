// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/independent_prior.h>
#include <tempera/pinn/network_model.h>
#include <tempera/sampler/random.h>

namespace Tempera
{
  std::shared_ptr<const PriorMeasure>
  NetworkModel::prior() const
  {
    std::vector<Unknown> all;
    for (unsigned int i = 0; i < shape.n_weights(); ++i)
      all.push_back({"weight " + std::to_string(i),
                     Prior::normal(0., weight_deviation),
                     false});
    all.insert(all.end(), unknowns.begin(), unknowns.end());
    return std::make_shared<IndependentPrior>(all);
  }



  double
  NetworkModel::prior_energy(const dealii::ArrayView<const double> &state,
                             const dealii::ArrayView<double> &gradient) const
  {
    const unsigned int  n         = shape.n_weights();
    const double *const w         = state.data();
    const double        precision = 1. / (weight_deviation * weight_deviation);
    double              squares   = 0.;
    for (unsigned int i = 0; i < n; ++i)
      squares += w[i] * w[i];
    double energy = 0.5 * precision * squares;
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      energy += unknowns[i].prior.energy(state[n + i]);
    if (gradient.size() > 0)
      {
        double *const g = gradient.data();
        for (unsigned int i = 0; i < n; ++i)
          g[i] = precision * w[i];
        for (std::size_t i = 0; i < unknowns.size(); ++i)
          g[n + i] = unknowns[i].prior.energy_derivative(state[n + i]);
      }
    return energy;
  }



  std::vector<double>
  NetworkModel::draw_start(const std::uint64_t seed,
                           const unsigned int  rung,
                           const unsigned int  chain) const
  {
    RandomKey key;
    key.seed    = seed;
    key.chain   = chain;
    key.rung    = rung;
    key.purpose = Purpose::start;

    std::vector<double> state(shape.n_weights());
    fill_normals(key, dealii::make_array_view(state));
    scale_to_start_weights(shape, dealii::make_array_view(state));

    key.stream = 1;
    std::vector<double> uniforms(unknowns.size());
    fill_uniforms(key, dealii::make_array_view(uniforms));
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      state.push_back(unknowns[i].prior.quantile(uniforms[i]));
    return state;
  }
} // namespace Tempera
