// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/pinn/network.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  std::vector<unsigned int>
  NetworkShape::widths() const
  {
    std::vector<unsigned int> result{n_inputs};
    result.insert(result.end(), hidden.begin(), hidden.end());
    result.push_back(n_outputs);
    return result;
  }



  unsigned int
  NetworkShape::n_weights() const
  {
    const std::vector<unsigned int> all = widths();
    unsigned int                    n   = 0;
    for (std::size_t l = 0; l + 1 < all.size(); ++l)
      n += (all[l] + 1) * all[l + 1];
    return n;
  }



  std::string
  NetworkShape::text() const
  {
    std::vector<std::string> parts;
    for (const unsigned int width : widths())
      parts.push_back(std::to_string(width));
    return join(parts, " -> ");
  }



  void
  scale_to_start_weights(const NetworkShape              &shape,
                         const dealii::ArrayView<double> &normals)
  {
    AssertDimension(normals.size(), shape.n_weights());
    const std::vector<unsigned int> all   = shape.widths();
    std::size_t                     place = 0;
    for (std::size_t l = 0; l + 1 < all.size(); ++l)
      {
        const double deviation = std::sqrt(2. / (all[l] + all[l + 1]));
        for (unsigned int i = 0; i < all[l] * all[l + 1]; ++i)
          normals[place++] *= deviation;
        for (unsigned int i = 0; i < all[l + 1]; ++i)
          normals[place++] = 0.;
      }
  }



  JetRows::JetRows(const std::vector<unsigned int> &orders)
  {
    for (const unsigned int order : {2u, 1u})
      for (unsigned int input = 0; input < orders.size(); ++input)
        if (orders[input] == order)
          {
            my_directions.push_back(input);
            ++(order == 2 ? my_shape.n_second : my_shape.n_first);
          }
    AssertThrow(my_shape.n_second <= max_second &&
                  my_shape.n_first <= max_first,
                dealii::ExcNotImplemented());
  }



  unsigned int
  JetRows::row(const unsigned int input, const unsigned int order) const
  {
    const unsigned int place =
      std::find(my_directions.begin(), my_directions.end(), input) -
      my_directions.begin();
    Assert(place < my_directions.size(), dealii::ExcInternalError());
    Assert(order == 1 || place < my_shape.n_second, dealii::ExcInternalError());
    return place < my_shape.n_second ? 2 * place + order :
                                       1 + my_shape.n_second + place;
  }



  template <typename Number>
  Network<Number>::Network(const NetworkShape         &shape,
                           const NetworkLoops<Number> &loops)
    : shape(shape)
    , loops(loops)
  {
    const std::vector<unsigned int> all    = shape.widths();
    std::size_t                     widest = 0;
    for (std::size_t l = 0; l + 1 < all.size(); ++l)
      {
        Layer layer;
        layer.n_from     = all[l];
        layer.n_to       = all[l + 1];
        layer.width_from = padded_width<Number>(layer.n_from);
        layer.width_to   = padded_width<Number>(layer.n_to);
        // The outputs are few: their weights are rows, not columns.
        const bool        is_last = l + 2 == all.size();
        const std::size_t size    = is_last ? layer.n_to * layer.width_from :
                                              layer.n_from * layer.width_to;
        layer.weights.resize(size, Number(0.));
        layer.weights_bar.resize(size, Number(0.));
        layer.bias.resize(layer.width_to, Number(0.));
        layer.bias_bar.resize(layer.width_to, Number(0.));
        if (!is_last)
          {
            layer.weights_transposed.resize(layer.n_to * layer.width_from,
                                            Number(0.));
            if (l > 0)
              layer.z.resize(max_rows * layer.width_to, Number(0.));
            layer.a.resize(max_rows * layer.width_to, Number(0.));
          }
        widest = std::max({widest, layer.width_from, layer.width_to});
        layers.push_back(std::move(layer));
      }
    outputs.resize(max_rows * shape.n_outputs, Number(0.));
    bar.resize(max_rows * widest, Number(0.));
    other_bar.resize(max_rows * widest, Number(0.));
  }



  template <typename Number>
  void
  Network<Number>::set_weights(const dealii::ArrayView<const double> &weights)
  {
    AssertDimension(weights.size(), shape.n_weights());
    const double *next = weights.data();
    for (Layer &layer : layers)
      {
        const bool is_last  = &layer == &layers.back(),
                   is_first = &layer == &layers.front();
        for (unsigned int i = 0; i < layer.n_from; ++i, next += layer.n_to)
          if (is_last)
            for (unsigned int j = 0; j < layer.n_to; ++j)
              layer.weights[j * layer.width_from + i] = next[j];
          else
            {
              Number *const row = &layer.weights[i * layer.width_to];
              for (unsigned int j = 0; j < layer.n_to; ++j)
                row[j] = next[j];
            }
        if (!is_last && !is_first)
          // By rows of the result, which then are written in one go.
          for (unsigned int j = 0; j < layer.n_to; ++j)
            for (unsigned int i = 0; i < layer.n_from; ++i)
              layer.weights_transposed[j * layer.width_from + i] =
                layer.weights[i * layer.width_to + j];
        for (unsigned int j = 0; j < layer.n_to; ++j)
          layer.bias[j] = next[j];
        next += layer.n_to;
      }
  }



  template <typename Number>
  const Number *
  Network<Number>::forward(const JetRows     &rows,
                           const unsigned int n_points,
                           const Number      *points)
  {
    const JetShape    &jets   = rows.shape();
    const std::size_t  n_rows = n_points * rows.n_rows();
    const unsigned int n_out  = shape.n_outputs;
    Assert(n_points <= tile_size(rows), dealii::ExcInternalError());

    for (std::size_t l = 0; l + 1 < layers.size(); ++l)
      {
        Layer &layer = layers[l];
        if (l == 0)
          loops.enter[shape.n_inputs - 1][jets.n_second][jets.n_first](
            n_points,
            layer.width_to,
            rows.directions().data(),
            layer.weights.data(),
            layer.bias.data(),
            points,
            layer.a.data());
        else
          {
            loops.multiply(n_rows,
                           layer.n_from,
                           layer.width_to,
                           layers[l - 1].a.data(),
                           layer.width_from,
                           layer.weights.data(),
                           layer.z.data());
            loops.activate[jets.n_second][jets.n_first](n_points,
                                                        layer.width_to,
                                                        layer.bias.data(),
                                                        layer.z.data(),
                                                        layer.a.data());
          }
      }
    const Layer &last = layers.back();
    loops.leave(n_rows,
                last.width_from,
                n_out,
                last.weights.data(),
                layers[layers.size() - 2].a.data(),
                outputs.data());
    for (std::size_t row = 0; row < n_rows; row += rows.n_rows())
      for (unsigned int o = 0; o < n_out; ++o)
        outputs[row * n_out + o] += last.bias[o];
    return outputs.data();
  }



  template <typename Number>
  void
  Network<Number>::backward(const JetRows     &rows,
                            const unsigned int n_points,
                            const Number      *points,
                            const Number      *outputs_bar)
  {
    const JetShape    &jets   = rows.shape();
    const std::size_t  n_rows = n_points * rows.n_rows();
    const unsigned int n_out  = shape.n_outputs;

    Layer &last = layers.back();
    for (std::size_t row = 0; row < n_rows; row += rows.n_rows())
      for (unsigned int o = 0; o < n_out; ++o)
        last.bias_bar[o] += outputs_bar[row * n_out + o];
    loops.differentiate_leave(n_rows,
                              last.width_from,
                              n_out,
                              layers[layers.size() - 2].a.data(),
                              outputs_bar,
                              last.weights_bar.data());
    // A first layer that is the last one before the outputs gets its
    // derivatives by a product.
    if (layers.size() == 2)
      loops.multiply(n_rows,
                     n_out,
                     last.width_from,
                     outputs_bar,
                     n_out,
                     last.weights.data(),
                     bar.data());
    for (std::size_t l = layers.size() - 1; l-- > 0;)
      {
        Layer &layer = layers[l];
        if (l == 0)
          loops.differentiate_enter[shape.n_inputs - 1][jets.n_second]
                                   [jets.n_first](n_points,
                                                  layer.width_to,
                                                  rows.directions().data(),
                                                  layer.weights.data(),
                                                  points,
                                                  layer.a.data(),
                                                  bar.data(),
                                                  layer.weights_bar.data(),
                                                  layer.bias_bar.data());
        else
          {
            if (l + 2 == layers.size())
              loops.differentiate_last[jets.n_second][jets.n_first](
                n_points,
                layer.width_to,
                n_out,
                last.weights.data(),
                layer.z.data(),
                layer.a.data(),
                outputs_bar,
                bar.data(),
                layer.bias_bar.data());
            else
              loops.differentiate[jets.n_second][jets.n_first](
                n_points,
                layer.width_to,
                layer.z.data(),
                layer.a.data(),
                bar.data(),
                layer.bias_bar.data());
            loops.add_product_of_transpose(layer.n_from,
                                           n_rows,
                                           layer.width_to,
                                           layers[l - 1].a.data(),
                                           layer.width_from,
                                           bar.data(),
                                           layer.weights_bar.data());
            loops.multiply(n_rows,
                           layer.n_to,
                           layer.width_from,
                           bar.data(),
                           layer.width_to,
                           layer.weights_transposed.data(),
                           other_bar.data());
            bar.swap(other_bar);
          }
      }
  }



  template <typename Number>
  void
  Network<Number>::clear_gradient()
  {
    for (Layer &layer : layers)
      {
        std::fill(layer.weights_bar.begin(), layer.weights_bar.end(), 0.);
        std::fill(layer.bias_bar.begin(), layer.bias_bar.end(), 0.);
      }
  }



  template <typename Number>
  void
  Network<Number>::get_gradient(const dealii::ArrayView<double> &gradient) const
  {
    AssertDimension(gradient.size(), shape.n_weights());
    double *next = gradient.data();
    for (const Layer &layer : layers)
      {
        const bool is_last = &layer == &layers.back();
        for (unsigned int i = 0; i < layer.n_from; ++i, next += layer.n_to)
          if (is_last)
            for (unsigned int j = 0; j < layer.n_to; ++j)
              next[j] = layer.weights_bar[j * layer.width_from + i];
          else
            {
              const Number *const row = &layer.weights_bar[i * layer.width_to];
              for (unsigned int j = 0; j < layer.n_to; ++j)
                next[j] = row[j];
            }
        for (unsigned int j = 0; j < layer.n_to; ++j)
          next[j] = layer.bias_bar[j];
        next += layer.n_to;
      }
  }


  template class Network<float>;
  template class Network<double>;
} // namespace Tempera
