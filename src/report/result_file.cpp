#include "result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "dcube/core/errors.hpp"
#include "scenario/json_reading.hpp"

namespace dcube::report {
namespace {

namespace fs = std::filesystem;

void expect_number(const Params& group, std::string_view key) {
  const Setting* value = group.find(key);
  if (value == nullptr || value->number() == nullptr) {
    group.reject(key, value == nullptr ? std::string{"is missing (a number)"}
                                       : value->describe() + " is not a number");
  }
}

void expect_summary(const Params& times, std::string_view activity) {
  for (const char* figure : {"total", "mean", "max"}) {
    expect_number(times.group(activity), figure);
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

void check_stages(const Params& result) {
  for (const Setting& stage : list_in(result, "stages")) {
    if (stage.group() == nullptr) {
      result.reject("stages", stage.describe() + " is not a stage");
    }
    for (const char* key :
         {"stage", "dilation_max", "finish_max_s", "waiting_total_s", "link_load_max"}) {
      expect_number(*stage.group(), key);
    }
  }
}

void check_result(const Params& result) {
  result.text("outcome");
  expect_number(result, "makespan_s");
  makespan_of(result);
  const Params& machine = result.group("machine");
  machine.text("name");
  machine.text("topology");
  machine.positive_int("nodes");
  machine.positive_ints("shape", "a side (a positive integer)");
  result.group("embedding").text("kind");
  result.group("program").text("kind");
  result.group("program").positive_int("processes");
  for (const char* activity : {"compute", "communication", "waiting", "endpoint", "idle"}) {
    expect_summary(result.group("time_s"), activity);
  }
  for (const char* key : {"count", "bytes", "hops", "queued", "queued_s"}) {
    expect_number(result.group("messages"), key);
  }
  for (const char* key : {"min", "max", "mean"}) {
    expect_number(result.group("link_load"), key);
    expect_number(result.group("node_load"), key);
  }
  result.group("link_load").text("busiest");
  expect_number(result.group("link_load").group("utilisation"), "max");
  expect_number(result.group("link_load").group("utilisation"), "mean");
  expect_number(result.group("waiting"), "intervals");
  expect_number(result.group("waiting"), "processes");
  expect_number(result.group("waiting"), "longest_s");
  check_stages(result);
  result.group("model").text("hop");
  result.group("model").text("switching");
  result.group("simulation").text("fingerprint");
}

}  // namespace

NamedFile read_named_file(const fs::path& path) {
  Params content = read_json_file(path);
  if (content.has("makespan_s") || content.has("outcome")) {
    check_result(content);
    return {FileKind::result, path, std::move(content)};
  }
  if (content.has("runs")) {
    return {FileKind::comparison, path, std::move(content)};
  }
  if (content.has("program") && content.has("machine")) {
    return {FileKind::scenario, path, std::move(content)};
  }
  throw InputError(path.string(),
                   "is not the result of a run (`outcome` and `makespan_s` are missing); make one "
                   "by dcube run SCENARIO --output FILE");
}

Params read_result(const std::string& text, const std::string& path) {
  const Setting document = read_json(text, path);
  expects(document.group() != nullptr, "a result is a JSON object");
  check_result(*document.group());
  return *document.group();
}

std::vector<NamedFile> results_beside(const fs::path& comparison) {
  std::vector<fs::path> paths;
  const fs::path folder = comparison.parent_path();
  for (const fs::directory_entry& entry :
       fs::directory_iterator{folder.empty() ? fs::path{"."} : folder}) {
    if (entry.path().extension() == ".json") {
      paths.push_back(folder / entry.path().filename());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<NamedFile> results;
  for (const fs::path& path : paths) {
    Params content = read_json_file(path);
    if (content.has("makespan_s") && content.has("outcome")) {
      check_result(content);
      results.push_back({FileKind::result, path, std::move(content)});
    }
  }
  if (results.empty()) {
    throw InputError(comparison.string(), "there is no result of a run beside it");
  }
  return results;
}

Ticks makespan_of(const Params& result) {
  return Ticks{result.integer("makespan_ps", 0, std::numeric_limits<std::int64_t>::max(),
                              "a time (picoseconds)")};
}

}  // namespace dcube::report
