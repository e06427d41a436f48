// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/replica_bytes.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <sstream>

namespace Tempera
{
  namespace
  {
    template <typename Save>
    std::string
    saved(const Save &save)
    {
      std::ostringstream stream;
      {
        boost::archive::binary_oarchive archive(stream,
                                                boost::archive::no_header);
        save(archive);
      }
      return stream.str();
    }

    template <typename Load>
    void
    load(const std::string &bytes, const Load &load_from)
    {
      std::istringstream              stream(bytes);
      boost::archive::binary_iarchive archive(stream,
                                              boost::archive::no_header);
      load_from(archive);
    }
  } // namespace



  std::string
  to_bytes(const Evaluation &evaluation)
  {
    // An archive that saves changes nothing.
    return saved([&](auto &archive) {
      serialize_evaluation(archive, const_cast<Evaluation &>(evaluation));
    });
  }



  void
  from_bytes(const std::string &bytes, Evaluation &evaluation)
  {
    load(bytes,
         [&](auto &archive) { serialize_evaluation(archive, evaluation); });
  }



  std::string
  to_bytes(const Replica &replica)
  {
    return saved([&](auto &archive) {
      serialize_replica(archive, const_cast<Replica &>(replica));
    });
  }



  void
  from_bytes(const std::string &bytes, Replica &replica)
  {
    load(bytes, [&](auto &archive) { serialize_replica(archive, replica); });
  }
} // namespace Tempera
