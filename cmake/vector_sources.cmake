# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Inner loops that are compiled once for each kind of vector unit; the program
# takes the best that the processor has (tempera/base/vector_units.h). Such a file
# includes no header with inline functions: the linker keeps one copy of these, and
# it might be one that the processor cannot run.

file(GLOB vector_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/source/*/*_loops.cc)
list(REMOVE_ITEM tempera_sources ${vector_sources})

# Elsewhere all three are the same.
set(is_x86 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(is_x86 ON)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/source/base/vector_units.cc PROPERTIES
    COMPILE_DEFINITIONS TEMPERA_HAS_X86_LOOPS)
endif()

set(vector_objects)
foreach(units baseline v3 v4)
  add_library(tempera_loops_${units} OBJECT ${vector_sources})
  target_include_directories(tempera_loops_${units} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(tempera_loops_${units} PRIVATE TEMPERA_UNITS=${units})
  target_compile_options(tempera_loops_${units} PRIVATE ${formula_options} -Wno-psabi)
  if(is_x86 AND NOT units STREQUAL baseline)
    target_compile_options(tempera_loops_${units} PRIVATE -march=x86-64-${units})
  endif()
  set_target_properties(tempera_loops_${units} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  list(APPEND vector_objects $<TARGET_OBJECTS:tempera_loops_${units}>)
endforeach()
