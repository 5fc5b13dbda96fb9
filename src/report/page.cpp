#include "dcube/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "machine_view.hpp"
#include "page_filling.hpp"
#include "page_texts.hpp"

namespace dcube::report {
namespace {

using nlohmann::ordered_json;

/// The group without lists that the page gets in another form.
Params without_lists(const Params& group) {
  Params kept;
  for (const std::string& key : group.keys()) {
    if (key == "link_loads" || key == "node_loads" || key == "map" || key == "document") {
      continue;
    }
    const Params* part = group.find(key)->group();
    kept.set(key, part != nullptr ? Setting{without_lists(*part)} : *group.find(key));
  }
  return kept;
}

ordered_json json_of(const std::optional<std::string>& json) {
  return json ? ordered_json::parse(*json) : ordered_json();
}

/// Runs and machines. A machine that several runs share is listed once.
ordered_json page_data(const std::vector<ReportedRun>& runs, const std::string& version) {
  std::vector<ordered_json> machines;
  ordered_json rows = ordered_json::array();
  for (const ReportedRun& run : runs) {
    const MachineView view = view_machine(run);
    ordered_json row{{"name", run.name},
                     {"file", run.file},
                     {"machine", nullptr},
                     {"result", without_lists(run.result)},
                     {"loads", nullptr},
                     {"timeline", json_of(run.timeline)},
                     {"explanation", json_of(run.explanation)},
                     {"cells", mapped(run.cells,
                                      [](const PageCell& cell) {
                                        return ordered_json{{"key", cell.key},
                                                            {"title", cell.title},
                                                            {"shown", to_string(cell.shown)},
                                                            {"value", cell.value}};
                                      })},
                     {"notes", run.notes}};
    if (view.drawing) {
      const bool has_lines = run.shows_messages || shows_lines(*view.drawing);
      ordered_json machine =
          machine_json(*view.drawing, has_lines ? LinkLines::included : LinkLines::left_out);
      const auto known = std::ranges::find(machines, machine);
      row["machine"] = known - machines.begin();
      row["loads"] = loads_json(run.result, *view.drawing, json_of(run.link_bytes));
      if (known == machines.end()) {
        machines.push_back(std::move(machine));
      }
    } else if (!view.problem.empty()) {
      row["notes"].push_back("The machine is not drawn: " + view.problem + ".");
    }
    rows.push_back(std::move(row));
  }
  return {{"version", version}, {"machines", std::move(machines)}, {"runs", std::move(rows)}};
}

std::string title_of(const std::vector<ReportedRun>& runs) {
  const Params& first = runs.front().result;
  return fmt::format("{} on {}", first.group("program").text("kind"),
                     first.group("machine").text("name"));
}

}  // namespace

std::string report_page(const std::vector<ReportedRun>& runs, const std::string& version) {
  return filled(page_template(), {{"title", escaped_html(title_of(runs))},
                                  {"style", std::string{page_style()}},
                                  {"vega", std::string{vega_library()}},
                                  {"charts", inside_script(std::string{page_charts()})},
                                  {"data", inside_script(json_line(page_data(runs, version)))},
                                  {"script", std::string{page_script()}}});
}

}  // namespace dcube::report
