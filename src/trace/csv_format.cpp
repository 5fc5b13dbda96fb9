#include "csv_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/simulation.hpp"

namespace dcube::detail {
namespace {

using Run = TraceDescription;
using Value = std::optional<std::string>;

[[noreturn]] void reject(std::string_view value, std::string_view what) {
  throw InputError("", fmt::format("`{}` is not {}", value, what));
}

template <class Number>
Number whole(std::string_view value, std::string_view what = "a whole number") {
  const auto number = parsed<Number>(value);
  if (!number) {
    reject(value, what);
  }
  return *number;
}

/// The value of a comment is the rest of its line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// --- Keys whose value is that of a member ---

template <auto member>
constexpr CsvKey text_key(const char* name) {
  return {name, true, [](const Run& run) -> Value { return one_line(run.*member); },
          [](Run& run, std::string_view value) { run.*member = value; }};
}

template <auto member>
constexpr CsvKey number_key(const char* name, bool is_required) {
  return {name, is_required, [](const Run& run) -> Value { return std::to_string(run.*member); },
          [](Run& run, std::string_view value) {
            run.*member = whole<std::remove_reference_t<decltype(run.*member)>>(value);
          }};
}

/// Key whose value is one of two words, each for a value of an enumeration.
template <auto member, const auto& words>
constexpr CsvKey choice_key(const char* name) {
  return {name, true,
          [](const Run& run) -> Value { return words.at(static_cast<std::size_t>(run.*member)); },
          [](Run& run, std::string_view value) {
            const auto word = std::ranges::find(words, value);
            if (word == words.end()) {
              reject(value, fmt::format("{} or {}", words[1], words[0]));
            }
            run.*member =
                static_cast<std::remove_reference_t<decltype(run.*member)>>(word - words.begin());
          }};
}

constexpr std::array duplex_words{"full", "half"};
constexpr std::array contention_words{"off", "on"};

// --- Other keys ---

Value write_version(const Run&) { return std::to_string(csv_version); }
void read_version(Run&, std::string_view value) {
  if (const int version = whole<int>(value); version != csv_version) {
    throw InputError(
        "", fmt::format("version {} of the format is not known (only {})", version, csv_version));
  }
}

Value write_shape(const Run& run) { return joined(run.shape, "x"); }
void read_shape(Run& run, std::string_view value) {
  if (value.empty()) {
    return;  // a hypercube of one node
  }
  for (const std::string_view side : split_at(value, 'x')) {
    run.shape.push_back(whole<std::uint32_t>(side, "a number of nodes (8x8)"));
  }
}

Value write_slots(const Run& run) {
  return run.slots == 1 ? std::nullopt : Value{std::to_string(run.slots)};
}
void read_slots(Run& run, std::string_view value) { run.slots = whole<std::uint32_t>(value); }

Value write_packet(const Run& run) {
  return run.packet_bytes ? Value{std::to_string(*run.packet_bytes)} : std::nullopt;
}
void read_packet(Run& run, std::string_view value) {
  run.packet_bytes = whole<std::uint64_t>(value);
}

Value write_parallel_links(const Run& run) {
  const auto words = [](const auto& entry) {
    const auto& [nodes, links] = entry;
    return fmt::format("{}-{}:{}", nodes.first.index(), nodes.second.index(), links);
  };
  return run.parallel_links.empty() ? std::nullopt : Value{joined(run.parallel_links, " ", words)};
}
void read_parallel_links(Run& run, std::string_view value) {
  constexpr std::string_view what = "two nodes and a number of links (6-7:3)";
  for (const std::string_view entry : split_at(value, ' ')) {
    const std::size_t dash = std::min(entry.find('-'), entry.size());
    const std::size_t colon = std::min(entry.find(':', dash), entry.size());
    if (colon == entry.size()) {
      reject(entry, what);
    }
    const auto number = [&](std::size_t begin, std::size_t end) {
      return whole<std::uint32_t>(entry.substr(begin, end - begin), what);
    };
    const std::pair nodes{NodeId{number(0, dash)}, NodeId{number(dash + 1, colon)}};
    run.parallel_links[nodes] = number(colon + 1, entry.size());
  }
}

Value write_host_process(const Run& run) {
  return run.has_host ? Value{std::to_string(run.processes - 1)} : std::nullopt;
}
void read_host_process(Run& run, std::string_view) { run.has_host = true; }

Value write_host_node(const Run& run) {
  return run.has_host ? Value{std::to_string(run.nodes)} : std::nullopt;
}
void read_host_node(Run&, std::string_view) {}

Value write_stage_names(const Run& run) {
  return run.stage_names.empty() ? std::nullopt
                                 : Value{json_line(nlohmann::ordered_json(run.stage_names))};
}
void read_stage_names(Run& run, std::string_view value) {
  const auto names = json_value(value);
  if (!names.is_array() || names.size() != run.stages ||
      !std::ranges::all_of(names, [](const auto& name) { return name.is_string(); })) {
    reject(value, "a list with a name for each stage");
  }
  run.stage_names = names.get<std::vector<std::string>>();
}

Value write_outcome(const Run& run) { return run.outcome; }
void read_outcome(Run& run, std::string_view value) {
  const std::array known{to_string(Outcome::completed), to_string(Outcome::deadlock),
                         to_string(Outcome::not_verified), to_string(Outcome::unreachable)};
  if (std::ranges::find(known, value) == known.end()) {
    reject(value, "an outcome of a run" + nearest_name_hint(value, known));
  }
  run.outcome = value;
}

Value write_time_unit(const Run&) { return "ps"; }
void read_time_unit(Run&, std::string_view value) {
  if (value != "ps") {
    reject(value, "ps, the unit of all times");
  }
}

Value write_makespan(const Run& run) { return std::to_string(run.makespan.count()); }
void read_makespan(Run& run, std::string_view value) {
  run.makespan = Ticks{whole<std::int64_t>(value)};
  if (run.makespan < Ticks{0}) {
    reject(value, "a time (0 or more)");
  }
}

Value write_map(const Run& run) {
  return run.map.empty() ? std::nullopt : Value{joined(run.map, " ")};
}
void read_map(Run& run, std::string_view value) {
  for (const std::string_view node : split_at(value, ' ')) {
    run.map.emplace_back(whole<std::uint32_t>(node, "a node of the map"));
  }
}

Value write_processes(const Run& run) {
  return run.filter.processes ? Value{format_process_ranges(*run.filter.processes)} : std::nullopt;
}
void read_processes(Run& run, std::string_view value) {
  run.filter.processes = parse_process_ranges(value);
}

Value write_links(const Run& run) {
  return run.filter.links ? Value{format_links(*run.filter.links)} : std::nullopt;
}
void read_links(Run& run, std::string_view value) { run.filter.links = parse_links(value); }

Value write_window(const Run& run) {
  const auto& [begin, end] = std::tie(run.filter.begin, run.filter.end);
  if (begin == Ticks{0} && end == Ticks::max()) {
    return std::nullopt;
  }
  return fmt::format("{}ps:{}", begin.count(),
                     end == Ticks::max() ? "" : fmt::format("{}ps", end.count()));
}
void read_window(Run& run, std::string_view value) {
  std::tie(run.filter.begin, run.filter.end) = parse_window(value);
}

constexpr std::array keys{
    CsvKey{csv_first_key, true, write_version, read_version},
    text_key<&Run::machine>("machine"),
    text_key<&Run::topology>("topology"),
    CsvKey{"shape", true, write_shape, read_shape},
    number_key<&Run::nodes>("nodes", true),
    CsvKey{"slots", false, write_slots, read_slots},
    choice_key<&Run::duplex, duplex_words>("duplex"),
    choice_key<&Run::contention, contention_words>("contention"),
    CsvKey{"packet", false, write_packet, read_packet},
    CsvKey{"parallel_links", false, write_parallel_links, read_parallel_links},
    text_key<&Run::embedding>("embedding"),
    text_key<&Run::program>("program"),
    number_key<&Run::processes>("processes", true),
    CsvKey{"host_process", false, write_host_process, read_host_process},
    CsvKey{"host_node", false, write_host_node, read_host_node},
    number_key<&Run::stages>("stages", true),
    CsvKey{"stage_names", false, write_stage_names, read_stage_names},
    CsvKey{"outcome", true, write_outcome, read_outcome},
    CsvKey{"time_unit", false, write_time_unit, read_time_unit},
    CsvKey{"makespan", true, write_makespan, read_makespan},
    CsvKey{"map", false, write_map, read_map},
    CsvKey{"only_processes", false, write_processes, read_processes},
    CsvKey{"only_links", false, write_links, read_links},
    CsvKey{"window", false, write_window, read_window},
    number_key<&Run::intervals>("intervals", false),
    number_key<&Run::hops>("hops", false),
    number_key<&Run::messages>("messages", false)};

}  // namespace

std::span<const CsvKey> csv_keys() { return keys; }

}  // namespace dcube::detail
