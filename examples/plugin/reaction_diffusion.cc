// SPDX-License-Identifier: LGPL-2.1-or-later

// A problem in a plugin: a substance enters through the boundary, spreads by
// diffusion and decays,
//   u_t - kappa Laplace u + c u = 0,   u = A (1 - e^(-t/0.02)) on the boundary,
// from u = 0. Unknown are the rate c, in the operator, and the concentration A,
// in the data.

#include <tempera/problems/formula_problem.h>

#include <cmath>
#include <tempera/plugin.h>

using namespace Tempera;

namespace
{
  class ReactionDiffusion : public FormulaProblem<ReactionDiffusion>
  {
  public:
    explicit ReactionDiffusion(const unsigned int dimension)
      : FormulaProblem<ReactionDiffusion>(dimension)
    {
      my_parameters = {
        {"rate", "uniform(0, 20)", "Rate c of the decay.", 0.},
        {"concentration", "uniform(0, 4)", "Concentration A outside.", 0.},
        {"diffusivity", "1", "Diffusivity kappa.", 0.}};
      // By index in formula(): the name, and the parameters in it.
      my_functions      = {{"one", {}, {}},
                           {"diffusion", {diffusivity}, {}},
                           {"reaction", {rate}, {}},
                           {"boundary value", {concentration}, {}}};
      my_operator_terms = {{OperatorKind::capacity, 0},
                           {OperatorKind::diffusion, 1},
                           {OperatorKind::reaction, 2}};
      my_data_terms     = {
            {DataKind::dirichlet,
             3,
             [](const double time) { return 1. - std::exp(-time / 0.02); },
             {}}};
    }

    template <typename Number>
    Number
    formula(const unsigned int function,
            const double *,
            const double,
            const Number *theta) const
    {
      switch (function)
        {
          case 0:
            return Number(1.);
          case 1:
            return theta[diffusivity];
          case 2:
            return theta[rate];
          default:
            return theta[concentration];
        }
    }

  private:
    static constexpr unsigned int rate = 0, concentration = 1, diffusivity = 2;
  };
} // namespace


TEMPERA_PLUGIN
{
  Registration<ProblemRegistry, ReactionDiffusion>(
    "reaction diffusion",
    "A substance that enters, spreads and decays; parabolic.");
}
