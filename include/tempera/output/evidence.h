// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_evidence_h
#define tempera_output_evidence_h

#include <tempera/output/diagnostics.h>

#include <cstdint>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The potentials that are known of the draws of one rung. One that is
   * infinite means a likelihood of zero; one that is not a number was not asked
   * for, whatever the draw was.
   */
  struct RungPotentials
  {
    /** Of one chain. */
    struct Chain
    {
      /** Power \f$\beta\f$ of the likelihood; 0 is the prior. */
      double exponent = 1.;
      /** Of the rung's own level, by round of its own. */
      std::vector<double> own;
      /**
       * Of the level of the colder and of the hotter neighbour, where that is
       * another one; empty or as long as #own.
       */
      std::vector<double> colder, hotter;
    };

    /** Neighbours of one level have the same potential. */
    unsigned int level = 0;
    /** Rounds of its own in a round of the run. */
    unsigned int       pace = 1;
    std::vector<Chain> chains;
  };


  /** From a rung to its colder neighbour. */
  struct EvidencePair
  {
    /** The colder one; the other is the next. */
    unsigned int rung = 0;
    /** Whether it leads from one level to another at one temperature. */
    bool is_bridge = false;
    /** Logarithm of the ratio of the integrals, cold over hot. */
    EstimatedValue log_ratio;
    /** The same from draws of the hot rung alone, and of the cold one. */
    EstimatedValue forward, backward;
    /** Difference of the two, in its standard errors. */
    double disagreement = 0.;
    /**
     * Whether the directions agree where both densities are, so that it is for
     * rare, large weights that they do not. Looked at if they differ.
     */
    bool has_heavy_tail = false;
    /**
     * \f$\int p q / (p + q)\f$ of the two densities: 1/2 if they are equal, 0
     * if they have nothing in common.
     */
    double overlap = 0.;

    /** Below, and beyond, a ratio is not to be believed. */
    static constexpr double least_overlap = 0.03, largest_disagreement = 4.;

    bool
    is_good() const
    {
      return !(overlap < least_overlap) &&
             (!(disagreement > largest_disagreement) || has_heavy_tail);
    }
  };


  /**
   * The evidence \f$Z = \int e^{-P} \, d\pi_0\f$ of a likelihood
   * \f$e^{-P}\f$ and a prior \f$\pi_0\f$, from all draws of a ladder that ends
   * at the prior. See doc/evidence.md.
   */
  struct Evidence
  {
    /** Why there is none, and what to do; both empty if there is one. */
    std::string objection, remedy;

    /** \f$\log Z\f$ with the potentials as they are. */
    EstimatedValue log_integral;
    /** The same from draws of the hotter rung of each pair, or the colder. */
    EstimatedValue forward, backward;
    /**
     * Information that the data have brought, in nats: the divergence of
     * Kullback and Leibler of the posterior from the prior. The logarithm of
     * the evidence is the mean logarithm of the likelihood over the posterior
     * less this, Occam's factor.
     */
    EstimatedValue information;
    /**
     * What is to be added to the potential to make it minus the logarithm of a
     * density of the measurements; not a number if that is not known.
     */
    double constant = std::numeric_limits<double>::quiet_NaN();
    /** The coldest first. */
    std::vector<EvidencePair> pairs;

    /** Draws of all rungs and chains whose potential is known. */
    std::uint64_t n_draws = 0;

    bool
    is_known() const
    {
      return objection.empty();
    }

    /** With the constant, where it is known. */
    EstimatedValue
    log_evidence() const
    {
      return {log_integral.value - (has_constant() ? constant : 0.),
              log_integral.error};
    }

    bool
    has_constant() const
    {
      return constant == constant;
    }
  };


  /**
   * The evidence from the potentials of all rungs, the coldest first: rungs of
   * one level together (MBAR), levels by the weights between them. Errors come
   * from the series of rounds, each with all that its draws contribute to the
   * first order, so that what rungs have in common by swaps is in them.
   *
   * @param begin, end Rounds to use, of all that every rung and chain has.
   */
  Evidence
  estimate_evidence(const std::vector<RungPotentials> &rungs,
                    const std::uint64_t                begin,
                    const std::uint64_t                end);

  /** Rounds that every rung of every chain has done. */
  std::uint64_t
  n_common_rounds(const std::vector<RungPotentials> &rungs);

  /** With fewer rounds nothing is estimated. */
  constexpr std::uint64_t fewest_evidence_rounds = 20;


  /** The evidence from a part of the rounds. */
  struct EvidencePart
  {
    /** Of the rounds. */
    double share = 0.;
    /** From the first rounds, and from the last ones. */
    EstimatedValue first, last;
  };

  /**
   * The evidence from more and more of the rounds, with the potentials as they
   * are. Of very many draws some are used.
   */
  std::vector<EvidencePart>
  evidence_by_parts(const std::vector<RungPotentials> &rungs);


  /** The probability of a model among some, and its error. */
  struct ModelProbability
  {
    EstimatedValue probability;
    /** Logarithm of the Bayes factor against the best one. */
    EstimatedValue log_bayes_factor;
  };

  /**
   * @param log_evidences Of each model, with errors that are independent.
   * @param prior_weights Of each model, positive; of any sum.
   */
  std::vector<ModelProbability>
  model_probabilities(const std::vector<EstimatedValue> &log_evidences,
                      const std::vector<double>         &prior_weights);
} // namespace Tempera

#endif
