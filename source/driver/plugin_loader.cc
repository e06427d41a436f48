// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/plugin_loader.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <tempera/plugin.h>

namespace Tempera
{
  namespace
  {
    const char *const parameter = "Additional shared libraries";

    const char *const build_again =
      " Build the plugin again, in an empty build folder, with the "
      "find_package(tempera) of this program (doc/new_problem.md).";

    const char *const no_plugin =
      "is no plugin of Tempera: it has no block TEMPERA_PLUGIN outside "
      "anonymous namespaces (doc/new_problem.md).";

    /** What differs between two signatures, in words; empty if nothing does. */
    std::string
    difference(const std::string &theirs, const std::string &ours)
    {
      const auto their_parts =
        dealii::Utilities::split_string_list(theirs, "\n");
      const auto our_parts = dealii::Utilities::split_string_list(ours, "\n");
      if (their_parts.size() != our_parts.size())
        return "it was built for another tempera";
      const auto versions = [&](const std::string &what, const unsigned int i) {
        return "it was built for " + what + their_parts[i] +
               ", but this program is built for " + what + our_parts[i];
      };
      if (their_parts[1] != our_parts[1])
        return "it was built for tempera " + their_parts[1] +
               ", but this is tempera " + our_parts[1];
      if (their_parts[2] != our_parts[2])
        return "it was built with other headers of tempera " + our_parts[1] +
               " than this program";
      if (their_parts[3] != our_parts[3])
        return versions("deal.II ", 3);
      if (their_parts[4] != our_parts[4])
        return versions("the build type ", 4);
      return "";
    }

    // Not inlined, or pieces of it are all that stands in our own library.
    [[gnu::noinline]] const char *
    signature_of_program()
    {
      return TEMPERA_PLUGIN_SIGNATURE;
    }

    /** The signature as it stands in a file; empty if there is none. */
    std::string
    signature_in(const std::string &content)
    {
      const std::string ours  = signature_of_program();
      const std::string mark  = ours.substr(0, ours.find('\n') + 1);
      const auto        begin = content.find(mark);
      return begin == std::string::npos ? "" :
                                          std::string(content.data() + begin);
    }

    /** A function of a library; null if it has none of this name. */
    template <typename Function>
    Function *
    find(void *const library, const char *const name)
    {
      return reinterpret_cast<Function *>(dlsym(library, name));
    }
  } // namespace



  void
  load_plugin(const std::string &file, const std::string &origin)
  {
    const std::string begin =
      origin + ": the library '" + file + "' of '" + parameter + "' ";
    std::error_code error;
    if (!std::filesystem::exists(file, error))
      throw UserError(begin +
                      "does not exist. A relative name starts from the folder "
                      "of the parameter file, with --set from the working "
                      "directory.");

    // Before the library is loaded: a Debug deal.II that it brings along would
    // bring the program down, be it at its end.
    std::ifstream     stream(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), {}};
    const bool        is_library = content.compare(0, 4, "\177ELF") == 0;
    const std::string signature  = signature_in(content);
    if (is_library && signature.empty())
      throw UserError(begin + no_plugin);
    const std::string differs = difference(signature, signature_of_program());
    if (is_library && !differs.empty())
      throw UserError(begin + "does not fit this program: " + differs + "." +
                      build_again);

    // Never closed: what it registers is used until the program ends.
    void *const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr)
      {
        const char *const reason = dlerror();
        throw UserError(begin + "cannot be loaded: " +
                        (reason != nullptr ? reason : "no reason is given") +
                        "." +
                        (is_library ? build_again : " Name a shared library."));
      }
    static std::set<void *> loaded;
    if (loaded.count(library) > 0)
      return;

    const auto its_signature =
      find<const char *()>(library, "tempera_plugin_signature");
    const auto registration = find<void()>(library, "tempera_plugin_register");
    if (its_signature == nullptr || registration == nullptr ||
        its_signature() != signature)
      throw UserError(begin + no_plugin);
    const auto failed = [&](const std::string &reason) {
      return UserError(begin + "could not register what it adds. " + reason);
    };
    try
      {
        registration();
      }
    catch (const std::exception &exception)
      {
        throw failed(exception.what());
      }
    catch (...)
      {
        throw failed("Its block TEMPERA_PLUGIN has thrown something that is no "
                     "std::exception.");
      }
    loaded.insert(library);
  }



  PluginParameters::PluginParameters(const ParameterFile &file)
  {
    // The last one counts, as for every parameter.
    const Assignment *last = nullptr;
    for (const Assignment &assignment : file.assignments())
      if (is_set_by(assignment))
        last = &assignment;
    if (last == nullptr)
      return;
    libraries = resolved(*last);
    for (const std::string &library : libraries)
      load_plugin(library, last->origin);
  }



  void
  PluginParameters::declare(dealii::ParameterHandler &prm)
  {
    // Its default is empty, whatever has been loaded.
    const std::vector<std::string> values = std::move(libraries);
    libraries.clear();
    prm.add_parameter(
      parameter,
      libraries,
      "Plugins: shared libraries that add problems, or energies, kernels and swap rules, separated by commas (doc/new_problem.md). A relative name starts from the folder of the parameter file.",
      dealii::Patterns::List(dealii::Patterns::Anything()));
    libraries = values;
  }



  bool
  PluginParameters::is_set_by(const Assignment &assignment)
  {
    return assignment.section.empty() && assignment.name == parameter;
  }



  std::vector<std::string>
  PluginParameters::resolved(const Assignment &assignment)
  {
    std::vector<std::string> result;
    for (const std::string &name :
         dealii::Utilities::split_string_list(assignment.value, ','))
      {
        if (name.empty())
          throw UserError(assignment.origin + ": '" + parameter +
                          "' has an empty name. Write names of files, "
                          "separated by commas.");
        result.push_back(
          (std::filesystem::current_path() / assignment.folder / name)
            .lexically_normal()
            .string());
      }
    return result;
  }
} // namespace Tempera
