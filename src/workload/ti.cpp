#include <optional>
#include <utility>

#include "core/input_file.hpp"
#include "program/catalog.hpp"
#include "ti_reader.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

/// Time of a floating-point operation: the setting "flop", or the machine's; nothing without both.
std::optional<ExactTime> read_flop(const Params& settings, const Machine& machine) {
  if (settings.has("flop")) {
    return settings.duration("flop");
  }
  const auto flop = machine.compute.find("flop");
  return flop == machine.compute.end() ? std::nullopt : std::optional{flop->second};
}

std::unique_ptr<Program> make_ti(const Params& settings, const ProgramContext& context) {
  const std::filesystem::path file = context.input_file(settings, "file");
  // A pipe can be read only once, but the reader reads twice.
  const bool is_pipe = std::filesystem::is_fifo(file);
  const std::string piped =
      is_pipe ? read_input_file(file, settings.place_of("file")) : std::string{};
  TiContext reading{.flop = read_flop(settings, context.machine),
                    .picosecond = read_time_unit(settings, "ps"),
                    .ignored = read_ignored(settings),
                    .text_of = [&](const std::filesystem::path& named, ReadingPart part) {
                      return is_pipe && named == file
                                 ? TextWindow{std::string_view{piped}}
                                 : program_file_window(named, settings, context, part);
                    }};
  Schedule schedule = read_ti(file, std::move(reading));
  return make_scheduled_program(ti_kind.name, std::move(schedule), settings, context);
}

}  // namespace

const ProgramKind ti_kind{
    "ti", "an MPI program that SimGrid has traced (smpirun -trace-ti): time-independent actions",
    "",
    trace_parameters(
        "the trace: a file of all ranks, or one that lists a file a rank", "actions",
        {{"flop", "what a floating-point operation takes", "the machine's compute.flop"}}),
    make_ti};

}  // namespace dcube
