// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_langevin_loops_h
#define tempera_sampler_langevin_loops_h

#include <cstddef>
#include <cstdint>

// Plain declarations only: the loops are compiled for several kinds of
// vector units (cmake/vector_sources.cmake), and an inline function would be
// kept in one of its versions, perhaps in one that the processor cannot run.

namespace Tempera
{
  /**
   * What the words of a long array of normal numbers depend on: the key and
   * the upper three words of the counter of Philox4x32-10. See random.h.
   */
  struct NormalStream
  {
    std::uint32_t key[2];
    std::uint32_t upper_counter[3];
  };


  /**
   * The numbers of a step with drift
   * \f$-G(h_R\nabla R + h_P\nabla P)\f$ and noise
   * \f$a\sqrt{G}\varepsilon\f$.
   */
  struct StepCoefficients
  {
    /** \f$h_R = h w_R\f$ */
    double reference;
    /** \f$h_P = h w_P\f$ */
    double potential;
    /** \f$a = \sqrt{2h}\f$ */
    double amplitude;
  };


  /** The inner loops of the Langevin loops, for long states. */
  struct LangevinLoops
  {
    /** Numbers per batch of normals; a batch has a quarter as many blocks. */
    static constexpr std::size_t batch_size       = 64;
    static constexpr std::size_t blocks_per_batch = 16;

    /**
     * The batch_size words of the blocks from @p first_block on, in the order
     * in which they become numbers: word k of block j is at
     * k blocks_per_batch + j.
     */
    void (*words)(const NormalStream &stream,
                  const std::uint32_t first_block,
                  std::uint32_t      *words);

    /** The first @p n normal numbers of a stream. */
    void (*normals)(const NormalStream &stream,
                    const std::size_t   n,
                    double             *numbers);

    /**
     * Propose a state, \f$\beta' = \beta - \sqrt{G}v\f$ with the way
     * \f$v = \sqrt{G}(h_R\nabla R + h_P\nabla P) - a\varepsilon\f$ and fresh
     * normal numbers. The roots of the preconditioner may be null, for none.
     *
     * @param way Kept for the way back, in single precision to save memory
     * traffic.
     * @param sums \f$|v|^2\f$, finite only if the proposal is, and
     * \f$|\varepsilon|^2\f$.
     */
    void (*propose)(const NormalStream     &stream,
                    const StepCoefficients &step,
                    const std::size_t       n,
                    const double           *position,
                    const double           *reference_gradient,
                    const double           *potential_gradient,
                    const double           *roots,
                    double                 *proposal,
                    float                  *way,
                    double                 *sums);

    /**
     * With \f$d = \sqrt{G}(h_R\nabla R + h_P\nabla P)\f$ at the proposal,
     * \f$d\cdot(2v + d) = |v + d|^2 - |v|^2\f$: the noise has to do
     * \f$v + d\f$ on the way back. Written so, the rounding of \f$v\f$ counts
     * for little. Not finite if one of the gradients is not.
     */
    double (*way_back)(const StepCoefficients &step,
                       const std::size_t       n,
                       const float            *way,
                       const double           *reference_gradient,
                       const double           *potential_gradient,
                       const double           *roots);

    /** Finite only if all numbers are. */
    double (*sum_of_absolute_values)(const std::size_t n,
                                     const double     *numbers);

    /**
     * One step of the average
     * \f$V \leftarrow dV + (1-d)g^2\f$, \f$g = w_R\nabla R + w_P\nabla P\f$,
     * and the preconditioner \f$1/(\lambda + \sqrt{V/c})\f$.
     *
     * @param correction \f$c\f$, the sum of the weights in \f$V\f$.
     */
    void (*average_squares)(const std::size_t n,
                            const double      decay,
                            const double      correction,
                            const double      offset,
                            const double      reference_weight,
                            const double      potential_weight,
                            const double     *reference_gradient,
                            const double     *potential_gradient,
                            double           *squares,
                            double           *preconditioner);

    /**
     * Of the preconditioner times the factors (null for all one): the product
     * and its root.
     */
    void (*step_scales)(const std::size_t n,
                        const double     *preconditioner,
                        const double     *factors,
                        double           *products,
                        double           *roots);
  };

  extern const LangevinLoops langevin_loops_baseline, langevin_loops_v3,
    langevin_loops_v4;


  /** Those for the vector units of this processor. */
  const LangevinLoops &
  langevin_loops();
} // namespace Tempera

#endif
