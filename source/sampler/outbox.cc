// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/outbox.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace Tempera
{
  namespace
  {
    enum class Kind : std::uint32_t
    {
      swap,
      level_draw,
      draw,
      potential
    };

    template <typename Number>
    void
    append(std::string &bytes, const Number &number)
    {
      bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
    }

    void
    append(std::string &bytes, const dealii::ArrayView<const double> &numbers)
    {
      append(bytes, std::uint64_t(numbers.size()));
      if (numbers.size() > 0)
        bytes.append(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(double));
    }


    /** Reads bytes that append() has written. */
    class Reader
    {
    public:
      explicit Reader(const std::string &bytes, const std::size_t place = 0)
        : bytes(bytes)
        , place(place)
      {}

      template <typename Number>
      Number
      take()
      {
        Number result;
        std::memcpy(&result, bytes.data() + place, sizeof(result));
        place += sizeof(result);
        return result;
      }

      std::vector<double>
      take_array()
      {
        std::vector<double> result(take<std::uint64_t>());
        if (!result.empty())
          std::memcpy(result.data(),
                      bytes.data() + place,
                      result.size() * sizeof(double));
        place += result.size() * sizeof(double);
        return result;
      }

      const std::string &bytes;
      std::size_t        place;
    };


    /** Where an event is among all. */
    struct Event
    {
      std::uint64_t      time;
      unsigned int       chain;
      Kind               kind;
      unsigned int       index;
      const std::string *box;
      std::size_t        place;

      bool
      operator<(const Event &other) const
      {
        if (std::tie(time, chain, kind) !=
            std::tie(other.time, other.chain, other.kind))
          return std::tie(time, chain, kind) <
                 std::tie(other.time, other.chain, other.kind);
        // States are swapped from the hot end on, and drawn from the cold one.
        return kind == Kind::swap ? index > other.index : index < other.index;
      }
    };

    /** What every event begins with; the length is of what follows. */
    void
    append_head(std::string        &bytes,
                const std::uint64_t time,
                const Kind          kind,
                const unsigned int  index,
                const std::string  &body)
    {
      append(bytes, time);
      append(bytes, kind);
      append(bytes, std::uint32_t(index));
      append(bytes, std::uint64_t(body.size()));
      bytes += body;
    }

    void
    tell_draw(const Event &event, const Signals &signals)
    {
      Reader reader(*event.box, event.place);
      Draw   draw;
      draw.rung              = event.index;
      draw.round             = reader.take<std::uint64_t>();
      draw.replica           = reader.take<std::uint32_t>();
      draw.is_burn_in        = reader.take<std::uint32_t>() != 0;
      draw.non_finite        = reader.take<std::uint32_t>();
      draw.reference         = reader.take<double>();
      draw.potential         = reader.take<double>();
      draw.step_size         = reader.take<double>();
      draw.acceptance        = reader.take<double>();
      const auto position    = reader.take_array();
      const auto predictions = reader.take_array();
      draw.position          = dealii::make_array_view(position);
      draw.predictions       = dealii::make_array_view(predictions);
      signals.draw(draw);
    }

    void
    tell_level_draw(const Event &event, const Signals &signals)
    {
      Reader    reader(*event.box, event.place);
      LevelDraw draw;
      draw.rung           = event.index;
      draw.own_round      = reader.take<std::uint64_t>();
      draw.energy         = reader.take<double>();
      draw.finer_energy   = reader.take<double>();
      const auto position = reader.take_array();
      draw.position       = dealii::make_array_view(position);
      signals.level_draw(draw);
    }

    void
    tell_potential(const Event &event, const Signals &signals)
    {
      Reader     reader(*event.box, event.place);
      const auto level = reader.take<std::uint32_t>();
      signals.potential({event.index, level, reader.take<double>()});
    }

    void
    tell_swap(const Event &event, const Signals &signals)
    {
      Reader      reader(*event.box, event.place);
      SwapAttempt attempt;
      attempt.pair       = event.index;
      attempt.round      = reader.take<std::uint64_t>();
      attempt.is_burn_in = reader.take<std::uint32_t>() != 0;
      attempt.accepted   = reader.take<std::uint32_t>() != 0;
      attempt.log_ratio  = reader.take<double>();
      signals.swap_attempted(attempt);
    }
  } // namespace



  void
  Outbox::add(const std::uint64_t time, const Draw &draw)
  {
    std::string body;
    append(body, draw.round);
    append(body, std::uint32_t(draw.replica));
    append(body, std::uint32_t(draw.is_burn_in));
    append(body, std::uint32_t(draw.non_finite));
    append(body, draw.reference);
    append(body, draw.potential);
    append(body, draw.step_size);
    append(body, draw.acceptance);
    append(body, draw.position);
    append(body, draw.predictions);
    append_head(bytes, time, Kind::draw, draw.rung, body);
  }



  void
  Outbox::add(const std::uint64_t time, const LevelDraw &draw)
  {
    std::string body;
    append(body, draw.own_round);
    append(body, draw.energy);
    append(body, draw.finer_energy);
    append(body, draw.position);
    append_head(bytes, time, Kind::level_draw, draw.rung, body);
  }



  void
  Outbox::add(const std::uint64_t time, const KnownPotential &potential)
  {
    std::string body;
    append(body, std::uint32_t(potential.level));
    append(body, potential.potential);
    append_head(bytes, time, Kind::potential, potential.rung, body);
  }



  void
  Outbox::add(const std::uint64_t time, const SwapAttempt &attempt)
  {
    std::string body;
    append(body, attempt.round);
    append(body, std::uint32_t(attempt.is_burn_in));
    append(body, std::uint32_t(attempt.accepted));
    append(body, attempt.log_ratio);
    append_head(bytes, time, Kind::swap, attempt.pair, body);
  }



  std::string
  Outbox::take()
  {
    std::string result;
    result.swap(bytes);
    return result;
  }



  void
  tell(const std::vector<std::vector<std::string>> &boxes,
       const std::vector<Signals *>                &signals)
  {
    std::vector<Event> events;
    for (unsigned int chain = 0; chain < boxes.size(); ++chain)
      for (const std::string &box : boxes[chain])
        for (Reader reader(box); reader.place < box.size();)
          {
            Event event;
            event.time        = reader.take<std::uint64_t>();
            event.chain       = chain;
            event.kind        = reader.take<Kind>();
            event.index       = reader.take<std::uint32_t>();
            const auto length = reader.take<std::uint64_t>();
            event.box         = &box;
            event.place       = reader.place;
            reader.place += length;
            events.push_back(event);
          }
    // Those of one rung stay in their order.
    std::stable_sort(events.begin(), events.end());
    for (const Event &event : events)
      if (event.kind == Kind::draw)
        tell_draw(event, *signals[event.chain]);
      else if (event.kind == Kind::level_draw)
        tell_level_draw(event, *signals[event.chain]);
      else if (event.kind == Kind::potential)
        tell_potential(event, *signals[event.chain]);
      else
        tell_swap(event, *signals[event.chain]);
  }
} // namespace Tempera
