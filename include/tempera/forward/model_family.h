// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_forward_model_family_h
#define tempera_forward_model_family_h

#include <tempera/forward/forward_model.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** A model whose derivative is computed in a certain way. */
  struct GradientVariant
  {
    std::string                         method;
    std::shared_ptr<const ForwardModel> model;
    /** How exact the derivative claims to be, relative to itself. */
    double accuracy = 1e-8;
    /** Whether these are finite differences. */
    bool is_difference = false;
  };


  /** The forward models of one problem: a model for each level. */
  class ModelFamily
  {
  public:
    virtual ~ModelFamily() = default;

    virtual std::vector<std::string>
    levels() const = 0;

    /** Make the model of a level; this may factorise matrices. */
    virtual std::shared_ptr<const ForwardModel>
    make(const std::string &level) = 0;

    /**
     * The same level, once refined in everything that has a fineness; null if
     * that cannot be done.
     *
     * @param prepares Whether to spend on set-up what makes many evaluations
     * cheap (SolverWork::set_up).
     */
    virtual std::shared_ptr<const ForwardModel>
    make_refined(const std::string &level, const bool prepares)
    {
      (void)level;
      (void)prepares;
      return nullptr;
    }

    /**
     * The same level with more integration points, which see what lies between
     * the others; null if there are none.
     */
    virtual std::shared_ptr<const ForwardModel>
    make_reintegrated(const std::string &level)
    {
      (void)level;
      return nullptr;
    }

    /** What would make a level finer, in words of the parameter file. */
    virtual std::string
    refinement_advice(const std::string &level) const
    {
      (void)level;
      return "";
    }

    /** A level with every way to its derivative; empty for the one it has. */
    virtual std::vector<GradientVariant>
    make_gradient_variants(const std::string &level)
    {
      (void)level;
      return {};
    }

    /** Relative accuracy that one may expect of predictions. */
    virtual double
    accuracy() const
    {
      return 1e-13;
    }

    /** Exact predictions; empty if they are not known. */
    virtual std::vector<double>
    exact_predictions(const std::vector<double> &parameters) const
    {
      (void)parameters;
      return {};
    }

    /** Whether measurements have a time. */
    virtual bool
    has_time() const
    {
      return false;
    }

    /** Parameters that are the coordinates of a place; may be empty. */
    virtual std::vector<unsigned int>
    place_parameters() const
    {
      return {};
    }

    /** See Target::help(). */
    virtual int
    help()
    {
      return 0;
    }

    virtual void
    dismiss_helpers(const int word)
    {
      (void)word;
    }
  };
} // namespace Tempera

#endif
