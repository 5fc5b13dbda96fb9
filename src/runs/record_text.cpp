#include "record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/decimal.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/runs/measures.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

constexpr int store_version = 1;

std::optional<Outcome> outcome_named(std::string_view name) {
  for (const Outcome outcome :
       {Outcome::completed, Outcome::deadlock, Outcome::not_verified, Outcome::unreachable,
        Outcome::crashed, Outcome::timed_out, Outcome::refused}) {
    if (to_string(outcome) == name) {
      return outcome;
    }
  }
  return std::nullopt;
}

/// The catalogue index of each measure of the file.
std::vector<std::size_t> read_head(const ordered_json& line, std::string_view file,
                                   std::string_view study) {
  const std::string place{file};
  refuse_if(!line.is_object() || line.value("store", ordered_json{}) != store_version, place,
            "line 1: is no head of a file of records that this dcube reads");
  refuse_if(line.value("study", ordered_json{}) != study, place,
            "line 1: belongs to another study (each has a folder of its own)");
  std::vector<std::size_t> places;
  const auto measures = measure_catalog();
  for (const ordered_json& name : line.value("measures", ordered_json::array())) {
    const auto found = std::ranges::find(
        measures, name.is_string() ? name.get<std::string>() : std::string{}, &Measure::name);
    refuse_if(found == measures.end(), place,
              "line 1: has a measure that this dcube does not know");
    places.push_back(static_cast<std::size_t>(found - measures.begin()));
  }
  return places;
}

using IsKind = bool (ordered_json::*)() const noexcept;

const ordered_json& expect_kind(const ordered_json& value, IsKind is_kind, std::string_view key) {
  refuse_if(!(value.*is_kind)(), "", "its `{}` is {}, which records do not have there", key,
            shown(json_line(value)));
  return value;
}

/// A member of the line. Throws InputError without a place when it is missing.
const ordered_json& part(const ordered_json& line, const char* key, IsKind is_kind) {
  const auto found = line.find(key);
  refuse_if(found == line.end(), "", "it has no `{}`", key);
  return expect_kind(*found, is_kind, key);
}

/// The record in a line. Throws InputError without a place for any other line.
RunRecord read_record(const ordered_json& line, const std::vector<std::size_t>& places) {
  RunRecord record;
  record.run = part(line, "run", &ordered_json::is_number_unsigned).get<std::size_t>();
  record.key = part(line, "key", &ordered_json::is_string).get<std::string>();
  const auto outcome =
      outcome_named(part(line, "outcome", &ordered_json::is_string).get<std::string>());
  refuse_if(!outcome, "", "its outcome is unknown");
  record.outcome = *outcome;
  if (line.contains("problem")) {
    record.problem = part(line, "problem", &ordered_json::is_string).get<std::string>();
  }
  if (line.contains("tried_s")) {
    record.tried_s = part(line, "tried_s", &ordered_json::is_number).get<double>();
  }
  if (line.contains("lacked_memory")) {
    record.lacked_memory = part(line, "lacked_memory", &ordered_json::is_boolean).get<bool>();
  }
  if (line.contains("values")) {
    record.makespan =
        Ticks{part(line, "makespan_ps", &ordered_json::is_number_integer).get<std::int64_t>()};
    const auto fingerprint = parsed<std::uint64_t>(
        part(line, "fingerprint", &ordered_json::is_string).get<std::string>(), 16);
    refuse_if(!fingerprint, "", "its fingerprint is no hexadecimal number");
    record.fingerprint = *fingerprint;
    const ordered_json& values = part(line, "values", &ordered_json::is_array);
    refuse_if(values.size() != places.size(), "",
              "it has not the measures that the first line names");
    record.values.resize(measure_catalog().size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_null()) {
        record.values[places[i]] =
            expect_kind(values[i], &ordered_json::is_number, "values").get<double>();
      }
    }
  }
  if (line.contains("more_files")) {
    for (const ordered_json& file : part(line, "more_files", &ordered_json::is_array)) {
      refuse_if(
          !file.is_array() || file.size() != 2 || !file[0].is_string() || !file[1].is_string(), "",
          "its `more_files` are no files and their keys");
      record.more_files.emplace_back(file[0].get<std::string>(), file[1].get<std::string>());
    }
  }
  if (line.contains("details")) {
    record.details = json_line(part(line, "details", &ordered_json::is_object));
  }
  return record;
}

}  // namespace

std::string store_head(std::string_view study, std::string_view host, long process) {
  return json_line({{"store", store_version},
                    {"dcube", version()},
                    {"study", study},
                    {"host", host},
                    {"process", process},
                    {"measures", mapped(measure_catalog(), &Measure::name)}});
}

std::string record_text(const RunRecord& record) {
  // Written by hand, because there are thousands a second.
  std::string text = fmt::format(R"({{"run":{},"key":"{}","outcome":"{}")", record.run, record.key,
                                 to_string(record.outcome));
  if (!record.problem.empty()) {
    text += ",\"problem\":" + json_string(record.problem);
  }
  if (record.tried_s > 0) {
    text += fmt::format(R"(,"tried_s":{})", record.tried_s);
  }
  if (record.lacked_memory) {
    text += R"(,"lacked_memory":true)";
  }
  if (!record.values.empty()) {
    text += fmt::format(R"(,"makespan_ps":{},"fingerprint":"{:016x}","values":[)",
                        record.makespan.count(), record.fingerprint);
    for (std::size_t i = 0; i < record.values.size(); ++i) {
      text += i == 0 ? "" : ",";
      const std::optional<double> value = record.values[i];
      if (!value || !std::isfinite(*value)) {
        text += "null";
      } else if (*value == std::floor(*value) && std::abs(*value) < 1e15) {
        text += std::to_string(static_cast<std::int64_t>(*value));
      } else {
        text += fmt::format("{}", *value);
      }
    }
    text += "]";
  }
  if (!record.details.empty()) {
    text += ",\"details\":" + record.details;
  }
  if (!record.more_files.empty()) {
    text += ",\"more_files\":" + json_line(record.more_files);
  }
  return text + "}";
}

void RecordReader::refuse_line(std::string_view problem) const {
  throw InputError(file_, fmt::format("line {}: is no record of a run ({}); remove the line, and "
                                      "its run is made again",
                                      line_, problem));
}

std::size_t RecordReader::read(std::string_view piece,
                               const std::function<void(RunRecord)>& on_record) {
  std::size_t begin = 0;
  for (std::size_t end = piece.find('\n'); end != std::string_view::npos;
       end = piece.find('\n', begin), ++line_) {
    const std::string_view line = piece.substr(begin, end - begin);
    // The parser takes a NUL byte for the end of the line.
    const bool has_end = line.find('\0') != std::string_view::npos;
    const ordered_json json = has_end ? ordered_json{} : json_value(line);
    if (line_ == 1) {
      places_ = read_head(json, file_, study_);
    } else if (!json.is_object()) {
      refuse_line("it is no JSON object");
    } else {
      std::optional<RunRecord> record;
      try {
        record = read_record(json, places_);
      } catch (const InputError& error) {
        refuse_line(error.problem());
      }
      on_record(std::move(*record));
    }
    begin = end + 1;
  }
  return begin;
}

}  // namespace dcube
