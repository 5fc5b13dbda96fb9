#include "dcube/scenario/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {

namespace {

constexpr std::uint32_t most_in_a_row = 32;
constexpr std::uint32_t most_on_a_circle = 64;
constexpr double grid_node_size = 0.56;
constexpr double projected_node_size = 0.34;
constexpr double slice_gap = 1.2;
/// Distance of a lane to the right of the line between two nodes, in node sizes.
constexpr double lane_offset = 0.16;
constexpr double lane_width = 0.2;
/// Strokes at many angles leave less room.
constexpr double narrow = 0.5;
constexpr double stub_length = 0.24;

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(double factor, Point a) { return {factor * a.x, factor * a.y}; }
double length(Point a) { return std::hypot(a.x, a.y); }
Point unit(Point a) { return (1 / length(a)) * a; }
Point direction_at(double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  return {std::cos(angle), -std::sin(angle)};
}

/// Rows that go back and forth, so that neighbours stay neighbours.
std::vector<Point> winding(std::uint32_t nodes) {
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(2.0 * nodes)));
  return numbered(nodes, [columns](std::uint32_t i) {
    const std::uint32_t row = i / columns;
    const std::uint32_t column = i % columns;
    return Point{static_cast<double>(row % 2 == 0 ? column : columns - 1 - column),
                 static_cast<double>(row)};
  });
}

std::vector<Point> circle(std::uint32_t nodes) {
  const double radius = std::max(0.8, nodes / (2 * std::numbers::pi));
  return numbered(nodes,
                  [&](std::uint32_t i) { return radius * direction_at(90 - 360.0 * i / nodes); });
}

/// Nodes that are kept free, such as switches, on smaller circles inside of the others, a circle
/// for each number of hops to them. On its circle a node is where its neighbours further out are.
std::vector<Point> circles(const Topology& machine, std::span<const NodeId> free) {
  const std::uint32_t nodes = machine.node_count();
  std::vector<std::uint32_t> level(nodes, 0);
  for (const NodeId node : free) {
    level[node.index()] = nodes;
  }
  using Ring = std::vector<std::uint32_t>;
  std::vector<Ring> rings{
      // from outside
      kept(numbered(nodes), [&](std::uint32_t node) { return level[node] == 0; })};
  std::vector<double> turn(nodes, 0);  // clockwise from the top, of 1
  for (std::size_t i = 0; i < rings.front().size(); ++i) {
    turn[rings.front()[i]] = static_cast<double>(i) / static_cast<double>(rings.front().size());
  }
  for (std::size_t placed = rings.front().size(); placed < nodes; placed += rings.back().size()) {
    const auto outer = static_cast<std::uint32_t>(rings.size() - 1);
    std::vector<std::pair<double, std::uint32_t>> inside;  // turn, node
    for (const NodeId node : free) {
      Point sum;
      bool is_next = false;
      for (const NodeId other : machine.neighbours(node)) {
        if (level[node.index()] == nodes && level[other.index()] == outer) {
          is_next = true;
          sum = sum + direction_at(90 - 360 * turn[other.index()]);
        }
      }
      if (is_next) {
        const double towards = std::atan2(sum.x, -sum.y) / (2 * std::numbers::pi);
        inside.emplace_back(towards < 0 ? towards + 1 : towards, node.index());
      }
    }
    if (inside.empty()) {
      return circle(nodes);  // failures have cut some off
    }
    std::ranges::sort(inside);
    rings.emplace_back();
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const std::uint32_t node = inside[i].second;
      turn[node] =
          inside.front().first + static_cast<double>(i) / static_cast<double>(inside.size());
      level[node] = outer + 1;
      rings.back().push_back(node);
    }
  }
  std::vector<Point> points(nodes);
  double radius = -1;
  for (auto ring = rings.rbegin(); ring != rings.rend();
       ++ring) {  // each a node's distance from the next
    const double least =
        ring->size() == 1
            ? 0
            : std::max(0.8, static_cast<double>(ring->size()) / (2 * std::numbers::pi));
    radius = std::max(radius + 1, least);
    for (const std::uint32_t node : *ring) {
      points[node] = radius * direction_at(90 - 360 * turn[node]);
    }
  }
  return points;
}

