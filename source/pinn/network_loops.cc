// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compiled once for each kind of vector unit: see cmake/vector_sources.cmake
// for what may be included here.
#include <tempera/pinn/network_loops.h>

#include <cstdint>

namespace Tempera
{
  namespace
  {
#if defined(__AVX512F__)
    constexpr std::size_t vector_bytes = 64;
    /** Rows of a block of accumulators that is two vectors wide. */
    constexpr int block_rows = 12;
#elif defined(__AVX__)
    constexpr std::size_t vector_bytes = 32;
    constexpr int         block_rows   = 6;
#else
    constexpr std::size_t vector_bytes = 16;
    constexpr int         block_rows   = 6;
#endif

    using FloatVector __attribute__((vector_size(vector_bytes), may_alias)) =
      float;
    using FloatBits __attribute__((vector_size(vector_bytes), may_alias)) =
      std::int32_t;
    using DoubleVector __attribute__((vector_size(vector_bytes), may_alias)) =
      double;
    using DoubleBits __attribute__((vector_size(vector_bytes), may_alias)) =
      std::int64_t;

    template <typename Number>
    struct Traits;

    template <>
    struct Traits<float>
    {
      using Vector = FloatVector;
      using Bits   = FloatBits;

      static constexpr int   mantissa_bits = 23, bias = 127, degree = 8;
      static constexpr float largest = 10.f;
      /** Adding it moves the nearest integer to the lowest bits. */
      static constexpr float shifter = 0x1.8p23f;
      /** ln 2 in two parts, the first with trailing zeros. */
      static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
    };

    template <>
    struct Traits<double>
    {
      using Vector = DoubleVector;
      using Bits   = DoubleBits;

      static constexpr int    mantissa_bits = 52, bias = 1023, degree = 14;
      static constexpr double largest  = 20.;
      static constexpr double shifter  = 0x1.8p52;
      static constexpr double ln2_high = 0x1.62e42fefa3800p-1,
                              ln2_low  = 0x1.ef35793c76730p-45;
    };

    template <typename Number>
    using Vector = typename Traits<Number>::Vector;

    template <typename Number>
    constexpr std::size_t lanes = vector_bytes / sizeof(Number);

    template <typename Number>
    inline __attribute__((always_inline)) Vector<Number>
    load(const Number *place)
    {
      return *reinterpret_cast<const Vector<Number> *>(place);
    }

    template <typename Number>
    inline __attribute__((always_inline)) void
    store(Number *place, const Vector<Number> value)
    {
      *reinterpret_cast<Vector<Number> *>(place) = value;
    }

    template <typename Number>
    inline __attribute__((always_inline)) Number
    sum(const Vector<Number> value)
    {
      Number result = 0;
      for (std::size_t i = 0; i < lanes<Number>; ++i)
        result += value[i];
      return result;
    }


    /** Hide from the compiler how a number came about. */
    template <class Type>
    inline __attribute__((always_inline)) void
    keep_as_it_is(Type &value)
    {
#ifdef __x86_64__
      asm("" : "+x"(value));
#else
      asm("" : "+m"(value));
#endif
    }

    /** \f$1/k!\f$ */
    constexpr double inverse_factorial[] = {1.,
                                            1.,
                                            1. / 2,
                                            1. / 6,
                                            1. / 24,
                                            1. / 120,
                                            1. / 720,
                                            1. / 5040,
                                            1. / 40320,
                                            1. / 362880,
                                            1. / 3628800,
                                            1. / 39916800,
                                            1. / 479001600,
                                            1. / 6227020800,
                                            1. / 87178291200};

