// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_operator_family_h
#define tempera_fem_operator_family_h

#include <tempera/fem/local_fields.h>
#include <tempera/fem/repeated_assembly.h>
#include <tempera/fem/space_discretisation.h>
#include <tempera/fem/time_course.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * The matrices of a linear operator as a function of the parameters. What
   * no unknown changes is assembled once; a term whose unknowns are in its
   * scale is a multiple of a matrix that was assembled once.
   */
  template <int dim>
  class OperatorFamily
  {
  public:
    /**
     * @param values Of all parameters, for what no unknown changes.
     * @param unknowns Indices of the unknown ones.
     * @param fields Those that are fields.
     */
    OperatorFamily(const Problem                   &problem,
                   const SpaceDiscretisation<dim>  &space,
                   const std::vector<double>       &values,
                   const std::vector<unsigned int> &unknowns,
                   const std::vector<FieldUnknown> &fields = {});

    /** Unknown parameters, fields included, that the operator depends on. */
    const std::vector<unsigned int> &
    unknowns_in_operator() const
    {
      return in_operator;
    }

    /** Whether the matrices are symmetric. */
    bool
    is_symmetric() const;

    EvolutionMatrices
    at(const std::vector<double> &theta) const;

    /** Derivatives in the unknowns that all come from one matrix. */
    struct Derivative
    {
      OperatorKind                          kind;
      std::shared_ptr<const OperatorMatrix> matrix;
      /** Places among the unknowns, with factors of the matrix. */
      std::vector<std::pair<unsigned int, double>> factors;
    };

    /** In the unknowns that are no fields. */
    std::vector<Derivative>
    derivatives_at(const std::vector<double> &theta) const;

    /**
     * The derivative of \f$\sum_n\lambda_n\cdot A(\theta) u_n\f$ in the
     * numbers of fields. The sum over the steps is one over the coefficients at
     * the integration points, whatever the number of unknowns.
     */
    class FieldSensitivity
    {
    public:
      explicit FieldSensitivity(const OperatorFamily &family);

      /** Whether there is nothing to do. */
      bool
      empty() const
      {
        return sums.empty();
      }

      /** Add a step. */
      void
      add(const dealii::Vector<double> &multiplier,
          const TimeCourse::StepStates &states);

      /** Subtract the derivative from the gradient in the fields' numbers. */
      void
      subtract_from(const std::vector<double> &theta, double *gradient) const;

    private:
      const OperatorFamily &family;
      /** By term of the family: at its points; empty without fields. */
      std::vector<std::vector<double>> sums;
    };

  private:
    struct Term
    {
      OperatorTerm                             description;
      std::shared_ptr<const IntegrationPoints> points;
      /** Without the scale; null if an unknown is in the function. */
      std::shared_ptr<const OperatorMatrix> matrix;
      /** The least and the largest value of the function, with the matrix. */
      std::vector<double> range;
      /** Whether an unknown is in the scale. */
      bool scale_varies;
      /** In the function. */
      LocalFields fields = {};
      /** Without the matrix. */
      std::shared_ptr<const RepeatedAssembly<dim>> assembly = {};
    };

    /** The coefficient of a term at its points, without the scale. */
    std::vector<double>
    coefficient(const Term &term, const std::vector<double> &theta) const;

    /**
     * The same with its derivatives in parameters.
     *
     * @param local The fields at the points.
     */
    std::vector<double>
    slopes(const Term                      &term,
           const std::vector<double>       &theta,
           const std::vector<unsigned int> &active,
           const LocalFields::Values       &local) const;

    /**
     * Throw UnsuitableMatrix if a coefficient has a sign without meaning.
     *
     * @param coefficient At the points of the term, or its extreme values.
     * @param theta For the message.
     */
    void
    check_sign(const Term                &term,
               const std::vector<double> &coefficient,
               const double               scale,
               const std::vector<double> &theta) const;

    /** The scale of a term, with its derivatives in the unknowns. */
    double
    scale(const Term                &term,
          const std::vector<double> &theta,
          std::vector<double>       *slopes = nullptr) const;

    const Problem                  &problem;
    const SpaceDiscretisation<dim> &space;
    const std::vector<unsigned int> unknowns;
    std::vector<unsigned int>       in_operator;
    std::vector<Term>               terms;
    /** The sum of what no unknown changes. */
    EvolutionMatrices constant;
  };
} // namespace Tempera

#endif
