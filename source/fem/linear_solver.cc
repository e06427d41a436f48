// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/vector_units.h>
#include <tempera/fem/banded_cholesky.h>
#include <tempera/fem/lane_loops.h>
#include <tempera/fem/linear_solver.h>

#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_Vector.h>
#include <algorithm>
#include <array>
#include <cholmod.h>
#include <cmath>
#include <ml_MultiLevelPreconditioner.h>
#include <umfpack.h>

namespace Tempera
{
  namespace
  {
    using Matrix = dealii::SparseMatrix<double>;
    using Vector = dealii::Vector<double>;

    /**
     * Up to so many entries of the factor in a row a factorisation is the
     * faster way: about 2.4 ns for each, where conjugate gradients take about
     * 540 ns for a row (fem_benchmark --sizes).
     */
    constexpr double most_entries_in_a_row = 220.;
    /** A matrix with a smaller ratio of pivots counts as singular. */
    constexpr double smallest_pivot_ratio = 1e-14;
    /** And up to so many in all, which take 12 bytes each. */
    constexpr double most_entries = 5e8;

    /** A matrix in the rows or columns that SuiteSparse wants. */
    struct CompressedMatrix
    {
      /** @param lower_only Leave out what is above the diagonal. */
      CompressedMatrix(const Matrix &matrix, const bool lower_only)
        : starts(1, 0)
      {
        // deal.II's rows are sorted but for the diagonal, which comes first.
        for (std::size_t i = 0; i < matrix.m(); ++i)
          {
            const auto diagonal = matrix.begin(i);
            auto       entry    = diagonal;
            for (++entry; entry != matrix.end(i) && entry->column() < i;
                 ++entry)
              add(entry->column(), entry->value());
            add(i, diagonal->value());
            for (; !lower_only && entry != matrix.end(i); ++entry)
              add(entry->column(), entry->value());
            starts.push_back(indices.size());
          }
      }

      void
      add(const std::size_t column, const double value)
      {
        indices.push_back(column);
        values.push_back(value);
      }

      std::vector<int>    starts, indices;
      std::vector<double> values;
    };


    /** Rows of the lower triangle are columns of the upper one. */
    cholmod_sparse
    as_upper_triangle(CompressedMatrix &lower, const std::size_t n)
    {
      cholmod_sparse upper{};
      upper.nrow   = n;
      upper.ncol   = n;
      upper.nzmax  = lower.values.size();
      upper.p      = lower.starts.data();
      upper.i      = lower.indices.data();
      upper.x      = lower.values.data();
      upper.stype  = 1;
      upper.itype  = CHOLMOD_INT;
      upper.xtype  = CHOLMOD_REAL;
      upper.dtype  = CHOLMOD_DOUBLE;
      upper.sorted = 1;
      upper.packed = 1;
      return upper;
    }

    [[noreturn]] void
    throw_out_of_memory(const std::string &remedy)
    {
      throw UserError("There is not enough memory to factorise the matrix of a "
                      "level. " +
                      remedy);
    }

    [[noreturn]] void
    throw_singular()
    {
      throw UnsuitableMatrix(
        "The matrix of a level is singular: the equation has no solution, or "
        "many. Look at its coefficients and boundary conditions.");
    }

    const std::string cholmod_remedy =
      "Set 'Solver/Linear solver = conjugate gradients', or make the mesh "
      "coarser.";

    void
    start_cholmod(cholmod_common &common)
    {
      cholmod_start(&common);
      common.print = 0;
      // Nested dissection; by itself CHOLMOD is content with a minimum
      // degree ordering that has up to 1.5 times as many entries.
      common.nmethods           = 1;
      common.method[0].ordering = CHOLMOD_NESDIS;
      common.postorder          = true;
      // Supernodes pay only with a BLAS that is better than the reference.
      common.supernodal = CHOLMOD_SIMPLICIAL;
    }


