// SPDX-License-Identifier: LGPL-2.1-or-later

// Trajectories are read backwards in bounded memory: never more instants
// than allowed, no more steps again than the formula says and than any other
// way of the kind would need, and the same gradients bit by bit.

#include "written_model.h"

#include <tempera/base/user_error.h>
#include <tempera/fem/trajectory_replay.h>
#include <tempera/problems/residual_problem.h>

#include <deal.II/base/mpi.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::vector<std::string> schemes{"backward Euler",
                                         "Crank-Nicolson",
                                         "BDF2"};

  TimeCourse
  course_of_one_number(const unsigned int n_steps, const std::string &scheme)
  {
    return TimeCourse(TimeGrid(n_steps, 1.), scheme, false, {}, {}, {1, 0});
  }

  /** A recursion that looks back as far as the scheme does. */
  struct Recursion
  {
    const TimeCourse &course;

    double
    next(const unsigned int n, const double old, const double older) const
    {
      return n == 0 ? 1. : 0.9 * old + n + (n == 1 ? 0. : 0.3 * older);
    }

    bool
    operator()(const unsigned int n, const StepInstants &instants) const
    {
      const bool has_older  = course.scheme.n_old > 1 && n > 1;
      instants[0]->value[0] = next(n,
                                   n > 0 ? instants[1]->value[0] : 0.,
                                   has_older ? instants[2]->value[0] : 0.);
      return true;
    }

    std::vector<double>
    all() const
    {
      std::vector<double> result;
      for (unsigned int n = 0; n <= course.grid.n_steps; ++n)
        result.push_back(
          next(n,
               n > 0 ? result[n - 1] : 0.,
               course.scheme.n_old > 1 && n > 1 ? result[n - 2] : 0.));
      return result;
    }
  };

  /** Go back twice with every number of levels. */
  void
  check_replay(const std::string &scheme)
  {
    unsigned int n_cases = 0;
    bool are_right = true, are_few = true, are_cheap = true, need_all = false;
    for (unsigned int n_steps = 1; n_steps <= 60;
         n_steps += n_steps < 25 ? 1 : 7)
      {
        const TimeCourse   course = course_of_one_number(n_steps, scheme);
        const unsigned int n_old  = course.scheme.n_old;
        const Recursion    advance{course};
        const auto         truth = advance.all();
        for (unsigned int n_levels =
               ReplaySchedule::fewest_instants(n_steps, n_old);
             n_levels <= n_steps + 1;
             ++n_levels)
          {
            ++n_cases;
            const ReplaySchedule schedule(n_steps, n_old, n_levels);
            TrajectoryReplay     replay(schedule, course);
            replay.run(advance);
            are_cheap = are_cheap && replay.n_solved_steps() == n_steps;
            for (unsigned int time = 0; time < 2; ++time)
              {
                const std::size_t before = replay.n_solved_steps();
                for (unsigned int n = n_steps; n > 0; --n)
                  {
                    const StepInstants &instants =
                      replay.instants_of_step(n, advance);
                    for (unsigned int j = 0; j <= std::min(n, n_old); ++j)
                      are_right =
                        are_right && instants[j]->value[0] == truth[n - j];
                  }
                // The second time begins with the way forwards, but for the
                // first bundle.
                const std::size_t forwards =
                  time == 0 || schedule.keeps_all() ? 0 : n_steps - (n_old - 1);
                are_cheap =
                  are_cheap && replay.n_solved_steps() - before ==
                                 schedule.n_repeated_steps() + forwards;
              }
            are_few = are_few && replay.n_instants() <= n_levels;
            if (n_levels == n_steps + 1)
              need_all = replay.n_instants() == n_levels &&
                         schedule.n_repeated_steps() == 0.;
          }
      }
    check(scheme + ": the right instants",
          are_right && n_cases > 300,
          std::to_string(n_cases));
    check(scheme + ": never more than allowed", are_few && need_all);
    check(scheme + ": as many steps as the formula says", are_cheap);
  }

  /** The recursion for the number of steps, tried for every distance. */
  void
  check_optimality()
  {
    constexpr unsigned int most_wanted = 120, most_free = 12;
    constexpr double       never = 1e100;

    std::vector<std::vector<double>> least(most_free + 1,
                                           std::vector<double>(most_wanted + 1,
                                                               never));
    bool                             are_equal = true;
    for (unsigned int f = 1; f <= most_free; ++f)
      {
        least[f][1] = 0.;
        least[f][2] = 1.;
        for (unsigned int m = 3; f > 1 && m <= most_wanted; ++m)
          {
            for (unsigned int j = 1; j < m; ++j)
              least[f][m] =
                std::min(least[f][m], j + least[f - 1][m - j] + least[f][j]);
            const unsigned int here = ReplaySchedule::distance(m, f);
            are_equal =
              are_equal &&
              least[f][m] == here + least[f - 1][m - here] + least[f][here] &&
              least[f][m] ==
                ReplaySchedule(m, 1, f + 2).n_repeated_steps() + m - 1;
          }
      }
    check("no other distances need less", are_equal);
  }

  /** Gradients twice, with another evaluation in between. */
  std::vector<double>
  gradients(const ForwardModel        &model,
            const std::vector<double> &state,
            const std::vector<double> &weights)
  {
    std::vector<double> other = state;
    for (double &entry : other)
      entry *= 1.1;
    std::vector<double> result;
    const auto          evaluate = [&](const std::vector<double> &here) {
      std::vector<double> predictions(model.n_predictions());
      const auto          derivative =
        model.evaluate(dealii::make_array_view(here),
                       dealii::make_array_view(predictions),
                       true);
      result.insert(result.end(), predictions.begin(), predictions.end());
      return derivative;
    };
    const auto one = evaluate(state), two = evaluate(other);
    for (const auto &derivative : {one, two, one})
      {
        std::vector<double> slopes(model.n_parameters());
        derivative->apply_transpose(dealii::make_array_view(weights),
                                    dealii::make_array_view(slopes));
        result.insert(result.end(), slopes.begin(), slopes.end());
      }
    return result;
  }

  void
  check_model(const std::string        &name,
              const ModelSetting       &setting,
              const FemLevelParameters &resolution,
              SolverParameters          solver)
  {
    const auto          whole = adjoint_model(setting, resolution, solver);
    std::vector<double> state, weights(setting.sensors.size(), 0.7);
    for (const unsigned int i : setting.unknowns)
      state.push_back(setting.values[i]);
    const auto   truth = gradients(*whole, state, weights);
    const double size  = 8e-6 * whole->n_dofs() *
                        (setting.problem->order_in_time() == 2 ? 2. : 1.);
    const unsigned int n_old    = solver.time_stepping == "BDF2" ? 2 : 1;
    bool               are_same = truth.back() != 0., work_is_counted = true;
    for (const unsigned int n_levels : {4u * n_old, 11u, 17u})
      {
        solver.trajectory_memory = (n_levels + 0.01) * size;
        const auto model         = adjoint_model(setting, resolution, solver);
        are_same = are_same && gradients(*model, state, weights) == truth;
        const ReplaySchedule schedule(whole->n_steps(), n_old, n_levels);
        work_is_counted = work_is_counted && schedule.n_repeated_steps() > 0. &&
                          model->work().derivative ==
                            whole->work().derivative +
                              whole->n_dofs() * schedule.n_repeated_steps() &&
                          model->work().prediction == whole->work().prediction;
      }
    check(name + ": the same bits", are_same);
    check(name + ": work", work_is_counted);

    solver.trajectory_memory = (4 * n_old - 0.01) * size;
    std::string message;
    try
      {
        adjoint_model(setting, resolution, solver);
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check(name + ": too little memory",
          message.find("'Solver/Trajectory memory'") != std::string::npos &&
            message.find(std::to_string(4 * n_old) + " instants") !=
              std::string::npos,
          message);
    solver.gradient = FemGradient::differences;
    check(name + ": differences need none",
          predict(*make_fem_model(setting,
                                  resolution,
                                  solver,
                                  std::vector<ParameterRange>(state.size())),
                  state) == predict(*whole, state));
  }

  /** u_t - u_xx + alpha u^2 = 0 */
  class Reaction : public ResidualProblem<Reaction>
  {
  public:
    Reaction()
      : ResidualProblem<Reaction>(1, 1)
    {
      my_parameters = {{"alpha", "1", "", 0.}};
      my_functions  = {{"value", {}, {}}};
      my_data_terms = {{DataKind::dirichlet, no_function, {}, {}},
                       {DataKind::initial_value, 0, {}, {}}};
    }

    template <typename Number>
    Number
    formula(const unsigned int,
            const double *x,
            const double,
            const Number *) const
    {
      return Number(std::sin(dealii::numbers::PI * x[0]));
    }

    template <typename Number>
    void
    residual(const double *,
             const double,
             const PointState<Number> &u,
             const Number             *theta,
             Number                   &f0,
             Number                   *F1) const
    {
      f0    = u.velocity + theta[0] * u.value * u.value;
      F1[0] = u.gradient[0];
    }
  };
} // namespace

