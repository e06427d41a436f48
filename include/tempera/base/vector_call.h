// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_vector_call_h
#define tempera_base_vector_call_h

#include <tempera/base/vector_units.h>

namespace Tempera
{
  /**
   * Run a loop with the best vector units of this processor: it is compiled
   * once for each kind, with all that it calls, and nothing else is. For loops
   * of templates, which `*_loops.cc` must not contain; others belong there.
   */
  template <class Loop>
  void
  with_vector_units(const Loop &loop);

  namespace internal
  {
    // An inline function is kept in one copy for all kinds of units: so all
    // that is called must vanish here, which is what flattening does.
    template <class Loop>
    [[gnu::flatten]] void
    run_baseline(const Loop &loop)
    {
      loop();
    }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    template <class Loop>
    [[gnu::flatten, gnu::target("arch=x86-64-v3")]] void
    run_v3(const Loop &loop)
    {
      loop();
    }

    template <class Loop>
    [[gnu::flatten, gnu::target("arch=x86-64-v4,prefer-vector-width=512")]] void
    run_v4(const Loop &loop)
    {
      loop();
    }
#else
    template <class Loop>
    void
    run_v3(const Loop &loop)
    {
      run_baseline(loop);
    }

    template <class Loop>
    void
    run_v4(const Loop &loop)
    {
      run_baseline(loop);
    }
#endif
  } // namespace internal



  template <class Loop>
  void
  with_vector_units(const Loop &loop)
  {
    for_vector_units(internal::run_baseline<Loop>,
                     internal::run_v3<Loop>,
                     internal::run_v4<Loop>)(loop);
  }
} // namespace Tempera

#endif
