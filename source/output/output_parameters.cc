// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/words.h>
#include <tempera/output/exporter.h>
#include <tempera/output/output_parameters.h>

namespace Tempera
{
  OutputParameters::OutputParameters()
  {
    for (const std::string &name : ExporterRegistry::names())
      formats[name] = ExporterRegistry::create(name)->is_default();
  }



  void
  OutputParameters::declare(dealii::ParameterHandler &prm)
  {
    declare_choice<RecordedRungs>(
      prm,
      "Draws",
      draws,
      {{"all", RecordedRungs::all}, {"coldest", RecordedRungs::coldest}},
      "Rungs whose draws are recorded: all, or the coldest only. Without the others nobody can see whether the coldest has missed a mode.");
    for (const auto &[name, entry] : ExporterRegistry::entries())
      prm.add_parameter(name,
                        formats[name],
                        "Whether the run leaves this when it is over. " +
                          entry.description +
                          " 'tempera export' does so later.");
    prm.add_parameter(
      "Checkpoint seconds",
      checkpoint_seconds,
      "After so many seconds the state of the run is saved, so that --resume goes on from there; samples.nc is made anew then, too, unless that takes long. It is always saved at the end and when the run is stopped. 0: not by time.",
      dealii::Patterns::Double(0.));
    prm.add_parameter("Checkpoint rounds",
                      checkpoint_rounds,
                      "The same after so many rounds. 0: not by rounds.",
                      dealii::Patterns::Integer(0));
    prm.add_parameter(
      "Field draws",
      n_field_draws,
      "For how many draws of the coldest rung, evenly spaced, the solution is written for ParaView: fields/draw_N.pvd. Needs an equation.",
      dealii::Patterns::Integer(0));
    prm.add_parameter(
      "Mean field draws",
      n_mean_draws,
      "Over how many draws of the coldest rung, evenly spaced, mean and standard deviation of the solution are taken: fields/posterior.pvd. Each costs a forward solve. Needs an equation.",
      dealii::Patterns::Integer(0));
    prm.add_parameter("Field times",
                      n_field_times,
                      "At how many times, evenly spaced, fields are written.",
                      dealii::Patterns::Integer(1));
    prm.add_parameter(
      "Information draws",
      n_information_draws,
      "Over how many draws of the coldest rung, evenly spaced, the information that the data hold about the unknowns is averaged. Each costs as many solves as there are measurements, or two per unknown if that is less. 0: it is not computed. An analytic energy has none.",
      dealii::Patterns::Integer(0));
    declare_whole_number(
      prm,
      "Mesh error",
      n_mesh_draws,
      0,
      "automatic",
      "At how many draws of the coldest rung, evenly spaced, the equation is solved on its level refined once, in space and time: the answer then has an error bar of the mesh, and a level that is not fine enough is warned of. Each draw costs a solve on the refined level: in two dimensions some eight of the level's own. automatic: 20 draws, or as many as a tenth of the run's work pays for. 0: none. Of no use for an analytic energy or a network.");
    declare_whole_number(
      prm,
      "Level solves",
      n_level_solves,
      0,
      "For estimates from all levels: at how many draws of each coarse rung that follows the coldest one at its temperature the next finer level is solved when the run is over, evenly spaced, where swaps have not done so. Of use where swaps are rare or none. Each costs a forward solve.");
  }
} // namespace Tempera
