// SPDX-License-Identifier: LGPL-2.1-or-later

// Minima that no chain has visited, on energies whose modes and shares are
// known: mixtures of normal laws. What is told, what is not, and what it costs.

#include "tests.h"

#include <tempera/study/mode_search.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Numbers = std::vector<double>;

  struct Mode
  {
    double place, weight, deviation = 1.;
  };

  /** Normal laws; counts what it costs. */
  class Mixture : public FormulaEnergy
  {
  public:
    using Modes = std::vector<Mode>;

    Mixture(const Modes &modes, const double cost, double &spent)
      : FormulaEnergy(
          [=, &spent](const double x) {
            spent += cost;
            return value(modes, x);
          },
          [=, &spent](const double x) {
            spent += cost;
            return derivative(modes, x);
          })
      , cost(cost)
    {}

    double
    work(const Request request) const override
    {
      return cost * FormulaEnergy::work(request);
    }

  private:
    static double
    density(const Modes &modes, const double x, const bool is_slope)
    {
      double sum = 1e-300;
      for (const Mode &mode : modes)
        {
          const double z = (x - mode.place) / mode.deviation;
          sum += mode.weight / mode.deviation * std::exp(-0.5 * z * z) *
                 (is_slope ? z / mode.deviation : 1.);
        }
      return sum;
    }

    static double
    value(const Modes &modes, const double x)
    {
      return -std::log(density(modes, x, false));
    }

    static double
    derivative(const Modes &modes, const double x)
    {
      return density(modes, x, true) / density(modes, x, false);
    }

    const double cost;
  };

  /** Normal draws around places. */
  std::vector<Numbers>
  around(const Numbers &places)
  {
    std::mt19937_64            random(1);
    std::normal_distribution<> normal;
    std::vector<Numbers>       draws;
    for (unsigned int i = 0; i < 500; ++i)
      draws.push_back({places[i % places.size()] + normal(random)});
    return draws;
  }

  struct Search
  {
    Mixture::Modes fine, cheap;
    Numbers        visited    = {0.};
    double         budget     = 1e5;
    double         fine_cost  = 1.;
    bool           is_stopped = false;

    mutable double spent = 0.;

    Checks
    operator()() const
    {
      spent = 0.;
      const Mixture fine_energy(fine, fine_cost, spent),
        cheap_energy(cheap.empty() ? fine : cheap, 1., spent);
      SearchBudget limits;
      limits.work       = budget;
      limits.seed       = 1;
      limits.is_stopped = [this]() { return is_stopped; };
      const auto draws  = around(visited);
      return search_modes(fine_cost == 1. && cheap.empty() ? fine_energy :
                                                             cheap_energy,
                          fine_energy,
                          SearchSpace(fine_energy.space(), draws),
                          draws,
                          limits);
    }
  };

  std::string
  text(const Checks &found)
  {
    std::string result = std::to_string(found.n_searches) + " searches";
    for (const Checks::Place &place : found.places)
      result += "; " + std::to_string(place.point[0]) + " share " +
                std::to_string(place.share) + " energy " +
                std::to_string(place.energy) + " barrier " +
                std::to_string(place.barrier);
    return result;
  }

  bool
  is_one_place(const Checks &found,
               const double  place,
               const double  share,
               const double  energy)
  {
    return found.places.size() == 1 &&
           std::abs(found.places[0].point[0] - place) < 0.1 &&
           std::abs(found.places[0].share - share) < 0.01 &&
           std::abs(found.places[0].energy - energy) < 0.02;
  }

  void
  check_places()
  {
    const Mixture::Modes two = {{0., 0.7}, {10., 0.3}};
    Search               search;
    search.fine        = two;
    const Checks found = search();
    // The way back climbs from the place to the middle: log of the density of
    // a normal law five deviations off, with both sides.
    check("a mode that was not visited, with its share and energy",
          is_one_place(found, 10., 0.3, std::log(0.7 / 0.3)) &&
            found.places[0].barrier > 3. && found.places[0].barrier < 12.6,
          text(found));
    search.visited = {0., 10.};
    check("one that was is none",
          search().places.empty() && search().n_searches > 10,
          text(search()));

    Search lower;
    lower.fine = {{0., 0.2}, {10., 0.8}};
    check("one that is lower than all that was visited",
          is_one_place(lower(), 10., 0.8, std::log(0.2 / 0.8)),
          text(lower()));
    Search three;
    three.fine         = {{0., 0.5}, {10., 0.2}, {-10., 0.3}};
    const Checks parts = three();
    check("two of them share what there is",
          parts.places.size() == 2 &&
            std::abs(parts.places[0].share - 0.3) < 0.01 &&
            std::abs(parts.places[1].share - 0.2) < 0.01,
          text(parts));
    Search little;
    little.fine = {{0., 0.99}, {10., 0.01}};
    check("of a hundredth nothing is said", little().places.empty());
    little.fine[1].weight = 0.04;
    check("of a twenty-fifth it is",
          is_one_place(little(), 10., 0.04 / 1.03, std::log(0.99 / 0.04)),
          text(little()));
    // Its mass counts, not its height.
    Search narrow;
    narrow.fine = {{0., 0.8}, {10., 0.2, 0.25}};
    check("a narrow one has its share all the same",
          is_one_place(narrow(), 10., 0.2, std::log(0.8 / (0.2 / 0.25))),
          text(narrow()));
    Search near;
    near.fine = {{0., 0.5}, {2.5, 0.5}};
    check("what no barrier parts is no other place", near().places.empty());

    Search coarse;
    coarse.fine  = {{0., 1.}};
    coarse.cheap = two;
    check("a mode of the cheap level alone is none",
          coarse().places.empty() && coarse().n_searches > 10,
          text(coarse()));
    // The cheap level has it elsewhere, and with another share.
    coarse.fine  = two;
    coarse.cheap = {{0., 0.95}, {9., 0.05}};
    check("the fine level says where it is and how large",
          is_one_place(coarse(), 10., 0.3, std::log(0.7 / 0.3)),
          text(coarse()));
  }

  void
  check_costs()
  {
    // As of a run of 20,000 solves, one level; and of fewer, with a cheap one.
    for (const auto &[budget, cost] :
         {std::make_pair(450., 1.), std::make_pair(140., 100.)})
      {
        Search search;
        search.fine = {{0., 0.7}, {10., 0.3}};
        for (unsigned int i = 2; i < 9; ++i)
          search.fine.push_back({10. * i, 0.3});
        search.budget      = budget;
        search.fine_cost   = cost;
        const Checks found = search();
        check("a budget of " + std::to_string(int(budget)) +
                " is kept, and something is found",
              search.spent > 0. && search.spent <= budget * cost &&
                !found.places.empty(),
              std::to_string(search.spent / cost) + " " + text(found));
      }
    Search poor;
    poor.fine = {{0., 0.7}, {10., 0.3}};
    // Too little for a place, and for four searches.
    for (const double budget : {100., 250.})
      {
        poor.budget        = budget;
        const Checks found = poor();
        check("with too little, " + std::to_string(int(budget)) +
                ", nothing is begun",
              found.n_searches == 0 && found.places.empty() && poor.spent == 0.,
              text(found));
      }
    poor.budget     = 1e5;
    poor.is_stopped = true;
    check("nor after a stop", poor().n_searches == 0 && poor.spent == 0.);
  }

  void
  check_coordinates()
  {
    const SearchSpace space(
      {Unknown{"u", Prior::from_text("uniform(-2, 4)", "prior")},
       Unknown{"n", Prior::from_text("normal(3, 0.5)", "prior")},
       Unknown{"l", Prior::from_text("log-normal(2, 1)", "prior")}});
    double largest = 0., largest_slope = 0.;
    for (const double z : {-5., -1.3, 0., 0.4, 5.})
      {
        const Numbers place(3, z);
        const Numbers back   = space.from_state(space.to_state(place)),
                      slopes = space.derivatives(place);
        for (unsigned int i = 0; i < 3; ++i)
          {
            largest                = std::max(largest, std::abs(back[i] - z));
            constexpr double step  = 1e-4;
            Numbers          right = place, left = place;
            right[i] += step;
            left[i] -= step;
            const double slope =
              (space.to_state(right)[i] - space.to_state(left)[i]) /
              (2. * step);
            largest_slope =
              std::max(largest_slope, std::abs(slope / slopes[i] - 1.));
          }
      }
    check("coordinates and states belong to each other",
          largest < 1e-6 && largest_slope < 1e-3,
          std::to_string(largest) + " " + std::to_string(largest_slope));
    const Numbers bounds = space.from_state({-2., 3., 0.});
    check("a state at a bound has finite coordinates",
          std::isfinite(bounds[0]) && bounds[0] < -6. &&
            std::abs(bounds[1]) < 1e-9 && std::isfinite(bounds[2]),
          std::to_string(bounds[0]) + " " + std::to_string(bounds[2]));
  }
} // namespace

int
main()
{
  check_places();
  check_costs();
  check_coordinates();
  return result();
}
