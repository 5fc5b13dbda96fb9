#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pattern_run.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/warnings_of.hpp"

namespace dcube::testing {
namespace {

TEST(Pattern, ExchangesWithAllNeighboursOfItsGuest) {
  const PatternRun mesh{"kind=mesh,shape=3x2",
                        R"p({"kind": "pattern", "guest": "mesh:3x2",
                            "phases": [{"exchange": [100, "2KiB"]}]})p"};
  std::vector<std::string> messages;
  const RunReport report = mesh.run(&messages);
  EXPECT_EQ(std::set(messages.begin(), messages.end()),
            (std::set<std::string>{"0>1", "1>0", "1>2", "2>1", "3>4", "4>3", "4>5", "5>4", "0>3",
                                   "3>0", "1>4", "4>1", "2>5", "5>2"}));
  EXPECT_EQ(messages.size(), 14U);
  EXPECT_EQ(report.bytes, 8U * 100 + 6 * 2048);
  EXPECT_EQ(report.makespan, Ticks{a_second});
}

TEST(Pattern, HaloAndAllreduceInALoop) {
  const PatternRun application{"kind=torus,shape=4x4",
                               R"p({"kind": "pattern", "guest": "torus:4x4", "phases": [
                                    {"repeat": 10, "phases": [
                                      {"exchange": "64KiB", "meanwhile": [{"compute": "2s"}]},
                                      {"compute": "500ms"},
                                      {"collective": "allreduce", "bytes": 8}]}]})p"};
  const RunReport report = application.run();
  EXPECT_EQ(report.outcome, Outcome::completed);
  // Each of 16 processes: 4 neighbours and, by recursive doubling, 4 partners.
  EXPECT_EQ(report.messages, 10U * (16 * 4 + 16 * 4));
  EXPECT_EQ(report.time_of(Activity::compute).total_s, 16 * 10 * 2.5);
}

TEST(Pattern, ACollectiveHasTheBytesThatItsProgramHas) {
  for (const char* const operation : {"all_to_all", "allgather", "allreduce", "broadcast", "exscan",
                                      "gather", "reduce", "reduce_scatter", "scan", "scatter"}) {
    for (const char* const bytes : {"24", "26"}) {
      if (std::string_view{operation} == "all_to_all" && std::string_view{bytes} == "26") {
        continue;
      }
      const PatternRun phase{"kind=ring,nodes=6",
                             fmt::format(R"p({{"kind": "pattern", "guest": "ring:6",
                                 "phases": [{{"collective": "{}", "bytes": {}}}]}})p",
                                         operation, bytes)};
      const PatternRun program{"kind=ring,nodes=6",
                               fmt::format(R"p({{"kind": "collective", "operation": "{}",
                                   "bytes": {}, "value_bytes": 1, "data": false}})p",
                                           operation, bytes)};
      EXPECT_EQ(phase.run().bytes, program.run().bytes) << operation << " of " << bytes;
      EXPECT_EQ(phase.run().fingerprint, program.run().fingerprint) << operation << " of " << bytes;
    }
  }
}

/// Pairs "from>to" of a pattern with one collective on 12 processes, ring by ring.
std::set<std::string> pairs_of(const std::string& guest, const std::string& over) {
  const PatternRun pattern{"kind=torus,shape=2x3x2",
                           fmt::format(R"p({{"kind": "pattern", "guest": {},
                               "phases": [{{"collective": "allgather", "over": {}, "bytes": "24",
                                            "algorithm": "ring"}}]}})p",
                                       guest, over)};
  std::vector<std::string> messages;
  EXPECT_EQ(pattern.run(&messages).outcome, Outcome::completed);
  return {messages.begin(), messages.end()};
}

