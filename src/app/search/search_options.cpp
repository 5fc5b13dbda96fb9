#include "search_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/search/methods.hpp"
#include "dcube/show/readable.hpp"
#include "search_outputs.hpp"

namespace dcube::app {
namespace {

/// A line that says how far a search is.
class SearchLine {
 public:
  explicit SearchLine(ProgressOutput output) : output_{output} {}

  void show(const SearchNews& news) {
    const bool is_recording = news.step == SearchNews::Step::recording;
    const bool is_proving = news.step == SearchNews::Step::proving;
    const char* title = is_recording ? "recording the traffic"
                        : is_proving ? "proving"
                                     : "searching";
    if (!line_ || title_ != title) {
      line_.emplace(output_, title_ = title);
    }
    if (line_->is_on()) {
      line_->show(is_recording                                  ? "simulating"
                  : news.step == SearchNews::Step::partitioning ? "libscotch"
                  : is_proving ? "best " + cost_text(*news.problem, news.progress.best) + gap(news)
                               : words(news));
    }
  }

 private:
  static std::string words(const SearchNews& news) {
    const SearchProgress& progress = news.progress;
    const std::string done =
        progress.effort < endless_effort
            ? fmt::format("{} of {}", grouped(progress.done), grouped(progress.effort))
            : counted(progress.done, "map");
    return fmt::format("{}, best {}", done,
                       news.counts_distances
                           ? fmt::format("sum of distances {}", grouped(progress.best))
                           : cost_text(*news.problem, progress.best) + gap(news));
  }

  /// ", bound 1.163, gap 17.3 %".
  static std::string gap(const SearchNews& news) {
    const double above =
        static_cast<double>(news.progress.best) / static_cast<double>(news.bound) - 1;
    return news.bound == 0 || above < 0
               ? ""
               : fmt::format(", bound {}, gap {}", number_text(*news.problem, news.bound),
                             percent(above));
  }

