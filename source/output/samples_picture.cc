// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/canvas.h>
#include <tempera/output/exporter.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/samples_picture.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Tempera
{
  namespace
  {
    constexpr std::size_t n_points = 4000;

    constexpr double size = Canvas::size, margin = Canvas::margin,
                     top = Canvas::top;

    /**
     * Where an axis shall reach: over all that is drawn, and over the bounds of
     * the unknown if these are near or if it is a coordinate of a place.
     *
     * @param others What is drawn beside the draws.
     */
    Axis
    axis_for(const std::vector<double> &values,
             const std::vector<double> &others,
             const double               lower,
             const double               upper,
             const bool                 is_place)
    {
      const auto   ends  = std::minmax_element(values.begin(), values.end());
      const double width = *ends.second - *ends.first;
      double       low = *ends.first, high = *ends.second;
      if (std::isfinite(lower) && std::isfinite(upper) &&
          (is_place || upper - lower < 10. * width))
        {
          low  = std::min(low, lower);
          high = std::max(high, upper);
        }
      for (const double other : others)
        if (std::isfinite(other))
          {
            low  = std::min(low, other);
            high = std::max(high, other);
          }
      return Axis(low, high);
    }

    /** A coordinate of all that is drawn beside the draws. */
    std::vector<double>
    others(const RunDescription &description, const unsigned int coordinate)
    {
      std::vector<double> result;
      for (const std::vector<double> &truth : description.truth)
        if (coordinate < truth.size())
          result.push_back(truth[coordinate]);
      for (const std::vector<double> &sensor : description.sensors)
        result.push_back(sensor[coordinate]);
      if (description.true_circle.size() == 3)
        for (const double sign : {-1., 1.})
          result.push_back(description.true_circle[coordinate] +
                           sign * description.true_circle[2]);
      return result;
    }
  } // namespace



  std::string
  samples_picture(const RecordedRun &run)
  {
    const RunDescription &description = run.description();
    const auto            states      = evenly_spaced_states(run, n_points);
    if (states.empty() || description.names.empty())
      return "";
    const bool                         is_plane = description.names.size() > 1;
    const bool                         is_place = !description.sensors.empty();
    std::array<std::vector<double>, 2> columns;
    for (const std::vector<double> &state : states)
      for (unsigned int i = 0; i < (is_plane ? 2 : 1); ++i)
        columns[i].push_back(state[i]);

    const Axis        x_axis = axis_for(columns[0],
                                 others(description, 0),
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
          if (!truth.empty())
            canvas.body += "<path d=\"M" + pixels(canvas.left_of(truth[0])) +
                           " " + pixels(top) + "v" + pixels(size) +
                           "\" stroke=\"#c53030\" stroke-width=\"2\"/>\n";
        return canvas.svg();
      }

    const Axis y_axis = axis_for(columns[1],
                                 others(description, 1),
                                 description.lower[1],
                                 description.upper[1],
                                 is_place);
    Canvas     canvas(x_axis, y_axis);
    canvas.axes(description.names[0], description.names[1]);
    canvas.begin_clip();
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
    canvas.end_clip();

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


  namespace
  {
    class PictureExporter : public Exporter
    {
    public:
      bool
      is_default() const override
      {
        return true;
      }

      std::vector<std::string>
      write(const RecordedRun &run,
            const Analysis *,
            const std::string &folder) const override
      {
        const std::string picture = samples_picture(run);
        if (picture.empty())
          return {};
        const std::string path = folder + "/samples.svg";
        write_whole_file(path, picture, "another folder");
        return {path};
      }
    };

    const Registration<ExporterRegistry, PictureExporter>
      registration("Picture",
                   "The draws of the coldest rung as a picture: samples.svg.");
  } // namespace
} // namespace Tempera
