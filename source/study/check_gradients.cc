// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/study/gradient_check.h>
#include <tempera/study/studies.h>
#include <tempera/target/forward_target.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>

namespace Tempera
{
  namespace
  {
    /** For points and directions each: numbers of their own. */
    RandomKey
    key_of(const std::uint64_t seed,
           const unsigned int  point,
           const unsigned int  stream)
    {
      RandomKey key;
      key.seed   = seed;
      key.round  = point;
      key.stream = stream;
      return key;
    }

    std::vector<double>
    random_direction(const RandomKey &key, const std::vector<double> &scales)
    {
      std::vector<double> direction(scales.size());
      fill_normals(key, dealii::make_array_view(direction));
      double square = 0.;
      for (const double part : direction)
        square += part * part;
      for (std::size_t i = 0; i < scales.size(); ++i)
        direction[i] *= scales[i] / std::sqrt(square);
      return direction;
    }

    /** Not in the outermost 1 %, where walls and tails are. */
    double
    well_inside(const double uniform_number)
    {
      return 0.01 + 0.98 * uniform_number;
    }

    /** A draw from the priors. */
    GradientPoint
    point_of(const std::vector<Unknown> &unknowns,
             const std::uint64_t         seed,
             const unsigned int          number)
    {
      GradientPoint point;
      point.state.resize(unknowns.size());
      fill_uniforms(key_of(seed, number, 0),
                    dealii::make_array_view(point.state));
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        {
          point.state[i] =
            unknowns[i].prior.quantile(well_inside(point.state[i]));
          point.scales.push_back(unknowns[i].prior.scale());
        }
      point.direction = random_direction(key_of(seed, number, 1), point.scales);
      return point;
    }

    /**
     * A point in the box of an analytic energy, or around zero where there is
     * no wall, as wide as the prior if that has a width.
     */
    GradientPoint
    point_of(const StateSpace   &space,
             const double        width,
             const std::uint64_t seed,
             const unsigned int  number)
    {
      GradientPoint       point;
      const unsigned int  n = space.dimension();
      std::vector<double> uniforms(n);
      point.state.resize(n);
      fill_normals(key_of(seed, number, 0),
                   dealii::make_array_view(point.state));
      fill_uniforms(key_of(seed, number, 2), dealii::make_array_view(uniforms));
      for (unsigned int i = 0; i < n; ++i)
        {
          const double length = space[i].upper - space[i].lower;
          point.scales.push_back(std::isfinite(length) ? length : width);
          point.state[i] =
            std::isfinite(length) ?
              space[i].lower + well_inside(uniforms[i]) * length :
              width * point.state[i];
        }
      space.reflect(dealii::make_array_view(point.state));
      point.direction = random_direction(key_of(seed, number, 1), point.scales);
      return point;
    }


    /** The table of findings, and what became of them. */
    class Table
    {
    public:
      Table(const std::vector<Level> &levels, std::ostream &out)
        : out(out)
      {
        for (const Level &level : levels)
          width = std::max<int>(width, level.name.size() + 2);
        out << "\n"
            << std::left << std::setw(width) << "level" << std::setw(7)
            << "point" << std::setw(21) << "gradient by" << std::setw(21)
            << "compared with" << std::right << std::setw(12) << "difference"
            << std::setw(10) << "order"
            << "\n";
      }

      void
      add(const std::string                  &level,
          const unsigned int                  number,
          const std::vector<GradientFinding> &findings)
      {
        for (const GradientFinding &finding : findings)
          {
            out << std::left << std::setw(width) << level << std::setw(7)
                << number << std::setw(21) << finding.method << std::setw(21)
                << finding.other << std::right << std::setw(12)
                << to_text(finding.difference, 3) << std::setw(10)
                << (std::isnan(finding.order) ? "rounding" :
                                                to_text(finding.order, 3))
                << (finding.is_right() ? "" : "   <-- wrong") << "\n";
            if (finding.has_wrong_order() &&
                std::find(wrong.begin(), wrong.end(), finding.method) ==
                  wrong.end())
              wrong.push_back(finding.method);
            agrees = agrees && finding.is_right();
          }
        n_checked += findings.empty() ? 0 : 1;
        if (findings.empty())
          out << std::left << std::setw(width) << level << std::setw(7)
              << number << std::right
              << "skipped: the potential or a gradient is not finite here\n";
      }

