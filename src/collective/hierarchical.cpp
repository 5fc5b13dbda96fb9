#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// The first rank of every node reduces its node's values, these ranks do an allreduce, and each
/// broadcasts on its node. All phases keep the order of ranks.
CollectivePlan make_hierarchical(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  const std::uint32_t node_size = std::min(call.options.node_size, size);
  const std::uint32_t leader = rank - rank % node_size;
  const Members node{rank - leader, std::min(node_size, size - leader),
                     [leader](std::uint32_t member) { return leader + member; }};
  const ElementRanges elements = whole(call.count);
  const Blocks at_once = Blocks::split(call.count, 1);
  CollectiveSteps steps = up_tree(binomial_tree(node), at_once);
  if (rank == leader) {
    const Members leaders{rank / node_size, (size - 1) / node_size + 1,
                          [node_size](std::uint32_t member) { return member * node_size; }};
    if (automatic_algorithm(call, leaders.size) == "rabenseifner") {
      steps.append(rabenseifner_allreduce(leaders, call.count));
    } else {
      steps.append(fold(leaders, elements, [&elements](const Members& members) {
        return recursive_doubling_allreduce(members, elements);
      }));
    }
  }
  steps.append(down_tree(binomial_tree(node), at_once));
  return plan_of_steps(std::move(steps));
}

constexpr std::uint64_t most_segments_of_rails = 16;

/// Reduce-scatter in each node, allreduce between the processes of the same number in all nodes,
/// allgather in each node: rings.
CollectivePlan make_rails(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const std::uint32_t node_size = std::min(call.options.node_size, size);
  const std::uint32_t nodes = size / node_size;
  const std::uint32_t own = rank % node_size;
  const std::uint32_t first = rank - own;
  const Members node{own, node_size, [first](std::uint32_t member) { return first + member; }};
  const Members rail{rank / node_size, nodes,
                     [own, node_size](std::uint32_t member) { return own + member * node_size; }};
  const auto segments = static_cast<std::uint32_t>(
      std::min(segments_of(call, usual_segment_bytes), most_segments_of_rails));
  const std::uint64_t count = call.count;
  // A segment has a block for each process of a node, and this one for each node.
  const auto blocks = [=](std::uint32_t segment) {
    return Blocks::split_piece(count, segment, segments, node_size * nodes);
  };
  const auto in_node = [blocks, nodes](std::uint32_t segment) -> BlockOf {
    return [of = blocks(segment), nodes](std::uint32_t member) {
      return of.run(member * nodes, nodes);
    };
  };
  return plan_of_steps(pipelined(
      segments, std::max(node_size - 1, 2 * (nodes - 1)),
      {[=](std::uint32_t segment) {
         return ring_reduce_scatter(node, in_node(segment), Around::up);
       },
       [=](std::uint32_t segment) {
         const BlockOf block = [of = blocks(segment), own, nodes](std::uint32_t member) {
           return of[own * nodes + member];
         };
         CollectiveSteps steps = ring_reduce_scatter(rail, block, Around::up);
         steps.append(ring_allgather(rail, block, Around::up));
         return steps;
       },
       [=](std::uint32_t segment) { return ring_allgather(node, in_node(segment), Around::up); }}));
}

std::optional<std::string> rails_obstacle(const CollectiveCall& call, std::uint32_t size) {
  if (size % std::min(call.options.node_size, size) != 0) {
    return "needs as many processes on every node";
  }
  return std::nullopt;
}

}  // namespace

const CollectiveAlgorithm allreduce_hierarchical_algorithm{
    CollectiveKind::allreduce,
    "hierarchical",
    "within nodes, then between their first ranks, then within nodes",
    {.gain = CollectiveNeeds::Gain::on_nodes},
    make_hierarchical};

const CollectiveAlgorithm allreduce_hierarchical_rails_algorithm{
    CollectiveKind::allreduce,
    "hierarchical_rails",
    "segments within nodes, between ranks of one number in all nodes, within nodes, at once",
    {.commutative = true,
     .segments = CollectiveNeeds::Segments::own,
     .gain = CollectiveNeeds::Gain::on_nodes},
    make_rails,
    rails_obstacle};

}  // namespace dcube
