// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/run/process_layout.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <set>
#include <utility>

namespace Tempera
{
  namespace
  {
    const std::string name = "'Parallel/Processes per replica'";

    bool
    mpi_is_running()
    {
      int is_begun = 0, is_over = 0;
      MPI_Initialized(&is_begun);
      MPI_Finalized(&is_over);
      return is_begun != 0 && is_over == 0;
    }

    unsigned int
    number_from(const std::string &text)
    {
      const std::string digits = dealii::Utilities::trim(text);
      if (digits.empty() || digits.size() > 6 ||
          digits.find_first_not_of("0123456789") != std::string::npos ||
          std::stoul(digits) == 0)
        throw UserError("The value '" + text + "' of " + name +
                        " is not a number of processes. Write 'automatic', a "
                        "number, or for instance 'fine: 4, coarse: 1'.");
      return std::stoul(digits);
    }

    std::map<std::string, unsigned int>
    read_sizes(const std::string &text, const std::set<std::string> &levels)
    {
      std::map<std::string, unsigned int> result;
      if (text.find(':') == std::string::npos)
        {
          for (const std::string &level : levels)
            result[level] = number_from(text);
          return result;
        }
      for (const std::string &part :
           dealii::Utilities::split_string_list(text, ','))
        {
          const auto        colon = part.find(':');
          const std::string level =
            dealii::Utilities::trim(part.substr(0, colon));
          if (colon == std::string::npos || levels.count(level) == 0)
            throw UserError(
              "'" + part + "' in " + name +
              " does not name a level of the ladder." +
              did_you_mean(level, {levels.begin(), levels.end()}));
          result[level] = number_from(part.substr(colon + 1));
        }
      for (const std::string &level : levels)
        if (result.count(level) == 0)
          throw UserError(name + " leaves out the level '" + level +
                          "'. Name every level of the ladder, or write one "
                          "number for all.");
      return result;
    }

    /** One size for all, if nobody says another. */
    unsigned int
    automatic_size(const unsigned int    n_processes,
                   const unsigned int    n_replicas,
                   const ParallelDemand &demand)
    {
      if (n_processes <= n_replicas)
        return 1;
      if (!demand.obstacle.empty())
        throw UserError("There are " + counted(n_processes, "process") +
                        ", but only " + counted(n_replicas, "replica") +
                        " (rungs times chains), and " + demand.obstacle +
                        ", so that a replica has no use for a second one. "
                        "Start at most " +
                        std::to_string(n_replicas) +
                        ", or raise 'Chains' or 'Number of rungs'.");
      for (unsigned int size = 2; size < n_processes; ++size)
        if (n_processes % size == 0 && n_processes / size <= n_replicas)
          return size;
      return n_processes;
    }
  } // namespace



