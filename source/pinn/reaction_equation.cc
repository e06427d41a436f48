// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/pinn/formula_equation.h>

namespace Tempera
{
  namespace
  {
    /** A stationary nonlinear reaction: \f$-u_{xx} + \alpha u^2 = f\f$. */
    class ReactionEquation : public FormulaEquation<ReactionEquation>
    {
    public:
      ReactionEquation()
        : FormulaEquation<ReactionEquation>(
            1,
            2,
            0,
            {{"alpha", "uniform(0, 2)", "Rate alpha of the reaction."}})
      {}

      template <typename Number>
      Number
      residual(const double *,
               const double,
               const Jet<Number> &u,
               const Number      *coefficients) const
      {
        return -u.second[0] + coefficients[0] * u.value * u.value;
      }
    };


    const Registration<EquationRegistry, ReactionEquation>
      register_equation("nonlinear reaction",
                        "-u_xx + alpha u^2 = f on an interval.");
  } // namespace
} // namespace Tempera
