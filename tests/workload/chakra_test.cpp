#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "chakra_run.hpp"
#include "dcube/program/program.hpp"
#include "support/mutator.hpp"
#include "support/warnings_of.hpp"

namespace dcube::testing {
namespace {

constexpr bool host = true;

TEST(Chakra, AProcessorDoesOneThingAtATime) {
  // Both are ready at once; the host and the accelerator work side by side.
  EXPECT_EQ(ChakraRun({ChakraFile{}.compute(1, 5).compute(2, 7)}).micros(), 12);
  EXPECT_EQ(ChakraRun({ChakraFile{}.compute(1, 5).compute(2, 7, {}, host)}).micros(), 7);
  EXPECT_EQ(ChakraRun({ChakraFile{}.compute(1, 5).compute(2, 7, {1}, host)}).micros(), 12);
}

TEST(Chakra, TheFirstThatIsReadyComesFirst) {
  // 10 occupies the accelerator until 4. 3 is ready at 2, 2 at 3, so 3 is served first: it ends at
  // 4 + 10, 2 at 15, and what follows 2 on the host at 16.
  const ChakraRun run{{ChakraFile{}
                           .compute(10, 4)
                           .compute(11, 2, {}, host)
                           .compute(12, 1, {11}, host)
                           .compute(3, 10, {11})
                           .compute(2, 1, {12})
                           .compute(20, 1, {2}, host)}};
  EXPECT_EQ(run.micros(), 16);
}

TEST(Chakra, SendsAndReceivesMatchBySourceAndTag) {
  const ChakraRun run{{ChakraFile{}.compute(1, 3).send(2, 1, 10, 7, {1}).send(3, 1, 20, 8),
                       ChakraFile{}
                           .receive(1, 0, 10, 7)
                           .receive(2, 0, 20, 8)
                           .compute(3, 5, {1})
                           .compute(4, 1, {2})}};
  // Tag 8 leaves at 0 and is there at 1: 4 ends at 2. Tag 7 is there at 4: 3 ends at 9.
  EXPECT_EQ(run.micros(), 9);
  EXPECT_EQ(run.report().bytes, 30U);
}

TEST(Chakra, ComputingGoesOnDuringACollective) {
  // The broadcast takes 1 us and begins at 0 and at 2. Rank 1 computes 6 us meanwhile, then 1 us
  // after the broadcast.
  const ChakraRun run{
      {ChakraFile{}.compute(1, 2).collective(2, ChakraFile::broadcast, 8, {1}),
       ChakraFile{}.collective(1, ChakraFile::broadcast, 8).compute(2, 6).compute(3, 1, {1})}};
  EXPECT_EQ(run.micros_of(1), 7);
  // The host computes from 0 to 1 and from 1 to 2, during the collective that ends at 3.
  const ChakraRun chain{{ChakraFile{}.compute(1, 2).collective(2, ChakraFile::broadcast, 8, {1}),
                         ChakraFile{}
                             .collective(1, ChakraFile::broadcast, 8)
                             .compute(2, 1, {}, host)
                             .compute(3, 1, {2}, host)
                             .compute(4, 1, {1, 3})}};
  EXPECT_EQ(chain.micros_of(1), 4);
}

TEST(Chakra, ANodeMayNameItsAlgorithm) {
  const auto ranks = [](const std::string& name, const std::string& value, std::uint32_t many = 4) {
    std::vector<ChakraFile> files(4, ChakraFile{}.collective(1, ChakraFile::all_reduce, 8));
    for (std::uint32_t rank = 0; rank < many; ++rank) {
      files[rank].with(name, value);
    }
    return files;
  };
  EXPECT_EQ(ChakraRun(ranks("algorithm", "ring")).micros(), 3);  // of another tool
  EXPECT_EQ(ChakraRun(ranks("dcube_algorithm", "ring")).micros(),
            ChakraRun(ranks("algorithm", "ring"), ",algorithm=ring").micros());
  EXPECT_EQ(ChakraRun(ranks("dcube_algorithm", "ring"), ",algorithm=recursive_doubling").micros(),
            3);
  EXPECT_EQ(complaint_of_traces(ranks("dcube_algorithm", "rings")),
            "t.0.et: node 1: `rings` is not an algorithm of allreduce; did you mean `ring`?");
  EXPECT_EQ(complaint_of_traces(ranks("dcube_sides", "2x3")),
            "t.0.et: node 1: allreduce is on a torus of 6 processes, but the group has 4");
  EXPECT_EQ(
      complaint_of_traces(ranks("dcube_sides", "2xx")).find("t.0.et: node 1: \"torus:2xx\" is"),
      0U);
  EXPECT_EQ(complaint_of_traces(ranks("dcube_algorithm", "ring", 1)),
            "t.1.et: node 1: rank 1 calls allreduce of 8 bytes as collective number 0 of its "
            "group, where rank 0 calls "
            "allreduce of 8 bytes, by ring with 1 port (t.0.et: node 1)");
}

TEST(Chakra, AReceiveDuringACollectiveIsKnownAtItsOwnTime) {
  // The message is there at 1, while rank 1 waits until 5 for the collective; what follows it ends
  // at 1 + 3 all the same, and what follows that on the host at 6.
  const ChakraRun run{
      {ChakraFile{}.send(1, 1, 8).compute(2, 4).collective(3, ChakraFile::broadcast, 8, {1, 2}),
       ChakraFile{}
           .receive(1, 0, 8)
           .collective(2, ChakraFile::broadcast, 8)
           .compute(3, 3, {1})
           .compute(4, 2, {3}, host)}};
  EXPECT_EQ(run.micros_of(1), 6);
}

TEST(Chakra, TheNetworkDoesOneThingAtATime) {
  // The collective is ready first. It holds the network of rank 1 until 6: the root's messages to 2
  // and 1 share a link. The message leaves then.
  const ChakraRun run{{ChakraFile{}.compute(1, 4).collective(2, ChakraFile::broadcast, 8, {1}),
                       ChakraFile{}
                           .collective(1, ChakraFile::broadcast, 8)
                           .compute(2, 1)
                           .send(3, 2, 8, 0, {2})
                           .compute(4, 1, {3}),
                       ChakraFile{}.receive(1, 1, 8).collective(2, ChakraFile::broadcast, 8)}};
  EXPECT_EQ(run.micros_of(1), 7);
  EXPECT_EQ(run.micros_of(2), 7);
}

TEST(Chakra, MessagesAboveTheEagerLimitHoldTheNetworkOfTheSender) {
  const ChakraRun run{{ChakraFile{}.send(1, 1, 100).send(2, 1, 5, 1).compute(3, 1, {2}),
                       ChakraFile{}.compute(1, 6).receive(2, 0, 100, 0, {1}).receive(3, 0, 5, 1)},
                      "",
                      [](Machine& machine) { machine.endpoint.eager_limit_bytes = 10; }};
  EXPECT_EQ(run.micros_of(0), 7);  // the first leaves at 6
  const ChakraRun both{{ChakraFile{}.send(1, 1, 100).receive(2, 1, 100),
                        ChakraFile{}.send(1, 0, 100).receive(2, 0, 100)},
                       "",
                       [](Machine& machine) { machine.endpoint.eager_limit_bytes = 10; }};
  EXPECT_EQ(both.micros(), 1);
}

TEST(Chakra, EveryCollectiveIsThatOfTheLibrary) {
  const std::vector<std::tuple<std::int64_t, std::uint64_t, std::string>> cases{
      {ChakraFile::all_reduce, 64, "allreduce 64 0 6"},
      {ChakraFile::reduce, 64, "reduce 64 0 0 6"},
      {ChakraFile::all_gather, 16, "allgather 16 16 6 6"},
      {ChakraFile::gather, 16, "gather 16 16 0 6 6"},
      {ChakraFile::scatter, 64, "scatter 16 16 0 6 6"},
      {ChakraFile::broadcast, 64, "bcast 64 0 6"},
      {ChakraFile::all_to_all, 64, "alltoall 16 16 6 6"},
      {ChakraFile::reduce_scatter, 64, "reducescatter 16 16 16 16 0 6"},
      {ChakraFile::reduce_scatter, 62, "reducescatter 16 16 15 15 0 6"},
      {ChakraFile::reduce_scatter_block, 64, "reducescatter 16 16 16 16 0 6"},
      {ChakraFile::barrier, 0, "barrier"}};
  for (const auto& [type, bytes, action] : cases) {
    SCOPED_TRACE(action);
    std::string trace;
    std::vector<ChakraFile> ranks(4);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      ranks[rank].collective(7, type, bytes);
      trace += fmt::format("{} {}\n", rank, action);
    }
    const ChakraRun run{ranks};
    run.folder.write("t.ti", trace);
    SimulatedProgram ti{"kind=line,nodes=8",
                        "identity",
                        "kind=ti,file=t.ti,flop=1s",
                        {.folder = run.folder.path(), .change = [](Machine& machine) {
                           for (TransferCost& cost : machine.links.per_dimension) {
                             cost.fixed = ExactTime{std::chrono::microseconds{1}};
                           }
                         }}};
    const RunReport expected = run_without_simgrid(ti.input());
    const RunReport report = run.report();
    EXPECT_EQ(report.outcome, Outcome::completed);
    EXPECT_EQ(report.makespan, expected.makespan);
    EXPECT_EQ(report.bytes, expected.bytes);
    EXPECT_EQ(report.messages, expected.messages);
  }
}

/// Settings that give the ranks of a group.
Params with_group(const std::string& name, const std::vector<int>& ranks) {
  Setting::List members;
  for (const int rank : ranks) {
    members.emplace_back(Setting::Number{std::to_string(rank)});
  }
  Params groups{"/groups"};
  groups.set(name, std::move(members));
  Params settings;
  settings.set("kind", "chakra");
  settings.set("file", "t.{}.et");
  settings.set("groups", std::move(groups));
  return settings;
}

TEST(Chakra, GroupsAreThoseThatUseTheirName) {
  const auto rank = [](const std::string& group) {
    return ChakraFile{}.collective(1, ChakraFile::broadcast, 8, {}, group);
  };
  const ChakraRun run{{rank("a"), rank("b"), rank("a"), rank("b")}};
  EXPECT_EQ(run.micros(), 2);  // 0 to 2 and 1 to 3, over a shared link one way each
  EXPECT_EQ(run.report().messages, 2U);
  EXPECT_EQ(ChakraRun({rank("alone"), ChakraFile{}}).micros(), 0);
  // Given, the order of the ranks is, too.
  const auto rooted = [](std::int64_t root) {
    return ChakraFile{}.collective(1, ChakraFile::broadcast, 8, {}, "a", root);
  };
  const ChakraRun given{{rooted(1), rooted(1), ChakraFile{}}};
  given.run->program = make_program(with_group("a", {1, 0}),
                                    ProgramContext{*given.run->machine, 1, given.folder.path()});
  EXPECT_EQ(given.micros(), 1);
  EXPECT_EQ(given.report().messages, 1U);
  EXPECT_EQ(complaint<InputError>([&] {
              make_program(with_group("a", {1, 3}),
                           ProgramContext{*given.run->machine, 1, given.folder.path()});
            }),
            "/groups/a: 3 is not a rank (0 to 2)");
  EXPECT_EQ(warnings_of([&] {
              make_program(with_group("b", {1, 0}),
                           ProgramContext{*given.run->machine, 1, given.folder.path()});
            }),
            "/groups: no collective of the traces names the group \"b\"\n");
  EXPECT_EQ(given.folder.shortened(complaint<InputError>([&] {
    make_program(with_group("a", {1, 2}),
                 ProgramContext{*given.run->machine, 1, given.folder.path()});
  })),
            "t.0.et: node 1: rank 0 calls broadcast in group \"a\", but is not a member");
}

TEST(Chakra, CollectivesOfAGroupKeepTheOrderOfTheirIds) {
  // Rank 0 could call the second first, because the first waits for a computation.
  const ChakraRun run{{ChakraFile{}
                           .compute(1, 5)
                           .collective(2, ChakraFile::all_reduce, 8, {1})
                           .collective(3, ChakraFile::broadcast, 8),
                       ChakraFile{}
                           .collective(2, ChakraFile::all_reduce, 8)
                           .collective(3, ChakraFile::broadcast, 8)}};
  EXPECT_EQ(run.report().outcome, Outcome::completed);
  EXPECT_GE(run.micros(), 6);
}

TEST(Chakra, GroupsOnStreamsOfTheirOwnOverlap) {
  // The gradients wait for rank 2, which is late. The activations of ranks 0 and 1 need not, nor
  // the computation after them.
  const auto ranks = [](bool has_activations) {
    std::vector<ChakraFile> files(4);
    for (std::uint32_t rank = 0; rank < files.size(); ++rank) {
      files[rank].compute(1, rank == 2 ? 20 : 1);
      files[rank].collective(2, ChakraFile::all_reduce, 8, {1}, "gradients");
      if (has_activations && rank < 2) {
        files[rank].compute(3, 2, {1});
        files[rank].collective(4, ChakraFile::all_reduce, 8, {3}, "activations");
        files[rank].compute(5, 10, {4});
      }
    }
    return files;
  };
  const MachineChange apart = [](Machine& machine) { machine.links.contention = Contention::off; };
  const double gradients = ChakraRun(ranks(false), "", apart).micros_of(0);
  EXPECT_EQ(ChakraRun(ranks(true), "", apart).micros_of(0), gradients + 2 + 10);
  EXPECT_EQ(ChakraRun(ranks(true), ",streams=per_group", apart).micros_of(0), gradients);
  EXPECT_EQ(complaint_of_traces(ranks(true), ",streams=two"),
            "/streams: \"two\" is unknown; known: one, per_group");
}

TEST(Chakra, GroupsOnStreamsOfTheirOwnNeedNoCommonOrder) {
  const auto rank = [](const std::string& first, const std::string& second) {
    return ChakraFile{}
        .collective(1, ChakraFile::barrier, 0, {}, first)
        .collective(2, ChakraFile::barrier, 0, {}, second);
  };
  const std::vector<ChakraFile> ranks{rank("a", "b"), rank("b", "a")};
  EXPECT_EQ(ChakraRun(ranks).report().outcome, Outcome::deadlock);
  EXPECT_EQ(ChakraRun(ranks, ",streams=per_group").report().outcome, Outcome::completed);
}

TEST(Chakra, MemoryAndMetadata) {
  EXPECT_EQ(ChakraRun({ChakraFile{}
                           .of_type(1, chakra::METADATA, 50)
                           .of_type(2, chakra::MEM_LOAD, 3, {1})
                           .of_type(3, chakra::MEM_STORE, 4)})
                .micros(),
            7);
  const ChakraRun without{{ChakraFile{}.of_type(2, chakra::MEM_LOAD, 3).compute(3, 4, {2}, host)},
                          ",ignore=MEM_LOAD"};
  EXPECT_EQ(without.micros(), 4);
  EXPECT_EQ(without.run->answer("ignored"), "{\"MEM_LOAD\": 1}");
  EXPECT_EQ(ChakraRun({ChakraFile{}.compute(1, 4)}, ",scale=2.5").micros(), 10);
}

TEST(Chakra, FilesMayBeListedOrOne) {
  const TemporaryFolder folder;
  folder.write("x.et", ChakraFile{}.compute(1, 3).send(2, 1, 4, 0, {1}).bytes());
  folder.write("y.et", ChakraFile{}.receive(1, 0, 4).bytes());
  folder.write("z.et", ChakraFile{}.compute(1, 9).bytes());
  const auto processes = [&](const std::string& file) {
    return SimulatedProgram{
        "kind=line,nodes=8", "identity", "kind=chakra,file=" + file, {.folder = folder.path()}}
        .program->guest()
        .process_count();
  };
  EXPECT_EQ(processes("[x.et,y.et]"), 2U);
  EXPECT_EQ(processes("z.et"), 1U);
  EXPECT_NE(complaint<InputError>([&] { processes("[x.et,gone.et]"); }).find("/file/1: "),
            std::string::npos);
  EXPECT_NE(
      complaint<InputError>([&] { processes("gone.{}.et"); }).find("gone.0.et cannot be read"),
      std::string::npos);
}

TEST(Chakra, WhatDoesNotFitIsOneLine) {
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.compute(1, 1, {9})}),
            "t.0.et: node 1: depends on node 9, which is not there");
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.compute(1, 1).compute(1, 1)}),
            "t.0.et: node 1: there are two nodes of this id");
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.compute(1, 1, {2}).compute(2, 1, {1})}),
            "t.0.et: node 1: depends on itself, over other nodes");
  EXPECT_EQ(
      complaint_of_traces({ChakraFile{}.of_type(1, chakra::STORAGE)}),
      "t.0.et: node 1: a node of STORAGE is not simulated (\"ignore\": [\"STORAGE\"] takes it "
      "for nothing)");
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.of_type(1, chakra::COMM_SEND)}),
            "t.0.et: node 1: has no attribute comm_dst (a whole number)");
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.send(1, 5, 1)}),
            "t.0.et: node 1: comm_dst 5 is not a rank (0 to 0)");
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.send(1, 1, 1), ChakraFile{}}),
            "t.0.et: rank 0 sends rank 1 1 message more than that receives from it");
  EXPECT_EQ(complaint_of_traces({ChakraFile{}.collective(1, 77, 1)}),
            "t.0.et: node 1: comm_type 77 is not a collective (0 to 9)");
  EXPECT_EQ(
      complaint_of_traces({ChakraFile{}.collective(1, ChakraFile::all_reduce, 8), ChakraFile{}}),
      "t.0.et: node 1: rank 0 calls allreduce, which rank 1 does not call");
  EXPECT_EQ(
      complaint_of_traces({ChakraFile{}.collective(4, ChakraFile::all_reduce, 8),
                           ChakraFile{}.collective(5, ChakraFile::all_reduce, 16)}),
      "t.1.et: node 5: rank 1 calls allreduce of 16 bytes as collective number 0 of its group, "
      "where rank 0 calls allreduce of 8 bytes (t.0.et: node 4)");
  EXPECT_EQ(
      complaint_of_traces({ChakraFile{}
                               .collective(4, ChakraFile::barrier, 0, {}, "g")
                               .collective(6, ChakraFile::barrier, 0, {}, "g"),
                           ChakraFile{}.collective(5, ChakraFile::barrier, 0, {}, "g")}),
      "t.0.et: node 6: rank 0 calls barrier as collective number 1 of group \"g\", where rank "
      "1 calls 1 only");
}