TEST(Pattern, ACollectiveRunsInAllGroupsOfAnAxisAtOnce) {
  const std::string axes = R"p({"axes": {"y": 2, "x": 3, "b": 2}})p";
  EXPECT_EQ(pairs_of(axes, R"("y")"),
            (std::set<std::string>{"0>1", "1>0", "2>3", "3>2", "4>5", "5>4", "6>7", "7>6", "8>9",
                                   "9>8", "10>11", "11>10"}));
  EXPECT_EQ(pairs_of(axes, R"("x")"),
            (std::set<std::string>{"0>2", "2>4", "4>0", "1>3", "3>5", "5>1", "6>8", "8>10", "10>6",
                                   "7>9", "9>11", "11>7"}));
  // The first of several axes counts fastest.
  EXPECT_EQ(pairs_of(axes, R"(["b", "y"])"),
            (std::set<std::string>{"0>6", "6>1", "1>7", "7>0", "2>8", "8>3", "3>9", "9>2", "4>10",
                                   "10>5", "5>11", "11>4"}));
  EXPECT_EQ(pairs_of(R"p({"axes": {"y": 2, "x": 3, "b": 2}, "order": ["b", "x", "y"]})p", R"("y")"),
            (std::set<std::string>{"0>6", "6>0", "1>7", "7>1", "2>8", "8>2", "3>9", "9>3", "4>10",
                                   "10>4", "5>11", "11>5"}));
  EXPECT_EQ(pairs_of(R"("ring:12")", "[[4, 0, 9], [3, 8]]"),
            (std::set<std::string>{"4>0", "0>9", "9>4", "3>8", "8>3"}));
}

TEST(Pattern, AGroupTakesTheTimeThatItTakesAlone) {
  const char* const phase = R"p("phases": [{{"collective": "allreduce", "bytes": "1000",
                                             "algorithm": "ring"{}}}]}})p";
  const auto makespan = [&](const std::string& topology, const std::string& guest,
                            const std::string& over) {
    return PatternRun{topology, fmt::format(R"p({{"kind": "pattern", "guest": {},)p", guest) +
                                    fmt::format(fmt::runtime(phase), over)}
        .run()
        .makespan;
  };
  EXPECT_EQ(makespan("kind=torus,shape=4x3", R"p({"axes": {"y": 4, "x": 3}})p", R"(, "over": "y")"),
            makespan("kind=torus,shape=4", R"("ring:4")", ""));
}

TEST(Pattern, WhatHappensMeanwhileHidesMessages) {
  const auto makespan = [](const char* phases) {
    return PatternRun{"kind=ring,nodes=4", fmt::format(R"p({{"kind": "pattern", "guest": "ring:4",
        "phases": {}}})p",
                                                       phases)}
        .run()
        .makespan;
  };
  EXPECT_EQ(makespan(R"p([{"exchange": 1, "meanwhile": [{"compute": "3s"}]}])p"),
            Ticks{3 * a_second});
  EXPECT_EQ(makespan(R"p([{"exchange": 1}, {"compute": "3s"}])p"), Ticks{4 * a_second});
}

TEST(Pattern, ListsAndTrafficFilesSayWhoSends) {
  const TemporaryFolder folder;
  folder.write("t.csv", "from,to,bytes\n0,2,5\n2,1,7\n");
  const PatternRun run{"kind=ring,nodes=4",
                       R"p({"kind": "pattern", "processes": 4, "phases": [
                            {"messages": [{"from": 3, "to": 0, "bytes": "2B * rank + 4B"},
                                          {"from": 3, "to": 0, "bytes": 1}]},
                            {"traffic": "t.csv"}]})p",
                       {.folder = folder.path()}};
  std::vector<std::string> messages;
  const RunReport report = run.run(&messages);
  std::ranges::sort(messages);
  EXPECT_EQ(messages, (std::vector<std::string>{"0>2", "2>1", "3>0", "3>0"}));
  EXPECT_EQ(report.bytes, 10U + 1 + 5 + 7);
}

TEST(Pattern, WhatProcessesSendThemselvesIsLeftOutWithAWarning) {
  const TemporaryFolder folder;
  folder.write("t.csv", "from,to,bytes\n0,0,1000\n0,2,5\n1,1,400\n");
  for (const auto& [program, place] :
       {std::pair{R"({"kind": "traffic", "file": "t.csv"})", "/file"},
        {R"({"kind": "pattern", "processes": 3, "phases": [{"traffic": "t.csv"}]})",
         "/phases/0/traffic"}}) {
    EXPECT_EQ(warnings_of([&, text = program] {
                const PatternRun run{"kind=ring,nodes=4", text, {.folder = folder.path()}};
                EXPECT_EQ(run.run().bytes, 5U);
              }),
              fmt::format("p.json: {}: leaves out 1,400 bytes from processes to themselves, which "
                          "cross no link\n",
                          place));
  }
}

