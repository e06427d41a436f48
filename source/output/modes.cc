// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/diagnostics.h>
#include <tempera/output/modes.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace Tempera
{
  namespace
  {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    /** Draws that are looked at. */
    constexpr std::size_t subset_size = 2000;
    /** With fewer different ones nothing is said. */
    constexpr std::size_t least_size = 100;
    /** A mode has at least this part of the draws. */
    constexpr double least_share = 0.01;
    /**
     * A peak is that much higher than the saddle, as a logarithm. Neighbours
     * give a logarithm of a density with the deviation 1 / sqrt(number).
     */
    constexpr double least_height_in_deviations = 6.;

    using Point = std::vector<double>;


    /**
     * Width of a column's narrowest heap, as a standard deviation: from the
     * shortest interval with a tenth of the draws. Zero for a constant.
     */
    double
    narrow_scale(std::vector<double> values)
    {
      // Of the standard normal law the interval has this length.
      constexpr double part = 0.1, length_if_normal = 2. * 0.12566;

      std::sort(values.begin(), values.end());
      const double      spread = values.back() - values.front();
      const std::size_t n =
        std::max<std::size_t>(1, std::ceil(part * (values.size() - 1)));
      double shortest = spread;
      for (std::size_t i = 0; i + n < values.size(); ++i)
        shortest = std::min(shortest, values[i + n] - values[i]);
      // Where many draws are equal there is no width; any unit will do.
      return shortest > 1e-6 * spread ? shortest / length_if_normal :
                                        0.25 * spread;
    }


    double
    squared_distance(const double *const a,
                     const double *const b,
                     const std::size_t   n)
    {
      double sum = 0.;
      for (std::size_t i = 0; i < n; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
      return sum;
    }


    /** A squared distance, and the point that is so far away. */
    using Distance = std::pair<double, std::size_t>;

    /**
     * Visits points that are sorted by their first coordinate, the nearest in
     * that coordinate first, as long as @p visit does not return false for the
     * squared difference of first coordinates and the number of the point.
     */
    template <typename Visit>
    void
    visit_outwards(const std::vector<double> &firsts,
                   const double               first,
                   const Visit               &visit)
    {
      std::size_t above =
        std::lower_bound(firsts.begin(), firsts.end(), first) - firsts.begin();
      std::size_t below     = above;
      const auto  square_of = [&](const std::size_t i) {
        return (firsts[i] - first) * (firsts[i] - first);
      };
      constexpr double none = std::numeric_limits<double>::infinity();
      double next_above     = above < firsts.size() ? square_of(above) : none,
             next_below     = below > 0 ? square_of(below - 1) : none;
      while (below > 0 || above < firsts.size())
        if (above == firsts.size() || (below > 0 && next_below < next_above))
          {
            if (!visit(next_below, --below))
              return;
            next_below = below > 0 ? square_of(below - 1) : none;
          }
        else
          {
            if (!visit(next_above, above++))
              return;
            next_above = above < firsts.size() ? square_of(above) : none;
          }
    }

    /** Points that are sorted by their first coordinate, for neighbours. */
    class SortedPoints
    {
    public:
      explicit SortedPoints(const std::vector<Point> &points)
        : dimension(points[0].size())
      {
        for (const Point &point : points)
          {
            firsts.push_back(point[0]);
            numbers.insert(numbers.end(), point.begin(), point.end());
          }
      }

      /**
       * The @p n nearest to one of the points, itself included, as
       * std::nth_element() leaves them: the farthest is the last. False if
       * there are not so many within @p bound.
       */
      bool
      find_nearest(const std::size_t      to,
                   const std::size_t      n,
                   const double           bound,
                   std::vector<Distance> &nearest) const
      {
        const auto begin = std::lower_bound(firsts.begin(),
                                            firsts.end(),
                                            firsts[to] - bound),
                   end =
                     std::upper_bound(begin, firsts.end(), firsts[to] + bound);
        nearest.clear();
        for (std::size_t i = begin - firsts.begin();
             i < std::size_t(end - firsts.begin());
             ++i)
          {
            const double distance = squared_distance_between(to, i);
            if (distance <= bound * bound)
              nearest.emplace_back(distance, i);
            else if (std::isnan(distance))
              nearest.emplace_back(std::numeric_limits<double>::infinity(), i);
          }
        if (nearest.size() < n)
          return false;
        std::nth_element(nearest.begin(),
                         nearest.begin() + n - 1,
                         nearest.end());
        nearest.resize(n);
        return true;
      }

      double
      squared_distance_between(const std::size_t i, const std::size_t j) const
      {
        return squared_distance(numbers.data() + i * dimension,
                                numbers.data() + j * dimension,
                                dimension);
      }

    private:
      const std::size_t   dimension;
      std::vector<double> firsts, numbers;
    };


    /** Heaps of sorted points: the peak of each point's, by index. */
    std::vector<std::size_t>
    climb(const std::vector<Point> &points)
    {
      const std::size_t n = points.size();
      const std::size_t n_neighbours =
        std::max<std::size_t>(10, std::min<std::size_t>(32, n / 20));
      const double least_height =
        least_height_in_deviations / std::sqrt(double(n_neighbours));

      std::vector<std::vector<std::size_t>> neighbours(n);
      // Logarithm of the distance to the farthest and to the middle one.
      std::vector<double> log_distance(n);
      double              log_ratio = 0.;
      {
        const auto log_of = [](const double squared) {
          return 0.5 * std::log(
                         std::max(squared, std::numeric_limits<double>::min()));
        };
        const SortedPoints    sorted(points);
        std::vector<Distance> distances;
        std::vector<double>   radius(n);
        for (std::size_t i = 0; i < n; ++i)
          {
            // A ball around the ball of a point before holds enough of them.
            constexpr std::size_t n_before = 30;
            constexpr double      everything =
              std::numeric_limits<double>::infinity();
            double bound = everything;
            for (std::size_t j = i - std::min(i, n_before); j < i; ++j)
              bound =
                std::min(bound,
                         radius[j] +
                           std::sqrt(sorted.squared_distance_between(i, j)));
            // Rounding should leave none out.
            bound *= 1. + 1e-9;
            // The point itself is the first.
            if (!sorted.find_nearest(i, n_neighbours + 1, bound, distances))
              sorted.find_nearest(i, n_neighbours + 1, everything, distances);
            radius[i]       = std::sqrt(distances[n_neighbours].first);
            log_distance[i] = log_of(distances[n_neighbours].first);
            std::nth_element(distances.begin(),
                             distances.begin() + n_neighbours / 2,
                             distances.begin() + n_neighbours);
            log_ratio +=
              (log_distance[i] - log_of(distances[n_neighbours / 2].first)) / n;
            for (std::size_t j = 0; j <= n_neighbours; ++j)
              if (distances[j].second != i)
                neighbours[i].push_back(distances[j].second);
          }
      }
      // Twice the neighbours in a ball of 2^(1 / dimension) the radius. Draws
      // may lie along a curve, in any number of columns.
      const double dimension =
        std::min(double(points[0].size()),
                 std::log(double(n_neighbours) / (n_neighbours / 2)) /
                   log_ratio);
      std::vector<double> log_density;
      for (const double distance : log_distance)
        log_density.push_back(-dimension * distance);
      // Neighbours in both directions.
      {
        std::vector<std::vector<std::size_t>> both = neighbours;
        for (std::size_t i = 0; i < n; ++i)
          for (const std::size_t j : neighbours[i])
            both[j].push_back(i);
        neighbours = std::move(both);
      }

      std::vector<std::size_t> order(n), parent(n, n);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(),
                order.end(),
                [&](const std::size_t a, const std::size_t b) {
                  return log_density[a] != log_density[b] ?
                           log_density[a] > log_density[b] :
                           a < b;
                });
      const auto peak_of = [&](std::size_t i) {
        while (parent[i] != i)
          i = parent[i] = parent[parent[i]];
        return i;
      };
      const auto is_higher = [&](const std::size_t a, const std::size_t b) {
        return log_density[a] != log_density[b] ?
                 log_density[a] > log_density[b] :
                 a < b;
      };
      for (const std::size_t i : order)
        {
          std::size_t highest = i;
          for (const std::size_t j : neighbours[i])
            if (parent[j] != n && is_higher(j, highest))
              highest = j;
          parent[i] = highest == i ? i : peak_of(highest);
          for (const std::size_t j : neighbours[i])
            if (parent[j] != n)
              {
                std::size_t high = peak_of(i), low = peak_of(j);
                if (high == low)
                  continue;
                if (is_higher(low, high))
                  std::swap(low, high);
                if (log_density[low] - log_density[i] < least_height)
                  parent[low] = high;
              }
        }
      for (std::size_t i = 0; i < n; ++i)
        parent[i] = peak_of(i);
      return parent;
    }


    /** A point whose mode is known. */
    struct Witness
    {
      Point        point;
      unsigned int mode;
    };

    /** Some points of each kept heap, evenly spaced in their list. */
    std::vector<Witness>
    choose_witnesses(const std::vector<Point>       &points,
                     const std::vector<std::size_t> &heaps,
                     const std::vector<std::size_t> &peaks,
                     const std::vector<std::size_t> &sizes)
    {
      constexpr std::size_t most_per_mode = 200;

      std::vector<Witness> result;
      for (unsigned int mode = 0; mode < peaks.size(); ++mode)
        {
          const std::size_t stride =
            (sizes[peaks[mode]] + most_per_mode - 1) / most_per_mode;
          std::size_t number = 0;
          for (std::size_t i = 0; i < points.size(); ++i)
            if (heaps[i] == peaks[mode] && number++ % stride == 0)
              result.push_back({points[i], mode});
        }
      return result;
    }

    /** Finds the mode of the nearest witness, of equally near ones the first.
     */
    class NearestWitness
    {
    public:
      explicit NearestWitness(std::vector<Witness> all)
        : witnesses(std::move(all))
        , order(witnesses.size())
      {
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(),
                  order.end(),
                  [&](const std::size_t a, const std::size_t b) {
                    return witnesses[a].point[0] < witnesses[b].point[0];
                  });
        for (const std::size_t i : order)
          firsts.push_back(witnesses[i].point[0]);
      }

      unsigned int
      mode(const Point &point) const
      {
        Distance nearest(std::numeric_limits<double>::infinity(), 0);
        visit_outwards(firsts,
                       point[0],
                       [&](const double square, const std::size_t i) {
                         if (square > nearest.first)
                           return false;
                         const Point &other = witnesses[order[i]].point;
                         nearest =
                           std::min(nearest,
                                    Distance(squared_distance(point.data(),
                                                              other.data(),
                                                              other.size()),
                                             order[i]));
                         return true;
                       });
        return witnesses[nearest.second].mode;
      }

    private:
      const std::vector<Witness> witnesses;
      /** By the first coordinate. */
      std::vector<std::size_t> order;
      std::vector<double>      firsts;
    };


    /**
     * Shares and centres from the labels; the largest mode becomes 0. Returns
     * the new label of each.
     */
    std::vector<unsigned int>
    describe(const std::vector<std::vector<std::vector<double>>> &chains,
             const std::size_t                                    n_modes,
             Modes                                               &result)
    {
      std::vector<std::size_t> counts(n_modes, 0), order(n_modes);
      std::size_t              n_draws = 0;
      for (const std::vector<unsigned int> &labels : result.labels)
        {
          n_draws += labels.size();
          for (const unsigned int label : labels)
            ++counts[label];
        }
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(),
                       order.end(),
                       [&](const std::size_t a, const std::size_t b) {
                         return counts[a] > counts[b];
                       });
      std::vector<unsigned int> new_labels(n_modes);
      for (unsigned int i = 0; i < n_modes; ++i)
        new_labels[order[i]] = i;
      for (std::vector<unsigned int> &labels : result.labels)
        for (unsigned int &label : labels)
          label = new_labels[label];

      for (unsigned int i = 0; i < n_modes; ++i)
        {
          Mode mode;
          mode.share          = double(counts[order[i]]) / n_draws;
          mode.error          = 0.;
          mode.r_hat          = not_a_number;
          mode.effective_size = not_a_number;
          mode.centre.assign(chains[0].size(), 0.);
          std::vector<std::vector<double>> indicators;
          for (std::size_t c = 0; c < chains.size(); ++c)
            {
              indicators.emplace_back();
              for (std::size_t k = 0; k < result.labels[c].size(); ++k)
                {
                  const bool belongs = result.labels[c][k] == i;
                  indicators.back().push_back(belongs);
                  if (belongs)
                    for (std::size_t j = 0; j < mode.centre.size(); ++j)
                      mode.centre[j] += chains[c][j][k] / counts[order[i]];
                }
            }
          if (n_modes > 1)
            {
              mode.r_hat          = rank_r_hat(indicators);
              mode.effective_size = effective_size_of_mean(indicators);
              mode.error =
                std::sqrt(mode.share * (1. - mode.share) / mode.effective_size);
            }
          result.modes.push_back(mode);
        }
      return new_labels;
    }
  } // namespace



  Modes
  find_modes(const std::vector<std::vector<std::vector<double>>> &chains)
  {
    Modes       result;
    std::size_t n_all = 0;
    for (const auto &chain : chains)
      {
        const std::size_t length = chain.empty() ? 0 : chain[0].size();
        n_all += length;
        result.labels.emplace_back(length, 0);
      }
    if (n_all == 0)
      return result;
    const std::size_t n_columns = chains[0].size();

    // The subset, in units in which heaps are round. Constants drop out.
    std::vector<double> scales;
    const std::size_t   stride = (n_all + subset_size - 1) / subset_size;
    std::vector<std::vector<double>> columns(n_columns);
    for (std::size_t column = 0; column < n_columns; ++column)
      {
        std::size_t number = 0;
        for (const auto &chain : chains)
          for (const double value : chain[column])
            if (number++ % stride == 0)
              columns[column].push_back(value);
        scales.push_back(narrow_scale(columns[column]));
      }
    const auto point_of = [&](const std::vector<std::vector<double>> &from,
                              const std::size_t                       draw) {
      Point point;
      point.reserve(n_columns);
      for (std::size_t column = 0; column < n_columns; ++column)
        if (scales[column] > 0.)
          point.push_back(from[column][draw] / scales[column]);
      return point;
    };
    std::vector<Point> points;
    for (std::size_t i = 0; i < columns[0].size(); ++i)
      points.push_back(point_of(columns, i));
    // Draws that were repeated, because a proposal was rejected, are no peaks.
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());

    std::vector<std::size_t> heaps(points.size(), 0);
    if (points.size() >= least_size && !points[0].empty())
      heaps = climb(points);

    // The heaps with enough points; draws of others join the nearest.
    std::vector<std::size_t> sizes(points.size(), 0);
    for (const std::size_t heap : heaps)
      ++sizes[heap];
    const std::size_t least_points =
      std::max(5., least_share * double(points.size()));
    std::vector<std::size_t> peaks;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (sizes[i] >= least_points)
        peaks.push_back(i);
    std::shared_ptr<const NearestWitness> nearest;
    if (peaks.size() > 1)
      {
        nearest = std::make_shared<NearestWitness>(
          choose_witnesses(points, heaps, peaks, sizes));
        for (std::size_t chain = 0; chain < chains.size(); ++chain)
          for (std::size_t i = 0; i < result.labels[chain].size(); ++i)
            result.labels[chain][i] = nearest->mode(point_of(chains[chain], i));
      }

    const std::vector<unsigned int> new_labels =
      describe(chains, std::max<std::size_t>(1, peaks.size()), result);
    result.mode_of =
      [nearest, scales, new_labels](const std::vector<double> &place) {
        if (nearest == nullptr)
          return 0u;
        Point point;
        for (std::size_t column = 0; column < scales.size(); ++column)
          if (scales[column] > 0.)
            point.push_back(place[column] / scales[column]);
        return new_labels[nearest->mode(point)];
      };
    return result;
  }
} // namespace Tempera
