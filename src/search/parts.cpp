#include "parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dcube {

std::vector<TrafficPart> parts_of(const Traffic& traffic) {
  std::vector<std::uint32_t> leader(traffic.process_count());
  std::iota(leader.begin(), leader.end(), 0U);
  const auto leader_of = [&](std::uint32_t process) {
    while (leader[process] != process) {
      leader[process] = leader[leader[process]];
      process = leader[process];
    }
    return process;
  };
  for (const Flow& flow : traffic.flows()) {
    const std::uint32_t a = leader_of(flow.from.index());
    const std::uint32_t b = leader_of(flow.to.index());
    leader[std::max(a, b)] = std::min(a, b);
  }
  std::vector<TrafficPart> parts(leader.size());
  for (std::uint32_t process = 0; process < leader.size(); ++process) {
    parts[leader_of(process)].push_back(process);
  }
  std::erase_if(parts, [](const TrafficPart& part) { return part.empty(); });
  return parts;
}

std::vector<Traffic> traffic_of_parts(const std::vector<TrafficPart>& parts,
                                      const Traffic& traffic) {
  std::vector<std::uint32_t> part_of(traffic.process_count());
  std::vector<std::uint32_t> number(traffic.process_count());
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    for (std::uint32_t i = 0; i < parts[part].size(); ++i) {
      part_of[parts[part][i]] = part;
      number[parts[part][i]] = i;
    }
  }
  std::vector<std::vector<Flow>> flows(parts.size());
  for (Flow flow : traffic.flows()) {
    std::vector<Flow>& list = flows[part_of[flow.from.index()]];
    flow.from = ProcessId{number[flow.from.index()]};
    flow.to = ProcessId{number[flow.to.index()]};
    list.push_back(flow);
  }
  std::vector<Traffic> all;
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    all.emplace_back(static_cast<std::uint32_t>(parts[part].size()), std::move(flows[part]));
  }
  return all;
}

}  // namespace dcube
