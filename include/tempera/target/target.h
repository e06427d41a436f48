// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_target_target_h
#define tempera_target_target_h

#include <tempera/inference/information.h>
#include <tempera/inference/prior.h>
#include <tempera/output/run_description.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/prior_measure.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  class ForwardTarget;

  /** A start that is to be moved towards the target of its rung. */
  struct WarmStart
  {
    const Ladder      &ladder;
    const unsigned int rung, chain;
    /** Of the run. */
    const std::uint64_t      seed;
    const std::atomic<bool> &stop;
    /** Called every few seconds with how far it is. */
    const std::function<void(const std::string &)> &say;
  };


  /**
   * What is sampled: one law, by as many levels as there are fidelities of it.
   * A family of likelihoods (finite elements, networks, closed forms, a solver
   * of a user's own) is a class of targets. Whoever runs, studies or describes
   * a target does not ask which it is.
   */
  class Target
  {
  public:
    virtual ~Target() = default;

    /** What is known without data; null if that is no law of its own. */
    virtual std::shared_ptr<const PriorMeasure>
    prior() const
    {
      return nullptr;
    }

    /** The recorded unknowns that have a prior of their own; may be empty. */
    virtual const std::vector<Unknown> &
    unknowns() const;

    /** Whether the prior is that of each of the unknowns() by itself. */
    virtual bool
    has_independent_unknowns() const
    {
      return true;
    }

    /** Names of the levels. */
    virtual std::vector<std::string>
    levels() const = 0;

    /**
     * The energy of a level. It is made when it is first asked for, so that a
     * process that never asks never builds it.
     */
    virtual std::shared_ptr<const Energy>
    energy(const std::string &level) = 0;

    /** Whether energy() costs nothing: it is there, or as good as there. */
    virtual bool
    has(const std::string &level) const
    {
      (void)level;
      return true;
    }

    /** Give back the memory of a level that is not needed any more. */
    virtual void
    forget(const std::string &level)
    {
      (void)level;
    }

    /** What an evaluation with gradients costs, in one unit for all levels. */
    virtual double
    cost(const std::string &level)
    {
      return energy(level)->work(Request::values_and_gradients);
    }

    /** How a level is evaluated, in a line; may be empty. */
    virtual std::string
    description(const std::string &level)
    {
      (void)level;
      return "";
    }

    /** Where a chain may begin; a draw from the prior if there is one. */
    virtual std::vector<double>
    start(const RandomKey &key) const;

    /** Whether start() gives different points for different keys. */
    virtual bool
    has_random_starts() const
    {
      return prior() != nullptr;
    }

    /**
     * A point well inside, where a first chain may begin. Empty if one point
     * for all rungs would be one answer for all, so that none may be named
     * either.
     */
    virtual std::vector<double>
    centre() const = 0;

    /** Whether warm_up() is to be called for every rung before sampling. */
    virtual bool
    has_warm_start() const
    {
      return false;
    }

    /** Move a start towards the target of its rung; a line for the log. */
    virtual std::string
    warm_up(const WarmStart &task, std::vector<double> &state)
    {
      (void)task;
      (void)state;
      return "";
    }

    /** Factors of the step sizes, by coordinate; empty if all are one. */
    virtual std::vector<double>
    step_factors() const
    {
      return {};
    }

    /** What the sinks must know: title, priors, data, truth, predictions. */
    virtual void
    describe(const Ladder &ladder, RunDescription &description) const = 0;

    /** Lines for the log: what is sampled, without the rungs. */
    virtual std::string
    layout(const Ladder &ladder) const = 0;

    /** Throw a UserError if the likelihood cannot be left out. */
    virtual void
    check_prior_run() const;

    /** Whether the draws of the coldest rung are from the posterior. */
    virtual bool
    samples_posterior(const Ladder &ladder) const;

    /**
     * Whether different minima of the energy are different answers; not so if
     * they only exchange names, as the neurons of a network.
     */
    virtual bool
    has_distinct_minima() const
    {
      return true;
    }

    /** At most so many draws are worth the work of information(). */
    virtual unsigned int
    most_information_draws() const
    {
      return 1000000;
    }

    /**
     * What the data tell of the unknowns(), averaged over draws of the coldest
     * rung.
     *
     * @param is_stopped See average_information().
     */
    virtual Information
    information(const Ladder                           &ladder,
                const std::vector<std::vector<double>> &draws,
                const std::function<bool()>            &is_stopped)
    {
      (void)ladder;
      (void)draws;
      (void)is_stopped;
      return Information();
    }

    /** How far unknowns without priors and bounds are from zero, roughly. */
    virtual double
    scale() const
    {
      return 1.;
    }

    /** Throw a UserError if gradients cannot be compared with differences. */
    virtual void
    check_gradient_check() const
    {}

    /** The target as one of forward models with data; null if it is none. */
    virtual ForwardTarget *
    forward()
    {
      return nullptr;
    }

    /**
     * On a process that helps another one: until that one has done with it;
     * returns what it said then.
     */
    virtual int
    help()
    {
      return 0;
    }

    /** Let those go who wait in help(), with a word. */
    virtual void
    dismiss_helpers(const int word)
    {
      (void)word;
    }
  };
} // namespace Tempera

#endif
