#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/catalog.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"

namespace dcube::reading {

inline Machine machine(std::string_view settings) {
  Machine machine;
  machine.topology = make_topology(Params::parse(settings));
  machine.links.per_dimension.resize(machine.topology->dimension_count());
  return machine;
}

/// Node of each process that a text of the format says.
inline std::vector<std::uint32_t> map(std::string_view format, std::string_view text,
                                      std::string_view settings, const HostNames& hosts = {},
                                      std::optional<std::uint32_t> processes = {},
                                      std::uint32_t slots = 1) {
  const auto topology = make_topology(Params::parse(settings));
  std::vector<std::uint32_t> nodes;
  for (const NodeId node : find_kind(map_format_catalog(), format)
                               ->read(text, {"x", *topology, hosts, processes, slots})) {
    nodes.push_back(node.index());
  }
  return nodes;
}

inline Traffic traffic(std::string_view format, std::string_view text) {
  return find_kind(traffic_format_catalog(), format)->read(text, "x");
}

/// The same text with other ends of lines, blanks and marks.
inline std::vector<std::string> as_other_editors_write(const std::string& text) {
  const auto with = [&](char replaced, std::string_view replacement) {
    std::string result;
    for (const char c : text) {
      result += c == replaced ? std::string{replacement} : std::string{c};
    }
    return result;
  };
  return {with('\n', "\r\n"),    with('\n', " \t\n"), with(' ', "\t"),
          "\xef\xbb\xbf" + text, text + "\n \n",      text.substr(0, text.size() - 1)};
}

}  // namespace dcube::reading