std::string_view words_of_places(const Structure& structure) {
  if (structure.link_classes.empty()) {
    return "The nodes in the places that the machine names.";
  }
  const std::string_view of = structure.switch_rows.empty()
                                  ? std::string_view{}
                                  : std::string_view{structure.switch_rows.front().of};
  return of == "level"   ? "Levels of switches, the highest on top, above their terminals. A link "
                           "that would run over other nodes is a short stroke at either end."
         : of == "group" ? "Groups on a ring, terminals outside. A link that would run over other "
                           "nodes is a short stroke at either end."
         : of == "block" ? "Blocks as panels, with their switches below and above. A link that "
                           "would run over other nodes is a short stroke at either end."
                         : "Switches with their terminals beside them. A link that would run over "
                           "other nodes is a short stroke at either end.";
}

/// Number of slices of rows x columns nodes side by side in a picture of a good shape. A row of
/// slices ends where a dimension ends.
std::uint32_t slices_in_a_row(std::span<const std::uint32_t> shape, std::uint32_t columns,
                              std::uint32_t rows, std::uint32_t slices) {
  constexpr double good_shape = 1.6;  // width / height
  const auto distance = [&](std::uint32_t in_a_row) {
    const double width = in_a_row * (columns + slice_gap);
    const double height = std::ceil(static_cast<double>(slices) / in_a_row) * (rows + slice_gap);
    return std::abs(std::log(width / height / good_shape));
  };
  std::vector<std::uint32_t> choices{1};
  for (std::size_t i = 2; i < shape.size(); ++i) {
    choices.push_back(choices.back() * shape[i]);
  }
  for (std::uint32_t i = 1; shape.size() == 3 && i <= slices; ++i) {
    choices.push_back((slices + i - 1) / i);  // one dimension may be wrapped anywhere
  }
  return *std::ranges::min_element(choices, {}, distance);
}

/// The first two dimensions span a slice, the others number the slices, which are laid out in rows.
std::vector<Point> grid(std::span<const std::uint32_t> shape) {
  const std::uint32_t columns = shape[0];
  const std::uint32_t rows = shape.size() > 1 ? shape[1] : 1;
  std::uint32_t slices = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) {
    slices *= shape[i];
  }
  const std::uint32_t in_a_row = slices_in_a_row(shape, columns, rows, slices);
  std::vector<Point> points;
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    const std::uint32_t slice_row = slice / in_a_row;
    const Point corner{(slice % in_a_row) * (columns + slice_gap - 1),
                       slice_row * (rows + slice_gap - 1)};
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < columns; ++column) {
        points.push_back(corner + Point{static_cast<double>(column), static_cast<double>(row)});
      }
    }
  }
  return points;
}

/// Each bit of a node's number moves it along a vector of its own. That makes cubes of cubes, which
/// are slightly turned so that no two links lie on one line.
std::vector<Point> projected_cube(std::uint32_t dimensions) {
  constexpr std::array<Point, most_projected_dimensions> along{
      {{1, 0.05}, {-0.05, 1}, {0.5, -0.42}, {2.3, 0.42}}};
  std::vector<Point> points;
  for (std::uint32_t node = 0; node < 1U << dimensions; ++node) {
    Point point;
    for (std::uint32_t bit = 0; bit < dimensions; ++bit) {
      point = (node >> bit & 1) != 0 ? point + along.at(bit) : point;
    }
    points.push_back(point);
  }
  return points;
}

std::uint32_t place_in_gray_code(std::uint32_t code) {
  std::uint32_t place = 0;
  for (; code != 0; code >>= 1) {
    place ^= code;
  }
  return place;
}

