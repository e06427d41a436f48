// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/draws_file.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace Tempera
{
  namespace
  {
    constexpr std::size_t buffer_size = 1 << 16;

    template <typename Number>
    void
    append(std::string &text, const Number number)
    {
      char       digits[32];
      const auto end =
        std::to_chars(digits, digits + sizeof(digits), number).ptr;
      text.append(digits, end);
    }
  } // namespace



  DrawsFile::DrawsFile(const RunFolder      &folder,
                       const RunDescription &description,
                       const unsigned int    rung)
    : rung(rung)
    , indices(description.indices)
    , path(folder.file("draws." + std::to_string(rung) + ".csv"))
    , file(path, std::ios::binary)
  {
    if (!file)
      throw_write_error(path);
    buffer.reserve(2 * buffer_size);
    buffer = "draw,replica,energy";
    for (const std::string &name : description.names)
      buffer += "," + name;
    buffer += "\n";
    flush();
  }



  DrawsFile::~DrawsFile()
  {
    // Save what can be saved when another part has failed.
    try
      {
        if (file.is_open())
          flush();
      }
    catch (const UserError &)
      {}
  }



  void
  DrawsFile::connect(Signals &signals)
  {
    signals.draw.connect([this](const Draw &draw) { write(draw); });
    signals.progress.connect([this](const std::uint64_t) { flush(); });
    signals.end_of_run.connect([this](const RunReport &) { flush(); });
  }



  void
  DrawsFile::write(const Draw &draw)
  {
    if (draw.rung != rung || draw.is_burn_in)
      return;
    append(buffer, n_draws++);
    buffer += ',';
    append(buffer, draw.replica);
    buffer += ',';
    append(buffer, draw.energy());
    for (const unsigned int i : indices)
      {
        buffer += ',';
        append(buffer, draw.position[i]);
      }
    buffer += '\n';
    if (buffer.size() > buffer_size)
      flush();
  }



  void
  DrawsFile::flush()
  {
    errno = 0;
    file.write(buffer.data(), buffer.size()).flush();
    if (!file)
      {
        // Half a line can look like a whole one: cut back to what is safe.
        const int cause = errno;
        file.close();
        std::error_code error;
        std::filesystem::resize_file(path, n_bytes, error);
        errno = cause;
        throw_write_error(path);
      }
    n_bytes += buffer.size();
    buffer.clear();
  }
} // namespace Tempera
