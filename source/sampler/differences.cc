// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/sampler/gathered_states.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/tuned_kernel.h>

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /**
     * Differential evolution with an archive (ter Braak and Vrugt, 2008):
     * \f$x' = x + \gamma(z_a - z_b) + \varepsilon\f$ with two states of an
     * archive, \f$\gamma = 2.38/\sqrt{2d}\f$, now and then 1, which leads from
     * mode to mode, and a small normal \f$\varepsilon\f$. A step costs one
     * energy and no gradient; scales and correlations are those of the archive.
     *
     * The archive is gathered in burn-in, from states of the rung and of the
     * next hotter one, and then frozen: the proposal is symmetric, and the
     * kernel exact. Until there is one, a random walk takes its place.
     */
    class Differences : public TunedKernel
    {
    public:
      struct Parameters
      {
        double jumps   = 0.1;
        double scatter = 0.01;

        /** Declare the parameters in a section of the kernel's own. */
        void
        declare(dealii::ParameterHandler &prm)
        {
          prm.enter_subsection("Differences");
          prm.add_parameter(
            "Jumps",
            jumps,
            "Part of the proposals that add a whole difference of two archived states, which leads from one mode to another.",
            dealii::Patterns::Double(0., 1.));
          prm.add_parameter(
            "Scatter",
            scatter,
            "Standard deviation of the small normal move that is added to every difference, in those of the archive.",
            dealii::Patterns::Double(1e-12, 10.));
          prm.leave_subsection();
        }
      };

      explicit Differences(const KernelParameters &all)
        : TunedKernel("'differences'", true, 0.3, Learning::diagonal)
        , jumps(all.of<Differences>().jumps)
        , scatter(all.of<Differences>().scatter)
      {}

      KernelNeeds
      needs() const override
      {
        KernelNeeds result;
        result.gradients = false;
        return result;
      }

      bool
      needs_burn_in() const override
      {
        return true;
      }

      std::unique_ptr<KernelState>
      make_state(const Rung        &rung,
                 const unsigned int dimension,
                 const unsigned int n_levels) const override
      {
        return std::make_unique<State>(make_tuning(rung, dimension),
                                       dimension,
                                       n_levels);
      }

      StepOutcome
      step(const StepContext &context,
           Replica           &replica,
           KernelState       &state) const override;

      void
      observe(const std::vector<double> &position,
              KernelState               &state) const override
      {
        TunedKernel::observe(position, state);
        static_cast<State &>(state).gathered.add(position);
      }

      void
      learn_from_hotter(const KernelState &hotter,
                        KernelState       &state) const override
      {
        if (const auto *other = dynamic_cast<const State *>(&hotter))
          static_cast<State &>(state).of_hotter = other->gathered.states;
      }

      void
      end_window(const bool is_retempered, KernelState &state) const override
      {
        TunedKernel::end_window(is_retempered, state);
        static_cast<State &>(state).renew_archive();
      }

      void
      end_burn_in(KernelState &state) const override
      {
        TunedKernel::end_burn_in(state);
        static_cast<State &>(state).renew_archive();
      }

    private:
      struct State : public KernelStateOf<State, TunedState>
      {
        State(const StepTuning  &tuning,
              const unsigned int dimension,
              const unsigned int n_levels)
          : KernelStateOf(tuning, dimension, n_levels)
          , move(dimension)
        {}

        std::size_t
        n_archived() const
        {
          return archive.size() / move.size();
        }

        /** What was gathered is the archive from now on, if it is enough. */
        void
        renew_archive()
        {
          const std::size_t fewest = std::max<std::size_t>(20, 4 * move.size());

          std::vector<double> states = gathered.states;
          states.insert(states.end(), of_hotter.begin(), of_hotter.end());
          gathered  = GatheredStates();
          of_hotter = {};
          if (states.size() / move.size() < fewest)
            return;
          archive.swap(states);
          measure();
        }

        /** Standard deviations of the archive. */
        void
        measure()
        {
          const std::size_t d = move.size(), n = n_archived();
          deviations.assign(d, 0.);
          for (std::size_t k = 0; n > 0 && k < d; ++k)
            {
              Moments moments;
              for (std::size_t i = 0; i < n; ++i)
                moments.add(archive[i * d + k]);
              deviations[k] = moments.standard_deviation();
            }
        }

        template <typename Archive>
        void
        serialize(Archive &file)
        {
          TunedState::serialize(file);
          gathered.serialize(file, move.size());
          serialize_vector(file,
                           archive,
                           2 * GatheredStates::most * move.size());
          if constexpr (Archive::is_loading::value)
            {
              if (archive.size() % move.size() != 0)
                throw ArchiveError("an archive of states is cut off");
              measure();
            }
        }

        GatheredStates      gathered;
        std::vector<double> of_hotter, archive, deviations;
        /** Memory of a step. */
        std::vector<double> move;
      };

      /** Make the move of a step by two archived states. */
      void
      add_difference(const RandomKey &key, State &state) const;

      const double jumps, scatter;
    };


    const KernelRegistration<Differences> register_differences(
      "differences",
      "Differential evolution with an archive of the burn-in's states; exact, needs no gradients, finds its own scales and jumps between modes.");



    void
    Differences::add_difference(const RandomKey &key, State &state) const
    {
      const std::size_t d = state.move.size(), n = state.n_archived();
      // Which kind of step, and which two states.
      std::array<double, 3> numbers;
      RandomKey             choice = key;
      choice.stream                = 1;
      fill_uniforms(choice, dealii::ArrayView<double>(numbers.data(), 3));
      const double gamma =
        numbers[0] < jumps ? 1. : 2.38 / std::sqrt(2. * double(d));
      const std::size_t one = std::min<std::size_t>(n - 1, numbers[1] * n);
      std::size_t other = std::min<std::size_t>(n - 2, numbers[2] * (n - 1));
      other += other >= one;
      for (std::size_t k = 0; k < d; ++k)
        state.move[k] =
          gamma * (state.archive[one * d + k] - state.archive[other * d + k]) +
          scatter * state.deviations[k] * state.move[k];
    }



    StepOutcome
    Differences::step(const StepContext &context,
                      Replica           &replica,
                      KernelState       &kernel_state) const
    {
      State     &state       = static_cast<State &>(kernel_state);
      const bool has_archive = !state.archive.empty();

      RandomKey key = context.key;
      key.purpose   = Purpose::proposal;
      fill_normals(key, dealii::make_array_view(state.move));
      if (has_archive)
        add_difference(key, state);
      else
        walk(context.rung, state.tuning, state.move);
      const StepOutcome outcome =
        decide(context, state.move, replica, state.proposal);
      if (context.in_burn_in && !has_archive)
        state.tuning.observe_acceptance(outcome.acceptance);
      return outcome;
    }
  } // namespace
} // namespace Tempera
