// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_work_meter_h
#define tempera_sampler_work_meter_h

#include <tempera/base/archive.h>
#include <tempera/sampler/signals.h>

#include <cstdint>
#include <vector>

namespace Tempera
{
  class Ladder;

  /**
   * What the evaluations of a chain have cost. With several processes each
   * counts its own since they last met; a budget is that of all together.
   */
  class WorkMeter
  {
  public:
    /**
     * @param counts_set_up The energies are made once for all chains, and one
     * of these counts it.
     * @param budget In forward solves of the coldest rung; zero for none.
     */
    WorkMeter(const Ladder &ladder,
              const bool    counts_set_up,
              const double  budget);

    /** Take note of evaluations that were made here. */
    void
    count(const unsigned int level,
          const unsigned int n_evaluations,
          const double       its_work)
    {
      work += its_work;
      own_work += its_work;
      evaluations[level] += n_evaluations;
      own_evaluations[level] += n_evaluations;
    }

    /** Whether there is a budget, and it is used up. */
    bool
    is_used_up() const
    {
      return budget > 0. && work + work_elsewhere >= budget * unit;
    }

    /** Work of this process since the last meeting. */
    double
    get_own() const
    {
      return own_work;
    }

    /** The same in forward solves of the coldest rung's level. */
    double
    own_in_solves() const
    {
      return own_work / unit;
    }

    /** Take note of what another meter has counted here. */
    void
    add_own(const WorkMeter &other);

    /** Tell what all processes have done since then. */
    void
    set_all_since_meeting(const double all_work)
    {
      work_elsewhere = all_work - own_work;
    }

    /** Fill in what a report says of work. */
    void
    tell(RunReport &report) const;

    /** Save or load what all have done. */
    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      archive &work;
      serialize_fixed(archive, evaluations);
      if constexpr (Archive::is_loading::value)
        {
          if (!(work >= 0.))
            throw ArchiveError("the work done is negative");
          begin_anew();
        }
    }

    /** At a meeting: what this process has done. */
    template <typename Archive>
    void
    save_own(Archive &archive)
    {
      archive &own_work;
      serialize_fixed(archive, own_evaluations);
    }

    /** Then this one's own, told by all, is not to be counted twice; */
    void
    begin_meeting();

    /** each process's part is added; */
    template <typename Archive>
    void
    load_part(Archive &archive)
    {
      double                     its_work;
      archive                   &its_work;
      std::vector<std::uint64_t> its_evaluations(evaluations.size());
      serialize_fixed(archive, its_evaluations);
      work += its_work;
      for (std::size_t level = 0; level < evaluations.size(); ++level)
        evaluations[level] += its_evaluations[level];
    }

    /** and counting begins anew. */
    void
    begin_anew();

  private:
    /** A forward solve of the coldest rung's level. */
    double unit;
    double budget;
    /** Of the work: making the energies. */
    double set_up_work = 0.;
    /** What all evaluations have cost, in the unit of the energies. */
    double work = 0.;
    /** By level. */
    std::vector<std::uint64_t> evaluations;
    /** Of both: here, since the last meeting. */
    double                     own_work = 0.;
    std::vector<std::uint64_t> own_evaluations;
    /** Work of others since then, as far as it is known. */
    double work_elsewhere = 0.;
  };
} // namespace Tempera

#endif
