// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_h
#define tempera_pinn_network_h

#include <tempera/pinn/network_loops.h>

#include <deal.II/base/aligned_vector.h>
#include <deal.II/base/array_view.h>

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * A fully connected network: inputs, hidden layers of tanh, linear outputs.
   * Its weights are one list: for each layer the matrix by rows, one row for
   * each neuron it comes from, then the biases.
   */
  struct NetworkShape
  {
    unsigned int              n_inputs = 1;
    std::vector<unsigned int> hidden;
    unsigned int              n_outputs = 1;

    /** Widths from the inputs to the outputs. */
    std::vector<unsigned int>
    widths() const;

    unsigned int
    n_weights() const;

    /** For instance "2 -> 32 -> 32 -> 1". */
    std::string
    text() const;
  };


  /**
   * Random weights with which signals neither die nor explode (Glorot and
   * Bengio, 2010): variance 2 / (neurons before + neurons behind), biases zero.
   *
   * @param normals Standard normal numbers, replaced by the weights.
   */
  void
  scale_to_start_weights(const NetworkShape              &shape,
                         const dealii::ArrayView<double> &normals);


  /**
   * Which derivatives of the outputs are wanted, by input: none, the first, or
   * the first and the second. Says in which row of a jet each is.
   */
  class JetRows
  {
  public:
    /** Values only. */
    JetRows() = default;

    /** @param orders For each input 0, 1 or 2. */
    explicit JetRows(const std::vector<unsigned int> &orders);

    const JetShape &
    shape() const
    {
      return my_shape;
    }

    unsigned int
    n_rows() const
    {
      return my_shape.n_rows();
    }

    /** The row of a derivative of order 1 or 2. It must be wanted. */
    unsigned int
    row(const unsigned int input, const unsigned int order) const;

    /** Inputs in the order of their rows. */
    const std::vector<unsigned int> &
    directions() const
    {
      return my_directions;
    }

  private:
    JetShape                  my_shape;
    std::vector<unsigned int> my_directions;
  };


  /**
   * Computes the jets (values and derivatives in the inputs) of a network at
   * many points, and derivatives of functions of these jets in the weights: a
   * sweep forward through the layers, one back. Points come in tiles that stay
   * in the cache; the products are matrix products, with a row for each point
   * and derivative.
   *
   * @tparam Number float or double.
   */
  template <typename Number>
  class Network
  {
  public:
    explicit Network(
      const NetworkShape         &shape,
      const NetworkLoops<Number> &loops = network_loops<Number>());

    const NetworkShape &
    get_shape() const
    {
      return shape;
    }

    /** Points of a tile, at most. */
    static unsigned int
    tile_size(const JetRows &rows)
    {
      return rows.n_rows() < max_rows ? max_rows / rows.n_rows() : 1;
    }

    void
    set_weights(const dealii::ArrayView<const double> &weights);

    /**
     * Jets at a tile of points: for each point and row the outputs. Valid until
     * the next call.
     *
     * @param points For each point its inputs.
     */
    const Number *
    forward(const JetRows     &rows,
            const unsigned int n_points,
            const Number      *points);

    /**
     * Adds to the gradient in the weights, after forward() with the same
     * arguments.
     *
     * @param outputs_bar Derivatives in what forward() has returned.
     */
    void
    backward(const JetRows     &rows,
             const unsigned int n_points,
             const Number      *points,
             const Number      *outputs_bar);

    void
    clear_gradient();

    /** The gradient since clear_gradient(), in the order of the weights. */
    void
    get_gradient(const dealii::ArrayView<double> &gradient) const;

  private:
    static constexpr unsigned int max_rows = 120;

    using Memory = dealii::AlignedVector<Number>;

    /** One layer with columns padded. */
    struct Layer
    {
      unsigned int n_from, n_to;
      /** Columns of what comes in and goes out. */
      std::size_t width_from, width_to;
      /** By rows of neurons it comes from; of the last layer transposed. */
      Memory weights;
      Memory weights_transposed;
      Memory bias;
      Memory weights_bar, bias_bar;
      /** Of hidden layers: jets before and after the activation. */
      Memory z, a;
    };

    const NetworkShape          shape;
    const NetworkLoops<Number> &loops;
    std::vector<Layer>          layers;
    Memory                      outputs, bar, other_bar;
  };
} // namespace Tempera

#endif
