// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/canvas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    constexpr double band_opacity = 0.22, shade_opacity = 0.08;

    /** Text in a picture of XML. */
    std::string
    escaped(const std::string &text)
    {
      std::string result;
      for (const char c : text)
        result += c == '<' ? "&lt;" :
                  c == '>' ? "&gt;" :
                  c == '&' ? "&amp;" :
                             std::string(1, c);
      return result;
    }

    std::string
    point(const double left, const double height)
    {
      return pixels(left) + " " + pixels(height);
    }

    std::string
    stroke(const CurveStyle &style)
    {
      return "fill=\"none\" stroke=\"" + style.colour + "\" stroke-width=\"" +
             pixels(style.width) + "\"" +
             (style.is_dashed ? " stroke-dasharray=\"7 5\"" : "");
    }

    std::string
    fill(const std::string &colour, const double opacity)
    {
      return "fill=\"" + colour + "\" fill-opacity=\"" + to_text(opacity) +
             "\"";
    }
  } // namespace



  Axis::Axis(double low, double high)
  {
    // Ends of an axis are round numbers beyond these, and have a distance: all
    // must be finite.
    constexpr double most = 1e300;
    for (double *end : {&low, &high})
      if (std::abs(*end) > most)
        *end = std::copysign(most, *end);
    if (!(high > low))
      {
        const double width = std::max(0.5, 1e-6 * std::abs(low));
        low -= width;
        high += width;
      }
    const double rough = (high - low) / 5.;
    const double power = std::pow(10., std::floor(std::log10(rough)));
    const double ratio = rough / power;
    step               = power * (ratio < 1.5 ? 1. :
                                  ratio < 3.5 ? 2. :
                                  ratio < 7.5 ? 5. :
                                                10.);
    lower              = std::floor(low / step + 1e-9) * step;
    upper              = std::ceil(high / step - 1e-9) * step;
  }



  Axis
  Axis::logarithmic(const std::vector<std::vector<double>> &curves)
  {
    double low = std::numeric_limits<double>::max(), high = 0.;
    for (const std::vector<double> &curve : curves)
      for (const double value : curve)
        if (value > 0. && std::isfinite(value))
          {
            low  = std::min(low, value);
            high = std::max(high, value);
          }
    if (!(high > 0.))
      {
        low  = 0.1;
        high = 1.;
      }
    const int first = std::floor(std::log10(low)),
              last  = std::ceil(std::log10(high));
    // Few powers need numbers between them, many are too many.
    const std::vector<double> digits = last - first <= 2 ?
                                         std::vector<double>{1., 2., 5.} :
                                         std::vector<double>{1.};
    const int                 every  = 1 + (last - first) / 10;

    Axis axis;
    axis.is_logarithmic = true;
    std::vector<double> candidates;
    for (int power = first; power <= last + every; power += every)
      for (const double digit : digits)
        // Exact for negative powers, which the product with 10^-n is not.
        candidates.push_back(power < 0 ? digit / std::pow(10., -power) :
                                         digit * std::pow(10., power));
    constexpr double tolerance = 1e-9;
    const auto       above_low = std::upper_bound(candidates.begin(),
                                            candidates.end(),
                                            low * (1. + tolerance));
    const auto       begin =
      above_low == candidates.begin() ? above_low : above_low - 1;
    const auto end = std::lower_bound(begin + 1,
                                      candidates.end() - 1,
                                      high * (1. - tolerance));
    axis.marks.assign(begin, end + 1);
    axis.lower = axis.marks.front();
    axis.upper = axis.marks.back();
    return axis;
  }



  double
  Axis::at(const double value) const
  {
    return is_logarithmic ? std::log(value / lower) / std::log(upper / lower) :
                            (value - lower) / (upper - lower);
  }



  bool
  Axis::has(const double value) const
  {
    return std::isfinite(value) && (!is_logarithmic || value > 0.);
  }



  std::vector<double>
  Axis::ticks() const
  {
    if (is_logarithmic)
      return marks;
    std::vector<double> result;
    for (int i = 0; lower + i * step <= upper + 0.5 * step; ++i)
      {
        const double tick = lower + i * step;
        result.push_back(std::abs(tick) < 1e-9 * step ? 0. : tick);
      }
    return result;
  }



  std::string
  Axis::text(const double tick) const
  {
    // Small numbers written out would run into the name of the axis.
    if (!is_logarithmic || (tick > 0.009 && tick < 1001.))
      return to_text(tick, 6);
    const int power = std::floor(std::log10(tick) + 1e-9);
    return to_text(std::round(tick / std::pow(10., power))) + "e" +
           std::to_string(power);
  }



  Canvas::Canvas(const Axis &x, const Axis &y)
    : x(x)
    , y(y)
  {}



  double
  Canvas::left_of(const double value) const
  {
    return margin + size * x.at(value);
  }



  double
  Canvas::top_of(const double value) const
  {
    return top + size * (1. - y.at(value));
  }



  void
  Canvas::dot(const double at_x, const double at_y)
  {
    body += "<circle cx=\"" + pixels(left_of(at_x)) + "\" cy=\"" +
            pixels(top_of(at_y)) + "\" r=\"1.6\"/>\n";
  }



  void
  Canvas::curve(const std::vector<double> &at_x,
                const std::vector<double> &at_y,
                const CurveStyle          &style)
  {
    std::string path;
    bool        is_drawing = false;
    for (std::size_t i = 0; i < at_x.size(); ++i)
      {
        const bool is_there = x.has(at_x[i]) && y.has(at_y[i]);
        if (is_there)
          path +=
            (is_drawing ? "L" : "M") + point(left_of(at_x[i]), top_of(at_y[i]));
        is_drawing = is_there;
      }
    body += "<path d=\"" + path + "\" " + stroke(style) +
            " stroke-linejoin=\"round\"/>\n";
    legend.push_back({style, 1., false});
  }



  void
  Canvas::band(const std::vector<double> &at_x,
               const std::vector<double> &lower,
               const std::vector<double> &upper,
               const CurveStyle          &style)
  {
    std::string path;
    const auto  add = [&](const std::size_t i, const double value) {
      if (x.has(at_x[i]) && y.has(value))
        path +=
          (path.empty() ? "M" : "L") + point(left_of(at_x[i]), top_of(value));
    };
    for (std::size_t i = 0; i < at_x.size(); ++i)
      add(i, upper[i]);
    for (std::size_t i = at_x.size(); i-- > 0;)
      add(i, lower[i]);
    body +=
      "<path d=\"" + path + "z\" " + fill(style.colour, band_opacity) + "/>\n";
    legend.push_back({style, band_opacity, true});
  }



  void
  Canvas::shade(const double from, const double to, const CurveStyle &style)
  {
    body += "<rect x=\"" + pixels(left_of(from)) + "\" y=\"" + pixels(top) +
            "\" width=\"" + pixels(left_of(to) - left_of(from)) +
            "\" height=\"" + pixels(size) + "\" " +
            fill(style.colour, shade_opacity) + "/>\n";
    legend.push_back({style, shade_opacity, true});
  }



  void
  Canvas::label(const double       left,
                const double       height,
                const std::string &anchor,
                const std::string &text,
                const std::string &more)
  {
    body += "<text x=\"" + pixels(left) + "\" y=\"" + pixels(height) +
            "\" text-anchor=\"" + anchor + "\" " + more + ">" + escaped(text) +
            "</text>\n";
  }



  void
  Canvas::axes(const std::string &x_name, const std::string &y_name)
  {
    for (const double tick : x.ticks())
      {
        const std::string place = pixels(left_of(tick));
        body += "<path d=\"M" + place + " " + pixels(top) + "V" +
                pixels(top + size) + "\" stroke=\"#e4e4e4\"/>\n";
        label(left_of(tick), top + size + 22, "middle", x.text(tick));
      }
    for (const double tick : y.ticks())
      {
        const std::string place = pixels(top_of(tick));
        body += "<path d=\"M" + pixels(margin) + " " + place + "H" +
                pixels(margin + size) + "\" stroke=\"#e4e4e4\"/>\n";
        label(margin - 8, top_of(tick) + 5, "end", y.text(tick));
      }
    body += "<rect x=\"" + pixels(margin) + "\" y=\"" + pixels(top) +
            "\" width=\"" + pixels(size) + "\" height=\"" + pixels(size) +
            "\" fill=\"none\" stroke=\"#444\"/>\n";
    label(margin + size / 2, top + size + 48, "middle", x_name);
    label(20,
          top + size / 2,
          "middle",
          y_name,
          "transform=\"rotate(-90 20 " + pixels(top + size / 2) + ")\"");
  }



  void
  Canvas::begin_clip()
  {
    body += "<clipPath id=\"plot\"><rect x=\"" + pixels(margin) + "\" y=\"" +
            pixels(top) + "\" width=\"" + pixels(size) + "\" height=\"" +
            pixels(size) + "\"/></clipPath>\n<g clip-path=\"url(#plot)\">\n";
  }



  void
  Canvas::end_clip()
  {
    body += "</g>\n";
  }



  std::string
  Canvas::svg() const
  {
    constexpr double swatch = 28., line_height = 24., letter = 8.2;

    const double left = margin + size + right;
    double       edge = left;
    Canvas       names(x, y);
    for (const Entry &entry : legend)
      if (!entry.style.name.empty())
        {
          const double height = top + line_height * (0.5 + names.legend.size());
          names.legend.push_back(entry);
          names.body +=
            entry.is_area ?
              "<rect x=\"" + pixels(left) + "\" y=\"" + pixels(height - 7) +
                "\" width=\"" + pixels(swatch) + "\" height=\"14\" " +
                fill(entry.style.colour, entry.opacity) + "/>\n" :
              "<path d=\"M" + point(left, height) + "h" + pixels(swatch) +
                "\" " + stroke(entry.style) + "/>\n";
          names.label(left + swatch + 8, height + 5, "start", entry.style.name);
          // How wide the letters are nobody knows here; rather too wide.
          edge =
            std::max(edge,
                     left + swatch + 8 + letter * entry.style.name.size() + 12);
        }

    const std::string width = pixels(edge), height = pixels(top + size + 64.);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width +
           "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " +
           height +
           "\" font-family=\"sans-serif\" font-size=\"15\">\n<rect "
           "width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           body + names.body + "</svg>\n";
  }



  std::string
  pixels(const double number)
  {
    return to_text(std::round(100. * number) / 100.);
  }



  std::string
  curve_colour(const unsigned int curve)
  {
    // Okabe and Ito: distinct also for those who do not see all colours.
    const std::array<const char *, n_curve_colours> colours{{"#2b6cb0",
                                                             "#d55e00",
                                                             "#009e73",
                                                             "#cc79a7",
                                                             "#8a6d00",
                                                             "#56b4e9",
                                                             "#555555",
                                                             "#e69f00"}};
    return colours[curve % n_curve_colours];
  }
} // namespace Tempera
