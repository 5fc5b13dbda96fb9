#include "result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "dcube/core/errors.hpp"
#include "dcube/engine/activity.hpp"
#include "scenario/json_reading.hpp"

namespace dcube::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* comparison_name = "comparison.json";
constexpr const char* how_to_make =
    "is not the result of a run (`outcome` and `makespan_s` are missing); make one by dcube run "
    "SCENARIO --output FILE";

// --- What a report shows of a result ---

enum class Figure { text, number, count };

struct Field {
  std::string_view name;  ///< "link_load/utilisation/max"
  Figure figure;
};

constexpr std::array fields{Field{"makespan_s", Figure::number},
                            Field{"machine/name", Figure::text},
                            Field{"machine/topology", Figure::text},
                            Field{"machine/links", Figure::count},
                            Field{"embedding/kind", Figure::text},
                            Field{"program/kind", Figure::text},
                            Field{"waiting/intervals", Figure::count},
                            Field{"waiting/processes", Figure::count},
                            Field{"waiting/longest_s", Figure::number},
                            Field{"messages/count", Figure::count},
                            Field{"messages/bytes", Figure::count},
                            Field{"messages/hops", Figure::count},
                            Field{"messages/queued", Figure::count},
                            Field{"messages/queued_s", Figure::number},
                            Field{"link_load/min", Figure::count},
                            Field{"link_load/max", Figure::count},
                            Field{"link_load/mean", Figure::number},
                            Field{"link_load/busiest", Figure::text},
                            Field{"link_load/utilisation/max", Figure::number},
                            Field{"link_load/utilisation/mean", Figure::number},
                            Field{"node_load/min", Figure::count},
                            Field{"node_load/max", Figure::count},
                            Field{"node_load/mean", Figure::number},
                            Field{"model/hop", Figure::text},
                            Field{"model/switching", Figure::text},
                            Field{"simulation/events", Figure::count},
                            Field{"simulation/fingerprint", Figure::text}};
constexpr std::array time_fields{Field{"total", Figure::number}, Field{"mean", Figure::number},
                                 Field{"max", Figure::number}};
constexpr std::array stage_fields{
    Field{"stage", Figure::count}, Field{"dilation_max", Figure::count},
    Field{"finish_max_s", Figure::number}, Field{"waiting_total_s", Figure::number},
    Field{"link_load_max", Figure::count}};
constexpr std::array theory_fields{Field{"makespan_s", Figure::number},
                                   Field{"source", Figure::text}};
constexpr std::array speedup_fields{Field{"speedup", Figure::number},
                                    Field{"efficiency", Figure::number}};
constexpr std::array blocked_fields{Field{"process", Figure::count}, Field{"in", Figure::text}};

/// A number of 0 or more that can be drawn; nothing for anything else.
std::optional<double> figure(const Setting& setting) {
  if (setting.number() == nullptr) {
    return std::nullopt;
  }
  // Unlike std::stod, this does not follow the locale of the program.
  const std::string& text = setting.number()->text;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_read = error == std::errc{} && end == text.data() + text.size();
  return is_read && std::isfinite(value) && value >= 0 ? std::optional{value} : std::nullopt;
}

double number(const Params& group, std::string_view key) {
  const Setting* setting = group.find(key);
  if (setting == nullptr) {
    group.reject(key, "is missing (a number)");
  }
  const std::optional<double> value = figure(*setting);
  if (!value) {
    group.reject(key, setting->describe() + " is not a number of 0 or more");
  }
  return *value;
}

void check(const Params& group, const Field& field) {
  const std::size_t slash = field.name.find('/');
  if (slash != std::string_view::npos) {
    check(group.group(field.name.substr(0, slash)), {field.name.substr(slash + 1), field.figure});
  } else if (field.figure == Figure::text) {
    group.text(field.name);
  } else if (const double value = number(group, field.name);
             field.figure == Figure::count && value != std::floor(value)) {
    group.reject(field.name, group.find(field.name)->describe() + " is not a whole number");
  }
}

template <std::size_t count>
void check(const Params& group, const std::array<Field, count>& all) {
  for (const Field& field : all) {
    check(group, field);
  }
}

/// What a run does not have is null.
bool is_given(const Params& result, std::string_view key) {
  return result.has(key) && result.find(key)->describe() != "null";
}

