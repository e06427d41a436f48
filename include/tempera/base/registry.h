// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_registry_h
#define tempera_base_registry_h

#include <tempera/base/text.h>
#include <tempera/base/user_error.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The named ways to make a @p Product. An implementation adds itself with
   * one line in its own source file (see Registration); whoever reads the
   * parameter file creates it by name.
   */
  template <class Product, class... Arguments>
  class Registry
  {
  public:
    using Factory = std::function<std::unique_ptr<Product>(Arguments...)>;

    /** What `tempera list` shows, and how to make one. */
    struct Entry
    {
      std::string description;
      Factory     create;
    };

    /** All entries of this kind, sorted by name. */
    static std::map<std::string, Entry> &
    entries()
    {
      static std::map<std::string, Entry> all;
      return all;
    }

    /** Names of all entries. */
    static std::vector<std::string>
    names()
    {
      std::vector<std::string> result;
      for (const auto &entry : entries())
        result.push_back(entry.first);
      return result;
    }

    /** Make the entry called @p name; an unknown name is a UserError. */
    static std::unique_ptr<Product>
    create(const std::string &name, Arguments... arguments)
    {
      const auto entry = entries().find(name);
      if (entry == entries().end())
        throw UserError("There is no '" + name + "'." +
                        did_you_mean(name, names()));
      return entry->second.create(std::forward<Arguments>(arguments)...);
    }
  };


  /**
   * An object of this type adds @p Implementation to the registry of
   * @p RegistryType: at namespace scope for what is built in, inside
   * TEMPERA_PLUGIN for what is loaded. A name that is taken is a UserError.
   */
  template <class RegistryType, class Implementation>
  struct Registration
  {
    Registration(const std::string &name, const std::string &description)
    {
      const auto create = [](auto &&...arguments) {
        return std::make_unique<Implementation>(arguments...);
      };
      if (!RegistryType::entries().insert({name, {description, create}}).second)
        throw UserError("The name '" + name +
                        "' is taken already. Choose another.");
    }
  };
} // namespace Tempera

#endif
