#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/compare/pictures.hpp"
#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "app/runs/runs_options.hpp"
#include "app/sweep/sweep_tables.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/questions/sweep.hpp"
#include "dcube/report/page.hpp"
#include "dcube/runs/database.hpp"
#include "dcube/runs/tables.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* sweep_script = "scripts/plot_sweep.py";
/// Groups of seeds that a terminal shows unasked.
constexpr std::size_t most_shown_rows = 60;

/// The command line of `dcube sweep`.
struct SweepOptions {
  SweepRequest request;
  RunsOptions runs;
  std::string status;
  std::string collect;
  std::string output;
  OutputOptions outputs;
  DisplayOptions display;
  bool no_pictures = false;
  bool no_report = false;
};

// --- What is written ---

bool is_drawn(const std::string& kind) { return kind == "png" || kind == "svg" || kind == "pdf"; }

struct SweepFiles {
  std::vector<NamedOutput> named;  ///< on the command line
  fs::path folder;                 ///< of the study
  bool keeps_folder = true;        ///< the folder's own files are written, too
};

std::vector<std::string> folder_files(const SweepOptions& options) {
  std::vector<std::string> names{"table.csv", "summary.csv", "table.txt", "sweep.json", "runs.db"};
  if (!options.no_pictures) {
    names.emplace_back("curves.png");
  }
  if (!options.no_report) {
    names.emplace_back("index.html");
  }
  return names;
}

/// A dcube that was built without SQLite leaves runs.db out, and says so where --db asks for it.
bool can_make_databases() {
  try {
    return expect_database_module();
  } catch (const InputError&) {
    return false;
  }
}

/// Throws InputError for outputs that cannot be made, before a folder is.
void check_outputs(const SweepOptions& options, const Sweep& sweep) {
  OutputPlan outside{options.display};
  outside.reads(sweep.study().inputs());
  for (const NamedOutput& output : options.outputs.named()) {
    if (output.file.parent_path() != sweep.folder()) {
      outside.writes(output.option, output.file);
    }
    refuse_if((output.kind == "dat" || is_drawn(output.kind)) && !sweep.view().x, output.option,
              "no setting has two values, so there is nothing to draw");
    if (output.kind == "db") {
      at_place(output.option, expect_database_module);
    }
  }
}

SweepFiles plan_sweep_files(const SweepOptions& options, const Sweep& sweep, OutputPlan& plan) {
  SweepFiles files{
      .named = options.outputs.named(),
      .folder = sweep.folder(),
      .keeps_folder = options.collect.empty() || access(sweep.folder().c_str(), W_OK) == 0};
  plan.reads(sweep.record_files());
  for (const NamedOutput& output : files.named) {
    plan.writes(output.option, output.file);
  }
  for (const std::string& name :
       files.keeps_folder ? folder_files(options) : std::vector<std::string>{}) {
    plan.writes("--output", files.folder / name);
  }
  return files;
}

std::string content_of(const std::string& kind, const StudyResults& results,
                       const SweepView& view) {
  return kind == "csv"       ? study_csv(results)
         : kind == "summary" ? study_summary_csv(results)
         : kind == "dat"     ? study_dat(results, *view.measures.front(), *view.x, view.line)
         : kind == "db"      ? at_place("--db", [&] { return study_database(results); })
         : kind == "html" ? report::sweep_page(results.study.plan().name, sweep_json(results, view))
         : kind == "json" ? sweep_json(results, view)
                          : sweep_text(results, view, results.records.size());
}

void put_tables(const SweepOptions& options, const SweepFiles& files, const StudyResults& results,
                const SweepView& view, OutputPlan& plan) {
  for (const NamedOutput& output : files.named) {
    if (!is_drawn(output.kind)) {
      plan.put(output.file, content_of(output.kind, results, view));
    }
  }
  if (!files.keeps_folder) {
    return;
  }
  for (const auto& [name, kind] :
       {std::pair{"table.csv", "csv"}, std::pair{"summary.csv", "summary"},
        std::pair{"table.txt", "text"}, std::pair{"sweep.json", "json"}}) {
    plan.put(files.folder / name, content_of(kind, results, view));
  }
  if (can_make_databases()) {
    plan.put(files.folder / "runs.db", study_database(results));
  }
  if (!options.no_report) {
    plan.put(files.folder / "index.html", content_of("html", results, view));
  }
}

