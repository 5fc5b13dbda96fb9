#include "fit_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/topology/folded_grid.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "questions/collective/ways.hpp"

namespace dcube {
namespace {

/// A message of a ping-pong one way, which is half a round trip.
Params ping_program(const MeasuredRow& measured) {
  const Params message = group_of({{"from", number_setting(measured.from)},
                                   {"to", number_setting(measured.to)},
                                   {"bytes", number_setting(measured.bytes.value_or(0))}});
  const Params phase = group_of({{"messages", Setting::List{message}}});
  return group_of({{"kind", "pattern"}, {"phases", Setting::List{phase}}});
}

CollectiveKind measured_collective(const std::string& operation) {
  return operation == name_of(CollectiveKind::barrier) ? CollectiveKind::barrier
                                                       : collective_called(operation);
}

/// Keys of settings in which ways to do one thing differ.
constexpr std::array<std::string_view, 11> keys_of_ways{
    "ports", "segment", "distances", "radix",          "copies",   "serial_copies",
    "plans", "pieces",  "blocking",  "child_by_child", "exchanges"};

/// What rows say, or are given by columns.
constexpr std::array measured_values{
    ChosenValue{"/program", "what was measured", "`.columns` gives what rows lack", true},
    ChosenValue{"/program/operation", "the operation", "`.columns` gives what rows lack"},
    ChosenValue{"/program/algorithm", "the algorithm", "`.columns` gives what rows lack"},
    ChosenValue{"/program/processes", "the number of processes", "`.columns` gives what rows lack"},
    ChosenValue{"/program/bytes", "the size", "`.columns` gives what rows lack"},
    ChosenValue{"/program/phases", "the message", "`.columns` gives what rows lack"}};

/// Whether tools count the data of one process where dcube counts that of all.
bool tools_count_one_process(CollectiveKind kind) {
  return kind == CollectiveKind::allgather || kind == CollectiveKind::gather ||
         kind == CollectiveKind::scatter || kind == CollectiveKind::all_to_all;
}

/// Sides that processes see of the machine, for an algorithm that uses them.
std::vector<std::uint32_t> sides_for(const CollectiveAlgorithm* algorithm, const Machine& machine,
                                     std::uint64_t processes) {
  const Topology& topology = *machine.topology;
  const FoldedGrid grid{topology};
  const bool has_shape = algorithm != nullptr && algorithm->needs.sides && has_sides(topology) &&
                         processes == topology.node_count() && grid.sides().size() >= 2 &&
                         grid.sides().size() <= 16;
  return has_shape ? std::vector<std::uint32_t>(grid.sides().begin(), grid.sides().end())
                   : std::vector<std::uint32_t>{};
}

/// The case of a row's document with settings and the row's own values.
FitCase case_of(Params document, const std::vector<std::string>& settings,
                const MeasuredRow& measured) {
  std::vector<Override> changes = mapped(settings, parse_override);
  for (const auto& [pointer, value] : measured.settings) {
    changes.push_back({pointer, value});
  }
  for (const Override& change : changes) {
    document = with_value(document, change.pointer, value_of(change, document));
  }
  refuse_if(!document.group("program").has("kind"), "",
            "nothing says what was measured (a column `collective`, or `.columns`)");
  const Scenario scenario = ScenarioSource{"scenario", document}.build({});
  return {.document = std::move(document),
          .memory_bytes = estimated_memory_bytes(run_size(scenario))};
}

/// Whether the row can be used without settings.
bool is_usable(const Params& document, const MeasuredRow& measured) {
  try {
    case_of(document, {}, measured);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string fit_problem(const InputError& error) {
  const std::string_view place = error.place();
  const std::size_t pointer = place.find('/');
  const bool is_clear = pointer == std::string_view::npos || place.ends_with("/embedding") ||
                        place.ends_with("/algorithm");
  return is_clear ? error.problem() : fmt::format("{}: {}", place.substr(pointer), error.problem());
}

FitCases::FitCases(Params machine, std::vector<std::string> settings)
    : machine_{std::move(machine)}, settings_{std::move(settings)} {
  host({});
}

const FitCases::Host& FitCases::host(const std::string& network) {
  if (const auto known = hosts_.find(network); known != hosts_.end()) {
    return known->second;
  }
  Host host{.document = machine_, .machine = {}};
  if (!network.empty()) {
    const Params other = machine_document(network, std::nullopt, "", inputs_);
    host.document.set("topology", other.required("topology"));
    host.document.set("name", network);
  }
  host.machine = read_machine(host.document, network, VersionKey::optional);
  return hosts_.emplace(network, std::move(host)).first->second;
}

Params FitCases::program_of(const MeasuredRow& measured, FitRow& row,
                            const Machine& machine) const {
  if (measured.is_ping_pong()) {
    row.bytes = measured.bytes.value_or(0);
    refuse_if(measured.from == measured.to, "",
              "rank {} is at both ends, and no link is crossed (give two ranks)", measured.from);
    return ping_program(measured);
  }
  if (measured.operation.empty()) {
    return {};
  }
  const CollectiveKind kind = measured_collective(measured.operation);
  const std::uint64_t processes = measured.processes.value_or(machine.topology->usable_count());
  Params program = group_of({{"kind", "collective"}, {"operation", std::string{name_of(kind)}}});
  if (measured.processes) {
    program.set("processes", number_setting(processes));
  }
  const CollectiveAlgorithm* const algorithm =
      find_kind(collective_catalog(kind), measured.algorithm);
  if (!measured.algorithm.empty()) {
    program.set("algorithm", measured.algorithm);
  }
  if (const auto sides = sides_for(algorithm, machine, processes); !sides.empty()) {
    program.set("shape", numbers_setting(sides));
  }
  if (kind == CollectiveKind::barrier) {
    return program;
  }
  refuse_if(!measured.bytes, "", "the row has no size");
  const bool is_share = measured.is_of_share && tools_count_one_process(kind);
  row.bytes = *measured.bytes * (is_share ? processes : 1);
  constexpr std::uint64_t usual_value = 4;
  const std::uint64_t grain = usual_value * (kind == CollectiveKind::all_to_all ? processes : 1);
  program.set("bytes", number_setting(*row.bytes));
  program.set("value_bytes", number_setting(*row.bytes % grain == 0 ? usual_value : 1));
  program.set("data", false);
  return program;
}

FitCase FitCases::of(const MeasuredRow& measured, FitRow& row) {
  if (!measured.operation.empty() || measured.is_ping_pong()) {
    expect_unset(settings_, measured_values);
  }
  const auto add = [](std::string& label, std::string_view word) {
    label += label.empty() || word.empty() ? "" : " ";
    label += word;
  };
  add(row.group, measured.operation);
  add(row.question, measured.operation);
  add(row.group, measured.algorithm);
  add(row.group, measured.network);
  add(row.question, measured.network);
  FitCase made;
  try {
    refuse_if(!measured.problem.empty(), "", "{}", measured.problem);
    const Host& on = host(measured.network);
    const Params document = group_of({{"schema_version", number_setting(1)},
                                      {"machine", on.document},
                                      {"program", program_of(measured, row, *on.machine)}});
    for (const auto& [pointer, value] : measured.settings) {
      const std::string_view key = std::string_view{pointer}.substr(pointer.rfind('/') + 1);
      if (const bool is_plain = value.find_first_of("{[") == std::string::npos;
          is_plain && key != "embedding") {
        add(row.group, fmt::format("{}={}", key, value));
      }
      if (std::ranges::find(keys_of_ways, key) == keys_of_ways.end()) {
        add(row.question, fmt::format("{}={}", key, value));
      }
    }
    try {
      made = case_of(document, settings_, measured);
    } catch (const InputError& error) {
      if (!settings_.empty() && settings_problem_.empty() && is_usable(document, measured)) {
        settings_problem_ = fit_problem(error);
      }
      throw;
    }
  } catch (const InputError& error) {
    row.problem = fit_problem(error);
  }
  return made;
}

}  // namespace dcube
