// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/analysis.h>
#include <tempera/output/exporter.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/report.h>
#include <tempera/output/report_data.h>
#include <tempera/output/report_resources.h>
#include <tempera/output/run_folder.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

namespace Tempera
{
  const char *const report_name = "report.html";

  namespace
  {
    /** A text that stands for itself in a page. */
    std::string
    escape(const std::string &text)
    {
      std::string result;
      for (const char c : text)
        switch (c)
          {
            case '&':
              result += "&amp;";
              break;
            case '<':
              result += "&lt;";
              break;
            case '>':
              result += "&gt;";
              break;
            case '"':
              result += "&quot;";
              break;
            default:
              result += c;
          }
      return result;
    }

    std::string
    read_chart_library()
    {
      std::vector<std::string> places;
      const char *const        wish = std::getenv("TEMPERA_CHART_JS");
      if (wish != nullptr && *wish != 0)
        places = {wish};
      else
        places = {ReportResources::chart_library,
                  "/usr/share/javascript/chart.js/chart.min.js",
                  "/usr/share/nodejs/chart.js/dist/chart.min.js"};
      for (const std::string &place : places)
        {
          std::ifstream     file(place, std::ios::binary);
          const std::string text(std::istreambuf_iterator<char>(file), {});
          // Whatever else the file is, it must not end the script around it.
          if (!text.empty() && text.find("</script") == std::string::npos &&
              text.find("Chart") != std::string::npos)
            return text;
        }
      throw UserError(
        wish != nullptr && *wish != 0 ?
          "The environment variable TEMPERA_CHART_JS names the file '" +
            places[0] +
            "', which is not there or is not Chart.js. Unset it, or let it "
            "name 'chart.min.js' of Chart.js 3." :
          "Reports need Chart.js, which is not installed. Run 'apt-get install "
          "libjs-chart.js', or let the environment variable TEMPERA_CHART_JS "
          "name 'chart.min.js' of Chart.js 3.");
    }

    /**
     * A text with what stands between two @ replaced. In one go, so that
     * nothing within a replacement is taken for a place.
     */
    std::string
    fill(const std::string                        &page,
         const std::map<std::string, std::string> &replacements)
    {
      std::string result;
      std::size_t begin = 0;
      for (;;)
        {
          const std::size_t at = page.find('@', begin);
          result += page.substr(begin, at - begin);
          if (at == std::string::npos)
            return result;
          const std::size_t end = page.find('@', at + 1);
          result += replacements.at(page.substr(at + 1, end - at - 1));
          begin = end + 1;
        }
    }
  } // namespace



  std::string
  report_html(const RecordedRun &run)
  {
    return report_html(run, analyse(run));
  }



  std::string
  report_html(const RecordedRun &run,
              const Analysis    &analysis,
              const double       refresh)
  {
    const std::string title = run.description().title;
    return fill(ReportResources::page,
                {{"TITLE", escape(title.empty() ? "Report" : title)},
                 {"REFRESH",
                  refresh > 0. ?
                    "<meta http-equiv=\"refresh\" content=\"" +
                      std::to_string(std::lround(std::ceil(refresh))) +
                      "\">\n" :
                    ""},
                 {"STYLE", ReportResources::style},
                 {"DATA", report_data(run, analysis)},
                 {"LIBRARY", read_chart_library()},
                 {"SCRIPT", ReportResources::script}});
  }


  namespace
  {
    class ReportExporter : public Exporter
    {
    public:
      bool
      is_default() const override
      {
        return true;
      }

      bool
      needs_analysis() const override
      {
        return true;
      }

      std::vector<std::string>
      write(const RecordedRun &run,
            const Analysis    *analysis,
            const std::string &folder) const override
      {
        const std::string path = folder + "/" + report_name;
        write_whole_file(path,
                         analysis != nullptr ? report_html(run, *analysis) :
                                               report_html(run),
                         "a copy of the folder");
        return {path};
      }
    };

    const Registration<ExporterRegistry, ReportExporter> registration(
      "Report",
      "A page with warnings, diagnostics and interactive charts: report.html.");
  } // namespace
} // namespace Tempera
