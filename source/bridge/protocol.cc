// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/solve_failed.h>
#include <tempera/base/text.h>
#include <tempera/bridge/bounded_json.h>
#include <tempera/bridge/protocol.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace Tempera
{
  namespace
  {
    using nlohmann::json;
    using Numbers = ServedModel::Numbers;

    /** What is wrong with a question. */
    struct Refusal
    {
      int         status;
      std::string type, message;
    };

    [[noreturn]] void
    refuse(const std::string &message)
    {
      throw Refusal{400, "InvalidInput", message};
    }


    const json &
    entry(const json &request, const std::string &key)
    {
      const auto place = request.find(key);
      if (place == request.end())
        refuse("There is no '" + key + "'.");
      return *place;
    }

    /** All our models have one input and one output. */
    void
    check_index(const json &request, const std::string &key)
    {
      const json &value = entry(request, key);
      if (!value.is_number_integer() || value != 0)
        refuse("'" + key +
               "' must be 0: there is one list of numbers, not several.");
    }

    Numbers
    numbers(const json &list, const std::string &name, const std::size_t size)
    {
      if (!list.is_array())
        refuse(name + " is no list of numbers.");
      if (list.size() != size)
        refuse(name + " must have " + counted(size, "number") + ", not " +
               std::to_string(list.size()) + ".");
      const auto result = numbers_in(list);
      if (!result)
        refuse(name + " has entries that are no numbers.");
      return *result;
    }

    Numbers
    read_input(const json &request, const ServedModel &model)
    {
      const json &input = entry(request, "input");
      if (!input.is_array() || input.size() != 1)
        refuse("'input' must be a list of one list of numbers.");
      return numbers(input[0], "The list of 'input'", model.n_inputs());
    }

    std::string
    read_level(const json &request, const ServedModel &model)
    {
      const std::vector<std::string> levels = model.levels();
      const auto                     config = request.find("config");
      if (config == request.end() || config->is_null())
        return levels[0];
      if (!config->is_object())
        refuse("'config' is no object.");
      std::string level = levels[0];
      for (const auto &[key, value] : config->items())
        {
          if (key != "level")
            refuse("There is no '" + key +
                   "' in 'config'; there is 'level' only.");
          if (!value.is_string() ||
              std::find(levels.begin(),
                        levels.end(),
                        value.get<std::string>()) == levels.end())
            refuse("The 'level' of 'config' must be one of: " +
                   join(levels, ", ") + ".");
          level = value.get<std::string>();
        }
      return level;
    }

    json
    result_of(const Numbers &values)
    {
      for (const double value : values)
        if (!std::isfinite(value))
          throw Refusal{500, "InvalidOutput", "The result is not finite."};
      return values;
    }


    json
    evaluate(const json &request, ServedModel &model)
    {
      const std::string level = read_level(request, model);
      const Numbers     input = read_input(request, model);
      return {{"output", {result_of(model.evaluate(level, input))}}};
    }

    json
    gradient(const json &request, ServedModel &model)
    {
      const std::string level = read_level(request, model);
      const Numbers     input = read_input(request, model);
      check_index(request, "outWrt");
      check_index(request, "inWrt");
      const Numbers sens =
        numbers(entry(request, "sens"), "'sens'", model.n_outputs());
      return {{"output", result_of(model.gradient(level, input, sens))}};
    }

    json
    apply_jacobian(const json &request, ServedModel &model)
    {
      const std::string level = read_level(request, model);
      const Numbers     input = read_input(request, model);
      check_index(request, "outWrt");
      check_index(request, "inWrt");
      const Numbers vec =
        numbers(entry(request, "vec"), "'vec'", model.n_inputs());
      return {{"output", result_of(model.apply_jacobian(level, input, vec))}};
    }

    json
    apply_hessian(const json &request, ServedModel &model)
    {
      const std::string level = read_level(request, model);
      const Numbers     input = read_input(request, model);
      check_index(request, "outWrt");
      check_index(request, "inWrt1");
      check_index(request, "inWrt2");
      const Numbers sens =
        numbers(entry(request, "sens"), "'sens'", model.n_outputs());
      const Numbers vec =
        numbers(entry(request, "vec"), "'vec'", model.n_inputs());
      return {
        {"output", result_of(model.apply_hessian(level, input, sens, vec))}};
    }

    json
    model_info(const json &, ServedModel &model)
    {
      const ServedFeatures features = model.features();
      return {{"support",
               {{"Evaluate", true},
                {"Gradient", features.gradient},
                {"ApplyJacobian", features.jacobian},
                {"ApplyHessian", features.hessian}}}};
    }

    json
    input_sizes(const json &request, ServedModel &model)
    {
      read_level(request, model);
      return {{"inputSizes", {model.n_inputs()}}};
    }

    json
    output_sizes(const json &request, ServedModel &model)
    {
      read_level(request, model);
      return {{"outputSizes", {model.n_outputs()}}};
    }


    /** What is asked at a path, and of which models. */
    struct Endpoint
    {
      json (*act)(const json &, ServedModel &);
      /** Null if all models have it. */
      bool ServedFeatures::*feature;
    };

    const std::map<std::string, Endpoint> endpoints = {
      {"/ModelInfo", {model_info, nullptr}},
      {"/InputSizes", {input_sizes, nullptr}},
      {"/OutputSizes", {output_sizes, nullptr}},
      {"/Evaluate", {evaluate, nullptr}},
      {"/Gradient", {gradient, &ServedFeatures::gradient}},
      {"/ApplyJacobian", {apply_jacobian, &ServedFeatures::jacobian}},
      {"/ApplyHessian", {apply_hessian, &ServedFeatures::hessian}}};


    json
    carry_out(const std::string                               &path,
              const std::string                               &body,
              const std::vector<std::shared_ptr<ServedModel>> &models)
    {
      const auto endpoint = endpoints.find(path);
      if (endpoint == endpoints.end())
        throw Refusal{404, "InvalidInput", "There is no such path."};
      const auto request = parse_bounded(body);
      if (!request || !request->is_object())
        refuse("The body is no JSON object, or a too deep one.");
      const json &name = entry(*request, "name");
      if (!name.is_string())
        refuse("The 'name' is no text.");
      std::vector<std::string> names;
      for (const std::shared_ptr<ServedModel> &model : models)
        {
          names.push_back(model->name());
          if (names.back() != name.get<std::string>())
            continue;
          const auto feature = endpoint->second.feature;
          if (feature != nullptr && !(model->features().*feature))
            throw Refusal{400,
                          "UnsupportedFeature",
                          "The model '" + names.back() + "' has no " +
                            path.substr(1) + "."};
          return endpoint->second.act(*request, *model);
        }
      throw Refusal{400,
                    "ModelNotFound",
                    "There is no such model. There are: " + join(names, ", ") +
                      "."};
    }
  } // namespace



  Protocol::Protocol(std::vector<std::shared_ptr<ServedModel>> models)
    : models(std::move(models))
  {}



  ProtocolAnswer
  Protocol::answer(const std::string &path, const std::string &body) const
  {
    try
      {
        return {200, carry_out(path, body, models).dump()};
      }
    catch (const Refusal &refusal)
      {
        return error(refusal.status, refusal.type, refusal.message);
      }
    catch (const InvalidInput &invalid)
      {
        return error(400, "InvalidInput", invalid.what());
      }
    // A stranger's question must not end the server, whatever a solver throws.
    catch (const std::exception &failure)
      {
        return error(500, "InvalidOutput", failure.what());
      }
  }



  ProtocolAnswer
  Protocol::info() const
  {
    json names = json::array();
    for (const std::shared_ptr<ServedModel> &model : models)
      names.push_back(model->name());
    return {200, json({{"protocolVersion", 1.0}, {"models", names}}).dump()};
  }



  std::size_t
  Protocol::longest_question() const
  {
    // Of a number, with blanks, and of all else.
    constexpr std::size_t bytes_per_number = 64, bytes_beside = 65536;

    std::size_t n_numbers = 0;
    for (const std::shared_ptr<ServedModel> &model : models)
      n_numbers =
        std::max<std::size_t>(n_numbers,
                              2 * model->n_inputs() + model->n_outputs());
    return bytes_beside + bytes_per_number * n_numbers;
  }



  ProtocolAnswer
  Protocol::error(const int          status,
                  const std::string &type,
                  const std::string &message)
  {
    return {status,
            json({{"error", {{"type", type}, {"message", message}}}})
              .dump(-1, ' ', false, json::error_handler_t::replace)};
  }
} // namespace Tempera
