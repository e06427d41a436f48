// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_field_parameters_h
#define tempera_fem_field_parameters_h

#include <tempera/fem/domain.h>
#include <tempera/fem/local_fields.h>
#include <tempera/target/forward_target.h>

#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** What a parameter file says of an unknown field. */
  struct FieldParameters
  {
    FieldLattice::Kind        kind = FieldLattice::Kind::nodes;
    std::vector<unsigned int> subdivisions{16};
    /** Empty: those of the domain. */
    std::vector<double> lower, upper;
    double              deviation = 1.;
    /** Empty if it was not given. */
    std::vector<double> lengths;
    /** In degrees. */
    double      angle          = 0.;
    bool        robin          = true;
    bool        is_exponential = false;
    std::string mean           = "0", truth, threshold;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** A field that is ready to be used. */
  struct MadeField
  {
    FieldUnknown  field;
    JointUnknowns unknowns;
    /** Empty if it is not known. */
    std::vector<double> truth;
    /** What formulas see of it in the middle. */
    double middle;
  };


  /** Make a field with its prior; what cannot be one is a UserError. */
  MadeField
  make_field(const std::string     &name,
             const FieldParameters &parameters,
             const unsigned int     dimension,
             const Domain          &domain);
} // namespace Tempera

#endif
