#pragma once

// Problems that sums of weight times distance are minimised for.

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "problems.hpp"
#include "search/walks/draws.hpp"

namespace dcube::searching {

/// The neighbours of a machine, numbered at random: a map exists in which each flow has one hop.
inline Traffic hidden_stencil(const Topology& shape, std::uint64_t seed) {
  SplitMix64 random{seed};
  std::vector<std::uint32_t> label(shape.node_count());
  std::iota(label.begin(), label.end(), 0U);
  for (std::size_t i = label.size(); i > 1; --i) {
    std::swap(label[i - 1], label[draw_below(random, i)]);
  }
  std::vector<Flow> flows;
  for (std::uint32_t node = 0; node < shape.node_count(); ++node) {
    for (const NodeId other : shape.neighbours(NodeId{node})) {
      flows.push_back({ProcessId{label[node]}, ProcessId{label[other.index()]}, 3, 1});
    }
  }
  return {shape.node_count(), std::move(flows)};
}

/// Machines, slots and pins that a placement may meet.
struct Situation {
  std::string machine;
  std::uint32_t slots = 1;
  std::uint32_t processes = 0;
  bool has_pins = false;
};

inline const std::array<Situation, 10> situations{
    {{"kind=mesh,shape=6x5", 1, 30, false},
     {"kind=torus,shape=4x4", 1, 11, false},
     {"kind=hypercube,dimensions=4", 2, 29, false},
     {"kind=mesh,shape=4x3", 3, 20, true},
     {"kind=ring,nodes=12", 1, 12, true},
     {"kind=line,nodes=3", 1, 1, false},
     {"kind=line,nodes=1", 4, 3, false},
     {"kind=fat_tree,down=[4,4],up=[1,2]", 1, 14, true},
     {"kind=dragonfly,p=2,a=4,h=1", 1, 33, false},
     {"kind=fat_tree,down=[3,4],up=[1,2]", 2, 22, true}}};

template <class Look>
void for_each_situation(Look look) {
  for (const Situation& situation : situations) {
    SCOPED_TRACE(situation.machine);
    const auto topology = machine(situation.machine);
    const Traffic traffic = random_traffic(situation.processes, 3 * situation.processes, 7);
    SearchProblem made = problem(*topology, traffic, Objective::hop_bytes);
    made.slots = situation.slots;
    if (situation.has_pins) {
      made.pins.resize(situation.processes);
      made.pins[3] = NodeId{5};
      made.pins[8] = NodeId{0};
    }
    look(made);
  }
}

}  // namespace dcube::searching
