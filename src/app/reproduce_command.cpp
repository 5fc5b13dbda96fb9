#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/reproduce/reproduction_report.hpp"
#include "app/runs/runs_options.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/questions/reproduce.hpp"

namespace dcube::app {
namespace {

struct ReproduceOptions {
  std::string file;
  std::vector<std::string> experiments;  ///< empty: all
  RunsOptions runs;
  OutputOptions outputs;
  DisplayOptions display;
};

/// Keeps only the experiments that have one of the texts in their names.
void choose(std::vector<Experiment>& experiments, const std::vector<std::string>& texts) {
  const auto has = [](const Experiment& experiment, const std::string& text) {
    return experiment.name.find(text) != std::string::npos;
  };
  const auto names = mapped(experiments, [](const Experiment& one) { return one.name; });
  for (const std::string& text : texts) {
    const auto fits = [&](const Experiment& one) { return has(one, text); };
    refuse_if(std::ranges::none_of(experiments, fits), "--experiment",
              "no experiment has `{}` in its name{}", text, nearest_name_hint(text, names));
  }
  std::erase_if(experiments, [&](const Experiment& one) {
    return std::ranges::none_of(texts, [&](const std::string& text) { return has(one, text); });
  });
}

Reproduction simulate(const ReproduceOptions& options, const ExperimentFile& experiments) {
  Progress progress{options.display.progress(), "reproducing"};
  return dcube::reproduce(options.file, experiments, options.runs.limits(progress));
}

/// The command that writes a page, for a shell.
std::string command_of(const ReproduceOptions& options, const std::string& page) {
  std::string words = "dcube reproduce " + quoted(options.file);
  for (const std::string& text : options.experiments) {
    words += " --experiment " + quoted(text);
  }
  return words + " --output " + quoted(page);
}

ExitStatus reproduce(const ReproduceOptions& options) {
  check_runs_options(options.runs, "--records", options.runs.records, options.file);
  ExperimentFile experiments = load_experiments(options.file);
  if (!options.experiments.empty()) {
    choose(experiments.experiments, options.experiments);
  }
  OutputPlan plan{options.display};
  plan.reads({experiments.inputs.begin(), experiments.inputs.end()});
  const std::vector<NamedOutput> outputs = plan.writes(options.outputs);
  const InterruptWatch interrupt;
  const Reproduction reproduction = simulate(options, experiments);
  if (is_rest_elsewhere(reproduction.end, options.runs)) {
    return status_of(reproduction.end, options.runs, options.display,
                     done_in(options.runs.records, reproduction.simulations - reproduction.missing,
                             reproduction.simulations));
  }
  for (const NamedOutput& output : outputs) {
    if (reproduction.missing == 0) {  // a page with gaps is worth less than the one before
      plan.put(output.file,
               output.kind == "page"
                   ? reproduction_page(reproduction, command_of(options, output.file.string()))
                   : reproduction_json(reproduction));
    }
  }
  const ExitStatus written =
      plan.finish(options.display.shown([&] { return reproduction_json(reproduction); },
                                        [&] { return reproduction_text(reproduction); }));
  if (reproduction.missing > 0) {
    complain(fmt::format("{}: interrupted ({} of {} simulations done)", options.file,
                         reproduction.simulations - reproduction.missing,
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
  auto [parser, options] = line.add<ReproduceOptions>(
      "reproduce", "Simulate published experiments and say how far the figures agree", reproduce);
  parser.argument("FILE", options->file, "the file of experiments").required().reads_file();
  parser.option("--experiment", options->experiments, "TEXT",
                "only experiments with this in their name (repeatable)");
  add_runs_options(parser, options->runs);
  add_records_option(parser, options->runs);
  options->outputs.add_main(parser, "page", "write the tables as a Markdown page");
  options->outputs.add_write(parser, {{"page"}, {"result"}});
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples("dcube reproduce validation/ncube.json");
}

}  // namespace dcube::app
