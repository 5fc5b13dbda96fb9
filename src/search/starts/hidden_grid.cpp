#include "hidden_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/pending/disjoint_sets.hpp>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/search/partners.hpp"

// A grid is a Cartesian product of graphs, its axes. Two pairs at a process that are along two axes
// are the sides of exactly one square, whose opposite sides are along the same axis; pairs that are
// the sides of no square, or of several, are along one axis (Feder, "Product graph
// representations", J. Graph Theory 16, 1992). It is enough to look at all squares of process 0,
// and elsewhere at those of one pair that leads nearer to it (Imrich & Peterin, "Recognizing
// Cartesian products in linear time", Discrete Math. 307, 2007). Where the traffic is no product,
// all pairs end along one axis, or numbers are given twice.

namespace dcube {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// The pairs of processes of at least some weight. A pair has two ends, each with a number.
class PairGraph {
 public:
  PairGraph(const Partners& partners, std::uint64_t least_weight) : first_{0} {
    for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
      for (const Partner& partner : partners.of(process)) {
        if (partner.weight >= least_weight) {
          others_.push_back(partner.process.index());
          if (process == 0) {
            weights_.push_back(partner.weight);
          }
        }
      }
      first_.push_back(others_.size());
    }
  }

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(first_.size()) - 1; }
  std::size_t end_count() const { return others_.size(); }
  std::size_t first_end(std::uint32_t process) const { return first_[process]; }
  /// Ascending.
  std::span<const std::uint32_t> of(std::uint32_t process) const {
    return std::span{others_}.subspan(first_[process], first_[process + 1] - first_[process]);
  }
  /// The end at `process` of its pair with `other`.
  std::size_t end_at(std::uint32_t process, std::uint32_t other) const {
    const auto others = of(process);
    return first_[process] +
           static_cast<std::size_t>(std::ranges::lower_bound(others, other) - others.begin());
  }
  bool has(std::uint32_t process, std::uint32_t other) const {
    return std::ranges::binary_search(of(process), other);
  }
  /// Of the pairs of process 0.
  std::span<const std::uint64_t> weights() const { return weights_; }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> others_;
  std::vector<std::uint64_t> weights_;
};

/// Processes that can be reached from process 0 over pairs that count, the nearest first.
template <typename Counts>
std::vector<std::uint32_t> reached(const PairGraph& graph, const Counts& counts) {
  std::vector<bool> is_reached(graph.process_count());
  std::vector<std::uint32_t> order{0};
  is_reached[0] = true;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::uint32_t process = order[next];
    for (std::size_t i = 0; i < graph.of(process).size(); ++i) {
      const std::uint32_t other = graph.of(process)[i];
      if (!is_reached[other] && counts(graph.first_end(process) + i)) {
        is_reached[other] = true;
        order.push_back(other);
      }
    }
  }
  return order;
}

/// The axes of a product of graphs.
class ProductAxes {
 public:
  explicit ProductAxes(const PairGraph& graph) : graph_{graph}, joined_{graph.end_count()} {}