TEST(Chakra, DependenciesAcrossRanksThatGoInACircleAreADeadlock) {
  const ChakraRun run{{ChakraFile{}.receive(1, 1, 4).send(2, 1, 4, 0, {1}),
                       ChakraFile{}.receive(1, 0, 4).send(2, 0, 4, 0, {1})}};
  EXPECT_EQ(run.report().outcome, Outcome::deadlock);
}

/// The traces of scenarios/torus-chakra-train.json: one step of training a model of three layers,
/// in two pipeline stages (ranks 0, 1 and 2, 3) of two data-parallel copies each (0, 1 and 2, 3).
/// The gradients of a layer are added up while the layer below it still computes. Run it to write
/// them anew.
TEST(Chakra, DISABLED_WriteTheShippedTraces) {
  const std::filesystem::path folder =
      std::filesystem::path{DCUBE_SOURCE_DIR} / "scenarios" / "traces";
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    ChakraFile file;
    const bool is_first = rank < 2;
    const std::int32_t other = is_first ? rank + 2 : rank - 2;
    const std::string group = is_first ? "dp0" : "dp1";
    constexpr std::uint64_t activations = 65'536;
    constexpr std::uint64_t gradients = 1'048'576;
    file.of_type(0, chakra::METADATA)
        .compute(1, 20, {0}, host)
        .of_type(2, chakra::MEM_LOAD, 15, {1});
    if (is_first) {
      file.compute(3, 200, {2})
          .compute(4, 220, {3})
          .send(5, other, activations, 1, {4})
          .receive(6, other, activations, 2, {1})
          .compute(7, 400, {6})
          .collective(8, ChakraFile::all_reduce, gradients, {7}, group)
          .compute(9, 380, {7})
          .collective(10, ChakraFile::all_reduce, gradients / 2, {9}, group);
    } else {
      file.receive(3, other, activations, 1, {1})
          .compute(4, 300, {3, 2})
          .compute(5, 500, {4})
          .send(6, other, activations, 2, {5})
          .collective(8, ChakraFile::all_reduce, gradients, {5}, group)
          .compute(10, 30, {5});
    }
    file.compute(20, 60, {8, 10}).collective(21, ChakraFile::barrier, 0, {20});
    std::ofstream{folder / fmt::format("train.{}.et", rank), std::ios::binary} << file.bytes();
  }
}

