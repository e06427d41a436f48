// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_forward_function_model_h
#define tempera_forward_function_model_h

#include <tempera/forward/forward_model.h>

#include <functional>
#include <utility>

namespace Tempera
{
  /** A forward model that is a function of a program, without derivative. */
  class FunctionModel : public ForwardModel
  {
  public:
    /** Fills the predictions. */
    using Function =
      std::function<void(const dealii::ArrayView<const double> &parameters,
                         const dealii::ArrayView<double>       &predictions)>;

    /** @param work Of an evaluation, in one unit for all levels. */
    FunctionModel(const unsigned int n_parameters,
                  const unsigned int n_predictions,
                  Function           function,
                  const double       work = 1.)
      : n_in(n_parameters)
      , n_out(n_predictions)
      , function(std::move(function))
      , its_work(work)
    {}

    unsigned int
    n_parameters() const override
    {
      return n_in;
    }

    unsigned int
    n_predictions() const override
    {
      return n_out;
    }

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool) const override
    {
      function(parameters, predictions);
      return nullptr;
    }

    bool
    has_derivative() const override
    {
      return false;
    }

    SolverWork
    work() const override
    {
      return {its_work, 2. * n_in * its_work, 0.};
    }

    std::string
    description() const override
    {
      return "a function of the program";
    }

  private:
    const unsigned int n_in, n_out;
    const Function     function;
    const double       its_work;
  };
} // namespace Tempera

#endif