/// Draws the pictures when all runs are done. The folder is whole without its own.
ExitStatus draw_results(const SweepOptions& options, const SweepFiles& files,
                        const StudyResults& results, const SweepView& view,
                        const InterruptWatch& interrupt) {
  const bool has_completed = std::ranges::any_of(results.records, [](const RunRecord* record) {
    return record != nullptr && record->has_completed();
  });
  std::vector<fs::path> pictures =
      mapped(kept(files.named, [](const NamedOutput& output) { return is_drawn(output.kind); }),
             &NamedOutput::file);
  const std::size_t named = pictures.size();
  if (!view.x || !has_completed) {
    for (const fs::path& picture : pictures) {
      complain(fmt::format("{}: not drawn: nothing completed", picture.string()));
    }
    return ExitStatus::done;  // the runs have failed
  }
  if (!options.no_pictures && !options.output.empty() && files.keeps_folder) {
    pictures.push_back(files.folder / "curves.png");
  }
  ExitStatus end = ExitStatus::done;
  for (std::size_t place = 0; place < pictures.size(); ++place) {
    const ExitStatus drawn =
        draw_picture(sweep_script, sweep_json(results, view), pictures[place], interrupt);
    if (drawn == ExitStatus::interrupted) {
      return drawn;
    }
    end = place < named ? std::max(end, drawn) : end;
  }
  return end;
}

/// A line for every reason that a run did not complete for.
void complain_of_failures(const StudyResults& results) {
  constexpr std::size_t most_told = 10;
  const std::vector<SweepFailure> failures = sweep_failures(results);
  for (const SweepFailure& failure : first_of(failures, most_told)) {
    const auto values = results.study.values(failure.first);
    const auto settings = numbered(values.size(), [&](std::size_t i) {
      return fmt::format("{}={}", results.study.settings()[i]->pointer, values[i]->text);
    });
    complain(fmt::format("{}: {}: {} ({}; the first with {})", results.study.plan().name,
                         counted(failure.runs, "run"), to_string(failure.outcome), failure.problem,
                         joined(settings, " ")));
  }
  if (failures.size() > most_told) {
    complain(fmt::format("{} more", counted(failures.size() - most_told, "reason")));
  }
}

std::string shown(const SweepOptions& options, const StudyResults& results, const SweepView& view) {
  return options.display.shown(
      [&] { return sweep_json(results, view); },
      [&] {
        return sweep_text(results, view,
                          options.display.full ? results.records.size() : most_shown_rows);
      });
}

/// Tells and writes the tables of the runs that are done. Returns the exit status.
ExitStatus tell(const SweepOptions& options, Sweep& sweep, const SweepFiles& files,
                OutputPlan& plan, const InterruptWatch& interrupt) {
  const SweepView& view = sweep.view();
  const StudyResults results = sweep.results();
  put_tables(options, files, results, view, plan);
  const ExitStatus written = plan.finish(shown(options, results, view));
  const ExitStatus drawn = draw_results(options, files, results, view, interrupt);
  complain_of_failures(results);
  if (drawn == ExitStatus::interrupted) {
    complain("interrupted (pictures are not drawn)");
    return ExitStatus::interrupted;
  }
  if (!results.is_complete()) {
    complain(fmt::format("{}: {} of {} missing (they are made by the command that made the others)",
                         files.folder.string(), results.records.size() - results.done(),
                         counted(results.records.size(), "run")));
  }
  const bool has_failure = std::ranges::any_of(results.records, [](const RunRecord* record) {
    return record == nullptr || !record->has_completed();
  });
  return written != ExitStatus::done ? written
         : drawn != ExitStatus::done ? drawn
         : has_failure               ? ExitStatus::experiment_failed
                                     : ExitStatus::done;
}

