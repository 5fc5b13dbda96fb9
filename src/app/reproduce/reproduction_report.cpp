#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/terminal/json_values.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "reproduction.hpp"

// The same tables are laid out for a terminal and in Markdown.

namespace dcube::app {
namespace {

constexpr const char* no_value = "-";

struct Grid {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;  ///< the first column is text, the others figures
};

const char* unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::makespan_s:
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

std::string error_text(const ExperimentPoint& point, const PointResult& result) {
  if (!result.figure) {
    return no_value;
  }
  if (point.reference.is_range) {
    return result.is_within_limit ? "within" : "outside";
  }
  // An error that rounds to nothing has no sign.
  constexpr double half_shown_digit = 0.005;
  const double error = *result.error_percent;
  return std::abs(error) < half_shown_digit ? "0.00 %" : fmt::format("{:+.2f} %", error);
}

const char* verdict(bool has_passed) { return has_passed ? "met" : "not met"; }

Grid point_grid(const Experiment& experiment, const ExperimentResult& result) {
  const char* unit = unit_of(experiment.quantity);
  const char* how = is_of_mappings(experiment.quantity) ? "computed" : "simulated";
  Grid grid{{"point", fmt::format("printed{}", unit), fmt::format("{}{}", how, unit), "error"}, {}};
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const ExperimentPoint& point = experiment.points[i];
    const PointResult& outcome = result.points[i];
    grid.rows.push_back(
        {point.label, point.reference.text + (point.reference.is_printed ? "" : " (expected)"),
         figure_text(experiment, point.reference, outcome), error_text(point, outcome)});
  }
  return grid;
}

Grid summary_grid(const Reproduction& reproduction) {
  Grid grid{{"experiment", "points", "largest error", "limit", "mean error", "limit", "outcome"},
            {}};
  for (std::size_t i = 0; i < reproduction.results.size(); ++i) {
    const Experiment& experiment = reproduction.experiments.experiments[i];
    const ExperimentResult& result = reproduction.results[i];
    grid.rows.push_back(
        {experiment.name, grouped(result.points.size()), percent_text(result.largest_error_percent),
         limit_text(experiment.limit_percent), percent_text(result.mean_error_percent),
         limit_text(experiment.mean_limit_percent), verdict(result.has_passed)});
  }
  return grid;
}

std::string limited(const char* which, std::optional<double> error, std::optional<double> limit) {
  const std::string bracket = limit ? fmt::format(" (limit {} %)", *limit) : "";
  return fmt::format("{} error {:.2f} %{}", which, *error, bracket);
}

/// "largest error 0.84 % (limit 1 %), mean error 0.17 %; 2 of 2 ranges met".
std::string conclusion(const Experiment& experiment, const ExperimentResult& result) {
  std::vector<std::string> parts;
  if (result.largest_error_percent) {
    parts.push_back(limited("largest", result.largest_error_percent, experiment.limit_percent) +
                    ", " +
                    limited("mean", result.mean_error_percent, experiment.mean_limit_percent));
  }
  std::size_t ranges = 0;
  std::size_t met = 0;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const bool is_range = experiment.points[i].reference.is_range;
    ranges += is_range ? 1 : 0;
    met += is_range && result.points[i].is_within_limit ? 1 : 0;
  }
  if (ranges > 0) {
    parts.push_back(fmt::format("{} of {} met", grouped(met), counted(ranges, "range")));
  }
  const auto missing = static_cast<std::uint64_t>(
      std::count_if(result.points.begin(), result.points.end(),
                    [](const PointResult& point) { return !point.figure; }));
  if (missing > 0) {
    parts.push_back(counted(missing, "point") + " without a figure");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// --- On a terminal ---

/// One line, whatever the text holds.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return printable(text);
}

std::string text_table(const Grid& grid) {
  std::vector<Table::Column> columns;
  for (const std::string& header : grid.headers) {
    columns.push_back({header, columns.empty() ? Table::Align::left : Table::Align::right});
  }
  Table table{columns};
  for (std::vector<std::string> row : grid.rows) {
    row.front() = plain(row.front());
    table.add_row(std::move(row));
  }
  return table.text();
}

// --- In Markdown ---

/// A cell ends at a bar, and a row at the end of the line.
std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : plain(text)) {
    cell += c == '|' ? "\\|" : std::string{c};
  }
  return cell;
}

