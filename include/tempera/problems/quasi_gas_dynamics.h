// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_quasi_gas_dynamics_h
#define tempera_problems_quasi_gas_dynamics_h

#include <tempera/problems/expression.h>
#include <tempera/problems/formula_problem.h>

#include <cmath>

namespace Tempera
{
  /**
   * Quasi-gas dynamics:
   * \f$u_t + \alpha u_{tt} - \nabla\cdot(s\,\kappa(x)\nabla u) = f(x, t) +
   * m\,e^{-|x-x_0|^2/(2w^2)}\,\varphi(t)\f$ with \f$u = 0\f$ on the boundary,
   * \f$u(0) = u_0\f$, \f$u_t(0) = v_0\f$. Each of \f$\alpha\f$, \f$s\f$, the
   * place \f$x_0\f$, strength \f$m\f$ and width \f$w\f$ of the source may be
   * unknown.
   */
  class QuasiGasDynamics : public FormulaProblem<QuasiGasDynamics, 1>
  {
  public:
    explicit QuasiGasDynamics(const unsigned int dimension);

    void
    declare(dealii::ParameterHandler &prm) override;

    void
    set_up(const std::vector<double> &scales) override;

    std::vector<unsigned int>
    place_parameters() const override;

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
    Number
    formula(const unsigned int function,
            const double      *x,
            const double       time,
            const Number      *theta) const
    {
      switch (function)
        {
          case inertia:
            return theta[alpha];
          case scale:
            return theta[diffusivity];
          case conductivity:
            return Number(conductivity_at(x));
          default:
            return Number(data[function - source](x, time));
        }
    }

    /** The Gaussian; the first direction carries its strength. */
    template <typename Number>
    auto
    factor_formulas(const unsigned int direction, const Number *theta) const
    {
      const Number centre    = theta[first_coordinate + direction];
      const Number steepness = -0.5 / (theta[width] * theta[width]);
      const Number amplitude = direction == 0 ? theta[strength] : Number(1.);

      return [=](const double x, Number *factors) {
        const Number distance = x - centre;
        factors[0] = amplitude * std::exp(steepness * distance * distance);
      };
    }

  private:
    /** Parameters; the coordinates of the source come last. */
    static constexpr unsigned int alpha = 0, diffusivity = 1, strength = 2,
                                  width = 3, first_coordinate = 4;
    /** Functions; the last three are known data. */
    static constexpr unsigned int gaussian = 0, inertia = 1, scale = 2,
                                  conductivity = 3, source = 4,
                                  initial_value = 5, initial_velocity = 6;

    double
    conductivity_at(const double *x) const;

    /** Settings. */
    std::string conductivity_text = "1", source_text = "0",
                source_in_time_text = "1", gaussian_in_time_text = "1",
                value_text = "0", velocity_text = "0", exact_text;
    std::vector<double>       box_values;
    std::vector<unsigned int> boxes;

    PlaceExpression                conductivity_formula, exact;
    std::array<PlaceExpression, 3> data;
  };
} // namespace Tempera

#endif