    /** What CHOLMOD finds out about a sparsity pattern. */
    class CholmodAnalysis
    {
    public:
      explicit CholmodAnalysis(const Matrix &matrix)
      {
        start_cholmod(common);
        CompressedMatrix compressed(matrix, true);
        cholmod_sparse   upper = as_upper_triangle(compressed, matrix.m());
        factor                 = cholmod_analyze(&upper, &common);
        if (factor == nullptr)
          {
            cholmod_finish(&common);
            throw_out_of_memory(cholmod_remedy);
          }
        pays = common.lnz <= most_entries &&
               common.lnz <= most_entries_in_a_row * matrix.m();
        n_entries    = common.lnz;
        n_operations = common.fl;
      }

      CholmodAnalysis(const CholmodAnalysis &) = delete;

      ~CholmodAnalysis()
      {
        cholmod_free_factor(&factor, &common);
        cholmod_finish(&common);
      }

      /** A factor without numbers. */
      const cholmod_factor &
      get_factor() const
      {
        return *factor;
      }

      /** Whether others are not faster. */
      bool pays;
      /** Of the factor, and operations to make it. */
      double n_entries, n_operations;

    private:
      cholmod_common  common;
      cholmod_factor *factor;
    };


    /** Cholesky's factorisation by CHOLMOD. */
    class Cholmod : public LinearSolver
    {
    public:
      Cholmod(const Matrix &matrix, const CholmodAnalysis &analysis)
      {
        start_cholmod(common);
        CompressedMatrix compressed(matrix, true);
        cholmod_sparse   upper = as_upper_triangle(compressed, matrix.m());
        factor                 = cholmod_copy_factor(
          const_cast<cholmod_factor *>(&analysis.get_factor()), &common);
        if (factor != nullptr)
          cholmod_factorize(&upper, factor, &common);
        const bool out_of_memory =
          factor == nullptr || common.status == CHOLMOD_OUT_OF_MEMORY;
        const bool is_definite = !out_of_memory &&
                                 common.status == CHOLMOD_OK &&
                                 is_positive_definite();
        const bool is_singular =
          is_definite &&
          !(cholmod_rcond(factor, &common) > smallest_pivot_ratio);
        if (!is_definite || is_singular)
          {
            release();
            if (out_of_memory)
              throw_out_of_memory(cholmod_remedy);
            if (is_singular)
              throw_singular();
            throw UnsuitableMatrix(
              "The matrix of a level is not positive definite. Look at the "
              "coefficients of the equation, or set 'Solver/Linear solver = "
              "UMFPACK'.");
          }
      }

      ~Cholmod() override
      {
        release();
      }

      void
      solve(Vector &x, const Vector &b) const override
      {
        cholmod_dense right_hand_side{};
        right_hand_side.nrow  = b.size();
        right_hand_side.ncol  = 1;
        right_hand_side.nzmax = b.size();
        right_hand_side.d     = b.size();
        right_hand_side.x     = const_cast<double *>(b.begin());
        right_hand_side.xtype = CHOLMOD_REAL;
        right_hand_side.dtype = CHOLMOD_DOUBLE;
        cholmod_solve2(CHOLMOD_A,
                       factor,
                       &right_hand_side,
                       nullptr,
                       &solution,
                       nullptr,
                       &workspaces[0],
                       &workspaces[1],
                       &common);
        const double *values = static_cast<const double *>(solution->x);
        std::copy(values, values + x.size(), x.begin());
      }

      void
      solve_transposed(Vector &x, const Vector &b) const override
      {
        solve(x, b);
      }

      bool
      has_lanes() const override
      {
        return true;
      }

      void
      solve_lanes(Vector &x, const Vector &b) const override
      {
        lane_memory.reinit(b.size(), true);
        lane_loops().solve({factor->n,
                            static_cast<const int *>(factor->p),
                            static_cast<const int *>(factor->nz),
                            static_cast<const int *>(factor->i),
                            static_cast<const double *>(factor->x),
                            static_cast<const int *>(factor->Perm)},
                           b.begin(),
                           lane_memory.begin(),
                           x.begin());
      }

      /** Of L D L^T. */
      double
      log_determinant() const override
      {
        const int    *starts = static_cast<const int *>(factor->p);
        const double *values = static_cast<const double *>(factor->x);
        double        result = 0.;
        for (std::size_t i = 0; i < factor->n; ++i)
          result += std::log(values[starts[i]]);
        return result;
      }

