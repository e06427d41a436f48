// SPDX-License-Identifier: LGPL-2.1-or-later

// 'Effective draws' ends a run when it knows enough, and says so; a run that is
// resumed with more of them has the draws of one that was asked for more at
// once. 'Time limit' stops a run as an interrupt does.

#include "driver/command.h"

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string mixture = R"(
set Chains = 3
set Iterations = 50000
set Burn-in = 300
subsection Energy
  subsection Gaussian mixture
    set Means = -3, 0; 3, 0
  end
end
subsection Sampler
  subsection Ladder
    set Temperatures = automatic
    set Number of rungs = 4
  end
  subsection Kernel
    set Type = MALA
    set Step sizes = 0.3
    set Preconditioner = adapt
  end
end
subsection Output
  set Report = false
end
)";

  CommandResult
  run(const std::string              &folder,
      const std::vector<std::string> &settings,
      const bool                      is_resumed = false)
  {
    std::vector<std::string> arguments = {"run",
                                          "mixture.prm",
                                          "--output",
                                          folder};
    for (const std::string &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    if (is_resumed)
      arguments.push_back("--resume");
    else
      std::filesystem::remove_all(folder);
    return command(arguments);
  }

  std::uint64_t
  rounds_of(const std::string &folder)
  {
    return RecordedRun(folder).reports(0).back().rounds;
  }
} // namespace



int
main()
{
  write_file("mixture.prm", mixture);

  const CommandResult few = run("few", {"Effective draws = 150"});
  check("a run ends when its draws are enough",
        few.exit_code == 0 && rounds_of("few") < 50000 &&
          contains(few.out, "'Effective draws' are reached"),
        few.error + few.out);
  check("at a round of its looks", [&]() {
    std::uint64_t look = 100;
    while (look < rounds_of("few") - 300)
      look *= 2;
    return look == rounds_of("few") - 300;
  }());
  check("which it tells",
        contains(few.out, " of 150 effective draws (fewest: "),
        few.out);
  check("and is complete",
        contains(command({"summary", "few", "--json"}).out,
                 "\"state\": \"complete\""),
        command({"summary", "few", "--json"}).out.substr(0, 400));

  const CommandResult many = run("many", {"Effective draws = 900"});
  const CommandResult more = run("few", {"Effective draws = 900"}, true);
  check("resumed with more of them, it goes on",
        more.exit_code == 0 && rounds_of("many") > 300 + 100,
        more.error);
  check("with the draws of a run that was asked for them at once",
        recorded_draws("few") == recorded_draws("many"));
  const std::uint64_t rounds = rounds_of("few");
  const CommandResult again  = run("few", {"Effective draws = 900"}, true);
  check("resumed with as many, it is over at once",
        again.exit_code == 0 && rounds_of("few") == rounds,
        again.error);

  const CommandResult all =
    run("all", {"Effective draws = 1000000", "Iterations = 800"});
  check("'Iterations' come first",
        all.exit_code == 0 && rounds_of("all") == 800 &&
          contains(all.out, "before 'Effective draws' were reached"),
        all.out);
  const CommandResult plain = run("plain", {"Iterations = 800"});
  check("looks change no draw",
        recorded_draws("all") == recorded_draws("plain"),
        plain.error);
  const CommandResult too_few = run("too_few", {"Effective draws = 20"});
  check("too few are not asked for",
        too_few.exit_code == 1 &&
          contains(too_few.error, "'Effective draws' is 20") &&
          contains(too_few.error, "at least 100"),
        too_few.error);

  CommandResult late = run("late", {"Iterations = 800", "Time limit = 1e-9"});
  check("'Time limit' stops a run",
        late.exit_code == 130 && contains(late.out, "stopped by 'Time limit'"),
        late.out + late.error);
  check("which is interrupted",
        contains(command({"summary", "late", "--json"}).out,
                 "\"state\": \"interrupted\""));
  late = run("late", {"Iterations = 800"}, true);
  check("and goes on when it is resumed",
        late.exit_code == 0 &&
          recorded_draws("late") == recorded_draws("plain"),
        late.error);
  return n_failed;
}
