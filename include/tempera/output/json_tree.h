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
  /**
   * Structs of texts, numbers, structs and lists as JSON and back. One function
   * `visit(values, field)` says for both ways what there is, so that they
   * cannot differ: it calls `field(name, value)` for what must be there, and
   * `field.optional(name, value)` for what older texts do not have.
   */
  namespace JsonTree
  {
    using Tree = boost::property_tree::ptree;

    /** What cannot be read back, and why. */
    struct Unreadable : std::runtime_error
    {
      using std::runtime_error::runtime_error;
    };

    template <typename Value>
    Tree
    write(const Value &value);

    template <typename Entry>
    Tree
    write(const std::vector<Entry> &entries)
    {
      Tree list;
      for (const Entry &entry : entries)
        list.push_back({"", write(entry)});
      return list;
    }

    class Writer
    {
    public:
      template <typename Value>
      void
      operator()(const char *name, const Value &value)
      {
        tree.push_back({name, write(value)});
      }

      template <typename Value>
      void
      optional(const char *name, const Value &value)
      {
        (*this)(name, value);
      }

      Tree tree;
    };

    // Texts and numbers alike are texts in the tree; what is written by
    // to_text() reads back as the same number.
    template <typename Value>
    Tree
    write(const Value &value)
    {
      if constexpr (std::is_same<Value, std::string>::value)
        return Tree(value);
      else if constexpr (std::is_floating_point<Value>::value)
        return Tree(to_text(value));
      else if constexpr (std::is_integral<Value>::value)
        return Tree(std::to_string(value));
      else
        {
          Value  copy = value;
          Writer writer;
          visit(copy, writer);
          return writer.tree;
        }
    }


    template <typename Value>
    void
    read(const Tree &tree, Value &value);

    template <typename Entry>
    void
    read(const Tree &tree, std::vector<Entry> &entries)
    {
      entries.clear();
      for (const auto &child : tree)
        {
          entries.emplace_back();
          read(child.second, entries.back());
        }
    }

    class Reader
    {
    public:
      template <typename Value>
      void
      operator()(const char *name, Value &value) const
      {
        if (tree.find(name) == tree.not_found())
          throw Unreadable("'" + std::string(name) + "' is missing");
        optional(name, value);
      }

      /** What is not there is left as it is. */
      template <typename Value>
      void
      optional(const char *name, Value &value) const
      {
        const auto child = tree.find(name);
        if (child != tree.not_found())
          read(child->second, value);
      }

      const Tree &tree;
    };

    template <typename Value>
    void
    read(const Tree &tree, Value &value)
    {
      const std::string &text = tree.data();
      char              *end  = nullptr;
      if constexpr (std::is_same<Value, std::string>::value)
        value = text;
      else if constexpr (std::is_floating_point<Value>::value)
        {
          value = std::strtod(text.c_str(), &end);
          if (text.empty() || *end != 0)
            throw Unreadable("'" + text + "' is not a number");
        }
      else if constexpr (std::is_integral<Value>::value)
        {
          value = Value(std::strtoull(text.c_str(), &end, 10));
          if (text.empty() || *end != 0 || std::to_string(value) != text)
            throw Unreadable("'" + text + "' is not a whole number");
        }
      else
        {
          Reader reader{tree};
          visit(value, reader);
        }
    }


    template <typename Value>
    std::string
    to_json(const Value &value)
    {
      std::ostringstream text;
      boost::property_tree::write_json(text, write(value));
      // A byte of another encoding, in a path for instance, would make the
      // whole text unreadable.
      return valid_utf8(text.str());
    }

    template <typename Value>
    void
    from_json(const std::string &text, Value &value)
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
      read(tree, value);
    }
  } // namespace JsonTree
} // namespace Tempera

#endif
