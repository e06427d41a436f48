// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/checks.h>
#include <tempera/output/json_tree.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace Tempera
{
  template <typename Field>
  static void
  visit(Checks::Finding &one, Field &field)
  {
    field("unknown", one.unknown);
    field("verdict", one.verdict);
    field("sentence", one.sentence);
    field("open", one.is_open);
    field.optional("prior_sd", one.prior_deviation);
    field.optional("posterior_sd", one.posterior_deviation);
    field.optional("ks_distance", one.distance);
    field.optional("information", one.information);
  }

  template <typename Field>
  static void
  visit(Checks::Shift &one, Field &field)
  {
    field("column", one.column);
    field.optional("mean_error", one.mean_error);
    field.optional("width_error", one.width_error);
    field("mean", one.mean);
    field("width", one.width);
  }

  template <typename Field>
  static void
  visit(Checks::LevelSolve &one, Field &field)
  {
    field("chain", one.chain);
    field("rung", one.rung);
    field("round", one.own_round);
    field("energy", one.energy);
    field("finer_energy", one.finer_energy);
  }

  template <typename Field>
  static void
  visit(Checks::Place &one, Field &field)
  {
    field("point", one.point);
    field("energy", one.energy);
    field("share", one.share);
    field("barrier", one.barrier);
  }

  template <typename Field>
  static void
  visit(Checks &checks, Field &field)
  {
    field("rounds", checks.rounds);
    field("findings", checks.findings);
    field("open_combination", checks.open_combination);
    field("refined_level", checks.refined_level);
    field("refinement", checks.refinement);
    field("prediction_change", checks.prediction_change);
    field.optional("mean_prediction_change", checks.mean_prediction_change);
    field.optional("refinement_draws", checks.n_refinement_draws);
    field.optional("worst_measurement", checks.worst_measurement);
    field("integration_change", checks.integration_change);
    field("refinement_shifts", checks.refinement_shifts);
    field.optional("energy_spread", checks.energy_spread);
    field.optional("mesh_objection", checks.mesh_objection);
    field.optional("refinement_work", checks.refinement_work);
    field("swap_shifts", checks.swap_shifts);
    field("fine_shares", checks.fine_shares);
    field.optional("level_solves", checks.level_solves);
    field.optional("level_solve_work", checks.level_solve_work);
    field("places", checks.places);
    field("searches", checks.n_searches);
  }



  std::string
  checks_to_json(const Checks &checks)
  {
    return JsonTree::to_json(checks);
  }



  Checks
  read_checks(const std::string &folder)
  {
    std::ifstream     file(std::filesystem::path(folder) / checks_file);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    Checks            checks;
    if (text.empty())
      return checks;
    try
      {
        JsonTree::from_json(text, checks);
      }
    catch (const JsonTree::Unreadable &)
      {
        // It is a help, not the result.
        return Checks();
      }
    return checks;
  }
} // namespace Tempera
