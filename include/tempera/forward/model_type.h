// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_forward_model_type_h
#define tempera_forward_model_type_h

#include <tempera/base/registry.h>
#include <tempera/forward/forward_model.h>
#include <tempera/forward/sensor.h>

#include <deal.II/base/mpi.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** What a parameter of a model is called, and what it may be. */
  struct ModelParameter
  {
    std::string name;
    /** A number, or a prior if it is usually unknown. */
    std::string default_value;
    std::string documentation;
    /** Values must be above, and priors must not reach below. */
    double lower = -std::numeric_limits<double>::infinity();
  };


  /** What a model is made for. */
  struct ModelContext
  {
    /** Name of the level. */
    std::string level;
    /** Where and when something was measured; empty if only values are given.
     */
    std::vector<Sensor> sensors;
    /** Values of all parameters in the middle of what they may be. */
    std::vector<double> centre;
    /** The processes that evaluate the model together. */
    MPI_Comm communicator = MPI_COMM_SELF;
  };


  /**
   * A solver of a user's own, as a parameter file sees it: 'Model/Type' names
   * it, and there is one object of this class for each level. A solver adds
   * itself with one line in its own source file, in the tree or in a plugin:
   * @code
   *   Registration<ForwardModelRegistry, MySolver>("my solver", "What it is.");
   * @endcode
   * Priors, data, gradients by differences, ladders and reports come by
   * themselves.
   */
  class ForwardModelType
  {
  public:
    virtual ~ForwardModelType() = default;

    /** In the order in which models take them. */
    virtual std::vector<ModelParameter>
    parameters() const = 0;

    /**
     * The same where the file names them, in the order of its section
     * 'Model/Unknowns'.
     */
    virtual std::vector<ModelParameter>
    parameters_for(const std::vector<std::string> &names_in_file) const
    {
      (void)names_in_file;
      return parameters();
    }

    /** Declare how fine a level is, in its section of 'Levels'. */
    virtual void
    declare(dealii::ParameterHandler &prm) = 0;

    /** Number of coordinates of a sensor; 0 if sensors have no places. */
    virtual unsigned int
    dimension() const
    {
      return 0;
    }

    /** Whether measurements have times. */
    virtual bool
    has_time() const
    {
      return false;
    }

    /** The model of this level. It takes all parameters(). */
    virtual std::unique_ptr<ForwardModel>
    make(const ModelContext &context) const = 0;

    /**
     * The same, once refined, to see whether the level is fine enough; null if
     * that cannot be done.
     */
    virtual std::unique_ptr<ForwardModel>
    make_refined(const ModelContext &context) const
    {
      (void)context;
      return nullptr;
    }
  };


  /** The solvers that a parameter file can name. */
  using ForwardModelRegistry = Registry<ForwardModelType>;
} // namespace Tempera

#endif
