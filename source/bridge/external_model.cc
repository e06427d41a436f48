// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/solve_failed.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/bridge/bounded_json.h>
#include <tempera/bridge/server_pool.h>
#include <tempera/forward/model_type.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

// A model that another program has: the client's side of UM-Bridge 1.0. See
// doc/bridge.md.

namespace Tempera
{
  namespace
  {
    using nlohmann::json;

    /** What a level says of its model. */
    struct ExternalSettings
    {
      std::string              level;
      std::vector<std::string> servers    = {"http://127.0.0.1:4242"};
      std::string              model      = "forward";
      std::string              config     = "{}";
      double                   time_limit = 0., work = 1.;

      std::string
      parameter(const std::string &name) const
      {
        return "Levels/" + level + "/" + name;
      }
    };


    /** A model of some servers, as the protocol sees it. */
    class Exchange
    {
    public:
      explicit Exchange(const ExternalSettings &settings)
        : settings(settings)
        , pool(settings.parameter("Servers"),
               settings.servers,
               settings.time_limit,
               dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD))
        , config(read_config())
      {
        check_info();
        supports_gradient = check_support();
        input_sizes       = sizes("InputSizes", "inputSizes");
        output_sizes      = sizes("OutputSizes", "outputSizes");
      }

      std::size_t
      n_inputs() const
      {
        return std::accumulate(input_sizes.begin(),
                               input_sizes.end(),
                               std::size_t(0));
      }

      std::size_t
      n_outputs() const
      {
        return std::accumulate(output_sizes.begin(),
                               output_sizes.end(),
                               std::size_t(0));
      }

      bool
      has_gradient() const
      {
        return supports_gradient;
      }

      unsigned int
      n_servers() const
      {
        return pool.size();
      }

      void
      evaluate(const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<double>       &predictions) const
      {
        json request     = base_request();
        request["input"] = split(parameters, input_sizes);
        read_predictions(pool.ask("/Evaluate", request.dump()), predictions);
      }

      /** \f$J^T w\f$. */
      void
      gradient(const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<const double> &weights,
               const dealii::ArrayView<double>       &result) const
      {
        json request         = base_request();
        request["input"]     = split(parameters, input_sizes);
        const json  sens     = split(weights, output_sizes);
        std::size_t n_before = 0;
        for (std::size_t in = 0; in < input_sizes.size(); ++in)
          {
            request["inWrt"] = in;
            for (std::size_t out = 0; out < output_sizes.size(); ++out)
              {
                request["outWrt"] = out;
                request["sens"]   = sens[out];
                const ServerAnswer answer =
                  pool.ask("/Gradient", request.dump());
                const std::vector<double> part =
                  numbers(answer,
                          read(answer, "/Gradient").value("output", json()),
                          input_sizes[in]);
                for (std::size_t i = 0; i < part.size(); ++i)
                  result[n_before + i] =
                    out == 0 ? part[i] : result[n_before + i] + part[i];
              }
            n_before += input_sizes[in];
          }
      }

      /**
       * Everybody is asked the same, and one of them twice: answers that are
       * not the same make no energy.
       */
      void
      check_purity(const std::vector<double> &parameters) const
      {
        json request = base_request();
        request["input"] =
          split(dealii::make_array_view(parameters), input_sizes);
        std::vector<ServerAnswer> answers =
          pool.ask_all("/Evaluate", request.dump());
        answers.push_back(pool.ask("/Evaluate", request.dump()));
        std::vector<std::vector<double>> all;
        for (const ServerAnswer &answer : answers)
          {
            all.emplace_back(n_outputs());
            try
              {
                read_predictions(answer, dealii::make_array_view(all.back()));
              }
            catch (const SolveFailed &)
              {
                // A middle of priors need not have a solution.
                all.back().clear();
              }
          }
        for (std::size_t i = 1; i < all.size(); ++i)
          {
            // Who contradicts himself is worse than who contradicts others.
            std::size_t other = 0;
            for (std::size_t j = 1; j < i; ++j)
              if (answers[j].server == answers[i].server)
                other = j;
            if (all[i] == all[other])
              continue;
            const bool is_same = answers[i].server == answers[other].server;
            throw UserError(
              "The model '" + settings.model + "' of '" +
              settings.parameter("Servers") + "' gives " +
              (is_same ? "two answers to one question (" + answers[i].server :
                         "different answers (" + answers[other].server + ", " +
                           answers[i].server) +
              "): " + difference(all[other], all[i]) +
              ". A model must be a function of its parameters. " +
              (is_same ? "Fix the seed of its random numbers, or iterate "
                         "from the same start every time." :
                         "Run the same program on the same kind of computer, "
                         "or name one of the servers only."));
          }
      }

