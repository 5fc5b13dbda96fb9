#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "scenario/temporary_folder.hpp"
#include "support/cc_runs.hpp"
#include "support/random_cases.hpp"
#include "traced_run.hpp"

namespace dcube::testing {
namespace {

double total(const TraceSummary& summary, Activity activity) {
  return summary.time.at(static_cast<std::size_t>(activity)).total_s;
}

std::vector<std::string> rows(const std::string& csv) {
  std::istringstream stream{csv};
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('#')) {
      found.push_back(line);
    }
  }
  found.erase(found.begin());  // the names of the columns
  return found;
}

bool has_parallel(const Topology& topology, LinkId link) {
  const std::optional<Link> ends = topology.link(link);
  for (std::uint32_t slot = 0; ends && slot < topology.link_slots(); ++slot) {
    const std::optional<Link> other = topology.link(LinkId{slot});
    if (other && slot != link.index() && other->from == ends->from && other->to == ends->to) {
      return true;
    }
  }
  return false;
}

/// Compares the summary of a trace with the report of its run.
void expect_agreement(const ScriptCase& scripted) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.csv";
  const RunReport report = trace_run(input_of(scripted, nullptr), {}, {target("csv", file)});
  const TraceSummary summary = summarise_trace(file, {});
  SCOPED_TRACE(scripted.description);
  EXPECT_DOUBLE_EQ(total(summary, Activity::compute), report.compute.total_s);
  EXPECT_NEAR(total(summary, Activity::communication), report.communication.total_s, 1e-9);
  EXPECT_DOUBLE_EQ(total(summary, Activity::waiting), report.waiting.total_s);
  EXPECT_DOUBLE_EQ(total(summary, Activity::endpoint), report.endpoint.total_s);
  EXPECT_NEAR(total(summary, Activity::idle), report.idle.total_s, 1e-9);
  if (!has_rendezvous(scripted)) {
    EXPECT_EQ(summary.run.messages, report.messages);
    EXPECT_EQ(summary.bytes, report.bytes);
  } else {  // one that waits for a receive for ever is sent, but not delivered
    EXPECT_LE(summary.run.messages, report.messages);
    EXPECT_LE(summary.bytes, report.bytes);
  }
  EXPECT_EQ(summary.run.hops, report.hops);
  if (!scripted.machine.links.injection) {  // no hop, but may queue
    EXPECT_EQ(summary.queued_hops, report.queued_hops);
    EXPECT_DOUBLE_EQ(summary.queued_s, report.queued_s);
  }
  EXPECT_EQ(summary.longest_waits.empty()
                ? Ticks{0}
                : summary.longest_waits.front().end - summary.longest_waits.front().begin,
            report.longest_wait);
  // Messages over each link: the busiest of the report are among them with the same count.
  std::map<std::string, std::uint64_t> loads;
  for (const TraceSummary::LinkUse& link : summary.links) {
    loads[link.name] = link.messages;
  }
  for (const BusyLink& busy : report.busiest_links) {
    const std::uint64_t load = loads[link_name(scripted.machine, busy.link)];
    if (has_parallel(*scripted.machine.topology, busy.link)) {  // a trace names the ends alone
      EXPECT_GE(load, busy.load);
    } else {
      EXPECT_EQ(load, busy.load);
    }
  }
}

TEST(RandomCasesCsvTrace, SummaryAgreesWithTheReportOfRandomRuns) {
  const auto [first, number] = random_cases(150);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed);
    if (scripted.machine.links.faults.empty()) {  // a trace shows no hop that failed before its end
      expect_agreement(scripted);
    }
  }
}

TEST(CsvTrace, HopsThatQueueAfterTheLastProcessHasEndedCount) {
  expect_agreement(random_case(1011));
}

TEST(RandomCasesCsvTrace, ConvertedToAnyFormatIsWhatTheRunWroteItself) {
  const auto [first, number] = random_cases(150);
  const TemporaryFolder folder;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed);
    TraceFilter filter;
    if (seed % 3 == 1) {
      filter.begin = Ticks{7};
      filter.end = Ticks{5'000};
    }
    if (seed % 4 == 1) {
      filter.processes = std::vector<ProcessRange>{{0, 2}};
    }
    const auto path = [&](const std::string& name) { return folder.path() / name; };
    trace_run(input_of(scripted, nullptr), filter,
              {target("csv", path("run.csv")), target("chrome", path("run.json")),
               target("paje", path("run.paje"))});
    convert_trace(
        path("run.csv"), {},
        std::vector{target("csv", path("again.csv")), target("chrome", path("again.json")),
                    target("paje", path("again.paje"))});
    for (const char* ending : {".csv", ".json", ".paje"}) {
      EXPECT_EQ(file_content(path(std::string{"run"} + ending)),
                file_content(path(std::string{"again"} + ending)))
          << scripted.description;
    }
  }
}

