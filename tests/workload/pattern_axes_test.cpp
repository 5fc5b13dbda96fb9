#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "pattern_run.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

TEST(Pattern, SaysWhatIsWrongWithAxes) {
  const auto complaint = [](const std::string& guest, const std::string& over) {
    return dcube::complaint<InputError>([&] {
      PatternRun{"kind=torus,shape=4x2", fmt::format(R"p({{"kind": "pattern", "guest": {},
                                "phases": [{{"collective": "barrier", "over": {}}}]}})p",
                                                     guest, over)};
    });
  };
  const std::string axes = R"p({"axes": {"y": 4, "x": 2}})p";
  EXPECT_EQ(complaint(axes, R"("z")"),
            "p.json: /phases/0/over: \"z\" is not an axis; did you mean `y`?");
  EXPECT_EQ(complaint(axes, R"(["x", "x"])"), "p.json: /phases/0/over: x is given twice");
  EXPECT_EQ(complaint(R"p({"axes": {"y": 4, "x": 2}, "order": ["x"]})p", R"("x")"),
            "p.json: /guest/order: y is missing: the order has all axes");
  EXPECT_EQ(complaint(R"p({"axes": {"y": 4}, "order": ["z"]})p", R"("y")"),
            "p.json: /guest/order/0: \"z\" is not one of the axes (y)");
  EXPECT_EQ(complaint(R"p({"axes": {}})p", R"("y")"), "p.json: /guest/axes: has no axis");
}

TEST(Pattern, ProcessesGoThroughTheListOfTheirCoordinate) {
  // Two stages of two processes. The first sends two messages, which the second takes by tag, the
  // later one first, and goes on meanwhile.
  const PatternRun stages{"kind=torus,shape=2x2",
                          R"p({"kind": "pattern", "guest": {"axes": {"x": 2, "stage": 2}},
                              "phases": [{"along": "stage", "name": "step", "phases": [
                                [{"compute": "3s"},
                                 {"send": "stage", "by": 1, "bytes": 10},
                                 {"compute": "4s", "name": "last"},
                                 {"send": "stage", "by": 1, "bytes": 20, "tag": 1}],
                                [{"receive": "stage", "by": -1, "tag": 1},
                                 {"receive": "stage", "by": -1},
                                 {"compute": "5s", "name": "last"}]]}]})p"};
  std::vector<std::string> messages;
  const RunReport report = stages.run(&messages);
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(std::set(messages.begin(), messages.end()), (std::set<std::string>{"0>2", "1>3"}));
  EXPECT_EQ(report.makespan, Ticks{(3 + 4 + 1 + 5) * a_second});
  EXPECT_EQ(stages.program->stage_names(),
            (std::vector<std::string>{"step/compute", "step/send along stage 1", "step/last",
                                      "step/send along stage 2", "step/receive along stage 1",
                                      "step/receive along stage 2"}));
}

TEST(Pattern, SendsGoAroundTheirAxisWhileCollectivesGoOn) {
  const auto makespan = [](const std::string& by, const std::string& back) {
    const PatternRun ring{"kind=torus,shape=4x2", fmt::format(R"p({{"kind": "pattern",
                              "guest": {{"axes": {{"x": 4, "y": 2}}}}, "phases": [
                                {{"collective": "barrier", "over": "y", "start": "b"}},
                                {{"send": "x", "by": {}, "bytes": 8}},
                                {{"receive": "x", "by": {}}},
                                {{"wait": "b"}}]}})p",
                                                              by, back)};
    const RunReport report = ring.run();
    return report.outcome == Outcome::completed ? report.makespan / Ticks{a_second} : -1;
  };
  EXPECT_EQ(makespan("1", "-1"), 1);
  EXPECT_EQ(makespan("-1", "1"), 1);
  EXPECT_EQ(makespan("2", "2"), 2);
  EXPECT_EQ(makespan("3", "1"), 1);
  EXPECT_EQ(makespan("1", "1"), -1);
}

