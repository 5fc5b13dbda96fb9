#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "of_axes.hpp"

// Torus whose wrap-around links also shift other coordinates. 4x8, where a wrap of the first
// dimension adds 4 to the second coordinate:
//
//     (3, 1) --up in dimension 0--> (0, 5)         (3, 6) --> (0, 2)
//
// A coordinate that a wrap shifts has an untwisted wrap itself. So a shift past its end shifts
// nothing more, steps in different dimensions commute, and all nodes are alike: a route depends
// only on the difference of its ends. The differences are the nodes seen from node 0, and one table
// over them holds all routes.
//
// Many vectors of steps lead to a difference, one for each way round. The route takes, of the
// shortest of these, the one with the fewest steps in the first dimension, then in the second, ..;
// then the one that goes upwards in the first dimension where they differ. It walks this vector in
// dimension order. Adding a step in the same direction of the first dimension used to two vectors
// to one difference leaves the better one the better. So the rest of a route after some hops is the
// vector that the next node would choose: routes are memoryless.
//
// Few steps in the first dimensions balance the links well, because wraps of short sides, which
// usually come first, shift long ones: the busiest link of an all-to-all on 4x4x8 carries 86
// messages, but 108 if the choice prefers steps upwards.
//
// Nodes, links and runs are as in a plain torus (grid.cpp).

namespace dcube {
namespace {

constexpr std::uint64_t most_twisted_links = std::numeric_limits<std::uint32_t>::max() - 1;
/// Limit because each machine holds a table over all differences.
constexpr std::uint32_t most_twisted_nodes = std::uint32_t{1} << 26;
constexpr std::size_t most_twisted_dimensions = 26;

using Shape = std::vector<std::uint32_t>;
/// Row d: shift of each coordinate, below its side, by a wrap of dimension d.
using Twist = std::vector<Shape>;

/// Whether a row of the twist shifts some coordinate.
bool shifts(const Shape& row) {
  return std::ranges::any_of(row, [](std::uint32_t by) { return by != 0; });
}

struct TwistedAxis {
  std::uint32_t side = 1;
  std::uint32_t stride = 1;
  Shape shift;           ///< of every coordinate by a wrap upwards
  std::uint32_t up = 0;  ///< number of the upward link of node 0
  bool is_twisted = false;
  bool wraps = false;

  std::uint32_t coordinate(std::uint32_t node) const { return node / stride % side; }
};

class TwistedTorus final : public OfAxes<TwistedTorus, TwistedAxis> {
 public:
  /// The shape's link numbers fit. Column d of row d is 0, and the row of a coordinate that another
  /// row shifts is all 0. `shows_twist`: details() names the twist.
  TwistedTorus(Shape shape, Twist twist, bool shows_twist)
      : OfAxes{std::move(shape)}, shows_twist_{shows_twist} {
    for (std::uint32_t d = 0; d < shape_.size(); ++d) {
      TwistedAxis axis;
      axis.side = shape_[d];
      axis.shift = twist[d];
      axis.is_twisted = shifts(axis.shift);
      // Without a twist, a wrap of a side of two would double its link.
      axis.wraps = axis.side > 2 || (axis.side == 2 && axis.is_twisted);
      add_axis(std::move(axis));
    }
    structure_.lines.assign(shape_.size(), Structure::Line::twisted);
    structure_.are_nodes_alike = true;
    number_links();
    find_routes();
  }

  std::string_view kind() const override { return "twisted_torus"; }
  const Structure& structure() const override { return structure_; }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    expects(contains(from) && contains(to), "both nodes are on this machine");
    return distances_[difference(from.index(), to.index())];
  }

  Run next_run(NodeId at, NodeId to) const override {
    expects(contains(at) && contains(to), "both nodes are on this machine");
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const Move move = moves_[difference(at.index(), to.index())];
    const TwistedAxis& axis = axes_[move.dimension];
    const std::uint32_t from = axis.coordinate(at.index());
    const auto stride = static_cast<std::int32_t>(axis.stride);
    const std::uint32_t block = 2 * move.dimension;
    // The single link of an untwisted side of two leads upwards or downwards.
    if (axis.wraps ? move.is_up == 1 : from == 0) {
      const bool wraps = from + move.hops >= axis.side;
      const std::uint32_t hops = wraps ? axis.side - from : move.hops;
      const std::uint32_t end = wraps ? wrapped(axis, at.index() - from * axis.stride, true)
                                      : at.index() + hops * axis.stride;
      return {LinkId{axis.up + at.index()}, stride, hops, NodeId{end}, block};
    }
    const bool wraps = move.hops > from;
    const std::uint32_t hops = wraps ? from + 1 : move.hops;
    const std::uint32_t end =
        wraps ? wrapped(axis, at.index() + (axis.side - 1 - from) * axis.stride, false)
              : at.index() - hops * axis.stride;
    return {LinkId{axis.up + node_count_ + at.index()}, -stride, hops, NodeId{end}, block + 1};
  }

