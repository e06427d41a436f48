// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_canvas_h
#define tempera_output_canvas_h

#include <string>
#include <vector>

namespace Tempera
{
  /** An axis with round numbers on it. */
  class Axis
  {
  public:
    /** Reaches at least from @p low to @p high. */
    Axis(double low, double high);

    /**
     * An axis of powers for curves; what is not a positive number has no place
     * on it.
     */
    static Axis
    logarithmic(const std::vector<std::vector<double>> &curves);

    /** Position between 0 and 1. */
    double
    at(const double value) const;

    /** Whether the axis has a place for this value at all. */
    bool
    has(const double value) const;

    /** Where lines of the grid are. */
    std::vector<double>
    ticks() const;

    /** What is written at one of them. */
    std::string
    text(const double tick) const;

    double lower = 0., upper = 1.;

  private:
    Axis() = default;

    double step           = 1.;
    bool   is_logarithmic = false;
    /** Of a logarithmic axis. */
    std::vector<double> marks;
  };


  /** How a curve looks, and what the legend calls it. */
  struct CurveStyle
  {
    std::string colour;
    /** Empty: not in the legend. */
    std::string name;
    double      width     = 1.5;
    bool        is_dashed = false;
  };


  /** A plot as a picture of SVG, drawn from back to front. */
  class Canvas
  {
  public:
    /** Size of the plot and of the space around it, in pixels. */
    static constexpr double size = 560., margin = 70., right = 30., top = 56.;

    Canvas(const Axis &x, const Axis &y);

    double
    left_of(const double value) const;

    double
    top_of(const double value) const;

    void
    dot(const double at_x, const double at_y);

    /**
     * A line through points, which is broken where the axes have no place for
     * one.
     */
    void
    curve(const std::vector<double> &at_x,
          const std::vector<double> &at_y,
          const CurveStyle          &style);

    /** The area between two curves. */
    void
    band(const std::vector<double> &at_x,
         const std::vector<double> &lower,
         const std::vector<double> &upper,
         const CurveStyle          &style);

    /** Shade the plot between two places of the axis of x. */
    void
    shade(const double from, const double to, const CurveStyle &style);

    /** A label outside the plot. */
    void
    label(const double       left,
          const double       height,
          const std::string &anchor,
          const std::string &text,
          const std::string &more = "");

    void
    axes(const std::string &x_name, const std::string &y_name);

    /** What is drawn from here on is cut off at the edge of the plot. */
    void
    begin_clip();

    void
    end_clip();

    /** The picture, with the legend to the right of the plot if there is one.
     */
    std::string
    svg() const;

    /** What is drawn so far. */
    std::string body;

  private:
    /** A line of the legend, with a line or a box of the colour. */
    struct Entry
    {
      CurveStyle style;
      double     opacity;
      bool       is_area;
    };

    const Axis         x, y;
    std::vector<Entry> legend;
  };


  /** A length in pixels, rounded to what can be seen. */
  std::string
  pixels(const double number);

  /** How many colours there are for curves. */
  constexpr unsigned int n_curve_colours = 8;

  /** The colour of one of several curves; they repeat. */
  std::string
  curve_colour(const unsigned int curve);
} // namespace Tempera

#endif
