// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/study/mode_search.h>
#include <tempera/study/study.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>
#include <deal.II/optimization/solver_bfgs.h>

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    using Numbers = std::vector<double>;

    constexpr double infinity = std::numeric_limits<double>::infinity();

    double
    normal_cdf(const double z)
    {
      return 0.5 * std::erfc(-z / std::sqrt(2.));
    }

    double
    normal_density(const double z)
    {
      return std::exp(-0.5 * z * z) / std::sqrt(2. * dealii::numbers::PI);
    }

    /** Far enough for any start, near enough to be finite. */
    constexpr double largest_coordinate = 7.;

    double
    clamped(const double z)
    {
      return std::max(-largest_coordinate, std::min(largest_coordinate, z));
    }

    double
    normal_quantile(const double probability)
    {
      // Beyond that there are only infinities.
      static const double least = normal_cdf(-largest_coordinate);
      return -std::sqrt(2.) *
             boost::math::erfc_inv(
               2. * std::max(least, std::min(1. - least, probability)));
    }

    double
    distance(const Numbers &a, const Numbers &b)
    {
      double sum = 0.;
      for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
      return std::sqrt(sum);
    }


    /** The energy of a level in the coordinates of a search. */
    class Landscape
    {
    public:
      Landscape(const Energy &energy, const SearchSpace &space, double &work)
        : energy(energy)
        , space(space)
        , work(work)
      {
        evaluation.reference_gradient.resize(space.dimension());
        evaluation.potential_gradient.resize(space.dimension());
      }

      /** What an evaluation costs. */
      double
      work_of(const Request request) const
      {
        return energy.work(request);
      }

      /** Infinite where there is none. */
      double
      value(const Numbers &place)
      {
        return evaluate(place, Request::values);
      }

      double
      value(const Numbers &place, Numbers &gradient)
      {
        const double  result = evaluate(place, Request::values_and_gradients);
        const Numbers derivatives = space.derivatives(place);
        for (std::size_t i = 0; i < place.size(); ++i)
          {
            gradient[i] = evaluation.potential_gradient[i] * derivatives[i];
            gradient[i] += space.has_prior() ?
                             place[i] :
                             evaluation.reference_gradient[i] * derivatives[i];
            if (!std::isfinite(gradient[i]))
              return infinity;
          }
        return result;
      }

      /**
       * Descend.
       *
       * @param place Where to begin; the lowest place that was seen.
       * @return The energy there.
       */
      double
      minimise(const unsigned int n_steps, Numbers &place)
      {
        using Vector       = dealii::Vector<double>;
        const auto compute = [this](const Vector &x, Vector &g) {
          Numbers      here(x.begin(), x.end()), gradient(x.size());
          const double result = value(here, gradient);
          std::copy(gradient.begin(), gradient.end(), g.begin());
          return result;
        };
        Vector x(place.size()), g(place.size());
        std::copy(place.begin(), place.end(), x.begin());
        double best = compute(x, g);
        if (!std::isfinite(best))
          return infinity;

        constexpr double           tolerance = 1e-2;
        dealii::SolverControl      control(n_steps, tolerance, false, false);
        dealii::SolverBFGS<Vector> solver(control);
        solver.connect_preconditioner_slot(
          [](Vector                                  &direction,
             const dealii::FiniteSizeHistory<Vector> &s,
             const dealii::FiniteSizeHistory<Vector> &y) {
            if (s.size() > 0)
              direction *= (s[0] * y[0]) / (y[0] * y[0]);
            else
              // The first step has no scale of its own.
              direction *= 0.3 / std::max(0.3, direction.l2_norm());
          });
        solver.connect_line_search_slot(
          [&](double &f, Vector &position, Vector &gradient, const Vector &p) {
            constexpr double       decrease = 1e-4, longest = 2.;
            constexpr unsigned int most_halvings = 10;
            const Vector           begin = position, old_gradient = gradient;
            const double           slope = gradient * p, old = f;
            double                 length = std::min(1., longest / p.l2_norm());
            for (unsigned int i = 0; i < most_halvings; ++i)
              {
                position = begin;
                position.add(length, p);
                f = compute(position, gradient);
                if (f <= old + decrease * length * slope)
                  return length;
                length *= i < 2 ? 0.4 : 0.2;
              }
            position = begin;
            gradient = old_gradient;
            f        = old;
            // As if converged.
            gradient = 0.;
            return 0.;
          });
        try
          {
            solver.solve(compute, x);
          }
        catch (const dealii::SolverControl::NoConvergence &)
          {}
        std::copy(x.begin(), x.end(), place.begin());
        return value(place);
      }

      /**
       * Logarithm of the mass of the posterior around a minimum, as if it were
       * Gaussian there: less its energy, less half the log determinant of its
       * Hessian. Deviations by direction are kept in the place's scale.
       */
      double
      log_mass(const Numbers &place)
      {
        // Second derivatives from differences of gradients.
        constexpr double                 step = 1e-3;
        const std::size_t                n    = place.size();
        dealii::LAPACKFullMatrix<double> hessian(n, n);
        Numbers                          gradient(n), shifted(n);
        const double                     here = value(place, gradient);
        for (std::size_t i = 0; i < n; ++i)
          {
            Numbers one = place;
            one[i] += step;
            value(one, shifted);
            for (std::size_t j = 0; j < n; ++j)
              hessian(i, j) = (shifted[j] - gradient[j]) / step;
          }
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < i; ++j)
            hessian(i, j) = hessian(j, i) =
              0.5 * (hessian(i, j) + hessian(j, i));
        dealii::Vector<double>     eigenvalues(n);
        dealii::FullMatrix<double> eigenvectors(n, n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            if (!std::isfinite(hessian(i, j)))
              return -infinity;
        hessian.compute_eigenvalues_symmetric(
          -1e300, 1e300, 1e-10, eigenvalues, eigenvectors);
        double result = -here;
        for (const double one : eigenvalues)
          // No wider than the prior, or than the space that was looked at.
          result -= 0.5 * std::log(std::max(0.1, one));
        return result;
      }

      /** The highest energy on the straight way between two places. */
      double
      highest_between(const Numbers &one, const Numbers &other)
      {
        constexpr unsigned int n_points = 7;
        double                 highest  = -infinity;
        for (unsigned int k = 1; k <= n_points; ++k)
          {
            Numbers      place(one.size());
            const double part = k / (n_points + 1.);
            for (std::size_t i = 0; i < place.size(); ++i)
              place[i] = (1. - part) * one[i] + part * other[i];
            highest = std::max(highest, value(place));
          }
        return highest;
      }

    private:
      double
      evaluate(const Numbers &place, const Request request)
      {
        const Numbers state = space.to_state(place);
        evaluation.invalidate();
        energy.evaluate(dealii::make_array_view(state),
                        RandomKey(),
                        request,
                        evaluation);
        work += energy.work(request);
        double result = evaluation.potential;
        if (space.has_prior())
          for (const double one : place)
            result += 0.5 * one * one;
        else
          result += evaluation.reference;
        return std::isfinite(result) ? result : infinity;
      }

      const Energy      &energy;
      const SearchSpace &space;
      double            &work;
      Evaluation         evaluation;
    };


    /** Energy to climb from a place to the nearest draws; 0 if it is near. */
    double
    barrier_to(const std::vector<Numbers> &draws,
               const Numbers              &scales,
               const Numbers              &place,
               const double                energy,
               Landscape                  &landscape)
    {
      constexpr std::size_t n_nearest = 3;

      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t k = 0; k < draws.size(); ++k)
        {
          double sum = 0.;
          for (std::size_t i = 0; i < place.size(); ++i)
            sum += std::pow((draws[k][i] - place[i]) / scales[i], 2);
          order.emplace_back(sum, k);
        }
      const std::size_t n = std::min(n_nearest, order.size());
      std::partial_sort(order.begin(), order.begin() + n, order.end());
      double lowest = infinity;
      for (std::size_t k = 0; k < n; ++k)
        {
          const Numbers &draw = draws[order[k].second];
          const double   end  = std::max(energy, landscape.value(draw));
          lowest              = std::min(
            lowest, std::max(0., landscape.highest_between(place, draw) - end));
        }
      return lowest;
    }
  } // namespace



  bool
  SearchSpace::Axis::is_bounded() const
  {
    return std::isfinite(lower) && std::isfinite(upper);
  }



  SearchSpace::SearchSpace(const std::vector<Unknown> &unknowns)
    : is_of_priors(true)
  {
    for (const Unknown &unknown : unknowns)
      {
        const Prior prior = unknown.prior;
        Axis        axis;
        axis.quantile = [prior](const double p) { return prior.quantile(p); };
        axis.cdf      = [prior](const double v) { return prior.cdf(v); };
        if (!prior.is_uniform())
          axis.derivative = [prior](const double z) {
            return prior.deviation_at(prior.quantile(normal_cdf(z)));
          };
        axis.lower  = prior.lower();
        axis.upper  = prior.upper();
        axis.centre = 0.;
        axis.scale  = 1.;
        axes.push_back(axis);
      }
  }



  SearchSpace::SearchSpace(const StateSpace                       &space,
                           const std::vector<std::vector<double>> &draws)
    : is_of_priors(false)
  {
    for (unsigned int i = 0; i < space.dimension(); ++i)
      {
        Moments moments;
        for (const Numbers &draw : draws)
          moments.add(draw[i]);
        Axis axis;
        axis.lower  = space[i].lower;
        axis.upper  = space[i].upper;
        axis.centre = moments.mean();
        axis.scale  = moments.count() > 1 && moments.variance() > 0. ?
                        std::sqrt(moments.variance()) :
                        1.;
        axes.push_back(axis);
      }
  }



  std::vector<double>
  SearchSpace::to_state(const std::vector<double> &place) const
  {
    Numbers state;
    for (std::size_t i = 0; i < place.size(); ++i)
      {
        const Axis  &axis = axes[i];
        const double z    = clamped(place[i]);
        if (axis.quantile)
          state.push_back(axis.quantile(normal_cdf(z)));
        else if (axis.is_bounded())
          state.push_back(axis.lower +
                          (axis.upper - axis.lower) * normal_cdf(z));
        else
          state.push_back(std::max(
            axis.lower,
            std::min(axis.upper, axis.centre + axis.scale * place[i])));
      }
    return state;
  }



  std::vector<double>
  SearchSpace::from_state(const std::vector<double> &state) const
  {
    Numbers place;
    for (std::size_t i = 0; i < axes.size(); ++i)
      {
        const Axis &axis = axes[i];
        if (axis.cdf)
          place.push_back(normal_quantile(axis.cdf(state[i])));
        else if (axis.is_bounded())
          place.push_back(normal_quantile((state[i] - axis.lower) /
                                          (axis.upper - axis.lower)));
        else
          place.push_back((state[i] - axis.centre) / axis.scale);
      }
    return place;
  }



  std::vector<double>
  SearchSpace::derivatives(const std::vector<double> &place) const
  {
    Numbers result;
    for (std::size_t i = 0; i < place.size(); ++i)
      {
        const Axis &axis = axes[i];
        if (axis.derivative)
          result.push_back(axis.derivative(clamped(place[i])));
        else if (axis.is_bounded())
          result.push_back((axis.upper - axis.lower) *
                           normal_density(place[i]));
        else
          result.push_back(axis.scale);
      }
    return result;
  }



  std::vector<double>
  SearchSpace::start(const std::uint64_t seed, const unsigned int k) const
  {
    RandomKey key;
    key.seed    = seed;
    key.purpose = Purpose::start;
    // A stream that neither start points nor draws from priors use.
    key.stream = std::uint64_t(1) << 40;
    key.round  = k;
    Numbers place(dimension());
    fill_normals(key, dealii::make_array_view(place));
    // What the hottest draws have seen may be little of what there is.
    static constexpr double reaches[] = {1., 3., 10., 30., 100.};
    for (std::size_t i = 0; i < place.size(); ++i)
      if (!axes[i].quantile && !axes[i].is_bounded())
        place[i] *= reaches[k % 5];
    return place;
  }



  namespace
  {
    /**
     * Minima of the fine energy, from points where the cheap one is too high
     * for it: there the cheap level may hide something.
     *
     * @param most_work Not to be exceeded, with what is done already.
     */
    std::vector<Numbers>
    search_fine_level(Landscape          &coarse,
                      Landscape          &exact,
                      const SearchSpace  &space,
                      const SearchBudget &budget,
                      const double        most_work,
                      const double       &work)
    {
      constexpr unsigned int n_looks = 16, most_searches = 4, most_steps = 25;
      // Starts that no other search uses.
      constexpr unsigned int first_start = 1000;

      const double one_look = exact.work_of(Request::values),
                   one_search =
                     most_steps * exact.work_of(Request::values_and_gradients);
      if (work + n_looks * one_look + one_search > most_work)
        return {};

      struct Suspect
      {
        double  excess;
        Numbers place;
      };
      std::vector<Suspect> suspects;
      for (unsigned int k = 0; k < n_looks; ++k)
        {
          if (budget.is_stopped())
            return {};
          Suspect one;
          one.place           = space.start(budget.seed, first_start + k);
          const double energy = exact.value(one.place);
          // In units of what a solver may be wrong by, far from the data.
          one.excess = (coarse.value(one.place) - energy) / (energy + 3.);
          if (std::isfinite(energy))
            suspects.push_back(one);
        }
      std::stable_sort(suspects.begin(),
                       suspects.end(),
                       [](const Suspect &a, const Suspect &b) {
                         return a.excess > b.excess;
                       });
      std::vector<Numbers> result;
      for (Suspect &one : suspects)
        {
          if (budget.is_stopped() || work + one_search > most_work ||
              result.size() == most_searches)
            break;
          if (std::isfinite(exact.minimise(most_steps, one.place)))
            result.push_back(one.place);
        }
      return result;
    }
  } // namespace



  Checks
  search_modes(const Energy                           &cheap,
               const Energy                           &fine,
               const SearchSpace                      &space,
               const std::vector<std::vector<double>> &draws,
               const SearchBudget                     &budget)
  {
    constexpr unsigned int least_searches = 4, most_searches = 40,
                           most_steps = 40, expected_evaluations = 30,
                           most_polished = 4, polishing_steps = 15,
                           barrier_evaluations = 24;
    // Below that nobody would miss it; above that it is a barrier.
    constexpr double least_share = 0.02, least_barrier = 3.,
                     largest_energy = 40.;

    Checks       result;
    const double unit = fine.work(Request::values);
    const double all  = budget.work * unit;
    // A part is kept for the fine level: at least for what was visited and for
    // one other place.
    const double one_place = (polishing_steps + space.dimension() + 1) *
                               fine.work(Request::values_and_gradients) +
                             barrier_evaluations * unit;
    const double for_search = std::min(0.6 * all, all - 2. * one_place);
    const double one_search =
      expected_evaluations * cheap.work(Request::values_and_gradients);
    if (for_search < least_searches * one_search || draws.empty())
      return result;
    const unsigned int n_searches =
      std::min<double>(most_searches, for_search / one_search);

    double    work = 0.;
    Landscape coarse(cheap, space, work), exact(fine, space, work);

    std::vector<Numbers> places;
    Numbers              scales(space.dimension());
    for (const Numbers &draw : draws)
      places.push_back(space.from_state(draw));
    for (std::size_t i = 0; i < scales.size(); ++i)
      {
        Moments moments;
        for (const Numbers &place : places)
          moments.add(place[i]);
        scales[i] = std::sqrt(std::max(1e-12, moments.variance()));
      }

    struct Minimum
    {
      double  energy;
      Numbers place;
    };
    std::vector<Minimum> minima;
    for (unsigned int k = 0; k < n_searches; ++k)
      {
        if (budget.is_stopped() || work > for_search)
          break;
        ++result.n_searches;
        Minimum one;
        one.place             = space.start(budget.seed, k);
        one.energy            = coarse.minimise(most_steps, one.place);
        constexpr double same = 0.05;
        const bool       is_new =
          std::none_of(minima.begin(), minima.end(), [&](const Minimum &old) {
            return distance(old.place, one.place) < same;
          });
        if (std::isfinite(one.energy) && is_new)
          minima.push_back(one);
      }
    // What the cheap level lacks, it cannot find.
    std::vector<Numbers> of_fine;
    if (&cheap != &fine)
      of_fine =
        search_fine_level(coarse,
                          exact,
                          space,
                          budget,
                          std::min(work + 0.4 * all, all - 2. * one_place),
                          work);
    result.n_searches += of_fine.size();
    if (minima.empty() && of_fine.empty())
      return result;
    std::sort(minima.begin(),
              minima.end(),
              [](const Minimum &a, const Minimum &b) {
                return a.energy < b.energy;
              });

    // What was visited, for comparison: the draw of least energy and its mass.
    double                lowest_draw = infinity;
    Numbers               best;
    constexpr std::size_t most_tried = 20;
    const std::size_t stride = (places.size() + most_tried - 1) / most_tried;
    for (std::size_t k = 0; k < places.size(); k += stride)
      {
        const double energy = coarse.value(places[k]);
        if (energy < lowest_draw)
          {
            lowest_draw = energy;
            best        = places[k];
          }
      }
    const double lowest =
      minima.empty() ? lowest_draw : std::min(minima[0].energy, lowest_draw);

    bool       is_compared = false;
    Numbers    ratios;
    double     visited_energy = 0., visited_mass = 0.;
    const auto may_go_on = [&]() {
      return !budget.is_stopped() &&
             work + (is_compared ? 1. : 2.) * one_place <= all;
    };
    // Look at a place with the fine energy.
    const auto judge = [&](Numbers &there) {
      if (!is_compared)
        {
          visited_energy = exact.minimise(polishing_steps, best);
          visited_mass   = exact.log_mass(best);
          is_compared    = true;
        }
      const double energy = exact.minimise(polishing_steps, there);
      if (!(energy < visited_energy + largest_energy))
        return;
      const double barrier = barrier_to(places, scales, there, energy, exact);
      const double ratio   = std::exp(exact.log_mass(there) - visited_mass);
      const double share   = std::isinf(ratio) ? 1. : ratio / (1. + ratio);
      const bool   is_known =
        std::any_of(result.places.begin(),
                    result.places.end(),
                    [&](const Checks::Place &place) {
                      return distance(space.from_state(place.point), there) <
                             0.2;
                    });
      if (barrier >= least_barrier && share >= least_share && !is_known)
        {
          Checks::Place place;
          place.point   = space.to_state(there);
          place.energy  = energy - visited_energy;
          place.share   = share;
          place.barrier = barrier;
          result.places.push_back(place);
          ratios.push_back(std::min(ratio, 1e12));
        }
    };
    for (Numbers &there : of_fine)
      if (may_go_on())
        judge(there);
    unsigned int n_polished = 0;
    for (Minimum &minimum : minima)
      {
        if (!may_go_on() || n_polished == most_polished ||
            minimum.energy > lowest + largest_energy)
          break;
        // Connected with what was visited: it is no other place.
        if (barrier_to(places, scales, minimum.place, minimum.energy, coarse) <
            least_barrier)
          continue;
        ++n_polished;
        judge(minimum.place);
      }
    // Beside one another, and beside what was visited.
    double sum = 1.;
    for (const double one : ratios)
      sum += one;
    for (std::size_t i = 0; i < ratios.size(); ++i)
      result.places[i].share = ratios[i] / sum;
    return result;
  }



  namespace
  {
    class MissedModeStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "checks";
      }

      std::string
      make(const FinishedRun &run, Checks &checks) const override
      {
        constexpr unsigned int most_unknowns = 20;
        const Ladder          &ladder        = run.ladder;
        if (!run.can_evaluate() || !run.target.has_distinct_minima() ||
            !run.samples_posterior() ||
            ladder.space().dimension() > most_unknowns ||
            ladder.energy(0).is_stochastic())
          return "";
        // Where coarse levels have made the run cheap, a little more is well
        // spent on what they may hide.
        const double work = run.analysis.get().work;
        const double share_of_work =
          run.description.n_level_rungs > 0 ?
            std::min(0.1, std::max(0.02, 250. / work)) :
            0.02;
        SearchBudget budget;
        budget.work       = share_of_work * work;
        budget.seed       = run.settings.run.seed;
        budget.is_stopped = run.is_stopped;
        const SearchSpace space =
          run.target.unknowns().empty() ?
            SearchSpace(ladder.space(),
                        evenly_spaced_states(run.recorded,
                                             n_population,
                                             run.description.n_recorded_rungs -
                                               1)) :
            SearchSpace(run.target.unknowns());
        const Checks found = search_modes(cheapest(run),
                                          ladder.energy(0),
                                          space,
                                          run.draws(n_population),
                                          budget);
        checks.places      = found.places;
        checks.n_searches  = found.n_searches;
        return "";
      }

    private:
      /** Where evaluations cost least. */
      static const Energy &
      cheapest(const FinishedRun &run)
      {
        const Energy *result = &run.ladder.energy(0);
        for (unsigned int rung = 0; rung < run.ladder.size(); ++rung)
          {
            const Energy &energy = run.ladder.energy(rung);
            if (run.has(run.ladder[rung].level) && !energy.is_stochastic() &&
                energy.work(Request::values_and_gradients) <
                  result->work(Request::values_and_gradients))
              result = &energy;
          }
        return *result;
      }
    };

    const Registration<StudyRegistry, MissedModeStudy>
      registration("missed modes",
                   "Places of low energy that no chain has visited");
  } // namespace
} // namespace Tempera
