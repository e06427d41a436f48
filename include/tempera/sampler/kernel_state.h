// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_kernel_state_h
#define tempera_sampler_kernel_state_h

// For those who write kernels.

#include <tempera/base/archive.h>
#include <tempera/sampler/kernel.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

namespace Tempera
{
  /** A state that is saved and loaded by its own serialize(). */
  template <class State, class Base = KernelState>
  class KernelStateOf : public Base
  {
  public:
    using Base::Base;

    void
    save(boost::archive::binary_oarchive &archive) const override
    {
      // An archive that saves changes nothing.
      const_cast<State &>(static_cast<const State &>(*this)).serialize(archive);
    }

    void
    load(boost::archive::binary_iarchive &archive) override
    {
      static_cast<State &>(*this).serialize(archive);
    }
  };
} // namespace Tempera

#endif
