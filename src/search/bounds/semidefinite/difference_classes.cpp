#include "difference_classes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "search/bounds/zero_sum_spectrum.hpp"

namespace dcube {
namespace {

using Fixed = DifferenceClasses::Fixed;
using Element = std::vector<std::uint32_t>;  ///< of the group, by side
using Key = std::vector<std::uint32_t>;

constexpr std::uint64_t most_elements = 1U << 14U;

/// Elements of a class or of a mode; only one of them matters where all have the same means.
using Members = std::map<Key, std::vector<Element>>;

/// Calls `visit` with all vectors below `limits`.
template <class Visit>
void for_each_below(const std::vector<std::uint32_t>& limits, Visit visit) {
  std::vector<std::uint32_t> at(limits.size());
  for (;;) {
    visit(at);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == limits[d]) {
      at[d++] = 0;
    }
    if (d == at.size()) {
      return;
    }
  }
}

class ClassBuilder {
 public:
  ClassBuilder(const Topology& topology, std::uint32_t padding) : topology_{topology} {
    for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
      add_sides(d, padding);
    }
    const auto rank = [&](std::size_t side) {
      return std::tuple{made_.sides[side].is_open, made_.sides[side].order};
    };
    std::vector<std::size_t> by_rank = numbered<std::size_t>(made_.sides.size());
    std::ranges::stable_sort(by_rank, {}, rank);
    for (const std::size_t side : by_rank) {
      if (made_.groups.empty() || rank(made_.groups.back().front()) != rank(side)) {
        made_.groups.emplace_back();
      }
      made_.groups.back().push_back(side);
    }
    made_.node_count = topology.node_count();
    made_.is_bipartite = std::ranges::all_of(
        made_.sides, [](const auto& side) { return side.is_open || side.order % 2 == 0; });
  }

  bool is_small() const {
    return !made_.sides.empty() && made_.order <= static_cast<double>(most_elements);
  }

  DifferenceClasses built(DifferenceClasses::NodeTables tables) {
    make_classes();
    make_means();
    if (std::ranges::any_of(made_.sides, &DifferenceClasses::Side::is_open)) {
      make_orbits();
    }
    make_distances();
    if (tables == DifferenceClasses::NodeTables::made) {
      make_tables();
    }
    return std::move(made_);
  }

 private:
  void add_sides(std::size_t dimension, std::uint32_t padding) {
    const std::uint32_t nodes = topology_.shape()[dimension];
    const bool is_open = nodes > 2 && !is_cycle(topology_, dimension);
    first_side_.push_back(made_.sides.size());
    if (nodes == 4 && !is_open) {
      made_.sides.insert(made_.sides.end(), 2, {2, 2, false});
    } else if (nodes > 1) {
      made_.sides.push_back({is_open ? 2 * nodes - 1 + padding : nodes, nodes, is_open});
    }
    for (std::size_t side = first_side_.back(); side < made_.sides.size(); ++side) {
      made_.order *= made_.sides[side].order;
    }
  }

  Element orders() const { return mapped(made_.sides, &DifferenceClasses::Side::order); }

  /// Values by group, ascending inside.
  Key sorted(const Element& values) const {
    Key key;
    for (const auto& group : made_.groups) {
      const auto first = static_cast<std::ptrdiff_t>(key.size());
      for (const std::size_t side : group) {
        key.push_back(values[side]);
      }
      std::sort(key.begin() + first, key.end());
    }
    return key;
  }

  Key key_of(const Element& element) const {
    return sorted(numbered(element.size(), [&](std::size_t side) {
      return std::min(element[side], made_.sides[side].order - element[side]);
    }));
  }

  static std::uint32_t sum_of(const Key& key) {
    return std::accumulate(key.begin(), key.end(), std::uint32_t{0});
  }

  /// Whether two nodes can differ by it.
  bool occurs(const Key& key) const {
    std::size_t at = 0;
    for (const auto& group : made_.groups) {
      for (const std::size_t side : group) {
        const auto& one = made_.sides[side];
        if (one.is_open && key[at] > one.nodes - 1) {
          return false;
        }
        ++at;
      }
    }
    return true;
  }

