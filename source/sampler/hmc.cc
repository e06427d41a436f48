// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/words.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/tuned_kernel.h>

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace Tempera
{
  namespace
  {
    /** What the mass matrix of HMC is. */
    enum class Mass
    {
      automatic,
      unit,
      diagonal,
      dense
    };

    const Words<Mass> words_for_mass = {{"automatic", Mass::automatic},
                                        {"unit", Mass::unit},
                                        {"diagonal", Mass::diagonal},
                                        {"dense", Mass::dense}};


    /**
     * Hybrid (Hamiltonian) Monte Carlo: a state with a fresh Gaussian momentum
     * moves along the leapfrog trajectory of the tempered energy \f$V\f$, and
     * its end is accepted with the probability that leaves the target
     * invariant. With one leapfrog step this is MALA with the same step size
     * \f$\eta\f$: a leapfrog step takes the time \f$\sqrt{2\eta\tau}\f$, or
     * of each trajectory a random share of it between a half and one.
     *
     * With the inverse mass \f$G = LL^T\f$ of StepScales and the momentum
     * \f$p = L^{-T}q\f$, \f$q\f$ is a standard normal vector, the kinetic
     * energy is \f$|q|^2/2\f$, and
     * \f[ \dot x = Lq, \qquad \dot q = -L^T\nabla V(x). \f]
     *
     * Walls reflect: of a velocity \f$v = Lq\f$ that meets the wall of unknown
     * \f$i\f$, what is orthogonal to it in the metric of the mass changes its
     * sign, \f$q \leftarrow q - 2 v_i L^T e_i/G_{ii}\f$. That keeps the energy
     * and the volume, and can be undone, as the leapfrog step can.
     *
     * The length of a trajectory in time is uniform between zero and a
     * multiple of the largest standard deviation in units of \f$L\f$, which is
     * learned in burn-in with the mass; so every scale meets all phases of its
     * oscillation, and none is in resonance.
     */
    class HMC : public TunedKernel
    {
    public:
      struct Parameters
      {
        double        target_acceptance = 0.9;
        Mass          mass              = Mass::automatic;
        NumberList    leapfrog_steps{"adapt"};
        std::uint64_t most_leapfrog_steps = 500;

        /** Declare the parameters in a section of the kernel's own. */
        void
        declare(dealii::ParameterHandler &prm);
      };

      explicit HMC(const KernelParameters &parameters);

      bool
      learns() const override
      {
        return adapt_step_size || needs_burn_in() ||
               parameters.mass != Mass::unit;
      }

      bool
      needs_burn_in() const override
      {
        return given_steps == 0;
      }

      std::unique_ptr<KernelState>
      make_state(const Rung        &rung,
                 const unsigned int dimension,
                 const unsigned int n_levels) const override;

      StepOutcome
      step(const StepContext &context,
           Replica           &replica,
           KernelState       &state) const override;

    private:
      struct State;

      /** A number of leapfrog steps from a uniform number. */
      unsigned int
      n_leaps(const State &state,
              const double time_step,
              const double uniform_number) const;

      /** What is learned of so many unknowns. */
      Learning
      learning_for(const unsigned int dimension) const;

      /** The length of trajectories. */
      void
      learn_more(KernelState &state) const override;

      const Parameters parameters;
      /** What 'Preconditioner' asks for. */
      const NumberList preconditioner;
      /** Largest number of leapfrog steps, or zero if it is learned. */
      const unsigned int given_steps;
    };


    const KernelRegistration<HMC> register_hmc(
      "HMC",
      "Hybrid (Hamiltonian) Monte Carlo; exact, for deterministic energies; far fewer gradients than MALA for many unknowns or strong correlations.");


    struct HMC::State : public KernelStateOf<State, TunedState>
    {
      State(const StepTuning  &tuning,
            const unsigned int dimension,
            const unsigned int n_levels)
        : KernelStateOf(tuning, dimension, n_levels)
        , momentum(dimension)
        , velocity(dimension)
        , force(dimension)
      {}

      template <typename Archive>
      void
      serialize(Archive &archive)
      {
        TunedState::serialize(archive);
        archive &longest_time;
        if (!(longest_time >= 0.) || std::isinf(longest_time))
          throw ArchiveError("the length of trajectories is not a number");
      }

      /** Of a trajectory; zero as long as it is not known. */
      double longest_time = 0.;

      /** \f$q\f$ */
      std::vector<double> momentum;
      /** \f$Lq\f$ */
      std::vector<double> velocity;
      /** \f$L^T\nabla V\f$ */
      std::vector<double> force;

      /** Make the length of trajectories of what has been measured. */
      void
      learn_length()
      {
        // Of the mean of cos(t/sigma) and of its square, over times between
        // zero and this multiple of sigma, both are far from one.
        constexpr double multiple = 2.5;

        const double spread = tuning.spread();
        if (spread > 0. && std::isfinite(spread))
          longest_time = multiple * spread;
      }

      /** Make the force of the gradients at a state. */
      void
      update_force(const Rung &rung, const Evaluation &evaluation)
      {
        for (std::size_t i = 0; i < force.size(); ++i)
          force[i] =
            rung.exponents.reference * evaluation.reference_gradient[i] +
            rung.exponents.potential * evaluation.potential_gradient[i];
        tuning.scales().apply_transposed_root(force);
      }

      void
      kick(const double time)
      {
        for (std::size_t i = 0; i < force.size(); ++i)
          momentum[i] -= time * force[i];
      }

      void
      update_velocity()
      {
        velocity = momentum;
        tuning.scales().apply_root(velocity);
      }

      double
      kinetic_energy() const
      {
        double sum = 0.;
        for (const double entry : momentum)
          sum += entry * entry;
        return 0.5 * sum;
      }

      /** How a drift has ended. */
      enum class Arrival
      {
        inside,
        not_finite,
        /** Reflected so often that nobody waits for its end. */
        never
      };

      /** Move for some time with the present momentum. */
      Arrival
      drift(const StateSpace &space, double time)
      {
        constexpr unsigned int most_reflections = 1000;

        std::vector<double> &position = proposal.position;
        update_velocity();
        if (space.has_bounds())
          for (unsigned int n_reflections = 0;; ++n_reflections)
            {
              std::size_t  wall  = position.size();
              const double until = time_to_first_wall(space, time, wall);
              if (wall == position.size())
                break;
              if (n_reflections == most_reflections)
                return Arrival::never;
              move(until);
              time -= until;
              position[wall] =
                velocity[wall] < 0. ? space[wall].lower : space[wall].upper;
              reflect(wall);
            }
        double magnitude = 0.;
        move(time);
        for (std::size_t i = 0; i < position.size(); ++i)
          {
            // Not but for rounding.
            if (position[i] < space[i].lower)
              position[i] = space[i].lower;
            else if (position[i] > space[i].upper)
              position[i] = space[i].upper;
            magnitude += std::abs(position[i]);
          }
        return std::isfinite(magnitude) ? Arrival::inside : Arrival::not_finite;
      }

    private:
      void
      move(const double time)
      {
        for (std::size_t i = 0; i < velocity.size(); ++i)
          proposal.position[i] += time * velocity[i];
      }

      /** Less than @p time if there is a wall on the way, which is told. */
      double
      time_to_first_wall(const StateSpace &space,
                         const double      time,
                         std::size_t      &wall) const
      {
        double first = time;
        for (std::size_t i = 0; i < velocity.size(); ++i)
          if (velocity[i] != 0.)
            {
              const double bound =
                velocity[i] < 0. ? space[i].lower : space[i].upper;
              const double until =
                std::max(0., (bound - proposal.position[i]) / velocity[i]);
              if (until < first)
                {
                  first = until;
                  wall  = i;
                }
            }
        return first;
      }

      void
      reflect(const std::size_t wall)
      {
        const StepScales &scales = tuning.scales();
        if (!scales.is_dense())
          {
            momentum[wall] = -momentum[wall];
            velocity[wall] = -velocity[wall];
            return;
          }
        const double *row    = scales.row(wall);
        double        square = 0.;
        for (std::size_t j = 0; j <= wall; ++j)
          square += row[j] * row[j];
        const double outward = velocity[wall];
        for (std::size_t j = 0; j <= wall; ++j)
          momentum[j] -= 2. * outward / square * row[j];
        update_velocity();
        // Rounding must not lead through the wall.
        velocity[wall] = -outward;
      }
    };



    void
    HMC::Parameters::declare(dealii::ParameterHandler &prm)
    {
      prm.enter_subsection("HMC");
      prm.add_parameter("Target acceptance",
                        target_acceptance,
                        "Acceptance that the adaptation of HMC aims at.",
                        dealii::Patterns::Double(0.01, 0.99));
      declare_choice(
        prm,
        "Mass",
        mass,
        words_for_mass,
        "Mass matrix of HMC, the inverse of a covariance: 'unit', or learned in burn-in from the variances ('diagonal') or from the correlations, too ('dense'). 'automatic' is what 'Preconditioner' says; if that is 'none', dense for up to 100 unknowns and diagonal for more.");
      declare_number_list(
        prm,
        "Leapfrog steps",
        leapfrog_steps,
        {"adapt"},
        1.,
        false,
        "Largest number of leapfrog steps, that is of gradients, in a step of HMC; each step draws its own number between 1 and this. 'adapt' learns the length of trajectories in burn-in.",
        false);
      declare_whole_number(
        prm,
        "Most leapfrog steps",
        most_leapfrog_steps,
        1,
        "Where 'Leapfrog steps' is 'adapt': no step of HMC takes more.");
      prm.leave_subsection();
    }



    HMC::HMC(const KernelParameters &all)
      : TunedKernel("HMC",
                    all.adapt_step_size,
                    all.of<HMC>().target_acceptance,
                    learning_of(all.preconditioner))
      , parameters(all.of<HMC>())
      , preconditioner(all.preconditioner)
      , given_steps(
          parameters.leapfrog_steps.keyword == "adapt" ?
            0 :
            static_cast<unsigned int>(parameters.leapfrog_steps.numbers[0]))
    {}



    Learning
    HMC::learning_for(const unsigned int dimension) const
    {
      constexpr unsigned int most_dense = 100;

      switch (parameters.mass)
        {
          case Mass::unit:
            return Learning::nothing;
          case Mass::diagonal:
            return Learning::diagonal;
          case Mass::dense:
            return Learning::dense;
          case Mass::automatic:
            break;
        }
      return preconditioner.keyword != "none" ? learning_of(preconditioner) :
             dimension <= most_dense          ? Learning::dense :
                                                Learning::diagonal;
    }



    std::unique_ptr<KernelState>
    HMC::make_state(const Rung        &rung,
                    const unsigned int dimension,
                    const unsigned int n_levels) const
    {
      const Learning what = learning_for(dimension);
      // The length of trajectories, too, comes from covariances.
      StepTuning tuning(rung,
                        dimension,
                        adapt_step_size,
                        target_acceptance,
                        what,
                        what == Learning::dense || dimension < long_array ?
                          PositionMoments::Kind::covariances :
                          PositionMoments::Kind::variances);
      if (parameters.mass == Mass::unit)
        tuning.scales() = StepScales();
      return std::make_unique<State>(tuning, dimension, n_levels);
    }



    unsigned int
    HMC::n_leaps(const State &state,
                 const double time_step,
                 const double uniform_number) const
    {
      // Enough to see how wide the posterior is.
      constexpr double at_first = 10.;

      const double most = static_cast<double>(parameters.most_leapfrog_steps);
      const double longest = given_steps > 0 ?
                               given_steps :
                             state.longest_time > 0. ?
                               std::min(most, state.longest_time / time_step) :
                               std::min(most, at_first);
      return static_cast<unsigned int>(
        std::max(1., std::ceil(uniform_number * longest)));
    }



    StepOutcome
    HMC::step(const StepContext &context,
              Replica           &replica,
              KernelState       &kernel_state) const
    {
      State       &state = static_cast<State &>(kernel_state);
      const Rung  &rung  = context.rung;
      const double full_step =
        std::sqrt(2. * state.tuning.step_size() * rung.temperature);

      RandomKey key = context.key;
      key.purpose   = Purpose::acceptance;
      std::array<double, 3> numbers;
      fill_uniforms(key,
                    dealii::ArrayView<double>(numbers.data(), numbers.size()));
      key.purpose = Purpose::proposal;
      fill_normals(key, dealii::make_array_view(state.momentum));
      key.purpose = Purpose::minibatch;

      // Where the energy is stiffer than elsewhere, a shorter step than the
      // adapted one leads out.
      const double time_step = full_step * (0.5 + 0.5 * numbers[2]);

      const Evaluation &here  = replica.evaluations[rung.level];
      Evaluation       &there = state.proposal.evaluations[rung.level];
      const double      energy_before =
        here.tempered(rung.exponents) + state.kinetic_energy();
      state.proposal.id       = replica.id;
      state.proposal.position = replica.position;
      state.update_force(rung, here);

      StepOutcome        outcome;
      State::Arrival     arrival = State::Arrival::inside;
      const unsigned int n       = n_leaps(state, full_step, numbers[1]);
      for (unsigned int leap = 0; leap < n && arrival == State::Arrival::inside;
           ++leap)
        {
          state.kick(0.5 * time_step);
          arrival = state.drift(context.energy.space(), time_step);
          if (arrival != State::Arrival::inside)
            break;
          state.proposal.invalidate();
          context.energy.evaluate(dealii::make_array_view(
                                    std::as_const(state.proposal.position)),
                                  key,
                                  Request::values_and_gradients,
                                  there);
          there.has_values = there.has_gradients = true;
          outcome.count(Request::values_and_gradients);
          // The way back would meet it, too.
          if (!there.is_finite())
            arrival = State::Arrival::not_finite;
          state.update_force(rung, there);
          state.kick(0.5 * time_step);
        }

      outcome.non_finite = arrival == State::Arrival::not_finite;
      if (arrival == State::Arrival::inside)
        {
          const double log_ratio = energy_before -
                                   there.tempered(rung.exponents) -
                                   state.kinetic_energy();
          outcome.acceptance = metropolis(log_ratio);
          outcome.moved      = numbers[0] < outcome.acceptance;
          if (outcome.moved)
            swap(replica, state.proposal);
        }
      if (context.in_burn_in)
        state.tuning.observe_acceptance(outcome.acceptance);
      return outcome;
    }



    void
    HMC::learn_more(KernelState &state) const
    {
      static_cast<State &>(state).learn_length();
    }
  } // namespace
} // namespace Tempera
