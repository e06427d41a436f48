// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_run_checkpoint_h
#define tempera_run_checkpoint_h

#include <tempera/run/input_files.h>

#include <map>
#include <string>
#include <vector>

namespace Tempera
{
  /** What must be the same for a run to go on bit for bit. */
  struct CheckpointIdentity
  {
    /** Version of the program. */
    std::string version;
    /** The program's library, and what of the machine its numbers depend on. */
    std::string build;
    /** The complete parameters, as a parameter file. */
    std::string parameters;
    /** What else the run reads. */
    std::vector<InputFile> files;
  };


  /** A checkpoint as a value: who has made it, and the state of the run. */
  struct Checkpoint
  {
    CheckpointIdentity identity;
    std::string        state;
  };


  /** The bytes of a checkpoint's file, with a checksum. */
  std::string
  checkpoint_to_bytes(const Checkpoint &checkpoint);

  /** The same back; an ArchiveError says why bytes are no checkpoint. */
  Checkpoint
  checkpoint_from_bytes(const std::string &bytes);


  /**
   * Write `checkpoint` in a folder so that there is a whole one at any moment:
   * under a temporary name, synchronised, renamed. The one before is kept as
   * `checkpoint.previous`.
   */
  void
  write_checkpoint(const std::string &folder, const Checkpoint &checkpoint);


  /** How strict to be when a run is resumed. */
  struct ResumeOptions
  {
    /** Take the checkpoint before the last one. */
    bool from_previous = false;
    /** Accept a checkpoint of another version, build or machine. */
    bool any_build = false;
  };

  /**
   * The state of the checkpoint in a folder. A UserError if it is missing,
   * damaged, of other parameters or files, of another version or of another
   * build; the message says what to do.
   */
  std::string
  read_checkpoint(const std::string        &folder,
                  const CheckpointIdentity &identity,
                  const ResumeOptions      &options);

  /** Whether a folder has a checkpoint of either name. */
  bool
  has_checkpoint(const std::string &folder);


  /**
   * Values of a parameter file as Parameters::effective_file() writes it, by
   * "Section/Name".
   */
  std::map<std::string, std::string>
  parameter_values(const std::string &file);

  /**
   * The first parameter in which two complete parameter files differ, in words;
   * empty if a run with the first can go on with the second. How long to run,
   * and what to write, may differ.
   */
  std::string
  difference_of_parameters(const std::string &old_file,
                           const std::string &new_file);

  /**
   * A text that is the same for runs with the same draws, apart from how many:
   * parameters and the contents of files, as far as a run cannot go on with
   * others.
   */
  std::string
  run_identity(const CheckpointIdentity &identity);
} // namespace Tempera

#endif
