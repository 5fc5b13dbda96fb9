#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/fit/fit_report.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/runs/runs_options.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/questions/fit.hpp"

namespace dcube::app {
namespace {

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
  check_runs_options(options.runs, "", "");
  OutputPlan plan;
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
  const auto options = std::make_shared<FitCommand>();
  FitRequest& request = options->request;
  Parser parser =
      line.add("fit", "Find the values of a machine for which simulated times match measured ones",
               [options] { return answer_fit(*options); });
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
  options->outputs.add_write(parser, {{"machine"}, {"result"}, {"csv", ".csv"}});
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube fit examples/fit/guess.json --measured examples/fit/osu_latency.txt --vary "
      "/link/latency,/link/bandwidth --write machine:fitted.json\n"
      "dcube fit fitted.json --measured examples/fit/osu_allreduce.txt");
}

}  // namespace dcube::app
