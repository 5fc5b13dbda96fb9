#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

constexpr std::array orders{"shifted", "pairwise", "at_once"};

using Pairs = std::vector<std::pair<ProcessId, ProcessId>>;

/// Who sends to whom, in the order of sending.
Pairs messages_of(const SimulatedProgram& run) {
  Pairs pairs;
  SimulationInput input = run.input();
  input.on_send = [&pairs](ProcessId from, ProcessId to, std::uint32_t) {
    pairs.emplace_back(from, to);
  };
  run_without_simgrid(input);
  return pairs;
}

TEST(AllToAll, EveryPairExchangesOneMessageInEveryOrder) {
  for (const char* const order : orders) {
    for (const std::uint32_t processes : {1U, 2U, 3U, 8U, 13U}) {
      const SimulatedProgram run{
          "kind=ring,nodes=13", "standard",
          fmt::format("kind=all_to_all,message=5,order={},processes={}", order, processes)};
      EXPECT_EQ(run.program->verify(), false) << "before the run";
      const RunReport report = run.run();
      EXPECT_EQ(run.program->verify(), true) << order << processes;
      EXPECT_EQ(report.bytes, std::uint64_t{5} * processes * (processes - 1));
      const Pairs pairs = messages_of(run);
      EXPECT_EQ(pairs.size(), std::size_t{processes} * (processes - 1));
      EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), pairs.size());
    }
  }
}

TEST(AllToAll, OrdersSayWhoIsNext) {
  const auto receivers_of_process_2 = [](const char* order) {
    const SimulatedProgram run{"kind=ring,nodes=6", "standard",
                               std::string{"kind=all_to_all,order="} + order};
    std::vector<std::uint32_t> receivers;
    for (const auto& [from, to] : messages_of(run)) {
      if (from == ProcessId{2}) {
        receivers.push_back(to.index());
      }
    }
    return receivers;
  };
  EXPECT_EQ(receivers_of_process_2("shifted"), (std::vector<std::uint32_t>{3, 4, 5, 0, 1}));
  EXPECT_EQ(receivers_of_process_2("pairwise"), (std::vector<std::uint32_t>{3, 0, 1, 4, 5}));
  EXPECT_EQ(receivers_of_process_2("at_once"), receivers_of_process_2("shifted"));
}

TEST(AllToAll, EndsWhereMessagesWaitForTheirReceivers) {
  for (const char* const order : orders) {
    const SimulatedProgram run{
        "kind=mesh,shape=3x5",
        "standard",
        std::string{"kind=all_to_all,message=9,order="} + order,
        {.change = [](Machine& machine) { machine.endpoint.eager_limit_bytes = 8; }}};
    EXPECT_EQ(run.run().outcome, Outcome::completed) << order;
    EXPECT_EQ(run.program->verify(), true) << order;
  }
}

TEST(AllToAll, AnswersDependOnTheSeedAlone) {
  const auto answer = [](const char* order, const char* embedding, std::uint64_t seed) {
    const SimulatedProgram run{"kind=ring,nodes=8",
                               embedding,
                               std::string{"kind=all_to_all,order="} + order,
                               {.seed = seed}};
    run.run();
    return run.answer();
  };
  const std::string usual = answer("shifted", "standard", 1);
  EXPECT_TRUE(usual.starts_with("holders 8, values_hash ")) << usual;
  EXPECT_EQ(usual, answer("pairwise", "xor", 1));
  EXPECT_EQ(usual, answer("at_once", "gray", 1));
  EXPECT_NE(usual, answer("shifted", "standard", 2));
}

// Where all nodes are neighbours, round after round takes (p - 1) (a + b n / p) = (p - 1) a + b n
// (p - 1) / p for n bytes that a process sends to p, itself included.
TEST(AllToAll, RoundsOnACompleteGraphTakeTheClosedForm) {
  std::string edges;
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      edges += fmt::format("{}[{},{}]", edges.empty() ? "" : ",", a, b);
    }
  }
  for (const char* const order : {"shifted", "pairwise"}) {
    const SimulatedProgram run{
        "kind=graph,edges=[" + edges + "]",
        "standard",
        fmt::format("kind=all_to_all,message=100,compute=3ns,order={}", order),
        {.change = [](Machine& machine) {
          for (TransferCost& cost : machine.links.per_dimension) {
            cost = {ExactTime{Ticks{1700}}, ExactTime{Ticks{3}}};
          }
        }}};
    const RunReport report = run.run();
    EXPECT_EQ(report.queued_hops, 0U);
    EXPECT_EQ(report.makespan, Ticks{3000} + 7 * Ticks{1700 + 100 * 3}) << order;
  }
}

/// What crosses the busiest link in the direction of one dimension of k nodes in a line or ring,
/// if every node sends one message to every other. Half way round all messages go the same way
/// about, by either tie; so they cross the middle of the ring, or every link upwards.
std::uint64_t busiest_of(const std::string& kind, std::uint64_t k) {
  if (kind == "mesh") {
    return (k / 2) * (k - k / 2);
  }
  return k % 2 == 0 ? k * (k + 2) / 8 : (k * k - 1) / 8;
}

// A link of dimension d carries what starts at any place in the later dimensions and ends at any
// place in the earlier ones: N / k_d times what it carries in a ring of its own.
TEST(AllToAll, DimensionOrderLoadsTheBusiestLinkAsTheClosedFormSays) {
  for (const std::string kind : {"mesh", "torus"}) {
    for (const std::vector<std::uint64_t>& shape :
         std::vector<std::vector<std::uint64_t>>{{4}, {9}, {4, 4}, {8, 2}, {3, 5}, {6, 4, 2}}) {
      std::uint64_t nodes = 1;
      for (const std::uint64_t side : shape) {
        nodes *= side;
      }
      std::uint64_t expected = 0;
      for (const std::uint64_t side : shape) {
        expected = std::max(expected, nodes / side * busiest_of(kind, side));
      }
      for (const char* const tie : {"", ",tie=no_wrap", ",tie=positive"}) {
        if (kind == "mesh" && *tie != '\0') {
          continue;
        }
        for (const char* const order : orders) {
          const SimulatedProgram run{
              fmt::format("kind={},shape={}{}", kind, fmt::join(shape, "x"), tie), "standard",
              std::string{"kind=all_to_all,order="} + order};
          EXPECT_EQ(run.run().link_load.max, expected) << run.machine->name << tie << order;
        }
      }
    }
  }
}

TEST(AllToAll, BadSettingsAreInputErrors) {
  const auto complaint_about = [](const std::string& settings) {
    return complaint([&] {
      SimulatedProgram{"kind=ring,nodes=6", "standard", "kind=all_to_all" + settings};
    });
  };
  EXPECT_EQ(complaint_about(",processes=7"),
            "/processes: 7 are too many (the ring of 6 has 6 nodes, and each hosts at most one)");
  EXPECT_EQ(complaint_about(",order=random"),
            "/order: \"random\" is unknown; known: shifted, pairwise, at_once");
  EXPECT_EQ(complaint_about(",message=-1"),
            "/message: -1 is not a size (a number of bytes, or with a unit: B, kB, MB, KiB, MiB, "
            "M, ..)");
  EXPECT_EQ(complaint_about(",compute=soon"),
            "/compute: \"soon\" is not a duration (a non-negative number of seconds, or with a "
            "unit: ps, ns, us, ms, s)");
}

}  // namespace
}  // namespace dcube::testing
