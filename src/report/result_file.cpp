#include "dcube/report/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/activity.hpp"

namespace dcube::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* comparison_name = "comparison.json";
constexpr const char* how_to_make =
    "is not the result of a run (`outcome` and `makespan_s` are missing); make one by "
    "dcube run SCENARIO --output FILE";

// --- Fields of a result that a report shows ---

/// Names of the fields that a group must have: "link_load/utilisation/max".
struct Fields {
  std::vector<std::string_view> texts{};
  std::vector<std::string_view> numbers{};
  std::vector<std::string_view> counts{};
  std::vector<std::string_view> counts_or_null{};
};

const Fields result_fields{
    .texts = {"machine/name", "machine/topology", "embedding/kind", "program/kind",
              "link_load/busiest", "model/hop", "model/switching", "simulation/fingerprint"},
    .numbers = {"makespan_s", "waiting/longest_s", "messages/queued_s", "link_load/mean",
                "link_load/utilisation/max", "link_load/utilisation/mean", "node_load/mean"},
    .counts = {"machine/links", "waiting/intervals", "waiting/processes", "messages/count",
               "messages/bytes", "messages/hops", "messages/queued", "link_load/min",
               "link_load/max", "node_load/min", "node_load/max", "simulation/events"}};
const Fields time_fields{.numbers = {"total", "mean", "max"}};
const Fields stage_fields{.numbers = {"finish_max_s", "waiting_total_s"},
                          .counts = {"stage", "dilation_max"},
                          .counts_or_null = {"link_load_max"}};
const Fields phase_fields{.texts = {"name"},
                          .numbers = {"time_s", "time_max_s", "compute_s", "communication_s",
                                      "waiting_s", "endpoint_s", "queued_s"},
                          .counts = {"iterations", "messages", "bytes", "queued"}};
const Fields theory_fields{.texts = {"source"}, .numbers = {"makespan_s"}};
const Fields speedup_fields{.numbers = {"speedup", "efficiency"}};
const Fields blocked_fields{.texts = {"in"}, .counts = {"process"}};

/// A finite number of 0 or more; nothing for anything else.
std::optional<double> figure(const Setting& setting) {
  if (setting.number() == nullptr) {
    return std::nullopt;
  }
  const auto value = parsed<double>(setting.number()->text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

double number(const Params& group, std::string_view key) {
  const Setting* setting = group.find(key);
  refuse_if(setting == nullptr, group.place_of(key), "is missing (a number)");
  const std::optional<double> value = figure(*setting);
  if (!value) {
    group.reject(key, setting->describe() + " is not a number of 0 or more");
  }
  return *value;
}

/// Whether the result has the field and it is not null, the value of figures that the run lacks.
bool is_given(const Params& result, std::string_view key) {
  return result.has(key) && result.find(key)->describe() != "null";
}

void check_count(const Params& group, std::string_view key) {
  if (const double value = number(group, key); value != std::floor(value)) {
    group.reject(key, group.find(key)->describe() + " is not a whole number");
  }
}

/// Calls `read` with the last group and key of a path.
template <class Read>
void at_end(const Params& group, std::string_view path, Read read) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) {
    read(group, path);
  } else {
    at_end(group.group(path.substr(0, slash)), path.substr(slash + 1), read);
  }
}

void check(const Params& group, const Fields& fields) {
  for (const std::string_view path : fields.texts) {
    at_end(group, path, [](const Params& end, std::string_view key) { end.text(key); });
  }
  for (const std::string_view path : fields.numbers) {
    at_end(group, path, [](const Params& end, std::string_view key) { number(end, key); });
  }
  for (const std::string_view path : fields.counts) {
    at_end(group, path, check_count);
  }
  for (const std::string_view path : fields.counts_or_null) {
    at_end(group, path, [](const Params& end, std::string_view key) {
      if (!end.has(key) || is_given(end, key)) {
        check_count(end, key);
      }
    });
  }
}

