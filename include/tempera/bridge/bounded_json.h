// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_bridge_bounded_json_h
#define tempera_bridge_bounded_json_h

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Read JSON that a stranger has written. Nothing if it is none, or if it is
   * nested deeper than anybody needs.
   */
  std::optional<nlohmann::json>
  parse_bounded(const std::string &text);

  /**
   * JSON has no word for what is not a number, but Python writes NaN, nan,
   * Infinity and inf. Outside of strings these become null.
   */
  std::string
  with_null_for_nan(const std::string &text);

  /** A list of finite numbers; nothing if it is anything else. */
  std::optional<std::vector<double>>
  numbers_in(const nlohmann::json &list);
} // namespace Tempera

#endif
