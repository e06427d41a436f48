// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_fitted_mixture_h
#define tempera_sampler_fitted_mixture_h

#include <tempera/base/archive.h>
#include <tempera/base/triangle.h>
#include <tempera/sampler/random.h>

#include <cstdint>
#include <vector>

namespace Tempera
{
  /**
   * A mixture of normal laws that is fitted to states (EM). It has one, two,
   * four, ... parts, as many as make the states of one half most likely under a
   * fit to the other half. Where it proposes states it has wide tails: every
   * part is a mixture itself, most of it as it was fitted, the rest with 2, 4
   * and 8 times its deviations, so that the law of the states is nowhere many
   * times as dense, as far as they tell.
   */
  class FittedMixture
  {
  public:
    /** No part at all. */
    FittedMixture() = default;

    /**
     * @param states One after the other, in the order of time; with too few of
     * them there is no part.
     */
    FittedMixture(const std::vector<double> &states,
                  const unsigned int         dimension);

    /**
     * One part.
     *
     * @param covariance Its lower half; if it is not positive there is no part.
     */
    FittedMixture(const std::vector<double> &mean, const Triangle &covariance);

    bool
    is_empty() const
    {
      return parts.empty();
    }

    unsigned int
    n_parts() const
    {
      return parts.size();
    }

    /** Up to a constant that does not depend on the place. */
    double
    log_density(const std::vector<double> &place) const;

    /** Mean of log_density() at states, one after the other. */
    double
    mean_log_density(const std::vector<double> &states) const;

    /** That at states that are not known yet, as the fit expects it. */
    double
    expected_log_density() const
    {
      return expected;
    }

    /** A draw that is a function of the key. */
    void
    draw(const RandomKey &key, std::vector<double> &place) const;

    template <typename Archive>
    void
    serialize(Archive &archive, const std::uint64_t dimension)
    {
      std::uint64_t n = parts.size();
      archive      &n;
      if (n > most_parts)
        throw ArchiveError("a mixture has too many parts");
      parts.resize(n, Part(dimension));
      for (Part &part : parts)
        {
          archive &part.weight;
          serialize_fixed(archive, part.mean);
          serialize_fixed(archive, part.root.entries);
          if (!part.update())
            throw ArchiveError("a part of a mixture has no width");
        }
    }

  private:
    static constexpr unsigned int most_parts = 16;

    /** A normal law. */
    struct Part
    {
      explicit Part(const std::size_t dimension)
        : mean(dimension)
        , root(dimension)
      {}

      /** To be called after the root has changed; false if it is none. */
      bool
      update();

      /** \f$|L^{-1}(x-\mu)|^2\f$ */
      double
      squared_distance(const double *place) const;

      double              weight = 1.;
      std::vector<double> mean;
      /** \f$L\f$ with the covariance \f$LL^T\f$. */
      Triangle root;
      /** \f$\log(w/\det L)\f$ */
      double log_height = 0.;
    };

    class Fit;

    /** Their weights sum to one. */
    std::vector<Part> parts;
    double            expected = 0.;
  };
} // namespace Tempera

#endif