void check_if_there(const Params& result, std::string_view key, const Fields& fields) {
  if (is_given(result, key)) {
    check(result.group(key), fields);
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

void check_list(const Params& result, std::string_view key, const Fields& fields) {
  for (const Setting& entry : list_in(result, key)) {
    refuse_if(entry.group() == nullptr, result.place_of(key), "{} is not a group of figures",
              entry.describe());
    check(*entry.group(), fields);
  }
}

bool is_about(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(b), 1e-12); }

void check_times(const Params& result) {
  const double makespan_s = number(result, "makespan_s");
  refuse_if(!is_about(static_cast<double>(makespan_of(result).count()) / 1e12, makespan_s),
            result.place_of("makespan_ps"), "differs from makespan_s");
  double sum = 0;
  for (const char* activity : activity_names) {
    const Params& times = result.group("time_s").group(activity);
    check(times, time_fields);
    sum += number(times, "mean");
  }
  refuse_if(!is_about(sum, makespan_s), result.place_of("time_s"),
            "the mean times do not add up to the makespan");
}

/// Rejects a mean or least load above the greatest.
void check_loads(const Params& loads) {
  const double max = number(loads, "max");
  for (const char* key : {"min", "mean"}) {
    refuse_if(loads.has(key) && number(loads, key) > max * (1 + 1e-9), loads.place_of(key),
              "is more than the greatest (`max`)");
  }
}

/// Rejects a utilisation that the listed links do not have. It is above 1 where a link carries
/// several messages at once.
void check_link_loads(const Params& result) {
  const Params& loads = result.group("link_load");
  check_loads(loads);
  const Params& utilisation = loads.group("utilisation");
  check_loads(utilisation);
  const double makespan_s = number(result, "makespan_s");
  if (!result.has("link_loads") || makespan_s == 0) {
    return;
  }
  double busy_s = 0;
  for (const double link_s : numbers(result.group("link_loads"), "busy_s")) {
    busy_s = std::max(busy_s, link_s);
  }
  refuse_if(!is_about(number(utilisation, "max"), busy_s / makespan_s),
            loads.place_of("utilisation"), "differs from that of the busiest link (`link_loads`)");
}

void check_machine(const Params& machine) {
  double nodes = 1;
  for (const std::uint32_t side : sides_of(machine)) {
    nodes *= side;
  }
  refuse_if(nodes != machine.positive_int("nodes"), machine.place_of("shape"),
            "its product is not the number of nodes ({})", machine.positive_int("nodes"));
}

void check_result(const Params& result) {
  check(result, result_fields);
  result.group("program").positive_int("processes");
  const std::array<std::string, 7> outcomes{"completed", "deadlock",  "not_verified", "unreachable",
                                            "crashed",   "timed_out", "refused"};
  result.choice("outcome", outcomes, "");
  if (is_given(result, "verified")) {
    result.boolean("verified", false);
  }
  check_times(result);
  check_link_loads(result);
  check_loads(result.group("node_load"));
  check_machine(result.group("machine"));
  check_list(result, "stages", stage_fields);
  if (result.has("phases")) {
    check_list(result, "phases", phase_fields);
  }
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

/// Path of a listed run's result. If the row does not name it (older comparisons), it is beside the
/// comparison and called after the run.
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

/// Whether a listed run has a result and figures.
bool has_finished(const Params& row) {
  return row.find("makespan_ps") != nullptr && row.find("makespan_ps")->number() != nullptr;
}

NamedFile listed_result(const fs::path& path, const Params& row) {
  Params content = read_json_file(path);
  refuse_if(!is_result(content), path.string(), "{}", how_to_make);
  check_result(content);
  refuse_if(row.has("fingerprint") &&
                row.text("fingerprint") != content.group("simulation").text("fingerprint"),
            path.string(),
            "is not the run that {} lists (their fingerprints differ); make the comparison anew",
            comparison_name);
  return {FileKind::result, path, std::move(content), path.parent_path()};
}

NamedFiles results_of(const fs::path& comparison, const Params& content) {
  NamedFiles results;
  for (const Setting& entry : list_in(content, "runs")) {
    const Params* row = entry.group();
    refuse_if(row == nullptr, content.place_of("runs"), "{} is not a run", entry.describe());
    const fs::path path = result_path(comparison.parent_path(), *row);
    std::error_code ignored;
    if (has_finished(*row) && (row->has("result") || fs::exists(path, ignored))) {
      results.files.push_back(listed_result(path, *row));
    }
  }
  refuse_if(results.files.empty(), comparison.string(), "there is no result of a run beside it");
  return results;
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}; !error && entry != fs::directory_iterator{};
       entry.increment(error)) {
    std::error_code ignored;  // a pipe would never end
    if (entry->path().extension() == ".json" && entry->is_regular_file(ignored)) {
      paths.push_back(entry->path());
    }
  }
  refuse_if(error.value() != 0, folder.string(), "cannot be listed ({})", error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

NamedFiles results_in(const fs::path& folder) {
  NamedFiles results;
  for (const fs::path& path : json_files(folder)) {
    Params content;
    try {
      content = read_json_file(path);
    } catch (const InputError&) {  // not JSON, or unreadable
    }
    if (!is_result(content)) {
      results.left_out.push_back(path.filename().string());
      continue;
    }
    check_result(content);
    results.files.push_back({FileKind::result, path, std::move(content), path.parent_path()});
  }
  refuse_if(results.files.empty(), folder.string(), "holds neither {} nor the result of a run",
            comparison_name);
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
  const Setting* const runs = content.find("runs");
  if (runs != nullptr && runs->list() != nullptr) {
    return results_of(path, content);
  }
  if (content.has("program") && content.has("machine")) {
    const fs::path known = known_as(path);
    return {{{FileKind::scenario, known, std::move(content), known.parent_path()}}, {}};
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
  const bool is_one_node = shape != nullptr && shape->list() != nullptr && shape->list()->empty();
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
  const std::string place = group.place_of(key);
  for (const double value : numbers(group, key)) {
    refuse_if(value >= static_cast<double>(bound) || value != std::floor(value), place,
              "{} is not a whole number below {}", value, bound);
    values.push_back(static_cast<std::uint32_t>(value));
  }
  return values;
}

}  // namespace dcube::report
