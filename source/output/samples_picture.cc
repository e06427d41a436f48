// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/samples_picture.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Tempera
{
  namespace
  {
    constexpr std::size_t n_points = 4000;

    /** Size of the plot and of the space to its left and below, in pixels. */
    constexpr double size = 560., margin = 70., right = 30., top = 56.;

    std::string
    pixels(const double number)
    {
      return to_text(std::round(100. * number) / 100.);
    }

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

    /** An axis with round numbers on it. */
    struct Axis
    {
      Axis(double low, double high)
      {
        if (!(high > low))
          {
            low -= 0.5;
            high += 0.5;
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

      /** Position between 0 and 1. */
      double
      at(const double value) const
      {
        return (value - lower) / (upper - lower);
      }

      std::vector<double>
      ticks() const
      {
        std::vector<double> result;
        for (int i = 0; lower + i * step <= upper + 0.5 * step; ++i)
          {
            const double tick = lower + i * step;
            result.push_back(std::abs(tick) < 1e-9 * step ? 0. : tick);
          }
        return result;
      }

      double lower, upper, step;
    };


    class Canvas
    {
    public:
      Canvas(const Axis &x, const Axis &y)
        : x(x)
        , y(y)
      {}

      double
      left_of(const double value) const
      {
        return margin + size * x.at(value);
      }

      double
      top_of(const double value) const
      {
        return top + size * (1. - y.at(value));
      }

      void
      dot(const double at_x, const double at_y)
      {
        body += "<circle cx=\"" + pixels(left_of(at_x)) + "\" cy=\"" +
                pixels(top_of(at_y)) + "\" r=\"1.6\"/>\n";
      }

      /** A label outside the plot. */
      void
      label(const double       left,
            const double       height,
            const std::string &anchor,
            const std::string &text,
            const std::string &more = "")
      {
        body += "<text x=\"" + pixels(left) + "\" y=\"" + pixels(height) +
                "\" text-anchor=\"" + anchor + "\" " + more + ">" +
                escaped(text) + "</text>\n";
      }

      void
      axes(const std::string &x_name, const std::string &y_name)
      {
        for (const double tick : x.ticks())
          {
            const std::string place = pixels(left_of(tick));
            body += "<path d=\"M" + place + " " + pixels(top) + "V" +
                    pixels(top + size) + "\" stroke=\"#e4e4e4\"/>\n";
            label(left_of(tick), top + size + 22, "middle", to_text(tick, 6));
          }
        for (const double tick : y.ticks())
          {
            const std::string place = pixels(top_of(tick));
            body += "<path d=\"M" + pixels(margin) + " " + place + "H" +
                    pixels(margin + size) + "\" stroke=\"#e4e4e4\"/>\n";
            label(margin - 8, top_of(tick) + 5, "end", to_text(tick, 6));
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

      std::string
      svg() const
      {
        const std::string width  = pixels(margin + size + right),
                          height = pixels(top + size + 64.);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width +
               "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " +
               height +
               "\" font-family=\"sans-serif\" font-size=\"15\">\n<rect "
               "width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
               body + "</svg>\n";
      }

      std::string body;

    private:
      const Axis x, y;
    };


    /**
     * Where an axis shall reach: over all draws, or over the bounds of the
     * unknown if these are near or if it is a coordinate of a place.
     */
    Axis
    axis_for(const std::vector<double> &values,
             const double               lower,
             const double               upper,
             const bool                 is_place)
    {
      const auto   ends  = std::minmax_element(values.begin(), values.end());
      const double width = *ends.second - *ends.first;
      if (std::isfinite(lower) && std::isfinite(upper) &&
          (is_place || upper - lower < 10. * width))
        return Axis(lower, upper);
      return Axis(*ends.first, *ends.second);
    }
  } // namespace



  SamplesPicture::SamplesPicture(const RunFolder      &folder,
                                 const RunDescription &description)
    : folder(folder)
    , description(description)
    , draws(n_points)
  {}



  void
  SamplesPicture::connect(Signals &signals)
  {
    draws.connect(signals);
    signals.end_of_run.connect([this](const RunReport &) {
      if (!draws.get_draws().empty() && !description.names.empty())
        folder.write("samples.svg", svg());
    });
  }



  std::string
  SamplesPicture::svg() const
  {
    const bool                         is_plane = description.names.size() > 1;
    const bool                         is_place = !description.sensors.empty();
    std::array<std::vector<double>, 2> columns;
    for (const std::vector<double> &draw : draws.evenly_spaced(n_points))
      for (unsigned int i = 0; i < (is_plane ? 2 : 1); ++i)
        columns[i].push_back(draw[description.indices[i]]);

    const Axis        x_axis = axis_for(columns[0],
                                 description.lower[0],
                                 description.upper[0],
                                 is_place);
    const std::string title =
      std::to_string(columns[0].size()) + " draws of the coldest rung";
    if (!is_plane)
      {
        constexpr unsigned int n_bins = 60;
        std::vector<double>    heights(n_bins, 0.);
        for (const double value : columns[0])
          heights[std::min<unsigned int>(
            n_bins - 1, std::max(0., n_bins * x_axis.at(value)))] +=
            n_bins / (columns[0].size() * (x_axis.upper - x_axis.lower));
        const Axis y_axis(0.,
                          *std::max_element(heights.begin(), heights.end()));
        Canvas     canvas(x_axis, y_axis);
        canvas.body += "<g fill=\"#2b6cb0\">\n";
        for (unsigned int bin = 0; bin < n_bins; ++bin)
          canvas.body +=
            "<rect x=\"" + pixels(margin + size * bin / n_bins) + "\" y=\"" +
            pixels(canvas.top_of(heights[bin])) + "\" width=\"" +
            pixels(size / n_bins) + "\" height=\"" +
            pixels(canvas.top_of(0.) - canvas.top_of(heights[bin])) + "\"/>\n";
        canvas.body += "</g>\n";
        canvas.axes(description.names[0], "density");
        canvas.label(margin, 34, "start", title);
        for (const std::vector<double> &truth : description.truth)
          canvas.body += "<path d=\"M" + pixels(canvas.left_of(truth[0])) +
                         " " + pixels(top) + "v" + pixels(size) +
                         "\" stroke=\"#c53030\" stroke-width=\"2\"/>\n";
        return canvas.svg();
      }

    const Axis y_axis = axis_for(columns[1],
                                 description.lower[1],
                                 description.upper[1],
                                 is_place);
    Canvas     canvas(x_axis, y_axis);
    canvas.axes(description.names[0], description.names[1]);
    canvas.body += "<clipPath id=\"plot\"><rect x=\"" + pixels(margin) +
                   "\" y=\"" + pixels(top) + "\" width=\"" + pixels(size) +
                   "\" height=\"" + pixels(size) +
                   "\"/></clipPath>\n<g clip-path=\"url(#plot)\">\n";
    if (description.true_circle.size() == 3)
      canvas.body +=
        "<ellipse cx=\"" + pixels(canvas.left_of(description.true_circle[0])) +
        "\" cy=\"" + pixels(canvas.top_of(description.true_circle[1])) +
        "\" rx=\"" +
        pixels(size * description.true_circle[2] /
               (x_axis.upper - x_axis.lower)) +
        "\" ry=\"" +
        pixels(size * description.true_circle[2] /
               (y_axis.upper - y_axis.lower)) +
        "\" fill=\"none\" stroke=\"#c53030\" stroke-width=\"2\"/>\n";
    canvas.body += "<g fill=\"#2b6cb0\" fill-opacity=\"0.35\">\n";
    for (std::size_t i = 0; i < columns[0].size(); ++i)
      canvas.dot(columns[0][i], columns[1][i]);
    canvas.body += "</g>\n";

    for (const std::vector<double> &truth : description.truth)
      if (truth.size() > 1)
        {
          const double left   = canvas.left_of(truth[0]),
                       height = canvas.top_of(truth[1]);
          canvas.body += "<path d=\"M" + pixels(left - 8) + " " +
                         pixels(height) + "h16M" + pixels(left) + " " +
                         pixels(height - 8) +
                         "v16\" stroke=\"#c53030\" stroke-width=\"3\"/>\n";
        }
    for (const std::vector<double> &sensor : description.sensors)
      {
        const double left   = canvas.left_of(sensor[0]),
                     height = canvas.top_of(sensor[1]);
        canvas.body += "<path d=\"M" + pixels(left) + " " + pixels(height - 8) +
                       "l7 13h-14z\" fill=\"#276749\"/>\n";
      }
    canvas.body += "</g>\n";

    std::string legend = title;
    if (!description.truth.empty())
      legend += ";  + truth";
    if (description.true_circle.size() == 3)
      legend += ";  circle: truth";
    if (!description.sensors.empty())
      legend += ";  triangles: sensors";
    canvas.label(margin, 34, "start", legend);
    return canvas.svg();
  }
} // namespace Tempera
