// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/prediction.h>
#include <tempera/pinn/gauss_newton.h>
#include <tempera/pinn/network_data.h>
#include <tempera/pinn/network_posterior.h>
#include <tempera/sampler/adam.h>
#include <tempera/target/target_type.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

// A network that is to solve an equation with unknown coefficients.

namespace Tempera
{
  namespace
  {
    using Kind = CoefficientSource::Kind;

    /** Systems in more misfits take minutes and gigabytes. */
    constexpr std::size_t most_misfits = 5000;


    class NetworkTarget : public Target
    {
    public:
      NetworkTarget(
        const NetworkSettings                               &settings,
        const std::vector<std::string>                      &levels,
        const std::map<std::string, NetworkLevelParameters> &finenesses);

      std::shared_ptr<const PriorMeasure>
      prior() const override
      {
        return model->prior();
      }

      /** Unknown coefficients; the last coordinates of a state. */
      const std::vector<Unknown> &
      unknowns() const override
      {
        return model->unknowns;
      }

      std::vector<std::string>
      levels() const override
      {
        return level_names;
      }

      std::shared_ptr<const Energy>
      energy(const std::string &level) override;

      /** Weights of a size that begins well, not draws from their prior. */
      std::vector<double>
      start(const RandomKey &key) const override
      {
        return model->draw_start(key.seed, key.rung, key.chain);
      }

      std::vector<double>
      centre() const override
      {
        return {};
      }

      bool
      has_warm_start() const override
      {
        return settings.warm_start.method != WarmStartMethod::none;
      }

      std::string
      warm_up(const WarmStart &task, std::vector<double> &state) override;

      std::vector<double>
      step_factors() const override;

      void
      describe(const Ladder   &ladder,
               RunDescription &description) const override;

      std::string
      layout(const Ladder &ladder) const override;

      void
      check_prior_run() const override;

      bool
      samples_posterior(const Ladder &ladder) const override
      {
        // With weights in the place of standard deviations, the temperature is
        // a part of the likelihood.
        return Target::samples_posterior(ladder) ||
               (settings.likelihood.is_weighted() &&
                ladder[0].exponents.reference == 1.);
      }

      /** Weights have as many equal answers as there are neurons to exchange.
       */
      bool
      has_distinct_minima() const override
      {
        return false;
      }

      /** Each takes a linear system in all misfits. */
      unsigned int
      most_information_draws() const override
      {
        return 10;
      }

      Information
      information(const Ladder                           &ladder,
                  const std::vector<std::vector<double>> &draws,
                  const std::function<bool()>            &is_stopped) override;

      void
      check_gradient_check() const override
      {
        if (settings.network.precision != NetworkPrecision::full)
          throw UserError("'tempera check-gradient' compares with differences, "
                          "for which single precision is too coarse. Add --set "
                          "\"Network/Precision = double\".");
      }

    private:
      void
      read_coefficients();

      /** Computes an output of the network at some inputs. */
      std::function<void(const dealii::ArrayView<const double> &position,
                         const dealii::ArrayView<double>       &values)>
      predictor(const std::vector<double> &inputs,
                const unsigned int         output = 0) const
      {
        return [sweep = std::make_shared<NetworkSweep<double>>(
                  model, std::vector<MisfitSet>()),
                inputs,
                output](const auto &position, const auto &values) {
          sweep->set_state(position);
          sweep->predict(output, inputs, values);
        };
      }

      /** The solution at the final time, for the sinks. */
      std::shared_ptr<const Prediction>
      make_prediction(const Ladder &ladder) const;

      /** What was measured, and how a state predicts it. */
      void
      describe_measurements(RunDescription &description) const;

      /** The solution at some places, to be recorded with every draw. */
      void
      describe_derived(RunDescription &description) const;

      /** Misfits of a level. */
      std::size_t
      n_misfits(const std::string &level) const;

      /** Whether a linear system in all misfits of the coldest level is small
       * enough. */
      bool
      can_be_linearised() const
      {
        return n_misfits(level_names[0]) <= most_misfits;
      }

      const NetworkSettings                                settings;
      const std::vector<std::string>                       level_names;
      std::map<std::string, unsigned int>                  batch_sizes;
      std::shared_ptr<NetworkModel>                        model;
      std::unique_ptr<NetworkData>                         data;
      std::map<std::string, std::vector<MisfitSet>>        sets;
      std::map<std::string, std::shared_ptr<const Energy>> energies;
    };