      /** What it means; returns whether all gradients agree. */
      bool
      close() const
      {
        out << "\nA right gradient leaves a remainder of order 2 in the length "
               "of the step. 'rounding':\nthe remainder is lost in rounding "
               "before it shows its order; the difference decides.\n";
        if (n_checked == 0)
          throw UserError("No point could be checked. Choose others with "
                          "--seed or --points, or narrow the priors to where "
                          "the equation can be solved.");
        if (agrees)
          out << "-- the gradients are right\n";
        else
          out << "-- the gradients are WRONG"
              << (wrong.empty() ?
                    ": they differ by more than rounding and truncation can "
                    "explain" :
                    " by these methods: " + join(wrong, ", "))
              << "\n";
        return agrees;
      }

    private:
      std::ostream            &out;
      int                      width     = 8;
      unsigned int             n_checked = 0;
      bool                     agrees    = true;
      std::vector<std::string> wrong;
    };


    /** All ways to the gradient of a level. */
    std::vector<GradientMethod>
    methods_of(ForwardTarget &target, const std::string &level)
    {
      std::vector<GradientMethod> methods;
      for (const GradientVariant &variant :
           target.get_family().make_gradient_variants(level))
        {
          const auto energy = target.energy_of(variant.model);
          methods.push_back(
            variant.is_difference ?
              finite_differences_within(energy) :
              GradientMethod{variant.method, energy, variant.accuracy});
        }
      return methods;
    }
  } // namespace



  bool
  check_gradients(Target                     &target,
                  const RunSettings          &settings,
                  const GradientCheckOptions &options,
                  std::ostream               &out)
  {
    ForwardTarget *const forward = target.forward();
    std::vector<Level>   levels;
    for (const std::string &name : settings.used_levels())
      levels.push_back({name, target.energy(name)});
    target.check_gradient_check();
    for (const Level &level : levels)
      if (level.energy->has_noisy_gradients())
        throw UserError("'tempera check-gradient' compares gradients, but "
                        "those of the level '" +
                        level.name +
                        "' are of random minibatches. Add --set \"Levels/" +
                        level.name + "/Batch size = 0\".");
    for (const Level &level : levels)
      if (level.energy->is_stochastic())
        throw UserError("'tempera check-gradient' compares energies, but those "
                        "of the level '" +
                        level.name + "' are random. Set 'Levels/" + level.name +
                        "/Noise' and 'Gradient noise' to 0 with --set.");

    out << "-- gradients of the potential at "
        << counted(options.n_points, "random point") << ", seed "
        << options.seed << "\n";
    Table table(levels, out);
    for (const Level &level : levels)
      {
        std::vector<GradientMethod> methods;
        if (forward != nullptr)
          methods = methods_of(*forward, level.name);
        const bool has_variants = !methods.empty();
        for (unsigned int i = 0; i < options.n_points; ++i)
          {
            GradientPoint point =
              forward != nullptr ?
                point_of(forward->unknowns(), options.seed, i) :
                point_of(level.energy->space(),
                         target.scale(),
                         options.seed,
                         i);
            if (forward != nullptr)
              point.rounding =
                forward->sensitivity(level.name,
                                     point.state,
                                     forward->get_family().accuracy());
            if (!has_variants)
              methods = {{"formula", level.energy},
                         finite_differences_of(level.energy, point.scales)};
            table.add(level.name, i + 1, compare_gradients(methods, point));
          }
      }
    return table.close();
  }
} // namespace Tempera
