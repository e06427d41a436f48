// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_plugin_h
#define tempera_plugin_h

#include <tempera/base/registry.h>

#include <deal.II/base/config.h>

#include <tempera/plugin_signature.h>

/** Whether the checks of deal.II are compiled in: it changes its classes. */
#ifdef DEBUG
#  define TEMPERA_PLUGIN_BUILD_TYPE "Debug"
#else
#  define TEMPERA_PLUGIN_BUILD_TYPE "Release"
#endif

/**
 * What program and plugin must have in common, a line for each part: a mark by
 * which the loader finds it in a file, the version of tempera, a digest of its
 * headers, the version of deal.II, and the build type. A literal and not a
 * function, since functions of program and plugin that have the same name are
 * one after loading.
 */
#define TEMPERA_PLUGIN_SIGNATURE                                           \
  "plugin of tempera\n" TEMPERA_PLUGIN_VERSION "\n" TEMPERA_PLUGIN_HEADERS \
  "\n" DEAL_II_PACKAGE_VERSION "\n" TEMPERA_PLUGIN_BUILD_TYPE

/**
 * Makes a shared library a plugin. Once in a library, at namespace scope but in
 * no anonymous namespace, it is followed by the block that registers what the
 * plugin adds:
 * @code
 *   TEMPERA_PLUGIN
 *   {
 *     Registration<ProblemRegistry, MyProblem>("my problem",
 *                                              "One line for 'tempera list'.");
 *   }
 * @endcode
 * The block is called when the library has been loaded and its signature found
 * right; what it throws becomes a message to the user. Classes of a plugin
 * belong in an anonymous namespace: those of the same name in two libraries
 * would be one. See doc/new_problem.md.
 */
#define TEMPERA_PLUGIN                                           \
  static void tempera_plugin_registrations();                    \
  extern "C" __attribute__((visibility("default"))) const char * \
  tempera_plugin_signature()                                     \
  {                                                              \
    return TEMPERA_PLUGIN_SIGNATURE;                             \
  }                                                              \
  extern "C" __attribute__((visibility("default"))) void         \
  tempera_plugin_register()                                      \
  {                                                              \
    tempera_plugin_registrations();                              \
  }                                                              \
  static void tempera_plugin_registrations()

#endif
