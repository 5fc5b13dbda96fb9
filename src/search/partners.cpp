#include "partners.hpp"

#include <algorithm>
#include <map>

namespace dcube {

Partners::Partners(const Traffic& traffic, Objective objective) {
  const bool by_bytes = objective == Objective::hop_bytes || objective == Objective::link_load;
  std::vector<std::map<std::uint32_t, std::uint64_t>> weights(traffic.process_count());
  for (const Flow& flow : traffic.flows()) {
    const std::uint64_t weight = by_bytes ? flow.bytes : 1;
    weights[flow.from.index()][flow.to.index()] += weight;
    weights[flow.to.index()][flow.from.index()] += weight;
    total_weight_ += weight;
  }
  first_.push_back(0);
  for (const auto& of_process : weights) {
    for (const auto& [process, weight] : of_process) {
      partners_.push_back({ProcessId{process}, weight});
    }
    first_.push_back(partners_.size());
  }
}

std::size_t Partners::most_partners() const {
  std::size_t most = 0;
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    most = std::max(most, of(process).size());
  }
  return most;
}

}  // namespace dcube
