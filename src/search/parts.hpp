#pragma once

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

/// Processes that flows join with each other and with no others, ascending.
using TrafficPart = std::vector<std::uint32_t>;

/// All parts, by their first process.
inline std::vector<TrafficPart> parts_of(const Traffic& traffic) {
  boost::disjoint_sets_with_storage<> joined{traffic.process_count()};
  for (const Flow& flow : traffic.flows()) {
    joined.union_set(flow.from.index(), flow.to.index());
  }
  std::vector<TrafficPart> parts(traffic.process_count());  // by the first process
  std::vector<std::optional<std::uint32_t>> first(traffic.process_count());
  for (std::uint32_t process = 0; process < traffic.process_count(); ++process) {
    std::optional<std::uint32_t>& of_part = first[joined.find_set(process)];
    of_part = of_part.value_or(process);
    parts[*of_part].push_back(process);
  }
  std::erase_if(parts, [](const TrafficPart& part) { return part.empty(); });
  return parts;
}

/// Traffic of each part, whose processes are numbered in their order.
inline std::vector<Traffic> traffic_of_parts(const std::vector<TrafficPart>& parts,
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

/// Parts of equal traffic.
struct PartKind {
  Traffic traffic;
  std::uint64_t count = 0;
};

/// Kinds of the parts that have flows. Nothing for one part, or for more than four kinds.
inline std::vector<PartKind> kinds_of_parts(const Traffic& traffic) {
  constexpr std::size_t most_kinds = 4;
  const std::vector<TrafficPart> parts = parts_of(traffic);
  std::vector<PartKind> kinds;
  if (parts.size() < 2) {
    return kinds;
  }
  for (Traffic& part : traffic_of_parts(parts, traffic)) {
    if (part.flows().empty()) {
      continue;
    }
    const auto kind = std::ranges::find(kinds, part, &PartKind::traffic);
    if (kind != kinds.end()) {
      ++kind->count;
    } else if (kinds.size() < most_kinds) {
      kinds.push_back({std::move(part), 1});
    } else {
      return {};
    }
  }
  return kinds;
}

/// Parts that no flows join cost at least what each costs alone: the sum of these bounds. The
/// source is that of the kind which adds most.
inline CostBound bound_of_parts(const std::vector<PartKind>& kinds, const SearchProblem& whole,
                                const std::function<CostBound(const SearchProblem&)>& bound_of) {
  CostBound sum{};
  CostBound most{};
  for (const PartKind& kind : kinds) {
    CostBound bound = bound_of(whole.with(whole.topology, kind.traffic));
    bound.cost *= kind.count;
    sum.cost += bound.cost;
    if (bound.cost > most.cost) {
      most = std::move(bound);
    }
  }
  sum.source = "parts that no flows join, each alone: " + most.source;
  return sum;
}

}  // namespace dcube
