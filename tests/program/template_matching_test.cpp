#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "matching_runs.hpp"
#include "program/matching_problem.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// Every way to go about it, on problems small enough for all machines.
const std::vector<std::string> matching_ways{
    "variant=compute_then_send,size=20,template_size=4",
    "variant=overlap,size=20,template_size=4",
    "variant=replicated_borders,size=20,template_size=4",
    "variant=overlap,size=12,template_size=3",
    "variant=overlap,size=12,template_size=3,skip_northwest_quarter=true",
    "variant=compute_then_send,size=8,template_size=1",
    "variant=overlap,size=20,template_size=5,host=true,result_bytes=8",
    "variant=compute_then_send,size=20,template_size=4,host=true,host_sends_borders=true",
    "variant=replicated_borders,size=20,template_size=4,host=true,host_collects=true",
    "variant=overlap,size=20,template_size=2,host=true,host_collects=true,image_bytes=2"};

class MatchingOnEveryMachine : public ::testing::TestWithParam<const char*> {
 protected:
  /// Calls `check` for every way and every embedding that fits.
  template <class Check>
  void for_each_run(Contention contention, Check check) {
    Machine machine = matching_machine(GetParam());
    machine.links.contention = contention;
    const Guest guest = MatchingRun{machine, "processes=4", "identity"}.program->guest();
    std::set<std::string> embeddings{"random,seed=5"};
    for (const std::uint32_t processes : {1U, 4U, 16U}) {
      if (processes > machine.topology->node_count()) {
        continue;
      }
      const auto side = processes == 16 ? 4 : processes == 4 ? 2 : 1;
      const Guest mesh = Guest::parse(fmt::format("mesh:{0}x{0}", side));
      for (const std::string& name : fitting_embeddings(*machine.topology, mesh)) {
        embeddings.insert(name);
      }
      for (const std::string& embedding : embeddings) {
        for (const std::string& way : matching_ways) {
          const std::string settings = fmt::format("{},processes={}", way, processes);
          SCOPED_TRACE(settings + " " + embedding);
          if (fits(machine, mesh, embedding)) {
            check(MatchingRun{machine, settings, embedding});
          }
        }
      }
    }
  }

  static bool fits(const Machine& machine, const Guest& mesh, const std::string& embedding) {
    return complaint([&] {
             make_embedding(*machine.topology, mesh, Params::parse("kind=" + embedding));
           }) == "";
  }
};

TEST_P(MatchingOnEveryMachine, AnswersAreRightWithContention) {
  int runs = 0;
  for_each_run(Contention::on, [&](const MatchingRun& run) {
    EXPECT_EQ(run.run().outcome, Outcome::completed);
    EXPECT_EQ(run.program->verify(), true);
    ++runs;
  });
  EXPECT_GE(runs, 60);
}

