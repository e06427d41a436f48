// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/bridge/http_server.h>

#include <algorithm>
#include <chrono>
#include <httplib.h>
#include <poll.h>
#include <thread>

namespace Tempera
{
  namespace
  {
    using Clock = std::chrono::steady_clock;

    Clock::time_point
    in_seconds(const double seconds)
    {
      return Clock::now() + std::chrono::microseconds(
                              static_cast<std::int64_t>(1e6 * seconds));
    }

    bool
    is_equal_without_case(const std::string &one, const std::string &other)
    {
      return std::equal(one.begin(),
                        one.end(),
                        other.begin(),
                        other.end(),
                        [](const unsigned char a, const unsigned char b) {
                          return std::tolower(a) == std::tolower(b);
                        });
    }


    /**
     * A connection that gives a client so many bytes and seconds for a question
     * and no more, whichever way it sends them. Of the headers only those are
     * passed on that a question needs: ranges and compression are ways to make
     * much of little.
     */
    class BoundedStream : public httplib::Stream
    {
    public:
      BoundedStream(const socket_t            socket,
                    const HttpServerSettings &settings,
                    const std::size_t         longest_question,
                    const std::atomic<bool>  &stop)
        : the_socket(socket)
        , settings(settings)
        , longest_question(longest_question)
        , stop(stop)
      {}

      /** Wait for the head of the next question; false if none comes. */
      bool
      receive_head()
      {
        constexpr std::size_t longest_head = 32768;

        deadline = in_seconds(settings.seconds_idle);
        if (buffer.empty() && !receive())
          return false;
        deadline = in_seconds(settings.seconds_for_question);
        std::size_t end;
        while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
          if (buffer.size() > longest_head || !receive())
            return false;
        const std::string given = buffer.substr(0, end + 2);
        buffer.erase(0, end + 4);
        head.clear();
        place_in_head = 0;
        for (std::size_t begin = 0; begin < given.size();)
          {
            const std::size_t next = given.find("\r\n", begin) + 2;
            if (begin == 0 || is_needed(given.substr(begin, next - begin)))
              head.append(given, begin, next - begin);
            begin = next;
          }
        head += "\r\n";
        // Some more, for the lengths of chunks.
        allowance = 2 * longest_question + longest_head;
        return true;
      }

      /** Whether the head was read to its end, and was a usual one. */
      bool
      is_head_understood() const
      {
        return place_in_head == head.size() &&
               head.size() < CPPHTTPLIB_REQUEST_URI_MAX_LENGTH;
      }

      bool
      is_readable() const override
      {
        return place_in_head < head.size() || !buffer.empty() ||
               is_ready(POLLIN);
      }

      bool
      is_writable() const override
      {
        return is_ready(POLLOUT);
      }

      ssize_t
      read(char *target, const size_t size) override
      {
        if (place_in_head < head.size())
          {
            const std::size_t n = std::min(size, head.size() - place_in_head);
            std::copy_n(head.data() + place_in_head, n, target);
            place_in_head += n;
            return n;
          }
        if (used == buffer.size())
          {
            buffer.clear();
            used = 0;
            if (!receive())
              return -1;
          }
        const std::size_t n = std::min({size, buffer.size() - used, allowance});
        std::copy_n(buffer.data() + used, n, target);
        used += n;
        allowance -= n;
        return n > 0 ? static_cast<ssize_t>(n) : -1;
      }

      /**
       * Let a client that is still sending read its answer: who closes upon
       * what he has not read takes his answer back.
       */
      void
      drain()
      {
        constexpr std::size_t most    = 64 << 20;
        constexpr double      seconds = 2.;

        ::shutdown(the_socket, SHUT_WR);
        deadline            = in_seconds(seconds);
        std::size_t n_bytes = 0;
        do
          {
            n_bytes += buffer.size();
            buffer.clear();
          }
        while (n_bytes < most && receive());
      }

      /** What was read is not there any more. */
      void
      end_question()
      {
        buffer.erase(0, used);
        used = 0;
      }

      ssize_t
      write(const char *source, const size_t size) override
      {
        deadline = in_seconds(settings.seconds_for_question);
        for (std::size_t done = 0; done < size;)
          {
            if (!wait_for(POLLOUT))
              return -1;
            const ssize_t n = send(the_socket,
                                   source + done,
                                   size - done,
                                   MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n > 0)
              done += n;
            else if (errno != EAGAIN && errno != EINTR)
              return -1;
          }
        return size;
      }

      void
      get_remote_ip_and_port(std::string &ip, int &port) const override
      {
        ip   = "";
        port = 0;
      }

      void
      get_local_ip_and_port(std::string &ip, int &port) const override
      {
        ip   = "";
        port = 0;
      }

      socket_t
      socket() const override
      {
        return the_socket;
      }

    private:
      static bool
      is_needed(const std::string &line)
      {
        const std::string name = line.substr(0, line.find(':'));
        for (const char *needed : {"Host",
                                   "Connection",
                                   "Content-Length",
                                   "Transfer-Encoding",
                                   "Expect"})
          if (is_equal_without_case(name, needed))
            return true;
        return false;
      }

      bool
      is_ready(const short events) const
      {
        pollfd one = {the_socket, events, 0};
        return poll(&one, 1, 0) > 0;
      }

