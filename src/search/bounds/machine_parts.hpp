#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {

/// Two parts of the machine. Over the links between them `speed` units of weight take `time` units
/// of cost at least, shared out at best. Without rates `time` is 1, and `speed` counts links.
struct Parts {
  std::uint64_t speed = 0;
  std::uint64_t time = 1;
  // Processes in one of the parts:
  std::uint32_t least = 0;
  std::uint32_t most = 0;

  std::uint64_t cost(std::uint64_t weight) const {
    const UInt128 scaled = UInt128{weight} * time;
    return static_cast<std::uint64_t>((scaled + speed - 1) / speed);
  }
  friend auto operator<=>(const Parts&, const Parts&) = default;
};

/// Collects parts that both hold processes, whatever the map. None where a link takes no time,
/// because it takes everything then.
class MachineParts {
 public:
  /// The problem must outlive it.
  explicit MachineParts(const SearchProblem& problem)
      : problem_{problem}, topology_{problem.topology} {
    const bool is_timed = traits_of(problem.objective).needs_rates;
    for (std::uint32_t number = 0; number < topology_.link_slots(); ++number) {
      const std::optional<Link> link = topology_.link(LinkId{number});
      if (link && problem.server_of(LinkId{number}) == LinkId{number}) {
        const std::uint64_t time = is_timed ? time_of(LinkId{number}) : 1;
        links_.push_back({link->from.index(), link->to.index(), time});
        fastest_ = std::min(fastest_, time);
        if (common_ > 0 && time > 0) {
          const std::uint64_t factor = time / std::gcd(common_, time);
          constexpr std::uint64_t most_common = std::uint64_t{1} << 32U;
          common_ = factor > most_common / common_ ? 0 : common_ * factor;
        }
      }
    }
  }

  /// Parts on both sides of the planes between neighbouring coordinates.
  void add_planes() {
    if (!has_coordinates(topology_)) {
      return;
    }
    const std::span<const std::uint32_t> shape = topology_.shape();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::vector<std::uint32_t> last{shape.begin(), shape.end()};
      for (last[d] = 0; last[d] + 1 < shape[d]; ++last[d]) {
        add_box(last);
      }
    }
  }

  /// Boxes at the first coordinates, planes among them. Meshes have corners, where a box has the
  /// fewest links. None where there are many.
  void add_boxes() {
    const std::span<const std::uint32_t> shape = topology_.shape();
    constexpr std::uint64_t most_boxes = 2'000;
    const auto boxes =
        std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies{});
    if (!has_coordinates(topology_) || boxes > most_boxes) {
      return;
    }
    for (std::uint64_t box = 0; box < boxes; ++box) {
      std::vector<std::uint32_t> last;
      std::uint64_t rest = box;
      for (const std::uint32_t side : shape) {
        last.push_back(static_cast<std::uint32_t>(rest % side));
        rest /= side;
      }
      add_box(last);
    }
  }

  /// All nodes within 0, 1, .. hops of so many nodes, or of all.
  void add_balls(std::uint64_t centres) {
    const std::uint64_t nodes = topology_.node_count();
    centres = std::clamp<std::uint64_t>(centres, 1, nodes);
    for (std::uint64_t i = 0; i < centres; ++i) {
      std::vector<bool> is_inside(nodes);
      std::vector<NodeId> inside{NodeId{static_cast<std::uint32_t>(i * nodes / centres)}};
      is_inside[inside.front().index()] = true;
      for (std::size_t next = 0; next < inside.size();) {
        add(is_inside);
        for (const std::size_t end = inside.size(); next < end; ++next) {
          for (const NodeId other : topology_.neighbours(inside[next])) {
            if (!is_inside[other.index()]) {
              is_inside[other.index()] = true;
              inside.push_back(other);
            }
          }
        }
      }
    }
  }

  std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }
  /// Each once, ascending.
  std::vector<Parts> take() {
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  struct TimedLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t time = 1;  ///< of a unit of weight
  };

  /// Of a unit of weight; where both directions share a link, in the faster one.
  std::uint64_t time_of(LinkId link) const {
    const std::uint64_t time = problem_.rates.units[link.index()];
    return problem_.sharing == LinkSharing::directed
               ? time
               : std::min(time, problem_.rates.units[topology_.reverse(link).index()]);
  }

  void add(const std::vector<bool>& is_inside) {
    if (fastest_ == 0) {
      return;
    }
    const std::uint64_t processes = problem_.traffic.process_count();
    std::uint64_t inside = 0;
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      inside += is_inside[node] && topology_.is_usable(NodeId{node}) ? problem_.slots : 0;
    }
    Parts parts{.speed = 0, .time = common_ > 0 ? common_ : fastest_};
    for (const TimedLink& link : links_) {
      if (is_inside[link.from] != is_inside[link.to]) {
        parts.speed += common_ > 0 ? common_ / link.time : 1;
      }
    }
    const std::uint64_t outside = problem_.usable_slots() - inside;
    parts.least = static_cast<std::uint32_t>(processes - std::min(processes, outside));
    parts.most = static_cast<std::uint32_t>(std::min(processes, inside));
    if (parts.speed > 0 && parts.least > 0 && parts.most < processes) {
      found_.push_back(parts);
    }
  }

  /// Nodes with no coordinate beyond the `last` ones.
  void add_box(std::span<const std::uint32_t> last) {
    std::vector<bool> is_inside(topology_.node_count());
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      std::uint32_t rest = node;
      bool is_in_all = true;
      for (std::size_t d = 0; d < last.size(); ++d) {
        is_in_all = is_in_all && rest % topology_.shape()[d] <= last[d];
        rest /= topology_.shape()[d];
      }
      is_inside[node] = is_in_all;
    }
    add(is_inside);
  }

  const SearchProblem& problem_;
  const Topology& topology_;
  std::uint64_t fastest_ = ~std::uint64_t{0};
  std::uint64_t common_ = 1;  ///< multiple of all times; 0 where it is too large
  std::vector<TimedLink> links_;
  std::vector<Parts> found_;
};

}  // namespace dcube
