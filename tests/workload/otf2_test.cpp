#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/program/program.hpp"
#include "otf2_archive.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/mutator.hpp"
#include "support/simulated_program.hpp"
#include "workload/otf2_sizes.hpp"

namespace dcube::testing {
namespace {

using Write = std::function<void(Archive&)>;

constexpr std::int64_t one_second = 1'000'000'000'000;

/// An archive on a line of unit hops, where nothing else takes time.
struct Recorded {
  Recorded(std::uint32_t ranks, const Write& write, const std::string& settings = "",
           const Archive::Options& options = {}, const MachineChange& change = {}) {
    {
      Archive archive{folder.path(), ranks, options};
      write(archive);
    }
    run = std::make_unique<SimulatedProgram>(
        "kind=line,nodes=8", "identity", "kind=otf2,file=a.otf2" + settings,
        Surroundings{.folder = folder.path(), .change = change});
  }
  RunReport report() const { return run_without_simgrid(run->input()); }
  double seconds() const {
    const RunReport done = report();
    EXPECT_EQ(done.outcome, Outcome::completed);
    return to_seconds(done.makespan);
  }
  /// "0>1", in the order of sending.
  std::vector<std::string> messages() const {
    std::vector<std::string> flows;
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

std::string complaint_of_archive(std::uint32_t ranks, const Write& write,
                                 const std::string& settings = "",
                                 const Archive::Options& options = {}) {
  const TemporaryFolder folder;
  {
    Archive archive{folder.path(), ranks, options};
    write(archive);
  }
  return folder.shortened(complaint<InputError>([&] {
    SimulatedProgram{"kind=line,nodes=8",
                     "identity",
                     "kind=otf2,file=a.otf2" + settings,
                     {.folder = folder.path()}};
  }));
}

constexpr std::uint32_t mpi = Archive::mpi_region;

TEST(Otf2, ComputesBetweenCallsOfMpi) {
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

TEST(Otf2, CallingContextsAreRegions) {
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

TEST(Otf2, EachRankMayNumberItsDefinitions) {
  const Recorded run{2,
                     [](Archive& archive) {
                       archive.rank(1)
                           .enter(0, Archive::mpi_region)
                           .enter(3000, Archive::user_region)
                           .leave(8000, Archive::user_region)
                           .leave(9000, Archive::mpi_region);
                     },
                     "",
                     {.swaps_regions = true}};
  EXPECT_EQ(run.seconds(), 4);
}

TEST(Otf2, WithoutRegionsAllTimeBetweenEventsIsComputing) {
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

TEST(Otf2, ResolutionAndScaleGiveTheTime) {
  const Write write = [](Archive& archive) {
    archive.rank(0).enter(0, Archive::user_region).leave(3000, Archive::user_region);
  };
  EXPECT_EQ(Recorded(1, write).seconds(), 3);
  EXPECT_EQ(Recorded(1, write, ",scale=0.5").seconds(), 1.5);
  EXPECT_EQ(Recorded(1, write, "", {.resolution = 1'000'000'000}).report().makespan,
            Ticks{3'000'000});
}

TEST(Otf2, RequestsAreWaitedForWhereTheyComplete) {
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

TEST(Otf2, WhatIsCancelledHasNoEffect) {
  const Recorded run{2, [](Archive& archive) {
                       archive.rank(0).isend(0, 1, 5, 1).cancel(1000, 1).send(2000, 1, 4);
                       archive.rank(1).irecv_request(0, 1).cancel(500, 1).receive(1000, 0, 4);
                     }};
  EXPECT_EQ(run.seconds(), 3);
  EXPECT_EQ(run.report().bytes, 4U);
}

TEST(Otf2, SendrecvDoesBothAtOnce) {
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

TEST(Otf2, CommunicatorsHaveRanksOfTheirOwn) {
  const Recorded run{4, [](Archive& archive) {
                       const std::uint32_t odd = archive.communicator({3, 1});
                       const std::uint32_t even = archive.communicator({0, 2}, true);
                       // Equal tags of different communicators are different.
                       archive.rank(3).send(0, 1, 8, 5, odd).send(0, 1, 9, 5);
                       archive.rank(1).receive(0, 3, 9, 5).receive(0, 0, 8, 5, odd);
                       archive.rank(0).send(0, 2, 8, 5, even);
                       archive.rank(2).receive(0, 0, 8, 5, even);
                     }};
  EXPECT_EQ(run.seconds(), 3);  // two messages of two hops, one after the other
  std::vector<std::string> messages = run.messages();
  std::ranges::sort(messages);
  EXPECT_EQ(messages, (std::vector<std::string>{"0>2", "3>1", "3>1"}));
}

/// A collective as OTF2 has it, the bytes of each rank as Score-P counts them, and the same as an
/// action of SimGrid's traces, where each byte is an element.
struct CollectiveCase {
  OTF2_CollectiveOp operation;
  std::uint32_t root;
  std::vector<CollectiveBytes> bytes;
  std::string action;
};

constexpr std::uint32_t no_root = OTF2_UNDEFINED_UINT32;

std::vector<CollectiveBytes> times(std::size_t ranks, CollectiveBytes bytes) {
  return std::vector<CollectiveBytes>(ranks, bytes);
}

/// On four ranks.
std::vector<CollectiveCase> score_p_collectives() {
  return {
      {OTF2_COLLECTIVE_OP_BARRIER, no_root, times(4, {0, 0}), "barrier"},
      {OTF2_COLLECTIVE_OP_BCAST, 1, {{0, 24}, {96, 24}, {0, 24}, {0, 24}}, "bcast 24 1 6"},
      {OTF2_COLLECTIVE_OP_GATHER, 2, {{16, 0}, {16, 0}, {16, 64}, {16, 0}}, "gather 16 16 2 6 6"},
      {OTF2_COLLECTIVE_OP_GATHER, 2, {{16, 0}, {16, 0}, {0, 48}, {16, 0}}, "gather 16 16 2 6 6"},
      {OTF2_COLLECTIVE_OP_GATHERV, 0, {{5, 18}, {1, 0}, {7, 0}, {5, 0}}, "gatherv 0 5 1 7 5 0 6 6"},
      {OTF2_COLLECTIVE_OP_SCATTER, 3, {{0, 8}, {0, 8}, {0, 8}, {32, 8}}, "scatter 8 8 3 6 6"},
      {OTF2_COLLECTIVE_OP_SCATTERV,
       0,
       {{18, 5}, {0, 1}, {0, 7}, {0, 5}},
       "scatterv 5 1 7 5 0 0 6 6"},
      {OTF2_COLLECTIVE_OP_ALLGATHER, no_root, times(4, {32, 32}), "allgather 8 8 6 6"},
      {OTF2_COLLECTIVE_OP_ALLGATHER, no_root, times(4, {24, 24}), "allgather 8 8 6 6"},
      {OTF2_COLLECTIVE_OP_ALLGATHERV,
       no_root,
       {{20, 18}, {4, 18}, {28, 18}, {20, 18}},
       "allgatherv 0 5 1 7 5 6 6"},
      {OTF2_COLLECTIVE_OP_ALLGATHERV,
       no_root,
       {{15, 13}, {3, 17}, {21, 11}, {15, 13}},
       "allgatherv 0 5 1 7 5 6 6"},
      {OTF2_COLLECTIVE_OP_ALLTOALL, no_root, times(4, {64, 64}), "alltoall 16 16 6 6"},
      {OTF2_COLLECTIVE_OP_ALLREDUCE, no_root, times(4, {32, 32}), "allreduce 8 0 6"},
      {OTF2_COLLECTIVE_OP_ALLREDUCE, no_root, times(4, {24, 24}), "allreduce 8 0 6"},
      {OTF2_COLLECTIVE_OP_REDUCE, 1, {{8, 0}, {8, 32}, {8, 0}, {8, 0}}, "reduce 8 0 1 6"},
      {OTF2_COLLECTIVE_OP_REDUCE, 1, {{8, 0}, {0, 24}, {8, 0}, {8, 0}}, "reduce 8 0 1 6"},
      {OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
       no_root,
       {{18, 20}, {18, 4}, {18, 28}, {18, 20}},
       "reducescatter 5 1 7 5 0 6"},
      {OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
       no_root,
       {{13, 15}, {17, 3}, {11, 21}, {13, 15}},
       "reducescatter 5 1 7 5 0 6"},
      {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, no_root, times(4, {32, 32}),
       "reducescatter 8 8 8 8 0 6"},
      {OTF2_COLLECTIVE_OP_SCAN, no_root, {{32, 8}, {24, 16}, {16, 24}, {8, 32}}, "scan 8 0 6"},
      {OTF2_COLLECTIVE_OP_SCAN, no_root, {{24, 0}, {16, 8}, {8, 16}, {0, 24}}, "scan 8 0 6"},
      {OTF2_COLLECTIVE_OP_EXSCAN, no_root, {{24, 0}, {16, 8}, {8, 16}, {0, 24}}, "exscan 8 0 6"},
  };
}

/// The same where sizes are those of buffers.
std::vector<CollectiveCase> plain_collectives() {
  return {
      {OTF2_COLLECTIVE_OP_BCAST, 1, {{0, 24}, {24, 0}, {0, 24}, {0, 24}}, "bcast 24 1 6"},
      {OTF2_COLLECTIVE_OP_ALLGATHER, no_root, times(4, {8, 32}), "allgather 8 8 6 6"},
      {OTF2_COLLECTIVE_OP_ALLGATHERV,
       no_root,
       {{5, 18}, {1, 18}, {7, 18}, {5, 18}},
       "allgatherv 0 5 1 7 5 6 6"},
      {OTF2_COLLECTIVE_OP_ALLREDUCE, no_root, times(4, {8, 8}), "allreduce 8 0 6"},
      {OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
       no_root,
       {{18, 5}, {18, 1}, {18, 7}, {18, 5}},
       "reducescatter 5 1 7 5 0 6"},
      {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, no_root, times(4, {32, 8}),
       "reducescatter 8 8 8 8 0 6"},
      {OTF2_COLLECTIVE_OP_SCAN, no_root, times(4, {8, 8}), "scan 8 0 6"},
  };
}

void expect_as_in_ti(const CollectiveCase& of, const std::string& creator) {
  SCOPED_TRACE(of.action);
  const Recorded recorded{4,
                          [&](Archive& archive) {
                            for (std::uint32_t rank = 0; rank < 4; ++rank) {
                              archive.rank(rank).collective(0, 5, of.operation, of.bytes[rank].sent,
                                                            of.bytes[rank].received, of.root);
                            }
                          },
                          "",
                          {.creator = creator}};
  std::string trace;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    trace += fmt::format("{} {}\n", rank, of.action);
  }
  const TemporaryFolder folder;
  folder.write("t.ti", trace);
  const SimulatedProgram ti{
      "kind=line,nodes=8", "identity", "kind=ti,file=t.ti,flop=1s", {.folder = folder.path()}};
  const RunReport expected = run_without_simgrid(ti.input());
  const RunReport report = recorded.report();
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(report.makespan, expected.makespan);
  EXPECT_EQ(report.bytes, expected.bytes);
  EXPECT_EQ(report.messages, expected.messages);
}

TEST(Otf2, CollectivesAreThoseOfTheLibrary) {
  for (const CollectiveCase& of : score_p_collectives()) {
    expect_as_in_ti(of, "Score-P 8.0");
  }
  for (const CollectiveCase& of : plain_collectives()) {
    expect_as_in_ti(of, "another tool");
  }
}

TEST(Otf2, AnAllToAllvIsInProportionToItsSums) {
  const std::vector<CollectiveBytes> bytes{{10, 20}, {30, 5}, {0, 15}, {7, 7}};
  const auto shares = shares_of_pairs(bytes);
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(shares[i][j], shares[j][4 + i]);
      sent += shares[i][j];
      received += shares[i][4 + j];
    }
    EXPECT_EQ(sent, bytes[i].sent);
    EXPECT_EQ(received, bytes[i].received);
  }
  const Recorded run{4, [&](Archive& archive) {
                       for (std::uint32_t rank = 0; rank < 4; ++rank) {
                         archive.rank(rank).collective(0, 5, OTF2_COLLECTIVE_OP_ALLTOALLV,
                                                       bytes[rank].sent, bytes[rank].received);
                       }
                     }};
  EXPECT_EQ(run.report().bytes, 47 - shares[0][0] - shares[1][1] - shares[2][2] - shares[3][3]);
}

TEST(Otf2, CollectivesOfPartsOfTheProcesses) {
  const Recorded run{4, [](Archive& archive) {
                       const std::uint32_t odd = archive.communicator({3, 1});
                       const std::uint32_t even = archive.communicator({0, 2});
                       for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) {
                         // The root of both is the first of its group: 3, and 0.
                         const bool is_root = rank == 0 || rank == 3;
                         archive.rank(rank)
                             .collective(0, 5, OTF2_COLLECTIVE_OP_BCAST, is_root ? 16 : 0, 8, 0,
                                         rank % 2 == 1 ? odd : even)
                             .collective(5, 6, OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 0, Archive::self);
                       }
                     }};
  EXPECT_EQ(run.seconds(), 2);
  std::vector<std::string> messages = run.messages();
  std::ranges::sort(messages);
  EXPECT_EQ(messages, (std::vector<std::string>{"0>2", "3>1"}));
  EXPECT_EQ(run.run->answer("collectives"), "2");
}

TEST(Otf2, MessagesAtRandomTakeTheTimeThatAPlainLoopFinds) {
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

TEST(Otf2, LocationsThatAreNoRanksAreCounted) {
  const Recorded run{
      2, [](Archive& archive) { archive.rank(0).enter(0, mpi).leave(9, mpi); }, "", {.threads = 3}};
  EXPECT_EQ(run.run->answer("ignored"), "{\"locations that are no ranks\": 3}");
}

TEST(Otf2, NothingIsSilentlyDropped) {
  const Write parameter = [](Archive& archive) {
    archive.rank(1)
        .enter(0, Archive::user_region)
        .other(&OTF2_EvtWriter_ParameterInt, 5, 0U, std::int64_t{1})
        .other(&OTF2_EvtWriter_ParameterInt, 6, 0U, std::int64_t{2});
  };
  EXPECT_EQ(complaint_of_archive(2, parameter),
            "a.otf2: location 11, event 2: PARAMETER_INT is not an event of MPI that is read "
            "(\"ignore\": [\"PARAMETER_INT\"] leaves it out)");
  EXPECT_EQ(Recorded(2, parameter, ",ignore=PARAMETER_INT").run->answer("ignored"),
            "{\"PARAMETER_INT\": 2}");
  const Write create = [](Archive& archive) {
    archive.rank(0).collective(0, 1, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0, 0);
  };
  EXPECT_EQ(complaint_of_archive(1, create),
            "a.otf2: location 10, event 2: the collective CREATE_HANDLE is not simulated "
            "(\"ignore\": [\"CREATE_HANDLE\"] leaves it out)");
  EXPECT_EQ(Recorded(1, create, ",ignore=CREATE_HANDLE").seconds(), 0);
  EXPECT_EQ(complaint_of_archive(1,
                                 [](Archive& archive) {
                                   archive.rank(0).other(
                                       &OTF2_EvtWriter_NonBlockingCollectiveRequest, 1,
                                       std::uint64_t{1});
                                 }),
            "a.otf2: location 10, event 1: NON_BLOCKING_COLLECTIVE_REQUEST is not an event of MPI "
            "that is read (\"ignore\": [\"NON_BLOCKING_COLLECTIVE_REQUEST\"] leaves it out)");
}

TEST(Otf2, WhatDoesNotFitIsOneLine) {
  const auto complaint_of_rank_0 = [](const std::function<void(Archive::Rank&)>& write) {
    return complaint_of_archive(2, [&](Archive& archive) { write(archive.rank(0)); });
  };
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.send(0, 2, 1); }),
            "a.otf2: location 10, event 1: 2 is not a rank of communicator 0 (0 to 1)");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.send(0, 1, 1, 0, 9); }),
            "a.otf2: location 10, event 1: communicator 9 is not defined");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.send(0, 1, 1).send(0, 1, 1); }),
            "a.otf2: rank 0 sends rank 1 2 messages more than that receives from it");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.isend_complete(0, 4); }),
            "a.otf2: location 10, event 1: request 4 is not posted");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.irecv_request(0, 4).irecv_request(0, 4); }),
            "a.otf2: location 10, event 2: request 4 is posted already");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.irecv_request(0, 4).isend_complete(0, 4); }),
            "a.otf2: location 10, event 2: request 4 is a receive");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.irecv_request(0, 4).enter(5, 0); }),
            "a.otf2: location 10, event 1: the receive of MPI_IRECV_REQUEST 4 is neither completed "
            "nor cancelled");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.leave(0, mpi); }),
            "a.otf2: location 10, event 1: leaves a call of MPI that it has not entered");
  EXPECT_EQ(complaint_of_rank_0([](auto& rank) { rank.enter(0, 77); }),
            "a.otf2: location 10, event 1: region 77 is not defined");
  EXPECT_EQ(complaint_of_rank_0(
                [](auto& rank) { rank.collective(0, 1, OTF2_COLLECTIVE_OP_ALLREDUCE, 8, 9); }),
            "a.otf2: location 10, event 2: rank 0 calls ALLREDUCE in communicator 0, which rank 1 "
            "does not call as often");
  EXPECT_EQ(
      complaint_of_archive(2,
                           [](Archive& archive) {
                             archive.rank(0).collective(0, 1, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
                             archive.rank(1).collective(0, 1, OTF2_COLLECTIVE_OP_REDUCE, 4, 4, 1);
                           }),
      "a.otf2: location 11, event 2: rank 1 calls REDUCE with root 1 as its collective number "
      "0 of communicator 0, where rank 0 calls BARRIER with root 0 (a.otf2: location 10, "
      "event 2)");
  EXPECT_EQ(
      complaint_of_archive(2,
                           [](Archive& archive) {
                             archive.rank(0).collective(0, 1, OTF2_COLLECTIVE_OP_ALLREDUCE, 16, 16);
                             archive.rank(1).collective(0, 1, OTF2_COLLECTIVE_OP_ALLREDUCE, 32, 32);
                           }),
      "a.otf2: location 11, event 2: rank 1 calls ALLREDUCE of 16 bytes as its collective number 0 "
      "of communicator 0, where others call it of 8 bytes (a.otf2: location 10, event 2)");
  EXPECT_EQ(
      complaint_of_archive(4,
                           [](Archive& archive) {
                             archive.rank(0).collective(0, 1, OTF2_COLLECTIVE_OP_ALLREDUCE, 7, 7);
                           }),
      "a.otf2: location 10, event 2: 7 bytes sent and 7 received do not fit this collective of "
      "4 processes");
  EXPECT_EQ(complaint_of_archive(1, [](Archive&) {}, "", {.has_mpi_group = false}),
            "a.otf2: has no MPI processes (a group of locations of the paradigm MPI)");
  EXPECT_EQ(complaint_of_archive(1, [](Archive&) {}, "", {.resolution = 0}),
            "a.otf2: 0 ticks a second is no resolution of a clock that can be used");
}

