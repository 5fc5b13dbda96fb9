#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "app/search/begun_search.hpp"
#include "app/search/search_methods.hpp"
#include "app/search/search_outputs.hpp"
#include "app/search/search_report.hpp"
#include "app/search/search_request.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/search/search.hpp"
#include "runs/interrupt.hpp"
#include "topology/grid_kind.hpp"

namespace dcube::app {
namespace {

void add_output_options(Parser& parser, SearchRequest& request) {
  std::vector<OutputKind> kinds = search_output_kinds();
  kinds.push_back({"certificate"});
  request.outputs.add_main(parser, "embedding",
                           "write the embedding found, for --embedding; into a folder also the "
                           "result and pictures");
  request.outputs.add_write(parser, std::move(kinds));
  request.outputs.add_old_spelling(parser, "--certificate", "certificate");
  add_why_option(parser, request.why);
  add_json_option(parser, request.display);
  add_quiet_option(parser, request.display);
}

void put_file(const NamedOutput& output, const Subject& subject, const SearchProblem& problem,
              const SearchOutcome& outcome, OutputPlan& plan) {
  if (output.kind == "embedding") {
    plan.put(output.file, explicit_embedding_json(outcome.found.map));
  } else if (output.kind == "result") {
    plan.put(output.file, search_json(problem, outcome));
  } else if (find_kind(map_format_catalog(), output.kind) != nullptr) {
    plan.put(output.file, map_text(output, subject, outcome.found.map));
  } else if (output.kind == "certificate" && has_complete_proof(outcome)) {
    plan.put(output.file, certificate_json(problem, outcome));
  } else if (output.kind == "certificate") {
    complain(fmt::format("{}: not written: the enumeration is not complete ({})",
                         output.file.string(), outcome.ended));
  }
}

void check_certificate(const std::vector<NamedOutput>& outputs, const std::string& method,
                       const SearchProblem& problem) {
  const auto certificate = std::ranges::find(outputs, "certificate", &NamedOutput::kind);
  if (certificate == outputs.end()) {
    return;
  }
  const Topology& topology = problem.topology;
  refuse_if(!is_proof(method), certificate->option, "{} proves nothing; use --method exhaustive",
            method);
  refuse_if(
      !is_grid(topology) || topology.routing() != "dimension_order" || problem.has_unusable_nodes(),
      certificate->option,
      "a certificate is about a whole line, ring, mesh, torus or hypercube with its usual "
      "routes, which its checker builds; leave it out");
  refuse_if(problem.has_pins() || problem.minimises(Objective::link_time) ||
                problem.objective == Objective::weighted_sum,
            certificate->option,
            "no checker knows pins, link-time and sums of objectives; leave it out");
}

ExitStatus search(const SearchRequest& request) {
  BegunSearch begun{request, "search"};
  if (!begun.has_subject()) {
    return ExitStatus::interrupted;
  }
  const Subject& subject = begun.subject();
  const SearchProblem problem = problem_of(request, subject, begun.watch());
  check_certificate(begun.outputs(), chosen_method(request.method, problem).first, problem);
  const SearchOutcome outcome = searched(request, subject, problem, begun.watch());
  if (outcome.found.map.empty()) {
    return without_map(request, begun.watch());
  }
  for (const NamedOutput& output : begun.outputs()) {
    put_file(output, subject, problem, outcome, begun.plan());
  }
  const ExitStatus written =
      begun.plan().finish(request.display.shown([&] { return search_json(problem, outcome); },
                                                [&] { return search_summary(problem, outcome); }));
  return begun.end(written, problem, outcome);
}

}  // namespace

void search_command(CommandLine& line) {
  const auto request = std::make_shared<SearchRequest>();
  Parser parser = line.add(
      "search", "Find a good embedding for a program's traffic, and how far it is from a bound",
      [request] { return search(*request); });
  add_subject_options(parser, *request);
  add_steering_options(parser, *request);
  add_output_options(parser, *request);
  parser.examples(
      "dcube search --machine torus:8x8 --traffic cube:6 --weights doubling\n"
      "dcube search scenarios/quickstart.json --objective makespan --output found.json\n"
      "dcube search --machine ring:16 --traffic cube:4 --objective cc-time --method exhaustive");
}

}  // namespace dcube::app
