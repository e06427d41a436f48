// SPDX-License-Identifier: LGPL-2.1-or-later

// Broken parameter files and command lines: each ends with exit code 1 and a
// message that says what is wrong, where, and what to do.

#include "driver/command.h"

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  struct Mistake
  {
    std::string name, file;
    /** All of these must be in the message. */
    std::vector<std::string> message;
  };

  std::string
  sampler(const std::string &section, const std::string &lines)
  {
    return "subsection Sampler\nsubsection " + section + "\n" + lines +
           "\nend\nend\n";
  }

  std::string
  energy(const std::string &lines)
  {
    return "subsection Energy\n" + lines + "\nend\n";
  }

  const std::vector<Mistake> mistakes = {
    // The file's syntax
    {"no equals sign", "set Iterations 5\n", {"broken.prm:1", "no '='"}},
    {"unknown word",
     "# a comment\nput Iterations = 5\n",
     {"broken.prm:2",
      "cannot understand 'put Iterations = 5'",
      "'set NAME = VALUE'"}},
    {"missing end",
     "subsection Sampler\nset Start = 1\n",
     {"broken.prm:1", "'Sampler' is never closed", "'end'"}},
    {"end too many",
     "set Iterations = 5\nend\n",
     {"broken.prm:2", "'end' without a 'subsection'"}},
    {"missing include",
     "include nowhere.prm\n",
     {"broken.prm:1",
      "nowhere.prm",
      "does not exist",
      "folder of the including file"}},
    {"include circle", "include broken.prm\n", {"circle"}},
    {"a parameter that is set twice",
     "set Iterations = 500\nset Chains = 1\nset Iterations = 600\n",
     {"broken.prm:3", "'Iterations' is set a second time", "in line 1"}},
    {"a parameter that is set twice in a section",
     sampler("Kernel", "set Type = MALA") +
       sampler("Kernel", "set Type = SGLD"),
     {"broken.prm:8",
      "'Sampler/Kernel/Type' is set a second time",
      "in line 3"}},
    {"sections without an end",
     [] {
       std::string text;
       for (unsigned int i = 0; i < 1000; ++i)
         text += "subsection deeper\n";
       return text;
     }(),
     {"broken.prm:51", "more than 50 sections"}},
    // Names
    {"misspelt parameter",
     "set Iteratons = 5\n",
     {"broken.prm:1",
      "no parameter 'Iteratons'",
      "Did you mean 'Iterations'?"}},
    {"misspelt section",
     "subsection Sampler\nsubsection Kernle\nend\nend\n",
     {"broken.prm:2", "no section 'Kernle'", "Did you mean 'Kernel'?"}},
    {"misspelt outer section",
     "\nsubsection Samplr\nend\n",
     {"broken.prm:2", "no section 'Samplr'", "Did you mean 'Sampler'?"}},
    {"parameter in the wrong section",
     "subsection Output\nset Rule = exact\nend\n",
     {"broken.prm:2",
      "no parameter 'Rule' in section 'Output'",
      "There is one in 'Sampler/Swaps'"}},
    {"misspelt parameter in a section",
     sampler("Swaps", "set Evry = 5"),
     {"broken.prm:3", "Did you mean 'Every'?"}},
    {"section of an unknown level",
     "subsection Levels\nsubsection corse\nend\nend\n" +
       sampler("Ladder", "set Levels = fine, coarse"),
     {"broken.prm:2", "no section 'corse'", "Did you mean 'coarse'?"}},
    {"case matters, and is mended",
     "set random seed = 5\n",
     {"Did you mean 'Random seed'?"}},
    // Choices
    {"misspelt energy",
     energy("set Type = gausian"),
     {"broken.prm:2", "'gausian'", "Did you mean 'gaussian'?"}},
    {"misspelt kernel",
     sampler("Kernel", "set Type = MALA, SGDL"),
     {"broken.prm:3", "Did you mean 'SGLD'?"}},
    {"misspelt rule",
     sampler("Swaps", "set Rule = multivariance"),
     {"Did you mean 'multi-variance'?"}},
    {"misspelt keyword",
     sampler("Ladder", "set Temperatures = automatc"),
     {"Did you mean 'automatic'?"}},
    {"misspelt temper",
     sampler("Ladder", "set Temper = liklihood"),
     {"Did you mean 'likelihood'?"}},
    // Values
    {"text for a number",
     "set Iterations = many\n",
     {"broken.prm:1", "'many'", "a whole number, at least 1"}},
    {"negative iterations",
     "set Iterations = -5\n",
     {"a whole number, at least 1"}},
    {"no iterations", "set Iterations = 0\n", {"a whole number, at least 1"}},
    {"fractional iterations", "set Iterations = 1.5\n", {"a whole number"}},
    {"burn-in too long",
     "set Iterations = 100\nset Burn-in = 100\n",
     {"'Burn-in' (100)", "'Iterations' (100)"}},
    {"thinning zero", "set Thinning = 0\n", {"a whole number, at least 1"}},
    {"negative temperature",
     sampler("Ladder", "set Temperatures = 1, -2"),
     {"broken.prm:3", "numbers above 0"}},
    {"decreasing temperatures",
     sampler("Ladder", "set Temperatures = 1, 5, 3"),
     {"must increase", "5 is followed by 3"}},
    {"highest below lowest",
     sampler("Ladder", "set Highest temperature = 0.5"),
     {"'Sampler/Ladder/Highest temperature' (0.5)", "must exceed"}},
    {"zero step size",
     sampler("Kernel", "set Step sizes = 0.1, 0"),
     {"numbers above 0"}},
    {"wrong number of step sizes",
     sampler("Kernel", "set Step sizes = 0.1, 0.2, 0.3"),
     {"'Sampler/Kernel/Step sizes' has 3 entries", "2 rungs"}},
    {"wrong number of levels",
     sampler("Ladder", "set Levels = fine, fine, fine"),
     {"'Sampler/Ladder/Levels' has 3 entries"}},
    {"an empty level",
     sampler("Ladder", "set Levels = fine,,"),
     {"empty name"}},
    {"zero steps per round",
     sampler("Kernel", "set Steps per round = 0"),
     {"nothing ever moves"}},
    {"infinite step size",
     sampler("Kernel", "set Step sizes = inf"),
     {"numbers above 0"}},
    {"not a number",
     energy("set Prior standard deviation = nan"),
     {"not a valid value of 'Prior standard deviation'"}},
    {"correlation beyond 1",
     sampler("Swaps", "set Correlation = 1.5"),
     {"at most 1"}},
    // What does not go together
    {"weights that do not sum to 1",
     sampler("Swaps", "set Rule = multi-variance\nset Weights = 0.5, 0.6"),
     {"'Sampler/Swaps/Weights'", "0.5, 0.6", "sum to 1"}},
    {"corrected with two energies",
     sampler("Ladder", "set Levels = fine, coarse") +
       sampler("Swaps", "set Rule = corrected") +
       "subsection Levels\nsubsection coarse\nend\nend\n",
     {"'corrected'", "'Sampler/Swaps/Rule = exact'"}},
    {"swaps too intense",
     sampler("Swaps", "set Intensity = 20") +
       sampler("Kernel", "set Type = SGLD"),
     {"is 2, but", "must not exceed 1", "'Sampler/Swaps/Intensity'"}},
    {"intensity with adapted steps",
     sampler("Swaps", "set Intensity = 5"),
     {"'Sampler/Kernel/Adapt step size = false'"}},
    {"MALA with a stochastic energy",
     "subsection Levels\nsubsection fine\nset Noise = 1\nend\nend\n",
     {"MALA needs a deterministic energy", "'Sampler/Kernel/Type = SGLD'"}},
    {"noise to estimate without burn-in",
     "set Burn-in = 10\nsubsection Levels\nsubsection fine\nset Noise = 1\nend\nend\n" +
       sampler("Kernel", "set Type = SGLD"),
     {"'Sampler/Swaps/Noise = estimate'",
      "Raise 'Burn-in'",
      "broken.prm:1: Burn-in = 10"}},
    {"improper when hot",
     energy("set Type = student t") +
       sampler("Ladder", "set Highest temperature = 3"),
     {"rung 1 at temperature 3 is improper",
      "'Sampler/Ladder/Temper = likelihood'"}},
    {"preconditioner of the wrong length",
     sampler("Kernel", "set Preconditioner = 1, 2, 3"),
     {"'Sampler/Kernel/Preconditioner' has 3 entries",
      "1 unknown",
      "broken.prm:3: Sampler/Kernel/Preconditioner = 1, 2, 3"}},
    {"start outside the bounds",
     energy("set Lower bounds = 0\nset Upper bounds = 1") +
       "subsection Sampler\nset Start = 2\nend\n",
     {"start point (2)", "outside the bounds"}},
    {"start of the wrong length",
     "subsection Sampler\nset Start = 2, 3\nend\n",
     {"has 2 numbers", "1 unknown", "'Sampler/Start'"}},
    {"start for too many rungs",
     "subsection Sampler\nset Start = 2; 3; 4\nend\n",
     {"'Sampler/Start' has 3 entries", "2 rungs"}},
    {"start without a finite energy",
     energy("set Type = funnel") +
       "subsection Sampler\nset Start = -2000, 1\nend\n",
     {"not finite at the start", "'Sampler/Start'"}},
    {"bounds crossed",
     energy("set Lower bounds = 1\nset Upper bounds = 0"),
     {"lower bound 1", "'x'", "upper bound 0"}},
    {"bounds of the wrong length",
     energy("set Lower bounds = 1, 2"),
     {"'Energy/Lower bounds' has 2 entries", "1 unknown"}},
    {"two unknowns of one name",
     energy("set Type = ring\nset Names = a, a"),
     {"Two unknowns have the name 'a'"}},
    {"decay for MALA",
     sampler("Kernel", "set Decay exponent = 0.3"),
     {"'Sampler/Kernel/Decay exponent' is for SGLD", "'Type = SGLD'"}},
    {"noise of a deterministic energy",
     sampler("Swaps", "set Noise = 3"),
     {"'Sampler/Swaps/Noise' names 3 for rung 0",
      "deterministic",
      "'Noise = estimate'"}},
    {"two noises for one energy",
     sampler("Swaps", "set Noise = 1, 2") +
       sampler("Kernel", "set Type = SGLD") +
       "subsection Levels\nsubsection fine\nset Noise = 1\nend\nend\n",
     {"'Sampler/Swaps/Noise' names 1 and 2", "'fine'"}},
    {"a level with a dot",
     sampler("Ladder", "set Levels = fine.1"),
     {"'Sampler/Ladder/Levels'", "'.'"}},
    {"a reserved name",
     energy("set Names = energy"),
     {"An unknown cannot have the name 'energy'"}},
    {"levels that would be the same",
     sampler("Ladder", "set Levels = fine, corase"),
     {"'fine' and 'corase'", "have no section"}},
    {"a misspelt level",
     sampler("Ladder",
             "set Temperatures = 1, 2, 3\nset Levels = fine, coarse, corase") +
       "subsection Levels\nsubsection coarse\nend\nend\n",
     {"'fine' and 'corase'", "Did you mean 'coarse'?"}},
    {"no draw left",
     "set Thinning = 1e9\n",
     {"'Thinning' (1000000000)", "no draw would be kept"}},
    {"no output folder",
     "set Output directory =\n",
     {"'Output directory' is empty"}},
    {"a parameter of another section",
     "set Type = ring\n",
     {"no parameter 'Type' outside all sections", "There is one in 'Energy'"}},
    {"a section of another section",
     "subsection Kernel\nend\n",
     {"no section 'Kernel'", "There is one in 'Sampler'"}},
    {"names of the wrong length",
     energy("set Names = a, b"),
     {"'Energy/Names' has 2 entries"}},
    {"covariance not symmetric",
     energy(
       "set Type = gaussian\nsubsection Gaussian\nset Covariance = 1, 2; 3, 4\nend"),
     {"'Energy/Gaussian/Covariance'", "symmetric"}},
    {"covariance not definite",
     energy(
       "set Type = gaussian\nsubsection Gaussian\nset Covariance = 1, 2; 2, 1\nend"),
     {"'Energy/Gaussian/Covariance'", "positive definite"}},
    {"covariance of the wrong size",
     energy(
       "set Type = gaussian\nsubsection Gaussian\nset Mean = 1, 2, 3\nend"),
     {"'Energy/Gaussian/Covariance'", "(3)"}},
    {"mixture out of step",
     energy("subsection Gaussian mixture\nset Weights = 1, 2, 3\nend"),
     {"3 weights, 2 means and 2 standard deviations"}},
  };
} // namespace


