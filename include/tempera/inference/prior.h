// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_prior_h
#define tempera_inference_prior_h

#include <limits>
#include <optional>
#include <string>

namespace Tempera
{
  /** The prior distribution of one unknown number. */
  class Prior
  {
  public:
    /** All values of an interval are equally probable. */
    static Prior
    uniform(const double lower, const double upper);

    static Prior
    normal(const double mean, const double standard_deviation);

    /** @param deviation Standard deviation of the logarithm. */
    static Prior
    log_normal(const double median, const double deviation);

    /**
     * Read `uniform(lower, upper)`, `normal(mean, standard deviation)` or
     * `log-normal(median, standard deviation of the logarithm)`.
     *
     * @param parameter Named by the UserError of a text that is none of these.
     */
    static Prior
    from_text(const std::string &text, const std::string &parameter);

    /** The number that a text is, if it is one. */
    static std::optional<double>
    number_from_text(const std::string &text);

    /** Minus the logarithm of the density, up to a constant. */
    double
    energy(const double value) const;

    double
    energy_derivative(const double value) const;

    /** That constant: the logarithm of the integral of exp(-energy). */
    double
    log_normaliser() const;

    /** Maps a number that is uniform in (0, 1) to a draw. */
    double
    quantile(const double probability) const;

    /** Probability of values that are not above this one. */
    double
    cdf(const double value) const;

    /** Of the law itself, also where it is log-normal; may be infinite. */
    double
    standard_deviation() const;

    /**
     * How far a value moves when the coordinate in which the prior has its
     * plain shape moves by one standard deviation. That coordinate is the
     * value itself or, of a log-normal prior, its logarithm.
     */
    double
    deviation_at(const double value) const;

    double
    lower() const;

    double
    upper() const;

    /** Width of a uniform prior, standard deviation of others. */
    double
    scale() const;

    /** A value in the middle. */
    double
    middle() const;

    /** Whether the density to a power is integrable only if that is above 0. */
    bool
    is_unbounded() const
    {
      return !is_uniform();
    }

    bool
    is_uniform() const
    {
      return kind == Kind::uniform;
    }

    bool
    is_normal() const
    {
      return kind == Kind::normal;
    }

    /** As from_text() reads it. */
    std::string
    text() const;

  private:
    enum class Kind
    {
      uniform,
      normal,
      log_normal
    };

    /** What is wrong with the numbers in the brackets; empty if nothing. */
    static std::string
    mistake_of(const Kind kind, const double first, const double second);

    /** With a UserError if the numbers are wrong. */
    static Prior
    make(const Kind kind, const double first, const double second);

    Prior(const Kind kind, const double first, const double second)
      : kind(kind)
      , first(first)
      , second(second)
    {}

    Kind kind;
    /** The two numbers in the brackets. */
    double first, second;
  };


  /** A parameter as a user gives it: a number if it is known, else a prior. */
  class NumberOrPrior
  {
  public:
    /**
     * @param parameter Named by the UserError of a text that is neither.
     * @param lower Numbers must be above, priors must not reach below.
     */
    NumberOrPrior(const std::string &text,
                  const std::string &parameter,
                  const double       lower);

    bool
    is_number() const
    {
      return !its_prior.has_value();
    }

    /** The number, or a value in the middle of the prior. */
    double
    middle() const
    {
      return is_number() ? number : its_prior->middle();
    }

    /** Unless it is a number. */
    const Prior &
    prior() const
    {
      return *its_prior;
    }

  private:
    double               number = 0.;
    std::optional<Prior> its_prior;
  };


  /** Something to be found. */
  struct Unknown
  {
    std::string name;
    Prior       prior;
    /** Whether its draws are recorded. */
    bool is_recorded = true;
  };
} // namespace Tempera

#endif
