// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_local_fields_h
#define tempera_fem_local_fields_h

#include <tempera/fem/field_lattice.h>
#include <tempera/problems/problem.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /** An unknown field in an equation. */
  struct FieldUnknown
  {
    std::shared_ptr<const FieldLattice> lattice;
    /** The parameter of the problem that it is. */
    unsigned int parameter = 0;
    /** Whether formulas see the exponential of what is unknown. */
    bool is_exponential = false;
    /** How much it varies. */
    double scale = 1.;
  };


  /**
   * Some fields at the points of one set: an equation knows fields by their
   * values there, and derivatives go back through the transpose of the
   * interpolation.
   *
   * The values of all parameters are those of the problem, then the numbers of
   * the fields.
   */
  class LocalFields
  {
  public:
    LocalFields() = default;

    /**
     * @param fields All of them.
     * @param functions Whose fields are of interest.
     */
    LocalFields(const Problem                   &problem,
                const std::vector<FieldUnknown> &fields,
                const std::vector<unsigned int> &functions,
                const std::vector<double>       &points);

    bool
    empty() const
    {
      return members.empty();
    }

    unsigned int
    size() const
    {
      return members.size();
    }

    /** The parameter that a field is. */
    unsigned int
    parameter(const unsigned int i) const
    {
      return members[i].field.parameter;
    }

    /** The fields at the points. */
    struct Values
    {
      std::vector<std::vector<double>> memory;
      std::vector<LocalValues>         local;
    };

    Values
    at(const dealii::ArrayView<const double> &theta) const;

    /**
     * Add what a derivative in the local values of field @p i, with weights, is
     * for its numbers.
     *
     * @param slopes By point, weights included; they are changed.
     * @param gradient In the numbers of all fields.
     */
    void
    scatter(const unsigned int i,
            const Values      &values,
            double            *slopes,
            double            *gradient) const;

  private:
    struct Member
    {
      FieldUnknown field;
      FieldRows    rows;
      /** Of its numbers among those of all fields. */
      std::size_t first;
    };

    /** Of the problem. */
    std::size_t         n_parameters = 0;
    std::vector<Member> members;
  };


  /** Parameters that are fields. */
  std::vector<unsigned int>
  parameters_of(const std::vector<FieldUnknown> &fields);

  /** How many numbers all fields have. */
  std::size_t
  n_values_of(const std::vector<FieldUnknown> &fields);
} // namespace Tempera

#endif
