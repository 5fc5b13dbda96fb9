#include <utility>
#include <vector>

#include "app/search/search_options.hpp"
#include "app/search/search_outputs.hpp"
#include "app/search/search_report.hpp"
#include "command.hpp"

namespace dcube::app {
namespace {

struct SearchOptions {
  SearchRequest request;
  SearchShow show;
};

ExitStatus search_and_show(SearchOptions& options) {
  SearchAnswer answer;
  return show_search({.files = {},
                      .ask = [&](const SearchListeners& listeners) -> const SearchAnswer& {
                        return answer = search(options.request, listeners);
                      },
                      .json = [&](const auto&) { return search_json(answer); },
                      .text = [&](const auto&) { return search_summary(answer); },
                      .before = {}},
                     options.request, options.show);
}

}  // namespace

void search_command(CommandLine& line) {
  auto [parser, options] = line.add<SearchOptions>(
      "search", "Find a good embedding for a program's traffic, and how far it is from a bound",
      search_and_show);
  add_subject_options(parser, options->request);
  add_steering_options(parser, options->request);
  std::vector<OutputKind> kinds = search_output_kinds();
  kinds.push_back({"certificate"});
  add_main_outputs(parser, options->show, std::move(kinds));
  options->show.outputs.add_old_spelling(parser, "--certificate", "certificate");
  add_display_options(parser, options->request, options->show);
  parser.examples(
      "dcube search --machine torus:8x8 --traffic cube:6 --weights doubling\n"
      "dcube search scenarios/quickstart.json --objective makespan --output found.json\n"
      "dcube search --machine ring:16 --traffic cube:4 --objective cc-time --method exhaustive");
}

}  // namespace dcube::app
