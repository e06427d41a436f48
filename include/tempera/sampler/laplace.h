// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_laplace_h
#define tempera_sampler_laplace_h

#include <tempera/base/archive.h>
#include <tempera/sampler/kernel.h>

#include <cstdint>
#include <vector>

namespace Tempera
{
  /**
   * A Gaussian law that is close to the target of a rung, by the method of
   * Laplace: around the maximum of the density, with the inverse of its
   * Gauss-Newton Hessian as covariance,
   * \f[
   *   \Sigma^{-1} = C^{-1} + w\,W^TW,
   * \f]
   * where the prior is \f$N(m, C)\f$, \f$W\f$ are the Energy::sensitivities()
   * and \f$w\f$ is the exponent of the likelihood. It differs from the prior in
   * no more directions than there are measurements. With the eigenpairs
   * \f$w\,WCW^T v_k = \lambda_k v_k\f$ these are
   * \f[
   *   u_k = C\,t_k, \qquad t_k = \sqrt{w/\lambda_k}\;W^T v_k, \qquad
   *   t_k\cdot u_l = \delta_{kl},
   * \f]
   * and a state has the coordinates \f$a_k = t_k\cdot(x-m)\f$ along them, which
   * under the prior are independent standard normal numbers. The law is
   * \f$a_k \sim N(b_k, 1/(1+\lambda_k))\f$, and the prior in all other
   * directions. Nothing dense is made, and \f$C\f$ is only ever multiplied
   * with.
   */
  class LaplaceApproximation
  {
  public:
    /** The prior itself. */
    LaplaceApproximation() = default;

    /**
     * Go from a state to the maximum by Gauss and Newton's method, and look
     * around there. Where that fails, the law is as good as it could be found;
     * it is the prior where there are no sensitivities.
     *
     * @param context Where the prior is Gaussian, and not tempered.
     * @param replica Ends at the highest density that was found.
     * @param trial Memory.
     * @param outcome Takes note of evaluations.
     */
    LaplaceApproximation(const StepContext &context,
                         Replica           &replica,
                         Replica           &trial,
                         StepOutcome       &outcome);

    /** \f$\lambda_k\f$, largest first. */
    const std::vector<double> &
    get_eigenvalues() const
    {
      return eigenvalues;
    }

    /** Whether the method has come to an end at a maximum. */
    bool
    has_converged() const
    {
      return converged;
    }

    /** Add \f$\sum_k b_k u_k\f$ to the mean of the prior. */
    void
    move_centre(std::vector<double> &mean) const;

    /** Make a draw of \f$N(0, \Sigma)\f$ of one of \f$N(0, C)\f$. */
    void
    shape(std::vector<double> &draw) const;

    /**
     * The logarithm of the density of the prior with respect to this law, up to
     * a constant: \f$\sum_k \frac{\lambda_k}{2}(a_k-b_k)^2 - a_kb_k\f$.
     *
     * @param mean That of the prior.
     */
    double
    log_density_of_prior(const std::vector<double> &mean,
                         const std::vector<double> &position) const;

    /**
     * What is missing in log_density_of_prior(): \f$\sum_k \frac12 b_k^2 -
     * \frac12\log(1+\lambda_k)\f$.
     */
    double
    log_constant() const;

    /** How far apart two states are, in deviations of the law. */
    double
    distance(const std::vector<double> &one,
             const std::vector<double> &other) const;

    /** \f$u_k/\sqrt{1+\lambda_k}\f$: one deviation of the law. */
    std::vector<double>
    deviation_along(const std::size_t k) const;

    /**
     * The same law with deviations that are so many times as large, where they
     * are not those of the prior then.
     */
    LaplaceApproximation
    widened(const double factor) const;

    /** Make variances under the prior those under this law. */
    void
    reduce_variances(std::vector<double> &variances) const;

    /** @param dimension Number of unknowns. */
    template <typename Archive>
    void
    serialize(Archive &archive, const std::uint64_t dimension)
    {
      serialize_vector(archive, eigenvalues, dimension);
      for (const double eigenvalue : eigenvalues)
        if (!(eigenvalue > 0.) || eigenvalue > 1e300)
          throw ArchiveError("an eigenvalue is not positive");
      places.resize(eigenvalues.size());
      serialize_fixed(archive, places);
      for (auto *list : {&directions, &duals})
        {
          list->resize(eigenvalues.size(), std::vector<double>(dimension));
          for (std::vector<double> &one : *list)
            serialize_fixed(archive, one);
        }
    }

  private:
    /** Find the directions at a state; false, and none, if that fails. */
    bool
    find_directions(const StepContext         &context,
                    const std::vector<double> &position,
                    StepOutcome               &outcome);

    /** \f$\lambda_k\f$ and \f$b_k\f$ */
    std::vector<double> eigenvalues, places;
    /** \f$u_k\f$ and \f$t_k\f$ */
    std::vector<std::vector<double>> directions, duals;
    /** Of interest where the law was found, and not kept. */
    bool converged = false;
  };
} // namespace Tempera

#endif
