// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_parameters_h
#define tempera_driver_parameters_h

#include <tempera/analytic/analytic_energy.h>
#include <tempera/analytic/decorators.h>
#include <tempera/driver/parameter_file.h>
#include <tempera/driver/plugin_loader.h>
#include <tempera/driver/process_layout.h>
#include <tempera/fem/domain.h>
#include <tempera/fem/fem_parameters.h>
#include <tempera/inference/observations.h>
#include <tempera/output/output_parameters.h>
#include <tempera/pinn/network_data.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/replica_exchange.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  class Problem;

  /** The parameters outside all sections. */
  struct GeneralParameters
  {
    RunParameters run;
    std::string   output_directory = "output";
    std::string   target           = "posterior";
    unsigned int  n_chains         = 4;

    /** Whether the likelihood is left out. */
    bool
    samples_prior() const
    {
      return target == "prior";
    }

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** Where the states begin. */
  struct StartParameters
  {
    std::string                      from = "point";
    std::vector<std::vector<double>> points;
    std::string                      file;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** The kind of analytic energy, and one section for each kind. */
  struct EnergyParameters
  {
    EnergyParameters();

    std::string         type = "gaussian mixture";
    ReferenceParameters reference;
    std::map<std::string, std::unique_ptr<AnalyticType>> types;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** Which equation is solved, and where. */
  struct ProblemSettings
  {
    std::string  type      = "none";
    unsigned int dimension = 2;
    Domain       domain;
    NumberList   final_time{"last observation"};

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** Each parameter of the equation: a number, or a prior. */
  struct UnknownsSettings
  {
    std::shared_ptr<Problem> problem;
    /** By parameter of the problem. */
    std::vector<std::string> values;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** What the problem itself declares. */
  struct EquationSettings
  {
    std::shared_ptr<Problem> problem;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** What `tempera parameters` shows of one parameter. */
  struct ParameterDescription
  {
    std::vector<std::string> section;
    std::string              name;
    std::string              default_value;
    /** What values are valid, in words. */
    std::string pattern;
    /** The words to choose from; empty where anything else is valid too. */
    std::vector<std::string> choices;
    std::string              documentation;
  };


  /**
   * All parameters of a run, from a parameter file. Each struct of values is
   * declared beside what it controls; this class gives each its section, fills
   * them, and turns every mistake into a message with its place and remedy.
   */
  class Parameters
  {
  public:
    /** Declare everything, then apply the file strictly. */
    explicit Parameters(const ParameterFile &file);

    ~Parameters();

    /** What the file asks; see ParameterFile::question(). */
    const std::string question;

    /** First, since the members below offer what plugins have registered. */
    PluginParameters      plugins;
    GeneralParameters     general;
    StartParameters       start;
    LadderParameters      ladder;
    KernelParameters      kernel;
    SwapParameters        swaps;
    EnergyParameters      energy;
    OutputParameters      output;
    ProblemSettings       problem;
    UnknownsSettings      unknowns;
    EquationSettings      equation;
    ObservationParameters observations;
    SolverParameters      solver;
    ParallelParameters    parallel;
    NetworkSettings       network;
    /** Of an analytic energy. */
    std::map<std::string, LevelParameters> levels;
    /** Of an equation. */
    std::map<std::string, FemLevelParameters> fem_levels;
    /** Of a network. */
    std::map<std::string, NetworkLevelParameters> network_levels;

    /** Whether an equation is solved with finite elements. */
    bool
    has_problem() const
    {
      return problem.type != "none";
    }

    /** Whether a network solves an equation. */
    bool
    has_network() const
    {
      return network.network.choice.equation != "none";
    }

    /** Every declared parameter. */
    std::vector<ParameterDescription>
    descriptions() const;

    /** The complete effective parameters, as a parameter file. */
    std::string
    effective_file() const;

  private:
    void
    apply(const ParameterFile &file);

    struct Implementation;
    std::unique_ptr<Implementation> implementation;
  };
} // namespace Tempera

#endif
