#include "node_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/json_reading.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

namespace fs = std::filesystem;

/// A machine whose nodes have numbers and names.
struct NamedNodes {
  const Topology& topology;
  const HostNames& hosts;
  std::string_view missing_file{};  ///< a list that may be meant as the name of a file
  /// Whether numbers in texts are names: hosts are called by numbers of other nodes.
  bool are_numbers_names = hosts.has_numbers_of_others(topology.terminal_count());
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void expect_host(const NamedNodes& nodes, NodeId node, std::string_view text,
                 std::string_view place) {
  refuse_if(!nodes.topology.is_terminal(node), place,
            "{} is {}, which hosts nothing (nodes are 0 to {})", shown(text),
            nodes.topology.name_of(node), nodes.topology.terminal_count() - 1);
}

NodeId node_numbered(const NamedNodes& nodes, std::string_view number, std::string_view place) {
  const std::optional<std::uint32_t> node = parsed<std::uint32_t>(number);
  refuse_if(!node || *node >= nodes.topology.node_count(), place,
            "{} is not a node of the {} (0 to {})", shown(number), describe(nodes.topology),
            nodes.topology.terminal_count() - 1);
  expect_host(nodes, NodeId{*node}, number, place);
  return NodeId{*node};
}

/// A host's name or a number.
NodeId node_called(const NamedNodes& nodes, std::string_view text, std::string_view place) {
  const std::optional<NodeId> node = nodes.hosts.find(text);
  if (is_number(text) && !node) {
    refuse_if(nodes.are_numbers_names, place,
              "{} is none of the hosts ({}), whose names are numbers; write names", text,
              nodes.hosts.source());
    return node_numbered(nodes, text, place);
  }
  refuse_if(
      !node || !nodes.topology.contains(*node), place,
      "{} is neither a node (0 to {}) nor one of the hosts ({}){}; `.hosts` gives their names",
      shown(text), nodes.topology.terminal_count() - 1, nodes.hosts.source(),
      nodes.missing_file.empty()
          ? ""
          : fmt::format(", and no file is called {}", shown(nodes.missing_file)));
  expect_host(nodes, *node, text, place);
  return *node;
}

void expect_alive(const NamedNodes& nodes, NodeId node, std::string_view place) {
  refuse_if(!nodes.topology.is_alive(node), place, "node {} has failed, so it hosts nothing anyway",
            node.index());
}

/// "3", "40-47", "node-5".
void add_nodes(const NamedNodes& nodes, std::string_view text, std::string_view place,
               std::vector<NodeId>& list) {
  const std::size_t hyphen = text.find('-');
  const std::string_view first = text.substr(0, hyphen);
  const std::string_view last = hyphen == std::string_view::npos ? "" : text.substr(hyphen + 1);
  if (!is_number(first) || !is_number(last) || nodes.hosts.find(text)) {
    list.push_back(node_called(nodes, text, place));
    expect_alive(nodes, list.back(), place);
    return;
  }
  node_called(nodes, first, place);
  node_called(nodes, last, place);
  const auto number = parsed<std::uint64_t>(first);
  const auto end = parsed<std::uint64_t>(last);
  refuse_if(!number || !end || *end < *number, place,
            "{} counts downwards; write the lower node first", shown(text));
  for (std::uint64_t next = *number; next <= *end; ++next) {
    list.push_back(node_called(nodes, fmt::format("{:0{}}", next, first.size()), place));
    expect_alive(nodes, list.back(), place);
  }
}

/// Limit of the nodes that are named.
constexpr std::size_t most_names = std::size_t{1} << 20U;

/// The first and the last number of "0-3" or "7".
std::pair<std::uint32_t, std::uint32_t> range_of(std::string_view range, std::string_view text,
                                                 std::string_view place) {
  const std::size_t hyphen = range.find('-');
  const std::string_view upper =
      hyphen == std::string_view::npos ? range : range.substr(hyphen + 1);
  const auto first = parsed<std::uint32_t>(range.substr(0, hyphen));
  const auto last = parsed<std::uint32_t>(upper);
  refuse_if(!first || !last || *last < *first || *last - *first >= most_names, place,
            "{} in {} is not a range of numbers", shown(range), shown(text));
  return {*first, *last};
}

/// Slurm's "rack[0-3,7]-a" in full, digits as wide as they are written; other texts as they are.
std::vector<std::string> expanded(std::string_view text, std::string_view place) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) {
    return {std::string{text}};
  }
  const std::size_t close = text.find(']', open);
  refuse_if(close == std::string_view::npos, place, "{} has no closing bracket", shown(text));
  const std::vector<std::string> ends = expanded(text.substr(close + 1), place);
  std::vector<std::string> names;
  for (const std::string_view range : split_at(text.substr(open + 1, close - open - 1), ',')) {
    const auto [first, last] = range_of(range, text, place);
    const std::size_t width = std::min(range.find('-'), range.size());
    refuse_if((last - first + std::size_t{1}) * ends.size() + names.size() > most_names, place,
              "{} names more than {} hosts", shown(text), grouped(most_names));
    for (std::uint32_t number = first; number <= last; ++number) {
      for (const std::string& end : ends) {
        names.push_back(fmt::format("{}{:0{}}{}", text.substr(0, open), number, width, end));
      }
    }
  }
  return names;
}

