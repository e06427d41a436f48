// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_diagonal_gaussian_h
#define tempera_tests_diagonal_gaussian_h

#include "tests.h"

namespace Tempera
{
  namespace Testing
  {
    /**
     * Independent normal unknowns around zero. Of each precision, a given share
     * belongs to the prior (the reference part).
     */
    class DiagonalGaussian : public Energy
    {
    public:
      explicit DiagonalGaussian(std::vector<double> variances,
                                const double        share_of_prior = 0.25,
                                const bool          separate       = false)
        : variances(std::move(variances))
        , share_of_prior(share_of_prior)
        , separate(separate)
        , state_space(std::vector<Coordinate>(this->variances.size(), weight()))
      {}

      const StateSpace &
      space() const override
      {
        return state_space;
      }

      bool
      is_integrable(const Exponents &) const override
      {
        return true;
      }

      bool
      gradients_are_separate() const override
      {
        return separate;
      }

      void
      evaluate(const dealii::ArrayView<const double> &state,
               const RandomKey &,
               const Request request,
               Evaluation   &evaluation) const override
      {
        double energy = 0.;
        for (std::size_t i = 0; i < variances.size(); ++i)
          {
            const double gradient = state[i] / variances[i];
            energy += 0.5 * state[i] * gradient;
            if (request != Request::values)
              {
                evaluation.reference_gradient[i] = share_of_prior * gradient;
                evaluation.potential_gradient[i] =
                  (1. - share_of_prior) * gradient;
              }
          }
        if (request != Request::gradients)
          {
            evaluation.reference = share_of_prior * energy;
            evaluation.potential = (1. - share_of_prior) * energy;
          }
      }

    private:
      static Coordinate
      weight()
      {
        Coordinate coordinate;
        coordinate.name     = "w";
        coordinate.recorded = false;
        return coordinate;
      }

      const std::vector<double> variances;
      const double              share_of_prior;
      const bool                separate;
      const StateSpace          state_space;
    };
  } // namespace Testing
} // namespace Tempera

#endif
