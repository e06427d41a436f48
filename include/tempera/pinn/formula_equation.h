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
      const unsigned int n = rows.n_rows() + coefficients().size();
      if (residuals.in_jets == nullptr)
        evaluate_as<double>(points, residuals);
      else if (n <= 4)
        evaluate_as<Sacado::Fad::SFad<double, 4>>(points, residuals);
      else if (n <= 8)
        evaluate_as<Sacado::Fad::SFad<double, 8>>(points, residuals);
      else
        evaluate_as<Sacado::Fad::SFad<double, max_active>>(points, residuals);
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
      const std::vector<unsigned int> wanted = orders();

      // Where each row of the jet goes.
      Jet<Number>                      u{};
      std::array<Number *, max_active> entries{};
      entries[0] = &u.value;
      for (unsigned int i = 0; i < n_in; ++i)
        for (unsigned int order = 1; order <= wanted[i]; ++order)
          entries[rows.row(i, order)] =
            i < dim ? (order == 1 ? &u.first[i] : &u.second[i]) :
                      (order == 1 ? &u.velocity : &u.acceleration);
      std::array<Number, max_active> c;

      for (unsigned int q = 0; q < points.n_points; ++q)
        {
          const auto set = [](Number            &entry,
                              const double       value,
                              const unsigned int place) {
            entry = Number(value);
            if constexpr (!is_plain)
              entry.fastAccessDx(place) = 1.;
            else
              (void)place;
          };
          for (unsigned int i = 0; i < n_rows; ++i)
            set(*entries[i], points.jets[q * n_rows + i], i);
          for (unsigned int i = 0; i < n_c; ++i)
            set(c[i], points.coefficients[q * n_c + i], n_rows + i);

          const double *const x = points.inputs + q * n_in;
          const Number        r = static_cast<const Derived &>(*this).residual(
            x, n_in > dim ? x[dim] : 0., u, c.data());
          if constexpr (is_plain)
            residuals.values[q] = r;
          else
            {
              residuals.values[q] = r.val();
              for (unsigned int i = 0; i < n_rows; ++i)
                residuals.in_jets[q * n_rows + i] = r.fastAccessDx(i);
              for (unsigned int i = 0; i < n_c; ++i)
                residuals.in_coefficients[q * n_c + i] =
                  r.fastAccessDx(n_rows + i);
            }
        }
    }

    const JetRows rows;
  };
} // namespace Tempera

#endif
