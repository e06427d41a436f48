// SPDX-License-Identifier: LGPL-2.1-or-later

// An elliptic equation with a coefficient in 64 blocks, -div(a grad u) = 10
// with u = 0 on the boundary of the unit square, Q1 on 32 x 32 cells, 169
// sensors with errors of 0.05, log a normal with deviation 2. What a value and
// a gradient cost, compared with a banded Cholesky factorisation written for
// this one equation; and how many evaluations kernels need for an effective
// draw.
//
// Usage: elliptic_benchmark [ROUNDS [KERNEL...]]      (0 rounds: speed only)

#include <tempera/fem/fem_model.h>
#include <tempera/inference/posterior.h>
#include <tempera/output/diagnostics.h>
#include <tempera/sampler/replica_exchange.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>

namespace
{
  using namespace Tempera;

  constexpr unsigned int n_cells = 32, n_blocks = 8, n_unknowns = 64,
                         n_sensors = 13;
  constexpr double noise = 0.05, prior_deviation = 2., source = 10.;

  /** Places of sensors in a direction. */
  double
  place(const unsigned int i)
  {
    return (i + 1.) / (n_sensors + 1.);
  }


  /**
   * The same equation by hand: rows of the lower band of the matrix, values of
   * the interior nodes.
   */
  class BandedSolver
  {
  public:
    /** Values at the sensors. */
    void
    evaluate(const std::vector<double> &log_blocks,
             std::vector<double>       &predictions)
    {
      for (unsigned int k = 0; k < n_unknowns; ++k)
        blocks[k] = std::exp(log_blocks[k]);
      assemble();
      factorise();
      solution.assign(n, source / (n_cells * n_cells));
      solve(solution);
      predictions.assign(n_sensors * n_sensors, 0.);
      for_each_weight([&](const unsigned int k,
                          const unsigned int node,
                          const double       weight) {
        predictions[k] += weight * solution[node];
      });
    }

    /** After evaluate(). */
    void
    apply_transpose(const std::vector<double> &weights,
                    std::vector<double>       &gradient)
    {
      adjoint.assign(n, 0.);
      for_each_weight(
        [&](const unsigned int k,
            const unsigned int node,
            const double weight) { adjoint[node] += weight * weights[k]; });
      solve(adjoint);
      gradient.assign(n_unknowns, 0.);
      for (unsigned int i = 0; i < n_cells; ++i)
        for (unsigned int j = 0; j < n_cells; ++j)
          {
            const auto   nodes = nodes_of(i, j);
            double       sum   = 0.;
            const double u[4]  = {at(solution, nodes[0]),
                                  at(solution, nodes[1]),
                                  at(solution, nodes[2]),
                                  at(solution, nodes[3])};
            for (unsigned int a = 0; a < 4; ++a)
              {
                double row = 0.;
                for (unsigned int b = 0; b < 4; ++b)
                  row += stiffness(a, b) * u[b];
                sum += row * at(adjoint, nodes[a]);
              }
            gradient[block_of(i, j)] -= blocks[block_of(i, j)] * sum;
          }
    }

  private:
    static constexpr unsigned int m = n_cells - 1, n = m * m, width = m + 1;

    /** Of the square with one corner of each kind. */
    static double
    stiffness(const unsigned int a, const unsigned int b)
    {
      constexpr double entries[] = {4. / 6., -1. / 6., -1. / 6., -2. / 6.};
      return entries[a ^ b];
    }

    static unsigned int
    block_of(const unsigned int i, const unsigned int j)
    {
      constexpr unsigned int per_block = n_cells / n_blocks;
      return i / per_block * n_blocks + j / per_block;
    }

    /** Numbers of the interior nodes, -1 on the boundary. */
    static std::array<int, 4>
    nodes_of(const unsigned int i, const unsigned int j)
    {
      std::array<int, 4> result;
      for (unsigned int a = 0; a < 4; ++a)
        {
          const int x = int(i + (a & 1)) - 1, y = int(j + (a >> 1)) - 1;
          result[a] =
            x < 0 || y < 0 || x >= int(m) || y >= int(m) ? -1 : x * int(m) + y;
        }
      return result;
    }

