// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_parameters_h
#define tempera_driver_parameters_h

#include <tempera/driver/parameter_file.h>
#include <tempera/driver/plugin_loader.h>
#include <tempera/run/run_settings.h>
#include <tempera/target/target_type.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
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
   * A parameter file as a program understands it: what is sampled, and how.
   * Every component declares its own parameters; this class gives each its
   * section, fills them, and turns every mistake into a message with its place
   * and remedy.
   */
  class Parameters
  {
  public:
    /** Declare everything, then apply the file strictly. */
    explicit Parameters(const ParameterFile &file);

    ~Parameters();

    /** First, since the members below offer what plugins have registered. */
    PluginParameters plugins;

    /** How to sample, and what to leave. */
    RunSettings settings;

    /** What is sampled. */
    const TargetType &
    target_type() const
    {
      return *type;
    }

    /** The target itself, for one process. */
    std::unique_ptr<Target>
    make_target() const
    {
      return make_target(ProcessLayout::alone());
    }

    std::unique_ptr<Target>
    make_target(const ProcessLayout &layout) const;

    /** Every declared parameter. */
    std::vector<ParameterDescription>
    descriptions() const;

    /** The complete effective parameters, as a parameter file. */
    std::string
    effective_file() const;

  private:
    void
    choose_type(const ParameterFile &file);

    void
    apply(const ParameterFile &file);

    /** Give a file name that starts from the folder of the parameter file. */
    std::string
    resolved(const Assignment &assignment) const;

    /** All files that the parameters name, with their contents. Included
     * parameter files are not among them, since what they say is in the
     * effective parameters. */
    std::vector<InputFile>
    input_files() const;

    std::unique_ptr<TargetType> type;

    struct Implementation;
    std::unique_ptr<Implementation> implementation;
  };
} // namespace Tempera

#endif
