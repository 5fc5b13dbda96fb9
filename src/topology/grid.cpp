#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "of_axes.hpp"

// Lines, rings, meshes, tori and hypercubes are products of paths and cycles: one implementation, a
// grid, serves them all. The kinds are at the end of this file.
//
// of_axes.hpp explains the numbers of nodes and links. A run may end with a wrap-around link, not
// continue past it.
//
//     coordinate   0 --> 1 --> 2 --> 3 --(wrap)--> 0        a way up from 2 to 1 is two runs:
//                              [ run 1           ] [ run 2: 0 --> 1 ]

namespace dcube {
namespace {

/// The largest number stays free to mean "no link".
constexpr std::uint64_t max_link_slots = std::numeric_limits<std::uint32_t>::max() - 1;

using Line = Structure::Line;

/// Route between nodes half a ring apart: not over the wrap-around link [X II.A], or upwards.
enum class Tie { no_wrap, positive };

/// One dimension.
struct Axis {
  std::uint32_t side = 1;
  std::uint32_t stride = 1;
  std::uint32_t shift = 0;  ///< log2(stride), if every side is a power of two
  std::uint32_t up = 0;     ///< number of the upward link of node 0
  std::uint32_t down = 0;   ///< number of the downward link of node 0
  std::uint32_t block = 0;  ///< of the upward links; the next is that of the downward ones
  bool wraps = false;

  bool is_field = false;  ///< the coordinate is a bit field of the node number

  std::uint32_t coordinate(std::uint32_t node) const {
    return is_field ? shifted_coordinate(node) : node / stride % side;
  }
  /// Coordinate, if every side is a power of two.
  std::uint32_t shifted_coordinate(std::uint32_t node) const {
    return (node >> shift) & (side - 1);
  }

  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t direct = from < to ? to - from : from - to;
    return wraps ? std::min(direct, side - direct) : direct;
  }

  /// Heading of the route from one coordinate to another.
  Heading heading(std::uint32_t from, std::uint32_t to, Tie tie) const {
    const Heading direct = from < to ? Heading::up : Heading::down;
    if (!wraps) {
      return direct;
    }
    const std::uint32_t upwards = from < to ? to - from : side - (from - to);
    const std::uint32_t downwards = side - upwards;
    if (upwards == downwards) {
      return tie == Tie::positive ? Heading::up : direct;
    }
    return upwards < downwards ? Heading::up : Heading::down;
  }

  /// Run from `node`, whose coordinate is `from`, towards coordinate `to`.
  Run run_up(std::uint32_t node, std::uint32_t from, std::uint32_t to) const {
    const bool crosses = to < from;
    const std::uint32_t hops = (crosses ? side : to) - from;
    const std::uint32_t end = node + ((crosses ? 0 : to) - from) * stride;  // modulo 2^32
    return {LinkId{up + node}, static_cast<std::int32_t>(stride), hops, NodeId{end}, block};
  }
  Run run_down(std::uint32_t node, std::uint32_t from, std::uint32_t to) const {
    const bool crosses = from < to;
    const std::uint32_t hops = crosses ? from + 1 : from - to;
    const std::uint32_t end = node + ((crosses ? side - 1 : to) - from) * stride;  // modulo 2^32
    return {LinkId{down + node}, -static_cast<std::int32_t>(stride), hops, NodeId{end}, block + 1};
  }