    private:
      json
      read_config() const
      {
        const auto result =
          parse_bounded(settings.config.empty() ? "{}" : settings.config);
        if (!result || !result->is_object())
          throw UserError("The parameter '" + settings.parameter("Config") +
                          "' is '" + settings.config +
                          "', which is no JSON object. Write for instance "
                          "{\"level\": \"fine\"}.");
        return *result;
      }

      json
      base_request() const
      {
        return {{"name", settings.model}, {"config", config}};
      }

      /** The servers do not speak the protocol, or not the same. */
      [[noreturn]] void
      blame(const ServerAnswer &answer, const std::string &what) const
      {
        throw UserError("The server " + answer.server + " of '" +
                        settings.parameter("Servers") + "' " + what +
                        ". Is it a server of UM-Bridge 1.0?");
      }

      /**
       * The object that an answer holds. A model that has no result at these
       * parameters is a SolveFailed, everything else a UserError.
       */
      json
      read(const ServerAnswer &answer, const std::string &path) const
      {
        const auto result    = parse_bounded(with_null_for_nan(answer.body));
        const bool is_object = result && result->is_object();
        if (answer.status == 200 && is_object && result->count("error") == 0)
          return *result;
        std::string type, message;
        if (is_object && result->count("error") > 0 &&
            (*result)["error"].is_object())
          {
            const json &error = (*result)["error"];
            const auto  text  = [&](const char *key) {
              const auto place = error.find(key);
              return place != error.end() && place->is_string() ?
                         place->get<std::string>() :
                         std::string();
            };
            type    = text("type");
            message = text("message");
          }
        if (answer.status == 200 && type.empty())
          blame(answer, "answers " + path + " with what is no JSON object");
        if (type == "ModelNotFound" || type == "UnsupportedFeature")
          blame(answer, "refuses " + path + ": " + type + ": " + message);
        if (answer.status == 404)
          blame(answer, "knows no " + path);
        throw SolveFailed("The server " + answer.server + " has no result: " +
                          (type.empty() ?
                             "status " + std::to_string(answer.status) :
                             type + ": " + message));
      }

      /** The same before there are parameters, where nothing may fail. */
      std::vector<std::pair<ServerAnswer, json>>
      read_all(const std::string &path, const std::string &body) const
      {
        std::vector<std::pair<ServerAnswer, json>> result;
        for (const ServerAnswer &answer : pool.ask_all(path, body))
          try
            {
              result.emplace_back(answer, read(answer, path));
            }
          catch (const SolveFailed &failure)
            {
              throw UserError(std::string(failure.what()) + " (" + path +
                              "). See '" + settings.parameter("Servers") +
                              "', '" + settings.parameter("Model") + "' and '" +
                              settings.parameter("Config") + "'.");
            }
        return result;
      }

      void
      check_info() const
      {
        for (const auto &[answer, info] : read_all("/Info", ""))
          {
            const auto version = info.find("protocolVersion");
            if (version == info.end() || !version->is_number() ||
                version->get<double>() != 1.)
              blame(answer, "does not speak version 1.0 of the protocol");
            std::vector<std::string> names;
            if (info.count("models") > 0 && info["models"].is_array())
              for (const json &name : info["models"])
                if (name.is_string())
                  names.push_back(name);
            if (std::find(names.begin(), names.end(), settings.model) ==
                names.end())
              throw UserError("The server " + answer.server +
                              " has no model '" + settings.model +
                              "', which '" + settings.parameter("Model") +
                              "' names." + did_you_mean(settings.model, names));
          }
      }

