// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/output/analysis.h>
#include <tempera/output/exporter.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/record.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/summary_text.h>
#include <tempera/run/run.h>
#include <tempera/study/study.h>

#include <algorithm>

// What a Run makes of the record when the run is over.

namespace Tempera
{
  void
  Run::write_results(const std::atomic<bool> &stop,
                     const std::string       &closing_words)
  {
    const RecordedRun recorded(folder->get_path());
    recorded.check_written(record_lengths,
                           "Leave the output folder alone; what is sound is "
                           "shown by 'tempera summary'.");
    // Null: what needs no analysis.
    const auto export_all = [&](const Analysis *analysis) {
      for (const auto &[name, is_wanted] : settings.output.formats)
        {
          const auto exporter = ExporterRegistry::create(name);
          if (is_wanted && exporter->needs_analysis() == (analysis != nullptr))
            exporter->write(recorded, analysis, folder->get_path());
        }
    };
    // Beside each other, since all only read the record; of long runs one after
    // the other, where memory matters more than time.
    constexpr std::uint64_t many = 1 << 18;
    const bool              is_long =
      recorded.n_common_draws() * recorded.n_chains() >= many;
    std::future<void> files = std::async(beside(!is_long), export_all, nullptr);
    times.enter("samples.nc");
    if (is_long)
      files.wait();

    const std::shared_future<Analysis> analysing =
      std::async(beside(!is_long), [&, so_far = times.get()]() {
        return analyse(recorded, so_far, Checks());
      });
    const FinishedRun finished{target,
                               settings,
                               description,
                               (*ensemble)[0].get_ladder(),
                               recorded,
                               *folder,
                               *kept_draws,
                               analysing,
                               [&]() { return stop.load(); }};
    Checks            checks;
    std::string       words;
    for (const std::string &name : StudyRegistry::names())
      {
        const std::unique_ptr<Study> study = StudyRegistry::create(name);
        times.enter(study->phase());
        words += study->make(finished, checks);
      }
    times.enter("analysis");
    Analysis analysis = analysing.get();
    checks.rounds     = analysis.rounds;
    folder->write(checks_file, checks_to_json(checks));
    if (!checks.level_solves.empty())
      analysis.estimate_levels(recorded, checks);
    analysis.set_checks(checks);
    journal->write(summary_text(analysis));
    if (prediction)
      journal->write(prediction->text());
    journal->write(closing_words);
    journal->write(words);
    times.enter("report");
    analysis.times = times.get();
    export_all(&analysis);
    times.enter("samples.nc");
    files.get();
    // Weights that were not known when it was made.
    if (!checks.level_solves.empty())
      export_all(nullptr);
  }



  unsigned int
  Run::n_kept_draws() const
  {
    unsigned int n = 0;
    if (description.has_unrecorded)
      for (const std::string &name : StudyRegistry::names())
        n = std::max(n,
                     StudyRegistry::create(name)->n_whole_draws(target,
                                                                settings));
    return n;
  }
} // namespace Tempera
