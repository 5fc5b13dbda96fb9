#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/questions/fit.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube {
namespace {

nlohmann::ordered_json json_of_value(const FittedValue& value) {
  return {{"pointer", value.pointer},
          {"unit", value.is_bandwidth ? "bytes_per_s" : "s"},
          {"before", value.before.empty() ? nlohmann::ordered_json(nullptr)
                                          : nlohmann::ordered_json(value.before)},
          {"text", value.text},
          {"value", value.value},
          {"least", value.least},
          {"most", value.most},
          {"at_bound", value.is_at_bound},
          {"relative_error", value.relative_error},
          {"effect", value.effect}};
}

nlohmann::ordered_json json_of_errors(const FitErrors& errors) {
  nlohmann::ordered_json json;
  if (!errors.group.empty()) {
    json["group"] = errors.group;
  }
  json.update({{"rows", errors.rows},
               {"median", errors.median},
               {"bias", errors.bias},
               {"ninth_tenth", errors.ninth_tenth},
               {"within_10_percent", errors.within_tenth},
               {"within_30_percent", errors.within_third}});
  return json;
}

Columns<FitRow> fit_columns() {
  const auto if_used = [](auto value) {
    return
        [value](const FitRow& row) { return row.is_used() ? CellValue{value(row)} : CellValue{}; };
  };
  return {{"", Shown::nowhere, &FitRow::place, "row"},
          {"", Shown::nowhere, &FitRow::group, "group"},
          {"", Shown::nowhere, &FitRow::bytes, "bytes"},
          {"", Shown::nowhere,
           [](const FitRow& row) {
             return row.measured_s > 0 ? CellValue{row.measured_s} : CellValue{};
           },
           "measured_s"},
          {"", Shown::nowhere, if_used([](const FitRow& row) { return row.simulated_s; }),
           "simulated_s"},
          {"", Shown::nowhere, if_used([](const FitRow& row) { return row.error(); }), "error"},
          {"", Shown::nowhere, &FitRow::problem, "problem"}};
}

}  // namespace

std::string fitted_machine_json(const FitAnswer& answer, const std::string& name) {
  Params document = answer.document;
  document.set("name", name);
  if (!answer.values.empty()) {
    const std::string before = document.text("description", "");
    document.set(
        "description",
        fmt::format("{}{}fitted by dcube {} to {} of {} ({} off in the median): {}", before,
                    before.empty() ? "" : "; ", version(), counted(answer.all.rows, "time"),
                    joined(answer.request.measured, ", ",
                           [](const std::string& file) {
                             return std::filesystem::path{file}.filename().string();
                           }),
                    percent(answer.all.median),
                    joined(answer.values, ", ", &FittedValue::pointer)));
  }
  return json_layout(nlohmann::ordered_json(Setting{document}));
}

std::string fit_json(const FitAnswer& answer) {
  return json_layout({{"dcube", {{"version", version()}}},
                      {"machine", answer.machine},
                      {"complete", answer.is_complete()},
                      {"values", mapped(answer.values, json_of_value)},
                      {"indistinct", mapped(answer.indistinct,
                                            [](const IndistinctValues& values) {
                                              return nlohmann::ordered_json{
                                                  {"pointers", values.pointers},
                                                  {"effect", values.effect}};
                                            })},
                      {"errors", json_of_errors(answer.all)},
                      {"errors_before", json_of_errors(answer.before)},
                      {"groups", mapped(answer.groups, json_of_errors)},
                      {"ranking",
                       {{"cases", answer.ranking.cases},
                        {"right", answer.ranking.right},
                        {"pairs", answer.ranking.pairs},
                        {"pairs_right", answer.ranking.pairs_right}}},
                      {"runs", answer.runs},
                      {"unused_columns", answer.unused},
                      {"left_out", mapped(answer.left_out,
                                          [](const LeftOutRows& rows) {
                                            return nlohmann::ordered_json{{"problem", rows.problem},
                                                                          {"first", rows.first},
                                                                          {"rows", rows.rows}};
                                          })},
                      {"document", Setting{answer.document}},
                      {"rows", json_rows<nlohmann::ordered_json>(fit_columns(), answer.rows)}});
}

std::string fit_csv(const FitAnswer& answer) { return csv_table(fit_columns(), answer.rows); }

}  // namespace dcube
