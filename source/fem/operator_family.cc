// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/operator_family.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    void
    add_term(EvolutionMatrices    &matrices,
             const OperatorKind    kind,
             const double          factor,
             const OperatorMatrix &term)
    {
      std::unique_ptr<OperatorMatrix> &sum =
        kind == OperatorKind::inertia  ? matrices.inertia :
        kind == OperatorKind::capacity ? matrices.capacity :
                                         matrices.stiffness;
      if (!sum)
        {
          sum = std::make_unique<OperatorMatrix>();
          sum->copy_from(term);
          sum->scale(factor);
        }
      else
        sum->add(factor, term);
    }

    EvolutionMatrices
    copy_of(const EvolutionMatrices &matrices)
    {
      EvolutionMatrices result;
      for (const auto role : {&EvolutionMatrices::inertia,
                              &EvolutionMatrices::capacity,
                              &EvolutionMatrices::stiffness})
        if (matrices.*role)
          {
            result.*role = std::make_unique<OperatorMatrix>();
            (result.*role)->copy_from(*(matrices.*role));
          }
      return result;
    }
  } // namespace



  template <int dim>
  OperatorFamily<dim>::OperatorFamily(const Problem                   &problem,
                                      const SpaceDiscretisation<dim>  &space,
                                      const std::vector<double>       &values,
                                      const std::vector<unsigned int> &unknowns,
                                      const std::vector<FieldUnknown> &fields)
    : problem(problem)
    , space(space)
    , unknowns(unknowns)
  {
    std::vector<unsigned int> varying = unknowns;
    for (const unsigned int field : parameters_of(fields))
      varying.push_back(field);
    for (const OperatorTerm &description : problem.operator_terms())
      {
        for (const unsigned int function :
             {description.function, description.scale})
          if (function != no_function &&
              problem.functions()[function].varies_in_time)
            throw UserError("The coefficient '" +
                            problem.functions()[function].name +
                            "' of the operator varies in time, which this "
                            "version cannot solve.");
        for (const unsigned int parameter : varying)
          if ((problem.depends_on(description.function, {parameter}) ||
               problem.depends_on(description.scale, {parameter})) &&
              std::find(in_operator.begin(), in_operator.end(), parameter) ==
                in_operator.end())
            in_operator.push_back(parameter);

        Term term{description,
                  space.points_of(description),
                  nullptr,
                  {},
                  problem.depends_on(description.scale, unknowns)};
        if (!fields.empty() && description.function != no_function)
          term.fields = LocalFields(problem,
                                    fields,
                                    {description.function},
                                    term.points->coordinates);
        if (!problem.depends_on(description.function, varying))
          {
            const std::vector<double> at_points = coefficient(term, values);
            auto                      matrix = std::make_shared<OperatorMatrix>(
              space.assemble(description, *term.points, at_points));
            if (!at_points.empty())
              term.range = {
                *std::min_element(at_points.begin(), at_points.end()),
                *std::max_element(at_points.begin(), at_points.end())};
            check_sign(term,
                       at_points,
                       term.scale_varies ? 1. : scale(term, values),
                       values);
            if (!term.scale_varies)
              add_term(constant,
                       description.kind,
                       scale(term, values),
                       *matrix);
            term.matrix = std::move(matrix);
          }
        else
          term.assembly =
            std::make_shared<const RepeatedAssembly<dim>>(space,
                                                          description,
                                                          *term.points);
        if (!term.matrix || term.scale_varies)
          terms.push_back(std::move(term));
      }
    std::sort(in_operator.begin(), in_operator.end());

    // There is always a stiffness, if only zero.
    const std::vector<double> zero(space.cells().n_points(), 0.);
    if (!constant.stiffness)
      add_term(constant,
               OperatorKind::reaction,
               1.,
               space.assemble({OperatorKind::reaction}, space.cells(), zero));
  }



  template <int dim>
  bool
  OperatorFamily<dim>::is_symmetric() const
  {
    return std::none_of(problem.operator_terms().begin(),
                        problem.operator_terms().end(),
                        [](const OperatorTerm &term) {
                          return term.kind == OperatorKind::convection;
                        });
  }



  template <int dim>
  std::vector<double>
  OperatorFamily<dim>::coefficient(const Term                &term,
                                   const std::vector<double> &theta) const
  {
    std::vector<double>       result(term.points->n_points(), 1.);
    const LocalFields::Values local =
      term.fields.at(dealii::make_array_view(theta));
    if (term.description.function != no_function)
      problem.evaluate({term.description.function},
                       0.,
                       dealii::make_array_view(term.points->coordinates),
                       {dealii::make_array_view(theta),
                        {},
                        dealii::make_array_view(local.local)},
                       dealii::make_array_view(result),
                       {});
    return result;
  }



  template <int dim>
  std::vector<double>
  OperatorFamily<dim>::slopes(const Term                      &term,
                              const std::vector<double>       &theta,
                              const std::vector<unsigned int> &active,
                              const LocalFields::Values       &local) const
  {
    const std::size_t   n = term.points->n_points();
    std::vector<double> values(n), result(n * active.size());
    problem.evaluate({term.description.function},
                     0.,
                     dealii::make_array_view(term.points->coordinates),
                     {dealii::make_array_view(theta),
                      dealii::make_array_view(active),
                      dealii::make_array_view(local.local)},
                     dealii::make_array_view(values),
                     dealii::make_array_view(result));
    return result;
  }



  template <int dim>
  double
  OperatorFamily<dim>::scale(const Term                &term,
                             const std::vector<double> &theta,
                             std::vector<double>       *slopes) const
  {
    if (slopes != nullptr)
      slopes->assign(unknowns.size(), 0.);
    double result = 1.;
    // Any place will do.
    if (term.description.scale != no_function && term.points->n_points() > 0)
      problem.evaluate(
        {term.description.scale},
        0.,
        dealii::ArrayView<const double>(term.points->coordinates.data(), dim),
        {dealii::make_array_view(theta), dealii::make_array_view(unknowns)},
        dealii::ArrayView<double>(&result, 1),
        slopes == nullptr ? dealii::ArrayView<double>() :
                            dealii::make_array_view(*slopes));
    return result;
  }



  template <int dim>
  void
  OperatorFamily<dim>::check_sign(const Term                &term,
                                  const std::vector<double> &coefficient,
                                  const double               scale,
                                  const std::vector<double> &theta) const
  {
    const OperatorKind kind         = term.description.kind;
    const bool         is_diffusion = kind == OperatorKind::diffusion;
    if (!is_diffusion && kind != OperatorKind::inertia &&
        kind != OperatorKind::capacity)
      return;
    const auto is_wrong = [&](const double value) {
      return !(is_diffusion ? scale * value > 0. : scale * value >= 0.);
    };
    // The value and, if it is known, the place.
    std::vector<double> wrong;
    const auto          first_wrong =
      std::find_if(coefficient.begin(), coefficient.end(), is_wrong);
    if (first_wrong != coefficient.end())
      {
        wrong.push_back(*first_wrong);
        const double *place = &term.points->coordinates[0] +
                              dim * (first_wrong - coefficient.begin());
        if (!term.matrix && term.description.function != no_function)
          wrong.insert(wrong.end(), place, place + dim);
      }
    if (space.get_partition())
      {
        // All processes have to stop if one of them does.
        const auto all = dealii::Utilities::MPI::all_gather(
          space.get_partition()->communicator(), wrong);
        wrong.clear();
        for (const std::vector<double> &one : all)
          if (wrong.empty())
            wrong = one;
      }
    if (!wrong.empty())
      {
        const double       value    = wrong[0];
        const unsigned int function = term.description.function != no_function ?
                                        term.description.function :
                                        term.description.scale;
        std::vector<std::string> place, values;
        for (std::size_t d = 1; d < wrong.size(); ++d)
          place.push_back(to_text(wrong[d], 6));
        for (const unsigned int unknown : unknowns)
          if (problem.depends_on(term.description.function, {unknown}) ||
              problem.depends_on(term.description.scale, {unknown}))
            values.push_back(problem.parameters()[unknown].name + " = " +
                             to_text(theta[unknown], 6));
        throw UnsuitableMatrix(
          "The coefficient '" +
          (function != no_function ? problem.functions()[function].name :
                                     std::string("1")) +
          "' is " + to_text(scale * value, 6) +
          (!place.empty() ? " at (" + join(place, ", ") + ")" :
           term.description.function != no_function ? " somewhere" :
                                                      "") +
          (values.empty() ? "" : " for " + join(values, ", ")) +
          ". It must be " + (is_diffusion ? "above 0" : "0 or above") +
          " everywhere, or the equation has no meaning.");
      }
  }



  template <int dim>
  EvolutionMatrices
  OperatorFamily<dim>::at(const std::vector<double> &theta) const
  {
    EvolutionMatrices result = copy_of(constant);
    for (const Term &term : terms)
      {
        const double   factor = scale(term, theta);
        OperatorMatrix here;
        if (term.matrix)
          check_sign(term, term.range, factor, theta);
        else
          {
            const std::vector<double> at_points = coefficient(term, theta);
            check_sign(term, at_points, factor, theta);
            here = (*term.assembly)(at_points);
          }
        add_term(result,
                 term.description.kind,
                 factor,
                 term.matrix ? *term.matrix : here);
      }
    return result;
  }



  template <int dim>
  std::vector<typename OperatorFamily<dim>::Derivative>
  OperatorFamily<dim>::derivatives_at(const std::vector<double> &theta) const
  {
    std::vector<Derivative> result;
    std::vector<double>     scale_slopes;
    for (const Term &term : terms)
      {
        const OperatorKind kind  = term.description.kind;
        const double       scale = this->scale(term, theta, &scale_slopes);
        if (term.scale_varies)
          {
            Derivative derivative{
              kind,
              term.matrix ? term.matrix :
                            std::make_shared<OperatorMatrix>(
                              (*term.assembly)(coefficient(term, theta))),
              {}};
            for (unsigned int i = 0; i < unknowns.size(); ++i)
              if (problem.depends_on(term.description.scale, {unknowns[i]}))
                derivative.factors.emplace_back(i, scale_slopes[i]);
            result.push_back(std::move(derivative));
          }
        if (term.matrix)
          continue;

        if (!problem.depends_on(term.description.function, unknowns))
          continue;
        const std::size_t         n = term.points->n_points();
        const std::vector<double> slopes =
          this->slopes(term,
                       theta,
                       unknowns,
                       term.fields.at(dealii::make_array_view(theta)));
        for (unsigned int i = 0; i < unknowns.size(); ++i)
          if (problem.depends_on(term.description.function, {unknowns[i]}))
            result.push_back(
              {kind,
               std::make_shared<OperatorMatrix>((*term.assembly)(
                 {slopes.begin() + i * n, slopes.begin() + (i + 1) * n})),
               {{i, scale}}});
      }
    return result;
  }



  template <int dim>
  OperatorFamily<dim>::FieldSensitivity::FieldSensitivity(
    const OperatorFamily &family)
    : family(family)
  {
    for (const Term &term : family.terms)
      if (!term.fields.empty())
        {
          sums.resize(family.terms.size());
          sums[&term - family.terms.data()].assign(term.points->n_points(), 0.);
        }
  }



  template <int dim>
  void
  OperatorFamily<dim>::FieldSensitivity::add(
    const dealii::Vector<double> &multiplier,
    const TimeCourse::StepStates &states)
  {
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (!sums[k].empty())
        {
          const OperatorTerm &term = family.terms[k].description;
          family.space.add_products(term,
                                    *family.terms[k].points,
                                    multiplier,
                                    term.kind == OperatorKind::inertia ?
                                      states.inertia :
                                    term.kind == OperatorKind::capacity ?
                                      states.capacity :
                                      states.stiffness,
                                    sums[k]);
        }
  }



  template <int dim>
  void
  OperatorFamily<dim>::FieldSensitivity::subtract_from(
    const std::vector<double> &theta,
    double                    *gradient) const
  {
    for (std::size_t k = 0; k < sums.size(); ++k)
      {
        const Term        &term   = family.terms[k];
        const double       scale  = family.scale(term, theta);
        const LocalFields &fields = term.fields;
        if (sums[k].empty())
          continue;
        std::vector<unsigned int> active;
        for (unsigned int i = 0; i < fields.size(); ++i)
          active.push_back(fields.parameter(i));
        const LocalFields::Values local =
          fields.at(dealii::make_array_view(theta));
        std::vector<double> slopes = family.slopes(term, theta, active, local);
        const std::size_t   n      = sums[k].size();
        for (unsigned int i = 0; i < fields.size(); ++i)
          {
            for (std::size_t q = 0; q < n; ++q)
              slopes[i * n + q] *= -scale * sums[k][q];
            fields.scatter(i, local, &slopes[i * n], gradient);
          }
      }
  }



  template class OperatorFamily<1>;
  template class OperatorFamily<2>;
  template class OperatorFamily<3>;
} // namespace Tempera