    /** Reads of a parameter file what a network needs. */
    class NetworkTargetType : public TargetType
    {
    public:
      TargetSelector
      selector() const override
      {
        return {
          "Network",
          "Equation",
          described_names<EquationRegistry>(),
          "equation",
          "Equations for networks",
          "The equation that a network solves. 'tempera list' describes them. 'none': no network."};
      }

      std::vector<std::string>
      sections() const override
      {
        return {"Network", "Observations"};
      }

      void
      declare(const ParameterSource          &source,
              const std::vector<std::string> &levels,
              ParameterSections              &sections) override
      {
        settings.network.equation =
          source.value_of({"Network"}, "Equation", "none");
        settings.coefficients.equation =
          EquationRegistry::create(settings.network.equation);
        ladder_levels = levels;
        sections.add_struct({"Network"}, settings.network);
        sections.add_struct({"Network", "Coefficients"}, settings.coefficients);
        sections.add_struct({"Network", "Data"}, settings.data);
        sections.add_struct({"Network", "Likelihood"}, settings.likelihood);
        sections.add_struct({"Network", "Warm start"}, settings.warm_start);
        sections.add_struct({"Observations"}, settings.observations);
        for (const std::string &level : levels)
          finenesses[level];
        for (const std::string &level : source.sections_in({"Levels"}))
          finenesses[level];
        for (auto &level : finenesses)
          sections.add_struct({"Levels", level.first}, level.second);
      }

      void
      check(const ParameterSource          &source,
            const std::vector<std::string> &levels) override
      {
        check_that_levels_exist(source, levels, "'Collocation points'");
      }

      std::vector<std::pair<std::string, std::string>>
      files() const override
      {
        return {{"Observations/File", settings.observations.file}};
      }

      std::string
      obstacle_to_sharing() const override
      {
        return "a network has no mesh that several could share";
      }

      std::unique_ptr<Target>
      make(const TargetProcesses &) const override
      {
        return std::make_unique<NetworkTarget>(settings,
                                               ladder_levels,
                                               finenesses);
      }

    private:
      NetworkSettings                               settings;
      std::vector<std::string>                      ladder_levels;
      std::map<std::string, NetworkLevelParameters> finenesses;
    };


    const Registration<TargetRegistry, NetworkTargetType>
      registration("network",
                   "An equation with unknowns, solved by a network.");



    NetworkTarget::NetworkTarget(
      const NetworkSettings                               &the_settings,
      const std::vector<std::string>                      &levels,
      const std::map<std::string, NetworkLevelParameters> &finenesses)
      : settings(the_settings)
      , level_names(levels)
      , model(std::make_shared<NetworkModel>())
    {
      model->equation         = settings.coefficients.equation;
      model->weight_deviation = settings.network.weight_deviation;
      model->shape.n_inputs   = model->equation->n_inputs();
      model->shape.hidden     = settings.network.hidden;
      read_coefficients();
      for (const std::vector<double> &truth : settings.observations.truth)
        if (!model->unknowns.empty() && truth.size() != model->unknowns.size())
          throw UserError(
            "'Observations/Truth' has " + counted(truth.size(), "number") +
            ", but there are " +
            counted(model->unknowns.size(), "unknown coefficient") +
            " of the network's equation. Give one number for "
            "each.");

      data = std::make_unique<NetworkData>(*model, settings);
      const std::vector<MisfitSet> data_sets = data->make_data_sets();
      unsigned int                 n_fine    = 0;
      for (const std::string &level : levels)
        {
          const NetworkLevelParameters &fineness = finenesses.at(level);
          std::vector<MisfitSet>        all      = data_sets;
          all.push_back(data->make_residual_set(fineness, level, n_fine));
          if (n_fine == 0)
            n_fine = all.back().n_points(model->shape.n_inputs);
          sets[level] = all;
          if (settings.warm_start.method ==
                WarmStartMethod::levenberg_marquardt &&
              n_misfits(level) > most_misfits)
            throw UserError(
              "'Network/Warm start/Method = Levenberg-Marquardt' solves a "
              "linear system in all misfits, but the level '" +
              level + "' has " + std::to_string(n_misfits(level)) +
              " of them; " + std::to_string(most_misfits) +
              " is the limit. Take fewer points, or 'Adam'.");
          batch_sizes[level] = fineness.batch_size;
        }
    }



