// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/distribution.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>

#include <deal.II/base/utilities.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace Tempera
{
  namespace
  {
    constexpr double infinity = std::numeric_limits<double>::infinity();

    // What cannot be is not a number, and no exception.
    using Quietly = boost::math::policies::policy<
      boost::math::policies::domain_error<boost::math::policies::ignore_error>,
      boost::math::policies::pole_error<boost::math::policies::ignore_error>,
      boost::math::policies::overflow_error<
        boost::math::policies::ignore_error>,
      boost::math::policies::evaluation_error<
        boost::math::policies::ignore_error>>;

    std::string
    text_of(const std::string &name, const std::vector<double> &numbers)
    {
      std::vector<std::string> texts;
      for (const double number : numbers)
        texts.push_back(to_text(number));
      return name + "(" + join(texts, ", ") + ")";
    }

    /** \f$-a \log x\f$, which is 0 for \f$a = 0\f$ wherever. */
    double
    power_energy(const double exponent, const double logarithm)
    {
      return exponent == 0. ? 0. : -exponent * logarithm;
    }


    class Uniform : public DistributionFamily
    {
    public:
      explicit Uniform(const std::vector<double> &numbers)
        : first(numbers[0])
        , second(numbers[1])
      {}

      std::string
      text() const override
      {
        return text_of("uniform", {first, second});
      }

      double
      energy(const double) const override
      {
        return 0.;
      }

      double
      energy_derivative(const double) const override
      {
        return 0.;
      }

      double
      log_normaliser() const override
      {
        return std::log(second - first);
      }

      double
      cdf(const double value) const override
      {
        return std::min(1., std::max(0., (value - first) / (second - first)));
      }

      double
      upper_tail(const double value) const override
      {
        return std::min(1., std::max(0., (second - value) / (second - first)));
      }

      double
      quantile(const double probability) const override
      {
        return first + probability * (second - first);
      }

      double
      upper_quantile(const double probability) const override
      {
        return second - probability * (second - first);
      }

      double
      standard_deviation() const override
      {
        return (second - first) / std::sqrt(12.);
      }

      double
      lower() const override
      {
        return first;
      }

      double
      upper() const override
      {
        return second;
      }

      double
      middle() const override
      {
        return 0.5 * (first + second);
      }

      std::optional<double>
      plain_deviation_at(const double) const override
      {
        return standard_deviation();
      }

      bool
      is_uniform() const override
      {
        return true;
      }

    private:
      const double first, second;
    };


    class LogUniform : public DistributionFamily
    {
    public:
      explicit LogUniform(const std::vector<double> &numbers)
        : first(numbers[0])
        , second(numbers[1])
        , width(std::log(second / first))
      {}

      std::string
      text() const override
      {
        return text_of("log-uniform", {first, second});
      }

      double
      energy(const double value) const override
      {
        return std::log(value);
      }

      double
      energy_derivative(const double value) const override
      {
        return 1. / value;
      }

      double
      log_normaliser() const override
      {
        return std::log(width);
      }

      double
      cdf(const double value) const override
      {
        return value > first ? std::min(1., std::log(value / first) / width) :
                               0.;
      }

      double
      upper_tail(const double value) const override
      {
        return value > first ? std::max(0., std::log(second / value) / width) :
                               1.;
      }

      double
      quantile(const double probability) const override
      {
        return std::min(second, first * std::exp(probability * width));
      }

      double
      upper_quantile(const double probability) const override
      {
        return std::max(first, second * std::exp(-probability * width));
      }

      double
      standard_deviation() const override
      {
        const double mean = (second - first) / width;
        return std::sqrt(0.5 * (second - first) * (second + first) / width -
                         mean * mean);
      }

      double
      lower() const override
      {
        return first;
      }

      double
      upper() const override
      {
        return second;
      }

    private:
      const double first, second, width;
    };


    class Normal : public DistributionFamily
    {
    public:
      explicit Normal(const std::vector<double> &numbers)
        : first(numbers[0])
        , second(numbers[1])
      {}

      std::string
      text() const override
      {
        return text_of("normal", {first, second});
      }

      double
      energy(const double value) const override
      {
        const double z = (value - first) / second;
        return 0.5 * z * z;
      }

      double
      energy_derivative(const double value) const override
      {
        return (value - first) / (second * second);
      }

      double
      log_normaliser() const override
      {
        return std::log(second) + 0.5 * std::log(2. * M_PI);
      }

      double
      cdf(const double value) const override
      {
        const double z = (value - first) / second;
        return 0.5 * std::erfc(-z / std::sqrt(2.));
      }

      double
      upper_tail(const double value) const override
      {
        const double z = (value - first) / second;
        return 0.5 * std::erfc(z / std::sqrt(2.));
      }

      double
      quantile(const double probability) const override
      {
        const double z =
          boost::math::quantile(boost::math::normal_distribution<>(),
                                probability);
        return first + second * z;
      }

      double
      upper_quantile(const double probability) const override
      {
        const double z =
          boost::math::quantile(boost::math::normal_distribution<>(),
                                probability);
        return first - second * z;
      }

      double
      standard_deviation() const override
      {
        return second;
      }

      double
      middle() const override
      {
        return first;
      }

      std::optional<double>
      plain_deviation_at(const double) const override
      {
        return second;
      }

      bool
      is_normal() const override
      {
        return true;
      }

    private:
      const double first, second;
    };


    class LogNormal : public DistributionFamily
    {
    public:
      explicit LogNormal(const std::vector<double> &numbers)
        : first(numbers[0])
        , second(numbers[1])
      {}

      std::string
      text() const override
      {
        return text_of("log-normal", {first, second});
      }

      double
      energy(const double value) const override
      {
        const double z = std::log(value / first) / second;
        return 0.5 * z * z + std::log(value);
      }

      double
      energy_derivative(const double value) const override
      {
        return (std::log(value / first) / (second * second) + 1.) / value;
      }

      double
      log_normaliser() const override
      {
        return std::log(second) + 0.5 * std::log(2. * M_PI);
      }

      double
      cdf(const double value) const override
      {
        if (!(value > 0.))
          return 0.;
        const double z = std::log(value / first) / second;
        return 0.5 * std::erfc(-z / std::sqrt(2.));
      }

      double
      upper_tail(const double value) const override
      {
        if (!(value > 0.))
          return 1.;
        const double z = std::log(value / first) / second;
        return 0.5 * std::erfc(z / std::sqrt(2.));
      }

      double
      quantile(const double probability) const override
      {
        const double z =
          boost::math::quantile(boost::math::normal_distribution<>(),
                                probability);
        return first * std::exp(second * z);
      }

      double
      upper_quantile(const double probability) const override
      {
        const double z =
          boost::math::quantile(boost::math::normal_distribution<>(),
                                probability);
        return first * std::exp(-second * z);
      }

      double
      standard_deviation() const override
      {
        const double variance = second * second;
        return first * std::exp(0.5 * variance) *
               std::sqrt(std::expm1(variance));
      }

      double
      lower() const override
      {
        return 0.;
      }

      double
      middle() const override
      {
        return first;
      }

      std::optional<double>
      plain_deviation_at(const double value) const override
      {
        return value * second;
      }

    private:
      const double first, second;
    };


    class HalfNormal : public DistributionFamily
    {
    public:
      explicit HalfNormal(const std::vector<double> &numbers)
        : deviation(numbers[0])
      {}

      std::string
      text() const override
      {
        return text_of("half-normal", {deviation});
      }

      double
      energy(const double value) const override
      {
        const double z = value / deviation;
        return 0.5 * z * z;
      }

      double
      energy_derivative(const double value) const override
      {
        return value / (deviation * deviation);
      }

      double
      log_normaliser() const override
      {
        return std::log(deviation) + 0.5 * std::log(0.5 * M_PI);
      }

      double
      cdf(const double value) const override
      {
        return value > 0. ? std::erf(value / (deviation * std::sqrt(2.))) : 0.;
      }

      double
      upper_tail(const double value) const override
      {
        return value > 0. ? std::erfc(value / (deviation * std::sqrt(2.))) : 1.;
      }

      double
      quantile(const double probability) const override
      {
        return deviation * std::sqrt(2.) *
               boost::math::erf_inv(probability, Quietly());
      }

      double
      upper_quantile(const double probability) const override
      {
        return deviation * std::sqrt(2.) *
               boost::math::erfc_inv(probability, Quietly());
      }

      double
      standard_deviation() const override
      {
        return deviation * std::sqrt(1. - 2. / M_PI);
      }

      double
      lower() const override
      {
        return 0.;
      }

    private:
      const double deviation;
    };


    /** Probabilities of @p origin + @p unit * number, of a law of Boost's. */
    template <class Law>
    class FamilyOfBoost : public DistributionFamily
    {
    public:
      FamilyOfBoost(const Law &law, const double origin, const double unit)
        : law(law)
        , origin(origin)
        , unit(unit)
      {}

      double
      cdf(const double value) const override
      {
        return value <= lower() ? 0. :
               value >= upper() ? 1. :
                                  boost::math::cdf(law, plain(value));
      }

      double
      upper_tail(const double value) const override
      {
        return value <= lower() ?
                 1. :
               value >= upper() ?
                 0. :
                 boost::math::cdf(boost::math::complement(law, plain(value)));
      }

      double
      quantile(const double probability) const override
      {
        return origin + unit * boost::math::quantile(law, probability);
      }

      double
      upper_quantile(const double probability) const override
      {
        return origin + unit * boost::math::quantile(
                                 boost::math::complement(law, probability));
      }

      double
      standard_deviation() const override
      {
        return unit * boost::math::standard_deviation(law);
      }

    protected:
      double
      plain(const double value) const
      {
        return (value - origin) / unit;
      }

      const Law    law;
      const double origin, unit;
    };


    class Gamma
      : public FamilyOfBoost<boost::math::gamma_distribution<double, Quietly>>
    {
    public:
      explicit Gamma(const std::vector<double> &numbers)
        : FamilyOfBoost(boost::math::gamma_distribution<double, Quietly>(
                          numbers[0]),
                        0.,
                        numbers[1])
        , shape(numbers[0])
      {}

      std::string
      text() const override
      {
        return text_of("gamma", {shape, unit});
      }

      double
      energy(const double value) const override
      {
        return value / unit + power_energy(shape - 1., std::log(value));
      }

      double
      energy_derivative(const double value) const override
      {
        return 1. / unit + power_energy(shape - 1., 1. / value);
      }

      double
      log_normaliser() const override
      {
        return std::lgamma(shape) + shape * std::log(unit);
      }

      double
      lower() const override
      {
        return 0.;
      }

      bool
      is_integrable(const double power) const override
      {
        return power > 0. && power * (shape - 1.) > -1.;
      }

    private:
      const double shape;
    };


    class Beta
      : public FamilyOfBoost<boost::math::beta_distribution<double, Quietly>>
    {
    public:
      explicit Beta(const std::vector<double> &numbers)
        : FamilyOfBoost(
            boost::math::beta_distribution<double, Quietly>(numbers[0],
                                                            numbers[1]),
            0.,
            1.)
        , first(numbers[0])
        , second(numbers[1])
      {}

      std::string
      text() const override
      {
        return text_of("beta", {first, second});
      }

      double
      energy(const double value) const override
      {
        return power_energy(first - 1., std::log(value)) +
               power_energy(second - 1., std::log1p(-value));
      }

      double
      energy_derivative(const double value) const override
      {
        return power_energy(first - 1., 1. / value) +
               power_energy(second - 1., -1. / (1. - value));
      }

      double
      log_normaliser() const override
      {
        return std::lgamma(first) + std::lgamma(second) -
               std::lgamma(first + second);
      }

      double
      lower() const override
      {
        return 0.;
      }

      double
      upper() const override
      {
        return 1.;
      }

      bool
      is_integrable(const double power) const override
      {
        return power * (std::min(first, second) - 1.) > -1.;
      }

    private:
      const double first, second;
    };


    class StudentLaw : public FamilyOfBoost<
                         boost::math::students_t_distribution<double, Quietly>>
    {
    public:
      explicit StudentLaw(const std::vector<double> &numbers)
        : FamilyOfBoost(boost::math::students_t_distribution<double, Quietly>(
                          numbers[0]),
                        numbers[1],
                        numbers[2])
        , degrees(numbers[0])
      {}

      std::string
      text() const override
      {
        return text_of("student-t", {degrees, origin, unit});
      }

      double
      energy(const double value) const override
      {
        const double z = plain(value);
        return 0.5 * (degrees + 1.) * std::log1p(z * z / degrees);
      }

      double
      energy_derivative(const double value) const override
      {
        const double z = plain(value);
        return (degrees + 1.) * z / (unit * (degrees + z * z));
      }

      double
      log_normaliser() const override
      {
        return std::log(unit) + 0.5 * std::log(degrees * M_PI) +
               std::lgamma(0.5 * degrees) - std::lgamma(0.5 * (degrees + 1.));
      }

      double
      standard_deviation() const override
      {
        return degrees > 2. ? unit * std::sqrt(degrees / (degrees - 2.)) :
                              infinity;
      }

      double
      middle() const override
      {
        return origin;
      }

      bool
      is_integrable(const double power) const override
      {
        return power * (degrees + 1.) > 1.;
      }

    private:
      const double degrees;
    };


    /** A name that users may write. */
    struct Entry
    {
      const char *name;
      /** What its numbers are called. */
      std::vector<const char *> numbers;
      /** What is wrong with them; empty if nothing. */
      std::function<std::string(const std::vector<double> &)> mistake;
      std::function<std::shared_ptr<const DistributionFamily>(
        const std::vector<double> &)>
        make;
    };

    template <class Family>
    std::shared_ptr<const DistributionFamily>
    family_of(const std::vector<double> &numbers)
    {
      return std::make_shared<Family>(numbers);
    }

    const std::vector<Entry> &
    table()
    {
      using Numbers           = const std::vector<double> &;
      const std::string empty = "is empty: its first number must be below the "
                                "second.",
                        no_deviation = "needs a standard deviation above 0.";
      static const std::vector<Entry> entries{
        {"uniform",
         {"lower", "upper"},
         [=](Numbers n) { return n[0] < n[1] ? "" : empty; },
         family_of<Uniform>},
        {"log-uniform",
         {"lower", "upper"},
         [=](Numbers n) {
           return !(n[0] > 0.) ? "needs a lower bound above 0." :
                  n[0] < n[1]  ? "" :
                                 empty;
         },
         family_of<LogUniform>},
        {"normal",
         {"mean", "standard deviation"},
         [=](Numbers n) { return n[1] > 0. ? "" : no_deviation; },
         family_of<Normal>},
        {"log-normal",
         {"median", "standard deviation of the logarithm"},
         [=](Numbers n) {
           return !(n[1] > 0.) ? no_deviation :
                  !(n[0] > 0.) ? "needs a median above 0." :
                                 "";
         },
         family_of<LogNormal>},
        {"half-normal",
         {"scale"},
         [](Numbers n) { return n[0] > 0. ? "" : "needs a scale above 0."; },
         family_of<HalfNormal>},
        {"gamma",
         {"shape", "scale"},
         [](Numbers n) {
           return n[0] > 0. && n[1] > 0. ? "" :
                                           "needs a shape and a scale above 0.";
         },
         family_of<Gamma>},
        {"beta",
         {"a", "b"},
         [](Numbers n) {
           return n[0] > 0. && n[1] > 0. ? "" : "needs two numbers above 0.";
         },
         family_of<Beta>},
        {"student-t",
         {"degrees of freedom", "location", "scale"},
         [](Numbers n) {
           return !(n[0] >= 1.) ? "needs at least 1 degree of freedom." :
                  !(n[2] > 0.)  ? "needs a scale above 0." :
                                  "";
         },
         family_of<StudentLaw>}};
      return entries;
    }

    std::string
    usage_of(const Entry &entry)
    {
      return std::string(entry.name) + "(" +
             join(std::vector<std::string>(entry.numbers.begin(),
                                           entry.numbers.end()),
                  ", ") +
             ")";
    }

    const std::string bounds_usage =
      "'above 0', 'below 2' or 'between 0 and 2' behind it cut a law.";

    std::string
    bounds_text(const double lower, const double upper)
    {
      return std::isfinite(lower) && std::isfinite(upper) ?
               " between " + to_text(lower) + " and " + to_text(upper) :
             std::isfinite(lower) ? " above " + to_text(lower) :
             std::isfinite(upper) ? " below " + to_text(upper) :
                                    "";
    }

    /** The bounds that a text like "above 0" names, if it does. */
    std::optional<std::pair<double, double>>
    bounds_from_text(const std::string &text)
    {
      const auto number_after =
        [&](const std::string &word) -> std::optional<double> {
        return text.compare(0, word.size(), word) == 0 ?
                 Distribution::number_from_text(text.substr(word.size())) :
                 std::nullopt;
      };
      if (const auto lower = number_after("above "))
        return std::make_pair(*lower, infinity);
      if (const auto upper = number_after("below "))
        return std::make_pair(-infinity, *upper);
      const std::string between = "between ", conjunction = " and ";
      const auto        middle = text.find(conjunction);
      if (text.compare(0, between.size(), between) != 0 ||
          middle == std::string::npos || middle < between.size())
        return {};
      const auto lower = Distribution::number_from_text(
                   text.substr(between.size(), middle - between.size())),
                 upper = Distribution::number_from_text(
                   text.substr(middle + conjunction.size()));
      if (!lower || !upper)
        return {};
      return std::make_pair(*lower, *upper);
    }
  } // namespace



  Distribution::Distribution(
    std::shared_ptr<const DistributionFamily> the_family)
    : family(std::move(the_family))
    , lower_bound(family->lower())
    , upper_bound(family->upper())
  {}



  std::string
  Distribution::usage()
  {
    std::vector<std::string> texts;
    for (const Entry &entry : table())
      texts.push_back(usage_of(entry));
    const std::string last = texts.back();
    texts.pop_back();
    return join(texts, ", ") + " or " + last + ". " + bounds_usage;
  }



  Distribution
  Distribution::make(const std::string         &name,
                     const std::vector<double> &numbers)
  {
    for (const Entry &entry : table())
      if (name == entry.name)
        {
          AssertDimension(numbers.size(), entry.numbers.size());
          const std::string mistake =
            std::all_of(numbers.begin(),
                        numbers.end(),
                        [](const double one) { return std::isfinite(one); }) ?
              entry.mistake(numbers) :
              "has a number that is not finite.";
          if (!mistake.empty())
            throw UserError("The prior '" + text_of(name, numbers) + "' " +
                            mistake);
          return Distribution(entry.make(numbers));
        }
    Assert(false, dealii::ExcInternalError());
    return Distribution(nullptr);
  }



  Distribution
  Distribution::from_text(const std::string &text, const std::string &parameter)
  {
    const std::string help =
      "' is neither a number nor a prior. Write " + usage();
    const auto open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open)
      throw UserError("The value '" + text + "' of '" + parameter + help);
    const std::string name = dealii::Utilities::trim(text.substr(0, open));
    const auto        entry =
      std::find_if(table().begin(), table().end(), [&](const Entry &one) {
        return name == one.name;
      });
    if (entry == table().end())
      {
        std::vector<std::string> names;
        for (const Entry &one : table())
          names.emplace_back(one.name);
        throw UserError(
          "The value '" + text + "' of '" + parameter + help +
          did_you_mean(name, names, false) +
          " There are no other priors; a formula of an unknown, such as its "
          "exponential, is written where it is used, in the equation.");
      }
    const std::vector<std::string> texts = dealii::Utilities::split_string_list(
      text.substr(open + 1, close - open - 1), ',');
    const std::size_t n = entry->numbers.size();
    if (texts.size() != n)
      throw UserError("The value '" + text + "' of '" + parameter +
                      "' must have " + counted(n, "number") +
                      " in its brackets, " + usage_of(*entry) + ", not " +
                      std::to_string(texts.size()) +
                      (texts.size() > n ? ". " + bounds_usage : "."));
    std::vector<double> numbers;
    for (const std::string &one : texts)
      {
        const auto number = number_from_text(one);
        if (!number)
          throw UserError(
            "'" + one + "' in the prior '" + text + "' of '" + parameter +
            "' is not a finite number. Priors are " + usage() +
            " Unknowns and formulas cannot be in their brackets.");
        numbers.push_back(*number);
      }
    const std::string mistake = entry->mistake(numbers);
    if (!mistake.empty())
      throw UserError("The prior '" + text + "' of '" + parameter + "' " +
                      mistake);
    const Distribution whole(entry->make(numbers));
    const std::string  rest = dealii::Utilities::trim(text.substr(close + 1));
    if (rest.empty())
      return whole;
    const auto bounds = bounds_from_text(rest);
    if (!bounds)
      throw UserError("'" + rest + "' in the prior '" + text + "' of '" +
                      parameter + "' is not understood: " + bounds_usage);
    try
      {
        return whole.between(bounds->first, bounds->second);
      }
    catch (const UserError &error)
      {
        throw UserError("'" + parameter + "': " + error.what());
      }
  }



  std::optional<Distribution>
  Distribution::if_text(const std::string &text)
  {
    try
      {
        return from_text(text, "");
      }
    catch (const UserError &)
      {
        return {};
      }
  }



  Distribution
  Distribution::between(const double lower, const double upper) const
  {
    // Of less than that, quantiles would have no digits.
    constexpr double least_mass = 1e-280;

    Distribution      result = *this;
    const std::string name =
      "The prior '" + family->text() + bounds_text(lower, upper) + "' ";
    if (!(lower < upper))
      throw UserError(name + "is empty: the first of its bounds must be below "
                             "the second.");
    result.lower_bound = std::max(lower, lower_bound);
    result.upper_bound = std::min(upper, upper_bound);
    if (!(result.lower_bound < result.upper_bound))
      throw UserError(name + "is empty: without these bounds it is" +
                      bounds_text(lower_bound, upper_bound) + ".");
    result.is_cut = result.lower_bound > family->lower() ||
                    result.upper_bound < family->upper();
    result.is_in_upper_half = family->cdf(result.lower_bound) > 0.5;
    result.mass =
      result.is_in_upper_half ?
        family->upper_tail(result.lower_bound) -
          family->upper_tail(result.upper_bound) :
        family->cdf(result.upper_bound) - family->cdf(result.lower_bound);
    if (!(result.mass > least_mass))
      throw UserError(name + "has hardly any probability between its bounds, "
                             "so that it cannot be computed with. Move the "
                             "bounds to where the law is, or take uniform.");
    return result;
  }



  Distribution
  Distribution::uniform(const double lower, const double upper)
  {
    return make("uniform", {lower, upper});
  }



  Distribution
  Distribution::log_uniform(const double lower, const double upper)
  {
    return make("log-uniform", {lower, upper});
  }



  Distribution
  Distribution::normal(const double mean, const double standard_deviation)
  {
    return make("normal", {mean, standard_deviation});
  }



  Distribution
  Distribution::log_normal(const double median, const double deviation)
  {
    return make("log-normal", {median, deviation});
  }



  Distribution
  Distribution::half_normal(const double scale)
  {
    return make("half-normal", {scale});
  }



  Distribution
  Distribution::gamma(const double shape, const double scale)
  {
    return make("gamma", {shape, scale});
  }



  Distribution
  Distribution::beta(const double a, const double b)
  {
    return make("beta", {a, b});
  }



  Distribution
  Distribution::student_t(const double degrees_of_freedom,
                          const double location,
                          const double scale)
  {
    return make("student-t", {degrees_of_freedom, location, scale});
  }



  std::optional<double>
  Distribution::number_from_text(const std::string &text)
  {
    try
      {
        std::size_t  end   = 0;
        const double value = std::stod(text, &end);
        if (dealii::Utilities::trim(text.substr(end)).empty() &&
            std::isfinite(value))
          return value;
      }
    catch (const std::exception &)
      {}
    return {};
  }



  double
  Distribution::log_normaliser() const
  {
    return is_cut ? family->log_normaliser() + std::log(mass) :
                    family->log_normaliser();
  }



  double
  Distribution::density(const double value) const
  {
    return value < lower_bound || value > upper_bound ?
             0. :
             std::exp(-energy(value) - log_normaliser());
  }



  double
  Distribution::quantile(const double probability) const
  {
    if (!is_cut)
      return family->quantile(probability);
    const double value =
      is_in_upper_half ?
        family->upper_quantile(family->upper_tail(lower_bound) -
                               probability * mass) :
        family->quantile(family->cdf(lower_bound) + probability * mass);
    return std::min(upper_bound, std::max(lower_bound, value));
  }



  double
  Distribution::upper_quantile(const double probability) const
  {
    if (!is_cut)
      return family->upper_quantile(probability);
    const double value = family->upper_quantile(
      family->upper_tail(upper_bound) + probability * mass);
    return std::min(upper_bound, std::max(lower_bound, value));
  }



  double
  Distribution::cdf(const double value) const
  {
    if (!is_cut)
      return family->cdf(value);
    if (!(value > lower_bound))
      return 0.;
    if (value >= upper_bound)
      return 1.;
    return (is_in_upper_half ?
              family->upper_tail(lower_bound) - family->upper_tail(value) :
              family->cdf(value) - family->cdf(lower_bound)) /
           mass;
  }



  double
  Distribution::standard_deviation() const
  {
    if (!is_cut)
      return family->standard_deviation();
    const bool is_bounded =
      std::isfinite(lower_bound) && std::isfinite(upper_bound);
    if (!is_bounded && !std::isfinite(family->standard_deviation()))
      return infinity;
    // Halves, so that both tails are near 0, where numbers are dense.
    boost::math::quadrature::tanh_sinh<double> rule;
    const double                               centre = middle();
    double                                     mean = 0., square = 0.;
    for (const bool is_upper : {false, true})
      for (const bool is_square : {false, true})
        (is_square ? square : mean) += rule.integrate(
          [&](const double p) {
            const double distance =
              (is_upper ? upper_quantile(p) : quantile(p)) - centre;
            return is_square ? distance * distance : distance;
          },
          0.,
          0.5,
          1e-9);
    return std::sqrt(std::max(0., square - mean * mean));
  }



  double
  Distribution::normal_number(const double value) const
  {
    if (is_normal())
      return (value - middle()) / standard_deviation();
    const double below = cdf(value);
    if (below <= 0.)
      return -infinity;
    if (below <= 0.5)
      return boost::math::quantile(boost::math::normal_distribution<>(), below);
    const double above =
      is_cut ?
        (family->upper_tail(value) - family->upper_tail(upper_bound)) / mass :
        family->upper_tail(value);
    return above > 0. ?
             -boost::math::quantile(boost::math::normal_distribution<>(),
                                    above) :
             infinity;
  }



  double
  Distribution::deviation_at(const double value) const
  {
    if (!is_cut)
      if (const auto plain = family->plain_deviation_at(value))
        return *plain;
    const double z      = normal_number(value);
    const double result = std::exp(-0.5 * z * z - 0.5 * std::log(2. * M_PI) +
                                   energy(value) + log_normaliser());
    return std::isfinite(z) && std::isfinite(result) ? result : 0.;
  }



  double
  Distribution::scale() const
  {
    return is_uniform() ? upper_bound - lower_bound : deviation_at(middle());
  }



  double
  Distribution::middle() const
  {
    return is_cut ? quantile(0.5) : family->middle();
  }



  bool
  Distribution::is_integrable(const double power) const
  {
    // A box has a volume, unless the density is infinite at a wall of it.
    const bool is_box =
      std::isfinite(lower_bound) && std::isfinite(upper_bound);
    if (is_box && (power == 0. || (lower_bound > family->lower() &&
                                   upper_bound < family->upper())))
      return true;
    return is_box && family->is_uniform() ? true : family->is_integrable(power);
  }



  std::string
  Distribution::text() const
  {
    return family->text() +
           (is_cut ? bounds_text(lower_bound > family->lower() ? lower_bound :
                                                                 -infinity,
                                 upper_bound < family->upper() ? upper_bound :
                                                                 infinity) :
                     "");
  }
} // namespace Tempera