TEST(Pattern, OtherPhasesTakeNoMessageOfASend) {
  const auto first_end = [](const std::string& between, const std::string& tag) {
    const TemporaryFolder folder;
    folder.write("t.csv", "from,to,bytes\n0,1,1\n1,2,1\n2,3,1\n3,0,1\n");
    // Rank 0 takes the exchange's message after a second and the other, long
    // one, at the end.
    return PatternRun{"kind=ring,nodes=4",
                      fmt::format(
                          R"p({{"kind": "pattern", "guest": {{"axes": {{"a": 4}}}}, "phases": [
                          {{"send": "a", "by": 1, "bytes": "5MB"{0}}}, {1}, {{"compute": "50s"}},
                          {{"receive": "a", "by": -1{0}}}]}})p",
                          tag, between),
                      {.folder = folder.path(),
                       .change =
                           [](Machine& machine) {
                             machine.links.per_dimension.front().per_byte = ExactTime{1'000'000, 1};
                           }}}
        .run()
        .makespan;
  };
  for (const char* const between :
       {R"({"exchange": 1})", R"({"traffic": "t.csv"})",
        R"({"messages": [{"from": 0, "to": 1, "bytes": 1}, {"from": 1, "to": 2, "bytes": 1},
                         {"from": 2, "to": 3, "bytes": 1}, {"from": 3, "to": 0, "bytes": 1}]})"}) {
    EXPECT_EQ(first_end(between, ""), first_end(between, R"(, "tag": 1)")) << between;
  }
}

TEST(Pattern, SendsWithoutReceivesAreRefused) {
  const auto complaint = [](const std::string& phases) {
    return dcube::complaint<InputError>([&] {
      PatternRun{"kind=torus,shape=4x2", fmt::format(R"p({{"kind": "pattern",
          "guest": {{"axes": {{"y": 4, "x": 2}}}}, "phases": [{}]}})p",
                                                     phases)};
    });
  };
  const std::string send = R"({"send": "y", "by": 1, "bytes": 1})";
  const std::string receive = R"({"receive": "y", "by": -1})";
  EXPECT_EQ(complaint(send),
            "p.json: /phases: rank 3 sends rank 0 1 message more than that receives from it");
  EXPECT_EQ(complaint(fmt::format(R"({{"repeat": 5, "phases": [{0}, {0}]}}, {1})", send, receive)),
            "p.json: /phases: rank 3 sends rank 0 9 messages more than that receives from it");
  EXPECT_EQ(complaint(fmt::format(R"({{"along": "x", "phases": [[], [{0}]]}})", send)),
            "p.json: /phases: rank 7 sends rank 4 1 message more than that receives from it");
  EXPECT_EQ(complaint(fmt::format(R"({{"repeat": 9, "phases": [{}, {{"compute": "1s"}}]}},
                                      {{"along": "x", "phases": [[{{"repeat": 9, "phases": [{}]}}],
                                        [{{"repeat": 3, "phases": [{}, {}, {}]}}]]}})",
                                  send, receive, receive, receive, receive)),
            "");
  EXPECT_EQ(complaint(R"({"along": "x", "phases": [
                          [{"messages": [{"from": 0, "to": 5, "bytes": 1}]}], []]})"),
            "p.json: /phases: rank 0 sends rank 5 1 message more than that "
            "receives from it");
  EXPECT_EQ(complaint(R"({"along": "x", "phases": [
                          [{"messages": [{"from": 0, "to": 4, "bytes": 1}]}],
                          [{"receive": "x", "by": -1}]]})"),
            "p.json: /phases: rank 0 sends rank 4 1 message more than that "
            "receives from it");
  EXPECT_EQ(complaint(fmt::format(R"({{"repeat": 0, "phases": [{}]}})", send)), "");
  // A receive of what nobody sends is a deadlock.
  EXPECT_EQ(complaint(receive), "");
}

