// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/words.h>
#include <tempera/fem/field_files.h>
#include <tempera/fem/field_parameters.h>
#include <tempera/fem/field_prior.h>
#include <tempera/problems/expression.h>

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Variances beyond this many would take too many solves. */
    constexpr unsigned int most_variances = 2000;

    /** One number for all directions, or one for each. */
    template <typename Number>
    std::vector<Number>
    by_direction(const std::vector<Number> &numbers,
                 const unsigned int         dimension,
                 const std::string         &entry)
    {
      if (numbers.size() == dimension)
        return numbers;
      if (numbers.size() != 1)
        throw UserError("'" + entry + "' has " +
                        counted(numbers.size(), "number") + " in " +
                        counted(dimension, "dimension") +
                        ". Give one number for all directions or one for "
                        "each.");
      return std::vector<Number>(dimension, numbers[0]);
    }


    /** Names of the numbers of a field. */
    std::string
    name_of(const std::string &field, const unsigned int i)
    {
      return field + "_" + std::to_string(i);
    }


    template <int dim>
    JointUnknowns
    nodal_unknowns(const FieldLattice    &lattice,
                   const FieldParameters &parameters,
                   const PlaceExpression &mean)
    {
      Domain box;
      box.lower = lattice.lower;
      box.upper = lattice.upper;
      FemLevelParameters level;
      level.subdivisions = lattice.subdivisions;
      const auto prior   = std::make_shared<FieldPrior<dim>>(
        lattice.name,
        make_mesh<dim>(box, level, MPI_COMM_SELF),
        [&]() {
          BiLaplacian<dim> coefficients =
            matern_field<dim>(parameters.deviation,
                              parameters.lengths,
                              parameters.angle * M_PI / 180.);
          coefficients.robin = parameters.robin;
          return coefficients;
        }(),
        [&](const dealii::Point<dim> &place) { return mean(&place[0], 0.); });

      JointUnknowns             result;
      const std::vector<double> means = prior->centre();
      for (unsigned int i = 0; i < means.size(); ++i)
        result.marginals.push_back(
          {name_of(lattice.name, i),
           Prior::normal(means[i],
                         means.size() <= most_variances ?
                           std::sqrt(prior->variance(i)) :
                           parameters.deviation)});
      result.prior = prior;
      result.description =
        "field " + lattice.name + ": " + counted(means.size(), "nodal value") +
        ", Matern field with standard deviation " +
        to_text(parameters.deviation) + " and correlation length " +
        join(parameters.lengths);
      return result;
    }


    JointUnknowns
    block_unknowns(const FieldLattice    &lattice,
                   const FieldParameters &parameters,
                   const PlaceExpression &mean)
    {
      JointUnknowns result;
      for (unsigned int i = 0; i < lattice.n_values(); ++i)
        result.marginals.push_back(
          {name_of(lattice.name, i),
           Prior::normal(mean(lattice.place(i).data(), 0.),
                         parameters.deviation)});
      result.prior       = std::make_shared<IndependentPrior>(result.marginals);
      result.description = "field " + lattice.name + ": " +
                           counted(lattice.n_values(), "block") +
                           ", independent with standard deviation " +
                           to_text(parameters.deviation);
      return result;
    }
  } // namespace



  void
  FieldParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    declare_choice<FieldLattice::Kind>(
      prm,
      "Values",
      kind,
      {{"nodes", FieldLattice::Kind::nodes},
       {"blocks", FieldLattice::Kind::blocks}},
      "What is unknown: values at the nodes of a lattice, linear between them, with a Matern field as prior; or values of its blocks, independent of each other.");
    prm.add_parameter(
      "Subdivisions",
      subdivisions,
      "Number of cells of the lattice in each direction: one number for all directions or one for each. It need not have to do with the mesh of a level.",
      List(Integer(1), 1, 3));
    prm.add_parameter(
      "Lower corner",
      lower,
      "Corner of the lattice with the smallest coordinates: one number for all directions or one for each. Empty: that of the domain.",
      List(Double(), 0, 3));
    prm.add_parameter("Upper corner",
                      upper,
                      "Corner of the lattice with the largest coordinates.",
                      List(Double(), 0, 3));
    prm.add_parameter("Mean",
                      mean,
                      "Mean of the prior, a formula in the coordinates.",
                      Anything());
    declare_number_above(
      prm,
      "Standard deviation",
      deviation,
      0.,
      "Standard deviation of the prior. For nodes: far from the boundary of the lattice.");
    prm.add_parameter(
      "Correlation length",
      lengths,
      "For nodes: distance at which the correlation has fallen to about 0.1; one for all directions or one along each axis.",
      List(Double(0.), 0, 3));
    prm.add_parameter(
      "Angle",
      angle,
      "In two dimensions: by how many degrees, counter-clockwise, the axes of the correlation lengths are turned.",
      Double());
    declare_choice<bool>(
      prm,
      "Boundary",
      robin,
      {{"Robin", true}, {"Neumann", false}},
      "For nodes, what the differential operator behind the prior meets at the boundary of the lattice: with 'Robin' the variance there is about that inside, with 'Neumann' about twice as large.");
    declare_choice<bool>(
      prm,
      "Map",
      is_exponential,
      {{"none", false}, {"exp", true}},
      "What formulas see under the name of the field: its values, or with 'exp' their exponential, which is positive.");
    prm.add_parameter(
      "Truth",
      truth,
      "The true field, a formula in the coordinates, before the map: for synthetic data and pictures. Empty: not known.",
      Anything());
    prm.add_parameter(
      "Threshold",
      threshold,
      "A value of the field as formulas see it, after the map: the probability that it is higher is shown as a picture. Empty: none.",
      Anything());
  }



  MadeField
  make_field(const std::string     &name,
             const FieldParameters &parameters,
             const unsigned int     dimension,
             const Domain          &domain)
  {
    const std::string section = "Problem/Fields/" + name + "/";
    if (!domain.mesh_file.empty() &&
        (parameters.lower.empty() || parameters.upper.empty()))
      throw UserError("The domain comes from a mesh file, so that '" + section +
                      "Lower corner' and 'Upper corner' must say where the "
                      "field is. Give the corners of a box around the domain.");
    const auto corner = [&](const std::vector<double> &own,
                            const std::vector<double> &of_domain,
                            const std::string         &entry) {
      return own.empty() ?
               by_direction(of_domain, dimension, "Problem/" + entry) :
               by_direction(own, dimension, section + entry);
    };
    MadeField result;
    result.field.lattice = std::make_shared<FieldLattice>(
      name,
      parameters.kind,
      corner(parameters.lower, domain.lower, "Lower corner"),
      corner(parameters.upper, domain.upper, "Upper corner"),
      by_direction(parameters.subdivisions,
                   dimension,
                   section + "Subdivisions"));
    const FieldLattice &lattice = *result.field.lattice;
    result.field.is_exponential = parameters.is_exponential;
    result.field.scale          = parameters.deviation;

    PlaceExpression mean;
    mean.set(parameters.mean, dimension, section + "Mean", false);
    const bool is_nodal = parameters.kind == FieldLattice::Kind::nodes;
    if (is_nodal && parameters.lengths.empty())
      throw UserError("'" + section +
                      "Correlation length' is missing: over which distance "
                      "do values of the field know of each other? Give one "
                      "length, or one along each axis.");
    if (!is_nodal && !parameters.lengths.empty())
      throw UserError("'" + section +
                      "Correlation length' is given, but blocks are "
                      "independent of each other. Remove it, or set 'Values = "
                      "nodes'.");
    if (parameters.angle != 0. && (dimension != 2 || !is_nodal))
      throw UserError("'" + section +
                      "Angle' turns the axes of a correlation in two "
                      "dimensions, and there are none here. Remove it.");
    for (const double length : parameters.lengths)
      if (!(length > 0.))
        throw UserError("'" + section + "Correlation length' must be above 0.");
    if (is_nodal)
      by_direction(parameters.lengths,
                   dimension,
                   section + "Correlation length");
    result.unknowns =
      !is_nodal      ? block_unknowns(lattice, parameters, mean) :
      dimension == 1 ? nodal_unknowns<1>(lattice, parameters, mean) :
      dimension == 2 ? nodal_unknowns<2>(lattice, parameters, mean) :
                       nodal_unknowns<3>(lattice, parameters, mean);

    result.unknowns.name = name;
    result.unknowns.write =
      [lattice = result.field.lattice](const JointUnknowns::Columns &columns,
                                       const FieldFileNames         &names) {
        write_lattice_files(*lattice, columns, names);
      };

    if (!parameters.threshold.empty())
      {
        const std::optional<double> value =
          Prior::number_from_text(parameters.threshold);
        if (!value || (parameters.is_exponential && !(*value > 0.)))
          throw UserError("'" + section + "Threshold' is '" +
                          parameters.threshold + "', and must be a number" +
                          (parameters.is_exponential ?
                             " above 0, since formulas see an exponential." :
                             "."));
        result.unknowns.threshold =
          parameters.is_exponential ? std::log(*value) : *value;
        result.unknowns.threshold_text = "probability above " + to_text(*value);
      }
    if (!parameters.truth.empty())
      {
        PlaceExpression truth;
        truth.set(parameters.truth, dimension, section + "Truth", false);
        for (unsigned int i = 0; i < lattice.n_values(); ++i)
          result.truth.push_back(truth(lattice.place(i).data(), 0.));
      }
    const double middle = result.unknowns.marginals[0].prior.middle();
    result.middle       = parameters.is_exponential ? std::exp(middle) : middle;
    return result;
  }
} // namespace Tempera