    std::shared_ptr<const Energy>
    NetworkTarget::energy(const std::string &level)
    {
      std::shared_ptr<const Energy> &result = energies[level];
      if (!result && settings.network.precision == NetworkPrecision::single)
        result =
          std::make_shared<NetworkPosterior<float>>(model,
                                                    sets.at(level),
                                                    batch_sizes.at(level));
      else if (!result)
        result =
          std::make_shared<NetworkPosterior<double>>(model,
                                                     sets.at(level),
                                                     batch_sizes.at(level));
      return result;
    }



    void
    NetworkTarget::check_prior_run() const
    {
      if (has_warm_start())
        throw UserError(
          "'Network/Warm start/Method' moves the start towards the data, but "
          "'Target = prior' leaves them out. Set the method to 'none'.");
    }



    void
    NetworkTarget::describe(const Ladder   &ladder,
                            RunDescription &description) const
    {
      description.family     = "network";
      description.title      = settings.network.equation;
      description.truth      = settings.observations.truth;
      description.prediction = make_prediction(ladder);
      description.n_curve    = description.prediction->places.size();
      describe_measurements(description);
      describe_derived(description);
    }



    void
    NetworkTarget::read_coefficients()
    {
      const std::vector<Coefficient> &coefficients =
        model->equation->coefficients();
      for (std::size_t i = 0; i < coefficients.size(); ++i)
        {
          const std::string &text = settings.coefficients.values[i];
          CoefficientSource  source;
          if (text == "output")
            {
              source.kind  = Kind::output;
              source.index = model->shape.n_outputs++;
            }
          else
            {
              const NumberOrPrior value(text,
                                        "Network/Coefficients/" +
                                          coefficients[i].name,
                                        coefficients[i].lower);
              source.value = value.middle();
              if (!value.is_number())
                {
                  source.kind  = Kind::unknown;
                  source.index = model->unknowns.size();
                  model->unknowns.push_back(
                    {coefficients[i].name, value.prior()});
                }
            }
          model->coefficients.push_back(source);
        }
    }



    std::size_t
    NetworkTarget::n_misfits(const std::string &level) const
    {
      std::size_t n = 0;
      for (const MisfitSet &set : sets.at(level))
        for (const MisfitSet::Term &term : set.terms)
          n += term.data.size();
      return n;
    }



    std::string
    NetworkTarget::layout(const Ladder &ladder) const
    {
      std::string text =
        "--     . network: " + model->shape.text() + ", " +
        counted(model->shape.n_weights(), "weight") + ", " +
        (settings.network.precision == NetworkPrecision::single ? "single" :
                                                                  "double") +
        " precision; equation: " + settings.network.equation +
        "\n--     . prior of every weight: normal(0, " +
        to_text(model->weight_deviation, 4) + ")\n";
      for (const Unknown &unknown : model->unknowns)
        text += "--     . unknown " + unknown.name + ": " +
                unknown.prior.text() + "\n";
      for (std::size_t i = 0; i < model->coefficients.size(); ++i)
        if (model->coefficients[i].kind == Kind::output)
          text += "--     . " + model->equation->coefficients()[i].name +
                  " is an output of the network: it may vary from point to "
                  "point, and is biased low (doc/networks.md)\n";
      for (const std::string &name : level_names)
        {
          const std::string entry = "--     . level '" + name + "': ";
          if (text.find(entry) != std::string::npos)
            continue;
          // Only what is not the same for all levels.
          const MisfitSet &residual   = sets.at(name).back();
          const bool       is_batched = batch_sizes.at(name) > 0;
          text += entry +
                  counted(residual.n_points(model->shape.n_inputs),
                          "collocation point") +
                  (is_batched ? ", gradients from minibatches" : "") + "\n";
        }
      // With which Gaussian noise the coldest rung believes each misfit.
      for (const MisfitSet &set : sets.at(level_names[0]))
        for (const MisfitSet::Term &term : set.terms)
          text +=
            "--     . " + counted(term.data.size(), "misfit") + " of the " +
            term.name + ": standard deviation " +
            to_text(std::sqrt(0.5 /
                              (term.factor * ladder[0].exponents.potential)),
                    3) +
            (settings.likelihood.is_weighted() ?
               " (sigma^2 = N tau / (2 w) = " +
                 to_text(0.5 / (term.factor * ladder[0].exponents.potential),
                         3) +
                 ")" :
               "") +
            "\n";
      if (!can_be_linearised())
        text += "--     . note: more than " + std::to_string(most_misfits) +
                " misfits; the linearised band and the information about "
                "coefficients are left out\n";
      if (ladder[0].exponents.reference != 1.)
        text +=
          "--     . note: the temperature divides the prior too; at rung 0 "
          "the weights have a prior standard deviation of " +
          to_text(model->weight_deviation /
                    std::sqrt(ladder[0].exponents.reference),
                  3) +
          ". 'Sampler/Ladder/Temper = likelihood' leaves the prior alone\n";
      return text;
    }



