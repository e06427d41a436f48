// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_bridge_server_pool_h
#define tempera_bridge_server_pool_h

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** What a server has answered. */
  struct ServerAnswer
  {
    /** Of HTTP: 200 if all is well. */
    int         status = 0;
    std::string body;
    /** Who has answered. */
    std::string server;
  };


  /**
   * Servers that answer the same questions, each one at a time. A question goes
   * to one that is free. A server that does not answer any more is dropped, and
   * its question goes to another one. Threads may ask at once.
   */
  class ServerPool
  {
  public:
    /**
     * @param parameter That names the servers, for messages.
     * @param addresses As http://host:port; one that is named twice gets two
     * questions at a time.
     * @param time_limit Of an answer, in seconds; 0 for none.
     * @param first The server that is asked first, for processes that share
     * the pool.
     */
    ServerPool(const std::string              &parameter,
               const std::vector<std::string> &addresses,
               const double                    time_limit,
               const unsigned int              first);

    ~ServerPool();

    /** Number of servers, with those that are dropped. */
    unsigned int
    size() const;

    /**
     * Post @p body, or get the @p path if there is none.
     *
     * @return A UserError is thrown if no server is left.
     */
    ServerAnswer
    ask(const std::string &path, const std::string &body) const;

    /**
     * The same of every server that answers, in their order; those that do not
     * are dropped.
     */
    std::vector<ServerAnswer>
    ask_all(const std::string &path, const std::string &body) const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation;
  };
} // namespace Tempera

#endif
