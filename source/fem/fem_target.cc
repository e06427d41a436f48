// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/coarser_levels.h>
#include <tempera/fem/field_parameters.h>
#include <tempera/fem/model_server.h>
#include <tempera/target/forward_target.h>

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

// An equation with unknowns and measurements, solved with finite elements.

namespace Tempera
{
  namespace
  {
    /** Which equation is solved, and where. */
    struct ProblemSettings
    {
      std::string  type      = "none";
      unsigned int dimension = 2;
      Domain       domain;
      NumberList   final_time{"last observation"};

      void
      declare(dealii::ParameterHandler &prm);
    };


    /** Makes the models of an equation for all levels. */
    class FemModels : public ModelFamily
    {
    public:
      FemModels(const ModelSetting                              &setting,
                const std::vector<ParameterRange>               &ranges,
                const SolverParameters                          &solver,
                const std::vector<std::string>                  &ladder_levels,
                const std::map<std::string, FemLevelParameters> &all_levels)
        : setting(setting)
        , solver(solver)
        , ladder_levels(ladder_levels)
        , all_levels(all_levels)
        , server(setting, ranges)
      {}

      std::vector<std::string>
      levels() const override
      {
        return ladder_levels;
      }

      std::shared_ptr<const ForwardModel>
      make(const std::string &level) override
      {
        const auto model = server.make(all_levels.at(level), solver);
        n_steps[level]   = model->n_steps();
        return model;
      }

      std::shared_ptr<const ForwardModel>
      make_refined(const std::string &level, const bool prepares) override;

      std::shared_ptr<const ForwardModel>
      make_reintegrated(const std::string &level) override;

      std::string
      refinement_advice(const std::string &level) const override;

      std::vector<GradientVariant>
      make_gradient_variants(const std::string &level) override;

      double
      accuracy() const override
      {
        constexpr double direct = 1e-13;
        return solver.linear_solver == LinearSolverType::conjugate_gradients ?
                 std::max(direct, solver.tolerance) :
                 direct;
      }

      std::vector<double>
      exact_predictions(const std::vector<double> &parameters) const override;

      bool
      has_time() const override
      {
        return setting.problem->order_in_time() > 0;
      }

      std::vector<unsigned int>
      place_parameters() const override;

      int
      help() override
      {
        const int word = server.help();
        if (word == ModelServer::failed)
          // The one that it has helped says why.
          throw UserError("");
        return word;
      }

      void
      dismiss_helpers(const int word) override
      {
        server.dismiss(word);
      }

    private:
      const ModelSetting                              setting;
      const SolverParameters                          solver;
      const std::vector<std::string>                  ladder_levels;
      const std::map<std::string, FemLevelParameters> all_levels;
      /** Of the models that were made. */
      std::map<std::string, unsigned int> n_steps;
      ModelServer                         server;
    };


    /** Reads of a parameter file what an equation needs. */
    class FemTargetType : public TargetType
    {
    public:
      TargetSelector
      selector() const override
      {
        return {
          "Problem",
          "Type",
          described_names<ProblemRegistry>(),
          "problem",
          "Problems",
          "The equation whose unknowns are sought. 'tempera list' describes them. 'none': the energy is the analytic one of the section 'Energy'."};
      }

      std::vector<std::string>
      sections() const override
      {
        return {"Problem", "Observations", "Solver"};
      }

      void
      declare(const ParameterSource          &source,
              const std::vector<std::string> &levels,
              ParameterSections              &sections) override;

      void
      check(const ParameterSource          &source,
            const std::vector<std::string> &levels) override;

      std::vector<std::pair<std::string, std::string>>
      files() const override
      {
        return {{"Problem/Mesh file", settings.domain.mesh_file},
                {"Observations/File", observations.file}};
      }

      double
      rough_cost(const std::string &level) const override;

      std::vector<LevelSettings>
      coarser_levels(const std::string &finest) const override
      {
        const bool is_stationary = problem->order_in_time() == 0;
        return Tempera::coarser_levels(fem_levels.at(finest),
                                       settings.dimension,
                                       !settings.domain.mesh_file.empty(),
                                       is_stationary ? 0. : end_of_time());
      }

