// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_run_run_settings_h
#define tempera_run_run_settings_h

#include <tempera/base/parameter_sections.h>
#include <tempera/output/output_parameters.h>
#include <tempera/run/input_files.h>
#include <tempera/run/process_layout.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/replica_exchange.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** What says where the states begin. */
  enum class StartFrom
  {
    point,
    /** A draw for every rung. */
    prior,
    file
  };


  /** Where the ladder comes from. */
  enum class LadderFrom
  {
    /** Pilots where nothing is said of the sampler. */
    as_needed,
    pilots,
    settings
  };


  /** What is sampled. */
  enum class SampledLaw
  {
    posterior,
    /** The likelihood is left out. */
    prior
  };


  /** Where the states begin. */
  struct StartParameters
  {
    StartFrom                        from = StartFrom::point;
    std::vector<std::vector<double>> points;
    std::string                      file;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** How a target is sampled, and what is left of it. */
  struct RunSettings
  {
    RunParameters run;
    unsigned int  n_chains    = 4;
    LadderFrom    ladder_from = LadderFrom::as_needed;
    /** So many independent draws end the run; zero: only its rounds do. */
    std::uint64_t effective_draws = 0;
    /** In seconds; zero for no limit. */
    double     time_limit = 0.;
    SampledLaw target     = SampledLaw::posterior;
    /** For the results. */
    std::string folder = "output";

    StartParameters    start;
    LadderParameters   ladder;
    KernelParameters   kernel;
    SwapParameters     swaps;
    OutputParameters   output;
    ParallelParameters parallel;

    /** What the run is to answer; for the report. */
    std::string question;
    /** How the ladder was found, and for how much work; for the log. */
    std::string design;
    double      pilot_work = 0.;
    /**
     * The complete parameters, as a parameter file. A run is resumed only with
     * the same. If empty: what these settings are in such a file.
     */
    std::string parameters;
    /** What else must be the same. */
    std::vector<InputFile> files;

    /** Whether the likelihood is left out. */
    bool
    samples_prior() const
    {
      return target == SampledLaw::prior;
    }

    /** Throw a UserError if so few draws cannot say how good they are. */
    void
    check_effective_draws() const;

    /** The levels that rungs use, each once. */
    std::vector<std::string>
    used_levels() const;

    /** Declare what is outside all sections. */
    void
    declare_general(ParameterSections &sections);

    /** Declare the sections `Sampler`, `Output` and `Parallel`. */
    void
    declare_sections(ParameterSections &sections);

    /** See the member parameters. */
    std::string
    complete_parameters() const;
  };
} // namespace Tempera

#endif