  void make_classes() {
    for_each_below(orders(),
                   [&](const Element& element) { members_[key_of(element)].push_back(element); });
    made_.mode_keys = mapped(members_, [](const auto& mode) { return mode.first; });
    std::ranges::stable_sort(made_.mode_keys, {}, sum_of);
    for (const Key& key : made_.mode_keys) {
      const auto size = static_cast<std::uint32_t>(members_[key].size());
      made_.mode_sizes.push_back(size);
      if (occurs(key)) {
        class_index_[key] = static_cast<std::uint32_t>(classes_.size());
        classes_.push_back(key);
        made_.class_sizes.push_back(size);
        made_.hops.push_back(sum_of(key));
      }
    }
  }

  const RootsOfUnity& roots(std::uint32_t order) {
    const auto [at, is_new] = roots_.try_emplace(order, order);
    return at->second;
  }

  Fixed fixed(double value) const {
    return static_cast<Fixed>(std::llround(std::ldexp(value, DifferenceClasses::fraction_bits)));
  }

  void make_means() {
    double error = 0;
    for (const auto& side : made_.sides) {
      error += 4 * (roots(side.order).error + roots(2 * side.order).error + rounding_of(8));
    }
    std::uint32_t most = made_.node_count;
    for (const Key& mode : made_.mode_keys) {
      const Element& y = members_[mode].front();
      for (const Key& key : classes_) {
        double sum = 0;
        for (const Element& x : members_[key]) {
          std::complex<double> product = 1;
          for (std::size_t side = 0; side < x.size(); ++side) {
            const std::uint32_t n = made_.sides[side].order;
            product *= roots(n).values[std::uint64_t{x[side]} * y[side] % n];
          }
          sum += product.real();
        }
        const auto size = static_cast<std::uint32_t>(members_[key].size());
        made_.means.push_back(fixed(sum / size));
        most = std::max(most, size);
      }
      most = std::max(most, static_cast<std::uint32_t>(members_[mode].size()));
    }
    error += rounding_of(most + 2);
    expects(error < 1e-9, "roots of unity are good");
    made_.error =
        static_cast<Fixed>(std::ceil(std::ldexp(error, DifferenceClasses::fraction_bits))) + 2;
  }

  /// Doubled distances of the node from the centre along each side; 0 on cycles.
  Element from_centre(const Element& node) const {
    return numbered(node.size(), [&](std::size_t side) {
      const auto& one = made_.sides[side];
      const std::uint32_t doubled = 2 * node[side];
      return !one.is_open               ? 0
             : doubled >= one.nodes - 1 ? doubled - (one.nodes - 1)
                                        : one.nodes - 1 - doubled;
    });
  }

  /// What the centre's row has for one character at doubled distances.
  double centre_value(const Element& character, const Element& lengths) {
    double product = 1;
    for (std::size_t side = 0; side < character.size(); ++side) {
      const auto& one = made_.sides[side];
      if (!one.is_open) {
        if (character[side] != 0) {
          return 0;
        }
        continue;
      }
      // Of characters that are alike on nodes but not half-way between, the symmetric ones count.
      const std::uint64_t y = std::min(character[side], one.order - character[side]);
      product *= roots(2 * one.order).values[y * lengths[side] % (2 * one.order)].real();
    }
    return product;
  }

  void make_orbits() {
    std::map<Key, std::pair<std::uint32_t, Element>> orbits;  // size, lengths of one
    for_each_below(mapped(made_.sides, &DifferenceClasses::Side::nodes), [&](const Element& node) {
      const Element lengths = from_centre(node);
      auto& orbit = orbits[sorted(lengths)];
      ++orbit.first;
      orbit.second = lengths;
    });
    for (const auto& [key, orbit] : orbits) {
      orbit_index_[key] = static_cast<std::uint32_t>(made_.orbit_sizes.size());
      made_.orbit_sizes.push_back(orbit.first);
    }
    for (const Key& mode : made_.mode_keys) {
      double nodes = 0;
      const auto& characters = members_[mode];
      bool is_on_paths = true;
      for (std::size_t side = 0; side < made_.sides.size(); ++side) {
        is_on_paths = is_on_paths && (made_.sides[side].is_open || characters.front()[side] == 0);
      }
      made_.mode_has_centre.push_back(is_on_paths);
      for (const auto& [key, orbit] : orbits) {
        double sum = 0;
        for (const Element& character : characters) {
          sum += centre_value(character, orbit.second);
        }
        const double mean = sum / static_cast<double>(characters.size());
        made_.centre_means.push_back(fixed(mean));
        nodes += orbit.first * mean;
      }
      made_.centre_sums.push_back(fixed(nodes));
    }
    made_.sum_error = 2 * made_.node_count * made_.error;
  }