int
main(int argc, char **argv)
{
  // Trilinos cannot do without.
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);

  check_optimality();
  for (const std::string scheme : {"backward Euler", "BDF2"})
    check_replay(scheme);

  for (const std::string &scheme : schemes)
    {
      SolverParameters solver;
      solver.time_stepping = scheme;

      ModelSetting source = written_setting(
        "pollution source",
        2,
        "",
        {{"x", 0.4}, {"y", 0.55}, {"width", 0.15}, {"diffusivity", 0.8}},
        {"x", "diffusivity"});
      source.final_time = 0.1;
      source.sensors    = {{"sensor 1", {0.45, 0.4}, 0.1},
                           {"sensor 2", {0.7, 0.7}, 0.033}};
      check_model("pollution source, " + scheme,
                  source,
                  level(8, 0.1 / 30),
                  solver);

      ModelSetting gas = written_setting("quasi-gas dynamics",
                                         2,
                                         "set Source = 1 + x*t\n"
                                         "set Initial velocity = sin(3*x)\n",
                                         {{"alpha", 0.2}},
                                         {"alpha"});
      gas.final_time   = 0.1;
      gas.sensors      = source.sensors;
      check_model("quasi-gas dynamics, " + scheme,
                  gas,
                  level(8, 0.1 / 29),
                  solver);

      ModelSetting reaction;
      reaction.problem    = std::make_shared<Reaction>();
      reaction.values     = {2.};
      reaction.unknowns   = {0};
      reaction.final_time = 0.4;
      reaction.sensors = {{"sensor 1", {0.3}, 0.4}, {"sensor 2", {0.6}, 0.2}};
      check_model("reaction in time, " + scheme,
                  reaction,
                  level(10, 0.4 / 25),
                  solver);

      // Guesses come from the level before, also from a snapshot.
      solver.linear_solver = LinearSolverType::conjugate_gradients;
      solver.tolerance     = 1e-3;
      check_model("conjugate gradients, " + scheme,
                  gas,
                  level(8, 0.1 / 29),
                  solver);
    }
  return result();
}
