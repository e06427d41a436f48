// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_problem_h
#define tempera_problems_problem_h

#include <tempera/base/registry.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/types.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** A number in the formulas of a problem: known, or to be found. */
  struct ProblemParameter
  {
    std::string name;
    /** A number, or a prior if it is usually unknown. */
    std::string default_value;
    std::string documentation;
    /** Values must be above, and priors must not reach below. */
    double lower = -std::numeric_limits<double>::infinity();
  };


  /** A parameter that is a field: it has another value at each point. */
  struct LocalValues
  {
    unsigned int parameter;
    /** By point. */
    const double *values;
    /** How much it may vary; 0: as much as its value is. */
    double scale;
  };


  /** The values of all parameters, and which of them to differentiate in. */
  struct ParameterValues
  {
    dealii::ArrayView<const double>       values;
    dealii::ArrayView<const unsigned int> active;
    /** Parameters that are fields; their derivatives are local, too. */
    dealii::ArrayView<const LocalValues> local = {};
  };


  /**
   * A function \f$g(x, t; \theta)\f$ of an equation: what it is called and on
   * what it depends.
   */
  struct FunctionDescription
  {
    std::string name;
    /** Indices of the parameters in it. */
    std::vector<unsigned int> parameters = {};
    /**
     * If the function is a product \f$\prod_d g_d(x_d; \theta)\f$ over the
     * coordinates: the index of the factor \f$g_d\f$ for each direction.
     */
    std::vector<unsigned int> factors = {};
    /** Whether the formula contains the time. */
    bool varies_in_time = false;
  };


  /** A factor of a product, as a function of one coordinate. */
  struct FactorDescription
  {
    /** Indices of the parameters in it, by direction. */
    std::vector<std::vector<unsigned int>> parameters;
  };


  /** In the place of a function: zero for a datum, 1 for a coefficient. */
  constexpr unsigned int no_function = dealii::numbers::invalid_unsigned_int;


  /**
   * A term of the operator \f$a u_{tt} + b u_t - \nabla\cdot(\kappa\nabla u) +
   * w\cdot\nabla u + c u\f$, or of the condition \f$\kappa\,\partial_n u + r u
   * = q\f$ on the boundary.
   */
  enum class OperatorKind
  {
    /** \f$a\f$ */
    inertia,
    /** \f$b\f$ */
    capacity,
    /** \f$\kappa\f$ */
    diffusion,
    /** One component of \f$w\f$. */
    convection,
    /** \f$c\f$ */
    reaction,
    /** \f$r\f$ */
    exchange
  };


  /**
   * A term with its coefficient \f$s(\theta)\,g(x; \theta)\f$. Where the
   * unknowns are in \f$s\f$ alone, the matrix of the term is assembled once.
   */
  struct OperatorTerm
  {
    OperatorKind kind;
    /** Index of the function \f$g\f$, or @p no_function for 1. */
    unsigned int function = no_function;
    /**
     * Index of the function \f$s\f$, which must not depend on the place, or
     * @p no_function for 1.
     */
    unsigned int scale = no_function;
    /** For convection: the direction of the component. */
    unsigned int direction = 0;
    /** For exchange: where. Empty for everywhere. */
    std::vector<dealii::types::boundary_id> boundaries = {};
  };


  /** Where a datum enters the equation. */
  enum class DataKind
  {
    source,
    /** Value on the boundary. */
    dirichlet,
    /** \f$q\f$ in \f$\kappa\,\partial_n u + r u = q\f$ on the boundary. */
    flux,
    /** For a stationary nonlinear equation: where Newton's iteration begins. */
    initial_value,
    initial_velocity
  };


  /**
   * A datum \f$\varphi(t)\,g(x, t; \theta)\f$. Data of one kind are added up,
   * but for Dirichlet values: where several parts of the boundary meet, the one
   * that is named first holds.
   * Where time separates, give \f$\varphi\f$ and a function that does not vary
   * in time: it is then evaluated once, not in every step.
   */
  struct DataTerm
  {
    DataKind kind;
    /** Index of \f$g\f$, or @p no_function for zero. */
    unsigned int function;
    /** \f$\varphi\f$; empty for 1. */
    std::function<double(const double)> time_factor = {};
    /** For data on the boundary: where. Empty for everywhere. */
    std::vector<dealii::types::boundary_id> boundaries = {};
  };


  /**
   * A solution at many points: first its values at all points, then its
   * derivative in each direction, its velocity \f$u_t\f$ and its acceleration
   * \f$u_{tt}\f$.
   */
  struct PointStates
  {
    double time;
    /** The coordinates, one point after the other. */
    dealii::ArrayView<const double> points;
    dealii::ArrayView<const double> states;
  };


  /**
   * A residual \f$(f_0, F_1)\f$ at many points: first \f$f_0\f$ at all points,
   * then the components of \f$F_1\f$. Derivatives are filled unless empty.
   */
  struct PointResiduals
  {
    dealii::ArrayView<double> values;
    /** By component, then by entry of the state, then by point. */
    dealii::ArrayView<double> state_derivatives;
    /** By active parameter, then by component, then by point. */
    dealii::ArrayView<double> parameter_derivatives;
  };


  /**
   * An equation with its data, in one to three dimensions. Either it is linear,
   * \f$a u_{tt} + b u_t - \nabla\cdot(\kappa\nabla u) + w\cdot\nabla u + c u =
   * f\f$, and has operator terms; or it has a residual \f$(f_0, F_1)\f$ and
   * means \f$\int f_0 v + F_1\cdot\nabla v = \int f v\f$ for all \f$v\f$.
   * Coefficients and data are functions of the place and of the parameters
   * \f$\theta\f$; some of these are unknown.
   *
   * This interface is plain and batched. Authors of an equation derive from
   * FormulaProblem or ResidualProblem instead, and write formulas.
   *
   * Before use a problem gets, in this order, add_parameters(), add_fields(),
   * declare() and set_up(). Most need none of them.
   */
  class Problem
  {
  public:
    virtual ~Problem() = default;

    /**
     * The names in the section `Problem/Unknowns` of the parameter file, for
     * problems whose parameters are named there.
     */
    virtual void
    add_parameters(const std::vector<std::string> &names);

    /**
     * The names in the section `Problem/Fields` of the parameter file: they
     * become parameters, after all others, that vary in space (see
     * ParameterValues::local). Problems without such formulas refuse them.
     */
    virtual void
    add_fields(const std::vector<std::string> &names);

    /** Declare settings in the current section, `Problem/Equation`. */
    virtual void
    declare(dealii::ParameterHandler &prm);

    /**
     * The settings are known now.
     *
     * @param scales For each parameter how much it may vary.
     */
    virtual void
    set_up(const std::vector<double> &scales);

    virtual unsigned int
    dimension() const = 0;

    virtual const std::vector<ProblemParameter> &
    parameters() const = 0;

    virtual const std::vector<FunctionDescription> &
    functions() const = 0;

    /** Empty if no function is a product. */
    virtual const std::vector<FactorDescription> &
    factors() const;

    /** Empty if the equation is given by a residual. */
    virtual const std::vector<OperatorTerm> &
    operator_terms() const = 0;

    virtual const std::vector<DataTerm> &
    data_terms() const = 0;

    /**
     * The sum of some functions at many points.
     *
     * @param points The coordinates, one point after the other.
     * @param derivatives Empty, or for each active parameter the derivatives
     * at all points.
     */
    virtual void
    evaluate(const std::vector<unsigned int>       &functions,
             const double                           time,
             const dealii::ArrayView<const double> &points,
             const ParameterValues                 &theta,
             const dealii::ArrayView<double>       &values,
             const dealii::ArrayView<double>       &derivatives) const = 0;

    /**
     * All factors in one direction at many coordinates: first all values of
     * the first factor. Their derivatives, unless empty: for each factor, for
     * each active parameter, at all coordinates.
     */
    virtual void
    evaluate_factors(const unsigned int                     direction,
                     const dealii::ArrayView<const double> &coordinates,
                     const ParameterValues                 &theta,
                     const dealii::ArrayView<double>       &values,
                     const dealii::ArrayView<double>       &derivatives) const;

    /** Whether the equation is given by a residual. */
    virtual bool
    has_residual() const
    {
      return false;
    }

    /** Only where there is one. */
    virtual void
    evaluate_residual(const PointStates     &states,
                      const ParameterValues &theta,
                      const PointResiduals  &residuals) const;

    /** 0 for a stationary equation, 2 if it has inertia. */
    virtual unsigned int
    order_in_time() const;

    /** Parameters that are the coordinates of a place in the domain. */
    virtual std::vector<unsigned int>
    place_parameters() const
    {
      return {};
    }

    virtual bool
    has_exact_solution() const
    {
      return false;
    }

    /** Only where there is one. */
    virtual double
    exact_solution(const dealii::ArrayView<const double> &point,
                   const double                           time,
                   const dealii::ArrayView<const double> &theta) const;

    /**
     * Throw if an index is none, a function depends on parameters or the time
     * and does not say so, the scale of an operator term depends on the place,
     * or a residual on derivatives in time above its order.
     */
    void
    verify() const;

    /** Whether a function depends on one of some parameters. */
    bool
    depends_on(const unsigned int               function,
               const std::vector<unsigned int> &some_parameters) const;

    /** Index of the parameter of this name. */
    unsigned int
    index_of(const std::string &parameter) const;

  private:
    void
    verify_indices() const;

    void
    verify_order_in_time(const ParameterValues     &theta,
                         const std::vector<double> &points) const;
  };


  /** The problems that a parameter file can name, made for a dimension. */
  using ProblemRegistry = Registry<Problem, const unsigned int>;
} // namespace Tempera

#endif
