#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/embed/placement.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/search/map_reasons.hpp"
#include "app/search/search_outputs.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "batch/interrupt.hpp"
#include "command.hpp"
#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/search/search.hpp"
#include "scenario/embed_result.hpp"
#include "scenario/link_sharing.hpp"

namespace dcube::app {
namespace {

struct EmbedOptions {
  std::vector<std::string> machines;
  std::vector<std::string> embeddings;
  std::optional<Guest> guest;
  std::optional<std::uint64_t> seed;
  CcCostOptions costs;
  std::string traffic;
  std::string hosts;
  bool why = false;
  OutputOptions outputs;
  DisplayOptions display;
};

bool takes_seed(const EmbeddingKind& kind) {
  return std::ranges::any_of(
      kind.parameters, [](const ParameterHelp& parameter) { return parameter.name == "seed"; });
}

Params embedding_settings(const EmbedOptions& options, const std::string& name) {
  Params settings = embedding_option(name, options.hosts);
  const EmbeddingKind* kind = find_kind(embedding_catalog(), settings.text("kind"));
  if (options.seed && kind != nullptr && takes_seed(*kind)) {
    settings.set("seed", Setting::Number{std::to_string(*options.seed)});
  }
  return settings;
}

void check_process_count(const Guest& guest, const Traffic& traffic) {
  refuse_if(guest.process_count() != traffic.process_count(), "--guest",
            "{} has {}, the traffic {}", guest.name(), counted(guest.process_count(), "process"),
            grouped(traffic.process_count()));
}

/// The one given, that of the traffic, or the usual one. A map says only of a cube how its
/// processes talk.
Guest choose_guest(const std::optional<Guest>& given, const Traffic* traffic,
                   const Params& settings, const Topology& topology) {
  if (given) {
    return *given;
  }
  if (traffic != nullptr) {
    return Guest::of_processes(traffic->process_count());
  }
  const Guest usual = usual_guest(settings, topology);
  refuse_if(usual.kind() != Guest::Kind::cube, "--guest",
            "the map's {} processes are no cube; name their shape (--guest line:{}) or give their "
            "--traffic",
            usual.process_count(), usual.process_count());
  return usual;
}

/// Before the map is made, which may take long.
void check_memory(const EmbedOptions& options, const Topology& topology, const Guest& guest,
                  const std::string& name) {
  const std::uint64_t processes = guest.process_count();
  const std::uint64_t to_measure = measuring_bytes(topology, guest) + 8 * processes;  // two maps
  const std::uint64_t to_predict = 25 * processes;  // two maps, two times and a flag each
  const std::uint64_t to_print = options.display.full ? 60 * processes : 0;
  expect_fits_in_memory(fmt::format("measuring {}", name),
                        std::max(to_measure, to_predict) + to_print);
}

/// A name has no place to complain about but the option.
std::unique_ptr<Embedding> place(const Machine& machine, const Guest& guest, const Params& settings,
                                 const std::string& name) {
  const auto make = [&] {
    return make_embedding(*machine.topology, guest, settings, machine.node.slots);
  };
  return find_kind(embedding_catalog(), name) != nullptr ? at_place("--embedding", make) : make();
}

/// Fills in the guest and the embedding. Throws InputError when the embedding does not fit.
void place_one(const EmbedOptions& options, Params settings, const std::optional<Guest>& given,
               std::vector<std::filesystem::path>& inputs, Placement& placement) {
  const Topology& topology = placement.topology();
  const Traffic* traffic = placement.traffic.get();
  const std::optional<std::uint32_t> processes = given ? std::optional{given->process_count()}
                                                 : traffic != nullptr
                                                     ? std::optional{traffic->process_count()}
                                                     : std::nullopt;
  settings = at_least_at("--embedding", [&] {
    return read_embedding_file(settings, topology, processes, &inputs,
                               placement.machine->node.slots);
  });
  placement.guest = choose_guest(given, traffic, settings, topology);
  if (traffic == nullptr) {
    try {
      check_memory(options, topology, placement.guest, placement.embedding_name);
    } catch (const MemoryError& error) {
      throw MemoryError("--embedding", error.problem());
    }
  }
  placement.embedding =
      place(*placement.machine, placement.guest, settings, placement.embedding_name);
}

/// What cannot be read is refused. An embedding that does not fit is a row, unless none fits. The
/// files that are read become `inputs`.
std::vector<Placement> place_all(const EmbedOptions& options,
                                 std::vector<std::filesystem::path>& inputs) {
  std::shared_ptr<const Traffic> traffic;
  if (!options.traffic.empty()) {
    traffic = std::make_shared<Traffic>(
        at_least_at("--traffic", [&] { return read_traffic(options.traffic); }));
  }
  std::vector<Placement> placements;
  std::optional<InputError> refusal;
  bool has_one = false;
  for (const std::string& machine_name : options.machines) {
    const std::shared_ptr<const Machine> machine =
        machine_option("MACHINE", machine_name, options.costs.costs().message_hop);
    for (const std::string& name : options.embeddings) {
      const Params settings = embedding_settings(options, name);
      const std::optional<Guest> given = options.guest ? options.guest : named_guest(settings);
      if (given && traffic) {
        check_process_count(*given, *traffic);
      }
      placements.push_back({machine_name, name, machine, traffic});
      Placement& placement = placements.back();
      try {
        place_one(options, settings, given, inputs, placement);
        has_one = true;
      } catch (const MemoryError&) {
        throw;  // it is this computer's, not the embedding's
      } catch (const InputError& error) {
        placement.refusal = error.problem();
        refusal = refusal ? refusal : error;
      }
    }
  }
  if (!has_one) {
    throw *refusal;
  }
  return placements;
}

/// The traffic that is measured, as a problem without an objective of its own.
struct MeasuredTraffic {
  explicit MeasuredTraffic(const Placement& placement)
      : traffic{placement.traffic ? *placement.traffic : Traffic::of(placement.guest)},
        problem{.topology = placement.topology(),
                .traffic = traffic,
                .slots = placement.machine->node.slots,
                .guest = placement.guest,
                .sharing = link_sharing(*placement.machine),
                .rates = rates_if_any(*placement.machine)} {}
  MeasuredTraffic(const MeasuredTraffic&) = delete;
  MeasuredTraffic& operator=(const MeasuredTraffic&) = delete;

