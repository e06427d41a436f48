// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_residual_assembler_h
#define tempera_fem_residual_assembler_h

#include <tempera/fem/space_discretisation.h>
#include <tempera/fem/time_course.h>

#include <vector>

namespace Tempera
{
  /**
   * Integrals of a pointwise residual \f$(f_0, F_1)\f$ against the shape
   * functions, and their derivatives.
   */
  template <int dim>
  class ResidualAssembler
  {
  public:
    ResidualAssembler(const Problem                  &problem,
                      const SpaceDiscretisation<dim> &space);

    /** Evaluate the states of a step at all points. */
    void
    set_states(const TimeCourse::StepStates &states, const double time);

    /** \f$\int f_0\varphi_i + F_1\cdot\nabla\varphi_i\f$ */
    void
    residual(const std::vector<double> &theta, dealii::Vector<double> &result);

    /**
     * The derivatives of the residual in value, velocity and acceleration.
     * The velocity and the acceleration have none in a lower order in time.
     */
    EvolutionMatrices
    jacobian(const std::vector<double> &theta);

    /** Whether the last jacobian() is symmetric. */
    bool
    is_symmetric() const
    {
      return symmetric;
    }

    /** The derivatives of a weighted residual in parameters, subtracted. */
    void
    subtract_parameter_derivatives(const ParameterValues        &theta,
                                   const dealii::Vector<double> &weights,
                                   std::vector<double>          &gradient);

  private:
    const Problem                  &problem;
    const SpaceDiscretisation<dim> &space;
    const IntegrationPoints        &points;
    const unsigned int              order_in_time;

    double              time      = 0.;
    bool                symmetric = false;
    std::vector<double> states, values, state_derivatives,
      parameter_derivatives, weighted;
    dealii::Vector<double> nodal;
  };
} // namespace Tempera

#endif
