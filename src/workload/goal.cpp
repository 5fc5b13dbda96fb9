#include <utility>

#include "goal_reader.hpp"
#include "program/catalog.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

std::unique_ptr<Program> make_goal(const Params& settings, const ProgramContext& context) {
  const std::filesystem::path file = context.input_file(settings, "file");
  Schedule schedule = read_goal(program_file_window(file, settings, context, {}), file.string(),
                                read_time_unit(settings, "ns"));
  return make_scheduled_program(goal_kind.name, std::move(schedule), settings, context);
}

}  // namespace

const ProgramKind goal_kind{
    "goal",
    "a schedule in the text form of GOAL (LogGOPSim): a graph of send, recv and calc for each rank",
    "",
    {file_help("the schedule; a unit of calc is a nanosecond"),
     scale_help(),
     guest_help(),
     {"output", "a CSV file for the instants at which each rank was last busy", "none"}},
    make_goal};

}  // namespace dcube
