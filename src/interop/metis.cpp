#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/scanner.hpp"
#include "core/text.hpp"
#include "core/warnings.hpp"
#include "edges.hpp"
#include "flows.hpp"

namespace dcube {
namespace metis {
namespace {

// A graph of METIS (manual of version 5, section 4.1) begins with the numbers of vertices and
// edges, up to three digits, and a number of weights. The digits say whether vertices have sizes,
// whether they have weights, and whether edges have. Then each vertex has a line, which may be
// blank: its size and weight, if any, and its neighbours, each before the weight of the edge, if
// any. Vertices count from 1. An edge is in the lines of both its ends. Lines with % are comments.

std::string write(const Traffic& traffic) {
  std::vector<EdgeEnd> edges = edges_of(traffic);
  std::erase_if(edges, [](const EdgeEnd& edge) { return edge_load(edge.there, edge.back) == 0; });
  std::string text = fmt::format("{} {} 001\n", traffic.process_count(), edges.size() / 2);
  auto next = edges.begin();
  for (std::uint32_t process = 0; process < traffic.process_count(); ++process) {
    const char* blank = "";
    for (; next != edges.end() && next->from == process; ++next) {
      text += fmt::format("{}{} {}", blank, next->to + 1, edge_load(next->there, next->back));
      blank = " ";
    }
    text += '\n';
  }
  return text;
}

/// Whether each line of a text is a comment, by its number from 1.
std::vector<bool> comment_lines(std::string_view text) {
  std::vector<bool> are_comments{false};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    are_comments.push_back(trimmed(text.substr(0, end + 1)).starts_with('%'));
    text.remove_prefix(end + 1);
  }
  return are_comments;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : scanner_{text, file, '%'}, are_comments_{comment_lines(text)} {}

  Traffic traffic() {
    read_header();
    std::size_t line = scanner_.line_number();
    while (scanner_.next_line()) {
      while (++line < scanner_.line_number()) {
        if (!are_comments_[line]) {
          skip_vertex(line);
        }
      }
      scanner_.reject_if(vertex_ == vertices_, "{} is past the last of {} vertices",
                         shown(scanner_.line()), vertices_);
      read_vertex();
    }
    while (++line < are_comments_.size() && vertex_ < vertices_) {
      if (!are_comments_[line]) {
        skip_vertex(line);
      }
    }
    refuse_if(vertex_ < vertices_, scanner_.file(), "the file ends after {} of {} vertices",
              vertex_, vertices_);
    refuse_if(arcs_.size() != 2 * edges_, scanner_.file(),
              "the lines of vertices name {} neighbours, not twice the {} edges it begins with",
              arcs_.size(), edges_);
    check_both_ends();
    if (heaviest_ != lightest_) {
      warn(scanner_.file(),
           fmt::format("vertices weigh {} to {}, and a process takes one slot whatever it weighs",
                       lightest_, heaviest_));
    }
    return traffic_of(scanner_.file(), vertices_, mapped(arcs_, [](const Arc& arc) {
                        return Flow{ProcessId{arc.from}, ProcessId{arc.to}, arc.weight, 1};
                      }));
  }

 private:
  static constexpr std::uint64_t most_vertices = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();

  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t weight = 1;
    std::size_t line = 0;
  };

  std::uint64_t number(std::uint64_t least, std::uint64_t greatest, std::string_view what) {
    return scanner_.whole(scanner_.word(), least, greatest, what);
  }

