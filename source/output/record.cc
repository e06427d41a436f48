// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/prediction.h>
#include <tempera/output/record.h>

namespace Tempera
{
  namespace
  {
    RunDescription
    of_chain(RunDescription description, const unsigned int chain)
    {
      description.chain = chain;
      return description;
    }
  } // namespace



  Record::Record(const RunFolder      &folder,
                 const RunDescription &description,
                 const unsigned int    chain)
    : description(of_chain(description, chain))
    , path(folder.file(record_name(chain)))
    , n_columns(description.columns().size())
    , round_trips(description.kernels.size())
  {
    const DrawLayout layout(description);
    draw.swaps.resize(layout.n_pairs);
    draw.rungs.resize(layout.n_rungs);
    values.resize(layout.n_rungs * n_columns);
    for (unsigned int rung = 0; rung < layout.n_rungs; ++rung)
      draw.rungs[rung].values = values.data() + rung * n_columns;
  }



  void
  Record::begin()
  {
    file = std::make_unique<RecordFile>(path, description);
  }



  void
  Record::resume(const std::uint64_t length,
                 const double        pilot_work,
                 const bool          has_changed)
  {
    description.pilot_work = pilot_work;
    file = std::make_unique<RecordFile>(path, description, length);
    if (has_changed)
      file->append(description);
  }



  void
  Record::connect(Signals &signals)
  {
    round_trips.connect(signals);
    signals.swap_attempted.connect([this](const SwapAttempt &attempt) {
      if (attempt.pair < draw.swaps.size())
        {
          ++draw.swaps[attempt.pair].attempts;
          draw.swaps[attempt.pair].accepted += attempt.accepted;
        }
    });
    signals.draw.connect([this](const Draw &one) { add(one); });
    if (description.n_level_rungs > 0 && description.n_recorded_rungs > 0)
      signals.level_draw.connect([this](const LevelDraw &one) { add(one); });
    if (description.has_potentials)
      signals.potential.connect([this](const KnownPotential &one) {
        potentials.push_back(one);
        if (potentials.size() == most_waiting)
          append_potentials();
      });
    signals.hundredth_done.connect(
      [this](const RunReport &report) { file->append(report); });
    signals.progress.connect(
      [this](const std::uint64_t) { file->begin_flush(); });
    signals.end_of_run.connect([this](const RunReport &) {
      append_potentials();
      file->flush();
    });
  }



  void
  Record::append_potentials()
  {
    for (const KnownPotential &one : potentials)
      file->append(one);
    potentials.clear();
  }



  void
  Record::fill_columns(const dealii::ArrayView<const double> &position,
                       double                                *place) const
  {
    for (const unsigned int i : description.indices)
      *place++ = position[i];
    if (!description.derived_names.empty())
      description.derive(
        position,
        dealii::ArrayView<double>(place, description.derived_names.size()));
  }



  void
  Record::add(const LevelDraw &one)
  {
    level_values.resize(n_columns);
    fill_columns(one.position, level_values.data());
    file->append(RecordedLevelDraw{one.rung,
                                   one.own_round,
                                   one.energy,
                                   one.finer_energy,
                                   level_values.data()});
  }



  void
  Record::add(const Draw &one)
  {
    if (one.rung >= draw.rungs.size())
      return;
    RecordedRung &rung = draw.rungs[one.rung];
    rung.reference     = one.reference;
    rung.potential     = one.potential;
    rung.step_size     = one.step_size;
    rung.acceptance    = one.acceptance;
    rung.non_finite    = one.non_finite;
    rung.replica       = one.replica;
    fill_columns(one.position, values.data() + one.rung * n_columns);

    // The draws of a round come one after the other, the coldest first.
    if (one.rung == 0 && !one.is_burn_in)
      add_prediction(one);
    if (one.rung + 1 < draw.rungs.size())
      return;
    draw.round       = one.round;
    draw.is_burn_in  = one.is_burn_in;
    draw.round_trips = round_trips.count();
    file->append(draw);
    for (RecordedSwaps &pair : draw.swaps)
      pair = RecordedSwaps();
    n_draws += !one.is_burn_in;
  }



  void
  Record::add_prediction(const Draw &one)
  {
    if (n_draws % prediction_stride != 0)
      return;
    if (one.predictions.size() > 0)
      prediction.values.assign(one.predictions.begin(), one.predictions.end());
    else if (description.prediction)
      {
        prediction.values.resize(description.prediction->places.size());
        description.prediction->evaluate(
          one.position, dealii::make_array_view(prediction.values));
        if (description.measure)
          {
            const std::size_t n_curve = prediction.values.size();
            prediction.values.resize(n_curve + description.measurements.size());
            description.measure(
              one.position,
              dealii::ArrayView<double>(prediction.values.data() + n_curve,
                                        description.measurements.size()));
          }
      }
    else
      return;
    prediction.round = one.round;
    prediction.draw  = n_draws;
    file->append(prediction);
    if (++n_predictions == most_predictions)
      {
        n_predictions /= 2;
        prediction_stride *= 2;
      }
  }
} // namespace Tempera