int
main()
{
  for (const Mistake &mistake : mistakes)
    {
      write_file("broken.prm", mistake.file);
      for (const std::string verb : {"validate", "run"})
        {
          std::filesystem::remove_all("output");
          const CommandResult result = command({verb, "broken.prm"});
          bool right = result.exit_code == 1 && result.out.empty() &&
                       result.error.compare(0, 7, "Error: ") == 0 &&
                       !std::filesystem::exists("output");
          for (const std::string &part : mistake.message)
            right = right && contains(result.error, part);
          check(mistake.name + " (" + verb + ")",
                right,
                "exit code " + std::to_string(result.exit_code) + ", " +
                  result.error + result.out);
        }
    }

  const auto check_command = [](const std::string              &name,
                                const std::vector<std::string> &arguments,
                                const std::vector<std::string> &message) {
    const CommandResult result = command(arguments);
    bool                right  = result.exit_code == 1;
    for (const std::string &part : message)
      right = right && contains(result.error, part);
    check(name, right, result.error);
  };
  write_file("good.prm", "set Iterations = 200\nset Burn-in = 100\n");
  check_command("no command", {}, {"Usage"});
  check_command("misspelt command", {"rum"}, {"Did you mean 'run'?"});
  check_command("misspelt option",
                {"run", "good.prm", "--outputt", "x"},
                {"no option '--outputt'", "Did you mean '--output'?"});
  check_command("option without a value",
                {"run", "good.prm", "--output"},
                {"--output", "'tempera --help'"});
  check_command("no file", {"run"}, {"exactly one parameter file, not 0"});
  check_command("two files",
                {"validate", "good.prm", "good.prm"},
                {"exactly one parameter file, not 2"});
  check_command("missing file",
                {"run", "nowhere.prm"},
                {"Cannot read the parameter file 'nowhere.prm'"});
  check_command("a folder for a file", {"run", "."}, {"Cannot read"});
  check_command("--set without equals sign",
                {"run", "good.prm", "--set", "Iterations"},
                {"--set \"Iterations\"", "no '='"});
  check_command("--set of a misspelt parameter",
                {"run", "good.prm", "--set", "Sampler/Kernel/Typ = MALA"},
                {"--set \"Sampler/Kernel/Typ = MALA\"",
                 "Did you mean 'Type'?"});
  check_command("--set with a comment sign",
                {"run", "good.prm", "--set", "Output directory = a#b"},
                {"cannot contain '#'"});
  check_command("--set of a misspelt section",
                {"run", "good.prm", "--set", "Sampler/Kernl/Type = MALA"},
                {"no section 'Kernl'", "Did you mean 'Kernel'?"});

  // Includes.
  write_file("base.prm", "set Iterations = 3\nset Burn-in = 2\n");
  write_file("over.prm",
             "include base.prm\nset Iterations = 200\nset Burn-in = 100\n");
  check("what an included file sets can be set again",
        command({"validate", "over.prm", "--set", "Iterations = 300"})
            .exit_code == 0);
  write_file("twice.prm",
             "include base.prm\ninclude over.prm\ninclude over.prm\n");
  check("files can be included again",
        command({"validate", "twice.prm"}).exit_code == 0);
  const auto number_of_file = [](const unsigned int i) {
    return "deep" + std::to_string(i) + ".prm";
  };
  for (unsigned int i = 0; i < 30; ++i)
    write_file(number_of_file(i), "include " + number_of_file(i + 1) + "\n");
  write_file(number_of_file(30), "set Iterations = 200\nset Burn-in = 1\n");
  check_command("includes that are too deep",
                {"validate", "deep0.prm"},
                {"deep21.prm", "more than 20 deep"});
  check("and not those that are less deep",
        command({"validate", "deep15.prm"}).exit_code == 0);
  write_file(
    "long.prm",
    "set Iterations = 200\nset Burn-in = 100\nset Chains = 1\n"
    "subsection Sampler\n  set Start = \\ # many lines\n" +
      [] {
        std::string text;
        for (unsigned int i = 0; i < 100000; ++i)
          text += "  \\\n";
        return text;
      }() +
      "  0.25\nend\n");
  const CommandResult long_value =
    command({"run", "long.prm", "--output", "long", "--overwrite"});
  check("a value may go on for many lines",
        long_value.exit_code == 0 &&
          contains(read_file("long/parameters.prm"), "= 0.25"),
        long_value.error);

  check("a good file runs",
        command({"run", "good.prm", "--output", "there", "--overwrite"})
            .exit_code == 0);
  check_command("an existing run is not overwritten",
                {"run", "good.prm", "--output", "there"},
                {"'there' holds a run already", "--overwrite"});
  const CommandResult stuck = command({"run",
                                       "good.prm",
                                       "--set",
                                       "Sampler/Kernel/Type = SGLD",
                                       "--set",
                                       "Sampler/Kernel/Step sizes = 100",
                                       "--set",
                                       "Iterations = 1e6",
                                       "--output",
                                       "stuck",
                                       "--overwrite"});
  check("a chain that has diverged is an error",
        stuck.exit_code == 1 && contains(stuck.error, "Rung 0 is stuck") &&
          contains(stuck.error, "'Sampler/Kernel/Step sizes'") &&
          contains(stuck.out, "acceptance"),
        stuck.error);
  write_file("a_file", "");
  check_command("a file in place of the folder",
                {"run", "good.prm", "--output", "a_file"},
                {"Cannot use the output folder 'a_file'", "--output"});
  return result();
}
