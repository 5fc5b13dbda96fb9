#include "dcube/trace/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"

namespace dcube {
namespace {

constexpr std::string_view separators = ", ";
constexpr const char* nothing = "none";

std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) {
      found.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

/// Both numbers of "3-4"; nothing for any other text.
std::optional<std::pair<std::uint32_t, std::uint32_t>> number_pair(std::string_view text,
                                                                   std::string_view between) {
  const std::size_t middle = text.find(between);
  if (middle == std::string_view::npos) {
    return std::nullopt;
  }
  const auto first = parsed<std::uint32_t>(text.substr(0, middle));
  const auto second = parsed<std::uint32_t>(text.substr(middle + between.size()));
  return first && second ? std::optional{std::pair{*first, *second}} : std::nullopt;
}

ProcessRange parse_process_range(std::string_view part) {
  if (const auto number = parsed<std::uint32_t>(part)) {
    return {*number, *number};
  }
  const auto range = number_pair(part, "-");
  refuse_if(!range, "", "`{}` is neither a process nor a range of them (3, 0-15)", part);
  refuse_if(range->first > range->second, "",
            "{} is no range of processes (it ends before it begins)", part);
  return {range->first, range->second};
}

void append_link(std::string_view part, std::vector<LinkEnds>& links) {
  const auto directed = number_pair(part, "->");
  const auto ends = directed ? directed : number_pair(part, "-");
  refuse_if(!ends, "", "`{}` is not a link (2->3 is one direction of a link, 2-3 both)", part);
  links.emplace_back(ends->first, ends->second);
  if (!directed) {
    links.emplace_back(ends->second, ends->first);
  }
}

Ticks parse_instant(std::string_view text) {
  return round_cost(parse_duration(text), ExactTime{}, 0);
}

std::vector<ProcessRange> common(const std::vector<ProcessRange>& a,
                                 const std::vector<ProcessRange>& b) {
  std::vector<ProcessRange> ranges;
  for (const ProcessRange& one : a) {
    for (const ProcessRange& other : b) {
      const std::uint32_t first = std::max(one.first, other.first);
      const std::uint32_t last = std::min(one.last, other.last);
      if (first <= last) {
        ranges.push_back({first, last});
      }
    }
  }
  return ranges;
}

std::vector<LinkEnds> common(const std::vector<LinkEnds>& a, const std::vector<LinkEnds>& b) {
  std::vector<LinkEnds> links;
  std::ranges::set_intersection(a, b, std::back_inserter(links));
  return links;
}

template <class Parts>
std::optional<Parts> both(const std::optional<Parts>& a, const std::optional<Parts>& b) {
  return !a ? b : !b ? a : std::optional{common(*a, *b)};
}

std::string neighbours_text(const Topology& topology, NodeId node) {
  constexpr std::size_t most_shown = 8;
  std::vector<NodeId> nodes = topology.neighbours(node);
  const bool is_cut = nodes.size() > most_shown;
  nodes.resize(std::min(nodes.size(), most_shown));
  return fmt::format("{}{}", joined(nodes, ", "), is_cut ? ", .." : "");
}

/// Texts of the parts by `text_of`, with blanks between them; "none" when there are none.
template <class Parts, class TextOf>
std::string listed(const Parts& parts, TextOf text_of) {
  return parts.empty() ? nothing : joined(parts, " ", text_of);
}

}  // namespace

bool TraceFilter::shows(ProcessId process) const {
  if (!processes) {
    return true;
  }
  const auto range = std::ranges::lower_bound(*processes, process.index(), {}, &ProcessRange::last);
  return range != processes->end() && range->first <= process.index();
}

bool TraceFilter::shows(NodeId from, NodeId to) const {
  return !links || std::ranges::binary_search(*links, LinkEnds{from, to});
}

bool TraceFilter::overlaps(Ticks first, Ticks last) const {
  // A message to oneself takes no time. It lies in the window when its instant does.
  return first < end && (last > begin || (first == last && first == begin));
}

std::vector<ProcessRange> parse_process_ranges(std::string_view text) {
  if (text == nothing) {
    return {};
  }
  std::vector<ProcessRange> ranges = mapped(parts(text), parse_process_range);
  refuse_if(ranges.empty(), "", "no process is named (`none` leaves all out)");
  std::ranges::sort(ranges, {}, &ProcessRange::first);
  std::vector<ProcessRange> apart{ranges.front()};
  for (const ProcessRange& range : ranges) {
    if (std::uint64_t{range.first} <= std::uint64_t{apart.back().last} + 1) {
      apart.back().last = std::max(apart.back().last, range.last);
    } else {
      apart.push_back(range);
    }
  }
  return apart;
}

std::vector<LinkEnds> parse_links(std::string_view text) {
  if (text == nothing) {
    return {};
  }
  std::vector<LinkEnds> links;
  for (const std::string_view part : parts(text)) {
    append_link(part, links);
  }
  refuse_if(links.empty(), "", "no link is named (`none` leaves all out)");
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

std::pair<Ticks, Ticks> parse_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  refuse_if(colon == std::string_view::npos, "", "`{}` is not a window (1s:2.5s, 1s: or :2.5s)",
            text);
  const std::string_view first = text.substr(0, colon);
  const std::string_view last = text.substr(colon + 1);
  const Ticks begin = first.empty() ? Ticks{0} : parse_instant(first);
  const Ticks end = last.empty() ? Ticks::max() : parse_instant(last);
  refuse_if(begin >= end, "", "the window {} is empty (it must end after it begins)", text);
  return {begin, end};
}

std::string format_process_ranges(const std::vector<ProcessRange>& ranges) {
  return listed(ranges, [](const ProcessRange& range) {
    return range.first == range.last ? std::to_string(range.first)
                                     : fmt::format("{}-{}", range.first, range.last);
  });
}

std::string format_links(const std::vector<LinkEnds>& links) {
  return listed(
      links, [](const LinkEnds& link) { return fmt::format("{}->{}", link.first, link.second); });
}

TraceFilter both(const TraceFilter& a, const TraceFilter& b) {
  return {.processes = both(a.processes, b.processes),
          .links = both(a.links, b.links),
          .begin = std::max(a.begin, b.begin),
          .end = std::min(a.end, b.end)};
}

void check_processes(const TraceFilter& filter, std::uint32_t processes) {
  if (filter.processes && !filter.processes->empty()) {
    refuse_if(filter.processes->back().last >= processes, ".trace_process",
              "{} is not a process of this run (0 .. {})", filter.processes->back().last,
              std::int64_t{processes} - 1);
  }
}

void check_links(const TraceFilter& filter, std::uint64_t nodes) {
  for (const auto& [from, to] : filter.links.value_or(std::vector<LinkEnds>{})) {
    for (const NodeId node : {from, to}) {
      refuse_if(node.index() >= nodes, ".trace_link", "{} is not a node of this machine (0 .. {})",
                node.index(), nodes - 1);
    }
    refuse_if(from == to, ".trace_link", "{}->{} is not a link (it ends where it begins)",
              from.index(), to.index());
  }
}

void check_links(const TraceFilter& filter, const Topology& topology) {
  check_links(filter, topology.node_count());
  for (const auto& [from, to] : filter.links.value_or(std::vector<LinkEnds>{})) {
    refuse_if(!std::ranges::binary_search(topology.neighbours(from), to), ".trace_link",
              "{}->{} is not a link (node {} is joined to {})", from.index(), to.index(),
              from.index(), neighbours_text(topology, from));
  }
}

}  // namespace dcube
