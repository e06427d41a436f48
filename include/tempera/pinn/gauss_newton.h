// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_gauss_newton_h
#define tempera_pinn_gauss_newton_h

#include <tempera/pinn/network_sweep.h>
#include <tempera/sampler/energy.h>

#include <deal.II/lac/full_matrix.h>

#include <functional>
#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Linearises the misfits of a network in its state. With residuals \f$r\f$,
   * their Jacobian \f$J\f$ and the precisions \f$\Lambda\f$ of the prior, the
   * posterior is near a state a Gaussian with covariance
   * \f$(\Lambda + J^TJ)^{-1}\f$. There are fewer misfits than weights, so that
   * systems are solved in the space of misfits:
   * \f$(\Lambda + J^TJ)^{-1} = \Lambda^{-1} - \Lambda^{-1}J^T(I +
   * J\Lambda^{-1}J^T)^{-1}J\Lambda^{-1}\f$.
   *
   * Always with double numbers.
   */
  class GaussNewton
  {
  public:
    /**
     * @param exponents The powers of prior and likelihood in the target that
     * is linearised.
     */
    GaussNewton(const std::shared_ptr<const NetworkModel> &model,
                std::vector<MisfitSet>                     sets,
                const Exponents                           &exponents);

    /** How the minimisation went. */
    struct Report
    {
      unsigned int n_iterations = 0;
      double       first_energy = 0.;
      double       last_energy  = 0.;
      /** Neither the limit of iterations nor a stop has ended it. */
      bool is_converged = false;
    };

    /**
     * Minimise the tempered energy by the method of Levenberg and Marquardt.
     * The state stays inside the bounds of the coefficients.
     *
     * @param moves_unknowns Whether the coefficients are moved, too.
     * @param is_stopped Asked before every iteration, with those done.
     */
    Report
    minimise(std::vector<double>                           &state,
             const unsigned int                             max_iterations,
             const bool                                     moves_unknowns,
             const std::function<bool(const unsigned int)> &is_stopped);

    /**
     * Standard deviations of an output at places by the linearisation at a
     * state; empty if there is none.
     *
     * @param inputs All inputs of each place.
     */
    std::vector<double>
    deviations(const std::vector<double> &state,
               const unsigned int         output,
               const std::vector<double> &inputs);

    /**
     * What the data tell of the unknown coefficients when the weights are free
     * (see Information): \f$H = LC^{-1}L - I\f$ with their covariance
     * \f$C\f$ by the linearisation and the standard deviations \f$L\f$ of
     * their priors. Empty if there is no linearisation.
     */
    dealii::FullMatrix<double>
    information(const std::vector<double> &state);

  private:
    /** Value of the tempered energy. */
    double
    energy(const std::vector<double> &state);

    /** Fill residuals and Jacobian. */
    void
    linearise(const std::vector<double> &state);

    /**
     * Factorise \f$I + J D J^T\f$ for a diagonal \f$D\f$; returns whether that
     * was possible.
     */
    bool
    factorise(const std::vector<double> &diagonal);

    /** Replace @p values by the solution of the factorised system. */
    void
    solve(std::vector<double> &values) const;

    /** Linearise and factorise without damping; returns the inverse of
     * \f$\Lambda\f$, or nothing if that was not possible. */
    std::vector<double>
    prepare_covariances(const std::vector<double> &state);

    /** Covariance of two linear functions of the state. */
    double
    covariance(const std::vector<double> &diagonal,
               const std::vector<double> &one,
               const std::vector<double> &other) const;

    /** \f$\Lambda\f$ at a state. */
    std::vector<double>
    prior_precisions(const std::vector<double> &state) const;

    const std::shared_ptr<const NetworkModel> model;
    const StateSpace                          space;
    const Exponents                           exponents;
    NetworkSweep<double>                      sweep;

    struct Place
    {
      unsigned int set, term, point;
    };
    /** Of every misfit. */
    std::vector<Place> places;

    std::vector<double> residuals;
    /** \f$J\f$, a row for each misfit. */
    std::vector<double> jacobian;
    /** Lower factor of Cholesky, by rows. */
    std::vector<double> factor;
    /** For the product. */
    dealii::AlignedVector<double> scaled_transpose, gram;
  };
} // namespace Tempera

#endif
