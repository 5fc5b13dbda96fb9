#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dcube/core/catalog.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "progress.hpp"
#include "readable.hpp"

namespace dcube::app {
namespace {

struct EmbedOptions {
  std::vector<std::string> machines;
  std::vector<std::string> embeddings;
  std::string guest;
  std::string seed;
  std::string compute = "1s";
  std::string hop = "1s";
  std::string exported;
  bool json = false;
  bool full = false;
};

/// What --export writes: a format and a file.
struct ExportFormat {
  std::string name;
  std::string (*text)(const Embedding&);
};

const std::array<ExportFormat, 2> export_formats{
    {{"csv", map_csv}, {"json", explicit_embedding_json}}};

bool takes_seed(const EmbeddingKind& kind) {
  return std::any_of(kind.parameters.begin(), kind.parameters.end(),
                     [](const ParameterHelp& parameter) { return parameter.name == "seed"; });
}

Params embedding_settings(const EmbedOptions& options, const std::string& name) {
  Params settings = embedding_option(name);
  const EmbeddingKind* kind = find_kind(embedding_catalog(), settings.text("kind"));
  if (!options.seed.empty() && kind != nullptr && takes_seed(*kind)) {
    seed_option("--seed", options.seed);
    settings.set("seed", Setting::Number{options.seed});
  }
  return settings;
}

/// The one asked for, the embedding's own, or the largest cube with a node for every process.
Guest choose_guest(const EmbedOptions& options, const Params& settings, const Topology& topology) {
  if (!options.guest.empty()) {
    return at("--guest", [&] { return Guest::parse(options.guest); });
  }
  if (settings.has("guest")) {
    return at(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
  }
  return Guest::cube(static_cast<std::uint32_t>(std::bit_width(topology.node_count()) - 1));
}

/// A name has no place to complain about but the option.
std::unique_ptr<Embedding> place(const Topology& topology, const Guest& guest,
                                 const Params& settings, const std::string& name) {
  const auto make = [&] { return make_embedding(topology, guest, settings); };
  return find_kind(embedding_catalog(), name) != nullptr ? at("--embedding", make) : make();
}

std::vector<Placement> place_all(const EmbedOptions& options) {
  std::vector<Placement> placements;
  for (const std::string& machine : options.machines) {
    const std::shared_ptr<const Topology> topology = machine_option("MACHINE", machine)->topology;
    for (const std::string& name : options.embeddings) {
      const Params settings = embedding_settings(options, name);
      const Guest guest = choose_guest(options, settings, *topology);
      placements.push_back(
          {machine, name, topology, guest, place(*topology, guest, settings, name)});
    }
  }
  return placements;
}

std::string placements_json(const std::vector<Placement>& placements, const CcUnitCosts& costs,
                            ListOutput lists) {
  std::vector<std::string> objects;
  objects.reserve(placements.size());
  for (const Placement& placement : placements) {
    objects.push_back(embed_result_json(*placement.topology, placement.guest, *placement.embedding,
                                        costs.compute, costs.message_hop, lists));
  }
  return objects.size() == 1 ? objects.front() : fmt::format("[\n{}]\n", fmt::join(objects, ","));
}

void write_export(const std::string& exported, const std::vector<Placement>& placements) {
  if (placements.size() != 1) {
    throw InputError("--export", "one machine and one embedding make a map to write");
  }
  const std::size_t colon = exported.find(':');
  const std::string name = exported.substr(0, colon);
  const auto* format = std::find_if(export_formats.begin(), export_formats.end(),
                                    [&](const ExportFormat& one) { return one.name == name; });
  if (colon == std::string::npos || format == export_formats.end()) {
    throw InputError("--export",
                     fmt::format("{} is not FORMAT:FILE (csv:FILE or json:FILE)", exported));
  }
  write_file(exported.substr(colon + 1), format->text(*placements.front().embedding));
}

std::string report(const EmbedOptions& options, const std::vector<Placement>& placements) {
  const CcUnitCosts costs{duration_option("--compute", options.compute),
                          duration_option("--hop", options.hop)};
  if (options.json) {
    return placements_json(placements, costs,
                           options.full ? ListOutput::always : ListOutput::when_small);
  }
  if (placements.size() == 1) {
    return placement_summary(placements.front(), costs,
                             options.full ? Detail::everything : Detail::short_lists);
  }
  return placement_table(placements, options.embeddings.size());
}

std::string measure(const EmbedOptions& options, const std::vector<Placement>& placements) {
  TickingProgress progress{ProgressOutput::on_terminal, "measuring"};
  progress.show(counted(placements.size(), "placement"));
  return report(options, placements);
}

ExitStatus embed(const EmbedOptions& options) {
  exit_on_interrupt();
  const std::vector<Placement> placements = place_all(options);
  if (!options.exported.empty()) {
    write_export(options.exported, placements);
  }
  print(measure(options, placements));
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
                "embeddings to measure (names or files)")
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
  parser->add_option("--export", options->exported, "write the map: csv:FILE or json:FILE")
      ->type_name("FORMAT:FILE");
  parser->add_flag("--json", options->json, "print JSON; an array when there are several");
  parser->add_flag("--full", options->full, "print the map and the spectrum whatever their size");
  parser->footer("Example:\n  dcube embed ring:16 torus:8x8 --embedding standard,xor");
  return {parser, [options] { return embed(*options); }};
}

}  // namespace dcube::app
