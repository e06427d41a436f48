// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_distribution_h
#define tempera_base_distribution_h

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Tempera
{
  /** A law of one number, as it is without bounds of a user's own. */
  class DistributionFamily
  {
  public:
    virtual ~DistributionFamily() = default;

    /** With its numbers, as Distribution::from_text() reads it. */
    virtual std::string
    text() const = 0;

    /** Minus the logarithm of the density, up to a constant. */
    virtual double
    energy(const double value) const = 0;

    virtual double
    energy_derivative(const double value) const = 0;

    /** That constant: the logarithm of the integral of exp(-energy). */
    virtual double
    log_normaliser() const = 0;

    /** Probability of values that are not above this one. */
    virtual double
    cdf(const double value) const = 0;

    /** Of values above this one. */
    virtual double
    upper_tail(const double value) const = 0;

    /** The value whose cdf() is this. */
    virtual double
    quantile(const double probability) const = 0;

    /** The value whose upper_tail() is this. */
    virtual double
    upper_quantile(const double probability) const = 0;

    virtual double
    standard_deviation() const = 0;

    virtual double
    lower() const
    {
      return -std::numeric_limits<double>::infinity();
    }

    virtual double
    upper() const
    {
      return std::numeric_limits<double>::infinity();
    }

    /** A value in the middle. */
    virtual double
    middle() const
    {
      return quantile(0.5);
    }

    /** See Distribution::deviation_at(); nothing: by the general formula. */
    virtual std::optional<double>
    plain_deviation_at(const double /*value*/) const
    {
      return {};
    }

    /** Whether the density to this power has a finite integral. */
    virtual bool
    is_integrable(const double power) const
    {
      return power > 0.;
    }

    virtual bool
    is_uniform() const
    {
      return false;
    }

    virtual bool
    is_normal() const
    {
      return false;
    }
  };


  /** The probability distribution of one number. */
  class Distribution
  {
  public:
    /** All values of an interval are equally probable. */
    static Distribution
    uniform(const double lower, const double upper);

    /** The logarithm is uniform. */
    static Distribution
    log_uniform(const double lower, const double upper);

    static Distribution
    normal(const double mean, const double standard_deviation);

    /** @param deviation Standard deviation of the logarithm. */
    static Distribution
    log_normal(const double median, const double deviation);

    /** The size of a normal number of mean 0 and this standard deviation. */
    static Distribution
    half_normal(const double scale);

    /** The mean is shape times scale. */
    static Distribution
    gamma(const double shape, const double scale);

    /** Between 0 and 1, the density \f$\propto x^{a-1} (1-x)^{b-1}\f$. */
    static Distribution
    beta(const double a, const double b);

    static Distribution
    student_t(const double degrees_of_freedom,
              const double location,
              const double scale);

    /**
     * Read a distribution as a user writes it: its name and numbers, then, if
     * wanted, `above 0`, `below 2` or `between 0 and 2`.
     *
     * @param parameter Named by the UserError of a text that is none.
     */
    static Distribution
    from_text(const std::string &text, const std::string &parameter);

    /** The distribution that a text is, if it is one. */
    static std::optional<Distribution>
    if_text(const std::string &text);

    /** All names with their numbers, for people. */
    static std::string
    usage();

    /** The number that a text is, if it is one. */
    static std::optional<double>
    number_from_text(const std::string &text);

    /**
     * The same without what lies outside of two bounds, which may be infinite.
     * A UserError if too little is left.
     */
    Distribution
    between(const double lower, const double upper) const;

    /** Minus the logarithm of the density, up to a constant. */
    double
    energy(const double value) const
    {
      return family->energy(value);
    }

    double
    energy_derivative(const double value) const
    {
      return family->energy_derivative(value);
    }

    /** That constant: the logarithm of the integral of exp(-energy). */
    double
    log_normaliser() const;

    /** Zero outside of the bounds. */
    double
    density(const double value) const;

    /** Maps a number that is uniform in (0, 1) to a draw. */
    double
    quantile(const double probability) const;

    /** Probability of values that are not above this one. */
    double
    cdf(const double value) const;

    /** Of the law itself, also where it is log-normal; may be infinite. */
    double
    standard_deviation() const;

    /** The number that has the same cdf() under the standard normal law. */
    double
    normal_number(const double value) const;

    /**
     * How far a value moves when the coordinate in which the law has its
     * plain shape moves by one standard deviation. That coordinate is the
     * value itself if it is uniform, else the one in which it is normal: of a
     * log-normal law, the logarithm.
     */
    double
    deviation_at(const double value) const;

    double
    lower() const
    {
      return lower_bound;
    }

    double
    upper() const
    {
      return upper_bound;
    }

    /** Width of a uniform law, deviation_at() the middle of others. */
    double
    scale() const;

    /** A value in the middle. */
    double
    middle() const;

    /** Whether the density to this power has a finite integral. */
    bool
    is_integrable(const double power) const;

    bool
    is_uniform() const
    {
      return !is_cut && family->is_uniform();
    }

    bool
    is_normal() const
    {
      return !is_cut && family->is_normal();
    }

    /** As from_text() reads it. */
    std::string
    text() const;

  private:
    explicit Distribution(std::shared_ptr<const DistributionFamily> family);

    /** A UserError if the numbers of a table entry make no law. */
    static Distribution
    make(const std::string &name, const std::vector<double> &numbers);

    /** The value whose upper tail has this probability. */
    double
    upper_quantile(const double probability) const;

    std::shared_ptr<const DistributionFamily> family;
    /** Whether bounds of a user's own cut something off. */
    bool   is_cut = false;
    double lower_bound, upper_bound;
    /** Probability of what is left. */
    double mass = 1.;
    /** Whether all of it is in the upper half, so that tails are exact. */
    bool is_in_upper_half = false;
  };
} // namespace Tempera

#endif
