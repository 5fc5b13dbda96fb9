#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/search/search_options.hpp"
#include "app/search/search_outputs.hpp"
#include "app/search/search_report.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/printable.hpp"
#include "dcube/questions/place.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

/// "51 of 64 nodes may host processes, with 4 slots each: 204 slots for 64 processes".
std::string room_words(const SearchProblem& problem) {
  const Topology& topology = problem.topology;
  const std::string nodes = topology.usable_count() < topology.terminal_count()
                                ? fmt::format("{} of {}", grouped(topology.usable_count()),
                                              counted(topology.terminal_count(), "node"))
                                : counted(topology.terminal_count(), "node");
  const std::string processes = counted(problem.traffic.process_count(), "process");
  return problem.slots == 1 ? fmt::format("{} for {}", nodes, processes)
                            : fmt::format("{} of {} slots: {} slots for {}", nodes, problem.slots,
                                          grouped(problem.usable_slots()), processes);
}

std::string link_words(const std::optional<CrossedLink>& link) {
  if (!link) {
    return "none";
  }
  const std::string time =
      link->time_ps ? fmt::format(", {}", readable_seconds(link->time_s())) : "";
  return fmt::format("{} to {} with {}{}", link->from.index(), link->to.index(),
                     counted(link->bytes, "byte"), time);
}

std::string earlier_words(const EarlierMap& earlier) {
  if (earlier.on_failed_nodes > 0) {
    return fmt::format(
        "{} cannot run: {} on nodes that have failed{}\n", printable(earlier.name),
        counted(earlier.on_failed_nodes, "process"),
        earlier.on_left_out_nodes > 0
            ? fmt::format(", {} on nodes that are left out now", grouped(earlier.on_left_out_nodes))
            : "");
  }
  if (!earlier.cost) {
    return fmt::format("{} cannot run: its simulation failed\n", printable(earlier.name));
  }
  return earlier.on_left_out_nodes > 0
             ? fmt::format("{} has {} on nodes that are left out now\n", printable(earlier.name),
                           counted(earlier.on_left_out_nodes, "process"))
             : "";
}

/// "saved: 35.0 % of x.rankfile".
std::string saving_words(double saving, const std::string& name) {
  return saving > 0   ? fmt::format("saved: {} of {}", percent(saving), printable(name))
         : saving < 0 ? fmt::format("lost:  {} more than {}", percent(-saving), printable(name))
                      : fmt::format("saved: nothing of {}", printable(name));
}

std::string costs_table(const PlaceAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  const CostBound& bound = answer.bounds.front();
  std::vector<StartValue> rows;
  if (answer.earlier.cost) {
    rows.push_back({answer.earlier.name, *answer.earlier.cost});
  }
  if (answer.earlier.healthy_cost) {
    rows.push_back({answer.earlier.name + ", before the failure", *answer.earlier.healthy_cost});
  }
  if (answer.earlier.mended_cost) {
    rows.push_back({answer.earlier.name + std::string{mended_suffix}, *answer.earlier.mended_cost});
  }
  rows.insert(rows.end(), {{"found", answer.found.cost}, {"bound", bound.cost}});
  const double change = -(answer.saving ? answer.saving : answer.saving_of_mended).value_or(0);
  Columns<StartValue> columns = cost_columns(problem, "map", bound.cost);
  columns.push_back({"change", Shown::figure, [&](const StartValue& row) {
                       return &row == &rows.end()[-2] && change != 0 ? percent(change) : "";
                     }});
  return text_table(columns, rows).text(2);
}

/// Summary for people. `files`: those that are written.
std::string place_summary(const PlaceAnswer& answer, const std::vector<std::string>& files) {
  const SearchProblem& problem = *answer.problem;
  std::string text = fmt::format("{} of {} on {}\n", to_string(problem.goal()),
                                 printable(answer.traffic_name), printable(answer.machine_name));
  text += fmt::format("  {}, {} used\n", room_words(problem), counted(answer.nodes_used, "node"));
  text += subject_words(problem);
  text += "\n" + costs_table(answer) + "\n";
  if (!problem.terms.empty()) {
    text += text_table(part_columns(answer), answer.parts).text(2) + "\n";
  }
  text += earlier_words(answer.earlier);
  if (answer.saving) {
    text += fmt::format("{}; {} of {} move\n", saving_words(*answer.saving, answer.earlier.name),
                        grouped(answer.moved), counted(answer.found.map.size(), "process"));
  }
  if (answer.saving_of_mended) {
    text +=
        fmt::format("{}\n", saving_words(*answer.saving_of_mended,
                                         answer.earlier.name + ", repaired (its processes on the "
                                                               "nearest free nodes)"));
  }
  text += fmt::format("gap:   {}\nbound: {}\n{}", gap_words(answer), answer.bounds.front().source,
                      also_lines(answer));
  if (knows_routes(*answer.machine)) {
    text += fmt::format("busiest link: {}", link_words(answer.busiest_link));
    if (answer.earlier.on_failed_nodes == 0) {
      text += fmt::format(" (before: {})", link_words(answer.earlier_busiest_link));
    }
    text += "\n";
  }
  text += fmt::format("found: {}\n{}", found_words(answer), simulation_lines(answer));
  if (answer.why) {
    text += "\n" + reasons_text(*answer.why, answer.found.map);
  }
  for (const std::string& file : files) {
    text += fmt::format("wrote {}\n", printable(file));
  }
  return text;
}

struct PlaceOptions {
  PlaceRequest request;
  SearchShow show;
};

ExitStatus place_and_show(PlaceOptions& options) {
  PlaceAnswer answer;
  return show_search({.files = {options.request.against},
                      .ask = [&](const SearchListeners& listeners) -> const SearchAnswer& {
                        return answer = place(options.request, listeners);
                      },
                      .json = [&](const auto& files) { return place_json(answer, files); },
                      .text = [&](const auto& files) { return place_summary(answer, files); },
                      .before = [&]() -> const EarlierMap& { return answer.earlier; }},
                     options.request, options.show);
}

}  // namespace

void place_command(CommandLine& line) {
  auto [parser, options] = line.add<PlaceOptions>(
      "place", "Place a program on your machine, and see what that saves", place_and_show);
  add_subject_options(parser, options->request);
  parser
      .option("--against", options->request.against, "NAME|FILE",
              "the map used today: a map file, a JSON file or an embedding's name (default: the "
              "scenario's own, or processes in order of nodes)")
      .reads_file();
  add_steering_options(parser, options->request);
  add_main_outputs(parser, options->show, search_output_kinds());
  options->show.outputs.add_spelling(parser, "--export", "[FORMAT:]FILE",
                                     "write the map for another tool, such as x.rankfile (as "
                                     "--write)");
  add_display_options(parser, options->request, options->show);
  parser.examples(
      "dcube place --machine ncube10-64 --traffic mesh:8x7 --avoid 3,40-43 --export "
      "x.rankfile --why\n"
      "dcube place --machine torus:4x4 --traffic cube:4 --weights doubling --against standard\n"
      "dcube place scenarios/quickstart.json --objective makespan");
}

}  // namespace dcube::app
