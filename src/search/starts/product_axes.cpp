#include "product_axes.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <limits>

// Two pairs at a process that are along two axes are the sides of exactly one square, whose
// opposite sides are along the same axis; pairs that are the sides of no square, or of several, are
// along one axis (Feder, "Product graph representations", J. Graph Theory 16, 1992). It is enough
// to look at all squares of process 0, and elsewhere at those of one pair that leads nearer to it
// (Imrich & Peterin, "Recognizing Cartesian products in linear time", Discrete Math. 307, 2007).
// Where the traffic is no product, all pairs end along one axis, or numbers are given twice.

namespace dcube {
namespace {

class ProductAxes {
 public:
  explicit ProductAxes(const Partners& partners)
      : partners_{partners}, joined_{partners.first(partners.process_count())} {}

  std::optional<std::vector<std::uint8_t>> run() {
    const std::vector<std::uint32_t> order = reached(partners_, [](std::size_t) { return true; });
    if (order.size() < partners_.process_count()) {
      return std::nullopt;
    }
    for (const std::uint32_t process : order) {
      for (const Partner& partner : partners_.of(process)) {
        join(process, partner.process, partner.process.index(), ProcessId{process});
      }
    }
    std::vector<std::uint32_t> rank(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
    }
    for (const std::uint32_t process : order) {
      const auto others = partners_.of(process);
      const ProcessId nearest = std::ranges::min(others, {}, [&](const Partner& other) {
                                  return rank[other.process.index()];
                                }).process;
      for (const Partner& other : others) {
        join_at(process, nearest, other.process);
      }
      if (process == 0) {
        join_pairs_at_zero();
      }
      if (is_one_axis() && others.size() > 2) {
        return std::nullopt;  // whatever follows joins more
      }
    }
    return numbered_axes();
  }

 private:
  /// The number of a partner of the process.
  std::size_t end_at(std::uint32_t process, ProcessId other) const {
    const auto others = partners_.of(process);
    const auto found = std::ranges::lower_bound(others, other, {}, &Partner::process);
    return partners_.first(process) + static_cast<std::size_t>(found - others.begin());
  }

  bool are_partners(ProcessId one, ProcessId two) const {
    const auto others = partners_.of(one.index());
    return std::ranges::binary_search(others, two, {}, &Partner::process);
  }

  void join(std::uint32_t from, ProcessId to, std::uint32_t other_from, ProcessId other_to) {
    joined_.union_set(end_at(from, to), end_at(other_from, other_to));
  }

  /// The ends at process 0 are the first of all.
  void join_pairs_at_zero() {
    const auto others = partners_.of(0);
    for (std::size_t one = 0; one < others.size() && !is_one_axis(); ++one) {
      for (std::size_t two = 0; two < one; ++two) {
        if (joined_.find_set(one) != joined_.find_set(two)) {
          join_at(0, others[one].process, others[two].process);
        }
      }
    }
  }

  void join_at(std::uint32_t process, ProcessId one, ProcessId two) {
    if (one == two) {
      return;
    }
    if (const auto opposite = only_opposite(process, one, two)) {
      join(process, one, two.index(), *opposite);
      join(process, two, one.index(), *opposite);
    } else {
      join(process, one, process, two);
    }
  }

  /// The fourth corner of the only square of these three.
  std::optional<ProcessId> only_opposite(std::uint32_t process, ProcessId one,
                                         ProcessId two) const {
    if (are_partners(one, two)) {
      return std::nullopt;
    }
    std::optional<ProcessId> opposite;
    for (const Partner& corner : partners_.of(one.index())) {
      if (corner.process.index() != process && are_partners(two, corner.process)) {
        if (opposite) {
          return std::nullopt;
        }
        opposite = corner.process;
      }
    }
    return opposite;
  }

  bool is_one_axis() {
    const std::size_t axis = joined_.find_set(std::size_t{0});
    for (std::size_t end = 1; end < partners_.of(0).size(); ++end) {
      if (joined_.find_set(end) != axis) {
        return false;
      }
    }
    return true;
  }

  std::optional<std::vector<std::uint8_t>> numbered_axes() {
    std::vector<std::size_t> sets;
    std::vector<std::uint8_t> axes(partners_.first(partners_.process_count()));
    for (std::size_t end = 0; end < axes.size(); ++end) {
      const std::size_t set = joined_.find_set(end);
      auto axis = std::ranges::find(sets, set);
      if (axis == sets.end()) {
        if (sets.size() == std::numeric_limits<std::uint8_t>::max()) {
          return std::nullopt;
        }
        axis = sets.insert(axis, set);
      }
      axes[end] = static_cast<std::uint8_t>(axis - sets.begin());
    }
    return axes;
  }

  const Partners& partners_;
  boost::disjoint_sets_with_storage<> joined_;
};

}  // namespace

std::optional<std::vector<std::uint8_t>> product_axes(const Partners& partners) {
  return ProductAxes{partners}.run();
}

}  // namespace dcube
