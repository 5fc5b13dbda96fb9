#include "dcube/scenario/phases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/core/random.hpp"
#include "dcube/scenario/result_json.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

Scenario built(const std::string& text) {
  return build_scenario(*read_json(text, "x.json").group(), "x.json");
}

std::vector<std::string> names_of(const std::string& phases) {
  return built(R"({"schema_version": 1, "machine": "torus:4x4", "program": {"kind": "pattern",
                   "guest": "torus:4x4", "phases": )" +
               phases + "}}")
      .program->stage_names();
}

TEST(PhaseNames, AreTheKindNumberedWhereThereAreSeveral) {
  EXPECT_EQ(names_of(R"([{"compute": 1}, {"exchange": 8}, {"compute": 2},
                         {"collective": "allreduce", "bytes": 8}])"),
            (std::vector<std::string>{"compute 1", "exchange", "compute 2", "allreduce"}));
}

TEST(PhaseNames, AreWhatIsGivenAndOneNameIsOnePhase) {
  EXPECT_EQ(names_of(R"([{"compute": 1, "name": "compute 1"}, {"compute": 2}, {"compute": 3},
                         {"exchange": 8, "name": "halo"}, {"exchange": 9, "name": "halo"}])"),
            (std::vector<std::string>{"compute 1", "compute 2", "compute 3", "halo"}));
}

TEST(PhaseNames, BeginWithThoseOfTheLoopsThatHaveSome) {
  EXPECT_EQ(names_of(R"([{"repeat": 2, "name": "warm-up", "phases": [{"compute": 1}]},
                         {"repeat": 3, "phases": [{"compute": 1}, {"repeat": 2, "name": "inner",
                          "phases": [{"exchange": 8, "name": "halo",
                                      "meanwhile": [{"compute": 1}]}]}]}])"),
            (std::vector<std::string>{"warm-up/compute", "compute", "inner/halo"}));
}

TEST(Phases, TellWhatEachCosts) {
  Scenario scenario = built(R"({"schema_version": 1,
    "machine": {"topology": {"kind": "line", "nodes": 2}, "link": {"latency": "1s"}},
    "program": {"kind": "pattern", "processes": 2, "phases": [
      {"repeat": 3, "phases": [
        {"compute": "1s + 1s * rank"},
        {"messages": [{"from": 0, "to": 1, "bytes": 5}], "name": "hand over"}]}]}})");
  CausalRecord record{2, scenario.run_machine->links};
  RunResult result = run_scenario(scenario, &record);
  result.explanation = explain_run(scenario, record, result.report);
  const ordered_json json = ordered_json::parse(run_result_json(scenario, result));
  // Process 0 computes for 1 s at a time, process 1 for 2 s; no message is late.
  EXPECT_EQ(json["phases"][0].dump(),
            R"({"name":"compute","iterations":3,"time_s":4.5,"time_max_s":6.0,"compute_s":4.5,)"
            R"("communication_s":0.0,"waiting_s":0.0,"endpoint_s":0.0,"messages":0,"bytes":0,)"
            R"("queued":0,"queued_s":0.0,"critical_path_s":6.0})");
  EXPECT_EQ(json["phases"][1]["name"], "hand over");
  EXPECT_EQ(json["phases"][1]["messages"], 3);
  EXPECT_EQ(json["phases"][1]["bytes"], 15);
  EXPECT_EQ(json["phases"].size(), 2U);
  EXPECT_EQ(json["critical_path"]["by_phase"][0].dump(),
            R"({"phase":"compute","total_s":6.0,"compute_s":6.0,"endpoint_s":0.0,"hop_s":0.0,)"
            R"("queueing_s":0.0,"blocked_s":0.0})");
}

// --- Random patterns ---

/// Numbers for a case, from its seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_{seed} {}
  std::uint64_t below(std::uint64_t bound) { return bounded(stream_.next(), bound); }
  std::string of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }

 private:
  SplitMix64 stream_;
};

std::string random_phases(Draw& draw, int depth);

