// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/recorded_potentials.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** The last word of a chain on its rungs. */
    const std::vector<RungReport> &
    last_rungs(const RecordedRun &run, const unsigned int chain)
    {
      return run.reports(chain).back().rungs;
    }

    /** Keeps potentials as long as there are few, and then every other one. */
    class Keeper
    {
    public:
      Keeper(const RecordedRun &run)
        : run(run)
        , description(run.description())
        , result(description.kernels.size())
      {
        for (unsigned int r = 0; r < result.size(); ++r)
          {
            result[r].level = description.rung_levels[r];
            if (description.has_potentials)
              {
                const unsigned int stride =
                  potential_stride(description.paces,
                                   description.rung_levels,
                                   r);
                result[r].pace = (description.paces[r] + stride - 1) / stride;
              }
            result[r].chains.resize(run.n_chains());
            for (unsigned int c = 0; c < run.n_chains(); ++c)
              result[r].chains[c].exponent =
                1. / last_rungs(run, c)[r].temperature;
          }
        choose_stride();
        for (unsigned int c = 0; c < run.n_chains(); ++c)
          if (description.has_potentials)
            read_potentials(c);
          else
            read_draws(c);
        // Nothing is gained by more rounds than that, but time is lost.
        constexpr std::uint64_t most_rounds = 20000;
        const std::uint64_t     n           = n_common_rounds(result);
        for (RungPotentials &rung : result)
          rung.pace *= n / most_rounds + 1;
      }

      std::vector<RungPotentials>
      take()
      {
        return std::move(result);
      }

    private:
      /** One of so many rounds is kept; odd, see ManyStates. */
      void
      choose_stride()
      {
        constexpr std::uint64_t most_numbers = 1 << 21;
        std::uint64_t           n_of_round   = 0;
        for (const RungPotentials &rung : result)
          n_of_round += rung.pace * run.n_chains();
        std::uint64_t n_rounds = 0;
        for (unsigned int c = 0; c < run.n_chains(); ++c)
          n_rounds =
            std::max(n_rounds,
                     description.has_potentials ? run.reports(c).back().rounds :
                                                  run.n_draws(c));
        stride = (n_rounds * n_of_round / most_numbers) | 1;
      }

      void
      read_draws(const unsigned int c)
      {
        std::uint64_t number = 0;
        run.for_each_draw(c, [&](const RecordedDraw &draw) {
          if (draw.is_burn_in || number++ % stride != 0)
            return;
          for (unsigned int r = 0; r < result.size(); ++r)
            {
              const double potential = draw.rungs[r].potential;
              result[r].chains[c].own.push_back(
                std::isfinite(potential) ?
                  potential :
                  std::numeric_limits<double>::infinity());
            }
        });
      }

      void
      read_potentials(const unsigned int c)
      {
        std::vector<std::uint64_t> numbers(result.size(), 0);
        run.for_each_potential(c, [&](const KnownPotential &one) {
          RungPotentials        &rung   = result[one.rung];
          RungPotentials::Chain &chain  = rung.chains[c];
          const bool             is_own = one.level == rung.level;
          const std::uint64_t    number =
            is_own ? numbers[one.rung]++ : numbers[one.rung] - 1;
          if (number / rung.pace % stride != 0)
            return;
          if (is_own)
            {
              chain.own.push_back(one.potential);
              return;
            }
          std::vector<double> &list =
            one.rung > 0 && result[one.rung - 1].level == one.level ?
              chain.colder :
              chain.hotter;
          list.resize(chain.own.size(),
                      std::numeric_limits<double>::quiet_NaN());
          if (!list.empty())
            list.back() = one.potential;
        });
        for (RungPotentials &rung : result)
          for (std::vector<double> *list :
               {&rung.chains[c].colder, &rung.chains[c].hotter})
            if (!list->empty())
              list->resize(rung.chains[c].own.size(),
                           std::numeric_limits<double>::quiet_NaN());
      }

      const RecordedRun          &run;
      const RunDescription       &description;
      std::vector<RungPotentials> result;
      std::uint64_t               stride = 1;
    };
  } // namespace



  std::vector<RungPotentials>
  recorded_potentials(const RecordedRun &run)
  {
    return Keeper(run).take();
  }



  Evidence
  evidence_objection(const RecordedRun &run)
  {
    const RunDescription &description = run.description();
    Evidence              result;
    result.constant   = description.likelihood_constant;
    const auto object = [&](const std::string &what,
                            const std::string &remedy) {
      result.objection = what;
      result.remedy    = remedy;
      return result;
    };
    const std::string to_the_prior =
      "Set 'Sampler/Ladder/Temper = likelihood' and let 'Temperatures' end "
      "with 'infinity' (or 'Temperatures = automatic' with 'Highest temperature "
      "= infinity').";
    if (!description.has_proper_prior)
      return object("what is sampled has no prior that is a law of its own, "
                    "which an evidence is an average over",
                    "Give all unknowns proper priors: bounds or a standard "
                    "deviation.");
    for (unsigned int c = 0; c < run.n_chains(); ++c)
      if (run.reports(c).empty())
        return object("no chain has come far enough", "Wait.");
    if (run.n_chains() == 0)
      return object("there are no chains", "Run it.");
    if (!description.tempers_likelihood)
      return object("no rung is the prior: with 'Temper = posterior' hot rungs "
                    "flatten the prior, too",
                    to_the_prior);
    const std::vector<RungReport> &rungs = last_rungs(run, 0);
    if (!std::isinf(rungs.back().temperature))
      return object("the ladder ends at the temperature " +
                      to_text(rungs.back().temperature, 4) +
                      " and does not reach the prior",
                    to_the_prior);
    if (std::abs(rungs[0].temperature - 1.) > 1e-12)
      return object("the coldest rung has the temperature " +
                      to_text(rungs[0].temperature, 4) +
                      ", so that it is not the posterior",
                    "Let the first of 'Sampler/Ladder/Temperatures' be 1.");
    for (unsigned int r = 0; r < rungs.size(); ++r)
      {
        if (rungs[r].is_stochastic)
          return object("the energy of rung " + std::to_string(r) +
                          " is noisy, and a mean of its exponential would be "
                          "biased",
                        "Switch its noise off, or use full batches.");
        if (r > 0 && rungs[r].level != rungs[r - 1].level &&
            rungs[r].temperature != rungs[r - 1].temperature)
          return object("the level changes together with the temperature "
                        "between rungs " +
                          std::to_string(r - 1) + " and " + std::to_string(r),
                        "Let a rung of the coarser level have the temperature "
                        "of the finer one, for instance 'Temperatures = 1, 1, "
                        "4, infinity' with 'Levels = fine, coarse, coarse, "
                        "coarse'.");
      }
    const bool is_recorded =
      description.has_potentials ||
      (description.n_recorded_rungs == rungs.size() &&
       (description.paces.empty() || description.paces.back() == 1) &&
       rungs[0].level == rungs.back().level);
    if (!is_recorded)
      return object("the potentials of hot rungs are not recorded",
                    "Run it again with this version.");
    return result;
  }



  Evidence
  recorded_evidence(const RecordedRun &run)
  {
    const Evidence objection = evidence_objection(run);
    if (!objection.is_known())
      return objection;
    const std::vector<RungPotentials> rungs = recorded_potentials(run);
    const std::uint64_t               n     = n_common_rounds(rungs);
    Evidence                          result;
    if (n < fewest_evidence_rounds)
      {
        result.objection = "there are fewer than " +
                           std::to_string(fewest_evidence_rounds) +
                           " rounds after burn-in";
        result.remedy = "Raise 'Iterations'.";
      }
    else
      result = estimate_evidence(rungs, 0, n);
    result.constant = objection.constant;
    return result;
  }
} // namespace Tempera