    /**
     * \f$\tanh x = (e^{2x} - 1) / (e^{2x} + 1)\f$ with \f$e^{2x} - 1\f$ from
     * \f$2x = n\ln 2 + r\f$ and Taylor's series in \f$r\f$, so that small
     * results keep their relative accuracy.
     */
    template <typename Number>
    inline __attribute__((always_inline)) Vector<Number>
    tanh(const Vector<Number> x)
    {
      using T    = Traits<Number>;
      using Bits = typename T::Bits;

      const Vector<Number> limit = Vector<Number>{} + T::largest;
      Vector<Number>       y     = x > limit ? limit : x;
      y                          = y < -limit ? -limit : y;
      y                          = y + y;

      // The compiler must not simplify what this rounds.
      Vector<Number> shifted = y * Number(1.44269504088896340736) + T::shifter;
      keep_as_it_is(shifted);
      const Vector<Number> n = shifted - T::shifter;
      Vector<Number>       r = y - n * T::ln2_high;
      keep_as_it_is(r);
      r = r - n * T::ln2_low;

      // By pairs of terms: half as many that wait for each other.
      const Vector<Number> r2     = r * r;
      Vector<Number>       series = r * Number(inverse_factorial[T::degree]) +
                              Number(inverse_factorial[T::degree - 1]);
#pragma GCC unroll 16
      for (int k = T::degree - 2; k > 0; k -= 2)
        series = series * r2 + (r * Number(inverse_factorial[k]) +
                                Number(inverse_factorial[k - 1]));
      series = series * r;

      const Bits exponent = reinterpret_cast<Bits>(shifted);
      const auto power = reinterpret_cast<Vector<Number>>((exponent + T::bias)
                                                          << T::mantissa_bits);
      const Vector<Number> e = power * series + (power - Number(1.));
      return e / (e + Number(2.));
    }


    /** A number that the compiler knows. */
    template <std::size_t n>
    struct Count
    {
      constexpr operator std::size_t() const
      {
        return n;
      }
    };


    /** What a block of the product does with its accumulators. */
    enum class Target
    {
      overwrite,
      add
    };

