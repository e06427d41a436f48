// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_time_course_h
#define tempera_fem_time_course_h

#include <tempera/fem/channel.h>
#include <tempera/fem/operator_matrix.h>
#include <tempera/fem/step_operator.h>
#include <tempera/fem/time_scheme.h>

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace Tempera
{
  /** A value at a place and a time, as a combination of nodal values. */
  struct ObservationRow
  {
    std::vector<std::pair<unsigned int, double>> nodes;
    /** Instants with weights. */
    std::vector<std::pair<unsigned int, double>> instants;
  };


  /** Nodal values and, in second order in time, velocities at one time. */
  struct Instant
  {
    NodalVector value, velocity;
  };


  /** The instants of step \f$n\f$: at index \f$j\f$ that of \f$n-j\f$. */
  using StepInstants = std::array<Instant *, 3>;


  /** Called with the number of a instant and the values there. */
  using InstantListener =
    std::function<void(const unsigned int, const NodalVector &)>;


  /**
   * What happens when: the scheme of each step, the data that enter it, the
   * values that are observed at its end. Shared by all values of the
   * parameters. Also the way back in time, which is the same for linear and
   * nonlinear equations once each step is linearised.
   */
  class TimeCourse
  {
  public:
    /**
     * @param scheme Name of the scheme.
     * @param n_unknowns Degrees of freedom with an equation, and those on a
     * Dirichlet boundary.
     */
    TimeCourse(const TimeGrid                              &grid,
               const std::string                           &scheme,
               const bool                                   has_inertia,
               std::vector<Channel>                         channels,
               std::vector<ObservationRow>                  observations,
               const std::pair<unsigned int, unsigned int> &n_unknowns);

    const TimeGrid             grid;
    const TimeScheme           scheme, first_scheme;
    const bool                 has_inertia;
    const std::vector<Channel> channels;
    const unsigned int         n_interior, n_boundary;

    const TimeScheme &
    scheme_of_step(const unsigned int n) const
    {
      return n == 1 ? first_scheme : scheme;
    }

    /** Number of channels with unknowns; they come first. */
    unsigned int
    n_variable_channels() const
    {
      return n_variable;
    }

    /** The time \f$\sum_j\theta_j t_{n-j}\f$ at which step @p n has its
     * states. */
    double
    time_of_step(const unsigned int n) const;

    /** Data for a number of channels, zero. */
    std::vector<NodalVector>
    make_data(const std::size_t  n_channels,
              const unsigned int n_lanes = 1) const;

    NodalVector
    make_vector(const unsigned int n_lanes = 1) const
    {
      return NodalVector(n_interior, n_boundary, n_lanes);
    }

    Instant
    make_instant(const unsigned int n_lanes = 1) const
    {
      return {make_vector(n_lanes),
              has_inertia ? make_vector(n_lanes) : NodalVector()};
    }

    /** Memory that a instant takes, in bytes. */
    double
    size_of_instant() const;

    /** Fill the first instant from the initial data. */
    void
    set_initial(const std::vector<NodalVector> &data, Instant &instant) const;

    /** Add the loads of step @p n and the boundary values at its end. */
    void
    add_data(const unsigned int              n,
             const std::vector<NodalVector> &data,
             dealii::Vector<double>         &load,
             dealii::Vector<double>         &boundary) const;

    /** Add what is observed at instant @p n: by observation, then by lane. */
    void
    observe(const unsigned int               n,
            const NodalVector               &value,
            const dealii::ArrayView<double> &observed,
            const unsigned int               n_lanes = 1) const;

    /**
     * Fills the newest instant of a step from the older ones, or that of the
     * initial data if the step is 0; returns false if it has no solution.
     */
    using Advance =
      std::function<bool(const unsigned int, const StepInstants &)>;

    /**
     * All steps from the initial data to the end; false as soon as one fails.
     *
     * @param memory For this and older instants; empty, or from the last time
     * with as many lanes.
     */
    bool
    march(const Advance        &advance,
          std::vector<Instant> &memory,
          const unsigned int    n_lanes = 1) const;

    /** What the matrices of a step are multiplied with. */
    struct StepStates
    {
      NodalVector inertia, capacity, stiffness;
    };

    /** \f$\sum_j\theta_j u_j\f$ and its derivatives in time at step @p n. */
    void
    states_of_step(const unsigned int  n,
                   const StepInstants &instants,
                   StepStates         &states) const;

    /** The linear operator of a step. */
    using StepAt = std::function<const StepOperator &(const unsigned int)>;

    /**
     * Called in each step of the way back with the number of the step and the
     * multiplier of its equation.
     */
    using StepListener =
      std::function<void(const unsigned int, const dealii::Vector<double> &)>;

    /**
     * The derivative of the weighted sum of the observations in the data of
     * the first channels.
     *
     * @param weights By observation, then by lane.
     * @param sensitivities By channel; as many as are wanted.
     */
    void
    sweep_back(const dealii::ArrayView<const double> &weights,
               const StepAt                          &step_at,
               std::vector<NodalVector>              &sensitivities,
               const StepListener                    &listener,
               const unsigned int                     n_lanes = 1) const;

  private:
    using Entries = std::vector<std::pair<unsigned int, double>>;

    const std::vector<ObservationRow> observations;
    unsigned int                      n_variable = 0;
    /** By instant: channels and observations with their weights. */
    std::vector<Entries> data_at, observed_at;
  };
} // namespace Tempera

#endif