      std::string
      name() const override
      {
        return "CHOLMOD";
      }

    private:
      /** The factors are L D L^T, which exists for other matrices too. */
      bool
      is_positive_definite() const
      {
        const int    *starts = static_cast<const int *>(factor->p);
        const double *values = static_cast<const double *>(factor->x);
        for (std::size_t i = 0; i < factor->n; ++i)
          if (!(values[starts[i]] > 0.))
            return false;
        return true;
      }

      void
      release()
      {
        cholmod_free_dense(&solution, &common);
        for (cholmod_dense *&workspace : workspaces)
          cholmod_free_dense(&workspace, &common);
        cholmod_free_factor(&factor, &common);
        cholmod_finish(&common);
      }

      mutable cholmod_common common;
      cholmod_factor        *factor = nullptr;
      /** Memory that solve() uses again and again. */
      mutable cholmod_dense                 *solution = nullptr;
      mutable std::array<cholmod_dense *, 2> workspaces{{nullptr, nullptr}};
      mutable Vector                         lane_memory;
    };


    /**
     * Whether a factor within the band is faster than a sparse one. An entry of
     * a factor costs as much in both when a system is solved; making the factor
     * takes an operation in the time of two such entries if it is sparse, and
     * of a sixth in a band (elliptic_benchmark).
     */
    bool
    band_pays(const BandShape       &band,
              const CholmodAnalysis &sparse,
              const double           n_solves)
    {
      constexpr double sparse_operation = 2., band_operation = 1. / 6.;

      const double n_entries = double(band.n_rows) * double(band.width);
      return n_entries <= most_entries &&
             n_entries * (n_solves + band_operation * double(band.width)) <
               sparse.n_entries * n_solves +
                 sparse_operation * sparse.n_operations;
    }


    /** The settings of UMFPACK: without its iterative refinement. */
    std::array<double, UMFPACK_CONTROL>
    umfpack_control()
    {
      std::array<double, UMFPACK_CONTROL> control;
      umfpack_di_defaults(control.data());
      control[UMFPACK_IRSTEP] = 0;
      return control;
    }

    void
    check_umfpack(const int status)
    {
      if (status == UMFPACK_ERROR_out_of_memory)
        throw_out_of_memory("Make the mesh coarser.");
      if (status != UMFPACK_OK)
        throw_singular();
    }


    /** What UMFPACK finds out about a sparsity pattern. */
    class UmfpackAnalysis
    {
    public:
      explicit UmfpackAnalysis(const Matrix &matrix)
      {
        const CompressedMatrix compressed(matrix, false);
        const auto             control = umfpack_control();
        const int              n       = matrix.m();
        // Without the numbers, so that it serves for all matrices.
        check_umfpack(umfpack_di_symbolic(n,
                                          n,
                                          compressed.starts.data(),
                                          compressed.indices.data(),
                                          nullptr,
                                          &symbolic,
                                          control.data(),
                                          nullptr));
      }

      UmfpackAnalysis(const UmfpackAnalysis &) = delete;

      ~UmfpackAnalysis()
      {
        umfpack_di_free_symbolic(&symbolic);
      }

      void *symbolic = nullptr;
    };


    /** Gauss' elimination by UMFPACK. */
    class Umfpack : public LinearSolver
    {
    public:
      Umfpack(const Matrix &matrix, const UmfpackAnalysis &analysis)
        : compressed(matrix, false)
        , control(umfpack_control())
        , integers(matrix.m())
        , numbers(matrix.m())
      {
        std::array<double, UMFPACK_INFO> info;
        int status = umfpack_di_numeric(compressed.starts.data(),
                                        compressed.indices.data(),
                                        compressed.values.data(),
                                        analysis.symbolic,
                                        &numeric,
                                        control.data(),
                                        info.data());
        if (status == UMFPACK_OK &&
            !(info[UMFPACK_RCOND] > smallest_pivot_ratio))
          status = UMFPACK_WARNING_singular_matrix;
        if (status != UMFPACK_OK)
          umfpack_di_free_numeric(&numeric);
        check_umfpack(status);
      }

      ~Umfpack() override
      {
        umfpack_di_free_numeric(&numeric);
      }

