#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/compare/pictures.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/sweep/sweep_options.hpp"
#include "app/sweep/sweep_report.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/report/sweep_page.hpp"
#include "dcube/runs/database.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/runs/tables.hpp"
#include "dcube/show/text_table.hpp"
#include "runs/execute.hpp"
#include "runs/store.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* sweep_script = "scripts/plot_sweep.py";
/// Groups of seeds that a terminal shows unasked.
constexpr std::size_t most_shown_rows = 60;

// --- What is written ---

bool is_drawn(const std::string& kind) { return kind == "png" || kind == "svg" || kind == "pdf"; }

struct SweepFiles {
  std::vector<NamedOutput> named;  ///< on the command line
  fs::path folder;                 ///< of the study
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

/// Throws InputError for outputs that cannot be made, before a folder is. `folder`: the study's.
void check_outputs(const SweepOptions& options, const Study& study, const SweepQuestion& question,
                   const fs::path& folder) {
  OutputPlan outside;
  outside.reads(study.inputs());
  for (const NamedOutput& output : options.outputs.named()) {
    if (output.file.parent_path() != folder) {
      outside.writes(output.option, output.file);
    }
    refuse_if((output.kind == "dat" || is_drawn(output.kind)) && !question.x, output.option,
              "no setting has two values, so there is nothing to draw");
    if (output.kind == "db") {
      at_place(output.option, expect_database_module);
    }
  }
}

SweepFiles plan_sweep_files(const SweepOptions& options, fs::path folder, OutputPlan& plan) {
  SweepFiles files{.named = options.outputs.named(), .folder = std::move(folder)};
  for (const NamedOutput& output : files.named) {
    plan.writes(output.option, output.file);
  }
  for (const std::string& name : folder_files(options)) {
    plan.writes("--output", files.folder / name);
  }
  return files;
}

std::string content_of(const std::string& kind, const StudyResults& results,
                       const SweepQuestion& question) {
  if (kind == "csv") {
    return study_csv(results);
  }
  if (kind == "summary") {
    return study_summary_csv(results);
  }
  if (kind == "dat") {
    return study_dat(results, *question.measures.front(), *question.x, question.line);
  }
  if (kind == "db") {
    return at_place("--db", [&] { return study_database(results); });
  }
  if (kind == "html") {
    return report::sweep_page(results.study.plan().name, sweep_json(results, question));
  }
  if (kind == "json") {
    return sweep_json(results, question);
  }
  return sweep_text(results, question, results.records.size());
}

void put_tables(const SweepOptions& options, const SweepFiles& files, const StudyResults& results,
                const SweepQuestion& question, OutputPlan& plan) {
  for (const NamedOutput& output : files.named) {
    if (!is_drawn(output.kind)) {
      plan.put(output.file, content_of(output.kind, results, question));
    }
  }
  for (const auto& [name, kind] :
       {std::pair{"table.csv", "csv"}, std::pair{"summary.csv", "summary"},
        std::pair{"table.txt", "text"}, std::pair{"sweep.json", "json"}}) {
    plan.put(files.folder / name, content_of(kind, results, question));
  }
  if (can_make_databases()) {
    plan.put(files.folder / "runs.db", study_database(results));
  }
  if (!options.no_report) {
    plan.put(files.folder / "index.html", content_of("html", results, question));
  }
}

/// Draws the pictures when all runs are done. False after an interrupt.
bool draw_results(const SweepOptions& options, const SweepFiles& files, const StudyResults& results,
                  const SweepQuestion& question, const InterruptWatch& interrupt) {
  const bool has_completed = std::ranges::any_of(results.records, [](const RunRecord* record) {
    return record != nullptr && record->has_completed();
  });
  std::vector<fs::path> pictures;
  for (const NamedOutput& output : files.named) {
    if (is_drawn(output.kind)) {
      pictures.push_back(output.file);
    }
  }
  if (!options.no_pictures && !options.output.empty()) {
    pictures.push_back(files.folder / "curves.png");
  }
  if (!question.x || !has_completed) {
    for (const fs::path& picture : pictures) {
      if (picture.parent_path() != files.folder) {
        complain(fmt::format("{}: not drawn: {}", picture.string(),
                             question.x ? "nothing completed" : "no setting has two values"));
      }
    }
    return true;
  }
  return std::ranges::all_of(pictures, [&](const fs::path& picture) {
    return draw_picture(sweep_script, sweep_json(results, question), picture, interrupt) !=
           PicturesEnd::interrupted;
  });
}

StudyResults results_of(const Study& study, RunStore& store) {
  StudyResults results{study, {}};
  for (std::size_t run = 0; run < study.run_count(); ++run) {
    results.records.push_back(store.record(run));
  }
  return results;
}

/// A line for every reason that a run did not complete for.
void complain_of_failures(const StudyResults& results) {
  std::map<std::pair<Outcome, std::string>, std::pair<std::size_t, std::size_t>> reasons;
  for (const RunRecord* const record : results.records) {
    if (record != nullptr && !record->has_completed()) {
      const auto [place, is_new] =
          reasons.try_emplace({record->outcome, record->problem}, record->run, 0);
      ++place->second.second;
    }
  }
  constexpr std::size_t most_told = 10;
  std::size_t told = 0;
  for (const auto& [reason, runs] : reasons) {
    if (++told > most_told) {
      complain(fmt::format("{} more", counted(reasons.size() - most_told, "reason")));
      return;
    }
    std::vector<std::string> settings;
    const auto values = results.study.values(runs.first);
    for (std::size_t i = 0; i < values.size(); ++i) {
      settings.push_back(
          fmt::format("{}={}", results.study.settings()[i]->pointer, values[i]->text));
    }
    complain(fmt::format("{}: {}: {} ({}; {})", results.study.plan().name,
                         counted(runs.second, "run"), to_string(reason.first), reason.second,
                         fmt::format("the first with {}", joined(settings, " "))));
  }
}

std::string shown(const SweepOptions& options, const StudyResults& results,
                  const SweepQuestion& question) {
  if (options.outputs.is_printed() && !options.display.json) {
    return {};
  }
  return options.display.shown(
      [&] { return sweep_json(results, question); },
      [&] {
        return sweep_text(results, question,
                          options.display.full ? results.records.size() : most_shown_rows);
      });
}

/// Tells and writes the tables of the runs that are done. Returns the exit status.
ExitStatus tell(const SweepOptions& options, const Study& study, RunStore& store,
                const SweepQuestion& question, const SweepFiles& files, OutputPlan& plan,
                const InterruptWatch& interrupt) {
  const StudyResults results = results_of(study, store);
  put_tables(options, files, results, question, plan);
  const ExitStatus written = plan.finish(shown(options, results, question));
  const bool is_whole = draw_results(options, files, results, question, interrupt);
  complain_of_failures(results);
  if (!is_whole) {
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
         : has_failure               ? ExitStatus::experiment_failed
                                     : ExitStatus::done;
}

// --- What the command does ---

/// The default folder, the same for the same study.
fs::path usual_folder(const Study& study) {
  std::string name = study.plan().name;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == ' '; }, '-');
  return fmt::format("{}-sweep-{}", name, study.id().substr(0, 8));
}

