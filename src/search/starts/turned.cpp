#include <algorithm>
#include <optional>

#include "core/mapped.hpp"
#include "search/proofs/symmetries.hpp"
#include "starts.hpp"

namespace dcube {
namespace {

/// The images of a map under every symmetry that repeats one step of the machine's.
std::vector<std::vector<NodeId>> images(const SearchProblem& problem,
                                        std::span<const Symmetry> steps,
                                        const std::vector<NodeId>& map) {
  constexpr std::size_t most_flows = 2'000'000;
  const std::size_t most = most_flows / (problem.traffic.flows().size() + map.size() + 1);
  std::vector<std::vector<NodeId>> result;
  for (const Symmetry& step : steps) {
    const auto next = [&](NodeId node) { return step[node.index()]; };
    for (auto image = mapped(map, next); image != map && result.size() < most;
         image = mapped(image, next)) {
      if (!problem.has_pins() || with_pins(problem, image) == image) {
        result.push_back(image);
      }
    }
  }
  return result;
}

/// Maps that cannot be had come last.
bool is_less(const MapValue& one, const MapValue& other) {
  return one && (!other || *one < *other);
}

/// The best image of images, while they get better; nothing where none is better than the start.
std::optional<Start> best_image(const SearchProblem& problem, std::span<const Symmetry> steps,
                                Start start, MapValue value, const MapValues& values) {
  std::optional<Start> best;
  while (true) {
    const auto maps = images(problem, steps, start.map);
    const auto found = values(maps);
    const auto least = std::ranges::min_element(found, is_less);
    if (least == found.end() || !is_less(*least, value)) {
      return best;
    }
    value = *least;
    start.map = maps[static_cast<std::size_t>(least - found.begin())];
    best = Start{start.embedding + ", turned", start.map};
  }
}

}  // namespace

std::vector<Start> turned_starts(const SearchProblem& problem, std::span<const Start> starts,
                                 std::span<const MapValue> own, const MapValues& values) {
  constexpr std::size_t most = 4;
  const std::vector<Symmetry> steps = symmetry_steps(problem.topology);
  if (steps.empty()) {
    return {};
  }
  std::vector<std::uint32_t> order = numbered(own.size());
  std::ranges::stable_sort(order, is_less, [&](std::uint32_t i) { return own[i]; });
  order.resize(std::min(order.size(), most));
  std::vector<Start> turned;
  for (const std::uint32_t i : order) {
    if (auto image = best_image(problem, steps, starts[i], own[i], values)) {
      turned.push_back(*std::move(image));
    }
  }
  return turned;
}

}  // namespace dcube
