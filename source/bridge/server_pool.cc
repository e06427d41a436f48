// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/bridge/server_pool.h>

#include <condition_variable>
#include <httplib.h>
#include <mutex>
#include <regex>

namespace Tempera
{
  namespace
  {
    /** One server, with a connection that is kept. */
    struct Server
    {
      Server(const std::string &address,
             const std::string &host,
             const std::string &folder,
             const double       time_limit)
        : address(address)
        , folder(folder)
        , client(host)
      {
        // The library waits with poll(), whose milliseconds are an int.
        constexpr double longest = 24. * 86400.;
        const double     seconds =
          time_limit > 0. ? std::min(time_limit, longest) : longest;
        const auto whole = static_cast<time_t>(seconds);
        client.set_read_timeout(whole,
                                static_cast<time_t>((seconds - whole) * 1e6));
        client.set_connection_timeout(10);
        client.set_keep_alive(true);
        client.set_tcp_nodelay(true);
        // A computer that has vanished says no goodbye: ask whether it is
        // there.
        client.set_socket_options([](const socket_t socket) {
          const int yes = 1, seconds_until = 60, seconds_between = 20, n = 6;
          setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
          setsockopt(socket,
                     IPPROTO_TCP,
                     TCP_KEEPIDLE,
                     &seconds_until,
                     sizeof(seconds_until));
          setsockopt(socket,
                     IPPROTO_TCP,
                     TCP_KEEPINTVL,
                     &seconds_between,
                     sizeof(seconds_between));
          setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &n, sizeof(n));
        });
      }

      /** Whether it has answered; otherwise why_not says why not. */
      bool
      ask(const std::string &path,
          const std::string &body,
          ServerAnswer      &answer)
      {
        const auto begin  = std::chrono::steady_clock::now();
        const auto result = once(path, body);
        if (result)
          {
            answer = {result->status, result->body, address};
            // What stands before a server says that the server is gone.
            if (result->status < 502 || result->status > 504)
              return true;
            why_not = "status " + std::to_string(result->status);
            return false;
          }
        const double seconds = std::chrono::duration<double>(
                                 std::chrono::steady_clock::now() - begin)
                                 .count();
        switch (result.error())
          {
            case httplib::Error::Connection:
            case httplib::Error::ConnectionTimeout:
              why_not = "no connection";
              break;
            case httplib::Error::Read:
              why_not = "no answer after " + to_text(seconds, 2) + " s";
              break;
            default:
              why_not = httplib::to_string(result.error());
          }
        return false;
      }

      const std::string address, folder;
      httplib::Client   client;
      bool              is_busy = false, is_dropped = false;
      std::string       why_not;

    private:
      httplib::Result
      once(const std::string &path, const std::string &body)
      {
        return body.empty() ?
                 client.Get(folder + path) :
                 client.Post(folder + path, body, "application/json");
      }
    };
  } // namespace


  struct ServerPool::Implementation
  {
    std::string                          parameter;
    double                               time_limit;
    unsigned int                         first;
    std::vector<std::unique_ptr<Server>> servers;
    std::mutex                           mutex;
    std::condition_variable              is_free;

    /**
     * Ask a server that nobody else asks. A connection that was kept may have
     * been closed at the other end: the second time it is a new one.
     */
    bool
    ask(Server            &server,
        const std::string &path,
        const std::string &body,
        ServerAnswer      &answer) const
    {
      const auto begin = std::chrono::steady_clock::now();
      if (server.ask(path, body, answer))
        return true;
      server.client.stop();
      const std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
      if (answer.status != 0 ||
          (time_limit > 0. && passed.count() > time_limit))
        return false;
      return server.ask(path, body, answer);
    }

    /** Throw: nobody answers. */
    void
    give_up() const
    {
      std::vector<std::string> words;
      for (const auto &server : servers)
        words.push_back(server->address + " (" + server->why_not + ")");
      throw UserError("No server of '" + parameter +
                      "' answers: " + join(words, ", ") +
                      ". Start them, or correct the parameter" +
                      (time_limit > 0. ? ", or raise the time limit." : "."));
    }
  };



  ServerPool::ServerPool(const std::string              &parameter,
                         const std::vector<std::string> &addresses,
                         const double                    time_limit,
                         const unsigned int              first)
    : implementation(std::make_unique<Implementation>())
  {
    if (addresses.empty())
      throw UserError("The parameter '" + parameter +
                      "' names no server. Write its address, for instance "
                      "http://127.0.0.1:4242.");
    for (const std::string &address : addresses)
      {
        static const std::regex form("(https?://[^/?#]+)(/[^?#]*)?");
        std::smatch             parts;
        if (!std::regex_match(address, parts, form))
          throw UserError("The parameter '" + parameter + "' names '" +
                          address +
                          "', which is no address of a server. Write for "
                          "instance http://127.0.0.1:4242.");
        std::string folder = parts[2];
        while (!folder.empty() && folder.back() == '/')
          folder.pop_back();
        implementation->servers.push_back(
          std::make_unique<Server>(address, parts[1], folder, time_limit));
        if (!implementation->servers.back()->client.is_valid())
          throw UserError("The parameter '" + parameter + "' names '" +
                          address + "', which is no valid address.");
      }
    implementation->parameter  = parameter;
    implementation->time_limit = time_limit;
    implementation->first      = first;
  }



  ServerPool::~ServerPool() = default;



  unsigned int
  ServerPool::size() const
  {
    return implementation->servers.size();
  }



  ServerAnswer
  ServerPool::ask(const std::string &path, const std::string &body) const
  {
    auto                        &servers = implementation->servers;
    std::unique_lock<std::mutex> lock(implementation->mutex);
    bool                         is_last_time = false;
    for (;;)
      {
        Server *chosen      = nullptr;
        bool    any_is_left = false;
        for (std::size_t i = 0; i < servers.size() && chosen == nullptr; ++i)
          {
            Server &one =
              *servers[(implementation->first + i) % servers.size()];
            any_is_left = any_is_left || !one.is_dropped;
            if (!one.is_dropped && !one.is_busy)
              chosen = &one;
          }
        if (!any_is_left)
          {
            // Somebody may have started them again.
            if (is_last_time)
              implementation->give_up();
            is_last_time = true;
            for (const auto &server : servers)
              server->is_dropped = false;
            continue;
          }
        if (chosen == nullptr)
          {
            implementation->is_free.wait(lock);
            continue;
          }

        chosen->is_busy = true;
        lock.unlock();
        ServerAnswer answer;
        const bool   is_answered =
          implementation->ask(*chosen, path, body, answer);
        lock.lock();
        chosen->is_busy    = false;
        chosen->is_dropped = !is_answered;
        implementation->is_free.notify_all();
        if (is_answered)
          return answer;
      }
  }



  std::vector<ServerAnswer>
  ServerPool::ask_all(const std::string &path, const std::string &body) const
  {
    const std::lock_guard<std::mutex>      lock(implementation->mutex);
    std::vector<std::future<ServerAnswer>> asked;
    for (const auto &server : implementation->servers)
      if (!server->is_dropped)
        asked.push_back(std::async(beside(), [&]() {
          ServerAnswer answer;
          server->is_dropped =
            !implementation->ask(*server, path, body, answer);
          return server->is_dropped ? ServerAnswer() : answer;
        }));
    std::vector<ServerAnswer> answers;
    for (std::future<ServerAnswer> &one : asked)
      {
        const ServerAnswer answer = one.get();
        if (answer.status != 0)
          answers.push_back(answer);
      }
    if (answers.empty())
      implementation->give_up();
    return answers;
  }
} // namespace Tempera
