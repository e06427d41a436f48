// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_ladder_h
#define tempera_sampler_ladder_h

#include <tempera/base/number_list.h>
#include <tempera/sampler/energy.h>
#include <tempera/sampler/kernel.h>
#include <tempera/sampler/prior_measure.h>

#include <memory>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** What the temperature of a rung divides. */
  enum class Temper
  {
    /** The likelihood where the prior is a law of its own, else everything. */
    automatic,
    /** The whole energy: the target is \f$\exp(-U/\tau)\f$. */
    posterior,
    /** The potential only: \f$\exp(-R - P/\tau)\f$; the prior stays. */
    likelihood
  };


  /** A fidelity: a named energy. */
  struct Level
  {
    std::string                   name;
    std::shared_ptr<const Energy> energy;
  };


  /** One rung of the ladder: what is sampled there, and how. */
  struct Rung
  {
    /** Temperature \f$\tau\f$; infinite where the prior is drawn from. */
    double temperature = 1.;
    /** Step size \f$\eta\f$ that the kernel begins with. */
    double step_size = 0.1;
    /** Kernel steps in a round of its own; with none it lives by swaps. */
    unsigned int n_steps = 1;
    /** Rounds of its own in a round of the coldest rung. */
    unsigned int pace = 1;
    /** Index of the level whose energy is sampled. */
    unsigned int level = 0;
    /** Standard deviation \f$\sigma\f$ of the noise of the energy. */
    double noise = 0.;
    /** The kernel that moves the state. */
    std::shared_ptr<const Kernel> kernel;
    /** Diagonal preconditioner that the kernel begins with; empty for none. */
    std::vector<double> preconditioner;
    /**
     * Factors of the preconditioner that make the steps of some unknowns
     * longer than those of others; empty for all one. Measured variances
     * ('Preconditioner = adapt') replace them.
     */
    std::vector<double> step_factors;
    /** Powers of the two factors of the target. */
    Exponents exponents;

    /** Whether the states are independent draws from the prior. */
    bool
    is_prior() const
    {
      return exponents.potential == 0.;
    }
  };


  /** The parameters of a Ladder. */
  struct LadderParameters
  {
    unsigned int              n_rungs = 2;
    NumberList                temperatures{"geometric"};
    double                    lowest_temperature  = 1.;
    double                    highest_temperature = 10.;
    std::vector<std::string>  levels{"fine"};
    std::vector<unsigned int> paces{1};
    Temper                    temper = Temper::automatic;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /**
   * N ≥ 1 rungs in the order of their temperatures, and the levels (energies)
   * that they share. Where the level changes, the temperature may stay; so the
   * ladder leads through a plane of temperatures and fidelities.
   */
  class Ladder
  {
  public:
    /**
     * Build the rungs. Lists of the parameters that belong to rungs have one
     * entry for all rungs or one per rung. An improper target at any rung is
     * an error.
     *
     * @param prior The law of the reference part of all levels, for kernels
     * that need it; null if that is no law that could be drawn from.
     */
    Ladder(const LadderParameters             &ladder_parameters,
           const KernelParameters             &kernel_parameters,
           std::vector<Level>                  levels,
           std::shared_ptr<const PriorMeasure> prior = nullptr);

    /** For programs that make their own rungs; checks the same things. */
    Ladder(std::vector<Rung>                   rungs,
           std::vector<Level>                  levels,
           const Temper                        temper = Temper::automatic,
           std::shared_ptr<const PriorMeasure> prior  = nullptr);

    unsigned int
    size() const
    {
      return rungs.size();
    }

    Rung &
    operator[](const unsigned int i)
    {
      return rungs[i];
    }

    const Rung &
    operator[](const unsigned int i) const
    {
      return rungs[i];
    }

    const std::vector<Level> &
    get_levels() const
    {
      return levels;
    }

    /** The energy of a rung. */
    const Energy &
    energy(const unsigned int rung) const
    {
      return *levels[rungs[rung].level].energy;
    }

    const StateSpace &
    space() const
    {
      return levels[0].energy->space();
    }

    /** May be null. */
    const PriorMeasure *
    get_prior() const
    {
      return prior.get();
    }

    /** Whether temperatures leave the prior alone. */
    bool
    tempers_likelihood() const
    {
      return temper == Temper::likelihood;
    }

    /** Rounds of the fastest rung in a round of the coldest. */
    unsigned int
    n_sub_rounds() const
    {
      return rungs.back().pace;
    }

    /**
     * Whether a rung has the target of its colder neighbour but for the level,
     * and both energies are deterministic. Then every state that is tested is
     * evaluated at both levels, without regard to what it is.
     */
    bool
    is_change_of_level(const unsigned int rung) const;

    /** Whether the temperatures are spaced by the sampler during burn-in. */
    bool
    has_automatic_spacing() const
    {
      return automatic_spacing;
    }

    /** Change a rung's temperature, and its exponents with it. */
    void
    set_temperature(const unsigned int rung, const double temperature);

    /**
     * Give all rungs the same factors of the preconditioner, one positive
     * number per unknown; none for all one. See Rung::step_factors.
     */
    void
    set_step_factors(const std::vector<double> &factors);

  private:
    /** Rungs whose temperature is infinite have a kernel of their own. */
    void
    draw_from_prior();

    void
    check() const;

    /** Throw a UserError if temperatures or paces do not follow each other. */
    void
    check_order(const unsigned int rung) const;

    /** Throw a UserError if a kernel needs of the prior what is not there. */
    void
    check_prior(const unsigned int rung) const;

    std::vector<Rung>                   rungs;
    std::vector<Level>                  levels;
    std::shared_ptr<const PriorMeasure> prior;
    /** Not automatic. */
    Temper temper;
    bool   automatic_spacing = false;
  };
} // namespace Tempera

#endif
