// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_bridge_served_model_h
#define tempera_bridge_served_model_h

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace Tempera
{
  class Target;

  /** What one may ask of a ServedModel besides its values. */
  struct ServedFeatures
  {
    bool gradient = false, jacobian = false, hessian = false;
  };


  /** The input of a ServedModel is outside of what it is made for. */
  class InvalidInput : public std::invalid_argument
  {
  public:
    explicit InvalidInput(const std::string &reason)
      : std::invalid_argument(reason)
    {}
  };


  /**
   * A function that other programs may ask for, on several levels: one list of
   * numbers in, one list out. Threads may ask at once. Where there is no result
   * a SolveFailed or an InvalidInput is thrown.
   */
  class ServedModel
  {
  public:
    using Numbers = std::vector<double>;

    virtual ~ServedModel() = default;

    virtual std::string
    name() const = 0;

    /** The first is the one that is meant if nothing is said. */
    virtual std::vector<std::string>
    levels() const = 0;

    virtual unsigned int
    n_inputs() const = 0;

    virtual unsigned int
    n_outputs() const = 0;

    virtual ServedFeatures
    features() const = 0;

    virtual Numbers
    evaluate(const std::string &level, const Numbers &input) = 0;

    /** \f$J^T s\f$. */
    virtual Numbers
    gradient(const std::string &level,
             const Numbers     &input,
             const Numbers     &sensitivity) = 0;

    /** \f$J v\f$. */
    virtual Numbers
    apply_jacobian(const std::string &level,
                   const Numbers     &input,
                   const Numbers     &vector) = 0;

    /** The second derivative of \f$s^T F\f$, applied to \f$v\f$. */
    virtual Numbers
    apply_hessian(const std::string &level,
                  const Numbers     &input,
                  const Numbers     &sensitivity,
                  const Numbers     &vector) = 0;
  };


  /**
   * What a target has to offer: "forward" (the predictions), "posterior" and
   * "prior" (logarithms of densities), as far as there are such.
   *
   * @param target Must outlive the models.
   */
  std::vector<std::shared_ptr<ServedModel>>
  served_models(Target &target);
} // namespace Tempera

#endif