/// A run, or one line with a place.
bool is_accepted(const TemporaryFolder& folder) {
  try {
    const SimulatedProgram run{
        "kind=line,nodes=8", "identity", "kind=chakra,file=t.{}.et", {.folder = folder.path()}};
    return true;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
    EXPECT_NE(error.place(), "") << error.what();
    return false;
  }
}

std::string sample(std::int32_t rank) {
  return ChakraFile{}
      .of_type(0, chakra::METADATA)
      .compute(1, 300, {0}, host)
      .compute(2, 4000, {1})
      .send(3, 1 - rank, 1000, 5, {2})
      .receive(4, 1 - rank, 1000, 5, {1})
      .collective(5, ChakraFile::all_reduce, 4096, {3, 4}, "dp")
      .bytes();
}

TEST(Chakra, TruncatedFilesAreOneLine) {
  const TemporaryFolder folder;
  folder.write("t.1.et", sample(1));
  const std::string whole = sample(0);
  folder.write("t.0.et", whole);
  EXPECT_TRUE(is_accepted(folder));
  for (std::size_t length = 0; length < whole.size(); length += 10) {
    folder.write("t.0.et", whole.substr(0, length));
    EXPECT_FALSE(is_accepted(folder)) << length;
  }
}

TEST(Chakra, MutatedFilesAreReadOrOneLine) {
  const TemporaryFolder folder;
  folder.write("t.1.et", sample(1));
  Mutator mutator{3, {std::string(1, '\0'), "\xff\xff\xff\xff", "\x80\x01", "comm_size", "\x0a"}};
  const int rejected = read_mutations(
      mutator, 2000, [](Mutator&) { return sample(0); },
      [&](const std::string& bytes) {
        folder.write("t.0.et", bytes);
        SimulatedProgram{
            "kind=line,nodes=8", "identity", "kind=chakra,file=t.{}.et", {.folder = folder.path()}};
      });
  EXPECT_GT(rejected, 1000);
}

}  // namespace
}  // namespace dcube::testing
