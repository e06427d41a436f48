// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/langevin_loops.h>

// Compiled once for each kind of vector units, with -ffast-math: nothing here
// may ask whether a number is finite.

namespace Tempera
{
  namespace
  {
    constexpr std::size_t batch_size = LangevinLoops::batch_size;
    constexpr std::size_t n_blocks   = LangevinLoops::blocks_per_batch;
    constexpr int         n_rounds   = 10;

    // A word of Philox in every 64-bit lane: the lower half counts, and the
    // multiplication of lower halves is one instruction.
#if defined(__AVX512F__)
    constexpr std::size_t n_bytes = 64;
#elif defined(__AVX2__)
    constexpr std::size_t n_bytes = 32;
#else
    constexpr std::size_t n_bytes = 16;
#endif
    constexpr std::size_t n_lanes = n_bytes / 8;
    /** So many at a time: while one waits for a product, another one works. */
    constexpr std::size_t n_vectors = n_blocks / n_lanes < 4 ? 2 : 4;
    using Lanes = std::uint64_t __attribute__((vector_size(n_bytes)));
    using Words = std::uint32_t __attribute__((vector_size(n_bytes)));

    inline Lanes
    everywhere(const std::uint32_t word)
    {
      return Lanes{} + word;
    }

    /** Products of the lower halves; GCC does not see by itself that it can. */
    inline Lanes
    multiply(const Lanes &a, const Lanes &b)
    {
      using Halves = int __attribute__((vector_size(n_bytes)));
#if defined(__clang__) || !defined(__SSE2__)
      const Lanes lower = everywhere(0xffffffffu);
      return (a & lower) * (b & lower);
#elif defined(__AVX512F__)
      using Signed = long long __attribute__((vector_size(n_bytes)));
      return (Lanes)
        __builtin_ia32_pmuludq512_mask((Halves)a, (Halves)b, Signed{}, 0xff);
#elif defined(__AVX2__)
      return (Lanes)__builtin_ia32_pmuludq256((Halves)a, (Halves)b);
#else
      return (Lanes)__builtin_ia32_pmuludq128((Halves)a, (Halves)b);
#endif
    }


    /** A NormalStream with the keys of all rounds in all lanes. */
    struct Philox
    {
      Lanes keys[2][n_rounds];
      Lanes upper_counter[3];
      /** 0, 2, 4 and so on. */
      Lanes even_numbers;

      explicit Philox(const NormalStream &stream)
      {
        constexpr std::uint32_t increments[2] = {0x9e3779b9u, 0xbb67ae85u};
        for (int half = 0; half < 2; ++half)
          for (int round = 0; round < n_rounds; ++round)
            keys[half][round] =
              everywhere(stream.key[half] + round * increments[half]);
        for (int i = 0; i < 3; ++i)
          upper_counter[i] = everywhere(stream.upper_counter[i]);
        std::uint64_t numbers[n_lanes];
        for (std::size_t lane = 0; lane < n_lanes; ++lane)
          numbers[lane] = 2 * lane;
        __builtin_memcpy(&even_numbers, numbers, n_bytes);
      }

      /** As LangevinLoops::words. */
      inline void
      operator()(const std::uint32_t first_block, std::uint32_t *words) const
      {
        const Lanes factors[2] = {everywhere(0xd2511f53u),
                                  everywhere(0xcd9e8d57u)};
        for (std::size_t first = 0; first < n_blocks;
             first += n_vectors * n_lanes)
          {
            // Even and odd blocks apart, so that in the end one slips between
            // the halves of the other.
            Lanes state[n_vectors][4];
            for (std::size_t v = 0; v < n_vectors; ++v)
              {
                state[v][0] = everywhere(first_block + first + v % 2 +
                                         v / 2 * (2 * n_lanes)) +
                              even_numbers;
                for (int i = 0; i < 3; ++i)
                  state[v][1 + i] = upper_counter[i];
              }

#pragma GCC unroll 10
            for (int round = 0; round < n_rounds; ++round)
#pragma GCC unroll 4
              for (std::size_t v = 0; v < n_vectors; ++v)
                {
                  Lanes      *x     = state[v];
                  const Lanes first = multiply(x[0], factors[0]);
                  const Lanes third = multiply(x[2], factors[1]);
                  x[0]              = (third >> 32) ^ (x[1] ^ keys[0][round]);
                  x[1]              = third;
                  x[2]              = (first >> 32) ^ (x[3] ^ keys[1][round]);
                  x[3]              = first;
                }

            const Lanes lower = everywhere(0xffffffffu);
#pragma GCC unroll 2
            for (std::size_t v = 0; v < n_vectors; v += 2)
#pragma GCC unroll 4
              for (int i = 0; i < 4; ++i)
                {
                  const Lanes both =
                    (state[v][i] & lower) | (state[v + 1][i] << 32);
                  __builtin_memcpy(words + i * n_blocks + first + v * n_lanes,
                                   &both,
                                   n_bytes);
                }
          }
      }
    };


