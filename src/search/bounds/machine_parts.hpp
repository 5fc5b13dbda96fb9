#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/search/search.hpp"

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
  explicit MachineParts(const SearchProblem& problem);

  /// Parts on both sides of the planes between neighbouring coordinates.
  void add_planes();
  /// Boxes at the first coordinates, planes among them. Meshes have corners, where a box has the
  /// fewest links. None where there are many.
  void add_boxes();
  /// All nodes within 0, 1, .. hops of so many nodes, or of all.
  void add_balls(std::uint64_t centres);

  std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }
  /// Each once, ascending.
  std::vector<Parts> take();

 private:
  struct TimedLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t time = 1;  ///< of a unit of weight
  };

  std::uint64_t time_of(LinkId link) const;
  void add(const std::vector<bool>& is_inside);
  void add_box(std::span<const std::uint32_t> last);

  const SearchProblem& problem_;
  const Topology& topology_;
  std::uint64_t fastest_ = ~std::uint64_t{0};
  std::uint64_t common_ = 1;  ///< multiple of all times; 0 where it is too large
  std::vector<TimedLink> links_;
  std::vector<Parts> found_;
};

}  // namespace dcube
