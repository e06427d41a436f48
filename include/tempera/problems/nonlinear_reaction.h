// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_nonlinear_reaction_h
#define tempera_problems_nonlinear_reaction_h

#include <tempera/problems/expression.h>
#include <tempera/problems/residual_problem.h>

namespace Tempera
{
  /**
   * A stationary nonlinear reaction: \f$-\Delta u + \alpha u^2 = f\f$ with
   * Dirichlet values; \f$\alpha\f$ is usually unknown.
   */
  class NonlinearReaction : public ResidualProblem<NonlinearReaction>
  {
  public:
    explicit NonlinearReaction(const unsigned int dimension);

    void
    declare(dealii::ParameterHandler &prm) override;

    void
    set_up(const std::vector<double> &scales) override;

    bool
    has_exact_solution() const override
    {
      return !exact_text.empty();
    }

    double
    exact_solution(const dealii::ArrayView<const double> &point,
                   const double                           time,
                   const dealii::ArrayView<const double> &theta) const override;

    template <typename Number>
    void
    residual(const double *,
             const double,
             const PointState<Number> &u,
             const Number             *theta,
             Number                   &f0,
             Number                   *F1) const
    {
      f0 = theta[alpha] * u.value * u.value;
      for (unsigned int d = 0; d < n_dimensions; ++d)
        F1[d] = u.gradient[d];
    }

    template <typename Number>
    Number
    formula(const unsigned int function,
            const double      *x,
            const double,
            const Number *) const
    {
      return Number(data[function](x, 0.));
    }

  private:
    static constexpr unsigned int alpha  = 0;
    static constexpr unsigned int source = 0, dirichlet = 1;

    /** Settings. */
    std::string source_text = "0", dirichlet_text = "0", exact_text;

    std::array<PlaceExpression, 2> data;
    PlaceExpression                exact;
  };
} // namespace Tempera

#endif
