#include "reproduction_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/terminal/json_values.hpp"
#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

constexpr const char* no_value = "-";

/// The text on one line.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return printable(text);
}

const char* unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::makespan_s:
    case Quantity::link_busy_max_s:
      return " (s)";
    case Quantity::rate_kb_per_s:
      return " (kB/s)";
    case Quantity::saving_percent:
    case Quantity::mapping_saving_percent:
      return " (%)";
    default:
      return "";
  }
}

std::string percent_text(std::optional<double> percent) {
  return percent ? fmt::format("{:.2f} %", *percent) : no_value;
}

std::string limit_text(std::optional<double> percent) {
  return percent ? fmt::format("{} %", *percent) : no_value;
}

std::string error_text(const PointResult& result) {
  if (!result.figure) {
    return no_value;
  }
  if (result.point.reference.is_range) {
    return result.is_within_limit ? "within" : "outside";
  }
  // An error that rounds to nothing has no sign.
  constexpr double half_shown_digit = 0.005;
  const double error = *result.error_percent;
  return std::abs(error) < half_shown_digit ? "0.00 %" : fmt::format("{:+.2f} %", error);
}

const char* verdict(bool has_passed) { return has_passed ? "met" : "not met"; }

Table point_table(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  const char* unit = unit_of(experiment.quantity);
  const char* how = is_of_mappings(experiment.quantity) || is_of_embeddings(experiment.quantity)
                        ? "computed"
                        : "simulated";
  return text_table(
      Columns<PointResult>{
          {"point", Shown::text, [](const auto& one) { return plain(one.point.label); }},
          {fmt::format("printed{}", unit), Shown::figure,
           [](const auto& one) {
             const Reference& reference = one.point.reference;
             return reference.text + (reference.is_printed ? "" : " (expected)");
           }},
          {fmt::format("{}{}", how, unit), Shown::figure,
           [&](const auto& one) { return figure_text(experiment, one); }},
          {"error", Shown::figure, error_text}},
      result.points);
}

Table summary_table(const Reproduction& reproduction) {
  return text_table(
      Columns<ExperimentResult>{
          {"experiment", Shown::text, [](const auto& one) { return plain(one.experiment.name); }},
          {"points", Shown::count, [](const auto& one) { return one.points.size(); }},
          {"largest error", Shown::figure,
           [](const auto& one) { return percent_text(one.largest_error_percent); }},
          {"limit", Shown::figure,
           [](const auto& one) { return limit_text(one.experiment.limit_percent); }},
          {"mean error", Shown::figure,
           [](const auto& one) { return percent_text(one.mean_error_percent); }},
          {"limit", Shown::figure,
           [](const auto& one) { return limit_text(one.experiment.mean_limit_percent); }},
          {"outcome", Shown::figure, [](const auto& one) { return verdict(one.has_passed); }}},
      reproduction.results);
}

std::string limited(const char* which, std::optional<double> error, std::optional<double> limit) {
  const std::string bracket = limit ? fmt::format(" (limit {} %)", *limit) : "";
  return fmt::format("{} error {:.2f} %{}", which, *error, bracket);
}

/// "largest error 0.84 % (limit 1 %), mean error 0.17 %; 2 of 2 ranges met".
std::string conclusion(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  std::vector<std::string> parts;
  if (result.largest_error_percent) {
    parts.push_back(limited("largest", result.largest_error_percent, experiment.limit_percent) +
                    ", " +
                    limited("mean", result.mean_error_percent, experiment.mean_limit_percent));
  }
  std::size_t ranges = 0;
  std::size_t met = 0;
  for (const PointResult& outcome : result.points) {
    const bool is_range = outcome.point.reference.is_range;
    ranges += is_range ? 1 : 0;
    met += is_range && outcome.is_within_limit ? 1 : 0;
  }
  if (ranges > 0) {
    parts.push_back(fmt::format("{} of {} met", grouped(met), counted(ranges, "range")));
  }
  const auto missing = static_cast<std::uint64_t>(
      std::ranges::count_if(result.points, [](const PointResult& point) { return !point.figure; }));
  if (missing > 0) {
    parts.push_back(counted(missing, "point") + " without a figure");
  }
  return joined(parts, "; ");
}

std::string markdown_section(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  std::string section = fmt::format("\n## {}\n\n", plain(experiment.name));
  if (!experiment.text.empty()) {
    section += experiment.text + "\n\n";
  }
  return section + point_table(result).markdown() +
         fmt::format("\nLimits {}: {}.\n", verdict(result.has_passed), conclusion(result));
}

// --- JSON ---

