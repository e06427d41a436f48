// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/forward/model_type.h>
#include <tempera/target/forward_target.h>
#include <tempera/target/target_type.h>

#include <map>

// A solver of a user's own.

namespace Tempera
{
  namespace
  {
    /** A model some of whose parameters are known. */
    class PartlyKnownModel : public ForwardModel
    {
    public:
      PartlyKnownModel(std::shared_ptr<const ForwardModel> inner,
                       const ModelUnknowns                &unknowns)
        : inner(std::move(inner))
        , values(unknowns.values)
        , indices(unknowns.indices)
      {}

      unsigned int
      n_parameters() const override
      {
        return indices.size();
      }

      unsigned int
      n_predictions() const override
      {
        return inner->n_predictions();
      }

      std::shared_ptr<const Linearisation>
      evaluate(const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<double>       &predictions,
               const bool derivative_follows) const override
      {
        const std::vector<double> all =
          complete(std::vector<double>(parameters.begin(), parameters.end()));
        auto derivative = inner->evaluate(dealii::make_array_view(all),
                                          predictions,
                                          derivative_follows);
        if (!derivative)
          return nullptr;
        return std::make_shared<Derivative>(std::move(derivative),
                                            indices,
                                            values.size());
      }

      bool
      derivative_is_separate() const override
      {
        return inner->derivative_is_separate();
      }

      bool
      has_derivative() const override
      {
        return inner->has_derivative();
      }

      unsigned int
      n_at_once() const override
      {
        return inner->n_at_once();
      }

      std::string
      gradient_method() const override
      {
        return inner->gradient_method();
      }

      bool
      has_fields() const override
      {
        return inner->has_fields();
      }

      void
      write_fields(const std::vector<std::vector<double>> &parameters,
                   const FieldFileNames                   &names) const override
      {
        std::vector<std::vector<double>> all;
        for (const std::vector<double> &some : parameters)
          all.push_back(complete(some));
        inner->write_fields(all, names);
      }

      SolverWork
      work() const override
      {
        return inner->work();
      }

      std::string
      description() const override
      {
        return inner->description();
      }

    private:
      class Derivative : public Linearisation
      {
      public:
        Derivative(std::shared_ptr<const Linearisation> inner,
                   const std::vector<unsigned int>     &indices,
                   const std::size_t                    n_all)
          : inner(std::move(inner))
          , indices(indices)
          , n_all(n_all)
        {}

        void
        apply_transpose(
          const dealii::ArrayView<const double> &weights,
          const dealii::ArrayView<double>       &gradient) const override
        {
          std::vector<double> all(n_all);
          inner->apply_transpose(weights, dealii::make_array_view(all));
          for (std::size_t i = 0; i < indices.size(); ++i)
            gradient[i] = all[indices[i]];
        }

      private:
        const std::shared_ptr<const Linearisation> inner;
        const std::vector<unsigned int>            indices;
        const std::size_t                          n_all;
      };

      std::vector<double>
      complete(const std::vector<double> &some) const
      {
        std::vector<double> all = values;
        for (std::size_t i = 0; i < indices.size(); ++i)
          all[indices[i]] = some[i];
        return all;
      }

      const std::shared_ptr<const ForwardModel> inner;
      const std::vector<double>                 values;
      const std::vector<unsigned int>           indices;
    };


    using TypesByLevel =
      std::map<std::string, std::shared_ptr<ForwardModelType>>;


    /** The models of a user's solver. */
    class OwnModels : public ModelFamily
    {
    public:
      OwnModels(const TypesByLevel               &types,
                const std::vector<std::string>   &ladder_levels,
                const ModelUnknowns              &unknowns,
                const FiniteDifferenceParameters &differences,
                const std::vector<Sensor>        &sensors)
        : types(types)
        , ladder_levels(ladder_levels)
        , unknowns(unknowns)
        , differences(differences)
        , sensors(sensors)
      {}

      std::vector<std::string>
      levels() const override
      {
        return ladder_levels;
      }

      std::shared_ptr<const ForwardModel>
      make(const std::string &level) override
      {
        return complete(types.at(level)->make(context(level)), level);
      }

      std::shared_ptr<const ForwardModel>
      make_refined(const std::string &level, const bool) override
      {
        return complete(types.at(level)->make_refined(context(level)), level);
      }

      std::string
      refinement_advice(const std::string &level) const override
      {
        return "Make the level '" + level + "' finer.";
      }

