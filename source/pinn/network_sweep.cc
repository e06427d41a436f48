// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/pinn/network_sweep.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  using Kind = CoefficientSource::Kind;



  template <typename Number>
  NetworkSweep<Number>::NetworkSweep(std::shared_ptr<const NetworkModel> model,
                                     std::vector<MisfitSet>              sets)
    : model(std::move(model))
    , sets(std::move(sets))
    , network(this->model->shape)
    , coefficients_vary(std::any_of(this->model->coefficients.begin(),
                                    this->model->coefficients.end(),
                                    [](const CoefficientSource &source) {
                                      return source.kind != Kind::known;
                                    }))
    , unknowns(this->model->unknowns.size())
    , unknowns_bar(unknowns.size())
  {
    for (const MisfitSet &set : this->sets)
      {
        dealii::AlignedVector<Number> inputs(set.inputs.size());
        std::copy(set.inputs.begin(), set.inputs.end(), inputs.begin());
        inputs_of_sets.push_back(inputs);
      }
    const unsigned int n   = Network<Number>::tile_size(JetRows());
    const unsigned int n_c = this->model->coefficients.size();
    tile_inputs.resize(n * this->model->shape.n_inputs);
    outputs_bar.resize(n * this->model->shape.n_outputs);
    residual_inputs.resize(n * this->model->shape.n_inputs);
    jets.resize(n);
    in_jets.resize(n);
    coefficients.resize(n * n_c);
    in_coefficients.resize(n * n_c);
    residuals.resize(n);
    bars.resize(n);
  }



  template <typename Number>
  void
  NetworkSweep<Number>::set_state(const dealii::ArrayView<const double> &state)
  {
    const unsigned int n = model->shape.n_weights();
    network.set_weights(dealii::ArrayView<const double>(state.data(), n));
    std::copy(state.begin() + n, state.end(), unknowns.begin());
  }



  template <typename Number>
  void
  NetworkSweep<Number>::clear_gradient()
  {
    network.clear_gradient();
    std::fill(unknowns_bar.begin(), unknowns_bar.end(), 0.);
  }



  template <typename Number>
  void
  NetworkSweep<Number>::get_gradient(
    const dealii::ArrayView<double> &gradient) const
  {
    const unsigned int n = model->shape.n_weights();
    network.get_gradient(dealii::ArrayView<double>(gradient.data(), n));
    std::copy(unknowns_bar.begin(), unknowns_bar.end(), gradient.begin() + n);
  }



  template <typename Number>
  void
  NetworkSweep<Number>::evaluate_residuals(const MisfitSet    &set,
                                           const unsigned int  n_points,
                                           const unsigned int *points,
                                           const unsigned int  first,
                                           const Number       *outputs,
                                           const bool          with_derivatives)
  {
    const unsigned int n_in   = model->shape.n_inputs;
    const unsigned int n_out  = model->shape.n_outputs;
    const unsigned int n_rows = set.rows.n_rows();
    const unsigned int n_c    = model->coefficients.size();

    for (unsigned int q = 0; q < n_points; ++q)
      for (unsigned int row = 0; row < n_rows; ++row)
        jets[q * n_rows + row] = outputs[(q * n_rows + row) * n_out];
    for (unsigned int c = 0; c < n_c; ++c)
      {
        const CoefficientSource &source = model->coefficients[c];
        for (unsigned int q = 0; q < n_points; ++q)
          coefficients[q * n_c + c] =
            source.kind == Kind::known ?
              source.value :
            source.kind == Kind::unknown ?
              unknowns[source.index] :
              outputs[q * n_rows * n_out + source.index];
      }
    const double *inputs = set.inputs.data() + first * n_in;
    if (points != nullptr)
      {
        for (unsigned int q = 0; q < n_points; ++q)
          std::copy_n(set.inputs.begin() + points[q] * n_in,
                      n_in,
                      residual_inputs.begin() + q * n_in);
        inputs = residual_inputs.data();
      }
    model->equation->evaluate(
      {n_points, inputs, jets.data(), coefficients.data()},
      {residuals.data(),
       with_derivatives ? in_jets.data() : nullptr,
       coefficients_vary ? in_coefficients.data() : nullptr});
    const std::vector<double> &data = set.terms[0].data;
    for (unsigned int q = 0; q < n_points; ++q)
      residuals[q] -= data[points != nullptr ? points[q] : first + q];
  }



  template <typename Number>
  void
  NetworkSweep<Number>::pass_on_residuals(const MisfitSet   &set,
                                          const unsigned int n_points)
  {
    const unsigned int n_out  = model->shape.n_outputs;
    const unsigned int n_rows = set.rows.n_rows();
    const unsigned int n_c    = model->coefficients.size();
    for (unsigned int q = 0; q < n_points; ++q)
      for (unsigned int row = 0; row < n_rows; ++row)
        outputs_bar[(q * n_rows + row) * n_out] +=
          bars[q] * in_jets[q * n_rows + row];
    for (unsigned int c = 0; c < n_c; ++c)
      {
        const CoefficientSource &source = model->coefficients[c];
        if (source.kind == Kind::unknown)
          for (unsigned int q = 0; q < n_points; ++q)
            unknowns_bar[source.index] +=
              bars[q] * in_coefficients[q * n_c + c];
        else if (source.kind == Kind::output)
          for (unsigned int q = 0; q < n_points; ++q)
            outputs_bar[q * n_rows * n_out + source.index] +=
              bars[q] * in_coefficients[q * n_c + c];
      }
  }



  template <typename Number>
  double
  NetworkSweep<Number>::add_tile(const MisfitSet    &set,
                                 const Number       *inputs,
                                 const unsigned int  n_points,
                                 const unsigned int *points,
                                 const unsigned int  first,
                                 const double        scale,
                                 const bool          with_gradient)
  {
    const unsigned int n_out   = model->shape.n_outputs;
    const unsigned int n_rows  = set.rows.n_rows();
    const Number      *outputs = network.forward(set.rows, n_points, inputs);
    if (with_gradient)
      std::fill_n(outputs_bar.begin(), n_points * n_rows * n_out, Number(0.));

    double potential = 0.;
    if (set.is_residual)
      {
        evaluate_residuals(
          set, n_points, points, first, outputs, with_gradient);
        const double factor = scale * set.terms[0].factor;
        for (unsigned int q = 0; q < n_points; ++q)
          {
            potential += factor * residuals[q] * residuals[q];
            bars[q] = 2. * factor * residuals[q];
          }
        if (with_gradient)
          pass_on_residuals(set, n_points);
      }
    else
      for (const MisfitSet::Term &term : set.terms)
        {
          const double factor = scale * term.factor;
          for (unsigned int q = 0; q < n_points; ++q)
            {
              const std::size_t place = (q * n_rows + term.row) * n_out;
              const double      misfit =
                outputs[place] -
                term.data[points != nullptr ? points[q] : first + q];
              potential += factor * misfit * misfit;
              if (with_gradient)
                outputs_bar[place] += 2. * factor * misfit;
            }
        }
    if (with_gradient)
      network.backward(set.rows, n_points, inputs, outputs_bar.data());
    return potential;
  }



  template <typename Number>
  double
  NetworkSweep<Number>::add_set(const unsigned int set_index,
                                const bool         with_gradient)
  {
    const MisfitSet   &set       = sets[set_index];
    const unsigned int n_in      = model->shape.n_inputs;
    const unsigned int n         = set.n_points(n_in);
    const unsigned int tile      = Network<Number>::tile_size(set.rows);
    double             potential = 0.;
    for (unsigned int first = 0; first < n; first += tile)
      potential += add_tile(set,
                            &inputs_of_sets[set_index][first * n_in],
                            std::min(tile, n - first),
                            nullptr,
                            first,
                            1.,
                            with_gradient);
    return potential;
  }



  template <typename Number>
  double
  NetworkSweep<Number>::add_points(const unsigned int               set_index,
                                   const std::vector<unsigned int> &points,
                                   const double                     scale,
                                   const bool with_gradient)
  {
    const MisfitSet   &set       = sets[set_index];
    const unsigned int n_in      = model->shape.n_inputs;
    const unsigned int tile      = Network<Number>::tile_size(set.rows);
    double             potential = 0.;
    for (std::size_t first = 0; first < points.size(); first += tile)
      {
        const unsigned int n =
          std::min<std::size_t>(tile, points.size() - first);
        for (unsigned int q = 0; q < n; ++q)
          std::copy_n(&inputs_of_sets[set_index][points[first + q] * n_in],
                      n_in,
                      tile_inputs.begin() + q * n_in);
        potential += add_tile(
          set, tile_inputs.data(), n, &points[first], 0, scale, with_gradient);
      }
    return potential;
  }



  template <typename Number>
  double
  NetworkSweep<Number>::linearise(const unsigned int set_index,
                                  const unsigned int term_index,
                                  const unsigned int point)
  {
    const MisfitSet       &set   = sets[set_index];
    const MisfitSet::Term &term  = set.terms[term_index];
    const unsigned int     n_out = model->shape.n_outputs;
    const double           root  = std::sqrt(2. * term.factor);
    const Number *const    inputs =
      &inputs_of_sets[set_index][point * model->shape.n_inputs];

    clear_gradient();
    const Number *const outputs = network.forward(set.rows, 1, inputs);
    std::fill_n(outputs_bar.begin(), set.rows.n_rows() * n_out, Number(0.));
    double misfit;
    if (set.is_residual)
      {
        evaluate_residuals(set, 1, nullptr, point, outputs, true);
        misfit  = residuals[0];
        bars[0] = root;
        pass_on_residuals(set, 1);
      }
    else
      {
        misfit = outputs[term.row * n_out] - term.data[point];
        outputs_bar[term.row * n_out] = root;
      }
    network.backward(set.rows, 1, inputs, outputs_bar.data());
    return root * misfit;
  }



  template <typename Number>
  void
  NetworkSweep<Number>::predict(const unsigned int               output,
                                const std::vector<double>       &inputs,
                                const dealii::ArrayView<double> &values)
  {
    const unsigned int n_in = model->shape.n_inputs;
    const JetRows      rows;
    const unsigned int tile = Network<Number>::tile_size(rows);
    AssertDimension(inputs.size(), values.size() * n_in);
    for (std::size_t first = 0; first < values.size(); first += tile)
      {
        const unsigned int n =
          std::min<std::size_t>(tile, values.size() - first);
        std::copy_n(inputs.begin() + first * n_in,
                    n * n_in,
                    tile_inputs.begin());
        const Number *const outputs =
          network.forward(rows, n, tile_inputs.data());
        for (unsigned int q = 0; q < n; ++q)
          values[first + q] = outputs[q * model->shape.n_outputs + output];
      }
  }



  template <typename Number>
  double
  NetworkSweep<Number>::linearise_prediction(const unsigned int output,
                                             const double      *inputs)
  {
    const JetRows      rows;
    const unsigned int n_out = model->shape.n_outputs;
    std::copy_n(inputs, model->shape.n_inputs, tile_inputs.begin());
    clear_gradient();
    const double value = network.forward(rows, 1, tile_inputs.data())[output];
    std::fill_n(outputs_bar.begin(), n_out, Number(0.));
    outputs_bar[output] = 1.;
    network.backward(rows, 1, tile_inputs.data(), outputs_bar.data());
    return value;
  }


  template class NetworkSweep<float>;
  template class NetworkSweep<double>;
} // namespace Tempera
