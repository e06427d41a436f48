// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_mode_search_h
#define tempera_study_mode_search_h

#include <tempera/inference/prior.h>
#include <tempera/output/checks.h>
#include <tempera/sampler/energy.h>

#include <functional>
#include <vector>

namespace Tempera
{
  /**
   * Coordinates without bounds and with a common scale, for searches. With
   * priors they are standard normal before the data are known; without, they
   * are measured in what the draws have seen.
   */
  class SearchSpace
  {
  public:
    explicit SearchSpace(const std::vector<Unknown> &unknowns);

    /**
     * Without priors.
     *
     * @param draws Of the hottest rung there is.
     */
    SearchSpace(const StateSpace                       &space,
                const std::vector<std::vector<double>> &draws);

    unsigned int
    dimension() const
    {
      return axes.size();
    }

    std::vector<double>
    to_state(const std::vector<double> &place) const;

    std::vector<double>
    from_state(const std::vector<double> &state) const;

    /** Of each number of a state in its own coordinate. */
    std::vector<double>
    derivatives(const std::vector<double> &place) const;

    /** Energy and derivative of the prior, which is a part of the space. */
    bool
    has_prior() const
    {
      return is_of_priors;
    }

    /** Where search number @p k begins. */
    std::vector<double>
    start(const std::uint64_t seed, const unsigned int k) const;

  private:
    /** How one number follows from its coordinate. */
    struct Axis
    {
      /** Null without prior. */
      std::function<double(const double)> quantile, cdf, derivative;
      /** Without prior: bounds if finite, else a linear map. */
      double lower, upper, centre, scale;

      bool
      is_bounded() const;
    };

    std::vector<Axis> axes;
    bool              is_of_priors;
  };


  /** How far a search may go. */
  struct SearchBudget
  {
    /** In evaluations of values on the fine level. */
    double        work = 0.;
    std::uint64_t seed = 0;
    /** Whether to stop at once. */
    std::function<bool()> is_stopped;
  };


  /**
   * Looks for places of low energy that no chain has visited: minimises the
   * energy of a cheap level from points of the prior, and compares the minima
   * that no descent connects with a draw with what was sampled, in a Gaussian
   * approximation on the fine level.
   *
   * @param cheap A level on which to look; it may be the fine one.
   * @param fine That of the coldest rung.
   * @param draws Of the coldest rung.
   * @return Places and number of searches; none of them if the budget is too
   * small for a few searches.
   */
  Checks
  search_modes(const Energy                           &cheap,
               const Energy                           &fine,
               const SearchSpace                      &space,
               const std::vector<std::vector<double>> &draws,
               const SearchBudget                     &budget);
} // namespace Tempera

#endif