  Traffic traffic;
  SearchProblem problem;
};

/// Text and JSON.
std::pair<std::string, nlohmann::ordered_json> explained(const Placement& placement) {
  return at_least_at("--why", [&]() -> std::pair<std::string, nlohmann::ordered_json> {
    const MeasuredTraffic measured{placement};
    check_problem(measured.problem);
    const std::vector<NodeId> map = placement.embedding->map();
    const MapReasons reasons = reasons_of(measured.problem, map, placement.knows_routes());
    return {reasons_text(reasons, measured.problem, map), reasons_json(reasons, map)};
  });
}

nlohmann::ordered_json placement_json(const Placement& placement, const CcUnitCosts& costs,
                                      ListOutput lists) {
  if (!placement.embedding) {
    return {{"outcome", to_string(Outcome::refused)},
            {"problem", placement.refusal},
            {"machine", network_result(placement.topology(), placement.machine->node.slots)},
            {"embedding", {{"kind", placement.embedding_name}}}};
  }
  std::string refuted;
  nlohmann::ordered_json json =
      placement.traffic
          ? traffic_result(*placement.machine, *placement.traffic, *placement.embedding, lists)
          : embed_result(placement.topology(), placement.guest, *placement.embedding, costs.compute,
                         costs.message_hop, lists, placement.machine->node,
                         link_sharing(*placement.machine), &refuted);
  complain_once(refuted);
  if (!placement.knows_routes()) {
    for (const char* load : {"node_load", "link_load", "gonzalez_load", "link_bytes"}) {
      if (json.contains(load)) {
        json[load] = nullptr;
      }
    }
  }
  return json;
}

std::string placements_json(const std::vector<Placement>& placements, const CcUnitCosts& costs,
                            ListOutput lists, bool why) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Placement& placement : placements) {
    json.push_back(placement_json(placement, costs, lists));
    if (why && placement.embedding) {
      json.back()["why"] = explained(placement).second;
    }
  }
  return json_layout(json.size() == 1 ? json.front() : json);
}

struct EmbedOutputs {
  std::vector<std::filesystem::path> results;
  std::vector<NamedOutput> maps;
  std::vector<NamedOutput> pictures;
};

bool is_one(const EmbedOptions& options) {
  return options.machines.size() * options.embeddings.size() == 1;
}

