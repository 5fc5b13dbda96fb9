#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/search/search_options.hpp"
#include "app/search/search_outputs.hpp"
#include "app/search/search_report.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/questions/embed.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

// --- What is shown ---

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
                           joined(metrics.constant_distances, " "));
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

std::string unknown_routes(const Machine& machine) {
  return makes_detours(machine.links.routing.kind)
             ? "unknown: messages draw detours, which distances leave out"
             : "unknown: messages draw or choose their routes";
}

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
    facts.add_row({"link load", unknown_routes(*placement.machine)});
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
  facts.add_row({"link bytes", knows_routes(*placement.machine)
                                   ? load_words(metrics.link_bytes)
                                   : unknown_routes(*placement.machine)});
  return title(placement) + facts.text(2);
}

/// Summary for people: of the only placement dilation, loads and the CC d-cube algorithm, or
/// hop-bytes and link bytes where there is traffic; with all lists the whole spectrum and the whole
/// map; and reasons.
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

/// Table for people: a row for every machine, a group of columns for every embedding. The answer
/// holds `embedding_count` placements of each machine.
std::string placement_table(const EmbedAnswer& answer, std::size_t embedding_count) {
  using Row = std::span<const MeasuredPlacement>;  // of a machine
  Columns<Row> columns{
      {"machine", Shown::text, [](Row row) { return row.front().placement->machine_name; }},
      {"nodes", Shown::count,
       [](Row row) { return row.front().placement->topology().terminal_count(); }}};
  Columns<MeasuredPlacement> measures = placement_columns(answer);
  std::erase_if(measures, [](const auto& column) { return column.shown == Shown::nowhere; });
  std::stable_partition(measures.begin(), measures.end(),
                        [](const auto& column) { return column.key.starts_with("gonzalez_load"); });
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

// --- The command ---

struct EmbedOptions {
  EmbedRequest request;
  OutputOptions outputs;
  DisplayOptions display;
};

struct EmbedOutputs {
  std::vector<std::filesystem::path> results;
  std::vector<std::filesystem::path> tables;
  std::vector<NamedOutput> maps;
  std::vector<NamedOutput> pictures;
};

bool is_one(const EmbedOptions& options) {
  return options.request.machines.size() * options.request.embeddings.size() == 1;
}

/// Plans the outputs before anything is measured.
EmbedOutputs plan_embed_outputs(const EmbedOptions& options, OutputPlan& plan) {
  EmbedOutputs outputs;
  for (NamedOutput& output : plan.writes(options.outputs)) {
    if (output.kind == "result") {
      outputs.results.push_back(output.file);
    } else if (output.kind == "table") {
      outputs.tables.push_back(output.file);
    } else if (is_one(options) && output.kind == "links") {
      check_picture(output);
      outputs.pictures.push_back(std::move(output));
    } else if (is_one(options)) {
      outputs.maps.push_back(std::move(output));
    } else {
      throw InputError(output.option, "one machine and one embedding make a map to write");
    }
  }
  return outputs;
}

void put_maps(const std::string& host_names, const std::vector<NamedOutput>& maps,
              const Placement& placement, OutputPlan& plan) {
  const HostNames hosts =
      at_least_at(".hosts", [&] { return HostNames::parse(host_names, placement.topology()); });
  std::uint64_t text_bytes = 0;
  for (const NamedOutput& map : maps) {
    // The other formats describe nodes and links.
    const bool is_map = find_kind(map_format_catalog(), map.kind)->read != nullptr;
    text_bytes += placement.topology().node_count() *
                  (is_map ? std::uint64_t{30} * placement.machine->node.slots : 250);
  }
  at_place("--write", [&] { expect_fits_in_memory("what is written", text_bytes); });
  const std::vector<NodeId> nodes = placement.embedding->map();
  const MapExport content{
      *placement.machine, nodes, hosts,
      [&] { return placement.traffic ? *placement.traffic : Traffic::of(placement.guest); }};
  for (const NamedOutput& map : maps) {
    const MapFormat& format = *find_kind(map_format_catalog(), map.kind);
    plan.put(map.file, at_place(map.option, [&] { return format.write(content); }));
  }
}

/// Puts the results as JSON and returns what to print.
std::string measure(const EmbedOptions& options, const EmbedAnswer& answer,
                    const EmbedOutputs& outputs, OutputPlan& plan) {
  const std::vector<Placement>& placements = answer.placements;
  TickingProgress progress{options.display.progress(), "measuring"};
  progress.show(counted(placements.size(), "placement"));
  return at_least_at(options.request.traffic.empty() ? "" : ".traffic", [&] {
    std::string json;
    if (options.display.json || !outputs.results.empty()) {
      std::vector<std::string> refuted;
      json = embed_json(answer, refuted);
      std::ranges::for_each(refuted, complain_once);
    }
    for (const std::filesystem::path& file : outputs.results) {
      plan.put(file, json);
    }
    for (const std::filesystem::path& file : outputs.tables) {
      plan.put(file, embed_csv(answer));
    }
    return options.display.shown(
        [&] { return json; },
        [&] {
          return placements.size() > 1 ? placement_table(answer, options.request.embeddings.size())
                                       : placement_summary(answer);
        });
  });
}

/// Whether there are any.
bool complain_of_refusals(const std::vector<Placement>& placements) {
  bool has_refusal = false;
  for (const Placement& placement : placements) {
    if (!placement.embedding) {
      has_refusal = true;
      complain(fmt::format("{}: {}: {} ({})", placement.machine_name, placement.embedding_name,
                           to_string(Outcome::refused), placement.refusal));
    }
  }
  return has_refusal;
}

ExitStatus draw_pictures(const std::vector<NamedOutput>& pictures, const Placement& placement) {
  ExitStatus status = ExitStatus::done;
  if (pictures.empty()) {
    return status;
  }
  const InterruptWatch interrupt;
  const PlacedTraffic measured = placement.placed_traffic();
  for (const NamedOutput& picture : pictures) {
    const ExitStatus drawn =
        draw_links(picture, *measured.problem, placement.embedding->map(),
                   {placement.machine->name, placement.embedding_name,
                    placement.traffic ? std::string{"traffic"} : placement.guest.name()},
                   interrupt);
    status = drawn == ExitStatus::done ? status : drawn;
  }
  return status;
}

ExitStatus embed_and_show(EmbedOptions& options) {
  OutputPlan plan{options.display};
  EmbedRequest& request = options.request;
  exit_on_interrupt();
  const EmbedOutputs outputs = plan_embed_outputs(options, plan);
  plan.reads({request.embeddings.begin(), request.embeddings.end()});
  plan.reads({request.traffic, request.hosts});
  plan.reads(machine_files(request.machines));
  request.writes_hosts = any_names_hosts(outputs.maps);
  request.lists = options.display.lists();
  const EmbedAnswer answer = embed(request);
  const Placement& first = answer.placements.front();
  plan.reads(answer.inputs);
  check_links(outputs.pictures, *first.machine);
  if (!outputs.maps.empty()) {
    put_maps(request.hosts, outputs.maps, first, plan);
  }
  if (first.why) {
    std::ranges::for_each(first.why->refuted, complain_once);
  }
  const ExitStatus finished = plan.finish(measure(options, answer, outputs, plan));
  const ExitStatus drawn = draw_pictures(outputs.pictures, first);
  const ExitStatus written = finished == ExitStatus::done ? drawn : finished;
  return complain_of_refusals(answer.placements) && written == ExitStatus::done
             ? ExitStatus::experiment_failed
             : written;
}

}  // namespace

