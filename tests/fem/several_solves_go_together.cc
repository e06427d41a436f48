// SPDX-License-Identifier: LGPL-2.1-or-later

// Several solves with one factorisation, in the lanes of vector units: they
// give what single ones give, and none depends on the others, bit by bit.

#include "source_model.h"
#include "tests.h"

#include <tempera/base/solve_failed.h>
#include <tempera/base/vector_units.h>
#include <tempera/fem/lane_loops.h>
#include <tempera/inference/posterior.h>
#include <tempera/sampler/guarded_energy.h>

#include <deal.II/base/parameter_handler.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using States = std::vector<std::vector<double>>;

  /** More than one batch, and no whole number of them. */
  constexpr unsigned int n_states = 11;

  /** Some states around the middle of the domain. */
  States
  states_of(const unsigned int n_unknowns)
  {
    States result;
    for (unsigned int i = 0; i < n_states; ++i)
      {
        std::vector<double> state;
        for (unsigned int j = 0; j < n_unknowns; ++j)
          state.push_back(0.5 + 0.2 * std::sin(1. + 3.1 * i + 1.7 * j));
        // What follows the parameters does not matter.
        state.push_back(100.);
        result.push_back(state);
      }
    return result;
  }

  void
  check_model(const std::string &name, const ForwardModel &model)
  {
    const States states   = states_of(model.n_parameters());
    const States together = model.predict(states);
    double       worst    = 0.;
    bool         is_same  = together.size() == n_states;
    for (unsigned int i = 0; i < n_states; ++i)
      {
        const std::vector<double> parameters(states[i].begin(),
                                             states[i].end() - 1);
        worst   = std::max(worst,
                         relative_difference(together[i],
                                             predict(model, parameters)));
        is_same = is_same && model.predict({states[i]})[0] == together[i];
      }
    const States reversed =
      model.predict(States(states.rbegin(), states.rend()));
    is_same = is_same &&
              std::equal(reversed.rbegin(), reversed.rend(), together.begin());
    check(name + ": as single ones",
          worst < 1e-12,
          std::to_string(worst * 1e12) + "e-12");
    check(name + ": none depends on the others", is_same);
    check(name + ": in lanes", model.n_together() == LaneLoops::n_lanes);
  }

  /** An equation of second order in time with a source of unknown place. */
  ModelSetting
  gas()
  {
    ModelSetting                   setting = source_setting(2);
    dealii::ParameterHandler       prm;
    const std::shared_ptr<Problem> problem =
      ProblemRegistry::create("quasi-gas dynamics", 2);
    problem->declare(prm);
    prm.parse_input_from_string("set Source = 10*(1 + x)\n"
                                "set Initial value = x*(1 - x)*y*(1 - y)\n");
    problem->set_up({});
    setting.problem = problem;
    setting.values.assign(setting.problem->parameters().size(), 0.5);
    setting.unknowns = {setting.problem->index_of("x"),
                        setting.problem->index_of("strength")};
    return setting;
  }

  /** Fields at all instants, from lanes and one by one. */
  double
  difference_of_fields()
  {
    const EvolutionModel<2> model(source_setting(2),
                                  level(9, 0.003),
                                  SolverParameters());
    const States            states = states_of(2);
    // By state and instant.
    std::vector<std::vector<NodalVector>> fields(n_states);
    model.solve_all(states,
                    [&](const std::size_t first,
                        const unsigned int,
                        const NodalVector &values,
                        const unsigned int n_lanes) {
                      for (std::size_t lane = 0;
                           lane < n_lanes && first + lane < n_states;
                           ++lane)
                        {
                          NodalVector one = model.get_course().make_vector();
                          one.copy_from_lane(values, lane);
                          fields[first + lane].push_back(one);
                        }
                    });
    double largest = 0.;
    for (unsigned int i = 0; i < n_states; ++i)
      {
        std::vector<double> observed(model.n_predictions());
        unsigned int        n_instants = 0;
        model.solve(model.all_parameters(
                      dealii::ArrayView<const double>(states[i].data(), 2)),
                    dealii::make_array_view(observed),
                    [&](const unsigned int n, const NodalVector &value) {
                      ++n_instants;
                      NodalVector difference = fields[i].at(n);
                      difference.add(-1., value);
                      largest = std::max({largest,
                                          difference.interior.linfty_norm(),
                                          difference.boundary.linfty_norm()});
                    });
        if (fields[i].size() != n_instants)
          return 1.;
      }
    return largest;
  }

  /** Adjoint sweeps of many sensors. */
  double
  difference_of_sweeps(const std::string &scheme)
  {
    ModelSetting setting = source_setting(2);
    setting.sensors.clear();
    for (unsigned int k = 0; k < 11; ++k)
      setting.sensors.push_back(
        {"sensor", {0.05 + 0.08 * k, 0.9 - 0.07 * k}, 0.03});
    SolverParameters solver;
    solver.time_stepping = scheme;
    const auto model =
      std::make_shared<EvolutionModel<2>>(setting, level(12, 0.003), solver);
    const PrecomputedModel<2> precomputed(model);
    const std::vector<double> weights(setting.sensors.size(), 0.7);
    std::vector<double>       values, other;
    double                    largest = 0.;
    for (const std::vector<double> &state :
         {std::vector<double>{0.4, 0.6}, std::vector<double>{0.7, 0.3}})
      {
        const auto by_steps = gradient(*model, state, weights, values);
        const auto at_once  = gradient(precomputed, state, weights, other);
        largest             = std::max({largest,
                                        relative_difference(other, values),
                                        relative_difference(at_once, by_steps)});
      }
    return largest;
  }

  Unknown
  uniform_unknown(const std::string &name)
  {
    return {name, Prior::uniform(0., 1.)};
  }

  /** A posterior that cannot evaluate several states with a certain one. */
  class Fragile : public Posterior
  {
  public:
    using Posterior::Posterior;

    std::vector<EnergyValues>
    values_at(const States &states) const override
    {
      if (states.size() > 1)
        throw SolveFailed("too many");
      return Posterior::values_at(states);
    }
  };

  /** The energy's values at several states are those of single ones. */
  template <class PosteriorType>
  double
  difference_of_energies()
  {
    const auto likelihood =
      std::make_shared<GaussianLikelihood>(std::vector<double>{1.5, 2.},
                                           std::vector<double>{0.3});
    const GuardedEnergy energy(std::make_shared<PosteriorType>(
      std::vector<Unknown>{uniform_unknown("x"), uniform_unknown("y")},
      likelihood,
      std::make_shared<EvolutionModel<2>>(source_setting(2),
                                          level(9, 0.003),
                                          SolverParameters())));
    States              states = states_of(2);
    for (std::vector<double> &state : states)
      state.pop_back();
    const std::vector<EnergyValues> together = energy.values_at(states);
    double                          largest  = 0.;
    for (std::size_t i = 0; i < states.size(); ++i)
      {
        Evaluation evaluation;
        energy.evaluate(dealii::make_array_view(std::as_const(states[i])),
                        RandomKey(),
                        Request::values,
                        evaluation);
        largest =
          std::max({largest,
                    std::abs(together.at(i).potential - evaluation.potential),
                    std::abs(together[i].reference - evaluation.reference)});
      }
    return together.size() == states.size() ? largest : 1.;
  }

  /** A factorisation made by hand solves its matrix, on some units. */
  double
  residual(const LaneLoops &loops)
  {
    constexpr std::size_t n = 13, n_lanes = LaneLoops::n_lanes;
    // Every third entry below the diagonal, and a permutation.
    std::vector<int>    starts, lengths, rows, order;
    std::vector<double> values, lower(n * n, 0.);
    for (std::size_t j = 0; j < n; ++j)
      {
        order.push_back((5 * j + 3) % n);
        starts.push_back(rows.size());
        for (std::size_t i = j; i < n; ++i)
          if (i == j || (i + j) % 3 == 0)
            {
              rows.push_back(i);
              values.push_back(i == j ? 2. + j : std::sin(1. + i + 7. * j));
              lower[i * n + j] = i == j ? 1. : values.back();
            }
        lengths.push_back(rows.size() - starts.back());
      }
    std::vector<double> b, memory(n * n_lanes), x(n * n_lanes);
    for (std::size_t i = 0; i < n * n_lanes; ++i)
      b.push_back(std::cos(2. + 3.7 * i));
    loops.solve({n,
                 starts.data(),
                 lengths.data(),
                 rows.data(),
                 values.data(),
                 order.data()},
                b.data(),
                memory.data(),
                x.data());
    // A = P^T L D L^T P, and by rows.
    std::vector<int>    row_starts{0}, columns;
    std::vector<double> entries(n * n, 0.);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
          entries[order[i] * n + order[j]] +=
            lower[i * n + k] * (2. + k) * lower[j * n + k];
    for (std::size_t i = 0; i < n; ++i)
      {
        for (std::size_t j = 0; j < n; ++j)
          columns.push_back(j);
        row_starts.push_back(columns.size());
      }
    std::vector<double> product(n * n_lanes);
    loops.multiply(n,
                   row_starts.data(),
                   columns.data(),
                   entries.data(),
                   x.data(),
                   product.data());
    double largest = 0.;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t lane = 0; lane < n_lanes; ++lane)
        {
          double plain = 0.;
          for (std::size_t j = 0; j < n; ++j)
            plain += entries[i * n + j] * x[j * n_lanes + lane];
          const std::size_t place = i * n_lanes + lane;
          largest                 = std::max({largest,
                                              std::abs(product[place] - b[place]),
                                              std::abs(product[place] - plain)});
        }
    return largest;
  }
} // namespace