TEST(Otf2, FilesThatAreNoArchiveAreOneLine) {
  const TemporaryFolder folder;
  folder.write("a.otf2", "hello");
  const auto said = [&](const std::string& file) {
    return folder.shortened(complaint<InputError>([&] {
      SimulatedProgram{
          "kind=line,nodes=8", "identity", "kind=otf2,file=" + file, {.folder = folder.path()}};
    }));
  };
  EXPECT_EQ(said("a.otf2").substr(0, 48), "a.otf2: is not the anchor file of an OTF2 archiv");
  EXPECT_EQ(said("b.otf2"), "/file: b.otf2 cannot be read (No such file or directory)");
}

/// A small archive with a little of everything.
void write_sample(Archive& archive) {
  const std::uint32_t part = archive.communicator({1, 2});
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    archive.rank(rank)
        .enter(0, Archive::user_region)
        .enter(700, mpi)
        .isend(750, (rank + 1) % 3, 64, 1, rank)
        .leave(800, mpi)
        .enter(900, mpi)
        .receive(1000, (rank + 2) % 3, 64, (rank + 2) % 3)
        .isend_complete(1100, 1)
        .leave(1200, mpi)
        .enter(1500, mpi)
        .collective(1501, 1600, OTF2_COLLECTIVE_OP_ALLREDUCE, 24, 24)
        .leave(1700, mpi);
    if (rank > 0) {
      archive.rank(rank).collective(1800, 1900, OTF2_COLLECTIVE_OP_BARRIER, 0, 0, no_root, part);
    }
    archive.rank(rank).leave(2000, Archive::user_region);
  }
}

