// SPDX-License-Identifier: LGPL-2.1-or-later

// Uniform and normal numbers have their law, within a stream and across
// streams; every part of the key matters; and the layout of the key is fixed:
// the stored numbers are Philox4x64-10 of the layout that random.h documents,
// and must never change, or no run could be repeated. Long arrays of normal
// numbers are made by vector units: for each kind that the processor has, their
// words are those of Random123's Philox4x32-10, and the numbers what the layout
// says.

#include "tests.h"

#include <tempera/base/vector_units.h>
#include <tempera/sampler/random.h>

#include <Random123/philox.h>

#include <set>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::string
  deviations(const std::vector<double> &values)
  {
    std::string text;
    for (const double value : values)
      text += std::to_string(value) + " ";
    return text;
  }

  /** Of deviations in standard errors. */
  bool
  are_small(const std::vector<double> &values)
  {
    return std::all_of(values.begin(), values.end(), [](const double value) {
      return std::abs(value) < 6.;
    });
  }


  void
  check_long_words(const VectorUnits units, const LangevinLoops &loops)
  {
    constexpr std::size_t batch_size = LangevinLoops::batch_size,
                          n_blocks   = LangevinLoops::blocks_per_batch;

    RandomKey key;
    key.seed  = 3;
    key.round = 1234567890123ull;
    // The counter wraps around as Random123's.
    const std::uint32_t first_blocks[] = {0, 16, 4000000000u, 4294967288u};
    bool                same           = true;
    double              error          = 0.;
    for (key.rung = 0; key.rung < 50; ++key.rung)
      {
        const NormalStream stream = normal_stream(key);
        for (const std::uint32_t first_block : first_blocks)
          {
            alignas(64) std::uint32_t words[batch_size];
            loops.words(stream, first_block, words);
            for (std::uint32_t j = 0; j < n_blocks; ++j)
              {
                const auto block =
                  r123::Philox4x32()({{first_block + j,
                                       stream.upper_counter[0],
                                       stream.upper_counter[1],
                                       stream.upper_counter[2]}},
                                     {{stream.key[0], stream.key[1]}});
                for (unsigned int k = 0; k < 4; ++k)
                  same = same && words[k * n_blocks + j] == block[k];
              }
          }

        std::vector<double> numbers(1000);
        loops.normals(stream, numbers.size(), numbers.data());
        for (std::size_t i = 0; i < numbers.size(); ++i)
          {
            const std::size_t j = i % n_blocks, k = i / n_blocks % 4;
            const auto        block =
              r123::Philox4x32()({{std::uint32_t(i / batch_size * n_blocks + j),
                                   stream.upper_counter[0],
                                   stream.upper_counter[1],
                                   stream.upper_counter[2]}},
                                 {{stream.key[0], stream.key[1]}});
            const std::uint32_t first  = block[k < 2 ? 0 : 2],
                                second = block[k < 2 ? 1 : 3];
            const double radius        = std::sqrt(
              -2. * std::log((double(first >> 1) + 0.5) / 2147483648.));
            const double angle =
              M_PI / 2. * static_cast<std::int32_t>(second << 1) / 2147483648.;
            const double number =
              (second >> 31 ? -radius : radius) *
              (k % 2 == 0 ? std::cos(angle) : std::sin(angle));
            error = std::max(error, std::abs(numbers[i] - number));
          }
      }
    if (!same || error > 4e-6)
      check(std::string("long arrays, vector units ") + name_of(units),
            false,
            std::string(same ? "" : "other words, ") + "error " +
              std::to_string(error));
  }


  void
  check_long_normals()
  {
    RandomKey key;
    key.seed = 43;
    std::vector<double> numbers(4000001);
    fill_normals(key, dealii::make_array_view(numbers));

    const double        n = numbers.size();
    std::vector<double> powers(9, 0.);
    for (const double x : numbers)
      {
        double power = 1.;
        for (double &sum : powers)
          {
            sum += power / n;
            power *= x;
          }
      }
    // Moments 1, 0, 1, 0, 3, 0, 15, 0, 105, and 945 to 2027025 for the errors.
    const std::vector<double> moments = {powers[1] * std::sqrt(n),
                                         (powers[2] - 1.) * std::sqrt(n / 2.),
                                         powers[3] * std::sqrt(n / 15.),
                                         (powers[4] - 3.) * std::sqrt(n / 96.),
                                         (powers[6] - 15.) *
                                           std::sqrt(n / (10395. - 225.)),
                                         (powers[8] - 105.) *
                                           std::sqrt(n / (2027025. - 11025.))};
    check("long arrays: moments", are_small(moments), deviations(moments));

    std::vector<double> tails;
    for (const double bound : {2., 3., 4., 4.5, 5.})
      for (const double sign : {-1., 1.})
        {
          const double expected = n * normal_cdf(-bound);
          tails.push_back(
            (std::count_if(numbers.begin(),
                           numbers.end(),
                           [=](const double x) { return sign * x > bound; }) -
             expected) /
            std::sqrt(expected));
        }
    check("long arrays: tails", are_small(tails), deviations(tails));

    // 16 apart are the cosine and the sine of one pair.
    std::vector<double> correlations;
    for (const std::size_t lag : {1, 2, 4, 8, 15, 16, 17, 32, 48, 64, 128})
      {
        double values = 0., squares = 0.;
        for (std::size_t i = 0; i + lag < numbers.size(); ++i)
          {
            const double x = numbers[i], y = numbers[i + lag];
            values += x * y;
            squares += (x * x - 1.) * (y * y - 1.);
          }
        correlations.push_back(values / std::sqrt(n));
        correlations.push_back(squares / (2. * std::sqrt(n)));
      }
    check("long arrays: numbers and their squares are uncorrelated",
          are_small(correlations),
          deviations(correlations));

    bool same = true;
    for (const std::size_t size : {256, 257, 300, 511, 512, 513, 2209})
      {
        std::vector<double> fewer(size);
        fill_normals(key, dealii::make_array_view(fewer));
        same = same && std::equal(fewer.begin(), fewer.end(), numbers.begin());
      }
    check("long arrays: the first numbers do not depend on how many follow",
          same);

    // Across streams: some numbers of 20,000 rounds, and how they go with the
    // next round's.
    const std::vector<std::size_t>   places = {0, 31, 64, 255};
    std::vector<std::vector<double>> at_place(places.size());
    std::vector<double>              round_numbers(256);
    for (key.round = 0; key.round < 20000; ++key.round)
      {
        fill_normals(key, dealii::make_array_view(round_numbers));
        for (std::size_t i = 0; i < places.size(); ++i)
          at_place[i].push_back(round_numbers[places[i]]);
      }
    bool                have_law = true;
    std::vector<double> between_rounds;
    for (const std::vector<double> &values : at_place)
      {
        have_law   = have_law && kolmogorov_smirnov(values, normal_cdf) > 1e-6;
        double sum = 0.;
        for (std::size_t i = 0; i + 1 < values.size(); ++i)
          sum += values[i] * values[i + 1] / std::sqrt(values.size());
        between_rounds.push_back(sum);
      }
    check("long arrays: normal numbers across rounds",
          have_law && are_small(between_rounds),
          deviations(between_rounds));
  }
} // namespace