TEST(PajeTrace, EachFieldOfAnEventHasItsType) {
  const TemporaryFolder folder;
  const CcRun run{"kind=ring,nodes=2", "xor"};
  {
    const std::vector<TraceTarget> targets{target("paje", folder.path() / "run.paje")};
    TraceRecorder recorder{*run.machine, {}, targets};
    run.run(&recorder);
    recorder.write({});
  }
  const std::string text = file_content(folder.path() / "run.paje");
  for (const char* event :
       {"%EventDef PajeDefineEntityValue 2\n% Alias string\n% Type string\n% Name string\n"
        "% Color color\n%EndEventDef\n",
        "%EventDef PajePopState 7\n% Time date\n% Type string\n% Container string\n"
        "%EndEventDef\n"}) {
    EXPECT_NE(text.find(event), std::string::npos) << event;
  }
}

TEST(ChromeTrace, ArrowsEndInProcessesThatHaveEnded) {
  const TemporaryFolder folder;
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=line,nodes=2");
  scripted.map = {NodeId{0}, NodeId{1}};
  scripted.scripts.resize(2);
  Step compute;
  compute.duration = Ticks{1'000'000'000'000};
  Step send;
  send.kind = Step::Kind::send;
  send.peer = ProcessId{1};
  send.bytes = 1;
  scripted.scripts[0] = {compute, send, compute, compute};
  scripted.scripts[1] = {compute};
  trace_run(input_of(scripted, nullptr), {}, {target("chrome", folder.path() / "run.json")});
  const std::string text = file_content(folder.path() / "run.json");
  const std::size_t arrow = text.find(R"("ph":"f")");
  ASSERT_NE(arrow, std::string::npos) << text;
  const std::string event = text.substr(arrow, text.find('\n', arrow) - arrow);
  EXPECT_NE(event.find(R"("ts":2000000,)"), std::string::npos) << event;
}

TEST(CsvTrace, AFilterLaterKeepsWhatAFilterAtOnceKeeps) {
  const TemporaryFolder folder;
  const CcRun run{"kind=torus,shape=4x4", "standard"};
  TraceFilter filter;
  filter.processes = parse_process_ranges("1,5-7");
  filter.links = parse_links("0-1,5->6");
  filter.begin = Ticks{1'500'000'000'000};
  filter.end = Ticks{4'000'000'000'000};
  trace_run(run.input(), {}, {target("csv", folder.path() / "all.csv")});
  trace_run(run.input(), filter, {target("csv", folder.path() / "part.csv")});
  convert_trace(folder.path() / "all.csv", filter,
                std::vector{target("csv", folder.path() / "later.csv")});
  EXPECT_EQ(file_content(folder.path() / "later.csv"), file_content(folder.path() / "part.csv"));
  const TraceSummary part = summarise_trace(folder.path() / "part.csv", {});
  EXPECT_GT(part.run.intervals, 0U);
  EXPECT_GT(part.run.hops, 0U);
  EXPECT_GT(part.run.messages, 0U);
  EXPECT_EQ(part.begin, filter.begin);
  EXPECT_EQ(part.end, filter.end);
}

TEST(CsvTrace, NoneLeavesOutIntervalsOrHops) {
  const TemporaryFolder folder;
  const CcRun run{"kind=torus,shape=4x4", "standard"};
  const auto file = folder.path() / "run.csv";
  TraceFilter hops_only;
  hops_only.processes = parse_process_ranges("none");
  const RunReport report = trace_run(run.input(), hops_only, {target("csv", file)});
  const TraceSummary hops = summarise_trace(file, {});
  EXPECT_EQ(hops.run.intervals + hops.run.messages, 0U);
  EXPECT_EQ(hops.run.hops, report.hops);
  TraceFilter no_hops;
  no_hops.links = parse_links("none");
  trace_run(run.input(), no_hops, {target("csv", file)});
  const TraceSummary processes = summarise_trace(file, {});
  EXPECT_EQ(processes.run.hops, 0U);
  EXPECT_EQ(processes.run.messages, report.messages);
}

