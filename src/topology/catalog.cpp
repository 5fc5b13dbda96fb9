#include "catalog.hpp"

#include <memory>
#include <span>

#include "dcube/core/catalog.hpp"

namespace dcube {

std::span<const TopologyKind* const> topology_catalog() {
#define DCUBE_KIND_ADDRESS(name) &name##_kind,
  static constexpr const TopologyKind* kinds[] = {DCUBE_TOPOLOGIES(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS
  return kinds;
}

std::unique_ptr<Topology> make_topology(const Params& settings) {
  const TopologyKind& kind = required_kind(topology_catalog(), settings, "a topology");
  check_keys(kind, settings, {"kind"});
  return kind.make(settings);
}

}  // namespace dcube
