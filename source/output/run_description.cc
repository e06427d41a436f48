// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/json_tree.h>
#include <tempera/output/run_description.h>

namespace Tempera
{
  namespace
  {
    [[noreturn]] void
    refuse(const std::string &why)
    {
      throw JsonTree::Unreadable(why);
    }

    void
    check(const RunDescription &description)
    {
      constexpr unsigned int most = 1000000;

      const std::size_t n                  = description.names.size();
      const auto        is_missing_or_full = [&](const std::size_t size) {
        return size == 0 || size == n;
      };
      if (description.indices.size() != n || description.lower.size() != n ||
          description.upper.size() != n ||
          !is_missing_or_full(description.priors.size()) ||
          !is_missing_or_full(description.prior_draws.size()))
        refuse("its lists of unknowns differ in length");
      for (const std::vector<double> &draws : description.prior_draws)
        if (draws.size() != description.prior_draws[0].size())
          refuse("the draws from the priors differ in number");
      const std::size_t n_rungs = description.kernels.size();
      if (n_rungs == 0 || n_rungs > most || n > most ||
          description.derived_names.size() > most ||
          description.rung_levels.size() != n_rungs ||
          description.n_recorded_rungs > n_rungs || description.n_chains == 0 ||
          description.n_chains > most || description.thinning == 0)
        refuse("its numbers of rungs, chains or unknowns make no sense");
      if (description.n_level_rungs >= n_rungs ||
          (!description.paces.empty() && description.paces.size() != n_rungs) ||
          (description.n_level_rungs > 0 && description.paces.empty()))
        refuse("its rungs have paces or levels that make no sense");
      for (const unsigned int pace : description.paces)
        if (pace == 0)
          refuse("a rung has no pace");
      for (const unsigned int level : description.rung_levels)
        if (level >= description.levels.size())
          refuse("a rung has a level that does not exist");
      if (description.deviation_unknown < -1 ||
          description.deviation_unknown >= int(n))
        refuse("the unknown noise is none of the unknowns");
      if (!description.true_circle.empty() &&
          description.true_circle.size() != 3)
        refuse("a circle has three numbers");
      for (const std::vector<double> &sensor : description.sensors)
        if (sensor.size() < 2)
          refuse("a sensor has less than two coordinates");
    }
  } // namespace



  std::string
  description_to_json(const RunDescription &description)
  {
    using namespace JsonTree;
    Tree tree;
    put(tree, "version", description.version);
    put(tree, "run", description.identity);
    put(tree, "chain", std::uint64_t(description.chain));
    put(tree, "family", description.family);
    put(tree, "title", description.title);
    put(tree, "question", description.question);
    put(tree, "parameters", description.parameters);
    put(tree, "seed", description.seed);
    put(tree, "chains", std::uint64_t(description.n_chains));
    put(tree, "rounds", description.n_rounds);
    put(tree, "burn_in", description.burn_in);
    put(tree, "thinning", description.thinning);
    put(tree, "names", description.names);
    put(tree, "indices", description.indices);
    put(tree, "lower", description.lower);
    put(tree, "upper", description.upper);
    put(tree, "priors", description.priors);
    put(tree, "prior_draws", description.prior_draws);
    put(tree, "derived_names", description.derived_names);
    put(tree, "truth", description.truth);
    put(tree, "true_circle", description.true_circle);
    put(tree, "sensors", description.sensors);
    put(tree, "kernels", description.kernels);
    put(tree, "levels", description.levels);
    put(tree, "rung_levels", description.rung_levels);
    put(tree, "paces", description.paces);
    put(tree, "level_rungs", std::uint64_t(description.n_level_rungs));
    put(tree,
        "tempers_likelihood",
        std::uint64_t(description.tempers_likelihood));
    put(tree, "recorded_rungs", std::uint64_t(description.n_recorded_rungs));
    std::vector<std::string>         names;
    std::vector<double>              values, deviations, times;
    std::vector<std::vector<double>> places;
    for (const RunDescription::Measurement &one : description.measurements)
      {
        names.push_back(one.name);
        values.push_back(one.value);
        deviations.push_back(one.deviation);
        places.push_back(one.place);
        times.push_back(one.time);
      }
    put(tree, "measurement_names", names);
    put(tree, "measured_values", values);
    put(tree, "measurement_deviations", deviations);
    put(tree, "measurement_places", places);
    put(tree, "measurement_times", times);
    put(tree, "measurement_covariance", description.covariance);
    put(tree, "curve_length", std::uint64_t(description.n_curve));
    // Counted from 1; 0 for none.
    put(tree,
        "deviation_unknown",
        std::uint64_t(description.deviation_unknown + 1));

    return to_json(tree);
  }



