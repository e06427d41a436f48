// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_step_tuning_h
#define tempera_sampler_step_tuning_h

#include <tempera/base/archive.h>
#include <tempera/base/number_list.h>
#include <tempera/sampler/adaptation.h>

#include <string>
#include <vector>

namespace Tempera
{
  struct Rung;

  /**
   * How the preconditioner \f$G = LL^T\f$ scales the steps of the unknowns:
   * not at all, each by itself, or all together.
   */
  struct StepScales
  {
    /** Given or learned diagonal; empty for none. */
    std::vector<double> preconditioner;
    /**
     * Factors that make the steps of some unknowns longer than those of others;
     * empty for all one. What is learned replaces them, but for pSGLD.
     */
    std::vector<double> step_factors;

    /** Their product, the diagonal \f$G\f$; empty for the identity. */
    std::vector<double> squares;
    /** \f$\sqrt{G}\f$ */
    std::vector<double> roots;
    /**
     * \f$L\f$, row by row from the left to the diagonal, if \f$G\f$ is dense;
     * otherwise empty.
     */
    std::vector<double> factor;

    /** To be called after the preconditioner or the factors have changed. */
    void
    update();

    bool
    is_dense() const
    {
      return !factor.empty();
    }

    /** Row @p i of \f$L\f$, if it is dense. */
    const double *
    row(const std::size_t i) const
    {
      return factor.data() + i * (i + 1) / 2;
    }

    /** Replace \f$x\f$ by \f$Lx\f$. */
    void
    apply_root(std::vector<double> &x) const;

    /** Replace \f$x\f$ by \f$L^T x\f$. */
    void
    apply_transposed_root(std::vector<double> &x) const;

    /** Save or load; the sizes must make sense for so many unknowns. */
    template <typename Archive>
    void
    serialize(Archive &archive, const std::uint64_t dimension)
    {
      for (std::vector<double> *list : {&preconditioner, &step_factors})
        serialize_optional(archive, *list, dimension);
      serialize_optional(archive, factor, dimension * (dimension + 1) / 2);
      if constexpr (Archive::is_loading::value)
        update();
    }
  };


  /** Means and variances of the unknowns at a rung, or all covariances. */
  class PositionMoments
  {
  public:
    enum class Kind
    {
      none,
      variances,
      covariances
    };

    PositionMoments(const Kind kind, const unsigned int dimension);

    void
    add(const std::vector<double> &position);

    void
    forget();

    std::uint64_t
    count() const
    {
      return n;
    }

    Kind
    kind() const
    {
      return the_kind;
    }

    unsigned int
    dimension() const
    {
      return means.size();
    }

    double
    variance(const std::size_t i) const;

    /** Only if covariances are measured; any order of indices. */
    double
    covariance(const std::size_t i, const std::size_t j) const;

    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      archive &n;
      serialize_fixed(archive, means);
      serialize_fixed(archive, products);
    }

  private:
    Kind          the_kind;
    std::uint64_t n = 0;
    /** Empty if nothing is measured. */
    std::vector<double> means;
    /** Sums of products of deviations: the diagonal or the lower triangle. */
    std::vector<double> products;
    /** Memory of add(). */
    std::vector<double> deviations;
  };


  /** What StepTuning makes of the moments. */
  enum class Learning
  {
    nothing,
    diagonal,
    dense
  };

  /** What a parameter like 'Preconditioner' asks for. */
  Learning
  learning_of(const NumberList &preconditioner);


  /**
   * Step size and scales of a kernel at one rung. Dual averaging drives the
   * acceptance to its target; the scales become the measured variances or
   * covariances at the end of each window of the burn-in.
   */
  class StepTuning
  {
  public:
    /**
     * @param target Of the acceptance, if the step size is adapted.
     * @param kind What is measured; at least what is learned needs.
     */
    StepTuning(const Rung                 &rung,
               const unsigned int          dimension,
               const bool                  adapt_step_size,
               const double                target,
               const Learning              learning,
               const PositionMoments::Kind kind,
               const StepRule              rule = StepRule::dual_averaging);

    /** The same, with what is to be learned measured. */
    StepTuning(const Rung        &rung,
               const unsigned int dimension,
               const bool         adapt_step_size,
               const double       target,
               const Learning     learning,
               const StepRule     rule = StepRule::dual_averaging);

    double
    step_size() const
    {
      return current_step_size;
    }

    const StepScales &
    scales() const
    {
      return step_scales;
    }

    /** For a kernel that makes the scales itself. */
    StepScales &
    scales()
    {
      return step_scales;
    }

    /** A step had this probability of acceptance. */
    void
    observe_acceptance(const double acceptance)
    {
      if (adapts_step_size)
        current_step_size = adaptation.update(acceptance);
    }

    void
    observe_position(const std::vector<double> &position)
    {
      if (moments.kind() != PositionMoments::Kind::none)
        moments.add(position);
    }

    /** Make the scales of what has been measured. */
    void
    learn_scales();

    /**
     * Largest standard deviation of the state in any direction, in units of
     * the scales; zero if too little is known. Where covariances are not
     * measured, only directions of single unknowns count.
     */
    double
    spread() const;

    /** Forget the moments, and begin to adapt the step size anew. */
    void
    begin_window(const bool is_retempered);

    /** Keep the averaged step size. */
    void
    end_burn_in();

    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      archive &current_step_size;
      step_scales.serialize(archive, n_unknowns);
      adaptation.serialize(archive, 0);
      moments.serialize(archive);
      if constexpr (Archive::is_loading::value)
        check_loaded();
    }

  private:
    void
    learn_dense();

    /** Throw an ArchiveError if what was loaded makes no sense. */
    void
    check_loaded() const;

    unsigned int       n_unknowns;
    bool               adapts_step_size;
    Learning           learning;
    double             current_step_size;
    StepScales         step_scales;
    StepSizeAdaptation adaptation;
    PositionMoments    moments;
  };
} // namespace Tempera

#endif
