#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/mapped.hpp"
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

}  // namespace dcube
