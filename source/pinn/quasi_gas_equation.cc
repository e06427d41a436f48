// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/pinn/formula_equation.h>

namespace Tempera
{
  namespace
  {
    /** Quasi-gas dynamics: \f$u_t + \alpha u_{tt} - \kappa u_{xx} = f\f$. */
    class QuasiGasEquation : public FormulaEquation<QuasiGasEquation>
    {
    public:
      QuasiGasEquation()
        : FormulaEquation<QuasiGasEquation>(
            1,
            2,
            2,
            {{"alpha", "1", "Relaxation time alpha of u_tt.", 0.},
             {"kappa", "1", "Conductivity kappa of u_xx.", 0.}})
      {}

      template <typename Number>
      Number
      residual(const double *,
               const double,
               const Jet<Number> &u,
               const Number      *coefficients) const
      {
        return u.velocity + coefficients[0] * u.acceleration -
               coefficients[1] * u.second[0];
      }
    };


    const Registration<EquationRegistry, QuasiGasEquation>
      register_equation("quasi-gas dynamics",
                        "u_t + alpha u_tt - kappa u_xx = f on an interval.");
  } // namespace
} // namespace Tempera