ExitStatus sweep(const SweepOptions& options) {
  OutputPlan plan;
  const Study study{study_plan(options)};
  const SweepQuestion question = sweep_question(options, study);
  const fs::path folder = options.output.empty() ? usual_folder(study) : fs::path{options.output};
  check_outputs(options, study, question, folder);
  plan.reads(study.inputs());
  RunStore store{study, folder, "--output"};
  const SweepFiles files = plan_sweep_files(options, folder, plan);
  const InterruptWatch interrupt;
  const RunsEnd end = [&] {
    Progress progress{options.display.progress(), "sweeping"};
    return make_runs(study, store, options.runs.limits(progress), interrupt);
  }();
  if (end == RunsEnd::interrupted) {
    complain(fmt::format("interrupted ({} of {} done and kept in {}; the same command goes on)",
                         grouped(store.done_count()), counted(study.run_count(), "run"),
                         folder.string()));
    return ExitStatus::interrupted;
  }
  if (end == RunsEnd::shard_is_done) {
    return status_of(end, options.runs, options.display,
                     done_in(folder, store.done_count(), store.run_count()),
                     "dcube sweep --collect " + folder.string());
  }
  return tell(options, study, store, question, files, plan, interrupt);
}

ExitStatus collect(const SweepOptions& options) {
  const fs::path folder = options.collect;
  const Study study =
      Study::described(RunStore::read_description(folder), (folder / "study.json").string());
  const SweepQuestion question = sweep_question(options, study);
  check_outputs(options, study, question, folder);
  RunStore store{study, folder, "--collect"};
  SweepOptions told = options;
  told.output = options.collect;
  OutputPlan plan;
  const SweepFiles files = plan_sweep_files(told, folder, plan);
  const InterruptWatch interrupt;
  return tell(told, study, store, question, files, plan, interrupt);
}