using nlohmann::ordered_json;

ordered_json reference_json(const Reference& reference) {
  return reference.is_range ? ordered_json{reference.low, reference.high}
                            : ordered_json(reference.low);
}

ordered_json point_json(const PointResult& result) {
  const ExperimentPoint& point = result.point;
  ordered_json json{{"label", point.label}};
  json[point.reference.is_printed ? "printed" : "expected"] = reference_json(point.reference);
  json["simulated"] = result.figure;
  json["error_percent"] = result.error_percent;
  json["passed"] = result.is_within_limit;
  json["problem"] = json_or_null(result.problem);
  return json;
}

ordered_json experiment_json(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  return {{"name", experiment.name},
          {"quantity", to_string(experiment.quantity)},
          {"passed", result.has_passed},
          {"largest_error_percent", result.largest_error_percent},
          {"limit_percent", experiment.limit_percent},
          {"mean_error_percent", result.mean_error_percent},
          {"mean_limit_percent", experiment.mean_limit_percent},
          {"points", mapped(result.points, point_json)}};
}

std::vector<std::string> point_complaints(const ExperimentResult& result) {
  std::vector<std::string> lines;
  for (const PointResult& outcome : result.points) {
    const ExperimentPoint& point = outcome.point;
    if (!outcome.figure) {
      lines.push_back(fmt::format("{}: {}", point.label, outcome.problem));
    } else if (point.reference.is_range && !outcome.is_within_limit) {
      lines.push_back(fmt::format("{}: {} is not within {}", point.label,
                                  figure_text(result.experiment, outcome), point.reference.text));
    }
  }
  return lines;
}

void add_limit_complaint(const char* which, std::optional<double> error,
                         std::optional<double> limit, std::vector<std::string>& lines) {
  if (error && limit && *error > *limit) {
    lines.push_back(fmt::format("the {} error is {:.2f} % (limit {} %)", which, *error, *limit));
  }
}

}  // namespace

std::string figure_text(const Experiment& experiment, const PointResult& result) {
  if (!result.figure) {
    return no_value;
  }
  const bool is_chosen =
      experiment.quantity == Quantity::best_value || experiment.quantity == Quantity::crossover;
  constexpr int most_decimals = 12;
  return is_chosen ? fmt::format("{}", *result.figure)
                   : fmt::format("{:.{}f}", *result.figure,
                                 std::min(result.point.reference.decimals + 1, most_decimals));
}

std::string reproduction_text(const Reproduction& reproduction) {
  const ExperimentFile& file = reproduction.experiments;
  std::string text =
      fmt::format("{}: {}\n{}\n", reproduction.file, plain(file.title), plain(file.source));
  for (const ExperimentResult& result : reproduction.results) {
    text += fmt::format("\n{}\n\n{}\nlimits {}: {}\n", plain(result.experiment.name),
                        point_table(result).text(), verdict(result.has_passed), conclusion(result));
  }
  return text + "\n" + summary_table(reproduction).text();
}

std::string reproduction_page(const Reproduction& reproduction, const std::string& command) {
  const ExperimentFile& file = reproduction.experiments;
  std::string text = fmt::format("# {}\n\n{}\n\n", plain(file.title), file.source);
  if (!file.text.empty()) {
    text += file.text + "\n\n";
  }
  text += fmt::format("Regenerated by `{}`; not written by hand.\n\n", command);
  text += summary_table(reproduction).markdown();
  for (const ExperimentResult& result : reproduction.results) {
    text += markdown_section(result);
  }
  return printable(text, LineBreaks::kept);
}

std::string reproduction_json(const Reproduction& reproduction) {
  const ExperimentFile& file = reproduction.experiments;
  return json_layout({{"file", reproduction.file},
                      {"title", file.title},
                      {"source", file.source},
                      {"passed", reproduction.has_passed()},
                      {"experiments", mapped(reproduction.results, experiment_json)},
                      {"dcube", json_of_dcube()}});
}

std::vector<std::string> complaints(const Reproduction& reproduction) {
  std::vector<std::string> lines;
  for (const ExperimentResult& result : reproduction.results) {
    const Experiment& experiment = result.experiment;
    std::vector<std::string> own = point_complaints(result);
    add_limit_complaint("largest", result.largest_error_percent, experiment.limit_percent, own);
    add_limit_complaint("mean", result.mean_error_percent, experiment.mean_limit_percent, own);
    for (const std::string& line : own) {
      lines.push_back(fmt::format("{}: {}: {}", reproduction.file, experiment.name, line));
    }
  }
  return lines;
}

}  // namespace dcube::app
