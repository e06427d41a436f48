// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_json_h
#define tempera_output_json_h

#include <string>
#include <type_traits>
#include <vector>

namespace Tempera
{
  /**
   * A value as a text of JSON. It may stand within a page: nothing in it ends a
   * script or begins a tag. Numbers that are not finite become null.
   */
  class Json
  {
  public:
    /** Null. */
    Json() = default;

    Json(const std::string &words);

    Json(const char *words)
      : Json(std::string(words))
    {}

    /** The shortest text that reads back as the same number. */
    Json(const double number);

    template <
      typename Value,
      typename = typename std::enable_if<std::is_integral<Value>::value>::type>
    Json(const Value value)
    {
      if constexpr (std::is_same<Value, bool>::value)
        text = value ? "true" : "false";
      else
        text = std::to_string(value);
    }

    template <typename Entry>
    Json(const std::vector<Entry> &entries)
      : Json(entries, [](const Entry &one) { return one; })
    {}

    /** The list of what @p function makes of every entry. */
    template <typename Entry, typename Function>
    Json(const std::vector<Entry> &entries, const Function &function)
    {
      text = "[";
      for (const Entry &one : entries)
        text += (text.size() > 1 ? "," : "") + Json(function(one)).text;
      text += "]";
    }

    /**
     * With as many digits as a chart that shows all of the numbers can resolve:
     * four, and as many more as the numbers have in common.
     */
    static Json
    rounded(const std::vector<double> &numbers);

    /** The same for every list by itself. */
    static Json
    rounded(const std::vector<std::vector<double>> &lists);

    const std::string &
    get_text() const
    {
      return text;
    }

  protected:
    std::string text = "null";
  };


  /** An object that grows by its members. */
  class JsonObject : public Json
  {
  public:
    /** @param separator Stands between two members. */
    explicit JsonObject(const std::string &separator = ", ");

    JsonObject &
    add(const std::string &name, const Json &value);

  private:
    const std::string separator;
  };
} // namespace Tempera

#endif