  void make_distances() {
    std::size_t first = 0;
    for (const auto& group : made_.groups) {
      add_distances_of(group, first);
      first += group.size();
    }
    if (made_.groups.size() > 1 && made_.is_bipartite) {
      add_distance("parity of all hops", 2, [](const Key& key) { return 2 * (sum_of(key) % 2); });
    }
  }

  void add_distances_of(const std::vector<std::size_t>& group, std::size_t first) {
    const auto& side = made_.sides[group.front()];
    const auto size = static_cast<std::uint32_t>(group.size());
    const auto part = [=](const Key& key) {
      const auto begin = key.begin() + static_cast<std::ptrdiff_t>(first);
      return Key{begin, begin + size};
    };
    const bool is_even = side.is_open || side.order % 2 == 0;
    const std::string where =
        (side.is_open ? " of paths of " : " of cycles of ") + std::to_string(side.nodes);
    add_distance("hops" + where, size * (side.is_open ? 2 * (side.nodes - 1) : side.order),
                 [=](const Key& key) { return 2 * sum_of(part(key)); });
    if (side.is_open) {
      auto& centre = made_.distances.back().from_centre;
      centre.resize(made_.orbit_count());
      for (const auto& [key, orbit] : orbit_index_) {
        centre[orbit] = sum_of(part(key));
      }
    }
    if (is_even && (size > 1 || side.order > 2)) {
      add_distance("parity" + where, 2,
                   [=](const Key& key) { return 2 * (sum_of(part(key)) % 2); });
    }
    if (is_even && size > 1 && side.order > 2) {
      add_distance("odd coordinates" + where, 2 * size, [=](const Key& key) {
        const Key lengths = part(key);
        return 2 * static_cast<std::uint32_t>(std::ranges::count_if(
                       lengths, [](std::uint32_t length) { return length % 2 == 1; }));
      });
    }
    if (size > 1 && side.order > 3) {
      add_distance("greatest coordinate" + where, 0,
                   [=](const Key& key) { return 2 * part(key).back(); });
    }
  }

  template <class Length>
  void add_distance(std::string name, std::uint32_t total, Length length) {
    CutDistance distance{.name = std::move(name), .total = total};
    for (const Key& key : classes_) {
      distance.of_class.push_back(length(key));
    }
    made_.distances.push_back(std::move(distance));
  }

  /// Coordinates of the node by side. A cycle of four goes round a square.
  Element position(std::uint32_t node) const {
    Element position;
    for (std::size_t d = 0; d < topology_.dimension_count(); ++d) {
      const std::uint32_t side = topology_.shape()[d];
      const std::uint32_t at = node % side;
      node /= side;
      const std::size_t end = d + 1 < first_side_.size() ? first_side_[d + 1] : made_.sides.size();
      if (end == first_side_[d] + 2) {
        position.insert(position.end(), {(at + 1) / 2 % 2, at / 2});
      } else if (end > first_side_[d]) {
        position.push_back(at);
      }
    }
    return position;
  }

  void make_tables() {
    const std::uint32_t nodes = made_.node_count;
    std::vector<Element> positions;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      positions.push_back(position(node));
      if (made_.has_centre()) {
        made_.orbit_of.push_back(orbit_index_.at(sorted(from_centre(positions.back()))));
      }
    }
    for (const Element& from : positions) {
      for (const Element& to : positions) {
        const Element difference = numbered(from.size(), [&](std::size_t side) {
          const std::uint32_t order = made_.sides[side].order;
          return (from[side] + order - to[side]) % order;
        });
        made_.class_of.push_back(class_index_.at(key_of(difference)));
      }
    }
  }

  const Topology& topology_;
  DifferenceClasses made_;
  std::vector<std::size_t> first_side_;  ///< by dimension
  Members members_;
  std::vector<Key> classes_;
  std::map<Key, std::uint32_t> class_index_;
  std::map<Key, std::uint32_t> orbit_index_;
  std::map<std::uint32_t, RootsOfUnity> roots_;
};

}  // namespace

std::optional<DifferenceClasses> DifferenceClasses::of(const Topology& topology,
                                                       std::uint32_t padding, NodeTables tables) {
  constexpr std::uint32_t most_nodes = 1024;
  if (!has_coordinates(topology) || topology.node_count() > most_nodes) {
    return std::nullopt;
  }
  ClassBuilder builder{topology, padding};
  return builder.is_small() ? std::optional{builder.built(tables)} : std::nullopt;
}

}  // namespace dcube
