#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/run_tally.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Number of routes over each link, without walking their hops: the straight runs of a route go
/// into a RunTally.
///
/// When the directions share a link, a downward run is counted as the upward run over the same
/// links, so a dimension needs one mark per node.
///
/// Marks of scattered routes miss the cache, so they are fetched while the next routes are worked
/// out and set a little later (random maps on 4096x4096 nodes: 64 in place of 111 ns a route).
///
/// Code that runs for each route indexes through pointers: the checks of the standard library would
/// take a tenth of the time.
///
/// `Count`: an unsigned type that holds the weight of all routes.
template <class Count>
class LinkLoads {
 public:
  /// O(link slots) memory.
  LinkLoads(const Topology& topology, LinkSharing sharing)
      : topology_{topology},
        sharing_{sharing},
        is_by_flow_{topology.are_routes_by_flow()},
        lanes_{lanes_of(topology, sharing)},
        tally_{topology, [this](const LinkDirection& direction) {
                 return !lanes_[lane_index(direction.first)].mirror;
               }} {
    pending_.fill({{&nowhere_, &nowhere_}, 0});
  }
  LinkLoads(const LinkLoads&) = delete;
  LinkLoads& operator=(const LinkLoads&) = delete;

  /// Memory of an object.
  static std::uint64_t bytes(const Topology& topology, LinkSharing sharing) {
    std::uint64_t marks = 0;
    for (const LinkDirection& direction : topology.link_directions()) {
      if (sharing == LinkSharing::directed || direction.stride >= 0) {
        marks +=
            direction.count + static_cast<std::uint64_t>(std::abs(std::int64_t{direction.stride}));
      }
    }
    return marks * sizeof(Count);
  }

  /// Counts the route `weight` times and returns its length. O(runs of the route).
  std::uint32_t add_route(NodeId from, NodeId to, Count weight = 1) {
    if (from == to) {
      return 0;
    }
    const Run run = topology_.next_run(from, to);
    add_run(run, weight);
    return run.end == to ? run.hops : run.hops + add_rest(from, run.end, to, weight);
  }

  /// Whether a route has left the block of links in which it began.
  bool has_bends() const { return has_bends_; }

  /// Turns marks into loads: once, after the last route. O(link slots).
  void sum_up() {
    for (const PendingMarks& marks : pending_) {
      set(marks);
    }
    tally_.sum_up();
  }

  /// Load of a direction (LinkSharing::directed). Needs sum_up().
  Count load(LinkId link) const { return tally_.total(lane_index(link), link); }

  /// Calls `visit(link, load)` for every link (directed: every direction of one). Needs sum_up().
  template <class Visit>
  void for_each_link(Visit visit) const {
    for (std::size_t index = 0; index < lanes_.size(); ++index) {
      const Lane& lane = lanes_[index];
      if (lane.mirror) {
        continue;
      }
      for (std::uint32_t i = 0; i < lane.direction.count; ++i) {
        const LinkId id{lane.direction.first.index() + i};
        if (const std::optional<Link> link = topology_.link(id);
            link && is_first_direction(lane, id)) {
          visit(*link, load(index, id));
        }
      }
    }
  }

 private:
  using Tally = RunTally<Count>;

  /// Links of one direction.
  struct Lane {
    LinkDirection direction;
    std::optional<std::size_t> mirror = {};  ///< upward lane that counts this lane's runs
    bool counts_both_directions = false;     ///< some lane is mirrored into this one
  };

  struct PendingMarks {
    typename Tally::Ends ends;
    Count weight;
  };

  static std::vector<Lane> lanes_of(const Topology& topology, LinkSharing sharing) {
    std::vector<Lane> lanes;
    for (const LinkDirection& direction : topology.link_directions()) {
      const auto up = std::ranges::find_if(lanes, [&](const Lane& lane) {
        return sharing == LinkSharing::undirected && direction.stride < 0 &&
               lane.direction.dimension == direction.dimension &&
               lane.direction.stride == -direction.stride;
      });
      Lane lane{direction};
      if (up != lanes.end()) {
        up->counts_both_directions = true;
        lane.mirror = static_cast<std::size_t>(up - lanes.begin());
      }
      lanes.push_back(lane);
    }
    return lanes;
  }

