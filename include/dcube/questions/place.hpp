#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/search.hpp"

namespace dcube {

/// A search whose map is to be used.
struct PlaceRequest : SearchRequest {
  /// The map used today: a map file, a JSON file or an embedding's name; default: the scenario's
  /// own, else processes in the order of the nodes.
  std::string against{};
};

/// A map that the found one is compared with.
struct EarlierMap {
  std::string name{};  ///< "x.rankfile"
  std::vector<NodeId> map{};
  std::optional<std::uint64_t> cost{};  ///< nothing where it cannot run
  bool is_in_use = false;               ///< named by the request, or the scenario's
  std::uint32_t on_failed_nodes = 0;    ///< processes
  std::uint32_t on_left_out_nodes = 0;  ///< processes on other nodes that host nothing
  // Where processes are on failed nodes:
  std::optional<std::uint64_t> healthy_cost{};  ///< before they failed, unless it is simulated
  /// With these processes on the nearest free nodes, if the search began there.
  std::optional<std::uint64_t> mended_cost{};
};

struct PlaceAnswer : SearchAnswer {
  EarlierMap earlier{};
  std::optional<double> saving{};            ///< share of the earlier cost, where that is above 0
  std::optional<double> saving_of_mended{};  ///< likewise
  std::uint64_t moved = 0;                   ///< processes
  std::uint32_t nodes_used = 0;
  std::optional<CrossedLink> busiest_link{};          ///< where routes are known
  std::optional<CrossedLink> earlier_busiest_link{};  ///< unless nodes have failed
};

/// The processes in order of the nodes, as many on each as it takes.
std::vector<NodeId> in_order_of_nodes(const SearchProblem& problem);

/// Runs search() from the map used today on, and tells what the new map saves. Throws InputError.
PlaceAnswer place(const PlaceRequest& request, const SearchListeners& listeners = {});

/// The answer as a JSON text. `files`: those that are written.
std::string place_json(const PlaceAnswer& answer, const std::vector<std::string>& files = {});

}  // namespace dcube
