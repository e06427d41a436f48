// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_parameter_sections_h
#define tempera_base_parameter_sections_h

#include <functional>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /**
   * What a parameter file says, as text, before its parameters are declared:
   * some of what it says decides which parameters there are.
   */
  class ParameterSource
  {
  public:
    using Path = std::vector<std::string>;

    virtual ~ParameterSource() = default;

    /** The last value given to a parameter, or @p default_value. */
    virtual std::string
    value_of(const Path        &section,
             const std::string &name,
             const std::string &default_value) const = 0;

    /** Whether anything is said in a section, even if it sets nothing. */
    virtual bool
    has_section(const Path &section) const = 0;

    /** The parameters that are set in a section, each once. */
    virtual std::vector<std::string>
    names_in(const Path &section) const = 0;

    /** The sections within a section, each once. */
    virtual std::vector<std::string>
    sections_in(const Path &section) const = 0;
  };


  /** Where components declare their parameters, each in its section. */
  class ParameterSections
  {
  public:
    using Path = std::vector<std::string>;

    virtual ~ParameterSections() = default;

    /** Call @p declare in a section. */
    virtual void
    add(const Path                                            &section,
        const std::function<void(dealii::ParameterHandler &)> &declare) = 0;

    /**
     * The same for a struct with a function declare(); what the file says is
     * then in the struct, which must live as long as this object.
     */
    template <class Values>
    void
    add_struct(const Path &section, Values &values)
    {
      add(section, [&](dealii::ParameterHandler &prm) { values.declare(prm); });
    }
  };


  /** Declares the parameters in deal.II's handler. */
  class HandlerSections : public ParameterSections
  {
  public:
    /** @param prm Must outlive this object. */
    explicit HandlerSections(dealii::ParameterHandler &prm)
      : prm(prm)
    {}

    void
    add(
      const Path                                            &section,
      const std::function<void(dealii::ParameterHandler &)> &declare) override;

  private:
    dealii::ParameterHandler &prm;
  };
} // namespace Tempera

#endif
