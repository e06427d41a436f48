// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_draw_subset_h
#define tempera_output_draw_subset_h

#include <tempera/base/archive.h>
#include <tempera/sampler/signals.h>

#include <vector>

namespace Tempera
{
  /**
   * Keeps draws of the coldest rung after burn-in, evenly spaced, in bounded
   * memory.
   */
  class DrawSubset
  {
  public:
    /**
     * @param least At least so many are kept, if there are as many.
     * @param indices The unknowns to keep; all if there are none.
     */
    explicit DrawSubset(const std::size_t                least,
                        const std::vector<unsigned int> &indices = {});

    /** All unknowns, of which there are so many. */
    DrawSubset(const std::size_t least, const unsigned int n_unknowns);

    void
    connect(Signals &signals);

    const std::vector<std::vector<double>> &
    get_draws() const
    {
      return draws;
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      std::uint64_t           n_draws = draws.size();
      archive &count &stride &n_draws;
      if (n_draws > 2 * least || stride == 0)
        throw ArchiveError("there are more draws than were kept");
      draws.resize(n_draws, std::vector<double>(n_unknowns));
      for (std::vector<double> &draw : draws)
        serialize_fixed(archive, draw);
    }

    /** At most @p n of them, evenly spaced. */
    std::vector<std::vector<double>>
    evenly_spaced(const std::size_t n) const;

  private:
    void
    add(const Draw &draw);

    const std::size_t                least;
    const std::vector<unsigned int>  indices;
    const unsigned int               n_unknowns;
    std::vector<std::vector<double>> draws;
    std::uint64_t                    count = 0, stride = 1;
  };
} // namespace Tempera

#endif
