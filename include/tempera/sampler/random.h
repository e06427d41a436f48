// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_random_h
#define tempera_sampler_random_h

#include <tempera/sampler/langevin_loops.h>

#include <deal.II/base/array_view.h>

#include <cstddef>
#include <cstdint>

namespace Tempera
{
  /**
   * What a random number is used for. Part of the key, so that two uses never
   * share a number. Never renumber: it would change every run.
   */
  enum class Purpose : std::uint32_t
  {
    /** Start points. */
    start = 0,
    /** Gaussian part of a proposal. */
    proposal = 1,
    /** Accept or reject a proposal. */
    acceptance = 2,
    /** Noise of an energy (minibatch) seen by a kernel. */
    minibatch = 3,
    /** Decide a swap. */
    swap_decision = 4,
    /** Choose the pair to swap. */
    swap_pair = 5,
    /** Noise of an energy seen by a swap. */
    swap_energy = 6,
    /** Repeated energies that measure the noise. */
    noise_estimate = 7,
    /** Synthetic data. */
    data = 8,
    /** Truths, errors, seeds and ties of a calibration. */
    calibration = 9
  };


  /**
   * Names one stream of random numbers. Randomness is a value here: the
   * numbers of a stream are a pure function of its key (Philox4x64 of the
   * Random123 library), so there is no generator to save, and the numbers do
   * not depend on the order in which they are asked for.
   *
   * Bit layout. Philox key: (seed, chain << 32 | rung). Philox counter:
   * (round, substep << 32 | purpose, block, stream). A block is four 64-bit
   * words; the functions below count blocks up from zero.
   */
  struct RandomKey
  {
    std::uint64_t seed    = 0;
    std::uint32_t chain   = 0;
    std::uint32_t rung    = 0;
    std::uint64_t round   = 0;
    std::uint32_t substep = 0;
    Purpose       purpose = Purpose::start;
    /** Free for the one who uses the key, for instance an energy. */
    std::uint64_t stream = 0;
  };


  /** Fill with uniform numbers in the open interval (0, 1). */
  void
  fill_uniforms(const RandomKey &key, const dealii::ArrayView<double> &numbers);

  /**
   * Fill with standard normal numbers (Box and Muller's transform).
   *
   * From long_array numbers on they are made by vector units, with other words
   * and in single precision; they are then a function of key and index, too,
   * up to rounding, which may differ between kinds of vector units (see
   * vector_units.h). Bit layout: normal_stream() gives the key and the upper
   * three words of the counter of Philox4x32-10; the lowest word of the counter
   * counts blocks. A block is four 32-bit words, that is two pairs. Of a pair,
   * the upper 31 bits of the first word, as a number a, are the radius:
   * r^2 = -2 log((a + 1/2) 2^-31). The highest bit of the second word is the
   * sign of r, and the others, as a signed number b, the angle
   * pi b 2^-31 in [-pi/2, pi/2). The two numbers are r times its cosine and
   * its sine. Number 64 m + 16 k + j, with j < 16 and k < 4, is number k of
   * block 16 m + j.
   */
  void
  fill_normals(const RandomKey &key, const dealii::ArrayView<double> &numbers);

  /** So many numbers are a long array. */
  constexpr std::size_t long_array = 256;

  /**
   * What the words of a long array depend on: of block 2^64 - 1 of the key's
   * own stream, which is never reached by counting, the first 64-bit word is
   * the key, and the next ones are the upper three words of the counter; lower
   * halves first.
   */
  NormalStream
  normal_stream(const RandomKey &key);

  /** The first uniform number of a stream. */
  double
  uniform(const RandomKey &key);
} // namespace Tempera

#endif
