#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "embed_result.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t load_ranges = 24;

/// 0: a terminal or a host computer; a switch: the level it is named by, else 1.
std::uint32_t level_of(const Topology& machine, NodeId node) {
  if (!machine.contains(node) || machine.is_terminal(node)) {
    return 0;
  }
  const std::vector<Structure::SwitchRows>& rows = machine.structure().switch_rows;
  const auto after = std::ranges::upper_bound(rows, node, {}, &Structure::SwitchRows::first);
  return after == rows.begin() || std::prev(after)->of != "level" ? 1 : std::prev(after)->number;
}

struct ClassLoads {
  std::uint64_t links = 0;
  std::uint64_t unused = 0;
  double sum = 0;
  double most = 0;
  std::optional<Link> busiest;
  std::vector<std::uint64_t> histogram = std::vector<std::uint64_t>(load_ranges);
};

}  // namespace

ordered_json loads_by_class(const Topology& machine, const Topology& run, Duplex duplex,
                            const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) {
    most = std::max(most, value);
  }
  enum class Way { neither, up, down };
  std::map<std::pair<std::uint32_t, Way>, ClassLoads> found;
  for (std::uint32_t slot = 0; slot < run.link_slots(); ++slot) {
    const std::optional<Link> link = values[slot] < 0 ? std::nullopt : run.link(LinkId{slot});
    if (!link) {
      continue;
    }
    const double value = values[slot];
    const std::uint32_t from = level_of(machine, link->from);
    const std::uint32_t to = level_of(machine, link->to);
    const Way way = duplex == Duplex::half || from == to ? Way::neither
                    : from < to                          ? Way::up
                                                         : Way::down;
    ClassLoads& loads = found[{link->dimension, way}];
    ++loads.links;
    loads.unused += value == 0 ? 1 : 0;
    loads.sum += value;
    if (value > loads.most) {
      loads.most = value;
      loads.busiest = link;
    }
    const double range = most > 0 ? std::floor(value / most * load_ranges) : 0;
    ++loads.histogram[std::min(load_ranges - 1, static_cast<std::size_t>(range))];
  }
  const char* const arrow = duplex == Duplex::half ? "-" : "->";
  return mapped(found, [&](const auto& of_class) {
    const auto& [number, way] = of_class.first;
    const ClassLoads& loads = of_class.second;
    return ordered_json{
        {"class", number < machine.class_count() ? machine.class_name(number) : "host"},
        {"way", way == Way::up     ? "up"
                : way == Way::down ? "down"
                                   : ""},
        {"links", loads.links},
        {"unused", loads.unused},
        {"mean", loads.sum / static_cast<double>(loads.links)},
        {"max", loads.most},
        {"busiest", loads.busiest ? fmt::format("{}{}{}", loads.busiest->from.index(), arrow,
                                                loads.busiest->to.index())
                                  : ""},
        {"histogram", loads.histogram}};
  });
}

}  // namespace dcube
