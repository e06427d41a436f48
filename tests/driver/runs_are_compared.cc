// SPDX-License-Identifier: LGPL-2.1-or-later

// `tempera compare` on folders made by hand: the table has their figures, the
// picture a curve for each, and mistakes get a helpful message.

#include "driver/command.h"

#include <boost/property_tree/xml_parser.hpp>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  void
  make_run(const std::string &folder,
           const std::string &errors,
           const std::string &summary)
  {
    std::filesystem::create_directories(folder);
    if (!errors.empty())
      write_file(folder + "/errors.csv", errors);
    if (!summary.empty())
      write_file(folder + "/prediction_summary.csv", summary);
  }

  /** The entries of the line of a table that begins with a word. */
  std::vector<std::string>
  line_of(const std::string &table, const std::string &word)
  {
    std::istringstream stream(table);
    for (std::string line; std::getline(stream, line);)
      {
        std::istringstream       words(line);
        std::vector<std::string> entries;
        for (std::string entry; words >> entry;)
          entries.push_back(entry);
        if (!entries.empty() && entries[0] == word)
          return entries;
      }
    return {};
  }

  const std::string errors =
    "round,rung 0,rung 1\n1,1,2\n500,0.1,0.5\n1000,0.01,0.5\n";

  std::string
  summary(const std::string &mean_error, const std::string &more)
  {
    return "name,value\nrounds,1000\nburn-in,500\nseconds,2.5\nwork,1234\n"
           "mean relative error," +
           mean_error +
           "\nvariance of relative error,1e-05\n"
           "relative error of the mean,0.011\ncoverage,0.9\n" +
           more;
  }


  void
  check_table()
  {
    make_run("runs/one",
             errors,
             summary("0.0125", "mean of C,0.5\nvariance of C,0.002\n"));
    make_run("runs/two",
             errors,
             summary("0.25", "mean of K,-3\nvariance of K,0.75\n"));
    std::filesystem::remove("convergence.svg");
    const CommandResult result = command({"compare", "runs/one", "runs/two/"});
    check("runs are compared", result.exit_code == 0, result.error);
    check("the table has a row for each run",
          line_of(result.out, "one") == std::vector<std::string>{"one",
                                                                 "0.0125",
                                                                 "1e-05",
                                                                 "0.011",
                                                                 "0.5",
                                                                 "0.002",
                                                                 "-",
                                                                 "-",
                                                                 "1234",
                                                                 "2.5"} &&
            line_of(result.out, "two") == std::vector<std::string>{"two",
                                                                   "0.25",
                                                                   "1e-05",
                                                                   "0.011",
                                                                   "-",
                                                                   "-",
                                                                   "-3",
                                                                   "0.75",
                                                                   "1234",
                                                                   "2.5"},
          result.out);
    bool all = true;
    for (const std::string name : {"mean relative error",
                                   "error of mean curve",
                                   "mean of C",
                                   "variance of K",
                                   "work",
                                   "seconds"})
      all = all && contains(result.out, name);
    check("and names its columns", all, result.out);
    check("the picture is where it is expected",
          contains(result.out, "convergence.svg") &&
            contains(read_file("convergence.svg"), ">two</text>"));

    std::istringstream          stream(read_file("convergence.svg"));
    boost::property_tree::ptree tree;
    boost::property_tree::read_xml(stream, tree);
    const std::string svg = read_file("convergence.svg");
    // From 1 by 0.1 to 0.01: a straight line across the axis of powers.
    check("errors are on an axis of powers",
          tree.count("svg") == 1 && contains(svg, "M70.56 56L350 336L630 616"),
          svg);

    check("--write",
          command({"compare", "runs/one", "--write", "runs/picture.svg"})
                .exit_code == 0 &&
            std::filesystem::exists("runs/picture.svg") &&
            !std::filesystem::exists("runs/picture.svg.new"));

    make_run("runs/burning", errors, "name,value\nrounds,10\nseconds,1\n");
    check("a run without draws after burn-in has its place",
          line_of(command({"compare", "runs/burning"}).out, "burning") ==
            std::vector<std::string>{"burning", "-", "-", "-", "-", "1"});
  }


  void
  check_names()
  {
    for (const std::string folder : {"a/seed/run", "b/seed/run", "c/other/run"})
      make_run("runs/" + folder, errors, summary("0.1", ""));
    const std::string same =
      command({"compare", "runs/a/seed/run", "runs/c/other/run"}).out;
    check("folders of one name get longer ones",
          !line_of(same, "seed/run").empty() &&
            !line_of(same, "other/run").empty(),
          same);
    const std::string longer =
      command({"compare", "runs/a/seed/run", "runs/b/seed/run"}).out;
    check("as long as it takes",
          !line_of(longer, "a/seed/run").empty() &&
            !line_of(longer, "b/seed/run").empty(),
          longer);
  }


  void
  check_mistakes()
  {
    make_run("runs/empty", "", "");
    make_run("runs/no_errors", "", summary("0.1", ""));
    make_run("runs/no_rung", "round,rung 1\n1,2\n", summary("0.1", ""));
    make_run("runs/broken_errors", "round,rung 0\n1,nan\n", summary("0.1", ""));
    make_run("runs/broken_summary", errors, summary("much", ""));
    make_run("runs/cut_off", errors, "name,value\nrounds\n");

    const auto check_mistake = [](const std::string              &name,
                                  const std::vector<std::string> &arguments,
                                  const std::vector<std::string> &message) {
      std::filesystem::remove("convergence.svg");
      const CommandResult result = command(arguments);
      bool                right  = result.exit_code == 1 &&
                   result.error.compare(0, 7, "Error: ") == 0 &&
                   !std::filesystem::exists("convergence.svg");
      for (const std::string &part : message)
        right = right && contains(result.error, part);
      check(name, right, result.error + result.out);
    };
    check_mistake("no folder",
                  {"compare"},
                  {"needs the folders", "'tempera compare DIR...'"});
    check_mistake("a folder that is not there",
                  {"compare", "runs/one", "runs/nowhere"},
                  {"no folder 'runs/nowhere'", "'tempera run'"});
    check_mistake("a file in place of a folder",
                  {"compare", "runs/one/errors.csv"},
                  {"no folder 'runs/one/errors.csv'"});
    check_mistake("a run without a curve",
                  {"compare", "runs/empty"},
                  {"'runs/empty'", "'prediction_summary.csv'", "networks"});
    check_mistake("a run without an exact curve",
                  {"compare", "runs/no_errors"},
                  {"'runs/no_errors'", "'errors.csv'", "exact curve"});
    check_mistake("errors without the coldest rung",
                  {"compare", "runs/no_rung"},
                  {"errors.csv", "no column 'rung 0'"});
    check_mistake("an error that is not a number",
                  {"compare", "runs/broken_errors"},
                  {"errors.csv:2", "'nan'"});
    check_mistake("a figure that is not a number",
                  {"compare", "runs/broken_summary"},
                  {"prediction_summary.csv:6", "much"});
    check_mistake("a line without a value",
                  {"compare", "runs/cut_off"},
                  {"prediction_summary.csv:2", "'rounds'"});
    check_mistake("one folder twice",
                  {"compare", "runs/one", "./runs/one/"},
                  {"given twice"});
    check_mistake("a picture that cannot be written",
                  {"compare", "runs/one", "--write", "runs/nowhere/x.svg"},
                  {"Cannot write 'runs/nowhere/x.svg'", "--write"});
    check_mistake("a picture in place of a folder",
                  {"compare", "runs/one", "--write", "runs"},
                  {"Cannot write 'runs'", "--write"});
    check("and leaves nothing behind", !std::filesystem::exists("runs.new"));
    check_mistake("a misspelt option",
                  {"compare", "runs/one", "--wirte", "x.svg"},
                  {"no option '--wirte'", "'--write'"});
    check_mistake("a misspelt command",
                  {"comapre", "runs/one"},
                  {"Did you mean 'compare'?"});
    check("help",
          contains(command({"compare", "--help"}).out, "--write") &&
            contains(command({"--help"}).out, "tempera compare DIR..."));
  }
} // namespace


int
main()
{
  check_table();
  check_names();
  check_mistakes();
  return result();
}