std::string markdown_table(const Grid& grid) {
  std::string table = fmt::format("| {} |\n| ---", fmt::join(grid.headers, " | "));
  for (std::size_t column = 1; column < grid.headers.size(); ++column) {
    table += " | ---:";
  }
  table += " |\n";
  for (const std::vector<std::string>& row : grid.rows) {
    table += fmt::format("| {} |\n", joined(row, " | ", markdown_cell));
  }
  return table;
}

std::string markdown_section(const Experiment& experiment, const ExperimentResult& result) {
  std::string section = fmt::format("\n## {}\n\n", plain(experiment.name));
  if (!experiment.text.empty()) {
    section += experiment.text + "\n\n";
  }
  return section + markdown_table(point_grid(experiment, result)) +
         fmt::format("\nLimits {}: {}.\n", verdict(result.has_passed),
                     conclusion(experiment, result));
}

// --- JSON ---

using nlohmann::ordered_json;

ordered_json reference_json(const Reference& reference) {
  return reference.is_range ? ordered_json{reference.low, reference.high}
                            : ordered_json(reference.low);
}

ordered_json point_json(const ExperimentPoint& point, const PointResult& result) {
  ordered_json json{{"label", point.label}};
  json[point.reference.is_printed ? "printed" : "expected"] = reference_json(point.reference);
  json["simulated"] = json_or_null(result.figure);
  json["error_percent"] = json_or_null(result.error_percent);
  json["passed"] = result.is_within_limit;
  json["problem"] = json_or_null(result.problem);
  return json;
}

ordered_json experiment_json(const Experiment& experiment, const ExperimentResult& result) {
  ordered_json json{{"name", experiment.name},
                    {"quantity", to_string(experiment.quantity)},
                    {"passed", result.has_passed},
                    {"largest_error_percent", json_or_null(result.largest_error_percent)},
                    {"limit_percent", json_or_null(experiment.limit_percent)},
                    {"mean_error_percent", json_or_null(result.mean_error_percent)},
                    {"mean_limit_percent", json_or_null(experiment.mean_limit_percent)},
                    {"points", ordered_json::array()}};
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    json["points"].push_back(point_json(experiment.points[i], result.points[i]));
  }
  return json;
}

}  // namespace

std::string figure_text(const Experiment& experiment, const Reference& reference,
                        const PointResult& result) {
  if (!result.figure) {
    return no_value;
  }
  const bool is_chosen =
      experiment.quantity == Quantity::best_value || experiment.quantity == Quantity::crossover;
  constexpr int most_decimals = 12;
  return is_chosen ? fmt::format("{}", *result.figure)
                   : fmt::format("{:.{}f}", *result.figure,
                                 std::min(reference.decimals + 1, most_decimals));
}

std::string reproduction_text(const Reproduction& reproduction) {
  const ExperimentFile& file = reproduction.experiments;
  std::string text =
      fmt::format("{}: {}\n{}\n", reproduction.file, plain(file.title), plain(file.source));
  for (std::size_t i = 0; i < reproduction.results.size(); ++i) {
    const Experiment& experiment = file.experiments[i];
    const ExperimentResult& result = reproduction.results[i];
    text += fmt::format("\n{}\n\n{}\nlimits {}: {}\n", plain(experiment.name),
                        text_table(point_grid(experiment, result)), verdict(result.has_passed),
                        conclusion(experiment, result));
  }
  return text + "\n" + text_table(summary_grid(reproduction));
}

std::string reproduction_page(const Reproduction& reproduction, const std::string& page) {
  const ExperimentFile& file = reproduction.experiments;
  std::string text = fmt::format("# {}\n\n{}\n\n", plain(file.title), file.source);
  if (!file.text.empty()) {
    text += file.text + "\n\n";
  }
  text += fmt::format("Regenerated by `dcube reproduce {} --output {}`; not written by hand.\n\n",
                      reproduction.file, page);
  text += markdown_table(summary_grid(reproduction));
  for (std::size_t i = 0; i < reproduction.results.size(); ++i) {
    text += markdown_section(file.experiments[i], reproduction.results[i]);
  }
  return printable(text, LineBreaks::kept);
}

std::string reproduction_json(const Reproduction& reproduction) {
  const ExperimentFile& file = reproduction.experiments;
  ordered_json json{{"file", reproduction.file},
                    {"title", file.title},
                    {"source", file.source},
                    {"passed", reproduction.has_passed()},
                    {"experiments", ordered_json::array()}};
  for (std::size_t i = 0; i < reproduction.results.size(); ++i) {
    json["experiments"].push_back(experiment_json(file.experiments[i], reproduction.results[i]));
  }
  json["dcube"] = json_of_dcube();
  return json_layout(json);
}

}  // namespace dcube::app
