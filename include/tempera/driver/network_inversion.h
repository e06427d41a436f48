// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_network_inversion_h
#define tempera_driver_network_inversion_h

#include <tempera/driver/parameters.h>
#include <tempera/inference/information.h>
#include <tempera/inference/prior_energy.h>
#include <tempera/output/run_description.h>
#include <tempera/pinn/network_data.h>
#include <tempera/sampler/ladder.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  struct Prediction;

  /**
   * A network that is to solve an equation with unknown coefficients, as a
   * parameter file describes it: an energy for each level.
   */
  class NetworkInversion
  {
  public:
    explicit NetworkInversion(const Parameters &parameters);

    /** Unknown coefficients; the last coordinates of a state. */
    const std::vector<Unknown> &
    get_unknowns() const
    {
      return model->unknowns;
    }

    std::shared_ptr<const Energy>
    energy(const std::string &level) const
    {
      return energies.at(level);
    }

    /** The prior of weights and coefficients. */
    PriorEnergy::Formula
    prior_formula() const
    {
      return [model = model](const dealii::ArrayView<const double> &state,
                             const dealii::ArrayView<double>       &gradient) {
        return model->prior_energy(state, gradient);
      };
    }

    /** Lines for the log: network, misfits, priors. */
    std::string
    layout(const Ladder &ladder) const;

    /** Factors of the step sizes, by coordinate; empty if all are one. */
    std::vector<double>
    step_factors() const;

    /** Where the rungs begin, before any warm start. */
    std::vector<std::vector<double>>
    draw_starts(const std::uint64_t seed,
                const unsigned int  n_rungs,
                const unsigned int  chain) const;

    bool
    has_warm_start() const
    {
      return settings.warm_start.method != "none";
    }

    /**
     * Move the start of a rung towards its target. Returns a line for the log.
     *
     * @param say Called every few seconds with how far it is.
     */
    std::string
    warm_up(const Ladder                                   &ladder,
            const unsigned int                              rung,
            const std::uint64_t                             seed,
            const unsigned int                              chain,
            const std::atomic<bool>                        &stop,
            const std::function<void(const std::string &)> &say,
            std::vector<double>                            &state) const;

    /** The solution at the final time, for the sinks. */
    std::shared_ptr<const Prediction>
    make_prediction(const Ladder &ladder) const;

    /** What was measured, and how a state predicts it. */
    void
    describe_measurements(RunDescription &description) const;

    /** The solution at some places, to be recorded with every draw. */
    void
    describe_derived(
      std::vector<std::string>                                     &names,
      std::function<void(const dealii::ArrayView<const double> &position,
                         const dealii::ArrayView<double> &values)> &derive)
      const;

    /**
     * What the data tell of the unknown coefficients, averaged over draws of
     * the coldest rung.
     *
     * @param is_stopped See average_information().
     */
    Information
    information(const Ladder                           &ladder,
                const std::vector<std::vector<double>> &draws,
                const std::function<bool()>            &is_stopped) const;

  private:
    void
    read_coefficients();

    /** Misfits of a level. */
    std::size_t
    n_misfits(const std::string &level) const;

    /** Whether a linear system in all misfits of the coldest level is small
     * enough. */
    bool
    can_be_linearised() const;

    const NetworkSettings                               &settings;
    const std::vector<std::string>                       levels;
    std::shared_ptr<NetworkModel>                        model;
    std::unique_ptr<NetworkData>                         data;
    std::map<std::string, std::vector<MisfitSet>>        sets;
    std::map<std::string, std::shared_ptr<const Energy>> energies;
  };
} // namespace Tempera

#endif
