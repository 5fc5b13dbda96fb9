#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "otf2_recorded.hpp"
#include "support/mutator.hpp"

namespace dcube::testing {
namespace {

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

TEST(Otf2, ResolutionAndScaleGiveTheTime) {
  const Write write = [](Archive& archive) {
    archive.rank(0).enter(0, Archive::user_region).leave(3000, Archive::user_region);
  };
  EXPECT_EQ(Recorded(1, write).seconds(), 3);
  EXPECT_EQ(Recorded(1, write, ",scale=0.5").seconds(), 1.5);
  EXPECT_EQ(Recorded(1, write, "", {.resolution = 1'000'000'000}).report().makespan,
            Ticks{3'000'000});
}

TEST(Otf2, AScaleTooFineForTheResolutionIsNamed) {
  EXPECT_EQ(complaint<InputError>([] {
              Recorded(1, [](Archive&) {}, ",scale=1e-30", {.resolution = 1'000'000'000});
            }),
            "/scale: is too fine a factor for 1000000000 ticks a second, the resolution of the "
            "archive");
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

TEST(Otf2, LocationsThatAreNoRanksAreCounted) {
  const Recorded run{
      2, [](Archive& archive) { archive.rank(0).enter(0, mpi).leave(9, mpi); }, "", {.threads = 3}};
  EXPECT_EQ(run.run->answer("ignored"), "{\"locations that are no ranks\": 3}");
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
      // A new file: emptying one makes some file systems write to the disk at once.
      std::filesystem::remove(file);
      std::ofstream{file, std::ios::binary} << damaged;
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
