// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_inversion_h
#define tempera_driver_inversion_h

#include <tempera/driver/parameters.h>
#include <tempera/fem/model_server.h>
#include <tempera/inference/observations.h>
#include <tempera/inference/posterior.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * An equation with unknowns and measurements, as a parameter file describes
   * it: a forward model and a posterior for each level.
   */
  class Inversion
  {
  public:
    /**
     * Make the models of all levels; this factorises their matrices. If several
     * groups of processes share a run, only some models are there until
     * keep_levels() says which ones are needed. On a helper none is made:
     * call help().
     *
     * @param layout Must outlive this object.
     */
    explicit Inversion(const Parameters    &parameters,
                       const ProcessLayout &layout = alone());

    /** On a process that helps another: until that one has done; returns what
     * it said then. A UserError without words if it has failed. */
    int
    help();

    /** Let the helpers go, with a word. */
    void
    dismiss_helpers(const int word);

    /** Seconds of a value with gradient, by level; the same for all groups. */
    std::map<std::string, double>
    measure_costs() const;

    /**
     * Make the models that this group needs, and forget the others. All groups
     * call this together.
     */
    void
    keep_levels(const std::set<std::string> &needed);

    /** How a level is solved, in words, wherever that is. */
    const std::string &
    description(const std::string &level) const
    {
      return descriptions.at(level);
    }

    /** Name and prior of each; an unknown noise level comes last. */
    const std::vector<Unknown> &
    get_unknowns() const
    {
      return unknowns;
    }

    const Observations &
    get_observations() const
    {
      return observations;
    }

    const Problem &
    get_problem() const
    {
      return *setting.problem;
    }

    const FemModel &
    model(const std::string &level) const
    {
      return *models.at(level);
    }

    std::shared_ptr<const Energy>
    energy(const std::string &level) const
    {
      return energies.at(level);
    }

    /**
     * The energy of a level with its gradient by another method, to compare
     * them; null where 'precomputed adjoint' is not valid or not worth its
     * memory.
     *
     * @param solver How the levels are solved; its gradient is the one that is
     * wanted.
     */
    std::shared_ptr<const Energy>
    make_energy(const FemLevelParameters &level,
                const SolverParameters   &solver) const;

    /**
     * The energy of a level for other data: the model is the one that is there
     * already.
     */
    std::shared_ptr<const Energy>
    make_energy(const std::string                        &level,
                std::shared_ptr<const GaussianLikelihood> other_data) const;

    /**
     * A level with every cell cut in half in each direction and twice the time
     * steps, to see what that changes. Its gradients are not prepared.
     */
    std::shared_ptr<const FemModel>
    make_refined_model(const std::string &level,
                       const Parameters  &parameters) const;

    /** The same level with more integration points, which see what lies
     * between the others: a source narrower than a cell. */
    std::shared_ptr<const FemModel>
    make_reintegrated_model(const std::string &level,
                            const Parameters  &parameters) const;

    /** Whether the model of a level is at this process. */
    bool
    has_model(const std::string &level) const
    {
      return models.count(level) > 0;
    }

    /**
     * How much the potential of a level may change at a state if every
     * prediction changes by @p relative_error of the largest one.
     */
    double
    sensitivity(const std::string         &level,
                const std::vector<double> &state,
                const double               relative_error) const;

    const GaussianLikelihood &
    get_likelihood() const
    {
      return *likelihood;
    }

    /** A point well inside the prior. */
    std::vector<double>
    middle() const;

    /** Draws from the prior, one per rung. */
    std::vector<std::vector<double>>
    draw_from_prior(const std::uint64_t seed,
                    const unsigned int  n,
                    const unsigned int  chain = 0) const;

    /** Unknowns that are the coordinates of a place; empty if none is. */
    std::vector<unsigned int>
    place_unknowns() const;

    /**
     * The state that a text like "x = 0.3, y = 0.4" names; what it leaves out
     * is in the middle of the prior.
     */
    std::vector<double>
    state_from_text(const std::string &text) const;

  private:
    static const ProcessLayout &
    alone();

    /** Make the model of a level unless it is there. */
    void
    make_model(const std::string &level);

    /** Make the energies of all levels, and descriptions. */
    void
    make_energies();

    void
    read_unknowns(const Parameters &parameters);

    /** Tell the problem how much its parameters vary. */
    void
    set_up_problem(Problem &problem) const;

    /** Standard deviations, or a prior for one. */
    std::shared_ptr<const GaussianLikelihood>
    make_likelihood(const Parameters &parameters);

    /** Throw a UserError if the truth cannot be one. */
    void
    check_truth(const ObservationParameters &settings) const;

    void
    make_synthetic_data(const Parameters &parameters);

    const Parameters    &parameters;
    const ProcessLayout &layout;
    SolverParameters     solver;

    ModelSetting                setting;
    std::vector<Unknown>        unknowns;
    std::vector<ParameterRange> ranges;
    Observations                observations;

    std::shared_ptr<const GaussianLikelihood> likelihood;

    /** Before the models, which talk to the helpers until they are gone. */
    std::unique_ptr<ModelServer> server;

    std::map<std::string, std::string>                     descriptions;
    std::map<std::string, std::shared_ptr<const FemModel>> models;
    std::map<std::string, std::shared_ptr<const Energy>>   energies;
  };
} // namespace Tempera

#endif
