#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chakra_file.hpp"
#include "core/json_reading.hpp"
#include "dcube/core/random.hpp"
#include "dcube/program/program.hpp"
#include "dcube/workload/chakra_writer.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/mutator.hpp"
#include "support/random_cases.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// Traces on a line where a hop takes 1 us and nothing else takes time.
struct ChakraRun {
  explicit ChakraRun(const std::vector<ChakraFile>& ranks, const std::string& settings = "",
                     const MachineChange& change = {}) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      folder.write(fmt::format("t.{}.et", i), ranks[i].bytes());
    }
    const Surroundings surroundings{.folder = folder.path(), .change = [&](Machine& machine) {
                                      for (TransferCost& cost : machine.links.per_dimension) {
                                        cost.fixed = ExactTime{std::chrono::microseconds{1}};
                                      }
                                      if (change) {
                                        change(machine);
                                      }
                                    }};
    run = std::make_unique<SimulatedProgram>("kind=line,nodes=8", "identity",
                                             "kind=chakra,file=t.{}.et" + settings, surroundings);
  }
  RunReport report() const { return run_without_simgrid(run->input()); }
  double micros() const {
    const RunReport done = report();
    EXPECT_EQ(done.outcome, Outcome::completed);
    return static_cast<double>(done.makespan.count()) / 1e6;
  }
  double micros_of(std::size_t rank) const {
    return static_cast<double>(report().process_ends[rank].count()) / 1e6;
  }

  TemporaryFolder folder;
  std::unique_ptr<SimulatedProgram> run;
};

std::string complaint_of_traces(const std::vector<ChakraFile>& ranks,
                                const std::string& settings = "") {
  const TemporaryFolder folder;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    folder.write(fmt::format("t.{}.et", i), ranks[i].bytes());
  }
  return folder.shortened(complaint<InputError>([&] {
    SimulatedProgram{"kind=line,nodes=8",
                     "identity",
                     "kind=chakra,file=t.{}.et" + settings,
                     {.folder = folder.path()}};
  }));
}

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

/// A step of training: layers that compute one after the other, each followed by collectives of
/// groups. `in_turn`: each computation waits for all collectives before it.
std::vector<ChakraFile> random_step(std::uint64_t seed, bool in_turn) {
  SplitMix64 random{seed};
  constexpr std::uint32_t ranks = 4;
  std::vector<ChakraFile> files(ranks);
  std::vector<ChakraFile::Dependencies> before(ranks);
  std::vector<ChakraFile::Dependencies> all(ranks);
  ChakraFile::Id id = 0;
  const std::uint64_t layers = 2 + bounded(random.next(), 3);
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    ++id;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      files[rank].compute(id, 1 + bounded(random.next(), 9), in_turn ? all[rank] : before[rank]);
      before[rank] = {id};
      all[rank].push_back(id);
    }
    for (const std::string group : {"data", "tensor", "world"}) {
      if (bounded(random.next(), 3) == 0) {
        continue;
      }
      ++id;
      const std::int64_t type =
          bounded(random.next(), 2) == 0 ? ChakraFile::all_reduce : ChakraFile::all_gather;
      const bool is_needed = bounded(random.next(), 3) == 0;
      const std::uint64_t bytes = 8 * bounded(random.next(), 1000);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::string name =
            group == "world" ? group
                             : fmt::format("{}{}", group, group == "data" ? rank % 2 : rank / 2);
        files[rank].collective(id, type, bytes, in_turn ? all[rank] : before[rank], name);
        if (is_needed) {
          before[rank].push_back(id);
        }
        all[rank].push_back(id);
      }
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    files[rank].compute(id + 1, 1, all[rank]);
  }
  return files;
}

TEST(RandomCasesOfChakra, OverlapIsNeverSlowerWithoutContention) {
  const auto [first, number] = random_cases(200);
  std::uint64_t faster = 0;
  std::uint64_t slower_on_one = 0;  ///< or a deadlock
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const auto report = [&](bool in_turn, const char* const settings) {
      return ChakraRun{random_step(seed, in_turn), settings,
                       [](Machine& machine) {
                         machine.links.contention = Contention::off;
                         for (TransferCost& cost : machine.links.per_dimension) {
                           cost.per_byte = ExactTime{std::chrono::nanoseconds{1}};
                         }
                       }}
          .report();
    };
    const RunReport serial = report(true, "");
    ASSERT_EQ(serial.outcome, Outcome::completed) << seed;
    ASSERT_EQ(report(true, ",streams=per_group").makespan, serial.makespan) << seed;
    const RunReport overlapped = report(false, ",streams=per_group");
    ASSERT_EQ(overlapped.outcome, Outcome::completed) << seed;
    ASSERT_LE(overlapped.makespan, serial.makespan) << seed;
    faster += overlapped.makespan < serial.makespan ? 1 : 0;
    const RunReport on_one = report(false, "");
    slower_on_one += on_one.outcome == Outcome::deadlock || on_one.makespan > serial.makespan;
  }
  EXPECT_GT(faster, number / 2);
  // On one stream, collectives that could overlap block each other.
  EXPECT_GT(slower_on_one, 0U);
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

