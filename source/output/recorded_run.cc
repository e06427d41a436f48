// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/archive_signature.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/record.h>
#include <tempera/output/record_blocks.h>
#include <tempera/output/record_file.h>
#include <tempera/output/recorded_run.h>

#include <boost/archive/archive_exception.hpp>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace Tempera
{
  namespace
  {
    /** Takes numbers from bytes, one after the other. */
    class Bytes
    {
    public:
      explicit Bytes(const char *place)
        : place(place)
      {}

      template <typename Number>
      Number
      take()
      {
        Number number;
        std::memcpy(&number, place, sizeof(number));
        place += sizeof(number);
        return number;
      }

      const char *place;
    };


    /** Walks through the sound blocks of a record. */
    class BlockReader
    {
    public:
      /**
       * @param whole What is in the file, if that is known.
       * @param is_checked Whether the checksums of this were compared before;
       * those of a file are always.
       */
      BlockReader(const std::string &path,
                  const std::string &whole,
                  const bool         is_checked)
        : whole(whole)
        , compares_checksums(whole.empty() || !is_checked)
      {
        if (whole.empty())
          file.open(path, std::ios::binary);
      }

      /** Read the next block; false at the end of what is sound. */
      bool
      next()
      {
        BlockHead head;
        return read(head) && read_content(head);
      }

      /** The next block of a kind that begins before @p end, if any. */
      bool
      next(const BlockKind wanted, const std::uint64_t end)
      {
        BlockHead head;
        while (n_bytes < end && read(head))
          {
            if (BlockKind(head.kind) == wanted)
              return read_content(head);
            if (whole.empty() && !file.seekg(head.length, std::ios::cur))
              return false;
            n_bytes += sizeof(head) + head.length;
          }
        return false;
      }

      BlockKind kind = BlockKind::description;
      /** Of the last block; it begins at a multiple of eight bytes. */
      std::string_view content;
      /** Length of what was sound so far. */
      std::uint64_t n_bytes = 0;

    private:
      bool
      read(BlockHead &head)
      {
        if (whole.empty())
          file.read(reinterpret_cast<char *>(&head), sizeof(head));
        else if (n_bytes + sizeof(head) <= whole.size())
          std::memcpy(&head, whole.data() + n_bytes, sizeof(head));
        else
          return false;
        return file && head.letters == BlockHead::right_letters &&
               head.length <= BlockHead::most_bytes;
      }

      bool
      read_content(const BlockHead &head)
      {
        const std::uint64_t place = n_bytes + sizeof(head);
        if (whole.empty())
          {
            buffer.resize(head.length);
            if (!file.read(buffer.data(), buffer.size()))
              return false;
            content = buffer;
          }
        else if (place + head.length <= whole.size())
          content = std::string_view(whole).substr(place, head.length);
        else
          return false;
        if (compares_checksums &&
            block_checksum(head.kind, content.data(), head.length) !=
              head.checksum)
          return false;
        // Old records have blocks at any place.
        if (reinterpret_cast<std::uintptr_t>(content.data()) % 8 != 0)
          {
            buffer.assign(content.data(), content.size());
            content = buffer;
          }
        kind    = BlockKind(head.kind);
        n_bytes = place + head.length;
        return true;
      }

      const std::string &whole;
      const bool         compares_checksums;
      std::ifstream      file;
      std::string        buffer;
    };


    RunReport
    report_from_bytes(const std::string &bytes)
    {
      check_signature(bytes);
      std::istringstream              stream(bytes);
      boost::archive::binary_iarchive archive(stream);
      RunReport                       report;
      archive                        &report;
      return report;
    }


    /**
     * Reads a file into memory, unless it is too large for that beside what is
     * there. Returns its length, or 0.
     */
    std::uint64_t
    read_if_small(const std::string  &path,
                  const std::uint64_t n_kept,
                  std::string        &whole)
    {
      std::error_code     error;
      const std::uint64_t n_bytes = std::filesystem::file_size(path, error);
      if (error || n_kept + n_bytes > RecordedRun::most_bytes_kept)
        return 0;
      whole.resize(n_bytes);
      std::ifstream file(path, std::ios::binary);
      file.read(whole.data(), whole.size());
      // A run that is begun again meanwhile has cut its file.
      whole.resize(file.gcount());
      return whole.size();
    }


    /**
     * The description of a chain, made from that of the first: so are they, in
     * nearly all records, and comparing them is cheaper than reading them.
     */
    std::string
    with_chain(const std::string &first, const unsigned int chain)
    {
      const std::string begin = "\"chain\": \"", old = begin + "0\"";
      const auto        place = first.find(old);
      if (place == std::string::npos)
        return "";
      std::string text = first;
      text.replace(place, old.size(), begin + std::to_string(chain) + "\"");
      text.resize(text.find_last_not_of(' ') + 1);
      text.resize((text.size() + 7) / 8 * 8, ' ');
      return text;
    }


    /** Why a chain is not one of a run, by its description; empty if it is. */
    std::string
    difference_to(const RunDescription &run,
                  const std::string    &description,
                  const unsigned int    chain)
    {
      try
        {
          const RunDescription one = description_from_json(description);
          // Records of older versions know neither.
          if (one.identity != run.identity || one.seed != run.seed)
            return "it is the record of another run";
          if (!one.identity.empty() && one.chain != chain)
            return "it is the record of chain " + std::to_string(one.chain);
        }
      catch (const UserError &error)
        {
          return error.what();
        }
      return "";
    }


    /** Whether a report fits to the run. */
    bool
    fits(const RunReport &report, const RunDescription &run)
    {
      return report.rungs.size() == run.kernels.size() &&
             report.pairs.size() + 1 == run.kernels.size() &&
             report.evaluations.size() == run.levels.size() &&
             std::all_of(report.rungs.begin(),
                         report.rungs.end(),
                         [&](const RungReport &rung) {
                           return rung.level < run.levels.size();
                         });
    }
  } // namespace



  std::string
  report_to_bytes(const RunReport &report)
  {
    std::ostringstream stream;
    {
      boost::archive::binary_oarchive archive(stream);
      archive                        &report;
    }
    return stream.str();
  }



  RecordedRun::RecordedRun(const std::string &folder)
    : folder(folder)
  {
    namespace fs = std::filesystem;

    std::uint64_t n_kept = 0;
    // The description of the first chain, as it stands in its record.
    std::string first;
    for (unsigned int chain = 0; chain == 0 || chain < run.n_chains; ++chain)
      {
        const std::string path =
          (fs::path(folder) / record_name(chain)).string();
        std::error_code error;
        if (!fs::exists(path, error))
          {
            if (chain == 0)
              throw UserError("There is no record of a run in '" + folder +
                              "': the file '" + record_name(0) +
                              "' is missing. Give the folder that 'tempera "
                              "run' named as the place of its results.");
            damages.push_back("the record of chain " + std::to_string(chain) +
                              ", '" + path + "', is missing");
            continue;
          }

        Chain result;
        result.number = chain;
        result.path   = path;
        n_kept += read_if_small(path, n_kept, result.whole);
        BlockReader reader(path, result.whole, false);
        if (!reader.next() || reader.kind != BlockKind::description)
          {
            const std::string what =
              "'" + path + "' does not begin with the description of a run";
            if (chain == 0)
              throw UserError(what + ". It is damaged, or no record.");
            damages.push_back(what);
            continue;
          }
        const std::string text(reader.content);
        if (chain == 0)
          {
            run   = description_from_json(text);
            first = text;
          }
        else if (text != with_chain(first, chain))
          {
            const std::string difference = difference_to(run, text, chain);
            if (!difference.empty())
              {
                damages.push_back("'" + path + "' is left out: " + difference);
                continue;
              }
          }

        result.n_bytes       = reader.n_bytes;
        std::string      why = "a block is cut off, or its checksum is wrong";
        const DrawLayout layout(run);
        while (reader.next())
          {
            const std::size_t size = reader.content.size();
            if (reader.kind == BlockKind::draws)
              {
                if (size == 0 || size % layout.line() != 0)
                  {
                    why = "a block of draws has a wrong length";
                    break;
                  }
                std::uint64_t n_burn_in    = 0;
                bool          has_replicas = true;
                for (std::size_t i = 0; i < size; i += layout.line())
                  {
                    const char *line = reader.content.data() + i;
                    n_burn_in += Bytes(line + sizeof(std::uint64_t))
                                   .take<std::uint64_t>() != 0;
                    for (unsigned int rung = 0; rung < layout.n_rungs; ++rung)
                      has_replicas =
                        has_replicas &&
                        Bytes(line + layout.replica(rung))
                            .take<std::uint32_t>() < run.kernels.size();
                  }
                if (!has_replicas)
                  {
                    why = "a draw is of a replica that does not exist";
                    break;
                  }
                result.n_burn_in += n_burn_in;
                result.n_draws += size / layout.line() - n_burn_in;
              }
            else if (reader.kind == BlockKind::report)
              {
                try
                  {
                    result.reports.push_back(
                      report_from_bytes(std::string(reader.content)));
                  }
                catch (const std::exception &)
                  {
                    why = "a report cannot be read";
                    break;
                  }
                if (!fits(result.reports.back(), run))
                  {
                    result.reports.pop_back();
                    why = "a report is of another run";
                    break;
                  }
                result.reports.back().level_names = run.levels;
              }
            else if (reader.kind == BlockKind::description)
              {
                // A run that was resumed may have been extended.
                RunDescription later;
                try
                  {
                    later = description_from_json(std::string(reader.content));
                  }
                catch (const UserError &)
                  {
                    why = "a later description cannot be read";
                    break;
                  }
                if (later.identity != run.identity ||
                    later.columns() != run.columns() ||
                    later.kernels.size() != run.kernels.size() ||
                    later.levels.size() != run.levels.size() ||
                    later.n_recorded_rungs != run.n_recorded_rungs ||
                    later.n_chains != run.n_chains)
                  {
                    why = "a later description is of another run";
                    break;
                  }
                if (chain == 0)
                  run = std::move(later);
              }
            else if (reader.kind == BlockKind::level_draws ?
                       size % layout.level_line() != 0 :
                     reader.kind == BlockKind::potentials ?
                       size % DrawLayout::potential != 0 :
                       reader.kind != BlockKind::prediction ||
                         size < 2 * sizeof(std::uint64_t) ||
                         size % sizeof(double) != 0)
              {
                why = "a block is of an unknown kind or length";
                break;
              }
            result.n_bytes = reader.n_bytes;
          }
        const std::uint64_t n_bytes = result.whole.empty() ?
                                        fs::file_size(path, error) :
                                        result.whole.size();
        if (!error && n_bytes > result.n_bytes)
          damages.push_back("the last " +
                            std::to_string(n_bytes - result.n_bytes) +
                            " bytes of '" + path + "' are left out: " + why);
        chains.push_back(std::move(result));
      }
  }



  std::uint64_t
  RecordedRun::n_common_draws() const
  {
    std::uint64_t result = std::numeric_limits<std::uint64_t>::max();
    for (const Chain &chain : chains)
      result = std::min(result, chain.n_draws);
    return result;
  }



  void
  RecordedRun::for_each_draw(
    const unsigned int                               chain,
    const std::function<void(const RecordedDraw &)> &visit) const
  {
    const DrawLayout layout(run);
    RecordedDraw     draw;
    draw.swaps.resize(layout.n_pairs);
    draw.rungs.resize(layout.n_rungs);

    const std::uint64_t n_bytes = chains[chain].n_bytes;
    BlockReader         reader(chains[chain].path, chains[chain].whole, true);
    while (reader.next(BlockKind::draws, n_bytes))
      // A file that is begun again meanwhile may have other blocks.
      for (std::size_t i = 0; i + layout.line() <= reader.content.size();
           i += layout.line())
        {
          Bytes bytes(reader.content.data() + i);
          draw.round       = bytes.take<std::uint64_t>();
          draw.is_burn_in  = bytes.take<std::uint64_t>() != 0;
          draw.round_trips = bytes.take<std::uint64_t>();
          for (RecordedSwaps &pair : draw.swaps)
            {
              pair.attempts = bytes.take<std::uint32_t>();
              pair.accepted = bytes.take<std::uint32_t>();
            }
          for (RecordedRung &rung : draw.rungs)
            {
              rung.reference  = bytes.take<double>();
              rung.potential  = bytes.take<double>();
              rung.step_size  = bytes.take<double>();
              rung.acceptance = bytes.take<double>();
              rung.non_finite = bytes.take<std::uint32_t>();
              rung.replica    = bytes.take<std::uint32_t>();
              // All parts of a line, and so all places, are multiples of
              // eight bytes.
              rung.values = reinterpret_cast<const double *>(bytes.place);
              bytes.place += layout.n_columns * sizeof(double);
            }
          visit(draw);
        }
    if (reader.n_bytes != n_bytes)
      throw_change(chain);
  }



  void
  RecordedRun::for_each_level_draw(
    const unsigned int                                    chain,
    const std::function<void(const RecordedLevelDraw &)> &visit) const
  {
    const DrawLayout    layout(run);
    RecordedLevelDraw   draw;
    const std::uint64_t n_bytes = chains[chain].n_bytes;
    BlockReader         reader(chains[chain].path, chains[chain].whole, true);
    while (reader.next(BlockKind::level_draws, n_bytes))
      for (std::size_t i = 0; i + layout.level_line() <= reader.content.size();
           i += layout.level_line())
        {
          Bytes bytes(reader.content.data() + i);
          draw.rung         = bytes.take<std::uint64_t>();
          draw.own_round    = bytes.take<std::uint64_t>();
          draw.energy       = bytes.take<double>();
          draw.finer_energy = bytes.take<double>();
          draw.values       = reinterpret_cast<const double *>(bytes.place);
          // What was damaged on purpose must not reach beyond a list.
          if (draw.rung >= 1 && draw.rung <= run.n_level_rungs &&
              draw.own_round >= 1)
            visit(draw);
        }
    if (reader.n_bytes != n_bytes)
      throw_change(chain);
  }



  void
  RecordedRun::for_each_potential(
    const unsigned int                                 chain,
    const std::function<void(const KnownPotential &)> &visit) const
  {
    const std::uint64_t n_bytes = chains[chain].n_bytes;
    BlockReader         reader(chains[chain].path, chains[chain].whole, true);
    while (reader.next(BlockKind::potentials, n_bytes))
      for (std::size_t i = 0;
           i + DrawLayout::potential <= reader.content.size();
           i += DrawLayout::potential)
        {
          Bytes          bytes(reader.content.data() + i);
          KnownPotential one;
          one.rung      = bytes.take<std::uint32_t>();
          one.level     = bytes.take<std::uint32_t>();
          one.potential = bytes.take<double>();
          // What was damaged on purpose must not reach beyond a list.
          if (one.rung < run.kernels.size() && one.level < run.levels.size())
            visit(one);
        }
    if (reader.n_bytes != n_bytes)
      throw_change(chain);
  }



  std::vector<RecordedPrediction>
  RecordedRun::predictions(const unsigned int chain) const
  {
    // While the chain grows, fewer and fewer draws are predicted: take those
    // that are evenly spaced.
    std::uint64_t stride = 1;
    while ((chains[chain].n_draws + stride - 1) / stride >=
           Record::most_predictions)
      stride *= 2;
    std::vector<RecordedPrediction> result;
    const std::uint64_t             n_bytes = chains[chain].n_bytes;
    BlockReader reader(chains[chain].path, chains[chain].whole, true);
    while (reader.next(BlockKind::prediction, n_bytes))
      if (reader.content.size() >= 2 * sizeof(std::uint64_t))
        {
          Bytes              bytes(reader.content.data());
          RecordedPrediction one;
          one.round = bytes.take<std::uint64_t>();
          one.draw  = bytes.take<std::uint64_t>();
          one.values.resize(
            (reader.content.size() - 2 * sizeof(std::uint64_t)) /
            sizeof(double));
          for (double &value : one.values)
            value = bytes.take<double>();
          if (run.n_curve > 0 && one.values.size() > run.n_curve)
            {
              one.measured.assign(one.values.begin() + run.n_curve,
                                  one.values.end());
              one.values.resize(run.n_curve);
            }
          if (one.draw % stride == 0 && one.draw < chains[chain].n_draws &&
              (result.empty() || one.values.size() == result[0].values.size()))
            result.push_back(std::move(one));
        }
    if (reader.n_bytes != n_bytes)
      throw_change(chain);
    return result;
  }



  void
  RecordedRun::throw_change(const unsigned int chain) const
  {
    throw UserError("The record '" + chains[chain].path +
                    "' has changed while it was read: the run was begun or "
                    "resumed meanwhile, or the file is being damaged. Try "
                    "again.");
  }



  void
  RecordedRun::check_written(const std::vector<std::uint64_t> &lengths,
                             const std::string                &remedy) const
  {
    for (unsigned int number = 0; number < lengths.size(); ++number)
      {
        const auto chain =
          std::find_if(chains.begin(), chains.end(), [&](const Chain &one) {
            return one.number == number;
          });
        const std::uint64_t n_sound =
          chain == chains.end() ? 0 : chain->n_bytes;
        if (n_sound < lengths[number])
          throw UserError(
            "The record '" +
            (std::filesystem::path(folder) / record_name(number)).string() +
            "' was changed from outside: of the " +
            std::to_string(lengths[number]) +
            " bytes that the run has "
            "written, only the first " +
            std::to_string(n_sound) + " are sound (" + join(damages, "; ") +
            "). " + remedy);
      }
  }



  DrawTable
  RecordedRun::table(const std::size_t most, const Visitor &visit) const
  {
    const std::uint64_t n = n_common_draws();
    DrawTable           result;
    result.stride = std::max<std::uint64_t>(
      1, most == 0 ? n : (n + most - 1) / std::max<std::size_t>(1, most));
    const std::size_t n_columns = run.columns().size();
    const std::size_t n_kept    = (n + result.stride - 1) / result.stride;
    for (unsigned int chain = 0; chain < chains.size(); ++chain)
      {
        std::vector<RungColumns> rungs(run.n_recorded_rungs);
        for (RungColumns &rung : rungs)
          {
            rung.reference.reserve(n_kept);
            rung.potential.reserve(n_kept);
            rung.acceptance.reserve(n_kept);
            rung.replica.reserve(n_kept);
            rung.values.resize(n_columns);
            for (std::vector<double> &column : rung.values)
              column.reserve(n_kept);
          }
        std::vector<std::uint64_t> numbers;
        numbers.reserve(n_kept);
        // How many there are, and which is the next to be kept.
        std::uint64_t number = 0, next = 0;
        for_each_draw(chain, [&](const RecordedDraw &draw) {
          if (visit)
            visit(chain, draw);
          if (draw.is_burn_in)
            return;
          if (number == next && number < n)
            {
              next += result.stride;
              numbers.push_back(number);
              for (std::size_t i = 0; i < rungs.size(); ++i)
                {
                  const RecordedRung &rung = draw.rungs[i];
                  rungs[i].reference.push_back(rung.reference);
                  rungs[i].potential.push_back(rung.potential);
                  rungs[i].acceptance.push_back(rung.acceptance);
                  rungs[i].replica.push_back(rung.replica);
                  for (std::size_t k = 0; k < n_columns; ++k)
                    rungs[i].values[k].push_back(rung.values[k]);
                }
            }
          ++number;
        });
        result.chains.push_back(std::move(rungs));
        result.numbers.push_back(std::move(numbers));
      }
    return result;
  }



  std::vector<std::vector<double>>
  evenly_spaced_states(const RecordedRun &run,
                       const std::size_t  n,
                       const unsigned int rung)
  {
    std::vector<std::vector<double>> result;
    if (n == 0 || run.description().n_recorded_rungs == 0)
      return result;
    const std::size_t n_unknowns = run.description().names.size();
    const std::size_t n_chains   = run.n_chains();
    const DrawTable   table      = run.table((n + n_chains - 1) / n_chains);
    const std::size_t n_draws    = table.numbers[0].size();
    const std::size_t n_states   = std::min(n, n_draws * n_chains);
    for (std::size_t i = 0; i < n_states; ++i)
      {
        // Of all draws, in the order of their rounds, every so many.
        const std::size_t  place   = i * n_draws * n_chains / n_states;
        const RungColumns &columns = table.chains[place % n_chains][rung];
        result.emplace_back();
        for (std::size_t k = 0; k < n_unknowns; ++k)
          result.back().push_back(columns.values[k][place / n_chains]);
      }
    return result;
  }
} // namespace Tempera