      void
      solve(Vector &x, const Vector &b) const override
      {
        // What UMFPACK sees as columns are our rows.
        solve(UMFPACK_At, x, b);
      }

      void
      solve_transposed(Vector &x, const Vector &b) const override
      {
        solve(UMFPACK_A, x, b);
      }

      std::string
      name() const override
      {
        return "UMFPACK";
      }

    private:
      void
      solve(const int system, Vector &x, const Vector &b) const
      {
        umfpack_di_wsolve(system,
                          compressed.starts.data(),
                          compressed.indices.data(),
                          compressed.values.data(),
                          x.begin(),
                          b.begin(),
                          numeric,
                          control.data(),
                          nullptr,
                          integers.data(),
                          numbers.data());
      }

      CompressedMatrix                    compressed;
      std::array<double, UMFPACK_CONTROL> control;
      void                               *numeric = nullptr;
      /** Memory that solve() uses again and again. */
      mutable std::vector<int>    integers;
      mutable std::vector<double> numbers;
    };


    /** The rows of this process as Trilinos wants them. */
    std::unique_ptr<const Epetra_CrsMatrix>
    as_epetra(const Matrix &matrix, const Partition *partition)
    {
      AssertThrow(dealii::Utilities::MPI::job_supports_mpi(),
                  dealii::ExcMessage("Trilinos needs MPI, also on one process: "
                                     "make a MPI_InitFinalize first."));
      const Epetra_MpiComm communicator(partition ? partition->communicator() :
                                                    MPI_COMM_SELF);
      const int            n_rows = matrix.m(), n_columns = matrix.n();
      const Epetra_Map     row_map(-1, n_rows, 0, communicator);
      std::vector<int>     numbers(n_columns);
      for (int i = 0; i < n_columns; ++i)
        numbers[i] = partition ? partition->numbers().local_to_global(i) : i;
      const Epetra_Map column_map(
        -1, n_columns, numbers.data(), 0, communicator);

      std::vector<int> lengths(n_rows);
      for (int i = 0; i < n_rows; ++i)
        lengths[i] = matrix.get_row_length(i);
      auto result = std::make_unique<Epetra_CrsMatrix>(
        Copy, row_map, column_map, lengths.data(), true);
      std::vector<int>    columns;
      std::vector<double> values;
      for (int i = 0; i < n_rows; ++i)
        {
          columns.clear();
          values.clear();
          for (auto entry = matrix.begin(i); entry != matrix.end(i); ++entry)
            {
              columns.push_back(entry->column());
              values.push_back(entry->value());
            }
          result->InsertMyValues(i,
                                 columns.size(),
                                 values.data(),
                                 columns.data());
        }
      result->FillComplete(row_map, row_map);
      result->OptimizeStorage();
      return result;
    }

    /**
     * Smoothed aggregation. Gauss-Seidel's smoother would take half the
     * iterations and as much time in 3-D, but more on several processes, where
     * it stops at the borders; Chebyshev's polynomial is the same everywhere.
     * Bounds of eigenvalues are norms: ML would find better ones from random
     * vectors, and a solution would then depend on what was solved before.
     */
    Teuchos::ParameterList
    multigrid_parameters(const bool is_like_mass)
    {
      Teuchos::ParameterList list;
      ML_Epetra::SetDefaults("SA", list);
      list.set("ML output", 0);
      if (is_like_mass)
        {
          list.set("max levels", 1);
          list.set("coarse: type", "symmetric Gauss-Seidel");
          list.set("coarse: sweeps", 1);
          return list;
        }
      list.set("smoother: type", "Chebyshev");
      list.set("smoother: sweeps", 1);
      list.set("eigen-analysis: type", "Anorm");
      list.set("aggregation: threshold", 0.02);
      list.set("coarse: type", "Amesos-KLU");
      list.set("coarse: max size", 2000);
      return list;
    }

