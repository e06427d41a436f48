// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/eigenpairs.h>
#include <tempera/base/moments.h>
#include <tempera/sampler/fitted_mixture.h>

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** Of the tails: deviations in those that were fitted, and shares. */
    constexpr std::array<double, 4> widths = {{1., 2., 4., 8.}};
    constexpr std::array<double, 4> shares = {{0.7, 0.1, 0.1, 0.1}};

    /** The logarithm of a sum of exponentials. */
    class LogSum
    {
    public:
      void
      add(const double exponent)
      {
        if (exponent > largest)
          {
            sum     = sum * std::exp(largest - exponent) + 1.;
            largest = exponent;
          }
        else
          sum += std::exp(exponent - largest);
      }

      double
      value() const
      {
        return largest + std::log(sum);
      }

    private:
      double largest = -std::numeric_limits<double>::infinity(), sum = 0.;
    };
  } // namespace



  bool
  FittedMixture::Part::update()
  {
    constexpr double rounding = 1e-13;

    log_height = std::log(weight);
    for (std::size_t i = 0; i < mean.size(); ++i)
      {
        // A chain that has not moved has the width of rounding.
        if (!(root(i, i) > rounding * std::abs(mean[i])))
          return false;
        log_height -= std::log(root(i, i));
      }
    return std::isfinite(log_height);
  }



  double
  FittedMixture::Part::squared_distance(const double *place) const
  {
    constexpr std::size_t few = 32;

    const std::size_t       d = mean.size();
    std::array<double, few> memory;
    std::vector<double>     more(d > few ? d : 0);
    double *const           z      = d > few ? more.data() : memory.data();
    const double           *row    = root.entries.data();
    double                  result = 0.;
    for (std::size_t i = 0; i < d; row += ++i)
      {
        double sum = place[i] - mean[i];
        for (std::size_t k = 0; k < i; ++k)
          sum -= row[k] * z[k];
        z[i] = sum / row[i];
        result += z[i] * z[i];
      }
    return result;
  }



  /** States, and what makes mixtures of them. */
  class FittedMixture::Fit
  {
  public:
    using Parts = std::vector<Part>;

    /** Of the states number first, first + stride, ..., below last. */
    Fit(const std::vector<double> &all,
        const std::size_t          dimension,
        const std::size_t          first,
        const std::size_t          last,
        const std::size_t          stride)
      : d(dimension)
    {
      for (std::size_t k = first; k < last; k += stride)
        states.insert(states.end(), &all[k * d], &all[k * d] + d);
      n = states.size() / d;
    }

    std::size_t
    size() const
    {
      return n;
    }

    /** One part; none if the states have no width. */
    Parts
    one_part() const
    {
      return parts_of({std::vector<double>(n, 1.)});
    }

    /** With every part split in two, across its longest axis. */
    Parts
    split(const Parts &parts) const
    {
      constexpr double distance = 0.8;

      std::vector<double> deviations(d);
      for (std::size_t i = 0; i < d; ++i)
        {
          Moments moments;
          for (std::size_t k = 0; k < n; ++k)
            moments.add(states[k * d + i]);
          deviations[i] = moments.standard_deviation();
        }
      Parts result;
      for (const Part &part : parts)
        {
          dealii::FullMatrix<double> matrix(d, d);
          for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0; j <= i; ++j)
              {
                for (std::size_t k = 0; k <= j; ++k)
                  matrix(i, j) += part.root(i, k) * part.root(j, k);
                matrix(i, j) /= deviations[i] * deviations[j];
                matrix(j, i) = matrix(i, j);
              }
          const Eigenpairs pairs = eigenpairs_of(matrix);
          if (pairs.values.empty())
            {
              result.push_back(part);
              continue;
            }
          for (const double sign : {-1., 1.})
            {
              result.push_back(part);
              result.back().weight /= 2.;
              result.back().update();
              for (std::size_t i = 0; i < d; ++i)
                result.back().mean[i] += sign * distance *
                                         std::sqrt(pairs.values[0]) *
                                         pairs.vectors[0][i] * deviations[i];
            }
        }
      return refined(std::move(result));
    }

    /** Of all states. */
    double
    log_density(const FittedMixture &mixture) const
    {
      return n * mixture.mean_log_density(states);
    }

  private:
    /** By expectation and maximisation. */
    Parts
    refined(Parts parts) const
    {
      constexpr unsigned int most_rounds = 20;
      constexpr double       least_gain  = 1e-3;

      double last = -std::numeric_limits<double>::infinity();
      for (unsigned int round = 0; round < most_rounds; ++round)
        {
          std::vector<std::vector<double>> belongings(parts.size(),
                                                      std::vector<double>(n));
          double                           sum = 0.;
          for (std::size_t k = 0; k < n; ++k)
            {
              LogSum density;
              for (std::size_t p = 0; p < parts.size(); ++p)
                {
                  belongings[p][k] =
                    parts[p].log_height -
                    0.5 * parts[p].squared_distance(&states[k * d]);
                  density.add(belongings[p][k]);
                }
              const double value = density.value();
              for (std::vector<double> &one : belongings)
                one[k] = std::exp(one[k] - value);
              sum += value;
            }
          if (!(sum > last + least_gain * n))
            break;
          last       = sum;
          Parts next = parts_of(belongings);
          if (next.empty())
            break;
          parts = std::move(next);
        }
      return parts;
    }

    /** Means and covariances by what belongs to each part. */
    Parts
    parts_of(const std::vector<std::vector<double>> &belongings) const
    {
      const double least = 2. * (d + 1.);
      Parts        result;
      double       all = 0.;
      for (const std::vector<double> &belonging : belongings)
        {
          Part part(d);
          part.weight = 0.;
          for (std::size_t k = 0; k < n; ++k)
            {
              part.weight += belonging[k];
              for (std::size_t i = 0; i < d; ++i)
                part.mean[i] += belonging[k] * states[k * d + i];
            }
          // A few states make no law.
          if (!(part.weight >= least))
            continue;
          for (double &entry : part.mean)
            entry /= part.weight;
          std::vector<double> difference(d);
          for (std::size_t k = 0; k < n; ++k)
            {
              for (std::size_t i = 0; i < d; ++i)
                difference[i] = states[k * d + i] - part.mean[i];
              std::size_t entry = 0;
              for (std::size_t i = 0; i < d; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                  part.root.entries[entry++] +=
                    belonging[k] * difference[i] * difference[j];
            }
          // What few states have seen is too narrow.
          const double factor = (1. + (d + 2.) / part.weight) / part.weight;
          for (double &entry : part.root.entries)
            entry *= factor;
          if (!part.root.factorise() || !part.update())
            continue;
          all += part.weight;
          result.push_back(std::move(part));
        }
      for (Part &part : result)
        {
          part.weight /= all;
          part.update();
        }
      return result;
    }

    const std::size_t   d;
    std::size_t         n = 0;
    std::vector<double> states;
  };



  FittedMixture::FittedMixture(const std::vector<double> &states,
                               const unsigned int         dimension)
  {
    // Of states, and of them for each number of a part.
    constexpr std::size_t most_states = 500, least_states = 10;
    constexpr double      least_per_number = 2.;

    const std::size_t n       = states.size() / dimension;
    const double      numbers = 1. + 0.5 * dimension * (dimension + 3.);
    const std::size_t stride  = (n + most_states - 1) / most_states;
    if (n / std::max<std::size_t>(1, stride) <
        least_states + least_per_number * numbers)
      return;
    const Fit whole(states, dimension, 0, n, stride),
      early(states, dimension, 0, n / 2, stride),
      late(states, dimension, n / 2, n, stride);

    FittedMixture of_early, of_late;
    of_early.parts            = early.one_part();
    of_late.parts             = late.one_part();
    parts                     = whole.one_part();
    std::vector<Part> last    = parts;
    double            best    = -std::numeric_limits<double>::infinity();
    unsigned int      n_worse = 0;
    for (unsigned int n_wanted = 2;; n_wanted *= 2)
      {
        if (last.empty() || of_early.is_empty() || of_late.is_empty())
          return;
        const double here =
          early.log_density(of_late) + late.log_density(of_early);
        if (here > best)
          {
            best     = here;
            expected = here / whole.size();
            n_worse  = 0;
            parts    = last;
          }
        else if (++n_worse == 2)
          return;
        if (n_wanted > most_parts ||
            whole.size() < least_per_number * numbers * n_wanted)
          return;
        of_early.parts = early.split(of_early.parts);
        of_late.parts  = late.split(of_late.parts);
        last           = whole.split(last);
      }
  }



  FittedMixture::FittedMixture(const std::vector<double> &mean,
                               const Triangle            &covariance)
    : parts(1, Part(mean.size()))
  {
    parts[0].mean = mean;
    parts[0].root = covariance;
    if (!parts[0].root.factorise() || !parts[0].update())
      parts.clear();
  }



  double
  FittedMixture::mean_log_density(const std::vector<double> &states) const
  {
    const std::size_t   d = parts[0].mean.size(), n = states.size() / d;
    double              sum = 0.;
    std::vector<double> place(d);
    for (std::size_t k = 0; k < n; ++k)
      {
        std::copy_n(&states[k * d], d, place.begin());
        sum += log_density(place);
      }
    return sum / n;
  }



  double
  FittedMixture::log_density(const std::vector<double> &place) const
  {
    LogSum sum;
    for (const Part &part : parts)
      {
        const double distance = 0.5 * part.squared_distance(place.data());
        for (std::size_t k = 0; k < widths.size(); ++k)
          sum.add(part.log_height + std::log(shares[k]) -
                  place.size() * std::log(widths[k]) -
                  distance / (widths[k] * widths[k]));
      }
    return sum.value();
  }



  void
  FittedMixture::draw(const RandomKey &key, std::vector<double> &place) const
  {
    std::array<double, 2> numbers;
    RandomKey             choice = key;
    choice.stream                = 1;
    fill_uniforms(choice, dealii::ArrayView<double>(numbers.data(), 2));
    std::size_t which = 0;
    while (which + 1 < parts.size() && numbers[0] > parts[which].weight)
      numbers[0] -= parts[which++].weight;
    std::size_t k = 0;
    while (k + 1 < widths.size() && numbers[1] > shares[k])
      numbers[1] -= shares[k++];

    std::vector<double> normals(place.size());
    fill_normals(key, dealii::make_array_view(normals));
    const Part &part = parts[which];
    for (std::size_t i = 0; i < place.size(); ++i)
      {
        double sum = 0.;
        for (std::size_t j = 0; j <= i; ++j)
          sum += part.root(i, j) * normals[j];
        place[i] = part.mean[i] + widths[k] * sum;
      }
  }
} // namespace Tempera
