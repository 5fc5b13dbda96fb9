#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// How many routes use each link, without walking their hops.
///
/// A route is a few straight runs; a run of h hops from link l adds its weight (here 1) at mark l
/// and takes it off at mark l + h * stride. One running sum along the stride then turns marks into
/// loads:
///
///     ring of 8, run 1 -> 4     link   0  1  2  3  4  5  6  7 (8: padding)
///                               marks  .  +1 .  .  -1 .  .  .  .
///                               loads  0  1  1  1  0  0  0  0
///
/// The sum needs no line boundaries: a run that ends with the last link of its line leaves its -1
/// at the start of the next line, which is where the sum would carry the run to. Past the last line
/// it falls into the padding, one stride long.
///
/// When the directions share a link, a downward run is counted as the upward run over the same
/// links, so a dimension needs one mark per node. Links that form no straight lines (stride 0) are
/// counted one by one.
///
/// Marks of scattered routes miss the cache, so they are fetched while the next routes are worked
/// out and set a little later (random maps on 4096x4096 nodes: 64 in place of 111 ns a route).
///
/// `Count` is an unsigned type that holds the weight of all routes; marks wrap around zero on
/// purpose.
template <class Count>
class LinkLoads {
 public:
  /// O(link slots) memory.
  LinkLoads(const Topology& topology, LinkSharing sharing)
      : topology_{topology}, sharing_{sharing} {
    const std::span<const LinkDirection> directions = topology.link_directions();
    lanes_.reserve(directions.size());
    for (const LinkDirection& direction : directions) {
      lanes_.push_back(make_lane(direction));
    }
    pending_.fill({&nowhere_, &nowhere_, 0});
  }
  LinkLoads(const LinkLoads&) = delete;
  LinkLoads& operator=(const LinkLoads&) = delete;

  /// Counts the route `weight` times and returns its length. O(runs of the route).
  std::uint32_t add_route(NodeId from, NodeId to, Count weight = 1) {
    std::uint32_t hops = 0;
    for (NodeId at = from; at != to;) {
      const Run run = topology_.next_run(at, to);
      add_run(run, weight);
      hops += run.hops;
      at = run.end;
    }
    return hops;
  }

  /// Turns marks into loads: once, after the last route. O(link slots).
  void sum_up() {
    for (const PendingMarks& marks : pending_) {
      set(marks);
    }
    for (Lane& lane : lanes_) {
      if (lane.direction.stride > 0) {
        accumulate(lane.marks.begin(), lane.marks.end(), lane.direction.stride);
      } else if (lane.direction.stride < 0) {
        accumulate(lane.marks.rbegin(), lane.marks.rend(), -lane.direction.stride);
      }
    }
  }

  /// Calls `visit(link, load)` for every link (directed: for every direction of one). Needs
  /// sum_up().
  template <class Visit>
  void for_each_link(Visit visit) const {
    for (const Lane& lane : lanes_) {
      if (lane.mirror) {
        continue;
      }
      for (std::uint32_t i = 0; i < lane.direction.count; ++i) {
        const LinkId id{lane.direction.first.index() + i};
        if (const std::optional<Link> link = topology_.link(id);
            link && is_first_direction(lane, id)) {
          visit(*link, load(lane, id));
        }
      }
    }
  }

 private:
  struct Lane {
    LinkDirection direction;
    std::size_t origin = 0;               ///< of the block's first link in `marks`
    std::vector<Count> marks;             ///< empty when mirrored
    std::optional<std::size_t> mirror;    ///< the upward lane that counts this lane's runs
    bool counts_both_directions = false;  ///< some lane is mirrored into this one
  };

  /// The two marks of a run.
  struct PendingMarks {
    Count* begin;
    Count* end;
    Count weight;
  };