ExitStatus tell_status(const SweepOptions& options) {
  const fs::path folder = options.status;
  const Study study =
      Study::described(RunStore::read_description(folder), (folder / "study.json").string());
  RunStore store{study, folder, "--status"};
  const std::vector<StoreSession> sessions = store.sessions();
  const StudyResults results = results_of(study, store);
  std::size_t running = 0;
  for (const StoreSession& session : sessions) {
    running += session.is_alive ? session.claimed : 0;
  }
  const std::size_t open = study.run_count() - results.done() - running;
  if (options.display.json) {
    print(sweep_status_json(study, results, sessions, running));
    return ExitStatus::done;
  }
  Table counts = facts_table();
  counts.add_row({"runs", grouped(study.run_count())});
  for (const auto& [outcome, count] : results.outcomes()) {
    counts.add_row({to_string(outcome), grouped(count)});
  }
  counts.add_row({"running", grouped(running)});
  counts.add_row({"open", grouped(open)});
  std::string text = fmt::format("{}: {}\n{}", folder.string(), study.plan().name, counts.text(2));
  if (!sessions.empty()) {
    Table commands{
        {{"command", Table::Align::left}, {"", Table::Align::left}, {"done"}, {"running"}}};
    for (const StoreSession& session : sessions) {
      commands.add_row({session.name, session.is_alive ? "works" : "has ended",
                        grouped(session.done), session.is_alive ? grouped(session.claimed) : "-"});
    }
    text += commands.text(2);
  }
  print(text);
  return ExitStatus::done;
}

ExitStatus run_sweep(const SweepOptions& options) {
  const bool is_of_folder = !options.status.empty() || !options.collect.empty();
  refuse_if(!is_of_folder && options.scenario.file.empty(), "SCENARIO",
            "is missing (a scenario or a study; or --status FOLDER, --collect FOLDER)");
  refuse_if(is_of_folder && !options.scenario.file.empty(), "SCENARIO",
            "{} is one thing too many: the folder says which study it holds",
            options.scenario.file);
  check_runs_options(options.runs, "FOLDER", options.scenario.file);
  if (options.runs.is_worker()) {
    // Rank 0 prints for all ranks, complaints included.
    if (is_of_folder) {
      return ExitStatus::done;
    }
    try {
      Progress progress{ProgressOutput::off, "sweeping"};
      return status_of(work_for_rank_0(Study{study_plan(options)}, options.runs.limits(progress),
                                       InterruptWatch{}),
                       options.runs, options.display, {});
    } catch (const InputError&) {
      return ExitStatus::unusable_input;
    }
  }
  return !options.status.empty()    ? tell_status(options)
         : !options.collect.empty() ? collect(options)
                                    : sweep(options);
}

}  // namespace

void sweep_command(CommandLine& line) {
  const auto options = std::make_shared<SweepOptions>();
  Parser parser = line.add(
      "sweep", "Simulate every combination of settings, seeds and embeddings; keep every result",
      [options] { return run_sweep(*options); });
  parser
      .argument("SCENARIO|STUDY", options->scenario.file,
                "a scenario (a file or a name) or a study (a file)")
      .reads_file();
  parser.option("--vary", options->vary, "/POINTER=VALUES",
                "a setting and its values: a,b,c, lin:FROM:TO:N or log:FROM:TO:N; may be repeated");
  parser.option("--zip", options->zip, "/POINTER=VALUES",
                "the same for settings that go through their values together");
  parser.option("--where", options->where, "CONDITION",
                "keep only runs with, say, \"/program/message <= 64KiB\"; may be repeated");
  parser.option("--seeds", options->seeds, positive_int, "N",
                "make each run with the seeds 1 to N; tables show mean, spread and interval");
  parser.option("--jitter", options->jitter, "PART", "set /jitter: how much times vary");
  add_scenario_changes(parser, options->scenario, options->embeddings,
                       "embeddings to go through: names, JSON or map files (default: the "
                       "scenario's)");
  parser.list("--measure", options->measures, "NAME[,NAME..]",
              "what to show (default: makespan, waiting, dilation, loads); the first is drawn");
  parser.list("--ratio", options->ratios, "A/B[,C/D..]",
              "also show the first measure of runs with the value A over that of runs with B");
  parser.option("--x", options->x, "/POINTER",
                "setting of the horizontal axis of pictures (default: the first with numbers)");
  parser.option("--lines", options->lines, "/POINTER",
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
