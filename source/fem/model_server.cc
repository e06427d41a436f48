// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/model_server.h>
#include <tempera/fem/partition.h>

#include <deal.II/base/mpi.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <exception>
#include <sstream>
#include <utility>

namespace Tempera
{
  namespace
  {
    enum class Task
    {
      make,
      destroy,
      evaluate,
      transpose,
      release,
      write_fields,
      leave
    };


    /** Everything that a task may need. */
    struct Order
    {
      Task                             task               = Task::leave;
      std::uint64_t                    number             = 0;
      bool                             derivative_follows = false;
      std::vector<double>              numbers;
      std::vector<std::vector<double>> states;
      std::string                      folder, stem;
      unsigned int                     n_times = 0;
      int                              word    = 0;
      FemLevelParameters               level;
      SolverParameters                 solver;

      template <typename Archive>
      void
      serialize(Archive &archive, const unsigned int)
      {
        archive &task &number &derivative_follows &numbers;
        if (task == Task::make)
          {
            level.serialize(archive);
            solver.serialize(archive);
          }
        if (task == Task::write_fields)
          archive &states &folder &stem &n_times;
        if (task == Task::leave)
          archive &word;
      }
    };
  } // namespace


  /** How the first process tells the others what to do. */
  class ModelServer::Channel
  {
  public:
    explicit Channel(const MPI_Comm communicator)
      : communicator(communicator)
      , has_helpers(n_processes(communicator) > 1)
    {}

    void
    tell(Order order)
    {
      if (!has_helpers || is_closed)
        return;
      is_closed = order.task == Task::leave;
      std::ostringstream stream;
      {
        boost::archive::binary_oarchive archive(stream,
                                                boost::archive::no_header);
        archive                        &order;
      }
      std::string   bytes  = stream.str();
      std::uint64_t length = bytes.size();
      MPI_Bcast(&length, 1, MPI_UINT64_T, 0, communicator);
      MPI_Bcast(bytes.data(), int(length), MPI_BYTE, 0, communicator);
    }

    Order
    listen() const
    {
      std::uint64_t length = 0;
      MPI_Bcast(&length, 1, MPI_UINT64_T, 0, communicator);
      std::string bytes(length, '\0');
      MPI_Bcast(bytes.data(), int(length), MPI_BYTE, 0, communicator);
      std::istringstream              stream(bytes);
      boost::archive::binary_iarchive archive(stream,
                                              boost::archive::no_header);
      Order                           result;
      archive                        &result;
      return result;
    }

    const MPI_Comm communicator;
    const bool     has_helpers;
    /** The helpers are gone. */
    bool is_closed = false;
    /** Number of the next model or derivative. */
    std::uint64_t next = 0;
  };


  namespace
  {
    using Channel = ModelServer::Channel;

    class ServedDerivative : public Linearisation
    {
    public:
      ServedDerivative(std::shared_ptr<Channel>             channel,
                       std::shared_ptr<const Linearisation> inner,
                       const std::uint64_t                  number)
        : channel(std::move(channel))
        , inner(std::move(inner))
        , number(number)
      {}

      ~ServedDerivative() override
      {
        Order order;
        order.task   = Task::release;
        order.number = number;
        channel->tell(std::move(order));
      }

      void
      apply_transpose(const dealii::ArrayView<const double> &weights,
                      const dealii::ArrayView<double> &gradient) const override
      {
        Order order;
        order.task   = Task::transpose;
        order.number = number;
        order.numbers.assign(weights.begin(), weights.end());
        channel->tell(std::move(order));
        inner->apply_transpose(weights, gradient);
      }

    private:
      const std::shared_ptr<Channel>             channel;
      const std::shared_ptr<const Linearisation> inner;
      const std::uint64_t                        number;
    };


    class ServedModel : public WrappedFemModel
    {
    public:
      ServedModel(std::shared_ptr<Channel>        channel,
                  std::shared_ptr<const FemModel> inner,
                  const std::uint64_t             number)
        : WrappedFemModel(*inner)
        , channel(std::move(channel))
        , inner(std::move(inner))
        , number(number)
      {}

      ~ServedModel() override
      {
        Order order;
        order.task   = Task::destroy;
        order.number = number;
        channel->tell(std::move(order));
      }

