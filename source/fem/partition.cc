// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/fem/partition.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    namespace Processes = dealii::Utilities::MPI;

    dealii::IndexSet
    own_equations(const MPI_Comm communicator, const unsigned int n_owned)
    {
      dealii::types::global_dof_index begin = 0, total = 0;
      const auto         sizes = Processes::all_gather(communicator, n_owned);
      const unsigned int here  = Processes::this_mpi_process(communicator);
      for (unsigned int process = 0; process < sizes.size(); ++process)
        {
          if (process == here)
            begin = total;
          total += sizes[process];
        }
      dealii::IndexSet result(total);
      result.add_range(begin, begin + n_owned);
      return result;
    }

    dealii::IndexSet
    as_set(const std::vector<dealii::types::global_dof_index> &numbers,
           const dealii::types::global_dof_index               size)
    {
      dealii::IndexSet result(size);
      result.add_indices(numbers.begin(), numbers.end());
      return result;
    }
  } // namespace



  Partition::Partition(
    const MPI_Comm                                      communicator,
    const unsigned int                                  n_owned,
    const std::vector<dealii::types::global_dof_index> &ghosts)
    : partitioner(own_equations(communicator, n_owned),
                  as_set(ghosts,
                         Processes::sum(dealii::types::global_dof_index(
                                          n_owned),
                                        communicator)),
                  communicator)
    , extended(n_extended())
    , packed(partitioner.n_import_indices())
  {}



  const dealii::Vector<double> &
  Partition::extend(const dealii::Vector<double> &owned) const
  {
    const dealii::ArrayView<double> ghosts(extended.begin() + n_owned(),
                                           partitioner.n_ghost_indices());
    partitioner.export_to_ghosted_array_start<double>(
      0,
      dealii::ArrayView<const double>(owned.begin(), n_owned()),
      dealii::make_array_view(packed),
      ghosts,
      requests);
    std::copy(owned.begin(), owned.begin() + n_owned(), extended.begin());
    partitioner.export_to_ghosted_array_finish<double>(ghosts, requests);
    return extended;
  }



  void
  Partition::collect(dealii::Vector<double> &owned) const
  {
    const dealii::ArrayView<double> ghosts(extended.begin() + n_owned(),
                                           partitioner.n_ghost_indices());
    partitioner.import_from_ghosted_array_start<double>(
      dealii::VectorOperation::add,
      0,
      ghosts,
      dealii::make_array_view(packed),
      requests);
    std::copy(extended.begin(), extended.begin() + n_owned(), owned.begin());
    partitioner.import_from_ghosted_array_finish<double>(
      dealii::VectorOperation::add,
      dealii::ArrayView<const double>(packed.data(), packed.size()),
      dealii::ArrayView<double>(owned.begin(), n_owned()),
      ghosts,
      requests);
  }



  void
  Partition::sum(const dealii::ArrayView<double> &numbers) const
  {
    // MPI_Allreduce need not give the same bits everywhere, and decisions are
    // taken from these numbers.
    const int  n       = numbers.size();
    const bool is_root = Processes::this_mpi_process(communicator()) == 0;
    MPI_Reduce(is_root ? MPI_IN_PLACE : numbers.data(),
               numbers.data(),
               n,
               MPI_DOUBLE,
               MPI_SUM,
               0,
               communicator());
    MPI_Bcast(numbers.data(), n, MPI_DOUBLE, 0, communicator());
  }



  double
  Partition::sum(double number) const
  {
    sum(dealii::ArrayView<double>(&number, 1));
    return number;
  }



  unsigned int
  n_processes(const MPI_Comm communicator)
  {
    return dealii::Utilities::MPI::job_supports_mpi() ?
             dealii::Utilities::MPI::n_mpi_processes(communicator) :
             1;
  }



  void
  throw_together(const MPI_Comm communicator, const std::string &message)
  {
    for (const std::string &one : Processes::all_gather(communicator, message))
      if (!one.empty())
        throw UserError(one);
  }
} // namespace Tempera