std::vector<Point> gray_grid(std::uint32_t dimensions) {
  const std::uint32_t column_bits = (dimensions + 1) / 2;
  std::vector<Point> points;
  for (std::uint32_t node = 0; node < 1U << dimensions; ++node) {
    const std::uint32_t column = place_in_gray_code(node & ((1U << column_bits) - 1));
    const std::uint32_t row = place_in_gray_code(node >> column_bits);
    points.push_back({static_cast<double>(column), static_cast<double>(row)});
  }
  return points;
}

class Draughtsman {
 public:
  Draughtsman(const Topology& machine, const Topology& run, Duplex duplex,
              std::span<const FailuresAt> failures)
      : machine_{machine}, run_{run}, duplex_{duplex}, failures_{failures} {}

  Drawing draw() {
    place_nodes();
    place_host();
    fit();
    set_lanes();
    find_crowds();
    for (std::uint32_t slot = 0; slot < run_.link_slots(); ++slot) {
      drawing_.link_at.push_back(static_cast<std::uint32_t>(drawing_.links.size()));
      if (const std::optional<Link> link = run_.link(LinkId{slot})) {
        drawing_.links.push_back(drawn(*link, is_upwards(LinkId{slot})));
      }
    }
    mark_failures();
    drawing_.kept_free = hosts_nothing();
    drawing_.switch_rows = machine_.structure().switch_rows;
    return std::move(drawing_);
  }

 private:
  void arrange(std::vector<Point> nodes, double node_size, std::string_view words) {
    drawing_.nodes = std::move(nodes);
    drawing_.node_size = node_size;
    drawing_.arrangement = words;
  }

  /// Spares and switches, ascending.
  std::vector<NodeId> hosts_nothing() const {
    std::vector<NodeId> nodes = failures_of(machine_).spares;
    for (std::uint32_t node = machine_.terminal_count(); node < machine_.node_count(); ++node) {
      nodes.emplace_back(node);
    }
    return nodes;
  }

  void place_nodes() {
    const std::uint32_t nodes = machine_.node_count();
    const Structure& structure = machine_.structure();
    const bool is_ring = machine_.dimension_count() == 1 && has_sides(machine_) &&
                         structure.lines.front() != Structure::Line::path;
    const bool is_projected =
        structure.is_cube && machine_.dimension_count() <= most_projected_dimensions;
    is_straight_ = is_projected || !has_sides(machine_) || (is_ring && nodes <= most_on_a_circle) ||
                   !structure.places.empty();
    if (!structure.places.empty()) {
      arrange(structure.places, grid_node_size, words_of_places(structure));
    } else if (is_projected) {
      arrange(projected_cube(machine_.dimension_count()), projected_node_size,
              "A hypercube as a cube of cubes: each dimension moves a node one way.");
    } else if (structure.is_cube) {
      arrange(gray_grid(machine_.dimension_count()), grid_node_size,
              "A hypercube as a grid whose rows and columns are in Gray code order, so that "
              "nodes side by side are neighbours. Links to nodes elsewhere are short strokes, one "
              "angle for each dimension.");
    } else if (const std::vector<NodeId> free = hosts_nothing();
               !has_sides(machine_) && nodes <= most_on_a_circle && !free.empty() &&
               free.size() < nodes) {
      arrange(circles(machine_, free), grid_node_size,
              "The graph's nodes on a circle, node 0 on top; inside, those that host nothing.");
    } else if (is_straight_ && nodes <= most_on_a_circle) {
      arrange(circle(nodes), grid_node_size,
              is_ring ? "The ring as a circle, node 0 on top."
                      : "The graph's nodes on a circle, node 0 on top.");
    } else if (!has_sides(machine_)) {
      arrange(winding(nodes), grid_node_size,
              "The graph's nodes by their numbers, wound back and forth from the top left.");
    } else if (machine_.dimension_count() == 1 && (nodes > most_in_a_row || is_ring)) {
      arrange(winding(nodes), grid_node_size,
              "Wound back and forth from the top left, so that neighbours are side by side.");
    } else if (machine_.dimension_count() == 1) {
      arrange(grid(machine_.shape()), grid_node_size, "The line from left to right.");
    } else if (machine_.dimension_count() == 2) {
      arrange(grid(machine_.shape()), grid_node_size,
              std::ranges::count(structure.lines, Structure::Line::cycle) > 0
                  ? "First dimension from left to right, second from top to bottom. A "
                    "link around the torus is a short stroke at either end."
                  : "First dimension from left to right, second from top to bottom.");
    } else {
      arrange(grid(machine_.shape()), grid_node_size,
              "One grid for each slice: first dimension from left to right, second from top to "
              "bottom. Links to other slices or around the machine are short strokes at either "
              "end.");
    }
  }

