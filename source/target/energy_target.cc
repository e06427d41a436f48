// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/target/energy_target.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  EnergyTarget::EnergyTarget(const std::string &family,
                             const std::string &title,
                             std::vector<Level> levels,
                             const double       scale)
    : family(family)
    , title(title)
    , all_levels(std::move(levels))
    , typical_scale(scale)
  {}



  EnergyTarget::EnergyTarget(const std::string       &title,
                             std::vector<Coordinate>  unknowns,
                             FunctionEnergy::Function function)
    : EnergyTarget(
        "function",
        title,
        {{"fine",
          std::make_shared<FunctionEnergy>(StateSpace(std::move(unknowns)),
                                           std::move(function))}})
  {}



  std::vector<std::string>
  EnergyTarget::levels() const
  {
    std::vector<std::string> names;
    for (const Level &level : all_levels)
      names.push_back(level.name);
    return names;
  }



  std::shared_ptr<const Energy>
  EnergyTarget::energy(const std::string &name)
  {
    for (const Level &level : all_levels)
      if (level.name == name)
        return level.energy;
    throw UserError("There is no level '" + name + "'." +
                    did_you_mean(name, levels()));
  }



  std::vector<double>
  EnergyTarget::centre() const
  {
    const StateSpace   &space = all_levels[0].energy->space();
    std::vector<double> point(space.dimension(), 0.);
    for (unsigned int i = 0; i < space.dimension(); ++i)
      if (std::isfinite(space[i].lower) && std::isfinite(space[i].upper))
        point[i] = 0.5 * (space[i].lower + space[i].upper);
      else if (space[i].lower > 0.)
        point[i] = space[i].lower + 1.;
      else if (space[i].upper < 0.)
        point[i] = space[i].upper - 1.;
    return point;
  }



  void
  EnergyTarget::describe(const Ladder &, RunDescription &description) const
  {
    description.family = family;
    description.title  = title;
  }



  std::string
  EnergyTarget::layout(const Ladder &ladder) const
  {
    return "--     . energy: " + title + ", " +
           counted(ladder.space().dimension(), "unknown") + "\n";
  }



  FunctionEnergy::FunctionEnergy(const StateSpace &space, Function function)
    : state_space(space)
    , function(std::move(function))
  {}



  void
  FunctionEnergy::evaluate(const dealii::ArrayView<const double> &state,
                           const RandomKey &,
                           const Request request,
                           Evaluation   &evaluation) const
  {
    const double value =
      function(state,
               request == Request::values ?
                 dealii::ArrayView<double>() :
                 dealii::make_array_view(evaluation.potential_gradient));
    if (request != Request::gradients)
      {
        evaluation.reference = 0.;
        evaluation.potential = value;
      }
    if (request != Request::values)
      std::fill(evaluation.reference_gradient.begin(),
                evaluation.reference_gradient.end(),
                0.);
  }
} // namespace Tempera