  /// The node one link away; nothing past an open end.
  std::optional<NodeId> step(std::uint32_t node, Heading heading) const {
    const std::uint32_t from = coordinate(node);
    const std::uint32_t last = heading == Heading::up ? side - 1 : 0;
    if (from != last) {
      return NodeId{heading == Heading::up ? node + stride : node - stride};
    }
    if (!wraps) {
      return std::nullopt;
    }
    const std::uint32_t round = (side - 1) * stride;
    return NodeId{heading == Heading::up ? node - round : node + round};
  }
};

/// Removes the lowest coordinate from a node number and returns it.
std::uint32_t take_coordinate(std::uint32_t& node, std::uint32_t side) {
  const std::uint32_t coordinate = node % side;
  node /= side;
  return coordinate;
}

/// Sides of the dimensions, and how many of them make each side that processes see, if products say
/// so.
struct Sides {
  std::vector<std::uint32_t> shape;
  std::vector<std::uint32_t> folds{};
};

class Grid final : public OfAxes<Grid, Axis> {
 public:
  /// The shape is positive and its link numbers fit (see fits()); `lines` has an entry for each
  /// dimension.
  Grid(std::string_view kind, std::vector<Line> lines, Tie tie, Sides sides)
      : OfAxes{std::move(sides.shape)}, kind_{kind}, tie_{tie} {
    for (std::size_t dimension = 0; dimension < shape_.size(); ++dimension) {
      Axis axis;
      axis.side = shape_[dimension];
      axis.wraps = lines[dimension] == Line::cycle && axis.side > 2;
      add_axis(axis);
    }
    structure_.are_nodes_alike = std::ranges::count(lines, Line::path) == 0;
    structure_.is_cube = kind == "hypercube";
    structure_.lines = std::move(lines);
    structure_.folds = std::move(sides.folds);
    number_links();
    for (std::uint32_t dimension = 0; dimension < axes_.size(); ++dimension) {
      axes_[dimension].down = axes_[dimension].up + node_count_;
      axes_[dimension].block = 2 * dimension;
    }
    if (is_power_of_two_) {
      index_bits();
    }
  }

  std::string_view kind() const override { return kind_; }
  const Structure& structure() const override { return structure_; }
  Params details() const override {
    Params details;
    if (!structure_.are_nodes_alike && kind_ == "torus") {
      details.set("wrap",
                  mapped(structure_.lines, [](Line line) { return Setting{line == Line::cycle}; }));
    }
    if (tie_ == Tie::positive) {
      details.set("tie", "positive");
    }
    if (!structure_.folds.empty()) {
      details.set("folded", folded());
    }
    return details;
  }

  std::optional<NodeId> step(const Axis& axis, std::uint32_t node, Heading heading) const {
    return axis.step(node, heading);
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    expects(contains(from) && contains(to), "both nodes are on this machine");
    return is_power_of_two_ ? shifted_distance(from.index(), to.index())
                            : divided_distance(from.index(), to.index());
  }

  Run next_run(NodeId at, NodeId to) const override {
    expects(contains(at) && contains(to), "both nodes are on this machine");
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    return is_power_of_two_ ? shifted_run(at.index(), to.index())
                            : divided_run(at.index(), to.index());
  }

 private:
  /// The shape as it was given: [[2, 2], 4].
  Setting::List folded() const {
    Setting::List sides;
    auto factor = shape_.begin();
    for (const std::uint32_t count : structure_.folds) {
      const std::vector<std::uint32_t> factors{factor, factor + count};
      sides.push_back(count == 1 ? Setting{number_setting(factors[0])}
                                 : Setting{numbers_setting(factors)});
      factor += count;
    }
    return sides;
  }

  /// Prepares the fast paths: every coordinate is a bit field of the node number.
  void index_bits() {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      Axis& axis = axes_[i];
      axis.is_field = true;
      axis.shift = static_cast<std::uint32_t>(std::countr_zero(axis.stride));
      const auto width = static_cast<std::uint32_t>(std::countr_zero(axis.side));
      std::fill_n(axis_of_bit_.begin() + axis.shift, width, static_cast<std::uint32_t>(i));
      if (axis.side == 2) {
        single_bits_ |= axis.stride;
      } else if (axis.side > 2) {
        wide_axes_.push_back(axis);
      }
    }
  }

  std::uint32_t shifted_distance(std::uint32_t from, std::uint32_t to) const {
    auto hops = static_cast<std::uint32_t>(std::popcount((from ^ to) & single_bits_));
    for (const Axis& axis : wide_axes_) {
      hops += axis.distance(axis.shifted_coordinate(from), axis.shifted_coordinate(to));
    }
    return hops;
  }

  std::uint32_t divided_distance(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t hops = 0;
    for (const Axis& axis : axes_) {
      const std::uint32_t here = take_coordinate(from, axis.side);
      const std::uint32_t there = take_coordinate(to, axis.side);
      hops += axis.distance(here, there);
    }
    return hops;
  }

