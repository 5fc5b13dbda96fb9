#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::app {

/// A process graph placed on a machine, ready to be measured.
struct Placement {
  std::string machine_name;    ///< as the user named it
  std::string embedding_name;  ///< as the user named it
  std::shared_ptr<const Machine> machine;
  /// Measured in place of the guest's edges; null: the guest's edges.
  std::shared_ptr<const Traffic> traffic;
  Guest guest = Guest::cube(0);
  std::unique_ptr<Embedding> embedding{};  ///< null: it does not fit
  std::string refusal{};                   ///< why it does not

  const Topology& topology() const { return *machine->topology; }
  /// Whether the links of a route follow from its ends.
  bool knows_routes() const { return machine->links.routing.kind == Routing::fixed; }
};

/// For people: of one placement dilation, loads and the CC d-cube algorithm, or hop-bytes and link
/// bytes where there is traffic; with `always`, the whole spectrum and the whole map.
std::string placement_summary(const Placement& placement, const CcUnitCosts& costs,
                              ListOutput lists);

/// For people: a row for every machine, a group of columns for every embedding. `placements` holds
/// `embedding_count` of each machine, machine by machine; all have the same traffic, or none has.
std::string placement_table(const std::vector<Placement>& placements, std::size_t embedding_count);

}  // namespace dcube::app
