// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/state_space.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  StateSpace::StateSpace(std::vector<Coordinate> coordinates)
    : coordinates(std::move(coordinates))
  {
    for (unsigned int i = 0; i < dimension(); ++i)
      {
        const Coordinate &coordinate = this->coordinates[i];
        if (!(coordinate.lower < coordinate.upper))
          throw UserError("The lower bound " + to_text(coordinate.lower) +
                          " of the unknown '" + coordinate.name +
                          "' is not below its upper bound " +
                          to_text(coordinate.upper) + ".");
        if (std::isfinite(coordinate.lower) || std::isfinite(coordinate.upper))
          bounded_indices.push_back(i);
        for (const std::string reserved : {"", "draw", "replica", "energy"})
          if (coordinate.name == reserved ||
              coordinate.name.find_first_of(",\"'") != std::string::npos)
            throw UserError("An unknown cannot have the name '" +
                            coordinate.name +
                            "': names are not empty, have no commas or "
                            "quotes, and are not those of the columns 'draw', "
                            "'replica' and 'energy'.");
        for (unsigned int j = 0; j < i && coordinate.recorded; ++j)
          if (this->coordinates[j].recorded &&
              this->coordinates[j].name == coordinate.name)
            throw UserError("Two unknowns have the name '" + coordinate.name +
                            "'. Give each its own.");
        if (coordinate.recorded)
          recorded_indices.push_back(i);
      }
  }



  bool
  StateSpace::is_bounded() const
  {
    return std::all_of(coordinates.begin(),
                       coordinates.end(),
                       [](const Coordinate &coordinate) {
                         return std::isfinite(coordinate.lower) &&
                                std::isfinite(coordinate.upper);
                       });
  }



  void
  StateSpace::reflect(const dealii::ArrayView<double> &state) const
  {
    for (const unsigned int i : bounded_indices)
      {
        const double lower = coordinates[i].lower, upper = coordinates[i].upper;
        double      &x = state[i];
        if (x >= lower && x <= upper)
          continue;
        if (std::isinf(upper))
          x = 2. * lower - x;
        else if (std::isinf(lower))
          x = 2. * upper - x;
        else
          {
            // The images of a box repeat with twice its width.
            const double width  = upper - lower;
            double       offset = std::fmod(x - lower, 2. * width);
            if (offset < 0.)
              offset += 2. * width;
            x = lower + (offset > width ? 2. * width - offset : offset);
            x = std::min(std::max(x, lower), upper);
          }
      }
  }
} // namespace Tempera
