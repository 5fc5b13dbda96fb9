#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube {
namespace {

class ReducedGraph {
 public:
  ReducedGraph(const SubcubeProblem& problem, std::uint64_t joint)
      : problem_{problem},
        joint_{joint},
        copies_{std::uint32_t{1} << problem.subcube_dimensions()} {
    const std::size_t joints_of_a_task = copies_ * std::size_t{problem.subcube_dimensions()} / 2;
    const std::size_t most_flows =
        problem.graph().flows().size() * copies_ +
        problem.task_count() * std::max<std::size_t>(joints_of_a_task, copies_);
    expect_fits_in_memory("the graph of all copies", most_flows * sizeof(Flow),
                          "use smaller subcubes or fewer messages");
    flows_.reserve(most_flows);
    for (const Flow& flow : problem.graph().flows()) {
      for (std::uint32_t copy = 0; copy < copies_; ++copy) {
        flows_.push_back(
            {copy_of(flow.from, copy), copy_of(flow.to, copy), flow.bytes, flow.messages});
      }
    }
  }

  void join_along_cube_edges() {
    for (std::uint32_t copy = 0; copy < copies_; ++copy) {
      for (std::uint32_t bit = 1; bit < copies_; bit <<= 1U) {
        if ((copy & bit) == 0) {
          join(copy, copy | bit);
        }
      }
    }
  }
  void join_in_a_cycle() {
    for (std::uint32_t copy = 0; copy + 1 < copies_; ++copy) {
      join(copy, copy + 1);
    }
    if (copies_ > 2) {
      join(copies_ - 1, 0);
    }
  }

  Traffic take() { return {problem_.task_count() * copies_, std::move(flows_)}; }

 private:
  ProcessId copy_of(ProcessId task, std::uint32_t copy) const {
    return ProcessId{task.index() * copies_ + copy};
  }
  void join(std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t task = 0; task < problem_.task_count(); ++task) {
      flows_.push_back({copy_of(ProcessId{task}, a), copy_of(ProcessId{task}, b), joint_, 1});
    }
  }

  const SubcubeProblem& problem_;
  std::uint64_t joint_;
  std::uint32_t copies_;
  std::vector<Flow> flows_;
};

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
  ReducedGraph graph{problem, joint};
  if (edges == CopyEdges::cube) {
    graph.join_along_cube_edges();
  } else {
    graph.join_in_a_cycle();
  }
  return graph.take();
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
