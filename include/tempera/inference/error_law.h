// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_error_law_h
#define tempera_inference_error_law_h

#include <array>
#include <memory>

namespace Tempera
{
  /** The shape of the errors of measurement. */
  enum class ErrorShape
  {
    gaussian,
    /** With heavy tails, by its degrees of freedom. */
    student_t,
    /** Gaussian, but a share of them so many times as large. */
    outliers
  };


  /** The law of one error, in units of its scale. */
  class ErrorLaw
  {
  public:
    /** Numbers that a law may have besides its scale. */
    static constexpr unsigned int most_numbers = 2;
    using Numbers = std::array<double, most_numbers>;

    /** A logarithm with its derivatives. */
    struct Term
    {
      double value = 0., by_error = 0.;
      /** In the numbers of the law. */
      Numbers by_number = {{0., 0.}};
    };

    virtual ~ErrorLaw() = default;

    /** Minus the logarithm of the density, whole. */
    virtual Term
    density(const double error) const = 0;

    /** Minus the logarithm of the probability of errors that are not above. */
    virtual Term
    below(const double error) const = 0;

    /** The error that is as improbable as this standard normal number. */
    virtual double
    from_normal(const double normal) const = 0;

    /** Errors that are larger have no part in expectations. */
    virtual double
    reach() const = 0;
  };


  /** @param numbers Degrees of freedom; or the share and factor of outliers. */
  std::unique_ptr<const ErrorLaw>
  make_error_law(const ErrorShape shape, const ErrorLaw::Numbers &numbers);
} // namespace Tempera

#endif