TEST(Pattern, TimesAndSizesDependOnRankAndIteration) {
  const PatternRun run{
      "kind=ring,nodes=3",
      R"p({"kind": "pattern", "guest": "ring:3", "phases": [
                            {"repeat": 3, "phases": [
                               {"compute": "1s * rank + 500ms * (iteration % 2)"}]},
                            {"compute": "cell", "count": "10 * rank"}]
})p",
      {.change = [](Machine& machine) { machine.compute.emplace("cell", parse_duration("1ms")); }}};
  const RunReport report = run.run();
  EXPECT_EQ(report.process_ends[0], Ticks{a_second / 2});
  EXPECT_EQ(report.process_ends[2], Ticks{6 * a_second + a_second / 2 + a_second / 50});
}

std::string complaint_of_phases(const std::string& phases, const std::string& guest = "ring:4") {
  return complaint<InputError>([&] {
    PatternRun{"kind=ring,nodes=4", fmt::format(R"p({{"kind": "pattern", "guest": "{}",
        "phases": {}}})p",
                                                guest, phases)};
  });
}

TEST(Pattern, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint_of_phases(R"p([{"dance": 1}])p"),
            "p.json: /phases/0: is no phase (it has none of compute, exchange, messages, traffic, "
            "send, receive, collective, wait, repeat, along)");
  EXPECT_EQ(complaint_of_phases(R"p([{"compute": "1s", "exchange": 5}])p"),
            "p.json: /phases/0/exchange: stands beside compute: a phase is one of them; make two "
            "phases of it");
  EXPECT_EQ(complaint_of_phases(R"p([{"exchange": [1, 2]}])p"),
            "p.json: /phases/0/exchange: has 2 sizes, but the guest ring:4 has 1 dimensions");
  EXPECT_EQ(
      complaint_of_phases(R"p([{"compute": "1s + rank"}])p"),
      "p.json: /phases/0/compute: \"1s + rank\" cannot be computed: it adds a number to what "
      "has a unit (an expression has numbers with units, rank, size, iteration, + - * / % and "
      "brackets)");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "allredcue", "bytes": 8}])p"),
            "p.json: /phases/0/collective: \"allredcue\" is unknown; did you mean `allreduce`?");
  EXPECT_EQ(
      complaint_of_phases(R"p([{"collective": "all_to_all", "bytes": 26}])p"),
      "p.json: /phases/0/bytes: 26 bytes are not the same number of values of 1 for each of 4 "
      "processes");
  EXPECT_EQ(complaint_of_phases(R"p([{"messages": [{"from": 0, "to": 4, "bytes": 1}]}])p"),
            "p.json: /phases/0/messages/0/to: 4 is not a rank (0 to 3)");
  EXPECT_EQ(complaint_of_phases(R"p([{"compute": 1, "name": ""}])p"),
            "p.json: /phases/0/name: is empty");
  EXPECT_EQ(
      complaint_of_phases(R"p([{"exchange": 1, "meanwhile": [{"compute": 1, "name": "a"}]}])p"),
      "p.json: /phases/0/meanwhile/0/name: names what happens while messages of another phase "
      "travel, and which belongs to that phase: name that");
  EXPECT_EQ(complaint_of_phases(R"p([{"exchange": 1, "meanwhile": [{"exchange": 1}]}])p"),
            "p.json: /phases/0/meanwhile/0: sends messages while others "
            "travel: put both into one "
            "phase");
  EXPECT_EQ(complaint_of_phases(R"p([{"exchange": 1, "meanwhile": [{"compute": 1},
                                      {"repeat": 1, "phases": [{"exchange": 1}]}]}])p"),
            "p.json: /phases/0/meanwhile/1: sends messages while others travel: put "
            "both into one "
            "phase");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "barrier", "over": "x"}])p"),
            "p.json: /phases/0/over: names an axis, but the guest has none; name them: \"guest\": "
            "{\"axes\": {\"tensor\": 8, \"data\": 4}}");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "barrier", "over": [[0, 1], [1, 2]]}])p"),
            "p.json: /phases/0/over: process 1 is in two groups");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "barrier", "over": [[0, 1, 0]]}])p"),
            "p.json: /phases/0/over: process 0 is twice in one group");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "barrier", "over": [[0, 4]]}])p"),
            "p.json: /phases/0/over/0/1: 4 is not a rank (0 to 3)");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "barrier", "bytes": "banana"}])p"),
            "p.json: /phases/0/bytes: is for collectives that move data, and a barrier moves none");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "allreduce", "bytes": 8, "root": 1}])p"),
            "p.json: /phases/0/root: allreduce has no root");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "allreduce", "bytes": "8B * (rank + 1)"}])p"),
            "p.json: /phases/0/bytes: depends on the rank, and all processes of a group give one "
            "size");
  EXPECT_EQ(complaint_of_phases(R"p([{"collective": "barrier", "algorithm": "ring"}])p"),
            "p.json: /phases/0/algorithm: `ring` is not an algorithm of barrier; known: "
            "dissemination, automatic");
  EXPECT_EQ(complaint_of_phases(
                R"p([{"collective": "allreduce", "bytes": 8, "algorithm": "ring", "ports": 3}])p"),
            "p.json: /phases/0/ports: the algorithm ring of allreduce uses at most 2 ports, not 3");
}