// --- What the command does ---

ExitStatus make_and_tell(const SweepOptions& options) {
  OutputPlan plan{options.display};
  SweepRequest request = options.request;
  request.output = options.output;
  Sweep sweep{request};
  if (options.runs.is_worker()) {
    Progress progress{ProgressOutput::off, "sweeping"};
    return status_of(sweep.make_runs(options.runs.limits(progress), InterruptWatch{}), options.runs,
                     options.display, {});
  }
  check_outputs(options, sweep);
  refuse_other_results("--output", sweep.folder(), "sweep");
  plan.reads(sweep.study().inputs());
  sweep.open();
  const SweepFiles files = plan_sweep_files(options, sweep, plan);
  const InterruptWatch interrupt;
  const RunsEnd end = [&] {
    Progress progress{options.display.progress(), "sweeping"};
    return sweep.make_runs(options.runs.limits(progress), interrupt);
  }();
  const std::size_t runs = sweep.study().run_count();
  const std::string folder = sweep.folder().string();
  if (end == RunsEnd::interrupted) {
    complain(fmt::format("interrupted ({} of {} done and kept in {}; the same command goes on)",
                         grouped(sweep.done_count()), counted(runs, "run"), folder));
    return ExitStatus::interrupted;
  }
  if (end == RunsEnd::shard_is_done) {
    return status_of(end, options.runs, options.display, done_in(folder, sweep.done_count(), runs),
                     "dcube sweep --collect " + folder);
  }
  return tell(options, sweep, files, plan, interrupt);
}

ExitStatus collect(SweepOptions options) {
  options.request.output = options.output = options.collect;
  Sweep sweep = Sweep::kept(options.request, "--collect");
  check_outputs(options, sweep);
  sweep.open();
  OutputPlan plan{options.display};
  const SweepFiles files = plan_sweep_files(options, sweep, plan);
  return tell(options, sweep, files, plan, InterruptWatch{});
}

ExitStatus tell_status(const SweepOptions& options) {
  Sweep sweep = Sweep::kept({.output = options.status}, "--status");
  print(options.display.json ? sweep_status_json(sweep) : sweep_status_text(sweep));
  return ExitStatus::done;
}

/// What a folder holds is made already.
void refuse_changes_of_runs(const SweepOptions& options) {
  const SweepRequest& request = options.request;
  const char* const folder = options.status.empty() ? "--collect" : "--status";
  const auto refuse = [&](const char* option, bool is_given) {
    refuse_if(is_given, option, "is for runs that are made, and {} says what a folder holds",
              folder);
  };
  refuse("--vary", !request.vary.empty());
  refuse("--zip", !request.zip.empty());
  refuse("--where", !request.where.empty());
  refuse("--seeds", request.seeds.has_value());
  refuse("--jitter", !request.jitter.empty());
  refuse("--set", !request.scenario.settings.empty());
  refuse("--embedding", !request.embeddings.empty());
  refuse("--hosts", !request.scenario.hosts.empty());
  refuse("--shard", !options.runs.shard.empty());
  refuse("--output", !options.output.empty());
}

ExitStatus run_sweep(const SweepOptions& options) {
  const bool is_of_folder = !options.status.empty() || !options.collect.empty();
  refuse_if(!is_of_folder && options.request.scenario.file.empty(), "SCENARIO",
            "is missing (a scenario or a study; or --status FOLDER, --collect FOLDER)");
  refuse_if(is_of_folder && !options.request.scenario.file.empty(), "SCENARIO",
            "{} is one thing too many: the folder says which study it holds",
            options.request.scenario.file);
  if (is_of_folder) {
    refuse_changes_of_runs(options);
  }
  check_runs_options(options.runs, "--output", "FOLDER", options.request.scenario.file);
  if (options.runs.is_worker()) {
    // Rank 0 prints for all ranks, complaints included.
    if (is_of_folder) {
      return ExitStatus::done;
    }
    try {
      return make_and_tell(options);
    } catch (const InputError&) {
      return ExitStatus::unusable_input;
    }
  }
  return !options.status.empty()    ? tell_status(options)
         : !options.collect.empty() ? collect(options)
                                    : make_and_tell(options);
}

}  // namespace