std::string random_name(Draw& draw) {
  return draw.of({"", "", R"(, "name": "a")", R"(, "name": "b/\"c\"")"});
}

std::string random_messages(Draw& draw, const char* more = "") {
  std::string list;
  for (std::uint64_t left = 1 + draw.below(6); left-- > 0;) {
    const std::uint64_t bytes = draw.below(3000);
    const std::uint64_t to = draw.below(16);
    list += fmt::format(R"({{"from": {}, "to": {}, "bytes": {}}}{})", draw.below(16), to, bytes,
                        left == 0 ? "" : ", ");
  }
  return fmt::format(R"({{"messages": [{}]{}{}}})", list, random_name(draw), more);
}

std::string random_phase(Draw& draw, int depth) {
  const std::uint64_t kind = draw.below(depth > 2 ? 6 : 7);
  if (kind == 2) {
    return random_messages(draw);
  }
  if (kind == 3) {
    return random_messages(draw, R"(, "meanwhile": [{"compute": "1us"}])");
  }
  const std::string name = random_name(draw);
  switch (kind) {
    case 0: {
      const std::uint64_t by_rank = draw.below(200);
      return fmt::format(R"({{"compute": "{}ns + {}ns * rank"{}}})", draw.below(3000), by_rank,
                         name);
    }
    case 1: {
      const std::uint64_t second = draw.below(4000);
      return fmt::format(R"({{"exchange": [{}, {}]{}}})", draw.below(4000), second, name);
    }
    case 4:
      return fmt::format(R"({{"traffic": "{}.csv"{}}})", draw.of({"t", "sub/u"}), name);
    case 5: {
      const std::uint64_t bytes = 16 * draw.below(50);
      return fmt::format(R"({{"collective": "{}", "bytes": {}{}}})",
                         draw.of({"allreduce", "broadcast", "all_to_all",
                                  R"(allreduce", "ports": 2, "algorithm": "ring)"}),
                         bytes, name);
    }
    default: {
      const std::string phases = random_phases(draw, depth + 1);
      return fmt::format(R"({{"repeat": {}, "phases": {}{}}})", draw.below(4), phases, name);
    }
  }
}

std::string random_phases(Draw& draw, int depth) {
  std::string phases;
  for (std::uint64_t left = 1 + draw.below(4); left-- > 0;) {
    phases += random_phase(draw, depth) + (left == 0 ? "" : ", ");
  }
  return "[" + phases + "]";
}

std::string random_pattern(std::uint64_t seed) {
  Draw draw{seed};
  const std::string link = draw.of({"", R"(, "duplex": "half")", R"(, "pipelined": true)",
                                    R"(, "packet": 500)", R"(, "contention": false)"});
  const bool is_plain = link.empty() || link.find("half") != std::string::npos;
  testing::Draw costs{seed};
  const std::string endpoint =
      R"(, "endpoint": )" +
      testing::endpoint_json(testing::random_endpoint(costs, std::chrono::nanoseconds{20}, 300));
  const std::string switching =
      is_plain ? draw.of({"", R"(, "switching": "cut_through")"}) : std::string{};
  const std::string overheads = draw.of({"", endpoint, endpoint});
  const std::string more =
      draw.of({"", R"(, "node": {"slots": 4, "cores": 2})"}) + overheads + switching;
  const std::string phases = random_phases(draw, 0);
  const std::string embedding = draw.of({"standard", "random"});
  return fmt::format(R"({{"schema_version": 1, "jitter": {},
    "machine": {{"topology": {{"kind": "torus", "shape": [4, 4]}},
                 "link": {{"latency": "200ns", "per_byte": "1ns"{}}}{}}},
    "embedding": "{}",
    "program": {{"kind": "pattern", "guest": "torus:4x4", "phases": {}}}}})",
                     draw.of({"0", "0.2"}), link, more, embedding, phases);
}

/// Where the traffic files of random patterns are.
struct PatternFolder {
  PatternFolder() {
    folder.write("t.csv", "0,5,100\n3,4,1000\n3,9,20\n");
    folder.write("sub/u.csv", "15,0,2000\n0,15,1\n");
  }
  Scenario load(const std::string& text) const {
    folder.write("x.json", text);
    return load_scenario(folder.path() / "x.json");
  }
  TemporaryFolder folder;
};

/// Adds up by stage what a run reports event by event.
class PlainSums final : public Observer {
 public:
  PlainSums(std::size_t stages, std::size_t processes)
      : time(stages + 1, std::vector<Ticks>(processes)),
        activity(stages + 1),
        messages(stages + 1),
        bytes(stages + 1),
        queued(stages + 1),
        delay(stages + 1),
        sent_(processes) {}