  void set_lanes() {
    const bool has_many_angles = machine_.structure().is_cube && !is_straight_;
    const double size = drawing_.node_size * (has_many_angles ? narrow : 1);
    drawing_.lane_offset = duplex_ == Duplex::full ? lane_offset * size : 0;
    drawing_.link_width = lane_width * size;
  }

  /// Places the host on the left, at the height of the node it is joined to.
  void place_host() {
    if (run_.node_count() == machine_.node_count()) {
      return;
    }
    const std::vector<NodeId> joined = run_.neighbours(NodeId{machine_.node_count()});
    const double left = std::ranges::min_element(drawing_.nodes, {}, &Point::x)->x;
    double y = drawing_.nodes[joined.front().index()].y;
    if (joined.size() > 1) {
      y = (drawing_.nodes.front().y + drawing_.nodes.back().y) / 2;
    }
    drawing_.nodes.push_back({left - 1.6, y});
  }

  /// Moves everything to where x and y begin at 0.
  void fit() {
    Point low = drawing_.nodes.front();
    Point high = low;
    for (const Point node : drawing_.nodes) {
      low = {std::min(low.x, node.x), std::min(low.y, node.y)};
      high = {std::max(high.x, node.x), std::max(high.y, node.y)};
    }
    for (Point& node : drawing_.nodes) {
      node = node - low + Point{drawing_border, drawing_border};
    }
    drawing_.width = high.x - low.x + 2 * drawing_border;
    drawing_.height = high.y - low.y + 2 * drawing_border;
  }