TEST_P(MatchingOnEveryMachine, WithoutContentionNoRunTakesLonger) {
  for_each_run(Contention::on, [](const MatchingRun& run) {
    const RunReport report = run.run();
    run.run_machine->links.contention = Contention::off;
    const RunReport free = run.run();
    EXPECT_EQ(run.program->verify(), true);
    EXPECT_LE(free.makespan, report.makespan);
    if (report.queued_hops == 0) {
      EXPECT_EQ(free.fingerprint, report.fingerprint);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Machines, MatchingOnEveryMachine,
                         ::testing::Values("kind=line,nodes=16", "kind=ring,nodes=16",
                                           "kind=mesh,shape=4x4", "kind=torus,shape=4x4",
                                           "kind=torus,shape=5x4", "kind=hypercube,dimensions=4"));

TEST(TemplateMatching, OnAHypercubeWithGrayCodeNeighboursAndTreeEdgesAreLinks) {
  const MatchingRun run{matching_machine("kind=hypercube,dimensions=6"), "", "gray"};
  const Topology& topology = *run.machine->topology;
  const auto stages = messages_by_stage(run.input());
  const auto hops = [&](std::uint32_t stage) {
    std::map<std::uint32_t, std::size_t> messages;  // by distance
    for (const auto& [from, to] : stages[stage]) {
      ++messages[topology.distance(run.map[from.index()], run.map[to.index()])];
    }
    return messages;
  };
  using Messages = std::map<std::uint32_t, std::size_t>;
  EXPECT_EQ(hops(0), (Messages{{1, 63}}));
  EXPECT_EQ(hops(1), (Messages{{1, 128}, {2, 64}}));  // west and north, north-west
  EXPECT_EQ(hops(2), (Messages{{1, 63}}));
}

TEST(TemplateMatching, TheTreeReachesEveryProcessButTheFirstOnce) {
  for (const std::uint32_t side : {1U, 2U, 4U, 8U}) {
    MatchingProblem problem;
    problem.mesh_side = side;
    std::set<ProcessId> children;
    for (std::uint32_t parent = 0; parent < side * side; ++parent) {
      const TreePlace place = problem.tree_place(ProcessId{parent});
      for (const ProcessId child : place.children()) {
        EXPECT_NE(child, ProcessId{0});
        EXPECT_EQ(problem.tree_place(child).parent(), ProcessId{parent});
        EXPECT_TRUE(children.insert(child).second) << child.index();
      }
    }
    EXPECT_EQ(children.size(), side * side - 1);
  }
}

TEST(TemplateMatching, OneProcessTakesTheSequentialTime) {
  for (const char* way : {"compute_then_send", "overlap", "replicated_borders"}) {
    const MatchingRun run{matching_machine("kind=line,nodes=4"),
                          fmt::format("variant={},processes=1,size=9,template_size=4", way),
                          "standard"};
    EXPECT_EQ(run.run().makespan, run.program->sequential_time()) << way;
  }
  // 81 results of 16 multiply-adds, in 9*4 row pairs of 9+3 columns.
  const MatchingRun run{matching_machine("kind=line,nodes=4"),
                        "processes=4,size=18,template_size=4", "standard"};
  EXPECT_EQ(run.program->sequential_time(), Ticks{580 + 26 * 324 * 16 + 23 * 18 * 4 * 21});
}

TEST(TemplateMatching, OverlapHidesTransfers) {
  const auto makespan = [](const char* variant) {
    Machine machine = matching_machine("kind=hypercube,dimensions=4");
    machine.endpoint = {};
    machine.links.contention = Contention::off;
    return MatchingRun{machine, fmt::format("variant={},size=64,template_size=8", variant), "gray"}
        .run()
        .makespan;
  };
  // Work and transfers are the same. At most the longest transfer is hidden: 49 results over two
  // hops; less where a neighbour got its template earlier.
  const Ticks hidden = makespan("compute_then_send") - makespan("overlap");
  EXPECT_GT(hidden, Ticks{0});
  EXPECT_LE(hidden, Ticks{2 * (447 + 2 * 4 * 49)});
}

TEST(TemplateMatching, WithoutComputeTableOnlyMessagesTakeTime) {
  Machine machine = matching_machine("kind=hypercube,dimensions=2");
  machine.compute.clear();
  const MatchingRun run{machine, "variant=replicated_borders,size=8,template_size=3", "gray"};
  EXPECT_EQ(run.run().compute.max, Ticks{0});
  // Two levels of the tree each way: 18 bytes down, 2 up.
  Machine free_ends = machine;
  free_ends.endpoint = {};
  const MatchingRun tree{free_ends, "variant=replicated_borders,size=8,template_size=3", "gray"};
  EXPECT_EQ(tree.run().makespan, Ticks{2 * (447 + 36) + 2 * (447 + 4)});
}

TEST(TemplateMatching, SeedDrawsImageAndTemplate) {
  const auto sum = [](std::uint64_t seed) {
    const MatchingRun run{matching_machine("kind=ring,nodes=4"), "", "standard", seed};
    run.run();
    return run.program->answer().find("sum")->describe();
  };
  EXPECT_EQ(sum(1), sum(1));
  EXPECT_NE(sum(1), sum(2));
}

class MatchingFiles : public ::testing::Test {
 protected:
  std::unique_ptr<Program> make(const std::string& settings) const {
    return make_program(Params::parse("kind=template_matching," + settings),
                        {machine, 1, folder.path()});
  }
  void run(Program& program) const {
    const std::vector<NodeId> map{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}};
    run_without_simgrid({.machine = machine,
                         .map = map,
                         .body = [&](Process& process) { return program.run(process); },
                         .stage_count = program.stage_count()});
  }

  TemporaryFolder folder;
  Machine machine = matching_machine("kind=ring,nodes=4");
};

TEST_F(MatchingFiles, ImageAndTemplateAreReadAndTheResultWritten) {
  folder.write("i.pgm", "P2 4 4 255  1 2 3 4  5 6 7 8  9 10 11 12  13 14 15 16");
  folder.write("t.pgm", "P2 2 2 255  1 0  0 2");
  const auto program = make("image=i.pgm,template=t.pgm,output=x.pgm");
  run(*program);
  EXPECT_EQ(program->verify(), true);
  // C2D(i, j) = I(i, j) + 2 I(i+1, j+1): 13, 16, 19, 14; 25, 28, 31, 26; 37, 40, 43, 38; 17, 20,
  // 23, 18.
  EXPECT_EQ(program->answer().find("greatest")->describe(), "43");
  EXPECT_EQ(program->answer().find("row")->describe(), "2");
  EXPECT_EQ(program->answer().find("column")->describe(), "2");
  EXPECT_EQ(program->answer().find("sum")->describe(), "408");
  const std::vector<OutputFile> files = program->output_files();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "x.pgm");
  std::string pixels;
  for (const int value : {13, 16, 19, 14, 25, 28, 31, 26, 37, 40, 43, 38, 17, 20, 23, 18}) {
    pixels += static_cast<char>((value - 13) * 255 / 30);
  }
  EXPECT_EQ(files[0].content, "P5\n4 4\n255\n" + pixels);
  EXPECT_TRUE(make("size=8")->output_files().empty());
}

TEST_F(MatchingFiles, BadFilesAreInputErrors) {
  folder.write("oblong.pgm", "P2 4 2 255  1 2 3 4 5 6 7 8");
  folder.write("empty.pgm", "P2 0 0 255");
  folder.write("three.pgm", "P2 3 3 255  1 2 3 4 5 6 7 8 9");
  const auto said = [this](const std::string& settings) {
    return folder.shortened(complaint([&] { make(settings); }));
  };
  EXPECT_EQ(said("image=no.pgm"), "/image: no.pgm cannot be read (No such file or directory)");
  EXPECT_EQ(said("template=no.png"),
            "/template: no.png cannot be read (No such file or directory)");
  EXPECT_EQ(said("image=empty.pgm"), "/image: empty.pgm is an empty image (0x0 pixels)");
  EXPECT_EQ(said("image=oblong.pgm"),
            "/image: oblong.pgm has 4x2 pixels (not a square); cut it to 2x2");
  EXPECT_EQ(said("image=three.pgm"),
            "/image: 3 pixels a side are not divisible among the 2 processes along a side; the "
            "nearest are 2 and 4");
  EXPECT_EQ(said("size=4,template=three.pgm"),
            "/template: 3 values a side are more than the block of a process has (2: 4 pixels "
            "among 2 processes); use fewer processes or a larger image");
  EXPECT_EQ(said("image=three.pgm,size=3"),
            "/size: given beside `image` (a file has a size of its own); leave one of them out");
}

TEST(TemplateMatching, AMachineTooLargeForTheUsualImageIsAnInputError) {
  const Machine machine = matching_machine("kind=hypercube,dimensions=22");
  EXPECT_EQ(complaint([&] {
              make_program(Params::parse("kind=template_matching"), {machine, 1});
            }),
            "/size: is missing, and 16 pixels for each of the 2048 processes along a side are more "
            "than 16384; give it, or fewer `processes`");
}

TEST(TemplateMatching, BeforeTheRunThereIsNoAnswer) {
  const Machine machine = matching_machine("kind=ring,nodes=4");
  const auto program =
      make_program(Params::parse("kind=template_matching,output=x.pgm"), {machine, 1});
  EXPECT_TRUE(program->answer().keys().empty());
  EXPECT_TRUE(program->output_files().empty());
  EXPECT_EQ(program->verify(), false);
}

TEST(TemplateMatching, BadSettingsAreInputErrors) {
  const auto said = [](const std::string& settings) {
    return complaint([&] {
      const Machine machine = matching_machine("kind=ring,nodes=8");
      make_program(Params::parse("kind=template_matching," + settings), {machine, 1});
    });
  };
  EXPECT_EQ(said("processes=4"), "");
  EXPECT_EQ(said("size=8"),
            "/processes: is missing, and the ring of 8 has 8 nodes (not a power of four); give the "
            "number of processes, at most 4");
  EXPECT_EQ(said("processes=2"), "/processes: 2 is not a power of four; the nearest are 1 and 4");
  EXPECT_EQ(said("processes=4,size=1"),
            "/size: 1 pixels a side are not divisible among the 2 processes along a side; the "
            "nearest is 2");
  EXPECT_EQ(said("processes=4,size=8,template_size=5"),
            "/template_size: 5 values a side are more than the block of a process has (4: 8 pixels "
            "among 2 processes); use fewer processes or a larger image");
  EXPECT_EQ(said("processes=4,size=0"), "/size: 0 is not a side (1 to 16384)");
  EXPECT_EQ(said("processes=4,image_bytes=0"),
            "/image_bytes: 0 is not a value's size (1 to 64 bytes)");
  EXPECT_EQ(said("processes=4,output=x.jpg"),
            "/output: \"x.jpg\" is no image name (it ends neither in .pgm nor in .png)");
  EXPECT_EQ(said("processes=4,host_collects=true"),
            "/host_collects: true, but the program uses no host (`host` is false); set it to true");
  EXPECT_EQ(said("processes=4,host=true,variant=replicated_borders,host_sends_borders=false"),
            "/host_sends_borders: false, but the processes of `replicated_borders` cannot do "
            "without borders");
  EXPECT_NE(said("processes=4,variant=overlapp").find("did you mean `overlap`"), std::string::npos);
  EXPECT_NE(said("processes=4,sise=8").find("did you mean `size`"), std::string::npos);
}

TEST(TemplateMatching, MachineMustKnowMultiplyAdds) {
  Machine machine = matching_machine("kind=ring,nodes=4");
  machine.compute.erase("add");
  EXPECT_EQ(complaint([&] {
              MatchingRun{machine, "", "standard"};
            }),
            "machine kind=ring,nodes=4 does not say how long `multiply_add` takes; add "
            "`multiply_add`, or `multiply` and `add`, to its `compute` table");
}

}  // namespace
}  // namespace dcube::testing
