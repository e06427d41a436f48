// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_partition_h
#define tempera_fem_partition_h

#include <deal.II/base/array_view.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/partitioner.h>
#include <deal.II/lac/vector.h>

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * How the degrees of freedom with an equation are dealt to the processes
   * that share a mesh. Vectors hold what a process owns; an extended vector
   * holds behind that the entries of others which couple to it, the ghosts.
   * All functions are called by all processes.
   */
  class Partition
  {
  public:
    /**
     * @param n_owned Equations of this process, numbered in the order of the
     * processes.
     * @param ghosts Numbers of the equations of others that are needed, in
     * order.
     */
    Partition(const MPI_Comm                                      communicator,
              const unsigned int                                  n_owned,
              const std::vector<dealii::types::global_dof_index> &ghosts);

    MPI_Comm
    communicator() const
    {
      return partitioner.get_mpi_communicator();
    }

    unsigned int
    n_owned() const
    {
      return partitioner.locally_owned_size();
    }

    unsigned int
    n_extended() const
    {
      return partitioner.locally_owned_size() + partitioner.n_ghost_indices();
    }

    /** Numbers of equations in the order of an extended vector. */
    const dealii::Utilities::MPI::Partitioner &
    numbers() const
    {
      return partitioner;
    }

    /** A vector with its ghosts, valid until the next call. */
    const dealii::Vector<double> &
    extend(const dealii::Vector<double> &owned) const;

    /** Memory for an extended vector to be collected. */
    dealii::Vector<double> &
    extended_memory() const
    {
      return extended;
    }

    /** Add to each owner what the extended_memory() has for it. */
    void
    collect(dealii::Vector<double> &owned) const;

    /** Sums over all processes, the same on all of them to the last bit. */
    void
    sum(const dealii::ArrayView<double> &numbers) const;

    double
    sum(double number) const;

  private:
    const dealii::Utilities::MPI::Partitioner partitioner;
    /** Memory. */
    mutable dealii::Vector<double>   extended;
    mutable std::vector<double>      packed;
    mutable std::vector<MPI_Request> requests;
  };


  /** The size of a communicator; 1 in a program that does not use MPI. */
  unsigned int
  n_processes(const MPI_Comm communicator);

  /**
   * Throw a UserError on all processes if one of them has something to say.
   *
   * @param message Empty where nothing is wrong.
   */
  void
  throw_together(const MPI_Comm communicator, const std::string &message);
} // namespace Tempera

#endif