TEST(Pattern, ProcessesOfAGroupCallTheSame) {
  const auto complaint = [](const std::string& first, const std::string& second) {
    return dcube::complaint<InputError>([&] {
      PatternRun{"kind=torus,shape=4x2", fmt::format(R"p({{"kind": "pattern",
          "guest": {{"axes": {{"x": 4, "y": 2}}}}, "phases": [
            {{"collective": "barrier"}},
            {{"along": "y", "phases": [[{}], [{}]]}}]}})p",
                                                     first, second)}
          .run();
    });
  };
  const std::string broadcast = R"({"collective": "broadcast", "bytes": 8})";
  const std::string reduction = R"({"collective": "allreduce", "bytes": 8})";
  const std::string of_rows = R"({"collective": "allreduce", "bytes": 8, "over": "x"})";
  EXPECT_NE(complaint(broadcast, reduction)
                .find("process 3 calls broadcast of 8 bytes (root 0, algorithm "
                      "automatic, ports 1, phase "
                      "broadcast), and process 7 of its group calls allreduce "
                      "of 8 bytes (root 0, "
                      "algorithm automatic, ports 1, phase allreduce) "
                      "(all call the same, in one order)"),
            std::string::npos)
      << complaint(broadcast, reduction);
  EXPECT_NE(complaint(broadcast, R"({"collective": "broadcast", "bytes": 16})"), "");
  EXPECT_NE(complaint(broadcast, R"({"collective": "broadcast", "bytes": 8, "root": 1})"), "");
  EXPECT_EQ(complaint(broadcast, broadcast), "");
  EXPECT_EQ(complaint(fmt::format("{}, {}", broadcast, reduction),
                      fmt::format("{}, {}", broadcast, reduction)),
            "");
  EXPECT_EQ(complaint(of_rows, R"({"collective": "barrier", "over": "x"})"), "");
}

TEST(Pattern, SaysHowToNameAxes) {
  EXPECT_EQ(complaint<InputError>([&] {
              PatternRun{"kind=line,nodes=8",
                         R"({"kind": "pattern", "guest": "ring:8",
                             "phases": [{"send": "x", "by": 1, "bytes": 8}]})"};
            }),
            "p.json: /phases/0/send: names an axis, but the guest has none; name them: \"guest\": "
            "{\"axes\": {\"tensor\": 8, \"data\": 4}}");
}

TEST(Pattern, SaysWhatIsWrongAlongAnAxis) {
  const auto complaint = [](const std::string& phase) {
    return dcube::complaint<InputError>([&] {
      PatternRun{"kind=torus,shape=4x2", fmt::format(R"p({{"kind": "pattern",
          "guest": {{"axes": {{"y": 4, "x": 2}}}}, "phases": [{}]}})p",
                                                     phase)};
    });
  };
  EXPECT_EQ(complaint(R"({"along": "x", "phases": [[]]})"),
            "p.json: /phases/0/phases: has 1 list of phases, but the axis x has 2 coordinates");
  EXPECT_EQ(complaint(R"({"along": "x", "phases": [[], 5]})"),
            "p.json: /phases/0/phases/1: 5 is not a list of phases");
  EXPECT_EQ(complaint(R"({"along": "z", "phases": [[]]})"),
            "p.json: /phases/0/along: z is not an axis of the guest; did you mean `y`?");
  EXPECT_EQ(complaint(R"({"send": "x", "by": 2, "bytes": 1})"),
            "p.json: /phases/0/by: 2 is not a number of steps along the axis (-1 to 1)");
  EXPECT_EQ(complaint(R"({"receive": "y", "by": "1"})").substr(0, 16), "p.json: /phases/");
  EXPECT_EQ(complaint(R"({"receive": "y"})"), "p.json: /phases/0: `by` is missing");
  EXPECT_EQ(complaint(R"({"receive": "y", "by": 1, "tag": -1})"),
            "p.json: /phases/0/tag: -1 is not a tag (0 to 1862340479)");
  const auto started = [&](const char* over) {
    const std::string list = fmt::format(
        R"([{{"collective": "barrier", "over": "{}", "start": "b"}}, {{"wait": "b"}}])", over);
    return complaint(fmt::format(R"({{"along": "x", "phases": [{}, {}]}})", list, list));
  };
  EXPECT_EQ(started("x"),
            "p.json: /phases/0/phases/0/0/start: goes on in a group whose processes have different "
            "lists of phases; start it outside of `along`");
  EXPECT_EQ(started("y"), "");
  EXPECT_EQ(complaint(R"({"exchange": 8, "meanwhile": [{"receive": "y", "by": 1}]})"),
            "p.json: /phases/0/meanwhile/0: sends messages while others travel: put both into one "
            "phase");
}

}  // namespace
}  // namespace dcube::testing
