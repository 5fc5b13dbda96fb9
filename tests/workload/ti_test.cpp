#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "dcube/program/program.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/pieces.hpp"
#include "support/schedule_text.hpp"
#include "support/simulated_program.hpp"
#include "support/warnings_of.hpp"
#include "workload/ti_reader.hpp"

namespace dcube::testing {
namespace {

using Flows = std::vector<std::string>;

/// A trace on a line of unit hops where an operation takes a second.
struct Traced {
  explicit Traced(const std::string& text, const std::string& settings = "") {
    folder.write("t.ti", text);
    run = std::make_unique<SimulatedProgram>("kind=line,nodes=4", "identity",
                                             "kind=ti,file=t.ti,flop=1s" + settings,
                                             Surroundings{.folder = folder.path()});
  }
  RunReport report() const { return run_without_simgrid(run->input()); }
  /// "0>1", in the order of sending.
  Flows messages() const {
    Flows flows;
    SimulationInput input = run->input();
    input.on_send = [&](ProcessId from, ProcessId to, std::uint32_t) {
      flows.push_back(fmt::format("{}>{}", from.index(), to.index()));
    };
    run_without_simgrid(input);
    return flows;
  }

  TemporaryFolder folder;
  std::unique_ptr<SimulatedProgram> run;
};

std::string complaint_of_trace(const std::string& text, const std::string& settings = "") {
  std::string said;
  const TemporaryFolder folder;
  folder.write("t.ti", text);
  said = complaint<InputError>([&] {
    SimulatedProgram{"kind=line,nodes=4",
                     "identity",
                     "kind=ti,file=t.ti,flop=1s" + settings,
                     {.folder = folder.path()}};
  });
  return folder.shortened(said);
}

TEST(Ti, IsTheSameInPieces) {
  const std::string long_comment = "  # " + std::string(100, 'x') + "\n";
  for (const std::string& text :
       {"# two ranks\n0 init\n1 init\n" + long_comment + "0 compute 2\n0 send 1 7 10 6\n\n" +
            "\t1 recv 0 7 10 6\r\n1 compute 0.5\n0 finalize\n1 finalize",
        "\xef\xbb\xbf" + long_comment + "0 compute 2\n", std::string{"0 init\n0 compute many\n"},
        std::string{"0 init\n1\n"}, long_comment}) {
    const auto outcome = [&](std::size_t bytes) {
      return outcome_of([&] {
        return read_ti("t.ti", {.flop = ExactTime{1000, 1},
                                .picosecond = ExactTime{1, 1},
                                .text_of = [&](const std::filesystem::path&, ReadingPart) {
                                  return in_pieces(text, bytes);
                                }});
      });
    };
    for (std::size_t bytes = 1; bytes < 40; ++bytes) {
      EXPECT_EQ(outcome(bytes), outcome(1000)) << text << " by " << bytes;
    }
  }
}

TEST(Ti, SaysHowFarItHasBeenRead) {
  const TemporaryFolder folder;
  folder.write("t.ti", "0 compute 1\n#" + std::string(3'000'000, 'x'));
  folder.write("a.ti", "0 compute 1\n");
  folder.write("b.ti", "1 compute 1\n");
  folder.write("list", "a.ti\nb.ti\n");
  const Machine machine = unit_machine("kind=line,nodes=4");
  for (const std::string file : {"t.ti", "list"}) {
    std::vector<double> shares;
    ProgramContext context{machine, 1, folder.path()};
    context.on_reading = [&](const std::filesystem::path&, double share) {
      shares.push_back(share);
    };
    make_program(Params::parse("kind=ti,flop=1s,file=" + file), context);
    EXPECT_GE(shares.size(), 3U);
    EXPECT_TRUE(std::is_sorted(shares.begin() + 1, shares.end())) << file;  // after what it is
    EXPECT_EQ(shares.back(), 1) << file;
  }
}

TEST(Ti, MayComeOutOfAPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "t.ti";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer{[&pipe] { std::ofstream{pipe} << "0 compute 2\n1 compute 1\n"; }};
  const SimulatedProgram run{
      "kind=line,nodes=4", "identity", "kind=ti,file=t.ti,flop=1s", {.folder = folder.path()}};
  writer.join();
  EXPECT_EQ(run.program->guest().process_count(), 2U);
}

constexpr std::int64_t second = 1'000'000'000'000;

TEST(Ti, ComputesSendsAndReceives) {
  const Traced traced{
      "# two ranks\n0 init\n1 init\n0 compute 2\n0 send 1 7 10 6\n1 recv 0 7 10 6\n"
      "1 compute 0.5\n0 finalize\n1 finalize"};
  const RunReport report = traced.report();
  EXPECT_EQ(report.makespan, Ticks{3 * second + second / 2});
  EXPECT_EQ(report.bytes, 10U);
}

TEST(Ti, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(Traced("\xef\xbb\xbf"
                   "0 compute 2\n")
                .report()
                .makespan,
            Ticks{2 * second});
}

TEST(Ti, SizesCountElementsOfTheDatatype) {
  EXPECT_EQ(Traced("0 init\n0 send 1 7 10\n1 init\n1 recv 0 7 10").report().bytes, 10U);
  EXPECT_EQ(Traced("0 init 1\n0 send 1 7 10\n1 init\n1 recv 0 7 10").report().bytes, 80U);
  EXPECT_EQ(Traced("0 init\n0 send 1 7 10 11\n1 init\n1 recv 0 7 10").report().bytes, 40U);
  EXPECT_EQ(Traced("0 init\n0 send 1 5e4\n1 init\n1 recv 0 -1").report().bytes, 50'000U);
}

TEST(Ti, WaitsForTheOldestRequestOfItsKey) {
  // The second message is sent three seconds after the first. Rank 1 computes between.
  const std::string sends = "0 isend 1 7 1\n0 compute 3\n0 isend 1 7 1\n0 waitall 2\n";
  const Traced first{sends +
                     "1 irecv 0 7 1\n1 irecv 0 7 1\n1 wait 0 1 7\n1 compute 1\n1 waitall 1"};
  EXPECT_EQ(first.report().makespan, Ticks{4 * second});
  const Traced both{sends +
                    "1 irecv 0 7 1\n1 irecv 0 7 1\n1 wait 0 1 7\n1 wait 0 1 7\n1 wait 0 1 7\n"
                    "1 test 0 1 7\n1 compute 1"};
  EXPECT_EQ(both.report().makespan, Ticks{5 * second});
}

TEST(Ti, WaitallTakesRequestsInTheOrderOfPostingEveryTime) {
  const TemporaryFolder folder;
  const std::string round =
      "0 isend 1 7 1\n0 waitall 1\n1 irecv 0 7 1\n1 irecv 2 7 1\n1 waitall 2\n"
      "2 compute 5\n2 isend 1 7 1\n2 waitall 1\n";
  folder.write("t.ti", round + round);
  const SimulatedProgram run{"kind=line,nodes=4",
                             "identity",
                             "kind=ti,file=t.ti,flop=1s",
                             {.folder = folder.path(), .change = [](Machine& machine) {
                                machine.endpoint.receive.fixed = parse_duration("1s");
                              }}};
  // Rank 1 takes the early message from rank 0 while that from rank 2 is on its way, which comes
  // after 6 s and after 11 s.
  EXPECT_EQ(run_without_simgrid(run.input()).process_ends[1], Ticks{12 * second});
}

TEST(Ti, SendRecvGoesBothWaysAtOnce) {
  const Traced traced{"0 sendRecv 1 1 1 1 6 6\n1 sendRecv 1 0 1 0 6 6"};
  EXPECT_EQ(traced.report().makespan, Ticks{second});
}

TEST(Ti, AnyoneHasTheNumbersThatSimGridWrites) {
  for (const char* anyone : {"-1", "-333", "-555"}) {
    const std::string receives = fmt::format(
        "1 recv {0} 7 4\n1 irecv {0} -444 4\n1 wait {0} 1 -444\n1 irecv {0} 7 4\n"
        "1 wait {0} 1 7\n1 sendRecv 2 0 4 {0} 6 6\n0 recv {0} 0 2\n",
        anyone);
    const RunReport report =
        Traced{"0 send 1 7 4\n0 send 1 7 4\n2 compute 3\n2 send 1 7 4\n2 send 1 0 4\n" + receives}
            .report();
    EXPECT_EQ(report.outcome, Outcome::completed) << anyone;
    EXPECT_EQ(report.bytes, 18U) << anyone;
  }
  // The wait takes the request: rank 1 computes when the message has come.
  EXPECT_EQ(Traced("0 compute 5\n0 send 1 7 4\n1 irecv -333 7 4\n1 wait -333 1 7\n1 compute 1")
                .report()
                .makespan,
            Ticks{7 * second});
  EXPECT_EQ(Traced("0 compute 1\n1 irecv -333 7 4\n1 wait -333 1 7").report().outcome,
            Outcome::deadlock);
}

TEST(Ti, NobodyGetsAMessage) {
  EXPECT_EQ(complaint_of_trace("0 isend -333 7 4"),
            "t.ti: line 1: -333 is no rank, but MPI_PROC_NULL, which gets no message; leave the "
            "line out");
  EXPECT_EQ(complaint_of_trace("0 sendRecv 4 -333 4 0"),
            "t.ti: line 1: -333 is no rank, but MPI_PROC_NULL, which gets no message; leave the "
            "sending out");
  EXPECT_EQ(complaint_of_trace("0 recv -2 7 4"), "t.ti: line 1: -2 is not a rank (0 to 0)");
}

TEST(Ti, SleepIsScaledAndComputingIsNot) {
  EXPECT_EQ(Traced("0 sleep 1.5\n0 compute 1", ",scale=0.5").report().makespan,
            Ticks{second * 7 / 4});
}

TEST(Ti, AScaleThatIsNoneIsNamed) {
  EXPECT_EQ(complaint_of_trace("0 compute 1", ",scale=-1"),
            "/scale: -1 is not a factor (a number >= 0)");
  EXPECT_EQ(complaint_of_trace("0 compute 1", ",scale=1e-30"),
            "/scale: 1e-30 is too large or too fine a factor: 1 ps times it must be below 2^63 ps, "
            "as a fraction of picoseconds with a denominator below 2^63");
}

TEST(Ti, NamesToLeaveOutThatMatchNothingAreWarnedOf) {
  const std::string trace = "0 dance 1\n0 compute 1";
  EXPECT_EQ(warnings_of([&] { Traced(trace, ",ignore=dance"); }), "");
  EXPECT_EQ(warnings_of([&] { Traced(trace, ",ignore=[dance,sing]"); }),
            "/ignore: \"sing\" names nothing in the file that can be left out\n");
}

TEST(Ti, CollectivesAreRunByTheLibrary) {
  const Traced traced{
      "0 allreduce 4 3 0\n1 allreduce 4 3 0\n0 bcast 8\n1 bcast 8\n0 barrier\n1 barrier\n"
      "0 alltoall 5 5 6 6\n1 alltoall 5 5 6 6\n0 alltoallv 9 1 2 9 1 3 6 6\n"
      "1 alltoallv 9 3 4 9 2 4 6 6\n0 reducescatter 2 3 1 6\n1 reducescatter 2 3 1 6",
      ",algorithm=automatic"};
  const RunReport report = traced.report();
  EXPECT_EQ(report.outcome, Outcome::completed);
  // allreduce 2x32, bcast 8, alltoall 2x5, alltoallv 2 + 3, reduce_scatter 3 + 2
  EXPECT_EQ(report.bytes, 64U + 8 + 10 + 5 + 5);
  EXPECT_EQ(traced.run->answer("collectives"), "6");
}

TEST(Ti, CollectivesUseThePortsThatTheyCan) {
  std::string trace;
  for (const int rank : {0, 1, 2}) {
    trace += fmt::format("{0} allreduce 6 0 0\n{0} barrier\n", rank);
  }
  // The ring takes 4 steps of 3 messages, the barrier 2 of them.
  for (const auto& [ports, parts] : {std::pair{1, 1U}, {2, 2U}, {5, 2U}, {0, 2U}}) {
    const RunReport report = Traced(trace, fmt::format(",algorithm=ring,ports={}", ports)).report();
    EXPECT_EQ(report.messages, parts * 12 + 6);
    EXPECT_EQ(report.bytes, 4U * 48);
  }
}

TEST(Ti, CollectivesGoOnBesideComputingUntilTheyAreWaitedFor) {
  // A broadcast takes one hop, and an allreduce of two ranks one, both ways at once.
  const auto seconds_of = [](const std::string& both) {
    std::string text;
    for (const char* const rank : {"0", "1"}) {
      for (std::size_t at = 0; at < both.size(); at = both.find(';', at) + 1) {
        text += fmt::format("{} {}\n", rank, both.substr(at, both.find(';', at) - at));
      }
    }
    const RunReport report = Traced(text).report();
    EXPECT_EQ(report.outcome, Outcome::completed);
    return report.makespan / Ticks{second};
  };
  EXPECT_EQ(seconds_of("allreduce 4 0;compute 5;"), 6);
  EXPECT_EQ(seconds_of("iallreduce 4 0;compute 5;wait 0 0 -4446;"), 5);
  EXPECT_EQ(seconds_of("iallreduce 4 0;compute 5;waitall 1;"), 5);
  EXPECT_EQ(seconds_of("iallreduce 4 0;wait 0 0 -4446;compute 5;"), 6);
  EXPECT_EQ(seconds_of("iallreduce 4 0;compute 5;"), 5);
  // The reduction computes when it is done.
  EXPECT_EQ(seconds_of("iallreduce 4 3;compute 5;wait 0 0 -4446;"), 8);
  EXPECT_EQ(seconds_of("iallreduce 4 3;compute 5;waitall 1;"), 8);
  // A wait takes the oldest collective with its tag, or of all when the tag is of no kind.
  EXPECT_EQ(seconds_of("ibarrier;iallreduce 4 3;wait 0 0 -779;compute 5;"), 6);
  EXPECT_EQ(seconds_of("ibarrier;iallreduce 4 3;wait 0 0 -4446;compute 5;waitall 1;"), 10);
  EXPECT_EQ(seconds_of("iallreduce 4 3;ibarrier;wait 0 0 -7777;compute 5;waitall 1;"), 9);
  // Blocking collectives and messages let them go on.
  EXPECT_EQ(seconds_of("iallreduce 4 0;barrier;compute 5;waitall 1;"), 7);
}

TEST(Ti, UnequalSharesAreKnownAtTheRootOnly) {
  // SimGrid writes zeros elsewhere.
  const Traced traced{
      "0 gatherv 2 0 0 1 6 6\n1 gatherv 3 2 3 1 6 6\n0 iscatterv 2 3 2 0 6 6\n"
      "1 iscatterv 0 0 3 0 6 6\n"};
  EXPECT_EQ(traced.report().bytes, 2U + 3);
  EXPECT_NE(complaint_of_trace("0 gatherv 2 1 0 1 6 6\n1 gatherv 3 2 3 1 6 6\n"), "");
}

TEST(Ti, RanksOfAnAlltoallvReceiveWhatIsSent) {
  const std::string first = "0 barrier\n1 barrier\n0 alltoallv 9 1 2 9 1 3 6 6\n";
  EXPECT_EQ(complaint_of_trace(first + "1 alltoallv 9 3 4 9 2 4 6 6\n"), "");
  EXPECT_EQ(complaint_of_trace(first + "1 alltoallv 9 3 4 9 1 4 6 6\n"),
            "t.ti: line 4: rank 0 sends rank 1 2 elements in its alltoallv, where that receives 1");
  EXPECT_EQ(complaint_of_trace(first + "1 alltoallv 9 2 4 9 2 4 6 6\n"),
            "t.ti: line 4: rank 1 sends rank 0 2 elements in its alltoallv, where that receives 3");
  EXPECT_EQ(complaint_of_trace("0 ialltoallv 9 5 9 6 6 6\n"),
            "t.ti: line 1: rank 0 sends rank 0 5 elements in its alltoallv, where that receives 6");
}

TEST(Ti, AFileARankIsAListOfFiles) {
  const TemporaryFolder folder;
  folder.write("t.ti", "t_files/a.txt\nt_files/b.txt\n");
  folder.write("t_files/a.txt", "0 init\n0 send 1 7 3\n");
  folder.write("t_files/b.txt", "1 init\n1 recv 0 7 3\n");
  const SimulatedProgram run{
      "kind=line,nodes=4", "identity", "kind=ti,file=t.ti,flop=1s", {.folder = folder.path()}};
  EXPECT_EQ(run_without_simgrid(run.input()).bytes, 3U);
  folder.write("t_files/b.txt", "0 init\n");
  EXPECT_EQ(folder.shortened(complaint<InputError>([&] {
    SimulatedProgram{
        "kind=line,nodes=4", "identity", "kind=ti,file=t.ti,flop=1s", {.folder = folder.path()}};
  })),
            "t_files/b.txt: line 1: is an action of rank 0 in the file of rank 1");
}

TEST(Ti, NothingIsSilentlyDropped) {
  EXPECT_EQ(complaint_of_trace("0 init\n0 dance 3"),
            "t.ti: line 2: dance is not an action of a time-independent trace (\"ignore\": [dance] "
            "leaves it out)");
  EXPECT_EQ(Traced("0 dance 3\n0 dance\n0 compute 1", ",ignore=dance").run->answer("ignored"),
            "{\"dance\": 2}");
  EXPECT_EQ(complaint_of_trace("0 send 1 7"), "t.ti: line 1: 1 is not a rank (0 to 0)");
  EXPECT_EQ(complaint_of_trace("4000000000 init"),
            "t.ti: line 1: 4000000000 is not a rank (0 to 16777215)");
  EXPECT_EQ(complaint_of_trace("1 init\n0 send 1 x 4"), "t.ti: line 2: x is not a tag");
  EXPECT_EQ(complaint_of_trace("1 init\n0 send 1 7 4 99"),
            "t.ti: line 2: 99 is not a datatype of a known size (SimGrid's numbers, 0 to 55)");
  EXPECT_EQ(complaint_of_trace("1 init\n0 send 1 7 4 6 8"),
            "t.ti: line 2: 8 is more than the action send has");
  EXPECT_EQ(
      complaint_of_trace("0 allreduce 4 3 0\n1 init\n1 barrier"),
      "t.ti: line 3: rank 1 calls barrier of 0 elements of 1 bytes, root 0, as its collective "
      "number 0, where rank 0 calls allreduce of 4 elements of 8 bytes, root 0, (t.ti: line 1)");
  EXPECT_EQ(complaint_of_trace("0 barrier\n1 init"),
            "t.ti: line 1: rank 0 calls a barrier, which rank 1 does not call");
  EXPECT_EQ(complaint_of_trace("0 send 1 7 4\n0 send 1 7 4\n1 recv 0 7 4"),
            "t.ti: rank 0 sends rank 1 1 message more than that receives from it");
  EXPECT_EQ(complaint_of_trace("\n# nothing\n"), "t.ti: holds no action");
  EXPECT_EQ(
      complaint_of_trace("hello"),
      "t.ti: line 1: hello is neither a rank nor a file of actions beside this one (a line is "
      "`<rank> <action> <arguments>`)");
}

TEST(Ti, ATraceHoldsOneRun) {
  const std::string run = "0 init\n0 compute 1\n0 finalize\n";
  EXPECT_EQ(complaint_of_trace(run), "");
  EXPECT_EQ(
      complaint_of_trace(run + run),
      "t.ti: line 4: rank 0 has finalized; a trace holds one run, so cut it before this line");
  EXPECT_EQ(complaint_of_trace("0 init\n0 compute 1\n" + run),
            "t.ti: line 3: is the second init of rank 0; a trace holds one run, so cut it before "
            "this line");
}

TEST(Ti, EveryRankHasAnAction) {
  EXPECT_EQ(complaint_of_trace("0 compute 1\n2 compute 1"),
            "t.ti: rank 1 of 3 has no action; an idle rank has `1 init` at least");
  EXPECT_EQ(complaint_of_trace("0 compute 1\n2 compute 1\n1 init"), "");
  const TemporaryFolder folder;
  folder.write("t.ti", "a.txt\nb.txt\n");
  folder.write("a.txt", "0 init\n");
  folder.write("b.txt", "# idle\n");
  EXPECT_EQ(folder.shortened(complaint<InputError>([&] {
    SimulatedProgram{
        "kind=line,nodes=4", "identity", "kind=ti,file=t.ti", {.folder = folder.path()}};
  })),
            "b.txt: rank 1 of 2 has no action; an idle rank has `1 init` at least");
}

TEST(Ti, AReduceScatterWithoutCountsIsWarnedOf) {
  const std::string call = "0 reducescatter 0 0 0 6\n1 reducescatter 0 0 0 6\n";
  EXPECT_EQ(complaint_of_trace(call), "");
  const std::string said = warnings_of([&] { Traced{call + call}; });
  EXPECT_NE(said.find("t.ti: line 1: all counts are 0, and no byte is sent; SimGrid does not write "
                      "the counts of MPI_Reduce_scatter_block: write them into the line\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
  EXPECT_EQ(warnings_of([] { Traced{"0 reducescatter 0 1 0\n1 reducescatter 0 1 0\n"}; }), "");
  for (const auto& [arguments, number] :
       {std::pair{"0 0", "2 arguments"}, {"", "0 arguments"}, {"0 0 0 0 6", "5 arguments"}}) {
    EXPECT_EQ(complaint_of_trace(fmt::format("0 reducescatter {}\n1 init", arguments)),
              fmt::format("t.ti: line 1: has {}, not 3 or 4: a count for each rank, a number of "
                          "operations and perhaps a datatype; SimGrid does not write the counts of "
                          "MPI_Reduce_scatter_block: write them into the line",
                          number));
  }
  EXPECT_EQ(complaint_of_trace("0 allreduce 4"), "t.ti: line 1: a number of operations is missing");
}

TEST(Ti, AnOperationMayTakeATimeOfManyDigits) {
  for (const auto& [flop, ticks] : {std::pair{"4.3478260869565215e-10", 434'782'608'696},
                                    {"434.78260869565215ps", 434'782'608'696},
                                    {"3.636363636363637e-15", 3'636'364},
                                    {"3.225806451612903e-10", 322'580'645'161},
                                    {"0.3333333333333333ns", 333'333'333'333}}) {
    const Schedule schedule =
        read_ti("t.ti", {.flop = parse_duration(flop),
                         .picosecond = ExactTime{1, 1},
                         .text_of = [](const std::filesystem::path&, ReadingPart) {
                           return in_pieces("0 compute 1000000000\n", 100);
                         }});
    EXPECT_EQ(schedule.processes.at(0).at(0).amount, ticks) << flop;
  }
}

TEST(Ti, OnlyOperationsNeedTheirTime) {
  const auto said = [](const std::string& text) {
    const TemporaryFolder folder;
    folder.write("t.ti", text);
    return folder.shortened(complaint([&] {
      SimulatedProgram{
          "kind=line,nodes=4", "identity", "kind=ti,file=t.ti", {.folder = folder.path()}};
    }));
  };
  EXPECT_EQ(said("0 init\n1 init\n0 send 1 0 10\n1 recv 0 0 10\n0 compute 0\n"), "");
  EXPECT_EQ(said("0 send 1 0 10\n1 recv 0 0 10\n1 compute 0.5\n"),
            "t.ti: line 3: counts operations, and nothing says what one takes; add \"flop\": "
            "\"1ns\" to the program or to the machine's `compute` table");
  EXPECT_EQ(said("0 sned 1 0 10\n0 compute 1\n").substr(0, 35),
            "t.ti: line 1: sned is not an action");
}

TEST(Ti, AReceiveWithoutASendIsADeadlock) {
  EXPECT_EQ(Traced("0 compute 1\n1 recv 0 7 4").report().outcome, Outcome::deadlock);
}

TEST(Ti, MessagesAboveTheEagerLimitHoldTheirSender) {
  const auto makespan_of_sender = [](std::uint64_t limit) {
    const TemporaryFolder folder;
    folder.write("t.ti", "0 send 1 7 10\n0 compute 1\n1 compute 5\n1 recv 0 7 10");
    const SimulatedProgram run{"kind=line,nodes=2",
                               "identity",
                               "kind=ti,file=t.ti,flop=1s",
                               {.folder = folder.path(), .change = [&](Machine& machine) {
                                  machine.endpoint.eager_limit_bytes = limit;
                                }}};
    return run_without_simgrid(run.input()).process_ends[0];
  };
  EXPECT_EQ(makespan_of_sender(10), Ticks{second});
  EXPECT_EQ(makespan_of_sender(9), Ticks{6 * second});
}

}  // namespace
}  // namespace dcube::testing
