// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_identifiability_h
#define tempera_study_identifiability_h

#include <tempera/inference/information.h>
#include <tempera/inference/prior.h>
#include <tempera/output/checks.h>
#include <tempera/output/diagnostics.h>
#include <tempera/output/marginal.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** What the data tell about an unknown. */
  enum class Verdict
  {
    /** The draws do not allow a verdict (Convergence::is_good()). */
    undecided,
    /** The marginal is the prior's, and the predictions hardly depend on it. */
    nothing,
    /** The marginal is the prior's; the information is less than the prior's.
     */
    little,
    /** The marginal is the prior's, but a combination with another unknown is
     * known. */
    tied,
    /** The marginal is the prior's, the predictions do depend on the unknown,
     * and no other unknown makes up for it: many values fit. */
    ambiguous,
    /** The marginal is the prior's; the information was not computed. */
    unchanged,
    /** The posterior is narrower than the prior. */
    narrowed,
    /** The posterior is not narrower, but another law. */
    changed
  };


  /** How well the chains have mixed in an unknown. */
  struct Mixing
  {
    Convergence convergence{0., 0.};
    /** R-hat between the replicas that were at the coldest rung. */
    double replica_r_hat = 1.;
  };


  /** Prior and posterior of one unknown. */
  struct Finding
  {
    std::string name;
    double      prior_deviation     = 0.;
    double      posterior_deviation = 0.;
    /** Of Kolmogorov and Smirnov, between the marginals. */
    double distance = 0.;
    /**
     * Standard deviation of the prior's distribution function at the draws, by
     * that of the uniform law: 1 if the posterior is the prior. Unlike the
     * ratio of standard deviations, this is not shaken by heavy tails.
     */
    double spread = 0.;
    /** Diagonal entry of Information; not a number if it is not known. */
    double  information = 0.;
    Mixing  mixing;
    Verdict verdict = Verdict::undecided;
    /** With which unknown it is tied, if it is. */
    std::string partner;

    /** The verdict in plain words. */
    std::string
    sentence() const;
  };


  /**
   * Says what the data cannot tell: compares prior and posterior for every
   * unknown. See doc/identifiability.md.
   */
  class Identifiability
  {
  public:
    /**
     * Marginals differ if their distance is above this. With the effective
     * size of 400 that a verdict asks for, chance alone gives a distance above
     * 0.07 once in 20 and above 0.1 once in 1500 times.
     */
    static constexpr double least_distance = 0.1;
    /**
     * A posterior is narrower if Finding::spread or the ratio of standard
     * deviations is below this. With an effective size of 400 the spread is
     * known to 0.02. A posterior around the middle of the prior may be
     * narrower by a third before its distance tells.
     */
    static constexpr double largest_ratio = 0.9;
    /**
     * Information up to this is nothing: it would make a Gaussian prior
     * narrower by 5 %.
     */
    static constexpr double negligible_information = Information::negligible;
    /** Information above this is more than the prior holds. */
    static constexpr double least_information = 1.;
    /**
     * Two unknowns are tied if the average of \f$|H_{ij}|\f$ is at least this
     * part of \f$\sqrt{H_{ii}H_{jj}}\f$, which is its bound. The part is
     * divided by the number of other unknowns: all but one of the combinations
     * of n unknowns may be known, which leaves 1/(n-1) for each of them.
     */
    static constexpr double least_tie = 0.5;

    /**
     * With an R-hat between replicas above this, no replica moves between the
     * answers. It is not as strict as that of the draws, since each replica is
     * at the coldest rung for a part of the time only.
     */
    static constexpr double largest_replica_r_hat = 1.1;

    /**
     * @param marginals Draws of each unknown at temperature 1.
     * @param mixing By unknown.
     * @param information May be unknown.
     */
    Identifiability(const std::vector<Unknown>  &unknowns,
                    const std::vector<Marginal> &marginals,
                    const std::vector<Mixing>   &mixing,
                    const Information           &information);

    const std::vector<Finding> &
    get_findings() const
    {
      return findings;
    }

    /** Table, a sentence for each unknown, eigenvalues. */
    std::string
    text() const;

    /** A row for each unknown; what is not known is empty. */
    std::string
    csv() const;

    /** What is to be kept beside the record, and warned of. */
    void
    add_to(Checks &checks) const;

  private:
    /** Verdict and partner of an unknown. */
    void
    judge(const unsigned int i);

    std::string
    eigenvalue_text() const;

    /** A combination on which the data are silent, or nothing. */
    std::string
    open_combination() const;

    const Information    information;
    std::vector<Finding> findings;
  };
} // namespace Tempera

#endif
