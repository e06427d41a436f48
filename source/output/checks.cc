// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/checks.h>
#include <tempera/output/json_tree.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace Tempera
{
  namespace
  {
    using namespace JsonTree;

    /** One function for both ways, so that they cannot differ. */
    template <typename Field>
    void
    visit(Checks::Finding &one, const Field &field)
    {
      field("unknown", one.unknown);
      field("verdict", one.verdict);
      field("sentence", one.sentence);
      field("open", one.is_open);
      field("prior_sd", one.prior_deviation);
      field("posterior_sd", one.posterior_deviation);
      field("ks_distance", one.distance);
      field("information", one.information);
    }

    template <typename Field>
    void
    visit(Checks::Shift &one, const Field &field)
    {
      field("column", one.column);
      field("mean", one.mean);
      field("width", one.width);
    }

    template <typename Field>
    void
    visit(Checks::Place &one, const Field &field)
    {
      field("point", one.point);
      field("energy", one.energy);
      field("share", one.share);
      field("barrier", one.barrier);
    }

    template <typename Field>
    void
    visit(Checks &checks, const Field &field)
    {
      field("rounds", checks.rounds);
      field("findings", checks.findings);
      field("open_combination", checks.open_combination);
      field("refined_level", checks.refined_level);
      field("refinement", checks.refinement);
      field("prediction_change", checks.prediction_change);
      field("mean_prediction_change", checks.mean_prediction_change);
      field("refinement_draws", checks.n_refinement_draws);
      field("worst_measurement", checks.worst_measurement);
      field("integration_change", checks.integration_change);
      field("refinement_shifts", checks.refinement_shifts);
      field("swap_shifts", checks.swap_shifts);
      field("fine_shares", checks.fine_shares);
      field("places", checks.places);
      field("searches", checks.n_searches);
    }

    template <typename Entry>
    constexpr bool is_plain = std::is_arithmetic<Entry>::value ||
                              std::is_same<Entry, std::string>::value;

    class Writer
    {
    public:
      explicit Writer(Tree &tree)
        : tree(tree)
      {}

      template <typename Value>
      void
      operator()(const char *name, Value &value) const
      {
        put(tree, name, value);
      }

      template <typename Entry>
      void
      operator()(const char *name, std::vector<Entry> &entries) const
      {
        if constexpr (is_plain<Entry>)
          put(tree, name, entries);
        else
          {
            Tree list;
            for (Entry &entry : entries)
              {
                Tree one;
                visit(entry, Writer(one));
                list.push_back({"", one});
              }
            tree.push_back({name, list});
          }
      }

    private:
      Tree &tree;
    };

    class Reader
    {
    public:
      explicit Reader(const Tree &tree)
        : tree(tree)
      {}

      template <typename Value>
      void
      operator()(const char *name, Value &value) const
      {
        get(tree, name, value);
      }

      template <typename Entry>
      void
      operator()(const char *name, std::vector<Entry> &entries) const
      {
        if constexpr (is_plain<Entry>)
          get(tree, name, entries);
        else
          {
            const auto list = tree.find(name);
            if (list == tree.not_found())
              throw Unreadable("'" + std::string(name) + "' is missing");
            for (const auto &child : list->second)
              {
                entries.emplace_back();
                visit(entries.back(), Reader(child.second));
              }
          }
      }

    private:
      const Tree &tree;
    };
  } // namespace



  std::string
  checks_to_json(const Checks &checks)
  {
    Tree   tree;
    Checks copy = checks;
    visit(copy, Writer(tree));
    return to_json(tree);
  }



  Checks
  read_checks(const std::string &folder)
  {
    std::ifstream     file(std::filesystem::path(folder) / checks_file);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    Checks            checks;
    if (text.empty())
      return checks;
    try
      {
        visit(checks, Reader(from_json(text)));
      }
    catch (const Unreadable &)
      {
        // It is a help, not the result.
        return Checks();
      }
    return checks;
  }
} // namespace Tempera
