#pragma once

#include "dcube/collective/collective.hpp"

// One line per algorithm, sorted; each is defined in the file of its name or family.
#define DCUBE_COLLECTIVES(ENTRY)            \
  ENTRY(all_to_all_bine)                    \
  ENTRY(all_to_all_bruck)                   \
  ENTRY(all_to_all_linear)                  \
  ENTRY(all_to_all_pairwise)                \
  ENTRY(all_to_all_shifted)                 \
  ENTRY(all_to_all_spread)                  \
  ENTRY(all_to_all_spread_bruck)            \
  ENTRY(all_to_all_torus_linear)            \
  ENTRY(all_to_allv_linear)                 \
  ENTRY(all_to_allv_pairwise)               \
  ENTRY(allgather_bruck)                    \
  ENTRY(allgather_bucket)                   \
  ENTRY(allgather_bucket_balanced)          \
  ENTRY(allgather_disjoint_rings)           \
  ENTRY(allgather_neighbour_exchange)       \
  ENTRY(allgather_pat)                      \
  ENTRY(allgather_recursive_doubling)       \
  ENTRY(allgather_ring)                     \
  ENTRY(allgather_swing)                    \
  ENTRY(allreduce_bucket)                   \
  ENTRY(allreduce_bucket_balanced)          \
  ENTRY(allreduce_disjoint_rings)           \
  ENTRY(allreduce_disjoint_trees)           \
  ENTRY(allreduce_double_tree)              \
  ENTRY(allreduce_hierarchical)             \
  ENTRY(allreduce_hierarchical_rails)       \
  ENTRY(allreduce_rabenseifner)             \
  ENTRY(allreduce_recursive_doubling)       \
  ENTRY(allreduce_ring)                     \
  ENTRY(allreduce_swing_bandwidth)          \
  ENTRY(allreduce_swing_latency)            \
  ENTRY(allreduce_torus_rabenseifner)       \
  ENTRY(allreduce_torus_recursive_doubling) \
  ENTRY(barrier_dissemination)              \
  ENTRY(broadcast_bine_bandwidth)           \
  ENTRY(broadcast_bine_latency)             \
  ENTRY(broadcast_binomial)                 \
  ENTRY(broadcast_disjoint_trees)           \
  ENTRY(broadcast_double_tree)              \
  ENTRY(broadcast_kary)                     \
  ENTRY(broadcast_pipelined)                \
  ENTRY(broadcast_scatter_allgather)        \
  ENTRY(broadcast_scatter_ring)             \
  ENTRY(broadcast_split_binary)             \
  ENTRY(exscan_linear)                      \
  ENTRY(exscan_recursive_doubling)          \
  ENTRY(gather_bine)                        \
  ENTRY(gather_binomial)                    \
  ENTRY(gather_linear)                      \
  ENTRY(reduce_bine_bandwidth)              \
  ENTRY(reduce_bine_latency)                \
  ENTRY(reduce_binomial)                    \
  ENTRY(reduce_disjoint_trees)              \
  ENTRY(reduce_double_tree)                 \
  ENTRY(reduce_kary)                        \
  ENTRY(reduce_pipelined)                   \
  ENTRY(reduce_rabenseifner)                \
  ENTRY(reduce_scatter_bucket)              \
  ENTRY(reduce_scatter_bucket_balanced)     \
  ENTRY(reduce_scatter_disjoint_rings)      \
  ENTRY(reduce_scatter_pairwise)            \
  ENTRY(reduce_scatter_pat)                 \
  ENTRY(reduce_scatter_recursive_halving)   \
  ENTRY(reduce_scatter_ring)                \
  ENTRY(reduce_scatter_swing)               \
  ENTRY(scan_linear)                        \
  ENTRY(scan_recursive_doubling)            \
  ENTRY(scatter_bine)                       \
  ENTRY(scatter_binomial)                   \
  ENTRY(scatter_disjoint_trees)             \
  ENTRY(scatter_linear)

namespace dcube {

#define DCUBE_DECLARE_KIND(name) extern const CollectiveAlgorithm name##_algorithm;
DCUBE_COLLECTIVES(DCUBE_DECLARE_KIND)
#undef DCUBE_DECLARE_KIND

}  // namespace dcube
