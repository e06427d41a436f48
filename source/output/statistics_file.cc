// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/statistics_file.h>

#include <sstream>

namespace Tempera
{
  StatisticsFile::StatisticsFile(const RunFolder &folder)
    : folder(folder)
  {
    // A column of which a row says nothing must not end before the others.
    table.set_auto_fill_mode(true);
  }



  void
  StatisticsFile::connect(Signals &signals)
  {
    signals.hundredth_done.connect([this](const RunReport &report) {
      add_row(report);
      write();
    });
  }



  void
  StatisticsFile::add_from(const RecordedRun &run)
  {
    for (const RunReport &first : run.reports(0))
      {
        std::vector<RunReport> reports = {first};
        for (unsigned int chain = 1; chain < run.n_chains(); ++chain)
          for (const RunReport &report : run.reports(chain))
            if (report.rounds == first.rounds)
              reports.push_back(report);
        if (reports.size() == run.n_chains())
          add_row(combined(reports));
      }
  }



  void
  StatisticsFile::add_row(const RunReport &report)
  {
    const auto add = [&](const std::string &name, const double value) {
      table.add_value(name, value);
      table.set_precision(name, 8);
      table.set_scientific(name, true);
    };
    table.add_value("Rounds", static_cast<unsigned long long>(report.rounds));
    table.add_value("Burn-in",
                    static_cast<unsigned int>(report.rounds <= report.burn_in));
    for (unsigned int i = 0; i < report.rungs.size(); ++i)
      {
        const std::string rung = "Rung " + std::to_string(i) + ": ";
        add(rung + "temperature", report.rungs[i].temperature);
        add(rung + "step size", report.rungs[i].step_size);
        add(rung + "noise", report.rungs[i].noise);
        if (report.rungs[i].has_acceptance())
          add(rung + "acceptance", report.rungs[i].acceptance());
        table.add_value(rung + "non-finite proposals",
                        static_cast<unsigned long long>(
                          report.rungs[i].non_finite));
      }
    for (unsigned int i = 0; i < report.pairs.size(); ++i)
      {
        const std::string pair =
          "Rungs " + std::to_string(i) + " and " + std::to_string(i + 1) + ": ";
        table.add_value(pair + "swaps attempted",
                        static_cast<unsigned long long>(
                          report.pairs[i].attempts));
        add(pair + "swap acceptance", report.pairs[i].acceptance());
        table.add_value(pair + "non-finite swaps",
                        static_cast<unsigned long long>(
                          report.pairs[i].non_finite));
      }
    for (unsigned int i = 0; i < report.level_names.size(); ++i)
      table.add_value("Evaluations of level " + report.level_names[i],
                      static_cast<unsigned long long>(report.evaluations[i]));
  }



  void
  StatisticsFile::write() const
  {
    std::ostringstream text;
    table.write_text(
      text, dealii::TableHandler::table_with_separate_column_description);
    folder.write("statistics", text.str());
  }
} // namespace Tempera
