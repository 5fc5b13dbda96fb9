#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/scanner.hpp"
#include "edges.hpp"
#include "flows.hpp"

namespace dcube {
namespace grf {
namespace {

// A graph of Scotch begins with the version 0, the numbers of vertices and edges, the number of the
// first vertex, and three digits: whether there are labels, edge loads and vertex loads. Then each
// vertex has its label and load, if any, its degree, and its neighbours, each after the load of the
// edge, if any. An edge occurs at both of its ends, with the same load.

std::string write_graph(const Traffic& traffic) {
  const std::vector<EdgeEnd> edges = edges_of(traffic);
  std::string text = fmt::format("0\n{}\t{}\n0\t010\n", traffic.process_count(), edges.size());
  auto first = edges.begin();
  for (std::uint32_t process = 0; process < traffic.process_count(); ++process) {
    const auto last =
        std::find_if(first, edges.end(), [&](const EdgeEnd& edge) { return edge.from != process; });
    text += std::to_string(last - first);
    for (; first != last; ++first) {
      text += fmt::format("\t{} {}", edge_load(first->there, first->back), first->to);
    }
    text += '\n';
  }
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : scanner_{text, file} {}

  Traffic traffic() {
    read_header();
    for (std::uint64_t vertex = 0; vertex < vertices_; ++vertex) {
      read_vertex(vertex);
    }
    scanner_.expect_end();
    scanner_.reject_if(arcs_.size() != announced_arcs_,
                       "the graph has {} arcs, not the {} it begins with", arcs_.size(),
                       announced_arcs_);
    return traffic_of(scanner_.file(), vertices_, flows());
  }

 private:
  static constexpr std::uint64_t most_vertices = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t most_load = std::numeric_limits<std::int64_t>::max();

  struct Arc {
    std::uint64_t from = 0;  ///< ends are labels of the file
    std::uint64_t to = 0;
    std::uint64_t load = 1;
    std::size_t line = 0;
  };

  std::uint64_t number(std::uint64_t least, std::uint64_t most, std::string_view what) {
    return scanner_.whole(scanner_.next_word(what), least, most, what);
  }

  void read_header() {
    number(0, 0, "a version of Scotch's graph files (0)");
    vertices_ = number(1, most_vertices, "a number of vertices");
    announced_arcs_ = number(0, most_load, "a number of arcs");
    base_ = number(0, 1, "the number of the first vertex (0 or 1)");
    const std::string_view flags = scanner_.next_word("flags (such as 010)");
    scanner_.reject_if(flags.empty() || flags.size() > 3 ||
                           flags.find_first_not_of("01") != std::string_view::npos,
                       "{} is not three digits 0 or 1 (labels, edge loads, vertex loads)",
                       shown(flags));
    has_vertex_loads_ = is_set(flags, 0);
    has_edge_loads_ = is_set(flags, 1);
    has_labels_ = is_set(flags, 2);
  }

  void read_vertex(std::uint64_t vertex) {
    std::uint64_t label = vertex + base_;
    if (has_labels_) {
      label = number(0, most_load, "a vertex label");
    }
    if (has_vertex_loads_) {
      number(0, most_load, "a vertex load");
    }
    const std::uint64_t degree = number(0, most_vertices, "a number of neighbours");
    scanner_.reject_if(has_labels_ && !process_of_.emplace(label, 0).second,
                       "the label {} is there twice", label);
    for (std::uint64_t i = 0; i < degree; ++i) {
      read_arc(label);
    }
  }

  void read_arc(std::uint64_t from) {
    std::uint64_t load = 1;
    if (has_edge_loads_) {
      load = number(0, most_load, "the load of an edge");
    }
    const std::uint64_t last = has_labels_ ? most_load : vertices_ - 1 + base_;
    const std::uint64_t to =
        number(has_labels_ ? 0 : base_, last, fmt::format("a neighbour (a vertex up to {})", last));
    arcs_.push_back({from, to, load, scanner_.line_number()});
  }

  /// Numbers labelled vertices by ascending label, because mappings name them by label.
  std::vector<Flow> flows() {
    std::uint32_t processes = 0;
    for (auto& [label, process] : process_of_) {
      process = processes++;
    }
    return mapped(arcs_, [this](const Arc& arc) {
      return Flow{process(arc.from, arc.line), process(arc.to, arc.line), arc.load, 1};
    });
  }

  ProcessId process(std::uint64_t label, std::size_t line) const {
    if (!has_labels_) {
      return ProcessId{static_cast<std::uint32_t>(label - base_)};
    }
    const auto found = process_of_.find(label);
    if (found == process_of_.end()) {
      scanner_.reject_at(line, fmt::format("{} is the label of no vertex", label));
    }
    return ProcessId{found->second};
  }

  Scanner scanner_;
  std::uint64_t vertices_ = 0;
  std::uint64_t announced_arcs_ = 0;
  std::uint64_t base_ = 0;
  bool has_labels_ = false;
  bool has_edge_loads_ = false;
  bool has_vertex_loads_ = false;
  std::map<std::uint64_t, std::uint32_t> process_of_;  ///< by label, ascending
  std::vector<Arc> arcs_;
};

constexpr const char* help =
    "traffic as a graph for Scotch's gtst, gmap and gmtst, edge loads in bytes";

}  // namespace
}  // namespace grf

const MapFormat grf_map_format{
    "grf",
    grf::help,
    "dcube embed torus:8x8 --embedding xor --write grf:x.grf",
    ".grf",
    [](const MapExport& content) { return grf::write_graph(content.traffic()); },
    nullptr};

const TrafficFormat grf_traffic_format{
    "grf",  grf::help,        "dcube run scenarios/quickstart.json --write traffic:grf:x.grf",
    ".grf", grf::write_graph, traffic_by<grf::Reader>};

}  // namespace dcube
