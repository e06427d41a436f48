// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_residual_problem_h
#define tempera_problems_residual_problem_h

#include <tempera/problems/formula_problem.h>

namespace Tempera
{
  /** A solution with its derivatives at a point. */
  template <typename Number>
  struct PointState
  {
    Number value;
    /** As many as there are dimensions. */
    std::array<Number, 3> gradient;
    /** \f$u_t\f$ and \f$u_{tt}\f$ */
    Number velocity, acceleration;
  };


  /**
   * An equation that is written as a residual: it holds if
   * \f$\int f_0 v + F_1\cdot\nabla v = \int f v + \int_\Gamma q v\f$ for all
   * \f$v\f$ that vanish where Dirichlet values are given. @p Derived has
   * @code
   *   template <typename Number>
   *   void residual(const double *x, const double time,
   *                 const PointState<Number> &u, const Number *theta,
   *                 Number &f0, Number *F1) const;
   * @endcode
   * written once: with numbers of Sacado it gives the Jacobian for Newton's
   * method and the adjoint, and the derivatives in the parameters. Data
   * (boundary and initial values, and sources if they are not part of
   * \f$f_0\f$) are as in FormulaProblem.
   */
  template <class Derived>
  class ResidualProblem : public FormulaProblem<Derived>
  {
  public:
    /** @param order_in_time 0, 1 or 2: the highest derivative in time. */
    ResidualProblem(const unsigned int dimension,
                    const unsigned int order_in_time)
      : FormulaProblem<Derived>(dimension)
      , order(order_in_time)
    {}

    bool
    has_residual() const final
    {
      return true;
    }

    unsigned int
    order_in_time() const final
    {
      return order;
    }

    void
    evaluate_residual(const PointStates     &states,
                      const ParameterValues &theta,
                      const PointResiduals  &residuals) const final
    {
      if (residuals.state_derivatives.size() > 0)
        // Without time there are fewer derivatives.
        switch (1 + this->n_dimensions + order)
          {
            case 1:
            case 2:
              differentiate_in_state<2>(states, theta, residuals);
              break;
            case 3:
            case 4:
              differentiate_in_state<4>(states, theta, residuals);
              break;
            default:
              differentiate_in_state<6>(states, theta, residuals);
          }
      if (residuals.parameter_derivatives.size() > 0)
        {
          const std::size_t stride =
            (1 + this->n_dimensions) * n_points(residuals);
          this->for_each_number_type(
            theta, true, [&](const auto *parameters, const auto &store) {
              for_each_point(
                states,
                parameters,
                residuals,
                [](auto &, const unsigned int) {},
                [&](const auto &result, const std::size_t place) {
                  store(result,
                        &residuals.values[place],
                        &residuals.parameter_derivatives[place],
                        stride);
                });
            });
        }
      else if (residuals.state_derivatives.size() == 0)
        for_each_point(
          states,
          theta.values.data(),
          residuals,
          [](auto &, const unsigned int) {},
          [&](const double result, const std::size_t place) {
            residuals.values[place] = result;
          });
    }

  private:
    std::size_t
    n_points(const PointResiduals &residuals) const
    {
      return residuals.values.size() / (1 + this->n_dimensions);
    }

    template <int n>
    void
    differentiate_in_state(const PointStates     &states,
                           const ParameterValues &theta,
                           const PointResiduals  &residuals) const
    {
      using Number               = Sacado::Fad::SFad<double, n>;
      const std::size_t  n_q     = n_points(residuals);
      const unsigned int n_state = 1 + this->n_dimensions + order;
      const unsigned int n_all   = 3 + this->n_dimensions;
      typename FormulaProblem<Derived>::template Parameters<Number> parameters(
        theta.values.size());
      for (std::size_t i = 0; i < theta.values.size(); ++i)
        parameters[i] = Number(theta.values[i]);
      std::fill(residuals.state_derivatives.begin(),
                residuals.state_derivatives.end(),
                0.);
      for_each_point(
        states,
        parameters.data(),
        residuals,
        [&](Number &entry, const unsigned int i) {
          if (i < n_state)
            entry.fastAccessDx(i) = 1.;
        },
        [&](const Number &result, const std::size_t place) {
          residuals.values[place]     = result.val();
          const std::size_t component = place / n_q, q = place % n_q;
          for (unsigned int i = 0; i < n_state; ++i)
            residuals.state_derivatives[(component * n_all + i) * n_q + q] =
              result.fastAccessDx(i);
        });
    }

    /**
     * The residual at all points.
     *
     * @param activate Called with each entry of the state.
     * @param store Called with each result and its place among the values.
     */
    template <typename Number, class Activate, class Store>
    void
    for_each_point(const PointStates    &states,
                   const Number         *parameters,
                   const PointResiduals &residuals,
                   const Activate       &activate,
                   const Store          &store) const
    {
      const unsigned int dim = this->n_dimensions;
      const std::size_t  n   = n_points(residuals);
      for (std::size_t q = 0; q < n; ++q)
        {
          PointState<Number> u;
          const auto         set = [&](Number &entry, const unsigned int i) {
            entry = Number(states.states[i * n + q]);
            activate(entry, i);
          };
          set(u.value, 0);
          for (unsigned int d = 0; d < dim; ++d)
            set(u.gradient[d], 1 + d);
          set(u.velocity, 1 + dim);
          set(u.acceleration, 2 + dim);

          Number                f0(0.);
          std::array<Number, 3> F1{{Number(0.), Number(0.), Number(0.)}};
          static_cast<const Derived &>(*this).residual(
            &states.points[q * dim], states.time, u, parameters, f0, F1.data());
          store(f0, q);
          for (unsigned int d = 0; d < dim; ++d)
            store(F1[d], (1 + d) * n + q);
        }
    }

    const unsigned int order;
  };
} // namespace Tempera

#endif
