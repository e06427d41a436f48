// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/utf8.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/exporter.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/temporary_file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace Tempera
{
  namespace
  {
    constexpr std::size_t buffer_size = 1 << 16;

    /** Ends with room for a number; none of the readers minds the sign. */
    void
    append(std::string &text, const double number)
    {
      char       digits[32];
      const auto end =
        std::to_chars(digits, digits + sizeof(digits), number).ptr;
      if (std::isnan(number))
        text += "nan";
      else
        text.append(digits, end);
    }

    /** The text as an identifier of Stan, of which UTF-8 is kept. */
    std::string
    identifier(const std::string &text)
    {
      std::string result = valid_utf8(text);
      for (char &c : result)
        {
          const bool is_allowed =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
          if (!is_allowed)
            c = '_';
        }
      while (!result.empty() && result.back() == '_')
        result.pop_back();
      if (result.empty() || result.front() == '_' ||
          (result.front() >= '0' && result.front() <= '9'))
        result.insert(0, "v");
      return result;
    }

    /** Names of the columns, all different. */
    std::vector<std::string>
    identifiers(const std::vector<std::string> &names)
    {
      std::vector<std::string> result;
      for (const std::string &name : names)
        {
          const std::string stem = identifier(name);
          std::string       one  = stem;
          for (unsigned int i = 2;
               std::find(result.begin(), result.end(), one) != result.end();
               ++i)
            one = stem + "_" + std::to_string(i);
          result.push_back(one);
        }
      return result;
    }


    /** A chain's draws: those of burn-in are counted, but not written. */
    struct Size
    {
      std::uint64_t n_burn_in, n_draws;
    };

    std::string
    header(const RecordedRun &run,
           const unsigned int chain,
           const Size        &size,
           const std::string &name)
    {
      const RunDescription &description = run.description();
      const std::uint64_t   thin =
        std::max<std::uint64_t>(1, description.thinning);
      const auto line = [](const unsigned int depth,
                           const std::string &key,
                           const std::string &value) {
        return "# " + std::string(2 * depth, ' ') + key + " = " + value + "\n";
      };
      const auto title = [](const unsigned int depth, const std::string &key) {
        return "# " + std::string(2 * depth, ' ') + key + "\n";
      };
      const auto number = [](const std::uint64_t n) {
        return std::to_string(n);
      };
      const std::string engine =
        description.kernels.empty() ? "unknown" : description.kernels[0];
      // The version of CmdStan whose layout this is.
      std::string text =
        line(0, "stan_version_major", "2") +
        line(0, "stan_version_minor", "31") +
        line(0, "stan_version_patch", "0") +
        line(0, "model", identifier(description.title)) +
        line(0, "tempera_version", description.version) +
        line(0, "tempera_seed", number(description.seed)) +
        line(0, "method", "sample (Default)") + title(1, "sample") +
        line(2, "num_samples", number(size.n_draws * thin)) +
        line(2, "num_warmup", number(size.n_burn_in * thin)) +
        line(2, "save_warmup", "0") + line(2, "thin", number(thin)) +
        title(2, "adapt") + line(3, "engaged", size.n_burn_in > 0 ? "1" : "0") +
        line(2, "algorithm", "replica_exchange") +
        title(3, "replica_exchange") + line(4, "engine", engine) +
        title(5, engine) +
        // Means nothing here, but readers count the trees of this depth.
        line(6, "max_depth", "10") +
        // Whose lines readers expect.
        line(4, "metric", "diag_e") +
        line(2, "num_chains", number(run.n_chains())) +
        line(0, "id", number(chain + 1)) + title(0, "data") +
        line(1, "file", "parameters.prm") + title(0, "random") +
        line(1, "seed", number(description.seed & 0xFFFFFFFF)) +
        title(0, "output") + line(1, "file", name);
      text += "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,"
              "divergent__,energy__";
      for (const std::string &column : identifiers(description.columns()))
        text += "," + column;
      return text + "\n";
    }

    /** What CmdStan says between burn-in and sampling. */
    std::string
    adaptation(const RunDescription &description, const double step_size)
    {
      return "# Adaptation terminated\n# Step size = " + to_text(step_size) +
             "\n# Diagonal elements of inverse mass matrix:\n# " +
             join(std::vector<double>(
               std::max<std::size_t>(1, description.names.size()), 1.)) +
             "\n";
    }

    void
    append_row(std::string        &text,
               const RecordedRung &rung,
               const std::size_t   n_columns)
    {
      const double energy = rung.reference + rung.potential;
      append(text, -energy);
      text += ',';
      append(text, rung.acceptance);
      text += ',';
      append(text, rung.step_size);
      text += rung.non_finite > 0 ? ",1,1,1," : ",1,1,0,";
      append(text, energy);
      for (std::size_t i = 0; i < n_columns; ++i)
        {
          text += ',';
          append(text, rung.values[i]);
        }
      text += '\n';
    }

    void
    write_chain(const RecordedRun &run,
                const unsigned int chain,
                const Size        &size,
                const std::string &path)
    {
      const RunDescription &description = run.description();
      const std::size_t     n_columns   = description.columns().size();
      const std::string name = std::filesystem::path(path).filename().string();

      TemporaryFile file(path);
      std::ofstream stream(file.get_temporary_path(), std::ios::binary);
      std::string   buffer = header(run, chain, size, name);
      const auto    flush  = [&]() {
        errno = 0;
        stream.write(buffer.data(), buffer.size()).flush();
        if (!stream)
          throw_write_error(path);
        buffer.clear();
      };

      std::uint64_t n_draws    = 0;
      double        step_size  = 0.;
      bool          is_adapted = false;
      const auto    adapt      = [&]() {
        if (!is_adapted)
          buffer += adaptation(description, step_size);
        is_adapted = true;
      };
      if (description.n_recorded_rungs > 0)
        run.for_each_draw(chain, [&](const RecordedDraw &draw) {
          if (n_draws == size.n_draws && !draw.is_burn_in)
            return;
          const RecordedRung &rung = draw.rungs[0];
          step_size                = rung.step_size;
          if (draw.is_burn_in)
            return;
          adapt();
          ++n_draws;
          append_row(buffer, rung, n_columns);
          if (buffer.size() > buffer_size)
            flush();
        });
      adapt();
      flush();
      stream.close();
      if (!stream)
        throw_write_error(path);
      if (n_draws < size.n_draws)
        throw UserError("The record in '" + run.get_folder() +
                        "' became shorter while '" + path +
                        "' was made from it: the run was begun or resumed "
                        "meanwhile. Call 'tempera export' again.");
      file.publish();
    }
  } // namespace



  std::vector<std::string>
  write_cmdstan_csv(const RecordedRun &run, const std::string &folder)
  {
    const unsigned int n_chains  = run.n_chains();
    const bool         has_draws = run.description().n_recorded_rungs > 0;
    Size               size      = {has_draws ? run.n_burn_in_draws(0) : 0,
                 has_draws ? run.n_common_draws() : 0};
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      size.n_burn_in = std::min(size.n_burn_in, run.n_burn_in_draws(chain));

    std::vector<std::string> paths;
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      {
        paths.push_back(
          (std::filesystem::path(folder) /
           (n_chains == 1 ? "draws.csv" :
                            "draws_" + std::to_string(chain + 1) + ".csv"))
            .string());
        write_chain(run, chain, size, paths.back());
      }
    return paths;
  }


  namespace
  {
    class CmdstanExporter : public Exporter
    {
    public:
      std::vector<std::string>
      write(const RecordedRun &run,
            const Analysis *,
            const std::string &folder) const override
      {
        return write_cmdstan_csv(run, folder);
      }
    };

    const Registration<ExporterRegistry, CmdstanExporter> registration(
      "CSV",
      "The draws of the coldest rung in CmdStan's format: draws.csv, or draws_1.csv, draws_2.csv, ... for several chains.");
  } // namespace
} // namespace Tempera