  Run shifted_run(std::uint32_t at, std::uint32_t to) const {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(at ^ to));
    const Axis& axis = axes_.data()[axis_of_bit_.data()[lowest]];
    return run(axis, at, axis.shifted_coordinate(at), axis.shifted_coordinate(to));
  }

  Run divided_run(std::uint32_t at, std::uint32_t to) const {
    std::uint32_t rest_at = at;
    std::uint32_t rest_to = to;
    const Axis* axis = axes_.data();
    for (;; ++axis) {  // ends, because the nodes differ
      const std::uint32_t here = take_coordinate(rest_at, axis->side);
      const std::uint32_t there = take_coordinate(rest_to, axis->side);
      if (here != there) {
        return run(*axis, at, here, there);
      }
    }
  }

  Run run(const Axis& axis, std::uint32_t node, std::uint32_t from, std::uint32_t to) const {
    return axis.heading(from, to, tie_) == Heading::up ? axis.run_up(node, from, to)
                                                       : axis.run_down(node, from, to);
  }

  std::string_view kind_;
  Tie tie_;
  Structure structure_;

  // If every side is a power of two:
  std::uint32_t single_bits_ = 0;  ///< coordinates of sides of two: one hop for each that differs
  std::vector<Axis> wide_axes_;    ///< sides above two
  std::array<std::uint32_t, 32> axis_of_bit_{};
};

/// Whether two link numbers per node and dimension stay within 32 bits.
bool fits(std::span<const std::uint32_t> shape) {
  std::uint64_t slots = 2 * shape.size();
  for (const std::uint32_t side : shape) {
    if (slots > max_link_slots / side) {
      return false;
    }
    slots *= side;
  }
  return true;
}

/// Reads "wrap": which dimensions have joined ends (those of two nodes always); by default all.
std::vector<Line> read_wrap(const Params& params, std::span<const std::uint32_t> shape) {
  std::vector<Line> lines(shape.size(), Line::cycle);
  if (!params.has("wrap")) {
    return lines;
  }
  const Setting::List& list = params.list("wrap", "true or false for each dimension");
  refuse_if(list.size() != shape.size(), params.place_of("wrap"),
            "{} for {} (true or false for each)", counted(list.size(), "entry"),
            counted(shape.size(), "dimension"));
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    const bool* const wraps = list[dimension].boolean();
    if (wraps == nullptr) {
      throw InputError(params.place_of("wrap", dimension),
                       list[dimension].describe() + " is neither true nor false");
    }
    lines[dimension] = *wraps || shape[dimension] <= 2 ? Line::cycle : Line::path;
  }
  return lines;
}

/// Refuses a folded ring that does not close. A walk through cycles of odd sides alone would need
/// another code than that of FoldedGrid.
void check_folded_rings(const Sides& sides, const std::vector<Line>& lines, const Params& params) {
  std::size_t dimension = 0;
  for (std::size_t side = 0; side < sides.folds.size(); ++side) {
    std::size_t factors = 0;
    bool is_odd = true;
    for (std::uint32_t i = 0; i < sides.folds[side]; ++i, ++dimension) {
      factors += sides.shape[dimension] > 1 ? 1 : 0;
      is_odd = is_odd && sides.shape[dimension] % 2 == 1 && lines[dimension] == Line::cycle;
    }
    refuse_if(factors > 1 && is_odd, params.place_of("shape", side),
              "a folded ring of odd factors does not close (one of them is even; `wrap` makes it a "
              "path)");
  }
}

/// `key`: the setting of the shape; `kind`: a literal. Reads "tie" and "wrap" of cycles.
std::unique_ptr<Topology> make_grid(std::string_view kind, Line line, Sides sides,
                                    const Params& params, std::string_view key) {
  static const std::array<std::string, 2> ties{"no_wrap", "positive"};
  const bool goes_up = line == Line::cycle && params.choice("tie", ties, "no_wrap") == "positive";
  refuse_if(!fits(sides.shape), params.place_of(key),
            "{} is too large (a machine has at most {} link numbers, two per node and dimension)",
            params.find(key)->describe(), max_link_slots);
  std::vector<Line> lines = line == Line::cycle ? read_wrap(params, sides.shape)
                                                : std::vector<Line>(sides.shape.size(), line);
  check_folded_rings(sides, lines, params);
  return std::make_unique<Grid>(kind, std::move(lines), goes_up ? Tie::positive : Tie::no_wrap,
                                std::move(sides));
}

std::unique_ptr<Topology> make_row(std::string_view kind, Line line, const Params& params) {
  return make_grid(kind, line, {{params.positive_int("nodes")}}, params, "nodes");
}