      std::string
      obstacle_to_sharing() const override
      {
        return settings.dimension == 1 ?
                 "a mesh in one dimension stays on one process" :
               problem->has_residual() ?
                 "nonlinear equations are solved by one process each" :
               !fields.empty() ?
                 "equations with unknown fields are solved by one process each" :
                 "";
      }

      std::unique_ptr<Target>
      make(const TargetProcesses &processes) const override;

    private:
      /** Of an equation that has time. */
      double
      end_of_time() const
      {
        return settings.final_time.numbers.empty() ?
                 make_observations(observations, settings.dimension, false)
                   .last_time() :
                 settings.final_time.numbers[0];
      }

      /** Make the fields, and tell all who must know of them. */
      void
      add_fields(ModelSetting                &setting,
                 ForwardSettings             &forward,
                 std::vector<ParameterRange> &ranges) const;

      ProblemSettings                           settings;
      std::shared_ptr<Problem>                  problem;
      std::vector<ModelParameter>               parameters;
      std::vector<std::string>                  unknown_texts, ladder_levels;
      ObservationParameters                     observations;
      SolverParameters                          solver;
      std::map<std::string, FemLevelParameters> fem_levels;
      std::map<std::string, FieldParameters>    fields;
    };


    const Registration<TargetRegistry, FemTargetType>
      registration("finite elements",
                   "An equation with unknowns, solved on meshes.");



    /** Whether a problem has settings of its own. */
    bool
    declares_settings(Problem &problem)
    {
      dealii::ParameterHandler prm;
      problem.declare(prm);
      std::ostringstream json;
      prm.print_parameters(json, dealii::ParameterHandler::JSON);
      return json.str().find("pattern_description") != std::string::npos;
    }



    void
    ProblemSettings::declare(dealii::ParameterHandler &prm)
    {
      using namespace dealii::Patterns;
      prm.add_parameter("Dimension",
                        dimension,
                        "Number of space dimensions.",
                        Integer(1, 3));
      prm.add_parameter(
        "Mesh file",
        domain.mesh_file,
        "A mesh that deal.II reads: gmsh (.msh), UCD (.inp), VTK (.vtk) and others, of lines, quadrilaterals or hexahedra. A relative name starts from the folder of the parameter file. Empty: a box.",
        Anything());
      prm.add_parameter(
        "Lower corner",
        domain.lower,
        "Corner of the box with the smallest coordinates: one number for all directions or one for each. Not used with a mesh file.",
        List(Double(), 1, 3));
      prm.add_parameter("Upper corner",
                        domain.upper,
                        "Corner of the box with the largest coordinates.",
                        List(Double(), 1, 3));
      declare_number_list(
        prm,
        "Final time",
        final_time,
        {"last observation"},
        0.,
        true,
        "Time at which the simulation ends, or 'last observation'.",
        false);
    }



    std::shared_ptr<const ForwardModel>
    FemModels::make_refined(const std::string &level, const bool prepares)
    {
      FemLevelParameters refined = all_levels.at(level);
      if (refined.adaptive_refinements > 0)
        {
          // The same mesh, refined everywhere.
          ++refined.final_refinements;
          refined.adaptive_time_step = refined.time_step;
        }
      else
        ++refined.refinements;
      // Of the steps that were taken: a step is shortened to end with the time.
      if (has_time())
        {
          if (n_steps.count(level) == 0)
            make(level);
          refined.time_step = 0.5 * setting.final_time / n_steps.at(level);
        }
      SolverParameters plain = solver;
      plain.gradient = prepares ? FemGradient::automatic : FemGradient::adjoint;
      return server.make(refined, plain);
    }



    std::shared_ptr<const ForwardModel>
    FemModels::make_reintegrated(const std::string &level)
    {
      constexpr unsigned int n_additional = 3;

      FemLevelParameters same = all_levels.at(level);
      same.additional_points  = n_additional;
      SolverParameters plain  = solver;
      plain.gradient          = FemGradient::adjoint;
      return server.make(same, plain);
    }



