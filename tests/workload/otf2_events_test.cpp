#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "otf2_recorded.hpp"

namespace dcube::testing {
namespace {

TEST(Otf2Events, ComputesBetweenCallsOfMpi) {
  const Recorded run{2, [](Archive& archive) {
                       archive.rank(0)
                           .enter(500, Archive::user_region)
                           .enter(2500, mpi)
                           .send(2600, 1, 10, 7)
                           .leave(9000, mpi)
                           .leave(10'000, Archive::user_region);
                       archive.rank(1)
                           .enter(100, mpi)
                           .receive(9000, 0, 10, 7)
                           .leave(9100, mpi)
                           .enter(9200, Archive::user_region)
                           .leave(9600, Archive::user_region);
                     }};
  // 0 computes 2 s and 1 s, 1 has the message after 3 s and computes 0.5 s.
  EXPECT_EQ(run.report().makespan, Ticks{one_second * 7 / 2});
  EXPECT_EQ(run.report().process_ends[0], Ticks{3 * one_second});
  EXPECT_EQ(run.report().bytes, 10U);
}

TEST(Otf2Events, CallingContextsAreRegions) {
  const Recorded run{1, [](Archive& archive) {
                       archive.rank(0)
                           .other(&OTF2_EvtWriter_ProgramBegin, 0, 0U, 0U, nullptr)
                           .other(&OTF2_EvtWriter_CallingContextEnter, 1000, Archive::mpi_context,
                                  1U)
                           .other(&OTF2_EvtWriter_CallingContextLeave, 5000, Archive::mpi_context)
                           .other(&OTF2_EvtWriter_ProgramEnd, 7000, std::int64_t{0});
                     }};
  EXPECT_EQ(run.seconds(), 3);
}

TEST(Otf2Events, WithoutRegionsAllTimeBetweenEventsIsComputing) {
  const Recorded run{2, [](Archive& archive) {
                       archive.rank(0).send(1000, 1, 10).send(3000, 1, 10);
                       archive.rank(1)
                           .receive(1000, 0, 10)
                           .receive(2000, 0, 10)
                           .collective(2500, 9000, OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 0,
                                       Archive::self);
                     }};
  // The first event is the begin. 0 computes 2 s between its sends, 1 computes 1 s and 0.5 s.
  EXPECT_EQ(run.seconds(), 3.5);
}

TEST(Otf2Events, RequestsAreWaitedForWhereTheyComplete) {
  const Recorded run{2, [](Archive& archive) {
                       archive.rank(0)
                           .isend(0, 1, 5, 100, 3)
                           .isend_complete(2000, 100)
                           .isend(4000, 1, 6, 100, 4)
                           .test(5000, 100)
                           .isend_complete(5000, 100);
                       // The receives are posted in another order than they complete.
                       archive.rank(1)
                           .irecv_request(0, 8)
                           .irecv_request(0, 9)
                           .irecv(1000, 0, 5, 9, 3)
                           .irecv(3000, 0, 6, 8, 4);
                     }};
  // The second message leaves after 2 + 2 s; rank 1 computes 1 s, has the first, and 2 s more.
  EXPECT_EQ(run.report().process_ends[1], Ticks{5 * one_second});
  EXPECT_EQ(run.report().process_ends[0], Ticks{5 * one_second});
  EXPECT_EQ(run.report().bytes, 11U);
}

TEST(Otf2Events, WhatIsCancelledHasNoEffect) {
  const Recorded run{2, [](Archive& archive) {
                       archive.rank(0).isend(0, 1, 5, 1).cancel(1000, 1).send(2000, 1, 4);
                       archive.rank(1).irecv_request(0, 1).cancel(500, 1).receive(1000, 0, 4);
                     }};
  EXPECT_EQ(run.seconds(), 3);
  EXPECT_EQ(run.report().bytes, 4U);
}

TEST(Otf2Events, SendrecvDoesBothAtOnce) {
  const Recorded run{2,
                     [](Archive& archive) {
                       for (const std::uint32_t rank : {0U, 1U}) {
                         archive.rank(rank)
                             .enter(0, mpi)
                             .send(0, 1 - rank, 100)
                             .receive(50, 1 - rank, 100)
                             .leave(50, mpi);
                       }
                     },
                     "",
                     {},
                     [](Machine& machine) { machine.endpoint.eager_limit_bytes = 10; }};
  EXPECT_EQ(run.seconds(), 1);
}

/// A kind of event of libotf2.
struct EventKind {
  std::string writer;  ///< OTF2_EvtWriter_..
  std::string name;    ///< in messages
  std::function<void(Archive::Rank&)> write;
};

/// Writes such an event, of which everything is 0, at 5 s.
template <class... Arguments>
EventKind event_kind(std::string writer, std::string name,
                     OTF2_ErrorCode (*write)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp,
                                             Arguments...)) {
  return {std::move(writer), std::move(name),
          [write](Archive::Rank& rank) { rank.other(write, 5000, Arguments{}...); }};
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the events OMP_..
#define EVENT(writer, name) event_kind(#writer, name, &OTF2_EvtWriter_##writer)
/// The kinds that neither move data between processes nor make them wait for each other.
std::vector<EventKind> still_kinds() {
  return {EVENT(BufferFlush, "BUFFER_FLUSH"),
          EVENT(MeasurementOnOff, "MEASUREMENT_ON_OFF"),
          EVENT(OmpFork, "OMP_FORK"),
          EVENT(OmpJoin, "OMP_JOIN"),
          EVENT(OmpAcquireLock, "OMP_ACQUIRE_LOCK"),
          EVENT(OmpReleaseLock, "OMP_RELEASE_LOCK"),
          EVENT(OmpTaskCreate, "OMP_TASK_CREATE"),
          EVENT(OmpTaskSwitch, "OMP_TASK_SWITCH"),
          EVENT(OmpTaskComplete, "OMP_TASK_COMPLETE"),
          EVENT(Metric, "METRIC"),
          EVENT(ParameterString, "PARAMETER_STRING"),
          EVENT(ParameterInt, "PARAMETER_INT"),
          EVENT(ParameterUnsignedInt, "PARAMETER_UNSIGNED_INT"),
          EVENT(RmaWinCreate, "RMA_WIN_CREATE"),
          EVENT(RmaWinDestroy, "RMA_WIN_DESTROY"),
          EVENT(ThreadFork, "THREAD_FORK"),
          EVENT(ThreadJoin, "THREAD_JOIN"),
          EVENT(ThreadTeamBegin, "THREAD_TEAM_BEGIN"),
          EVENT(ThreadTeamEnd, "THREAD_TEAM_END"),
          EVENT(ThreadAcquireLock, "THREAD_ACQUIRE_LOCK"),
          EVENT(ThreadReleaseLock, "THREAD_RELEASE_LOCK"),
          EVENT(ThreadTaskCreate, "THREAD_TASK_CREATE"),
          EVENT(ThreadTaskSwitch, "THREAD_TASK_SWITCH"),
          EVENT(ThreadTaskComplete, "THREAD_TASK_COMPLETE"),
          EVENT(ThreadCreate, "THREAD_CREATE"),
          EVENT(ThreadBegin, "THREAD_BEGIN"),
          EVENT(ThreadWait, "THREAD_WAIT"),
          EVENT(ThreadEnd, "THREAD_END"),
          EVENT(CallingContextSample, "CALLING_CONTEXT_SAMPLE"),
          EVENT(IoCreateHandle, "IO_CREATE_HANDLE"),
          EVENT(IoDestroyHandle, "IO_DESTROY_HANDLE"),
          EVENT(IoDuplicateHandle, "IO_DUPLICATE_HANDLE"),
          EVENT(IoSeek, "IO_SEEK"),
          EVENT(IoChangeStatusFlags, "IO_CHANGE_STATUS_FLAGS"),
          EVENT(IoDeleteFile, "IO_DELETE_FILE"),
          EVENT(IoOperationBegin, "IO_OPERATION_BEGIN"),
          EVENT(IoOperationTest, "IO_OPERATION_TEST"),
          EVENT(IoOperationIssued, "IO_OPERATION_ISSUED"),
          EVENT(IoOperationComplete, "IO_OPERATION_COMPLETE"),
          EVENT(IoOperationCancelled, "IO_OPERATION_CANCELLED"),
          EVENT(IoAcquireLock, "IO_ACQUIRE_LOCK"),
          EVENT(IoReleaseLock, "IO_RELEASE_LOCK"),
          EVENT(IoTryLock, "IO_TRY_LOCK"),
          EVENT(CommCreate, "COMM_CREATE"),
          EVENT(CommDestroy, "COMM_DESTROY")};
}

/// The kinds that are not simulated although they move data or make processes wait.
std::vector<EventKind> moving_kinds() {
  return {EVENT(RmaCollectiveBegin, "RMA_COLLECTIVE_BEGIN"),
          EVENT(RmaCollectiveEnd, "RMA_COLLECTIVE_END"),
          EVENT(RmaGroupSync, "RMA_GROUP_SYNC"),
          EVENT(RmaRequestLock, "RMA_REQUEST_LOCK"),
          EVENT(RmaAcquireLock, "RMA_ACQUIRE_LOCK"),
          EVENT(RmaTryLock, "RMA_TRY_LOCK"),
          EVENT(RmaReleaseLock, "RMA_RELEASE_LOCK"),
          EVENT(RmaSync, "RMA_SYNC"),
          EVENT(RmaWaitChange, "RMA_WAIT_CHANGE"),
          EVENT(RmaPut, "RMA_PUT"),
          EVENT(RmaGet, "RMA_GET"),
          EVENT(RmaAtomic, "RMA_ATOMIC"),
          EVENT(RmaOpCompleteBlocking, "RMA_OP_COMPLETE_BLOCKING"),
          EVENT(RmaOpCompleteNonBlocking, "RMA_OP_COMPLETE_NON_BLOCKING"),
          EVENT(RmaOpTest, "RMA_OP_TEST"),
          EVENT(RmaOpCompleteRemote, "RMA_OP_COMPLETE_REMOTE")};
}

/// The kinds that become operations.
std::vector<std::string> simulated_kinds() {
  return {"Enter",
          "Leave",
          "CallingContextEnter",
          "CallingContextLeave",
          "MpiSend",
          "MpiIsend",
          "MpiIsendComplete",
          "MpiRecv",
          "MpiIrecvRequest",
          "MpiIrecv",
          "MpiRequestTest",
          "MpiRequestCancelled",
          "MpiCollectiveBegin",
          "MpiCollectiveEnd",
          "NonBlockingCollectiveRequest",
          "NonBlockingCollectiveComplete",
          "ProgramBegin",
          "ProgramEnd"};
}
#undef EVENT
#pragma GCC diagnostic pop

TEST(Otf2Events, TheKindsAreThoseOfTheLibrary) {
  std::string header =
      file_content(std::filesystem::path{DCUBE_OTF2_INCLUDE_DIR} / "otf2" / "OTF2_EvtWriter.h");
  std::erase_if(header, [](char letter) { return letter == ' ' || letter == '\n'; });
  const std::string name = "OTF2_EvtWriter_";
  const std::string arguments = "(OTF2_EvtWriter*writer,OTF2_AttributeList";
  std::set<std::string> of_library;
  for (std::size_t end = header.find(arguments); end != std::string::npos;
       end = header.find(arguments, end + 1)) {
    const std::size_t begin = header.rfind(name, end) + name.size();
    of_library.insert(header.substr(begin, end - begin));
  }
  const std::vector<std::string> simulated = simulated_kinds();
  std::set<std::string> known{simulated.begin(), simulated.end()};
  for (const std::vector<EventKind>& kinds : {still_kinds(), moving_kinds()}) {
    for (const EventKind& kind : kinds) {
      known.insert(kind.writer);
    }
  }
  EXPECT_EQ(known, of_library);
}

TEST(Otf2Events, WhatMovesNoDataIsLeftOutAndCounted) {
  std::map<std::string, std::string> written;
  const Recorded run{1, [&](Archive& archive) {
                       Archive::Rank& rank = archive.rank(0);
                       rank.enter(1000, Archive::user_region);
                       for (const EventKind& kind : still_kinds()) {
                         if (kind.writer == "BufferFlush") {  // ends after it begins
                           rank.other(&OTF2_EvtWriter_BufferFlush, 5000, 5000U);
                         } else {
                           kind.write(rank);
                         }
                         written[kind.name] = "1";
                       }
                       rank.other(&OTF2_EvtWriter_MeasurementOnOff, 5000, OTF2_MEASUREMENT_ON)
                           .leave(9000, Archive::user_region);
                       written["MEASUREMENT_ON_OFF"] = "2";
                     }};
  EXPECT_EQ(run.seconds(), 8);
  const Params answer = run.run->program->answer();
  const Params& ignored = *answer.find("ignored")->group();
  std::map<std::string, std::string> counts;
  for (const std::string& name : ignored.keys()) {
    counts[name] = ignored.find(name)->describe();
  }
  EXPECT_EQ(counts, written);
}

TEST(Otf2Events, WhatMovesDataIsRefusedUnlessIgnored) {
  for (const EventKind& kind : moving_kinds()) {
    const Write write = [&](Archive& archive) {
      archive.rank(1).enter(0, Archive::user_region);
      kind.write(archive.rank(1));
    };
    EXPECT_EQ(
        complaint_of_archive(2, write),
        fmt::format("a.otf2: location 11, event 2: {0} is not simulated (\"ignore\": [\"{0}\"] "
                    "leaves it out)",
                    kind.name));
    EXPECT_EQ(Recorded(2, write, ",ignore=" + kind.name).run->answer("ignored"),
              fmt::format("{{\"{}\": 1}}", kind.name));
  }
}

TEST(Otf2Events, AKindThatTheLibraryDoesNotKnowIsRefused) {
  const TemporaryFolder folder;
  {
    Archive archive{folder.path(), 1};
    archive.rank(0).other(&OTF2_EvtWriter_ParameterUnsignedInt, 1, 0U, 0x0102030405060708U);
  }
  const std::filesystem::path events = folder.path() / "a" / "10.evt";
  std::string bytes = file_content(events);
  const std::size_t value = bytes.find("\x08\x08\x07\x06\x05\x04\x03\x02\x01");
  ASSERT_NE(value, std::string::npos);
  bytes[value - 3] = '\xf0';  // the kind, before a length and the number of the parameter
  std::ofstream{events, std::ios::binary | std::ios::trunc} << bytes;
  const auto run = [&](const std::string& settings) {
    return SimulatedProgram{"kind=line,nodes=8",
                            "identity",
                            "kind=otf2,file=a.otf2" + settings,
                            {.folder = folder.path()}};
  };
  EXPECT_EQ(folder.shortened(complaint<InputError>([&] { run(""); })),
            "a.otf2: location 10, event 1: UNKNOWN is not simulated (\"ignore\": [\"UNKNOWN\"] "
            "leaves it out)");
  EXPECT_EQ(run(",ignore=UNKNOWN").answer("ignored"), "{\"UNKNOWN\": 1}");
}

TEST(Otf2Events, WritingTheTraceIsNoComputing) {
  const Recorded run{2, [](Archive& archive) {
                       archive.rank(0)
                           .enter(0, Archive::user_region)
                           .other(&OTF2_EvtWriter_BufferFlush, 1000, 4000U)
                           .enter(6000, mpi)  // computed 1 s and 2 s
                           .send(6000, 1, 8)
                           .other(&OTF2_EvtWriter_BufferFlush, 7000, 9000U)  // outlasts the call
                           .leave(8000, mpi)
                           .leave(9500, Archive::user_region);
                       archive.rank(1).receive(0, 0, 8).other(&OTF2_EvtWriter_BufferFlush, 0, 500U);
                     }};
  EXPECT_EQ(run.report().process_ends[0], Ticks{one_second * 7 / 2});
  EXPECT_EQ(run.report().process_ends[1], Ticks{one_second * 4});
  EXPECT_EQ(run.run->answer("ignored"), "{\"BUFFER_FLUSH\": 3}");
  EXPECT_EQ(run.run->answer("ignored_times"), "{\"BUFFER_FLUSH\": \"5.5 s\"}");
  EXPECT_EQ(
      complaint_of_archive(
          1, [](Archive& archive) { archive.rank(0).other(&OTF2_EvtWriter_BufferFlush, 10, 9U); }),
      "a.otf2: location 10, event 1: ends before it begins");
}

TEST(Otf2Events, WhatIsNotRecordedIsNoComputing) {
  const Recorded run{1, [](Archive& archive) {
                       archive.rank(0)
                           .other(&OTF2_EvtWriter_MeasurementOnOff, 0, OTF2_MEASUREMENT_ON)
                           .other(&OTF2_EvtWriter_MeasurementOnOff, 1000, OTF2_MEASUREMENT_OFF)
                           .other(&OTF2_EvtWriter_MeasurementOnOff, 5000, OTF2_MEASUREMENT_ON)
                           .enter(7000, mpi)
                           .leave(8000, mpi)
                           .other(&OTF2_EvtWriter_MeasurementOnOff, 9000, OTF2_MEASUREMENT_OFF);
                     }};
  EXPECT_EQ(run.seconds(), 4);
  EXPECT_EQ(run.run->answer("ignored_times"), "{\"MEASUREMENT_ON_OFF\": \"4 s\"}");
}

TEST(Otf2Events, MessagesAtRandomTakeTheTimeThatAPlainLoopFinds) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SplitMix64 random{seed};
    constexpr std::uint32_t ranks = 8;
    std::vector<std::uint64_t> recorded(ranks, 0);
    std::vector<std::uint64_t> clock(ranks, 0);
    const Recorded run{
        ranks,
        [&](Archive& archive) {
          for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            archive.rank(rank).enter(0, Archive::user_region);
          }
          const auto compute = [&](std::uint32_t rank) {
            const std::uint64_t ticks = bounded(random.next(), 4000);
            recorded[rank] += ticks;
            clock[rank] += ticks;
            archive.rank(rank).enter(recorded[rank], mpi);
          };
          const auto leave = [&](std::uint32_t rank) {
            recorded[rank] += bounded(random.next(), 9000);  // is not simulated
            archive.rank(rank).leave(recorded[rank], mpi);
          };
          for (int i = 0; i < 300; ++i) {
            const auto from = static_cast<std::uint32_t>(bounded(random.next(), ranks));
            const auto to = static_cast<std::uint32_t>(bounded(random.next(), ranks));
            if (from == to) {
              continue;
            }
            const auto tag = static_cast<std::uint32_t>(bounded(random.next(), 3));
            compute(from);
            archive.rank(from).send(recorded[from], to, 8, tag);
            leave(from);
            const std::uint64_t hops = from > to ? from - to : to - from;
            const std::uint64_t arrival = clock[from] + 1000 * hops;
            compute(to);
            archive.rank(to).receive(recorded[to], from, 8, tag);
            clock[to] = std::max(clock[to], arrival);
            leave(to);
          }
        },
        "",
        {},
        [](Machine& machine) { machine.links.contention = Contention::off; }};
    const RunReport report = run.report();
    EXPECT_EQ(report.outcome, Outcome::completed);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(report.process_ends[rank].count(),
                static_cast<std::int64_t>(clock[rank]) * one_second / 1000)
          << "seed " << seed << ", rank " << rank;
    }
  }
}

}  // namespace
}  // namespace dcube::testing
