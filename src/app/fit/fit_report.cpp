#include "fit_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

/// "+3.4 %"
std::string signed_percent(double share) {
  return (share < 0 ? "-" : "+") + percent(std::abs(share));
}

std::string doubt_of(const FittedValue& value) {
  return value.is_at_bound      ? "at its bound"
         : value.relative_error ? "+-" + percent(*value.relative_error)
                                : "-";
}

std::string value_table(const FitAnswer& answer) {
  const Columns<FittedValue> columns{
      {"value", Shown::text, &FittedValue::pointer},
      {"before", Shown::figure,
       [](const FittedValue& value) {
         return value.before.empty() ? CellValue{} : CellValue{value.before};
       }},
      {"fitted", Shown::figure, &FittedValue::text},
      {"leaving rows out", Shown::figure, doubt_of},
      {"doubled, times change by", Shown::figure,
       [](const FittedValue& value) { return percent(value.effect); }}};
  return text_table(columns, answer.values).text();
}

std::string error_table(const FitAnswer& answer) {
  std::vector<FitErrors> errors = answer.groups;
  errors.push_back(answer.all);
  errors.back().group = "all";
  const auto share = [](double FitErrors::*member) {
    return [member](const FitErrors& row) { return percent(row.*member); };
  };
  Columns<FitErrors> columns{{"error of", Shown::text, &FitErrors::group},
                             {"rows", Shown::count, &FitErrors::rows},
                             {"median", Shown::figure, share(&FitErrors::median)},
                             {"9 of 10 within", Shown::figure, share(&FitErrors::ninth_tenth)},
                             {"simulated - measured", Shown::figure,
                              [](const FitErrors& row) { return signed_percent(row.bias); }}};
  return text_table(columns, errors).text();
}

std::string row_table(const FitAnswer& answer) {
  const Columns<FitRow> columns{
      {"row", Shown::text, &FitRow::place},
      {"what", Shown::text, &FitRow::group},
      {"size", Shown::figure,
       [](const FitRow& row) {
         return row.bytes ? CellValue{size_text(*row.bytes)} : CellValue{};
       }},
      {"measured", Shown::figure,
       [](const FitRow& row) { return readable_seconds(row.measured_s); }},
      {"simulated", Shown::figure,
       [](const FitRow& row) {
         return row.is_used() ? CellValue{readable_seconds(row.simulated_s)} : CellValue{};
       }},
      {"error", Shown::figure,
       [](const FitRow& row) {
         return row.is_used() ? CellValue{signed_percent(row.error())} : CellValue{};
       }},
      {"", Shown::text, &FitRow::problem}};
  return text_table(columns, answer.rows).text();
}

std::string indistinct_lines(const FitAnswer& answer) {
  std::string text;
  for (const IndistinctValues& values : answer.indistinct) {
    text += fmt::format("not told{}: {} (changed{} by their size, times change by {})\n",
                        values.pointers.size() > 1 ? " apart" : "", joined(values.pointers, ", "),
                        values.pointers.size() > 1 ? " together" : "", percent(values.effect));
  }
  return text;
}

std::string ranking_line(const FitRanking& ranking) {
  return ranking.cases == 0
             ? std::string{}
             : fmt::format(
                   "fastest algorithm: right, or within 10 %, in {} of {}; pairs in the "
                   "right order: {} of {}\n",
                   ranking.right, counted(ranking.cases, "case"), ranking.pairs_right,
                   ranking.pairs);
}

}  // namespace

std::string fit_text(const FitAnswer& answer, bool is_full) {
  std::string text = fmt::format(
      "{}: {} from {}{}\n", printable(answer.machine), counted(answer.all.rows, "time"),
      printable(joined(answer.request.measured, ", ")),
      answer.values.empty()
          ? std::string{}
          : fmt::format(", {} off in the median before the fit", percent(answer.before.median)));
  text += answer.values.empty() ? "" : value_table(answer) + "\n";
  text += is_full ? row_table(answer) + "\n" : "";
  text += error_table(answer) + ranking_line(answer.ranking) + indistinct_lines(answer);
  if (!answer.unused.empty()) {
    text += fmt::format("not used: {} {}\n", answer.unused.size() == 1 ? "column" : "columns",
                        printable(joined(answer.unused, ", ")));
  }
  return text;
}

}  // namespace dcube::app