      /** Whether there is a gradient on all servers. */
      bool
      check_support() const
      {
        bool has_all = true;
        for (const auto &[answer, info] :
             read_all("/ModelInfo", json({{"name", settings.model}}).dump()))
          {
            const json support = info.value("support", json::object());
            const auto has     = [&](const char *feature) {
              const auto place = support.find(feature);
              return place != support.end() && place->is_boolean() &&
                     place->get<bool>();
            };
            if (!support.is_object() || !has("Evaluate"))
              blame(answer,
                    "cannot evaluate the model '" + settings.model + "'");
            has_all = has_all && has("Gradient");
          }
        return has_all;
      }

      std::vector<std::size_t>
      sizes(const std::string &path, const std::string &key) const
      {
        // Far beyond anything that is sampled.
        constexpr double largest = 1e7;

        std::vector<std::size_t> result;
        for (const auto &[answer, info] :
             read_all("/" + path, base_request().dump()))
          {
            const auto list = numbers_in(info.value(key, json()));
            if (!list || list->empty())
              blame(answer, "does not say the " + key);
            std::vector<std::size_t> mine;
            for (const double size : *list)
              {
                if (!(size >= 0. && size <= largest) ||
                    size != std::floor(size))
                  blame(answer, "says " + to_text(size) + " among the " + key);
                mine.push_back(size);
              }
            if (!result.empty() && mine != result)
              blame(answer, "has other " + key + " than the first server");
            result = mine;
          }
        return result;
      }

      static json
      split(const dealii::ArrayView<const double> &values,
            const std::vector<std::size_t>        &sizes)
      {
        json        result = json::array();
        const auto *value  = values.begin();
        for (const std::size_t size : sizes)
          {
            result.push_back(std::vector<double>(value, value + size));
            value += size;
          }
        return result;
      }

      std::vector<double>
      numbers(const ServerAnswer &answer,
              const json         &list,
              const std::size_t   n) const
      {
        if (!list.is_array() || list.size() != n)
          blame(answer,
                "answers with " +
                  (list.is_array() ? counted(list.size(), "number") :
                                     std::string("something else")) +
                  " instead of " + std::to_string(n) + " numbers");
        const auto result = numbers_in(list);
        if (!result)
          throw SolveFailed("The server " + answer.server +
                            " answers with what is not a number.");
        return *result;
      }

      void
      read_predictions(const ServerAnswer              &answer,
                       const dealii::ArrayView<double> &predictions) const
      {
        const json outputs = read(answer, "/Evaluate").value("output", json());
        if (!outputs.is_array() || outputs.size() != output_sizes.size())
          blame(answer,
                "does not answer /Evaluate with " +
                  counted(output_sizes.size(), "list"));
        std::size_t place = 0;
        for (std::size_t i = 0; i < output_sizes.size(); ++i)
          for (const double value :
               numbers(answer, outputs[i], output_sizes[i]))
            predictions[place++] = value;
      }

      static std::string
      difference(const std::vector<double> &one,
                 const std::vector<double> &other)
      {
        if (one.empty() || other.empty())
          return "one of them has no result";
        for (std::size_t i = 0; i < one.size(); ++i)
          if (one[i] != other[i])
            return "prediction " + std::to_string(i + 1) + " is " +
                   to_text(one[i]) + " and " + to_text(other[i]);
        return "";
      }

      const ExternalSettings   settings;
      const ServerPool         pool;
      const json               config;
      std::vector<std::size_t> input_sizes, output_sizes;
      bool                     supports_gradient = false;
    };