template <std::size_t count>
void check_if_there(const Params& result, std::string_view key,
                    const std::array<Field, count>& all) {
  if (is_given(result, key)) {
    check(result.group(key), all);
  }
}

const Setting::List& list_in(const Params& group, std::string_view key) {
  const Setting* value = group.find(key);
  if (value == nullptr || value->list() == nullptr) {
    group.reject(key, value == nullptr ? std::string{"is missing (a list)"}
                                       : value->describe() + " is not a list");
  }
  return *value->list();
}

template <std::size_t count>
void check_list(const Params& result, std::string_view key, const std::array<Field, count>& all) {
  for (const Setting& entry : list_in(result, key)) {
    if (entry.group() == nullptr) {
      result.reject(key, entry.describe() + " is not a group of figures");
    }
    check(*entry.group(), all);
  }
}

bool is_about(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(b), 1e-12); }

void check_times(const Params& result) {
  const double makespan_s = number(result, "makespan_s");
  if (!is_about(static_cast<double>(makespan_of(result).count()) / 1e12, makespan_s)) {
    result.reject("makespan_ps", "differs from makespan_s");
  }
  double sum = 0;
  for (const char* activity : activity_names) {
    const Params& times = result.group("time_s").group(activity);
    check(times, time_fields);
    sum += number(times, "mean");
  }
  if (!is_about(sum, makespan_s)) {
    result.reject("time_s", "the mean times do not add up to the makespan");
  }
}

/// A mean or a least that is more than the greatest is no figure of a run.
void check_loads(const Params& loads) {
  const double max = number(loads, "max");
  for (const char* key : {"min", "mean"}) {
    if (loads.has(key) && number(loads, key) > max * (1 + 1e-9)) {
      loads.reject(key, "is more than the greatest (`max`)");
    }
  }
}

void check_link_loads(const Params& loads) {
  check_loads(loads);
  const Params& utilisation = loads.group("utilisation");
  check_loads(utilisation);
  if (number(utilisation, "max") > 1 + 1e-9) {
    loads.reject("utilisation", "a link is busy for longer than the run takes");
  }
}

void check_machine(const Params& machine) {
  double nodes = 1;
  for (const std::uint32_t side : sides_of(machine)) {
    nodes *= side;
  }
  if (nodes != machine.positive_int("nodes")) {
    machine.reject("shape", fmt::format("its product is not the number of nodes ({})",
                                        machine.positive_int("nodes")));
  }
}

void check_result(const Params& result) {
  check(result, fields);
  result.group("program").positive_int("processes");
  const std::array<std::string, 6> outcomes{"completed", "deadlock",  "not_verified",
                                            "crashed",   "timed_out", "refused"};
  result.choice("outcome", outcomes, "");
  if (is_given(result, "verified")) {
    result.boolean("verified", false);
  }
  check_times(result);
  check_link_loads(result.group("link_load"));
  check_loads(result.group("node_load"));
  check_machine(result.group("machine"));
  check_list(result, "stages", stage_fields);
  check_if_there(result, "theory", theory_fields);
  check_if_there(result, "speedup", speedup_fields);
  if (result.has("blocked")) {
    check_list(result, "blocked", blocked_fields);
  }
}

bool is_result(const Params& content) {
  return content.has("makespan_s") && content.has("outcome");
}

// --- Comparisons and folders ---

/// Where the result of a listed run is. Older comparisons do not say so; there it lies beside them
/// and is named after the run.
fs::path result_path(const fs::path& folder, const Params& row) {
  if (row.has("result")) {
    return folder / row.text("result");
  }
  std::string name = row.text("embedding");
  if (row.has("processes")) {
    name += fmt::format("-{}", row.positive_int("processes"));
  }
  return folder / (name + ".json");
}

/// A run that did not finish has no result, and no figures in its row.
bool has_finished(const Params& row) {
  return row.find("makespan_ps") != nullptr && row.find("makespan_ps")->number() != nullptr;
}

