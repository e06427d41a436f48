// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_fem_model_h
#define tempera_fem_fem_model_h

#include <tempera/fem/domain.h>
#include <tempera/fem/fem_parameters.h>
#include <tempera/fem/local_fields.h>
#include <tempera/forward/forward_model.h>
#include <tempera/forward/sensor.h>
#include <tempera/problems/problem.h>

#include <deal.II/base/mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** What the models of all levels have in common. */
  struct ModelSetting
  {
    std::shared_ptr<const Problem> problem;
    /** Of all parameters of the problem; those of unknown ones are not used. */
    std::vector<double> values;
    /** Indices of the unknown ones. */
    std::vector<unsigned int> unknowns;
    /** Unknown fields; their numbers come after the unknown parameters. */
    std::vector<FieldUnknown> fields;
    std::vector<Sensor>       sensors;
    double                    final_time = 0.;
    Domain                    domain;
    /**
     * The processes that share the mesh. All of them make the model and call
     * its functions with the same arguments, and all get the same results.
     */
    MPI_Comm communicator = MPI_COMM_SELF;

    /** Numbers that a model takes. */
    unsigned int
    n_unknowns() const
    {
      return unknowns.size() + n_values_of(fields);
    }

    /** Indices of all parameters that are not known, fields included. */
    std::vector<unsigned int>
    varying() const
    {
      std::vector<unsigned int> result = unknowns;
      for (const unsigned int field : parameters_of(fields))
        result.push_back(field);
      return result;
    }
  };


  /** A forward model made of finite elements. */
  class FemModel : public ForwardModel
  {
  public:
    /** Unknowns of the mesh, boundary included. */
    virtual unsigned int
    n_dofs() const = 0;

    virtual unsigned int
    n_steps() const = 0;

    /** What 'Solver/Gradient' has become: the name of the method. */
    std::string
    gradient_method() const override = 0;

    bool
    has_fields() const override
    {
      return true;
    }

    /** As VTU files with a PVD file for their times. */
    void
    write_fields(const std::vector<std::vector<double>> &parameters,
                 const FieldFileNames &names) const override = 0;
  };


  /** A model that gets its derivative in another way than the one inside. */
  class WrappedFemModel : public FemModel
  {
  public:
    explicit WrappedFemModel(const FemModel &inner)
      : inner(inner)
    {}

    unsigned int
    n_parameters() const override
    {
      return inner.n_parameters();
    }

    unsigned int
    n_predictions() const override
    {
      return inner.n_predictions();
    }

    unsigned int
    n_dofs() const override
    {
      return inner.n_dofs();
    }

    unsigned int
    n_steps() const override
    {
      return inner.n_steps();
    }

    void
    write_fields(const std::vector<std::vector<double>> &states,
                 const FieldFileNames                   &names) const override
    {
      inner.write_fields(states, names);
    }

  private:
    /** Kept alive by the derived class. */
    const FemModel &inner;
  };


  /**
   * The model of a level. Its gradient is what the parameters ask for; a
   * method that is not valid for this problem is a UserError.
   *
   * @param ranges Of the unknowns, for finite differences.
   */
  std::shared_ptr<const FemModel>
  make_fem_model(const ModelSetting                &setting,
                 const FemLevelParameters          &level,
                 const SolverParameters            &solver,
                 const std::vector<ParameterRange> &ranges);
} // namespace Tempera

#endif