/// The trace of scenarios/ring-otf2-stencil.json: three iterations of a stencil on a ring of four
/// ranks, with halos of 1 KiB both ways, an allreduce of a double, and now and then a reduction
/// over the even ranks. Run it to write the trace anew.
TEST(Otf2, DISABLED_WriteTheShippedTrace) {
  const std::filesystem::path folder =
      std::filesystem::path{DCUBE_SOURCE_DIR} / "scenarios" / "traces" / "stencil-4";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  constexpr std::uint32_t ranks = 4;
  Archive archive{folder, ranks, {.resolution = 1'000'000'000}, "stencil"};
  const std::uint32_t even = archive.communicator({0, 2});
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Archive::Rank& to = archive.rank(rank);
    const std::uint32_t left = (rank + ranks - 1) % ranks;
    const std::uint32_t right = (rank + 1) % ranks;
    std::uint64_t now = 1000 * rank;
    to.enter(now, Archive::user_region);
    for (std::uint32_t step = 0; step < 3; ++step) {
      now += 20'000 + 1000 * rank;
      to.enter(now, mpi).irecv_request(now + 10, 1).leave(now + 20, mpi);
      to.enter(now + 30, mpi).irecv_request(now + 40, 2).leave(now + 50, mpi);
      to.enter(now + 60, mpi).isend(now + 70, left, 1024, 3, 0).leave(now + 80, mpi);
      to.enter(now + 90, mpi).isend(now + 100, right, 1024, 4, 1).leave(now + 110, mpi);
      now += 50'000;  // the inner cells
      to.enter(now, mpi);
      to.irecv(now + 10, left, 1024, 1, 1).irecv(now + 20, right, 1024, 2, 0);
      to.isend_complete(now + 30, 3).isend_complete(now + 40, 4).leave(now + 50, mpi);
      now += 5000;  // the outer cells
      to.enter(now, mpi)
          .collective(now + 1, now + 900, OTF2_COLLECTIVE_OP_ALLREDUCE, 32, 32)
          .leave(now + 901, mpi);
      now += 901;
      if (step == 1 && rank % 2 == 0) {
        to.enter(now, mpi)
            .collective(now + 1, now + 90, OTF2_COLLECTIVE_OP_REDUCE, 256, rank == 0 ? 512 : 0, 0,
                        even)
            .leave(now + 91, mpi);
        now += 91;
      }
    }
    to.leave(now, Archive::user_region);
  }
}

/// Every file of the archive, damaged in turn: a run, or one line.
void read_damaged(const std::function<std::vector<std::string>(const std::string&)>& damage) {
  const TemporaryFolder folder;
  {
    Archive archive{folder.path(), 3};
    write_sample(archive);
  }
  int rejected = 0;
  int accepted = 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder.path()}) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    const std::string original = file_content(file);
    for (const std::string& damaged : damage(original)) {
      std::ofstream{file, std::ios::binary | std::ios::trunc} << damaged;
      SCOPED_TRACE(file.string());
      try {
        const SimulatedProgram run{
            "kind=line,nodes=8", "identity", "kind=otf2,file=a.otf2", {.folder = folder.path()}};
        ++accepted;
      } catch (const InputError& error) {
        ++rejected;
        EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
        EXPECT_NE(error.place(), "") << error.what();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    }
    std::ofstream{file, std::ios::binary | std::ios::trunc} << original;
  }
  ::testing::Test::RecordProperty("rejected", rejected);
  ::testing::Test::RecordProperty("accepted", accepted);
  EXPECT_GT(rejected, 0);
}

TEST(Otf2, TruncatedFilesAreOneLine) {
  read_damaged([](const std::string& original) {
    std::vector<std::string> cut;
    for (std::size_t length = 0; length < original.size(); length += 10) {
      cut.push_back(original.substr(0, length));
    }
    return cut;
  });
}

TEST(Otf2, MutatedFilesAreReadOrOneLine) {
  Mutator mutator{7,
                  {std::string(1, '\0'), "\xff\xff\xff\xff", std::string(8, '\x7f'), "\x80\x01"}};
  read_damaged([&](const std::string& original) {
    std::vector<std::string> mutated;
    for (int i = 0; i < 40; ++i) {
      mutated.push_back(mutator.mutated(original));
    }
    return mutated;
  });
}

}  // namespace
}  // namespace dcube::testing
