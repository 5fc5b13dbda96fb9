#include "dcube/questions/collective.hpp"

namespace dcube {

// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
std::optional<double> bus_factor(CollectiveKind kind, std::uint32_t processes) {
  const double others = processes == 0 ? 0 : (processes - 1.0) / processes;
  switch (kind) {
    case CollectiveKind::allreduce:
      return 2 * others;
    case CollectiveKind::allgather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return 1;
    default:
      return std::nullopt;
  }
}

std::optional<CollectiveBandwidth> bandwidth_of(CollectiveKind kind, std::uint32_t processes,
                                                std::uint64_t bytes, Ticks time) {
  if (time <= Ticks{0}) {
    return std::nullopt;
  }
  CollectiveBandwidth bandwidth{static_cast<double>(bytes) / to_seconds(time)};
  if (const std::optional<double> factor = bus_factor(kind, processes)) {
    bandwidth.bus = bandwidth.algorithm * *factor;
  }
  return bandwidth;
}

std::optional<CollectiveBandwidth> bandwidth_of(const CollectiveAnswer& answer,
                                                const CollectiveRow& row) {
  return row.is_complete() ? bandwidth_of(answer.kind, answer.group_size, row.bytes, row.makespan)
                           : std::nullopt;
}

std::optional<double> ratio_to_best(const CollectiveRow& row, const CollectiveRow& best) {
  return best.makespan > Ticks{0} ? std::optional{static_cast<double>(row.makespan.count()) /
                                                  static_cast<double>(best.makespan.count())}
                                  : std::nullopt;
}

}  // namespace dcube
