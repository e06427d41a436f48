// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_fem_warm_plate_h
#define tempera_tests_fem_warm_plate_h

// The initial temperature of a plate from 16 later measurements, for tests and
// benchmarks: linear, so that the posterior of the field is Gaussian and known.

#include "fem/source_model.h"

#include <tempera/fem/field_prior.h>
#include <tempera/inference/posterior.h>
#include <tempera/sampler/ladder.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/lac/full_matrix.h>

namespace Tempera
{
  namespace Testing
  {
    /** Prior, model and data, with as many nodes in a direction. */
    struct WarmPlate
    {
      WarmPlate(const unsigned int n_nodes, const double noise)
        : noise(noise)
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
        field.lattice = std::make_shared<FieldLattice>(
          "f",
          FieldLattice::Kind::nodes,
          std::vector<double>{0., 0.},
          std::vector<double>{1., 1.},
          std::vector<unsigned int>(2, n_nodes - 1));
        setting.fields = {field};
        std::vector<double> data;
        for (const double x : {0.1, 0.37, 0.63, 0.9})
          for (const double y : {0.1, 0.37, 0.63, 0.9})
            {
              setting.sensors.push_back({"sensor", {x, y}, 0.02});
              data.push_back(std::sin(3. * x) * (1. - y) +
                             noise * std::sin(37. * x + 91. * y));
            }
        model =
          make_fem_model(setting,
                         level(32, 0.002),
                         SolverParameters(),
                         std::vector<ParameterRange>(setting.n_unknowns()));
        values    = data;
        posterior = std::make_shared<Posterior>(
          prior,
          std::make_shared<GaussianLikelihood>(
            data, std::vector<double>(data.size(), noise)),
          model);
      }

      Ladder
      ladder(const std::string &kernel_type,
             const double       step_size,
             const bool         adapt) const
      {
        KernelParameters kernel;
        kernel.types           = {kernel_type};
        kernel.step_sizes      = {step_size};
        kernel.adapt_step_size = adapt;
        LadderParameters ladder_parameters;
        ladder_parameters.temperatures = std::vector<double>{1.};
        ladder_parameters.temper       = Temper::likelihood;
        return Ladder(ladder_parameters, kernel, {{"fine", posterior}}, prior);
      }

      const double                         noise;
      std::shared_ptr<const FieldPrior<2>> prior;
      std::shared_ptr<const ForwardModel>  model;
      std::vector<double>                  values;
      std::shared_ptr<const Energy>        posterior;
    };


    /** Mean and standard deviation of all nodes, by Kalman's formula. */
    inline std::pair<std::vector<double>, std::vector<double>>
    exact_posterior(const WarmPlate &plate)
    {
      const unsigned int n                  = plate.prior->space().dimension(),
                         m                  = plate.values.size();
      const std::vector<double>        mean = plate.prior->centre();
      std::vector<std::vector<double>> smoothed(m, std::vector<double>(n)),
        rows;
      std::vector<double> predictions, weights(m, 0.);
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
            matrix(k, l) += (k == l) * plate.noise * plate.noise;
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
  } // namespace Testing
} // namespace Tempera

#endif
