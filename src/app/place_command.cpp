#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/place/placing.hpp"
#include "app/search/begun_search.hpp"
#include "app/search/search_outputs.hpp"
#include "app/search/search_request.hpp"
#include "app/terminal/output.hpp"
#include "batch/interrupt.hpp"
#include "command.hpp"
#include "core/mapped.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/search/search.hpp"

namespace dcube::app {
namespace {

void put_file(const NamedOutput& output, const Placing& placing, OutputPlan& plan) {
  const std::vector<NodeId>& map = placing.outcome.found.map;
  if (output.kind == "embedding") {
    plan.put(output.file, explicit_embedding_json(map));
  } else if (output.kind == "result") {
    plan.put(output.file, placing_json(placing));
  } else if (find_kind(map_format_catalog(), output.kind) != nullptr) {
    plan.put(output.file, map_text(output, placing.subject, map));
  }
}

/// Other methods begin with it; Scotch does not.
void keep_todays_map_if_better(const SearchProblem& problem, SearchOutcome& outcome) {
  if (problem.known.empty() || outcome.method != "scotch" ||
      problem.objective == Objective::makespan) {
    return;
  }
  FoundMap start = best_start(problem);
  if (start.cost < outcome.found.cost) {
    outcome.found.map = std::move(start.map);
    outcome.found.cost = start.cost;
    outcome.found.origin = std::move(start.origin);
  }
}

ExitStatus place(const SearchRequest& request) {
  BegunSearch begun{request, "place"};
  if (!begun.has_subject()) {
    return ExitStatus::interrupted;
  }
  const Subject& subject = begun.subject();
  SearchProblem problem = problem_of(request, subject, begun.watch());
  std::vector<std::filesystem::path> inputs;
  const EarlierMap earlier = earlier_map(request, subject, problem, inputs);
  begun.plan().reads(inputs);
  if (earlier.is_in_use) {
    problem.known = {{earlier.name, earlier.map}};
  }
  SearchOutcome outcome = searched(request, subject, problem, begun.watch());
  if (outcome.found.map.empty()) {
    return without_map(request, begun.watch());
  }
  keep_todays_map_if_better(problem, outcome);
  if (earlier.cost && earlier.on_left_out_nodes == 0 && !problem.has_pins()) {
    complain_once(take_refuted(outcome.bounds, *earlier.cost));
  }
  const Placing placing{
      subject, problem, outcome, earlier,
      mapped(begun.outputs(), [](const NamedOutput& one) { return one.file.string(); })};
  for (const NamedOutput& output : begun.outputs()) {
    put_file(output, placing, begun.plan());
  }
  const ExitStatus written = begun.plan().finish(request.display.shown(
      [&] { return placing_json(placing); }, [&] { return placing_summary(placing); }));
  return begun.end(written, problem, outcome);
}

}  // namespace

void place_command(CommandLine& line) {
  const auto place_request = std::make_shared<SearchRequest>();
  SearchRequest& request = *place_request;
  Parser parser = line.add("place", "Place a program on your machine, and see what that saves",
                           [place_request] { return place(*place_request); });
  add_subject_options(parser, request);
  parser
      .option("--against", request.against, "NAME|FILE",
              "the map used today: a map file, a JSON file or an embedding's name (default: the "
              "scenario's own, or processes in order of nodes)")
      .reads_file();
  add_steering_options(parser, request);
  request.outputs.add_main(parser, "embedding",
                           "write the embedding found, for --embedding; into a folder also the "
                           "result and pictures");
  request.outputs.add_write(parser, search_output_kinds());
  request.outputs.add_spelling(parser, "--export", "[FORMAT:]FILE",
                               "write the map for another tool, such as x.rankfile (as --write)");
  add_why_option(parser, request.why);
  add_json_option(parser, request.display);
  add_quiet_option(parser, request.display);
  parser.examples(
      "dcube place --machine ncube10-64 --traffic mesh:8x7 --avoid 3,40-43 --export "
      "x.rankfile --why\n"
      "dcube place --machine torus:4x4 --traffic cube:4 --weights doubling --against standard\n"
      "dcube place scenarios/quickstart.json --objective makespan");
}

}  // namespace dcube::app
