// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/evidence.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace Tempera
{
  namespace
  {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                     infinite     = std::numeric_limits<double>::infinity();

    using Series = std::vector<std::vector<double>>;


    /** The rounds that are used. */
    struct Rounds
    {
      std::uint64_t begin, end;

      std::uint64_t
      size() const
      {
        return end - begin;
      }
    };


    /**
     * An estimate, and what the draws of each round of each chain contribute
     * to its error, to the first order: the error is that of the mean of the
     * series.
     */
    struct Linearised
    {
      Linearised(const std::size_t n_chains, const Rounds &rounds)
        : value(0.)
        , series(n_chains, std::vector<double>(rounds.size(), 0.))
      {}

      void
      add(const Linearised &other, const double factor)
      {
        value += factor * other.value;
        for (std::size_t c = 0; c < series.size(); ++c)
          for (std::size_t t = 0; t < series[c].size(); ++t)
            series[c][t] += factor * other.series[c][t];
      }

      EstimatedValue
      estimate() const
      {
        double      sum = 0., squares = 0.;
        std::size_t n = 0;
        for (const auto &chain : series)
          for (const double one : chain)
            {
              sum += one;
              squares += one * one;
              ++n;
            }
        const double variance =
          n > 1 ? std::max(0., squares - sum * sum / n) / (n - 1) : 0.;
        // All alike: a likelihood that is constant.
        if (!(variance > 0.) && std::isfinite(value) && !std::isnan(variance))
          return {value, 0.};
        return {value, std::sqrt(variance / effective_size_of_mean(series))};
      }

      double value;
      Series series;
    };


    /** \f$\beta P\f$, where 0 times infinity is 0. */
    double
    tempered(const double exponent, const double potential)
    {
      return exponent == 0. ? 0. : exponent * potential;
    }


    /** Takes chain, round (from 0) and place of each known potential. */
    template <class Visitor>
    void
    visit(const RungPotentials &rung,
          const Rounds         &rounds,
          const std::size_t     stride,
          const Visitor        &visitor)
    {
      for (std::size_t c = 0; c < rung.chains.size(); ++c)
        {
          const std::vector<double> &own = rung.chains[c].own;
          for (std::size_t i = rounds.begin * rung.pace;
               i < rounds.end * rung.pace;
               i += stride)
            if (!std::isnan(own[i]))
              visitor(c, i / rung.pace - rounds.begin, i);
        }
    }


    /**
     * The logarithm of the mean of weights, of draws of one rung.
     *
     * @param log_weight Takes chain and place; not a number where it is not
     * known.
     * @param group By chain: chains of one number have weights of one law.
     */
    template <class LogWeight>
    Linearised
    log_mean(const RungPotentials            &rung,
             const Rounds                    &rounds,
             const std::vector<unsigned int> &group,
             const LogWeight                 &log_weight)
    {
      const std::size_t   n_chains = rung.chains.size();
      Linearised          result(n_chains, rounds);
      std::vector<double> largest(n_chains, -infinite), sum(n_chains, 0.),
        count(n_chains, 0.), n_members(n_chains, 0.);
      const auto for_each = [&](const auto &visitor) {
        visit(rung,
              rounds,
              1,
              [&](const std::size_t c,
                  const std::size_t t,
                  const std::size_t i) {
                const double one = log_weight(c, i);
                if (!std::isnan(one))
                  visitor(group[c], c, t, one);
              });
      };
      for_each([&](const auto g, auto, auto, const double one) {
        largest[g] = std::max(largest[g], one);
        ++count[g];
      });
      for_each([&](const auto g, auto, auto, const double one) {
        if (one > -infinite)
          sum[g] += std::exp(one - largest[g]);
      });
      for (std::size_t c = 0; c < n_chains; ++c)
        {
          const unsigned int g = group[c];
          ++n_members[g];
          result.value +=
            (count[g] > 0. ? largest[g] + std::log(sum[g] / count[g]) :
                             not_a_number) /
            n_chains;
        }
      if (!std::isfinite(result.value))
        return result;
      for_each([&](const auto g, const auto c, const auto t, const double one) {
        const double weight =
          one > -infinite ? std::exp(one - largest[g]) * count[g] / sum[g] : 0.;
        result.series[c][t] +=
          (weight - 1.) * rounds.size() * n_members[g] / count[g];
      });
      return result;
    }


    /**
     * The logarithm of the share of draws that have a weight at all. Draws of
     * the colder rung know nothing of the others: their mean of inverse weights
     * lacks them.
     */
    template <class LogWeight>
    Linearised
    log_share(const RungPotentials            &rung,
              const Rounds                    &rounds,
              const std::vector<unsigned int> &group,
              const LogWeight                 &log_weight)
    {
      return log_mean(rung,
                      rounds,
                      group,
                      [&](const std::size_t c, const std::size_t i) {
                        const double one = log_weight(c, i);
                        return one > -infinite ? 0. : one;
                      });
    }


    /** Chains that have the same exponents at two rungs are one group. */
    std::vector<unsigned int>
    groups(const RungPotentials &one, const RungPotentials &other)
    {
      std::vector<unsigned int> result;
      for (std::size_t c = 0; c < one.chains.size(); ++c)
        {
          unsigned int g = 0;
          while (g < c &&
                 (one.chains[g].exponent != one.chains[c].exponent ||
                  other.chains[g].exponent != other.chains[c].exponent))
            ++g;
          result.push_back(g);
        }
      return result;
    }


    /**
     * The integrals of neighbouring rungs of one level, from the draws of all
     * (Bennett's ratio for many states; Shirts and Chodera, 2008). A state is
     * an exponent; chains that have adapted their temperatures have some of
     * their own.
     */
    class ManyStates
    {
    public:
      /** @param first, last The coldest and the hottest rung. */
      ManyStates(const std::vector<RungPotentials> &rungs,
                 const unsigned int                 first,
                 const unsigned int                 last,
                 const Rounds                      &rounds)
        : rungs(rungs)
        , first(first)
        , last(last)
        , rounds(rounds)
        , n_chains(rungs[first].chains.size())
      {
        for (unsigned int r = first; r <= last; ++r)
          for (const auto &chain : rungs[r].chains)
            exponents.push_back(chain.exponent);
        std::sort(exponents.begin(), exponents.end());
        exponents.erase(std::unique(exponents.begin(), exponents.end()),
                        exponents.end());
        choose_stride();
        count();
        begin();
        solve();
      }

      /** Minus the logarithm of the integral of a rung, of one chain. */
      double
      minus_log_integral(const unsigned int rung, const std::size_t c) const
      {
        return f[state(rung, c)];
      }

      /** Logarithms of the ratios of the integrals of some pairs of rungs, cold
       * over hot. */
      std::vector<Linearised>
      log_ratios(
        const std::vector<std::pair<unsigned int, unsigned int>> &pairs) const
      {
        const std::size_t       n = pairs.size();
        std::vector<Linearised> result(n, Linearised(n_chains, rounds));
        std::vector<dealii::Vector<double>> directions(n);
        for (std::size_t p = 0; p < n; ++p)
          {
            // The mean over the chains, whose exponents may differ.
            dealii::Vector<double> factors(n_states());
            for (std::size_t c = 0; c < n_chains; ++c)
              {
                factors(state(pairs[p].second, c)) += 1. / n_chains;
                factors(state(pairs[p].first, c)) -= 1. / n_chains;
              }
            for (std::size_t k = 0; k < n_states(); ++k)
              result[p].value += factors(k) * f[k];
            directions[p].reinit(n_states());
            inverse.vmult(directions[p], factors);
          }

        // Of each state its own mean is left out.
        std::vector<double> shares(n_states()), means(n_states() * n, 0.);
        const auto          for_each = [&](const auto &visitor) {
          for (unsigned int r = first; r <= last; ++r)
            visit(rungs[r],
                  rounds,
                  stride,
                  [&](const std::size_t c,
                      const std::size_t t,
                      const std::size_t i) {
                    const std::size_t s = state(r, c);
                    find_shares(rungs[r].chains[c].own[i], shares);
                    for (std::size_t p = 0; p < n; ++p)
                      {
                        double one = 0.;
                        for (std::size_t k = 0; k < n_states(); ++k)
                          one -= directions[p](k) * shares[k];
                        visitor(p, s, c, t, one);
                      }
                  });
        };
        for_each([&](const auto p, const auto s, auto, auto, const double one) {
          means[s * n + p] += one / counts[s];
        });
        const double scale = double(n_chains) * rounds.size();
        for_each([&](const auto   p,
                     const auto   s,
                     const auto   c,
                     const auto   t,
                     const double one) {
          result[p].series[c][t] += scale * (one - means[s * n + p]);
        });
        return result;
      }

    private:
      std::size_t
      n_states() const
      {
        return exponents.size();
      }

      std::size_t
      state(const unsigned int rung, const std::size_t c) const
      {
        return std::lower_bound(exponents.begin(),
                                exponents.end(),
                                rungs[rung].chains[c].exponent) -
               exponents.begin();
      }

      /** Takes the potential and the state of each draw. */
      template <class Visitor>
      void
      for_each_draw(const Visitor &visitor) const
      {
        for (unsigned int r = first; r <= last; ++r)
          visit(rungs[r],
                rounds,
                stride,
                [&](const std::size_t c,
                    const std::size_t,
                    const std::size_t i) {
                  visitor(rungs[r].chains[c].own[i], state(r, c));
                });
      }

      /**
       * Of very many draws some will do. Odd, since the prior's potentials are
       * known in every other round of its own.
       */
      void
      choose_stride()
      {
        constexpr std::size_t most_terms = 1 << 22;
        std::size_t           n          = 0;
        for (unsigned int r = first; r <= last; ++r)
          n += n_chains * rounds.size() * rungs[r].pace;
        stride = (n * n_states() / most_terms) | 1;
        for (unsigned int r = first; r <= last; ++r)
          while (stride > rungs[r].pace && stride > 1)
            stride -= 2;
      }

      void
      count()
      {
        counts.assign(n_states(), 0.);
        for_each_draw([&](const double, const std::size_t s) { ++counts[s]; });
      }

      /** The first guess: from each state to the next colder one. */
      void
      begin()
      {
        std::vector<double> largest(n_states(), -infinite),
          sums(n_states(), 0.);
        const auto log_weight = [&](const double      potential,
                                    const std::size_t s) {
          return -tempered(exponents[s + 1] - exponents[s], potential);
        };
        for_each_draw([&](const double potential, const std::size_t s) {
          if (s + 1 < n_states())
            largest[s] = std::max(largest[s], log_weight(potential, s));
        });
        for_each_draw([&](const double potential, const std::size_t s) {
          if (s + 1 < n_states() && largest[s] > -infinite)
            sums[s] += std::exp(log_weight(potential, s) - largest[s]);
        });
        f.assign(n_states(), 0.);
        for (std::size_t s = 0; s + 1 < n_states(); ++s)
          f[s + 1] =
            f[s] -
            (sums[s] > 0. ? largest[s] + std::log(sums[s] / counts[s]) : 0.);
      }

      /**
       * The share of each state in a draw, were all draws one heap; returns
       * the logarithm of their sum.
       */
      double
      find_shares(const double potential, std::vector<double> &shares) const
      {
        double largest = -infinite;
        for (std::size_t k = 0; k < n_states(); ++k)
          {
            shares[k] = log_offsets[k] - tempered(exponents[k], potential);
            largest   = std::max(largest, shares[k]);
          }
        double sum = 0.;
        for (double &one : shares)
          sum += one = std::exp(one - largest);
        for (double &one : shares)
          one /= sum;
        return largest + std::log(sum);
      }

      void
      set(const std::vector<double> &values)
      {
        f = values;
        log_offsets.resize(n_states());
        for (std::size_t k = 0; k < n_states(); ++k)
          log_offsets[k] = std::log(counts[k]) + f[k];
      }

      /**
       * The convex function that is least at the solution, its slope, and its
       * curvature where the first state is held.
       */
      double
      differentiate(dealii::Vector<double>     &slope,
                    dealii::FullMatrix<double> &curvature) const
      {
        const std::size_t   n = n_states();
        std::vector<double> shares(n), sums(n, 0.), products(n * n, 0.);
        double              value = 0.;
        for_each_draw([&](const double potential, const std::size_t) {
          value += find_shares(potential, shares);
          for (std::size_t k = 0; k < n; ++k)
            {
              sums[k] += shares[k];
              for (std::size_t j = 0; j <= k; ++j)
                products[k * n + j] += shares[k] * shares[j];
            }
        });
        slope.reinit(n);
        curvature.reinit(n, n);
        for (std::size_t k = 0; k < n; ++k)
          {
            value -= counts[k] * f[k];
            slope(k) = k == 0 ? 0. : sums[k] - counts[k];
            for (std::size_t j = 0; j <= k; ++j)
              {
                const double entry =
                  (j == k ? sums[k] : 0.) - products[k * n + j];
                curvature(k, j) = curvature(j, k) =
                  j == 0 ? double(k == 0) : entry;
              }
            // States that share no draw: nothing is known of their ratio.
            curvature(k, k) += 1e-12 * counts[k];
          }
        return value;
      }

      /** Newton's method, with shorter steps where it would go up. */
      void
      solve()
      {
        constexpr unsigned int most_steps = 100;
        constexpr double       tolerance  = 1e-9;

        set(f);
        dealii::Vector<double> slope, step(n_states());
        double                 least = differentiate(slope, inverse);
        for (unsigned int i = 0; i < most_steps; ++i)
          {
            inverse.gauss_jordan();
            inverse.vmult(step, slope);
            const std::vector<double> old = f;
            for (double length = 1.; length > 1e-6; length /= 2.)
              {
                std::vector<double> next = old;
                for (std::size_t k = 0; k < next.size(); ++k)
                  next[k] -= length * step(k);
                set(next);
                const double value = differentiate(slope, inverse);
                if (value <= least + 1e-10 * std::abs(least))
                  {
                    least = value;
                    break;
                  }
              }
            if (!(step.linfty_norm() > tolerance))
              break;
          }
        inverse.gauss_jordan();
        // The first state is held.
        inverse(0, 0) = 0.;
      }

      const std::vector<RungPotentials> &rungs;
      const unsigned int                 first, last;
      const Rounds                       rounds;
      const std::size_t                  n_chains;
      std::size_t                        stride = 1;

      /** By state, the hottest first. */
      std::vector<double> exponents, counts;
      /** Minus the logarithms of the integrals, less that of the first. */
      std::vector<double> f;
      /** Logarithm of the count, plus that. */
      std::vector<double> log_offsets;
      /** Of the curvature. */
      dealii::FullMatrix<double> inverse;
    };


    /** 1 / (1 + exp(-x)) */
    double
    logistic(const double x)
    {
      return x > 0. ? 1. / (1. + std::exp(-x)) :
                      std::exp(x) / (1. + std::exp(x));
    }


    /**
     * The mean of \f$q / (p + q)\f$ over draws of p.
     *
     * @param log_ratio Takes chain and place, gives \f$\log q/p\f$.
     */
    template <class LogRatio>
    double
    mean_share(const RungPotentials &rung,
               const Rounds         &rounds,
               const LogRatio       &log_ratio)
    {
      double        sum = 0.;
      std::uint64_t n   = 0;
      visit(rung,
            rounds,
            1,
            [&](const std::size_t c, const std::size_t, const std::size_t i) {
              const double one = log_ratio(c, i);
              if (std::isnan(one))
                return;
              sum += logistic(one);
              ++n;
            });
      return sum / n;
    }


    /** Puts the parts together, from the prior to the coldest rung. */
    class WholeLadder
    {
    public:
      WholeLadder(const std::vector<RungPotentials> &rungs,
                  const Rounds                      &rounds)
        : rungs(rungs)
        , rounds(rounds)
        , all(rungs[0].chains.size(), rounds)
        , forward(all)
        , backward(all)
      {}

      Evidence
      estimate()
      {
        for (unsigned int cold = 0; cold < rungs.size();)
          {
            unsigned int hot = cold;
            while (hot + 1 < rungs.size() &&
                   rungs[hot + 1].level == rungs[cold].level)
              ++hot;
            if (!add_level(cold, hot))
              return result;
            if (hot + 1 < rungs.size() && !add_bridge(hot))
              return result;
            cold = hot + 1;
          }
        result.log_integral    = all.estimate();
        Linearised information = mean_log_likelihood();
        information.add(all, -1.);
        result.information = information.estimate();
        result.forward     = forward.estimate();
        result.backward    = backward.estimate();
        if (!std::isfinite(result.log_integral.value) ||
            !std::isfinite(result.log_integral.error))
          object("the draws of neighbouring rungs have nothing in common",
                 "Use more rungs, closer to each other.");
        return result;
      }

    private:
      void
      object(const std::string &what, const std::string &remedy)
      {
        result.objection = what;
        result.remedy    = remedy;
      }

      /** Over the draws of the coldest rung. */
      Linearised
      mean_log_likelihood() const
      {
        const RungPotentials &cold = rungs[0];
        Linearised            mean(cold.chains.size(), rounds);
        double                n        = 0.;
        const auto            for_each = [&](const auto &visitor) {
          visit(cold,
                rounds,
                1,
                [&](const std::size_t c,
                    const std::size_t t,
                    const std::size_t i) {
                  visitor(c, t, -cold.chains[c].own[i]);
                });
        };
        for_each([&](auto, auto, const double one) {
          mean.value += one;
          ++n;
        });
        mean.value /= n;
        const double scale = double(cold.chains.size()) * rounds.size() / n;
        for_each([&](const auto c, const auto t, const double one) {
          mean.series[c][t] += scale * (one - mean.value);
        });
        return mean;
      }

      /** The rungs of one level. */
      bool
      add_level(const unsigned int cold, const unsigned int hot)
      {
        for (unsigned int r = cold; r <= hot; ++r)
          {
            std::uint64_t n_known = 0, n_finite = 0;
            visit(rungs[r],
                  rounds,
                  1,
                  [&](const std::size_t c,
                      const std::size_t,
                      const std::size_t i) {
                    ++n_known;
                    n_finite += std::isfinite(rungs[r].chains[c].own[i]);
                  });
            result.n_draws += n_known;
            if (n_finite == 0)
              {
                object("no draw of rung " + std::to_string(r) +
                         " has a likelihood above zero",
                       "Look at what solves fail of, or let priors leave such "
                       "values out.");
                return false;
              }
          }
        if (hot == cold)
          return true;
        const ManyStates states(rungs, cold, hot, rounds);
        std::vector<std::pair<unsigned int, unsigned int>> pairs{{cold, hot}};
        for (unsigned int r = cold; r < hot; ++r)
          pairs.emplace_back(r, r + 1);
        const std::vector<Linearised> log_ratios = states.log_ratios(pairs);
        for (unsigned int r = cold; r < hot; ++r)
          {
            const auto gap = [&](const std::size_t c) {
              return rungs[r].chains[c].exponent -
                     rungs[r + 1].chains[c].exponent;
            };
            const auto hot_weight = [&](const std::size_t c,
                                        const std::size_t i) {
              return -tempered(gap(c), rungs[r + 1].chains[c].own[i]);
            };
            const auto cold_weight = [&](const std::size_t c,
                                         const std::size_t i) {
              return tempered(gap(c), rungs[r].chains[c].own[i]);
            };
            const auto shift = [&](const std::size_t c) {
              return states.minus_log_integral(r, c) -
                     states.minus_log_integral(r + 1, c);
            };
            const auto hot_ratio = [&](const std::size_t c,
                                       const std::size_t i) {
              return hot_weight(c, i) + shift(c);
            };
            const auto cold_ratio = [&](const std::size_t c,
                                        const std::size_t i) {
              return cold_weight(c, i) - shift(c);
            };
            const std::vector<unsigned int> group =
              groups(rungs[r], rungs[r + 1]);
            add_pair(
              r,
              false,
              log_ratios[1 + r - cold],
              log_mean(rungs[r + 1], rounds, group, hot_weight),
              inverse(log_mean(rungs[r], rounds, group, cold_weight),
                      log_share(rungs[r + 1], rounds, group, hot_weight)),
              mean_share(rungs[r + 1], rounds, hot_ratio),
              mean_share(rungs[r], rounds, cold_ratio));
            judge_tails(r, group, hot_ratio, cold_ratio);
          }
        all.add(log_ratios[0], 1.);
        return true;
      }

      /** From the level of the rung after @p cold to its level. */
      bool
      add_bridge(const unsigned int cold)
      {
        const RungPotentials &fine = rungs[cold], &coarse = rungs[cold + 1];
        const auto difference = [](const RungPotentials::Chain &chain,
                                   const std::vector<double>   &other,
                                   const std::size_t            i) {
          return i < other.size() ?
                   tempered(chain.exponent, chain.own[i] - other[i]) :
                   not_a_number;
        };
        const auto coarse_weight = [&](const std::size_t c,
                                       const std::size_t i) {
          const RungPotentials::Chain &chain = coarse.chains[c];
          return difference(chain, chain.colder, i);
        };
        const auto fine_weight = [&](const std::size_t c, const std::size_t i) {
          const RungPotentials::Chain &chain = fine.chains[c];
          return difference(chain, chain.hotter, i);
        };
        const std::vector<unsigned int> group = groups(fine, coarse);
        const Linearised                to_fine =
          log_mean(coarse, rounds, group, coarse_weight);
        if (!std::isfinite(to_fine.value))
          {
            object("no draw of rung " + std::to_string(cold + 1) +
                     " has a likelihood at the level of rung " +
                     std::to_string(cold),
                   "Choose a better coarse level, or let the two rungs swap "
                   "('Sampler/Swaps/Rule = exact').");
            return false;
          }
        const auto coarse_ratio = [&](const std::size_t c,
                                      const std::size_t i) {
          return coarse_weight(c, i) - to_fine.value;
        };
        const auto fine_ratio = [&](const std::size_t c, const std::size_t i) {
          return fine_weight(c, i) + to_fine.value;
        };
        add_pair(cold,
                 true,
                 to_fine,
                 to_fine,
                 inverse(log_mean(fine, rounds, group, fine_weight),
                         log_share(coarse, rounds, group, coarse_weight)),
                 mean_share(coarse, rounds, coarse_ratio),
                 mean_share(fine, rounds, fine_ratio));
        judge_tails(cold, group, coarse_ratio, fine_ratio);
        all.add(to_fine, 1.);
        return true;
      }

      /** The ratio that draws of the colder rung give, its logarithm. */
      static Linearised
      inverse(const Linearised &from_cold, Linearised share)
      {
        share.add(from_cold, -1.);
        return share;
      }

      void
      add_pair(const unsigned int rung,
               const bool         is_bridge,
               const Linearised  &log_ratio,
               const Linearised  &from_hot,
               const Linearised  &from_cold,
               const double       hot_share,
               const double       cold_share)
      {
        EvidencePair pair;
        pair.rung      = rung;
        pair.is_bridge = is_bridge;
        pair.log_ratio = log_ratio.estimate();
        pair.forward   = from_hot.estimate();
        pair.backward  = from_cold.estimate();
        forward.add(from_hot, 1.);
        backward.add(from_cold, 1.);
        Linearised difference = from_hot;
        difference.add(from_cold, -1.);
        const EstimatedValue found = difference.estimate();
        pair.disagreement =
          found.value == 0. ? 0. : std::abs(found.value) / found.error;
        pair.overlap =
          std::isnan(cold_share) ? hot_share : 0.5 * (hot_share + cold_share);
        result.pairs.push_back(pair);
      }

      /**
       * Of the last pair, where its directions differ: whether they agree where
       * both densities are, so that it is for rare weights that they do not.
       * For every set A the ratio is E_hot[1_A w] / P_cold(A), and P_hot(A) /
       * E_cold[1_A / w].
       *
       * @param hot_ratio, cold_ratio log w at hot draws, -log w at cold ones.
       */
      template <class HotRatio, class ColdRatio>
      void
      judge_tails(const unsigned int               cold,
                  const std::vector<unsigned int> &group,
                  const HotRatio                  &hot_ratio,
                  const ColdRatio                 &cold_ratio)
      {
        constexpr double largest = 2.;

        EvidencePair &pair = result.pairs.back();
        if (!(pair.disagreement > EvidencePair::largest_disagreement))
          return;
        const auto within = [&](const auto &ratio, const double power) {
          return [&ratio, power](const std::size_t c, const std::size_t i) {
            const double one = ratio(c, i);
            return std::isnan(one) || std::abs(one) <= largest ? power * one :
                                                                 -infinite;
          };
        };
        const auto mean =
          [&](const unsigned int rung, const auto &ratio, const double power) {
            return log_mean(rungs[rung], rounds, group, within(ratio, power));
          };
        Linearised difference = mean(cold + 1, hot_ratio, 1.);
        difference.add(mean(cold, cold_ratio, 0.), -1.);
        difference.add(mean(cold + 1, hot_ratio, 0.), -1.);
        difference.add(mean(cold, cold_ratio, 1.), 1.);
        const EstimatedValue found = difference.estimate();
        pair.has_heavy_tail        = std::abs(found.value) <=
                              EvidencePair::largest_disagreement * found.error;
      }

      const std::vector<RungPotentials> &rungs;
      const Rounds                       rounds;
      Linearised                         all, forward, backward;
      Evidence                           result;
    };
  } // namespace



  std::uint64_t
  n_common_rounds(const std::vector<RungPotentials> &rungs)
  {
    std::uint64_t result = std::numeric_limits<std::uint64_t>::max();
    for (const RungPotentials &rung : rungs)
      for (const RungPotentials::Chain &chain : rung.chains)
        result = std::min<std::uint64_t>(result, chain.own.size() / rung.pace);
    return rungs.empty() || rungs[0].chains.empty() ? 0 : result;
  }



  Evidence
  estimate_evidence(const std::vector<RungPotentials> &rungs,
                    const std::uint64_t                begin,
                    const std::uint64_t                end)
  {
    return WholeLadder(rungs, {begin, end}).estimate();
  }



  std::vector<EvidencePart>
  evidence_by_parts(const std::vector<RungPotentials> &rungs)
  {
    constexpr unsigned int n_parts      = 10;
    constexpr std::size_t  most_numbers = 40000;

    std::vector<EvidencePart> result;
    const std::uint64_t       n = n_common_rounds(rungs);
    if (n < n_parts * fewest_evidence_rounds)
      return result;

    // Of fast rungs some draws of each round; odd strides, since the prior's
    // potentials are known in every other round of its own.
    std::size_t n_numbers = 0;
    for (const RungPotentials &rung : rungs)
      n_numbers += rung.chains.size() * rung.pace * n;
    std::vector<RungPotentials> some = rungs;
    for (RungPotentials &rung : some)
      {
        const std::size_t stride =
          std::min<std::size_t>((n_numbers / most_numbers) | 1,
                                (rung.pace - 1) | 1);
        if (stride == 1)
          continue;
        const std::size_t n_kept = (rung.pace + stride - 1) / stride;
        for (RungPotentials::Chain &chain : rung.chains)
          for (std::vector<double> *list :
               {&chain.own, &chain.colder, &chain.hotter})
            {
              if (list->empty())
                continue;
              // From the last one on: then neighbours of the next pace are
              // tested.
              std::vector<double> kept(n * n_kept);
              for (std::uint64_t t = 0; t < n; ++t)
                for (std::size_t i = 0; i < n_kept; ++i)
                  kept[(t + 1) * n_kept - 1 - i] =
                    (*list)[(t + 1) * rung.pace - 1 - i * stride];
              *list = std::move(kept);
            }
        rung.pace = n_kept;
      }
    for (unsigned int i = 1; i <= n_parts; ++i)
      {
        const std::uint64_t size = n * i / n_parts;
        result.push_back({double(i) / n_parts,
                          estimate_evidence(some, 0, size).log_integral,
                          estimate_evidence(some, n - size, n).log_integral});
      }
    return result;
  }



  std::vector<ModelProbability>
  model_probabilities(const std::vector<EstimatedValue> &log_evidences,
                      const std::vector<double>         &prior_weights)
  {
    const std::size_t             n = log_evidences.size();
    std::vector<ModelProbability> result(n);
    std::size_t                   best    = 0;
    double                        largest = -infinite;
    for (std::size_t i = 0; i < n; ++i)
      {
        if (log_evidences[i].value > log_evidences[best].value)
          best = i;
        largest = std::max(largest,
                           log_evidences[i].value + std::log(prior_weights[i]));
      }
    double sum = 0.;
    for (std::size_t i = 0; i < n; ++i)
      {
        result[i].probability.value =
          prior_weights[i] * std::exp(log_evidences[i].value - largest);
        sum += result[i].probability.value;
      }
    for (ModelProbability &one : result)
      one.probability.value /= sum;
    for (std::size_t i = 0; i < n; ++i)
      {
        double variance = 0.;
        for (std::size_t j = 0; j < n; ++j)
          variance += std::pow(((i == j) - result[j].probability.value) *
                                 log_evidences[j].error,
                               2);
        result[i].probability.error =
          result[i].probability.value * std::sqrt(variance);
        result[i].log_bayes_factor.value =
          log_evidences[i].value - log_evidences[best].value;
        result[i].log_bayes_factor.error =
          i == best ?
            0. :
            std::hypot(log_evidences[i].error, log_evidences[best].error);
      }
    return result;
  }
} // namespace Tempera