      /** Until the deadline, or until the server is stopped. */
      bool
      wait_for(const short events) const
      {
        while (!stop && Clock::now() < deadline)
          {
            pollfd    one   = {the_socket, events, 0};
            const int ready = poll(&one, 1, 50);
            if (ready > 0)
              return true;
            if (ready < 0 && errno != EINTR)
              return false;
          }
        return false;
      }

      /** Some bytes; false if none come. */
      bool
      receive()
      {
        char bytes[8192];
        while (wait_for(POLLIN))
          {
            const ssize_t n =
              recv(the_socket, bytes, sizeof(bytes), MSG_DONTWAIT);
            if (n > 0)
              {
                buffer.append(bytes, n);
                return true;
              }
            if (n == 0 || (errno != EAGAIN && errno != EINTR))
              return false;
          }
        return false;
      }

      const socket_t            the_socket;
      const HttpServerSettings &settings;
      const std::size_t         longest_question;
      const std::atomic<bool>  &stop;
      Clock::time_point         deadline;
      std::string               head, buffer;
      std::size_t               place_in_head = 0, used = 0, allowance = 0;
    };
  } // namespace


  class HttpServer::Implementation : public httplib::Server
  {
  public:
    Implementation(std::shared_ptr<const Protocol> the_protocol,
                   const HttpServerSettings       &settings)
      : protocol(std::move(the_protocol))
      , longest_question(protocol->longest_question())
      , settings(settings)
    {
      set_tcp_nodelay(true);
      set_payload_max_length(longest_question);
      set_keep_alive_max_count(1000000);
      new_task_queue = [&settings = this->settings]() {
        return new httplib::ThreadPool(settings.n_threads);
      };
      // Two servers must not share a port unseen.
      set_socket_options([](const socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      });
      Get(".*",
          [this](const httplib::Request &request, httplib::Response &out) {
            fill(out,
                 request.path == "/Info" ?
                   protocol->info() :
                   Protocol::error(404,
                                   "InvalidInput",
                                   "There is no such path."));
          });
      Post(".*",
           [this](const httplib::Request       &request,
                  httplib::Response            &out,
                  const httplib::ContentReader &reader) {
             std::string body;
             bool        is_too_long = false;
             const bool  is_complete =
               (!request.has_header("Content-Length") &&
                !request.has_header("Transfer-Encoding")) ||
               reader([&](const char *data, const size_t size) {
                 is_too_long = body.size() + size > longest_question;
                 if (!is_too_long)
                   body.append(data, size);
                 return !is_too_long;
               });
             is_read = is_complete;
             fill(out,
                  is_complete ? protocol->answer(request.path, body) :
                  is_too_long || out.status == 413 ?
                                Protocol::error(413,
                                                "InvalidInput",
                                                "The question is too long.") :
                                Protocol::error(400,
                                                "InvalidInput",
                                                "The body is not complete."));
           });
      set_error_handler(httplib::Server::Handler(
        [](const httplib::Request &, httplib::Response &out) {
          if (out.body.empty())
            fill(out,
                 Protocol::error(out.status,
                                 "InvalidInput",
                                 "This is no question of the protocol."));
        }));
      if (settings.port == 0)
        port = bind_to_any_port(settings.address);
      else
        port =
          bind_to_port(settings.address, settings.port) ? settings.port : -1;
      if (port <= 0)
        throw UserError("tempera serve: the port " +
                        std::to_string(settings.port) + " of the address '" +
                        settings.address +
                        "' cannot be used. Another server may have it, or the "
                        "address is none of this computer. Choose another one "
                        "with --port or --address.");
    }

    int               port;
    std::atomic<bool> is_stopped{false};

  private:
    static void
    fill(httplib::Response &out, const ProtocolAnswer &answer)
    {
      out.status = answer.status;
      out.set_content(answer.body, "application/json");
    }

    bool
    process_and_close_socket(const socket_t socket) override
    {
      BoundedStream stream(socket, settings, longest_question, is_stopped);
      bool          is_open = true;
      while (is_open && stream.receive_head())
        {
          is_read        = true;
          bool is_closed = false;
          is_open        = process_request(stream, false, is_closed, nullptr) &&
                    !is_closed && is_read && stream.is_head_understood();
          stream.end_question();
        }
      stream.drain();
      ::close(socket);
      return true;
    }

    const std::shared_ptr<const Protocol> protocol;
    const std::size_t                     longest_question;
    const HttpServerSettings              settings;
    /** Whether the question that this thread answers was read to its end. */
    static thread_local bool is_read;
  };

  thread_local bool HttpServer::Implementation::is_read = true;



  HttpServer::HttpServer(std::shared_ptr<const Protocol> protocol,
                         const HttpServerSettings       &settings)
    : implementation(
        std::make_unique<Implementation>(std::move(protocol), settings))
  {}



  HttpServer::~HttpServer() = default;



  int
  HttpServer::port() const
  {
    return implementation->port;
  }



  void
  HttpServer::run(const std::atomic<bool> &stop)
  {
    std::atomic<bool> is_over(false);
    std::thread       watcher([&]() {
      while (!stop && !is_over)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      implementation->is_stopped = true;
      implementation->stop();
    });
    implementation->listen_after_bind();
    is_over = true;
    watcher.join();
  }
} // namespace Tempera
