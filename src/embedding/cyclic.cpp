#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/memory.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "usable_nodes.hpp"

namespace dcube {
namespace {

/// The switch of a terminal: the lowest-numbered of those that it is linked to.
std::uint32_t switch_of(const Topology& topology, NodeId terminal) {
  for (const NodeId neighbour : topology.neighbours(terminal)) {
    if (!topology.is_terminal(neighbour)) {
      return neighbour.index();
    }
  }
  return std::numeric_limits<std::uint32_t>::max();  // its links have failed
}

/// Usable terminals in rounds: the first one of every switch or group, then the second ones, ..
/// Those with fewer terminals drop out.
std::vector<std::uint32_t> in_rounds(const Topology& topology, bool over_groups) {
  struct Turn {
    std::uint32_t round;
    std::uint32_t part;
    std::uint32_t node;
    auto operator<=>(const Turn&) const = default;
  };
  expect_fits_in_memory("a map in rounds", std::uint64_t{topology.node_count()} * 20);
  std::vector<Turn> turns;
  std::vector<std::uint32_t> taken(topology.node_count() + std::size_t{1});
  for (std::uint32_t node = 0; node < topology.terminal_count(); ++node) {
    if (topology.is_usable(NodeId{node})) {
      const std::uint32_t part =
          over_groups ? topology.group_of(NodeId{node}) : switch_of(topology, NodeId{node});
      turns.push_back({taken[std::min(part, topology.node_count())]++, part, node});
    }
  }
  std::ranges::sort(turns);
  return mapped(turns, &Turn::node);
}

std::unique_ptr<Embedding> make_cyclic(const EmbeddingTask& task, const Params& params) {
  const std::array<std::string, 3> names{"node", "switch", "group"};
  const std::string over = params.choice("over", names, names[0]);
  if (over == names[0]) {
    return make_function_embedding(
        "cyclic", task.guest,
        on_usable_nodes(task.topology, [nodes = task.node_count()](std::uint32_t label) {
          return label % nodes;
        }));
  }
  const bool over_groups = over == names[2];
  const Topology& topology = task.topology;
  refuse_if(over_groups && topology.group_count() == 0, params.place_of("over"),
            "the {} has no groups (dragonflies have; \"node\" or \"switch\")", describe(topology));
  refuse_if(topology.structure().switches == 0, params.place_of("over"),
            "the {} has no switches (\"node\")", describe(topology));
  std::vector<std::uint32_t> nodes = in_rounds(topology, over_groups);
  return make_function_embedding(
      "cyclic", task.guest,
      [nodes = std::move(nodes)](std::uint32_t label) { return nodes[label % nodes.size()]; });
}

}  // namespace

const EmbeddingKind cyclic_kind{
    "cyclic",
    "process i on node i modulo the number of nodes",
    "kind=ring,nodes=8 | line:5 | ",
    {{"over", "node; or switch or group: the first terminal of each in turn, then the second, ..",
      "node"}},
    too_few_slots,
    make_cyclic,
    SlotUse::several};

}  // namespace dcube
