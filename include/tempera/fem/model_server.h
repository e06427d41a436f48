// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_model_server_h
#define tempera_fem_model_server_h

#include <tempera/fem/fem_model.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Models whose meshes are spread over the processes of
   * ModelSetting::communicator. The first of these processes uses them as if
   * it were alone; the others help: they wait in help() and do their parts of
   * whatever it does.
   */
  class ModelServer
  {
  public:
    /** The word to helpers whose first process has failed. */
    static constexpr int failed = 1;

    /** On all processes, with the same arguments; @p ranges as for
     * make_fem_model(). */
    ModelServer(const ModelSetting                &setting,
                const std::vector<ParameterRange> &ranges);

    /** On the first process: the helpers may go, if dismiss() was not called
     * yet. */
    ~ModelServer();

    /** On the first process: a model, at which the helpers take part. */
    std::shared_ptr<const FemModel>
    make(const FemLevelParameters &level, const SolverParameters &solver);

    /** On the other processes: until the first one has done with them; returns
     * what it said then. */
    int
    help();

    /** On the first process: let the helpers go, with a word. */
    void
    dismiss(const int word);

    class Channel;

  private:
    const ModelSetting                setting;
    const std::vector<ParameterRange> ranges;
    /** Shared with the models, which may outlive this object. */
    const std::shared_ptr<Channel> channel;
  };
} // namespace Tempera

#endif