TEST(Pattern, FormulasAreEvaluatedWhenTheyAreRead) {
  const auto expect_complaint = [](const std::string& phases, const std::string& said) {
    const std::string text =
        R"({"kind": "pattern", "guest": {"axes": {"x": 2, "y": 2}}, "phases": )";
    EXPECT_EQ(complaint<InputError>([&] {
                PatternRun{"kind=ring,nodes=4", text + phases + "}"};
              }),
              said.empty() ? said : "p.json: /phases/0" + said);
  };
  expect_complaint(R"p([{"compute": "6us / (3 - rank)"}])p",
                   "/compute: is a division by 0 for rank 3 in iteration 0");
  expect_complaint(R"p([{"repeat": 9, "phases": [{"exchange": ["8B % (iteration - 7)", 1]}]}])p",
                   "/phases/0/exchange/0: is a division by 0 for rank 0 in iteration 7");
  expect_complaint(R"p([{"send": "x", "by": 1, "bytes": "8B * (2 - rank)"}])p",
                   "/bytes: is less than 0 for rank 3 in iteration 0");
  expect_complaint(R"p([{"collective": "allreduce", "bytes": "8B / iteration"}])p",
                   "/bytes: is a division by 0 for rank 0 in iteration 0");
  const std::string shares =
      R"p({"collective": "all_to_all", "bytes": "4B + 1B * (iteration / 9)"})p";
  expect_complaint(R"p([{"repeat": 9, "phases": [)p" + shares + "]}]", "");
  expect_complaint(R"p([{"repeat": 10, "phases": [)p" + shares + "]}]",
                   "/phases/0/bytes: 5 bytes are not the same number of values "
                   "of 1 for each of 4 "
                   "processes");
  expect_complaint(R"p([{"repeat": 10, "phases": [{"repeat": 2, "phases": [)p" + shares + "]}]}]",
                   "");
  // What nobody comes to is not evaluated.
  expect_complaint(R"p([{"along": "y", "phases": [[], [{"compute": "6us / rank"}]]},
                        {"messages": [{"from": 1, "to": 0, "bytes": "8B / rank"}]}])p",
                   "");
  expect_complaint(R"p([{"along": "y", "phases": [[{"compute": "6us / rank"}], []]}])p",
                   "/phases/0/0/compute: is a division by 0 for rank 0 in iteration 0");
  expect_complaint(R"p([{"repeat": 1000000000000, "phases": [{"compute": "1us / (rank + 1)"}]}])p",
                   "");
}