  static bool holds(const Lane& lane, LinkId link) {
    return link.index() - lane.direction.first.index() < lane.direction.count;
  }

  std::size_t lane_index(LinkId link) const {
    const auto after =
        std::upper_bound(lanes_.begin(), lanes_.end(), link,
                         [](LinkId id, const Lane& lane) { return id < lane.direction.first; });
    return static_cast<std::size_t>(after - lanes_.begin()) - 1;
  }

  /// Adds the rest of a route after its first run. Returns its hops.
  std::uint32_t add_rest(NodeId from, NodeId at, NodeId to, Count weight) {
    const std::size_t lane = current_;
    const std::uint64_t flow = Topology::flow_between(from, to);
    std::uint32_t hops = 0;
    while (at != to) {
      const Run run =
          is_by_flow_ ? topology_.next_run_of(flow, at, to) : topology_.next_run(at, to);
      add_run(run, weight);
      has_bends_ |= current_ != lane;
      hops += run.hops;
      at = run.end;
    }
    return hops;
  }

  void add_run(const Run& run, Count weight) {
    const Lane* const lanes = lanes_.data();
    if (!holds(lanes[current_], run.first)) {
      current_ = lane_index(run.first);  // rare: edges of one dimension keep to their lane
    }
    const Lane& lane = lanes[current_];
    if (lane.mirror) {
      add_mirrored(*lane.mirror, run.first.index() - lane.direction.first.index(), run, weight);
    } else if (lane.direction.stride == 0) {
      tally_.add(current_, run.first, run.hops, weight);
    } else {
      mark(current_, run.first, run.hops, weight);
    }
  }

  /// Marks the upward links under a downward run that begins at link `start` of its lane. Link i of
  /// a lane leaves node i, so the last link's other direction is link `run.end`, and the others lie
  /// one stride after another up to `start`; a last link that wraps around is apart from them.
  void add_mirrored(std::size_t up, std::int64_t start, const Run& run, Count weight) {
    const LinkDirection& direction = lanes_.data()[up].direction;
    const std::int64_t stride = direction.stride;
    const std::int64_t end = run.end.index();
    const auto link = [&](std::int64_t node) {
      return LinkId{direction.first.index() + static_cast<std::uint32_t>(node)};
    };
    if (end + stride * run.hops == start) {
      mark(up, link(end), run.hops, weight);
    } else {
      mark(up, link(end), 1, weight);
      mark(up, link(start - stride * (run.hops - 1)), run.hops - 1, weight);
    }
  }

  void mark(std::size_t lane, LinkId first, std::uint32_t hops, Count weight) {
    const typename Tally::Ends ends = tally_.ends_of(lane, first, hops);
    __builtin_prefetch(ends.begin, 1);
    __builtin_prefetch(ends.end, 1);
    PendingMarks& oldest = pending_[mark_count_++ % pending_.size()];
    set(oldest);
    oldest = {ends, weight};
  }

  static void set(const PendingMarks& marks) {
    *marks.ends.begin += marks.weight;
    *marks.ends.end -= marks.weight;
  }

  /// Whether for_each_link() visits a link in this direction.
  bool is_first_direction(const Lane& lane, LinkId id) const {
    return sharing_ == LinkSharing::directed || lane.counts_both_directions ||
           id < topology_.reverse(id);
  }

  Count load(std::size_t lane, LinkId id) const {
    const Count one_way = tally_.total(lane, id);
    if (sharing_ == LinkSharing::directed || lanes_.data()[lane].counts_both_directions) {
      return one_way;
    }
    const LinkId back = topology_.reverse(id);
    return one_way + tally_.total(lane_index(back), back);
  }

  const Topology& topology_;
  LinkSharing sharing_;
  bool is_by_flow_;
  std::vector<Lane> lanes_;  ///< ascending in link numbers
  Tally tally_;
  std::size_t current_ = 0;  ///< lane of the last run
  bool has_bends_ = false;
  std::array<PendingMarks, 32> pending_;
  std::size_t mark_count_ = 0;
  Count nowhere_ = 0;  ///< target of the marks that fill `pending_` at first
};

}  // namespace dcube