/// The words of a line: between blanks, and between commas outside of brackets.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ' ' || c == '\t' || c == '\r' || (c == ',' && depth <= 0)) {
      if (i > begin) {
        words.push_back(line.substr(begin, i - begin));
      }
      begin = i + 1;
    }
  }
  return words;
}

/// Calls `visit(line without its comment, "file: line 3")`.
template <class Visit>
void for_each_line(std::string_view text, const std::string& file, Visit visit) {
  std::size_t number = 0;
  for (std::string_view line : split_at(text, '\n')) {
    line = trimmed(line.substr(0, line.find('#')));
    ++number;
    if (!line.empty()) {
      visit(line, fmt::format("{}: line {}", file, number));
    }
  }
}

ordered_json json_in(const std::string& text, const std::string& file) {
  return read_json(text, file);
}

/// A JSON list, or lines of nodes as of a hostfile or a batch system.
std::vector<NodeId> nodes_in(const NamedNodes& nodes, const std::string& text,
                             const std::string& file) {
  std::vector<NodeId> list;
  if (trimmed(text, " \t\r\n").starts_with('[')) {
    for (const ordered_json& entry : json_in(text, file)) {
      refuse_if(!entry.is_number_unsigned() && !entry.is_string(), file,
                "{} in the list is no node (a number, a range \"40-47\" or a host's name)",
                shown(json_line(entry)));
      if (entry.is_string()) {
        add_nodes(nodes, entry.get<std::string>(), file, list);
      } else {
        list.push_back(node_numbered(nodes, json_line(entry), file));
        expect_alive(nodes, list.back(), file);
      }
    }
  } else {
    for_each_line(text, file, [&](std::string_view line, const std::string& place) {
      for (const std::string_view word : words_of(line)) {
        if (word.find('=') != std::string_view::npos) {
          continue;  // a hostfile's slots=4
        }
        for (const std::string& name : expanded(word, place)) {
          add_nodes(nodes, std::string_view{name}.substr(0, name.find(':')), place, list);
        }
      }
    });
  }
  refuse_if(list.empty(), file, "names no node");
  return list;
}

/// Whether the text is a list in the request, not a file. Names of hosts have no slash.
bool is_list(const std::string& text) {
  std::error_code error;
  return text.starts_with('[') || (text.find('/') == std::string::npos &&
                                   fs::status(text, error).type() == fs::file_type::not_found);
}

/// Whether nothing stands before, between or after commas outside of brackets.
bool has_empty_entry(std::string_view text) {
  int depth = 0;
  bool is_empty = true;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0 && is_empty) {
      return true;
    }
    is_empty = (c == ',' && depth <= 0) || (is_empty && c == ' ');
  }
  return is_empty;
}

/// Adds the nodes of "3,40-47" or "rack[0-3]".
void add_listed(const NamedNodes& nodes, std::string_view text, std::string_view place,
                std::vector<NodeId>& list) {
  const std::size_t before = list.size();
  for (const std::string_view word : words_of(text)) {
    for (const std::string& name : expanded(word, place)) {
      add_nodes(nodes, name, place, list);
    }
  }
  refuse_if(list.size() == before, place, "names no node");
  refuse_if(has_empty_entry(text), place, "{} has an empty entry (leave out a comma)", shown(text));
}

/// The nodes that are listed in place of a file.
std::vector<NodeId> nodes_listed(const NamedNodes& nodes, const std::string& text) {
  if (text.starts_with('[')) {
    return nodes_in(nodes, text, ".only");
  }
  std::vector<NodeId> list;
  add_listed({nodes.topology, nodes.hosts, text, nodes.are_numbers_names}, text, ".only", list);
  return list;
}

