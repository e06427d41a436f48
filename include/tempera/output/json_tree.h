// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_json_tree_h
#define tempera_output_json_tree_h

#include <tempera/base/text.h>
#include <tempera/base/utf8.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace Tempera
{
  /** Texts, numbers and lists of them as JSON and back. */
  namespace JsonTree
  {
    using Tree = boost::property_tree::ptree;

    /** What cannot be read back, and why. */
    struct Unreadable : std::runtime_error
    {
      using std::runtime_error::runtime_error;
    };

    // Texts and numbers alike are texts in the tree; what is written by
    // to_text() reads back as the same number.

    inline void
    put(Tree &tree, const std::string &name, const std::string &text)
    {
      tree.push_back({name, Tree(text)});
    }

    inline void
    put(Tree &tree, const std::string &name, const double number)
    {
      put(tree, name, to_text(number));
    }

    inline void
    put(Tree &tree, const std::string &name, const std::uint64_t number)
    {
      put(tree, name, std::to_string(number));
    }

    inline void
    put(Tree &tree, const std::string &name, const bool value)
    {
      put(tree, name, std::uint64_t(value));
    }

    template <typename Entry>
    void
    put(Tree &tree, const std::string &name, const std::vector<Entry> &entries)
    {
      Tree list;
      for (const Entry &entry : entries)
        if constexpr (std::is_same<Entry, unsigned int>::value)
          put(list, "", std::uint64_t(entry));
        else
          put(list, "", entry);
      tree.push_back({name, list});
    }

    inline double
    number_of(const Tree &tree)
    {
      const std::string &text   = tree.data();
      char              *end    = nullptr;
      const double       result = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != 0)
        throw Unreadable("'" + text + "' is not a number");
      return result;
    }

    inline void
    get(const Tree &tree, std::string &text)
    {
      text = tree.data();
    }

    inline void
    get(const Tree &tree, double &number)
    {
      number = number_of(tree);
    }

    template <typename Integer>
    void
    get_integer(const Tree &tree, Integer &number)
    {
      const std::string &text = tree.data();
      char              *end  = nullptr;
      number                  = Integer(std::strtoull(text.c_str(), &end, 10));
      if (text.empty() || *end != 0 || std::to_string(number) != text)
        throw Unreadable("'" + text + "' is not a whole number");
    }

    inline void
    get(const Tree &tree, std::uint64_t &number)
    {
      get_integer(tree, number);
    }

    inline void
    get(const Tree &tree, unsigned int &number)
    {
      get_integer(tree, number);
    }

    inline void
    get(const Tree &tree, bool &value)
    {
      unsigned int number = 0;
      get_integer(tree, number);
      value = number != 0;
    }

    template <typename Entry>
    void
    get(const Tree &tree, std::vector<Entry> &entries)
    {
      entries.clear();
      for (const auto &child : tree)
        {
          entries.emplace_back();
          get(child.second, entries.back());
        }
    }

    template <typename Value>
    void
    get(const Tree &tree, const std::string &name, Value &value)
    {
      const auto child = tree.find(name);
      if (child == tree.not_found())
        throw Unreadable("'" + name + "' is missing");
      get(child->second, value);
    }

    /** What records of older versions do not have is left as it is. */
    template <typename Value>
    void
    get_if_there(const Tree &tree, const std::string &name, Value &value)
    {
      const auto child = tree.find(name);
      if (child != tree.not_found())
        get(child->second, value);
    }

    inline std::string
    to_json(const Tree &tree)
    {
      std::ostringstream text;
      boost::property_tree::write_json(text, tree);
      // A byte of another encoding, in a path for instance, would make the
      // whole text unreadable.
      return valid_utf8(text.str());
    }

    inline Tree
    from_json(const std::string &text)
    {
      Tree               tree;
      std::istringstream stream(text);
      try
        {
          boost::property_tree::read_json(stream, tree);
        }
      catch (const boost::property_tree::json_parser_error &error)
        {
          throw Unreadable(error.message());
        }
      return tree;
    }
  } // namespace JsonTree
} // namespace Tempera

#endif
