// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_folder_lock_h
#define tempera_output_folder_lock_h

#include <string>

namespace Tempera
{
  /**
   * A folder in which one process alone may run: a file in it is locked until
   * this object or the process is gone, however it ends. Readers need no lock.
   */
  class FolderLock
  {
  public:
    /**
     * Create the folder, if it is not there, and take it. A UserError that
     * names the other process if it is taken.
     */
    explicit FolderLock(const std::string &folder);

    FolderLock(FolderLock &&other) noexcept;

    ~FolderLock();

    /** False where the file system knows no locks. */
    bool
    is_held() const
    {
      return is_locked;
    }

  private:
    std::string path;
    int         descriptor = -1;
    bool        is_locked  = false;
  };


  /** Whether a run goes on in a folder, on a file system that knows locks. */
  bool
  is_folder_in_use(const std::string &folder);
} // namespace Tempera

#endif