    std::string
    FemModels::refinement_advice(const std::string &level) const
    {
      const std::string section = "'Levels/" + level + "/";
      return "Raise " + section + "Subdivisions' or " + section + "Degree'" +
             (has_time() ? ", or lower " + section + "Time step'" : "") + ".";
    }



    std::vector<GradientVariant>
    FemModels::make_gradient_variants(const std::string &level)
    {
      // Linear systems that are solved less well give less exact adjoints.
      const double exactness = std::max(1e-8, 1e3 * accuracy());

      std::vector<GradientVariant>                           result;
      const std::vector<std::pair<std::string, FemGradient>> methods = {
        {"adjoint", FemGradient::adjoint},
        // Whoever chooses automatically knows where it is valid.
        {"precomputed adjoint", FemGradient::automatic},
        {"finite differences", FemGradient::differences}};
      for (const auto &[method, gradient] : methods)
        {
          SolverParameters asked = solver;
          // Differences serve as a yardstick here, so they are the best ones.
          asked.differences = FiniteDifferenceParameters();
          asked.gradient    = gradient;
          const auto model  = server.make(all_levels.at(level), asked);
          if (model->gradient_method() == method)
            result.push_back(
              {method, model, exactness, gradient == FemGradient::differences});
        }
      return result;
    }



    std::vector<double>
    FemModels::exact_predictions(const std::vector<double> &parameters) const
    {
      std::vector<double> result;
      if (!setting.problem->has_exact_solution() || !setting.fields.empty())
        return result;
      std::vector<double> theta = setting.values;
      for (unsigned int i = 0; i < parameters.size(); ++i)
        theta[setting.unknowns[i]] = parameters[i];
      for (const Sensor &sensor : setting.sensors)
        result.push_back(setting.problem->exact_solution(
          dealii::make_array_view(sensor.place),
          sensor.time,
          dealii::make_array_view(std::as_const(theta))));
      return result;
    }



    std::vector<unsigned int>
    FemModels::place_parameters() const
    {
      std::vector<unsigned int> result;
      for (const unsigned int parameter : setting.problem->place_parameters())
        {
          const auto place = std::find(setting.unknowns.begin(),
                                       setting.unknowns.end(),
                                       parameter);
          if (place == setting.unknowns.end())
            return {};
          result.push_back(place - setting.unknowns.begin());
        }
      return result;
    }



    void
    FemTargetType::declare(const ParameterSource          &source,
                           const std::vector<std::string> &levels,
                           ParameterSections              &sections)
    {
      settings.type          = source.value_of({"Problem"}, "Type", "none");
      const std::string text = source.value_of({"Problem"}, "Dimension", "2");
      const int         dimension = std::atoi(text.c_str());
      problem                     = ProblemRegistry::create(
        settings.type, dimension >= 1 && dimension <= 3 ? dimension : 2);
      problem->add_parameters(source.names_in({"Problem", "Unknowns"}));
      ladder_levels = levels;

      sections.add_struct({"Problem"}, settings);
      for (const ProblemParameter &one : problem->parameters())
        parameters.push_back(
          {one.name, one.default_value, one.documentation, one.lower});
      declare_unknowns(parameters,
                       unknown_texts,
                       {"Problem", "Unknowns"},
                       sections);
      const std::vector<std::string> field_names =
        source.sections_in({"Problem", "Fields"});
      problem->add_fields(field_names);
      for (const std::string &name : field_names)
        sections.add_struct({"Problem", "Fields", name}, fields[name]);
      if (declares_settings(*problem))
        sections.add_struct({"Problem", "Equation"}, *problem);
      sections.add_struct({"Observations"}, observations);
      sections.add_struct({"Solver"}, solver);

      // A level that a file shares with others need not be used by each. A map
      // keeps the addresses of its values.
      for (const std::string &level : levels)
        fem_levels[level];
      for (const std::string &level : source.sections_in({"Levels"}))
        fem_levels[level];
      for (auto &level : fem_levels)
        sections.add_struct({"Levels", level.first}, level.second);
    }



