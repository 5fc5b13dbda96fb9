#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/trace/causal_record.hpp"

namespace dcube {

/// A run that has ended, with everything that its explanation is made from. `machine` and `map` are
/// those of the simulation. A process that follows those of the guest is the host computer.
struct ExplainedRun {
  const CausalRecord& record;
  const RunReport& report;
  const Machine& machine;
  std::span<const NodeId> map;
  const Guest& guest;
};

/// Group of a pair by the guest's edge between the two: one of the guest's dimensions (in a cube
/// the bit in which two processes differ), an edge to or from the host computer, or none.
struct PairGroup {
  enum class Kind { guest_dimension, host, other };
  Kind kind = Kind::other;
  std::uint32_t dimension = 0;  ///< of a guest_dimension

  friend auto operator<=>(const PairGroup&, const PairGroup&) = default;
};

PairGroup pair_group(const Guest& guest, ProcessId a, ProcessId b);

/// "cube dimension 5", "host", "other pairs".
std::string group_name(const Guest& guest, const PairGroup& group);

/// Place of a link in the machine.
struct LinkPlace {
  std::uint32_t dimension = 0;
  bool is_wrap_around = false;  ///< it closes a ring
  bool is_host = false;         ///< it joins the host computer

  friend auto operator<=>(const LinkPlace&, const LinkPlace&) = default;
};

LinkPlace link_place(const Topology& topology, LinkId link);

/// Kind of time in a chain of causes. `blocked` follows a deadlock: somebody waits for a process
/// that never comes.
enum class CauseKind { compute, endpoint, hop, queueing, blocked };
/// The words used in results, in the order of CauseKind.
inline constexpr std::array cause_names{"compute", "endpoint", "hop", "queueing", "blocked"};
inline constexpr std::size_t cause_kinds = cause_names.size();

constexpr const char* to_string(CauseKind kind) {
  return cause_names.at(static_cast<std::size_t>(kind));
}

/// Relation of a part of the path to the part before it.
enum class Follows {
  own,       ///< the process goes on, or a message that it has sent leaves, or it has got one
  partner,   ///< the process waited until its partner was ready for an exchange
  receiver,  ///< the message leaves, or its sender goes on, now that its receiver is ready
  core,      ///< the process waited for its node's core, which the other one had
  order      ///< an earlier receive from anyone has got its message
};
/// The words used in results, in the order of Follows.
inline constexpr std::array follows_names{"own", "partner", "receiver", "core", "order"};

constexpr const char* to_string(Follows follows) {
  return follows_names.at(static_cast<std::size_t>(follows));
}

/// A stretch of the critical path, begin < end.
struct PathPart {
  CauseKind kind{};
  Ticks begin{0};
  Ticks end{0};
  ProcessId process;               ///< process that spends the time; of a message its sender
  ProcessId peer;                  ///< the other side; for computing the process itself
  std::uint32_t stage = no_stage;  ///< for a message the receiver's
  /// Link or injection server of a message, in the message's direction.
  LinkId link;
  std::uint32_t send_number = 0;
  /// The time is a message's: a hop, a queue, injection, or its whole way inside a node, which has
  /// no link.
  bool is_message = false;
  /// A hop, or a queue for it, that a failure undid; without a link.
  bool is_lost = false;
  Follows follows = Follows::own;
  /// Part of a hop's time for bytes that follow a head or an earlier packet; more hops would not
  /// make it longer.
  Ticks bytes{0};

  friend bool operator==(const PathPart&, const PathPart&) = default;
};

/// Sums over the parts of a path that belong together.
struct HopTotals {
  std::uint64_t hops = 0;
  Ticks hop_time{0};
  Ticks bytes{0};  ///< part of hop_time: see PathPart
  Ticks lost{0};   ///< part of hop_time: see PathPart::is_lost
  Ticks queueing{0};

  /// Hop time that shrinks with the length of the way.
  Ticks way() const { return hop_time - bytes - lost; }
};

/// Share of one group of pairs in the path.
struct GroupTotals {
  PairGroup group;
  std::uint64_t messages = 0;
  std::uint64_t least_hops = 0;  ///< of a message
  std::uint64_t most_hops = 0;
  HopTotals total;
  Ticks endpoint{0};
  struct Over {
    LinkPlace place;
    HopTotals total;
  };
  std::vector<Over> over;  ///< totals by place of the links, most time first
};

struct LinkTotals {
  LinkId link;  ///< half duplex: the lower of its two numbers
  HopTotals total;
};

/// Hypothetical change. Each but the last two makes a chain's own parts shorter.
enum class Change {
  faster_computing,   ///< every computation takes half as long
  free_network,       ///< nothing but computing takes any time
  shorter_ways,       ///< messages of one group of pairs cross half as many links
  faster_links,       ///< links, not injection, take half the time
  no_queueing,        ///< any number of messages use a link at one time
  no_endpoint_costs,  ///< sending, receiving, injection and ways inside a node take no time
  more_cores,         ///< as many cores as processes
  no_eager_limit      ///< messages do not wait for their receivers
};
/// The words used in results, in the order of Change.
inline constexpr std::array change_names{"faster_computing", "free_network",  "shorter_ways",
                                         "faster_links",     "no_queueing",   "no_endpoint_costs",
                                         "more_cores",       "no_eager_limit"};
inline constexpr std::size_t change_kinds = change_names.size();

constexpr const char* to_string(Change change) {
  return change_names.at(static_cast<std::size_t>(change));
}

/// Machine after the change, apart from rounding to picoseconds. Needs a change of the machine:
/// neither faster_computing nor shorter_ways.
Machine changed(const Machine& machine, Change change);

/// Saving by a change.
struct Advice {
  Change change{};
  PairGroup group;  ///< for shorter_ways
  /// Reduction of the chain of causes when its messages do not queue any more either. Nothing:
  /// unknown, because the chain waits in an order that the program does not prescribe.
  std::optional<Ticks> gain;
  /// The run saves `gain` at most. Otherwise the run itself decides about an order, and another
  /// order may be faster.
  bool is_bound = false;
};

/// Why `gain` is no bound: a property of the run or of its machine.
enum class Unbound {
  nothing,
  takes_what_comes_first,
  waits_for_cores,
  ports_depend,
  ways_are_chosen,
  links_fail
};

/// The chain of causes that ends at the makespan. Every part begins when the part before it ends,
/// because it could not begin earlier. Where a process waits, the chain goes on with the process
/// that is late. So the parts fill the time from 0 to the makespan.
///
/// Where several chains are equally late, this one follows the partner that was waited for last.
struct CriticalPath {
  ProcessId last;  ///< the process that ends last, the lowest numbered of several
  Ticks length{0};
  std::vector<PathPart> parts;               ///< in order of time
  std::array<Ticks, cause_kinds> by_kind{};  ///< [CauseKind]
  std::uint64_t computations = 0;
  std::uint64_t messages = 0;
  std::vector<GroupTotals> by_group;  ///< most time first
  std::vector<LinkTotals> by_link;    ///< most time first, lower number first among equals
  /// Changes that could shorten a completed run, first those about the kind of cause on which the
  /// path spends most.
  std::vector<Advice> advice;
  Unbound unbound = Unbound::nothing;

  Ticks of(CauseKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
};

/// Kinds that have a part in the path, most time first.
std::vector<CauseKind> kinds_by_time(const CriticalPath& path);
/// The group of pairs whose ways take longest. A path with a hop has one.
const GroupTotals& longest_way(const CriticalPath& path);

/// O(parts * log(intervals)).
CriticalPath find_critical_path(const ExplainedRun& run);

}  // namespace dcube
