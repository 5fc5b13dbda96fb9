#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "dcube/core/errors.hpp"
#include "machine_view.hpp"
#include "page_texts.hpp"
#include "scenario/json_writing.hpp"

namespace dcube::report {
namespace {

/// JSON as it may stand inside a script element. A '<', which is always part of a string there,
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

/// The group without the lists that the page gets in another form.
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

std::string notes_json(const std::vector<std::string>& notes) {
  Setting::List list;
  for (const std::string& note : notes) {
    list.emplace_back(note);
  }
  return json_text(list);
}

/// The runs and their machines; a machine that several runs share is there once.
class PageData {
 public:
  void add(const ReportedRun& run) {
    const MachineView view = view_machine(run);
    const bool has_lines =
        view.drawing && (run.shows_messages || shows_single_links(*view.drawing));
    const LinkLines lines = has_lines ? LinkLines::included : LinkLines::left_out;
    std::vector<std::string> notes = run.notes;
    if (!view.problem.empty() && !view.drawing) {
      notes.push_back("The machine is not drawn: " + view.problem + ".");
    }
    const std::string nothing = "null";
    runs_.push_back(fmt::format(
        R"({{"name":{},"file":{},"machine":{},"result":{},"loads":{},"timeline":{},"explanation":{},"notes":{}}})",
        json_text(run.name), json_text(run.file),
        view.drawing ? std::to_string(number_of(machine_json(*view.drawing, lines))) : nothing,
        json_text(without_lists(run.result)),
        view.drawing ? loads_json(run.result, *view.drawing) : nothing,
        run.timeline.value_or(nothing), run.explanation.value_or(nothing), notes_json(notes)));
  }

  std::string json(const std::string& version) const {
    return fmt::format(R"({{"version":{},"machines":[{}],"runs":[{}]}})", json_text(version),
                       fmt::join(machines_, ",\n"), fmt::join(runs_, ",\n"));
  }

 private:
  std::size_t number_of(const std::string& machine) {
    const auto known = std::find(machines_.begin(), machines_.end(), machine);
    const auto number = static_cast<std::size_t>(known - machines_.begin());
    if (known == machines_.end()) {
      machines_.push_back(machine);
    }
    return number;
  }

  std::vector<std::string> machines_;
  std::vector<std::string> runs_;
};

std::string title_of(const std::vector<ReportedRun>& runs) {
  const Params& first = runs.front().result;
  return fmt::format("{} on {}", first.group("program").text("kind"),
                     first.group("machine").text("name"));
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
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    expects(value != values.end(), "every place of the template has a value");
    result += value->second;
    text.remove_prefix(end + 2);
  }
}

}  // namespace

std::string report_page(const std::vector<ReportedRun>& runs, const std::string& version) {
  PageData data;
  for (const ReportedRun& run : runs) {
    data.add(run);
  }
  return filled(page_template(), {{"title", escaped_html(title_of(runs))},
                                  {"style", std::string{page_style()}},
                                  {"vega", std::string{vega_library()}},
                                  {"charts", inside_script(std::string{page_charts()})},
                                  {"data", inside_script(data.json(version))},
                                  {"script", std::string{page_script()}}});
}

}  // namespace dcube::report