  void on_send(ProcessId from, std::uint32_t stage) {
    stage_of_[{from, sent_[from.index()]++}] = stage;
    ++messages[row(stage)];
  }
  void on_interval(const Interval& interval) override {
    const Ticks length = interval.end - interval.begin;
    time[row(interval.stage)][interval.process.index()] += length;
    activity[row(interval.stage)][static_cast<std::size_t>(interval.activity)] += length;
  }
  void on_hop(const Hop& hop) override {
    if (hop.start > hop.arrival) {
      const std::size_t of = row(stage_of_.at({hop.source, hop.send_number}));
      ++queued[of];
      delay[of] += hop.start - hop.arrival;
    }
  }
  void on_delivery(const Delivery& delivery) override {
    const std::size_t of = row(stage_of_.at({delivery.source, delivery.send_number}));
    bytes[of] += delivery.bytes;
  }

  std::vector<std::vector<Ticks>> time;
  std::vector<std::array<Ticks, activity_count>> activity;
  std::vector<std::uint64_t> messages, bytes, queued;
  std::vector<Ticks> delay;

 private:
  std::size_t row(std::uint32_t stage) const { return stage == no_stage ? time.size() - 1 : stage; }
  std::vector<std::uint32_t> sent_;
  std::map<MessageName, std::uint32_t> stage_of_;
};

TEST(RandomCasesPhases, AreWhatTheEventsAddUpTo) {
  const PatternFolder files;
  const auto [first, count] = testing::random_cases(150);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Scenario scenario = files.load(random_pattern(seed));
    const std::vector<NodeId> map = run_map(scenario);
    PlainSums sums{scenario.program->stage_count(), map.size()};
    const RunReport report =
        simulate({.machine = *scenario.run_machine,
                  .map = map,
                  .body = [&](Process& process) { return scenario.program->run(process); },
                  .stage_count = scenario.program->stage_count(),
                  .observer = &sums,
                  .on_send = [&](ProcessId from, ProcessId,
                                 std::uint32_t stage) { sums.on_send(from, stage); },
                  .jitter = scenario.jitter,
                  .counts_stages = true});
    ASSERT_EQ(report.outcome, Outcome::completed);
    ASSERT_EQ(report.stage_costs.size(), sums.time.size());
    for (std::size_t stage = 0; stage < sums.time.size(); ++stage) {
      const StageCosts& costs = report.stage_costs[stage];
      EXPECT_EQ(costs.time.max, *std::ranges::max_element(sums.time[stage]));
      for (std::size_t activity = 0; activity < costs.total_s.size(); ++activity) {
        EXPECT_DOUBLE_EQ(costs.total_s[activity], to_seconds(sums.activity[stage][activity]));
      }
      EXPECT_EQ(costs.messages, sums.messages[stage]);
      EXPECT_EQ(costs.bytes, sums.bytes[stage]);
      EXPECT_EQ(costs.queued_hops, sums.queued[stage]);
      EXPECT_DOUBLE_EQ(costs.queued_s, to_seconds(sums.delay[stage]));
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

TEST(RandomCasesPhases, AddUpToTheRun) {
  const PatternFolder files;
  const auto [first, count] = testing::random_cases(150);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Scenario scenario = files.load(random_pattern(seed));
    CausalRecord record{run_size(scenario).processes, scenario.run_machine->links};
    RunResult result = run_scenario(scenario, &record, {}, Findings::stages);
    result.explanation = explain_run(scenario, record, result.report);
    const RunReport& report = result.report;
    std::array<double, activity_count> time{};
    std::uint64_t messages = 0, bytes = 0, queued = 0;
    double queued_s = 0;
    Ticks on_path{0};
    for (const PhaseCosts& phase : phases_of(scenario, result)) {
      double total = 0;
      for (std::size_t i = 0; i < phase.costs.total_s.size(); ++i) {
        time[i] += phase.costs.total_s[i];
        total += phase.costs.total_s[i];
      }
      EXPECT_NEAR(phase.costs.time.total_s, total, 1e-12);
      messages += phase.costs.messages;
      bytes += phase.costs.bytes;
      queued += phase.costs.queued_hops;
      queued_s += phase.costs.queued_s;
      on_path += phase.on_path.value();
    }
    EXPECT_EQ(on_path, report.makespan);
    for (std::size_t i = 0; i + 1 < activity_count; ++i) {
      EXPECT_NEAR(time[i], report.time_of(static_cast<Activity>(i)).total_s, 1e-12);
    }
    EXPECT_EQ(messages, report.messages);
    EXPECT_EQ(bytes, report.bytes);
    EXPECT_EQ(queued, report.queued_hops);
    EXPECT_NEAR(queued_s, report.queued_s, 1e-12);
    Scenario again = files.load(random_pattern(seed));
    EXPECT_EQ(run_scenario(again, nullptr, {}, Findings::report).report.fingerprint,
              report.fingerprint);
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

}  // namespace
}  // namespace dcube
