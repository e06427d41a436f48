// SPDX-License-Identifier: LGPL-2.1-or-later

// How much a level's predictions change by refinement, where that is known
// exactly. In space: linear elements solve -u'' = q with u(0) = u(1) = 0
// exactly at their nodes, so that in the middle of a cell of length h they are
// wrong by h^2 q / 8, and not at all once the middle is a node. In time:
// without flow through the ends, u' = -q u has the solution (1 + q dt)^(-n) of
// backward Euler, constant in space.

#include "driver/command.h"

#include <tempera/base/user_error.h>
#include <tempera/driver/parameters.h>
#include <tempera/study/mesh_error.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  Parameters
  read(const std::string &content)
  {
    write_file("run.prm", content);
    return Parameters(ParameterFile("run.prm"));
  }

  std::string
  loaded_string(const std::string &subdivisions,
                const std::string &noise,
                const std::string &values = "1, 1, 1")
  {
    return "subsection Problem\n  set Type = expressions\n"
           "  set Dimension = 1\n"
           "  subsection Unknowns\n    set q = uniform(0, 10)\n  end\n"
           "  subsection Equation\n    set Capacity = 0\n"
           "    set Diffusion = 1\n    set Source = q\n"
           "    set Dirichlet value = 0: 0; 1: 0\n  end\nend\n"
           // The first and last sensors are nodes, the second is not.
           "subsection Observations\n  set Sensors = 0.25; 0.375; 0.5\n"
           "  set Values = " +
           values + "\n" + noise +
           "end\nsubsection Levels\n  subsection fine\n    set Subdivisions = " +
           subdivisions + "\n  end\nend\n";
  }

  std::string
  decay(const std::string &time_step)
  {
    return "subsection Problem\n  set Type = expressions\n"
           "  set Dimension = 1\n"
           "  subsection Unknowns\n    set q = uniform(0, 10)\n  end\n"
           "  subsection Equation\n    set Capacity = 1\n"
           "    set Diffusion = 1\n    set Reaction = q\n"
           "    set Initial value = 1\n    set Dirichlet value = none\n  end\nend\n"
           "subsection Observations\n  set Sensors = 0.3\n"
           "  set Times = 1\n  set Values = 1\n  set Noise = 0.05\n"
           "end\nsubsection Levels\n  subsection fine\n"
           "    set Subdivisions = 2\n    set Time step = " +
           time_step + "\n  end\nend\n";
  }

  const auto never = []() { return false; };

  MeshError
  check_of(const Parameters                       &parameters,
           const std::vector<std::vector<double>> &states,
           const std::function<bool()>            &is_stopped = never)
  {
    const auto target = parameters.make_target();
    return MeshError(*target->forward(), "fine", states, is_stopped);
  }

  bool
  is_near(const double value, const double expected)
  {
    return std::abs(value - expected) <= 1e-8 * std::abs(expected) + 1e-12;
  }

  std::string
  text(const MeshError &check)
  {
    return std::to_string(check.get_largest()) + " " +
           std::to_string(check.get_mean()) + "\n" + check.text() + check.csv();
  }

  void
  check_space()
  {
    // h = 1/4: largest h^2 q / 8 / sigma at q = 4; the mean is over two draws
    // and three measurements, of which one is wrong.
    const Parameters parameters =
      read(loaded_string("4", "set Noise = 0.05\n"));
    const MeshError coarse = check_of(parameters, {{2.}, {4.}});
    check("the error of linear elements between nodes",
          is_near(coarse.get_largest(), 4. / 128. / 0.05) &&
            is_near(coarse.get_mean(), (2. + 4.) / 2. / 3. / 128. / 0.05) &&
            coarse.get_measurement() == 1 && coarse.get_n_draws() == 2,
          text(coarse));
    check("a coarse mesh gets a warning that says where and what to do",
          !coarse.is_fine_enough() && contains(coarse.text(), "Warning") &&
            contains(coarse.text(), "sigma (2 draws)") &&
            contains(coarse.text(), "(0.375)") &&
            contains(coarse.text(), "'Levels/fine/Subdivisions'") &&
            !contains(coarse.text(), "Time step"),
          text(coarse));
    check("the file has numbers alone",
          coarse.csv() == "quantity,value\nlargest,0.625\nmean,0.15625\n"
                          "n_draws,2\nmeasurement,2\n",
          text(coarse));

    // The same mesh by refinement; every sensor is a node then, so sensors are
    // exact on both.
    const Parameters finer = read(loaded_string("8", "set Noise = 0.05\n"));
    const MeshError  fine  = check_of(finer, {{2.}, {4.}});
    check("a mesh with sensors on its nodes is exact",
          fine.is_fine_enough() && fine.get_largest() < 1e-9 &&
            contains(fine.text(), "Level 'fine' is fine enough"),
          text(fine));
  }

  void
  check_deviations()
  {
    const Parameters unknown =
      read(loaded_string("4", "set Noise = log-normal(0.05, 1)\n"));
    const MeshError own = check_of(unknown, {{2., 0.05}, {4., 0.2}});
    check("an unknown sigma is the state's own",
          is_near(own.get_largest(), 2. / 128. / 0.05),
          text(own));
    const Parameters correlated = read(
      loaded_string("4",
                    "set Covariance = 1, 0.5, 0; 0.5, 0.04, 0; 0, 0, 1\n"));
    std::string message;
    try
      {
        correlated.make_target();
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    const Parameters covariance = read(
      loaded_string("4",
                    "set Covariance = 1, 0.1, 0; 0.1, 0.04, 0; 0, 0, 1\n"));
    const MeshError diagonal = check_of(covariance, {{4.}});
    check("of a covariance the diagonal counts",
          contains(message, "positive definite") &&
            is_near(diagonal.get_largest(), 4. / 128. / 0.2),
          text(diagonal));
  }

  /** A normal law of q, on a level and on the refined one. */
  struct NormalLaw
  {
    double mean, deviation;
  };

  /**
   * Predictions are q times these; the second is exact on the refined level
   * only. The posterior of q is normal around the best fit.
   */
  NormalLaw
  law_of_q(const double second_slope, const double datum, const double sigma)
  {
    double sum = 0., squares = 0.;
    for (const double slope : {3. / 32., second_slope, 1. / 8.})
      {
        sum += slope * datum;
        squares += slope * slope;
      }
    return {sum / squares, sigma / std::sqrt(squares)};
  }

  MeshError
  mesh_error(const double datum, const double most_work, const NormalLaw &law)
  {
    // Draws at the quantiles of the law, in no order.
    std::vector<std::vector<double>> population, states;
    for (unsigned int i = 0; i < 2000; ++i)
      {
        const double share = ((i * 617) % 2000 + 0.5) / 2000.;
        double       low = -8., high = 8.;
        while (high - low > 1e-9)
          (normal_cdf(0.5 * (low + high)) < share ? low : high) =
            0.5 * (low + high);
        population.push_back({law.mean + law.deviation * low});
        if (i % 100 == 50)
          states.push_back(population.back());
      }
    const std::string text       = std::to_string(datum);
    const Parameters  parameters = read(loaded_string(
      "4", "set Noise = 0.05\n", text + ", " + text + ", " + text));
    const auto        target     = parameters.make_target();
    return MeshError(
      *target->forward(), "fine", states, never, population, most_work);
  }

  void
  check_shift()
  {
    constexpr double all = std::numeric_limits<double>::infinity();
    const auto       law = [](const double datum, const bool is_refined) {
      return law_of_q(is_refined ? 15. / 128. : 7. / 64., datum, 0.05);
    };
    const NormalLaw now = law(0.4, false), refined = law(0.4, true);
    const double    shift = (refined.mean - now.mean) / now.deviation,
                 width    = refined.deviation / now.deviation - 1.;
    const MeshError moved = mesh_error(0.4, all, now);
    const auto     &found = moved.get_shifts();
    check("how the posterior shifts on the refined level",
          found.size() == 1 && found[0].column == "q" && shift < -0.2 &&
            std::abs(found[0].mean - shift) < 0.02 &&
            std::abs(found[0].width - width) < 0.02 &&
            found[0].mean_error < 0.02 &&
            std::abs(found[0].mean - shift) < 3. * found[0].mean_error,
          std::to_string(shift) + " " + std::to_string(width) + " " +
            (found.empty() ? "none" :
                             std::to_string(found[0].mean) + " +- " +
                               std::to_string(found[0].mean_error) + ", " +
                               std::to_string(found[0].width) + " +- " +
                               std::to_string(found[0].width_error)) +
            moved.text());

    const MeshError another = mesh_error(1., all, law(1., false));
    check("a posterior that is another one is refused with words",
          another.is_known() && another.get_shifts().empty() &&
            !another.is_fine_enough() &&
            contains(another.get_objection(), "at most 0.5 wanted") &&
            contains(another.text(), "in part that of the mesh"),
          another.text() + another.get_objection());

    // Three sweeps on 9 nodes instead of 5, for all draws; or some draws, if
    // that is too much.
    const MeshError swept = mesh_error(0.4, 10., now),
                    some  = mesh_error(0.4, 9., now);
    check("sweeps that serve all draws are made where they cost less",
          swept.get_n_draws() == 20 && is_near(swept.get_work(), 4. + 5.4) &&
            is_near(swept.get_shifts()[0].mean, found[0].mean) &&
            some.get_n_draws() == 1 && is_near(some.get_work(), 4. + 2.8),
          std::to_string(swept.get_work()) + " " +
            std::to_string(some.get_work()));
  }

  void
  check_bound()
  {
    // Five nodes and eight steps instead of three and four: a draw costs 4.33
    // solves of the level.
    const Parameters                 parameters = read(decay("0.25"));
    const auto                       target     = parameters.make_target();
    std::vector<std::vector<double>> states;
    for (unsigned int i = 0; i < 20; ++i)
      states.push_back({3. + 0.001 * i});
    const auto within = [&](const double work) {
      return MeshError(*target->forward(), "fine", states, never, states, work);
    };
    const MeshError bounded = within(48.), few = within(18.), none = within(4.);
    check("work is bounded, and that is said",
          bounded.get_n_draws() == 10 && bounded.get_work() <= 48. &&
            bounded.get_objection().empty() &&
            contains(bounded.text(), "10 draws instead of 20, to stay below"),
          std::to_string(bounded.get_n_draws()) + " " +
            std::to_string(bounded.get_work()) + bounded.text() +
            bounded.get_objection());
    check("few draws tell of predictions only",
          few.get_n_draws() == 3 && few.get_shifts().empty() &&
            contains(few.get_objection(), "at least 8 draws"),
          std::to_string(few.get_n_draws()) + few.get_objection());
    check("if there is no work for any, that is said",
          !none.is_known() && contains(none.text(), "'Output/Mesh error'"),
          none.text());
  }

  void
  check_integrals()
  {
    // A wire of strength 0.6 at 0.45, a thirtieth of a cell wide: no point of
    // integration sees it, nor does one of a cell of half the length. The exact
    // solution has 0.6 * 0.45 * (1 - x) of it on its right, sigma is 0.05.
    std::string       wire   = loaded_string("10", "set Noise = 0.05\n");
    const std::string source = "set Source = q";
    wire.replace(wire.find(source),
                 source.size(),
                 "set Source = q + 0.6*exp(-(x-0.45)^2/(2*0.003^2))/"
                 "(0.003*sqrt(2*pi))");
    const Parameters narrow = read(wire);
    const MeshError  seen   = check_of(narrow, {{2.}, {4.}});
    check("what is narrower than a cell is seen by more integration points",
          seen.get_integration_change() > Checks::largest_prediction_change,
          std::to_string(seen.get_integration_change()));
    const Parameters plain = read(loaded_string("10", "set Noise = 0.05\n"));
    const MeshError  same  = check_of(plain, {{2.}, {4.}});
    check("what is not changes nothing",
          same.get_integration_change() < 1e-9,
          std::to_string(same.get_integration_change()));
  }

  void
  check_time()
  {
    const auto solution = [](const double q, const unsigned int n) {
      return std::pow(1. + q / n, -double(n));
    };
    // 0.3 does not divide the time 1: four steps are taken, then eight.
    for (const auto &one :
         {std::make_pair("0.3", 4u), std::make_pair("0.01", 100u)})
      {
        const Parameters parameters    = read(decay(one.first));
        const MeshError  check_of_time = check_of(parameters, {{3.}});
        const double     difference =
          std::abs(solution(3., one.second) - solution(3., 2 * one.second)) /
          0.05;
        check(std::string("backward Euler with steps of ") + one.first,
              std::abs(check_of_time.get_largest() - difference) <
                  1e-7 * difference + 1e-9 &&
                (one.second == 4 ?
                   contains(check_of_time.text(), "'Levels/fine/Time step'") &&
                     contains(check_of_time.text(), "t = 1") :
                   check_of_time.is_fine_enough()),
              text(check_of_time) + std::to_string(difference));
      }
  }

  void
  check_limits()
  {
    const Parameters parameters =
      read(loaded_string("4", "set Noise = 0.05\n"));
    unsigned int    n_asked = 0;
    const MeshError stopped = check_of(parameters, {{2.}, {4.}, {6.}}, [&]() {
      return n_asked++ >= 2;
    });
    check("a stop is obeyed between solves, and what is known is kept",
          stopped.get_n_draws() == 1 &&
            is_near(stopped.get_largest(), 2. / 128. / 0.05) &&
            contains(stopped.text(), "then stopped"),
          text(stopped));
    const MeshError none = check_of(parameters, {});
    const MeshError at_once =
      check_of(parameters, {{2.}}, []() { return true; });
    check("without draws nothing is said",
          !none.is_known() && none.text().empty() && !at_once.is_known() &&
            at_once.text().empty() && !none.is_fine_enough());
    const auto with = [](const std::string &setting) {
      return read("subsection Output\n  set " + setting + "\nend\n" +
                  loaded_string("4", "set Noise = 0.05\n"));
    };
    const auto message = [&](const std::string &setting) {
      try
        {
          with(setting);
        }
      catch (const UserError &error)
        {
          return std::string(error.what());
        }
      return std::string();
    };
    check("the number of draws is a parameter",
          !parameters.settings.output.n_mesh_draws &&
            with("Mesh error = 0").settings.output.n_mesh_draws == 0u &&
            !with("Mesh error = automatic").settings.output.n_mesh_draws);
    check("what it was called before, and what it may not be",
          contains(message("Refinement draws = 20"),
                   "It has become 'Mesh error'") &&
            contains(message("Mesh error = 2.5"),
                     "automatic, or a whole number, at least 0"),
          message("Refinement draws = 20") + message("Mesh error = 2.5"));
  }
} // namespace

int
main()
{
  check_space();
  check_deviations();
  check_shift();
  check_bound();
  check_integrals();
  check_time();
  check_limits();
  return result();
}
