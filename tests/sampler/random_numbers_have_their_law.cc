// SPDX-License-Identifier: LGPL-2.1-or-later

// Uniform and normal numbers have their law, within a stream and across
// streams; every part of the key matters; and the layout of the key is fixed:
// the stored numbers are Philox4x64-10 of the layout that random.h documents,
// and must never change, or no run could be repeated.

#include "tests.h"

#include <tempera/sampler/random.h>

#include <Random123/philox.h>

#include <set>

using namespace Tempera;
using namespace Tempera::Testing;

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

  std::vector<double> shorter(7);
  fill_normals(key, dealii::make_array_view(shorter));
  check("a shorter batch has the same numbers",
        std::equal(shorter.begin(), shorter.end(), numbers.begin()));

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
  return result();
}
