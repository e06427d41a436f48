// SPDX-License-Identifier: LGPL-2.1-or-later

// Large meshes and several processes. See doc/performance.md.
//
// Usage: mpirun -n N parallel_benchmark
//          a parabolic equation in 3-D with 100,000 unknowns on one process and
//          on all of them, in turns; the shortest time of each
//        [mpirun -n N] parallel_benchmark --sizes [MOST]
//          from 10^4 to 10^6 unknowns, or up to MOST: set-up, iterations of the
//          linear solver, memory, and time (of one process: of the processor)
//        [mpirun -n N] parallel_benchmark --one DIMENSION SUBDIVISIONS TYPE
//          one row of that table; TYPE is source or gas

#include <tempera/fem/evolution_model.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

namespace
{
  using namespace Tempera;
  namespace Processes = dealii::Utilities::MPI;

  using Clock = std::chrono::steady_clock;

  double
  seconds_since(const Clock::time_point begin)
  {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /** Of the processor, where one process does not wait for another. */
  double
  processor_time()
  {
    return double(std::clock()) / CLOCKS_PER_SEC;
  }

  bool
  is_first_process()
  {
    return Processes::this_mpi_process(MPI_COMM_WORLD) == 0;
  }

  /** Forget the largest use of memory so far. */
  void
  reset_peak_memory()
  {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
  }

  /** In GB, of all processes. */
  double
  peak_memory()
  {
    double        kilobytes = 0.;
    std::ifstream file("/proc/self/status");
    std::string   word;
    while (file >> word)
      if (word == "VmHWM:")
        file >> kilobytes;
    return Processes::sum(kilobytes, MPI_COMM_WORLD) / 1024. / 1024.;
  }

  /** Wait for others without taking time from them. */
  void
  wait_quietly()
  {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    int is_done = 0;
    while (is_done == 0)
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
      }
  }

  constexpr unsigned int n_steps = 10;

  /** Steps are as long as 10 squares of the width of a cell. */
  template <int dim>
  std::shared_ptr<const EvolutionModel<dim>>
  make_model(const std::string &type,
             const unsigned int subdivisions,
             const double       tolerance,
             const MPI_Comm     communicator)
  {
    FemLevelParameters level;
    level.subdivisions = {subdivisions};
    level.time_step    = 10. / (double(subdivisions) * subdivisions);

    ModelSetting setting;
    setting.communicator = communicator;
    setting.final_time   = n_steps * level.time_step;
    setting.sensors      = {
           {"sensor", std::vector<double>(dim, 0.45), setting.final_time}};
    std::shared_ptr<Problem> problem = ProblemRegistry::create(
      type == "gas" ? "quasi-gas dynamics" : "pollution source", dim);
    dealii::ParameterHandler prm;
    problem->declare(prm);
    problem->set_up({});
    setting.problem = problem;
    setting.values.assign(problem->parameters().size(), 0.5);
    setting.values[problem->index_of("width")]       = 0.1;
    setting.values[problem->index_of("diffusivity")] = 1.;
    const std::string unknown = type == "gas" ? "strength" : "x";
    setting.unknowns          = {problem->index_of(unknown)};

    SolverParameters solver;
    solver.linear_solver = LinearSolverType::conjugate_gradients;
    solver.tolerance     = tolerance;
    if (type == "gas")
      solver.time_stepping = "Crank-Nicolson";
    return std::make_shared<EvolutionModel<dim>>(setting, level, solver);
  }

  /** Seconds of a forward solve. */
  double
  time_of_solve(const ForwardModel &model)
  {
    const std::vector<double> state(1, 0.6);
    std::vector<double>       predictions(model.n_predictions());
    const auto                begin = Clock::now();
    model.evaluate(dealii::make_array_view(state),
                   dealii::make_array_view(predictions),
                   false);
    return seconds_since(begin);
  }