TEST(Pattern, EveryCollectiveThatIsStartedIsWaitedForInItsList) {
  const std::string start = R"p({"collective": "allreduce", "bytes": 8, "start": "g"})p";
  EXPECT_EQ(complaint_of_phases("[" + start + "]"),
            "p.json: /phases/0/start: g is not waited for in its list of phases; add {\"wait\": "
            "\"g\"}");
  EXPECT_EQ(complaint_of_phases("[" + start + "," + start + R"p(, {"wait": "g"}])p"),
            "p.json: /phases/1/start: g has been started, and is waited for later");
  EXPECT_EQ(complaint_of_phases("[" + start + R"p(, {"wait": "g"}, {"wait": "g"}])p"),
            "p.json: /phases/2/wait: no phase before this one in its list starts g");
  EXPECT_EQ(complaint_of_phases("[" + start + R"p(, {"repeat": 2, "phases": [{"wait": "g"}]}])p"),
            "p.json: /phases/1/phases/0/wait: no phase before this one in its list starts g");
  EXPECT_EQ(
      complaint_of_phases("[" + start + R"p(, {"wait": "g"}, )p" + start + R"p(, {"wait": "g"}])p"),
      "");
}

TEST(Pattern, MessagesInTheBackgroundBelongToTheirStartAndWaitsShowWhatWasNotHidden) {
  // The allreduce takes two hops of a second, beside 1.5 s of computing.
  const PatternRun pattern{"kind=ring,nodes=2", R"p({"kind": "pattern", "processes": 2, "phases": [
      {"collective": "allreduce", "bytes": 2, "algorithm": "ring", "start": "g"},
      {"compute": "1.5s"}, {"wait": "g"}]})p"};
  ASSERT_EQ(pattern.program->stage_names(),
            (std::vector<std::string>{"start g", "compute", "wait for g"}));
  SimulationInput input{.machine = pattern.machine,
                        .map = pattern.map,
                        .body = [&](Process& process) { return pattern.program->run(process); },
                        .stage_count = 3,
                        .counts_stages = true};
  const RunReport report = run_without_simgrid(input);
  ASSERT_EQ(report.stage_costs.size(), 4U);  // and outside all stages
  EXPECT_EQ(report.stage_costs[0].messages, 4U);
  EXPECT_EQ(report.stage_costs[1].messages, 0U);
  EXPECT_EQ(report.stage_costs[2].messages, 0U);
  EXPECT_EQ(report.stage_costs[1].time.max, Ticks{a_second * 3 / 2});
  EXPECT_EQ(report.stage_costs[2].time.max, Ticks{a_second / 2});
  EXPECT_EQ(report.makespan, Ticks{2 * a_second});

  // So do its overheads: one second of receiving amid the computing, and one amid the wait.
  Machine machine = pattern.machine;
  machine.endpoint.receive.fixed = parse_duration("1s");
  const RunReport costly = run_without_simgrid({.machine = machine,
                                                .map = pattern.map,
                                                .body = input.body,
                                                .stage_count = 3,
                                                .counts_stages = true});
  EXPECT_EQ(costly.makespan, Ticks{4 * a_second});
  EXPECT_EQ(costly.stage_costs[0].time.max, Ticks{2 * a_second});
  EXPECT_EQ(costly.stage_costs[1].time.max, Ticks{a_second * 3 / 2});
  EXPECT_EQ(costly.stage_costs[2].time.max, Ticks{a_second / 2});
  constexpr auto endpoint = static_cast<std::size_t>(Activity::endpoint);
  EXPECT_EQ(costly.stage_costs[0].total_s[endpoint], 4);  // of two processes
  EXPECT_EQ(costly.stage_costs[1].total_s[endpoint], 0);
  EXPECT_EQ(costly.stage_costs[2].total_s[endpoint], 0);
}

TEST(Pattern, LoopsWithoutPhasesAreLeftOut) {
  const PatternRun run{"kind=ring,nodes=4",
                       R"p({"kind": "pattern", "guest": {"axes": {"a": 4}},
      "phases": [{"repeat": 1000000000000000000, "phases": [
        {"repeat": 1000000000000000000, "phases": []}, {"along": "a", "phases": [[], [], [], []]}]},
      {"compute": "1s"}]})p"};
  EXPECT_EQ(run.run().makespan, Ticks{a_second});
}

}  // namespace
}  // namespace dcube::testing