    std::vector<double>
    NetworkTarget::step_factors() const
    {
      if (model->unknowns.empty() || settings.network.coefficient_step == 1.)
        return {};
      std::vector<double> factors(model->dimension(), 1.);
      std::fill(factors.begin() + model->shape.n_weights(),
                factors.end(),
                settings.network.coefficient_step);
      return factors;
    }



    std::string
    NetworkTarget::warm_up(const WarmStart &task, std::vector<double> &state)
    {
      const WarmStartParameters &parameters = settings.warm_start;
      const Ladder              &ladder     = task.ladder;
      const unsigned int         rung = task.rung, chain = task.chain;
      const Exponents           &exponents = ladder[rung].exponents;
      const std::string          begin =
        "   warm start of rung " + std::to_string(rung) +
        (chain > 0 ? " of chain " + std::to_string(chain) : "") + ": ";

      using Clock               = std::chrono::steady_clock;
      constexpr auto pause      = std::chrono::seconds(5);
      const auto     start      = Clock::now();
      auto           last_word  = start;
      const auto     is_stopped = [&](const unsigned int n_done) {
        if (Clock::now() - last_word > pause)
          {
            last_word = Clock::now();
            task.say(begin + std::to_string(n_done) + " of at most " +
                     counted(parameters.n_iterations, "step") + "\n");
          }
        return task.stop.load();
      };
      const auto end = [&]() {
        return ", " +
               to_text(
                 std::chrono::duration<double>(Clock::now() - start).count(),
                 3) +
               " s\n";
      };
      if (parameters.method == WarmStartMethod::adam)
        {
          AdamParameters adam;
          adam.n_iterations  = parameters.n_iterations;
          adam.learning_rate = parameters.learning_rate;
          adam.n_fixed =
            parameters.moves_coefficients ? 0 : model->unknowns.size();
          adam.key.seed       = task.seed;
          adam.key.chain      = chain;
          adam.key.rung       = rung;
          adam.key.purpose    = Purpose::start;
          adam.key.stream     = 2;
          const double energy = minimise_by_adam(
            ladder.energy(rung), exponents, adam, state, is_stopped);
          return begin + "Adam, tempered energy " + to_text(energy, 5) + end();
        }
      const std::string &level = ladder.get_levels()[ladder[rung].level].name;
      GaussNewton        gauss_newton(model, sets.at(level), exponents);
      const auto         report = gauss_newton.minimise(state,
                                                parameters.n_iterations,
                                                parameters.moves_coefficients,
                                                is_stopped);
      if (!std::isfinite(report.last_energy))
        throw UserError("The warm start by Levenberg-Marquardt has no finite "
                        "energy to begin with. Lower the weights or raise the "
                        "noise in 'Network/Likelihood'.");
      return begin + "Levenberg-Marquardt, " +
             counted(report.n_iterations, "iteration") + ", tempered energy " +
             to_text(report.first_energy, 5) + " -> " +
             to_text(report.last_energy, 5) +
             (report.is_converged ? "" : ", not at its minimum yet") + end();
    }



