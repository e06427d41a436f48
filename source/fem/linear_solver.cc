// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/linear_solver.h>

#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/trilinos_precondition.h>

#include <algorithm>
#include <array>
#include <cholmod.h>
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
    /** And up to so many in all, which take 12 bytes each. */
    constexpr double most_entries = 5e8;

    /** A matrix in the rows or columns that SuiteSparse wants. */
    struct CompressedMatrix
    {
      /** @param lower_only Leave out what is above the diagonal. */
      CompressedMatrix(const Matrix &matrix, const bool lower_only)
        : starts(1, 0)
      {
        std::vector<std::pair<int, double>> row;
        for (std::size_t i = 0; i < matrix.m(); ++i)
          {
            row.clear();
            for (auto entry = matrix.begin(i); entry != matrix.end(i); ++entry)
              if (!lower_only || entry->column() <= i)
                row.emplace_back(entry->column(), entry->value());
            std::sort(row.begin(), row.end());
            for (const auto &entry : row)
              {
                indices.push_back(entry.first);
                values.push_back(entry.second);
              }
            starts.push_back(indices.size());
          }
      }

      std::vector<int>    starts, indices;
      std::vector<double> values;
    };


    /** Cholesky's factorisation by CHOLMOD. */
    class Cholmod : public LinearSolver
    {
    public:
      /** @param only_if_it_pays Whether to give up where others are faster. */
      explicit Cholmod(const Matrix &matrix, const bool only_if_it_pays = false)
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

        // Rows of the lower triangle are columns of the upper one.
        CompressedMatrix compressed(matrix, true);
        cholmod_sparse   upper{};
        upper.nrow   = matrix.m();
        upper.ncol   = matrix.n();
        upper.nzmax  = compressed.values.size();
        upper.p      = compressed.starts.data();
        upper.i      = compressed.indices.data();
        upper.x      = compressed.values.data();
        upper.stype  = 1;
        upper.itype  = CHOLMOD_INT;
        upper.xtype  = CHOLMOD_REAL;
        upper.dtype  = CHOLMOD_DOUBLE;
        upper.sorted = 1;
        upper.packed = 1;

        factor = cholmod_analyze(&upper, &common);
        if (factor != nullptr && only_if_it_pays &&
            (common.lnz > most_entries ||
             common.lnz > most_entries_in_a_row * matrix.m()))
          {
            pays = false;
            return;
          }
        if (factor != nullptr)
          cholmod_factorize(&upper, factor, &common);
        if (factor == nullptr || common.status != CHOLMOD_OK ||
            !is_positive_definite())
          {
            const bool out_of_memory = common.status == CHOLMOD_OUT_OF_MEMORY;
            release();
            throw UserError(
              out_of_memory ?
                "There is not enough memory to factorise the matrix of a "
                "level. Set 'Solver/Linear solver = conjugate gradients', or "
                "make the mesh coarser." :
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

      std::string
      name() const override
      {
        return "CHOLMOD";
      }

      /** Whether the matrix was factorised. */
      bool pays = true;

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
    };


    /** Gauss' elimination by UMFPACK, without its iterative refinement. */
    class Umfpack : public LinearSolver
    {
    public:
      explicit Umfpack(const Matrix &matrix)
        : compressed(matrix, false)
        , integers(matrix.m())
        , numbers(matrix.m())
      {
        umfpack_di_defaults(control.data());
        control[UMFPACK_IRSTEP] = 0;

        const int n        = matrix.m();
        void     *symbolic = nullptr;
        int       status   = umfpack_di_symbolic(n,
                                         n,
                                         compressed.starts.data(),
                                         compressed.indices.data(),
                                         compressed.values.data(),
                                         &symbolic,
                                         control.data(),
                                         nullptr);
        if (status == UMFPACK_OK)
          status = umfpack_di_numeric(compressed.starts.data(),
                                      compressed.indices.data(),
                                      compressed.values.data(),
                                      symbolic,
                                      &numeric,
                                      control.data(),
                                      nullptr);
        umfpack_di_free_symbolic(&symbolic);
        if (status != UMFPACK_OK)
          {
            umfpack_di_free_numeric(&numeric);
            throw UserError(
              status == UMFPACK_ERROR_out_of_memory ?
                "There is not enough memory to factorise the matrix of a "
                "level. Make the mesh coarser." :
                "The matrix of a level is singular. Look at the coefficients "
                "and the boundary conditions of the equation.");
          }
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


    /** Conjugate gradients with algebraic multigrid of Trilinos. */
    class ConjugateGradients : public LinearSolver
    {
    public:
      ConjugateGradients(const Matrix &matrix, const double tolerance)
        : matrix(matrix)
        , tolerance(tolerance)
      {
        dealii::TrilinosWrappers::PreconditionAMG::AdditionalData data;
        data.elliptic              = true;
        data.aggregation_threshold = 0.02;
        preconditioner.initialize(matrix, data);
      }

      void
      solve(Vector &x, const Vector &b) const override
      {
        dealii::SolverControl    control(1000, tolerance * b.l2_norm());
        dealii::SolverCG<Vector> solver(control);
        solver.solve(matrix, x, b, preconditioner);
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

    private:
      const Matrix                             &matrix;
      const double                              tolerance;
      dealii::TrilinosWrappers::PreconditionAMG preconditioner;
    };
  } // namespace



  std::vector<std::string>
  linear_solver_names()
  {
    return {"automatic", "CHOLMOD", "UMFPACK", "conjugate gradients"};
  }



  std::unique_ptr<LinearSolver>
  make_linear_solver(const std::string &name,
                     const Matrix      &matrix,
                     const bool         is_symmetric,
                     const double       tolerance)
  {
    if (name == "automatic" && is_symmetric)
      {
        auto cholmod = std::make_unique<Cholmod>(matrix, true);
        if (cholmod->pays)
          return cholmod;
      }
    const std::string choice = name != "automatic" ? name :
                               is_symmetric        ? "conjugate gradients" :
                                                     "UMFPACK";
    if (choice != "UMFPACK" && !is_symmetric)
      throw UserError("'Solver/Linear solver = " + choice +
                      "' needs a symmetric operator, and this one is not. Set "
                      "it to 'UMFPACK' or 'automatic'.");
    if (choice == "CHOLMOD")
      return std::make_unique<Cholmod>(matrix);
    if (choice == "UMFPACK")
      return std::make_unique<Umfpack>(matrix);
    return std::make_unique<ConjugateGradients>(matrix, tolerance);
  }
} // namespace Tempera
