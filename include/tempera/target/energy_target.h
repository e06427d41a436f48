// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_target_energy_target_h
#define tempera_target_energy_target_h

#include <tempera/target/target.h>

#include <functional>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * An energy that is a function of a program: returns \f$U\f$ and fills its
   * gradient unless that has no entries. For programs that want nothing else to
   * begin with.
   */
  class FunctionEnergy : public Energy
  {
  public:
    using Function =
      std::function<double(const dealii::ArrayView<const double> &state,
                           const dealii::ArrayView<double>       &gradient)>;

    /** The integral of exp(-U) is taken to be finite, also when tempered. */
    FunctionEnergy(const StateSpace &space, Function function);

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    is_integrable(const Exponents &exponents) const override
    {
      return exponents.potential > 0. || state_space.is_bounded();
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const StateSpace state_space;
    const Function   function;
  };


  /** Energies that are there already, one per level, without data or prior. */
  class EnergyTarget : public Target
  {
  public:
    /**
     * @param family For the record: what kind of energy it is.
     * @param title What is sampled, in a few words.
     * @param scale Of unknowns without bounds, where one is needed.
     */
    EnergyTarget(const std::string &family,
                 const std::string &title,
                 std::vector<Level> levels,
                 const double       scale = 1.);

    /**
     * One level, "fine", whose energy is a function.
     *
     * @param unknowns Names and bounds.
     */
    EnergyTarget(const std::string       &title,
                 std::vector<Coordinate>  unknowns,
                 FunctionEnergy::Function function);

    std::vector<std::string>
    levels() const override;

    std::shared_ptr<const Energy>
    energy(const std::string &level) override;

    /** Zero, or a point well inside the bounds. */
    std::vector<double>
    centre() const override;

    void
    describe(const Ladder &ladder, RunDescription &description) const override;

    std::string
    layout(const Ladder &ladder) const override;

    double
    scale() const override
    {
      return typical_scale;
    }

  private:
    const std::string        family, title;
    const std::vector<Level> all_levels;
    const double             typical_scale;
  };
} // namespace Tempera

#endif
