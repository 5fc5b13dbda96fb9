#pragma once

#include <cstdint>
#include <optional>

#include "dcube/collective/collective.hpp"
#include "dcube/core/time.hpp"

namespace dcube::app {

/// As nccl-tests defines them, in bytes a second.
struct CollectiveBandwidth {
  double algorithm = 0;         ///< the size / the time
  std::optional<double> bus{};  ///< the same whatever the number of processes, where links are full
};

/// The bus bandwidth of nccl-tests / the algorithm bandwidth: 2 (n-1)/n for allreduce, (n-1)/n for
/// allgather, reduce_scatter, all_to_all, gather and scatter, 1 for broadcast and reduce. Nothing
/// for collectives that it does not have.
std::optional<double> bus_factor(CollectiveKind kind, std::uint32_t processes);

/// `bytes` is the size as nccl-tests counts it: of what each process has (allreduce, reduce,
/// broadcast, reduce_scatter, all_to_all), or of what one has at the end or the beginning
/// (allgather, gather; scatter). Nothing for a run that took no time.
std::optional<CollectiveBandwidth> bandwidth_of(CollectiveKind kind, std::uint32_t processes,
                                                std::uint64_t bytes, Ticks time);

}  // namespace dcube::app