  ProgressOutput output_;
  std::string title_;
  std::optional<Progress> line_;
};

/// Complains that there is no map.
ExitStatus without_map(const SearchAnswer& answer, const SearchRequest& request) {
  complain(fmt::format("{}: {}", request.scenario.file,
                       !answer.problem         ? "interrupted before the search began"
                       : answer.is_interrupted ? "interrupted before anything was simulated"
                                               : "every simulation failed (dcube run shows how)"));
  return answer.is_interrupted ? ExitStatus::interrupted : ExitStatus::experiment_failed;
}

/// Why an answer has no certificate. `proves`: time was given for a proof.
std::string uncertified(const SearchAnswer& answer, bool proves) {
  if (is_proof(answer.method)) {
    return fmt::format("the enumeration is not complete ({})", answer.ended);
  }
  if (answer.found.cost <= answer.bounds.front().cost) {
    return "another bound was reached, and no semidefinite one was made; use --method exhaustive";
  }
  return proves ? "no semidefinite bound was made in the time of --prove; give it more"
                : "no semidefinite bound was made; ask for one by --prove TIME";
}

/// Returns false, after a complaint, where the search made nothing for this file.
bool put_file(const NamedOutput& output, const SearchAnswer& answer, bool proves,
              const std::function<std::string()>& json,
              const std::function<const EarlierMap&()>& before, OutputPlan& plan) {
  if (output.kind == "embedding") {
    plan.put(output.file, explicit_embedding_json(answer.found.map));
  } else if (output.kind == "result") {
    plan.put(output.file, json());
  } else if (output.kind == "html") {
    plan.put(output.file,
             search_page(answer, before ? before()
                                        : EarlierMap{.name = "processes in order of the nodes",
                                                     .map = in_order_of_nodes(*answer.problem)}));
  } else if (find_kind(map_format_catalog(), output.kind) != nullptr) {
    plan.put(output.file, map_text(output, answer));
  } else if (output.kind == "certificate" && answer.has_certificate()) {
    plan.put(output.file, certificate_json(answer));
  } else if (output.kind == "certificate") {
    complain(fmt::format("{}: not written: {}", output.file.string(), uncertified(answer, proves)));
    return false;
  }
  return true;
}

}  // namespace

void add_subject_options(Parser& parser, SearchRequest& request) {
  add_scenario_argument(parser, request.scenario);
  add_scenario_changes(parser, request.scenario);
  parser
      .option("--machine", request.machine, "M",
              "without a scenario: a machine's name or file, or a network such as torus:8x8")
      .reads_file();
  parser
      .option("--traffic", request.traffic, "SHAPE|FILE",
              "what to place there: cube:6, mesh:8x8, ring:64, tree:15 or a file with lines "
              "from,to,bytes (csv; or mtx, grf, metis)")
      .reads_file();
  parser.option("--weights", request.weights, "W",
                "bytes by dimension of the shape: doubling, halving or 1,2,4 (default: all 1)");
  parser.option("--slack", request.slack, "P%",
                "a node takes up to P % more processes than their mean, rounded up, whatever the "
                "machine's slots");
  parser.option("--avoid", request.nodes.avoid, "NODE[,NODE..]",
                "place nothing on these nodes: numbers, ranges such as 40-47, or hosts; may be "
                "repeated");
  parser
      .option("--only", request.nodes.only, "FILE",
              "place on these nodes alone: a file of numbers or hosts, as of a batch system, or a "
              "list such as 0-63 or cn[0-9]; may be repeated")
      .reads_file();
  parser
      .list("--pin", request.nodes.pins, "PROCESS=NODE",
            "keep these processes on these nodes: 0=5,3=node-7 or a file with lines process,node")
      .reads_file();
}

void add_steering_options(Parser& parser, SearchRequest& request) {
  parser.option("--objective", request.objective, "O",
                fmt::format("{}, or a sum such as hop-bytes+20%*link-load (default: hop-bytes)",
                            joined(objective_names(), ", ")));
  parser
      .option("--method", request.method, "NAME",
              fmt::format("{} (default: auto)", joined(search_method_names(), ", ")))
      .one_of(search_method_names());
  add_seed_option(parser, request.seed, "seed of annealing and scotch");
  parser.option(
      "--effort", request.effort, positive_int, "N",
      fmt::format(
          "evaluation budget: maps tried (default: about a second of them, or until --time-limit); "
          "partial maps of an enumeration (default: {})",
          grouped(ExhaustiveSettings{}.effort)));
  add_time_limit_option(parser, request.time_limit,
                        "stop after this time; what is found then depends on the computer");
  add_prove_option(parser, request.prove);
  add_cc_cost_options(parser, request.compute, request.hop);
  add_jobs_option(parser, request.jobs);
  parser.option("--seeds", request.seeds, positive_int, "N",
                "of the jitter, under which a map is simulated (default: 4); its cost is the mean");
}

void add_why_option(Parser& parser, bool& why) {
  parser.flag("--why", why, "show the busiest links, who crosses them, and what the bounds forbid");
}

void add_main_outputs(Parser& parser, SearchShow& show, std::vector<OutputKind> kinds) {
  show.outputs.add_main(parser, "embedding",
                        "write the embedding found, for --embedding; into a folder also the "
                        "result, pictures and a page");
  show.outputs.add_write(parser, std::move(kinds));
}

void add_display_options(Parser& parser, SearchRequest& request, SearchShow& show) {
  add_why_option(parser, request.why);
  add_json_option(parser, show.display);
  add_quiet_option(parser, show.display);
}

ExitStatus show_search(const SearchCommand& command, SearchRequest& request,
                       const SearchShow& show) {
  OutputPlan plan{show.display};
  const std::vector<NamedOutput> named = show.outputs.named();
  request.writes_hosts = request.writes_hosts || any_names_hosts(named);
  const std::vector<NamedOutput> outputs = plan_outputs(show.outputs, plan);
  plan.reads({request.traffic, request.scenario.embedding, request.scenario.hosts});
  plan.reads(machine_files({request.machine}));
  plan.reads(request.nodes.files());
  plan.reads({command.files.begin(), command.files.end()});
  std::optional<ReadingProgress> reading{show.display.progress()};
  request.scenario.on_reading = reading->listener();
  std::optional<SearchLine> line{show.display.progress()};
  const SearchAnswer& answer =
      command.ask({.on_news =
                       [&](const SearchNews& news) {
                         reading.reset();
                         line->show(news);
                       },
                   .on_begin =
                       [&](const SearchAnswer& begun) {
                         plan.reads(begun.inputs);
                         check_links(outputs, *begun.machine);
                         plan.make_folders();
                         for (const NamedOutput& output : outputs) {
                           if (output.kind == "certificate") {
                             at_least_at(output.option, [&] { expect_certificate(begun); });
                           }
                         }
                       }});
  line.reset();
  reading.reset();
  std::ranges::for_each(answer.refuted, complain_once);
  if (answer.found.map.empty()) {
    return without_map(answer, request);
  }
  const InterruptWatch interrupt;
  const std::vector<std::string> files =
      mapped(outputs, [](const NamedOutput& output) { return output.file.string(); });
  const auto json = [&] { return command.json(files); };
  bool is_all_there = true;
  for (const NamedOutput& output : outputs) {
    is_all_there &= put_file(output, answer, request.prove.has_value(), json, command.before, plan);
  }
  const ExitStatus written =
      plan.finish(show.display.shown(json, [&] { return command.text(files); }));
  const ExitStatus drawn = answer.is_interrupted ? ExitStatus::interrupted
                                                 : draw_search_pictures(outputs, answer, interrupt);
  if (drawn == ExitStatus::interrupted) {
    complain("interrupted; the best map so far is kept");
    return drawn;
  }
  const ExitStatus shown = written == ExitStatus::done ? drawn : written;
  return shown == ExitStatus::done && !is_all_there ? ExitStatus::experiment_failed : shown;
}

}  // namespace dcube::app