  void
  ParallelParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Processes per replica",
      processes_per_replica,
      "With 'mpirun -n N tempera run FILE.prm': how many processes share the mesh of a replica (a rung of a chain). The others work on other replicas. One number for all levels, or one for each, as 'fine: 4, coarse: 1'. 'automatic': one, unless there are more processes than replicas. The draws do not depend on how many replicas are worked on at a time; several processes on one mesh change them by the rounding of the solver.",
      dealii::Patterns::Anything());
  }



  GroupSizes
  split_processes(const unsigned int        n_processes,
                  const ParallelParameters &parameters,
                  const ParallelDemand     &demand)
  {
    const std::set<std::string> levels(demand.levels.begin(),
                                       demand.levels.end());
    const unsigned int n_replicas = demand.n_chains * demand.levels.size();

    GroupSizes result;
    if (parameters.processes_per_replica == "automatic")
      for (const std::string &level : levels)
        result.processes_of_level[level] =
          automatic_size(n_processes, n_replicas, demand);
    else
      result.processes_of_level =
        read_sizes(parameters.processes_per_replica, levels);

    // For each size its replicas, and what they cost.
    struct Class
    {
      unsigned int n_replicas = 0, n_groups = 0;
      double       cost = 0.;
    };
    std::map<unsigned int, Class> classes;
    for (const std::string &level : demand.levels)
      {
        Class &one = classes[result.processes_of_level.at(level)];
        one.n_replicas += demand.n_chains;
        one.cost += demand.n_chains * demand.costs.at(level);
      }
    if (classes.rbegin()->first > 1 && !demand.obstacle.empty())
      throw UserError(name + " is " + parameters.processes_per_replica +
                      ", but " + demand.obstacle + ". Set it to 1.");

    unsigned int left = n_processes;
    for (auto &one : classes)
      {
        one.second.n_groups = 1;
        if (one.first > left)
          throw UserError(
            name + " (" + parameters.processes_per_replica +
            ") asks for groups that do not fit into " +
            counted(n_processes, "process") +
            ". Start more with 'mpirun -n N', or ask for smaller groups.");
        left -= one.first;
      }
    // A group more for those who need it most.
    while (left > 0)
      {
        Class       *most = nullptr;
        unsigned int size = 0;
        for (auto &one : classes)
          if (one.first <= left &&
              one.second.n_groups < one.second.n_replicas &&
              (most == nullptr || one.second.cost / one.second.n_groups >
                                    most->cost / most->n_groups))
            {
              most = &one.second;
              size = one.first;
            }
        if (most == nullptr)
          throw UserError(
            "Of " + counted(n_processes, "process") + ", " +
            std::to_string(left) + " would have nothing to do: there are " +
            counted(n_replicas, "replica") + " (rungs times chains), and " +
            name + " is " + parameters.processes_per_replica + ". Start " +
            std::to_string(n_processes - left) +
            " processes, or change the size of the groups.");
        ++most->n_groups;
        left -= size;
      }

    // The coldest rung is in the first group.
    const unsigned int first = result.processes_of_level.at(demand.levels[0]);
    result.sizes.assign(classes.at(first).n_groups, first);
    for (const auto &one : classes)
      if (one.first != first)
        result.sizes.insert(result.sizes.end(), one.second.n_groups, one.first);
    return result;
  }



  ProcessLayout::ProcessLayout()
    : peers(std::make_unique<Peers>())
  {
    groups.sizes = {1};
  }



  const ProcessLayout &
  ProcessLayout::alone()
  {
    static const ProcessLayout one;
    return one;
  }



  ProcessLayout
  ProcessLayout::one_group()
  {
    ProcessLayout result;
    result.groups.sizes = {n_processes()};
    result.split();
    return result;
  }



  ProcessLayout::ProcessLayout(const ParallelParameters &parameters,
                               const ParallelDemand     &demand)
    : groups(split_processes(n_processes(), parameters, demand))
  {
    split();
  }



  ProcessLayout::ProcessLayout(ProcessLayout &&other) noexcept
    : groups(std::move(other.groups))
    , group(std::exchange(other.group, MPI_COMM_SELF))
    , first_ones(std::exchange(other.first_ones, MPI_COMM_NULL))
    , peers(std::move(other.peers))
  {}



  void
  ProcessLayout::split()
  {
    if (n_processes() == 1)
      {
        peers = std::make_unique<Peers>();
        return;
      }
    const unsigned int me    = this_process();
    unsigned int       mine  = 0;
    unsigned int       begin = 0;
    while (begin + groups.sizes[mine] <= me)
      begin += groups.sizes[mine++];
    MPI_Comm_split(MPI_COMM_WORLD, mine, me, &group);
    MPI_Comm_split(MPI_COMM_WORLD,
                   me == begin ? 0 : MPI_UNDEFINED,
                   me,
                   &first_ones);
    peers = me == begin ? std::make_unique<Peers>(first_ones) : nullptr;
  }



  ProcessLayout::~ProcessLayout()
  {
    if (!mpi_is_running())
      return;
    for (MPI_Comm *communicator : {&group, &first_ones})
      if (*communicator != MPI_COMM_SELF && *communicator != MPI_COMM_NULL)
        MPI_Comm_free(communicator);
  }



  bool
  ProcessLayout::may_have(const unsigned int group,
                          const std::string &level) const
  {
    const auto place = groups.processes_of_level.find(level);
    return place == groups.processes_of_level.end() ||
           place->second == groups.sizes[group];
  }



  unsigned int
  n_processes()
  {
    return mpi_is_running() ?
             dealii::Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD) :
             1;
  }



  unsigned int
  this_process()
  {
    return mpi_is_running() ?
             dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) :
             0;
  }
} // namespace Tempera