    using Floats   = float __attribute__((vector_size(n_bytes)));
    using Integers = std::int32_t __attribute__((vector_size(n_bytes)));

    inline Floats
    to_floats(const Integers &integers)
    {
      return __builtin_convertvector(integers, Floats);
    }

    /**
     * \f$-2\ln u\f$ with \f$u = (w + 1/2) 2^{-31}\f$, \f$w\f$ the upper 31 bits
     * of the word. With \f$u = m 2^e\f$, \f$m\f$ around one, and
     * \f$\ln(m)/(m-1)\f$ interpolated at the nodes of Chebyshev, to 2.3e-7.
     */
    inline Floats
    squared_radius(const Words &word)
    {
      constexpr std::int32_t root_of_half = 0x3f3504f3;
      const Floats           u        = to_floats((Integers)(word >> 1)) + 0.5f;
      const Integers         bits     = (Integers)u - root_of_half;
      const Floats           exponent = to_floats(31 - (bits >> 23));
      const Floats t = (Floats)((bits & 0x7fffff) + root_of_half) - 1.f;
      // By pairs (Estrin), so that no long chain has to be waited for.
      const Floats t2 = t * t;
      const Floats quotient =
        ((0.99999997f + t * -0.50000375f) +
         t2 * (0.33334606f + t * -0.24968907f)) +
        (t2 * t2) * ((0.19913348f + t * -0.17278206f) +
                     t2 * (0.16126248f + t * -0.09895351f));
      return exponent * 1.38629436f - 2.f * (t * quotient);
    }

    /**
     * Cosine and sine of the angle of a word, in \f$[-\pi/2, \pi/2)\f$, to
     * 5e-8 and 7e-9.
     */
    inline void
    cosine_and_sine(const Words &word, Floats &cosine, Floats &sine)
    {
      const Floats s  = to_floats((Integers)(word << 1)) * 0x1p-31f;
      const Floats y  = s * s;
      const Floats y2 = y * y;
      cosine          = (0.99999995f + y * -1.2336982f) +
               y2 * ((0.25365067f + y * -0.020810515f) + y2 * 0.00085813447f);
      sine =
        s * ((1.5707963f + y * -0.64596376f) +
             y2 * ((0.079689918f + y * -0.0046741438f) + y2 * 0.0001516717f));
    }

    /**
     * Said to the processor directly: in loops of its own, GCC takes an
     * approximation here and the exact root there.
     */
    inline Floats
    root(const Floats &x)
    {
#if defined(__clang__) || !defined(__SSE2__)
      Floats result;
      for (std::size_t i = 0; i < 2 * n_lanes; ++i)
        result[i] = __builtin_sqrtf(x[i]);
      return result;
#elif defined(__AVX512F__)
      constexpr int usual_rounding = 4;
      return __builtin_ia32_sqrtps512_mask(x, Floats{}, -1, usual_rounding);
#elif defined(__AVX2__)
      return __builtin_ia32_sqrtps256(x);
#else
      return __builtin_ia32_sqrtps(x);
#endif
    }

    template <class Vector, class Number>
    inline Vector
    load(const Number *numbers)
    {
      Vector vector;
      __builtin_memcpy(&vector, numbers, sizeof(vector));
      return vector;
    }

    template <class Vector, class Number>
    inline void
    store(const Vector &vector, Number *numbers)
    {
      __builtin_memcpy(numbers, &vector, sizeof(vector));
    }


    // Neither is inlined: together they would not have enough registers.

    /** The words of some batches. */
    __attribute__((noinline)) void
    make_words(const Philox     &philox,
               const std::size_t first_batch,
               const std::size_t n_batches,
               std::uint32_t    *words)
    {
      for (std::size_t batch = 0; batch < n_batches; ++batch)
        philox(static_cast<std::uint32_t>((first_batch + batch) * n_blocks),
               words + batch * batch_size);
    }

