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
          ((description.n_level_rungs > 0 || description.has_potentials) &&
           description.paces.empty()))
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

    /** As it is written: the measurements are lists. */
    struct WrittenDescription : RunDescription
    {
      std::vector<std::string>         measured_names;
      std::vector<double>              values, deviations, times;
      std::vector<std::vector<double>> places;
      /** Counted from 1; 0 for none. */
      unsigned int written_deviation_unknown = 0;
      /** 0 or 1; something else in records of older versions. */
      unsigned int written_unrecorded = 2;
    };

    template <typename Field>
    void
    visit(WrittenDescription &description, Field &field)
    {
      field("version", description.version);
      field.optional("run", description.identity);
      field.optional("chain", description.chain);
      field("family", description.family);
      field("title", description.title);
      field.optional("question", description.question);
      field("parameters", description.parameters);
      field.optional("pilot_work", description.pilot_work);
      field("seed", description.seed);
      field("chains", description.n_chains);
      field("rounds", description.n_rounds);
      field("burn_in", description.burn_in);
      field("thinning", description.thinning);
      field("names", description.names);
      field("indices", description.indices);
      field.optional("unrecorded", description.written_unrecorded);
      field("lower", description.lower);
      field("upper", description.upper);
      field("priors", description.priors);
      field("prior_draws", description.prior_draws);
      field("derived_names", description.derived_names);
      field("truth", description.truth);
      field("true_circle", description.true_circle);
      field("sensors", description.sensors);
      field("kernels", description.kernels);
      field("levels", description.levels);
      field("rung_levels", description.rung_levels);
      field.optional("paces", description.paces);
      field.optional("level_rungs", description.n_level_rungs);
      field.optional("potentials", description.has_potentials);
      field.optional("proper_prior", description.has_proper_prior);
      field.optional("likelihood_constant", description.likelihood_constant);
      field("tempers_likelihood", description.tempers_likelihood);
      field("recorded_rungs", description.n_recorded_rungs);
      field("measurement_names", description.measured_names);
      field("measured_values", description.values);
      field("measurement_deviations", description.deviations);
      field.optional("measurement_places", description.places);
      field.optional("measurement_times", description.times);
      field.optional("measurement_covariance", description.covariance);
      field.optional("noise", description.noise);
      field.optional("curve_length", description.n_curve);
      field("deviation_unknown", description.written_deviation_unknown);
    }

    RunDescription
    read_description(const std::string &text)
    {
      WrittenDescription description;
      JsonTree::from_json(text, description);
      const std::size_t n       = description.measured_names.size();
      const auto        differs = [&](const std::size_t size,
                               const bool        may_be_missing) {
        return size != n && !(may_be_missing && size == 0);
      };
      if (differs(description.values.size(), false) ||
          differs(description.deviations.size(), false) ||
          differs(description.places.size(), true) ||
          differs(description.times.size(), true) ||
          differs(description.covariance.size(), true))
        refuse("its lists of measurements differ in length");
      for (const std::vector<double> &row : description.covariance)
        if (differs(row.size(), false))
          refuse("the covariance of the measurements is not square");
      for (std::size_t i = 0; i < n; ++i)
        {
          RunDescription::Measurement one;
          one.name      = description.measured_names[i];
          one.value     = description.values[i];
          one.deviation = description.deviations[i];
          if (!description.places.empty())
            one.place = description.places[i];
          if (!description.times.empty())
            one.time = description.times[i];
          description.measurements.push_back(std::move(one));
        }
      description.deviation_unknown =
        int(description.written_deviation_unknown) - 1;
      // In the past these stood before the recorded ones.
      description.has_unrecorded =
        description.written_unrecorded == 1 ||
        (description.written_unrecorded > 1 &&
         (description.indices.empty() || description.indices[0] > 0));
      check(description);
      return description;
    }
  } // namespace



  std::string
  description_to_json(const RunDescription &description)
  {
    WrittenDescription written;
    static_cast<RunDescription &>(written) = description;
    for (const RunDescription::Measurement &one : description.measurements)
      {
        written.measured_names.push_back(one.name);
        written.values.push_back(one.value);
        written.deviations.push_back(one.deviation);
        written.places.push_back(one.place);
        written.times.push_back(one.time);
      }
    written.written_deviation_unknown = description.deviation_unknown + 1;
    written.written_unrecorded        = description.has_unrecorded;
    return JsonTree::to_json(written);
  }



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