  /// Blocks of link numbers lead upwards and downwards in turn.
  bool is_upwards(LinkId link) const {
    const auto blocks = run_.link_directions();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (link.index() - blocks[i].first.index() < blocks[i].count) {
        return i % 2 == 0;
      }
    }
    return true;
  }

  void mark_failures() {
    for (const FailuresAt& failures : failures_) {
      for (const NodeId node : failures.nodes) {
        drawing_.failing_nodes.push_back({node, failures.at});
      }
      // The lower number of a link is that of its way up.
      for (const Link& link : failures.links) {
        const double offset = std::exchange(drawing_.lane_offset, 0);
        drawing_.failing_links.push_back({drawn(link, true), failures.at});
        drawing_.lane_offset = offset;
      }
    }
  }

  /// Direction in which a link leaves a node when its neighbour is not beside it. Dimensions
  /// without an axis in the picture share the angles between the axes.
  Point exit(std::uint32_t dimension, bool is_up) const {
    const auto dimensions = static_cast<std::uint32_t>(machine_.dimension_count());
    if (machine_.structure().is_cube) {
      return direction_at(360.0 * dimension / dimensions + 15);
    }
    const double turn = is_up ? 0 : 180;
    if (dimension < 2) {
      return direction_at((dimension == 0 ? 0 : 270) + turn);
    }
    return direction_at(90 * (dimension - 1) / (dimensions - 2.0 + 1) + turn);
  }

  Piece lane(Point begin, Point end) const {
    const Point along = unit(end - begin);
    const Point aside = drawing_.lane_offset * Point{-along.y, along.x};
    return {begin + aside, end + aside};
  }

  bool runs_over_nodes(Point from, Point to) const {
    const double radius = 0.5 * drawing_.node_size;
    const double distance = length(to - from);
    const Point along = unit(to - from);
    return std::ranges::any_of(drawing_.nodes, [&](Point node) {
      const Point of_node = node - from;
      const double ahead = of_node.x * along.x + of_node.y * along.y;
      const double aside = of_node.x * along.y - of_node.y * along.x;
      return std::abs(aside) < radius && ahead > radius && ahead < distance - radius;
    });
  }

  /// Finds the classes of links most of which would run over nodes: few whole lines among strokes
  /// would seem to mean something.
  void find_crowds() {
    drawing_.has_classes =
        !machine_.structure().places.empty() && !machine_.structure().link_classes.empty();
    if (!drawing_.has_classes) {
      return;
    }
    std::vector<std::int64_t> hidden(run_.class_count());  // more than not
    std::vector<bool> joins_switches(run_.class_count(), true);
    for (std::uint32_t slot = 0; slot < run_.link_slots(); ++slot) {
      if (const std::optional<Link> link = run_.link(LinkId{slot}); link && link->from < link->to) {
        hidden[link->dimension] +=
            runs_over_nodes(drawing_.nodes[link->from.index()], drawing_.nodes[link->to.index()])
                ? 1
                : -1;
        joins_switches[link->dimension] =
            joins_switches[link->dimension] && link->from.index() >= machine_.terminal_count();
      }
    }
    for (std::uint32_t number = 0; number < hidden.size(); ++number) {
      is_crowded_.push_back(hidden[number] > 0);
      drawing_.hides_links = drawing_.hides_links || (hidden[number] > 0 && joins_switches[number]);
    }
  }

  /// Whether a line in a network of several classes of links would hide among nodes.
  bool is_hidden(const Link& link) const {
    constexpr double longest_in_a_crowd = 6;
    if (!drawing_.has_classes) {
      return false;
    }
    const Point from = drawing_.nodes[link.from.index()];
    const Point to = drawing_.nodes[link.to.index()];
    const bool joins_terminal = std::min(link.from, link.to).index() < machine_.terminal_count();
    return (joins_terminal && is_crowded_[link.dimension] &&
            length(to - from) > longest_in_a_crowd) ||
           runs_over_nodes(from, to);
  }

  DrawnLink drawn(const Link& link, bool is_up) const {
    const Point from = drawing_.nodes[link.from.index()];
    const Point to = drawing_.nodes[link.to.index()];
    const double distance = length(to - from);
    const double radius = drawing_.node_size / 2;
    const Point straight = unit(to - from);
    if (is_hidden(link)) {
      const Point begin = from + radius * straight;
      const Point end = to - radius * straight;
      return {link.from, link.to, lane(begin, begin + stub_length * straight),
              lane(end - stub_length * straight, end), true};
    }
    const bool is_of_host = link.dimension >= machine_.dimension_count();
    if (is_straight_ || is_of_host || distance < 1.01) {
      const Point inset = radius * straight;
      return {link.from, link.to, lane(from + inset, to - inset), {}, false};
    }
    const Point out = exit(link.dimension, is_up);
    const Point in = exit(link.dimension, !is_up);
    const double reach = radius * (1 / std::max(std::abs(out.x), std::abs(out.y)));
    return {link.from, link.to, lane(from + reach * out, from + (reach + stub_length) * out),
            lane(to + (reach + stub_length) * in, to + reach * in), true};
  }

  const Topology& machine_;
  const Topology& run_;
  Duplex duplex_;
  bool is_straight_ = false;  ///< every link is one stroke
  std::span<const FailuresAt> failures_;
  std::vector<bool> is_crowded_;  ///< [class of links]
  Drawing drawing_;
};

}  // namespace

Drawing draw_machine(const Topology& machine, const Topology& run, Duplex duplex,
                     std::span<const FailuresAt> failures) {
  return Draughtsman{machine, run, duplex, failures}.draw();
}

}  // namespace dcube
