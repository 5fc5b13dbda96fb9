#pragma once

#include "dcube/program/program.hpp"

// One line per program, sorted. Each is defined in the file of its name, here or in the room of
// workloads; those named as a collective are in collective.cpp.
#define DCUBE_PROGRAMS(PROGRAM) \
  PROGRAM(all_to_all)           \
  PROGRAM(allgather)            \
  PROGRAM(allreduce)            \
  PROGRAM(barrier)              \
  PROGRAM(bitonic_sort)         \
  PROGRAM(broadcast)            \
  PROGRAM(cc_dcube)             \
  PROGRAM(chakra)               \
  PROGRAM(collapse)             \
  PROGRAM(collective)           \
  PROGRAM(fft)                  \
  PROGRAM(goal)                 \
  PROGRAM(knapsack)             \
  PROGRAM(load_balance)         \
  PROGRAM(maze)                 \
  PROGRAM(otf2)                 \
  PROGRAM(pattern)              \
  PROGRAM(reduce_scatter)       \
  PROGRAM(replication)          \
  PROGRAM(subcube_exchange)     \
  PROGRAM(template_matching)    \
  PROGRAM(ti)                   \
  PROGRAM(traffic)              \
  PROGRAM(transformer)

namespace dcube {

#define DCUBE_DECLARE_KIND(name) extern const ProgramKind name##_kind;
DCUBE_PROGRAMS(DCUBE_DECLARE_KIND)
#undef DCUBE_DECLARE_KIND

}  // namespace dcube
