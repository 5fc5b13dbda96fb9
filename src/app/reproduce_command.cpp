#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/reproduce/reproduction_report.hpp"
#include "app/terminal/child_progress.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "dcube/batch/reproduce.hpp"

namespace dcube::app {
namespace {

struct ReproduceOptions {
  std::string file;
  JobsOption jobs;
  OutputOptions outputs;
  DisplayOptions display;
};

ExitStatus reproduce(const ReproduceOptions& options) {
  const ExperimentFile experiments = load_experiments(options.file);
  OutputPlan plan;
  plan.reads({experiments.inputs.begin(), experiments.inputs.end()});
  const std::vector<NamedOutput> outputs = plan.writes(options.outputs);
  const Reproduction reproduction = [&] {
    Progress progress{ProgressOutput::on_terminal, "reproducing"};
    return dcube::reproduce(options.file, experiments,
                            {.at_once = options.jobs, .on_progress = ended_on(progress)});
  }();
  for (const NamedOutput& output : outputs) {
    if (reproduction.interrupted == 0) {  // a page with gaps is worth less than the one before
      plan.put(output.file, output.kind == "page"
                                ? reproduction_page(reproduction, output.file.string())
                                : reproduction_json(reproduction));
    }
  }
  const ExitStatus written =
      plan.finish(options.display.shown([&] { return reproduction_json(reproduction); },
                                        [&] { return reproduction_text(reproduction); }));
  if (reproduction.interrupted > 0) {
    complain(fmt::format("{}: interrupted ({} of {} simulations done)", options.file,
                         reproduction.simulations - reproduction.interrupted,
                         reproduction.simulations));
    return ExitStatus::interrupted;
  }
  for (const std::string& line : complaints(reproduction)) {
    complain(line);
  }
  return reproduction.has_passed() ? written : ExitStatus::experiment_failed;
}

}  // namespace

void reproduce_command(CommandLine& line) {
  const auto options = std::make_shared<ReproduceOptions>();
  Parser parser =
      line.add("reproduce", "Simulate published experiments and say how far the figures agree",
               [options] { return reproduce(*options); });
  parser.argument("FILE", options->file, "the file of experiments").required().reads_file();
  add_jobs_option(parser, options->jobs);
  options->outputs.add_main(parser, "page", "write the tables as a Markdown page");
  options->outputs.add_write(parser, {{"page"}, {"result"}});
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples("dcube reproduce validation/ncube.json");
}

}  // namespace dcube::app
