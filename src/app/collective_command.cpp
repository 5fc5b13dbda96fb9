#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/collective/collective_report.hpp"
#include "app/compare/pictures.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/runs/runs_options.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/file_text.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/report/page.hpp"

namespace dcube::app {
namespace {

constexpr const char* collective_script = "scripts/plot_collective.py";

struct CollectiveCommand {
  CollectiveRequest request;
  RunsOptions runs;
  std::string output;  ///< a picture or a folder
  OutputOptions outputs;
  DisplayOptions display;
  bool all_rows = false;
  bool no_crossovers = false;
};

bool is_picture(const std::string& output) {
  return std::ranges::any_of(std::array{".png", ".svg", ".pdf"},
                             [&](const char* suffix) { return output.ends_with(suffix); });
}

/// Files that are written besides what is printed.
struct CollectiveFiles {
  std::string picture;
  std::vector<std::pair<std::string, std::string>> in_folder;  ///< kind and file
  std::vector<NamedOutput> named;
};

CollectiveFiles plan_collective_files(const CollectiveCommand& options, OutputPlan& plan) {
  CollectiveFiles files{.picture = {}, .in_folder = {}, .named = plan.writes(options.outputs)};
  if (options.output.empty()) {
    return files;
  }
  const auto add = [&](const std::filesystem::path& file) {
    plan.writes("--output", file);
    return file.string();
  };
  if (is_picture(options.output)) {
    files.picture = add(options.output);
    return files;
  }
  const std::filesystem::path folder = options.output;
  const auto add_later = [&](const std::string& name) {
    plan.writes_into("--output", folder, name);
    return (folder / name).string();
  };
  for (const char* const kind : {"txt", "csv", "json"}) {
    files.in_folder.emplace_back(kind, add_later(fmt::format("collective.{}", kind)));
  }
  files.in_folder.emplace_back("html", add_later("index.html"));
  files.picture = add_later("collective.png");
  return files;
}

std::string collective_page(const CollectiveAnswer& answer) {
  return report::answer_page(
      fmt::format("{} on {}", name_of(answer.kind), answer.machine->name),
      json_line({{"kind", "collective"}, {"answer", json_value(collective_json(answer))}}));
}

/// Kinds of files that need no run to have completed.
std::string content_of(const std::string& kind, const CollectiveAnswer& answer) {
  return kind == "txt"    ? collective_text(answer, ShownRows::all)
         : kind == "csv"  ? collective_csv(answer)
         : kind == "html" ? collective_page(answer)
                          : collective_json(answer);
}

bool is_of_any_answer(const std::string& kind) {
  return kind == "result" || kind == "csv" || kind == "html";
}

void put_collective_file(const NamedOutput& output, const CollectiveAnswer& answer,
                         OutputPlan& plan) {
  if (is_of_any_answer(output.kind)) {
    plan.put(output.file, content_of(output.kind, answer));
    return;
  }
  const CollectiveRow& best = *answer.best();
  const Scenario scenario = collective_scenario(answer, answer.way_of(best), best.bytes);
  if (output.kind == "scenario") {
    Params document = scenario.document;
    document.set("name", output.file.stem().string());
    plan.put(output.file, json_layout(nlohmann::ordered_json(Setting{document})));
    return;
  }
  const MapFormat& format = *find_kind(map_format_catalog(), output.kind);
  const std::vector<NodeId> map = scenario.embedding->map();
  plan.put(output.file, at_place(output.option, [&] {
             return format.write({*scenario.machine, map, answer.hosts,
                                  [&] { return Traffic::of(scenario.program->guest()); }});
           }));
}

/// Complains once of each way that failed; a refusal counts only where the user named the way. True
/// when any failed.
bool complain_of_rows(const CollectiveAnswer& answer) {
  bool has_failure = false;
  std::size_t told = answer.ways.size();
  for (const CollectiveRow& row : answer.rows) {
    const CollectiveWay& way = answer.way_of(row);
    const bool is_choice = row.outcome == Outcome::refused && !way.was_named;
    if (!row.is_complete() && !is_choice) {
      has_failure = true;
      if (std::exchange(told, row.way) != row.way) {
        complain(fmt::format("{} on {}{}: {} ({})", way.algorithm, way.embedding,
                             way.network.empty() ? "" : " under " + way.network,
                             to_string(row.outcome), row.problem));
      }
    }
  }
  return has_failure;
}

/// A folder keeps the answer of one question.
void refuse_other_answer(const std::filesystem::path& folder, const CollectiveAnswer& begun) {
  refuse_other_results("--output", folder, "collective");
  const std::filesystem::path file = folder / "collective.json";
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    const auto known = json_value(file_text(file));
    refuse_if(!known.is_object() || known.value("id", nlohmann::ordered_json{}) != begun.id,
              "--output", "{} holds results of another question; name another folder",
              folder.string());
  }
}

/// Checks the files before anything is simulated.
void check_files(const CollectiveCommand& options, const CollectiveAnswer& begun,
                 OutputPlan& plan) {
  plan.reads(begun.inputs);
  refuse_if(begun.sizes.size() == 1 && is_picture(options.output), "--output",
            "{}: a picture shows times by size, and there is one size; give several (--bytes "
            "1KiB:1GiB)",
            options.output);
  if (!options.output.empty() && !is_picture(options.output)) {
    refuse_other_answer(options.output, begun);
  }
  plan.make_folders();
}

CollectiveAnswer simulate(const CollectiveCommand& options, OutputPlan& plan) {
  Progress progress{options.display.progress(), "simulating"};
  try {
    return collective(options.request, options.runs.limits(progress),
                      [&](const CollectiveAnswer& begun) { check_files(options, begun, plan); });
  } catch (const InputError& error) {
    refuse_if(error.place() == ".records", "--output", "{}", error.problem());
    throw;
  }
}

ExitStatus answer_collective(CollectiveCommand options) {
  options.request.crossovers = !options.no_crossovers;
  options.request.writes_hosts = any_names_hosts(options.outputs.named());
  const CollectiveRequest& request = options.request;
  check_runs_options(options.runs, "--output", is_picture(options.output) ? "" : options.output,
                     "");
  OutputPlan plan{options.display};
  const CollectiveFiles files = plan_collective_files(options, plan);
  plan.reads({request.embeddings.begin(), request.embeddings.end()});
  plan.reads({request.hosts});
  if (!options.output.empty() && !is_picture(options.output)) {
    options.runs.records = records_of(options.output).string();
  }
  const CollectiveAnswer answer = simulate(options, plan);
  const InterruptWatch interrupt;
  if (is_rest_elsewhere(answer.end, options.runs)) {
    const auto refused = static_cast<std::size_t>(std::ranges::count_if(
        answer.ways, [](const CollectiveWay& way) { return !way.refusal.empty(); }));
    const std::size_t sizes = answer.sizes.size();
    return status_of(answer.end, options.runs, options.display,
                     done_in(options.runs.records, answer.rows.size() - refused * sizes,
                             (answer.ways.size() - refused) * sizes));
  }
  const bool has_best = answer.best() != nullptr;
  const ShownRows shown = options.all_rows ? ShownRows::all : ShownRows::best;
  for (const NamedOutput& output : files.named) {
    if (has_best || is_of_any_answer(output.kind)) {
      put_collective_file(output, answer, plan);
    } else {
      complain(fmt::format("{}: not written: nothing completed", output.file.string()));
    }
  }
  for (const auto& [kind, file] : files.in_folder) {
    plan.put(file, content_of(kind, answer));
  }
  const ExitStatus written = plan.finish(options.display.shown(
      [&] { return collective_json(answer); }, [&] { return collective_text(answer, shown); }));
  ExitStatus drawn = ExitStatus::done;
  if (!files.picture.empty() && answer.sizes.size() > 1 && has_best && answer.is_complete()) {
    drawn = draw_picture(collective_script, collective_json(answer), files.picture, interrupt);
  }
  const bool has_failure = complain_of_rows(answer);
  if (!answer.is_complete() || drawn == ExitStatus::interrupted) {
    const bool is_searching = answer.rows.size() == answer.ways.size() * answer.sizes.size();
    complain(is_searching ? "interrupted (all runs done)"
                          : fmt::format("interrupted ({} of {} runs done)", answer.rows.size(),
                                        answer.ways.size() * answer.sizes.size()));
    return ExitStatus::interrupted;
  }
  // A folder is whole without its picture.
  const bool is_missed = drawn == ExitStatus::unusable_input && is_picture(options.output);
  return written != ExitStatus::done ? written
         : is_missed                 ? ExitStatus::unusable_input
         : has_failure || !has_best  ? ExitStatus::experiment_failed
                                     : ExitStatus::done;
}

void add_compared_things(Parser& parser, CollectiveCommand& options) {
  CollectiveRequest& request = options.request;
  parser.argument("OPERATION", request.operation, joined(compared_collectives(), ", ")).required();
  parser
      .option("--machine", request.machine, "MACHINE",
              "a machine's name or file, or a network such as torus:8x8, ring:16, hypercube:6")
      .required()
      .reads_file();
  parser.list("--bytes", request.bytes, "SIZE[,SIZE..]",
              "sizes as nccl-tests counts them, or ranges such as 1KiB:1GiB:x4 (default: that "
              "one)");
  parser.list("--algorithm", request.algorithms, "NAME[,NAME..]",
              "algorithms to compare, or automatic (default: all)");
  add_embeddings_option(
      parser, request.embeddings,
      "embeddings to compare: names, JSON or map files (default: all that fit but random)");
  add_hosts_option(parser, request.hosts);
  parser.option("--axes", request.axes, "NAME=N[,NAME=N..]",
                "the processes as a torus whose dimensions have names, the first counting fastest: "
                "tensor=8,pipeline=4,data=16");
  parser.list("--over", request.over, "AXIS[,AXIS..]",
              "axes along which groups run the operation, all groups at once (default: one group "
              "of all processes)");
  const auto ports = [&request](const std::string& text) {
    request.ports = text == "all" ? std::nullopt : std::optional{positive_int(text)};
  };
  parser.option("--ports", ports, "N|all",
                "parts of the data that travel at once, at most; all: compare 1, 2 and as many as "
                "an algorithm can use (default: as many as it can use)");
  parser.list("--network", request.networks, "NAME[,NAME..]",
              "networks to compare everything under: store_and_forward, cut_through, fluid "
              "(flow-level, SimGrid's links: fluid:CM02 or fluid:LV08)");
  const auto root = [&request](const std::string& text) {
    request.root = whole_number(text, 0, std::numeric_limits<std::uint32_t>::max(), "a rank");
  };
  parser.option("--root", root, "RANK",
                "where broadcast and scatter come from, and reduce and gather go to (default: 0)");
  const auto compute = [&request](const std::string& text) {
    parse_duration(text);
    request.compute = text;
  };
  parser.option("--compute", compute, "TIME", "time to combine a byte (default: 0s)");
  parser.option("--value-bytes", request.value_bytes, positive_int, "N",
                "bytes of a value, which no algorithm divides (default: 4)");
}

}  // namespace

