// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_prediction_h
#define tempera_output_prediction_h

#include <deal.II/base/array_view.h>

#include <functional>
#include <string>
#include <vector>

namespace Tempera
{
  /** A curve that every state predicts, as a network does. */
  struct Prediction
  {
    /** What the places are, for instance "x". */
    std::string coordinate;
    /** What is predicted, for instance "u at t = 0.001". */
    std::string title;
    /** Where the curve is evaluated, in increasing order. */
    std::vector<double> places;
    /** The true curve at the places; empty if it is not known. */
    std::vector<double> exact;

    /** The curve of a state, one value for each place. */
    std::function<void(const dealii::ArrayView<const double> &position,
                       const dealii::ArrayView<double>       &values)>
      evaluate;

    /** A number that follows from a state, such as the mean of a field. */
    struct Quantity
    {
      std::string name;
      std::function<double(const dealii::ArrayView<const double> &position)>
        evaluate;
    };
    std::vector<Quantity> quantities;

    /**
     * Standard deviation of the curve at each place, from a Gauss-Newton
     * linearisation at a state; may be empty.
     */
    std::function<std::vector<double>(const std::vector<double> &position)>
      linearised_deviation;
  };
} // namespace Tempera

#endif