  Params details() const override {
    if (!shows_twist_) {
      return {};
    }
    Params details;
    details.set("twist",
                mapped(axes_, [](const TwistedAxis& axis) { return numbers_setting(axis.shift); }));
    return details;
  }

  /// The node one link away; nothing past the end of a side of one or two.
  std::optional<NodeId> step(const TwistedAxis& axis, std::uint32_t node, Heading heading) const {
    const bool is_up = heading == Heading::up;
    const std::uint32_t from = axis.coordinate(node);
    if (from != (is_up ? axis.side - 1 : 0)) {
      return NodeId{is_up ? node + axis.stride : node - axis.stride};
    }
    if (!axis.wraps) {
      return std::nullopt;
    }
    const std::uint32_t round = (axis.side - 1) * axis.stride;
    return NodeId{wrapped(axis, is_up ? node - round : node + round, is_up)};
  }

 private:
  /// First straight part of the route to a difference.
  struct Move {
    std::uint32_t hops : 26;
    std::uint32_t dimension : 5;
    std::uint32_t is_up : 1;
  };

  /// `node` with its coordinates shifted as by a wrap of `axis`, whose own coordinate stays.
  std::uint32_t wrapped(const TwistedAxis& axis, std::uint32_t node, bool is_up) const {
    if (!axis.is_twisted) {
      return node;
    }
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const std::uint32_t by = axis.shift[d];
      if (by != 0) {
        const TwistedAxis& other = axes_[d];
        const std::uint32_t at = other.coordinate(node);
        const std::uint32_t to = (at + (is_up ? by : other.side - by)) % other.side;
        node += (to - at) * other.stride;  // modulo 2^32
      }
    }
    return node;
  }

  /// `to` - `from`: `to` as node 0 sees it in place of `from`.
  std::uint32_t difference(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t seen = 0;
    std::uint32_t borrowed = 0;  // bits of twisted dimensions that have wrapped
    std::uint32_t bit = 1;
    for (const TwistedAxis& axis : axes_) {
      const std::uint32_t here = from % axis.side;
      const std::uint32_t there = to % axis.side;
      from /= axis.side;
      to /= axis.side;
      const bool borrows = there < here;
      seen += (there - here + (borrows ? axis.side : 0)) * axis.stride;
      borrowed |= borrows && axis.is_twisted ? bit : 0;
      bit *= 2;
    }
    // `side` steps forward are a wrap, so counting a coordinate forward instead of backward
    // subtracts the shift of a wrap.
    for (std::size_t d = 0; borrowed >> d != 0; ++d) {
      if ((borrowed >> d & 1U) != 0) {
        seen = wrapped(axes_[d], seen, false);
      }
    }
    return seen;
  }

  /// Breadth-first search from node 0, which keeps the best of the shortest vectors to each
  /// difference. Without its first step it is the best one of its own difference, so extending the
  /// vectors of all neighbours that are one nearer is enough.
  void find_routes() {
    const std::size_t n = axes_.size();
    constexpr std::uint32_t unknown = ~std::uint32_t{0};
    distances_.assign(node_count_, unknown);
    std::vector<std::int32_t> vectors(std::size_t{node_count_} * n);
    std::vector<std::uint32_t> reached{0};
    distances_[0] = 0;
    std::vector<std::int32_t> candidate(n);
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::uint32_t node = reached[next];
      for (std::size_t d = 0; d < n; ++d) {
        for (const bool is_up : {true, false}) {
          const std::optional<NodeId> stepped =
              step(axes_[d], node, is_up ? Heading::up : Heading::down);
          if (!stepped) {
            continue;
          }
          const std::uint32_t to = stepped->index();
          std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(node * n), n,
                      candidate.begin());
          candidate[d] += is_up ? 1 : -1;
          const auto known = vectors.begin() + static_cast<std::ptrdiff_t>(to * n);
          if (distances_[to] == unknown) {
            distances_[to] = distances_[node] + 1;
            reached.push_back(to);
            std::ranges::copy(candidate, known);
          } else if (distances_[to] == distances_[node] + 1 && is_better(candidate, {known, n})) {
            std::ranges::copy(candidate, known);
          }
        }
      }
    }
    expects(reached.size() == node_count_, "a torus is connected");
    moves_.assign(node_count_, Move{0, 0, 0});
    for (std::uint32_t node = 1; node < node_count_; ++node) {
      std::size_t d = 0;
      while (vectors[node * n + d] == 0) {
        ++d;
      }
      const std::int32_t steps = vectors[node * n + d];
      moves_[node] = {static_cast<std::uint32_t>(std::abs(steps)) & 0x3ffffffU,
                      static_cast<std::uint32_t>(d) & 0x1fU, steps > 0 ? 1U : 0U};
    }
  }

  static bool is_better(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    const auto differing = [&](auto of) {
      std::size_t d = 0;
      while (d < a.size() && of(a[d]) == of(b[d])) {
        ++d;
      }
      return d;
    };
    const auto steps = [](std::int32_t component) { return std::abs(component); };
    if (const std::size_t d = differing(steps); d < a.size()) {
      return steps(a[d]) < steps(b[d]);
    }
    const std::size_t d = differing([](std::int32_t component) { return component; });
    return d < a.size() && a[d] > b[d];
  }

  Structure structure_;
  bool shows_twist_;
  std::vector<std::uint32_t> distances_;  ///< [node], from node 0
  std::vector<Move> moves_;               ///< [node], from node 0
};

