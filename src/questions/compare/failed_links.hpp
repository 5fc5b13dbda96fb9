#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcube/runs/scenario_request.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Links that fail at random, for `compare --failures`. A draw depends on the network, the number of
// links and the seed alone, so all embeddings run on the same draws.

/// Draws links out of those that a network has in use. Both directions of a link fail as one.
class FailureDraws {
 public:
  /// `network` is in one piece. `machine` is what complaints call it.
  FailureDraws(std::shared_ptr<const Topology> network, std::string machine);

  /// Draws `number` different links, ascending, without which the network is still in one piece.
  ///
  /// The links in use stand in a list, each as the direction with the lower number, ascending.
  /// Choice k of `number` choices exchanges place k with one of the places from k on, the one that
  /// hash_of(seed, number, i) names. The links on the first `number` places are the draw. A draw
  /// that parts the network is made again from the same list, with the values of i that follow.
  /// Throws InputError after `most_draws` of them, and where no draw can do. O(links) a draw.
  std::vector<Link> links(std::uint32_t number, std::uint64_t seed) const;

  static constexpr std::uint32_t most_draws = 1000;

 private:
  std::vector<LinkId> draw(std::uint32_t number, std::uint64_t seed, std::uint32_t attempt) const;

  std::shared_ptr<const Topology> network_;
  std::string machine_;
  std::vector<LinkId> links_;  ///< one direction of each
  std::uint64_t living_nodes_ = 0;
};

/// The options of `scenario` with a machine in which these links have failed from the start,
/// besides what its machine says under `failed`.
ScenarioRequest with_failed_links(ScenarioRequest options, const Scenario& scenario,
                                  const std::vector<Link>& links);

}  // namespace dcube
