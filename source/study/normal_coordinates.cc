// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/product_prior.h>
#include <tempera/study/normal_coordinates.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    std::size_t
    n_numbers_of_fields(const ForwardTarget &target)
    {
      std::size_t n = 0;
      for (const JointUnknowns &field : target.fields())
        n += field.marginals.size();
      return n;
    }

    /** What is left of the entries without those in between. */
    template <typename Entry>
    std::vector<Entry>
    without(const std::vector<Entry> &all,
            const std::size_t         first,
            const std::size_t         end)
    {
      std::vector<Entry> result(all.begin(), all.begin() + first);
      result.insert(result.end(), all.begin() + end, all.end());
      return result;
    }

    std::shared_ptr<const PriorMeasure>
    standard_normal(const std::vector<Unknown> &unknowns,
                    const std::size_t           first,
                    const std::size_t           end)
    {
      std::vector<Unknown> numbers(unknowns.begin() + first,
                                   unknowns.begin() + end);
      for (Unknown &number : numbers)
        number.prior = Prior::normal(0., 1.);
      return std::make_shared<IndependentPrior>(numbers);
    }
  } // namespace



  NormalCoordinates::NormalCoordinates(ForwardTarget     &target,
                                       const std::string &level)
    : target(target)
    , energy(target.energy(level))
    , first_of_fields(target.first_of_fields())
    , end_of_fields(first_of_fields + n_numbers_of_fields(target))
    , numbers(without(target.unknowns(), first_of_fields, end_of_fields))
  {
    const std::vector<Unknown> &unknowns = target.unknowns();
    std::vector<std::shared_ptr<const PriorMeasure>> parts;
    if (first_of_fields > 0)
      parts.push_back(standard_normal(unknowns, 0, first_of_fields));
    for (const JointUnknowns &field : target.fields())
      parts.push_back(field.prior);
    if (end_of_fields < unknowns.size())
      parts.push_back(
        standard_normal(unknowns, end_of_fields, unknowns.size()));
    prior =
      parts.size() == 1 ? parts[0] : std::make_shared<ProductPrior>(parts);
  }



  std::vector<double>
  NormalCoordinates::numbers_of(const std::vector<double> &all) const
  {
    return without(all, first_of_fields, end_of_fields);
  }



  std::vector<double>
  NormalCoordinates::to_state(const std::vector<double> &place) const
  {
    const std::vector<double> values = numbers.to_state(numbers_of(place));
    std::vector<double>       state  = place;
    std::copy_n(values.begin(), first_of_fields, state.begin());
    std::copy(values.begin() + first_of_fields,
              values.end(),
              state.begin() + end_of_fields);
    return state;
  }



  std::vector<double>
  NormalCoordinates::derivatives(const std::vector<double> &place) const
  {
    const std::vector<double> slopes = numbers.derivatives(numbers_of(place));
    std::vector<double>       result(place.size(), 1.);
    std::copy_n(slopes.begin(), first_of_fields, result.begin());
    std::copy(slopes.begin() + first_of_fields,
              slopes.end(),
              result.begin() + end_of_fields);
    return result;
  }



  std::vector<double>
  NormalCoordinates::prior_variances() const
  {
    std::vector<double> result(space().dimension(), 1.);
    std::size_t         i = first_of_fields;
    for (const JointUnknowns &field : target.fields())
      for (const Unknown &number : field.marginals)
        {
          const double deviation = number.prior.standard_deviation();
          result[i++]            = deviation * deviation;
        }
    return result;
  }



  void
  NormalCoordinates::evaluate(const dealii::ArrayView<const double> &place,
                              const RandomKey                       &key,
                              const Request                          request,
                              Evaluation &evaluation) const
  {
    const std::vector<double> here(place.begin(), place.end());
    const std::vector<double> state = to_state(here);
    energy->evaluate(dealii::make_array_view(state), key, request, evaluation);
    evaluation.reference =
      prior->energy(place,
                    request == Request::values ?
                      dealii::ArrayView<double>() :
                      dealii::make_array_view(evaluation.reference_gradient));
    if (request == Request::values)
      return;
    const std::vector<double> slopes = derivatives(here);
    for (std::size_t i = 0; i < slopes.size(); ++i)
      evaluation.potential_gradient[i] *= slopes[i];
  }



  std::vector<std::vector<double>>
  NormalCoordinates::sensitivities(
    const dealii::ArrayView<const double> &place) const
  {
    const std::vector<double> here(place.begin(), place.end());
    const std::vector<double> state  = to_state(here);
    const std::vector<double> slopes = derivatives(here);
    auto rows = energy->sensitivities(dealii::make_array_view(state));
    for (std::vector<double> &row : rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] *= slopes[i];
    return rows;
  }
} // namespace Tempera
