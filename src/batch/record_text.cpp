#include "record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube {
namespace {

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

/// Where the measures of the file are in the catalogue.
std::vector<std::size_t> read_head(const nlohmann::json& line, std::string_view file,
                                   std::string_view study) {
  const std::string place{file};
  refuse_if(!line.is_object() || line.value("store", 0) != store_version, place,
            "line 1: is no head of a file of records that this dcube reads");
  refuse_if(line.value("study", std::string{}) != study, place,
            "line 1: belongs to another study (each has a folder of its own)");
  std::vector<std::size_t> places;
  const auto measures = measure_catalog();
  for (const nlohmann::json& name : line.value("measures", nlohmann::json::array())) {
    const auto found = std::ranges::find(
        measures, name.is_string() ? name.get<std::string>() : std::string{}, &Measure::name);
    refuse_if(found == measures.end(), place,
              "line 1: has a measure that this dcube does not know");
    places.push_back(static_cast<std::size_t>(found - measures.begin()));
  }
  return places;
}

/// Throws nlohmann's exceptions or std::runtime_error for what is no record.
RunRecord read_record(const nlohmann::json& line, const std::vector<std::size_t>& places) {
  RunRecord record;
  record.run = line.at("run").get<std::size_t>();
  record.key = line.at("key").get<std::string>();
  const auto outcome = outcome_named(line.at("outcome").get<std::string>());
  if (!outcome) {
    throw std::runtime_error("its outcome is unknown");
  }
  record.outcome = *outcome;
  record.problem = line.value("problem", std::string{});
  record.makespan = Ticks{line.value("makespan_ps", std::int64_t{0})};
  const std::string fingerprint = line.value("fingerprint", std::string{"0"});
  const auto number = parsed<std::uint64_t>(fingerprint, 16);
  if (!number) {
    throw std::runtime_error("its fingerprint is no hexadecimal number");
  }
  record.fingerprint = *number;
  const nlohmann::json values = line.value("values", nlohmann::json::array());
  if (!values.empty()) {
    if (values.size() != places.size()) {
      throw std::runtime_error("it has not the measures that the first line names");
    }
    record.values.resize(measure_catalog().size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_null()) {
        record.values[places[i]] = values[i].get<double>();
      }
    }
  }
  for (const nlohmann::json& file : line.value("more_files", nlohmann::json::array())) {
    record.more_files.emplace_back(file.at(0).get<std::string>(), file.at(1).get<std::string>());
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
  // By hand, because thousands are written a second.
  std::string text = fmt::format(R"({{"run":{},"key":"{}","outcome":"{}")", record.run, record.key,
                                 to_string(record.outcome));
  const auto out = std::back_inserter(text);
  if (!record.problem.empty()) {
    text += ",\"problem\":" + json_string(record.problem);
  }
  if (!record.values.empty()) {
    fmt::format_to(out, R"(,"makespan_ps":{},"fingerprint":"{:016x}","values":[)",
                   record.makespan.count(), record.fingerprint);
    for (std::size_t i = 0; i < record.values.size(); ++i) {
      text += i == 0 ? "" : ",";
      const std::optional<double> value = record.values[i];
      if (!value || !std::isfinite(*value)) {
        text += "null";
      } else if (*value == std::floor(*value) && std::abs(*value) < 1e15) {
        fmt::format_to(out, "{}", static_cast<std::int64_t>(*value));
      } else {
        fmt::format_to(out, "{}", *value);
      }
    }
    text += "]";
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
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (line_ == 1) {
      places_ = read_head(json, file_, study_);
    } else if (!json.is_object()) {
      refuse_line("it is no JSON object");
    } else {
      std::optional<RunRecord> record;
      try {
        record = read_record(json, places_);
      } catch (const std::exception& error) {
        refuse_line(error.what());
      }
      on_record(std::move(*record));
    }
    begin = end + 1;
  }
  return begin;
}

}  // namespace dcube
