#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/drawing.hpp"
#include "embed_result.hpp"

namespace dcube {

using nlohmann::ordered_json;

namespace {

/// Hundredths of a drawing's unit.
int on_paper(double length) { return static_cast<int>(std::lround(100 * length)); }

void append(std::vector<int>& pieces, const Piece& piece) {
  for (const double length : {piece.begin.x, piece.begin.y, piece.end.x, piece.end.y}) {
    pieces.push_back(on_paper(length));
  }
}

ordered_json links_json(const std::vector<DrawnLink>& links, LinkLines lines) {
  std::vector<int> first;
  std::vector<int> second;
  std::vector<std::size_t> with_second;
  for (std::size_t i = 0; lines == LinkLines::included && i < links.size(); ++i) {
    append(first, links[i].first);
    if (links[i].has_two_pieces) {
      with_second.push_back(i);
      append(second, links[i].second);
    }
  }
  return {{"from", mapped(links, &DrawnLink::from)},
          {"to", mapped(links, &DrawnLink::to)},
          {"first", first},
          {"second", second},
          {"with_second", with_second}};
}

/// Failing nodes and links, with the instants in seconds.
ordered_json failing_json(const Drawing& drawing, LinkLines lines) {
  const auto at_s = [](const auto& failing) { return to_seconds(failing.at); };
  return {{"nodes", mapped(drawing.failing_nodes, &FailingNode::node)},
          {"nodes_at_s", mapped(drawing.failing_nodes, at_s)},
          {"links", links_json(mapped(drawing.failing_links, &FailingLink::link), lines)},
          {"links_at_s", mapped(drawing.failing_links, at_s)}};
}

}  // namespace

ordered_json points_json(const std::vector<Point>& points) {
  return {{"x", mapped(points, [](Point point) { return on_paper(point.x); })},
          {"y", mapped(points, [](Point point) { return on_paper(point.y); })}};
}

ordered_json drawing_json(const Drawing& drawing, LinkLines lines) {
  ordered_json json{{"width", drawing.width},
                    {"height", drawing.height},
                    {"node_size", drawing.node_size},
                    {"lane_offset", drawing.lane_offset},
                    {"link_width", drawing.link_width},
                    {"nodes", points_json(drawing.nodes)},
                    {"links", links_json(drawing.links, lines)}};
  if (!drawing.failing_nodes.empty() || !drawing.failing_links.empty()) {
    json["failing"] = failing_json(drawing, lines);
  }
  return json;
}

void add_drawing(ordered_json& json, const Topology& machine, const Topology& run, Duplex duplex,
                 std::span<const FailuresAt> failures) {
  const bool has_classes = !machine.structure().link_classes.empty();
  const std::uint32_t most_nodes = has_classes ? 2000 : 256;
  const bool is_large_cube =
      machine.structure().is_cube && machine.dimension_count() > most_projected_dimensions;
  if (machine.node_count() <= most_nodes && !is_large_cube) {
    const Drawing drawing = draw_machine(machine, run, duplex, failures);
    json["drawing"] =
        drawing_json(drawing, shows_lines(drawing) ? LinkLines::included : LinkLines::left_out);
  }
}

}  // namespace dcube
