// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_loops_h
#define tempera_pinn_network_loops_h

#include <tempera/base/vector_units.h>

#include <cstddef>

namespace Tempera
{
  /**
   * The rows that belong to one point: the value of every neuron, then for each
   * direction with two derivatives the first and the second, then for each
   * direction with one derivative the first.
   */
  struct JetShape
  {
    unsigned int n_second = 0;
    unsigned int n_first  = 0;

    unsigned int
    n_rows() const
    {
      return 1 + 2 * n_second + n_first;
    }
  };


  /** The largest numbers that there are loops for. */
  constexpr unsigned int max_inputs = 3, max_second = 3, max_first = 3;


  /**
   * The inner loops of a network, for one kind of vector unit. Matrices are
   * stored by rows; the columns are neurons, as many as padded_width() says,
   * and rows begin at multiples of 64 bytes.
   */
  template <typename Number>
  struct NetworkLoops
  {
    /** \f$C = AB\f$, where \f$A\f$ has @p n_inner columns that count. */
    void (*multiply)(std::size_t   n_rows,
                     std::size_t   n_inner,
                     std::size_t   width,
                     const Number *A,
                     std::size_t   stride_A,
                     const Number *B,
                     Number       *C);

    /** \f$C \mathrel{+}= A^TB\f$, where \f$A\f$ and \f$B\f$ have @p n_inner
     * rows and \f$C\f$ gets @p n_rows. */
    void (*add_product_of_transpose)(std::size_t   n_rows,
                                     std::size_t   n_inner,
                                     std::size_t   width,
                                     const Number *A,
                                     std::size_t   stride_A,
                                     const Number *B,
                                     Number       *C);

    /**
     * Activation of a layer: from the jets of \f$z\f$ without bias to those of
     * \f$\tanh(z + b)\f$. By n_second and n_first.
     */
    void (*activate[max_second + 1][max_first + 1])(std::size_t   n_points,
                                                    std::size_t   width,
                                                    const Number *bias,
                                                    const Number *z,
                                                    Number       *a);

    /**
     * The transposed derivative of that: turns the derivatives @p a_bar in the
     * jets of \f$a\f$ into those in the jets of \f$z\f$, in place, and adds
     * those in the bias.
     */
    void (*differentiate[max_second + 1][max_first + 1])(std::size_t   n_points,
                                                         std::size_t   width,
                                                         const Number *z,
                                                         const Number *a,
                                                         Number       *a_bar,
                                                         Number *bias_bar);

    /**
     * The same for the last hidden layer, from the derivatives in the outputs.
     *
     * @param weights Of the outputs, a row for each.
     */
    void (*differentiate_last[max_second + 1][max_first + 1])(
      std::size_t   n_points,
      std::size_t   width,
      std::size_t   n_outputs,
      const Number *weights,
      const Number *z,
      const Number *a,
      const Number *outputs_bar,
      Number       *z_bar,
      Number       *bias_bar);

    /**
     * The first layer: jets of \f$\tanh(Wx + b)\f$. By the number of inputs
     * less one, n_second and n_first.
     *
     * @param directions For each direction in the order of JetShape the input
     * that it is.
     * @param weights A row for each input.
     * @param points For each point its inputs.
     */
    void (*enter[max_inputs][max_second + 1][max_first + 1])(
      std::size_t         n_points,
      std::size_t         width,
      const unsigned int *directions,
      const Number       *weights,
      const Number       *bias,
      const Number       *points,
      Number             *a);

    /** Adds the derivatives in weights and bias of the first layer. */
    void (*differentiate_enter[max_inputs][max_second + 1][max_first + 1])(
      std::size_t         n_points,
      std::size_t         width,
      const unsigned int *directions,
      const Number       *weights,
      const Number       *points,
      const Number       *a,
      const Number       *a_bar,
      Number             *weights_bar,
      Number             *bias_bar);

    /** Outputs without bias of every row; the weights have a row for each. */
    void (*leave)(std::size_t   n_rows,
                  std::size_t   width,
                  std::size_t   n_outputs,
                  const Number *weights,
                  const Number *a,
                  Number       *outputs);

    /** Adds the derivatives in these weights. */
    void (*differentiate_leave)(std::size_t   n_rows,
                                std::size_t   width,
                                std::size_t   n_outputs,
                                const Number *a,
                                const Number *outputs_bar,
                                Number       *weights_bar);

    /**
     * Multiply-adds in registers for @p n_repeats times; returns their number.
     * To measure what the processor can do at most.
     */
    double (*multiply_add_peak)(std::size_t n_repeats, Number *sink);
  };


  /** Number of columns that a layer of so many neurons is stored with. */
  template <typename Number>
  constexpr std::size_t
  padded_width(const std::size_t width)
  {
    return (width + 64 / sizeof(Number) - 1) / (64 / sizeof(Number)) *
           (64 / sizeof(Number));
  }


  /** Number is float or double. */
  template <typename Number>
  const NetworkLoops<Number> &
  network_loops(const VectorUnits units = vector_units());
} // namespace Tempera

#endif
