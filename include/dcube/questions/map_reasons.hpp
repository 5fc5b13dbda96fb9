#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/search/search.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// A flow over a link.
struct CrossingFlow {
  ProcessId from;
  ProcessId to;
  std::uint64_t bytes = 0;
  std::uint32_t hops = 0;
};

/// A link that carries more than most.
struct CrossedLink {
  NodeId from;
  NodeId to;
  std::uint64_t bytes = 0;                 ///< of both directions where they share the link
  double of_mean = 0;                      ///< bytes / mean bytes of a link
  std::optional<std::uint64_t> time_ps{};  ///< time of the bytes, where a byte takes any
  std::uint64_t flows = 0;                 ///< number that cross it
  std::vector<CrossingFlow> heaviest{};    ///< heaviest first

  double time_s() const { return static_cast<double>(time_ps.value()) * 1e-12; }
};

/// Two processes and what they cost.
struct CostlyPair {
  ProcessId process;
  ProcessId other;
  std::uint64_t bytes = 0;  ///< both ways
  std::uint32_t hops = 0;
  double share = 0;  ///< of all hop-bytes
};

/// A process that is farther from its partners than it would have to be if it had the choice of
/// nodes alone.
struct LosingProcess {
  ProcessId process;
  std::uint64_t hop_bytes = 0;  ///< to and from all partners
  std::uint64_t least = 0;      ///< at least, with the heaviest partners on the nearest nodes
};

/// Cost of a map by one objective, and lower bounds of any map's cost.
struct MeasuredObjective {
  SearchProblem problem;
  std::uint64_t cost = 0;
  std::vector<CostBound> bounds;  ///< greatest first
};

/// Why a map costs what it costs.
struct MapReasons {
  bool knows_routes = true;
  LinkSharing sharing = LinkSharing::directed;
  std::vector<CrossedLink> busiest_links;  ///< by time where links differ, else by bytes
  std::vector<CostlyPair> costly_pairs;    ///< by bytes times hops
  std::vector<std::uint64_t> bytes_apart;  ///< by hops
  std::vector<LosingProcess> losing;       ///< by what they lose
  std::vector<MeasuredObjective> measured;
  std::vector<std::string> refuted;  ///< take_refuted() of all bounds
};

/// What a map costs by each objective that explains maps, but `left_out`; adds take_refuted() of
/// their bounds to `refuted`. `problem` has rates where times are known, and must outlive the
/// result.
std::vector<MeasuredObjective> measured_by_all(const SearchProblem& problem,
                                               std::span<const NodeId> map, bool knows_routes,
                                               std::vector<std::string>& refuted,
                                               std::optional<Objective> left_out = {});

/// The few links that carry most, by time where rates are known, else by bytes. O(flows x hops).
std::vector<CrossedLink> busiest_links(const SearchProblem& problem, std::span<const NodeId> map);

/// A few entries of each kind. A simulated objective of `problem` is left out. `problem` has rates
/// where times are known, and must outlive the reasons. O(flows x hops).
MapReasons reasons_of(const SearchProblem& problem, std::span<const NodeId> map, bool knows_routes);

/// The columns of `busiest_links`.
Columns<CrossedLink> link_columns(const MapReasons& reasons);
/// The columns of `costly_pairs`; `map` must outlive them.
Columns<CostlyPair> pair_columns(std::span<const NodeId> map);

/// Names in the data of a picture of link loads.
struct LinkPicture {
  std::string machine;    ///< its name
  std::string embedding;  ///< what the map is called
  std::string traffic;
};
/// The machine, the map and the bytes over every link, for scripts/plot_link_load.py.
std::string link_picture_data(const SearchProblem& problem, std::span<const NodeId> map,
                              const LinkPicture& names);

/// The rates of the machine's links; none where no byte takes any time.
LinkRates rates_if_any(const Machine& machine);

/// Whether the links of a route follow from its ends.
inline bool knows_routes(const Machine& machine) {
  return machine.links.routing.kind == Routing::fixed;
}

/// Scale of costs for people: divided by `per`, a number of flows, bytes or picoseconds in a
/// second.
struct CostScale {
  double per = 1;
  const char* quantity = "";  ///< "hops per byte"

  double value(std::uint64_t cost) const { return static_cast<double>(cost) / per; }
};
CostScale scale_of(const SearchProblem& problem);

}  // namespace dcube
