// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/sorting.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace Tempera
{
  namespace
  {
    // Six digits make the 64 bits of a key.
    constexpr unsigned int bits_per_digit = 11, n_digits = 6;
    constexpr std::size_t  n_values_of_digit = 1 << bits_per_digit;

    constexpr std::uint64_t sign_bit = std::uint64_t(1) << 63;

    /** An integer that is ordered as the number is. */
    std::uint64_t
    key_of(const double number)
    {
      std::uint64_t bits;
      std::memcpy(&bits, &number, sizeof(bits));
      return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
    }

    double
    number_of(const std::uint64_t key)
    {
      const std::uint64_t bits = (key & sign_bit) != 0 ? key ^ sign_bit : ~key;
      double              number;
      std::memcpy(&number, &bits, sizeof(number));
      return number;
    }

    std::size_t
    digit(const std::uint64_t key, const unsigned int number)
    {
      return (key >> (number * bits_per_digit)) & (n_values_of_digit - 1);
    }

    /** Numbers that are so many are sorted by their digits. */
    constexpr std::size_t many = 1000;
  } // namespace



  SortedNumbers::SortedNumbers(const std::vector<double> &numbers)
    : values(numbers.size())
    , places(numbers.size())
  {
    const std::size_t n = numbers.size();
    std::iota(places.begin(), places.end(), 0);
    if (n < many)
      {
        std::stable_sort(places.begin(),
                         places.end(),
                         [&](const std::uint32_t a, const std::uint32_t b) {
                           return numbers[a] < numbers[b];
                         });
        for (std::size_t i = 0; i < n; ++i)
          values[i] = numbers[places[i]];
        return;
      }

    std::vector<std::uint64_t> keys(n), other_keys(n);
    std::vector<std::uint32_t> other_places(n);
    std::vector<std::array<std::uint32_t, n_values_of_digit>> begins(n_digits);
    for (auto &begin : begins)
      begin.fill(0);
    for (std::size_t i = 0; i < n; ++i)
      {
        keys[i] = key_of(numbers[i]);
        for (unsigned int d = 0; d < n_digits; ++d)
          ++begins[d][digit(keys[i], d)];
      }
    for (unsigned int d = 0; d < n_digits; ++d)
      {
        std::array<std::uint32_t, n_values_of_digit> &begin = begins[d];
        // Numbers that agree in a digit are in order as for it.
        if (begin[digit(keys[0], d)] == n)
          continue;
        std::uint32_t sum = 0;
        for (std::uint32_t &one : begin)
          {
            const std::uint32_t count = one;
            one                       = sum;
            sum += count;
          }
        for (std::size_t i = 0; i < n; ++i)
          {
            const std::uint32_t place = begin[digit(keys[i], d)]++;
            other_keys[place]         = keys[i];
            other_places[place]       = places[i];
          }
        keys.swap(other_keys);
        places.swap(other_places);
      }
    for (std::size_t i = 0; i < n; ++i)
      values[i] = number_of(keys[i]);
  }



  std::vector<double>
  order_statistics(const std::vector<double>      &numbers,
                   const std::vector<std::size_t> &places)
  {
    // Count the numbers in bins of equal width, then sort the bins in which
    // one is asked for.
    constexpr std::size_t n_bins = 1 << 12;

    const auto   ends = std::minmax_element(numbers.begin(), numbers.end());
    const double low = *ends.first, width = *ends.second - low;
    const double factor = n_bins / width;
    std::vector<double> result;
    if (numbers.size() < many || !std::isfinite(width) ||
        !std::isfinite(factor))
      {
        std::vector<double> sorted = numbers;
        std::sort(sorted.begin(), sorted.end());
        for (const std::size_t place : places)
          result.push_back(sorted[place]);
        return result;
      }
    const auto bin_of = [&](const double number) {
      const double place = (number - low) * factor;
      return place < n_bins ? std::size_t(place) : n_bins - 1;
    };

    std::vector<std::size_t> ends_of_bins(n_bins, 0);
    for (const double number : numbers)
      ++ends_of_bins[bin_of(number)];
    std::partial_sum(ends_of_bins.begin(),
                     ends_of_bins.end(),
                     ends_of_bins.begin());

    constexpr std::uint32_t          not_wanted = n_bins;
    std::vector<std::uint32_t>       number_of_bin(n_bins, not_wanted);
    std::vector<std::vector<double>> wanted;
    const auto bin_of_place = [&](const std::size_t place) {
      return std::upper_bound(ends_of_bins.begin(), ends_of_bins.end(), place) -
             ends_of_bins.begin();
    };
    for (const std::size_t place : places)
      {
        const std::size_t bin = bin_of_place(place);
        if (number_of_bin[bin] == not_wanted)
          {
            number_of_bin[bin] = wanted.size();
            wanted.emplace_back();
          }
      }
    for (const double number : numbers)
      {
        const std::uint32_t here = number_of_bin[bin_of(number)];
        if (here != not_wanted)
          wanted[here].push_back(number);
      }
    for (std::vector<double> &bin : wanted)
      std::sort(bin.begin(), bin.end());
    for (const std::size_t place : places)
      {
        const std::size_t bin   = bin_of_place(place);
        const std::size_t begin = bin == 0 ? 0 : ends_of_bins[bin - 1];
        result.push_back(wanted[number_of_bin[bin]][place - begin]);
      }
    return result;
  }
} // namespace Tempera
