// Loads of links under an all-to-all in which messages draw or choose their ways, against plain
// computations.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "support/kernel_runner.hpp"
#include "support/reference_simulator.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

/// Every process sends the others, from the next one round, and then hears them.
ScriptCase all_to_all(const std::string& settings, Routing routing, std::uint64_t seed) {
  ScriptCase scripted;
  Machine& machine = scripted.machine;
  machine.topology = make_topology(Params::parse("kind=" + settings));
  machine.node.local = {ExactTime{Ticks{1}}, {}};
  machine.links.routing = {routing, seed};
  for (std::uint32_t i = 0; i < machine.topology->class_count(); ++i) {
    machine.links.per_dimension.push_back({ExactTime{Ticks{3 + i}}, ExactTime{Ticks{1}}});
  }
  const std::uint32_t count = machine.topology->terminal_count();
  for (std::uint32_t process = 0; process < count; ++process) {
    scripted.map.emplace_back(process);
    std::vector<Step> script;
    for (std::uint32_t i = 1; i < count; ++i) {
      script.push_back(
          {.kind = Step::Kind::send, .peer = ProcessId{(process + i) % count}, .bytes = 4});
    }
    for (std::uint32_t i = 1; i < count; ++i) {
      script.push_back(
          {.kind = Step::Kind::receive, .peer = ProcessId{(process + count - i) % count}});
    }
    scripted.scripts.push_back(std::move(script));
  }
  scripted.description = settings;
  return scripted;
}

using Loads = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// By the ends of links.
Loads loads_of(const RunReport& report, const Topology& topology) {
  Loads loads;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const Link link = topology.link(LinkId{slot}).value();
    if (const std::uint64_t load = report.link_counters.crossings[slot]; load > 0) {
      loads[{link.from.index(), link.to.index()}] += load;
    }
  }
  return loads;
}

/// A dragonfly of all groups whose global ports are in absolute order: port k of group i leads to
/// group k, or k + 1 from i on. Nodes are numbered from the definition.
struct PlainDragonfly {
  std::uint32_t p;
  std::uint32_t a;
  std::uint32_t h;

  std::uint32_t groups() const { return a * h + 1; }
  std::uint32_t terminals() const { return groups() * a * p; }
  std::uint32_t group_of(std::uint32_t terminal) const { return terminal / p / a; }
  std::uint32_t router(std::uint32_t group, std::uint32_t number) const {
    return terminals() + group * a + number;
  }
  /// The router of `group` with the link to group `to`.
  std::uint32_t gateway(std::uint32_t group, std::uint32_t to) const {
    return router(group, (to < group ? to : to - 1) / h);
  }
  /// Router numbers of the minimal way from a router on, without that one.
  void go(std::vector<std::uint32_t>& way, std::uint32_t to) const {
    const std::uint32_t here = (way.back() - terminals()) / a;
    const std::uint32_t there = (to - terminals()) / a;
    const auto visit = [&](std::uint32_t node) {
      if (way.back() != node) {
        way.push_back(node);
      }
    };
    if (here != there) {
      visit(gateway(here, there));
      visit(gateway(there, here));
    }
    visit(to);
  }
};

TEST(DrawnLoads, ValiantGroupIsWhatTheDrawnGroupsSay) {
  constexpr std::uint64_t seed = 9;
  for (const PlainDragonfly& plain :
       {PlainDragonfly{1, 2, 1}, PlainDragonfly{2, 2, 2}, PlainDragonfly{1, 4, 1}}) {
    const ScriptCase scripted =
        all_to_all(fmt::format("dragonfly,p={},a={},h={}", plain.p, plain.a, plain.h),
                   Routing::valiant_group, seed);
    const RunReport report = run_without_simgrid(input_of(scripted, nullptr));
    Loads expected;
    std::uint64_t detours = 0;
    for (std::uint32_t from = 0; from < plain.terminals(); ++from) {
      for (std::uint32_t number = 0; number + 1 < plain.terminals(); ++number) {
        const std::uint32_t to = (from + number + 1) % plain.terminals();
        const std::uint32_t first = plain.group_of(from);
        const std::uint32_t last = plain.group_of(to);
        const auto group = static_cast<std::uint32_t>(
            bounded(hash_of(seed, from, number, std::uint64_t{0}), plain.groups()));
        std::vector<std::uint32_t> way{from, plain.router(first, from / plain.p % plain.a)};
        if (first != last && group != first && group != last) {
          plain.go(way, plain.gateway(group, first));
          ++detours;
        }
        plain.go(way, plain.router(last, to / plain.p % plain.a));
        way.push_back(to);
        for (std::size_t i = 1; i < way.size(); ++i) {
          ++expected[{way[i - 1], way[i]}];
        }
      }
    }
    EXPECT_GT(detours, 0U);
    EXPECT_EQ(loads_of(report, *scripted.machine.topology), expected) << scripted.description;
  }
}

TEST(DrawnLoads, UgalIsWhatThePlainSimulatorCounts) {
  for (const std::string settings :
       {"dragonfly,p=2,a=2,h=1", "dragonfly,p=1,a=4,h=1,g=4,arrangement=circulant",
        "dragonfly,p=1,a=4,h=1,local=[2,2],arrangement=relative",
        "dragonfly_plus,p=1,leaves=2,spines=2,h=1"}) {
    const ScriptCase scripted = all_to_all(settings, Routing::ugal, 4);
    const Topology& topology = *scripted.machine.topology;
    const RunReport report = run_without_simgrid(input_of(scripted, nullptr));
    Loads expected;
    for (const Hop& hop : simulate_plainly(scripted).hops) {
      const Link link = topology.link(hop.link).value();
      ++expected[{link.from.index(), link.to.index()}];
    }
    const Loads loads = loads_of(report, topology);
    EXPECT_EQ(loads, expected) << settings;
    // Some messages have gone over a group, and some could have and have not.
    const auto others = [&](Routing routing) {
      return loads_of(run_without_simgrid(input_of(all_to_all(settings, routing, 4), nullptr)),
                      topology);
    };
    EXPECT_NE(loads, others(Routing::fixed)) << settings;
    EXPECT_NE(loads, others(Routing::valiant_group)) << settings;
  }
}

}  // namespace
}  // namespace dcube::testing
