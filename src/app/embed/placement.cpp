#include "placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/search/reasons_text.hpp"
#include "app/terminal/output.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t bar_width = 40;
constexpr std::size_t short_spectrum = 16;

std::string load_words(const LoadSummary& load) {
  return fmt::format("mean {:.3f}, {} to {}", load.mean, grouped(load.min), grouped(load.max));
}

std::string dilation_words(const EmbeddingMetrics& metrics) {
  return fmt::format("mean {:.3f}, longest {}, total {}", metrics.average_dilation,
                     grouped(metrics.longest_dilation), grouped(metrics.total_dilation));
}

std::string bound_words(const DilationBound& bound, const EmbeddingMetrics& metrics) {
  const std::string text = fmt::format("mean {:.3f} or more", bound.average_dilation);
  return bound.average_dilation > 0 ? fmt::format("{}, this is {:.3f} times as much", text,
                                                  metrics.average_dilation / bound.average_dilation)
                                    : text;
}

std::string distance_words(const EmbeddingMetrics& metrics) {
  return metrics.constant_distances.empty()
             ? "differ between processes"
             : fmt::format("{} in dimensions 0, 1, .. of every process",
                           fmt::join(metrics.constant_distances, " "));
}

std::string cc_words(const Placement& placement, const std::vector<NodeId>& map, Ticks compute,
                     Ticks hop) {
  const CcPrediction cc = predict_cc(placement.topology(), map, compute, hop,
                                     hop_time(placement.machine->node.local, 0));
  const std::string waiting =
      cc.waiting_processes == 0
          ? "nobody waits"
          : fmt::format("{} wait {} in all", counted(cc.waiting_processes, "process"),
                        readable_seconds(cc.waiting_total_s));
  return fmt::format("{} with stages of {} and hops of {}, {}", format_time(cc.makespan),
                     format_time(compute), format_time(hop), waiting);
}

using Edges = std::pair<std::uint32_t, std::uint64_t>;  ///< dilation and number

std::string spectrum_table(const EmbeddingMetrics& metrics, ListOutput lists) {
  std::uint64_t most = 1;
  for (const auto& [dilation, edges] : metrics.spectrum) {
    most = std::max(most, edges);
  }
  const std::vector<Edges> all{metrics.spectrum.begin(), metrics.spectrum.end()};
  const std::size_t rows = lists == ListOutput::always ? all.size() : short_spectrum;
  const Columns<Edges> columns{
      {"dilation", Shown::count, &Edges::first},
      {"edges", Shown::count, &Edges::second},
      {"", Shown::text, [most](const Edges& edges) {
         const double share = static_cast<double>(edges.second) / static_cast<double>(most);
         return std::string(static_cast<std::size_t>(std::lround(share * bar_width)), '#');
       }}};
  return text_table(columns, first_of(all, rows)).text() +
         (all.size() <= rows ? ""
                             : fmt::format("  and {} more (--full prints all)\n",
                                           counted(all.size() - rows, "length")));
}

std::string map_table(const std::vector<NodeId>& map) {
  const Columns<NodeId> columns{
      {"process", Shown::figure, [&](const NodeId& node) { return &node - map.data(); }},
      {"node", Shown::figure, &NodeId::index}};
  return text_table(columns, map).text();
}

const std::string unknown_routes{"unknown: messages draw or choose their routes"};

std::string title(const Placement& placement) {
  const std::uint32_t processes = placement.embedding->process_count();
  return fmt::format("{} on {} ({}): {}{} on {}\n", printable(placement.embedding_name),
                     printable(placement.machine_name), describe(placement.topology()),
                     placement.traffic ? "traffic of " : placement.guest.name() + ", ",
                     counted(processes, "process"),
                     counted(placement.topology().terminal_count(), "node"));
}

