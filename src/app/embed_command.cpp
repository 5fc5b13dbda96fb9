#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/embed/placement.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/search/search_options.hpp"
#include "app/search/search_outputs.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/interop/map_files.hpp"

namespace dcube::app {
namespace {

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
  const HostNames hosts = host_names.empty() ? HostNames{} : at_least_at(".hosts", [&] {
    return HostNames::parse(host_names, placement.topology().node_count());
  });
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
    return options.display.shown([&] { return json; },
                                 [&] {
                                   return options.outputs.is_printed() ? std::string{}
                                          : placements.size() > 1
                                              ? placement_table(answer,
                                                                options.request.embeddings.size())
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
  OutputPlan plan;
  EmbedRequest& request = options.request;
  exit_on_interrupt();
  const EmbedOutputs outputs = plan_embed_outputs(options, plan);
  plan.reads({request.embeddings.begin(), request.embeddings.end()});
  plan.reads({request.traffic, request.hosts});
  plan.reads(machine_files(request.machines));
  request.writes_hosts = !outputs.maps.empty();
  request.lists = options.display.lists();
  const EmbedAnswer answer = embed(request);
  const Placement& first = answer.placements.front();
  plan.reads(answer.inputs);
  check_links(outputs.pictures, *first.machine);
  if (!outputs.maps.empty()) {
    put_maps(request.hosts, outputs.maps, first, plan);
  }
  if (first.why) {
    for (const std::string& refuted : first.why->refuted) {
      complain_once(refuted);
    }
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
  const auto options = std::make_shared<EmbedOptions>();
  Parser parser = line.add("embed", "Measure embeddings without simulating",
                           [options] { return embed_and_show(*options); });
  parser
      .argument("MACHINE", options->request.machines,
                "a machine's name or file, or a network such as torus:8x8, ring:16, hypercube:6")
      .required()
      .reads_file();
  parser
      .list("--embedding", options->request.embeddings, "NAME[,NAME..]",
            "embeddings to measure: names, JSON or map files")
      .required()
      .reads_file();
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