    static double
    at(const std::vector<double> &values, const int node)
    {
      return node < 0 ? 0. : values[node];
    }

    template <typename Function>
    static void
    for_each_weight(const Function &function)
    {
      for (unsigned int p = 0; p < n_sensors; ++p)
        for (unsigned int q = 0; q < n_sensors; ++q)
          {
            const double       x = place(p) * n_cells, y = place(q) * n_cells;
            const unsigned int i = x, j = y;
            const auto         nodes = nodes_of(i, j);
            for (unsigned int a = 0; a < 4; ++a)
              if (nodes[a] >= 0)
                function(p * n_sensors + q,
                         nodes[a],
                         ((a & 1) ? x - i : 1. - (x - i)) *
                           ((a >> 1) ? y - j : 1. - (y - j)));
          }
    }

    void
    assemble()
    {
      band.assign(n * (width + 1), 0.);
      for (unsigned int i = 0; i < n_cells; ++i)
        for (unsigned int j = 0; j < n_cells; ++j)
          {
            const auto   nodes = nodes_of(i, j);
            const double a     = blocks[block_of(i, j)];
            for (unsigned int r = 0; r < 4; ++r)
              for (unsigned int c = 0; c < 4; ++c)
                if (nodes[r] >= nodes[c] && nodes[c] >= 0)
                  band[nodes[c] * (width + 1) + nodes[r] - nodes[c]] +=
                    a * stiffness(r, c);
          }
    }

    /** Column by column of the lower triangle. */
    void
    factorise()
    {
      for (unsigned int k = 0; k < n; ++k)
        {
          double *const      column = &band[k * (width + 1)];
          const unsigned int length = std::min(width, n - 1 - k);
          column[0]                 = std::sqrt(column[0]);
          for (unsigned int i = 1; i <= length; ++i)
            column[i] /= column[0];
          for (unsigned int j = 1; j <= length; ++j)
            {
              double *const other  = column + j * (width + 1);
              const double  factor = column[j];
              for (unsigned int i = j; i <= length; ++i)
                other[i - j] -= factor * column[i];
            }
        }
    }

    void
    solve(std::vector<double> &x) const
    {
      for (unsigned int k = 0; k < n; ++k)
        {
          const double *const column = &band[k * (width + 1)];
          const unsigned int  length = std::min(width, n - 1 - k);
          x[k] /= column[0];
          for (unsigned int i = 1; i <= length; ++i)
            x[k + i] -= column[i] * x[k];
        }
      for (unsigned int k = n; k-- > 0;)
        {
          const double *const column = &band[k * (width + 1)];
          const unsigned int  length = std::min(width, n - 1 - k);
          double              sum    = x[k];
          for (unsigned int i = 1; i <= length; ++i)
            sum -= column[i] * x[k + i];
          x[k] = sum / column[0];
        }
    }

    std::array<double, n_unknowns> blocks;
    std::vector<double>            band, solution, adjoint;
  };


  /** On a lattice of as many cells. */
  std::shared_ptr<const ForwardModel>
  make_model(const unsigned int cells)
  {
    std::shared_ptr<Problem> problem =
      ProblemRegistry::create("expressions", 2);
    problem->add_fields({"a"});
    dealii::ParameterHandler prm;
    problem->declare(prm);
    prm.parse_input_from_string("set Capacity = 0\nset Diffusion = a\n"
                                "set Source = 10\nset Dirichlet value = 0\n");
    problem->set_up({1.});
    FieldUnknown field;
    field.lattice =
      std::make_shared<FieldLattice>("a",
                                     FieldLattice::Kind::blocks,
                                     std::vector<double>{0., 0.},
                                     std::vector<double>{1., 1.},
                                     std::vector<unsigned int>(2, n_blocks));
    field.is_exponential = true;
    ModelSetting setting;
    setting.problem = problem;
    setting.values  = {1.};
    setting.fields  = {field};
    for (unsigned int p = 0; p < n_sensors; ++p)
      for (unsigned int q = 0; q < n_sensors; ++q)
        setting.sensors.push_back({"sensor", {place(p), place(q)}, 0.});
    FemLevelParameters level;
    level.subdivisions = {cells};
    return make_fem_model(setting, level, SolverParameters(), {});
  }


