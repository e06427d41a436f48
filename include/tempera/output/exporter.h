// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_exporter_h
#define tempera_output_exporter_h

#include <tempera/base/registry.h>

#include <string>
#include <vector>

namespace Tempera
{
  struct Analysis;
  class RecordedRun;

  /**
   * A format in which a run is left for people or other programs. An exporter
   * adds itself to the registry under a name, which is also its switch in the
   * section `Output` and, in small letters, its option of `tempera export`.
   */
  class Exporter
  {
  public:
    virtual ~Exporter() = default;

    /** Whether every run leaves it, unless told otherwise. */
    virtual bool
    is_default() const
    {
      return false;
    }

    /** Whether write() looks at the analysis: it is made after all studies. */
    virtual bool
    needs_analysis() const
    {
      return false;
    }

    /**
     * Write a run into a folder that exists.
     *
     * @param analysis Null if it was not asked for.
     * @return The paths of what was written.
     */
    virtual std::vector<std::string>
    write(const RecordedRun &run,
          const Analysis    *analysis,
          const std::string &folder) const = 0;
  };

  using ExporterRegistry = Registry<Exporter>;
} // namespace Tempera

#endif