    /**
     * Whether short time steps make a matrix so like a mass matrix that smooth
     * functions are not the difficult ones, and coarse meshes do not help: the
     * sum of its entries is 0 for an operator that is zero on constants, and
     * 9/4 of the diagonal's for a mass matrix in 2-D, 27/8 in 3-D.
     */
    bool
    is_like_mass(const Matrix &matrix, const Partition *partition)
    {
      constexpr double ratio = 0.5;

      std::array<double, 2> sums{{0., 0.}};
      for (std::size_t i = 0; i < matrix.m(); ++i)
        {
          sums[0] += matrix(i, i);
          for (auto entry = matrix.begin(i); entry != matrix.end(i); ++entry)
            sums[1] += entry->value();
        }
      if (partition)
        partition->sum(dealii::ArrayView<double>(sums.data(), 2));
      return sums[1] > ratio * sums[0];
    }


    /**
     * Conjugate gradients with algebraic multigrid of Trilinos, on any number
     * of processes.
     */
    class ConjugateGradients : public LinearSolver
    {
    public:
      ConjugateGradients(const Matrix                    &matrix,
                         const double                     tolerance,
                         std::shared_ptr<const Partition> the_partition)
        : tolerance(tolerance)
        , partition(std::move(the_partition))
        , matrix(as_epetra(matrix, partition.get()))
        , preconditioner(*this->matrix,
                         multigrid_parameters(
                           is_like_mass(matrix, partition.get())),
                         true)
        , residual(matrix.m())
        , direction(matrix.m())
        , product(matrix.m())
      {}

      void
      solve(Vector &x, const Vector &b) const override
      {
        constexpr unsigned int most_iterations = 1000;

        const std::size_t n         = b.size();
        const double      size_of_b = std::sqrt(sum(b * b));
        unsigned int      iteration = 0;
        if (size_of_b == 0.)
          x = 0.;
        else
          {
            multiply(residual, x);
            double square = 0.;
            for (std::size_t i = 0; i < n; ++i)
              {
                residual[i] = b[i] - residual[i];
                square += residual[i] * residual[i];
              }
            double old_slope = 1.;
            while (!(std::sqrt(square = sum(square)) <= tolerance * size_of_b))
              {
                if (iteration == most_iterations || !std::isfinite(square))
                  throw_no_convergence();
                Vector &preconditioned = product;
                precondition(preconditioned, residual);
                const double slope = sum(preconditioned * residual);
                direction.sadd(iteration == 0 ? 0. : slope / old_slope,
                               1.,
                               preconditioned);
                old_slope = slope;

                multiply(product, direction);
                const double curvature = sum(product * direction);
                if (!(curvature > 0.))
                  throw_no_convergence();
                const double length = slope / curvature;
                square              = 0.;
                for (std::size_t i = 0; i < n; ++i)
                  {
                    x[i] += length * direction[i];
                    residual[i] -= length * product[i];
                    square += residual[i] * residual[i];
                  }
                ++iteration;
              }
          }
        ++counts.n_solves;
        counts.sum += iteration;
        counts.largest = std::max(counts.largest, iteration);
      }

      void
      solve_transposed(Vector &x, const Vector &b) const override
      {
        solve(x, b);
      }

      std::string
      name() const override
      {
        return "conjugate gradients";
      }

      bool
      uses_guess() const override
      {
        return true;
      }

      Iterations
      iterations() const override
      {
        return counts;
      }

    private:
      double
      sum(const double number) const
      {
        return partition ? partition->sum(number) : number;
      }

      /** The own part of a vector as Trilinos sees it. */
      Epetra_Vector
      view(const Vector &vector) const
      {
        return Epetra_Vector(View,
                             matrix->RowMap(),
                             const_cast<double *>(vector.begin()));
      }

      void
      multiply(Vector &result, const Vector &vector) const
      {
        Epetra_Vector target = view(result);
        matrix->Multiply(false, view(vector), target);
      }

      void
      precondition(Vector &result, const Vector &vector) const
      {
        Epetra_Vector target = view(result);
        preconditioner.ApplyInverse(view(vector), target);
      }

      [[noreturn]] void
      throw_no_convergence() const
      {
        throw UnsuitableMatrix(
          "'conjugate gradients' do not converge for the matrix of a level. "
          "Look at the coefficients of the equation, or set 'Solver/Linear "
          "solver = UMFPACK'" +
          std::string(
            partition ? " and 'Parallel/Processes per replica' to 1." : "."));
      }

