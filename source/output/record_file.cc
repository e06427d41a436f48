// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/base/user_error.h>
#include <tempera/output/record_blocks.h>
#include <tempera/output/record_file.h>
#include <tempera/output/run_folder.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace Tempera
{
  namespace
  {
    // What damage to a file costs, and what is worth a second thread.
    constexpr std::size_t block_size = 1 << 16, buffer_size = 1 << 18;

    /** At least so many bytes, so that the next block begins with a word. */
    std::size_t
    whole_words(const std::size_t n_bytes)
    {
      return (n_bytes + 7) / 8 * 8;
    }

    template <typename Number>
    void
    append_raw(std::string &bytes, const Number number)
    {
      bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
    }
  } // namespace



  std::string
  record_name(const unsigned int chain)
  {
    return "chain." + std::to_string(chain) + ".record";
  }



  std::uint32_t
  block_checksum(const std::uint32_t kind,
                 const char         *content,
                 const std::uint32_t length)
  {
    const std::uint32_t head[2] = {kind, length};
    const auto          bytes   = [](const void *place) {
      return static_cast<const Bytef *>(place);
    };
    return crc32(crc32(0, bytes(head), sizeof(head)), bytes(content), length);
  }



  DrawLayout::DrawLayout(const RunDescription &description)
    : n_rungs(description.n_recorded_rungs)
    , n_pairs(n_rungs > 0 ? description.kernels.size() - 1 : 0)
    , n_columns(description.names.size() + description.derived_names.size())
  {}



  RecordFile::RecordFile(const std::string    &path,
                         const RunDescription &description)
    : path(path)
    , layout(description)
    , descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666))
  {
    take_possession();
    if (ftruncate(descriptor, 0) != 0 && errno != EINVAL)
      throw_write_error(path);
    append(description);
    flush();
  }



  RecordFile::RecordFile(const std::string    &path,
                         const RunDescription &description,
                         const std::uint64_t   length)
    : path(path)
    , layout(description)
    , descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC))
    , n_bytes(length)
  {
    take_possession();
    const off_t end = lseek(descriptor, 0, SEEK_END);
    if (end < 0 || std::uint64_t(end) < length)
      {
        close(descriptor);
        throw UserError("The record '" + path + "' has " + std::to_string(end) +
                        " bytes, but the checkpoint was made when it had " +
                        std::to_string(length) +
                        ". The file was changed from outside; put the right "
                        "one back, or begin the run again with --overwrite.");
      }
    if (ftruncate(descriptor, length) != 0 ||
        lseek(descriptor, length, SEEK_SET) < 0)
      {
        const int cause = errno;
        close(descriptor);
        errno = cause;
        throw_write_error(path);
      }
  }



  void
  RecordFile::take_possession()
  {
    if (descriptor < 0)
      throw_write_error(path);
    // Released by the system when the process ends, however it ends.
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      {
        close(descriptor);
        descriptor = -1;
        throw UserError("Another process is writing the record '" + path +
                        "'. Wait for it or stop it, or choose another folder "
                        "with --output.");
      }
  }



  RecordFile::~RecordFile()
  {
    if (descriptor < 0)
      return;
    // Save what can be saved when another part has failed.
    try
      {
        flush();
      }
    catch (const UserError &)
      {}
    if (descriptor >= 0)
      close(descriptor);
  }



  void
  RecordFile::append(const RecordedDraw &draw)
  {
    // This is what a cheap round waits for: one line at a time, copied once.
    char      *place = extend_block(BlockKind::draws, layout.line());
    const auto put   = [&place](const auto number) {
      std::memcpy(place, &number, sizeof(number));
      place += sizeof(number);
    };
    put(draw.round);
    put(std::uint64_t(draw.is_burn_in));
    put(draw.round_trips);
    for (unsigned int pair = 0; pair < layout.n_pairs; ++pair)
      {
        put(draw.swaps[pair].attempts);
        put(draw.swaps[pair].accepted);
      }
    for (unsigned int i = 0; i < layout.n_rungs; ++i)
      {
        const RecordedRung &rung = draw.rungs[i];
        put(rung.reference);
        put(rung.potential);
        put(rung.step_size);
        put(rung.acceptance);
        put(rung.non_finite);
        put(rung.replica);
        for (unsigned int k = 0; k < layout.n_columns; ++k)
          put(rung.values[k]);
      }
    end_line();
  }



  void
  RecordFile::append(const RecordedLevelDraw &draw)
  {
    char *place = extend_block(BlockKind::level_draws, layout.level_line());
    const std::uint64_t counts[]   = {draw.rung, draw.own_round};
    const double        energies[] = {draw.energy, draw.finer_energy};
    std::memcpy(place, counts, sizeof(counts));
    std::memcpy(place + sizeof(counts), energies, sizeof(energies));
    std::memcpy(place + sizeof(counts) + sizeof(energies),
                draw.values,
                layout.n_columns * sizeof(double));
    end_line();
  }



  void
  RecordFile::append(const KnownPotential &potential)
  {
    char *place = extend_block(BlockKind::potentials, DrawLayout::potential);
    const std::uint32_t indices[] = {potential.rung, potential.level};
    std::memcpy(place, indices, sizeof(indices));
    std::memcpy(place + sizeof(indices), &potential.potential, sizeof(double));
    end_line();
  }



  char *
  RecordFile::extend_block(const BlockKind kind, const std::size_t n_bytes)
  {
    if (open_kind != kind)
      end_block();
    if (open_block == no_block)
      begin_block(kind);
    const std::size_t begin = blocks.size();
    blocks.resize(begin + n_bytes);
    return blocks.data() + begin;
  }



  void
  RecordFile::end_line()
  {
    if (blocks.size() - open_block > block_size)
      end_block();
    if (blocks.size() > buffer_size)
      begin_flush();
  }



  void
  RecordFile::append(const RunDescription &description)
  {
    std::string text = description_to_json(description);
    text.resize(whole_words(text.size()), ' ');
    append_block(BlockKind::description, text);
  }



  void
  RecordFile::append(const RunReport &report)
  {
    std::string bytes = report_to_bytes(report);
    bytes.resize(whole_words(bytes.size()), 0);
    append_block(BlockKind::report, bytes);
  }



  void
  RecordFile::append(const RecordedPrediction &prediction)
  {
    std::string content;
    append_raw(content, prediction.round);
    append_raw(content, prediction.draw);
    content.append(reinterpret_cast<const char *>(prediction.values.data()),
                   prediction.values.size() * sizeof(double));
    append_block(BlockKind::prediction, content);
  }



  void
  RecordFile::begin_block(const BlockKind kind)
  {
    open_block = blocks.size();
    open_kind  = kind;
    append_raw(blocks,
               BlockHead{BlockHead::right_letters, std::uint32_t(kind), 0, 0});
  }



  void
  RecordFile::end_block()
  {
    if (open_block == no_block)
      return;
    const std::uint32_t length = blocks.size() - open_block - sizeof(BlockHead);
    std::memcpy(blocks.data() + open_block + offsetof(BlockHead, length),
                &length,
                sizeof(length));
    open_block = no_block;
  }



  void
  RecordFile::append_block(const BlockKind kind, const std::string &content)
  {
    end_block();
    begin_block(kind);
    blocks += content;
    end_block();
  }



  void
  RecordFile::begin_flush()
  {
    end_block();
    finish_flush();
    if (descriptor < 0 || blocks.empty())
      return;
    written.swap(blocks);
    blocks.clear();
    flushing = std::async(beside(), [this]() { write_blocks(written); });
  }



  void
  RecordFile::finish_flush()
  {
    if (flushing.valid())
      flushing.get();
  }



  void
  RecordFile::flush()
  {
    begin_flush();
    finish_flush();
  }



  void
  RecordFile::write_blocks(std::string &bytes)
  {
    for (std::size_t i = 0; i < bytes.size();)
      {
        BlockHead head;
        std::memcpy(&head, bytes.data() + i, sizeof(head));
        head.checksum = block_checksum(head.kind,
                                       bytes.data() + i + sizeof(head),
                                       head.length);
        std::memcpy(bytes.data() + i, &head, sizeof(head));
        i += sizeof(head) + head.length;
      }
    // Whoever writes into the file meanwhile is noticed before more is lost.
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        std::uint64_t(status.st_size) != n_bytes)
      {
        close(descriptor);
        descriptor = -1;
        throw_meddling_error("changed");
      }
    std::size_t done = 0;
    while (done < bytes.size())
      {
        const ssize_t n =
          write(descriptor, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR)
          continue;
        if (n <= 0)
          {
            // Half a block helps nobody: cut back to what is whole.
            const int cause = n == 0 ? ENOSPC : errno;
            if (ftruncate(descriptor, n_bytes) != 0)
              lseek(descriptor, n_bytes, SEEK_SET);
            close(descriptor);
            descriptor = -1;
            errno      = cause;
            throw_write_error(path);
          }
        done += n;
      }
    n_bytes += bytes.size();
  }



  std::uint64_t
  RecordFile::sync()
  {
    flush();
    if (descriptor >= 0 && fdatasync(descriptor) != 0 && errno != EINVAL)
      throw_write_error(path);
    // A file that was removed under the run would be lost with its end.
    struct stat mine, named;
    if (stat(path.c_str(), &named) != 0)
      throw_meddling_error("removed");
    if (descriptor >= 0 && fstat(descriptor, &mine) == 0)
      {
        if (mine.st_dev != named.st_dev || mine.st_ino != named.st_ino)
          throw_meddling_error("replaced by another file");
        if (S_ISREG(mine.st_mode) && std::uint64_t(mine.st_size) != n_bytes)
          throw_meddling_error("changed");
      }
    return n_bytes;
  }



  void
  RecordFile::throw_meddling_error(const std::string &what) const
  {
    throw UserError("The record '" + path + "' was " + what +
                    " while the run was writing it. What the last checkpoint "
                    "refers to is lost, unless you put the right file back; "
                    "otherwise begin again with --overwrite, and leave the "
                    "output folder alone.");
  }
} // namespace Tempera