  Lane make_lane(const LinkDirection& direction) {
    Lane lane;
    lane.direction = direction;
    lane.mirror = upward_lane(direction);
    if (lane.mirror) {
      lanes_[*lane.mirror].counts_both_directions = true;
      return lane;
    }
    const auto padding = static_cast<std::size_t>(std::abs(direction.stride));
    lane.marks.resize(direction.count + padding);
    lane.origin = direction.stride < 0 ? padding : 0;
    return lane;
  }

  /// The lane, already made, that holds the other direction of a downward one.
  std::optional<std::size_t> upward_lane(const LinkDirection& down) const {
    if (sharing_ == LinkSharing::directed || down.stride >= 0) {
      return std::nullopt;
    }
    const auto up = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
      return lane.direction.dimension == down.dimension && lane.direction.stride == -down.stride;
    });
    if (up == lanes_.end()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(up - lanes_.begin());
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

  void add_run(const Run& run, Count weight) {
    if (!holds(lanes_[current_], run.first)) {
      current_ = lane_index(run.first);  // rare: edges of one dimension keep to their lane
    }
    Lane& lane = lanes_[current_];
    const auto start =
        static_cast<std::ptrdiff_t>(run.first.index() - lane.direction.first.index());
    if (lane.mirror) {
      add_mirrored(lanes_[*lane.mirror], start, run, weight);
    } else if (lane.direction.stride == 0) {
      lane.marks[static_cast<std::size_t>(start)] += weight;
    } else {
      mark(lane, start, run.hops, weight);
    }
  }

  /// The upward links under a downward run. Link i of a block leaves node i, so the run's last link
  /// has its other direction at `run.end`, and the others lie one stride after another up to
  /// `start`; a last link that wraps around is apart from them.
  void add_mirrored(Lane& up, std::ptrdiff_t start, const Run& run, Count weight) {
    const auto end = static_cast<std::ptrdiff_t>(run.end.index());
    const std::ptrdiff_t stride = up.direction.stride;
    if (end + stride * run.hops == start) {
      mark(up, end, run.hops, weight);
    } else {
      mark(up, end, 1, weight);
      mark(up, start - stride * (run.hops - 1), run.hops - 1, weight);
    }
  }

  void mark(Lane& lane, std::ptrdiff_t start, std::uint32_t hops, Count weight) {
    Count* const begin = lane.marks.data() + lane.origin + start;
    Count* const end = begin + static_cast<std::ptrdiff_t>(hops) * lane.direction.stride;
    __builtin_prefetch(begin, 1);
    __builtin_prefetch(end, 1);
    PendingMarks& oldest = pending_[mark_count_++ % pending_.size()];
    set(oldest);
    oldest = {begin, end, weight};
  }

  static void set(const PendingMarks& marks) {
    *marks.begin += marks.weight;
    *marks.end -= marks.weight;
  }

  template <class Iterator>
  static void accumulate(Iterator first, Iterator last, std::ptrdiff_t stride) {
    for (Iterator at = first; last - at > stride; ++at) {
      at[stride] += *at;
    }
  }

  /// Whether `id` is the direction under which for_each_link() shows its link.
  bool is_first_direction(const Lane& lane, LinkId id) const {
    return sharing_ == LinkSharing::directed || lane.counts_both_directions ||
           id < topology_.reverse(id);
  }

  Count load(const Lane& lane, LinkId id) const {
    const Count one_way = directed_load(lane, id);
    if (sharing_ == LinkSharing::directed || lane.counts_both_directions) {
      return one_way;
    }
    const LinkId back = topology_.reverse(id);
    return one_way + directed_load(lanes_[lane_index(back)], back);
  }

  static Count directed_load(const Lane& lane, LinkId id) {
    return lane.marks[lane.origin + (id.index() - lane.direction.first.index())];
  }

  const Topology& topology_;
  LinkSharing sharing_;
  std::vector<Lane> lanes_;  ///< ascending in their link numbers
  std::size_t current_ = 0;  ///< the lane of the last run
  std::array<PendingMarks, 32> pending_;
  std::size_t mark_count_ = 0;
  Count nowhere_ = 0;  ///< where marks go that are none yet
};

}  // namespace dcube
