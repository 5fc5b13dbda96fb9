#include <array>
#include <string>
#include <utility>

#include "core/input_file.hpp"
#include "otf2_reader.hpp"
#include "program/catalog.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

Otf2Sizes read_sizes(const Params& settings) {
  static const std::array<std::string, 3> names{"by_creator", "score_p", "buffers"};
  const std::string chosen = settings.choice("sizes", names, "by_creator");
  return chosen == "score_p"   ? Otf2Sizes::score_p
         : chosen == "buffers" ? Otf2Sizes::buffers
                               : Otf2Sizes::by_creator;
}

std::unique_ptr<Program> make_otf2(const Params& settings, const ProgramContext& context) {
  const std::filesystem::path file = context.input_file(settings, "file");
  expect_readable(file, settings.place_of("file"));
  Otf2Context reading{.second = read_time_unit(settings, "s"),
                      .sizes = read_sizes(settings),
                      .ignored = Ignored{read_ignored(settings)},
                      .on_share = part_listener(file, context, {})};
  Schedule schedule = read_otf2(file, std::move(reading));
  return make_scheduled_program(otf2_kind.name, std::move(schedule), settings, context);
}

}  // namespace

const ProgramKind otf2_kind{
    "otf2",
    "an MPI program as Score-P has recorded it: an OTF2 archive",
    "",
    {file_help("the anchor file of the archive (.otf2)"),
     {"sizes",
      "what the sizes of collectives count: score_p (all that would pass between each two "
      "processes), buffers (what each process gives and gets), or by_creator",
      "by_creator"},
     scale_help(),
     ignored_help("events or collectives"),
     algorithm_help(),
     ports_help(),
     guest_help()},
    make_otf2};

}  // namespace dcube
