// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_bridge_protocol_h
#define tempera_bridge_protocol_h

#include <tempera/bridge/served_model.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace Tempera
{
  /** An answer as HTTP sees it. */
  struct ProtocolAnswer
  {
    int         status = 200;
    std::string body;
  };


  /**
   * The server's side of UM-Bridge 1.0, without sockets: a question in, an
   * answer out, whatever the question is. See doc/bridge.md.
   */
  class Protocol
  {
  public:
    explicit Protocol(std::vector<std::shared_ptr<ServedModel>> models);

    /** @param path Of the question, for instance /Evaluate. */
    ProtocolAnswer
    answer(const std::string &path, const std::string &body) const;

    /** The answer to GET /Info. */
    ProtocolAnswer
    info() const;

    /** Bytes beyond which no question makes sense. */
    std::size_t
    longest_question() const;

    /** An answer that says what is wrong. */
    static ProtocolAnswer
    error(const int          status,
          const std::string &type,
          const std::string &message);

  private:
    const std::vector<std::shared_ptr<ServedModel>> models;
  };
} // namespace Tempera

#endif
