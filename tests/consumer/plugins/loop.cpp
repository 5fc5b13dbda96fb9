// A topology: the ring by another name.
#include <dcube/topology/topology.hpp>
#include <memory>
#include <string>

namespace {

std::unique_ptr<dcube::Topology> make_loop(const dcube::Params& settings) {
  const std::string nodes = std::to_string(settings.positive_int("length"));
  return dcube::make_topology(dcube::Params::parse("kind=ring,nodes=" + nodes));
}

const dcube::TopologyKind kind{
    "loop", "a ring by another name", "length=5", {{"length", "nodes (>= 1)", ""}}, make_loop};
const bool is_registered = dcube::register_topology(kind);

}  // namespace
