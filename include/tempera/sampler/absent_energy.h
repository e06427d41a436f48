// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_absent_energy_h
#define tempera_sampler_absent_energy_h

#include <tempera/sampler/energy.h>

#include <array>
#include <string>

namespace Tempera
{
  /** What the sampler must know of an energy besides its values. */
  struct EnergyTraits
  {
    bool is_stochastic          = false;
    bool has_noisy_gradients    = false;
    bool gradients_are_separate = false;
    bool has_sensitivities      = false;
    /** By Request. */
    std::array<double, 3> work{{1., 1., 2.}};
    double                set_up_work = 0.;

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &is_stochastic &has_noisy_gradients &gradients_are_separate
        &has_sensitivities;
      for (double &one : work)
        archive &one;
      archive &set_up_work;
    }
  };

  EnergyTraits
  traits_of(const Energy &energy);


  /**
   * The energy of a level that only other processes need: it is known what it
   * costs, but nobody asks it for values here.
   */
  class AbsentEnergy : public Energy
  {
  public:
    AbsentEnergy(const StateSpace &space, const EnergyTraits &traits);

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    is_stochastic() const override
    {
      return traits.is_stochastic;
    }

    bool
    has_noisy_gradients() const override
    {
      return traits.has_noisy_gradients;
    }

    bool
    gradients_are_separate() const override
    {
      return traits.gradients_are_separate;
    }

    bool
    has_sensitivities() const override
    {
      return traits.has_sensitivities;
    }

    double
    work(const Request request) const override
    {
      return traits.work[static_cast<int>(request)];
    }

    double
    set_up_work() const override
    {
      return traits.set_up_work;
    }

    /** Where the energy is, this is looked at. */
    bool
    is_integrable(const Exponents &) const override
    {
      return true;
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const StateSpace   state_space;
    const EnergyTraits traits;
  };
} // namespace Tempera

#endif