  /// The axis of each end, numbered in the order of the partners of process 0; nothing where the
  /// graph is in parts, or is no product.
  std::optional<std::vector<std::uint8_t>> run() {
    const std::vector<std::uint32_t> order = reached(graph_, [](std::size_t) { return true; });
    if (order.size() < graph_.process_count()) {
      return std::nullopt;
    }
    for (std::uint32_t process = 0; process < graph_.process_count(); ++process) {
      for (const std::uint32_t other : graph_.of(process)) {
        join(process, other, other, process);
      }
    }
    std::vector<std::uint32_t> rank(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
    }
    for (const std::uint32_t process : order) {
      const auto others = graph_.of(process);
      const std::uint32_t nearest =
          *std::ranges::min_element(others, {}, [&](std::uint32_t other) { return rank[other]; });
      for (const std::uint32_t other : others) {
        join_at(process, nearest, other);
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
  void join(std::uint32_t from, std::uint32_t to, std::uint32_t other_from,
            std::uint32_t other_to) {
    joined_.union_set(graph_.end_at(from, to), graph_.end_at(other_from, other_to));
  }

  /// The ends at process 0 are its first.
  void join_pairs_at_zero() {
    const auto others = graph_.of(0);
    for (std::size_t one = 0; one < others.size() && !is_one_axis(); ++one) {
      for (std::size_t two = 0; two < one; ++two) {
        if (joined_.find_set(one) != joined_.find_set(two)) {
          join_at(0, others[one], others[two]);
        }
      }
    }
  }

  void join_at(std::uint32_t process, std::uint32_t one, std::uint32_t two) {
    if (one == two) {
      return;
    }
    if (const auto opposite = only_opposite(process, one, two)) {
      join(process, one, two, *opposite);
      join(process, two, one, *opposite);
    } else {
      join(process, one, process, two);
    }
  }

  /// The fourth corner of the only square of these three.
  std::optional<std::uint32_t> only_opposite(std::uint32_t process, std::uint32_t one,
                                             std::uint32_t two) const {
    if (graph_.has(one, two)) {
      return std::nullopt;
    }
    std::optional<std::uint32_t> opposite;
    for (const std::uint32_t corner : graph_.of(one)) {
      if (corner != process && graph_.has(two, corner)) {
        if (opposite) {
          return std::nullopt;
        }
        opposite = corner;
      }
    }
    return opposite;
  }

  bool is_one_axis() {
    const std::size_t axis = joined_.find_set(std::size_t{0});
    for (std::size_t end = 1; end < graph_.of(0).size(); ++end) {
      if (joined_.find_set(end) != axis) {
        return false;
      }
    }
    return true;
  }

  std::optional<std::vector<std::uint8_t>> numbered_axes() {
    std::vector<std::size_t> sets;
    std::vector<std::uint8_t> axes(graph_.end_count());
    for (std::size_t end = 0; end < axes.size(); ++end) {
      const std::size_t set = joined_.find_set(end);
      auto axis = std::ranges::find(sets, set);
      if (axis == sets.end()) {
        if (end >= graph_.of(0).size() || sets.size() == std::numeric_limits<std::uint8_t>::max()) {
          return std::nullopt;
        }
        axis = sets.insert(axis, set);
      }
      axes[end] = static_cast<std::uint8_t>(axis - sets.begin());
    }
    return axes;
  }

  const PairGraph& graph_;
  boost::disjoint_sets_with_storage<> joined_;
};

/// One side of a grid.
struct Side {
  std::uint32_t length = 0;
  bool is_ring = false;
  bool is_line = false;
  std::uint64_t weight = 0;       ///< of the pair of process 0 with its first partner
  std::vector<std::uint32_t> at;  ///< coordinates of all processes
};

/// The processes along an axis through process 0, in the order of the line or ring that they form.
class SideReader {
 public:
  SideReader(const PairGraph& graph, std::span<const std::uint8_t> axes, std::uint8_t axis)
      : graph_{graph}, axes_{axes}, axis_{axis} {}

  /// Nothing where several processes on this side have one coordinate.
  std::optional<Side> run() {
    const std::vector<std::uint32_t> along =
        in_order(reached(graph_, [&](std::size_t end) { return axes_[end] == axis_; }));
    // Processes that are reached from each other over all other axes have the same coordinate.
    boost::disjoint_sets_with_storage<> layers{graph_.process_count()};
    for (std::uint32_t process = 0; process < graph_.process_count(); ++process) {
      for (std::size_t i = 0; i < graph_.of(process).size(); ++i) {
        if (axes_[graph_.first_end(process) + i] != axis_) {
          layers.union_set(process, graph_.of(process)[i]);
        }
      }
    }
    std::vector<std::uint32_t> coordinates(graph_.process_count(), none);
    for (std::uint32_t i = 0; i < along.size(); ++i) {
      std::uint32_t& coordinate = coordinates[layers.find_set(along[i])];
      if (coordinate != none) {
        return std::nullopt;
      }
      coordinate = i;
    }
    side_.length = static_cast<std::uint32_t>(along.size());
    side_.at = numbered(graph_.process_count(), [&](std::uint32_t process) {
      return coordinates[layers.find_set(process)];
    });
    return std::ranges::find(side_.at, none) == side_.at.end() ? std::optional{std::move(side_)}
                                                               : std::nullopt;
  }

 private:
  std::vector<std::uint32_t> neighbours(std::uint32_t process) const {
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < graph_.of(process).size(); ++i) {
      if (axes_[graph_.first_end(process) + i] == axis_) {
        list.push_back(graph_.of(process)[i]);
      }
    }
    return list;
  }

  /// Sets what the side is. Of the ends of a line the lower is the first; a ring begins with
  /// process 0.
  std::vector<std::uint32_t> in_order(std::vector<std::uint32_t> along) {
    std::optional<std::uint32_t> first;
    bool has_few = true;  // neighbours
    for (const std::uint32_t process : along) {
      const std::size_t count = neighbours(process).size();
      has_few = has_few && count <= 2;
      if (count == 1 && process < first.value_or(none)) {
        first = process;
      }
    }
    side_.weight = graph_.weights()[graph_.end_at(0, neighbours(0).front())];
    side_.is_line = has_few && first;
    side_.is_ring = has_few && !first;
    if (!has_few) {
      return along;
    }
    std::vector<std::uint32_t> line{first.value_or(0), neighbours(first.value_or(0)).front()};
    while (line.size() < along.size()) {
      const std::vector<std::uint32_t> two = neighbours(line.back());
      line.push_back(two.front() == line[line.size() - 2] ? two.back() : two.front());
    }
    return line;
  }

  const PairGraph& graph_;
  std::span<const std::uint8_t> axes_;
  std::uint8_t axis_;
  Side side_;
};

/// Two sides of length 2 are a ring of 4.
Side ring_of(const Side& one, const Side& two) {
  Side ring{4, true, false, std::max(one.weight, two.weight), {}};
  ring.at = numbered(one.at.size(), [&](std::uint32_t process) {
    return two.at[process] == 0 ? one.at[process] : 3 - one.at[process];
  });
  return ring;
}

/// Sides of length 2, the heaviest with each other, become rings of 4.
void join_to_rings(std::vector<Side>& sides) {
  std::vector<std::uint32_t> of_two =
      kept(numbered(sides.size()), [&](std::uint32_t side) { return sides[side].length == 2; });
  std::ranges::stable_sort(of_two, std::greater{},
                           [&](std::uint32_t side) { return sides[side].weight; });
  for (std::size_t i = 0; i + 1 < of_two.size(); i += 2) {
    const auto [first, second] = std::minmax(of_two[i], of_two[i + 1]);
    sides[first] = ring_of(sides[first], sides[second]);
    sides[second].length = 1;
  }
  std::erase_if(sides, [](const Side& side) { return side.length == 1; });
}

/// The sides of the grid that these pairs form.
std::optional<std::vector<Side>> sides_of(const PairGraph& graph) {
  const auto axes = ProductAxes{graph}.run();
  if (!axes) {
    return std::nullopt;
  }
  const std::uint8_t last = std::ranges::max(std::span{*axes}.first(graph.of(0).size()));
  std::vector<Side> sides;
  std::uint64_t count = 1;
  for (std::uint8_t axis = 0; axis <= last; ++axis) {
    auto side = SideReader{graph, *axes, axis}.run();
    count *= side ? side->length : 0;
    if (count == 0 || count > graph.process_count()) {
      return std::nullopt;
    }
    sides.push_back(std::move(*side));
  }
  const bool is_one_group = sides.size() == 1 && !sides[0].is_line && !sides[0].is_ring;
  return count == graph.process_count() && !is_one_group ? std::optional{std::move(sides)}
                                                         : std::nullopt;
}

bool is_cube(const std::vector<Side>& sides) {
  return std::ranges::all_of(sides, [](const Side& side) { return side.length == 2; });
}

Guest guest_of(const std::vector<Side>& sides) {
  if (is_cube(sides)) {
    return Guest::cube(static_cast<std::uint32_t>(sides.size()));
  }
  const bool wraps = std::ranges::any_of(sides, &Side::is_ring);
  return Guest::parse(
      fmt::format("{}:{}", wraps ? "torus" : "mesh", joined(mapped(sides, &Side::length), "x")));
}

/// The grid that these pairs form, under any numbers.
std::optional<HiddenGrid> grid_of(const PairGraph& graph) {
  auto sides = sides_of(graph);
  if (!sides) {
    return std::nullopt;
  }
  if (is_cube(*sides)) {
    std::ranges::stable_sort(*sides, std::greater{}, &Side::weight);
  } else {
    join_to_rings(*sides);
  }
  HiddenGrid grid{guest_of(*sides), std::vector<std::uint32_t>(graph.process_count())};
  std::uint32_t stride = 1;
  for (const Side& side : *sides) {
    for (std::uint32_t process = 0; process < graph.process_count(); ++process) {
      grid.numbers[process] += side.at[process] * stride;
    }
    stride *= side.length;
  }
  std::vector<bool> is_taken(graph.process_count());
  for (const std::uint32_t number : grid.numbers) {
    if (is_taken[number]) {
      return std::nullopt;
    }
    is_taken[number] = true;
  }
  return grid;
}

/// Whether processes have other numbers than in the grid, or in any cube of their pairs.
bool is_hidden(const PairGraph& graph, const HiddenGrid& grid) {
  if (grid.guest.kind() != Guest::Kind::cube) {
    return !std::ranges::is_sorted(grid.numbers);
  }
  const std::vector<std::uint32_t> processes = numbered(graph.process_count());
  return std::ranges::any_of(processes, [&](std::uint32_t process) {
    return std::ranges::any_of(graph.of(process), [&](std::uint32_t other) {
      return !std::has_single_bit(process ^ other);
    });
  });
}

/// Least weights of the pairs that may form a grid: that of all, and those above the widest gaps.
std::vector<std::uint64_t> least_weights(const Partners& partners) {
  constexpr std::size_t most_gaps = 4;
  constexpr double least_ratio = 1.25;
  std::vector<std::uint64_t> weights;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (process < partner.process.index()) {
        weights.push_back(partner.weight);
      }
    }
  }
  std::ranges::sort(weights);
  weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
  std::vector<std::pair<double, std::uint64_t>> gaps;
  for (std::size_t i = 1; i < weights.size(); ++i) {
    const double ratio = static_cast<double>(weights[i]) / static_cast<double>(weights[i - 1]);
    if (ratio >= least_ratio) {
      gaps.emplace_back(ratio, weights[i]);
    }
  }
  std::ranges::stable_sort(gaps, std::greater{}, &std::pair<double, std::uint64_t>::first);
  gaps.resize(std::min(gaps.size(), most_gaps));
  std::vector<std::uint64_t> least{0};
  std::ranges::transform(gaps, std::back_inserter(least),
                         &std::pair<double, std::uint64_t>::second);
  std::ranges::sort(least);
  return least;
}