      bool
      has_time() const override
      {
        return types.begin()->second->has_time();
      }

    private:
      ModelContext
      context(const std::string &level) const
      {
        ModelContext result;
        result.level   = level;
        result.sensors = sensors;
        result.centre  = unknowns.values;
        return result;
      }

      /** With known parameters filled in, and differences where needed. */
      std::shared_ptr<const ForwardModel>
      complete(std::shared_ptr<const ForwardModel> model,
               const std::string                  &level) const
      {
        if (!model)
          return model;
        if (model->n_parameters() != unknowns.values.size())
          throw UserError("The model of level '" + level + "' takes " +
                          counted(model->n_parameters(), "parameter") +
                          ", but 'Model/Unknowns' has " +
                          std::to_string(unknowns.values.size()) +
                          ". Correct one of them.");
        if (unknowns.indices.size() < unknowns.values.size())
          model = std::make_shared<PartlyKnownModel>(model, unknowns);
        if (!model->has_derivative())
          model = std::make_shared<FiniteDifferenceModel>(model,
                                                          differences,
                                                          unknowns.ranges);
        return model;
      }

      const TypesByLevel               types;
      const std::vector<std::string>   ladder_levels;
      const ModelUnknowns              unknowns;
      const FiniteDifferenceParameters differences;
      const std::vector<Sensor>        sensors;
    };


    /** Reads of a parameter file what a user's solver needs. */
    class ModelTargetType : public TargetType
    {
    public:
      TargetSelector
      selector() const override
      {
        return {
          "Model",
          "Type",
          described_names<ForwardModelRegistry>(),
          "model",
          "Solvers of your own",
          "The solver of your own whose parameters are sought; see examples/own_solver. 'none': there is none."};
      }

      std::vector<std::string>
      sections() const override
      {
        return {"Model", "Observations"};
      }

      void
      declare(const ParameterSource          &source,
              const std::vector<std::string> &levels,
              ParameterSections              &sections) override
      {
        name          = source.value_of({"Model"}, "Type", "none");
        ladder_levels = levels;
        for (const std::string &level : levels)
          types[level] = ForwardModelRegistry::create(name);
        for (const std::string &level : source.sections_in({"Levels"}))
          if (types.count(level) == 0)
            types[level] = ForwardModelRegistry::create(name);

        parameters = types.begin()->second->parameters_for(
          source.names_in({"Model", "Unknowns"}));
        sections.add_struct({"Model"}, differences);
        declare_unknowns(parameters, texts, {"Model", "Unknowns"}, sections);
        sections.add_struct({"Observations"}, observations);
        for (auto &type : types)
          sections.add_struct({"Levels", type.first}, *type.second);
      }

      void
      check(const ParameterSource          &source,
            const std::vector<std::string> &levels) override
      {
        std::vector<std::string> needed = levels;
        if (observations.is_synthetic() && observations.synthetic != "exact")
          needed.push_back(observations.synthetic);
        check_that_levels_exist(source, needed, "what the solver declares");
      }

      std::vector<std::pair<std::string, std::string>>
      files() const override
      {
        return {{"Observations/File", observations.file}};
      }

      std::string
      obstacle_to_sharing() const override
      {
        return "a solver of one's own runs on one process";
      }

      std::unique_ptr<Target>
      make(const TargetProcesses &processes) const override
      {
        const ForwardModelType &type = *types.begin()->second;
        const ModelUnknowns     unknowns =
          read_unknowns(parameters, texts, "Model/Unknowns");
        ForwardSettings forward;
        forward.family   = "own model";
        forward.title    = name;
        forward.unknowns = unknowns.unknowns;
        forward.data     = observations;
        forward.observations =
          make_observations(observations, type.dimension(), !type.has_time());
        return std::make_unique<ForwardTarget>(
          std::make_unique<OwnModels>(types,
                                      ladder_levels,
                                      unknowns,
                                      differences,
                                      forward.observations.sensors),
          forward,
          processes.peers);
      }

    private:
      std::string                 name;
      std::vector<std::string>    ladder_levels, texts;
      std::vector<ModelParameter> parameters;
      FiniteDifferenceParameters  differences;
      ObservationParameters       observations;
      TypesByLevel                types;
    };


    const Registration<TargetRegistry, ModelTargetType>
      registration("own model", "A solver of a user's own.");
  } // namespace
} // namespace Tempera
