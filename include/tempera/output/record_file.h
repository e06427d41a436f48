// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_record_file_h
#define tempera_output_record_file_h

#include <tempera/output/record_blocks.h>
#include <tempera/output/recorded_run.h>

#include <cstdint>
#include <future>
#include <string>
#include <vector>

namespace Tempera
{
  /** Name of the file with the record of a chain: "chain.0.record", ... */
  std::string
  record_name(const unsigned int chain);


  /**
   * The record of one chain: a file that only grows, in blocks that each carry
   * a checksum, so that whatever happens to the process, what was written
   * before can be read. Everything else that a run leaves behind is made from
   * the records. RecordedRun reads them.
   *
   * A block is: the four letters "TMPR", its kind, the length of what follows
   * and a checksum (CRC-32 of kind, length and content), each 32 bits; then the
   * content. Numbers are written as the machine has them, which is
   * little-endian wherever this program runs. The first block is the
   * description of the run (JSON).
   */
  class RecordFile
  {
  public:
    /** Begin a record. */
    RecordFile(const std::string &path, const RunDescription &description);

    /** Go on with a record, of which the first @p length bytes are kept. */
    RecordFile(const std::string    &path,
               const RunDescription &description,
               const std::uint64_t   length);

    ~RecordFile();

    RecordFile(const RecordFile &) = delete;
    RecordFile &
    operator=(const RecordFile &) = delete;

    void
    append(const RecordedDraw &draw);

    void
    append(const RecordedLevelDraw &draw);

    void
    append(const KnownPotential &potential);

    void
    append(const RunReport &report);

    /** A description that replaces the one at the beginning. */
    void
    append(const RunDescription &description);

    void
    append(const RecordedPrediction &prediction);

    /**
     * Begin to give what is buffered to the system, beside the run. What fails
     * is thrown by the next call that writes.
     */
    void
    begin_flush();

    /** Give what is buffered to the system. */
    void
    flush();

    /**
     * Flush, and wait until it is on the disk. Returns the length. A UserError
     * if the file of this name is no longer the one that was written.
     */
    std::uint64_t
    sync();

  private:
    /** Throw a UserError if the file is not open, or open elsewhere. */
    void
    take_possession();

    /** The UserError of a file that somebody else has done something to. */
    [[noreturn]] void
    throw_meddling_error(const std::string &what) const;

    /**
     * Room for so many bytes at the end of a block of a kind, which is open or
     * is begun.
     */
    char *
    extend_block(const BlockKind kind, const std::size_t n_bytes);

    /** End the open block, or write, if there is much. */
    void
    end_line();

    /** Begin a block; what is added to the blocks then is its content. */
    void
    begin_block(const BlockKind kind);

    /** Tell the open block, if there is one, its length. */
    void
    end_block();

    void
    append_block(const BlockKind kind, const std::string &content);

    /** Wait until what was begun is written. */
    void
    finish_flush();

    /** Give the blocks their checksums and write them. */
    void
    write_blocks(std::string &bytes);

    const std::string path;
    const DrawLayout  layout;
    int               descriptor = -1;
    /** Blocks that wait, and those that are being written. */
    std::string blocks, written;
    /** Where the block begins to which more is added. */
    std::size_t open_block = no_block;
    BlockKind   open_kind  = BlockKind::draws;
    /** Length of what is safely in the file. */
    std::uint64_t n_bytes = 0;
    /** The last member: it uses the others. */
    std::future<void> flushing;

    static constexpr std::size_t no_block = -1;
  };
} // namespace Tempera

#endif