      std::shared_ptr<const Linearisation>
      evaluate(const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<double>       &predictions,
               const bool derivative_follows) const override
      {
        Order order;
        order.task               = Task::evaluate;
        order.number             = number;
        order.derivative_follows = derivative_follows;
        order.numbers.assign(parameters.begin(), parameters.end());
        const std::uint64_t its_number = channel->next++;
        channel->tell(std::move(order));
        return std::make_shared<ServedDerivative>(
          channel,
          inner->evaluate(parameters, predictions, derivative_follows),
          its_number);
      }

      bool
      derivative_is_separate() const override
      {
        return inner->derivative_is_separate();
      }

      SolverWork
      work() const override
      {
        return inner->work();
      }

      std::string
      description() const override
      {
        return inner->description();
      }

      std::string
      gradient_method() const override
      {
        return inner->gradient_method();
      }

      void
      write_fields(const std::vector<std::vector<double>> &states,
                   const FieldFileNames                   &names) const override
      {
        Order order;
        order.task    = Task::write_fields;
        order.number  = number;
        order.states  = states;
        order.folder  = names.folder;
        order.stem    = names.stem;
        order.n_times = names.n_times;
        channel->tell(std::move(order));
        inner->write_fields(states, names);
      }

    private:
      const std::shared_ptr<Channel>        channel;
      const std::shared_ptr<const FemModel> inner;
      const std::uint64_t                   number;
    };
  } // namespace



  ModelServer::ModelServer(const ModelSetting                &setting,
                           const std::vector<ParameterRange> &ranges)
    : setting(setting)
    , ranges(ranges)
    , channel(std::make_shared<Channel>(setting.communicator))
  {}



  ModelServer::~ModelServer()
  {
    // Whoever ends without a word has failed.
    if (channel->has_helpers &&
        dealii::Utilities::MPI::this_mpi_process(channel->communicator) == 0)
      dismiss(std::uncaught_exceptions() > 0 ? failed : 0);
  }



  void
  ModelServer::dismiss(const int word)
  {
    Order order;
    order.task = Task::leave;
    order.word = word;
    channel->tell(std::move(order));
  }



  std::shared_ptr<const FemModel>
  ModelServer::make(const FemLevelParameters &level,
                    const SolverParameters   &solver)
  {
    if (!channel->has_helpers)
      return make_fem_model(setting, level, solver, ranges);
    Order order;
    order.task                 = Task::make;
    order.level                = level;
    order.solver               = solver;
    const std::uint64_t number = channel->next++;
    channel->tell(std::move(order));
    return std::make_shared<ServedModel>(
      channel, make_fem_model(setting, level, solver, ranges), number);
  }



  int
  ModelServer::help()
  {
    std::map<std::uint64_t, std::shared_ptr<const FemModel>>      models;
    std::map<std::uint64_t, std::shared_ptr<const Linearisation>> derivatives;
    std::vector<double>                                           results;
    while (true)
      {
        const Order order = channel->listen();
        const auto  number =
          order.task == Task::make || order.task == Task::evaluate ?
             channel->next++ :
             0;
        try
          {
            switch (order.task)
              {
                case Task::make:
                  models[number] =
                    make_fem_model(setting, order.level, order.solver, ranges);
                  break;
                case Task::destroy:
                  models.erase(order.number);
                  break;
                case Task::evaluate:
                  results.resize(models.at(order.number)->n_predictions());
                  derivatives[number] =
                    models.at(order.number)
                      ->evaluate(dealii::make_array_view(order.numbers),
                                 dealii::make_array_view(results),
                                 order.derivative_follows);
                  break;
                case Task::transpose:
                  results.resize(setting.n_unknowns());
                  derivatives.at(order.number)
                    ->apply_transpose(dealii::make_array_view(order.numbers),
                                      dealii::make_array_view(results));
                  break;
                case Task::release:
                  derivatives.erase(order.number);
                  break;
                case Task::write_fields:
                  models.at(order.number)
                    ->write_fields(order.states,
                                   {order.folder, order.stem, order.n_times});
                  break;
                case Task::leave:
                  return order.word;
              }
          }
        catch (const std::exception &)
          {
            // The first process has met the same, and tells the user.
          }
      }
  }
} // namespace Tempera
