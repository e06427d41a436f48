// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_adapted_mesh_h
#define tempera_fem_adapted_mesh_h

#include <tempera/fem/fem_model.h>
#include <tempera/fem/mesh.h>

#include <vector>

namespace Tempera
{
  /**
   * The mesh of a level, refined where that makes the predictions more
   * accurate, as often as the level says.
   *
   * What an error in a cell \f$K\f$ does to the predictions is estimated by
   * \f[\eta_K = \sum_\theta\sum_n \eta_K(u^n_\theta)\,\eta_K(\lambda^n_\theta)
   * \f] with the solution \f$u\f$, the adjoint solution \f$\lambda\f$ of the
   * sum of all observations, and Kelly's indicator of each, the jumps of its
   * normal derivatives across faces (deal.II's KellyErrorEstimator). The
   * product is that of the dual-weighted residual method: a cell matters if
   * there is something to resolve in it at a time from which a sensor still
   * sees it, so that cells around the sensors are refined, and those where
   * sources may be as far as they are seen. The sums have a few time levels,
   * and values of the unknowns that are spread over their priors: the first
   * is in the middle, the others are a sequence of low discrepancy. All this is
   * a function of the parameter file, so that a model has always the same
   * mesh.
   *
   * @param ranges Of the unknowns.
   */
  template <int dim>
  Mesh<dim>
  make_adapted_mesh(const ModelSetting                &setting,
                    const FemLevelParameters          &level,
                    const SolverParameters            &solver,
                    const std::vector<ParameterRange> &ranges);
} // namespace Tempera

#endif
