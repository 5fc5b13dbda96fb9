#include "traffic_grid.hpp"

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
#include "product_axes.hpp"
#include "search/pairs.hpp"

// A grid is a Cartesian product of graphs, its sides. Processes that differ along one side alone
// have the same coordinates along all others.

namespace dcube {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

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
  SideReader(const Partners& partners, std::span<const std::uint8_t> axes, std::uint8_t axis)
      : partners_{partners}, axes_{axes}, axis_{axis} {}

  /// Nothing where several processes on this side have one coordinate.
  std::optional<Side> run() {
    const std::vector<std::uint32_t> along =
        in_order(reached(partners_, [&](std::size_t end) { return axes_[end] == axis_; }));
    // Processes that are reached from each other over all other axes have the same coordinate.
    boost::disjoint_sets_with_storage<> layers{partners_.process_count()};
    for (std::uint32_t process = 0; process < partners_.process_count(); ++process) {
      std::size_t end = partners_.first(process);
      for (const Partner& partner : partners_.of(process)) {
        if (axes_[end++] != axis_) {
          layers.union_set(process, partner.process.index());
        }
      }
    }
    std::vector<std::uint32_t> coordinates(partners_.process_count(), none);
    for (std::uint32_t i = 0; i < along.size(); ++i) {
      std::uint32_t& coordinate = coordinates[layers.find_set(along[i])];
      if (coordinate != none) {
        return std::nullopt;
      }
      coordinate = i;
    }
    side_.length = static_cast<std::uint32_t>(along.size());
    side_.at = numbered(partners_.process_count(), [&](std::uint32_t process) {
      return coordinates[layers.find_set(process)];
    });
    return std::ranges::find(side_.at, none) == side_.at.end() ? std::optional{std::move(side_)}
                                                               : std::nullopt;
  }