      const double                                  tolerance;
      const std::shared_ptr<const Partition>        partition;
      const std::unique_ptr<const Epetra_CrsMatrix> matrix;
      const ML_Epetra::MultiLevelPreconditioner     preconditioner;
      /** Memory. */
      mutable Vector     residual, direction, product;
      mutable Iterations counts;
    };
  } // namespace



  const LaneLoops &
  lane_loops()
  {
    static const LaneLoops &loops =
      for_vector_units(lane_loops_baseline, lane_loops_v3, lane_loops_v4);
    return loops;
  }



  void
  LinearSolver::solve_lanes(Vector &, const Vector &) const
  {
    AssertThrow(false, dealii::ExcNotImplemented());
  }



  double
  LinearSolver::log_determinant() const
  {
    throw UserError("The linear solver " + name() +
                    " does not know the determinant of its matrix; CHOLMOD "
                    "does.");
  }



  struct LinearSolverFactory::Analyses
  {
    std::unique_ptr<const CholmodAnalysis> cholmod;
    std::unique_ptr<const UmfpackAnalysis> umfpack;
    /** If it pays. */
    std::shared_ptr<const BandOrder> band;
  };



  LinearSolverFactory::LinearSolverFactory(
    const LinearSolverType           wanted,
    const bool                       is_symmetric,
    const double                     tolerance,
    std::shared_ptr<const Partition> the_partition,
    const double                     solves_per_matrix)
    : type(wanted != LinearSolverType::automatic ? wanted :
           !is_symmetric                         ? LinearSolverType::umfpack :
           the_partition ? LinearSolverType::conjugate_gradients :
                           wanted)
    , symmetric(is_symmetric)
    , tolerance(tolerance)
    , partition(std::move(the_partition))
    , solves_per_matrix(solves_per_matrix)
    , analyses(std::make_unique<Analyses>())
  {
    if (partition && !symmetric)
      throw UserError("The operator is not symmetric, and such equations are "
                      "solved by one process alone. Set 'Parallel/Processes "
                      "per replica' to 1.");
    if (partition && type != LinearSolverType::conjugate_gradients)
      throw UserError("'Solver/Linear solver = " + name_of(type) +
                      "' works on one process alone. Set it to 'conjugate "
                      "gradients' or 'automatic', or set 'Parallel/Processes "
                      "per replica' to 1.");
    if (type != LinearSolverType::umfpack && !symmetric)
      throw UserError("'Solver/Linear solver = " + name_of(type) +
                      "' needs a symmetric operator, and this one is not. Set "
                      "it to 'UMFPACK' or 'automatic'.");
  }



  LinearSolverFactory::~LinearSolverFactory() = default;



  std::unique_ptr<LinearSolver>
  LinearSolverFactory::make(const Matrix &matrix) const
  {
    const auto make_umfpack = [&]() {
      if (!analyses->umfpack)
        analyses->umfpack = std::make_unique<UmfpackAnalysis>(matrix);
      return std::make_unique<Umfpack>(matrix, *analyses->umfpack);
    };
    if (type == LinearSolverType::umfpack)
      return make_umfpack();
    if (type != LinearSolverType::conjugate_gradients)
      {
        if (!analyses->cholmod)
          {
            analyses->cholmod = std::make_unique<CholmodAnalysis>(matrix);
            if (type == LinearSolverType::automatic &&
                std::isfinite(solves_per_matrix))
              {
                const auto band = std::make_shared<const BandOrder>(matrix);
                if (band_pays(band->shape,
                              *analyses->cholmod,
                              solves_per_matrix))
                  analyses->band = band;
              }
          }
        if (type == LinearSolverType::cholmod)
          return std::make_unique<Cholmod>(matrix, *analyses->cholmod);
        if (analyses->cholmod->pays)
          try
            {
              if (analyses->band)
                return std::make_unique<BandedCholesky>(matrix, analyses->band);
              return std::make_unique<Cholmod>(matrix, *analyses->cholmod);
            }
          catch (const UnsuitableMatrix &)
            {
              return make_umfpack();
            }
      }
    return std::make_unique<ConjugateGradients>(matrix, tolerance, partition);
  }
} // namespace Tempera