void collective_command(CommandLine& line) {
  auto [parser, options] = line.add<CollectiveCommand>(
      "collective",
      "Say which algorithm and embedding make a collective operation fastest, size by size",
      answer_collective);
  add_compared_things(parser, *options);
  parser.option("--set", options->request.settings, "/POINTER=VALUE",
                "replace a value of every scenario, such as /machine/link/latency");
  add_seed_option(parser, options->request.seed, "seed of random embeddings");
  add_runs_options(parser, options->runs);
  parser.flag("--all-rows", options->all_rows, "also show every combination at every size");
  parser.flag("--no-crossovers", options->no_crossovers,
              "do not look for the sizes at which the fastest changes");
  add_check_links_option(parser, options->request.check_links);
  parser
      .option("-o,--output", options->output, "FOLDER|PICTURE",
              "draw times and bus bandwidths (.png, .svg, .pdf), or write a folder with text, "
              "CSV, JSON, picture and page")
      .writes_file();
  std::vector<OutputKind> kinds = kinds_of(map_format_catalog());
  kinds.push_back({"result"});
  kinds.push_back({"scenario"});
  kinds.push_back({"html", ".html"});
  options->outputs.add_write(parser, std::move(kinds));
  options->outputs.add_spelling(parser, "--csv", "FILE", "write every combination at every size",
                                "csv");
  options->outputs.add_old_spelling(parser, "--export");
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube collective allreduce --machine tpu_v4-4x4x8 --bytes 1KiB,1MiB,1GiB\n"
      "dcube collective all_to_all --machine torus:4x4 --bytes 1KiB:1MiB --embedding identity\n"
      "dcube collective allreduce --machine tpu_v4-4x4x8 --bytes 1GiB --algorithm ring "
      "--write ring.jax");
}

}  // namespace dcube::app