    /**
     * The numbers of some batches, by the transform of Box and Muller. Two
     * short loops: a long one would wait for its own results.
     */
    __attribute__((noinline)) void
    make_numbers(const std::size_t n_batches,
                 const std::uint32_t *__restrict__ words,
                 float *__restrict__ numbers)
    {
      constexpr std::size_t length = 2 * n_lanes;
      const std::size_t     n      = n_batches * batch_size;
      for (std::size_t pair = 0; pair < n; pair += 2 * n_blocks)
        for (std::size_t j = pair; j < pair + n_blocks; j += length)
          store(squared_radius(load<Words>(words + j)), numbers + j);
      for (std::size_t pair = 0; pair < n; pair += 2 * n_blocks)
        for (std::size_t j = pair; j < pair + n_blocks; j += length)
          {
            const Words  word = load<Words>(words + j + n_blocks);
            const Words  sign = word & 0x80000000u;
            const Floats radius =
              (Floats)((Words)root(load<Floats>(numbers + j)) ^ sign);
            Floats cosine, sine;
            cosine_and_sine(word, cosine, sine);
            store(radius * cosine, numbers + j);
            store(radius * sine, numbers + j + n_blocks);
          }
    }

    /** So many numbers at a time that they stay in the nearest cache. */
    constexpr std::size_t batches_per_chunk = 8;
    constexpr std::size_t chunk_size        = batches_per_chunk * batch_size;

    /** Make the next chunk of numbers; returns how many are wanted. */
    inline std::size_t
    make_chunk(const Philox     &philox,
               const std::size_t first,
               const std::size_t n,
               float            *numbers)
    {
      const std::size_t size = n - first < chunk_size ? n - first : chunk_size;
      const std::size_t n_batches = (size + batch_size - 1) / batch_size;
      alignas(64) std::uint32_t words[chunk_size];
      make_words(philox, first / batch_size, n_batches, words);
      make_numbers(n_batches, words, numbers);
      return size;
    }


    void
    words(const NormalStream &stream,
          const std::uint32_t first_block,
          std::uint32_t      *words)
    {
      const Philox philox(stream);
      philox(first_block, words);
    }



    void
    normals(const NormalStream &stream, const std::size_t n, double *numbers)
    {
      const Philox      philox(stream);
      alignas(64) float chunk[chunk_size];
      for (std::size_t first = 0; first < n; first += chunk_size)
        {
          const std::size_t size = make_chunk(philox, first, n, chunk);
          for (std::size_t i = 0; i < size; ++i)
            numbers[first + i] = chunk[i];
        }
    }



    /** So many sums side by side: one alone would wait for itself. */
    constexpr std::size_t n_sums = 16;

    /** The sum of term(i), i from zero to n. */
    template <class Term>
    inline double
    sum_of(const std::size_t n, const Term &term)
    {
      double      sums[n_sums] = {};
      std::size_t i            = 0;
      for (; i + n_sums <= n; i += n_sums)
        for (std::size_t j = 0; j < n_sums; ++j)
          sums[j] += term(i + j);
      double result = 0.;
      for (; i < n; ++i)
        result += term(i);
      for (std::size_t j = 0; j < n_sums; ++j)
        result += sums[j];
      return result;
    }



    using Doubles    = double __attribute__((vector_size(n_bytes)));
    using HalfFloats = float __attribute__((vector_size(n_bytes / 2)));

    /** So many vectors at a time. */
    constexpr std::size_t n_together = 2;

    inline double
    sum_of_lanes(const Doubles (&vectors)[n_together])
    {
      double sum = 0.;
      for (std::size_t k = 0; k < n_together; ++k)
        for (std::size_t lane = 0; lane < n_lanes; ++lane)
          sum += vectors[k][lane];
      return sum;
    }



