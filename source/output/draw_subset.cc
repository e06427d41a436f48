// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/draw_subset.h>

#include <algorithm>

namespace Tempera
{
  DrawSubset::DrawSubset(const std::size_t                least,
                         const std::vector<unsigned int> &indices)
    : least(least)
    , indices(indices)
    , n_unknowns(indices.size())
  {}



  DrawSubset::DrawSubset(const std::size_t least, const unsigned int n_unknowns)
    : least(least)
    , n_unknowns(n_unknowns)
  {}



  void
  DrawSubset::connect(Signals &signals)
  {
    if (least > 0)
      signals.draw.connect([this](const Draw &draw) {
        if (draw.rung == 0 && !draw.is_burn_in)
          add(draw);
      });
  }



  void
  DrawSubset::add(const Draw &draw)
  {
    if (count++ % stride != 0)
      return;
    if (indices.empty())
      draws.emplace_back(draw.position.begin(), draw.position.end());
    else
      {
        draws.emplace_back();
        for (const unsigned int i : indices)
          draws.back().push_back(draw.position[i]);
      }
    if (draws.size() == 2 * least)
      {
        for (std::size_t i = 0; i < least; ++i)
          draws[i].swap(draws[2 * i]);
        draws.resize(least);
        stride *= 2;
      }
  }



  std::vector<std::vector<double>>
  DrawSubset::evenly_spaced(const std::size_t n) const
  {
    std::vector<std::vector<double>> result;
    const std::size_t                size = std::min(n, draws.size());
    for (std::size_t i = 0; i < size; ++i)
      result.push_back(draws[i * draws.size() / size]);
    return result;
  }
} // namespace Tempera