  void read_header() {
    scanner_.reject_if(!scanner_.next_line(),
                       "the line `VERTICES EDGES` is missing (the file ends)");
    vertices_ = static_cast<std::uint32_t>(number(1, most_vertices, "a number of vertices"));
    edges_ = number(0, most / 2, "a number of edges");
    const std::string_view format = scanner_.word();
    scanner_.reject_if(
        format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos,
        "{} is not up to three digits 0 or 1 (sizes of vertices, their weights, edge weights)",
        shown(format));
    have_edges_weights_ = is_set(format, 0);
    have_vertices_weights_ = is_set(format, 1);
    have_vertices_sizes_ = is_set(format, 2);
    if (const std::string_view constraints = scanner_.word(); !constraints.empty()) {
      const std::uint64_t weights =
          scanner_.whole(constraints, 0, most, "a number of weights of a vertex");
      scanner_.reject_if(weights > 1,
                         "{} weights of a vertex are {} constraints, and slots are one (1)",
                         weights, weights);
    }
    scanner_.expect_end_of_line();
  }

  /// A blank line, of a vertex without neighbours.
  void skip_vertex(std::size_t line) {
    if (vertex_ < vertices_ && (have_vertices_sizes_ || have_vertices_weights_)) {
      scanner_.reject_at(line, fmt::format("vertex {} has no {}", vertex_ + 1,
                                           have_vertices_sizes_ ? "size" : "weight"));
    }
    vertex_ += vertex_ < vertices_ ? 1 : 0;
  }

  void read_vertex() {
    if (have_vertices_sizes_) {
      number(0, most, "the size of a vertex");
    }
    if (have_vertices_weights_) {
      const std::uint64_t weight = number(0, most, "the weight of a vertex");
      lightest_ = vertex_ == 0 ? weight : std::min(lightest_, weight);
      heaviest_ = std::max(heaviest_, weight);
    }
    for (std::string_view word = scanner_.word(); !word.empty(); word = scanner_.word()) {
      const auto to = static_cast<std::uint32_t>(scanner_.whole(
          word, 1, vertices_, fmt::format("a neighbour (a vertex from 1 to {})", vertices_)));
      scanner_.reject_if(to == vertex_ + 1, "vertex {} is its own neighbour", to);
      const std::uint64_t weight =
          have_edges_weights_ ? number(1, most, "the weight of an edge (a positive whole number)")
                              : 1;
      arcs_.push_back({vertex_, to - 1, weight, scanner_.line_number()});
    }
    ++vertex_;
  }

  /// Rejects an edge that is not in the lines of both its ends with one weight.
  void check_both_ends() const {
    const auto forwards = [](const Arc& arc) { return std::tuple{arc.from, arc.to, arc.weight}; };
    const auto backwards = [](const Arc& arc) { return std::tuple{arc.to, arc.from, arc.weight}; };
    std::vector<Arc> there = arcs_;
    std::vector<Arc> back = arcs_;
    std::ranges::sort(there, {}, forwards);
    std::ranges::sort(back, {}, backwards);
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (forwards(there[i]) != backwards(back[i])) {
        const bool is_there = forwards(there[i]) < backwards(back[i]);
        const Arc& arc = is_there ? there[i] : back[i];
        scanner_.reject_at(
            arc.line,
            fmt::format("vertex {} has the neighbour {} with weight {}, but vertex {} has not the "
                        "neighbour {} with this weight (an edge is in the lines of both its ends)",
                        arc.from + 1, arc.to + 1, arc.weight, arc.to + 1, arc.from + 1));
      }
    }
  }

  Scanner scanner_;
  std::vector<bool> are_comments_;
  std::uint32_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  bool have_vertices_sizes_ = false;
  bool have_vertices_weights_ = false;
  bool have_edges_weights_ = false;
  std::uint32_t vertex_ = 0;  ///< the next one, from 0
  std::uint64_t lightest_ = 0;
  std::uint64_t heaviest_ = 0;
  std::vector<Arc> arcs_;
};

}  // namespace
}  // namespace metis

const TrafficFormat metis_traffic_format{
    "metis",
    "traffic as a graph for METIS, KaHIP and their like, edge weights in bytes",
    "dcube run scenarios/quickstart.json --write traffic:metis:x.graph",
    ".graph",
    metis::write,
    traffic_by<metis::Reader>};

}  // namespace dcube
