// SPDX-License-Identifier: LGPL-2.1-or-later

// An equation from a parameter file: data from the file, from a table or made
// up; meshes from a file; what simulate and truth say; and what they say of
// mistakes.

#include "driver/command.h"
#include "fem/source_model.h"

#include <tempera/base/user_error.h>

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_out.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** The n-th number behind a word in a text; not a number if there is none. */
  double
  number_after(const std::string &text,
               const std::string &word,
               const unsigned int n = 1)
  {
    const auto place = text.find(word);
    double     value = std::numeric_limits<double>::quiet_NaN();
    if (place == std::string::npos)
      return value;
    std::istringstream rest(text.substr(place + word.size()));
    for (unsigned int i = 0; i < n; ++i)
      if (!(rest >> value))
        return std::numeric_limits<double>::quiet_NaN();
    return value;
  }

  const std::string sensors = "  set Sensors = 0.5, 0.3; 0.5, 0.6\n"
                              "  set Times = 0.03\n";
  const std::string values  = "  set Values = 2.0902697394, 2.0902697394\n";
  const std::string noise   = "  set Noise = 0.35\n";

  /** A file about the two sources on small meshes. */
  std::string
  file(const std::string &observations = sensors + values + noise,
       const std::string &problem      = "",
       const std::string &rest         = "")
  {
    return "set Chains = 1\nset Iterations = 400\nset Burn-in = 100\n"
           "subsection Problem\n  set Type = pollution source\n" +
           problem + "end\nsubsection Observations\n" + observations +
           "end\n"
           "subsection Levels\n"
           "  subsection fine\n    set Subdivisions = 20\n"
           "    set Time step = 0.001\n  end\n"
           "  subsection coarse\n    set Subdivisions = 10\n"
           "    set Time step = 0.003\n  end\n"
           "end\n"
           "subsection Sampler\n"
           "  set Start = 0.37, 0.45\n"
           "  subsection Ladder\n    set Temperatures = 1, 12\n"
           "    set Levels = fine, coarse\n  end\n"
           "  subsection Kernel\n    set Step sizes = 1e-4\n  end\n"
           "end\n" +
           rest;
  }

  void
  check_mistake(const std::string              &name,
                const std::string              &content,
                const std::vector<std::string> &message)
  {
    write_file("broken.prm", content);
    const CommandResult result = command({"validate", "broken.prm"});
    bool                right  = result.exit_code == 1 && result.out.empty();
    for (const std::string &part : message)
      right = right && contains(result.error, part);
    check(name, right, result.error + result.out);
  }

  std::string
  replaced(std::string text, const std::string &old, const std::string &now)
  {
    text.replace(text.find(old), old.size(), now);
    return text;
  }

  void
  check_mistakes()
  {
    check_mistake("a sensor outside",
                  file(replaced(sensors, "0.5, 0.6", "0.5, 1.6") + values),
                  {"(0.5, 1.6)",
                   "sensor 2 of 'Observations/Sensors'",
                   "outside the domain"});
    check_mistake("a sensor in three dimensions",
                  file(replaced(sensors, "0.5, 0.6", "0.5, 0.6, 0.7") + values),
                  {"sensor 2", "3 coordinates", "2 dimensions"});
    check_mistake("a negative sigma",
                  file(sensors + values + "set Noise = -0.1\n"),
                  {"'Observations/Noise' names -0.1", "above 0"});
    check_mistake("a sigma that is no number",
                  file(sensors + values + "set Noise = small\n"),
                  {"'small'", "'Observations/Noise'", "log-normal"});
    check_mistake("a sigma that may be negative",
                  file(sensors + values + "set Noise = normal(1, 1)\n"),
                  {"'normal(1, 1)'", "negative", "log-normal"});
    check_mistake("too few values",
                  file(sensors + "set Values = 2\n"),
                  {"'Observations/Values' has 1 number",
                   "2 sensors at 1 time",
                   "2 measurements"});
    check_mistake("too many sigmas",
                  file(sensors + values + "set Noise = 1, 2, 3\n"),
                  {"'Observations/Noise' has 3 numbers", "2 measurements"});
    check_mistake("no observations",
                  file(""),
                  {"no observations", "'Observations/Sensors'"});
    check_mistake("a covariance that is none",
                  file(sensors + values + "set Covariance = 1, 2; 2, 1\n"),
                  {"'Observations/Covariance'", "positive definite"});
    check_mistake("a missing mesh",
                  file(sensors + values, "set Mesh file = nowhere.msh\n"),
                  {"nowhere.msh", "cannot be read", "'Problem/Mesh file'"});
    write_file("no.msh", "this is no mesh\n");
    check_mistake("a mesh that is none",
                  file(sensors + values, "set Mesh file = no.msh\n"),
                  {"no.msh", "not a mesh"});
    check_mistake("a time step of zero",
                  replaced(file(),
                           "set Time step = 0.001",
                           "set Time step = 0"),
                  {"broken.prm", "'Time step'", "a number above 0"});
    check_mistake("no time to simulate",
                  file(replaced(sensors, "Times = 0.03", "Times = 0") + values),
                  {"final time is 0", "no time steps"});
    check_mistake("a time after the end",
                  file(sensors + values, "set Final time = 0.02\n"),
                  {"time 0.03", "sensor 1", "final time 0.02"});
    check_mistake("a level without a section",
                  replaced(file(), "fine, coarse", "fine, corse"),
                  {"level 'corse' has no section", "Did you mean 'coarse'?"});
    check_mistake("a mesh without an inside",
                  replaced(file(), "Subdivisions = 10", "Subdivisions = 1"),
                  {"no node inside", "'Subdivisions'"});
    check_mistake("three numbers of subdivisions",
                  replaced(file(),
                           "Subdivisions = 10",
                           "Subdivisions = 1, 2, 3"),
                  {"3 numbers", "'Subdivisions'", "2 dimensions"});
    check_mistake("an unknown in the operator, precomputed",
                  file(sensors + values,
                       "subsection Unknowns\nset diffusivity = uniform(0.5, "
                       "2)\nend\n",
                       "subsection Solver\nset Gradient = precomputed "
                       "adjoint\nend\n"),
                  {"precomputed adjoint",
                   "'diffusivity'",
                   "'adjoint' or 'automatic'"});
    const auto unknown = [](const std::string &prior) {
      return file(sensors + values,
                  "subsection Unknowns\nset x = " + prior + "\nend\n");
    };
    check_mistake("a misspelt prior",
                  unknown("unifrom(0, 1)"),
                  {"'unifrom(0, 1)'",
                   "'Problem/Unknowns/x'",
                   "Did you mean 'uniform'?"});
    check_mistake("an empty prior", unknown("uniform(1, 0)"), {"is empty"});
    check_mistake("a prior with one number",
                  unknown("normal(1)"),
                  {"2 numbers"});
    check_mistake("a prior with four numbers",
                  unknown("normal(1, 1, 0, 2)"),
                  {"2 numbers", "not 4", "between 0 and 2"});
    check_mistake("a prior that does not exist",
                  unknown("truncated-normal(1, 1, 0, 2)"),
                  {"uniform(lower, upper)",
                   "normal(mean",
                   "log-normal(median",
                   "no other priors"});
    check_mistake("a formula for a prior",
                  unknown("exp(y)"),
                  {"'exp(y)'", "no other priors", "formula of an unknown"});
    check_mistake("an unknown in a prior",
                  unknown("uniform(0, y)"),
                  {"'y' in the prior", "not a finite number"});
    check_mistake("a prior without a width",
                  unknown("normal(1, 0)"),
                  {"above 0"});
    check_mistake("nothing unknown",
                  file(sensors + values,
                       "subsection Unknowns\nset x = 1\nset y = 1\nend\n"),
                  {"Nothing is unknown"});
    check_mistake("an unknown of another name",
                  file(sensors + values,
                       "subsection Unknowns\nset widht = 1\nend\n"),
                  {"'widht'", "Did you mean 'width'?"});
    check_mistake("a start outside the prior",
                  replaced(file(), "Start = 0.37", "Start = 1.37"),
                  {"outside the bounds", "'Sampler/Start'"});
    check_mistake("an energy and an equation",
                  file() + "subsection Energy\nset Type = ring\nend\n",
                  {"'Energy'", "'Problem/Type'", "Remove one"});
    check_mistake("observations without an equation",
                  "subsection Observations\nset Noise = 1\nend\n",
                  {"'Observations' needs an equation", "'Problem/Type'"});
    check_mistake("synthetic data without a truth",
                  file(sensors + "set Synthetic data = exact\n"),
                  {"'Observations/Truth'", "2 numbers"});
    check_mistake("synthetic data beside given ones",
                  file(sensors + values + "set Synthetic data = exact\n"),
                  {"Remove one or the other"});
    check_mistake("a start file that is missing",
                  replaced(file(),
                           "set Start = 0.37, 0.45",
                           "set Start from = file\nset Start file = no.csv"),
                  {"no.csv", "cannot be read"});
    check_mistake("two ways to start",
                  replaced(file(),
                           "set Start = 0.37, 0.45",
                           "set Start = 0.37, 0.45\nset Start from = prior"),
                  {"'Sampler/Start from' says", "Remove"});
    check_mistake("a misspelt problem",
                  replaced(file(), "pollution source", "polution source"),
                  {"no problem 'polution source'",
                   "Did you mean 'pollution source'?"});
    const auto known = [](const std::string &line) {
      return file(sensors + values,
                  "subsection Unknowns\nset " + line + "\nend\n");
    };
    check_mistake("a negative diffusivity",
                  known("diffusivity = -1"),
                  {"'Problem/Unknowns/diffusivity' is -1", "above 0"});
    check_mistake("a prior of widths below zero",
                  known("width = normal(0.1, 0.05)"),
                  {"'normal(0.1, 0.05)'", "'Problem/Unknowns/width'"});
    check_mistake("a truth of the wrong length",
                  file(sensors + values + "set Truth = 0.5\n"),
                  {"'Observations/Truth'", "1 number", "2 unknowns"});
    check_mistake("a truth that the prior excludes",
                  file(sensors + values + "set Truth = 0.5, 5\n"),
                  {"'Observations/Truth'", "y = 5", "uniform(0, 1)"});
    check_mistake("a circle without a radius",
                  file(sensors + values + "set True circle = 0.5, 0.3\n"),
                  {"'Observations/True circle'", "radius"});
    check_mistake("synthetic noise on given data",
                  file(sensors + values + "set Synthetic noise = 0.1\n"),
                  {"'Observations/Synthetic noise'", "given"});
    check_mistake("an unknown sigma beside a covariance",
                  file(sensors + values +
                       "set Noise = log-normal(1, 1)\n"
                       "set Covariance = 1, 0; 0, 1\n"),
                  {"'Observations/Noise' is a prior", "covariance"});
    check_mistake("a budget that ends with the set-up",
                  "set Work budget = 1\n" + file(),
                  {"'Work budget' of 1", "set-up alone"});
    check_mistake("a mesh beyond all memory",
                  replaced(file(),
                           "set Subdivisions = 10",
                           "set Subdivisions = 10\nset Refinements = 15"),
                  {"unknowns, more than", "'Refinements'"});
    check_mistake("fields of an analytic energy",
                  "subsection Output\nset Field draws = 2\nend\n",
                  {"'Output/Field draws'", "has no fields"});

    const auto table = [](const std::string &content) {
      write_file("data.csv", content);
      return file("set File = data.csv\n");
    };
    check_mistake("a NaN in the table",
                  table("x,y,t,value\n0.5,0.3,0.03,2\n0.5,0.6,0.03,nan\n"),
                  {"data.csv:3", "'nan'", "'value'", "not a finite number"});
    check_mistake("a table without times",
                  table("x,y,value\n0.5,0.3,2\n"),
                  {"data.csv", "no column 't'"});
    check_mistake("a table with a short line",
                  table("x,y,t,value\n0.5,0.3,0.03\n"),
                  {"data.csv:2", "3 entries", "4 columns"});
    check_mistake("a table with a negative sigma",
                  table("x,y,t,value,sigma\n0.5,0.3,0.03,2,-1\n"),
                  {"data.csv:2", "'sigma'", "above 0"});
    check_mistake("a table without names",
                  table("0.5,0.3,0.03,2\n"),
                  {"data.csv:1", "name the columns"});
    check_mistake("a table with a column of another name",
                  table("x,y,t,value,Sigma\n0.5,0.3,0.03,2,1\n"),
                  {"column 'Sigma'", "Did you mean 'sigma'?"});
    check_mistake("a table that names a column twice",
                  table("x,x,y,t,value\n0.5,0.5,0.3,0.03,2\n"),
                  {"data.csv:1", "'x' is named twice"});
    check_mistake("a table with two separators",
                  table("x,y;t,value\n0.5,0.3,0.03,2\n"),
                  {"data.csv:1", "by commas and by semicolons"});
    check_mistake("a table with spaces",
                  table("x y t value\n0.5 0.3 0.03 2\n"),
                  {"data.csv:1", "separated by spaces"});
    check_mistake("a table whose lines have another separator",
                  table("x,y,t,value\n0.5;0.3;0.03;2\n"),
                  {"data.csv:2", "1 entry", "separated by commas"});
    check_mistake("a table with decimal commas",
                  table("x;y;t;value\n0,5;0,3;0,03;2\n"),
                  {"data.csv:2", "'0,5'", "decimals with a point"});
    check_mistake("an empty table", table(""), {"has no numbers"});
    check_mistake("a missing table",
                  file("set File = nowhere.csv\n"),
                  {"nowhere.csv", "cannot be read"});
  }

  /** The draws of a run of a file. */
  std::string
  draws_of(const std::string &content)
  {
    write_file("run.prm", content);
    const CommandResult result =
      command({"run", "run.prm", "--output", "run", "--overwrite"});
    return result.exit_code == 0 ? recorded_draws("run") : result.error;
  }

  void
  check_data()
  {
    const std::string draws = draws_of(file());
    check("a run leaves a picture with its sensors",
          contains(read_file("run/samples.svg"), "triangles: sensors"));
    const CommandResult again = command(
      {"run", "run/parameters.prm", "--output", "again", "--overwrite"});
    check("the recorded parameters repeat the run",
          draws.size() > 1000 && recorded_draws("again") == draws,
          again.error);

    std::filesystem::create_directories("sub");
    write_file("sub/data.csv",
               "# two sensors\nx, y, t, value, sigma\n"
               "0.5, 0.3, 0.03, 2.0902697394, 0.35\n\n"
               "0.5, 0.6, 0.03, 2.0902697394, 0.35\n");
    write_file("sub/data.inc",
               "subsection Observations\nset File = data.csv\nend\n");
    check("a table beside an included file is the same data",
          draws_of("include sub/data.inc\n" + file("")) == draws);
    for (const char separator : {';', '\t'})
      {
        std::string table = read_file("sub/data.csv");
        std::replace(table.begin(), table.end(), ',', separator);
        write_file("sub/data.csv", table);
        check(std::string("and so is one with ") +
                (separator == ';' ? "semicolons" : "tabs"),
              draws_of("include sub/data.inc\n" + file("")) == draws);
        std::replace(table.begin(), table.end(), separator, ',');
        write_file("sub/data.csv", table);
      }
    check("synthetic data of the exact solution are the same data, nearly",
          draws_of(file(sensors + noise +
                        "set Synthetic data = exact\n"
                        "set Truth = 0.3677124344467705, 0.45\n"))
              .size() > 1000);
    const std::string synthetic = sensors + noise +
                                  "set Synthetic data = fine\n"
                                  "set Truth = 0.3677, 0.45\n";
    check("noise on synthetic data depends on its seed",
          draws_of(file(synthetic + "set Synthetic noise = 0.1\n")) !=
            draws_of(file(synthetic + "set Synthetic noise = 0.1\n"
                                      "set Synthetic seed = 2\n")));
    write_file("run.prm", file(synthetic));
    const CommandResult fitted =
      command({"simulate", "run.prm", "--output", "simulated", "--overwrite"});
    check("data of a level fit that level perfectly",
          number_after(fitted.out, "misfit") == 0.,
          fitted.out + fitted.error);

    const std::string unknown_noise = draws_of(
      replaced(file(sensors + values + "set Noise = log-normal(0.3, 0.5)\n"),
               "Start = 0.37, 0.45",
               "Start = 0.37, 0.45, 0.3"));
    check("an unknown sigma is sampled",
          unknown_noise.size() > 1000 &&
            RecordedRun("run").description().names.back() == "sigma",
          unknown_noise);

    check("a start from the prior",
          draws_of(replaced(file(),
                            "set Start = 0.37, 0.45",
                            "set Start from = prior"))
              .size() > 1000);
    write_file("start.csv", "y, x\n0.45, 0.37\n0.5, 0.6\n");
    check("a start from a file, one line per rung",
          draws_of(replaced(file(),
                            "set Start = 0.37, 0.45",
                            "set Start from = file\nset Start file = "
                            "start.csv")) ==
            draws_of(replaced(file(),
                              "Start = 0.37, 0.45",
                              "Start = 0.37, 0.45; 0.6, 0.5")));
  }

  void
  check_mesh_files()
  {
    dealii::Triangulation<2> mesh;
    dealii::GridGenerator::subdivided_hyper_cube(mesh, 5);
    std::ofstream             output("box.msh");
    dealii::GridOut           writer;
    dealii::GridOutFlags::Msh flags(true, true);
    writer.set_flags(flags);
    writer.write_msh(mesh, output);
    output.close();

    // The same mesh as a file of gmsh and as the box.
    const std::string of_box =
      replaced(file(),
               "Subdivisions = 20",
               "Subdivisions = 5\n set Refinements = 2");
    std::string from_file = replaced(
      replaced(of_box, "Problem\n", "Problem\n set Mesh file = box.msh\n"),
      "Subdivisions = 10",
      "Refinements = 1");
    write_file("box.prm", of_box);
    write_file("file.prm", from_file);
    const auto simulated = [](const std::string &name) {
      return command({"simulate",
                      name,
                      "--at",
                      "x = 0.4, y = 0.5",
                      "--output",
                      "simulated",
                      "--overwrite"});
    };
    const CommandResult box       = simulated("box.prm"),
                        mesh_file = simulated("file.prm");
    // Behind the place are the time, what was measured, and the prediction.
    const std::string place = "(0.5, 0.6)";
    check("a mesh of gmsh gives the same prediction as the same box",
          box.exit_code == 0 && mesh_file.exit_code == 0 &&
            contains(box.out, "products") &&
            contains(mesh_file.out, "at all points") &&
            std::abs(number_after(box.out, place, 3) -
                     number_after(mesh_file.out, place, 3)) < 1e-9,
          box.out + box.error + mesh_file.out + mesh_file.error);
  }

  void
  check_fields_and_truth()
  {
    write_file("run.prm",
               file(sensors + values + noise,
                    "",
                    "subsection Output\nset Field draws = 2\nset Mean field "
                    "draws = 5\nset Field times = 3\nend\n"));
    const CommandResult result =
      command({"run", "run.prm", "--output", "run", "--overwrite"});
    bool there = result.exit_code == 0;
    for (const std::string name : {"draw_0.pvd",
                                   "draw_1_002.vtu",
                                   "posterior.pvd",
                                   "posterior_000.vtu",
                                   "posterior_map.csv"})
      there = there && std::filesystem::exists("run/fields/" + name);
    check("fields of draws and their mean are written",
          there &&
            contains(read_file("run/fields/posterior_002.vtu"),
                     "standard_deviation") &&
            contains(read_file("run/fields/draw_0.pvd"), "timestep=\"0.03\""),
          result.error);

    const CommandResult simulated = command({"simulate",
                                             "run.prm",
                                             "--at",
                                             "x = 0.3, y = 0.4",
                                             "--output",
                                             "simulated",
                                             "--overwrite"});
    check("simulate gives predictions on each level",
          simulated.exit_code == 0 &&
            contains(simulated.out, "at x = 0.3, y = 0.4") &&
            contains(read_file("simulated/predictions.csv"),
                     "x,y,t,value,fine,coarse") &&
            std::filesystem::exists("simulated/fields/coarse.pvd"),
          simulated.out + simulated.error);
    check("simulate names an unknown that is none",
          contains(command({"simulate", "run.prm", "--at", "z = 1"}).error,
                   "does not name an unknown"));

    const CommandResult truth = command({"truth",
                                         "run.prm",
                                         "--bins",
                                         "20",
                                         "--write",
                                         "truth.csv",
                                         "--compare",
                                         "run"});
    std::atomic<bool>   stop(true);
    const CommandResult stopped = command({"truth", "run.prm"}, &stop);
    check("truth can be stopped",
          stopped.exit_code == 130 &&
            contains(stopped.out, "stopped after 1 of 40000"),
          stopped.out + stopped.error);
    check("truth knows the shares of the two sources",
          truth.exit_code == 0 && contains(truth.out, "total variation") &&
            contains(truth.out, "standard deviations of y") &&
            std::abs(number_after(truth.out, "lower half of x: ") - 0.5) <
              0.01 &&
            contains(read_file("truth.csv"), "x,y,probability"),
          truth.out + truth.error);
    check("simulate stays within the prior",
          contains(command({"simulate", "run.prm", "--at", "x = 7"}).error,
                   "outside its prior uniform(0, 1)"));
    std::filesystem::create_directories("run/fields");
    write_file("run/fields/mine.txt", "");
    command({"run",
             "run.prm",
             "--set",
             "Output/Field draws = 0",
             "--set",
             "Output/Mean field draws = 0",
             "--output",
             "run",
             "--overwrite"});
    check("fields of an older run go, other files stay",
          !std::filesystem::exists("run/fields/draw_0.pvd") &&
            !std::filesystem::exists("run/fields/posterior_map.csv") &&
            std::filesystem::exists("run/fields/mine.txt"));
    const CommandResult short_budget = command({"run",
                                                "run.prm",
                                                "--set",
                                                "Work budget = 100",
                                                "--output",
                                                "run",
                                                "--overwrite"});
    check("a budget that ends within burn-in is an error",
          short_budget.exit_code == 1 &&
            contains(short_budget.error, "ended within burn-in"),
          short_budget.error);
    const CommandResult singular =
      command({"run",
               "run.prm",
               "--set",
               "Problem/Unknowns/diffusivity = uniform(0, 2)",
               "--set",
               "Sampler/Start = 0.37, 0.45, 1",
               "--set",
               "Iterations = 130",
               "--output",
               "run",
               "--overwrite"});
    check("an unknown in the operator is sampled by the adjoint",
          singular.exit_code == 0 &&
            contains(singular.out, "gradient: adjoint"),
          singular.error);
    check("truth needs one or two unknowns",
          contains(command({"truth",
                            "run.prm",
                            "--set",
                            "Problem/Unknowns/width = uniform(0.1, 0.2)"})
                     .error,
                   "one or two unknowns"));
  }

  void
  check_truth_of_one_unknown()
  {
    // A normal law within walls so far away that they do not matter.
    write_file("line.prm",
               "set Chains = 1\nset Iterations = 4000\nset Burn-in = 1000\n"
               "subsection Energy\n  set Type = gaussian\n"
               "  set Lower bounds = -4\n  set Upper bounds = 16\n"
               "  subsection Gaussian\n    set Mean = 5\n"
               "    set Covariance = 1\n  end\nend\n");
    const CommandResult run =
      command({"run", "line.prm", "--output", "line", "--overwrite"});
    const CommandResult truth = command({"truth",
                                         "line.prm",
                                         "--write",
                                         "line.csv",
                                         "--compare",
                                         "line",
                                         "line"});
    check("truth of one unknown knows mean, sd and share",
          run.exit_code == 0 && truth.exit_code == 0 &&
            std::abs(number_after(truth.out, ": mean ") - 5.) < 1e-4 &&
            std::abs(number_after(truth.out, ", sd ") - 1.) < 1e-4 &&
            std::abs(number_after(truth.out, "lower half of x: ") -
                     normal_cdf(1.)) < 1e-3 &&
            contains(truth.out, "on 50 bins, 4 evaluations"),
          truth.out + truth.error);
    check("truth of one unknown compares runs",
          number_after(truth.out, "mean total variation: ") < 0.2 &&
            number_after(truth.out, "error of the mean: ") < 0.3 &&
            contains(truth.out, "standard deviations of x") &&
            read_file("line.csv").compare(0, 14, "x,probability\n") == 0,
          truth.out);
  }

  void
  check_full_disk()
  {
    std::filesystem::remove_all("full");
    std::filesystem::create_directories("full");
    std::filesystem::create_symlink("/dev/full", "full/u_000.vtu");
    std::string message;
    try
      {
        make_fem_model(source_setting(1),
                       level(5, 0.01),
                       SolverParameters(),
                       {})
          ->write_fields({{0.4}}, {"full", "u", 1});
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check("a disk that is full when fields are written is an error in words",
          contains(message, "full/u_000.vtu") && contains(message, "space"),
          message);
  }

  void
  check_dimensions_and_gradients()
  {
    // Every way to the gradient samples the same posterior, here even the
    // same states but for rounding.
    std::vector<double> ends;
    for (const std::string gradient :
         {"adjoint", "precomputed adjoint", "finite differences", "automatic"})
      {
        const std::string draws = draws_of(replaced(
          file(sensors + values + noise,
               "",
               "subsection Solver\nset Gradient = " + gradient + "\nend\n"),
          "Iterations = 400",
          "Iterations = 120"));
        ends.push_back(std::stod(draws.substr(draws.rfind(',') + 1)));
      }
    bool same = true;
    for (const double end : ends)
      same = same && std::abs(end - ends[0]) < 1e-6;
    check("every gradient leads to the same states", same);

    for (const std::string dimension : {"1", "3"})
      {
        const std::string place = dimension == "1" ? "0.3" : "0.5, 0.5, 0.3";
        const std::string start = dimension == "1" ? "0.4" : "0.4, 0.4, 0.4";
        std::string       text =
          file("set Sensors = " + place +
                 "\nset Times = 0.01, 0.0255\nset Values = 1, 1\n",
               "set Dimension = " + dimension + "\n");
        text = replaced(text, "Start = 0.37, 0.45", "Start = " + start);
        text = replaced(text, "Subdivisions = 20", "Subdivisions = 6");
        text = replaced(text, "Subdivisions = 10", "Subdivisions = 4");
        const std::string draws = draws_of(text);
        check("a run in dimension " + dimension,
              draws.size() > 1000 && !contains(draws, "Error"),
              draws);
      }
  }
} // namespace


int
main()
{
  check_mistakes();
  check_data();
  check_mesh_files();
  check_fields_and_truth();
  check_truth_of_one_unknown();
  check_full_disk();
  check_dimensions_and_gradients();
  return result();
}