void sweep_command(CommandLine& line) {
  auto [parser, options] = line.add<SweepOptions>(
      "sweep", "Simulate every combination of settings, seeds and embeddings; keep every result",
      run_sweep);
  parser
      .argument("SCENARIO|STUDY", options->request.scenario.file,
                "a scenario (a file or a name) or a study (a file)")
      .reads_file();
  parser.option("--vary", options->request.vary, "/POINTER=VALUES",
                "a setting and its values: a,b,c, lin:FROM:TO:N or log:FROM:TO:N; may be repeated");
  parser.option("--zip", options->request.zip, "/POINTER=VALUES",
                "the same for settings that go through their values together");
  parser.option("--where", options->request.where, "CONDITION",
                "keep only runs with, say, \"/program/message <= 64KiB\"; may be repeated");
  parser.option("--seeds", options->request.seeds, positive_int, "N",
                "make each run with the seeds 1 to N; tables show mean, spread and interval");
  parser.option("--jitter", options->request.jitter, "AMPLITUDE",
                "set /jitter: relative amplitude by which times vary");
  add_scenario_changes(parser, options->request.scenario, options->request.embeddings,
                       "embeddings to go through: names, JSON or map files (default: the "
                       "scenario's)");
  parser.list("--measure", options->request.measures, "NAME[,NAME..]",
              "what to show (default: makespan, waiting, dilation, loads); the first is drawn");
  parser.list("--ratio", options->request.ratios, "A/B[,C/D..]",
              "also show the first measure of runs with the value A over that of runs with B");
  parser.option("--x", options->request.x, "/POINTER",
                "setting of the horizontal axis of pictures (default: the first with numbers)");
  parser.option("--lines", options->request.lines, "/POINTER",
                "setting with a curve for each value (default: /embedding)");
  add_runs_options(parser, options->runs);
  Option status = parser.option("--status", options->status, "FOLDER",
                                "say what is done, running and failed in a folder");
  parser
      .option("--collect", options->collect, "FOLDER",
              "make the tables and pictures of what a folder holds")
      .excludes(status);
  parser.option("-o,--output", options->output, "FOLDER",
                "keep the results here; the same command goes on where it was ended (default: "
                "NAME-sweep-ID)");
  OutputOptions& outputs = options->outputs;
  outputs.add_write(parser, {{"csv", ".csv"},
                             {"summary"},
                             {"dat", ".dat"},
                             {"db", ".db"},
                             {"json", ".json"},
                             {"text", ".txt"},
                             {"html", ".html"},
                             {"png", ".png"},
                             {"svg", ".svg"},
                             {"pdf", ".pdf"}});
  outputs.add_spelling(parser, "--csv", "FILE", "write a row for each run", "csv");
  outputs.add_spelling(parser, "--dat", "FILE", "write the curves for gnuplot", "dat");
  outputs.add_spelling(parser, "--db", "FILE", "write the runs as an SQLite database", "db");
  parser.flag("--no-pictures", options->no_pictures, "draw no pictures into the output folder");
  parser.flag("--no-report", options->no_report, "write no index.html into the output folder");
  add_display_options(parser, options->display);
  parser.examples(
      "dcube sweep scenarios/quickstart.json --vary /program/compute=log:10ms:100s:5 --embedding "
      "standard,xor --ratio standard/xor --output computing\n"
      "dcube sweep --status computing\n"
      "dcube sweep --collect computing --csv -");
}

}  // namespace dcube::app
