#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "otf2_recorded.hpp"
#include "workload/otf2_sizes.hpp"

namespace dcube::testing {
namespace {

/// A collective as OTF2 has it, the bytes of each rank as Score-P counts them, and the same as an
/// action of SimGrid's traces, where each byte is an element.
struct CollectiveCase {
  OTF2_CollectiveOp operation;
  std::uint32_t root;
  std::vector<CollectiveBytes> bytes;
  std::string action;
};

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

TEST(Otf2Collectives, CollectivesAreThoseOfTheLibrary) {
  for (const CollectiveCase& of : score_p_collectives()) {
    expect_as_in_ti(of, "Score-P 8.0");
  }
  for (const CollectiveCase& of : plain_collectives()) {
    expect_as_in_ti(of, "another tool");
  }
}

TEST(Otf2Collectives, AnAllToAllvIsInProportionToItsSums) {
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

TEST(Otf2Collectives, CollectivesOfPartsOfTheProcesses) {
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

TEST(Otf2Collectives, NonBlockingOnesGoOnBesideComputingUntilTheyComplete) {
  const auto seconds_of = [](const Write& write) { return Recorded(2, write).seconds(); };
  // An allreduce and a barrier of two ranks take a hop each, both ways at once.
  const auto complete = [](Archive::Rank& rank, std::uint64_t time, std::uint64_t request) {
    rank.enter(time, mpi)
        .complete_collective(time, request, OTF2_COLLECTIVE_OP_ALLREDUCE, 16, 16)
        .leave(time, mpi);
  };
  EXPECT_EQ(seconds_of([&](Archive& archive) {
              for (const std::uint32_t rank : {0U, 1U}) {
                archive.rank(rank).enter(0, mpi).start_collective(0, 7).leave(0, mpi);
                archive.rank(rank).test(2000, 7);
                complete(archive.rank(rank), 5000, 7);
              }
            }),
            5);
  // The order is that of the starts, on whichever rank another completes first, or blocks.
  EXPECT_EQ(seconds_of([&](Archive& archive) {
              archive.rank(0).start_collective(0, 1).start_collective(0, 2).complete_collective(
                  0, 2, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
              complete(archive.rank(0), 5000, 1);
              archive.rank(1).start_collective(0, 1).collective(0, 9, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                                                0);
              complete(archive.rank(1), 5009, 1);
            }),
            7);  // the barrier queues behind the allreduce
}

TEST(Otf2Collectives, NonBlockingOnesMayBeOfOneProcessOrMoveNothing) {
  const Recorded run{2, [](Archive& archive) {
                       for (const std::uint32_t rank : {0U, 1U}) {
                         archive.rank(rank)
                             .start_collective(0, 1)
                             .start_collective(1000, 2)
                             .complete_collective(2000, 1, OTF2_COLLECTIVE_OP_ALLREDUCE, 8, 8,
                                                  no_root, Archive::self)
                             .complete_collective(3000, 2, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0, 0);
                       }
                     }};
  EXPECT_EQ(run.seconds(), 3);
  EXPECT_EQ(run.run->answer("ignored"), "{\"CREATE_HANDLE\": 2}");
}

TEST(Otf2Collectives, WhatIsWrongWithNonBlockingOnesIsSaid) {
  const auto complaint_of = [](const Write& write) { return complaint_of_archive(1, write); };
  EXPECT_EQ(complaint_of([](Archive& archive) { archive.rank(0).start_collective(0, 7); }),
            "a.otf2: location 10, event 1: NON_BLOCKING_COLLECTIVE_REQUEST 7 is not completed");
  EXPECT_EQ(complaint_of([](Archive& archive) {
              archive.rank(0).complete_collective(0, 7, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
            }),
            "a.otf2: location 10, event 1: request 7 is not posted");
  EXPECT_EQ(complaint_of([](Archive& archive) {
              archive.rank(0).start_collective(0, 7).isend_complete(0, 7);
            }),
            "a.otf2: location 10, event 2: request 7 is a collective");
  EXPECT_EQ(
      complaint_of([](Archive& archive) { archive.rank(0).start_collective(0, 7).cancel(0, 7); }),
      "a.otf2: location 10, event 2: request 7 is a collective, which cannot be cancelled");
  EXPECT_EQ(complaint_of_archive(2,
                                 [](Archive& archive) {
                                   archive.rank(0).start_collective(0, 7).complete_collective(
                                       5, 7, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
                                   archive.rank(1).enter(0, mpi);
                                 }),
            "a.otf2: location 10, event 2: rank 0 calls BARRIER in communicator 0, which rank 1 "
            "does not call as often");
  // They can still be left out.
  const Recorded run{1,
                     [](Archive& archive) {
                       archive.rank(0).start_collective(0, 7).complete_collective(
                           1000, 7, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
                     },
                     ",ignore=[NON_BLOCKING_COLLECTIVE_REQUEST,NON_BLOCKING_COLLECTIVE_COMPLETE]"};
  EXPECT_EQ(run.seconds(), 1);
  EXPECT_EQ(run.run->program->answer().find("collectives"), nullptr);
}

TEST(Otf2Collectives, ThoseThatMoveNoDataAreLeftOutAndCounted) {
  for (const auto& [operation, name] :
       {std::pair{OTF2_COLLECTIVE_OP_CREATE_HANDLE, "CREATE_HANDLE"},
        std::pair{OTF2_COLLECTIVE_OP_DESTROY_HANDLE, "DESTROY_HANDLE"},
        std::pair{OTF2_COLLECTIVE_OP_ALLOCATE, "ALLOCATE"},
        std::pair{OTF2_COLLECTIVE_OP_DEALLOCATE, "DEALLOCATE"},
        std::pair{OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE, "CREATE_HANDLE_AND_ALLOCATE"},
        std::pair{OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE,
                  "DESTROY_HANDLE_AND_DEALLOCATE"}}) {
    const Recorded run{
        2, [kind = operation](Archive& archive) { archive.rank(1).collective(0, 1, kind, 0, 0); }};
    EXPECT_EQ(run.seconds(), 0);
    EXPECT_EQ(run.run->answer("ignored"), fmt::format("{{\"{}\": 1}}", name));
  }
}

}  // namespace
}  // namespace dcube::testing
