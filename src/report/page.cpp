#include "dcube/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "machine_view.hpp"
#include "page_texts.hpp"

namespace dcube::report {
namespace {

using nlohmann::ordered_json;

/// `json` in a form that is safe inside a script element: a '<', which JSON has in strings alone,
/// could begin an end tag.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    text += c == '<' ? std::string_view{"\\u003c"} : std::string_view{&c, 1};
  }
  return text;
}

std::string escaped_html(std::string_view plain) {
  std::string text;
  for (const char c : plain) {
    text += c == '<'   ? std::string_view{"&lt;"}
            : c == '>' ? std::string_view{"&gt;"}
            : c == '&' ? std::string_view{"&amp;"}
                       : std::string_view{&c, 1};
  }
  return text;
}

/// `text` with each {{name}} replaced by its value. Values are not searched for names.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find("{{");
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) {
      return result;
    }
    const std::size_t end = text.find("}}", begin);
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const auto value =
        std::ranges::find(values, name, &std::pair<std::string_view, std::string>::first);
    expects(value != values.end(), "every place of the template has a value");
    result += value->second;
    text.remove_prefix(end + 2);
  }
}

/// The template `page` of a page that draws without Vega, with its own script and the shared ones.
/// `data` is JSON.
std::string page_without_library(std::string_view page, std::string_view script,
                                 const std::string& title, const std::string& data) {
  return filled(page, {{"title", escaped_html(title)},
                       {"style", std::string{page_style()}},
                       {"data", inside_script(data)},
                       {"format", std::string{format_script()}},
                       {"colours", std::string{colours_script()}},
                       {"curves", std::string{curves_script()}},
                       {"script", std::string{script}}});
}

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
  return json ? json_value(*json) : ordered_json();
}

ordered_json cells_json(const std::vector<PageCell>& cells) {
  return mapped(cells, [](const PageCell& cell) {
    return ordered_json{{"key", cell.key},
                        {"title", cell.title},
                        {"shown", to_string(cell.shown)},
                        {"value", cell.value}};
  });
}

/// Runs and machines. A machine that several runs share is listed once.
ordered_json page_data(const std::vector<ReportedRun>& runs, const std::string& version,
                       const ReportedComparison& comparison) {
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
                     {"cells", cells_json(run.cells)},
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
  return {{"version", version},
          {"machines", std::move(machines)},
          {"runs", std::move(rows)},
          {"verdict", comparison.verdict},
          {"others", mapped(comparison.others, [](const RowWithoutResult& row) {
             return ordered_json{{"place", row.place},
                                 {"name", row.name},
                                 {"outcome", row.outcome},
                                 {"problem", row.problem},
                                 {"cells", cells_json(row.cells)}};
           })}};
}

std::string title_of(const std::vector<ReportedRun>& runs) {
  const Params& first = runs.front().result;
  return fmt::format("{} on {}", first.group("program").text("kind"),
                     first.group("machine").text("name"));
}

}  // namespace

std::string report_page(const std::vector<ReportedRun>& runs, const std::string& version,
                        const ReportedComparison& comparison) {
  return filled(page_template(),
                {{"title", escaped_html(title_of(runs))},
                 {"style", std::string{page_style()}},
                 {"vega", std::string{vega_library()}},
                 {"charts", inside_script(std::string{page_charts()})},
                 {"data", inside_script(json_line(page_data(runs, version, comparison)))},
                 {"script", std::string{page_script()}}});
}

std::string answer_page(const std::string& title, const std::string& data) {
  return page_without_library(answer_template(), answer_script(), title, data);
}

std::string sweep_page(const std::string& title, const std::string& data) {
  return page_without_library(sweep_template(), sweep_script(), title, data);
}

}  // namespace dcube::report