/// Before anything is measured.
EmbedOutputs plan_embed_outputs(const EmbedOptions& options, OutputPlan& plan) {
  EmbedOutputs outputs;
  for (NamedOutput& output : plan.writes(options.outputs)) {
    if (output.kind == "result") {
      outputs.results.push_back(output.file);
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

void put_maps(const EmbedOptions& options, const std::vector<NamedOutput>& maps,
              const Placement& placement, OutputPlan& plan) {
  const HostNames hosts = options.hosts.empty() ? HostNames{} : at_least_at("--hosts", [&] {
    return HostNames::parse(options.hosts, placement.topology().node_count());
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

std::string report(const EmbedOptions& options, const std::vector<Placement>& placements) {
  if (options.display.quiet) {
    return {};
  }
  if (placements.size() > 1) {
    return placement_table(placements, options.embeddings.size());
  }
  const Placement& placement = placements.front();
  const std::string summary =
      placement_summary(placement, options.costs.costs(), options.display.lists());
  return options.why ? summary + "\n" + explained(placement).first : summary;
}

/// Puts the results as JSON and returns what to print.
std::string measure(const EmbedOptions& options, const std::vector<Placement>& placements,
                    const EmbedOutputs& outputs, OutputPlan& plan) {
  TickingProgress progress{options.display.progress(), "measuring"};
  progress.show(counted(placements.size(), "placement"));
  return at_least_at(options.traffic.empty() ? "" : "--traffic", [&] {
    std::string json;
    if (options.display.json || !outputs.results.empty()) {
      json =
          placements_json(placements, options.costs.costs(), options.display.lists(), options.why);
    }
    for (const std::filesystem::path& file : outputs.results) {
      plan.put(file, json);
    }
    return options.display.json ? json : report(options, placements);
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
  const MeasuredTraffic measured{placement};
  for (const NamedOutput& picture : pictures) {
    const ExitStatus drawn =
        draw_links(picture, measured.problem, placement.embedding->map(),
                   {placement.machine->name, placement.embedding_name,
                    placement.traffic ? std::string{"traffic"} : placement.guest.name()},
                   interrupt);
    status = drawn == ExitStatus::done ? status : drawn;
  }
  return status;
}

ExitStatus embed(const EmbedOptions& options) {
  OutputPlan plan;
  exit_on_interrupt();
  refuse_if(options.why && !is_one(options), "--why",
            "explains one embedding on one machine; leave out the others");
  const EmbedOutputs outputs = plan_embed_outputs(options, plan);
  if (outputs.maps.empty()) {
    check_hosts_option(options.hosts, options.embeddings);
  }
  plan.reads({options.embeddings.begin(), options.embeddings.end()});
  plan.reads({options.traffic, options.hosts});
  plan.reads(machine_files(options.machines));
  std::vector<std::filesystem::path> inputs;
  const std::vector<Placement> placements = place_all(options, inputs);
  plan.reads(inputs);
  check_links(outputs.pictures, *placements.front().machine);
  if (!outputs.maps.empty()) {
    put_maps(options, outputs.maps, placements.front(), plan);
  }
  const ExitStatus finished = plan.finish(measure(options, placements, outputs, plan));
  const ExitStatus drawn = draw_pictures(outputs.pictures, placements.front());
  const ExitStatus written = finished == ExitStatus::done ? drawn : finished;
  return complain_of_refusals(placements) && written == ExitStatus::done
             ? ExitStatus::experiment_failed
             : written;
}

}  // namespace

void embed_command(CommandLine& line) {
  const auto options = std::make_shared<EmbedOptions>();
  Parser parser = line.add("embed", "Measure embeddings without simulating",
                           [options] { return embed(*options); });
  parser
      .argument("MACHINE", options->machines,
                "a machine's name or file, or a network such as torus:8x8, ring:16, hypercube:6")
      .required()
      .reads_file();
  parser
      .list("--embedding", options->embeddings, "NAME[,NAME..]",
            "embeddings to measure: names, JSON or map files")
      .required()
      .reads_file();
  parser.option("--guest", options->guest, Guest::parse, "SHAPE",
                "process graph: cube:6, mesh:8x8, ring:64, tree:15 (default: largest cube)");
  parser.option("--seed", options->seed, seed_number, "N",
                "seed of embeddings that draw lots (default: 0)");
  add_cc_cost_options(parser, options->costs);
  parser
      .option("--traffic", options->traffic, "[FORMAT:]FILE",
              "measure this traffic: csv, grf or mtx, or a file whose suffix tells")
      .reads_file();
  std::vector<OutputKind> kinds = kinds_of(map_format_catalog());
  kinds.insert(kinds.end(), {{"result"}, {"links"}});
  options->outputs.add_main(parser, "result", "write the measures as JSON");
  options->outputs.add_write(parser, std::move(kinds));
  options->outputs.add_old_spelling(parser, "--export");
  add_hosts_option(parser, options->hosts);
  add_why_option(parser, options->why);
  add_display_options(parser, options->display);
  parser.examples(
      "dcube embed ring:16 torus:8x8 --embedding standard,xor\n"
      "dcube embed torus:8x8 --embedding xor --write x.rankfile --write dot:x.dot\n"
      "dcube embed torus:8x8 --embedding standard --why");
}

}  // namespace dcube::app
