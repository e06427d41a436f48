// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_output_parameters_h
#define tempera_output_output_parameters_h

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** Rungs whose draws are recorded. */
  enum class RecordedRungs
  {
    all,
    coldest
  };


  /** The parameters of what a run leaves behind. */
  struct OutputParameters
  {
    RecordedRungs draws         = RecordedRungs::all;
    unsigned int  n_field_draws = 0;
    unsigned int  n_mean_draws  = 0;
    unsigned int  n_field_times = 7;
    /** Zero: no information is computed (see average_information()). */
    unsigned int n_information_draws = 50;
    /** At which the finest level is refined; by themselves if there is none. */
    std::optional<std::uint64_t> n_mesh_draws;

    /** At so many draws of a coarse level the finer one is solved. */
    std::uint64_t n_level_solves = 0;

    /** By name of an exporter: whether the run leaves it. */
    std::map<std::string, bool> formats;

    double       checkpoint_seconds = 60.;
    unsigned int checkpoint_rounds  = 0;

    OutputParameters();

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };
} // namespace Tempera

#endif