void embed_command(CommandLine& line) {
  auto [parser, options] =
      line.add<EmbedOptions>("embed", "Measure embeddings without simulating", embed_and_show);
  parser
      .argument("MACHINE", options->request.machines,
                "a machine's name or file, or a network such as torus:8x8, ring:16, hypercube:6")
      .required()
      .reads_file();
  add_embeddings_option(parser, options->request.embeddings,
                        "embeddings to measure: names, JSON or map files")
      .required();
  parser.option(
      "--guest", options->request.guest, "SHAPE",
      "process topology (guest graph): cube:6, mesh:8x8, ring:64, tree:15 (default: largest cube)");
  parser.option("--seed", options->request.seed, seed_number, "N",
                "seed of random embeddings (default: 0)");
  add_cc_cost_options(parser, options->request.compute, options->request.hop);
  parser
      .option("--traffic", options->request.traffic, "SHAPE|FILE",
              "measure this traffic: ring:64, FORMAT:FILE (dcube list formats), or a file whose "
              "suffix tells")
      .reads_file();
  std::vector<OutputKind> kinds = kinds_of(map_format_catalog());
  kinds.insert(kinds.end(), {{"result"}, {"table"}, {"links"}});
  options->outputs.add_main(parser, "result", "write the measures as JSON");
  options->outputs.add_write(parser, std::move(kinds));
  options->outputs.add_spelling(parser, "--csv", "FILE", "write a row for each placement", "table");
  options->outputs.add_old_spelling(parser, "--export");
  add_hosts_option(parser, options->request.hosts);
  add_why_option(parser, options->request.why);
  add_display_options(parser, options->display);
  parser.examples(
      "dcube embed ring:16 torus:8x8 --embedding standard,xor\n"
      "dcube embed torus:8x8 --embedding xor --write x.rankfile --write dot:x.dot\n"
      "dcube embed torus:8x8 --embedding standard --why");
}

}  // namespace dcube::app