/// "2*2x4" as a list: [[2, 2], 4].
Setting::List products_of(const std::string& text) {
  Setting::List products;
  for (const std::string_view side : split_at(text, 'x')) {
    products.emplace_back(mapped(split_at(side, '*'), [](std::string_view factor) {
      return factor.empty() ? Setting{std::string{}}
                            : Setting{Setting::Number{std::string{factor}}};
    }));
  }
  return products;
}

Sides read_sides(const Params& params) {
  constexpr std::string_view side = "a side (a positive integer)";
  const Setting& shape = params.required("shape");
  const bool has_products =
      shape.text() != nullptr
          ? shape.text()->find('*') != std::string::npos
          : shape.list() != nullptr && std::ranges::any_of(*shape.list(), [](const Setting& entry) {
              return entry.list() != nullptr;
            });
  if (!has_products) {
    return {params.positive_ints("shape", side)};
  }
  const Params products =
      Params::of_entries(shape.text() != nullptr ? products_of(*shape.text()) : *shape.list(),
                         params.place_of("shape"));
  Sides sides;
  for (const std::string& key : products.keys_as_written()) {
    const std::vector<std::uint32_t> factors =
        products.find(key)->list() != nullptr
            ? products.positive_ints(key, side)
            : std::vector{static_cast<std::uint32_t>(
                  products.integer(key, 1, std::numeric_limits<std::uint32_t>::max(), side))};
    sides.shape.insert(sides.shape.end(), factors.begin(), factors.end());
    sides.folds.push_back(static_cast<std::uint32_t>(factors.size()));
  }
  if (sides.folds.size() == sides.shape.size()) {
    sides.folds.clear();
  }
  return sides;
}

std::unique_ptr<Topology> make_block(std::string_view kind, Line line, const Params& params) {
  // Sides of 1 have no links, so the limit of links does not limit them.
  constexpr std::size_t most_sides = 1024;
  Sides sides = read_sides(params);
  refuse_if(sides.shape.size() > most_sides, params.place_of("shape"),
            "{} dimensions (a {} has at most {})", sides.shape.size(), kind, most_sides);
  return make_grid(kind, line, std::move(sides), params, "shape");
}

const ParameterHelp nodes_help{"nodes", "number of nodes, at least 1", ""};
const ParameterHelp shape_help{"shape",
                               "nodes per dimension, first (fastest) dimension first: [4, 4] or "
                               "4x4; a product, [[2, 2], 4] or "
                               "2*2x4: a folded side",
                               ""};
const ParameterHelp tie_help{
    "tie",
    "route between nodes half way round: no_wrap (not over the wrap-around link) or positive",
    "no_wrap"};

/// 2 * 26 * 2^26 link numbers fit into 32 bits, those of 27 dimensions do not.
constexpr std::int64_t most_dimensions = 26;

}  // namespace

const TopologyKind line_kind{
    "line", "path of nodes", "nodes=5", {nodes_help}, [](const Params& params) {
      return make_row("line", Line::path, params);
    }};

const TopologyKind ring_kind{
    "ring", "cycle of nodes", "nodes=8", {nodes_help, tie_help}, [](const Params& params) {
      return make_row("ring", Line::cycle, params);
    }};

const TopologyKind mesh_kind{
    "mesh",
    "grid of nodes in any number of dimensions",
    "shape=3x4",
    {shape_help},
    [](const Params& params) { return make_block("mesh", Line::path, params); }};

const TopologyKind torus_kind{
    "torus",
    "mesh whose opposite borders are linked; a side of 2 is one link",
    "shape=4x5",
    {shape_help,
     tie_help,
     {"wrap", "whether the ends of each dimension are linked: [true, false]", "all"}},
    [](const Params& params) { return make_block("torus", Line::cycle, params); }};

const TopologyKind hypercube_kind{
    "hypercube",
    "binary d-cube: nodes whose numbers differ in one bit are linked",
    "dimensions=3",
    {{"dimensions", "log2 of the number of nodes, 0 to 26", ""}},
    [](const Params& params) {
      const auto dimensions = static_cast<std::size_t>(
          params.integer("dimensions", 0, most_dimensions, "a number of dimensions (0 to 26)"));
      return make_grid("hypercube", Line::cycle, {std::vector<std::uint32_t>(dimensions, 2)},
                       params, "dimensions");
    }};

}  // namespace dcube
