#include <memory>

#include "app/place/place_report.hpp"
#include "app/search/search_options.hpp"
#include "app/search/search_outputs.hpp"
#include "command.hpp"

namespace dcube::app {
namespace {

struct PlaceOptions {
  PlaceRequest request;
  SearchShow show;
};

ExitStatus place_and_show(PlaceOptions& options) {
  PlaceAnswer answer;
  return show_search({.name = "place",
                      .files = {options.request.against},
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
  const auto options = std::make_shared<PlaceOptions>();
  Parser parser = line.add("place", "Place a program on your machine, and see what that saves",
                           [options] { return place_and_show(*options); });
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
