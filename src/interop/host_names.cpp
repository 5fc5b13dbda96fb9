#include "dcube/interop/host_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/refuse.hpp"
#include "core/scanner.hpp"
#include "dcube/topology/platform.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

/// The place of a node's number in a pattern: {}, {:03}, {:03d}, {0:03d}.
struct NumberPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t width = 0;  ///< digits at least, zeros before the number
};

std::optional<NumberPlace> find_number(std::string_view pattern) {
  NumberPlace place;
  place.begin = pattern.find('{');
  const std::size_t close = pattern.find('}', std::min(place.begin, pattern.size()));
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  place.end = close + 1;
  std::string_view format = pattern.substr(place.begin + 1, close - place.begin - 1);
  if (format.starts_with('0')) {  // the first, and only, argument
    format.remove_prefix(1);
  }
  if (format.empty()) {
    return place;
  }
  if (format.ends_with('d')) {
    format.remove_suffix(1);
  }
  if (!format.starts_with(':')) {
    return std::nullopt;
  }
  format.remove_prefix(1);
  constexpr std::uint32_t most_digits = 20;
  const auto width = format.empty() ? std::optional{0U} : parsed<std::uint32_t>(format);
  // Without a zero in front, blanks would fill the width.
  if (!width || *width > most_digits || (*width > 0 && !format.starts_with('0'))) {
    return std::nullopt;
  }
  place.width = *width;
  return place;
}

constexpr std::string_view letters = "letters, digits, `.`, `-` and `_`";

}  // namespace

HostNames HostNames::of_machine(const Topology& topology) {
  HostNames hosts;
  const PlatformCosts* const platform = platform_costs(topology);
  if (platform == nullptr || !std::ranges::all_of(platform->host_names, is_name)) {
    return hosts;
  }
  for (const std::string& name : platform->host_names) {
    hosts.add(name);
  }
  hosts.source_ = fmt::format("{} to {}", hosts.names_.front(), hosts.names_.back());
  hosts.add_switches(topology);
  return hosts;
}

bool HostNames::add(const std::string& name) {
  const NodeId node{static_cast<std::uint32_t>(names_.size())};
  const bool is_new = nodes_.emplace(name, node).second;
  if (is_new) {
    names_.push_back(name);
  }
  return is_new;
}

void HostNames::add_switches(const Topology& topology) {
  for (auto node = names_.size(); node < topology.node_count(); ++node) {
    names_.push_back(fmt::format("switch-{}", node));
  }
}

HostNames HostNames::parse(std::string_view pattern_or_file, const Topology& topology) {
  if (pattern_or_file.empty()) {
    return of_machine(topology);
  }
  const std::uint32_t node_count = topology.node_count();
  const std::uint32_t switches = topology.structure().switches;
  HostNames hosts;
  hosts.source_ = pattern_or_file;
  if (is_pattern(pattern_or_file)) {
    const std::optional<NumberPlace> number = find_number(pattern_or_file);
    if (number) {
      hosts.prefix_ = pattern_or_file.substr(0, number->begin);
      hosts.suffix_ = pattern_or_file.substr(number->end);
      hosts.width_ = number->width;
    }
    refuse_if(!number || !is_name(hosts.of(NodeId{0})), "",
              "{} is not a pattern of names ({} around one {{}}, or {{:03}} for three digits)",
              shown(pattern_or_file), letters);
    return hosts;
  }
  const std::string text = file_text(std::filesystem::path{pattern_or_file});
  Scanner scanner{text, hosts.source_, '#'};
  while (scanner.next_line()) {
    const std::string_view word = scanner.word();
    const std::string_view name = word.substr(0, word.find(':'));  // MPICH's node-5:1
    scanner.reject_if(!is_name(name), "{} is not a host's name (of {})", shown(word), letters);
    scanner.reject_if(hosts.names_.size() == node_count, "{} is one too many for {} nodes", name,
                      node_count);
    const bool is_new = hosts.add(std::string{name});
    scanner.reject_if(!is_new, "{} is node {} already", name,
                      hosts.nodes_.find(name)->second.index());
  }
  const std::size_t named = hosts.names_.size();
  refuse_if(named != node_count && named != node_count - switches, hosts.source_,
            "has {} for {} (one for each{})", counted(named, "name"),
            counted(node_count - switches, "node"),
            switches == 0 ? "" : fmt::format("; {} may follow", counted(switches, "switch")));
  hosts.add_switches(topology);
  return hosts;
}

std::string HostNames::of(NodeId node) const {
  return names_.empty() ? fmt::format("{}{:0{}}{}", prefix_, node.index(), width_, suffix_)
                        : names_.at(node.index());
}

std::optional<NodeId> HostNames::find(std::string_view name) const {
  if (!names_.empty()) {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? std::nullopt : std::optional{found->second};
  }
  if (name.size() <= prefix_.size() + suffix_.size() || !name.starts_with(prefix_) ||
      !name.ends_with(suffix_)) {
    return std::nullopt;
  }
  const std::string_view number =
      name.substr(prefix_.size(), name.size() - prefix_.size() - suffix_.size());
  const std::optional<std::uint32_t> node = parsed<std::uint32_t>(number);
  // "node-07" is not node 7.
  return node && of(NodeId{*node}) == name ? std::optional{NodeId{*node}} : std::nullopt;
}

bool HostNames::has_numbers_of_others(std::uint32_t node_count) const {
  if (names_.empty() && !parsed<std::uint32_t>(of(NodeId{0}))) {
    return false;  // a pattern with a letter
  }
  for (std::uint32_t node = 0; node < node_count; ++node) {
    const auto number = parsed<std::uint32_t>(of(NodeId{node}));
    if (number && *number < node_count && *number != node) {
      return true;
    }
  }
  return false;
}

}  // namespace dcube