    /**
     * A block of \f$C\f$, R rows by V vectors. Entry \f$(r, k)\f$ of \f$A\f$
     * is at r * row_stride + k * inner_stride.
     */
    template <Target target, int R, int V, typename Number>
    inline __attribute__((always_inline)) void
    multiply_block(const std::size_t n_inner,
                   const std::size_t width,
                   const Number     *A,
                   const std::size_t row_stride,
                   const std::size_t inner_stride,
                   const Number     *B,
                   Number           *C)
    {
      Vector<Number> sums[R][V];
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v)
          if (target == Target::add)
            sums[r][v] = load(C + r * width + v * lanes<Number>);
          else
            sums[r][v] = Vector<Number>{};
#pragma GCC unroll 4
      for (std::size_t k = 0; k < n_inner; ++k)
        {
          Vector<Number> b[V];
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v)
            b[v] = load(B + k * width + v * lanes<Number>);
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            {
              const Vector<Number> a =
                Vector<Number>{} + A[r * row_stride + k * inner_stride];
#pragma GCC unroll 4
              for (int v = 0; v < V; ++v)
                sums[r][v] += a * b[v];
            }
        }
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v)
          store(C + r * width + v * lanes<Number>, sums[r][v]);
    }

    /** The last rows, fewer than a block. */
    template <Target target, int R, int V, typename Number>
    inline void
    multiply_rest(const std::size_t n_rows,
                  const std::size_t n_inner,
                  const std::size_t width,
                  const Number     *A,
                  const std::size_t row_stride,
                  const std::size_t inner_stride,
                  const Number     *B,
                  Number           *C)
    {
      if constexpr (R > 0)
        {
          if (n_rows == R)
            multiply_block<target, R, V>(
              n_inner, width, A, row_stride, inner_stride, B, C);
          else
            multiply_rest<target, R - 1, V>(
              n_rows, n_inner, width, A, row_stride, inner_stride, B, C);
        }
    }

    template <Target target, int V, typename Number>
    inline __attribute__((always_inline)) void
    multiply_columns(const std::size_t n_rows,
                     const std::size_t n_inner,
                     const std::size_t width,
                     const Number     *A,
                     const std::size_t row_stride,
                     const std::size_t inner_stride,
                     const Number     *B,
                     Number           *C)
    {
      // A last block of one or two rows would wait for its own sums: two of
      // middle size do not.
      constexpr std::size_t middle_rows = block_rows / 2 + 1;

      std::size_t row   = 0;
      const auto  block = [&](const auto n) {
        multiply_block<target, n, V>(n_inner,
                                     width,
                                     A + row * row_stride,
                                     row_stride,
                                     inner_stride,
                                     B,
                                     C + row * width);
        row += n;
      };
      while (n_rows - row >= block_rows && n_rows - row != block_rows + 1 &&
             n_rows - row != block_rows + 2)
        block(Count<block_rows>());
      if (n_rows - row > block_rows)
        block(Count<middle_rows>());
      multiply_rest<target, block_rows, V>(n_rows - row,
                                           n_inner,
                                           width,
                                           A + row * row_stride,
                                           row_stride,
                                           inner_stride,
                                           B,
                                           C + row * width);
    }

    template <Target target, typename Number>
    inline __attribute__((always_inline)) void
    multiply_all(const std::size_t n_rows,
                 const std::size_t n_inner,
                 const std::size_t width,
                 const Number     *A,
                 const std::size_t row_stride,
                 const std::size_t inner_stride,
                 const Number     *B,
                 Number           *C)
    {
      std::size_t column = 0;
      for (; column + 2 * lanes<Number> <= width; column += 2 * lanes<Number>)
        multiply_columns<target, 2>(n_rows,
                                    n_inner,
                                    width,
                                    A,
                                    row_stride,
                                    inner_stride,
                                    B + column,
                                    C + column);
      if (column < width)
        multiply_columns<target, 1>(n_rows,
                                    n_inner,
                                    width,
                                    A,
                                    row_stride,
                                    inner_stride,
                                    B + column,
                                    C + column);
    }


    template <typename Number>
    void
    multiply(const std::size_t n_rows,
             const std::size_t n_inner,
             const std::size_t width,
             const Number     *A,
             const std::size_t stride_A,
             const Number     *B,
             Number           *C)
    {
      multiply_all<Target::overwrite>(
        n_rows, n_inner, width, A, stride_A, 1, B, C);
    }


    template <typename Number>
    void
    add_product_of_transpose(const std::size_t n_rows,
                             const std::size_t n_inner,
                             const std::size_t width,
                             const Number     *A,
                             const std::size_t stride_A,
                             const Number     *B,
                             Number           *C)
    {
      multiply_all<Target::add>(n_rows, n_inner, width, A, 1, stride_A, B, C);
    }


    template <int n_second, int n_first, typename Number>
    void
    activate(const std::size_t n_points,
             const std::size_t width,
             const Number     *bias,
             const Number     *z,
             Number           *a)
    {
      constexpr int n_rows = 1 + 2 * n_second + n_first;
      for (std::size_t point = 0; point < n_points; ++point)
        for (std::size_t i = 0; i < width; i += lanes<Number>)
          {
            const Number *const  in  = z + point * n_rows * width + i;
            Number *const        out = a + point * n_rows * width + i;
            const Vector<Number> t   = tanh<Number>(load(in) + load(bias + i));
            const Vector<Number> slope = Number(1.) - t * t;
            const Vector<Number> bend  = Number(-2.) * t * slope;
            store(out, t);
            for (int d = 0; d < n_second; ++d)
              {
                const Vector<Number> z1 = load(in + (1 + 2 * d) * width);
                const Vector<Number> z2 = load(in + (2 + 2 * d) * width);
                store(out + (1 + 2 * d) * width, slope * z1);
                store(out + (2 + 2 * d) * width, slope * z2 + bend * (z1 * z1));
              }
            for (int d = 1 + 2 * n_second; d < n_rows; ++d)
              store(out + d * width, slope * load(in + d * width));
          }
    }


    /**
     * The transposed derivative of the activation for one point and vector:
     * from the derivatives @p bar in the jet of \f$a\f$ to those in the jet of
     * \f$z\f$, which are stored. Returns that in \f$z\f$ itself.
     */
    template <int n_second, int n_first, typename Number>
    inline __attribute__((always_inline)) Vector<Number>
    store_derivatives(const std::size_t    width,
                      const Number        *z,
                      const Vector<Number> t,
                      const Vector<Number> (&bar)[1 + 2 * n_second + n_first],
                      Number *z_bar)
    {
      const Vector<Number> slope = Number(1.) - t * t;
      const Vector<Number> bend  = Number(-2.) * t * slope;
      // The derivative of the bend.
      const Vector<Number> turn =
        slope * (Number(4.) * t * t - Number(2.) * slope);
      Vector<Number> value = slope * bar[0];
      for (int d = 0; d < n_second; ++d)
        {
          const Vector<Number> z1 = load(z + (1 + 2 * d) * width);
          const Vector<Number> z2 = load(z + (2 + 2 * d) * width);
          const Vector<Number> b1 = bar[1 + 2 * d], b2 = bar[2 + 2 * d];
          value += bend * (z1 * b1 + z2 * b2) + turn * (z1 * z1) * b2;
          store(z_bar + (1 + 2 * d) * width,
                slope * b1 + Number(2.) * bend * z1 * b2);
          store(z_bar + (2 + 2 * d) * width, slope * b2);
        }
      for (int d = 1 + 2 * n_second; d < 1 + 2 * n_second + n_first; ++d)
        {
          value += bend * load(z + d * width) * bar[d];
          store(z_bar + d * width, slope * bar[d]);
        }
      store(z_bar, value);
      return value;
    }


    template <int n_second, int n_first, typename Number>
    void
    differentiate(const std::size_t n_points,
                  const std::size_t width,
                  const Number     *z,
                  const Number     *a,
                  Number           *a_bar,
                  Number           *bias_bar)
    {
      constexpr int n_rows = 1 + 2 * n_second + n_first;
      for (std::size_t point = 0; point < n_points; ++point)
        for (std::size_t i = 0; i < width; i += lanes<Number>)
          {
            const std::size_t place = point * n_rows * width + i;
            Vector<Number>    bar[n_rows];
            for (int row = 0; row < n_rows; ++row)
              bar[row] = load(a_bar + place + row * width);
            const Vector<Number> value =
              store_derivatives<n_second, n_first, Number>(
                width, z + place, load(a + place), bar, a_bar + place);
            store(bias_bar + i, load(bias_bar + i) + value);
          }
    }


    template <int n_second, int n_first, typename Number>
    void
    differentiate_last(const std::size_t n_points,
                       const std::size_t width,
                       const std::size_t n_outputs,
                       const Number     *weights,
                       const Number     *z,
                       const Number     *a,
                       const Number     *outputs_bar,
                       Number           *z_bar,
                       Number           *bias_bar)
    {
      constexpr int n_rows = 1 + 2 * n_second + n_first;
      for (std::size_t i = 0; i < width; i += lanes<Number>)
        {
          Vector<Number> shift_bar{};
          for (std::size_t point = 0; point < n_points; ++point)
            {
              const std::size_t   place = point * n_rows * width + i;
              const Number *const from =
                outputs_bar + point * n_rows * n_outputs;
              Vector<Number> bar[n_rows];
              for (int row = 0; row < n_rows; ++row)
                bar[row] = from[row * n_outputs] * load(weights + i);
              for (std::size_t o = 1; o < n_outputs; ++o)
                for (int row = 0; row < n_rows; ++row)
                  bar[row] +=
                    from[row * n_outputs + o] * load(weights + o * width + i);
              shift_bar += store_derivatives<n_second, n_first, Number>(
                width, z + place, load(a + place), bar, z_bar + place);
            }
          store(bias_bar + i, load(bias_bar + i) + shift_bar);
        }
    }


    template <int n_inputs, int n_second, int n_first, typename Number>
    void
    enter(const std::size_t   n_points,
          const std::size_t   width,
          const unsigned int *directions,
          const Number       *weights,
          const Number       *bias,
          const Number       *points,
          Number             *a)
    {
      constexpr int n_rows = 1 + 2 * n_second + n_first;
      for (std::size_t i = 0; i < width; i += lanes<Number>)
        {
          const Vector<Number> shift = load(bias + i);
          Vector<Number>       w[n_inputs], z1[n_second + n_first + 1],
            z1_squared[n_second + 1];
          for (int d = 0; d < n_inputs; ++d)
            w[d] = load(weights + d * width + i);
          for (int d = 0; d < n_second + n_first; ++d)
            z1[d] = load(weights + directions[d] * width + i);
          for (int d = 0; d < n_second; ++d)
            z1_squared[d] = z1[d] * z1[d];
          for (std::size_t point = 0; point < n_points; ++point)
            {
              Vector<Number> z = shift;
              for (int d = 0; d < n_inputs; ++d)
                z += points[point * n_inputs + d] * w[d];
              Number *const        out   = a + point * n_rows * width + i;
              const Vector<Number> t     = tanh<Number>(z);
              const Vector<Number> slope = Number(1.) - t * t;
              const Vector<Number> bend  = Number(-2.) * t * slope;
              store(out, t);
              for (int d = 0; d < n_second; ++d)
                {
                  store(out + (1 + 2 * d) * width, slope * z1[d]);
                  store(out + (2 + 2 * d) * width, bend * z1_squared[d]);
                }
              for (int d = n_second; d < n_second + n_first; ++d)
                store(out + (1 + n_second + d) * width, slope * z1[d]);
            }
        }
    }


    template <int n_inputs, int n_second, int n_first, typename Number>
    void
    differentiate_enter(const std::size_t   n_points,
                        const std::size_t   width,
                        const unsigned int *directions,
                        const Number       *weights,
                        const Number       *points,
                        const Number       *a,
                        const Number       *a_bar,
                        Number             *weights_bar,
                        Number             *bias_bar)
    {
      constexpr int n_rows = 1 + 2 * n_second + n_first;
      for (std::size_t i = 0; i < width; i += lanes<Number>)
        {
          Vector<Number> w_bar[n_inputs] = {}, shift_bar{},
                         z1[n_second + n_first + 1],
                         z1_bar[n_second + n_first + 1] = {};
          for (int d = 0; d < n_second + n_first; ++d)
            z1[d] = load(weights + directions[d] * width + i);
          for (std::size_t point = 0; point < n_points; ++point)
            {
              const Number *const  bar   = a_bar + point * n_rows * width + i;
              const Vector<Number> t     = load(a + point * n_rows * width + i);
              const Vector<Number> slope = Number(1.) - t * t;
              const Vector<Number> bend  = Number(-2.) * t * slope;
              const Vector<Number> turn =
                slope * (Number(4.) * t * t - Number(2.) * slope);
              Vector<Number> value = slope * load(bar);
              for (int d = 0; d < n_second; ++d)
                {
                  const Vector<Number> b1 = load(bar + (1 + 2 * d) * width);
                  const Vector<Number> b2 =
                    z1[d] * load(bar + (2 + 2 * d) * width);
                  value += z1[d] * (bend * b1 + turn * b2);
                  z1_bar[d] += slope * b1 + Number(2.) * bend * b2;
                }
              for (int d = n_second; d < n_second + n_first; ++d)
                {
                  const Vector<Number> b1 =
                    load(bar + (1 + n_second + d) * width);
                  value += bend * z1[d] * b1;
                  z1_bar[d] += slope * b1;
                }
              for (int d = 0; d < n_inputs; ++d)
                w_bar[d] += points[point * n_inputs + d] * value;
              shift_bar += value;
            }
          const auto add = [&](Number *place, const Vector<Number> bar) {
            store(place, load(place) + bar);
          };
          for (int d = 0; d < n_inputs; ++d)
            add(weights_bar + d * width + i, w_bar[d]);
          for (int d = 0; d < n_second + n_first; ++d)
            add(weights_bar + directions[d] * width + i, z1_bar[d]);
          add(bias_bar + i, shift_bar);
        }
    }


    template <typename Number>
    void
    leave(const std::size_t n_rows,
          const std::size_t width,
          const std::size_t n_outputs,
          const Number     *weights,
          const Number     *a,
          Number           *outputs)
    {
      for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t o = 0; o < n_outputs; ++o)
          {
            Vector<Number> product{};
            for (std::size_t i = 0; i < width; i += lanes<Number>)
              product +=
                load(weights + o * width + i) * load(a + row * width + i);
            outputs[row * n_outputs + o] = sum<Number>(product);
          }
    }


    template <typename Number>
    void
    differentiate_leave(const std::size_t n_rows,
                        const std::size_t width,
                        const std::size_t n_outputs,
                        const Number     *a,
                        const Number     *outputs_bar,
                        Number           *weights_bar)
    {
      for (std::size_t i = 0; i < width; i += lanes<Number>)
        for (std::size_t o = 0; o < n_outputs; ++o)
          {
            // Two sums, so that neither waits for itself.
            Vector<Number> even{}, odd{};
            std::size_t    row = 0;
            for (; row + 2 <= n_rows; row += 2)
              {
                even +=
                  outputs_bar[row * n_outputs + o] * load(a + row * width + i);
                odd += outputs_bar[(row + 1) * n_outputs + o] *
                       load(a + (row + 1) * width + i);
              }
            if (row < n_rows)
              even +=
                outputs_bar[row * n_outputs + o] * load(a + row * width + i);
            Number *const place = weights_bar + o * width + i;
            store(place, load(place) + (even + odd));
          }
    }


    template <typename Number>
    double
    multiply_add_peak(const std::size_t n_repeats, Number *sink)
    {
      constexpr int  n_sums = 10;
      Vector<Number> sums[n_sums];
      for (int i = 0; i < n_sums; ++i)
        sums[i] = Vector<Number>{} + Number(i);
      Vector<Number> factor = Vector<Number>{} + sink[0],
                     shift  = Vector<Number>{} + sink[1];
      for (std::size_t repeat = 0; repeat < n_repeats; ++repeat)
        {
#pragma GCC unroll 10
          for (int i = 0; i < n_sums; ++i)
            sums[i] = sums[i] * factor + shift;
          // Or the compiler would unroll and reassociate.
          keep_as_it_is(factor);
          keep_as_it_is(shift);
        }
      Vector<Number> total{};
      for (int i = 0; i < n_sums; ++i)
        total += sums[i];
      sink[0] = sum<Number>(total);
      return static_cast<double>(n_repeats) * n_sums * lanes<Number>;
    }
  } // namespace


