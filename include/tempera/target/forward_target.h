// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_target_forward_target_h
#define tempera_target_forward_target_h

#include <tempera/forward/finite_differences.h>
#include <tempera/forward/function_model.h>
#include <tempera/forward/model_family.h>
#include <tempera/forward/model_type.h>
#include <tempera/inference/independent_prior.h>
#include <tempera/inference/observations.h>
#include <tempera/inference/posterior.h>
#include <tempera/target/target.h>
#include <tempera/target/target_type.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** Which parameters of a model are unknown. */
  struct ModelUnknowns
  {
    /** Of all parameters; those of unknown ones are in the middle. */
    std::vector<double> values;
    /** Indices of the unknown ones. */
    std::vector<unsigned int> indices;
    /** Name and prior of each. */
    std::vector<Unknown> unknowns;
    /** Of each, for finite differences. */
    std::vector<ParameterRange> ranges;

    /** How much each parameter may vary. */
    std::vector<double>
    scales() const;
  };

  /**
   * Declare a section with a number or a prior for each parameter.
   *
   * @param texts What the section says, by parameter; must live as long as
   * @p sections.
   */
  void
  declare_unknowns(const std::vector<ModelParameter> &parameters,
                   std::vector<std::string>          &texts,
                   const ParameterSections::Path     &section,
                   ParameterSections                 &sections);

  /**
   * Read numbers and priors; what is neither is a UserError.
   *
   * @param texts By parameter.
   * @param section That has them, for messages.
   * @param has_others Whether there are unknowns elsewhere; otherwise none at
   * all is a UserError.
   */
  ModelUnknowns
  read_unknowns(const std::vector<ModelParameter> &parameters,
                const std::vector<std::string>    &texts,
                const std::string                 &section,
                const bool                         has_others = false);


  /** Unknowns that have one law together: the numbers of a field. */
  struct JointUnknowns
  {
    std::shared_ptr<const PriorMeasure> prior;
    /** The law of each number by itself. */
    std::vector<Unknown> marginals;
    /** One line for people. */
    std::string description;
    /** Of the field. */
    std::string name;
    /** Where it is probably above this value is of interest; and in words. */
    std::optional<double> threshold;
    std::string           threshold_text;

    /** Numbers that belong to those of the field, with a name. */
    using Columns = std::vector<std::pair<std::string, std::vector<double>>>;

    /** Writes them as files for pictures. */
    std::function<void(const Columns &columns, const FieldFileNames &names)>
      write;
  };


  /** What a ForwardTarget is made of. */
  struct ForwardSettings
  {
    /** For the record: "finite elements" or the like. */
    std::string family;
    /** What is sampled, in a few words. */
    std::string title;
    /** Name and prior of the first parameters of the models. */
    std::vector<Unknown> unknowns;
    /** Those after them. */
    std::vector<JointUnknowns> joint_unknowns;
    Observations               observations;
    /** Noise and truth; its data have become the observations. */
    ObservationParameters data;
  };


  /**
   * The posterior of the parameters of forward models, one per level, given
   * measurements with errors. Numbers of their law that are unknown, such as a
   * standard deviation, are the last of the unknowns.
   */
  class ForwardTarget : public Target
  {
  public:
    /**
     * Takes synthetic data from the models if the settings ask for it.
     *
     * @param peers The processes that share the run; all make this together.
     * Null on a process that only helps.
     */
    ForwardTarget(std::unique_ptr<ModelFamily> models,
                  const ForwardSettings       &settings,
                  const Peers                 *peers = &alone());

    /**
     * Of models that a program has, by level. Those without a derivative get
     * one by differences.
     *
     * @param values What was measured.
     * @param deviation Standard deviation of its errors.
     */
    ForwardTarget(
      const std::map<std::string, std::shared_ptr<const ForwardModel>> &models,
      const std::vector<Unknown> &unknowns,
      const std::vector<double>  &values,
      const double                deviation);

    std::shared_ptr<const PriorMeasure>
    prior() const override
    {
      return joint_prior;
    }

    const std::vector<Unknown> &
    unknowns() const override
    {
      return all_unknowns;
    }

    /** Fields; their numbers come after those of the other unknowns. */
    const std::vector<JointUnknowns> &
    fields() const
    {
      return settings.joint_unknowns;
    }

    /** Number of the first unknown that belongs to a field. */
    std::size_t
    first_of_fields() const
    {
      return settings.unknowns.size();
    }

    /** All but the numbers of fields are. */
    bool
    has_independent_unknowns() const override
    {
      return settings.joint_unknowns.empty();
    }

    bool
    has_distinct_minima() const override
    {
      // To look for more of them takes starts that are as smooth as the prior.
      return has_independent_unknowns();
    }

    unsigned int
    most_information_draws() const override
    {
      // The information that is computed is for independent priors.
      return has_independent_unknowns() ? Target::most_information_draws() : 0;
    }

    std::vector<std::string>
    levels() const override
    {
      return family->levels();
    }

    std::shared_ptr<const Energy>
    energy(const std::string &level) override;

    bool
    has(const std::string &level) const override
    {
      return models.count(level) > 0;
    }

    void
    forget(const std::string &level) override
    {
      models.erase(level);
    }

    /** Seconds of a value with gradient. */
    double
    cost(const std::string &level) override;

    std::string
    description(const std::string &level) override;

    std::vector<double>
    centre() const override
    {
      return joint_prior->centre();
    }

    void
    describe(const Ladder &ladder, RunDescription &description) const override;

    std::string
    layout(const Ladder &ladder) const override;

    Information
    information(const Ladder                           &ladder,
                const std::vector<std::vector<double>> &draws,
                const std::function<bool()>            &is_stopped) override;

    ForwardTarget *
    forward() override
    {
      return this;
    }

    int
    help() override
    {
      return family->help();
    }

    void
    dismiss_helpers(const int word) override
    {
      family->dismiss_helpers(word);
    }

    /** The model of a level; made when it is first asked for. */
    std::shared_ptr<const ForwardModel>
    model(const std::string &level);

    ModelFamily &
    get_family()
    {
      return *family;
    }

    const Observations &
    get_observations() const
    {
      return observations;
    }

    const Likelihood &
    get_likelihood() const
    {
      return *likelihood;
    }

    /** Centre and radius of the answer, if it is known to be a circle. */
    const std::vector<double> &
    true_circle() const
    {
      return settings.data.true_circle;
    }

    /** True states, where known. */
    const std::vector<std::vector<double>> &
    truth() const
    {
      return settings.data.truth;
    }

    /** The posterior of a model with the data of this target. */
    std::shared_ptr<const Energy>
    energy_of(std::shared_ptr<const ForwardModel> model) const;

    /** The energy of a level for other data. */
    std::shared_ptr<const Energy>
    energy_for(const std::string                &level,
               std::shared_ptr<const Likelihood> other_data);

    /**
     * How much the potential of a level may change at a state if every
     * prediction changes by @p relative_error of the largest one.
     */
    double
    sensitivity(const std::string         &level,
                const std::vector<double> &state,
                const double               relative_error);

    /** Place and time of a measurement. */
    std::string
    name_of_measurement(const std::size_t number) const;

    /**
     * The state that a text like "x = 0.3, y = 0.4" names; what it leaves out
     * is in the middle of the prior.
     */
    std::vector<double>
    state_from_text(const std::string &text) const;

  private:
    static const Peers &
    alone();

    void
    make_synthetic_data(const Peers &peers);

    /** The errors and their unknown numbers; and the joint prior. */
    void
    make_likelihood();

    /** How many unknowns the models take: all but those of the noise. */
    std::size_t
    n_model_parameters() const;

    /** Throw a UserError if the truth cannot be one. */
    void
    check_truth() const;

    const ForwardSettings        settings;
    std::unique_ptr<ModelFamily> family;
    Observations                 observations;

    std::shared_ptr<const Likelihood> likelihood;
    /** Of the errors, if it is known and they are not independent. */
    std::vector<std::vector<double>>    covariance;
    std::shared_ptr<const PriorMeasure> joint_prior;
    /** With the law of each by itself. */
    std::vector<Unknown> all_unknowns;

    std::map<std::string, std::shared_ptr<const ForwardModel>> models;
  };
} // namespace Tempera

#endif
