#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/collective/collective_report.hpp"
#include "app/collective/crossovers.hpp"
#include "app/collective/runs.hpp"
#include "app/collective/sizes.hpp"
#include "app/collective/ways.hpp"
#include "app/compare/pictures.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/interop/map_files.hpp"

namespace dcube::app {
namespace {

constexpr const char* collective_script = "scripts/plot_collective.py";

struct CollectiveCommand {
  std::string operation;
  CollectiveQuestion question;
  std::vector<std::string> bytes;
  RunsOptions runs;
  std::string output;  ///< a picture or a folder
  std::string csv;
  OutputOptions outputs;
  DisplayOptions display;
  bool all_rows = false;
  bool no_crossovers = false;
};

bool is_picture(const std::string& output) {
  return std::ranges::any_of(std::array{".png", ".svg", ".pdf"},
                             [&](const char* suffix) { return output.ends_with(suffix); });
}

/// What is written besides what is printed.
struct CollectiveFiles {
  std::string picture;
  std::vector<std::pair<std::string, std::string>> in_folder;  ///< kind and file
  std::vector<NamedOutput> named;
};

CollectiveFiles plan_collective_files(const CollectiveCommand& options, OutputPlan& plan) {
  CollectiveFiles files{.picture = {}, .in_folder = {}, .named = plan.writes(options.outputs)};
  if (!options.csv.empty()) {
    plan.writes("--csv", options.csv);
  }
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
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  refuse_if(error.value() != 0, "--output", "{}: {}", options.output, error.message());
  for (const char* const kind : {"txt", "csv", "json"}) {
    files.in_folder.emplace_back(kind, add(folder / fmt::format("collective.{}", kind)));
  }
  files.picture = add(folder / "collective.png");
  return files;
}

std::vector<TimeRequest> requests_at(std::span<const std::size_t> ways,
                                     std::span<const std::uint64_t> sizes) {
  std::vector<TimeRequest> requests;
  for (const std::uint64_t bytes : sizes) {
    for (const std::size_t way : ways) {
      requests.push_back({way, bytes});
    }
  }
  return requests;
}

std::vector<std::size_t> ways_under(std::span<const CollectiveWay> ways,
                                    const std::string& network) {
  std::vector<std::size_t> numbers;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    if (ways[way].network == network) {
      numbers.push_back(way);
    }
  }
  return numbers;
}

/// Those that completed somewhere: the others are in nobody's way.
std::vector<std::size_t> possible_ways(const CollectiveReport& report, const std::string& network) {
  std::vector<std::size_t> ways = ways_under(report.ways, network);
  std::erase_if(ways, [&](std::size_t way) {
    return std::ranges::none_of(
        report.rows, [&](const CollectiveRow& row) { return row.way == way && row.is_complete(); });
  });
  return ways;
}

/// False when an interrupt has come.
bool add_crossovers(CollectiveReport& report, CollectiveRuns& runs, std::uint64_t grain,
                    const InterruptWatch& interrupt) {
  const TimesOf times_of = [&](std::span<const TimeRequest> requests) {
    if (runs.simulate("looking for crossovers", requests, interrupt) == RunsEnd::interrupted) {
      return std::vector<std::optional<Ticks>>{};
    }
    return mapped(requests, [&](const TimeRequest& request) {
      const CollectiveRow& row = runs.row(request);
      return row.is_complete() ? std::optional{row.makespan} : std::nullopt;
    });
  };
  for (const std::string& network : report.networks()) {
    std::vector<FastestWay> fastest;
    for (const std::uint64_t bytes : report.sizes) {
      if (const CollectiveRow* const best = report.best(network, bytes)) {
        fastest.push_back({bytes, best->way});
      }
    }
    const auto found = find_crossovers(fastest, possible_ways(report, network), grain, times_of);
    if (!found) {
      return false;
    }
    report.crossovers.insert(report.crossovers.end(), found->begin(), found->end());
  }
  report.has_crossovers = true;
  return true;
}

/// Of the fastest at the largest size, under the first network.
const CollectiveRow* best_of_all(const CollectiveReport& report) {
  for (auto size = report.sizes.rbegin(); size != report.sizes.rend(); ++size) {
    if (const CollectiveRow* const best = report.best(report.networks().front(), *size)) {
      return best;
    }
  }
  return nullptr;
}

void put_collective_file(const NamedOutput& output, const CollectiveReport& report,
                         OutputPlan& plan) {
  if (output.kind == "result") {
    plan.put(output.file, collective_json(report));
    return;
  }
  const CollectiveRow& best = *best_of_all(report);
  const Scenario scenario =
      collective_scenario(report.question, report.subject, report.way_of(best), best.bytes);
  if (output.kind == "scenario") {
    Params document = scenario.document;
    document.set("name", output.file.stem().string());
    plan.put(output.file, json_layout(nlohmann::ordered_json(Setting{document})));
    return;
  }
  const MapFormat& format = *find_kind(map_format_catalog(), output.kind);
  const std::vector<NodeId> map = scenario.embedding->map();
  const HostNames hosts;
  plan.put(output.file, at_place(output.option, [&] {
             return format.write({*scenario.machine, map, hosts,
                                  [&] { return Traffic::of(scenario.program->guest()); }});
           }));
}

/// What the user named and what went wrong is told once for each way; whether there is any.
bool complain_of_rows(const CollectiveReport& report) {
  bool has_failure = false;
  std::size_t told = report.ways.size();
  for (const CollectiveRow& row : report.rows) {
    const CollectiveWay& way = report.way_of(row);
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

void check_collective_options(const CollectiveCommand& options) {
  const CollectiveQuestion& question = options.question;
  refuse_if(question.root && !has_root(question.kind), "--root", "{} has no root",
            name_of(question.kind));
  refuse_if(!question.compute.empty() && !reduces(question.kind), "--compute",
            "{} combines nothing", name_of(question.kind));
  if (!question.hosts.empty()) {
    check_hosts_option(question.hosts, question.embeddings);
  }
  collective_sizes(options.bytes, question.value_bytes);  // before anything is read
}

/// No way is left when none fits.
void expect_some_way(const std::vector<CollectiveWay>& ways) {
  refuse_if(
      std::ranges::none_of(ways, [](const CollectiveWay& way) { return way.refusal.empty(); }),
      "--algorithm", "nothing fits: {} on {}: {}", ways.front().algorithm, ways.front().embedding,
      ways.front().refusal);
}

ExitStatus answer_collective(CollectiveCommand options) {
  CollectiveQuestion& question = options.question;
  question.kind = collective_called(options.operation);
  check_collective_options(options);
  check_runs_options(options.runs, is_picture(options.output) ? "" : options.output, "");
  OutputPlan plan;
  const CollectiveFiles files = plan_collective_files(options, plan);
  plan.reads({question.embeddings.begin(), question.embeddings.end()});
  plan.reads({question.hosts});
  CollectiveSubject subject = read_subject(question);
  const std::vector<CollectiveWay> ways = collective_ways(question, subject);
  plan.reads(subject.inputs);
  expect_some_way(ways);
  const std::uint64_t grain = subject.grain(question);
  const std::vector<std::uint64_t> sizes = collective_sizes(options.bytes, grain);
  const bool can_be_drawn = sizes.size() > 1;
  refuse_if(!can_be_drawn && is_picture(options.output), "--output",
            "{}: a picture shows times by size, and there is one size; give several (--bytes "
            "1KiB:1GiB)",
            options.output);

  if (!options.output.empty() && !is_picture(options.output)) {
    options.runs.records = records_of(options.output).string();
  }
  CollectiveRuns runs{question, subject, ways, options.runs, options.display.progress()};
  CollectiveReport report{
      .question = question, .subject = subject, .ways = ways, .rows = {}, .sizes = sizes};
  std::vector<std::size_t> all_ways(ways.size());
  std::iota(all_ways.begin(), all_ways.end(), std::size_t{0});
  const std::vector<TimeRequest> requests = requests_at(all_ways, sizes);
  if (options.runs.is_worker()) {
    return work_for_rank_0(runs.first_cases(requests), options.runs);
  }
  const InterruptWatch interrupt;
  const RunsEnd end = runs.simulate("simulating", requests, interrupt);
  if (end == RunsEnd::shard_is_done) {
    return ExitStatus::done;
  }
  report.is_complete = end == RunsEnd::complete;
  report.rows = runs.rows();
  if (report.is_complete && !options.no_crossovers) {
    report.is_complete = add_crossovers(report, runs, grain, interrupt);
  }
  const bool has_best = best_of_all(report) != nullptr;
  const ShownRows shown = options.all_rows ? ShownRows::all : ShownRows::best;
  for (const NamedOutput& output : files.named) {
    if (has_best || output.kind == "result") {
      put_collective_file(output, report, plan);
    } else {
      complain(fmt::format("{}: not written: nothing completed", output.file.string()));
    }
  }
  for (const auto& [kind, file] : files.in_folder) {
    plan.put(file, kind == "txt"   ? collective_text(report, ShownRows::all)
                   : kind == "csv" ? collective_csv(report)
                                   : collective_json(report));
  }
  if (!options.csv.empty()) {
    plan.put(options.csv, collective_csv(report));
  }
  const bool is_csv_printed = options.csv == "/dev/stdout";
  const ExitStatus written =
      plan.finish(is_csv_printed && !options.display.json
                      ? std::string{}
                      : options.display.shown([&] { return collective_json(report); },
                                              [&] { return collective_text(report, shown); }));
  PicturesEnd drawn = PicturesEnd::done;
  if (!files.picture.empty() && can_be_drawn && has_best && report.is_complete) {
    drawn = draw_picture(collective_script, collective_json(report), files.picture, interrupt);
  }
  const bool has_failure = complain_of_rows(report);
  if (!report.is_complete || drawn == PicturesEnd::interrupted) {
    const bool is_searching = report.rows.size() == ways.size() * sizes.size();
    complain(is_searching ? "interrupted (all runs done)"
                          : fmt::format("interrupted ({} of {} runs done)", report.rows.size(),
                                        ways.size() * sizes.size()));
    return ExitStatus::interrupted;
  }
  return written != ExitStatus::done ? written
         : has_failure || !has_best  ? ExitStatus::experiment_failed
                                     : ExitStatus::done;
}

void add_compared_things(Parser& parser, CollectiveCommand& options) {
  CollectiveQuestion& question = options.question;
  parser
      .argument("OPERATION", options.operation,
                "allreduce, allgather, reduce_scatter, all_to_all, broadcast, reduce, gather, "
                "scatter, scan or exscan")
      .required();
  parser
      .option("--machine", question.machine, "MACHINE",
              "a machine's name or file, or a network such as torus:8x8, ring:16, hypercube:6")
      .required()
      .reads_file();
  parser.list("--bytes", options.bytes, "SIZE[,SIZE..]",
              "sizes as nccl-tests counts them, or ranges such as 1KiB:1GiB:x4 (default: that "
              "one)");
  parser.list("--algorithm", question.algorithms, "NAME[,NAME..]",
              "algorithms to compare, or automatic (default: all)");
  parser
      .list("--embedding", question.embeddings, "NAME[,NAME..]",
            "embeddings to compare: names, JSON or map files (default: all that fit but random)")
      .reads_file();
  add_hosts_option(parser, question.hosts);
  const auto ports = [&question](const std::string& text) {
    question.ports = text == "all" ? std::nullopt : std::optional{positive_int(text)};
  };
  parser.option("--ports", ports, "N|all",
                "parts of the data that travel at once, at most; all: compare 1, 2 and as many as "
                "an algorithm can use (default: as many as it can use)");
  parser.list("--network", question.networks, "NAME[,NAME..]",
              "networks to compare everything under: store_and_forward, cut_through, fluid "
              "(SimGrid's links: fluid:CM02 or fluid:LV08)");
  const auto root = [&question](const std::string& text) {
    question.root = text == "0" ? 0 : positive_int(text);
  };
  parser.option("--root", root, "RANK",
                "where broadcast and scatter come from, and reduce and gather go to (default: 0)");
  const auto compute = [&question](const std::string& text) {
    parse_duration(text);
    question.compute = text;
  };
  parser.option("--compute", compute, "TIME", "time to combine a byte (default: 0s)");
  parser.option("--value-bytes", question.value_bytes, positive_int, "N",
                "bytes of a value, which no algorithm divides (default: 4)");
}

}  // namespace

void collective_command(CommandLine& line) {
  const auto options = std::make_shared<CollectiveCommand>();
  Parser parser = line.add(
      "collective",
      "Say which algorithm and embedding make a collective operation fastest, size by size",
      [options] {
        const auto or_else = [](std::vector<std::string>& list, const char* usual) {
          if (list.empty()) {
            list.emplace_back(usual);
          }
        };
        or_else(options->question.algorithms, "all");
        or_else(options->question.embeddings, "all");
        or_else(options->bytes, "1KiB:1GiB:x4");
        return answer_collective(*options);
      });
  add_compared_things(parser, *options);
  parser.option("--set", options->question.settings, "/POINTER=VALUE",
                "replace a value of every scenario, such as /machine/link/latency");
  add_seed_option(parser, options->question.seed, "seed of embeddings that draw lots");
  add_runs_options(parser, options->runs);
  parser.flag("--all-rows", options->all_rows, "also show every combination at every size");
  parser.flag("--no-crossovers", options->no_crossovers,
              "do not look for the sizes at which the fastest changes");
  parser
      .option("-o,--output", options->output, "FOLDER|PICTURE",
              "draw times and bus bandwidths (.png, .svg, .pdf), or write a folder with text, "
              "CSV, JSON and picture")
      .writes_file();
  parser.option("--csv", options->csv, "FILE", "write every combination at every size")
      .writes_file();
  std::vector<OutputKind> kinds = kinds_of(map_format_catalog());
  kinds.push_back({"result"});
  kinds.push_back({"scenario"});
  options->outputs.add_write(parser, std::move(kinds));
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
