#include <utility>

#include "core/input_file.hpp"
#include "otf2_reader.hpp"
#include "program/catalog.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

std::unique_ptr<Program> make_otf2(const Params& settings, const ProgramContext& context) {
  const std::filesystem::path file = context.input_file(settings, "file");
  expect_readable(file, settings.place_of("file"));
  Otf2Context reading{
      .second = read_time_unit(settings, "s"),
      .place_of_scale = settings.place_of("scale"),
      .sizes = read_choice<Otf2Sizes>(settings, "sizes", {"by_creator", "score_p", "buffers"}),
      .ignored = read_ignored(settings),
      .on_share = part_listener(file, context, {})};
  Schedule schedule = read_otf2(file, std::move(reading));
  return make_scheduled_program(otf2_kind.name, std::move(schedule), settings, context);
}

}  // namespace

const ProgramKind otf2_kind{
    "otf2", "an MPI program as Score-P has recorded it: an OTF2 archive", "",
    trace_parameters(
        "the anchor file of the archive (.otf2)", "events or collectives",
        {{"sizes",
          "what the sizes of collectives count: score_p (all that would pass between each two "
          "processes), buffers (what each process gives and gets), or by_creator",
          "by_creator"}}),
    make_otf2};

}  // namespace dcube
