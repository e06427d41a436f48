// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_formula_equation_h
#define tempera_pinn_formula_equation_h

#include <tempera/pinn/equation.h>
#include <tempera/pinn/network.h>

#include <Sacado.hpp>
#include <array>

namespace Tempera
{
  /** A solution with its derivatives at a point. */
  template <typename Number>
  struct Jet
  {
    Number value;
    /** First and second derivatives in each coordinate. */
    std::array<Number, 2> first, second;
    /** \f$u_t\f$ and \f$u_{tt}\f$ */
    Number velocity, acceleration;
  };


  /**
   * An equation whose left hand side is one formula. @p Derived has
   * @code
   *   template <typename Number>
   *   Number residual(const double *x, const double t,
   *                   const Jet<Number> &u, const Number *coefficients) const;
   * @endcode
   * which may use the derivatives up to the orders that it has given to the
   * constructor. Sacado differentiates it.
   */
  template <class Derived>
  class FormulaEquation : public NetworkEquation
  {
  public:
    void
    evaluate(const ResidualPoints &points,
             const Residuals      &residuals) const final
    {
      using namespace Sacado::Fad;
      if (residuals.in_jets == nullptr)
        return evaluate_as<double>(points, residuals);
      // Derivatives that are not wanted would cost time at every point.
      switch (rows.n_rows() + (residuals.in_coefficients != nullptr ?
                                 coefficients().size() :
                                 0))
        {
          case 3:
            return evaluate_as<SFad<double, 3>>(points, residuals);
          case 4:
            return evaluate_as<SFad<double, 4>>(points, residuals);
          case 5:
            return evaluate_as<SFad<double, 5>>(points, residuals);
          case 6:
            return evaluate_as<SFad<double, 6>>(points, residuals);
          case 7:
            return evaluate_as<SFad<double, 7>>(points, residuals);
          default:
            return evaluate_as<SFad<double, max_active>>(points, residuals);
        }
    }

  protected:
    FormulaEquation(const unsigned int       dimension,
                    const unsigned int       order_in_space,
                    const unsigned int       order_in_time,
                    std::vector<Coefficient> all_coefficients)
      : NetworkEquation(dimension,
                        order_in_space,
                        order_in_time,
                        std::move(all_coefficients))
      , rows(orders())
    {
      AssertThrow(rows.n_rows() + coefficients().size() <= max_active,
                  dealii::ExcMessage("An equation has too many coefficients."));
      const std::vector<unsigned int> wanted = orders();
      for (unsigned int input = 0; input < wanted.size(); ++input)
        for (unsigned int order = 1; order <= wanted[input]; ++order)
          places[rows.row(input, order)] = {input, order};
    }

  private:
    static constexpr unsigned int max_active = 16;

    template <typename Number>
    void
    evaluate_as(const ResidualPoints &points, const Residuals &residuals) const
    {
      constexpr bool     is_plain = std::is_same<Number, double>::value;
      const unsigned int n_rows   = rows.n_rows();
      const unsigned int n_c      = coefficients().size();
      const unsigned int dim      = dimension();
      const unsigned int n_in     = n_inputs();

      // Everything is differentiated by; only values change from point to
      // point.
      Jet<Number>                      u{};
      std::array<Number, max_active>   c{};
      std::array<Number *, max_active> entries{};
      for (unsigned int row = 0; row < n_rows; ++row)
        entries[row] = entry_of(u, places[row]);
      for (unsigned int i = 0; i < n_c; ++i)
        entries[n_rows + i] = &c[i];
      const bool with_coefficients = residuals.in_coefficients != nullptr;
      if constexpr (!is_plain)
        for (unsigned int i = 0; i < n_rows + (with_coefficients ? n_c : 0);
             ++i)
          entries[i]->fastAccessDx(i) = 1.;
      const auto set = [&](const unsigned int i, const double value) {
        if constexpr (is_plain)
          *entries[i] = value;
        else
          entries[i]->val() = value;
      };

      for (unsigned int q = 0; q < points.n_points; ++q)
        {
          for (unsigned int i = 0; i < n_rows; ++i)
            set(i, points.jets[q * n_rows + i]);
          for (unsigned int i = 0; i < n_c; ++i)
            set(n_rows + i, points.coefficients[q * n_c + i]);

          const double *const x = points.inputs + q * n_in;
          const Number        r = static_cast<const Derived &>(*this).residual(
            x, n_in > dim ? x[dim] : 0., std::as_const(u), c.data());
          if constexpr (is_plain)
            residuals.values[q] = r;
          else
            {
              residuals.values[q] = r.val();
              for (unsigned int i = 0; i < n_rows; ++i)
                residuals.in_jets[q * n_rows + i] = r.fastAccessDx(i);
              if (with_coefficients)
                for (unsigned int i = 0; i < n_c; ++i)
                  residuals.in_coefficients[q * n_c + i] =
                    r.fastAccessDx(n_rows + i);
            }
        }
    }

    /** What a row of the jet is. */
    struct Place
    {
      unsigned int input, order;
    };

    template <typename Number>
    Number *
    entry_of(Jet<Number> &u, const Place &place) const
    {
      if (place.order == 0)
        return &u.value;
      if (place.input < dimension())
        return place.order == 1 ? &u.first[place.input] :
                                  &u.second[place.input];
      return place.order == 1 ? &u.velocity : &u.acceleration;
    }

    const JetRows                 rows;
    std::array<Place, max_active> places{};
  };
} // namespace Tempera

#endif
