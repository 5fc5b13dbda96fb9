#include "search_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/compare/pictures.hpp"
#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/report/page.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* history_script = "scripts/plot_search.py";
constexpr const char* links_script = "scripts/plot_link_load.py";

bool is_picture_kind(std::string_view kind) { return kind == "picture" || kind == "links"; }

/// A folder that is there, or a name that ends like one.
bool is_folder(const NamedOutput& output) {
  std::error_code ignored;
  return output.option == "--output" &&
         (fs::is_directory(output.file, ignored) || !output.file.has_filename());
}

}  // namespace

std::vector<OutputKind> search_output_kinds() {
  std::vector<OutputKind> kinds = kinds_of(map_format_catalog());
  kinds.insert(kinds.end(), {{"embedding"}, {"result"}, {"picture"}, {"links"}, {"html", ".html"}});
  return kinds;
}

void check_picture(const NamedOutput& output) {
  const std::string suffix = output.file.extension().string();
  constexpr std::array<std::string_view, 3> known{".png", ".svg", ".pdf"};
  refuse_if(std::ranges::find(known, suffix) == known.end(), output.option,
            "{} is no picture's name (it ends in .png, .svg or .pdf)", output.file.string());
}

void check_links(std::span<const NamedOutput> outputs, const Machine& machine) {
  for (const NamedOutput& output : outputs) {
    refuse_if(output.kind == "links" && output.option != "--output" && !knows_routes(machine),
              output.option,
              "which links carry what is unknown: messages draw or choose their routes");
  }
}

std::vector<NamedOutput> plan_outputs(const OutputOptions& options, OutputPlan& plan) {
  std::vector<NamedOutput> outputs;
  for (NamedOutput& output : options.named()) {
    if (!is_folder(output)) {
      if (is_picture_kind(output.kind)) {
        check_picture(output);
      }
      plan.writes(output.option, output.file);
      outputs.push_back(std::move(output));
      continue;
    }
    for (const auto& [kind, name] :
         {std::pair{"embedding", "embedding.json"}, std::pair{"result", "result.json"},
          std::pair{"picture", "gap.png"}, std::pair{"links", "links.png"},
          std::pair{"html", "index.html"}}) {
      outputs.push_back({output.option, kind, output.file / name});
      plan.writes_into(output.option, output.file, name);
    }
  }
  return outputs;
}

std::string search_page(const SearchAnswer& answer, const EarlierMap& before) {
  nlohmann::ordered_json pictures = nlohmann::ordered_json::array();
  const auto add = [&](const std::string& name, std::span<const NodeId> map) {
    const LinkPicture names{answer.machine->name, name, answer.traffic_name};
    pictures.push_back({{"name", name},
                        {"map", std::vector<NodeId>{map.begin(), map.end()}},
                        {"content", json_value(link_picture_data(*answer.problem, map, names))}});
  };
  if (before.on_failed_nodes + before.on_left_out_nodes == 0) {
    add(before.name, before.map);
  }
  add("the map found", answer.found.map);
  return report::answer_page(fmt::format("{} on {}", answer.traffic_name, answer.machine->name),
                             json_line({{"kind", "search"},
                                        {"answer", json_value(search_json(answer))},
                                        {"knows_routes", knows_routes(*answer.machine)},
                                        {"pictures", std::move(pictures)}}));
}

std::string map_text(const NamedOutput& output, const SearchAnswer& answer) {
  const MapFormat& format = *find_kind(map_format_catalog(), output.kind);
  Machine machine = *answer.machine;
  machine.node.slots = answer.slots_of_files;
  return at_place(output.option, [&] {
    return format.write({machine, answer.found.map, answer.hosts, [&] { return *answer.traffic; }});
  });
}

ExitStatus draw_links(const NamedOutput& output, const SearchProblem& problem,
                      std::span<const NodeId> map, const LinkPicture& names,
                      const InterruptWatch& interrupt) {
  return draw_picture(links_script, link_picture_data(problem, map, names), output.file, interrupt);
}

ExitStatus draw_search_pictures(std::span<const NamedOutput> outputs, const SearchAnswer& answer,
                                const InterruptWatch& interrupt) {
  ExitStatus status = ExitStatus::done;
  for (const NamedOutput& output : outputs) {
    ExitStatus drawn = ExitStatus::done;
    if (output.kind == "picture") {
      drawn = draw_picture(history_script, search_json(answer), output.file, interrupt);
    } else if (output.kind == "links") {
      if (!knows_routes(*answer.machine)) {
        continue;  // in a folder; otherwise it was refused
      }
      drawn = draw_links(output, *answer.problem, answer.found.map,
                         {answer.machine->name, "found", answer.traffic_name}, interrupt);
    }
    if (drawn == ExitStatus::unusable_input && output.option == "--output") {
      continue;  // a folder is whole without pictures
    }
    status = drawn == ExitStatus::done ? status : drawn;
    if (status == ExitStatus::interrupted) {
      break;
    }
  }
  return status;
}

}  // namespace dcube::app
