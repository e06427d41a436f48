// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_target_target_type_h
#define tempera_target_target_type_h

#include <tempera/base/parameter_sections.h>
#include <tempera/base/registry.h>
#include <tempera/sampler/peers.h>
#include <tempera/target/target.h>

#include <deal.II/base/mpi.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** The processes for which a target is made. */
  struct TargetProcesses
  {
    /** Those that share every solve. */
    MPI_Comm communicator = MPI_COMM_SELF;
    /** The first process of each group; null on the others, which help. */
    const Peers *peers = nullptr;
  };


  /** The parameter by which a file asks for a kind of target. */
  struct TargetSelector
  {
    std::string section, name;
    /** What it can be, with a description of each. */
    std::map<std::string, std::string> choices;
    /** What that is called, for messages, and of all of them for lists. */
    std::string noun, title;
    /** Of the parameter, for the user. */
    std::string documentation;
    /**
     * What it is if the file does not say. Of one kind this is a choice: that
     * kind is meant if the file asks for no other.
     */
    std::string default_value = "none";

    bool
    is_default() const
    {
      return default_value != "none";
    }

    /** As 'Section/Name'. */
    std::string
    text() const
    {
      return section + "/" + name;
    }
  };


  /** A level that is not in the file: its name, and settings of its section. */
  struct LevelSettings
  {
    std::string                                      name;
    std::vector<std::pair<std::string, std::string>> settings;
  };


  /**
   * A kind of target: declares its parameters, then makes it. A kind adds
   * itself to the TargetRegistry with one line in its own source file.
   */
  class TargetType
  {
  public:
    virtual ~TargetType() = default;

    /** How a file asks for it. */
    virtual TargetSelector
    selector() const = 0;

    /** The first parts of the names of all sections that are its own. */
    virtual std::vector<std::string>
    sections() const = 0;

    /**
     * Declare all that a file may say of such a target.
     *
     * @param levels Names of the levels that the file uses.
     */
    virtual void
    declare(const ParameterSource          &source,
            const std::vector<std::string> &levels,
            ParameterSections              &sections) = 0;

    /** All parameters have their values: throw a UserError if they do not fit.
     */
    virtual void
    check(const ParameterSource &source, const std::vector<std::string> &levels)
    {
      (void)source;
      (void)levels;
    }

    /** Files that it reads: the parameter that names each, and its path. */
    virtual std::vector<std::pair<std::string, std::string>>
    files() const
    {
      return {};
    }

    /** What an evaluation of a level costs, roughly, before it is made. */
    virtual double
    rough_cost(const std::string &level) const
    {
      (void)level;
      return 1.;
    }

    /**
     * Cheaper levels that could be made of one, as far as it makes sense; none
     * if only the user can say what they are. All parameters have their values.
     */
    virtual std::vector<LevelSettings>
    coarser_levels(const std::string &finest) const
    {
      (void)finest;
      return {};
    }

    /** Why processes cannot share a solve; empty if they can. */
    virtual std::string
    obstacle_to_sharing() const = 0;

    /** May be called several times. */
    virtual std::unique_ptr<Target>
    make(const TargetProcesses &processes) const = 0;
  };


  /**
   * For kinds whose levels all need a section of their own: a UserError if one
   * has none.
   *
   * @param remedy The parameters that say how fine a level is.
   */
  void
  check_that_levels_exist(const ParameterSource          &source,
                          const std::vector<std::string> &levels,
                          const std::string              &remedy);


  /** Names and descriptions of all that a registry has. */
  template <class RegistryType>
  std::map<std::string, std::string>
  described_names()
  {
    std::map<std::string, std::string> result;
    for (const auto &entry : RegistryType::entries())
      result[entry.first] = entry.second.description;
    return result;
  }


  /** The kinds of targets. */
  using TargetRegistry = Registry<TargetType>;
} // namespace Tempera

#endif
