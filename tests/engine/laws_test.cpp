// How runs of random programs on random machines change when something about them does: all times,
// the nodes that processes are on, or what something costs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/topology.hpp"
#include "support/history.hpp"
#include "support/kernel_runner.hpp"
#include "support/plain/simulator.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

/// Calls `change` with each cost of the machine for a message, then with each cost of computing.
template <class Change, class ChangeComputing>
void change_costs(ScriptCase& scripted, Change change, ChangeComputing change_computing) {
  for_each_cost_of_messages(scripted.machine, change);
  for_each_cost_of_collectives(scripted.machine.endpoint, change_computing);
  for (std::vector<Step>& script : scripted.scripts) {
    for (Step& step : script) {
      ExactTime duration{step.duration};
      change_computing(duration);
      step.duration = Ticks{duration.numerator() / duration.denominator()};
    }
  }
}

ExactTime times(const ExactTime& time, std::int64_t factor) {
  return {time.numerator() * factor, time.denominator()};
}

/// A case in which everything takes `factor` times as long.
ScriptCase slowed(const ScriptCase& of, std::int64_t factor) {
  ScriptCase scripted = of;
  const auto slow = [factor](ExactTime& time) { time = times(time, factor); };
  change_costs(scripted, slow, slow);
  for_each_combining(scripted, slow);
  for (Fault& fault : scripted.machine.links.faults) {
    fault.at = fault.at == Ticks::max() ? fault.at : fault.at * factor;
  }
  return scripted;
}

History history_of(const ScriptCase& scripted) {
  HistoryRecorder recorder;
  const RunReport report =
      run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
  return recorder.finish(report);
}

void slow(History& history, Ticks::rep factor) {
  for (Hop& hop : history.hops) {
    for (Ticks* const time : {&hop.arrival, &hop.start, &hop.release, &hop.finish}) {
      *time *= factor;
    }
  }
  for (Delivery& delivery : history.deliveries) {
    delivery.start *= factor;
    delivery.arrival *= factor;
  }
  for (Interval& interval : history.intervals) {
    interval.begin *= factor;
    interval.end *= factor;
  }
  for (Release& release : history.releases) {
    release.time *= factor;
  }
  for (Observation& observed : history.observations) {
    observed.time *= factor;
  }
  for (Ticks& end : history.ends) {
    end *= factor;
  }
  if (history.cut_off) {
    history.cut_off->time *= factor;
  }
}

/// Whether a collective has a message without bytes.
bool has_empty_message(const Step& step) {
  return step.collective &&
         std::ranges::any_of(step.collective->ports, [](const ScriptCollective::Port& port) {
           return std::ranges::any_of(port.steps, [](const ScriptCollective::PortStep& each) {
             return each.to && each.bytes == 0;
           });
         });
}

/// Makes every hop cost something, and every byte. An empty message takes a link for 1 ps where it
/// is gone before it has arrived, however long all else takes: then nothing queues.
void leave_no_hop_free(ScriptCase& scripted) {
  LinkModel& links = scripted.machine.links;
  const auto cost_something = [](TransferCost& cost) {
    cost.fixed = cost.fixed + ExactTime{Ticks{1}};
    cost.per_byte = cost.per_byte + ExactTime{Ticks{1}};
  };
  for_each_cost_of_links(links, cost_something);
  cost_something(scripted.machine.node.local);
  if (links.switching == Switching::store_and_forward) {
    return;
  }
  for (std::vector<Step>& script : scripted.scripts) {
    for (Step& step : script) {
      step.bytes = std::max<std::uint64_t>(step.bytes, 1);
      if (has_empty_message(step)) {
        links.contention = Contention::off;
        links.service = Service::first_come_first_served;
        links.faults.clear();
      }
    }
  }
}

TEST(RandomCasesLaws, ARunOfTimesThatAreTripledIsTheSameThreeTimesAsSlow) {
  // Cores of ports count what they compute in the mean, of up to eight; costs are thirds or halves.
  constexpr std::int64_t whole = 840 * 6;
  const auto [first, number] = random_cases(1500);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScriptCase scripted = random_case(seed);
    scripted.jitter = {};  // which is rounded
    leave_no_hop_free(scripted);
    History usual = history_of(slowed(scripted, whole));
    slow(usual, 3);
    ASSERT_EQ(difference(history_of(slowed(scripted, 3 * whole)), usual), "")
        << scripted.description;
  }
}

