#include "subcubes_machine.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "app/options/options.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/scenario/machines.hpp"

namespace dcube::app {
namespace {

std::shared_ptr<const Machine> load(const std::string& machine) {
  return at_least_at("--machine", [&] { return load_machine(machine); });
}

/// Nodes of the standard embedding, which is the same on every network of as many nodes: a line
/// will do.
std::vector<NodeId> standard_nodes(const Machine& machine, std::uint32_t dimensions) {
  Params line = Params::parse("kind=line");
  line.set("nodes", Setting::Number{std::to_string(machine.topology->node_count())});
  const auto nodes = make_topology(line);
  return at_least_at("--machine", [&] {
    return make_embedding(*nodes, Guest::cube(dimensions), Params::parse("kind=standard"),
                          machine.node.slots)
        ->map();
  });
}

}  // namespace

ExchangeScenario exchange_on(const std::string& machine, const SubcubeProblem& problem) {
  ExchangeScenario settings{machine, {}};
  if (!problem.left_out().empty()) {
    settings.node_of_cube_node = standard_nodes(*load(machine), problem.cube_dimensions());
  }
  return settings;
}

std::vector<NodeId> left_out_on(const std::string& machine, std::uint32_t dimensions) {
  std::vector<NodeId> left_out;
  if (machine.empty()) {
    return left_out;
  }
  const auto loaded = load(machine);
  const Topology& topology = *loaded->topology;
  if (topology.usable_count() == topology.node_count()) {
    return left_out;
  }
  std::uint32_t label = 0;
  for (const NodeId node : standard_nodes(*loaded, dimensions)) {
    if (!topology.is_usable(node)) {
      left_out.emplace_back(label);
    }
    ++label;
  }
  return left_out;
}

std::uint32_t largest_cube_of(const std::string& machine) {
  if (machine.empty()) {
    return 0;
  }
  const auto loaded = load(machine);
  const std::uint64_t slots = std::uint64_t{loaded->topology->node_count()} * loaded->node.slots;
  return std::min(SubcubeProblem::most_cube_dimensions,
                  static_cast<std::uint32_t>(std::bit_width(slots)) - 1);
}

}  // namespace dcube::app
