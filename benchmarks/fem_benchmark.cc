// SPDX-License-Identifier: LGPL-2.1-or-later

// How far the solvers of the paper's source problem are from their limit: the
// bare linear solves and matrix products that a sweep in time cannot do
// without. All rows of a table are timed in turns in one run; each is the
// median. See doc/performance.md.
//
// Usage: fem_benchmark [--sizes | --problems | --memory]
// (with --sizes: from 50^2 to 800^2 cells; with --memory: less and less memory
// for the adjoint)

#include <tempera/fem/linear_solver.h>
#include <tempera/fem/precomputed_model.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace
{
  using namespace Tempera;

  using Clock = std::chrono::steady_clock;

  double
  seconds_since(const Clock::time_point begin)
  {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /** Resident memory in MB. */
  double
  memory()
  {
    std::ifstream file("/proc/self/status");
    std::string   word;
    while (file >> word)
      if (word == "VmRSS:")
        {
          double kilobytes;
          file >> kilobytes;
          return kilobytes / 1024.;
        }
    return 0.;
  }

  /** Something to time, with the number of repetitions in one timing. */
  struct Row
  {
    std::string           name;
    std::function<void()> body;
    unsigned int          repetitions = 1;
    std::vector<double>   seconds{};

    double
    median()
    {
      std::nth_element(seconds.begin(),
                       seconds.begin() + seconds.size() / 2,
                       seconds.end());
      return seconds[seconds.size() / 2];
    }
  };

  void
  time_in_turns(std::vector<Row> &rows, const unsigned int n_turns)
  {
    for (unsigned int turn = 0; turn < n_turns; ++turn)
      for (Row &row : rows)
        {
          const auto begin = Clock::now();
          for (unsigned int i = 0; i < row.repetitions; ++i)
            row.body();
          row.seconds.push_back(seconds_since(begin) / row.repetitions);
        }
  }

  ModelSetting
  two_sources()
  {
    ModelSetting setting;
    setting.problem    = ProblemRegistry::create("pollution source", 2);
    setting.values     = {0.5, 0.5, 0.1, 1., 1.};
    setting.unknowns   = {0, 1};
    setting.final_time = 0.03;
    setting.sensors    = {{"sensor 1", {0.5, 0.3}, 0.03},
                          {"sensor 2", {0.5, 0.6}, 0.03}};
    return setting;
  }

  FemLevelParameters
  level(const unsigned int subdivisions)
  {
    FemLevelParameters result;
    result.subdivisions = {subdivisions};
    result.time_step    = 0.0005;
    return result;
  }

  /** The matrices of a step, for bare operations. */
  struct BareOperations
  {
    explicit BareOperations(const unsigned int subdivisions)
      : space(make_mesh<2>({}, level(subdivisions), MPI_COMM_SELF),
              1,
              *two_sources().problem)
    {
      const std::vector<double> one(space.cells().weights.size(), 1.);
      mass   = space.assemble({OperatorKind::capacity}, space.cells(), one);
      matrix = space.assemble({OperatorKind::diffusion}, space.cells(), one);
      matrix.add(1. / 0.0005, mass);
      x.reinit(space.n_interior());
      b.reinit(space.n_interior());
      for (double &entry : b)
        entry = 1.;
    }

    SpaceDiscretisation<2> space;
    OperatorMatrix         mass, matrix;
    dealii::Vector<double> x, b;
  };

  /** Evaluates a model at a source that moves, so that nothing is reused. */
  std::function<void()>
  evaluation(const std::shared_ptr<const ForwardModel> &model,
             const bool                                 with_gradient)
  {
    const auto numbers = [](const unsigned int n) {
      return std::make_shared<std::vector<double>>(n, 0.4);
    };
    const auto state       = numbers(model->n_parameters());
    const auto gradient    = numbers(model->n_parameters());
    const auto predictions = numbers(model->n_predictions());
    return [=]() {
      (*state)[0] = 0.4 + 0.2 * std::fmod((*state)[0] * 7.3, 1.);
      const auto linearisation =
        model->evaluate(dealii::make_array_view(std::as_const(*state)),
                        dealii::make_array_view(*predictions),
                        with_gradient);
      if (with_gradient)
        linearisation->apply_transpose(dealii::make_array_view(
                                         std::as_const(*predictions)),
                                       dealii::make_array_view(*gradient));
    };
  }

  /** As many values as go together, at sources that move. */
  std::function<void()>
  batch(const std::shared_ptr<const ForwardModel> &model)
  {
    const auto states = std::make_shared<std::vector<std::vector<double>>>(
      model->n_together(), std::vector<double>(model->n_parameters(), 0.4));
    return [=]() {
      for (std::vector<double> &state : *states)
        state[0] = 0.4 + 0.2 * std::fmod(state[0] * 7.3, 1.);
      model->predict(*states);
    };
  }

  void
  compare_on_the_fine_mesh()
  {
    constexpr unsigned int n_steps = 60;

    BareOperations bare(50);
    const auto     cholmod =
      LinearSolverFactory(LinearSolverType::cholmod, true, 0.)
        .make(bare.matrix.interior);

    const ModelSetting     setting = two_sources();
    const SolverParameters solver;
    const double           before = memory();
    const auto             fine =
      std::make_shared<EvolutionModel<2>>(setting, level(50), solver);
    const auto   fine_precomputed = std::make_shared<PrecomputedModel<2>>(fine);
    const double added            = memory() - before;
    const auto   coarse =
      std::make_shared<EvolutionModel<2>>(setting, level(25), solver);
    const auto coarser =
      std::make_shared<EvolutionModel<2>>(setting, level(10), solver);
    const auto pointwise = std::make_shared<PrecomputedModel<2>>(
      std::make_shared<EvolutionModel<2>>(setting, level(50), solver, false));

    std::vector<Row> rows{
      {"60 bare CHOLMOD solves",
       [&]() {
         for (unsigned int n = 0; n < n_steps; ++n)
           cholmod->solve(bare.x, bare.b);
       }},
      {"60 bare matrix products",
       [&]() {
         for (unsigned int n = 0; n < n_steps; ++n)
           bare.mass.interior.vmult(bare.x, bare.b);
       }},
      {"forward solve, 50 subdivisions", evaluation(fine, false)},
      {"value and adjoint gradient", evaluation(fine, true)},
      {"forward solve, 25 subdivisions", evaluation(coarse, false), 4},
      {"forward solve, 10 subdivisions", evaluation(coarser, false), 20},
      {"value and adjoint gradient, 25 subdivisions",
       evaluation(coarse, true),
       4},
      {"value and adjoint gradient, 10 subdivisions",
       evaluation(coarser, true),
       20},
      {"precomputed, data as products, value and gradient",
       evaluation(fine_precomputed, true),
       1000},
      {"precomputed, data as products, value",
       evaluation(fine_precomputed, false),
       1000},
      {"precomputed, data at all points, value and gradient",
       evaluation(pointwise, true),
       10},
      {"8 forward solves together, 50 subdivisions", batch(fine)},
      {"8 forward solves together, 25 subdivisions", batch(coarse), 4},
      {"8 forward solves together, 10 subdivisions", batch(coarser), 20}};
    time_in_turns(rows, 51);

    const double limit   = rows[0].median() + rows[1].median();
    const double forward = rows[2].median();
    for (Row &row : rows)
      std::printf("%-52s %10.2f us   %8.4f of a forward solve\n",
                  row.name.c_str(),
                  1e6 * row.median(),
                  row.median() / forward);
    std::printf("forward solve over bare solves and products: %.3f\n",
                forward / limit);
    // With a swap tested after every step, m-reSGLD pays for a value with
    // gradient on both meshes and for a value on the coarse one (few swaps get
    // to their second stage); reSGLD for two on the fine mesh.
    for (const unsigned int k : {0u, 1u})
      std::printf(
        "a step of m-reSGLD over one of reSGLD, %s subdivisions: %.3f\n",
        k == 0 ? "25" : "10",
        (rows[3].median() + rows[6 + k].median() + rows[4 + k].median()) /
          (2. * rows[3].median()));
    std::printf("the fine model adds %.1f MB\n", added);
  }

  /** A problem with a known source on the fine mesh, and some unknowns. */
  std::shared_ptr<const FemModel>
  model_of(const std::string              &type,
           const std::vector<std::string> &unknowns,
           const double                    trajectory_memory = 1000.)
  {
    std::shared_ptr<Problem> problem = ProblemRegistry::create(type, 2);
    dealii::ParameterHandler prm;
    problem->declare(prm);
    prm.parse_input_from_string("set Source = 10*(1 + x)\n");
    problem->set_up({});
    ModelSetting setting = two_sources();
    setting.problem      = problem;
    setting.unknowns.clear();
    setting.values.assign(problem->parameters().size(), 0.5);
    for (const std::string &unknown : unknowns)
      setting.unknowns.push_back(problem->index_of(unknown));
    SolverParameters solver;
    solver.time_stepping     = "Crank-Nicolson";
    solver.gradient          = FemGradient::adjoint;
    solver.trajectory_memory = trajectory_memory;
    return make_fem_model(setting,
                          level(50),
                          solver,
                          std::vector<ParameterRange>(unknowns.size()));
  }

  void
  compare_problems()
  {
    BareOperations            bare(50);
    const LinearSolverFactory cholmod(LinearSolverType::cholmod, true, 0.);
    const LinearSolverFactory umfpack(LinearSolverType::umfpack, false, 0.);
    cholmod.make(bare.matrix.interior);
    umfpack.make(bare.matrix.interior);
    const LinearSolverFactory *const factories[] = {&cholmod, &umfpack};

    std::vector<Row> rows;
    for (const auto *factory : factories)
      {
        const LinearSolverType type = factory == &cholmod ?
                                        LinearSolverType::cholmod :
                                        LinearSolverType::umfpack;
        const std::string      name = name_of(type);
        rows.push_back(
          {"order of elimination and factorisation, " + name, [&bare, type]() {
             LinearSolverFactory(type, type == LinearSolverType::cholmod, 0.)
               .make(bare.matrix.interior);
           }});
        rows.push_back({"factorisation alone, " + name, [&bare, factory]() {
                          factory->make(bare.matrix.interior);
                        }});
      }
    const std::string gas = "quasi-gas dynamics";
    rows.push_back({gas + ", forward, operator known",
                    evaluation(model_of(gas, {"strength"}), false)});
    rows.push_back({gas + ", forward, alpha unknown",
                    evaluation(model_of(gas, {"alpha"}), false)});
    rows.push_back({gas + ", with gradient, operator known",
                    evaluation(model_of(gas, {"strength"}), true)});
    rows.push_back({gas + ", with gradient, alpha unknown",
                    evaluation(model_of(gas, {"alpha"}), true)});
    const std::string reaction = "nonlinear reaction";
    rows.push_back({reaction + ", forward",
                    evaluation(model_of(reaction, {"alpha"}), false)});
    rows.push_back({reaction + ", with gradient",
                    evaluation(model_of(reaction, {"alpha"}), true)});
    time_in_turns(rows, 31);
    for (Row &row : rows)
      std::printf("%-52s %10.2f us\n", row.name.c_str(), 1e6 * row.median());
  }

  /** What it costs to solve steps again for want of memory. */
  void
  compare_memories()
  {
    const std::string       gas = "quasi-gas dynamics";
    std::vector<Row>        rows;
    std::vector<SolverWork> work;
    const auto              whole = model_of(gas, {"alpha"});
    const double            level = 16e-6 * whole->n_dofs();
    rows.push_back({"forward", evaluation(whole, false)});
    work.push_back(whole->work());
    const unsigned int n_levels = whole->n_steps() + 1;
    for (const unsigned int part : {1u, 2u, 4u, 10u})
      {
        const auto model =
          model_of(gas, {"alpha"}, level * (n_levels / part + 0.01));
        rows.push_back({"with gradient, " + std::to_string(n_levels / part) +
                          " of " + std::to_string(n_levels) + " levels",
                        evaluation(model, true)});
        work.push_back(model->work());
      }
    time_in_turns(rows, 31);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::printf("%-40s %10.2f us %8.2f of a gradient %6.0f steps again\n",
                  rows[i].name.c_str(),
                  1e6 * rows[i].median(),
                  rows[i].median() / rows[1].median(),
                  (work[i].derivative - work[i].prediction) / whole->n_dofs());
  }

  void
  compare_sizes()
  {
    std::printf("%12s %10s %10s %22s %12s %12s %12s %9s\n",
                "subdivisions",
                "unknowns",
                "set-up/s",
                "solver",
                "step/ms",
                "per unknown",
                "exponent",
                "MB");
    double first_time = 0., first_size = 0.;
    for (const LinearSolverType type :
         {LinearSolverType::automatic, LinearSolverType::conjugate_gradients})
      for (const unsigned int n : {50u, 100u, 200u, 400u, 800u})
        {
          if (type != LinearSolverType::automatic && n < 200)
            continue;
          SolverParameters solver;
          solver.linear_solver       = type;
          const ModelSetting setting = two_sources();
          const double       before  = memory();
          const auto         begin   = Clock::now();
          const auto         model =
            std::make_shared<EvolutionModel<2>>(setting, level(n), solver);
          const double     set_up = seconds_since(begin);
          std::vector<Row> rows{{"forward", evaluation(model, false)}};
          time_in_turns(rows,
                        n < 200                                        ? 11 :
                        n < 800 && type == LinearSolverType::automatic ? 3 :
                                                                         1);
          const double time = rows[0].median() / model->n_steps();
          const double size = model->n_dofs();
          if (n == 50)
            {
              first_time = time;
              first_size = size;
            }
          std::printf("%12u %10.0f %10.2f %22s %12.3f %9.1f ns %12.2f %9.0f\n",
                      n,
                      size,
                      set_up,
                      model->get_evolution().solver_name().c_str(),
                      1e3 * time,
                      1e9 * time / size,
                      n == 50 ? 0. :
                                std::log(time / first_time) /
                                  std::log(size / first_size),
                      memory() - before);
          std::fflush(stdout);
        }
  }
} // namespace

int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  if (argc > 1 && std::string(argv[1]) == "--sizes")
    compare_sizes();
  else if (argc > 1 && std::string(argv[1]) == "--problems")
    compare_problems();
  else if (argc > 1 && std::string(argv[1]) == "--memory")
    compare_memories();
  else
    compare_on_the_fine_mesh();
}