/// Pairs of partners of one process, of all processes together, to look at.
constexpr std::uint64_t most_work = 200'000'000;

/// Whether to look at these pairs: dense traffic takes long.
bool is_worth_it(const PairGraph& graph) {
  std::uint64_t work = 0;
  for (std::uint32_t process = 0; process < graph.process_count(); ++process) {
    const std::uint64_t degree = graph.of(process).size();
    work += degree * degree;
    if (degree == 0 || work > most_work) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<HiddenGrid> hidden_grid(const Traffic& traffic) {
  if (traffic.process_count() < 3 || traffic.flows().size() + 1 < traffic.process_count()) {
    return std::nullopt;
  }
  constexpr std::uint64_t most_flows = 2'000'000;  // of which the heaviest may form a grid
  const std::uint64_t flows = traffic.flows().size();
  if (flows > most_flows && 4 * flows * flows / traffic.process_count() > most_work) {
    return std::nullopt;
  }
  const Partners partners{traffic, FlowWeight::bytes};
  for (const std::uint64_t least_weight : least_weights(partners)) {
    const PairGraph graph{partners, least_weight};
    if (auto grid = is_worth_it(graph) ? grid_of(graph) : std::nullopt) {
      grid->is_hidden = is_hidden(graph, *grid);
      return grid;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> hidden_cube(const Traffic& traffic) {
  const std::uint32_t processes = traffic.process_count();
  const auto dimensions = static_cast<std::size_t>(std::countr_zero(processes));
  const std::size_t ends = processes * dimensions;
  if (processes < 2 || !std::has_single_bit(processes) || traffic.flows().size() < ends / 2 ||
      traffic.flows().size() > ends) {
    return std::nullopt;
  }
  const Partners partners{traffic, FlowWeight::bytes};
  const PairGraph graph{partners, 0};
  for (std::uint32_t process = 0; process < processes; ++process) {
    if (graph.of(process).size() != dimensions) {
      return std::nullopt;
    }
  }
  auto grid = partners.cube_weights() ? std::nullopt : grid_of(graph);
  return grid && grid->guest.kind() == Guest::Kind::cube ? std::optional{std::move(grid->numbers)}
                                                         : std::nullopt;
}

Traffic renumbered(const Traffic& traffic, const std::vector<std::uint32_t>& numbers) {
  std::vector<Flow> flows{traffic.flows().begin(), traffic.flows().end()};
  for (Flow& flow : flows) {
    flow.from = ProcessId{numbers[flow.from.index()]};
    flow.to = ProcessId{numbers[flow.to.index()]};
  }
  return Traffic{traffic.process_count(), std::move(flows)};
}

}  // namespace dcube
