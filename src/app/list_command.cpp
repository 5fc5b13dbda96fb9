#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/terminal/output.hpp"
#include "app/terminal/table.hpp"
#include "command.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/program/program.hpp"
#include "dcube/scenario/machines.hpp"
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
    text += parameter_table(kind->parameters);
    if (!kind->example.empty()) {
      text += fmt::format("{:{}}{}: {}\n", "", 3 * indent, example_label, kind->example);
    }
  }
  return text;
}

std::string topologies() { return catalogue_text("topologies", topology_catalog()); }
std::string embeddings() {
  return catalogue_text("embeddings", embedding_catalog(), "example (machine | guest | settings)");
}
std::string programs() { return catalogue_text("programs", program_catalog()); }

std::string traces() { return catalogue_text("traces", trace_catalog(), "example (--trace)"); }
std::string formats() {
  return catalogue_text("map formats", map_format_catalog()) + "\n" +
         catalogue_text("traffic formats", traffic_format_catalog());
}

std::string machines() {
  Table table{{{"", Table::Align::left}, {"", Table::Align::left}}};
  for (const auto& [name, network] : list_machines()) {
    table.add_row({name, network});
  }
  return "machines\n" + table.text(indent);
}

struct Section {
  const char* name;
  std::string (*text)();
};

constexpr std::array<Section, 6> sections{{{"topologies", topologies},
                                           {"embeddings", embeddings},
                                           {"programs", programs},
                                           {"formats", formats},
                                           {"machines", machines},
                                           {"traces", traces}}};

std::string every_section() {
  std::vector<std::string> texts;
  for (const Section& section : sections) {
    texts.push_back(section.text());
  }
  return fmt::format("{}", fmt::join(texts, "\n"));
}

std::string section_text(const std::string& name) {
  const auto* section = std::find_if(sections.begin(), sections.end(),
                                     [&](const Section& one) { return one.name == name; });
  if (section == sections.end()) {
    std::vector<std::string> names;
    for (const Section& one : sections) {
      names.emplace_back(one.name);
    }
    throw InputError(name, "nothing that can be listed" + nearest_name_hint(name, names));
  }
  return section->text();
}

ExitStatus list(const std::string& name) {
  print(name.empty() ? every_section() : section_text(name));
  return ExitStatus::done;
}

}  // namespace

Command list_command(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand(
      "list", "List what a scenario or an option can name, with parameters and defaults");
  parser
      ->add_option("KIND", *name,
                   "topologies, embeddings, programs, formats, machines or traces (default: all)")
      ->type_name("");
  parser->footer("Example:\n  dcube list embeddings");
  return {parser, [name] { return list(*name); }};
}

}  // namespace dcube::app
