// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_spectrum_loops_h
#define tempera_output_spectrum_loops_h

#include <cstddef>

// Plain declarations only: the loops are compiled for several kinds of
// vector units (cmake/vector_sources.cmake), and an inline function would be
// kept in one of its versions, perhaps in one that the processor cannot run.

namespace Tempera
{
  /** Complex numbers, real and imaginary parts apart. */
  struct ComplexArray
  {
    double *real, *imaginary;
  };


  /** The inner loops of autocovariances. */
  struct SpectrumLoops
  {
    /**
     * One pass of a Fourier transform (Stockham's, by four): @p from holds
     * @p n numbers for each of @p stride transforms that are left; those come
     * out four times as many, a quarter as long.
     *
     * @param roots \f$e^{-2\pi i k/(n s)}\f$ with the stride s.
     */
    void (*pass_by_four)(const std::size_t   n,
                         const std::size_t   stride,
                         const ComplexArray &roots,
                         const ComplexArray &from,
                         const ComplexArray &to);

    /** The last pass if the length is no power of four: n = 2. */
    void (*pass_by_two)(const std::size_t   stride,
                        const ComplexArray &from,
                        const ComplexArray &to);

    /**
     * @p both is the transform, of length 2 @p n, of two real sequences a and
     * b, as real and imaginary part. Add their powers
     * \f$|A|^2 + |B|^2\f$, and \f$A\bar B + C\bar A\f$ with the transform C of
     * the sequence before them, which becomes B. For the frequencies 0 to n.
     */
    void (*add_powers)(const std::size_t   n,
                       const ComplexArray &both,
                       double             *powers,
                       const ComplexArray &cross_powers,
                       const ComplexArray &before);
  };

  extern const SpectrumLoops spectrum_loops_baseline;
  extern const SpectrumLoops spectrum_loops_v3;
  extern const SpectrumLoops spectrum_loops_v4;
} // namespace Tempera

#endif