/// A case on a network in which any node is like any other: links cost alike in each dimension, and
/// routes from a node are those from another, moved. Of two ways of one length all take the same.
ScriptCase on_symmetric_network(std::uint64_t seed) {
  Draw draw{seed};
  for (;; ++seed) {
    ScriptCase scripted = random_case(seed);
    LinkModel& links = scripted.machine.links;
    const std::uint32_t nodes = scripted.machine.topology->node_count();
    if (scripted.map.size() > 32 || nodes > 32 || links.per_dimension.size() > 3) {
      continue;
    }
    const std::string settings = draw.one_of<const char*, 4>(
        {"kind=ring,nodes=32,tie=positive", "kind=torus,shape=8x4,tie=positive",
         "kind=torus,shape=4x4x2,tie=positive", "kind=hypercube,dimensions=5"});
    scripted.description += " on " + settings;
    scripted.machine.topology = make_topology(Params::parse(settings));
    links.overrides.clear();
    links.faults.clear();
    links.routing = {};
    while (links.per_dimension.size() < scripted.machine.topology->class_count()) {
      links.per_dimension.push_back(random_cost(draw));
    }
    links.per_dimension.resize(scripted.machine.topology->class_count());
    return scripted;
  }
}

/// The node, moved by so many nodes in each dimension of a torus, or by exclusive or in a cube.
NodeId moved(const Topology& topology, NodeId node, std::uint32_t by) {
  if (topology.kind() == "hypercube") {
    return NodeId{node.index() ^ by};
  }
  std::uint32_t moved = 0;
  std::uint32_t rest = node.index();
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    moved += (rest % side + by % side) % side * stride;
    rest /= side;
    by /= side;
    stride *= side;
  }
  return NodeId{moved};
}

TEST(RandomCasesLaws, ARunIsTheSameWhereASymmetryOfTheNetworkPutsIt) {
  const auto [first, number] = random_cases(1500);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = on_symmetric_network(seed);
    ScriptCase elsewhere = scripted;
    for (NodeId& node : elsewhere.map) {
      node = moved(*scripted.machine.topology, node, static_cast<std::uint32_t>(1 + seed % 31));
    }
    History here = history_of(scripted);
    History there = history_of(elsewhere);
    ASSERT_EQ(here.hops.size(), there.hops.size()) << scripted.description;
    here.hops.clear();  // of other links
    there.hops.clear();
    ASSERT_EQ(difference(here, there), "") << scripted.description;
  }
}

TEST(RandomCasesLaws, NothingThatCostsLessMakesAContentionFreeRunLonger) {
  const auto [first, number] = random_cases(3000);
  std::uint64_t compared = 0, shorter = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScriptCase scripted = random_case(seed);
    scripted.jitter = {};  // whose draws are others where something takes no time
    const auto run_of = [](const ScriptCase& of) {
      SimulationInput input = input_of(of, nullptr);
      input.transport = Transport::contention_free;
      return run_without_simgrid(input);
    };
    const RunReport usual = run_of(scripted);
    if (usual.outcome != Outcome::completed || usual.heeds_time) {
      continue;
    }
    Draw draw{seed};
    const auto cheapen = [&draw](ExactTime& time) {
      const auto most = static_cast<std::uint32_t>(time.numerator());
      time = {draw.one_in(2) ? most : draw.below(most + 1), time.denominator()};
    };
    ScriptCase cheaper = scripted;
    change_costs(cheaper, cheapen, cheapen);
    for_each_combining(cheaper, [](ExactTime& time) {  // nothing would be what the machine says
      time = ExactTime{std::min<std::int64_t>(time.numerator(), 1), 1};
    });
    const RunReport run = run_of(cheaper);
    ASSERT_EQ(run.outcome, Outcome::completed) << scripted.description;
    for (std::size_t process = 0; process < usual.process_ends.size(); ++process) {
      ASSERT_LE(run.process_ends[process], usual.process_ends[process])
          << scripted.description << ", process " << process;
    }
    ++compared;
    shorter += run.makespan < usual.makespan ? 1 : 0;
  }
  fmt::print("{} runs, {} of them shorter\n", compared, shorter);
  EXPECT_GT(shorter, number / 5);
}

}  // namespace
}  // namespace dcube::testing
