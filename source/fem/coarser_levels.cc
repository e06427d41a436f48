// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/fem/coarser_levels.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  std::vector<LevelSettings>
  coarser_levels(const FemLevelParameters &finest,
                 const unsigned int        dimension,
                 const bool                is_file,
                 const double              final_time)
  {
    /** A mesh for all steps in time. */
    struct Mesh
    {
      std::vector<unsigned int> subdivisions;
      unsigned int              refinements, degree;
      /** Compared with the finest. */
      double cost;
    };
    constexpr unsigned int fewest_cells = 4;
    constexpr double       most_cost    = 0.2;

    std::vector<Mesh>         meshes;
    std::vector<unsigned int> cells = finest.subdivisions;
    unsigned int refinements = finest.refinements + finest.adaptive_refinements;
    for (double cost = 1.;; cost /= std::pow(2., dimension))
      {
        meshes.push_back({cells, refinements, finest.degree, cost});
        if (finest.degree > 1)
          meshes.push_back(
            {cells, refinements, 1, cost / std::pow(finest.degree, dimension)});
        if (refinements > 0)
          --refinements;
        else if (!is_file && *std::min_element(cells.begin(), cells.end()) >=
                               2 * fewest_cells)
          for (unsigned int &n : cells)
            n /= 2;
        else
          break;
      }

    std::vector<unsigned int> n_steps = {0};
    if (final_time > 0.)
      {
        n_steps[0] =
          std::max(1., std::ceil(final_time / finest.time_step - 1e-9));
        while (n_steps.back() > 1)
          n_steps.push_back((n_steps.back() + 3) / 4);
      }

    std::vector<LevelSettings> result;
    for (const Mesh &mesh : meshes)
      for (const unsigned int n : n_steps)
        {
          const double of_steps = final_time > 0. ? double(n) / n_steps[0] : 1.;
          if (mesh.cost * of_steps > most_cost)
            continue;
          std::vector<std::string> numbers;
          for (const unsigned int number : mesh.subdivisions)
            numbers.push_back(std::to_string(number));
          LevelSettings level;
          level.name =
            (is_file ? std::string("mesh") : join(numbers, "x") + " cells") +
            (mesh.refinements > 0 ?
               " " + counted(mesh.refinements, "refinement") :
               "") +
            (mesh.degree != 1 ? " degree " + std::to_string(mesh.degree) : "") +
            (final_time > 0. ? " " + counted(n, "step") : "");
          if (!is_file)
            level.settings.push_back({"Subdivisions", join(numbers, ", ")});
          level.settings.push_back(
            {"Refinements", std::to_string(mesh.refinements)});
          level.settings.push_back({"Degree", std::to_string(mesh.degree)});
          if (final_time > 0.)
            level.settings.push_back(
              {"Time step", to_text(final_time / n, 12)});
          result.push_back(level);
        }
    return result;
  }
} // namespace Tempera