 private:
  std::vector<std::uint32_t> neighbours(std::uint32_t process) const {
    std::vector<std::uint32_t> list;
    std::size_t end = partners_.first(process);
    for (const Partner& partner : partners_.of(process)) {
      if (axes_[end++] == axis_) {
        list.push_back(partner.process.index());
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
    const auto end = std::ranges::find(axes_, axis_) - axes_.begin();
    side_.weight = partners_.of(0)[static_cast<std::size_t>(end)].weight;
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

  const Partners& partners_;
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
std::optional<std::vector<Side>> sides_of(const Partners& partners) {
  const auto axes = product_axes(partners);
  if (!axes) {
    return std::nullopt;
  }
  const std::uint8_t last = std::ranges::max(std::span{*axes}.first(partners.of(0).size()));
  std::vector<Side> sides;
  std::uint64_t count = 1;
  for (std::uint8_t axis = 0; axis <= last; ++axis) {
    auto side = SideReader{partners, *axes, axis}.run();
    count *= side ? side->length : 0;
    if (count == 0 || count > partners.process_count()) {
      return std::nullopt;
    }
    sides.push_back(std::move(*side));
  }
  const bool is_one_group = sides.size() == 1 && !sides[0].is_line && !sides[0].is_ring;
  return count == partners.process_count() && !is_one_group ? std::optional{std::move(sides)}
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
std::optional<TrafficGrid> grid_of(const Partners& partners) {
  auto sides = sides_of(partners);
  if (!sides) {
    return std::nullopt;
  }
  if (is_cube(*sides)) {
    std::ranges::stable_sort(*sides, std::greater{}, &Side::weight);
  } else {
    join_to_rings(*sides);
  }
  TrafficGrid grid{guest_of(*sides), std::vector<std::uint32_t>(partners.process_count())};
  std::uint32_t stride = 1;
  for (const Side& side : *sides) {
    for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
      grid.numbers[process] += side.at[process] * stride;
    }
    stride *= side.length;
  }
  std::vector<bool> is_taken(partners.process_count());
  for (const std::uint32_t number : grid.numbers) {
    if (is_taken[number]) {
      return std::nullopt;
    }
    is_taken[number] = true;
  }
  return grid;
}

/// Whether processes have other numbers than in the grid, or in any cube of their pairs.
bool is_hidden(const Partners& partners, const TrafficGrid& grid) {
  if (grid.guest.kind() != Guest::Kind::cube) {
    return !std::ranges::is_sorted(grid.numbers);
  }
  const std::vector<std::uint32_t> processes = numbered(partners.process_count());
  return std::ranges::any_of(processes, [&](std::uint32_t process) {
    return std::ranges::any_of(partners.of(process), [&](const Partner& other) {
      return !std::has_single_bit(process ^ other.process.index());
    });
  });
}

/// Least weights of the pairs that may form a grid: that of all, and those above the widest gaps.
std::vector<std::uint64_t> least_weights(const Partners& partners) {
  constexpr std::size_t most_gaps = 4;
  constexpr double least_ratio = 1.25;
  std::vector<std::uint64_t> weights;
  for_each_pair(partners, [&](std::uint32_t, std::uint32_t, std::uint64_t weight) {
    weights.push_back(weight);
  });
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

using Processes = std::vector<std::uint32_t>;

bool is_less_than(const Processes& some, const Processes& all) {
  return some.size() < all.size() && std::ranges::includes(all, some);
}

Processes common(const Processes& one, const Processes& other) {
  Processes both;
  std::ranges::set_intersection(one, other, std::back_inserter(both));
  return both;
}

class Skeleton {
 public:
  explicit Skeleton(const Partners& partners)
      : around_{numbered(partners.process_count(), [&](std::uint32_t process) {
          Processes around =
              mapped(partners.of(process), [](const Partner& one) { return one.process.index(); });
          around.insert(std::ranges::lower_bound(around, process), process);
          return around;
        })} {}

  /// Whether the pair is that of a third process, and one of these two, as well: more of what is
  /// around one is around the third, or the third is between them. Seen from both ends.
  bool is_dispensable(std::uint32_t one, std::uint32_t other) const {
    const Processes both = common(around_[one], around_[other]);
    return std::ranges::any_of(both, [&](std::uint32_t third) {
      return third != one && third != other && is_nearer(one, other, third, both) &&
             is_nearer(other, one, third, both);
    });
  }

 private:
  /// Whether `third` is nearer to `from` than `to` is, where `both` are around `from` and `to`.
  bool is_nearer(std::uint32_t from, std::uint32_t to, std::uint32_t third,
                 const Processes& both) const {
    return is_less_than(both, common(around_[from], around_[third])) ||
           (is_less_than(around_[from], around_[third]) &&
            is_less_than(around_[third], around_[to]));
  }

  std::vector<Processes> around_;  ///< each process with its partners, ascending
};

/// Whether a process of a grid may have so many around it, itself included: 2 or 3 along each side.
bool may_be_around(std::uint64_t count) {
  while (count % 2 == 0) {
    count /= 2;
  }
  while (count % 3 == 0) {
    count /= 3;
  }
  return count == 1;
}

/// The pairs along the sides of a grid whose processes exchange with all around them, as in
/// stencils of 9 and 27 points: the Cartesian skeleton of a strong product (Hammack & Imrich, "On
/// Cartesian skeletons of graphs", Ars Math. Contemp. 2, 2009). Nothing where processes have other
/// numbers of partners than in such grids of lines of 3 and rings of 4 or more, or where it takes
/// long.
std::optional<Partners> cartesian_skeleton(const Partners& partners) {
  constexpr std::uint64_t most_work = 500'000'000;
  std::uint64_t work = 0;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    const std::uint64_t around = partners.of(process).size() + 1;
    work += around * around * around;
    if (!may_be_around(around) || work > most_work) {
      return std::nullopt;
    }
  }
  const Skeleton skeleton{partners};
  return partners.filtered([&](std::uint32_t process, const Partner& partner) {
    return !skeleton.is_dispensable(process, partner.process.index());
  });
}

/// Pairs of partners of one process, of all processes together, to look at.
constexpr std::uint64_t most_work = 200'000'000;

/// Whether to look at these pairs: dense traffic takes long.
bool is_worth_it(const Partners& partners) {
  std::uint64_t work = 0;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    const std::uint64_t degree = partners.of(process).size();
    work += degree * degree;
    if (degree == 0 || work > most_work) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<TrafficGrid> traffic_grid(const Traffic& traffic) {
  if (traffic.process_count() < 3 || traffic.flows().size() + 1 < traffic.process_count()) {
    return std::nullopt;
  }
  constexpr std::uint64_t most_flows = 2'000'000;  // of which the heaviest may form a grid
  const std::uint64_t flows = traffic.flows().size();
  if (flows > most_flows && 4 * flows * flows / traffic.process_count() > most_work) {
    return std::nullopt;
  }
  const Partners partners{traffic, FlowWeight::bytes};
  const auto shown_by = [](const Partners& pairs) {
    auto grid = is_worth_it(pairs) ? grid_of(pairs) : std::nullopt;
    if (grid) {
      grid->is_hidden = is_hidden(pairs, *grid);
    }
    return grid;
  };
  for (const std::uint64_t least : least_weights(partners)) {
    if (auto grid = shown_by(partners.filtered(
            [&](std::uint32_t, const Partner& partner) { return partner.weight >= least; }))) {
      return grid;
    }
  }
  const std::optional<Partners> skeleton = cartesian_skeleton(partners);
  return skeleton ? shown_by(*skeleton) : std::nullopt;
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
  for (std::uint32_t process = 0; process < processes; ++process) {
    if (partners.of(process).size() != dimensions) {
      return std::nullopt;
    }
  }
  auto grid = partners.cube_weights() ? std::nullopt : grid_of(partners);
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
