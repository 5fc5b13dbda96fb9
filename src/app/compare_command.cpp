#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/compare/compared_run.hpp"
#include "app/compare/comparison_folder.hpp"
#include "app/compare/failed_links.hpp"
#include "app/compare/pictures.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/report/report_timelines.hpp"
#include "app/run/explanation.hpp"
#include "app/terminal/child_progress.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/readable.hpp"
#include "batch/child_batch.hpp"
#include "command.hpp"
#include "core/refuse.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "report/page.hpp"
#include "report/result_file.hpp"

namespace dcube::app {
namespace {

constexpr std::uint32_t usual_seeds = 10;

struct CompareOptions {
  ScenarioOptions scenario;
  std::vector<std::string> embeddings;
  std::vector<std::string> processes;
  std::vector<std::string> networks;
  std::vector<std::string> failures;
  std::optional<std::uint32_t> seeds;
  JobsOption jobs;
  TimeLimitOption time_limit;
  std::string output;
  OutputOptions outputs;
  DisplayOptions display;
  bool no_pictures = false;
  bool no_report = false;
  bool why = false;
  bool force = false;

  bool fails_links() const { return !failures.empty(); }
  std::uint32_t seed_count() const { return seeds.value_or(usual_seeds); }
  ComparedThing thing() const {
    return processes.empty() ? ComparedThing::embedding : ComparedThing::process_number;
  }
};

/// Above this number of processes a chart of every process says little.
constexpr std::uint32_t most_charted_processes = 64;

/// An empty name is that of the scenario's own. The names of nodes are for those in map files.
ScenarioOptions with_embedding(ScenarioOptions options, const std::string& embedding) {
  options.embedding = embedding;
  if (!embedding.empty() && !reads_map_file(embedding)) {
    options.hosts.clear();
  }
  return options;
}

/// Those asked for, or all that fit.
std::vector<std::string> compared_embeddings(const CompareOptions& options,
                                             const ScenarioSource& source) {
  if (!options.embeddings.empty()) {
    return options.embeddings;
  }
  for (const std::string& setting : options.scenario.settings) {
    const std::string pointer = parse_override(setting).pointer;
    refuse_if(pointer == "/embedding" || pointer.starts_with("/embedding/"), "--set",
              "{} changes what is compared, the embedding (name those to compare by --embedding)",
              pointer);
  }
  const Scenario scenario = source.build(with_embedding(options.scenario, {}));
  return fitting_embeddings(*scenario.machine->topology, scenario.program->guest(),
                            scenario.machine->node.slots);
}

/// An embedding that does not fit is a row, unless none fits.
std::vector<ComparedRun> runs_by_embedding(const CompareOptions& options,
                                           const ScenarioSource& source) {
  std::vector<ComparedRun> runs;
  std::optional<InputError> refusal;
  std::uint32_t processes = 0;
  for (const std::string& embedding : compared_embeddings(options, source)) {
    const ScenarioOptions changed = with_embedding(options.scenario, embedding);
    embedding_option(embedding, changed.hosts);  // what cannot be read is no row
    try {
      runs.push_back(compared_run(changed, source.build(changed)));
      processes = runs.back().row.processes;
    } catch (const InputError& error) {
      runs.push_back(refused_run(changed, error));
      refusal = refusal ? refusal : error;
    }
  }
  if (refusal && processes == 0) {
    throw *refusal;
  }
  for (ComparedRun& run : runs) {
    run.row.processes = processes;
  }
  return runs;
}

/// All embeddings as the scenario says, then those that fit on one draw of failures after the
/// other. There may be thousands of draws: the scenarios of the first are built now, which shows
/// what they take, and the others when they run.
std::vector<ComparedRun> runs_by_failures(const CompareOptions& options,
                                          const ScenarioSource& source) {
  std::vector<ComparedRun> runs = runs_by_embedding(options, source);
  CompareOptions fitting = options;
  fitting.embeddings.clear();
  const std::vector<std::string> embeddings = compared_embeddings(options, source);
  std::shared_ptr<const Scenario> scenario;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].scenario) {
      fitting.embeddings.push_back(embeddings[i]);
      scenario = runs[i].scenario;
    }
  }
  const FailureDraws draws{scenario->machine->topology, scenario->machine->name};
  const auto kept_source = std::make_shared<const ScenarioSource>(source);
  std::vector<ComparedRun> first;
  for (const std::uint32_t number : failure_numbers(options.failures)) {
    for (std::uint32_t seed = 1; number > 0 && seed <= options.seed_count(); ++seed) {
      const std::vector<Link> links = draws.links(number, seed);
      fitting.scenario = with_failed_links(options.scenario, *scenario, links);
      std::vector<ComparedRun> drawn;
      if (first.empty()) {
        drawn = first = runs_by_embedding(fitting, source);
      }
      for (std::size_t i = drawn.size(); i < first.size(); ++i) {
        const ScenarioOptions changed = with_embedding(fitting.scenario, fitting.embeddings[i]);
        drawn.push_back(first[i].scenario ? later_run(first[i], changed, kept_source) : first[i]);
      }
      for (ComparedRun& run : drawn) {
        run.row.failures = number;
        run.row.seed = seed;
        run.row.failed_links = links;
        runs.push_back(std::move(run));
      }
    }
  }
  return runs;
}

