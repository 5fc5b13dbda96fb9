#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "starts.hpp"

namespace dcube {
namespace {

using Sides = std::vector<std::uint32_t>;

/// Boxes within boxes, the largest first.
struct Nesting {
  double cost = 0;
  std::vector<Sides> boxes;
};

/// The best way to divide a grid among the switches of a tree, level by level, for so many children
/// and ways of such lengths: of those that end in one box the best is kept.
Nesting best_nesting(const Guest& guest, const Traffic& traffic, const SwitchTree& tree,
                     std::uint64_t count) {
  const Sides whole{guest.shape().begin(), guest.shape().end()};
  std::vector<double> bytes(whole.size());  // of the flows along each side
  for (const Flow& flow : traffic.flows()) {
    std::uint32_t from = flow.from.index();
    std::uint32_t to = flow.to.index();
    for (std::size_t side = 0; side < whole.size(); ++side) {
      bytes[side] += from % whole[side] == to % whole[side] ? 0 : static_cast<double>(flow.bytes);
      from /= whole[side];
      to /= whole[side];
    }
  }
  const bool wraps = guest.kind() == Guest::Kind::torus;
  const auto cuts = [&](std::uint32_t boxes) {
    return static_cast<double>(boxes - (wraps && boxes > 1 ? 0 : 1));
  };
  const auto crossing = [&](const Sides& box) {  // bytes from box to box
    double sum = 0;
    for (std::size_t side = 0; side < box.size(); ++side) {
      const std::uint32_t length = whole[side];
      sum += length > 1 ? bytes[side] * cuts(length / box[side]) / cuts(length) : 0;
    }
    return sum;
  };
  std::map<Sides, Nesting> layer{{whole, {0, {whole}}}};
  for (std::size_t level = 0; level < tree.sizes.size(); ++level) {
    count /= tree.sizes[level];
    const std::uint64_t shorter = level + 1 < tree.costs.size() ? tree.costs[level + 1] : 0;
    const auto hops = static_cast<double>(tree.costs[level] - shorter);
    std::map<Sides, Nesting> next;
    for (const auto& outer : layer) {
      for (const Sides& inner : boxes_in(outer.first, count)) {
        const double cost = outer.second.cost + hops * crossing(inner);
        const auto known = next.find(inner);
        if (known == next.end() || cost < known->second.cost) {
          Nesting deeper{cost, outer.second.boxes};
          deeper.boxes.push_back(inner);
          next.insert_or_assign(inner, std::move(deeper));
        }
      }
    }
    layer = std::move(next);
  }
  return std::ranges::min_element(layer, {}, [](const auto& entry) { return entry.second.cost; })
      ->second;
}

/// The terminal of each process of a grid in these boxes.
std::vector<NodeId> map_of(const Nesting& nesting, const Guest& guest) {
  return numbered(guest.process_count(), [&](std::uint32_t process) {
    std::uint32_t terminal = 0;
    for (std::size_t level = 0; level + 1 < nesting.boxes.size(); ++level) {
      std::uint32_t rest = process;
      std::uint32_t stride = 1;
      std::uint32_t child = 0;
      for (std::size_t side = 0; side < guest.shape().size(); ++side) {
        const std::uint32_t at = rest % guest.shape()[side];
        const std::uint32_t outer = nesting.boxes[level][side];
        const std::uint32_t inner = nesting.boxes[level + 1][side];
        child += at % outer / inner * stride;
        stride *= outer / inner;
        rest /= guest.shape()[side];
      }
      terminal = terminal * stride + child;
    }
    return NodeId{terminal};
  });
}

/// Boxes of a grid that fit on a node, of which there are no more than nodes, and which are
/// longer in no direction without more processes than slots. Sides that do not go into the grid's
/// are left out, but for the whole slots of a node. Those of the most processes come first, and of
/// these the ones with the least surface.
std::vector<Sides> boxes_of_a_node(const SearchProblem& problem,
                                   std::span<const std::uint32_t> shape) {
  using Sized = std::pair<std::uint64_t, Sides>;
  std::vector<Sized> boxes;
  Sides box;
  const auto add = [&](const auto& add_longer, std::uint64_t size, std::uint64_t count) -> void {
    if (box.size() == shape.size()) {
      if (count <= problem.topology.node_count()) {
        boxes.push_back({size, box});
      }
      return;
    }
    const std::uint32_t side = shape[box.size()];
    for (std::uint32_t length = 1; length <= side && size * length <= problem.slots; ++length) {
      if (side % length == 0 || size * (length + 1) > problem.slots) {
        box.push_back(length);
        add_longer(add_longer, size * length, count * ((side - 1) / length + 1));
        box.pop_back();
      }
    }
  };
  add(add, 1, 1);
  std::ranges::stable_sort(boxes, {}, [](const Sized& one) {
    const double surface =  // over twice the size
        sum_of(one.second, [](std::uint32_t side) { return 1 / static_cast<double>(side); });
    return std::pair{-static_cast<double>(one.first), surface};
  });
  return mapped(boxes, [](Sized& one) { return std::move(one.second); });
}

/// The best box for this shape, if any fits.
std::optional<Start> best_box(const SearchProblem& problem, const Guest& guest) {
  constexpr std::uint64_t most_work = 30'000'000;  // flows looked at
  constexpr std::uint64_t least_boxes = 4;
  const SearchProblem hop_bytes = problem.with_objective(usual_objective);
  std::vector<Sides> boxes = boxes_of_a_node(problem, guest.shape());
  const std::uint64_t most =
      most_work / (problem.traffic.process_count() + problem.traffic.flows().size());
  boxes.resize(std::min<std::size_t>(boxes.size(), std::max(least_boxes, most)));
  std::optional<Start> best;
  std::uint64_t least = 0;
  for (const Sides& box : boxes) {
    const std::string sides = joined(box, "x");
    const Params settings = group_of({{"kind", "boxes"}, {"box", sides}});
    std::vector<NodeId> map =
        make_embedding(problem.topology, guest, settings, problem.slots)->map();
    const std::uint64_t cost = cost_of(hop_bytes, map);
    if (!best || cost < least) {
      best = {fmt::format("boxes:{}", sides), std::move(map)};
      least = cost;
    }
  }
  return best;
}

}  // namespace

std::vector<Sides> boxes_in(std::span<const std::uint32_t> sides, std::uint64_t size) {
  std::vector<Sides> boxes(sides.empty() && size == 1 ? 1 : 0);
  for (std::uint32_t length = 1; !sides.empty() && length <= sides.front(); ++length) {
    if (sides.front() % length == 0 && size % length == 0) {
      for (Sides& box : boxes_in(sides.subspan(1), size / length)) {
        box.insert(box.begin(), length);
        boxes.push_back(std::move(box));
      }
    }
  }
  return boxes;
}

std::optional<Start> nested_boxes(const SearchProblem& problem, const Guest& guest) {
  constexpr std::size_t most_sides = 6;  // more have too many boxes
  if (guest.shape().size() > most_sides ||
      problem.topology.usable_count() < problem.topology.terminal_count() ||
      guest.process_count() != problem.usable_slots()) {
    return std::nullopt;
  }
  const SwitchTree tree = switch_tree(problem.topology);
  if (tree.sizes.size() < 2) {
    return std::nullopt;
  }
  const Nesting best = best_nesting(guest, problem.traffic, tree, problem.usable_slots());
  std::vector<std::string> boxes;
  for (std::size_t level = best.boxes.size() - 1; level > 0; --level) {
    if (std::ranges::max(best.boxes[level]) > 1) {
      boxes.push_back(joined(best.boxes[level], "x"));
    }
  }
  return Start{fmt::format("boxes:{}", joined(boxes, " in ")), map_of(best, guest)};
}

std::optional<Guest> shape_by_strides(const Traffic& traffic) {
  constexpr std::uint64_t few = 64;  // of the bytes are no dimension
  constexpr std::size_t most_sides = 5;
  const std::uint32_t processes = traffic.process_count();
  std::map<std::uint32_t, std::uint64_t> bytes;  // by difference
  std::uint64_t total = 0;
  for (const Flow& flow : traffic.flows()) {
    const std::uint32_t difference =
        std::max(flow.from.index(), flow.to.index()) - std::min(flow.from.index(), flow.to.index());
    total += difference > 0 ? flow.bytes : 0;
    if (difference > 0 && processes % difference == 0) {
      bytes[difference] += flow.bytes;
    }
  }
  std::uint32_t stride = 1;
  Sides sides;
  for (const auto& [difference, sent] : bytes) {
    if (difference > stride && difference % stride == 0 && sent >= total / few && sent > 0) {
      sides.push_back(difference / stride);
      stride = difference;
    }
  }
  sides.push_back(processes / stride);
  if (sides.size() < 2 || sides.size() > most_sides) {
    return std::nullopt;
  }
  const bool wraps = std::ranges::any_of(traffic.flows(), [&](const Flow& flow) {
    const auto [low, high] = std::minmax(flow.from, flow.to);
    return low.index() + (processes - stride) == high.index();
  });
  return Guest::parse(fmt::format("{}:{}", wraps ? "torus" : "mesh", joined(sides, "x")));
}

std::vector<Start> box_starts(const SearchProblem& problem, std::span<const Guest> guests) {
  std::vector<Start> starts;
  for (const Guest& guest : guests) {
    if (guest.kind() != Guest::Kind::mesh && guest.kind() != Guest::Kind::torus) {
      continue;
    }
    if (auto nested = nested_boxes(problem, guest)) {
      starts.push_back(std::move(*nested));
    }
    if (auto best = embedding_fits("boxes", problem.topology, guest, problem.slots)
                        ? best_box(problem, guest)
                        : std::nullopt) {
      starts.push_back(std::move(*best));
    }
  }
  return starts;
}

}  // namespace dcube