    std::shared_ptr<const Prediction>
    NetworkTarget::make_prediction(const Ladder &ladder) const
    {
      const auto         prediction = std::make_shared<Prediction>();
      const auto         inputs     = data->prediction_inputs();
      const unsigned int n_in       = model->shape.n_inputs;
      for (std::size_t i = 0; i < inputs.size(); i += n_in)
        prediction->places.push_back(inputs[i]);
      prediction->coordinate = "x";
      prediction->title =
        model->equation->order_in_time() > 0 ?
          "u at t = " + to_text(settings.network.final_time, 6) :
          "u";
      prediction->exact = data->exact_predictions();

      prediction->evaluate = predictor(inputs);
      // A coefficient that is a field: its mean over the places.
      for (std::size_t i = 0; i < model->coefficients.size(); ++i)
        if (model->coefficients[i].kind == Kind::output)
          prediction->quantities.push_back(
            {model->equation->coefficients()[i].name,
             [evaluate = predictor(inputs, model->coefficients[i].index),
              n        = inputs.size() /
                  n_in](const dealii::ArrayView<const double> &position) {
               std::vector<double> values(n);
               evaluate(position, dealii::make_array_view(values));
               return std::accumulate(values.begin(), values.end(), 0.) /
                      values.size();
             }});
      if (!can_be_linearised())
        return prediction;
      const auto gauss_newton =
        std::make_shared<GaussNewton>(model,
                                      sets.at(level_names[0]),
                                      ladder[0].exponents);
      prediction->linearised_deviation =
        [gauss_newton, inputs](const std::vector<double> &position) {
          return gauss_newton->deviations(position, 0, inputs);
        };
      return prediction;
    }



    void
    NetworkTarget::describe_measurements(RunDescription &description) const
    {
      // Weights are no standard deviations: nothing can be compared with them.
      if (settings.likelihood.is_weighted())
        return;
      const bool          has_time = model->equation->order_in_time() > 0;
      const unsigned int  n_in     = model->shape.n_inputs;
      std::vector<double> inputs;
      for (const MisfitSet &set : sets.at(level_names[0]))
        for (const MisfitSet::Term &term : set.terms)
          if (term.name == "observation")
            for (std::size_t i = 0; i < term.data.size(); ++i)
              {
                const auto begin = set.inputs.begin() + i * n_in;
                inputs.insert(inputs.end(), begin, begin + n_in);
                RunDescription::Measurement one;
                one.place.assign(begin, begin + n_in - has_time);
                if (has_time)
                  one.time = *(begin + n_in - 1);
                std::vector<std::string> place;
                for (const double coordinate : one.place)
                  place.push_back(to_text(coordinate, 6));
                one.name = "(" + join(place, ", ") + ")" +
                           (has_time ? ", t = " + to_text(one.time, 6) : "");
                one.value     = term.data[i];
                one.deviation = std::sqrt(0.5 / term.factor);
                description.measurements.push_back(one);
              }
      if (inputs.empty())
        return;
      description.measure = predictor(inputs);
    }



    void
    NetworkTarget::describe_derived(RunDescription &description) const
    {
      constexpr std::size_t n_places = 5;

      const auto          all  = data->prediction_inputs();
      const unsigned int  n_in = model->shape.n_inputs;
      const std::size_t   n    = all.size() / n_in;
      std::vector<double> inputs;
      // Inside: at the ends the solution is often prescribed.
      for (std::size_t i = 0; i < n_places; ++i)
        {
          const std::size_t place = (2 * i + 1) * n / (2 * n_places);
          inputs.insert(inputs.end(),
                        all.begin() + place * n_in,
                        all.begin() + (place + 1) * n_in);
          description.derived_names.push_back(
            "u(" + to_text(all[place * n_in], 4) + ")");
        }
      description.derive = predictor(inputs);
    }



    Information
    NetworkTarget::information(const Ladder                           &ladder,
                               const std::vector<std::vector<double>> &draws,
                               const std::function<bool()> &is_stopped)
    {
      if (!can_be_linearised())
        return Information();
      GaussNewton                             gauss_newton(model,
                               sets.at(level_names[0]),
                               ladder[0].exponents);
      std::vector<dealii::FullMatrix<double>> matrices;
      std::size_t                             n_skipped = 0;
      for (const std::vector<double> &draw : draws)
        {
          if (is_stopped())
            return Information();
          const auto matrix = gauss_newton.information(draw);
          if (matrix.empty())
            ++n_skipped;
          else
            matrices.push_back(matrix);
        }
      Information result = average_information(matrices);
      result.n_skipped   = n_skipped;
      return result;
    }
  } // namespace
} // namespace Tempera
