// SPDX-License-Identifier: LGPL-2.1-or-later

// The initial temperature of a plate from later measurements: linear, so that
// the posterior of the field is Gaussian and known. pCN-Langevin has its mean
// and its standard deviation everywhere, and the same acceptance on all meshes.

#include "source_model.h"
#include "tests.h"

#include <tempera/fem/field_prior.h>
#include <tempera/inference/posterior.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/replica_exchange.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/lac/full_matrix.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr double noise = 0.5;

  /** Prior, model and data, with as many nodes in a direction. */
  struct Plate
  {
    explicit Plate(const unsigned int n_nodes)
    {
      FemLevelParameters lattice;
      lattice.subdivisions = {n_nodes - 1};
      prior                = std::make_shared<FieldPrior<2>>(
        "f",
        make_mesh<2>(Domain(), lattice, MPI_COMM_SELF),
        matern_field<2>(1., {0.5}),
        [](const dealii::Point<2> &x) { return 0.5 * x[0]; });

      std::shared_ptr<Problem> problem =
        ProblemRegistry::create("expressions", 2);
      problem->add_fields({"f"});
      dealii::ParameterHandler prm;
      problem->declare(prm);
      prm.parse_input_from_string("set Initial value = f\n"
                                  "set Dirichlet value = none\n"
                                  "set Diffusion = 0.5\n");
      problem->set_up({1.});
      ModelSetting setting;
      setting.problem    = problem;
      setting.values     = {0.};
      setting.final_time = 0.02;
      FieldUnknown field;
      field.lattice =
        std::make_shared<FieldLattice>("f",
                                       FieldLattice::Kind::nodes,
                                       std::vector<double>{0., 0.},
                                       std::vector<double>{1., 1.},
                                       std::vector<unsigned int>(2,
                                                                 n_nodes - 1));
      setting.fields = {field};
      std::vector<double> data;
      for (const double x : {0.1, 0.37, 0.63, 0.9})
        for (const double y : {0.1, 0.37, 0.63, 0.9})
          {
            setting.sensors.push_back({"sensor", {x, y}, 0.02});
            data.push_back(std::sin(3. * x) * (1. - y) +
                           noise * std::sin(37. * x + 91. * y));
          }
      model  = make_fem_model(setting,
                             level(32, 0.002),
                             SolverParameters(),
                             std::vector<ParameterRange>(setting.n_unknowns()));
      values = data;
      posterior =
        std::make_shared<Posterior>(prior,
                                    std::make_shared<GaussianLikelihood>(
                                      data,
                                      std::vector<double>(data.size(), noise)),
                                    model);
    }

    Ladder
    ladder(const double step_size, const bool adapt) const
    {
      KernelParameters kernel;
      kernel.types           = {"pCN-Langevin"};
      kernel.step_sizes      = {step_size};
      kernel.adapt_step_size = adapt;
      LadderParameters ladder_parameters;
      ladder_parameters.temperatures = std::vector<double>{1.};
      ladder_parameters.temper       = Temper::likelihood;
      return Ladder(ladder_parameters, kernel, {{"fine", posterior}}, prior);
    }

    std::shared_ptr<const FieldPrior<2>> prior;
    std::shared_ptr<const ForwardModel>  model;
    std::vector<double>                  values;
    std::shared_ptr<const Energy>        posterior;
  };


  /** Mean and standard deviation of all nodes, by Kalman's formula. */
  std::pair<std::vector<double>, std::vector<double>>
  exact_posterior(const Plate &plate)
  {
    const unsigned int n                  = plate.prior->space().dimension(),
                       m                  = plate.values.size();
    const std::vector<double>        mean = plate.prior->centre();
    std::vector<std::vector<double>> smoothed(m, std::vector<double>(n)), rows;
    std::vector<double>              predictions, weights(m, 0.);
    for (unsigned int k = 0; k < m; ++k)
      {
        weights[k] = 1.;
        rows.push_back(gradient(*plate.model, mean, weights, predictions));
        weights[k] = 0.;
        plate.prior->apply_covariance(dealii::make_array_view(
                                        std::as_const(rows[k])),
                                      dealii::make_array_view(smoothed[k]));
      }
    dealii::FullMatrix<double> matrix(m, m);
    for (unsigned int k = 0; k < m; ++k)
      for (unsigned int l = 0; l < m; ++l)
        {
          for (unsigned int i = 0; i < n; ++i)
            matrix(k, l) += rows[k][i] * smoothed[l][i];
          matrix(k, l) += (k == l) * noise * noise;
        }
    matrix.gauss_jordan();
    std::vector<double> deviations;
    std::vector<double> means = mean;
    for (unsigned int i = 0; i < n; ++i)
      {
        double variance = plate.prior->variance(i);
        for (unsigned int k = 0; k < m; ++k)
          for (unsigned int l = 0; l < m; ++l)
            {
              variance -= smoothed[k][i] * matrix(k, l) * smoothed[l][i];
              means[i] += smoothed[k][i] * matrix(k, l) *
                          (plate.values[l] - predictions[l]);
            }
        deviations.push_back(std::sqrt(variance));
      }
    return {means, deviations};
  }


  void
  check_posterior()
  {
    const Plate plate(33);
    const auto [means, deviations] = exact_posterior(plate);
    RunParameters run_parameters;
    run_parameters.burn_in    = 2000;
    run_parameters.iterations = 32000;
    ReplicaExchange                  sampler(run_parameters,
                            SwapParameters(),
                            plate.ladder(0.1, true),
                            {plate.prior->centre()});
    std::vector<std::vector<double>> values(means.size());
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (!draw.is_burn_in)
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i].push_back(draw.position[i]);
    });
    sampler.run();

    double of_means = 0., of_squares = 0., least_size = 1e9;
    for (std::size_t i = 0; i < values.size(); ++i)
      {
        const Estimate mean = estimate(values[i]);
        of_means            = std::max(of_means, mean.deviation(means[i]));
        least_size          = std::min(least_size, mean.effective_size);
        for (double &value : values[i])
          value = std::pow(value - means[i], 2);
        of_squares =
          std::max(of_squares,
                   estimate(values[i]).deviation(std::pow(deviations[i], 2)));
      }
    check("1089 nodes, means within 4 standard errors everywhere",
          of_means < 4.,
          std::to_string(of_means));
    // The largest of many estimates with skewed laws.
    check("1089 nodes, variances within 5 standard errors everywhere",
          of_squares < 5.,
          std::to_string(of_squares));
    check("draws that are worth something",
          least_size > 300.,
          std::to_string(least_size));
  }


  /** With the same step, whatever the mesh. */
  void
  check_acceptance()
  {
    std::vector<double> acceptances;
    for (const unsigned int n_nodes : {17, 33, 65})
      {
        const Plate   plate(n_nodes);
        RunParameters run_parameters;
        run_parameters.burn_in    = 500;
        run_parameters.iterations = 4500;
        ReplicaExchange     sampler(run_parameters,
                                SwapParameters(),
                                plate.ladder(0.05, false),
                                {exact_posterior(plate).first});
        double              moved = 0., n = 0.;
        std::vector<double> last;
        sampler.signals.draw.connect([&](const Draw &draw) {
          const std::vector<double> here(draw.position.begin(),
                                         draw.position.end());
          if (!draw.is_burn_in)
            {
              moved += here != last;
              n += 1.;
            }
          last = here;
        });
        sampler.run();
        acceptances.push_back(moved / n);
      }
    const auto [least, most] =
      std::minmax_element(acceptances.begin(), acceptances.end());
    check("the acceptance does not depend on the mesh",
          *most < 1.1 * *least && *most < 0.95 && *least > 0.1,
          std::to_string(*least) + " to " + std::to_string(*most));
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  check_posterior();
  check_acceptance();
  return result();
}
