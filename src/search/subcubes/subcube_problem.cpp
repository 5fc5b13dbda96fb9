#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube {
namespace {

std::uint64_t choose(std::uint32_t n, std::uint32_t k) {
  std::uint64_t ways = 1;
  for (std::uint32_t i = 0; i < k; ++i) {
    ways = ways * (n - i) / (i + 1);
  }
  return k > n ? 0 : ways;
}

/// Numbers of other subcubes of the kind that can be 0, 1, 2, .. hops away; 0 at no hops.
Spheres places(const SubcubeProblem& problem, MappingKind kind) {
  const std::uint32_t n = problem.cube_dimensions();
  const std::uint32_t d = problem.subcube_dimensions();
  Spheres places{0};
  for (std::uint32_t hops = 1; hops <= n; ++hops) {
    places.push_back(kind == MappingKind::parallel ? choose(n - d, hops)
                                                   : choose(n, hops) - choose(d, hops));
  }
  return places;
}

}  // namespace

SubcubeProblem::SubcubeProblem(Traffic graph, std::uint32_t subcube_dimensions,
                               std::uint32_t cube_dimensions, std::vector<NodeId> left_out)
    : graph_{std::move(graph)},
      subcube_dimensions_{subcube_dimensions},
      cube_dimensions_{cube_dimensions},
      left_out_{std::move(left_out)} {
  refuse_if(cube_dimensions < 1 || cube_dimensions > most_cube_dimensions, "",
            "{} is not a number of cube dimensions (1 to {})", cube_dimensions,
            most_cube_dimensions);
  refuse_if(subcube_dimensions > cube_dimensions, "",
            "a subcube of {} dimensions does not fit a cube of {}", subcube_dimensions,
            cube_dimensions);
  refuse_if(task_count() == 0, "", "there are no tasks to map");
  refuse_if(task_count() > slot_count(), "",
            "{} tasks do not fit (a {}-cube has room for {} {}-cubes); "
            "take a larger cube or smaller subcubes",
            task_count(), cube_dimensions, slot_count(), subcube_dimensions);
  const std::uint64_t most = (std::uint64_t{1} << 60) / cube_dimensions >> subcube_dimensions;
  refuse_if(graph_.total_bytes() > most, "", "the weights add up to {}; at most {} can be mapped",
            graph_.total_bytes(), most);
  if (left_out_.empty()) {
    return;
  }
  std::ranges::sort(left_out_);
  left_out_.erase(std::unique(left_out_.begin(), left_out_.end()), left_out_.end());
  const std::uint32_t nodes = std::uint32_t{1} << cube_dimensions;
  expects(left_out_.back().index() < nodes, "nodes that are left out are nodes of the cube");
  const std::uint64_t left = nodes - left_out_.size();
  refuse_if(std::uint64_t{task_count()} << subcube_dimensions > left, "",
            "{} {}-cubes do not fit ({} of the {} nodes of a {}-cube are left); take a larger cube "
            "or smaller subcubes",
            task_count(), subcube_dimensions, left, nodes, cube_dimensions);
  is_left_out_.resize(nodes);
  for (const NodeId node : left_out_) {
    is_left_out_[node.index()] = true;
  }
  for (std::uint32_t stars = 0; stars < nodes; ++stars) {
    if (static_cast<std::uint32_t>(std::popcount(stars)) != subcube_dimensions) {
      continue;
    }
    std::vector<std::uint32_t> blocked =
        mapped(left_out_, [&](NodeId node) { return node.index() & ~stars; });
    std::ranges::sort(blocked);
    blocked.erase(std::unique(blocked.begin(), blocked.end()), blocked.end());
    const auto room = slot_count() - static_cast<std::uint32_t>(blocked.size());
    if (room >= task_count()) {
      parallel_.push_back({stars, room});
    }
  }
}

