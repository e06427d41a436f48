// SPDX-License-Identifier: LGPL-2.1-or-later

// Jets and gradients of networks. A network with known weights has the
// derivatives of its closed form. For networks of several shapes the potential
// and its gradient equal those of the same formula differentiated by Sacado
// (1e-10 in double precision, 1e-5 in single), on every kind of vector unit
// that the processor has. At the paper's size the gradient equals differences
// of high order. Minibatches have the right mean.

#include "tests.h"

#include <tempera/base/vector_units.h>
#include <tempera/pinn/equation.h>
#include <tempera/pinn/network_posterior.h>

#include <Sacado.hpp>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Outputs of a network for any type of number, written plainly. */
  template <typename Number, typename Weight>
  std::vector<Number>
  outputs_of(const NetworkShape        &shape,
             const std::vector<Weight> &weights,
             const std::vector<Number> &inputs)
  {
    const std::vector<unsigned int> widths = shape.widths();
    std::vector<Number>             values = inputs;
    std::size_t                     place  = 0;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l)
      {
        std::vector<Number> next(widths[l + 1]);
        for (unsigned int j = 0; j < widths[l + 1]; ++j)
          {
            Number z = Number(weights[place + widths[l] * widths[l + 1] + j]);
            for (unsigned int i = 0; i < widths[l]; ++i)
              z += Number(weights[place + i * widths[l + 1] + j]) * values[i];
            next[j] = l + 2 < widths.size() ? Number(tanh(z)) : z;
          }
        place += (widths[l] + 1) * widths[l + 1];
        values = next;
      }
    return values;
  }

  using InState = Sacado::Fad::DFad<double>;
  using Once    = Sacado::Fad::SFad<InState, 1>;
  using Twice   = Sacado::Fad::SFad<Once, 1>;

  /** Value, first and second derivative of the outputs in an input. */
  std::vector<std::array<InState, 3>>
  derivatives(const NetworkShape         &shape,
              const std::vector<InState> &weights,
              const double               *inputs,
              const unsigned int          input)
  {
    std::vector<Twice> x;
    for (unsigned int i = 0; i < shape.n_inputs; ++i)
      {
        Twice entry = Twice(Once(InState(inputs[i])));
        if (i == input)
          {
            entry.val().fastAccessDx(0) = InState(1.);
            entry.fastAccessDx(0)       = Once(InState(1.));
          }
        x.push_back(entry);
      }
    std::vector<std::array<InState, 3>> result;
    for (const Twice &u : outputs_of(shape, weights, x))
      result.push_back({{u.val().val(), u.val().dx(0), u.dx(0).dx(0)}});
    return result;
  }

  /** Smooth numbers without structure. */
  std::vector<double>
  some_numbers(const std::size_t n, const double size)
  {
    std::vector<double> result(n);
    for (std::size_t i = 0; i < n; ++i)
      result[i] = size * std::sin(1. + 3.7 * i + 0.11 * i * i);
    return result;
  }

  struct Case
  {
    std::string                    name, equation;
    std::vector<unsigned int>      hidden;
    std::vector<CoefficientSource> coefficients;
  };

  const CoefficientSource known{CoefficientSource::Kind::known, 1.3, 0},
    unknown{CoefficientSource::Kind::unknown, 0., 0},
    output{CoefficientSource::Kind::output, 0., 1};

  std::shared_ptr<NetworkModel>
  make_model(const Case &the_case)
  {
    const auto model      = std::make_shared<NetworkModel>();
    model->equation       = EquationRegistry::create(the_case.equation);
    model->coefficients   = the_case.coefficients;
    model->shape.hidden   = the_case.hidden;
    model->shape.n_inputs = model->equation->n_inputs();
    for (const CoefficientSource &source : the_case.coefficients)
      if (source.kind == CoefficientSource::Kind::unknown)
        model->unknowns.push_back(
          {"alpha", Prior::from_text("normal(1, 0.5)", "test")});
      else if (source.kind == CoefficientSource::Kind::output)
        ++model->shape.n_outputs;
    return model;
  }

  /** Residuals at n points, and values and first derivatives at n more. */
  std::vector<MisfitSet>
  make_sets(const NetworkModel &model, const unsigned int n)
  {
    const unsigned int n_in = model.shape.n_inputs;
    MisfitSet          residual, value;
    residual.inputs      = some_numbers(n * n_in, 1.);
    residual.rows        = JetRows(model.equation->orders());
    residual.is_residual = true;
    residual.terms.push_back({"residual", 0, some_numbers(n, 0.5), 0.7});
    value.inputs = some_numbers(n * n_in, 0.8);
    std::vector<unsigned int> orders(n_in, 0);
    orders.back() = 1;
    value.rows    = JetRows(orders);
    value.terms.push_back({"value", 0, some_numbers(n, 0.3), 2.});
    value.terms.push_back(
      {"rate", value.rows.row(n_in - 1, 1), some_numbers(n, 0.2), 1.5});
    return {residual, value};
  }

  /** The potential by Sacado. */
  InState
  plain_potential(const NetworkModel           &model,
                  const std::vector<MisfitSet> &sets,
                  const std::vector<double>    &state)
  {
    std::vector<InState> weights;
    for (std::size_t i = 0; i < state.size(); ++i)
      weights.push_back(InState(state.size(), i, state[i]));
    const unsigned int n_in     = model.shape.n_inputs;
    const bool         has_time = model.equation->order_in_time() > 0;
    InState            sum(0.);
    for (const MisfitSet &set : sets)
      for (unsigned int q = 0; q < set.n_points(n_in); ++q)
        {
          const double *const x    = &set.inputs[q * n_in];
          const auto          in_x = derivatives(model.shape, weights, x, 0);
          const auto in_last = derivatives(model.shape, weights, x, n_in - 1);
          if (set.is_residual)
            {
              std::vector<InState> c;
              for (const CoefficientSource &source : model.coefficients)
                c.push_back(source.kind == CoefficientSource::Kind::known ?
                              InState(source.value) :
                            source.kind == CoefficientSource::Kind::unknown ?
                              weights[model.shape.n_weights() + source.index] :
                              in_x[source.index][0]);
              // The two equations once more, by hand.
              const InState r =
                (has_time ?
                   InState(in_last[0][1] + c[0] * in_last[0][2] -
                           c[1] * in_x[0][2]) :
                   InState(c[0] * in_x[0][0] * in_x[0][0] - in_x[0][2])) -
                set.terms[0].data[q];
              sum += set.terms[0].factor * r * r;
            }
          else
            {
              const InState value = in_last[0][0] - set.terms[0].data[q];
              const InState rate  = in_last[0][1] - set.terms[1].data[q];
              sum += set.terms[0].factor * value * value +
                     set.terms[1].factor * rate * rate;
            }
        }
    return sum;
  }

  template <typename Number>
  Evaluation
  evaluate(const std::shared_ptr<const NetworkModel> &model,
           const std::vector<MisfitSet>              &sets,
           const std::vector<double>                 &state,
           const unsigned int                         batch_size = 0,
           const RandomKey                           &key        = RandomKey())
  {
    const NetworkPosterior<Number> posterior(model, sets, batch_size);
    Evaluation                     evaluation;
    evaluation.reference_gradient.resize(state.size());
    evaluation.potential_gradient.resize(state.size());
    posterior.evaluate(dealii::make_array_view(state),
                       key,
                       Request::values_and_gradients,
                       evaluation);
    return evaluation;
  }

  /** Largest difference relative to the largest entry. */
  double
  distance(const std::vector<double> &a, const std::vector<double> &b)
  {
    double difference = 0., largest = 0.;
    for (std::size_t i = 0; i < a.size(); ++i)
      {
        difference = std::max(difference, std::abs(a[i] - b[i]));
        largest    = std::max(largest, std::abs(b[i]));
      }
    return difference / largest;
  }


  void
  exact_network_has_exact_derivatives()
  {
    // u = 1.5 tanh(s) - 0.25, s = 2 tanh(0.7 x - 0.3 t + 0.2) + 0.4
    NetworkShape shape;
    shape.n_inputs = 2;
    shape.hidden   = {1, 1};
    const std::vector<double> weights{0.7, -0.3, 0.2, 2., 0.4, 1.5, -0.25};
    const std::vector<double> points{0.3, 0.8, -1.2, 0.1, 9., -20.};
    const JetRows             rows({2, 2});

    Network<double> network(shape);
    network.set_weights(dealii::make_array_view(weights));
    const double *jets  = network.forward(rows, 3, points.data());
    double        error = 0.;
    for (unsigned int q = 0; q < 3; ++q)
      {
        const double z = 0.7 * points[2 * q] - 0.3 * points[2 * q + 1] + 0.2;
        const double T = std::tanh(z), S = 1. - T * T;
        const double s = 2. * T + 0.4, v = std::tanh(s), w = 1. - v * v;
        // In z: u' = 1.5 w s', u'' = 1.5 (w s'' - 2 v w s'^2).
        const double s1 = 2. * S, s2 = -4. * T * S;
        const double u1         = 1.5 * w * s1,
                     u2         = 1.5 * (w * s2 - 2. * v * w * s1 * s1);
        const double expected[] = {
          1.5 * v - 0.25, 0.7 * u1, 0.49 * u2, -0.3 * u1, 0.09 * u2};
        for (unsigned int row = 0; row < 5; ++row)
          error = std::max(error, std::abs(jets[q * 5 + row] - expected[row]));
      }
    check("a network with known weights has the derivatives of its closed form",
          error < 1e-14,
          std::to_string(error));
  }


  void
  gradient_equals_sacado(const Case &the_case)
  {
    const auto                model = make_model(the_case);
    const auto                sets  = make_sets(*model, 23);
    const std::vector<double> state = some_numbers(model->dimension(), 0.6);
    const InState             exact = plain_potential(*model, sets, state);
    std::vector<double>       gradient;
    for (std::size_t i = 0; i < state.size(); ++i)
      gradient.push_back(exact.dx(i));

    const Evaluation in_double = evaluate<double>(model, sets, state);
    const Evaluation in_single = evaluate<float>(model, sets, state);
    const double     double_error =
      std::max(std::abs(in_double.potential / exact.val() - 1.),
               distance(in_double.potential_gradient, gradient));
    const double single_error =
      std::max(std::abs(in_single.potential / exact.val() - 1.),
               distance(in_single.potential_gradient, gradient));
    check(the_case.name + ": double precision equals Sacado",
          double_error < 1e-10,
          std::to_string(double_error));
    check(the_case.name + ": single precision equals Sacado",
          single_error < 1e-5,
          std::to_string(single_error));

    // The prior.
    double reference = 0.;
    for (std::size_t i = 0; i < model->shape.n_weights(); ++i)
      reference += 0.5 * state[i] * state[i];
    if (!model->unknowns.empty())
      reference += 2. * std::pow(state.back() - 1., 2);
    check(the_case.name + ": the reference is the prior",
          std::abs(in_double.reference - reference) < 1e-10 * reference,
          std::to_string(in_double.reference - reference));
  }


  void
  gradient_equals_differences()
  {
    const auto model =
      make_model({"", "quasi-gas dynamics", {32, 32, 32}, {unknown, known}});
    const auto                sets  = make_sets(*model, 60);
    const std::vector<double> state = some_numbers(model->dimension(), 0.3);
    const std::vector<double> gradient =
      evaluate<double>(model, sets, state).potential_gradient;
    double error = 0.;
    for (unsigned int k = 0; k < 5; ++k)
      {
        std::vector<double> direction =
          some_numbers(model->dimension() + k, 1.);
        direction.erase(direction.begin(), direction.begin() + k);
        double slope = 0., norm = 0.;
        for (std::size_t i = 0; i < state.size(); ++i)
          norm += direction[i] * direction[i];
        for (std::size_t i = 0; i < state.size(); ++i)
          {
            direction[i] /= std::sqrt(norm);
            slope += gradient[i] * direction[i];
          }
        const auto potential = [&](const double step) {
          std::vector<double> there = state;
          for (std::size_t i = 0; i < there.size(); ++i)
            there[i] += step * direction[i];
          return evaluate<double>(model, sets, there).potential;
        };
        // Of eighth order.
        const double h          = 5e-3;
        const double w[]        = {4. / 5., -1. / 5., 4. / 105., -1. / 280.};
        double       difference = 0.;
        for (int j = 1; j <= 4; ++j)
          difference += w[j - 1] * (potential(j * h) - potential(-j * h)) / h;
        error = std::max(error, std::abs(difference - slope) / std::abs(slope));
      }
    check("at the paper's size the gradient equals differences to 1e-10",
          error < 1e-10,
          std::to_string(error * 1e10) + "e-10");
  }


  /** The same inner loops, compiled for each processor up to this one. */
  template <typename Number>
  void
  vector_units_agree(const std::string &precision, const double tolerance)
  {
    NetworkShape shape;
    shape.n_inputs                    = 2;
    shape.hidden                      = {40, 20, 50};
    shape.n_outputs                   = 2;
    const std::vector<double> weights = some_numbers(shape.n_weights(), 0.4);
    const JetRows             rows({2, 1});
    const unsigned int        n = Network<Number>::tile_size(rows) - 1;
    std::vector<Number>       points, bars;
    for (const double x : some_numbers(2 * n, 1.))
      points.push_back(x);
    for (const double x : some_numbers(n * rows.n_rows() * 2, 1.))
      bars.push_back(x);

    std::vector<double> first;
    double              error = 0.;
    for (const VectorUnits units :
         {VectorUnits::baseline, VectorUnits::v3, VectorUnits::v4})
      if (units <= vector_units())
        {
          Network<Number> network(shape, network_loops<Number>(units));
          network.set_weights(dealii::make_array_view(weights));
          network.clear_gradient();
          const Number *const jets = network.forward(rows, n, points.data());
          std::vector<double> all(jets, jets + bars.size());
          network.backward(rows, n, points.data(), bars.data());
          all.resize(bars.size() + shape.n_weights());
          network.get_gradient(
            dealii::ArrayView<double>(&all[bars.size()], shape.n_weights()));
          if (first.empty())
            first = all;
          error = std::max(error, distance(all, first));
        }
    check("all vector units give the same in " + precision + " precision",
          error < tolerance,
          std::to_string(error));
  }


  void
  minibatches_are_unbiased()
  {
    const auto model = make_model({"", "nonlinear reaction", {7}, {unknown}});
    const auto sets  = make_sets(*model, 20);
    const std::vector<double> state = some_numbers(model->dimension(), 0.6);
    const Evaluation          full  = evaluate<double>(model, sets, state);

    constexpr unsigned int n = 20000;
    std::vector<double>    mean(state.size(), 0.), squares(state.size(), 0.);
    bool                   values_are_exact = true;
    const NetworkPosterior<double> posterior(model, sets, 5);
    Evaluation                     evaluation = full;
    for (unsigned int k = 0; k < n; ++k)
      {
        RandomKey key;
        key.purpose = Purpose::minibatch;
        key.round   = k;
        posterior.evaluate(dealii::make_array_view(state),
                           key,
                           k < 100 ? Request::values_and_gradients :
                                     Request::gradients,
                           evaluation);
        values_are_exact =
          values_are_exact && std::abs(evaluation.potential - full.potential) <
                                1e-12 * full.potential;
        for (std::size_t i = 0; i < state.size(); ++i)
          {
            mean[i] += evaluation.potential_gradient[i] / n;
            squares[i] += std::pow(evaluation.potential_gradient[i], 2) / n;
          }
      }
    double deviation = 0., noise = 0.;
    for (std::size_t i = 0; i < state.size(); ++i)
      {
        const double variance = squares[i] - mean[i] * mean[i];
        noise += variance;
        deviation = std::max(deviation,
                             std::abs(mean[i] - full.potential_gradient[i]) /
                               std::sqrt(variance / n));
      }
    check("gradients of minibatches have the gradient for their mean",
          deviation < 4.5 && noise > 0.,
          std::to_string(deviation));
    check("values are those of all points", values_are_exact);
  }
} // namespace

int
main()
{
  exact_network_has_exact_derivatives();
  gradient_equals_sacado(
    {"quasi-gas, alpha known", "quasi-gas dynamics", {6, 5}, {known, known}});
  gradient_equals_sacado({"quasi-gas, alpha unknown",
                          "quasi-gas dynamics",
                          {17, 3, 4},
                          {unknown, known}});
  gradient_equals_sacado({"quasi-gas, alpha an output",
                          "quasi-gas dynamics",
                          {5, 16},
                          {output, known}});
  gradient_equals_sacado(
    {"reaction, alpha unknown", "nonlinear reaction", {9}, {unknown}});
  gradient_equals_sacado({"reaction, alpha an output",
                          "nonlinear reaction",
                          {4, 4, 4, 4},
                          {output}});
  gradient_equals_differences();
  vector_units_agree<float>("single", 1e-5);
  vector_units_agree<double>("double", 1e-13);
  minibatches_are_unbiased();
  return result();
}
