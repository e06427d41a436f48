// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/product_prior.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    using Parts = std::vector<std::shared_ptr<const PriorMeasure>>;

    StateSpace
    space_of(const Parts &parts)
    {
      std::vector<Coordinate> coordinates;
      for (const auto &part : parts)
        for (unsigned int i = 0; i < part->space().dimension(); ++i)
          coordinates.push_back(part->space()[i]);
      return StateSpace(coordinates);
    }

    template <typename Number>
    dealii::ArrayView<Number>
    piece(const dealii::ArrayView<Number> &all,
          const std::size_t                first,
          const std::size_t                size)
    {
      return all.size() == 0 ?
               dealii::ArrayView<Number>() :
               dealii::ArrayView<Number>(all.data() + first, size);
    }
  } // namespace



  ProductPrior::ProductPrior(Parts the_parts)
    : parts(std::move(the_parts))
    , state_space(space_of(parts))
  {}



  double
  ProductPrior::energy(const dealii::ArrayView<const double> &state,
                       const dealii::ArrayView<double>       &gradient) const
  {
    double      result = 0.;
    std::size_t first  = 0;
    for (const auto &part : parts)
      {
        const std::size_t n = part->space().dimension();
        result +=
          part->energy(piece(state, first, n), piece(gradient, first, n));
        first += n;
      }
    return result;
  }



  double
  ProductPrior::log_normaliser() const
  {
    double result = 0.;
    for (const auto &part : parts)
      result += part->log_normaliser();
    return result;
  }



  bool
  ProductPrior::is_integrable(const double power) const
  {
    return std::all_of(parts.begin(), parts.end(), [&](const auto &part) {
      return part->is_integrable(power);
    });
  }



  bool
  ProductPrior::is_gaussian() const
  {
    return std::all_of(parts.begin(), parts.end(), [](const auto &part) {
      return part->is_gaussian();
    });
  }



  std::vector<double>
  ProductPrior::sample(const RandomKey &key) const
  {
    // Streams that others do not use.
    constexpr unsigned int shift = 40;

    std::vector<double> result;
    for (std::size_t k = 0; k < parts.size(); ++k)
      {
        RandomKey of_part = key;
        of_part.stream ^= std::uint64_t(k) << shift;
        const std::vector<double> draw = parts[k]->sample(of_part);
        result.insert(result.end(), draw.begin(), draw.end());
      }
    return result;
  }



  std::vector<double>
  ProductPrior::centre() const
  {
    std::vector<double> result;
    for (const auto &part : parts)
      {
        const std::vector<double> centre = part->centre();
        result.insert(result.end(), centre.begin(), centre.end());
      }
    return result;
  }



  void
  ProductPrior::apply_covariance(const dealii::ArrayView<const double> &vector,
                                 const dealii::ArrayView<double> &result) const
  {
    std::size_t first = 0;
    for (const auto &part : parts)
      {
        const std::size_t n = part->space().dimension();
        part->apply_covariance(piece(vector, first, n),
                               piece(result, first, n));
        first += n;
      }
  }



  std::size_t
  ProductPrior::root_size() const
  {
    std::size_t result = 0;
    for (const auto &part : parts)
      result += part->root_size();
    return result;
  }



  void
  ProductPrior::apply_covariance_root(
    const dealii::ArrayView<const double> &vector,
    const dealii::ArrayView<double>       &result) const
  {
    std::size_t first_in = 0, first_out = 0;
    for (const auto &part : parts)
      {
        const std::size_t n_in  = part->root_size(),
                          n_out = part->space().dimension();
        part->apply_covariance_root(piece(vector, first_in, n_in),
                                    piece(result, first_out, n_out));
        first_in += n_in;
        first_out += n_out;
      }
  }
} // namespace Tempera
