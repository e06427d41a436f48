// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_simulation_h
#define tempera_driver_simulation_h

#include <tempera/driver/inversion.h>
#include <tempera/driver/network_inversion.h>
#include <tempera/driver/parameters.h>
#include <tempera/output/draw_subset.h>
#include <tempera/output/marginal.h>
#include <tempera/output/run_description.h>
#include <tempera/output/run_folder.h>
#include <tempera/sampler/replica_exchange.h>

#include <atomic>
#include <iosfwd>
#include <memory>

namespace Tempera
{
  /** The levels that a parameter file names, each with its energy. */
  std::vector<Level>
  make_levels(const Parameters &parameters);

  /** The same with what is inverted at hand; both null for an analytic
   * energy. */
  std::vector<Level>
  make_levels(const Parameters       &parameters,
              const Inversion        *inversion,
              const NetworkInversion *network);


  /** A run as a parameter file describes it: the objects, in one place. */
  class Simulation
  {
  public:
    /** Make everything that can be made without touching the disk. */
    explicit Simulation(const Parameters &parameters);

    /** One line per rung: what will be sampled. */
    std::string
    layout() const;

    /**
     * Sample, with all output; returns whether the run came to its end. Can be
     * called once.
     */
    bool
    run(std::ostream            &terminal,
        const bool               is_terminal,
        const bool               overwrite,
        const std::atomic<bool> &stop);

  private:
    /**
     * What the data tell and what they do not, as text; the same as a file.
     *
     * @param is_stopped Whether to leave out what takes solves.
     */
    std::string
    compare_with_prior(const Ladder                &ladder,
                       const RunReport             &report,
                       const std::vector<Marginal> &marginals,
                       const std::vector<double>   &replica_r_hats,
                       const DrawSubset            &draws,
                       const RunFolder             &folder,
                       const std::atomic<bool>     &is_stopped) const;

    /** Draws of a network at which the data's information is computed. */
    unsigned int
    n_network_information_draws() const;

    void
    write_fields(const DrawSubset &draws, const std::string &folder) const;

    const Parameters &parameters;
    /** Null unless an equation is solved with finite elements. */
    std::unique_ptr<Inversion> inversion;
    /** Null unless a network solves it. */
    std::unique_ptr<NetworkInversion> network;

    std::unique_ptr<ReplicaExchange> sampler;
    RunDescription                   description;
  };
} // namespace Tempera

#endif
