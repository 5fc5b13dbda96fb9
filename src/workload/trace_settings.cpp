#include "trace_settings.hpp"

#include <fmt/format.h>

#include <utility>

#include "dcube/core/errors.hpp"
#include "program/input_file.hpp"

namespace dcube {

std::vector<std::string> read_ignored(const Params& settings) {
  std::vector<std::string> names;
  const Setting* const setting = settings.find("ignore");
  if (setting == nullptr) {
    return names;
  }
  if (const std::string* const one = setting->text()) {
    return {*one};
  }
  for (const Setting& entry : settings.list("ignore", "names", 0)) {
    if (entry.text() == nullptr) {
      settings.reject("ignore", fmt::format("{} is not a name", entry.describe()));
    }
    names.push_back(*entry.text());
  }
  return names;
}

ParameterHelp ignored_help(std::string what) {
  return {"ignore", fmt::format("{} to leave out, by name; the answer counts them", what), "[]"};
}

ExactTime read_time_unit(const Params& settings, std::string_view unit) {
  const Setting* const scale = settings.find("scale");
  if (scale == nullptr) {
    return parse_duration(fmt::format("1{}", unit));
  }
  if (scale->number() == nullptr) {
    settings.reject_value("scale", "a factor (a number >= 0)");
  }
  return at_place(settings.place_of("scale"),
                  [&] { return parse_duration(fmt::format("{}{}", scale->number()->text, unit)); });
}

ParameterHelp scale_help() {
  return {"scale", "what the times of the file are multiplied by (a number >= 0)", "1"};
}

ScheduleSettings read_schedule_settings(const Params& settings, std::size_t processes) {
  ScheduleSettings read{.guest = Guest::of_processes(static_cast<std::uint32_t>(processes)),
                        .algorithm = settings.text("algorithm", "automatic")};
  if (settings.has("guest")) {
    read.guest =
        at_place(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
    if (read.guest.process_count() != processes) {
      settings.reject("guest",
                      fmt::format("{} has {} processes, but the program has {}",
                                  settings.text("guest"), read.guest.process_count(), processes));
    }
  }
  if (settings.has("output")) {
    read.ends = settings.full_text("output", "is not the name of a file");
  }
  return read;
}

ParameterHelp guest_help() {
  return {"guest", "shape of the processes, for embeddings that use one: torus:4x4x8",
          "a cube or a line"};
}
ParameterHelp algorithm_help() {
  return {"algorithm", "of every collective (`dcube list collectives`)", "automatic"};
}

std::string read_program_file(const Params& settings, const ProgramContext& context) {
  return read_input_file(context.input_file(settings, "file"), settings.place_of("file"));
}

ParameterHelp file_help(std::string what) { return {"file", std::move(what), ""}; }

}  // namespace dcube
