#pragma once

#include "dcube/collective/collective.hpp"

// One line per algorithm, sorted: the collective, then the name. Each is defined in the file that
// has its name, or in the one of the family that it belongs to.
#define DCUBE_COLLECTIVES(ENTRY)      \
  ENTRY(all_to_all_linear)            \
  ENTRY(all_to_all_pairwise)          \
  ENTRY(all_to_allv_linear)           \
  ENTRY(all_to_allv_pairwise)         \
  ENTRY(allgather_recursive_doubling) \
  ENTRY(allreduce_recursive_doubling) \
  ENTRY(barrier_dissemination)        \
  ENTRY(broadcast_binomial)           \
  ENTRY(exscan_recursive_doubling)    \
  ENTRY(gather_binomial)              \
  ENTRY(reduce_binomial)              \
  ENTRY(scan_recursive_doubling)      \
  ENTRY(scatter_binomial)

namespace dcube {

#define DCUBE_DECLARE_KIND(name) extern const CollectiveAlgorithm name##_algorithm;
DCUBE_COLLECTIVES(DCUBE_DECLARE_KIND)
#undef DCUBE_DECLARE_KIND

}  // namespace dcube