    /** Predictions and derivatives of a server. */
    class ExternalModel : public ForwardModel
    {
    public:
      ExternalModel(const ExternalSettings    &settings,
                    const std::vector<double> &centre)
        : settings(settings)
        , exchange(std::make_shared<Exchange>(settings))
      {
        // Others tell the user that these do not fit.
        if (centre.size() == exchange->n_inputs())
          exchange->check_purity(centre);
      }

      unsigned int
      n_parameters() const override
      {
        return exchange->n_inputs();
      }

      unsigned int
      n_predictions() const override
      {
        return exchange->n_outputs();
      }

      std::shared_ptr<const Linearisation>
      evaluate(const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<double>       &predictions,
               const bool) const override
      {
        exchange->evaluate(parameters, predictions);
        if (!has_derivative())
          return nullptr;
        return std::make_shared<Derivative>(
          exchange, std::vector<double>(parameters.begin(), parameters.end()));
      }

      bool
      has_derivative() const override
      {
        return exchange->has_gradient();
      }

      unsigned int
      n_at_once() const override
      {
        return exchange->n_servers();
      }

      std::string
      gradient_method() const override
      {
        return has_derivative() ? "of the server" : "";
      }

      SolverWork
      work() const override
      {
        return {settings.work, settings.work, 0.};
      }

      std::string
      description() const override
      {
        return "model '" + settings.model + "' of " +
               join(settings.servers, ", ");
      }

    private:
      class Derivative : public Linearisation
      {
      public:
        Derivative(std::shared_ptr<const Exchange> exchange,
                   const std::vector<double>      &parameters)
          : exchange(std::move(exchange))
          , parameters(parameters)
        {}

        void
        apply_transpose(
          const dealii::ArrayView<const double> &weights,
          const dealii::ArrayView<double>       &gradient) const override
        {
          exchange->gradient(dealii::make_array_view(parameters),
                             weights,
                             gradient);
        }

      private:
        const std::shared_ptr<const Exchange> exchange;
        const std::vector<double>             parameters;
      };

      const ExternalSettings                settings;
      const std::shared_ptr<const Exchange> exchange;
    };


    /** What a parameter file says of such a model. */
    class ExternalModelType : public ForwardModelType
    {
    public:
      std::vector<ModelParameter>
      parameters() const override
      {
        return {};
      }

      std::vector<ModelParameter>
      parameters_for(
        const std::vector<std::string> &names_in_file) const override
      {
        std::vector<ModelParameter> result;
        for (const std::string &name : names_in_file)
          result.push_back(
            {name, "", "A parameter of the model, in the order of its input."});
        return result;
      }

      void
      declare(dealii::ParameterHandler &prm) override
      {
        prm.add_parameter(
          "Servers",
          settings.servers,
          "Addresses of servers of UM-Bridge, separated by commas. All of them have the same model; they are asked at once where that helps, and one that dies is left out. One that is named twice is asked two questions at a time.");
        prm.add_parameter("Model",
                          settings.model,
                          "Name of the model on these servers.",
                          dealii::Patterns::Anything());
        prm.add_parameter(
          "Config",
          settings.config,
          "What the model is told with every question, a JSON object: for instance which fidelity it is to use.",
          dealii::Patterns::Anything());
        prm.add_parameter(
          "Time limit of a call",
          settings.time_limit,
          "Seconds after which a server that has not answered is left out. 0: it is waited for.",
          dealii::Patterns::Double(0.));
        prm.add_parameter(
          "Work",
          settings.work,
          "What an evaluation costs, in a unit that all levels share; for budgets and comparisons.",
          dealii::Patterns::Double(0.));
      }

      std::unique_ptr<ForwardModel>
      make(const ModelContext &context) const override
      {
        ExternalSettings mine = settings;
        mine.level            = context.level;
        return std::make_unique<ExternalModel>(mine, context.centre);
      }

    private:
      ExternalSettings settings;
    };


    const Registration<ForwardModelRegistry, ExternalModelType>
      registration("external",
                   "A model of another program, in any language, that speaks "
                   "UM-Bridge.");
  } // namespace
} // namespace Tempera