    template <bool preconditioned>
    inline void
    propose(const NormalStream     &stream,
            const StepCoefficients &step,
            const std::size_t       n,
            const double *__restrict__ position,
            const double *__restrict__ reference_gradient,
            const double *__restrict__ potential_gradient,
            const double *__restrict__ roots,
            double *__restrict__ proposal,
            float *__restrict__ way,
            double *sums)
    {
      const Philox      philox(stream);
      alignas(64) float normals[chunk_size];
      const double      h_R = step.reference, h_P = step.potential,
                   a                  = step.amplitude;
      Doubles way_squares[n_together] = {}, normal_squares[n_together] = {};
      double  last_way_square = 0., last_normal_square = 0.;
      for (std::size_t first = 0; first < n; first += chunk_size)
        {
          const std::size_t size = make_chunk(philox, first, n, normals);
          std::size_t       j    = 0;
          for (; j + n_together * n_lanes <= size; j += n_together * n_lanes)
#pragma GCC unroll 4
            for (std::size_t k = 0; k < n_together; ++k)
              {
                const std::size_t i      = first + j + k * n_lanes;
                const Doubles     normal = __builtin_convertvector(
                  load<HalfFloats>(normals + j + k * n_lanes), Doubles);
                const Doubles drift =
                  h_R * load<Doubles>(reference_gradient + i) +
                  h_P * load<Doubles>(potential_gradient + i);
                Doubles v, move;
                if (preconditioned)
                  {
                    const Doubles root = load<Doubles>(roots + i);
                    v                  = root * drift - a * normal;
                    move               = root * v;
                  }
                else
                  move = v = drift - a * normal;
                store(load<Doubles>(position + i) - move, proposal + i);
                store(__builtin_convertvector(v, HalfFloats), way + i);
                way_squares[k] += v * v;
                normal_squares[k] += normal * normal;
              }
          for (; j < size; ++j)
            {
              const std::size_t i      = first + j;
              const double      normal = normals[j];
              const double      drift =
                h_R * reference_gradient[i] + h_P * potential_gradient[i];
              const double v =
                (preconditioned ? roots[i] * drift : drift) - a * normal;
              proposal[i] = position[i] - (preconditioned ? roots[i] * v : v);
              way[i]      = static_cast<float>(v);
              last_way_square += v * v;
              last_normal_square += normal * normal;
            }
        }
      sums[0] = last_way_square + sum_of_lanes(way_squares);
      sums[1] = last_normal_square + sum_of_lanes(normal_squares);
    }



    void
    propose(const NormalStream     &stream,
            const StepCoefficients &step,
            const std::size_t       n,
            const double           *position,
            const double           *reference_gradient,
            const double           *potential_gradient,
            const double           *roots,
            double                 *proposal,
            float                  *way,
            double                 *sums)
    {
      (roots == nullptr ? propose<false> : propose<true>)(stream,
                                                          step,
                                                          n,
                                                          position,
                                                          reference_gradient,
                                                          potential_gradient,
                                                          roots,
                                                          proposal,
                                                          way,
                                                          sums);
    }



    double
    way_back(const StepCoefficients &step,
             const std::size_t       n,
             const float            *way,
             const double           *reference_gradient,
             const double           *potential_gradient,
             const double           *roots)
    {
      const double h_R = step.reference, h_P = step.potential;
      if (roots == nullptr)
        return sum_of(n, [=](const std::size_t i) {
          const double drift =
            h_R * reference_gradient[i] + h_P * potential_gradient[i];
          return drift * (2. * static_cast<double>(way[i]) + drift);
        });
      return sum_of(n, [=](const std::size_t i) {
        const double drift = roots[i] * (h_R * reference_gradient[i] +
                                         h_P * potential_gradient[i]);
        return drift * (2. * static_cast<double>(way[i]) + drift);
      });
    }



    double
    sum_of_absolute_values(const std::size_t n, const double *numbers)
    {
      return sum_of(n, [=](const std::size_t i) {
        return __builtin_fabs(numbers[i]);
      });
    }



    void
    average_squares(const std::size_t n,
                    const double      decay,
                    const double      correction,
                    const double      offset,
                    const double      reference_weight,
                    const double      potential_weight,
                    const double *__restrict__ reference_gradient,
                    const double *__restrict__ potential_gradient,
                    double *__restrict__ squares,
                    double *__restrict__ preconditioner)
    {
      const double scale = 1. / correction;
      for (std::size_t i = 0; i < n; ++i)
        {
          const double gradient = reference_weight * reference_gradient[i] +
                                  potential_weight * potential_gradient[i];
          const double average =
            decay * squares[i] + (1. - decay) * (gradient * gradient);
          squares[i]        = average;
          preconditioner[i] = 1. / (offset + __builtin_sqrt(average * scale));
        }
    }



    void
    step_scales(const std::size_t n,
                const double *__restrict__ preconditioner,
                const double *__restrict__ factors,
                double *__restrict__ products,
                double *__restrict__ roots)
    {
      for (std::size_t i = 0; i < n; ++i)
        {
          const double product = factors == nullptr ?
                                   preconditioner[i] :
                                   preconditioner[i] * factors[i];
          products[i]          = product;
          roots[i]             = __builtin_sqrt(product);
        }
    }
  } // namespace


#define TEMPERA_JOIN_AS_THEY_ARE(a, b) a##b
#define TEMPERA_JOIN(a, b) TEMPERA_JOIN_AS_THEY_ARE(a, b)

  const LangevinLoops TEMPERA_JOIN(langevin_loops_,
                                   TEMPERA_UNITS) = {words,
                                                     normals,
                                                     propose,
                                                     way_back,
                                                     sum_of_absolute_values,
                                                     average_squares,
                                                     step_scales};
} // namespace Tempera
