// Loads of links under an all-to-all in which messages draw or choose their ways, against plain
// computations.

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
#include "support/plain/fabrics.hpp"
#include "support/plain/simulator.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

/// Every process sends the others, from the next one round, and then hears them.
ScriptCase all_to_all(const std::string& settings, RoutingModel routing) {
  ScriptCase scripted;
  Machine& machine = scripted.machine;
  machine.topology = make_topology(Params::parse("kind=" + settings));
  machine.node.local = {ExactTime{Ticks{1}}, {}};
  machine.links.routing = routing;
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

TEST(DrawnLoads, ValiantGroupIsWhatTheDrawnGroupsSay) {
  constexpr std::uint64_t seed = 9;
  for (const PlainDragonfly& plain : dragonflies) {
    const ScriptCase scripted = all_to_all(plain.settings(), {Routing::valiant_group, seed});
    const RunReport report = run_without_simgrid(input_of(scripted, nullptr));
    Loads expected;
    std::uint64_t detours = 0;
    for (std::uint32_t from = 0; from < plain.terminals(); ++from) {
      for (std::uint32_t number = 0; number + 1 < plain.terminals(); ++number) {
        const std::uint32_t to = (from + number + 1) % plain.terminals();
        const std::uint32_t first = plain.group_of(from);
        const std::uint32_t last = plain.group_of(to);
        const auto group = static_cast<std::uint32_t>(
            bounded(hash_of(seed, from, number, std::uint64_t{0}), plain.g));
        std::vector<std::uint32_t> way{from, plain.router_of(from)};
        if (first != last && group != first && group != last) {
          plain.go(way, plain.router(group, plain.gateways(group, first).front()));
          ++detours;
        }
        plain.go(way, plain.router_of(to));
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
        "dragonfly_plus,p=2,leaves=2,spines=2,h=1"}) {
    const auto run_by = [&](RoutingModel routing) {
      const ScriptCase scripted = all_to_all(settings, routing);
      return loads_of(run_without_simgrid(input_of(scripted, nullptr)), *scripted.machine.topology);
    };
    const Loads own = run_by({});
    const Loads over_groups = run_by({Routing::valiant_group, 4});
    std::vector<Loads> seen;
    for (const Sight sight : {Sight::first_link, Sight::way}) {
      const RoutingModel ugal{Routing::ugal, 4, 0, sight};
      const ScriptCase scripted = all_to_all(settings, ugal);
      const Topology& topology = *scripted.machine.topology;
      Loads expected;
      for (const Hop& hop : simulate_plainly(scripted).hops) {
        const Link link = topology.link(hop.link).value();
        ++expected[{link.from.index(), link.to.index()}];
      }
      seen.push_back(run_by(ugal));
      EXPECT_EQ(seen.back(), expected) << settings;
      // Some messages have gone over a group, and some could have and have not.
      EXPECT_NE(seen.back(), own) << settings;
      EXPECT_NE(seen.back(), over_groups) << settings;
    }
    EXPECT_NE(seen[0], seen[1]) << settings;
  }
}

}  // namespace
}  // namespace dcube::testing
