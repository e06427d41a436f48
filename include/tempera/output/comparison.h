// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_comparison_h
#define tempera_output_comparison_h

#include <string>
#include <vector>

namespace Tempera
{
  struct Analysis;

  /**
   * Runs side by side: a column for each, a line for each figure; "-" where a
   * run has none.
   *
   * @param labels What the runs are called.
   */
  std::string
  comparison_text(const std::vector<std::string> &labels,
                  const std::vector<Analysis>    &runs);

  /**
   * Bayes factors and probabilities of the models of some runs, if at least two
   * have an evidence; otherwise empty.
   *
   * @param weights Prior weights of the models; empty for equal ones.
   * @param objection Why their evidences cannot be compared; may be empty.
   */
  std::string
  model_choice_text(const std::vector<std::string> &labels,
                    const std::vector<Analysis>    &runs,
                    const std::vector<double>      &weights,
                    const std::string              &objection);
} // namespace Tempera

#endif
