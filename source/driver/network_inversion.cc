// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/network_inversion.h>
#include <tempera/output/prediction.h>
#include <tempera/pinn/gauss_newton.h>
#include <tempera/pinn/network_posterior.h>
#include <tempera/sampler/adam.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace Tempera
{
  namespace
  {
    using Kind = CoefficientSource::Kind;

    /** Systems in more misfits take minutes and gigabytes. */
    constexpr std::size_t most_misfits = 5000;
  } // namespace



  NetworkInversion::NetworkInversion(const Parameters &parameters)
    : settings(parameters.network)
    , levels(parameters.ladder.levels)
    , model(std::make_shared<NetworkModel>())
  {
    model->equation         = settings.coefficients.equation;
    model->weight_deviation = settings.network.weight_deviation;
    model->shape.n_inputs   = model->equation->n_inputs();
    model->shape.hidden     = settings.network.hidden;
    read_coefficients();
    for (const std::vector<double> &truth : settings.observations.truth)
      if (!model->unknowns.empty() && truth.size() != model->unknowns.size())
        throw UserError("'Observations/Truth' has " +
                        counted(truth.size(), "number") + ", but there are " +
                        counted(model->unknowns.size(), "unknown coefficient") +
                        " of the network's equation. Give one number for "
                        "each.");

    data = std::make_unique<NetworkData>(*model, settings);
    const std::vector<MisfitSet> data_sets = data->make_data_sets();
    unsigned int                 n_fine    = 0;
    for (const std::string &level : levels)
      if (sets.count(level) == 0)
        {
          const NetworkLevelParameters &fineness =
            parameters.network_levels.at(level);
          std::vector<MisfitSet> all = data_sets;
          all.push_back(data->make_residual_set(fineness, level, n_fine));
          if (n_fine == 0)
            n_fine = all.back().n_points(model->shape.n_inputs);
          sets[level] = all;
          if (settings.warm_start.method == "Levenberg-Marquardt" &&
              n_misfits(level) > most_misfits)
            throw UserError(
              "'Network/Warm start/Method = Levenberg-Marquardt' solves a "
              "linear system in all misfits, but the level '" +
              level + "' has " + std::to_string(n_misfits(level)) +
              " of them; " + std::to_string(most_misfits) +
              " is the limit. Take fewer points, or 'Adam'.");
          if (settings.network.precision == "single")
            energies[level] =
              std::make_shared<NetworkPosterior<float>>(model,
                                                        all,
                                                        fineness.batch_size);
          else
            energies[level] =
              std::make_shared<NetworkPosterior<double>>(model,
                                                         all,
                                                         fineness.batch_size);
        }
  }



  void
  NetworkInversion::read_coefficients()
  {
    const std::vector<Coefficient> &coefficients =
      model->equation->coefficients();
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      {
        const std::string &text  = settings.coefficients.values[i];
        const double       lower = coefficients[i].lower;
        const std::string name = "Network/Coefficients/" + coefficients[i].name;
        CoefficientSource source;
        const auto        number = Prior::number_from_text(text);
        if (number)
          {
            if (!(*number > lower))
              throw UserError("'" + name + "' is " + text +
                              ", but it must be above " + to_text(lower) + ".");
            source.value = *number;
          }
        else if (text == "output")
          {
            source.kind  = Kind::output;
            source.index = model->shape.n_outputs++;
          }
        else
          {
            const Prior prior = Prior::from_text(text, name);
            if (prior.lower() < lower)
              throw UserError("The prior '" + text + "' of '" + name +
                              "' reaches below " + to_text(lower) +
                              ", where the equation has no meaning. Take "
                              "log-normal, or uniform with a lower bound of "
                              "at least " +
                              to_text(lower) + ".");
            source.kind  = Kind::unknown;
            source.index = model->unknowns.size();
            model->unknowns.push_back({coefficients[i].name, prior});
          }
        model->coefficients.push_back(source);
      }
  }



  std::size_t
  NetworkInversion::n_misfits(const std::string &level) const
  {
    std::size_t n = 0;
    for (const MisfitSet &set : sets.at(level))
      for (const MisfitSet::Term &term : set.terms)
        n += term.data.size();
    return n;
  }



  bool
  NetworkInversion::can_be_linearised() const
  {
    return n_misfits(levels[0]) <= most_misfits;
  }



  std::string
  NetworkInversion::layout(const Ladder &ladder) const
  {
    std::string text = "--     . network: " + model->shape.text() + ", " +
                       counted(model->shape.n_weights(), "weight") + ", " +
                       settings.network.precision + " precision; equation: " +
                       settings.network.choice.equation +
                       "\n--     . prior of every weight: normal(0, " +
                       to_text(model->weight_deviation, 4) + ")\n";
    for (const Unknown &unknown : model->unknowns)
      text +=
        "--     . unknown " + unknown.name + ": " + unknown.prior.text() + "\n";
    for (std::size_t i = 0; i < model->coefficients.size(); ++i)
      if (model->coefficients[i].kind == Kind::output)
        text += "--     . " + model->equation->coefficients()[i].name +
                " is an output of the network: it may vary from point to "
                "point, and is biased low (doc/networks.md)\n";
    for (const std::string &name : levels)
      {
        const std::string entry = "--     . level '" + name + "': ";
        if (text.find(entry) != std::string::npos)
          continue;
        // Only what is not the same for all levels.
        const MisfitSet &residual = sets.at(name).back();
        const Energy    &energy   = *energies.at(name);
        text +=
          entry +
          counted(residual.n_points(model->shape.n_inputs),
                  "collocation point") +
          (energy.has_noisy_gradients() ? ", gradients from minibatches" : "") +
          "\n";
      }
    // With which Gaussian noise the coldest rung believes each misfit.
    for (const MisfitSet &set : sets.at(levels[0]))
      for (const MisfitSet::Term &term : set.terms)
        text +=
          "--     . " + counted(term.data.size(), "misfit") + " of the " +
          term.name + ": standard deviation " +
          to_text(std::sqrt(0.5 /
                            (term.factor * ladder[0].exponents.potential)),
                  3) +
          (settings.likelihood.is_weighted() ?
             " (sigma^2 = N tau / (2 w) = " +
               to_text(0.5 / (term.factor * ladder[0].exponents.potential), 3) +
               ")" :
             "") +
          "\n";
    if (!can_be_linearised())
      text += "--     . note: more than " + std::to_string(most_misfits) +
              " misfits; the linearised band and the information about "
              "coefficients are left out\n";
    if (ladder[0].exponents.reference != 1.)
      text += "--     . note: the temperature divides the prior too; at rung 0 "
              "the weights have a prior standard deviation of " +
              to_text(model->weight_deviation /
                        std::sqrt(ladder[0].exponents.reference),
                      3) +
              ". 'Sampler/Ladder/Temper = likelihood' leaves the prior alone\n";
    return text;
  }



  std::vector<double>
  NetworkInversion::step_factors() const
  {
    if (model->unknowns.empty() || settings.network.coefficient_step == 1.)
      return {};
    std::vector<double> factors(model->dimension(), 1.);
    std::fill(factors.begin() + model->shape.n_weights(),
              factors.end(),
              settings.network.coefficient_step);
    return factors;
  }



  std::vector<std::vector<double>>
  NetworkInversion::draw_starts(const std::uint64_t seed,
                                const unsigned int  n_rungs,
                                const unsigned int  chain) const
  {
    std::vector<std::vector<double>> result;
    for (unsigned int rung = 0; rung < n_rungs; ++rung)
      result.push_back(model->draw_start(seed, rung, chain));
    return result;
  }



  std::string
  NetworkInversion::warm_up(const Ladder            &ladder,
                            const unsigned int       rung,
                            const std::uint64_t      seed,
                            const unsigned int       chain,
                            const std::atomic<bool> &stop,
                            const std::function<void(const std::string &)> &say,
                            std::vector<double> &state) const
  {
    const WarmStartParameters &parameters = settings.warm_start;
    const Exponents           &exponents  = ladder[rung].exponents;
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
          say(begin + std::to_string(n_done) + " of at most " +
              counted(parameters.n_iterations, "step") + "\n");
        }
      return stop.load();
    };
    const auto end = [&]() {
      return ", " +
             to_text(
               std::chrono::duration<double>(Clock::now() - start).count(), 3) +
             " s\n";
    };
    if (parameters.method == "Adam")
      {
        AdamParameters adam;
        adam.n_iterations  = parameters.n_iterations;
        adam.learning_rate = parameters.learning_rate;
        adam.n_fixed =
          parameters.moves_coefficients ? 0 : model->unknowns.size();
        adam.key.seed       = seed;
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
  NetworkInversion::make_prediction(const Ladder &ladder) const
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

    const auto sweep =
      std::make_shared<NetworkSweep<double>>(model, std::vector<MisfitSet>());
    prediction->evaluate =
      [sweep, inputs](const dealii::ArrayView<const double> &position,
                      const dealii::ArrayView<double>       &values) {
        sweep->set_state(position);
        sweep->predict(0, inputs, values);
      };
    // A coefficient that is a field: its mean over the places.
    for (std::size_t i = 0; i < model->coefficients.size(); ++i)
      if (model->coefficients[i].kind == Kind::output)
        prediction->quantities.push_back(
          {model->equation->coefficients()[i].name,
           [sweep, inputs, n_in, output = model->coefficients[i].index](
             const dealii::ArrayView<const double> &position) {
             std::vector<double> values(inputs.size() / n_in);
             sweep->set_state(position);
             sweep->predict(output, inputs, dealii::make_array_view(values));
             return std::accumulate(values.begin(), values.end(), 0.) /
                    values.size();
           }});
    if (!can_be_linearised())
      return prediction;
    const auto gauss_newton =
      std::make_shared<GaussNewton>(model,
                                    sets.at(levels[0]),
                                    ladder[0].exponents);
    prediction->linearised_deviation =
      [gauss_newton, inputs](const std::vector<double> &position) {
        return gauss_newton->deviations(position, 0, inputs);
      };
    return prediction;
  }



  void
  NetworkInversion::describe_measurements(RunDescription &description) const
  {
    // Weights are no standard deviations: nothing can be compared with them.
    if (settings.likelihood.is_weighted())
      return;
    const bool          has_time = model->equation->order_in_time() > 0;
    const unsigned int  n_in     = model->shape.n_inputs;
    std::vector<double> inputs;
    for (const MisfitSet &set : sets.at(levels[0]))
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
    const auto sweep =
      std::make_shared<NetworkSweep<double>>(model, std::vector<MisfitSet>());
    description.measure =
      [sweep, inputs](const dealii::ArrayView<const double> &position,
                      const dealii::ArrayView<double>       &values) {
        sweep->set_state(position);
        sweep->predict(0, inputs, values);
      };
  }



  void
  NetworkInversion::describe_derived(
    std::vector<std::string>                                     &names,
    std::function<void(const dealii::ArrayView<const double> &position,
                       const dealii::ArrayView<double> &values)> &derive) const
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
        names.push_back("u(" + to_text(all[place * n_in], 4) + ")");
      }
    const auto sweep =
      std::make_shared<NetworkSweep<double>>(model, std::vector<MisfitSet>());
    derive = [sweep, inputs](const dealii::ArrayView<const double> &position,
                             const dealii::ArrayView<double>       &values) {
      sweep->set_state(position);
      sweep->predict(0, inputs, values);
    };
  }



  Information
  NetworkInversion::information(const Ladder                           &ladder,
                                const std::vector<std::vector<double>> &draws,
                                const std::function<bool()> &is_stopped) const
  {
    if (!can_be_linearised())
      return Information();
    GaussNewton gauss_newton(model, sets.at(levels[0]), ladder[0].exponents);
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
} // namespace Tempera