    void
    FemTargetType::check(const ParameterSource          &source,
                         const std::vector<std::string> &levels)
    {
      std::vector<std::string> needed = levels;
      if (observations.is_synthetic() && observations.synthetic != "exact")
        needed.push_back(observations.synthetic);
      check_that_levels_exist(source, needed, "'Subdivisions' and 'Time step'");
    }



    double
    FemTargetType::rough_cost(const std::string &level) const
    {
      const FemLevelParameters &mesh = fem_levels.at(level);
      double                    cost = 1. / mesh.time_step;
      for (unsigned int d = 0; d < settings.dimension; ++d)
        cost *= std::ldexp(
          double(mesh.degree *
                 mesh.subdivisions[mesh.subdivisions.size() == 1 ? 0 : d]),
          mesh.refinements);
      return cost;
    }



    void
    FemTargetType::add_fields(ModelSetting                &setting,
                              ForwardSettings             &forward,
                              std::vector<ParameterRange> &ranges) const
    {
      if (fields.empty())
        return;
      for (const auto &level : fem_levels)
        if (level.second.adaptive_refinements > 0)
          throw UserError("'Levels/" + level.first +
                          "/Adaptive refinements' cannot be used with unknown "
                          "fields in this version. Set it to 0.");
      std::vector<double> truth;
      bool                is_known = true;
      // In the order in which the problem has them.
      for (unsigned int i = parameters.size(); i < problem->parameters().size();
           ++i)
        {
          const std::string &name = problem->parameters()[i].name;
          MadeField          made = make_field(name,
                                      fields.at(name),
                                      settings.dimension,
                                      settings.domain);
          made.field.parameter    = i;
          setting.fields.push_back(made.field);
          setting.values.push_back(made.middle);
          for (const Unknown &number : made.unknowns.marginals)
            ranges.push_back({number.prior.scale(),
                              number.prior.lower(),
                              number.prior.upper()});
          forward.joint_unknowns.push_back(made.unknowns);
          is_known = is_known && !made.truth.empty();
          truth.insert(truth.end(), made.truth.begin(), made.truth.end());
        }

      // The truth of the numbers, if there are any, and that of the fields.
      std::vector<std::vector<double>> &truths = forward.data.truth;
      if (!is_known)
        truths.clear();
      else if (truths.empty() && forward.unknowns.empty())
        truths.push_back(truth);
      else
        for (std::vector<double> &one : truths)
          one.insert(one.end(), truth.begin(), truth.end());
    }



    std::unique_ptr<Target>
    FemTargetType::make(const TargetProcesses &processes) const
    {
      const ModelUnknowns unknowns = read_unknowns(parameters,
                                                   unknown_texts,
                                                   "Problem/Unknowns",
                                                   !fields.empty());
      std::vector<double> scales   = unknowns.scales();
      scales.resize(problem->parameters().size(), 1.);
      problem->set_up(scales);

      const bool  is_stationary = problem->order_in_time() == 0;
      const auto &final_time    = settings.final_time.numbers;
      if (is_stationary && !final_time.empty())
        throw UserError("'Problem/Final time' is set, but the equation is "
                        "stationary: there is no time in it. Remove it.");
      ForwardSettings forward;
      forward.family   = "finite elements";
      forward.title    = settings.type;
      forward.unknowns = unknowns.unknowns;
      forward.data     = observations;
      forward.observations =
        make_observations(observations, settings.dimension, is_stationary);

      ModelSetting setting;
      setting.problem      = problem;
      setting.values       = unknowns.values;
      setting.unknowns     = unknowns.indices;
      setting.domain       = settings.domain;
      setting.communicator = processes.communicator;
      setting.sensors      = forward.observations.sensors;
      setting.final_time =
        final_time.empty() ? forward.observations.last_time() : final_time[0];
      std::vector<ParameterRange> ranges = unknowns.ranges;
      add_fields(setting, forward, ranges);
      return std::make_unique<ForwardTarget>(
        std::make_unique<FemModels>(
          setting, ranges, solver, ladder_levels, fem_levels),
        forward,
        processes.peers);
    }
  } // namespace
} // namespace Tempera