  namespace
  {
    RunDescription
    read_description(const std::string &text)
    {
      using namespace JsonTree;
      const Tree tree = from_json(text);

      RunDescription description;
      get(tree, "version", description.version);
      get_if_there(tree, "run", description.identity);
      get_if_there(tree, "chain", description.chain);
      get(tree, "family", description.family);
      get(tree, "title", description.title);
      get_if_there(tree, "question", description.question);
      get(tree, "parameters", description.parameters);
      get(tree, "seed", description.seed);
      get(tree, "chains", description.n_chains);
      get(tree, "rounds", description.n_rounds);
      get(tree, "burn_in", description.burn_in);
      get(tree, "thinning", description.thinning);
      get(tree, "names", description.names);
      get(tree, "indices", description.indices);
      get(tree, "lower", description.lower);
      get(tree, "upper", description.upper);
      get(tree, "priors", description.priors);
      get(tree, "prior_draws", description.prior_draws);
      get(tree, "derived_names", description.derived_names);
      get(tree, "truth", description.truth);
      get(tree, "true_circle", description.true_circle);
      get(tree, "sensors", description.sensors);
      get(tree, "kernels", description.kernels);
      get(tree, "levels", description.levels);
      get(tree, "rung_levels", description.rung_levels);
      get_if_there(tree, "paces", description.paces);
      get_if_there(tree, "level_rungs", description.n_level_rungs);
      unsigned int tempers_likelihood = 0;
      get(tree, "tempers_likelihood", tempers_likelihood);
      description.tempers_likelihood = tempers_likelihood != 0;
      get(tree, "recorded_rungs", description.n_recorded_rungs);
      std::vector<std::string>         names;
      std::vector<double>              values, deviations, times;
      std::vector<std::vector<double>> places;
      get(tree, "measurement_names", names);
      get(tree, "measured_values", values);
      get(tree, "measurement_deviations", deviations);
      get_if_there(tree, "measurement_places", places);
      get_if_there(tree, "measurement_times", times);
      get_if_there(tree, "measurement_covariance", description.covariance);
      get_if_there(tree, "curve_length", description.n_curve);
      const auto differs = [&](const std::size_t size,
                               const bool        may_be_missing) {
        return size != names.size() && !(may_be_missing && size == 0);
      };
      if (differs(values.size(), false) || differs(deviations.size(), false) ||
          differs(places.size(), true) || differs(times.size(), true) ||
          differs(description.covariance.size(), true))
        refuse("its lists of measurements differ in length");
      for (const std::vector<double> &row : description.covariance)
        if (differs(row.size(), false))
          refuse("the covariance of the measurements is not square");
      for (std::size_t i = 0; i < names.size(); ++i)
        {
          RunDescription::Measurement one;
          one.name      = names[i];
          one.value     = values[i];
          one.deviation = deviations[i];
          if (!places.empty())
            one.place = places[i];
          if (!times.empty())
            one.time = times[i];
          description.measurements.push_back(std::move(one));
        }
      unsigned int deviation_unknown = 0;
      get(tree, "deviation_unknown", deviation_unknown);
      description.deviation_unknown = int(deviation_unknown) - 1;
      check(description);
      return description;
    }
  } // namespace



  RunDescription
  description_from_json(const std::string &text)
  {
    try
      {
        return read_description(text);
      }
    catch (const JsonTree::Unreadable &error)
      {
        throw UserError("The description of the run at the beginning of its "
                        "record cannot be read: " +
                        std::string(error.what()) + ".");
      }
  }
} // namespace Tempera
