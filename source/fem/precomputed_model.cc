// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/fem/precomputed_model.h>

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
    const TimeCourse                     &course = model->get_course();
    std::vector<std::vector<NodalVector>> weights;
    std::vector<double> one_sensor(model->n_predictions(), 0.);
    for (unsigned int k = 0; k < one_sensor.size(); ++k)
      {
        weights.push_back(course.make_data(course.n_variable_channels()));
        one_sensor[k] = 1.;
        model->get_evolution().adjoint(
          dealii::make_array_view(std::as_const(one_sensor)), weights.back());
        one_sensor[k] = 0.;
        for (const NodalVector &weight : weights.back())
          if (!model->is_finite(weight))
            throw UserError("The solution of the equation grows beyond all "
                            "bounds. Look at the signs of its coefficients, "
                            "or end earlier.");
      }
    functionals = model->get_data_map().prepare(weights, true);

    offsets.resize(one_sensor.size(), 0.);
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
