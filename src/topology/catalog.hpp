#pragma once

#include "dcube/topology/topology.hpp"

// One line per topology, sorted. Grids are defined in grid.cpp, networks of
// routers without groups in routers.cpp, dragonflies in dragonfly.cpp, platforms of SimGrid in
// platform.cpp, others in files of their names.
#define DCUBE_TOPOLOGIES(TOPOLOGY) \
  TOPOLOGY(blocks)                 \
  TOPOLOGY(dragonfly)              \
  TOPOLOGY(dragonfly_plus)         \
  TOPOLOGY(fat_tree)               \
  TOPOLOGY(graph)                  \
  TOPOLOGY(hypercube)              \
  TOPOLOGY(hyperx)                 \
  TOPOLOGY(jellyfish)              \
  TOPOLOGY(line)                   \
  TOPOLOGY(mesh)                   \
  TOPOLOGY(polarfly)               \
  TOPOLOGY(ring)                   \
  TOPOLOGY(simgrid)                \
  TOPOLOGY(slim_fly)               \
  TOPOLOGY(torus)                  \
  TOPOLOGY(twisted_torus)

namespace dcube {

#define DCUBE_DECLARE_KIND(name) extern const TopologyKind name##_kind;
DCUBE_TOPOLOGIES(DCUBE_DECLARE_KIND)
#undef DCUBE_DECLARE_KIND

}  // namespace dcube
