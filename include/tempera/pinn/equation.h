// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_equation_h
#define tempera_pinn_equation_h

#include <tempera/base/registry.h>

#include <limits>
#include <string>
#include <vector>

namespace Tempera
{
  /** A number in an equation that may be unknown. */
  struct Coefficient
  {
    std::string name;
    /** A number or a prior, as a parameter file writes it. */
    std::string default_value;
    std::string documentation;
    /** The equation has no meaning at or below. */
    double lower = -std::numeric_limits<double>::infinity();
  };


  /** A tile of points at which a residual is wanted, with what is there. */
  struct ResidualPoints
  {
    unsigned int n_points;
    /** For each point its inputs: coordinates, then the time. */
    const double *inputs;
    /** For each point the rows of the jet (see JetRows). */
    const double *jets;
    /** For each point all coefficients. */
    const double *coefficients;
  };


  /** Residuals of a tile with their derivatives. */
  struct Residuals
  {
    double *values;
    /** As ResidualPoints::jets; null if not wanted. */
    double *in_jets;
    /** As ResidualPoints::coefficients; null if not wanted. */
    double *in_coefficients;
  };


  /**
   * A differential equation in strong form, \f$r(u, \nabla u, u_t, u_{xx},
   * u_{tt}, \dots; c) = f\f$, for a network that is to solve it.
   *
   * Write one by deriving from FormulaEquation.
   */
  class NetworkEquation
  {
  public:
    virtual ~NetworkEquation() = default;

    /** Number of space dimensions. */
    unsigned int
    dimension() const
    {
      return my_dimension;
    }

    /** Highest derivative in time; 0 if there is no time. */
    unsigned int
    order_in_time() const
    {
      return my_order_in_time;
    }

    /** Coordinates, and time if there is one. */
    unsigned int
    n_inputs() const
    {
      return my_dimension + (my_order_in_time > 0);
    }

    /** Highest derivative in each input. */
    std::vector<unsigned int>
    orders() const;

    const std::vector<Coefficient> &
    coefficients() const
    {
      return my_coefficients;
    }

    /** The left hand side \f$r\f$ at many points. */
    virtual void
    evaluate(const ResidualPoints &points,
             const Residuals      &residuals) const = 0;

  protected:
    NetworkEquation(const unsigned int       dimension,
                    const unsigned int       order_in_space,
                    const unsigned int       order_in_time,
                    std::vector<Coefficient> coefficients);

  private:
    const unsigned int             my_dimension;
    const unsigned int             my_order_in_space;
    const unsigned int             my_order_in_time;
    const std::vector<Coefficient> my_coefficients;
  };


  /** The equations that a parameter file can name. */
  using EquationRegistry = Registry<NetworkEquation>;
} // namespace Tempera

#endif