std::string guest_measures(const Placement& placement, const std::vector<NodeId>& map,
                           const EmbedAnswer& answer) {
  const EmbeddingMetrics metrics = measure_embedding(placement.topology(), placement.guest, map,
                                                     link_sharing(*placement.machine));
  const auto [bound, refuted] = held_dilation_bound(placement.topology(), placement.guest,
                                                    placement.machine->node.slots, metrics);
  complain_once(refuted);
  Table facts = facts_table();
  facts.add_row({"dilation", dilation_words(metrics)});
  facts.add_row({"bound", bound_words(bound, metrics)});
  facts.add_row({"", bound.source});
  facts.add_row({"distances", distance_words(metrics)});
  if (knows_routes(*placement.machine)) {
    facts.add_row({"node load", load_words(metrics.node_load)});
    facts.add_row({"link load", load_words(metrics.link_load)});
    facts.add_row({"as [X] counts",
                   fmt::format("node load {}; link load {}", load_words(metrics.one_way.node),
                               load_words(metrics.one_way.link))});
  } else {
    facts.add_row({"link load", unknown_routes});
  }
  if (placement.guest.kind() == Guest::Kind::cube) {
    facts.add_row({"CC d-cube", cc_words(placement, map, answer.compute, answer.hop)});
  }
  return fmt::format("{}{}\n{}", title(placement), facts.text(2),
                     spectrum_table(metrics, answer.lists));
}

std::string traffic_measures(const Placement& placement, const std::vector<NodeId>& map) {
  const Traffic& traffic = *placement.traffic;
  const TrafficMetrics metrics =
      measure_traffic(placement.topology(), traffic, map, link_sharing(*placement.machine));
  Table facts = facts_table();
  facts.add_row({"traffic", fmt::format("{} in {}", counted(traffic.total_bytes(), "byte"),
                                        counted(traffic.flows().size(), "flow"))});
  if (traffic.own_bytes() > 0) {
    facts.add_row({"", fmt::format("and {} from processes to themselves, which cross no link",
                                   counted(traffic.own_bytes(), "byte"))});
  }
  facts.add_row({"hop-bytes", grouped(metrics.hop_bytes)});
  facts.add_row({"average hops", fmt::format("{:.3f} of a byte", metrics.average_hops)});
  facts.add_row({"dilation", fmt::format("mean {:.3f}, longest {}", metrics.average_dilation,
                                         grouped(metrics.longest_dilation))});
  facts.add_row({"link bytes", knows_routes(*placement.machine) ? load_words(metrics.link_bytes)
                                                                : unknown_routes});
  return title(placement) + facts.text(2);
}

}  // namespace

std::string placement_summary(const EmbedAnswer& answer) {
  const Placement& placement = answer.placements.front();
  const std::vector<NodeId> map = placement.embedding->map();
  std::string text =
      placement.traffic ? traffic_measures(placement, map) : guest_measures(placement, map, answer);
  if (answer.lists == ListOutput::always) {
    text += "\n" + map_table(map);
  }
  return placement.why ? text + "\n" + reasons_text(*placement.why, map) : text;
}

std::string placement_table(const EmbedAnswer& answer, std::size_t embedding_count) {
  using Row = std::span<const MeasuredPlacement>;  // of a machine
  Columns<Row> columns{
      {"machine", Shown::text, [](Row row) { return row.front().placement->machine_name; }},
      {"nodes", Shown::count,
       [](Row row) { return row.front().placement->topology().terminal_count(); }}};
  Columns<MeasuredPlacement> measures = placement_columns(answer);
  std::erase_if(measures, [](const auto& column) { return column.shown == Shown::nowhere; });
  std::ranges::stable_partition(
      measures, [](const auto& column) { return column.key.starts_with("gonzalez_load"); });
  for (std::size_t i = 0; i < embedding_count; ++i) {
    for (const Column<MeasuredPlacement>& column : measures) {
      const bool is_first = &column == measures.data();
      columns.push_back({column.header, column.shown,
                         [=, value = column.value](Row row) {
                           return is_first && !row[i].placement->embedding ? "refused"
                                                                           : value(row[i]);
                         },
                         "", answer.placements[i].embedding_name});
    }
  }
  const std::vector<MeasuredPlacement> placements = measured(answer);
  std::vector<Row> rows;
  for (std::size_t first = 0; first < placements.size(); first += embedding_count) {
    rows.push_back(Row{placements}.subspan(first, embedding_count));
  }
  return fmt::format(
      "{}\n\n{}",
      answer.placements.front().traffic
          ? "hop-bytes, average hops of a byte, maximum dilation and most bytes over "
            "a link under each embedding"
          : "dilation (total, mean) under each embedding, and node load (min, max) "
            "as [X] counts it for its Table I: an edge once, from the lower process",
      text_table(columns, rows).text());
}

}  // namespace dcube::app
