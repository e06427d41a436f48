// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/study/identifiability.h>
#include <tempera/study/study.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace Tempera
{
  namespace
  {
    constexpr unsigned int digits = 4;

    /** What a table shows of a number that may not be there. */
    std::string
    cell(const double number, const unsigned int n_digits = digits)
    {
      return std::isnan(number) ? "-" : to_text(number, n_digits);
    }

    /** With three decimals, rounded down: 1.010 is not below 1.01. */
    std::string
    r_hat_text(const double r_hat)
    {
      if (std::isnan(r_hat))
        return "-";
      char buffer[64];
      std::snprintf(buffer,
                    sizeof(buffer),
                    "%.3f",
                    std::floor(1000. * r_hat) / 1000.);
      return buffer;
    }

    std::string
    csv_cell(const double number)
    {
      return std::isfinite(number) ? to_text(number, 6) : "";
    }

    /** The verdict in a word, for the CSV file. */
    std::string
    word(const Finding &finding)
    {
      switch (finding.verdict)
        {
          case Verdict::undecided:
            return "undecided";
          case Verdict::nothing:
            return "nothing";
          case Verdict::little:
            return "little";
          case Verdict::tied:
            return "tied to " + finding.partner;
          case Verdict::ambiguous:
            return "ambiguous";
          case Verdict::unchanged:
            return "unchanged";
          case Verdict::narrowed:
            return "narrowed";
          default:
            return "changed";
        }
    }

    /** A direction as "0.9 alpha - 0.4 kappa", without its small parts. */
    std::string
    combination(const std::vector<double>  &direction,
                const std::vector<Finding> &findings)
    {
      constexpr std::size_t most_terms     = 5;
      constexpr double      least_part     = 0.1;
      const auto            is_larger_than = [&](const unsigned int a,
                                      const unsigned int b) {
        return std::abs(direction[a]) > std::abs(direction[b]);
      };

      std::vector<unsigned int> order(direction.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), is_larger_than);
      // A direction has no sign of its own.
      const double sign = direction[order[0]] < 0. ? -1. : 1.;
      std::string  text;
      const bool   is_one_unknown =
        order.size() == 1 || std::abs(direction[order[1]]) < least_part;
      if (is_one_unknown)
        return findings[order[0]].name;
      for (std::size_t k = 0; k < std::min(most_terms, order.size()); ++k)
        {
          const double part = sign * direction[order[k]];
          if (std::abs(part) >= least_part)
            text += (k == 0    ? "" :
                     part < 0. ? " - " :
                                 " + ") +
                    to_text(std::abs(part), 2) + " " + findings[order[k]].name;
        }
      return text + " (in units of prior sd)";
    }
  } // namespace



  std::string
  Finding::sentence() const
  {
    switch (verdict)
      {
        case Verdict::undecided:
          if (std::isnan(mixing.convergence.r_hat))
            return "undecided about " + name +
                   ": its draws are too few, or all the same; run longer";
          if (information <= Identifiability::least_information)
            return "the data do not determine " + name +
                   ": near the draws they hold less information about it (" +
                   to_text(information, digits) +
                   ") than the prior; its draws are not worth more than where "
                   "they began (R-hat " +
                   r_hat_text(mixing.convergence.r_hat) + ", effective size " +
                   (std::isnan(mixing.convergence.effective_size) ?
                      "unknown" :
                      to_text(std::floor(mixing.convergence.effective_size),
                              6)) +
                   ")";
          if (mixing.replica_r_hat > Identifiability::largest_replica_r_hat)
            return "undecided about " + name + ": the replicas differ (R-hat " +
                   r_hat_text(mixing.replica_r_hat) +
                   " between them), so none moves freely between the answers, "
                   "and their shares mean nothing; use more and hotter rungs, "
                   "or run longer";
          return "undecided about " + name + ": R-hat is " +
                 r_hat_text(mixing.convergence.r_hat) +
                 " and the effective size " +
                 (std::isnan(mixing.convergence.effective_size) ?
                    "unknown" :
                    to_text(std::floor(mixing.convergence.effective_size), 6)) +
                 "; run longer";
        case Verdict::nothing:
          return "the data say nothing about " + name;
        case Verdict::little:
          return "the data say little about " + name +
                 ", less than the prior: information " +
                 to_text(information, digits);
        case Verdict::tied:
          return "the data say nothing about " + name +
                 " by itself, but tie it to " + partner;
        case Verdict::ambiguous:
          return "the data leave " + name +
                 " as open as before, although predictions depend on it "
                 "(information " +
                 to_text(information, digits) + "): many values fit";
        case Verdict::unchanged:
          return "the data say nothing about " + name +
                 " by itself; whether they tie it to others was not computed";
        case Verdict::narrowed:
          return "the data narrow " + name + ": its standard deviation is " +
                 to_text(100. * posterior_deviation / prior_deviation, 2) +
                 " % of the prior's";
        default:
          return "the data change " + name +
                 " without making it narrower: distance " +
                 to_text(distance, 2) + " from the prior";
      }
  }



  Identifiability::Identifiability(const std::vector<Unknown>  &unknowns,
                                   const std::vector<Marginal> &marginals,
                                   const std::vector<Mixing>   &mixing,
                                   const Information           &information)
    : information(information)
  {
    AssertDimension(unknowns.size(), marginals.size());
    AssertDimension(unknowns.size(), mixing.size());
    for (unsigned int i = 0; i < unknowns.size(); ++i)
      {
        const Prior               &prior = unknowns[i].prior;
        const std::vector<double> &draws = marginals[i].get_subset();
        const auto cdf = [&](const double value) { return prior.cdf(value); };
        Moments    probabilities;
        for (const double value : draws)
          probabilities.add(cdf(value));

        Finding finding;
        finding.name            = unknowns[i].name;
        finding.prior_deviation = prior.standard_deviation();
        finding.posterior_deviation =
          marginals[i].moments().standard_deviation();
        finding.distance = distance_from_law(draws, cdf);
        finding.spread   = probabilities.standard_deviation() * std::sqrt(12.);
        finding.information = information.is_known() ?
                                information.matrix(i, i) :
                                std::numeric_limits<double>::quiet_NaN();
        finding.mixing      = mixing[i];
        findings.push_back(finding);
      }
    for (unsigned int i = 0; i < findings.size(); ++i)
      judge(i);
  }



  void
  Identifiability::judge(const unsigned int i)
  {
    Finding &finding = findings[i];
    if (!finding.mixing.convergence.is_good() ||
        !(finding.mixing.replica_r_hat <= largest_replica_r_hat))
      finding.verdict = Verdict::undecided;
    else if (finding.distance > least_distance ||
             finding.spread < largest_ratio)
      finding.verdict =
        finding.posterior_deviation < largest_ratio * finding.prior_deviation ?
          Verdict::narrowed :
          Verdict::changed;
    else if (!information.is_known())
      finding.verdict = Verdict::unchanged;
    else if (finding.information <= negligible_information)
      finding.verdict = Verdict::nothing;
    else if (finding.information <= least_information)
      finding.verdict = Verdict::little;
    else
      {
        unsigned int partner = i;
        for (unsigned int j = 0; j < findings.size(); ++j)
          if (j != i && (partner == i ||
                         information.ties(i, j) > information.ties(i, partner)))
            partner = j;
        const double bound =
          std::sqrt(finding.information * findings[partner].information);
        const bool is_tied = partner != i && information.ties(i, partner) *
                                                 (findings.size() - 1) >=
                                               least_tie * bound;
        finding.verdict = is_tied ? Verdict::tied : Verdict::ambiguous;
        if (is_tied)
          finding.partner = findings[partner].name;
      }
  }



  std::string
  Identifiability::text() const
  {
    std::vector<std::vector<std::string>> rows = {{"unknown",
                                                   "prior sd",
                                                   "posterior sd",
                                                   "KS distance",
                                                   "information",
                                                   "R-hat",
                                                   "ESS"}};
    for (const Finding &finding : findings)
      rows.push_back(
        {finding.name,
         cell(finding.prior_deviation),
         cell(finding.posterior_deviation),
         cell(finding.distance, 2),
         cell(finding.information),
         r_hat_text(finding.mixing.convergence.r_hat),
         cell(std::floor(finding.mixing.convergence.effective_size), 6)});
    std::string text = "\nWhat the data tell, prior against posterior:\n" +
                       aligned_table(rows) + "\n";
    for (const Finding &finding : findings)
      text += "   " + finding.sentence() + "\n";
    return text + eigenvalue_text() +
           "   R-hat of one ladder cannot see an answer that no chain has "
           "found\n";
  }



  std::string
  Identifiability::eigenvalue_text() const
  {
    constexpr std::size_t most_eigenvalues = 6;

    const std::string left_out =
      information.n_skipped > 0 ?
        "   draws left out of the information, not finite: " +
          std::to_string(information.n_skipped) + "\n" :
        "";
    if (!information.is_known())
      return left_out;

    const std::vector<double> &values = information.eigenvalues;
    std::vector<std::string>   parts;
    for (std::size_t k = 0; k < std::min(most_eigenvalues, values.size()); ++k)
      parts.push_back(to_text(values[k], digits));
    std::string text =
      "   eigenvalues of the information (prior: 1), mean of " +
      counted(information.n_draws, "draw") + ": " + join(parts, ", ") +
      (values.size() > parts.size() ? ", ..." : "") + "\n";

    // An average over draws that are not to be trusted does not count. A
    // direction that is open is worth knowing: it may be why they are few.
    const bool is_decided =
      std::all_of(findings.begin(), findings.end(), [](const Finding &finding) {
        return finding.verdict != Verdict::undecided;
      });
    const std::size_t n_informed =
      std::count_if(values.begin(), values.end(), [](const double value) {
        return value > least_information;
      });
    if (is_decided)
      text += "   directions that the data inform more than the prior: " +
              std::to_string(n_informed) + " of " +
              std::to_string(values.size()) +
              (information.n_informed_at_a_draw < n_informed - 0.5 ?
                 ", but only " + to_text(information.n_informed_at_a_draw, 2) +
                   " at a single draw: the data tie the unknowns to each "
                   "other" :
                 "") +
              "\n";
    const std::string open = open_combination();
    if (!open.empty())
      text += "   least informed: " + open + "\n";
    return text + left_out;
  }



  std::string
  Identifiability::open_combination() const
  {
    const std::vector<double> &values = information.eigenvalues;
    if (!information.is_known() || values.size() < 2 ||
        !(values.back() < negligible_information))
      return "";
    return combination(information.directions.back(), findings);
  }



  void
  Identifiability::add_to(Checks &checks) const
  {
    bool any_is_open = false;
    for (const Finding &finding : findings)
      {
        Checks::Finding one;
        one.unknown  = finding.name;
        one.verdict  = word(finding);
        one.sentence = finding.sentence();
        // Undecided ones are told by what they lack.
        one.is_open = finding.verdict == Verdict::nothing ||
                      finding.verdict == Verdict::little ||
                      finding.verdict == Verdict::tied ||
                      finding.verdict == Verdict::ambiguous ||
                      finding.verdict == Verdict::unchanged;
        any_is_open             = any_is_open || one.is_open;
        one.prior_deviation     = finding.prior_deviation;
        one.posterior_deviation = finding.posterior_deviation;
        one.distance            = finding.distance;
        one.information         = finding.information;
        checks.findings.push_back(one);
      }
    // A combination is a single unknown that was named, or says more than that.
    if (any_is_open)
      return;
    checks.open_combination = open_combination();
    // Of a product every factor is narrowed by its prior and the other's, but
    // from each draw there is a way along which nothing changes.
    // On average, directions that turn seem to be informed, be it little.
    const double n = findings.size();
    if (checks.open_combination.empty() && information.is_known() && n > 1. &&
        (information.n_silent_at_a_draw > 0.9 ||
         (information.eigenvalues.back() > least_information &&
          information.n_informed_at_a_draw < n - 0.9)))
      checks.open_combination =
        "near every draw they inform only " +
        to_text(information.n_informed_at_a_draw, 2) + " of " +
        std::to_string(findings.size()) +
        " directions more than the prior does, and tie the unknowns to each "
        "other";
  }



  std::string
  Identifiability::csv() const
  {
    std::string text = "unknown,prior_sd,posterior_sd,ks_distance,information,"
                       "rhat,ess,verdict\n";
    for (const Finding &finding : findings)
      text += join({finding.name,
                    csv_cell(finding.prior_deviation),
                    csv_cell(finding.posterior_deviation),
                    csv_cell(finding.distance),
                    csv_cell(finding.information),
                    csv_cell(finding.mixing.convergence.r_hat),
                    csv_cell(finding.mixing.convergence.effective_size),
                    word(finding)},
                   ",") +
              "\n";
    return text;
  }



  namespace
  {
    class IdentifiabilityStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "information";
      }

      unsigned int
      n_whole_draws(const Target      &target,
                    const RunSettings &settings) const override
      {
        return std::min(target.most_information_draws(),
                        settings.output.n_information_draws);
      }

      std::string
      make(const FinishedRun &run, Checks &checks) const override
      {
        // Of fields, pictures say it: see the study of unknown fields.
        if (!run.has_prior() || !run.target.has_independent_unknowns())
          return "";
        if (!run.samples_posterior())
          return "\nWhat the data tell is not said: the coldest temperature "
                 "is " +
                 to_text(run.ladder[0].temperature, 4) +
                 ", and only draws at temperature 1 are draws from the "
                 "posterior.\n";
        // First what takes solves: the analysis is made meanwhile.
        const Information information =
          run.target.information(run.ladder,
                                 run.whole_draws(
                                   n_whole_draws(run.target, run.settings)),
                                 run.is_stopped);

        std::vector<Marginal> marginals(run.description.names.size());
        for (unsigned int chain = 0; chain < run.recorded.n_chains(); ++chain)
          run.recorded.for_each_draw(chain, [&](const RecordedDraw &draw) {
            if (!draw.is_burn_in)
              for (std::size_t i = 0; i < marginals.size(); ++i)
                marginals[i].add(draw.rungs[0].values[i]);
          });
        std::vector<Mixing> mixing(marginals.size());
        for (std::size_t i = 0; i < mixing.size(); ++i)
          {
            const Analysis::Column &column = run.analysis.get().columns[i];
            mixing[i].convergence          = {column.diagnostics.r_hat,
                                              column.diagnostics.bulk_size};
            if (!std::isnan(column.replica_r_hat))
              mixing[i].replica_r_hat = column.replica_r_hat;
          }
        const Identifiability identifiability(run.target.unknowns(),
                                              marginals,
                                              mixing,
                                              information);
        run.folder.write("identifiability.csv", identifiability.csv());
        identifiability.add_to(checks);
        return identifiability.text();
      }
    };

    const Registration<StudyRegistry, IdentifiabilityStudy>
      registration("identifiability",
                   "What the data tell about each unknown, and what not");
  } // namespace
} // namespace Tempera
