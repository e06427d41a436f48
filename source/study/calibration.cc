// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/diagnostics.h>
#include <tempera/output/journal.h>
#include <tempera/output/progress.h>
#include <tempera/output/rank_histogram.h>
#include <tempera/output/run_folder.h>
#include <tempera/run/version.h>
#include <tempera/sampler/replica_exchange.h>
#include <tempera/study/studies.h>
#include <tempera/target/forward_target.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Uses of the random numbers of a calibration: RandomKey::stream. */
    enum class Use : std::uint64_t
    {
      truth  = 0,
      errors = 1,
      seed   = 2,
      ties   = 3
    };

    /** What one of the many runs leaves. */
    struct RankedRun
    {
      std::uint64_t       seed = 0;
      std::vector<double> truth;
      /** As many independent draws know as much of the worst quantity. */
      double effective_size = 0.;
      /**
       * By quantity and draw: -1 if the draw is below the truth, 1 if above, 0
       * if equal. Of a long run, evenly spaced draws.
       */
      std::vector<std::vector<signed char>> comparisons;
    };


    /** Makes truths and data, and runs the sampler on them. */
    class Calibration
    {
    public:
      /** @param nature Where truths and data come from. */
      Calibration(ForwardTarget     &target,
                  ForwardTarget     &nature,
                  const RunSettings &settings,
                  const double       noise_factor)
        : settings(settings)
        , noise_factor(noise_factor)
        , target(target)
        , nature(nature)
        , cold_level(settings.ladder.levels[0])
      {
        for (const Unknown &unknown : target.unknowns())
          names.push_back(unknown.name);
        for (const std::string &name : names)
          {
            const auto &natural = nature.unknowns();
            const auto  place   = std::find_if(natural.begin(),
                                            natural.end(),
                                            [&](const Unknown &one) {
                                              return one.name == name;
                                            });
            if (place == natural.end())
              throw UserError(
                "tempera calibrate: truths with --truth have no '" + name +
                "', which the file has as an unknown. Give "
                "it a prior there, or a number in the "
                "file.");
            places.push_back(place - natural.begin());
          }
        names.push_back("log-likelihood");
      }

      /** Of what is ranked: the unknowns, then the log-likelihood. */
      const std::vector<std::string> &
      quantities() const
      {
        return names;
      }

      const std::vector<Unknown> &
      unknowns() const
      {
        return target.unknowns();
      }

      /** One truth with its data and its run; to be ignored if stopped. */
      RankedRun
      run(const unsigned int number, const std::atomic<bool> &stop) const;

      RandomKey
      key(const unsigned int  run,
          const Use           use,
          const std::uint32_t substep = 0) const
      {
        RandomKey result;
        result.seed    = settings.run.seed;
        result.purpose = Purpose::calibration;
        result.round   = run;
        result.substep = substep;
        result.stream  = static_cast<std::uint64_t>(use);
        return result;
      }

    private:
      /** A truth from the prior and the data that it explains. */
      std::vector<double>
      draw_truth(const unsigned int number, std::vector<double> &data) const;

      /** What an energy has beyond the priors: minus the log-likelihood. */
      double
      log_likelihood(const dealii::ArrayView<const double> &state,
                     const double                           energy) const
      {
        return target.prior()->energy(state, {}) - energy;
      }

      const RunSettings &settings;
      const double       noise_factor;
      ForwardTarget     &target, &nature;
      const std::string  cold_level;
      /** Where nature has the unknowns. */
      std::vector<std::size_t> places;
      std::vector<std::string> names;
    };



    std::vector<double>
    Calibration::draw_truth(const unsigned int   number,
                            std::vector<double> &data) const
    {
      // A truth without a solution has no data, and no posterior either: the
      // prior is the one of the solvable states.
      constexpr unsigned int most_attempts = 1000;
      const auto             is_finite = [](const std::vector<double> &all) {
        return std::all_of(all.begin(), all.end(), [](const double value) {
          return std::isfinite(value);
        });
      };

      const auto          its_model  = nature.model(cold_level);
      const ForwardModel &model      = *its_model;
      const Likelihood   &likelihood = nature.get_likelihood();
      std::vector<double> truth;
      data.resize(model.n_predictions());
      for (unsigned int attempt = 0; attempt < most_attempts; ++attempt)
        {
          truth = nature.prior()->sample(key(number, Use::truth, attempt));
          model.evaluate(dealii::ArrayView<const double>(truth.data(),
                                                         model.n_parameters()),
                         dealii::make_array_view(data),
                         false);
          if (!is_finite(data))
            continue;
          std::vector<double> normals(data.size());
          fill_normals(key(number, Use::errors),
                       dealii::make_array_view(normals));
          likelihood.add_errors(likelihood.noise_of(dealii::make_array_view(
                                  std::as_const(truth))),
                                dealii::make_array_view(std::as_const(normals)),
                                noise_factor,
                                data);
          // A prediction without logarithm has no data either.
          if (!is_finite(data))
            continue;
          std::vector<double> result;
          for (const std::size_t place : places)
            result.push_back(truth[place]);
          return result;
        }
      throw UserError(
        "None of " + std::to_string(most_attempts) +
        " draws from the prior has a solution of the equation, so that there "
        "are no data to calibrate with. Narrow the priors of 'Problem/"
        "Unknowns', or look at the coefficients of the equation.");
    }



    RankedRun
    Calibration::run(const unsigned int       number,
                     const std::atomic<bool> &stop) const
    {
      constexpr std::size_t most_comparisons = 2048;
      constexpr double      seeds            = 9007199254740992.; // 2^53

      RankedRun result;
      result.seed =
        static_cast<std::uint64_t>(seeds * uniform(key(number, Use::seed)));
      std::vector<double> data;
      result.truth = draw_truth(number, data);
      const auto likelihood =
        target.get_likelihood().with_values(std::move(data));
      std::vector<Level> levels;
      for (const std::string &name : settings.used_levels())
        levels.push_back({name, target.energy_for(name, likelihood)});
      const std::shared_ptr<const Energy> energy = levels[0].energy;

      Ladder ladder(settings.ladder,
                    settings.kernel,
                    std::move(levels),
                    target.prior());
      if (std::abs(ladder[0].temperature - 1.) > 1e-12)
        throw UserError(
          "The coldest temperature is " + to_text(ladder[0].temperature, 4) +
          ", but only draws at temperature 1 are draws from the posterior, "
          "which is what can be calibrated. Set 'Sampler/Ladder/Lowest "
          "temperature' to 1, or the first of 'Temperatures'.");
      RunParameters run_parameters = settings.run;
      run_parameters.seed          = result.seed;
      std::vector<std::vector<double>> start;
      for (unsigned int rung = 0; rung < ladder.size(); ++rung)
        {
          RandomKey key;
          key.seed    = result.seed;
          key.rung    = rung;
          key.purpose = Purpose::start;
          start.push_back(target.start(key));
        }
      ReplicaExchange sampler(run_parameters,
                              settings.swaps,
                              std::move(ladder),
                              start);

      std::vector<std::vector<double>> draws(names.size());
      sampler.signals.draw.connect([&](const Draw &draw) {
        if (draw.rung != 0 || draw.is_burn_in)
          return;
        for (std::size_t i = 0; i + 1 < names.size(); ++i)
          draws[i].push_back(draw.position[i]);
        draws.back().push_back(log_likelihood(draw.position, draw.energy()));
      });
      sampler.run(stop);
      if (stop.load())
        return result;
      if (draws[0].empty())
        throw UserError("No draw was kept: 'Burn-in' or 'Work budget' leaves "
                        "none. Raise 'Iterations' or 'Work budget'.");

      Evaluation evaluation;
      evaluation.reference_gradient.resize(result.truth.size());
      evaluation.potential_gradient.resize(result.truth.size());
      energy->evaluate(dealii::make_array_view(std::as_const(result.truth)),
                       RandomKey(),
                       Request::values,
                       evaluation);
      std::vector<double> true_values = result.truth;
      true_values.push_back(-evaluation.potential);

      result.effective_size = draws[0].size();
      const std::size_t stride =
        (draws[0].size() + most_comparisons - 1) / most_comparisons;
      for (std::size_t i = 0; i < names.size(); ++i)
        {
          const double size = convergence({draws[i]}).effective_size;
          result.effective_size =
            std::min(result.effective_size, std::isfinite(size) ? size : 0.);
          std::vector<signed char> comparison;
          for (std::size_t k = stride - 1; k < draws[i].size(); k += stride)
            comparison.push_back((draws[i][k] > true_values[i]) -
                                 (draws[i][k] < true_values[i]));
          result.comparisons.push_back(comparison);
        }
      return result;
    }


    /**
     * How many draws of each run can count as independent: half the effective
     * size, of all but one run in twenty. One less than a power of two, so that
     * ranks can be binned.
     */
    unsigned int
    independent_draws(const std::vector<RankedRun> &runs)
    {
      constexpr unsigned int least = 7, most = 127;

      std::vector<double> sizes;
      for (const RankedRun &run : runs)
        sizes.push_back(run.effective_size);
      std::sort(sizes.begin(), sizes.end());
      unsigned int n_draws = most;
      while (n_draws > least && 0.5 * sizes[sizes.size() / 20] < n_draws)
        n_draws /= 2;
      return n_draws;
    }

    /** The rank of a truth among some of the draws, ties at random. */
    unsigned int
    rank(const std::vector<signed char> &comparison,
         const unsigned int              n_draws,
         const double                    uniform)
    {
      unsigned int n_below = 0, n_equal = 0;
      for (unsigned int k = 0; k < n_draws; ++k)
        {
          const signed char one =
            comparison[(k + 0.5) / n_draws * comparison.size()];
          n_below += one < 0;
          n_equal += one == 0;
        }
      return n_below + std::min<unsigned int>(n_equal, uniform * (n_equal + 1));
    }

    std::string
    ranks_csv(const Calibration             &calibration,
              const std::vector<RankedRun>  &runs,
              const std::vector<TruthRanks> &ranks,
              const unsigned int             n_draws)
    {
      std::string text = "run,seed,effective_size,draws";
      for (const TruthRanks &one : ranks)
        text += ",rank_" + one.name;
      for (const Unknown &unknown : calibration.unknowns())
        text += ",true_" + unknown.name;
      text += "\n";
      for (std::size_t r = 0; r < runs.size(); ++r)
        {
          text += std::to_string(r + 1) + "," + std::to_string(runs[r].seed) +
                  "," + to_text(runs[r].effective_size, 6) + "," +
                  std::to_string(n_draws);
          for (const TruthRanks &one : ranks)
            text += "," + std::to_string(one.ranks[r]);
          for (const double value : runs[r].truth)
            text += "," + to_text(value);
          text += "\n";
        }
      return text;
    }

    /** What else is to be said of a result. */
    std::string
    remarks(const std::vector<RankedRun> &runs,
            const unsigned int            n_draws,
            const RankHistograms         &histograms)
    {
      std::string       text;
      const std::size_t n_poor =
        std::count_if(runs.begin(), runs.end(), [&](const RankedRun &run) {
          return run.effective_size < 2. * n_draws;
        });
      if (n_poor > runs.size() / 10)
        text += "Warning: in " + std::to_string(n_poor) + " of " +
                counted(runs.size(), "run") +
                " the draws are too dependent for ranks among " +
                std::to_string(n_draws) +
                ", which makes ranks too extreme: a wrong posterior is then "
                "no news of the model, but of runs that are too short. Raise "
                "'Iterations', or improve the sampler.\n";
      const RankHistogram &fit = histograms.get_histograms().back();
      if (fit.shape == RankShape::low)
        text += "The truth fits the data worse than the draws do: the data "
                "have larger errors than the likelihood assumes, or the draws "
                "are too narrow.\n";
      if (fit.shape == RankShape::high)
        text += "The truth fits the data better than the draws do: the data "
                "have smaller errors than the likelihood assumes, or the draws "
                "are too wide.\n";
      return text;
    }

    void
    check_options(const RunSettings        &settings,
                  const CalibrationOptions &options)
    {
      if (settings.samples_prior())
        throw UserError("'tempera calibrate' is about the posterior, but "
                        "'Target = prior' leaves the data out. Remove it.");
      constexpr unsigned int most_runs = 1000000;
      if (options.n_runs < RankHistograms::least_runs ||
          options.n_runs > most_runs)
        throw UserError("tempera calibrate: --runs must be between " +
                        std::to_string(RankHistograms::least_runs) + " and " +
                        std::to_string(most_runs) +
                        "; 100 and more are worth while.");
      if (!(options.noise_factor >= 0.) || std::isinf(options.noise_factor))
        throw UserError("tempera calibrate: --noise-factor must be a number "
                        "that is not negative.");
    }
  } // namespace



  CalibrationResult
  calibrate(Target                   &target,
            const RunSettings        &settings,
            const CalibrationOptions &options,
            std::ostream             &out,
            const std::atomic<bool>  &stop)
  {
    using Clock          = std::chrono::steady_clock;
    constexpr auto pause = std::chrono::seconds(5);

    check_options(settings, options);
    if (target.forward() == nullptr ||
        (options.nature != nullptr && options.nature->forward() == nullptr))
      throw UserError(
        "'tempera calibrate' is not available for what this file samples: "
        "there is no forward model that could make data from a truth. Set "
        "'Problem/Type'; for an analytic energy, 'tempera truth' compares "
        "draws with the exact answer.");
    const Calibration calibration(*target.forward(),
                                  options.nature ? *options.nature->forward() :
                                                   *target.forward(),
                                  settings,
                                  options.noise_factor);
    const RunFolder   folder(options.folder, options.overwrite);
    folder.write("parameters.prm", settings.complete_parameters());
    Journal journal(out, folder);
    journal.write(
      "-- Tempera " + version() + ": calibration, " +
      counted(options.n_runs, "run") + " of " +
      std::to_string(settings.run.iterations) +
      " rounds\n--     . truths from the prior, data from level '" +
      settings.ladder.levels[0] + "', every rung starts at a draw from the " +
      "prior\n" +
      (options.noise_factor != 1. ?
         "--     . errors of the data are " + to_text(options.noise_factor, 4) +
           " times what the likelihood assumes: it is wrong on purpose\n" :
         "") +
      (options.nature != nullptr ?
         "--     . truths and data are of another file (--truth): it is wrong "
         "on purpose\n" :
         "") +
      "--     . results in " + folder.get_path() + "\n");

    std::vector<RankedRun> runs;
    const auto             begin     = Clock::now();
    auto                   last_word = begin;
    while (runs.size() < options.n_runs && !stop.load())
      {
        RankedRun one;
        try
          {
            one = calibration.run(runs.size(), stop);
          }
        catch (const UserError &error)
          {
            throw UserError("Run " + std::to_string(runs.size() + 1) +
                            " of the calibration has failed. " + error.what());
          }
        if (stop.load())
          break;
        runs.push_back(std::move(one));
        const auto now = Clock::now();
        if (now - last_word > pause)
          {
            last_word = now;
            const double seconds =
              std::chrono::duration<double>(now - begin).count();
            journal.write(
              "-- " + std::to_string(runs.size()) + " of " +
              counted(options.n_runs, "run") + ", " +
              duration_text(seconds * (options.n_runs - runs.size()) /
                            runs.size()) +
              " left\n");
          }
      }
    const bool is_stopped = runs.size() < options.n_runs;
    if (is_stopped)
      journal.write("-- stopped after " + std::to_string(runs.size()) + " of " +
                    counted(options.n_runs, "run") + "\n");
    if (runs.empty())
      return CalibrationResult::stopped;

    const unsigned int      n_draws = independent_draws(runs);
    std::vector<TruthRanks> ranks;
    for (const std::string &name : calibration.quantities())
      {
        TruthRanks one{name, {}};
        for (unsigned int r = 0; r < runs.size(); ++r)
          one.ranks.push_back(
            rank(runs[r].comparisons[ranks.size()],
                 n_draws,
                 uniform(calibration.key(r, Use::ties, ranks.size()))));
        ranks.push_back(one);
      }
    const RankHistograms histograms(ranks, n_draws);
    folder.write("calibration.csv",
                 ranks_csv(calibration, runs, ranks, n_draws));
    folder.write("calibration_test.csv", histograms.csv());
    folder.write("calibration.svg", histograms.svg());
    journal.write(histograms.text() + remarks(runs, n_draws, histograms));
    return is_stopped            ? CalibrationResult::stopped :
           histograms.are_even() ? CalibrationResult::calibrated :
                                   CalibrationResult::wrong;
  }
} // namespace Tempera
