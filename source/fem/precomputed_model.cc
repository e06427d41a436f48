// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/fem/precomputed_model.h>

#include <algorithm>

namespace Tempera
{
  template <int dim>
  class PrecomputedModel<dim>::Jacobian : public Linearisation
  {
  public:
    Jacobian(const PrecomputedModel &model, std::vector<double> theta)
      : model(model)
      , theta(std::move(theta))
    {}

    /** Fill the predictions and the matrix at once. */
    void
    compute(const dealii::ArrayView<double> &predictions) const
    {
      matrix.resize(model.n_predictions() * model.n_parameters());
      model.apply(theta,
                  model.model->unknowns(),
                  predictions,
                  dealii::make_array_view(matrix));
    }

    void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double> &gradient) const override
    {
      if (matrix.empty())
        {
          std::vector<double> ignored(model.n_predictions());
          compute(dealii::make_array_view(ignored));
        }
      const unsigned int n = gradient.size();
      for (unsigned int i = 0; i < n; ++i)
        {
          gradient[i] = 0.;
          for (unsigned int k = 0; k < weights.size(); ++k)
            gradient[i] += weights[k] * matrix[k * n + i];
        }
    }

  private:
    const PrecomputedModel   &model;
    const std::vector<double> theta;
    /** By prediction and parameter; empty if not yet needed. */
    mutable std::vector<double> matrix;
  };



  template <int dim>
  PrecomputedModel<dim>::PrecomputedModel(
    std::shared_ptr<const EvolutionModel<dim>> the_model)
    : WrappedFemModel(*the_model)
    , model(std::move(the_model))
  {
    AssertThrow(model->unknowns_in_operator().empty(),
                dealii::ExcMessage("The operator has unknowns."));
    const TimeCourse  &course     = model->get_course();
    const Evolution   &evolution  = model->get_evolution();
    const unsigned int n          = model->n_predictions();
    const unsigned int n_lanes    = evolution.most_lanes();
    const unsigned int n_channels = course.n_variable_channels();

    std::vector<std::vector<NodalVector>> weights;
    while (weights.size() < n)
      {
        // Sweeps for few sensors are faster one by one than in lanes.
        constexpr unsigned int few  = 2;
        const unsigned int     left = n - weights.size(),
                           n_here   = left > few ? n_lanes : 1;
        std::vector<double> chosen(n * n_here, 0.);
        for (unsigned int lane = 0; lane < std::min(n_here, left); ++lane)
          chosen[(weights.size() + lane) * n_here + lane] = 1.;
        std::vector<NodalVector> sweeps = course.make_data(n_channels, n_here);
        evolution.adjoint(dealii::make_array_view(std::as_const(chosen)),
                          sweeps,
                          {},
                          n_here);
        for (unsigned int lane = 0; lane < std::min(n_here, left); ++lane)
          {
            weights.push_back(course.make_data(n_channels));
            for (unsigned int c = 0; c < n_channels; ++c)
              if (n_here > 1)
                weights.back()[c].copy_from_lane(sweeps[c], lane);
              else
                weights.back()[c] = sweeps[c];
          }
      }
    for (const auto &of_sensor : weights)
      for (const NodalVector &weight : of_sensor)
        if (!model->is_finite(weight))
          throw UserError("The solution of the equation grows beyond all "
                          "bounds. Look at the signs of its coefficients, "
                          "or end earlier.");
    functionals = model->get_data_map().prepare(weights, true);

    offsets.resize(n, 0.);
    if (course.n_variable_channels() < course.channels.size())
      model->get_evolution().forward(model->constant_data(),
                                     dealii::make_array_view(offsets));
  }



  template <int dim>
  void
  PrecomputedModel<dim>::apply(const std::vector<double>       &theta,
                               const std::vector<unsigned int> &active,
                               const dealii::ArrayView<double> &predictions,
                               const dealii::ArrayView<double> &jacobian) const
  {
    model->get_data_map().apply(*functionals,
                                {dealii::make_array_view(theta),
                                 dealii::make_array_view(active)},
                                predictions,
                                jacobian);
    for (std::size_t k = 0; k < offsets.size(); ++k)
      predictions[k] += offsets[k];
  }



  template <int dim>
  std::shared_ptr<const Linearisation>
  PrecomputedModel<dim>::evaluate(
    const dealii::ArrayView<const double> &parameters,
    const dealii::ArrayView<double>       &predictions,
    const bool                             derivative_follows) const
  {
    std::vector<double> theta = model->all_parameters(parameters);
    if (!derivative_follows)
      apply(theta, {}, predictions, {});
    auto result = std::make_shared<Jacobian>(*this, std::move(theta));
    if (derivative_follows)
      result->compute(predictions);
    return result;
  }



  template <int dim>
  SolverWork
  PrecomputedModel<dim>::work() const
  {
    // What the same evaluation would cost with time stepping, so that budgets
    // compare methods of sampling.
    SolverWork result = model->work();
    result.set_up     = this->n_predictions() * result.prediction;
    return result;
  }



  template <int dim>
  std::string
  PrecomputedModel<dim>::description() const
  {
    return model->description();
  }



  template class PrecomputedModel<1>;
  template class PrecomputedModel<2>;
  template class PrecomputedModel<3>;
} // namespace Tempera