int
main()
{
  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    {
      SolverParameters solver;
      solver.time_stepping = scheme;
      check_model("the paper's source, " + scheme,
                  EvolutionModel<2>(source_setting(2),
                                    level(12, 0.003),
                                    solver));
      check_model("inertia, " + scheme,
                  EvolutionModel<2>(gas(), level(12, 0.003), solver));
      const double sweeps = difference_of_sweeps(scheme);
      check("sweeps back for many sensors, " + scheme,
            sweeps < 1e-11,
            std::to_string(sweeps * 1e11) + "e-11");
    }
  check_model("3-D, quadratic elements",
              EvolutionModel<3>(source_setting(3),
                                level(3, 0.01, 2),
                                SolverParameters()));
  const double fields = difference_of_fields();
  check("fields of all instants",
        fields < 1e-11,
        std::to_string(fields * 1e11) + "e-11");
  const double energies = difference_of_energies<Posterior>();
  check("energies of several states",
        energies < 1e-10,
        std::to_string(energies * 1e10) + "e-10");
  const double one_by_one = difference_of_energies<Fragile>();
  check("if they fail together, one by one",
        one_by_one == 0.,
        std::to_string(one_by_one));
  double worst = 0.;
  for (const auto &units :
       {std::make_pair(VectorUnits::baseline, &lane_loops_baseline),
        std::make_pair(VectorUnits::v3, &lane_loops_v3),
        std::make_pair(VectorUnits::v4, &lane_loops_v4)})
    if (units.first <= vector_units())
      worst = std::max(worst, residual(*units.second));
  check("a factorisation is applied rightly on all vector units",
        worst < 1e-11,
        std::to_string(worst * 1e11) + "e-11");
  return result();
}
