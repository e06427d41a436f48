// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/study/study.h>
#include <tempera/target/forward_target.h>

namespace Tempera
{
  namespace
  {
    class FieldStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "fields";
      }

      std::string
      make(const FinishedRun &run, Checks &) const override
      {
        const OutputParameters &output  = run.settings.output;
        ForwardTarget *const    forward = run.target.forward();
        if (forward == nullptr ||
            (output.n_field_draws == 0 && output.n_mean_draws <= 1))
          return "";
        const auto          its_model = forward->model(run.cold_level());
        const ForwardModel &model     = *its_model;
        const std::string   path      = run.folder.get_path() + "/fields";
        // Without the noise level, which is no business of the solver.
        const auto states = [&](const unsigned int n) {
          auto result = run.draws(n);
          for (std::vector<double> &state : result)
            state.resize(model.n_parameters());
          return result;
        };
        unsigned int number = 0;
        for (const std::vector<double> &state : states(output.n_field_draws))
          model.write_fields({state},
                             {path,
                              "draw_" + std::to_string(number++),
                              output.n_field_times});
        if (output.n_mean_draws > 1 && run.recorded.n_common_draws() > 1)
          model.write_fields(states(output.n_mean_draws),
                             {path, "posterior", output.n_field_times});
        return "";
      }
    };

    const Registration<StudyRegistry, FieldStudy>
      registration("posterior fields",
                   "Solutions at some draws, their mean and deviation");
  } // namespace
} // namespace Tempera