TEST(CsvTrace, WindowCutsTimesInTheSummaryButNoRecord) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.csv";
  const CcRun run{"kind=line,nodes=2", "standard"};  // compute [0, 1), communication [1, 2)
  TraceFilter filter;
  filter.begin = Ticks{250'000'000'000};
  filter.end = Ticks{750'000'000'000};
  trace_run(run.input(), filter, {target("csv", file)});
  EXPECT_EQ(rows(file_content(file)),
            (std::vector<std::string>{"interval,0,compute,0,,,,,,,,,,,0,1000000000000",
                                      "interval,1,compute,0,,,,,,,,,,,0,1000000000000"}));
  EXPECT_EQ(total(summarise_trace(file, {}), Activity::compute), 1.0);
}

TEST(CsvTrace, RowsInAnotherOrderGiveTheSameTrace) {
  const TemporaryFolder folder;
  const CcRun run{"kind=ring,nodes=8", "xor"};
  trace_run(run.input(), {}, {target("csv", folder.path() / "run.csv")});
  const std::string csv = file_content(folder.path() / "run.csv");
  std::vector<std::string> lines = rows(csv);
  std::string reversed = csv.substr(0, csv.find("end_ps\n") + 7);
  std::ranges::reverse(lines);
  for (const std::string& line : lines) {
    reversed += line + "\n";
  }
  const auto file = folder.write("reversed.csv", reversed);
  convert_trace(file, {}, std::vector{target("csv", folder.path() / "again.csv")});
  EXPECT_EQ(file_content(folder.path() / "again.csv"), csv);
}

TEST(CsvTrace, HalfDuplexHopsKnowTheirDirection) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.csv";
  CcRun run{"kind=line,nodes=2", "standard"};
  run.machine->links.duplex = Duplex::half;
  trace_run(run.input(), {}, {target("csv", file)});
  std::vector<std::string> hops;
  for (const std::string& row : rows(file_content(file))) {
    if (row.starts_with("hop")) {
      hops.push_back(row);
    }
  }
  EXPECT_EQ(hops, (std::vector<std::string>{
                      "hop,,,,,0,0,1,0-1,0,1,1,,1000000000000,1000000000000,2000000000000",
                      "hop,,,,,1,0,0,0-1,1,0,1,,1000000000000,2000000000000,3000000000000"}));
  EXPECT_EQ(summarise_trace(file, {}).links.size(), 1U);
}

TEST(CsvTrace, EventsOfOnePicosecondAndMessagesToOneself) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.csv";
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=line,nodes=2");
  scripted.machine.links.per_dimension[0] = {ExactTime{Ticks{1}}, ExactTime{}};
  scripted.map = {NodeId{0}, NodeId{1}};
  using Kind = Step::Kind;
  scripted.scripts = {{{Kind::compute, Ticks{1}, {}, 0, {}},
                       {Kind::send, {}, ProcessId{0}, 7, {}},
                       {Kind::receive, {}, ProcessId{0}, 0, {}},
                       {Kind::send, {}, ProcessId{1}, 5, {}}},
                      {{Kind::receive, {}, ProcessId{0}, 0, {}}}};
  trace_run(input_of(scripted, nullptr), {},
            {target("csv", file), target("chrome", folder.path() / "j")});
  EXPECT_EQ(rows(file_content(file)),
            (std::vector<std::string>{
                "interval,0,compute,,,,,,,,,,,,0,1", "interval,1,waiting,,0,0,1,,,,,,,,0,1",
                "interval,1,communication,,0,0,1,,,,,,,,1,2", "hop,,,,,0,1,1,0->1,0,1,5,,1,1,2",
                "message,,,,,0,0,0,,,,7,0,,1,1", "message,,,,,0,1,1,,,,5,1,,1,2"}));
  // The arrow begins in the last picosecond of the sender's only slice and ends in that of the
  // receiver's.
  const std::string chrome = file_content(folder.path() / "j");
  EXPECT_NE(chrome.find(
                R"("ph":"s","cat":"message","name":"message","id":"0x1","pid":1,"tid":1,"ts":0,)"),
            std::string::npos);
  EXPECT_NE(chrome.find(R"("id":"0x1","pid":1,"tid":2,"ts":0.000001,)"), std::string::npos);
}

TEST(Traces, NothingIsThereBeforeTheRunHasEnded) {
  const TemporaryFolder folder;
  const CcRun run{"kind=ring,nodes=8", "xor"};
  const std::vector<TraceTarget> targets{target("csv", folder.path() / "run.csv"),
                                         target("paje", folder.path() / "run.paje")};
  {
    TraceRecorder recorder{*run.machine, {}, targets};
    run.run(&recorder);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace dcube::testing
