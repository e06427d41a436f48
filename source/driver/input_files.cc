// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/file_digest.h>
#include <tempera/driver/input_files.h>
#include <tempera/driver/parameters.h>

namespace Tempera
{
  std::vector<InputFile>
  input_files(const Parameters &parameters)
  {
    std::vector<InputFile> result;
    const auto             add = [&](const std::string &parameter,
                         const std::string &path,
                         const bool         is_library) {
      if (!path.empty())
        result.push_back({parameter, path, file_digest(path), is_library});
    };
    add("Problem/Mesh file", parameters.problem.domain.mesh_file, false);
    add("Observations/File", parameters.observations.file, false);
    add("Sampler/Start file", parameters.start.file, false);
    for (const std::string &library : parameters.plugins.libraries)
      add("Additional shared libraries", library, true);
    return result;
  }
} // namespace Tempera