/// Every embedding, and where links are to fail, on every draw of failures.
std::vector<ComparedRun> runs_on_one_network(const CompareOptions& options,
                                             const ScenarioSource& source) {
  return options.fails_links() ? runs_by_failures(options, source)
                               : runs_by_embedding(options, source);
}

/// Every number under the embeddings asked for, or under the scenario's own.
std::vector<ComparedRun> runs_by_processes(const CompareOptions& options,
                                           const ScenarioSource& source) {
  const std::vector<std::uint32_t> numbers = process_numbers(options.processes);
  const std::vector<std::string> embeddings =
      options.embeddings.empty() ? std::vector<std::string>{{}} : options.embeddings;
  const Scenario first = source.build(with_embedding(options.scenario, embeddings.front()));
  std::vector<ComparedRun> runs;
  for (const std::string& embedding : embeddings) {
    for (const std::uint32_t processes : numbers) {
      const ScenarioOptions changed = with_processes(with_embedding(options.scenario, embedding),
                                                     std::string{first.program->kind()}, processes);
      runs.push_back(compared_run(changed, build_with_processes(source, changed, processes)));
    }
  }
  return runs;
}

/// All embeddings under one network after the other.
std::vector<ComparedRun> runs_by_network(const CompareOptions& options,
                                         const ScenarioSource& source) {
  for (const std::string& setting : options.scenario.settings) {
    const std::string pointer = parse_override(setting).pointer;
    refuse_if(pointer.starts_with("/machine/network") || pointer == "/machine/switching", "--set",
              "{} changes what is compared, the network (name those to compare by --network)",
              pointer);
  }
  std::vector<ComparedRun> runs;
  for (const std::string& network : network_names(options.networks)) {
    CompareOptions changed = options;
    changed.scenario = with_network(options.scenario, network);
    for (ComparedRun& run : runs_on_one_network(changed, source)) {
      run.row.network = network;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

/// Built before anything runs.
std::vector<ComparedRun> chosen_runs(const CompareOptions& options) {
  const ScenarioSource source{options.scenario.file};
  std::vector<ComparedRun> runs = !options.networks.empty() ? runs_by_network(options, source)
                                  : options.thing() == ComparedThing::embedding
                                      ? runs_on_one_network(options, source)
                                      : runs_by_processes(options, source);
  std::set<std::string> labels;
  for (const ComparedRun& run : runs) {
    refuse_if(!labels.insert(run.label(options.thing())).second, "--embedding",
              "the name {} is taken", run.row.embedding);
  }
  return runs;
}

/// With an explanation, a run's memory grows by what keeping all causes takes.
void explain_runs(std::vector<ComparedRun>& runs) {
  for (ComparedRun& run : runs) {
    if (run.scenario) {
      expect_explicable(*run.scenario->run_machine);
    }
    run.is_explained = true;
    run.memory_bytes += run.causes_bytes;
  }
}

/// Calls `on_end` of each run that ends.
void simulate_all(const std::string& title, const BatchLimits& limits,
                  const InterruptWatch& interrupt, std::vector<ComparedRun>& runs,
                  const std::function<void(ComparedRun&)>& on_end) {
  std::vector<std::function<std::string()>> jobs;
  std::vector<ComparedRun*> simulated;
  for (ComparedRun& run : runs) {
    if (run.can_run()) {
      jobs.emplace_back([&run] { return simulate_compared(run); });
      simulated.push_back(&run);
    }
  }
  run_showing_progress(title, jobs, limits, interrupt, ProgressOutput::on_terminal,
                       [&](std::size_t job, ChildResult& result) {
                         receive(*simulated[job], std::move(result));
                         on_end(*simulated[job]);
                       });
}

BatchLimits batch_limits(const CompareOptions& options, const std::vector<ComparedRun>& runs) {
  std::uint64_t most_memory = 1;
  for (const ComparedRun& run : runs) {
    most_memory = std::max(most_memory, run.memory_bytes);
  }
  return {jobs_at_once(options.jobs, most_memory), options.time_limit};
}

Comparison compared(const CompareOptions& options, const std::vector<ComparedRun>& runs) {
  const Scenario& scenario = *std::ranges::find_if(runs, [](const ComparedRun& run) {
                                return run.scenario != nullptr;
                              })->scenario;
  const Machine& machine = *scenario.machine;
  Comparison comparison{
      .id = comparison_id(runs, options.thing()),
      .scenario = options.scenario.file,
      .machine = fmt::format("{} ({})", machine.name, describe(*machine.topology)),
      .program = std::string{scenario.program->kind()},
      .processes = scenario.program->guest().process_count(),
      .bound = options.thing() == ComparedThing::embedding && options.networks.empty()
                   ? makespan_bound(scenario)
                   : std::nullopt,
      .rows = {},
      .thing = options.thing(),
      .networks = options.networks};
  if (options.fails_links()) {
    comparison.failures = failure_numbers(options.failures);
    comparison.seeds = options.seed_count();
  }
  for (const std::string& setting : options.scenario.settings) {
    comparison.settings.push_back(parse_override(setting));
  }
  return comparison;
}

/// A comparison that grows by a row with every run that ends, and the files that it is kept in.
class Report {
 public:
  Report(const CompareOptions& options, std::vector<ComparedRun>& runs)
      : options_{options}, runs_{runs}, comparison_{compared(options, runs)} {
    update();
    for (const ComparedRun& run : runs_) {
      plan_.reads({run.options.embedding, run.options.hosts});
      if (run.scenario) {
        plan_.reads(run.scenario->inputs);
      }
    }
    if (!options.output.empty()) {
      open_folder();
    }
  }

  const Comparison& comparison() const { return comparison_; }
  /// Whether a file of the comparison could not be written.
  bool has_lost_files() const { return has_lost_files_; }
  OutputPlan& plan() { return plan_; }

  /// Writes what the run has left, so that a comparison that is killed keeps it.
  void add(ComparedRun& run) {
    const std::string label = run.label(comparison_.thing);
    const std::string file = ComparisonFolder::result_of(label);
    if (folder_ && run.row.figures && keep([&] { write_file(folder_->path(file), run.json); })) {
      run.row.result = file;
    }
    if (!run.trace_problem.empty()) {
      keep([&] { throw InputError("", run.trace_problem); });
    } else if (run.row.figures && !run.trace.empty()) {
      run.row.trace = ComparisonFolder::trace_of(label);
    }
    update();
    write_list();
  }

  /// When all runs have ended, or an interrupt has come.
  void write_tables() {
    put_tables();
    if (!folder_) {
      return;
    }
    const std::vector<std::pair<std::filesystem::path, std::string>> files{
        {folder_->path("comparison.txt"), comparison_table(comparison_)},
        {folder_->path("comparison.csv"), comparison_csv(comparison_)},
        {folder_->path("comparison.json"), comparison_json(comparison_)}};
    keep([&] { write_together(files); });
  }

  /// Of several draws of failures, the first that ended so stands for all.
  void complain_of_failures() const {
    std::set<std::tuple<std::string, std::string, std::uint32_t, Outcome>> told;
    for (const ComparisonRow& row : comparison_.rows) {
      const bool is_told =
          row.failures > 0 &&
          !told.emplace(row.network, row.embedding, row.failures, row.outcome).second;
      if (row.outcome != Outcome::completed && !is_told) {
        const std::string number =
            comparison_.is_scaling() ? ": " + counted(row.processes, "process") : "";
        const std::string network =
            row.network.empty() ? std::string{} : fmt::format(" ({})", row.network);
        const std::string failures =
            row.failures == 0
                ? std::string{}
                : fmt::format(" ({}, seed {})", counted(row.failures, "failed link"), row.seed);
        complain(fmt::format("{}: {}{}{}{}: {} ({})", comparison_.scenario, row.embedding, network,
                             failures, number, to_string(row.outcome), row.problem));
      }
    }
  }

  /// A page of all results that finished, but for those on draws of failures; false when an
  /// interrupt has come.
  bool add_page(const InterruptWatch& interrupt) {
    std::vector<report::ReportedRun> reported;
    for (const ComparedRun& run : runs_) {
      if (run.row.figures && run.row.failures == 0) {
        const std::string label = run.label(comparison_.thing);
        const std::string file = ComparisonFolder::result_of(label);
        reported.push_back({label, file, report::read_result(run.json, file), run.folder});
      }
    }
    if (reported.empty()) {
      return true;
    }
    if (!add_timelines(reported, std::nullopt, options_.jobs, interrupt)) {
      return false;
    }
    plan_.put(folder_->path("index.html"), report::report_page(reported, DCUBE_VERSION));
    return true;
  }

 private:
  void open_folder() {
    using Replacement = ComparisonFolder::Replacement;
    folder_.emplace(options_.output, comparison_.id,
                    options_.force ? Replacement::forced : Replacement::refused);
    std::vector<std::string> names{"comparison.txt", "comparison.csv", "comparison.json"};
    if (!options_.no_report) {
      names.emplace_back("index.html");
    }
    for (ComparedRun& run : runs_) {
      const std::string label = run.label(comparison_.thing);
      names.push_back(ComparisonFolder::result_of(label));
      run.folder = folder_->path(names.back()).parent_path();
      if (!options_.no_pictures && run.row.failures == 0 &&
          run.row.processes <= most_charted_processes) {
        names.push_back(ComparisonFolder::trace_of(label));
        run.trace = folder_->path(names.back());
      }
    }
    folder_->plan(plan_, names);
    if (folder_->is_replaced()) {
      write_list();  // before what it no longer names is removed
      folder_->remove_replaced();
    }
  }

  /// Outside the folder, tables name no files in it.
  void put_tables() {
    Comparison alone = comparison_;
    for (ComparisonRow& row : alone.rows) {
      row.result.clear();
      row.trace.clear();
    }
    for (const NamedOutput& output : outputs_) {
      plan_.put(output.file, output.kind == "json"  ? comparison_json(alone)
                             : output.kind == "csv" ? comparison_csv(alone)
                                                    : comparison_table(alone));
    }
  }

  void update() {
    comparison_.rows.clear();
    comparison_.is_complete = true;
    for (const ComparedRun& run : runs_) {
      if (run.has_ended) {
        comparison_.rows.push_back(run.row);
      } else {
        comparison_.is_complete = false;
      }
    }
  }

  /// Says which runs the folder holds.
  void write_list() {
    if (folder_) {
      keep([&] { write_file(folder_->path("comparison.json"), comparison_json(comparison_)); });
    }
  }

  /// A full disk loses files, but not the comparison. Complains of the first that is lost.
  bool keep(const std::function<void()>& write) {
    try {
      write();
      return true;
    } catch (const InputError& error) {
      if (!std::exchange(has_lost_files_, true)) {
        complain(error.what());
      }
      return false;
    }
  }

  const CompareOptions& options_;
  std::vector<ComparedRun>& runs_;
  Comparison comparison_;
  OutputPlan plan_;
  const std::vector<NamedOutput> outputs_ = plan_.writes(options_.outputs);
  std::optional<ComparisonFolder> folder_;
  bool has_lost_files_ = false;
};

/// Makes what the folder of a complete comparison holds besides; what an interrupt has left out, or
/// nothing.
std::string left_out(const CompareOptions& options, Report& report,
                     const InterruptWatch& interrupt) {
  if (options.output.empty()) {
    return {};
  }
  if (!options.no_report && !report.add_page(interrupt)) {
    return "index.html is not written";
  }
  if (!options.no_pictures &&
      draw_pictures(options.output, interrupt) == PicturesEnd::interrupted) {
    return "pictures are not drawn";
  }
  return {};
}

ExitStatus compare(const CompareOptions& options) {
  refuse_if(options.seeds && !options.fails_links(), "--seeds",
            "says how many draws of failed links there are (give --failures, too)");
  failure_numbers(options.failures);  // what cannot be used is refused before anything is read
  if (!options.embeddings.empty()) {
    check_hosts_option(options.scenario.hosts, options.embeddings);
  }
  std::vector<ComparedRun> runs = chosen_runs(options);
  if (options.why) {
    explain_runs(runs);
  }
  const BatchLimits limits = batch_limits(options, runs);
  Report report{options, runs};
  const Comparison& comparison = report.comparison();
  const std::string compared_things =
      comparison.is_scaling() || !comparison.networks.empty() || options.fails_links()
          ? "runs"
          : "embeddings";
  const InterruptWatch interrupt;
  simulate_all("comparing " + compared_things, limits, interrupt, runs,
               [&](ComparedRun& run) { report.add(run); });
  report.write_tables();
  const std::string missing =
      comparison.is_complete
          ? left_out(options, report, interrupt)
          : fmt::format("{} of {} {} done", comparison.rows.size(), runs.size(), compared_things);
  const ExitStatus written = report.plan().finish(options.display.shown(
      [&] { return comparison_json(comparison); }, [&] { return comparison_table(comparison); }));
  report.complain_of_failures();
  if (!missing.empty()) {
    complain(fmt::format("{}: interrupted ({})", comparison.scenario, missing));
    return ExitStatus::interrupted;
  }
  const bool has_unusable_input =
      std::ranges::any_of(runs, [](const ComparedRun& run) { return run.has_unusable_input; });
  if (written != ExitStatus::done || report.has_lost_files() || has_unusable_input) {
    return ExitStatus::unusable_input;
  }
  return comparison.has_failure() ? ExitStatus::experiment_failed : ExitStatus::done;
}

}  // namespace

void compare_command(CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  Parser parser =
      line.add("compare",
               "Simulate a scenario under several embeddings or on several numbers of processes "
               "and say which wins",
               [options] { return compare(*options); });
  add_scenario_argument(parser, options->scenario).required();
  add_scenario_changes(parser, options->scenario, options->embeddings);
  const Option processes =
      parser.list("--process-count,--processes", options->processes, "N[,N..]",
                  "numbers of processes to compare, under the scenario's embedding or each of "
                  "--embedding");
  Option failures = parser.list("--failures", options->failures, "N[,N..]",
                                "numbers of links to fail, drawn at random: how much slower does "
                                "every embedding become?");
  failures.excludes(processes);
  parser.option("--seeds", options->seeds, failure_seeds, "N",
                "with --failures, draws of each number of links (default: 10)");
  parser
      .list("--network,--switching", options->networks, "NAME[,NAME..]",
            "networks to compare every embedding under: store_and_forward, cut_through, fluid "
            "(SimGrid's links: fluid:CM02 or fluid:LV08)")
      .excludes(processes);
  add_jobs_option(parser, options->jobs);
  add_time_limit_option(parser, options->time_limit, "stop a simulation after this time");
  parser.option("-o,--output", options->output, "FOLDER",
                "write the comparison as text, JSON and CSV, every result, pictures and a report "
                "page (index.html) here");
  options->outputs.add_write(parser, {{"json"}, {"csv"}, {"text"}});
  parser.flag("--force", options->force, "replace another comparison in the output folder");
  parser.flag("--no-pictures", options->no_pictures, "draw no pictures into the output folder");
  parser.flag("--no-report", options->no_report,
              "write no index.html, for which every run is repeated");
  parser.flag("--why", options->why, "also say what the critical path of every run goes on")
      .excludes(failures);
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube compare scenarios/quickstart.json --embedding standard,xor\n"
      "dcube compare scenarios/ring-cc_dcube-gray.json --network store_and_forward,fluid\n"
      "dcube compare scenarios/quickstart.json --failures 1,2,4 --seeds 5\n"
      "dcube compare scenarios/hypercube-knapsack-ncube.json --process-count 1,2,4,8,16 --output "
      "knapsack");
}

}  // namespace dcube::app
