// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/marginal.h>
#include <tempera/output/sorting.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  void
  Marginal::add(const double value)
  {
    constexpr std::size_t largest_subset = 1 << 17;

    if (all.count() % stride == 0)
      {
        if (subset.size() == largest_subset)
          {
            for (std::size_t i = 0; i < largest_subset / 2; ++i)
              subset[i] = subset[2 * i];
            subset.resize(largest_subset / 2);
            stride *= 2;
          }
        if (all.count() % stride == 0)
          subset.push_back(value);
      }
    all.add(value);
  }



  std::size_t
  Marginal::place_of(const double probability) const
  {
    return std::min<std::size_t>(subset.size() - 1,
                                 std::floor(probability * subset.size()));
  }



  double
  Marginal::quantile(const double probability) const
  {
    return order_statistics(subset, {place_of(probability)})[0];
  }



  std::string
  Marginal::sketch(const unsigned int width) const
  {
    const std::vector<double> ends =
      order_statistics(subset, {place_of(0.005), place_of(0.995)});
    const double low = ends[0], high = ends[1];

    std::vector<std::size_t> counts(width);
    for (const double value : subset)
      if (value >= low && value <= high)
        ++counts[high > low ?
                   std::min<std::size_t>(width - 1,
                                         width * (value - low) / (high - low)) :
                   0];
    const std::size_t largest = *std::max_element(counts.begin(), counts.end());

    // Blanks, then U+2581 to U+2588: bars of one to eight eighths.
    std::string text;
    for (const std::size_t count : counts)
      {
        const std::size_t eighths = (8 * count + largest - 1) / largest;
        text += eighths == 0 ?
                  std::string(" ") :
                  std::string("\xE2\x96") + static_cast<char>(0x80 + eighths);
      }
    return text;
  }
} // namespace Tempera
