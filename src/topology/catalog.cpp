#include "catalog.hpp"

#include <memory>
#include <span>

#include "core/registry.hpp"
#include "dcube/core/catalog.hpp"

namespace dcube {
namespace {

Registry<TopologyKind>& topology_registry() {
#define DCUBE_KIND_ADDRESS(name) &name##_kind,
  static constexpr const TopologyKind* own[] = {DCUBE_TOPOLOGIES(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS
  static Registry<TopologyKind> registry{"topology", own};
  return registry;
}

}  // namespace

std::span<const TopologyKind* const> topology_catalog() { return topology_registry().kinds(); }

bool register_topology(const TopologyKind& kind, Headers built_with) {
  return topology_registry().add(kind, built_with, topology_headers);
}

std::unique_ptr<Topology> make_topology(const Params& settings) {
  const TopologyKind& kind = required_kind(topology_catalog(), settings, "a topology");
  check_keys(kind, settings, {"kind"});
  return kind.make(settings);
}

}  // namespace dcube
