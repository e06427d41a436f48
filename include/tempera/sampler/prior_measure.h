// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_prior_measure_h
#define tempera_sampler_prior_measure_h

#include <tempera/sampler/random.h>
#include <tempera/sampler/state_space.h>

#include <deal.II/base/array_view.h>

#include <cstddef>
#include <vector>

namespace Tempera
{
  /**
   * What is known before there are data: a law on the state space that can be
   * evaluated, drawn from, and asked for its covariance. The reference part of
   * an Energy is the energy() of such a law.
   */
  class PriorMeasure
  {
  public:
    virtual ~PriorMeasure() = default;

    /** Names and supports of the unknowns. */
    virtual const StateSpace &
    space() const = 0;

    /**
     * Minus the logarithm of the density, without its constant
     * log_normaliser(). Fills the gradient, too, unless that has no entries.
     */
    virtual double
    energy(const dealii::ArrayView<const double> &state,
           const dealii::ArrayView<double>       &gradient) const = 0;

    /** The logarithm of the integral of \f$\exp(-\text{energy})\f$. */
    virtual double
    log_normaliser() const = 0;

    /** Whether the density to this power has a finite integral. */
    virtual bool
    is_integrable(const double power) const = 0;

    /** A draw: a function of the key alone. */
    virtual std::vector<double>
    sample(const RandomKey &key) const = 0;

    /** A point in the middle. */
    virtual std::vector<double>
    centre() const = 0;

    /** \f$C v\f$ with the covariance \f$C\f$. */
    virtual void
    apply_covariance(const dealii::ArrayView<const double> &vector,
                     const dealii::ArrayView<double>       &result) const = 0;

    /**
     * Whether the law is Gaussian: then centre() is its mean, and a random walk
     * with apply_covariance_root() can keep it.
     */
    virtual bool
    is_gaussian() const
    {
      return false;
    }

    /** Number of columns of the root, which need not be square. */
    virtual std::size_t
    root_size() const
    {
      return space().dimension();
    }

    /**
     * \f$L v\f$ with some \f$L\f$ such that \f$L L^T = C\f$; \f$v\f$ has
     * root_size() entries.
     */
    virtual void
    apply_covariance_root(const dealii::ArrayView<const double> &vector,
                          const dealii::ArrayView<double> &result) const = 0;
  };
} // namespace Tempera

#endif
