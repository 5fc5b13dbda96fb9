#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/embed/placement.hpp"
#include "app/options/options.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "command.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"

namespace dcube::app {
namespace {

struct EmbedOptions {
  std::vector<std::string> machines;
  std::vector<std::string> embeddings;
  std::string guest;
  std::string seed;
  std::string compute = "1s";
  std::string hop = "1s";
  std::string traffic;
  std::string hosts;
  std::vector<std::string> exports;
  bool json = false;
  bool full = false;
};

bool takes_seed(const EmbeddingKind& kind) {
  return std::any_of(kind.parameters.begin(), kind.parameters.end(),
                     [](const ParameterHelp& parameter) { return parameter.name == "seed"; });
}

Params embedding_settings(const EmbedOptions& options, const std::string& name) {
  Params settings = embedding_option(name, options.hosts);
  const EmbeddingKind* kind = find_kind(embedding_catalog(), settings.text("kind"));
  if (!options.seed.empty() && kind != nullptr && takes_seed(*kind)) {
    seed_option("--seed", options.seed);
    settings.set("seed", Setting::Number{options.seed});
  }
  return settings;
}

/// As --guest or the embedding says.
std::optional<Guest> given_guest(const EmbedOptions& options, const Params& settings) {
  if (!options.guest.empty()) {
    return at("--guest", [&] { return Guest::parse(options.guest); });
  }
  if (settings.has("guest")) {
    return at(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
  }
  return std::nullopt;
}

void check_process_count(const Guest& guest, const Traffic& traffic) {
  if (guest.process_count() != traffic.process_count()) {
    throw InputError("--guest", fmt::format("{} has {} processes, the traffic {}", guest.name(),
                                            guest.process_count(), traffic.process_count()));
  }
}

/// The one given, that of the traffic or of the map, or the largest cube with a node for every
/// process.
Guest choose_guest(const std::optional<Guest>& given, const Traffic* traffic,
                   const Params& settings, const Topology& topology) {
  if (given) {
    return *given;
  }
  if (traffic != nullptr) {
    return Guest::of_processes(traffic->process_count());
  }
  const Setting* map = settings.find("map");
  if (map != nullptr && map->list() != nullptr && !map->list()->empty()) {
    const auto processes = static_cast<std::uint32_t>(map->list()->size());
    if (!std::has_single_bit(processes)) {
      throw InputError("--guest", fmt::format("the map's {} processes are no cube; name their "
                                              "shape (--guest line:{}) or give their --traffic",
                                              processes, processes));
    }
    return Guest::of_processes(processes);
  }
  return Guest::cube(static_cast<std::uint32_t>(std::bit_width(topology.node_count()) - 1));
}

/// Before the map is made, which may take long.
void check_memory(const EmbedOptions& options, const Topology& topology, const Guest& guest,
                  const std::string& name) {
  const std::uint64_t processes = guest.process_count();
  const std::uint64_t to_measure = measuring_bytes(topology, guest) + 8 * processes;  // two maps
  const std::uint64_t to_predict = 25 * processes;  // two maps, two times and a flag each
  const std::uint64_t to_print = options.full ? 60 * processes : 0;
  expect_fits_in_memory(fmt::format("measuring {}", name),
                        std::max(to_measure, to_predict) + to_print);
}

/// A name has no place to complain about but the option.
std::unique_ptr<Embedding> place(const Topology& topology, const Guest& guest,
                                 const Params& settings, const std::string& name) {
  const auto make = [&] { return make_embedding(topology, guest, settings); };
  return find_kind(embedding_catalog(), name) != nullptr ? at("--embedding", make) : make();
}

Placement place_one(const EmbedOptions& options, const std::string& machine_name,
                    const std::shared_ptr<const Machine>& machine, const std::string& name,
                    const std::shared_ptr<const Traffic>& traffic) {
  Params settings = embedding_settings(options, name);
  const std::optional<Guest> given = given_guest(options, settings);
  if (given && traffic) {
    check_process_count(*given, *traffic);
  }
  const std::optional<std::uint32_t> processes = given     ? std::optional{given->process_count()}
                                                 : traffic ? std::optional{traffic->process_count()}
                                                           : std::nullopt;
  settings = at_least_at(
      "--embedding", [&] { return read_embedding_file(settings, *machine->topology, processes); });
  const Guest guest = choose_guest(given, traffic.get(), settings, *machine->topology);
  if (!traffic) {
    at("--embedding", [&] { check_memory(options, *machine->topology, guest, name); });
  }
  return {machine_name, name, machine, guest, place(*machine->topology, guest, settings, name),
          traffic};
}

std::vector<Placement> place_all(const EmbedOptions& options, Ticks hop) {
  std::shared_ptr<const Traffic> traffic;
  if (!options.traffic.empty()) {
    traffic = std::make_shared<Traffic>(
        at_least_at("--traffic", [&] { return read_traffic(options.traffic); }));
  }
  std::vector<Placement> placements;
  for (const std::string& machine_name : options.machines) {
    const std::shared_ptr<const Machine> machine = machine_option("MACHINE", machine_name, hop);
    for (const std::string& name : options.embeddings) {
      placements.push_back(place_one(options, machine_name, machine, name, traffic));
    }
  }
  return placements;
}

std::string placements_json(const std::vector<Placement>& placements, const CcUnitCosts& costs,
                            ListOutput lists) {
  std::vector<std::string> objects;
  objects.reserve(placements.size());
  for (const Placement& placement : placements) {
    objects.push_back(placement.traffic
                          ? traffic_result_json(*placement.machine, *placement.traffic,
                                                *placement.embedding, lists)
                          : embed_result_json(placement.topology(), placement.guest,
                                              *placement.embedding, costs.compute,
                                              costs.message_hop, lists));
  }
  return objects.size() == 1 ? objects.front() : fmt::format("[\n{}]\n", fmt::join(objects, ","));
}

/// What --export names: a format before a colon, or a file whose suffix tells. A file is not made
/// of a misspelt format.
MapFile export_target(const std::string& exported) {
  const std::vector<std::string> formats = names_of(map_format_catalog());
  const std::size_t colon = exported.find(':');
  const std::string prefix = exported.substr(0, colon);
  if (colon != std::string::npos && find_kind(map_format_catalog(), prefix) == nullptr) {
    throw InputError("--export", fmt::format("`{}` is not a format{}", prefix,
                                             nearest_name_hint(prefix, formats)));
  }
  const std::optional<MapFile> target = find_map_file(exported);
  if (!target) {
    throw InputError("--export",
                     fmt::format("{} is not FORMAT:FILE, and no suffix tells its format "
                                 "(formats: {})",
                                 exported, fmt::join(formats, ", ")));
  }
  return *target;
}

/// Before anything is measured.
std::vector<MapFile> export_targets(const EmbedOptions& options) {
  std::vector<MapFile> targets;
  for (const std::string& exported : options.exports) {
    targets.push_back(export_target(exported));
    check_output_folder(targets.back().file.string(), "--export");
  }
  if (!targets.empty() && options.machines.size() * options.embeddings.size() != 1) {
    throw InputError("--export", "one machine and one embedding make a map to write");
  }
  return targets;
}

void write_exports(const EmbedOptions& options, const std::vector<MapFile>& targets,
                   const Placement& placement) {
  const HostNames hosts = options.hosts.empty() ? HostNames{} : at_least_at("--hosts", [&] {
    return HostNames::parse(options.hosts, placement.topology().node_count());
  });
  std::uint64_t text_bytes = 0;
  for (const MapFile& target : targets) {
    const bool is_map = target.format->read != nullptr;  // the others describe nodes and links
    text_bytes += placement.topology().node_count() * std::uint64_t{is_map ? 30U : 250U};
  }
  at("--export", [&] { expect_fits_in_memory("what is written", text_bytes); });
  const std::vector<NodeId> map = placement.embedding->map();
  const MapExport content{
      *placement.machine, map, hosts,
      [&] { return placement.traffic ? *placement.traffic : Traffic::of(placement.guest); }};
  std::vector<std::string> texts;  // all of them before any is written
  texts.reserve(targets.size());
  for (const MapFile& target : targets) {
    texts.push_back(at("--export", [&] { return target.format->write(content); }));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    write_file(targets[i].file, texts[i]);
  }
}

std::string report(const EmbedOptions& options, const std::vector<Placement>& placements,
                   const CcUnitCosts& costs) {
  if (options.json) {
    return placements_json(placements, costs,
                           options.full ? ListOutput::always : ListOutput::when_small);
  }
  const bool has_traffic = placements.front().traffic != nullptr;
  if (placements.size() == 1) {
    const Detail detail = options.full ? Detail::everything : Detail::short_lists;
    return has_traffic ? traffic_summary(placements.front(), detail)
                       : placement_summary(placements.front(), costs, detail);
  }
  return has_traffic ? traffic_table(placements, options.embeddings.size())
                     : placement_table(placements, options.embeddings.size());
}

std::string measure(const EmbedOptions& options, const std::vector<Placement>& placements,
                    const CcUnitCosts& costs) {
  TickingProgress progress{ProgressOutput::on_terminal, "measuring"};
  progress.show(counted(placements.size(), "placement"));
  return at_least_at(options.traffic.empty() ? "" : "--traffic",
                     [&] { return report(options, placements, costs); });
}

ExitStatus embed(const EmbedOptions& options) {
  exit_on_interrupt();
  const std::vector<MapFile> targets = export_targets(options);
  if (targets.empty()) {
    check_hosts_option(options.hosts, options.embeddings);
  }
  const CcUnitCosts costs{duration_option("--compute", options.compute),
                          duration_option("--hop", options.hop)};
  const std::vector<Placement> placements = place_all(options, costs.message_hop);
  if (!targets.empty()) {
    write_exports(options, targets, placements.front());
  }
  print(measure(options, placements, costs));
  return ExitStatus::done;
}

}  // namespace

Command embed_command(CLI::App& app) {
  const auto options = std::make_shared<EmbedOptions>();
  CLI::App* parser = app.add_subcommand("embed", "Measure embeddings without simulating");
  parser
      ->add_option("MACHINE", options->machines,
                   "a machine's name or file, or a network such as torus:8x8, ring:16, hypercube:6")
      ->required()
      ->type_name("");
  add_name_list(*parser, "--embedding", options->embeddings,
                "embeddings to measure: names, JSON or map files")
      ->required();
  parser
      ->add_option("--guest", options->guest,
                   "process graph: cube:6, mesh:8x8, ring:64, tree:15 (default: largest cube)")
      ->type_name("SHAPE");
  parser->add_option("--seed", options->seed, "seed of embeddings that draw lots")->type_name("N");
  parser->add_option("--compute", options->compute, "computing time of a CC stage (default: 1s)")
      ->type_name("TIME");
  parser->add_option("--hop", options->hop, "time of a message over one link (default: 1s)")
      ->type_name("TIME");
  parser
      ->add_option("--traffic", options->traffic,
                   "measure this traffic: csv, grf or mtx, or a file whose suffix tells")
      ->type_name("[FORMAT:]FILE");
  parser
      ->add_option("--export", options->exports,
                   "write the map, or what belongs to it, for another tool (see dcube list "
                   "formats); may be repeated")
      ->type_name("[FORMAT:]FILE")
      ->allow_extra_args(false);
  add_hosts_option(*parser, options->hosts);
  parser->add_flag("--json", options->json, "print JSON; an array when there are several");
  parser->add_flag("--full", options->full, "print the map and the spectrum whatever their size");
  parser->footer(
      "Examples:\n  dcube embed ring:16 torus:8x8 --embedding standard,xor\n"
      "  dcube embed torus:8x8 --embedding xor --export x.rankfile --export dot:x.dot");
  return {parser, [options] { return embed(*options); }};
}

}  // namespace dcube::app
