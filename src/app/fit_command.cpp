#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/runs/runs_options.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "dcube/questions/fit.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

// --- What is shown ---

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
       [](const FitRow& row) {
         return row.measured_s > 0 ? CellValue{readable_seconds(row.measured_s)} : CellValue{};
       }},
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

/// Text for people: values, errors by group, what the rows do not tell; with `is_full`, all rows.
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

// --- The command ---

struct FitCommand {
  FitRequest request;
  RunsOptions runs;
  OutputOptions outputs;
  DisplayOptions display;
  bool all_rows = false;
};

/// One line for each reason why rows are left out.
void complain_of_left_out(const FitAnswer& answer) {
  for (const LeftOutRows& rows : answer.left_out) {
    complain(fmt::format(
        "{}: {}{} (left out)", rows.first, rows.problem,
        rows.rows == 1 ? std::string{} : fmt::format("; so {} in all", counted(rows.rows, "row"))));
  }
}

std::string content_of(const NamedOutput& output, const FitAnswer& answer) {
  return output.kind == "machine" ? fitted_machine_json(answer, output.file.stem().string())
         : output.kind == "csv"   ? fit_csv(answer)
                                  : fit_json(answer);
}

ExitStatus answer_fit(const FitCommand& options) {
  check_runs_options(options.runs, "", "", "");
  OutputPlan plan{options.display};
  plan.reads({options.request.measured.begin(), options.request.measured.end()});
  const std::vector<NamedOutput> outputs = plan.writes(options.outputs);
  FitAnswer answer;
  {
    Progress progress{options.display.progress(), "simulating"};
    answer = fit(options.request, options.runs.limits(progress),
                 [&](const FitAnswer& begun) { plan.reads(begun.inputs); });
  }
  if (!answer.is_complete()) {
    complain("interrupted (nothing is fitted)");
    return ExitStatus::interrupted;
  }
  for (const NamedOutput& output : outputs) {
    plan.put(output.file, content_of(output, answer));
  }
  const ExitStatus written = plan.finish(options.display.shown(
      [&] { return fit_json(answer); }, [&] { return fit_text(answer, options.all_rows); }));
  complain_of_left_out(answer);
  return written;
}

}  // namespace

void fit_command(CommandLine& line) {
  auto [parser, options] = line.add<FitCommand>(
      "fit", "Find the values of a machine for which simulated times match measured ones",
      answer_fit);
  FitRequest& request = options->request;
  parser
      .argument("MACHINE", request.machine,
                "a machine's name or file, or a network such as torus:8x8")
      .required()
      .reads_file();
  parser
      .list("--measured", request.measured, "FILE[,FILE..]",
            "tables of measured times (columns collective, algorithm, size, time_us, ..), or what "
            "nccl-tests, the OSU micro-benchmarks or mpiBench print")
      .required()
      .reads_file();
  parser.list("--vary", request.vary, "/POINTER[=LEAST:MOST][,..]",
              "times and bandwidths of the machine to find, such as /link/latency,/link/bandwidth "
              "(default: none; errors alone are said)");
  parser.list("--column", request.columns, "NAME=VALUE[,..]",
              "a column for rows that have none: collective=allreduce, algorithm=ring");
  parser.option("--time", request.time, "COLUMN",
                "the column of times (default: the one that looks like it)");
  parser.option("--set", request.settings, "/POINTER=VALUE",
                "replace a value of every scenario, such as /machine/switching");
  add_jobs_option(parser, options->runs.jobs);
  add_time_limit_option(parser, options->runs.time_limit, "stop a simulation after this time");
  parser.flag("--all-rows", options->all_rows, "also show every row");
  options->outputs.add_main(parser, "machine", "write the machine with the values found");
  options->outputs.add_write(parser, {{"machine"}, {"result"}, {"csv", ".csv"}});
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube fit examples/fit/guess.json --measured examples/fit/osu_latency.txt --vary "
      "/link/latency,/link/bandwidth --write machine:fitted.json\n"
      "dcube fit fitted.json --measured examples/fit/osu_allreduce.txt");
}

}  // namespace dcube::app