/// A node as a plain loop knows it.
struct PlainNode {
  std::uint32_t rank = 0;
  int processor = -1;        ///< 0 or 1; -1: a message
  std::uint64_t micros = 0;  ///< of a receive: the hops
  std::vector<std::size_t> after{};
  std::size_t sent = ~std::size_t{0};  ///< of a receive: its send
  std::uint64_t end = ~std::uint64_t{0};
};

/// Looks at everything at every microsecond. When each rank ends.
std::vector<std::uint64_t> plain_ends(std::vector<PlainNode> nodes, std::size_t ranks) {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  std::vector<std::array<std::uint64_t, 2>> free(ranks, {0, 0});
  std::vector<std::uint64_t> ends(ranks, 0);
  const auto ready = [&](const PlainNode& node) {
    std::uint64_t since = 0;
    for (const std::size_t before : node.after) {
      since = std::max(since, nodes[before].end);
    }
    return since;
  };
  std::size_t left = nodes.size();
  const auto end_at = [&](PlainNode& node, std::uint64_t time) {
    node.end = time;
    ends[node.rank] = std::max(ends[node.rank], time);
    --left;
    return true;
  };
  const auto is_done = [&] { return left == 0; };
  for (std::uint64_t now = 0; !is_done(); ++now) {
    for (bool changes = true; changes;) {
      changes = false;
      for (PlainNode& node : nodes) {
        if (node.processor >= 0 || node.end != never || ready(node) > now) {
          continue;
        }
        const bool is_send = node.sent == ~std::size_t{0};
        if (is_send || (nodes[node.sent].end <= now && nodes[node.sent].end + node.micros <= now)) {
          changes = end_at(node, now);
        }
      }
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const int processor : {0, 1}) {
          if (free[rank][static_cast<std::size_t>(processor)] > now) {
            continue;
          }
          // The first that could have started.
          PlainNode* best = nullptr;
          for (PlainNode& node : nodes) {
            if (node.rank == rank && node.processor == processor && node.end == never &&
                ready(node) <= now && (best == nullptr || ready(node) < ready(*best))) {
              best = &node;
            }
          }
          if (best != nullptr) {
            free[rank][static_cast<std::size_t>(processor)] = now + best->micros;
            changes = end_at(*best, now + best->micros);
          }
        }
      }
    }
  }
  return ends;
}

ChakraFile::Dependencies ids_of(const std::vector<std::size_t>& nodes) {
  return {nodes.begin(), nodes.end()};
}

TEST(Chakra, GraphsAtRandomEndWhenAPlainLoopSays) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SplitMix64 random{seed};
    constexpr std::uint32_t ranks = 4;
    std::vector<PlainNode> nodes;
    std::vector<ChakraFile> files(ranks);
    std::vector<std::vector<std::size_t>> of_rank(ranks);
    const auto add = [&](PlainNode node) {
      for (const std::size_t before : of_rank[node.rank]) {
        if (bounded(random.next(), 8) == 0) {
          node.after.push_back(before);
        }
      }
      of_rank[node.rank].push_back(nodes.size());
      nodes.push_back(std::move(node));
      return nodes.size() - 1;
    };
    for (int i = 0; i < 50; ++i) {
      const auto rank = static_cast<std::uint32_t>(bounded(random.next(), ranks));
      const auto other = static_cast<std::uint32_t>(bounded(random.next(), ranks));
      if (rank == other) {
        const auto processor = static_cast<int>(bounded(random.next(), 2));
        const std::size_t node = add({rank, processor, 1 + bounded(random.next(), 9)});
        files[rank].compute(node, nodes[node].micros, ids_of(nodes[node].after), processor == 0);
      } else {
        const auto tag = static_cast<std::uint32_t>(i);
        const std::size_t sent = add({rank});
        files[rank].send(sent, static_cast<std::int32_t>(other), 8, tag, ids_of(nodes[sent].after));
        const std::size_t received = add({other, -1, rank > other ? rank - other : other - rank});
        nodes[received].sent = sent;
        files[other].receive(received, static_cast<std::int32_t>(rank), 8, tag,
                             ids_of(nodes[received].after));
      }
    }
    const ChakraRun run{files, "",
                        [](Machine& machine) { machine.links.contention = Contention::off; }};
    const RunReport report = run.report();
    EXPECT_EQ(report.outcome, Outcome::completed);
    const std::vector<std::uint64_t> expected = plain_ends(nodes, ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(report.process_ends[rank].count(),
                static_cast<std::int64_t>(expected[rank]) * 1'000'000)
          << "seed " << seed << ", rank " << rank;
    }
  }
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
            "t.0.et: rank 0 sends rank 1 1 messages more than that receives from it");
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