NamedFile listed_result(const fs::path& path, const Params& row) {
  Params content = read_json_file(path);
  if (!is_result(content)) {
    throw InputError(path.string(), how_to_make);
  }
  check_result(content);
  if (row.has("fingerprint") &&
      row.text("fingerprint") != content.group("simulation").text("fingerprint")) {
    throw InputError(path.string(),
                     fmt::format("is not the run that {} lists (their fingerprints differ); make "
                                 "the comparison anew",
                                 comparison_name));
  }
  return {FileKind::result, path, std::move(content), path.parent_path()};
}

NamedFiles results_of(const fs::path& comparison, const Params& content) {
  NamedFiles results;
  for (const Setting& entry : list_in(content, "runs")) {
    const Params* row = entry.group();
    if (row == nullptr) {
      content.reject("runs", entry.describe() + " is not a run");
    }
    const fs::path path = result_path(comparison.parent_path(), *row);
    std::error_code ignored;
    if (has_finished(*row) && (row->has("result") || fs::exists(path, ignored))) {
      results.files.push_back(listed_result(path, *row));
    }
  }
  if (results.files.empty()) {
    throw InputError(comparison.string(), "there is no result of a run beside it");
  }
  return results;
}

/// Its JSON files by name.
std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}; !error && entry != fs::directory_iterator{};
       entry.increment(error)) {
    if (entry->path().extension() == ".json") {
      paths.push_back(entry->path());
    }
  }
  if (error) {
    throw InputError(folder.string(), fmt::format("cannot be listed ({})", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

NamedFiles results_in(const fs::path& folder) {
  NamedFiles results;
  for (const fs::path& path : json_files(folder)) {
    Params content;
    try {
      content = read_json_file(path);
    } catch (const InputError&) {  // no JSON, or nothing that can be read
    }
    if (!is_result(content)) {
      results.left_out.push_back(path.filename().string());
      continue;
    }
    check_result(content);
    results.files.push_back({FileKind::result, path, std::move(content), path.parent_path()});
  }
  if (results.files.empty()) {
    throw InputError(folder.string(),
                     fmt::format("holds neither {} nor the result of a run", comparison_name));
  }
  return results;
}

}  // namespace

NamedFiles read_named(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const fs::path comparison = path / comparison_name;
    return fs::exists(fs::symlink_status(comparison, ignored)) ? read_named(comparison)
                                                               : results_in(path);
  }
  Params content = read_json_file(path);
  if (content.has("makespan_s") || content.has("outcome")) {
    check_result(content);
    return {{{FileKind::result, path, std::move(content), path.parent_path()}}, {}};
  }
  if (content.has("runs")) {
    return results_of(path, content);
  }
  if (content.has("program") && content.has("machine")) {
    return {{{FileKind::scenario, path, std::move(content)}}, {}};
  }
  throw InputError(path.string(), how_to_make);
}

Params read_result(const std::string& text, const std::string& path) {
  const Setting document = read_json(text, path);
  expects(document.group() != nullptr, "a result is a JSON object");
  check_result(*document.group());
  return *document.group();
}

std::vector<std::uint32_t> sides_of(const Params& machine) {
  const Setting* shape = machine.find("shape");
  const bool is_one_node = machine.text("topology") == "hypercube" && shape != nullptr &&
                           shape->list() != nullptr && shape->list()->empty();
  return is_one_node ? std::vector<std::uint32_t>{}
                     : machine.positive_ints("shape", "a side (a positive integer)");
}

Ticks makespan_of(const Params& result) {
  return Ticks{result.integer("makespan_ps", 0, std::numeric_limits<std::int64_t>::max(),
                              "a time (picoseconds)")};
}

std::vector<double> numbers(const Params& group, std::string_view key) {
  std::vector<double> values;
  if (!group.has(key)) {
    return values;
  }
  for (const Setting& entry : list_in(group, key)) {
    const std::optional<double> value = figure(entry);
    if (!value) {
      group.reject(key, entry.describe() + " is not a number of 0 or more");
    }
    values.push_back(*value);
  }
  return values;
}

std::vector<std::uint32_t> indices(const Params& group, std::string_view key, std::size_t bound) {
  std::vector<std::uint32_t> values;
  for (const double value : numbers(group, key)) {
    if (value >= static_cast<double>(bound) || value != std::floor(value)) {
      group.reject(key, fmt::format("{} is not a whole number below {}", value, bound));
    }
    values.push_back(static_cast<std::uint32_t>(value));
  }
  return values;
}

}  // namespace dcube::report
