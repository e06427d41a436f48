// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/fem/coarser_levels.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace Tempera
{
  namespace
  {
    /**
     * A number that is @p ratio times smaller or a little more, and divides
     * @p all if there is one: so sensors, jumps and measurements that are at
     * nodes of the finest level are at nodes of coarser ones.
     */
    unsigned int
    fewer(const unsigned int n, const double ratio, const unsigned int all)
    {
      const unsigned int most = std::max(1., n / ratio);
      for (unsigned int result = most; 2 * result > most; --result)
        if (all % result == 0)
          return result;
      return most;
    }
  } // namespace



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
      /** Unknowns, compared with the finest. */
      double cost;
    };
    constexpr unsigned int fewest_nodes = 4;
    constexpr double       most_cost    = 0.22;

    // Few cells of a high degree are often better than many of a low one.
    const std::set<unsigned int> degrees = {1, 2, 4, finest.degree};
    std::vector<Mesh>            meshes;
    std::vector<unsigned int>    cells = finest.subdivisions;
    unsigned int refinements = finest.refinements + finest.adaptive_refinements;
    for (double cost = 1.;;)
      {
        const unsigned int n_cells =
          *std::min_element(cells.begin(), cells.end()) << refinements;
        for (const unsigned int degree : degrees)
          if (is_file || n_cells * degree >= fewest_nodes)
            meshes.push_back(
              {cells,
               refinements,
               degree,
               cost * std::pow(double(degree) / finest.degree, dimension)});
        if (refinements > 0)
          {
            --refinements;
            cost /= std::pow(2., dimension);
          }
        else if (!is_file && n_cells > 1)
          for (std::size_t i = 0; i < cells.size(); ++i)
            {
              const unsigned int n =
                fewer(cells[i], 2., finest.subdivisions[i]);
              cost *= std::pow(double(n) / cells[i],
                               double(dimension) / cells.size());
              cells[i] = n;
            }
        else
          break;
      }

    std::vector<unsigned int> n_steps = {0};
    if (final_time > 0.)
      {
        n_steps[0] =
          std::max(1., std::ceil(final_time / finest.time_step - 1e-9));
        while (n_steps.back() > 1)
          n_steps.push_back(fewer(n_steps.back(), 2.5, n_steps[0]));
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