// --- Written traces

/// Makespans of a program that is a pattern, and of its traces.
struct WrittenRun {
  explicit WrittenRun(const std::string& text) {
    const Surroundings surroundings{.folder = folder.path()};
    Machine machine = unit_machine("kind=torus,shape=2x2x2");
    machine.links.per_dimension.assign(3, {ExactTime{Ticks{1'000'000}}, ExactTime{1000, 1}});
    const auto makespan = [&](const Params& settings) {
      const auto program = make_program(settings, {machine, 1, folder.path()});
      traces = program->pattern() ? chakra_traces(*program->pattern(), {machine, 1, folder.path()})
                                  : traces;
      std::vector<NodeId> map;
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        map.emplace_back(rank);
      }
      const RunReport report =
          run_without_simgrid({.machine = machine,
                               .map = map,
                               .body = [&](Process& process) { return program->run(process); },
                               .stage_count = program->stage_count()});
      EXPECT_EQ(report.outcome, Outcome::completed);
      return report.makespan;
    };
    pattern = makespan(*read_json(text, "p.json").group());
    for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank) {
      folder.write(fmt::format("trace.{}.et", rank), traces.ranks[rank]);
    }
    chakra = makespan(traces.program);
  }

  TemporaryFolder folder;
  ChakraTraces traces;
  Ticks pattern{0};
  Ticks chakra{0};
};

TEST(Chakra, TracesOfAPatternTakeItsTime) {
  for (const char* const phases :
       {R"({"compute": "5us"}, {"exchange": 100, "meanwhile": [{"compute": "3us"}]},
           {"compute": "2us"})",
        R"({"repeat": 3, "phases": [{"compute": "1us * rank + 1us * iteration"},
             {"collective": "allreduce", "over": "x", "bytes": 64},
             {"collective": "allgather", "over": ["z", "y"], "bytes": 64, "algorithm": "ring"}]
})",
        R"({"collective": "broadcast", "over": [[5, 0, 2], [7, 1]], "root": 1, "bytes": 32},
           {"collective": "all_to_all", "bytes": 64}, {"collective": "barrier"})",
        R"({"messages": [{"from": 0, "to": 7, "bytes": 10}, {"from": 7, "to": 3, "bytes": 20}]},
           {"collective": "reduce_scatter", "over": "y", "bytes": 128})",
        R"({"collective": "allreduce", "over": "x", "bytes": 64, "start": "g"}, {"compute": "9us"},
           {"wait": "g"}, {"compute": "1us"})"}) {
    const WrittenRun run{fmt::format(R"({{"kind": "pattern", "guest": {{"axes": {{"x": 2, "y": 2,
                                          "z": 2}}}}, "phases": [{}]}})",
                                     phases)};
    EXPECT_EQ(run.chakra, run.pattern) << phases;
  }
}

TEST(Chakra, TracesOfATransformerTakeItsTime) {
  for (const char* const more :
       {R"("axes": {"tensor": 2, "data": 4}, "micro_batches": 3)",
        R"("axes": {"tensor": 2, "pipeline": 2, "data": 2}, "micro_batches": 3, "zero": 1)",
        R"("axes": {"data": 2, "tensor": 2, "pipeline": 2}, "micro_batches": 4,
           "schedule": "interleaved", "sequence_parallel": true)"}) {
    // Attention takes 5 us and the MLP 8 us.
    const WrittenRun run{fmt::format(
        R"({{"kind": "transformer", "layers": 4, "hidden": 64, "heads": 2, "sequence": 32,
             "micro_batch": 2, "flops": 262144000000, "algorithms": "ring", {}}})",
        more)};
    EXPECT_EQ(run.chakra, run.pattern) << more;
  }
}

TEST(Chakra, SaysWhatTracesCannotHold) {
  const Machine machine = unit_machine("kind=ring,nodes=4");
  const auto problem = [&](const std::string& phases) {
    return complaint<InputError>([&] {
      const Setting settings = read_json(
          fmt::format(R"({{"kind": "pattern", "guest": "ring:4", "phases": [{}]}})", phases),
          "p.json");
      chakra_traces(*settings.group(), {machine, 1, {}});
    });
  };
  EXPECT_EQ(problem(R"({"collective": "scan", "bytes": 8})"),
            "p.json: has a collective scan, which Chakra traces cannot hold");
  EXPECT_EQ(problem(R"({"repeat": 1000000000, "phases": [{"compute": "1us"}]})"),
            "p.json: makes more than 2^24 nodes of Chakra traces; write a shorter step");
}

}  // namespace
}  // namespace dcube::testing
