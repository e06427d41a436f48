// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_analytic_energy_h
#define tempera_analytic_analytic_energy_h

#include <tempera/base/number_list.h>
#include <tempera/base/registry.h>
#include <tempera/sampler/energy.h>

#include <memory>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** Names and prior of the unknowns of an analytic energy. */
  struct ReferenceParameters
  {
    std::vector<std::string> names;
    NumberList               lower_bounds{"none"};
    NumberList               upper_bounds{"none"};
    double                   standard_deviation = 0.;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /**
   * An energy in closed form: the test bench of every rule, and a first look
   * at what the sampler does. Its potential is the formula of the derived
   * class; its reference part is flat, flat in a box, or Gaussian.
   */
  class AnalyticEnergy : public Energy
  {
  public:
    AnalyticEnergy(const unsigned int         dimension,
                   const ReferenceParameters &reference);

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    is_integrable(const Exponents &exponents) const override;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

    /** The formula: returns \f$P\f$ and fills its gradient. */
    virtual double
    potential(const dealii::ArrayView<const double> &state,
              const dealii::ArrayView<double>       &gradient) const = 0;

    /** Whether \f$\exp(-wP)\f$ has a finite integral over all space. */
    virtual bool
    potential_is_integrable(const double weight) const
    {
      return weight > 0.;
    }

  private:
    const StateSpace state_space;
    /** Inverse variance of the Gaussian prior; zero for a flat one. */
    const double reference_precision;
  };


  /** Declares the parameters of one kind of energy and makes it. */
  class AnalyticType
  {
  public:
    virtual ~AnalyticType() = default;

    /** Declare the parameters in the current section. */
    virtual void
    declare(dealii::ParameterHandler &prm) = 0;

    virtual std::unique_ptr<Energy>
    create(const ReferenceParameters &reference) const = 0;
  };


  /** The type of an energy that has a struct of parameters. */
  template <class EnergyClass>
  class AnalyticTypeOf : public AnalyticType
  {
  public:
    void
    declare(dealii::ParameterHandler &prm) override
    {
      parameters.declare(prm);
    }

    std::unique_ptr<Energy>
    create(const ReferenceParameters &reference) const override
    {
      return std::make_unique<EnergyClass>(parameters, reference);
    }

  private:
    typename EnergyClass::Parameters parameters;
  };


  /** The analytic energies that a parameter file can name. */
  using AnalyticRegistry = Registry<AnalyticType>;

  template <class EnergyClass>
  using AnalyticRegistration =
    Registration<AnalyticRegistry, AnalyticTypeOf<EnergyClass>>;
} // namespace Tempera

#endif
