#pragma once

#include <cstdint>
#include <optional>

#include "dcube/search/cases.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

struct FlowPartsBound {
  std::uint64_t cost = 0;   ///< no map costs less
  std::uint64_t cases = 0;  ///< partial placements that were bounded
};

/// A sum of least costs of parts of the flows (Fischetti, Monaci & Salvagnin 2012). A part has a
/// few classes of processes that are clones in it, so few placements differ; what is left of the
/// flows is split again. The first parts have one class, later ones more, until the bound is
/// reached, no flow is left out, or should_stop() ends it. They end early where parts of one class
/// come to far less than the bound given.
///
/// Nothing unless the objective is a sum of weight times distance, with a slot a node, no pins, and
/// at most 128 nodes that may host, all of which reach each other.
std::optional<FlowPartsBound> bound_by_parts(const SearchProblem& problem,
                                             const CasesSettings& settings);

}  // namespace dcube