std::vector<bool> allowed_nodes(const NodeChoice& choice, const NamedNodes& nodes) {
  std::vector<bool> is_allowed(nodes.topology.node_count(), true);
  for (const std::string& text : choice.only) {
    const std::vector<NodeId> list = is_list(text)
                                         ? nodes_listed(nodes, text)
                                         : nodes_in(nodes, file_text(fs::path{text}), text);
    std::vector<bool> is_named(is_allowed.size());
    for (const NodeId node : list) {
      is_named[node.index()] = true;
    }
    for (std::size_t node = 0; node < is_allowed.size(); ++node) {
      is_allowed[node] = is_allowed[node] && is_named[node];
    }
  }
  std::vector<NodeId> avoided;
  for (const std::string& text : choice.avoid) {
    add_listed(nodes, text, ".avoid", avoided);
  }
  for (const NodeId node : avoided) {
    is_allowed[node.index()] = false;
  }
  return is_allowed;
}

/// A process and the node that it is pinned to.
class Pins {
 public:
  Pins(const NamedNodes& nodes, std::uint32_t process_count)
      : nodes_{nodes}, pins_(process_count) {}

  void add(std::string_view process, std::string_view node, std::string_view place) {
    const std::optional<std::uint32_t> number = parsed<std::uint32_t>(trimmed(process));
    refuse_if(!number || *number >= pins_.size(), place, "{} is not a process (0 to {})",
              shown(process), pins_.size() - 1);
    pin(*number, node_called(nodes_, trimmed(node), place), place);
  }

  void read(const std::string& file) {
    const std::string text = file_text(fs::path{file});
    if (trimmed(text, " \t\r\n").starts_with('{')) {
      return read_map(json_in(text, file), file);
    }
    bool is_empty = true;
    for_each_line(text, file, [&](std::string_view line, const std::string& place) {
      const std::size_t comma = line.find_first_of(",=");
      if (trimmed(line.substr(0, comma)) == "process") {
        return;  // the header
      }
      is_empty = false;
      refuse_if(comma == std::string_view::npos, place, "{} is not `process,node`", shown(line));
      add(line.substr(0, comma), line.substr(comma + 1), place);
    });
    refuse_if(is_empty, file, "pins no process (its lines are `process,node`)");
  }

  std::vector<std::optional<NodeId>> all() { return std::move(pins_); }

 private:
  /// Reads a map like that of an explicit embedding, with null for a process that may be anywhere.
  void read_map(const ordered_json& document, const std::string& file) {
    const auto map = document.find("map");
    refuse_if(map == document.end() || !map->is_array() || map->size() > pins_.size(), file,
              "holds no `map` of up to {} nodes (null for a process that may be anywhere)",
              pins_.size());
    std::uint32_t process = 0;
    for (const ordered_json& node : *map) {
      if (!node.is_null()) {
        pin(process, node_numbered(nodes_, json_line(node), file), file);
      }
      ++process;
    }
  }

  void pin(std::uint32_t process, NodeId node, std::string_view place) {
    const NodeId pinned = pins_[process].value_or(node);
    refuse_if(pinned != node, place, "process {} is pinned to node {} already", process,
              pinned.index());
    pins_[process] = node;
  }

  const NamedNodes& nodes_;
  std::vector<std::optional<NodeId>> pins_;
};

}  // namespace

std::vector<fs::path> NodeChoice::files() const {
  std::vector<std::string> files = kept(only, std::not_fn(is_list));
  std::ranges::copy_if(pins, std::back_inserter(files),
                       [](const std::string& text) { return text.find('=') == std::string::npos; });
  return std::vector<fs::path>(files.begin(), files.end());
}

std::shared_ptr<const Machine> with_nodes_chosen(const NodeChoice& choice,
                                                 std::shared_ptr<const Machine> machine,
                                                 const HostNames& hosts) {
  if (!choice.choose_nodes()) {
    return machine;
  }
  const std::shared_ptr<const Topology> topology = machine->topology;
  const std::vector<bool> is_allowed = allowed_nodes(choice, {*topology, hosts});
  std::uint32_t left = 0;
  for (std::uint32_t node = 0; node < is_allowed.size(); ++node) {
    left += is_allowed[node] && topology->is_usable(NodeId{node}) ? 1 : 0;
  }
  refuse_if(left == 0, choice.only.empty() ? ".avoid" : ".only",
            "no node is left that could host a process");
  const auto chosen = std::make_shared<Machine>(*machine);
  chosen->topology = with_hosts_among(topology, is_allowed);
  return chosen;
}

std::vector<std::optional<NodeId>> pins_of(const NodeChoice& choice, const Topology& topology,
                                           const HostNames& hosts, std::uint32_t process_count) {
  if (choice.pins.empty()) {
    return {};
  }
  const NamedNodes nodes{topology, hosts};
  Pins pins{nodes, process_count};
  for (const std::string& text : choice.pins) {
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
      pins.add(std::string_view{text}.substr(0, equals), std::string_view{text}.substr(equals + 1),
               ".pins");
    } else {
      pins.read(text);
    }
  }
  return pins.all();
}

}  // namespace dcube
