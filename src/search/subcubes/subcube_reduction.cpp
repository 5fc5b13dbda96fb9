#include <algorithm>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube {
namespace {

/// The subcube that the nodes fill; nothing when they fill none. Needs nodes that are all
/// different.
std::optional<Subcube> filled_subcube(std::uint32_t cube_dimensions,
                                      std::span<const NodeId> nodes) {
  std::uint32_t stars = 0;
  for (const NodeId node : nodes) {
    stars |= node.index() ^ nodes.front().index();
  }
  const Subcube hull{cube_dimensions, stars, nodes.front().index() & ~stars};
  return hull.node_count() == nodes.size() ? std::optional{hull} : std::nullopt;
}

}  // namespace

Traffic reduced_graph(const SubcubeProblem& problem, std::uint64_t joint, CopyEdges edges) {
  const std::uint32_t copies = std::uint32_t{1} << problem.subcube_dimensions();
  const std::size_t joints_of_a_task = copies * std::size_t{problem.subcube_dimensions()} / 2;
  const std::size_t most_flows =
      problem.graph().flows().size() * copies +
      problem.task_count() * std::max<std::size_t>(joints_of_a_task, copies);
  expect_fits_in_memory("the graph of all copies", most_flows * sizeof(Flow),
                        "use smaller subcubes or fewer messages");
  std::vector<Flow> flows;
  flows.reserve(most_flows);
  const auto copy_of = [copies](ProcessId task, std::uint32_t copy) {
    return ProcessId{task.index() * copies + copy};
  };
  for (const Flow& flow : problem.graph().flows()) {
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      flows.push_back(
          {copy_of(flow.from, copy), copy_of(flow.to, copy), flow.bytes, flow.messages});
    }
  }
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t task = 0; task < problem.task_count(); ++task) {
      flows.push_back({copy_of(ProcessId{task}, a), copy_of(ProcessId{task}, b), joint, 1});
    }
  };
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    for (std::uint32_t bit = 1; edges == CopyEdges::cube && bit < copies; bit <<= 1U) {
      if ((copy & bit) == 0) {
        join(copy, copy | bit);
      }
    }
    // A cycle of two has one edge.
    if (edges == CopyEdges::cycle && (copy + 1 < copies || copies > 2)) {
      join(copy, (copy + 1) % copies);
    }
  }
  return {problem.task_count() * copies, std::move(flows)};
}

std::uint64_t sufficient_joint(const SubcubeProblem& problem) {
  const std::uint64_t one_hop = problem.graph().total_bytes() << problem.subcube_dimensions();
  return one_hop * (problem.cube_dimensions() - 1) + 1;
}

std::optional<SubcubeMapping> mapping_of_copies(const SubcubeProblem& problem,
                                                std::span<const NodeId> nodes) {
  const std::size_t copies = std::size_t{1} << problem.subcube_dimensions();
  expects(nodes.size() == problem.task_count() * copies, "every copy has a node");
  SubcubeMapping mapping;
  for (std::size_t task = 0; task < problem.task_count(); ++task) {
    const auto subcube =
        filled_subcube(problem.cube_dimensions(), nodes.subspan(task * copies, copies));
    if (!subcube) {
      return std::nullopt;
    }
    mapping.push_back(*subcube);
  }
  return mapping;
}

}  // namespace dcube
