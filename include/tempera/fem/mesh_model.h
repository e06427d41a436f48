// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_mesh_model_h
#define tempera_fem_mesh_model_h

#include <tempera/base/failure_reason.h>
#include <tempera/fem/data_map.h>
#include <tempera/fem/fem_model.h>
#include <tempera/fem/replay_schedule.h>
#include <tempera/fem/time_course.h>

namespace Tempera
{
  /**
   * What every model on a mesh has, whether its equation is linear or not:
   * space, time, data, observations and field files.
   */
  template <int dim>
  class MeshModel : public FemModel
  {
  public:
    unsigned int
    n_parameters() const override
    {
      return setting.n_unknowns();
    }

    unsigned int
    n_predictions() const override
    {
      return setting.sensors.size();
    }

    unsigned int
    n_dofs() const override
    {
      return space.n_dofs();
    }

    unsigned int
    n_steps() const override
    {
      return course.grid.n_steps;
    }

    std::string
    gradient_method() const override
    {
      return "adjoint";
    }

    void
    write_fields(const std::vector<std::vector<double>> &states,
                 const FieldFileNames                   &names) const override;

    std::vector<std::vector<double>>
    predict(const std::vector<std::vector<double>> &states) const override;

    /**
     * All parameters of the problem, with the unknown ones in their places,
     * then the numbers of fields.
     */
    std::vector<double>
    all_parameters(const dealii::ArrayView<const double> &unknowns) const;

    /** Indices of the unknown parameters that are no fields. */
    const std::vector<unsigned int> &
    unknowns() const
    {
      return setting.unknowns;
    }

    const SpaceDiscretisation<dim> &
    get_space() const
    {
      return space;
    }

    const TimeCourse &
    get_course() const
    {
      return course;
    }

    /** The data of the channels with unknowns. */
    const DataMap &
    get_data_map() const
    {
      return *data_map;
    }

    /** Whether the numbers of all processes are finite. */
    bool
    is_finite(const NodalVector &vector) const;

    /**
     * The solution for some values of all parameters; false if there is none.
     *
     * @param listener Called with each instant.
     */
    virtual bool
    solve(const std::vector<double>       &theta,
          const dealii::ArrayView<double> &observed,
          const InstantListener           &listener) const = 0;

    /**
     * Called with each instant of some solutions: the number of the first one,
     * that of the instant, and the values in lanes.
     */
    using LaneListener = std::function<void(const std::size_t  first,
                                            const unsigned int n,
                                            const NodalVector &values,
                                            const unsigned int n_lanes)>;

    /**
     * The solutions for several states, which are the unknowns and perhaps
     * more numbers.
     *
     * @return What is observed by state; empty where there is no solution.
     */
    virtual std::vector<std::vector<double>>
    solve_all(const std::vector<std::vector<double>> &states,
              const LaneListener                     &listener) const;

    /**
     * The adjoint solution for weights of the observations; false if there is
     * none. The adjoint must not be excluded by 'Solver/Gradient'.
     */
    virtual bool
    solve_adjoint(const std::vector<double>             &theta,
                  const dealii::ArrayView<const double> &weights,
                  const TimeCourse::StepListener        &listener) const = 0;

    /** Data of all channels; zero in those with unknowns. */
    std::vector<NodalVector>
    constant_data() const;

  protected:
    /**
     * @param use_products For tests: see make_data_map().
     * @param mesh Without a triangulation: that of the level is made.
     */
    MeshModel(const ModelSetting       &setting,
              const FemLevelParameters &level,
              const SolverParameters   &solver,
              const bool                use_products,
              const Mesh<dim>          &mesh);

    /**
     * How the adjoint reads the trajectory backwards; a UserError if the
     * memory for it does not suffice. Not needed for finite differences.
     */
    std::unique_ptr<const ReplaySchedule>
    make_schedule() const;

    /** The work if the trajectory is read backwards. */
    SolverWork
    work_with(const ReplaySchedule *schedule) const;

    /** The data of all channels. */
    const std::vector<NodalVector> &
    data_at(const std::vector<double> &theta) const;

    /**
     * The gradient of \f$\sum_c w_c\cdot d_c(\theta)\f$ with weights of the
     * data of the channels with unknowns.
     */
    void
    apply_to_data(const std::vector<double>       &theta,
                  const std::vector<NodalVector>  &weights,
                  const dealii::ArrayView<double> &gradient) const;

    /**
     * Parameters for which the equation cannot be solved are not plausible: the
     * sampler rejects and counts what is not finite.
     */
    std::shared_ptr<const Linearisation>
    no_solution(const dealii::ArrayView<double> &predictions,
                const std::string               &reason = "") const;

    /** What is the same for all linear and nonlinear models, in words. */
    std::string
    description_of_size() const;

    const ModelSetting             setting;
    const SolverParameters         solver;
    const SpaceDiscretisation<dim> space;
    const TimeCourse               course;

  private:
    std::unique_ptr<const DataMap> data_map;
    /** Those without unknowns were filled once. */
    mutable std::vector<NodalVector> data;
  };


  /** The derivative where the equation cannot be solved: not a number. */
  class NoDerivative : public Linearisation, public FailureReason
  {
  public:
    explicit NoDerivative(std::string reason = "")
      : reason(std::move(reason))
    {}

    void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double> &gradient) const override;

    std::string
    failure_reason() const override
    {
      return reason;
    }

  private:
    const std::string reason;
  };
} // namespace Tempera

#endif
