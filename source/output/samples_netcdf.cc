// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/exporter.h>
#include <tempera/output/netcdf_file.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/samples_levels.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/temporary_file.h>

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace Tempera
{
  namespace
  {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    /** Scrambles 64 bits (the generator splitmix64 of Steele and others). */
    std::uint64_t
    scrambled(std::uint64_t bits)
    {
      bits += 0x9e3779b97f4a7c15;
      bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
      bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
      return bits ^ (bits >> 31);
    }

    /** A standard normal number that depends on the keys and nothing else. */
    double
    normal_number(const std::uint64_t seed,
                  const std::uint64_t chain,
                  const std::uint64_t draw,
                  const std::uint64_t measurement)
    {
      std::uint64_t bits = 0;
      for (const std::uint64_t key : {seed, chain, draw, measurement})
        bits = scrambled(bits ^ key);
      const auto uniform = [](const std::uint64_t b) {
        return (static_cast<double>(b >> 11) + 0.5) * 0x1p-53;
      };
      // Box and Muller.
      constexpr double two_pi = 6.283185307179586;
      return std::sqrt(-2. * std::log(uniform(bits))) *
             std::cos(two_pi * uniform(scrambled(bits)));
    }


    /** What every group says of its origin. */
    void
    add_origin(NetcdfGroup &group, const RunDescription &description)
    {
      group.set_attribute("inference_library", "tempera");
      group.set_attribute("inference_library_version", description.version);
      group.set_attribute("creation_library", "tempera");
      group.set_attribute("creation_library_version", description.version);
      group.set_attribute("creation_library_language", "C++");
      group.set_attribute("seed", description.seed);
    }


    /**
     * A group of variables by chain, draw and perhaps one more dimension, that
     * are written in slabs of many draws.
     */
    class DrawGroup
    {
    public:
      /** A number of a draw; @p i counts along the third dimension. */
      using Number =
        std::function<double(const RecordedDraw &draw, const std::size_t i)>;

      DrawGroup(const NetcdfGroup  &group,
                const unsigned int  n_chains,
                const std::uint64_t n_draws)
        : group(group)
        , n_draws(n_draws)
        , chains(this->group.add_counting_dimension("chain", n_chains))
        , draws(this->group.add_counting_dimension("draw", n_draws))
      {}

      /** Add a third dimension for variables that ask for it. */
      void
      add_dimension(const std::string  &name,
                    const std::uint64_t length,
                    const std::uint64_t first)
      {
        inner.push_back(group.add_counting_dimension(name, length, first));
        inner_lengths.push_back(length);
      }

      /**
       * @param dimension The number of the third dimension, or -1.
       */
      int
      add_variable(const std::string &name,
                   const NetcdfType   type,
                   const int          dimension,
                   Number             number)
      {
        std::vector<int> dimensions = {chains, draws};
        if (dimension >= 0)
          dimensions.push_back(inner[dimension]);
        variables.push_back({group.add_variable(name, type, dimensions),
                             dimension >= 0 ? inner_lengths[dimension] : 1,
                             dimension >= 0,
                             std::move(number),
                             {}});
        return variables.back().id;
      }

      int
      chain_dimension() const
      {
        return chains;
      }

      int
      inner_dimension(const unsigned int dimension) const
      {
        return inner[dimension];
      }

      /** The next draw of the chain; those beyond the last are left out. */
      void
      add(const unsigned int chain, const RecordedDraw &draw)
      {
        if (n_seen == n_draws)
          return;
        std::size_t n_numbers = 1;
        for (Variable &variable : variables)
          {
            for (std::size_t i = 0; i < variable.length; ++i)
              variable.numbers.push_back(variable.number(draw, i));
            n_numbers += variable.length;
          }
        ++n_seen;
        constexpr std::size_t most_numbers = 1 << 19, most_draws = 1 << 14;
        if (n_seen - n_written >=
            std::min(most_draws, most_numbers / n_numbers))
          flush(chain);
      }

      /** The chain has no more draws; returns whether it had enough. */
      bool
      finish(const unsigned int chain)
      {
        flush(chain);
        const bool is_complete = n_seen == n_draws;
        n_seen = n_written = 0;
        return is_complete;
      }

      NetcdfGroup group;

    private:
      struct Variable
      {
        int                 id;
        std::size_t         length;
        bool                has_inner_dimension;
        Number              number;
        std::vector<double> numbers;
      };

      void
      flush(const unsigned int chain)
      {
        if (n_seen == n_written)
          return;
        for (Variable &variable : variables)
          {
            std::vector<std::size_t> start = {chain, n_written},
                                     count = {1, n_seen - n_written};
            if (variable.has_inner_dimension)
              {
                start.push_back(0);
                count.push_back(variable.length);
              }
            group.write(variable.id, start, count, variable.numbers.data());
            variable.numbers.clear();
          }
        n_written = n_seen;
      }

      const std::uint64_t        n_draws;
      const int                  chains, draws;
      std::vector<int>           inner;
      std::vector<std::uint64_t> inner_lengths;
      std::vector<Variable>      variables;
      std::uint64_t              n_seen = 0, n_written = 0;
    };


    /**
     * The measurements as a dimension that counts them, with name, place and
     * time as further coordinates. Two measurements may have the same name,
     * and readers that align data need different ones: hence the numbers.
     */
    int
    add_measurements(NetcdfGroup &group, const RunDescription &description)
    {
      const auto &measurements = description.measurements;
      const int   dimension =
        group.add_counting_dimension("measurement", measurements.size());
      std::string coordinates;
      const auto  add = [&](const std::string &name, const auto &number) {
        std::vector<double> values;
        for (const auto &measurement : measurements)
          values.push_back(number(measurement));
        if (std::any_of(values.begin(), values.end(), [](const double value) {
              return std::isfinite(value);
            }))
          {
            group.add_variable(name, NetcdfType::real, {dimension}, values);
            coordinates += " " + name;
          }
      };
      std::vector<std::string> names;
      std::size_t              n_places = measurements.empty() ? 0 : 3;
      for (const auto &measurement : measurements)
        {
          names.push_back(measurement.name);
          n_places = std::min(n_places, measurement.place.size());
        }
      group.add_text_variable("measurement_name", dimension, names);
      for (std::size_t d = 0; d < n_places; ++d)
        add(std::string("place_") + "xyz"[d],
            [=](const auto &measurement) { return measurement.place[d]; });
      add("time", [](const auto &measurement) { return measurement.time; });
      // How xarray is told that these are coordinates.
      group.set_attribute("coordinates", "measurement_name" + coordinates);
      return dimension;
    }


    /** The errors of the measurements, independent or not. */
    class Errors
    {
    public:
      explicit Errors(const RunDescription &description)
        : description(description)
      {
        const std::size_t n = description.covariance.size();
        if (n == 0)
          return;
        precision.reinit(n, n);
        factor.reinit(n, n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            precision(i, j) = description.covariance[i][j];
        factor.cholesky(precision);
        precision.gauss_jordan();
      }

      /** Whether errors are Gaussian, and the deviation of any is known. */
      bool
      are_known() const
      {
        return description.noise.empty() &&
               (description.deviation_unknown >= 0 ||
                std::any_of(description.measurements.begin(),
                            description.measurements.end(),
                            [](const RunDescription::Measurement &measurement) {
                              return measurement.deviation > 0.;
                            }));
      }

      /**
       * What is added to the predictions of a draw.
       * @param unknown_deviation Where a measurement has none of its own.
       */
      std::vector<double>
      drawn(const unsigned int  chain,
            const std::uint64_t draw,
            const double        unknown_deviation) const
      {
        const std::size_t   n = description.measurements.size();
        std::vector<double> normal(n), result(n, 0.);
        for (std::size_t i = 0; i < n; ++i)
          normal[i] = normal_number(description.seed, chain, draw, i);
        for (std::size_t i = 0; i < n; ++i)
          if (factor.empty())
            result[i] = deviation(i, unknown_deviation) * normal[i];
          else
            for (std::size_t j = 0; j <= i; ++j)
              result[i] += factor(i, j) * normal[j];
        return result;
      }

      /**
       * Logarithm of the density of each measurement, given the prediction and,
       * if errors are not independent, all other measurements: what
       * leave-one-out cross-validation asks for.
       */
      std::vector<double>
      log_densities(const std::vector<double> &predictions,
                    const double               unknown_deviation) const
      {
        const std::size_t   n = description.measurements.size();
        std::vector<double> residuals(n), result(n);
        for (std::size_t i = 0; i < n; ++i)
          residuals[i] = description.measurements[i].value - predictions[i];
        for (std::size_t i = 0; i < n; ++i)
          {
            double one_deviation = deviation(i, unknown_deviation),
                   residual      = residuals[i] / one_deviation;
            if (!precision.empty())
              {
                double weighted = 0.;
                for (std::size_t j = 0; j < n; ++j)
                  weighted += precision(i, j) * residuals[j];
                one_deviation = 1. / std::sqrt(precision(i, i));
                residual      = weighted * one_deviation;
              }
            constexpr double log_root_two_pi = 0.9189385332046727;
            result[i] = -0.5 * residual * residual - std::log(one_deviation) -
                        log_root_two_pi;
          }
        return result;
      }

    private:
      double
      deviation(const std::size_t i, const double unknown_deviation) const
      {
        const double known = description.measurements[i].deviation;
        return known > 0. ? known : unknown_deviation;
      }

      const RunDescription      &description;
      dealii::FullMatrix<double> precision, factor;
    };


    /** Unknowns and derived numbers, one variable each. */
    void
    add_columns(DrawGroup               &group,
                const RunDescription    &description,
                std::vector<std::string> taken,
                const unsigned int       first_rung,
                const int                dimension)
    {
      const std::vector<std::string> columns = description.columns();
      for (std::size_t column = 0; column < columns.size(); ++column)
        {
          const int variable = group.add_variable(
            netcdf_name(columns[column], taken),
            NetcdfType::real,
            dimension,
            [=](const RecordedDraw &draw, const std::size_t i) {
              return draw.rungs[first_rung + i].values[column];
            });
          group.group.set_attribute(variable, "long_name", columns[column]);
          if (column < description.priors.size() &&
              !description.priors[column].empty())
            group.group.set_attribute(variable,
                                      "prior",
                                      description.priors[column]);
        }
    }

    /** The energy and its parts, and the replica. */
    void
    add_energies(DrawGroup         &group,
                 const unsigned int first_rung,
                 const int          dimension)
    {
      const int energy =
        group.add_variable("energy",
                           NetcdfType::real,
                           dimension,
                           [=](const RecordedDraw &draw, const std::size_t i) {
                             const RecordedRung &rung =
                               draw.rungs[first_rung + i];
                             return rung.reference + rung.potential;
                           });
      group.group.set_attribute(
        energy,
        "comment",
        "Negative logarithm of the unnormalised density at temperature 1. "
        "There is no momentum in it, so E-BFMI does not apply.");
      group.add_variable("reference",
                         NetcdfType::real,
                         dimension,
                         [=](const RecordedDraw &draw, const std::size_t i) {
                           return draw.rungs[first_rung + i].reference;
                         });
      group.add_variable("potential",
                         NetcdfType::real,
                         dimension,
                         [=](const RecordedDraw &draw, const std::size_t i) {
                           return draw.rungs[first_rung + i].potential;
                         });
      group.add_variable("replica",
                         NetcdfType::integer,
                         dimension,
                         [=](const RecordedDraw &draw, const std::size_t i) {
                           return draw.rungs[first_rung + i].replica;
                         });
    }

    void
    add_statistics(DrawGroup &group)
    {
      group.add_variable("lp",
                         NetcdfType::real,
                         -1,
                         [](const RecordedDraw &draw, const std::size_t) {
                           return -(draw.rungs[0].reference +
                                    draw.rungs[0].potential);
                         });
      add_energies(group, 0, -1);
      group.add_variable("acceptance_rate",
                         NetcdfType::real,
                         -1,
                         [](const RecordedDraw &draw, const std::size_t) {
                           return draw.rungs[0].acceptance;
                         });
      group.add_variable("step_size",
                         NetcdfType::real,
                         -1,
                         [](const RecordedDraw &draw, const std::size_t) {
                           return draw.rungs[0].step_size;
                         });
      const int diverging =
        group.add_variable("diverging",
                           NetcdfType::boolean,
                           -1,
                           [](const RecordedDraw &draw, const std::size_t) {
                             return draw.rungs[0].non_finite > 0 ? 1. : 0.;
                           });
      group.group.set_attribute(
        diverging,
        "comment",
        "Whether a proposal since the last draw had no finite energy.");
    }


    /** Temperatures by chain and rung, at the last report. */
    std::vector<std::vector<double>>
    temperatures_of(const RecordedRun &run)
    {
      const std::size_t n_rungs = run.description().kernels.size();
      std::vector<std::vector<double>> result(run.n_chains(),
                                              std::vector<double>(n_rungs,
                                                                  nan));
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        if (!run.reports(chain).empty())
          {
            const RunReport &report = run.reports(chain).back();
            for (std::size_t i = 0; i < std::min(n_rungs, report.rungs.size());
                 ++i)
              result[chain][i] = report.rungs[i].temperature;
          }
      return result;
    }

    /** What is to be said if the draws are not of the posterior. */
    std::string
    note_on_temperature(const std::vector<std::vector<double>> &temperatures)
    {
      for (const std::vector<double> &rungs : temperatures)
        if (!rungs.empty() && std::isfinite(rungs[0]) && rungs[0] != 1.)
          return "The coldest temperature is " + to_text(rungs[0]) +
                 ", not 1: these are draws of the tempered posterior, not of "
                 "the posterior.";
      return "";
    }


    /**
     * What the states predicted, against the measurements. Those draws are
     * written that all chains have.
     */
    class Predictions
    {
    public:
      explicit Predictions(const RecordedRun &run)
        : run(run)
        , description(run.description())
        , errors(description)
      {
        if (description.measurements.empty())
          return;
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          {
            std::vector<std::uint64_t> its_draws, common;
            for (const auto &one : read(chain))
              its_draws.push_back(one.first);
            if (chain == 0)
              draws = its_draws;
            std::set_intersection(draws.begin(),
                                  draws.end(),
                                  its_draws.begin(),
                                  its_draws.end(),
                                  std::back_inserter(common));
            draws = common;
          }
      }

      /** Which draws, counted from 0 after burn-in. */
      const std::vector<std::uint64_t> &
      get_draws() const
      {
        return draws;
      }

      void
      define(NetcdfGroup &root)
      {
        if (draws.empty())
          return;
        predictive.emplace(root.add_group("posterior_predictive"), *this);
        prediction = predictive->add_variable("prediction");
        if (errors.are_known())
          {
            replicate = predictive->add_variable("y");
            likelihood.emplace(root.add_group("log_likelihood"), *this);
            log_density = likelihood->add_variable("y");
          }
      }

      /**
       * @param deviations The unknown standard deviation at the draws; empty if
       * there is none.
       */
      void
      write(const unsigned int chain, const std::vector<double> &deviations)
      {
        if (draws.empty())
          return;
        std::vector<double> predictions, replicates, log_densities;
        const auto          values = read(chain);
        const auto          append = [](std::vector<double>       &all,
                               const std::vector<double> &some) {
          all.insert(all.end(), some.begin(), some.end());
        };
        for (std::size_t k = 0; k < draws.size(); ++k)
          {
            const std::vector<double> &expected = values.at(draws[k]);
            const double               deviation =
              k < deviations.size() ? deviations[k] : nan;
            std::vector<double> replicate =
              errors.drawn(chain, draws[k], deviation);
            for (std::size_t i = 0; i < replicate.size(); ++i)
              replicate[i] += expected[i];
            append(predictions, expected);
            append(replicates, replicate);
            append(log_densities, errors.log_densities(expected, deviation));
          }
        predictive->write(prediction, chain, predictions);
        if (likelihood)
          {
            predictive->write(replicate, chain, replicates);
            likelihood->write(log_density, chain, log_densities);
          }
      }

    private:
      /** Of some draws, by chain, draw and measurement. */
      struct Group
      {
        Group(const NetcdfGroup &the_group, const Predictions &predictions)
          : group(the_group)
          , n_draws(predictions.draws.size())
          , n_measurements(predictions.description.measurements.size())
          , dimensions(
              {group.add_counting_dimension("chain",
                                            predictions.run.n_chains()),
               group.add_dimension("draw", n_draws),
               add_measurements(group, predictions.description)})
        {
          group.add_variable("draw",
                             NetcdfType::long_integer,
                             {dimensions[1]},
                             {predictions.draws.begin(),
                              predictions.draws.end()});
          add_origin(group, predictions.description);
        }

        int
        add_variable(const std::string &name)
        {
          return group.add_variable(name, NetcdfType::real, dimensions);
        }

        void
        write(const int                  variable,
              const unsigned int         chain,
              const std::vector<double> &numbers)
        {
          group.write(variable,
                      {chain, 0, 0},
                      {1, n_draws, n_measurements},
                      numbers.data());
        }

        NetcdfGroup            group;
        const std::size_t      n_draws, n_measurements;
        const std::vector<int> dimensions;
      };

      /** By draw; only those that can be written. */
      std::map<std::uint64_t, std::vector<double>>
      read(const unsigned int chain) const
      {
        std::map<std::uint64_t, std::vector<double>> result;
        const std::uint64_t                          n = run.n_common_draws();
        for (RecordedPrediction &one : run.predictions(chain))
          if (one.draw < n &&
              one.values.size() == description.measurements.size())
            result[one.draw] = std::move(one.values);
        return result;
      }

      const RecordedRun         &run;
      const RunDescription      &description;
      const Errors               errors;
      std::vector<std::uint64_t> draws;
      std::optional<Group>       predictive, likelihood;
      int                        prediction = 0, replicate = 0, log_density = 0;
    };


    /** One number of each measurement. */
    void
    add_numbers(NetcdfGroup          &group,
                const std::string    &name,
                const RunDescription &description,
                double RunDescription::Measurement::*number)
    {
      std::vector<double> numbers;
      for (const auto &measurement : description.measurements)
        numbers.push_back(measurement.*number);
      group.add_variable(name,
                         NetcdfType::real,
                         {add_measurements(group, description)},
                         numbers);
    }


    /** Measurements, their deviations, true values, draws from the prior. */
    void
    add_known(NetcdfGroup &root, const RunDescription &description)
    {
      using Measurement    = RunDescription::Measurement;
      const auto add_group = [&](const std::string &name) {
        NetcdfGroup group = root.add_group(name);
        add_origin(group, description);
        return group;
      };
      const std::vector<Measurement> &measurements = description.measurements;
      if (!measurements.empty())
        {
          NetcdfGroup observed = add_group("observed_data");
          add_numbers(observed, "y", description, &Measurement::value);
        }

      const bool has_deviations =
        !measurements.empty() &&
        std::all_of(measurements.begin(),
                    measurements.end(),
                    [](const Measurement &one) { return one.deviation > 0.; });
      // There may be several answers.
      std::size_t n_true =
        description.truth.empty() ? 0 : description.names.size();
      for (const std::vector<double> &truth : description.truth)
        n_true = std::min(n_true, truth.size());
      if (has_deviations || n_true > 0)
        {
          NetcdfGroup constant = add_group("constant_data");
          if (has_deviations)
            add_numbers(constant,
                        "deviation",
                        description,
                        &Measurement::deviation);
          const int answers =
            n_true == 0 ?
              0 :
              constant.add_counting_dimension("answer",
                                              description.truth.size());
          std::vector<std::string> taken;
          for (std::size_t i = 0; i < n_true; ++i)
            {
              const std::string  &name = description.names[i];
              std::vector<double> values;
              for (const std::vector<double> &truth : description.truth)
                values.push_back(truth[i]);
              const int variable =
                constant.add_variable(netcdf_name("true_" + name, taken),
                                      NetcdfType::real,
                                      {answers},
                                      values);
              constant.set_attribute(variable,
                                     "long_name",
                                     "true value of " + name);
            }
        }

      if (!description.prior_draws.empty() &&
          !description.prior_draws[0].empty())
        {
          NetcdfGroup            prior      = add_group("prior");
          const std::vector<int> dimensions = {
            prior.add_counting_dimension("chain", 1),
            prior.add_counting_dimension("draw",
                                         description.prior_draws[0].size())};
          std::vector<std::string> taken = {"chain", "draw"};
          for (std::size_t i = 0; i < description.names.size(); ++i)
            {
              const int variable =
                prior.add_variable(netcdf_name(description.names[i], taken),
                                   NetcdfType::real,
                                   dimensions,
                                   description.prior_draws[i]);
              prior.set_attribute(variable, "long_name", description.names[i]);
            }
        }
    }


    /** The rungs above the coldest. */
    DrawGroup
    make_tempered(NetcdfGroup                            &root,
                  const RecordedRun                      &run,
                  const std::uint64_t                     n_draws,
                  const std::vector<std::vector<double>> &temperatures)
    {
      DrawGroup             draws(root.add_group("tempered_posterior"),
                      run.n_chains(),
                      n_draws);
      const RunDescription &description = run.description();
      add_origin(draws.group, description);
      const unsigned int n_rungs = description.n_recorded_rungs - 1;
      draws.add_dimension("rung", n_rungs, 1);
      std::vector<double> numbers;
      for (const std::vector<double> &of_chain : temperatures)
        numbers.insert(numbers.end(),
                       of_chain.begin() + 1,
                       of_chain.begin() + 1 + n_rungs);
      const int temperature =
        draws.group.add_variable("temperature",
                                 NetcdfType::real,
                                 {draws.chain_dimension(),
                                  draws.inner_dimension(0)},
                                 numbers);
      std::vector<std::string> levels;
      for (unsigned int rung = 1; rung <= n_rungs; ++rung)
        levels.push_back(description.levels[description.rung_levels[rung]]);
      draws.group.add_text_variable("level", draws.inner_dimension(0), levels);
      // How xarray is told that these are coordinates.
      draws.group.set_attribute("coordinates", "temperature level");
      draws.group.set_attribute(temperature,
                                "comment",
                                "As it was last; each chain adapts its own "
                                "in burn-in, unless they are given.");
      add_energies(draws, 1, 0);
      add_columns(draws,
                  description,
                  {"chain",
                   "draw",
                   "rung",
                   "temperature",
                   "level",
                   "energy",
                   "reference",
                   "potential",
                   "replica"},
                  1,
                  0);
      return draws;
    }


    void
    add_swaps(DrawGroup &group, const RunDescription &description)
    {
      const std::size_t n_pairs = description.kernels.size() - 1;
      group.add_dimension("pair", n_pairs, 0);
      group.add_dimension("rung", description.n_recorded_rungs, 0);
      group.add_variable("attempts",
                         NetcdfType::integer,
                         0,
                         [](const RecordedDraw &draw, const std::size_t i) {
                           return draw.swaps[i].attempts;
                         });
      group.add_variable("accepted",
                         NetcdfType::integer,
                         0,
                         [](const RecordedDraw &draw, const std::size_t i) {
                           return draw.swaps[i].accepted;
                         });
      group.add_variable("replica",
                         NetcdfType::integer,
                         1,
                         [](const RecordedDraw &draw, const std::size_t i) {
                           return draw.rungs[i].replica;
                         });
      const int trips =
        group.add_variable("round_trips",
                           NetcdfType::long_integer,
                           -1,
                           [](const RecordedDraw &draw, const std::size_t) {
                             return draw.round_trips;
                           });
      group.group.set_attribute(trips,
                                "comment",
                                "Completed so far, after burn-in.");
    }
  } // namespace



  void
  write_samples_netcdf(const RecordedRun &run, const std::string &path)
  {
    const RunDescription &description = run.description();
    const unsigned int    n_chains    = run.n_chains();
    const bool            has_draws   = description.n_recorded_rungs > 0;
    std::uint64_t         n_draws     = has_draws ? run.n_common_draws() : 0,
                  n_burn_in           = has_draws ? run.n_burn_in_draws(0) : 0;
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      n_burn_in = std::min(n_burn_in, run.n_burn_in_draws(chain));

    TemporaryFile file(path);
    NetcdfFile    netcdf(file.get_temporary_path(), path);
    NetcdfGroup   root = netcdf.root();
    add_origin(root, description);
    root.set_attribute("title", description.title);
    root.set_attribute("family", description.family);
    root.set_attribute("parameters", description.parameters);
    root.set_attribute("thinning", description.thinning);
    const auto        temperatures = temperatures_of(run);
    const std::string note         = note_on_temperature(temperatures);
    if (!note.empty())
      root.set_attribute("note", note);
    if (!run.get_damages().empty())
      root.set_attribute("damages", join(run.get_damages(), "\n"));

    // First everything is defined. All groups of a phase see the same draws.
    std::vector<std::unique_ptr<DrawGroup>> warmup, sampling;
    const auto add_group = [&](const std::string &name, const bool is_warmup) {
      auto group = std::make_unique<DrawGroup>(root.add_group(name),
                                               n_chains,
                                               is_warmup ? n_burn_in : n_draws);
      add_origin(group->group, description);
      if (!note.empty())
        group->group.set_attribute("note", note);
      auto &phase = is_warmup ? warmup : sampling;
      phase.push_back(std::move(group));
      return phase.back().get();
    };
    const std::vector<std::string> dimensions = {"chain", "draw"};
    add_columns(*add_group("posterior", false), description, dimensions, 0, -1);
    add_statistics(*add_group("sample_stats", false));
    if (n_burn_in > 0)
      {
        add_columns(
          *add_group("warmup_posterior", true), description, dimensions, 0, -1);
        add_statistics(*add_group("warmup_sample_stats", true));
      }
    if (n_draws > 0 && description.n_recorded_rungs > 1)
      sampling.push_back(std::make_unique<DrawGroup>(
        make_tempered(root, run, n_draws, temperatures)));
    if (n_draws > 0 && description.kernels.size() > 1)
      add_swaps(*add_group("swaps", false), description);
    Predictions predictions(run);
    predictions.define(root);
    LevelSamples levels(run, [&](const std::string &name) {
      NetcdfGroup group = root.add_group(name);
      add_origin(group, description);
      return group;
    });
    add_known(root, description);
    netcdf.end_definitions();
    levels.write();

    // Then the numbers, draw by draw.
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      {
        std::vector<double> deviations;
        std::uint64_t       number         = 0;
        auto                next_predicted = predictions.get_draws().begin();
        if (has_draws)
          run.for_each_draw(chain, [&](const RecordedDraw &draw) {
            for (auto &group : draw.is_burn_in ? warmup : sampling)
              group->add(chain, draw);
            if (draw.is_burn_in)
              return;
            if (next_predicted != predictions.get_draws().end() &&
                *next_predicted == number)
              {
                ++next_predicted;
                if (description.deviation_unknown >= 0)
                  deviations.push_back(
                    draw.rungs[0].values[description.deviation_unknown]);
              }
            ++number;
          });
        bool is_complete = true;
        for (auto *phase : {&warmup, &sampling})
          for (auto &group : *phase)
            is_complete = group->finish(chain) && is_complete;
        if (!is_complete)
          throw UserError("The record in '" + run.get_folder() +
                          "' became shorter while '" + path +
                          "' was made from it: the run was begun or resumed "
                          "meanwhile. Call 'tempera export' again.");
        predictions.write(chain, deviations);
      }
    netcdf.close();
    file.publish();
  }


  namespace
  {
    class NetcdfExporter : public Exporter
    {
    public:
      bool
      is_default() const override
      {
        return true;
      }

      std::vector<std::string>
      write(const RecordedRun &run,
            const Analysis *,
            const std::string &folder) const override
      {
        const std::string path = folder + "/samples.nc";
        write_samples_netcdf(run, path);
        return {path};
      }
    };

    const Registration<ExporterRegistry, NetcdfExporter>
      registration("NetCDF",
                   "All draws as samples.nc, which ArviZ and xarray read.");
  } // namespace
} // namespace Tempera
