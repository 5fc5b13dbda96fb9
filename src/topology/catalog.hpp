#pragma once

#include "dcube/topology/topology.hpp"

// One line per topology, sorted. Grids are defined in grid.cpp, any other in the file of its name.
#define DCUBE_TOPOLOGIES(TOPOLOGY) \
  TOPOLOGY(graph)                  \
  TOPOLOGY(hypercube)              \
  TOPOLOGY(line)                   \
  TOPOLOGY(mesh)                   \
  TOPOLOGY(ring)                   \
  TOPOLOGY(torus)                  \
  TOPOLOGY(twisted_torus)

namespace dcube {

#define DCUBE_DECLARE_KIND(name) extern const TopologyKind name##_kind;
DCUBE_TOPOLOGIES(DCUBE_DECLARE_KIND)
#undef DCUBE_DECLARE_KIND

}  // namespace dcube
