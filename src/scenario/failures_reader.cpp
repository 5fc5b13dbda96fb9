#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/routing.hpp"
#include "link_reader.hpp"

namespace dcube {
namespace {

const std::array<std::string, 4> failed_keys{"nodes", "links", "spares", "at"};

std::vector<NodeId> read_nodes(const Params& settings, const char* key, const Topology& topology) {
  if (!settings.has(key)) {
    return {};
  }
  const Setting::List& list = settings.list(key, "nodes", 0);
  const Params entries = Params::of_entries(list, settings.place_of(key));
  return numbered(list.size(),
                  [&](std::size_t i) { return read_node(entries, std::to_string(i), topology); });
}

/// Failures from an instant on.
struct FailuresFrom {
  Ticks at{0};
  Failures failures;
};

FailuresFrom read_failures(const Params& settings, const LinksByEnds& network) {
  settings.allow_only(failed_keys);
  FailuresFrom read;
  if (settings.has("at")) {
    read.at = round_cost(settings.duration("at"), ExactTime{}, 0);
    refuse_if(!settings.has("nodes") && !settings.has("links"), settings.place_of("at"),
              "is an instant at which nothing fails (give `nodes` or `links`)");
    refuse_if(settings.has("spares"), settings.place_of("spares"),
              "given beside `at`, but spares are kept free from the start (give them in an entry "
              "without it)");
  }
  Failures& failures = read.failures;
  failures.nodes = read_nodes(settings, "nodes", network.topology());
  failures.spares = read_nodes(settings, "spares", network.topology());
  if (settings.has("links")) {
    std::size_t entry = 0;
    for (const Setting& pair : settings.list("links", "links [[3, 4], ..]", 0)) {
      const std::string place = settings.place_of("links", entry++);
      refuse_if(pair.list() == nullptr || pair.list()->size() < 2 || pair.list()->size() > 3, place,
                "{} is no link (the two nodes it joins)", pair.describe());
      const std::vector<LinkId> named =
          read_links_between(Params::of_entries(*pair.list(), place), network, "0", "1", "2");
      failures.links.insert(failures.links.end(), named.begin(), named.end());
    }
  }
  return read;
}

/// "failed": one group, or a list of them, in order of time.
std::vector<FailuresFrom> read_all_failures(const Params& document, const LinksByEnds& network) {
  std::vector<FailuresFrom> all;
  const Setting* const failed = document.find("failed");
  if (failed != nullptr && failed->list() != nullptr) {
    all = mapped(document.groups("failed", "failures [{\"nodes\": [..], \"at\": ..}, ..]", 0),
                 [&](const Params& group) { return read_failures(group, network); });
  } else if (failed != nullptr) {
    all.push_back(read_failures(document.group("failed"), network));
  }
  std::ranges::stable_sort(all, {}, &FailuresFrom::at);
  return all;
}

/// Throws InputError unless every two nodes that are left reach each other.
void check_parts(const Params& document, const Topology& topology) {
  refuse_if(topology.usable_count() == 0, document.place_of("failed"),
            "leaves no node that could host a process");
  const std::vector<NodeId> cut_off = cut_off_nodes(topology);
  if (!cut_off.empty()) {
    constexpr std::size_t most_shown = 8;
    const std::span<const NodeId> shown{cut_off.data(), std::min(cut_off.size(), most_shown)};
    document.reject("failed",
                    fmt::format("disconnects the machine: node{} {}{} cannot reach the others; "
                                "name {} under `nodes`, too",
                                cut_off.size() == 1 ? "" : "s", joined(shown, ", "),
                                cut_off.size() > most_shown
                                    ? fmt::format(" and {} more", cut_off.size() - most_shown)
                                    : "",
                                cut_off.size() == 1 ? "it" : "them"));
  }
}

void append(Failures& all, const Failures& more) {
  all.nodes.insert(all.nodes.end(), more.nodes.begin(), more.nodes.end());
  all.links.insert(all.links.end(), more.links.begin(), more.links.end());
  all.spares.insert(all.spares.end(), more.spares.begin(), more.spares.end());
}

}  // namespace

std::shared_ptr<const Topology> with_failures_of(const Params& document, const LinksByEnds& network,
                                                 std::shared_ptr<const Topology> routed,
                                                 std::vector<Fault>& faults) {
  const std::vector<FailuresFrom> all = read_all_failures(document, network);
  if (all.empty()) {
    return routed;
  }
  Failures by_now;
  for (const FailuresFrom& part : all) {
    if (part.at == Ticks{0}) {
      append(by_now, part.failures);
    } else {
      append(by_now, {.nodes = {}, .links = {}, .spares = part.failures.spares});
      append(by_now, {.nodes = {}, .links = {}, .spares = part.failures.nodes});
    }
  }
  const auto left = [&] {
    return at_least_at(document.place_of("failed"), [&] { return with_failures(routed, by_now); });
  };
  std::shared_ptr<const Topology> topology = left();
  check_parts(document, *topology);
  for (const FailuresFrom& part : all) {
    if (part.at > Ticks{0}) {
      append(by_now, part.failures);
      if (!faults.empty() && faults.back().at == part.at) {
        faults.pop_back();
      }
      faults.push_back({part.at, left()});
    }
  }
  return topology;
}

}  // namespace dcube
