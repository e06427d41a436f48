// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A parameter file's opening comment is the question that reports have as their
// title: only the question, in one line, bounded, and only of the file itself.

#include "tests.h"

#include <tempera/base/utf8.h>
#include <tempera/driver/parameter_file.h>
#include <tempera/output/run_description.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::string
  question_of(const std::string &text)
  {
    std::ofstream("question.prm") << text;
    return ParameterFile("question.prm").question();
  }
} // namespace



int
main()
{
  const std::string rest = "set Chains = 1\n# What is this?\n";

  check("a comment as those in prm/",
        question_of("# Question: where was\n#           it?\n"
                    "# Answer:   here.\n# Time:     1 s\n\n" +
                    rest) == "where was it?");
  check("any opening comment, to the end of its paragraph",
        question_of("\n#\n#   How hot: very?\r\n#\tOr not?\n#\n# More.\n" +
                    rest) == "How hot: very? Or not?");
  check("neither a licence nor an ornament",
        question_of("\xEF\xBB\xBF# SPDX-License-Identifier: MIT\n#####\n"
                    "# ---- Who? ----\n" +
                    rest) == "Who? ----");
  check("without a comment there is none", question_of(rest).empty());
  check("a comment behind the first parameter is none",
        question_of("set Chains = 1 # Why?\n").empty());
  check("the list of parameters that a run leaves is none",
        question_of("# Listing of Parameters\n# -------\n# How many?\n" + rest)
          .empty());

  std::ofstream("included.prm") << "# Question: of another file?\n";
  check("what is included has no say",
        question_of("include included.prm\n" + rest).empty() &&
          question_of("# Mine.\ninclude included.prm\n") == "Mine.");

  const std::string bytes = question_of("# Caf\xE9?\n");
  check("bytes that are not UTF-8 are replaced",
        bytes == valid_utf8("Caf\xE9?") && bytes != "Caf\xE9?");
  // Three bytes a letter, without a space where it could be cut.
  std::string letters;
  for (unsigned int i = 0; i < 5000; ++i)
    letters += "\xE2\x82\xAC";
  const std::string cut = question_of("# " + letters + "\n");
  check("a long one is cut between letters",
        cut.size() < 1100 && valid_utf8(cut) == cut &&
          cut.compare(0, 900, letters, 0, 900) == 0,
        std::to_string(cut.size()) + " bytes");

  RunDescription description;
  description.kernels     = {"MALA"};
  description.levels      = {"fine"};
  description.rung_levels = {0};
  description.question    = "\"Where\" <b>was</b> it?";
  std::string       json  = description_to_json(description);
  const std::string entry = "\"question\"";
  check("a record keeps it",
        description_from_json(json).question == description.question);
  const std::size_t begin = json.find(entry);
  json.erase(begin, json.find('\n', begin) - begin);
  check("records of older versions have none",
        begin != std::string::npos &&
          description_from_json(json).question.empty());
  return result();
}
