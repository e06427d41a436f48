// SPDX-License-Identifier: LGPL-2.1-or-later

// A start without a finite energy or gradient is drawn again, up to a hundred
// times; each draw is a function of chain, rung and number alone.

#include "tests.h"

#include <tempera/base/solve_failed.h>
#include <tempera/base/user_error.h>
#include <tempera/run/run.h>
#include <tempera/sampler/guarded_energy.h>
#include <tempera/sampler/replica_exchange.h>
#include <tempera/target/forward_target.h>

#include <limits>
#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A standard normal law that is solved for above a threshold only. */
  std::shared_ptr<const Energy>
  solved_above(const double threshold)
  {
    return std::make_shared<GuardedEnergy>(std::make_shared<FormulaEnergy>(
      [=](const double x) {
        if (x < threshold - 1.)
          throw SolveFailed("The pump is dry.");
        return x < threshold - 0.5 ? std::numeric_limits<double>::infinity() :
                                     0.5 * x * x;
      },
      [=](const double x) {
        return x < threshold ? std::numeric_limits<double>::quiet_NaN() : x;
      }));
  }


  std::vector<double>
  draw(const unsigned int rung, const unsigned int n_tried)
  {
    RandomKey key;
    key.rung    = rung;
    key.round   = n_tried;
    key.purpose = Purpose::start;
    std::vector<double> result(1);
    fill_normals(key, dealii::make_array_view(result));
    return result;
  }


  ReplicaExchange
  make_sampler(const double threshold, const AnotherStart &another_start)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.n_rungs = 4;
    KernelParameters kernel_parameters;
    return ReplicaExchange(RunParameters(),
                           SwapParameters(),
                           Ladder(ladder_parameters,
                                  kernel_parameters,
                                  {{"fine", solved_above(threshold)}}),
                           {draw(0, 0), draw(1, 0), draw(2, 0), draw(3, 0)},
                           nullptr,
                           Placement(),
                           another_start);
  }


  std::string
  message(const double threshold, const AnotherStart &another_start)
  {
    try
      {
        make_sampler(threshold, another_start);
      }
    catch (const UserError &error)
      {
        return error.what();
      }
    return "no error";
  }


  /** A whole run: of four draws from the prior, one has a solution. */
  void
  check_run()
  {
    const auto model = std::make_shared<FunctionModel>(
      1, 1, [](const auto &x, const auto &predictions) {
        if (x[0] > -5.)
          throw SolveFailed("The pump is dry.");
        predictions[0] = x[0];
      });
    ForwardTarget target({{"fine", model}},
                         {{"x", Prior::uniform(-10., 10.)}},
                         {-7.},
                         0.5);
    RunSettings   settings;
    settings.folder         = "again";
    settings.run.iterations = 300;
    settings.run.burn_in    = 100;
    settings.n_chains       = 6;
    settings.start.from     = StartFrom::prior;
    std::ostringstream out;
    check("chains that begin where there is no solution begin elsewhere",
          run(target, settings, out, {OldRun::overwrite}),
          out.str());
  }
} // namespace


int
main()
{
  const double          threshold = 1.;
  const ReplicaExchange sampler   = make_sampler(threshold, draw);
  unsigned int          n_all     = 0;
  for (unsigned int rung = 0; rung < 4; ++rung)
    {
      unsigned int n_tried = 0;
      while (draw(rung, n_tried)[0] < threshold)
        ++n_tried;
      n_all += n_tried + 1;
      check("rung " + std::to_string(rung) +
              " begins at the first draw that "
              "is of use",
            sampler.replica(rung).position == draw(rung, n_tried));
    }
  check("some are of no use", n_all > 8, std::to_string(n_all));
  check("all are counted",
        sampler.report().evaluations[0] == n_all,
        std::to_string(sampler.report().evaluations[0]));

  unsigned int      n_asked = 0;
  const std::string hopeless =
    message(10., [&](const unsigned int rung, const unsigned int n_tried) {
      ++n_asked;
      return draw(rung, n_tried);
    });
  check("after a hundred draws it is given up",
        n_asked == 99 &&
          hopeless.find("the last of 100") != std::string::npos &&
          hopeless.find("The pump is dry.") != std::string::npos,
        hopeless + std::to_string(n_asked));
  const std::string given = message(10., nullptr);
  check("a start that was given is not replaced",
        given.find("of rung 0. The pump is dry.") != std::string::npos,
        given);
  check_run();
  return result();
}
