#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/mapped.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/interop/machine_files.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/program/program.hpp"
#include "dcube/runs/measures.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/text_table.hpp"
#include "dcube/topology/topology.hpp"
#include "dcube/trace/trace.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t indent = 2;

std::string parameter_table(const std::vector<ParameterHelp>& parameters) {
  Table table{{{"", Table::Align::left}, {"", Table::Align::left}, {"", Table::Align::left}}};
  for (const ParameterHelp& parameter : parameters) {
    table.add_row({parameter.name,
                   parameter.default_value.empty()
                       ? "required"
                       : fmt::format("default {}", parameter.default_value),
                   parameter.help});
  }
  return table.text(3 * indent);
}

template <class Catalogue>
std::string catalogue_text(const char* title, const Catalogue& catalogue,
                           const char* example_label = "example") {
  std::string text = fmt::format("{}\n", title);
  for (const auto* kind : catalogue) {
    text += fmt::format("{:{}}{}: {}\n", "", indent, kind->name, kind->help);
    if constexpr (requires { kind->parameters; }) {
      text += parameter_table(kind->parameters);
    }
    if (!kind->example.empty()) {
      text += fmt::format("{:{}}{}: {}\n", "", 3 * indent, example_label, kind->example);
    }
  }
  return text;
}

std::string named_table(const char* title,
                        const std::vector<std::pair<std::string, std::string>>& entries) {
  Table table = facts_table();
  for (const auto& [name, text] : entries) {
    table.add_row({name, text});
  }
  return fmt::format("{}\n{}", title, table.text(indent));
}

std::string machine_format_table() {
  return named_table(
      "machines of other tools (read by --machine and the machine of scenarios)",
      mapped(machine_formats(), [](const MachineFormat& format) {
        return std::pair{format.suffix, fmt::format("{} ({})", format.help, format.name)};
      }));
}

std::string formats() {
  return catalogue_text(
             "map formats (read by --embedding and by subcubes --map; written by --write of embed, "
             "search, place and collective)",
             map_format_catalog()) +
         "\n" +
         catalogue_text(
             "traffic formats (read by --traffic of embed, search, place and subcubes; written by "
             "run --write traffic:FILE and subcubes --write reduction:FILE)",
             traffic_format_catalog()) +
         "\n" + machine_format_table();
}

std::string fold_help() {
  const auto folding = kept(embedding_catalog(), [](const EmbeddingKind* kind) {
    return kind->slot_use == SlotUse::fold;
  });
  return fmt::format(
      "{:{}}fold (many-to-one embedding), a setting of {}: cube dimensions inside nodes of several "
      "slots, low (default), high or a list\n",
      "", indent, joined(folding, ", ", &EmbeddingKind::name));
}

std::string collectives() {
  std::string text = "collectives and their algorithms; `automatic` picks one by size\n";
  for (const CollectiveKind kind : collective_kinds()) {
    text += fmt::format("{:{}}{}\n", "", indent, name_of(kind));
    Table table = facts_table();
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      table.add_row({algorithm->name, algorithm->help});
    }
    text += table.text(3 * indent);
  }
  return text;
}

std::string measures() {
  return named_table("measures of runs (of sweep; units are in the names)",
                     mapped(measure_catalog(), [](const Measure& measure) {
                       return std::pair{std::string{measure.name}, std::string{measure.help}};
                     }));
}

struct Section {
  const char* name;
  std::string (*text)();
};

const std::array<Section, 9> sections{{
    {"topologies", [] { return catalogue_text("topologies", topology_catalog()); }},
    {"embeddings",
     [] {
       return catalogue_text("embeddings", embedding_catalog(),
                             "example (machine | guest graph | settings)") +
              fold_help();
     }},
    {"programs", [] { return catalogue_text("programs", program_catalog()); }},
    {"collectives", collectives},
    {"formats", formats},
    {"machines",
     [] {
       return named_table("machines (also networks such as torus:8x8, and files)", list_machines());
     }},
    {"scenarios",
     [] {
       return named_table("scenarios (commands find them by name, and files)", list_scenarios());
     }},
    {"measures", measures},
    {"traces",
     [] {
       return catalogue_text("traces (written by --write of run and trace; trace reads csv)",
                             trace_catalog(), "example (--write)");
     }},
}};

std::string every_section() {
  return joined(sections, "\n", [](const Section& section) { return section.text(); });
}

std::string section_text(const std::string& name) {
  const auto* section = std::ranges::find(sections, name, &Section::name);
  if (section == sections.end()) {
    const auto names = mapped(sections, [](const Section& one) { return std::string{one.name}; });
    throw InputError(name,
                     "is not a kind of thing that can be listed" + nearest_name_hint(name, names));
  }
  return section->text();
}

ExitStatus list(const std::string& name) {
  print(name.empty() ? every_section() : section_text(name));
  return ExitStatus::done;
}

}  // namespace

void list_command(CommandLine& line) {
  auto [parser, name] = line.add<std::string>(
      "list", "List what a scenario or an option can name, with parameters and defaults", list);
  parser.argument("KIND", *name, joined(sections, ", ", &Section::name) + " (default: all)");
  parser.examples("dcube list embeddings");
}

}  // namespace dcube::app
