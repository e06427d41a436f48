// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/prior.h>

#include <deal.II/base/utilities.h>

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  Prior
  Prior::from_text(const std::string &text, const std::string &parameter)
  {
    const std::string priors =
      "uniform(lower, upper), normal(mean, standard deviation) or "
      "log-normal(median, standard deviation of the logarithm).";
    const std::string help =
      "' is neither a number nor a prior. Write " + priors;
    const auto open = text.find('(');
    if (open == std::string::npos || text.back() != ')')
      throw UserError("The value '" + text + "' of '" + parameter + help);
    const std::string name = dealii::Utilities::trim(text.substr(0, open));
    const bool        is_log_normal = name == "log-normal";
    if (!is_log_normal && name != "normal" && name != "uniform")
      throw UserError(
        "The value '" + text + "' of '" + parameter + help +
        did_you_mean(name, {"uniform", "normal", "log-normal"}, false) +
        " There are no other priors, truncated ones included; a formula of "
        "an unknown, such as its exponential, is written where it is used, "
        "in the equation.");
    const std::vector<std::string> numbers =
      dealii::Utilities::split_string_list(text.substr(open + 1,
                                                       text.size() - open - 2),
                                           ',');
    if (numbers.size() != 2)
      throw UserError(
        "The value '" + text + "' of '" + parameter +
        "' must have two numbers in its brackets, separated by a comma, not " +
        std::to_string(numbers.size()) + ". Priors are " + priors +
        (numbers.size() > 2 ? " They cannot be truncated." : ""));
    for (const std::string &number : numbers)
      if (!number_from_text(number))
        throw UserError("'" + number + "' in the prior '" + text + "' of '" +
                        parameter + "' is not a finite number. Priors are " +
                        priors +
                        " Unknowns and formulas cannot be in their brackets.");
    const double first        = *number_from_text(numbers[0]),
                 second       = *number_from_text(numbers[1]);
    const Kind        kind    = name == "uniform" ? Kind::uniform :
                                is_log_normal     ? Kind::log_normal :
                                                    Kind::normal;
    const std::string mistake = mistake_of(kind, first, second);
    if (!mistake.empty())
      throw UserError("The prior '" + text + "' of '" + parameter + "' " +
                      mistake);
    return Prior(kind, first, second);
  }



  std::string
  Prior::mistake_of(const Kind kind, const double first, const double second)
  {
    if (kind == Kind::uniform)
      return first < second ?
               "" :
               "is empty: its first number must be below the second.";
    return !(second > 0.) ? "needs a standard deviation above 0." :
           kind == Kind::log_normal && !(first > 0.) ?
                            "needs a median above 0." :
                            "";
  }



  Prior
  Prior::make(const Kind kind, const double first, const double second)
  {
    const Prior       result(kind, first, second);
    const std::string mistake = std::isfinite(first) && std::isfinite(second) ?
                                  mistake_of(kind, first, second) :
                                  "has a number that is not finite.";
    if (!mistake.empty())
      throw UserError("The prior '" + result.text() + "' " + mistake);
    return result;
  }



  Prior
  Prior::uniform(const double lower, const double upper)
  {
    return make(Kind::uniform, lower, upper);
  }



  Prior
  Prior::normal(const double mean, const double standard_deviation)
  {
    return make(Kind::normal, mean, standard_deviation);
  }



  Prior
  Prior::log_normal(const double median, const double deviation)
  {
    return make(Kind::log_normal, median, deviation);
  }



  std::optional<double>
  Prior::number_from_text(const std::string &text)
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
  Prior::energy(const double value) const
  {
    switch (kind)
      {
        case Kind::uniform:
          return 0.;
        case Kind::normal:
          {
            const double z = (value - first) / second;
            return 0.5 * z * z;
          }
        default:
          {
            const double z = std::log(value / first) / second;
            return 0.5 * z * z + std::log(value);
          }
      }
  }



  double
  Prior::energy_derivative(const double value) const
  {
    switch (kind)
      {
        case Kind::uniform:
          return 0.;
        case Kind::normal:
          return (value - first) / (second * second);
        default:
          return (std::log(value / first) / (second * second) + 1.) / value;
      }
  }



  double
  Prior::log_normaliser() const
  {
    return kind == Kind::uniform ? std::log(second - first) :
                                   std::log(second) + 0.5 * std::log(2. * M_PI);
  }



  double
  Prior::quantile(const double probability) const
  {
    if (kind == Kind::uniform)
      return first + probability * (second - first);
    const double z =
      boost::math::quantile(boost::math::normal_distribution<>(), probability);
    return kind == Kind::normal ? first + second * z :
                                  first * std::exp(second * z);
  }



  double
  Prior::cdf(const double value) const
  {
    if (kind == Kind::uniform)
      return std::min(1., std::max(0., (value - first) / (second - first)));
    if (kind == Kind::log_normal && !(value > 0.))
      return 0.;
    const double z =
      (kind == Kind::normal ? value - first : std::log(value / first)) / second;
    return 0.5 * std::erfc(-z / std::sqrt(2.));
  }



  double
  Prior::standard_deviation() const
  {
    const double variance = second * second;
    return kind == Kind::uniform ?
             (second - first) / std::sqrt(12.) :
           kind == Kind::normal ?
             second :
             first * std::exp(0.5 * variance) * std::sqrt(std::expm1(variance));
  }



  double
  Prior::deviation_at(const double value) const
  {
    return kind == Kind::log_normal ? value * second : standard_deviation();
  }



  double
  Prior::lower() const
  {
    return kind == Kind::uniform ? first :
           kind == Kind::normal  ? -std::numeric_limits<double>::infinity() :
                                   0.;
  }



  double
  Prior::upper() const
  {
    return kind == Kind::uniform ? second :
                                   std::numeric_limits<double>::infinity();
  }



  double
  Prior::scale() const
  {
    return kind == Kind::uniform ? second - first :
           kind == Kind::normal  ? second :
                                   first * second;
  }



  double
  Prior::middle() const
  {
    return kind == Kind::uniform ? 0.5 * (first + second) : first;
  }



  std::string
  Prior::text() const
  {
    return std::string(kind == Kind::uniform ? "uniform" :
                       kind == Kind::normal  ? "normal" :
                                               "log-normal") +
           "(" + to_text(first) + ", " + to_text(second) + ")";
  }



  NumberOrPrior::NumberOrPrior(const std::string &text,
                               const std::string &parameter,
                               const double       lower)
  {
    const auto value = Prior::number_from_text(text);
    if (value && !(*value > lower))
      throw UserError("'" + parameter + "' is " + text +
                      ", but it must be above " + to_text(lower) + ".");
    if (value)
      {
        number = *value;
        return;
      }
    its_prior = Prior::from_text(text, parameter);
    if (its_prior->lower() < lower)
      throw UserError("The prior '" + text + "' of '" + parameter +
                      "' reaches below " + to_text(lower) +
                      ", where the equation has no meaning. Take "
                      "log-normal, or uniform with a lower bound of "
                      "at least " +
                      to_text(lower) + ".");
  }
} // namespace Tempera
