#include "dcube/interop/host_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/refuse.hpp"
#include "core/scanner.hpp"

namespace dcube {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

constexpr std::string_view letters = "letters, digits, `.`, `-` and `_`";

}  // namespace

HostNames HostNames::parse(std::string_view pattern_or_file, std::uint32_t node_count) {
  HostNames hosts;
  hosts.source_ = pattern_or_file;
  if (is_pattern(pattern_or_file)) {
    const std::size_t number = pattern_or_file.find("{}");
    hosts.prefix_ = pattern_or_file.substr(0, number);
    hosts.suffix_ = pattern_or_file.substr(number + 2);
    refuse_if(!is_name(hosts.of(NodeId{0})), "",
              "{} is not a pattern of names ({} around one {{}})", shown(pattern_or_file), letters);
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
    const NodeId node{static_cast<std::uint32_t>(hosts.names_.size())};
    const auto [known, is_new] = hosts.nodes_.emplace(name, node);
    scanner.reject_if(!is_new, "{} is node {} already", name, known->second.index());
    hosts.names_.emplace_back(name);
  }
  refuse_if(hosts.names_.size() != node_count, hosts.source_,
            "has {} names for {} nodes (one for each)", hosts.names_.size(), node_count);
  return hosts;
}

std::string HostNames::of(NodeId node) const {
  return names_.empty() ? fmt::format("{}{}{}", prefix_, node.index(), suffix_)
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

}  // namespace dcube
