#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "starts.hpp"

namespace dcube {
namespace {

using Sides = std::vector<std::uint32_t>;

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
    const double surface =
        sum_of(one.second, [](std::uint32_t side) { return 1 / static_cast<double>(side); });
    return std::pair{-static_cast<double>(one.first), surface};  // over twice the size
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