int
main()
{
  RandomKey key;
  key.seed = 42;

  std::vector<double> numbers(100001);
  fill_uniforms(key, dealii::make_array_view(numbers));
  check("uniform numbers of one stream",
        kolmogorov_smirnov(numbers, [](const double x) { return x; }) > 1e-6);
  check("uniform numbers are in the open interval",
        *std::min_element(numbers.begin(), numbers.end()) > 0. &&
          *std::max_element(numbers.begin(), numbers.end()) < 1.);
  check("uniform() is the first number", uniform(key) == numbers[0]);

  fill_normals(key, dealii::make_array_view(numbers));
  check("normal numbers of one stream",
        kolmogorov_smirnov(numbers, normal_cdf) > 1e-6);
  double neighbours = 0.;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    neighbours += numbers[i] * numbers[i + 1] / std::sqrt(numbers.size());
  check("normal numbers of one stream are uncorrelated",
        std::abs(neighbours) < 6.,
        std::to_string(neighbours));

  std::vector<double> shorter(7), longer(long_array - 1);
  fill_normals(key, dealii::make_array_view(shorter));
  fill_normals(key, dealii::make_array_view(longer));
  check("a shorter batch has the same numbers",
        std::equal(shorter.begin(), shorter.end(), longer.begin()));

  for (key.round = 0; key.round < numbers.size(); ++key.round)
    fill_normals(key, dealii::ArrayView<double>(&numbers[key.round], 1));
  check("normal numbers across rounds",
        kolmogorov_smirnov(numbers, normal_cdf) > 1e-6);

  std::set<double>       seen;
  std::vector<RandomKey> keys(8);
  keys[1].seed    = 1;
  keys[2].chain   = 1;
  keys[3].rung    = 1;
  keys[4].round   = 1;
  keys[5].substep = 1;
  keys[6].purpose = Purpose::proposal;
  keys[7].stream  = 1;
  for (const RandomKey &k : keys)
    seen.insert(uniform(k));
  check("every part of the key matters", seen.size() == keys.size());

  RandomKey full;
  full.seed        = 11;
  full.chain       = 2;
  full.rung        = 3;
  full.round       = 5;
  full.substep     = 7;
  full.purpose     = Purpose::swap_decision;
  full.stream      = 13;
  const auto words = r123::Philox4x64()({{5, (7ull << 32) | 4ull, 0, 13}},
                                        {{11, (2ull << 32) | 3ull}});
  check("the layout of the key is as documented",
        uniform(full) == (double(words[0] >> 11) + 0.5) / 9007199254740992.);

  const auto last_words =
    r123::Philox4x64()({{5, (7ull << 32) | 4ull, ~0ull, 13}},
                       {{11, (2ull << 32) | 3ull}});
  const NormalStream stream = normal_stream(full);
  check("the layout of the key of long arrays is as documented",
        (std::uint64_t(stream.key[1]) << 32 | stream.key[0]) == last_words[0] &&
          (std::uint64_t(stream.upper_counter[1]) << 32 |
           stream.upper_counter[0]) == last_words[1] &&
          stream.upper_counter[2] == (last_words[2] & 0xffffffffu));

  check_long_words(VectorUnits::baseline, langevin_loops_baseline);
  if (vector_units() >= VectorUnits::v3)
    check_long_words(VectorUnits::v3, langevin_loops_v3);
  if (vector_units() >= VectorUnits::v4)
    check_long_words(VectorUnits::v4, langevin_loops_v4);
  check("long arrays: words and numbers are as documented", n_failed == 0);
  check_long_normals();
  return result();
}