  /** The log-blocks of the truth: one is soft, one is stiff. */
  std::vector<double>
  truth()
  {
    std::vector<double> result(n_unknowns, 0.);
    for (unsigned int i = 1; i < 4; ++i)
      for (unsigned int j = 1; j < 4; ++j)
        {
          result[i * n_blocks + j]             = std::log(0.1);
          result[(i + 3) * n_blocks + (j + 3)] = std::log(10.);
        }
    return result;
  }

  double
  seconds_of(const std::function<void()> &work)
  {
    const std::clock_t begin = std::clock();
    work();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  /** Values, and values with gradients, in a second, least disturbed. */
  void
  show_speed()
  {
    const auto          model = make_model(n_cells);
    BandedSolver        banded;
    std::vector<double> state = truth(), predictions(n_sensors * n_sensors),
                        by_hand, gradient(n_unknowns), gradient_by_hand;
    std::vector<double> weights;
    for (unsigned int k = 0; k < predictions.size(); ++k)
      weights.push_back(std::sin(k));

    const std::array<std::function<void()>, 4> works = {
      {[&]() {
         model->evaluate(dealii::make_array_view(std::as_const(state)),
                         dealii::make_array_view(predictions),
                         false);
       },
       [&]() { banded.evaluate(state, by_hand); },
       [&]() {
         model
           ->evaluate(dealii::make_array_view(std::as_const(state)),
                      dealii::make_array_view(predictions),
                      true)
           ->apply_transpose(dealii::make_array_view(std::as_const(weights)),
                             dealii::make_array_view(gradient));
       },
       [&]() {
         banded.evaluate(state, by_hand);
         banded.apply_transpose(weights, gradient_by_hand);
       }}};
    std::array<double, 4> least;
    least.fill(1e9);
    for (unsigned int turn = 0; turn < 60; ++turn)
      for (unsigned int k = 0; k < 4; ++k)
        least[k] = std::min(least[k],
                            seconds_of([&]() {
                              for (unsigned int i = 0; i < 10; ++i)
                                works[k]();
                            }) /
                              10.);
    double error = 0., gradient_error = 0., largest = 0.;
    for (unsigned int k = 0; k < predictions.size(); ++k)
      error = std::max(error, std::abs(predictions[k] - by_hand[k]));
    for (unsigned int k = 0; k < n_unknowns; ++k)
      {
        gradient_error =
          std::max(gradient_error, std::abs(gradient[k] - gradient_by_hand[k]));
        largest = std::max(largest, std::abs(gradient[k]));
      }
    std::printf(
      "%-28s %12s %12s %8s\n", "a second", "tempera", "by hand", "ratio");
    std::printf("%-28s %12.0f %12.0f %8.3f\n",
                "values",
                1. / least[0],
                1. / least[1],
                least[1] / least[0]);
    std::printf("%-28s %12.0f %12.0f %8.3f\n",
                "values with gradients",
                1. / least[2],
                1. / least[3],
                least[3] / least[2]);
    std::printf("largest differences: %.1e of predictions, %.1e of a gradient "
                "of %.1e\n",
                error,
                gradient_error,
                largest);
  }


  /** Effective draws of the worst of blocks, squares and energy. */
  void
  show_kernel(const std::string &kernel, const std::uint64_t rounds)
  {
    constexpr unsigned int n_chains = 4;

    const auto          model = make_model(n_cells);
    std::vector<double> data(n_sensors * n_sensors);
    // From a finer mesh than the answer.
    make_model(4 * n_cells)
      ->evaluate(dealii::make_array_view(truth()),
                 dealii::make_array_view(data),
                 false);
    std::vector<double> normals(data.size());
    RandomKey           key;
    key.purpose = Purpose::data;
    fill_normals(key, dealii::make_array_view(normals));
    for (std::size_t k = 0; k < data.size(); ++k)
      data[k] += noise * normals[k];
    std::vector<Unknown> unknowns;
    for (unsigned int k = 0; k < n_unknowns; ++k)
      unknowns.push_back(
        {"a" + std::to_string(k), Prior::normal(0., prior_deviation)});
    const auto prior     = std::make_shared<IndependentPrior>(unknowns);
    const auto posterior = std::make_shared<Posterior>(
      prior,
      std::make_shared<GaussianLikelihood>(data, std::vector<double>{noise}),
      model);

    std::vector<std::vector<std::vector<double>>> values(
      2 * n_unknowns + 1, std::vector<std::vector<double>>(n_chains));
    double n_evaluations = 0., acceptance = 0.;
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      {
        RunParameters run_parameters;
        run_parameters.chain      = chain;
        run_parameters.burn_in    = rounds / 4;
        run_parameters.iterations = run_parameters.burn_in + rounds;
        KernelParameters kernel_parameters;
        kernel_parameters.read(kernel);
        LadderParameters ladder_parameters;
        ladder_parameters.temperatures = std::vector<double>{1.};
        ladder_parameters.temper       = Temper::likelihood;
        RandomKey start;
        start.chain = chain;
        ReplicaExchange sampler(run_parameters,
                                SwapParameters(),
                                Ladder(ladder_parameters,
                                       kernel_parameters,
                                       {{"fine", posterior}},
                                       prior),
                                {prior->sample(start)});
        double          before = 0.;
        sampler.signals.end_of_burn_in.connect(
          [&](const RunReport &report) { before = report.evaluations[0]; });
        sampler.signals.draw.connect([&](const Draw &draw) {
          if (draw.is_burn_in)
            return;
          for (unsigned int k = 0; k < n_unknowns; ++k)
            {
              values[k][chain].push_back(draw.position[k]);
              values[n_unknowns + k][chain].push_back(draw.position[k] *
                                                      draw.position[k]);
            }
          values.back()[chain].push_back(draw.energy());
        });
        sampler.run();
        n_evaluations += sampler.report().evaluations[0] - before;
        acceptance += sampler.report().rungs[0].acceptance() / n_chains;
      }
    double              least = 1e9, r_hat = 0.;
    std::vector<double> blocks;
    for (std::size_t k = 0; k < values.size(); ++k)
      {
        const Diagnostics found = diagnose(values[k]);
        least                   = std::min(least, found.mean_size);
        r_hat                   = std::max(r_hat, found.r_hat);
        if (k < n_unknowns)
          blocks.push_back(found.mean_size);
      }
    std::sort(blocks.begin(), blocks.end());
    std::printf("%-44s %9.0f evaluations, R-hat %.3f, acceptance %.2f; "
                "evaluations per effective draw: %.0f of all, %.0f of blocks, "
                "%.0f of the median block\n",
                kernel.c_str(),
                n_evaluations,
                r_hat,
                acceptance,
                n_evaluations / least,
                n_evaluations / blocks.front(),
                n_evaluations / blocks[n_unknowns / 2]);
    std::fflush(stdout);
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  show_speed();
  const std::uint64_t      rounds = argc > 1 ? std::atol(argv[1]) : 4000;
  std::vector<std::string> kernels(argv + std::min(argc, 2), argv + argc);
  if (kernels.empty())
    kernels = {"set Type = HMC",
               "set Type = MALA\nset Preconditioner = adapt dense",
               "set Type = pCN-Langevin",
               "set Type = gpCN",
               "set Type = gpCN + HMC"};
  if (rounds > 0)
    for (const std::string &kernel : kernels)
      show_kernel(kernel, rounds);
}