#define TEMPERA_JOIN_NAMES(a, b) a##b
#define TEMPERA_JOIN(a, b) TEMPERA_JOIN_NAMES(a, b)
// Of each kind of function one for every number of derivatives.
#define TEMPERA_ROW(f, n)              \
  {                                    \
    f<n, 0>, f<n, 1>, f<n, 2>, f<n, 3> \
  }
#define TEMPERA_TABLE(f)                                                       \
  {                                                                            \
    TEMPERA_ROW(f, 0), TEMPERA_ROW(f, 1), TEMPERA_ROW(f, 2), TEMPERA_ROW(f, 3) \
  }
// Of each input there is at most one direction.
#define TEMPERA_TABLES(f)                               \
  {                                                     \
    {{f<1, 0, 0>, f<1, 0, 1>, nullptr, nullptr},        \
     {f<1, 1, 0>, nullptr, nullptr, nullptr},           \
     {nullptr, nullptr, nullptr, nullptr},              \
     {nullptr, nullptr, nullptr, nullptr}},             \
      {{f<2, 0, 0>, f<2, 0, 1>, f<2, 0, 2>, nullptr},   \
       {f<2, 1, 0>, f<2, 1, 1>, nullptr, nullptr},      \
       {f<2, 2, 0>, nullptr, nullptr, nullptr},         \
       {nullptr, nullptr, nullptr, nullptr}},           \
    {                                                   \
      {f<3, 0, 0>, f<3, 0, 1>, f<3, 0, 2>, f<3, 0, 3>}, \
        {f<3, 1, 0>, f<3, 1, 1>, f<3, 1, 2>, nullptr},  \
        {f<3, 2, 0>, f<3, 2, 1>, nullptr, nullptr},     \
      {                                                 \
        f<3, 3, 0>, nullptr, nullptr, nullptr           \
      }                                                 \
    }                                                   \
  }
#define TEMPERA_LOOPS(Number)                                   \
  {                                                             \
    multiply<Number>, add_product_of_transpose<Number>,         \
      TEMPERA_TABLE(activate), TEMPERA_TABLE(differentiate),    \
      TEMPERA_TABLE(differentiate_last), TEMPERA_TABLES(enter), \
      TEMPERA_TABLES(differentiate_enter), leave<Number>,       \
      differentiate_leave<Number>, multiply_add_peak<Number>    \
  }

  extern const NetworkLoops<float>  TEMPERA_JOIN(float_network_loops_,
                                                TEMPERA_UNITS);
  extern const NetworkLoops<double> TEMPERA_JOIN(double_network_loops_,
                                                 TEMPERA_UNITS);

  const NetworkLoops<float> TEMPERA_JOIN(float_network_loops_,
                                         TEMPERA_UNITS) = TEMPERA_LOOPS(float);
  const NetworkLoops<double>
    TEMPERA_JOIN(double_network_loops_, TEMPERA_UNITS) = TEMPERA_LOOPS(double);
} // namespace Tempera