/// Twist of the TPU v4: a wrap of a dimension adds its side to every coordinate.
Twist default_twist(const Params& params, const Shape& shape) {
  const std::uint32_t least = *std::ranges::min_element(shape);
  for (const std::uint32_t side : shape) {
    refuse_if(least < 2 || (side != least && side != 2 * least), params.place_of("shape"),
              "{} has no usual twist (every side is S or 2S, S at least 2); give `twist`, what a "
              "wrap of each dimension adds to each coordinate",
              params.find("shape")->describe());
  }
  return mapped(shape, [&](std::uint32_t by) {
    return mapped(shape, [&](std::uint32_t side) { return by % side; });
  });
}

Twist read_twist(const Params& params, const Shape& shape) {
  const auto rows = static_cast<std::uint32_t>(shape.size());
  const Setting::List& list = params.list("twist", "rows of whole numbers, one for each dimension");
  refuse_if(
      list.size() != rows, params.place_of("twist"),
      "{} rows for {} dimensions (row d says what a wrap of dimension d adds to each coordinate)",
      list.size(), rows);
  const Params entries = Params::of_entries(list, params.place_of("twist"));
  Twist twist;
  for (std::uint32_t d = 0; d < rows; ++d) {
    const std::string key = std::to_string(d);
    Shape row = entries.non_negative_ints(key, "a shift (a whole number of 0 or more)");
    refuse_if(row.size() != rows, entries.place_of(key),
              "{} shifts for {} coordinates (one for each)", row.size(), rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
      refuse_if(row[i] >= shape[i], entries.place_of(key, i),
                "{} is not a shift of a coordinate of side {} (0 to {})", row[i], shape[i],
                shape[i] - 1);
    }
    refuse_if(row[d] != 0, entries.place_of(key, d),
              "a wrap of dimension {} does not shift its own coordinate (this entry is 0)", d);
    refuse_if(shifts(row) && shape[d] == 1, entries.place_of(key),
              "a side of 1 has no wrap to twist");
    twist.push_back(std::move(row));
  }
  for (std::uint32_t d = 0; d < rows; ++d) {
    for (std::uint32_t i = 0; i < rows; ++i) {
      refuse_if(twist[d][i] != 0 && shifts(twist[i]), entries.place_of(std::to_string(d), i),
                "wraps of dimension {} shift coordinate {}, whose own wraps are twisted, too (a "
                "coordinate that is shifted needs a row of zeros)",
                d, i);
    }
  }
  return twist;
}

std::unique_ptr<Topology> make(const Params& params) {
  const Shape shape = params.positive_ints("shape", "a side (a positive integer)");
  refuse_if(shape.size() > most_twisted_dimensions, params.place_of("shape"),
            "{} dimensions (a twisted torus has at most {})", shape.size(),
            most_twisted_dimensions);
  std::uint64_t slots = 2 * shape.size();
  std::uint64_t nodes = 1;
  for (const std::uint32_t side : shape) {
    refuse_if(slots > most_twisted_links / side || nodes * side > most_twisted_nodes,
              params.place_of("shape"), "{} is too large (a twisted torus has at most {} nodes)",
              params.find("shape")->describe(), most_twisted_nodes);
    slots *= side;
    nodes *= side;
  }
  Twist twist = params.has("twist") ? read_twist(params, shape) : default_twist(params, shape);
  expect_fits_in_memory("the table of a twisted torus",
                        nodes * (4 * shape.size() + 3 * sizeof(std::uint32_t)));
  return std::make_unique<TwistedTorus>(shape, std::move(twist), params.has("twist"));
}

}  // namespace

const TopologyKind twisted_torus_kind{
    "twisted_torus",
    "torus whose wraps shift other coordinates, as in the TPU v4",
    "shape=2x4",
    {{"shape", "nodes per dimension, first (fastest) dimension first: [4, 4, 8] or 4x4x8", ""},
     {"twist",
      "row d: what a wrap of dimension d adds to each coordinate; those it shifts have rows of "
      "zeros",
      "the TPU v4's"}},
    make};

}  // namespace dcube
