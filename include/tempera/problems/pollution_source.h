// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_pollution_source_h
#define tempera_problems_pollution_source_h

#include <tempera/problems/formula_problem.h>

#include <cmath>

namespace Tempera
{
  /**
   * A pollution that spreads from a place that is sought (the paper's
   * Experiment 1): \f$u_t = \kappa\Delta u + f\f$ where source, initial and
   * boundary values belong to the solution
   * \f$u = \beta e^{-|x-x_0|^2/(2h^2)} e^{-t}\f$, with
   * \f$\beta = M(2\pi h^2)^{-d/2}\f$.
   */
  class PollutionSource : public FormulaProblem<PollutionSource, 2>
  {
  public:
    explicit PollutionSource(const unsigned int dimension);

    std::vector<unsigned int>
    place_parameters() const override;

    bool
    has_exact_solution() const override
    {
      return true;
    }

    double
    exact_solution(const dealii::ArrayView<const double> &point,
                   const double                           time,
                   const dealii::ArrayView<const double> &theta) const override;

    template <typename Number>
    Number
    formula(const unsigned int,
            const double *,
            const double,
            const Number *theta) const
    {
      return theta[diffusivity];
    }

    /**
     * The Gaussian, and what the heat operator makes of it. The first
     * direction carries \f$\beta\f$.
     */
    template <typename Number>
    auto
    factor_formulas(const unsigned int direction, const Number *theta) const
    {
      const Number centre       = theta[direction];
      const Number inverse      = 1. / (theta[width] * theta[width]);
      const Number conductivity = theta[diffusivity] * inverse;
      const double loss         = 1. / n_dimensions;

      Number amplitude(1.);
      if (direction == 0)
        {
          amplitude = theta[mass];
          for (unsigned int d = 0; d < n_dimensions; ++d)
            amplitude *=
              1. / (std::sqrt(2. * dealii::numbers::PI) * theta[width]);
        }

      return [=](const double x, Number *factors) {
        const Number distance = x - centre;
        const Number square   = distance * distance * inverse;
        const Number gauss    = amplitude * std::exp(-0.5 * square);
        factors[gaussian]     = gauss;
        factors[heated]       = gauss * (conductivity * (1. - square) - loss);
      };
    }

  private:
    /** Factors. */
    static constexpr unsigned int gaussian = 0, heated = 1;

    /** Parameters; the first ones are the coordinates of the source. */
    const unsigned int width, mass, diffusivity;
    /** Functions; the first ones are the parts of the source. */
    const unsigned int solution;
  };
} // namespace Tempera

#endif