  void
  compare_processes()
  {
    constexpr unsigned int n_turns = 9;

    // The tolerance of a run.
    const double tolerance = SolverParameters().tolerance;
    const auto shared = make_model<3>("source", 46, tolerance, MPI_COMM_WORLD);
    std::shared_ptr<const EvolutionModel<3>> alone;
    if (is_first_process())
      alone = make_model<3>("source", 46, tolerance, MPI_COMM_SELF);

    double best_alone  = std::numeric_limits<double>::max(),
           best_shared = best_alone;
    for (unsigned int turn = 0; turn < n_turns; ++turn)
      {
        if (is_first_process())
          best_alone = std::min(best_alone, time_of_solve(*alone));
        wait_quietly();
        MPI_Barrier(MPI_COMM_WORLD);
        best_shared =
          std::min(best_shared,
                   Processes::max(time_of_solve(*shared), MPI_COMM_WORLD));
      }
    if (!is_first_process())
      return;
    std::printf("%u unknowns, %u steps, tolerance %.0e\n",
                alone->n_dofs(),
                n_steps,
                tolerance);
    const auto print =
      [](const unsigned int n, const double seconds, const auto &model) {
        const auto iterations = model.get_evolution().iterations();
        std::printf("%3u process%s %8.1f ms, %.1f iterations per step\n",
                    n,
                    n == 1 ? "  " : "es",
                    1e3 * seconds,
                    double(iterations.sum) / iterations.n_solves);
      };
    print(1, best_alone, *alone);
    print(Processes::n_mpi_processes(MPI_COMM_WORLD), best_shared, *shared);
    std::printf("speed-up %.2f\n", best_alone / best_shared);
  }

  template <int dim>
  void
  measure(const std::string &type, const unsigned int subdivisions)
  {
    reset_peak_memory();
    const bool is_alone = Processes::n_mpi_processes(MPI_COMM_WORLD) == 1;
    double     begin    = processor_time();
    const auto model =
      make_model<dim>(type, subdivisions, 1e-8, MPI_COMM_WORLD);
    const double set_up = processor_time() - begin;
    double       best   = std::numeric_limits<double>::max();
    for (unsigned int turn = 0; turn < 3; ++turn)
      {
        begin          = processor_time();
        double seconds = time_of_solve(*model);
        if (is_alone)
          seconds = processor_time() - begin;
        best = std::min(best, Processes::max(seconds, MPI_COMM_WORLD));
      }
    const double memory     = peak_memory();
    const auto   iterations = model->get_evolution().iterations();
    if (is_first_process())
      std::printf("%-7s %3d %9u %9.2f %8.1f %8u %12.0f %8.2f\n",
                  type.c_str(),
                  dim,
                  model->n_dofs(),
                  set_up,
                  double(iterations.sum) / iterations.n_solves,
                  iterations.largest,
                  1e9 * best / n_steps / model->n_dofs(),
                  memory);
    std::fflush(stdout);
  }

  void
  print_head()
  {
    if (is_first_process())
      std::printf("%-7s %3s %9s %9s %8s %8s %12s %8s\n",
                  "problem",
                  "dim",
                  "unknowns",
                  "set-up/s",
                  "iter.",
                  "largest",
                  "ns/unk./step",
                  "GB");
  }

  void
  compare_sizes(const double most_unknowns)
  {
    print_head();
    for (const std::string type : {"source", "gas"})
      {
        for (const unsigned int n : {100u, 320u, 1000u})
          if (std::pow(n, 2) <= most_unknowns)
            measure<2>(type, n);
        for (const unsigned int n : {22u, 46u, 100u})
          if (std::pow(n, 3) <= most_unknowns)
            measure<3>(type, n);
      }
  }
} // namespace

int
main(int argc, char **argv)
{
  const Processes::MPI_InitFinalize mpi(argc, argv, 1);
  const std::string                 what = argc > 1 ? argv[1] : "";
  if (what == "--sizes")
    compare_sizes(argc > 2 ? std::stod(argv[2]) : 1e6);
  else if (what == "--one" && argc == 5)
    {
      print_head();
      const unsigned int subdivisions = std::stoul(argv[3]);
      if (argv[2] == std::string("2"))
        measure<2>(argv[4], subdivisions);
      else
        measure<3>(argv[4], subdivisions);
    }
  else
    compare_processes();
}