bool SubcubeProblem::may_use(const Subcube& subcube) const {
  if (subcube.node_count() >= left_out_.size()) {
    return std::ranges::none_of(left_out_, [&](NodeId node) { return subcube.contains(node); });
  }
  for (std::uint32_t i = 0; i < subcube.node_count(); ++i) {
    if (is_left_out_[subcube.node(i).index()]) {
      return false;
    }
  }
  return true;
}

bool is_parallel(std::span<const Subcube> mapping) {
  return std::ranges::all_of(
      mapping, [&](const Subcube& subcube) { return are_parallel(subcube, mapping.front()); });
}

void check_mapping(const SubcubeProblem& problem, std::span<const Subcube> mapping) {
  refuse_if(mapping.size() != problem.task_count(), "",
            "the mapping has {} subcubes for {} tasks (each needs one)", mapping.size(),
            problem.task_count());
  constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::vector<std::uint32_t> task_on(std::size_t{1} << problem.cube_dimensions(), nobody);
  for (std::uint32_t i = 0; i < mapping.size(); ++i) {
    const Subcube& subcube = mapping[i];
    if (subcube.cube_dimensions() != problem.cube_dimensions() ||
        subcube.dimensions() != problem.subcube_dimensions()) {
      throw InputError("", fmt::format("{} of task {} is no {}-cube of a {}-cube ({} symbols, {} "
                                       "of them *)",
                                       subcube.text(), i, problem.subcube_dimensions(),
                                       problem.cube_dimensions(), problem.cube_dimensions(),
                                       problem.subcube_dimensions()));
    }
    if (!problem.may_use(subcube)) {
      const auto taken = std::ranges::find_if(problem.left_out(),
                                              [&](NodeId node) { return subcube.contains(node); });
      throw InputError("", fmt::format("{} of task {} holds node {} of the cube, which has failed "
                                       "or is kept free on the machine",
                                       subcube.text(), i, taken->index()));
    }
    for (std::uint32_t node = 0; node < subcube.node_count(); ++node) {
      std::uint32_t& task = task_on[subcube.node(node).index()];
      if (task != nobody) {
        throw InputError("", fmt::format("{} of task {} and {} of task {} share a node",
                                         mapping[task].text(), task, subcube.text(), i));
      }
      task = i;
    }
  }
}

std::uint64_t bandwidth(const SubcubeProblem& problem, std::span<const Subcube> mapping) {
  return sum_of(problem.graph().flows(), [&](const Flow& flow) {
    return flow.bytes * pairing_distance(mapping[flow.from.index()], mapping[flow.to.index()]);
  });
}

SubcubeMetrics measure_subcubes(const SubcubeProblem& problem, std::span<const Subcube> mapping) {
  SubcubeMetrics metrics;
  std::uint64_t twice_mean_sum = 0;
  std::uint64_t hamming_sum = 0;
  for (const Flow& flow : problem.graph().flows()) {
    const Subcube& from = mapping[flow.from.index()];
    const Subcube& to = mapping[flow.to.index()];
    twice_mean_sum += twice_mean_distance(from, to);
    hamming_sum += hamming_distance(from, to);
    metrics.diameter = std::max(metrics.diameter, largest_distance(from, to));
  }
  metrics.bandwidth = bandwidth(problem, mapping);
  if (const auto count = static_cast<double>(problem.graph().flows().size()); count > 0) {
    metrics.node_distance = static_cast<double>(twice_mean_sum) / 2 / count;
    metrics.subcube_distance = static_cast<double>(hamming_sum) / count;
  }
  metrics.common_frontier = static_cast<std::uint32_t>(std::popcount(common_stars(mapping)));
  metrics.is_parallel = is_parallel(mapping);
  return metrics;
}

std::uint64_t bandwidth_bound(const SubcubeProblem& problem, MappingKind kind) {
  // Flows both ways between two tasks are one edge; as two they would take two places.
  const Partners edges{problem.graph(), FlowWeight::bytes};
  return edges.least_distances(places(problem, kind)) << problem.subcube_dimensions();
}

}  // namespace dcube
