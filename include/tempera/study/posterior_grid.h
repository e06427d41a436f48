// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_posterior_grid_h
#define tempera_study_posterior_grid_h

#include <tempera/inference/prior.h>
#include <tempera/sampler/energy.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** How the draws of a run differ from the posterior on a grid. */
  struct GridComparison
  {
    std::size_t n_draws = 0;
    /** Total variation on the bins of the grid. */
    double total_variation = 0.;
    /** Share of the draws whose first unknown is below the middle. */
    double lower_share = 0.;
    /** By unknown: error of the mean in true standard deviations. */
    std::vector<double> mean_errors;
    /**
     * Of the angle around a centre: divergence of Kullback and Leibler of the
     * draws from the posterior, and how many bins have a draw.
     */
    double       angular_divergence = 0.;
    unsigned int n_angles_visited   = 0;
  };


  /**
   * The posterior of one or two unknowns with bounds, evaluated everywhere: the
   * truth that samplers are compared with.
   */
  class PosteriorGrid
  {
  public:
    static constexpr unsigned int n_angles = 36;

    /**
     * @param n_bins In each direction.
     * @param n_points Evaluations in each direction of a bin.
     * @param centre For angles, which need two unknowns; empty for none.
     * @param after_evaluation Called after each with how many are done, and
     * how many there are; may throw to end it.
     */
    PosteriorGrid(const Energy              &energy,
                  const unsigned int         n_bins,
                  const unsigned int         n_points,
                  const std::vector<double> &centre,
                  const std::function<void(std::size_t, std::size_t)>
                    &after_evaluation = {});

    /** @param draws For each unknown its draws. */
    GridComparison
    compare(const std::vector<std::vector<double>> &draws) const;

    /** Number of unknowns. */
    unsigned int
    dimension() const
    {
      return n_unknowns;
    }

    /** Logarithm of the integral of \f$\exp(-U)\f$, by midpoints. */
    double
    get_log_integral() const
    {
      return log_integral;
    }

    /** Probability of the lower half of the first unknown. */
    double
    lower_share() const
    {
      return share;
    }

    bool
    has_centre() const
    {
      return !centre.empty();
    }

    /** Centres of the bins and their probabilities. */
    std::string
    csv() const;

    /** Mean and standard deviation of each unknown. */
    std::vector<std::pair<double, double>>
    moments() const;

  private:
    /** Index of the bin of a place. */
    std::size_t
    bin(const double first, const double second) const;

    unsigned int
    angle(const double first, const double second) const;

    const unsigned int         n_unknowns;
    std::array<std::string, 2> names;
    /** One unknown is two with a single bin for the second, from 0 to 1. */
    std::array<double, 2>       lower{{0., 0.}}, upper{{1., 1.}};
    std::array<unsigned int, 2> n_bins;
    const std::vector<double>   centre;
    std::vector<double>         probabilities, angles;
    double                      share = 0., log_integral = 0.;
    std::array<double, 2>       means{{0., 0.}}, squares{{0., 0.}};
  };
} // namespace Tempera

#endif
