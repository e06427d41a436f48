# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Small files spend their time on the headers that they share. Some are compiled
# together, room by room, which saves minutes of a whole build. Two files of a
# group must not use one name for two things; -DTEMPERA_UNITY=OFF compiles each
# file alone.

option(TEMPERA_UNITY "Compile small files together" ON)
if(TEMPERA_UNITY)
  set_target_properties(${all_groups} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)

  # unity_group(NAME FILE...)
  function(unity_group name)
    foreach(file ${ARGN})
      set_source_files_properties(${PROJECT_SOURCE_DIR}/source/${file}.cc
        PROPERTIES UNITY_GROUP ${name})
    endforeach()
  endfunction()

  unity_group(analytic
    analytic/analytic_energy analytic/banana analytic/decorators analytic/double_well
    analytic/funnel analytic/gaussian analytic/gaussian_mixture analytic/ring
    analytic/student_t analytic/analytic_target)
  unity_group(base base/file_digest base/moments base/parameter_sections base/patterns base/text base/utf8 base/vector_units)
  unity_group(sampler
    sampler/absent_energy sampler/adam sampler/adaptation sampler/dealing
    sampler/energy sampler/ensemble sampler/guarded_energy sampler/kernel
    sampler/ladder sampler/outbox sampler/peers sampler/replica_bytes
    sampler/signals sampler/state_space sampler/tuned_kernel)
  # The parts of a round: calls between them are as frequent as steps.
  unity_group(exchange sampler/chain_state sampler/explorer sampler/look_ahead
    sampler/pair_energies sampler/replica_exchange sampler/swapper sampler/work_meter)
  unity_group(walks sampler/differences sampler/kernel_sequence sampler/prior_draws
    sampler/random_walk)
  unity_group(field_walks sampler/crank_nicolson sampler/gpcn sampler/laplace sampler/pcn
    sampler/pcn_langevin)
  unity_group(sinks
    output/draw_subset output/folder_lock output/journal output/marginal output/output_parameters
    output/progress output/round_trips output/run_folder
    output/run_times output/statistics_file output/temporary_file)
  unity_group(record output/record output/record_file output/recorded_run)
  unity_group(statistics output/missed_modes output/rank_histogram)
  unity_group(levels output/level_draws output/level_predictions output/mesh_error_bar
    output/samples_levels)
  unity_group(findings output/checks output/draws_so_far output/json output/prior_conflict)
  unity_group(pictures output/canvas output/samples_picture)
  unity_group(reports output/report output/report_data output/report_levels
    output/report_statistics)
  unity_group(run run/run run/run_processes run/run_results run/run_settings
    run/expected_time)
  unity_group(processes driver/failure_board driver/launch run/process_layout)
  unity_group(commands driver/design driver/export driver/summary driver/watch)
  unity_group(studies study/simulate study/truth study/posterior_grid study/evaluation_progress)
  unity_group(maxima study/map study/normal_coordinates study/posterior_maxima)
  unity_group(designs study/ladder_design study/ladder_options study/ladder_pilot)
  unity_group(inference inference/likelihood inference/posterior inference/prior
    inference/independent_prior inference/prior_energy inference/product_prior
    inference/observations)
  unity_group(target target/target target/target_type target/energy_target
    target/forward_target)
endif()
