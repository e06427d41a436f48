// SPDX-License-Identifier: LGPL-2.1-or-later

// A problem in a plugin: a wind blows a substance in from the left, where its
// concentration is A; it spreads by diffusion and decays,
//   u_t - kappa Laplace u + w du/dx + c u = 0,   u = A (1 - e^(-t/0.02)) left,
// from u = 0, with no flux through the rest of the boundary. Unknown are the
// speed w, in the operator, and A, in the Dirichlet data.

#include <tempera/problems/formula_problem.h>

#include <cmath>
#include <tempera/plugin.h>

using namespace Tempera;

namespace
{
  class ConvectionDiffusion : public FormulaProblem<ConvectionDiffusion>
  {
  public:
    explicit ConvectionDiffusion(const unsigned int dimension)
      : FormulaProblem<ConvectionDiffusion>(dimension)
    {
      my_parameters = {
        {"speed", "uniform(0, 20)", "Speed w of the wind.", 0.},
        {"concentration", "uniform(0, 4)", "Concentration A outside.", 0.},
        {"diffusivity", "0.5", "Diffusivity kappa.", 0.},
        {"rate", "1", "Rate c of the decay.", 0.}};

      // By index in formula(): the name, and the parameters in it.
      my_functions = {{"speed", {0}, {}},
                      {"concentration", {1}, {}},
                      {"diffusivity", {2}, {}},
                      {"rate", {3}, {}}};

      // Coefficients that are the same everywhere are scales of their terms.
      my_operator_terms = {{OperatorKind::capacity},
                           {OperatorKind::convection, no_function, 0},
                           {OperatorKind::diffusion, no_function, 2},
                           {OperatorKind::reaction, no_function, 3}};

      const auto begin = [](const double time) {
        return 1. - std::exp(-time / 0.02);
      };
      my_data_terms = {{DataKind::dirichlet, 1, begin, {0}}};
    }

    template <typename Number>
    Number
    formula(const unsigned int function,
            const double *,
            const double,
            const Number *theta) const
    {
      return theta[function];
    }
  };
} // namespace


TEMPERA_PLUGIN
{
  Registration<ProblemRegistry, ConvectionDiffusion>(
    "convection diffusion",
    "A substance that is blown in, spreads and decays; parabolic.");
}
