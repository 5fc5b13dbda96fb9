#include "trace_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/input_file.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "resource_run.hpp"

namespace dcube {

Ignored read_ignored(const Params& settings) {
  const Setting* const setting = settings.find("ignore");
  if (setting == nullptr) {
    return {};
  }
  if (const std::string* const one = setting->text()) {
    return Ignored{{*one}};
  }
  std::set<std::string, std::less<>> names;
  for (const Setting& entry : settings.list("ignore", "names", 0)) {
    refuse_if(entry.text() == nullptr, settings.place_of("ignore"), "{} is not a name",
              entry.describe());
    names.insert(*entry.text());
  }
  return Ignored{std::move(names)};
}

ExactTime read_time_unit(const Params& settings, std::string_view unit) {
  const Setting* const scale = settings.find("scale");
  if (scale == nullptr) {
    return parse_duration(fmt::format("1{}", unit));
  }
  const std::optional<Decimal> factor =
      scale->number() == nullptr ? std::nullopt : read_decimal(scale->number()->text);
  if (!factor || factor->is_negative) {
    settings.reject_value("scale", "a factor (a number >= 0)");
  }
  try {
    return parse_duration(fmt::format("{}{}", scale->number()->text, unit));
  } catch (const InputError&) {
    settings.reject("scale", fmt::format("{} is too large or too fine a factor: 1 {} times it must "
                                         "be below 2^63 ps, as a fraction of picoseconds with a "
                                         "denominator below 2^63",
                                         scale->number()->text, unit));
  }
}

ParameterHelp scale_help() {
  return {"scale", "what the times of the file are multiplied by (a number >= 0)", "1"};
}

namespace {

constexpr std::string_view automatic = "automatic";

bool has_algorithm(CollectiveKind kind, std::string_view name) {
  return name == automatic || std::ranges::any_of(collective_catalog(kind), [&](const auto* entry) {
           return entry->name == name;
         });
}

/// A name applies to all collectives that have such an algorithm; a group has a name for each kind.
std::map<CollectiveKind, std::string> read_algorithms(const Params& settings) {
  std::map<CollectiveKind, std::string> read;
  const Setting* const setting = settings.find("algorithm");
  if (setting == nullptr) {
    return read;
  }
  if (setting->group() == nullptr) {
    const std::string name = settings.text("algorithm");
    for (const CollectiveKind kind : collective_kinds()) {
      if (has_algorithm(kind, name)) {
        read[kind] = name;
      }
    }
    refuse_if(read.empty(), settings.place_of("algorithm"),
              "{} is not an algorithm of any collective (`dcube list collectives` shows all)",
              setting->describe());
    return read;
  }
  const Params& algorithms = *setting->group();
  for (const std::string& key : algorithms.keys()) {
    const std::optional<CollectiveKind> kind = find_collective(key);
    refuse_if(!kind, algorithms.place_of(key), "is not a collective (allreduce, broadcast, ..)");
    read[*kind] = algorithms.text(key);
    if (!has_algorithm(*kind, read[*kind])) {
      algorithms.reject(
          key, fmt::format("{} is not an algorithm of {}; known: {}", read[*kind], key,
                           joined(collective_catalog(*kind), ", ", &CollectiveAlgorithm::name)));
    }
  }
  return read;
}

/// Throws unless each collective of the schedule is possible with the settings.
void expect_possible(const Params& settings, const Schedule& schedule,
                     const std::map<CollectiveKind, std::string>& algorithms) {
  for (const ScheduledCollective& collective : schedule.collectives) {
    if (!algorithms.contains(collective.kind) || collective.kind == CollectiveKind::all_to_allv) {
      continue;
    }
    const std::size_t size =
        collective.members.empty() ? schedule.processes.size() : collective.members.size();
    const CollectiveCall call = call_of(collective, algorithms);
    at_place(settings.place_of("algorithm"),
             [&] { algorithm_for(call, static_cast<std::uint32_t>(size)); });
  }
}

ScheduleSettings read_schedule_settings(const Params& settings, const Schedule& schedule) {
  const std::size_t processes = schedule.processes.size();
  ScheduleSettings read{.guest = Guest::of_processes(static_cast<std::uint32_t>(processes)),
                        .algorithms = read_algorithms(settings)};
  expect_possible(settings, schedule, read.algorithms);
  if (settings.has("guest")) {
    read.guest =
        at_place(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
    refuse_if(read.guest.process_count() != processes, settings.place_of("guest"),
              "{} has {} processes, but the program has {}", settings.text("guest"),
              read.guest.process_count(), processes);
  }
  if (settings.has("ports")) {
    read.ports =
        static_cast<std::uint32_t>(settings.integer("ports", 0, 32, "a number of ports (0 to 32)"));
  }
  if (settings.has("output")) {
    read.ends = settings.full_text("output", "is not the name of a file");
  }
  return read;
}

/// Warns of names that leave out nothing.
void warn_of_unknown_names(const Params& settings, const Schedule& schedule) {
  const Ignored named = read_ignored(settings);
  for (const std::string& name : named.names()) {
    if (!schedule.ignored.contains(name)) {
      warn(settings.place_of("ignore"),
           fmt::format("{} names nothing in the file that can be left out", shown(name)));
    }
  }
}

}  // namespace

std::unique_ptr<Program> make_scheduled_program(std::string_view kind, Schedule schedule,
                                                const Params& settings,
                                                const ProgramContext& context) {
  const ScheduleSettings scheduled = read_schedule_settings(settings, schedule);
  warn_of_unknown_names(settings, schedule);
  return make_scheduled_program(kind, std::move(schedule), scheduled, context);
}

ParameterHelp guest_help() {
  return {"guest", "process topology (guest graph), for embeddings that use one: torus:4x4x8",
          "a cube or a line"};
}
Traffic read_input_traffic(const Params& settings, std::string_view key,
                           const ProgramContext& context) {
  const std::string place = settings.place_of(key);
  const TrafficFile named = at_place(place, [&] { return parse_traffic_file(settings.text(key)); });
  const std::filesystem::path file = context.input_file(settings, key, named.file);
  Traffic traffic = named.format->read(read_input_file(file, place), file.string());
  if (traffic.own_bytes() > 0) {
    warn(place, fmt::format("leaves out {} from processes to themselves, which cross no link",
                            counted(traffic.own_bytes(), "byte")));
  }
  return traffic;
}

std::function<void(double)> part_listener(const std::filesystem::path& file,
                                          const ProgramContext& context, ReadingPart part) {
  if (!context.on_reading) {
    return {};
  }
  return [listen = context.on_reading, file, part](double share) {
    listen(file, part.begin + share * (part.end - part.begin));
  };
}

TextWindow program_file_window(const std::filesystem::path& file, const Params& settings,
                               const ProgramContext& context, ReadingPart part) {
  return input_file_window(file, settings.place_of("file"), part_listener(file, context, part));
}

ParameterHelp file_help(std::string what) { return {"file", std::move(what), ""}; }

std::vector<ParameterHelp> trace_parameters(std::string file, std::string_view ignored,
                                            const std::vector<ParameterHelp>& own) {
  std::vector<ParameterHelp> all{file_help(std::move(file))};
  all.insert(all.end(), own.begin(), own.end());
  all.insert(
      all.end(),
      {scale_help(),
       {"ignore", fmt::format("{} to leave out, by name; the answer counts them", ignored), "[]"},
       {"algorithm",
        "of collectives: a name for all that have it, or {allreduce: ring, ..} (`dcube list "
        "collectives`)",
        "automatic"},
       {"ports",
        "most parts of a collective's data that travel at once (0: as many as its algorithm can "
        "use)",
        "1"},
       guest_help()});
  return all;
}

}  // namespace dcube
