// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_bridge_http_server_h
#define tempera_bridge_http_server_h

#include <tempera/bridge/protocol.h>

#include <atomic>
#include <memory>
#include <string>

namespace Tempera
{
  /** Who may ask, and how much. */
  struct HttpServerSettings
  {
    std::string address = "127.0.0.1";
    /** 0 for any that is free. */
    int port = 4242;
    /** Seconds within which a question must have arrived. */
    double seconds_for_question = 10.;
    /** Seconds after which a connection without questions is closed. */
    double seconds_idle = 10.;
    /** As many connections are open at once; others wait. */
    unsigned int n_threads = 64;
  };


  /**
   * Answers questions of other programs over HTTP. Time and memory that a
   * client can take are bounded; what it sends is answered or hung up on.
   */
  class HttpServer
  {
  public:
    /** Takes the port; a UserError if it is taken. */
    HttpServer(std::shared_ptr<const Protocol> protocol,
               const HttpServerSettings       &settings);

    ~HttpServer();

    int
    port() const;

    /** Answer until @p stop is true. */
    void
    run(const std::atomic<bool> &stop);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation;
  };
} // namespace Tempera

#endif
