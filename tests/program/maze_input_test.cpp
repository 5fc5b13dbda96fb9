#include "program/maze_input.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "maze_runs.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

namespace fs = std::filesystem;

/// A folder of this test's own, gone with it.
class MazeInput : public ::testing::Test {
 protected:
  MazeInput() {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("dcube_maze_" + name + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~MazeInput() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream{folder_ / name, std::ios::binary} << content;
  }
  MazeRun run(const std::string& settings) const {
    return MazeRun{"kind=mesh,shape=2x2", settings, {.folder = folder_}};
  }
  /// What is wrong with a file of this content, without the name of the file.
  std::string problem_of_file(const std::string& content) const {
    write("bad", content);
    const std::string text = complaint([this] { run("input=bad"); });
    const std::string start = "/input: " + (folder_ / "bad").string() + " ";
    return text.starts_with(start) ? text.substr(start.size()) : "elsewhere: " + text;
  }

  fs::path folder_;
};

/// A wall with one gap at the bottom.
const char* const wall =
    "S.#..\n"
    "..#.T\n"
    "..#..\n"
    ".....\n";

TEST_F(MazeInput, TextIsSearched) {
  write("wall.txt", std::string{"\xef\xbb\xbf"} + wall);
  const MazeRun search = run("input=wall.txt,algorithm=2");
  search.run();
  EXPECT_EQ(search.program->verify(), true);
  EXPECT_EQ(search.answer("path_length"), "9");
  EXPECT_EQ(search.answer("waves"), "9");
}

TEST_F(MazeInput, BlanksAreFreeAndLinesMayEndLikeOnWindows) {
  write("blanks.txt", "S #\r\n# #\r\n# T\r\n\r\n");
  const Maze maze = run("input=blanks.txt").maze();
  EXPECT_EQ(maze.rows, 3U);
  EXPECT_EQ(maze.columns, 3U);
  EXPECT_EQ(maze.is_blocked, (std::vector<std::uint8_t>{0, 0, 1, 1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(maze.start, 0U);
  EXPECT_EQ(maze.target, 8U);
}

TEST_F(MazeInput, SettingsGoBeforeTheMarksAndCornersStandInForThem) {
  write("marks.txt", "...\n.ST\n...\n");
  const Maze marked = run("input=marks.txt").maze();
  EXPECT_EQ(marked.start, 4U);
  EXPECT_EQ(marked.target, 5U);
  const Maze set = run("input=marks.txt,start=[2,1],target=0x2").maze();
  EXPECT_EQ(set.start, 7U);
  EXPECT_EQ(set.target, 2U);
  write("bare.txt", "...\n...\n");
  const Maze bare = run("input=bare.txt").maze();
  EXPECT_EQ(bare.start, 0U);
  EXPECT_EQ(bare.target, 5U);
}

TEST_F(MazeInput, PicturesAreSearched) {
  write("plain.pbm", "P1\n5 4\n00100\n00100\n00100\n00000\n");
  write("packed.pbm", std::string{"P4 5 4\n"} + "\x20\x20\x20" + std::string(1, '\0'));
  for (const char* file : {"plain.pbm", "packed.pbm"}) {
    const MazeRun search = run(std::string{"target=[1,4],input="} + file);
    search.run();
    EXPECT_EQ(search.program->verify(), true) << file;
    EXPECT_EQ(search.answer("path_length"), "9") << file;
  }
}

TEST_F(MazeInput, ThePathIsWrittenAsTextOrPicture) {
  write("wall.txt", wall);
  for (const char* algorithm : {"1", "2"}) {
    const std::string settings = std::string{"input=wall.txt,algorithm="} + algorithm;
    const MazeRun text = run(settings + ",output=path.txt");
    text.run();
    const std::vector<OutputFile> files = text.program->output_files();
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].path, "path.txt");
    EXPECT_EQ(files[0].content,
              "S*#..\n"
              ".*#*T\n"
              ".*#*.\n"
              ".***.\n");
    EXPECT_TRUE(run(settings).program->output_files().empty());
  }
  write("small.txt", "S.\n#T\n");
  const MazeRun picture = run("input=small.txt,output=path.ppm");
  picture.run();
  EXPECT_EQ(picture.program->output_files()[0].content,
            std::string("P6\n2 2\n255\n\x00\xa0\x00\xdc\x00\x00\x00\x00\x00\x00\x00\xdc", 23));
}

TEST_F(MazeInput, WithoutAPathThereIsNoneToDraw) {
  write("closed.txt", "S#.\n.#T\n");
  for (const char* algorithm : {"1", "2"}) {
    const MazeRun search = run(std::string{"input=closed.txt,output=out,algorithm="} + algorithm);
    search.run();
    EXPECT_EQ(search.program->verify(), true);
    EXPECT_EQ(search.answer("path_length"), "none");
    EXPECT_EQ(search.answer("cells_labelled"), "2");
    EXPECT_EQ(search.program->output_files()[0].content, "S#.\n.#T\n");
  }
}

TEST_F(MazeInput, FilesThatAreNoMazeAreInputErrors) {
  EXPECT_EQ(problem_of_file(""), "is empty");
  EXPECT_EQ(problem_of_file("\n\n"), "has no rows");
  EXPECT_EQ(problem_of_file("S..\n..\n..T\n"), "is ragged: row 1 has 2 cells, row 0 has 3");
  EXPECT_EQ(problem_of_file("S..\n\n..T\n"), "is ragged: row 1 has 0 cells, row 0 has 3");
  EXPECT_EQ(problem_of_file("S..\n..x\n..T\n"),
            "has \"x\" at row 1 column 2 (cells are #, ., space, S and T)");
  EXPECT_EQ(problem_of_file("S..\n..S\n..T\n"), "has S twice (row 0 column 0, and row 1 column 2)");
  EXPECT_EQ(problem_of_file("T..\n..T\n"), "has T twice (row 0 column 0, and row 1 column 2)");
  EXPECT_EQ(problem_of_file("P1\n3 2\n010"), "ends after 3 of its 3 x 2 pixels");
  const std::string long_row(most_maze_cells + 1, '.');
  EXPECT_EQ(problem_of_file(long_row), "has more than 67108864 cells");
  EXPECT_EQ(problem_of_file(std::string(3 * most_maze_cells + 1, '\n')),
            "has more than 67108864 cells");
  EXPECT_EQ(problem_of_file("P4\n9999 9999\n"), "has 9999 x 9999 pixels (more than 67108864)");
}

TEST_F(MazeInput, MissingFilesAndFoldersAreInputErrors) {
  EXPECT_EQ(
      complaint([this] { run("input=none.txt"); }),
      "/input: " + (folder_ / "none.txt").string() + " cannot be read (No such file or directory)");
  fs::create_directory(folder_ / "sub");
  EXPECT_EQ(complaint([this] { run("input=sub"); }),
            "/input: " + (folder_ / "sub").string() + " cannot be read (it is a directory)");
}

TEST_F(MazeInput, StartAndTargetMustBeFreeCellsOfTheMaze) {
  write("wall.txt", wall);
  const auto problem = [this](const std::string& settings) {
    return complaint([&] { run("input=wall.txt," + settings); });
  };
  EXPECT_EQ(problem("start=[0,2]"),
            "/start: the cell at row 0 column 2 is blocked; give a free cell, [row, column]");
  EXPECT_EQ(problem("target=[2,2]"),
            "/target: the cell at row 2 column 2 is blocked; give a free cell, [row, column]");
  EXPECT_EQ(problem("target=[4,0]"),
            "/target: [4, 0] is outside the maze (4 rows and 5 columns, which count from 0)");
  EXPECT_EQ(problem("start=[0,5]"),
            "/start: [0, 5] is outside the maze (4 rows and 5 columns, which count from 0)");
  EXPECT_EQ(problem("start=[0]"), "/start: [0] is not a cell, [row, column]");
  EXPECT_EQ(problem("start=[0,0,0]"), "/start: [0, 0, 0] is not a cell, [row, column]");
  EXPECT_EQ(problem("start=[0,-1]"), "/start/1: -1 is not a row or column (they count from 0)");
  write("corner.txt", "#..\n...\n");
  EXPECT_EQ(complaint([this] { run("input=corner.txt"); }),
            "/start: the cell at row 0 column 0 is blocked; give a free cell, [row, column]");
}

TEST(Maze, DrawnCellsDependOnTheSeedAndTheirPlaceAlone) {
  const auto maze = [](const std::string& settings, std::uint64_t seed) {
    return MazeRun{"kind=mesh,shape=2x2", settings, {.seed = seed}}.maze();
  };
  const Maze small = maze("size=20x30,blocked=0.4", 1);
  const Maze large = maze("size=50x60,blocked=0.4", 1);
  for (std::uint32_t row = 0; row < 19; ++row) {
    for (std::uint32_t column = 0; column < 29; ++column) {
      EXPECT_EQ(small.is_blocked[small.cell(row, column)],
                large.is_blocked[large.cell(row, column)]);
    }
  }
  EXPECT_NE(small.is_blocked, maze("size=20x30,blocked=0.4", 2).is_blocked);
}

TEST(Maze, AsManyCellsAreBlockedAsTheSettingSays) {
  const auto blocked = [](const std::string& part) {
    const Maze maze = MazeRun{"kind=mesh,shape=2x2", "size=200x200,blocked=" + part}.maze();
    EXPECT_EQ(maze.is_blocked[maze.start] + maze.is_blocked[maze.target], 0);
    return std::accumulate(maze.is_blocked.begin(), maze.is_blocked.end(), 0);
  };
  EXPECT_EQ(blocked("0"), 0);
  EXPECT_NEAR(blocked("0.001"), 40, 20);
  EXPECT_NEAR(blocked("0.25"), 10000, 300);
  EXPECT_NEAR(blocked("0.6"), 24000, 300);
  EXPECT_EQ(blocked("0.25"), blocked("0.250"));
  EXPECT_EQ(blocked("0.25"), blocked("25e-2"));
}

TEST(Maze, BadSettingsAreInputErrors) {
  const auto problem = [](const std::string& topology, const std::string& settings) {
    return complaint([&] { MazeRun{topology, settings}; });
  };
  const auto on_mesh = [&](const std::string& settings) {
    return problem("kind=mesh,shape=2x2", settings);
  };
  for (const char* part : {"0.601", "0.0005", "-0.1", "1", "half"}) {
    const std::string shown = part == std::string{"half"} ? "\"half\"" : part;
    EXPECT_EQ(on_mesh(std::string{"blocked="} + part),
              "/blocked: " + shown +
                  " is not a part of the cells (0 to 0.6, at most three decimal places)");
  }
  EXPECT_EQ(on_mesh("size=9"), "/size: 9 is not two sides, rows and columns");
  EXPECT_EQ(on_mesh("size=9x9x9"), "/size: \"9x9x9\" is not two sides, rows and columns");
  EXPECT_EQ(on_mesh("size=[9,0]"), "/size/1: 0 is not a side (a positive integer)");
  EXPECT_EQ(on_mesh("size=10000x10000"),
            "/size: 10000 x 10000 cells are too many; at most 67108864");
  EXPECT_EQ(on_mesh("input=x.txt,size=9x9"),
            "/size: is for a maze drawn from the seed (`input` names a file); leave out one");
  EXPECT_EQ(on_mesh("input=x.txt,blocked=0.1"),
            "/blocked: is for a maze drawn from the seed (`input` names a file); leave out one");
  EXPECT_EQ(on_mesh("algorithm=3"), "/algorithm: 3 is not an algorithm (1 or 2)");
  EXPECT_EQ(on_mesh("termination=fre"), "/termination: \"fre\" is unknown; did you mean `free`?");
  EXPECT_EQ(on_mesh("partition=strips"),
            "/partition: \"strips\" is unknown; did you mean `strip`?");
  EXPECT_EQ(on_mesh("test_every=0"), "/test_every: 0 is not a number of iterations (1 to 1048576)");
  EXPECT_EQ(on_mesh("test_every=1048577"),
            "/test_every: 1048577 is not a number of iterations (1 to 1048576)");
  EXPECT_EQ(on_mesh("termination=free,test_every=2"),
            "/test_every: is for termination \"global\" (\"free\" tests nothing); leave it out");
  EXPECT_EQ(problem("kind=ring,nodes=7", "algorithm=1"),
            "/processes: 7 processes form no near-square grid of blocks (at best 1 x 7); take 6, "
            "or partition \"strip\"");
  EXPECT_EQ(problem("kind=ring,nodes=16", "partition=cyclic,size=15x99"),
            "/processes: 16 x 1 parts are too many for a maze of 15 x 99 cells (every process "
            "needs a cell); give fewer processes");
  EXPECT_EQ(problem("kind=ring,nodes=16", "size=3x99"),
            "/processes: 4 x 4 parts are too many for a maze of 3 x 99 cells (every process needs "
            "a cell); give fewer processes");
  Machine machine = unit_machine("kind=mesh,shape=2x2");
  machine.compute = {{"multiply", ExactTime{}}};
  EXPECT_EQ(complaint([&] {
              MazeRun{machine, "size=9x9"};
            }),
            "machine unit does not say how long `cell` takes; add `cell`, or `add`, to its "
            "`compute` table");
}

TEST(Maze, TheExampleOfTheCatalogueRunsOnSmallMachines) {
  for (const char* topology : {"kind=line,nodes=4", "kind=ring,nodes=7", "kind=mesh,shape=8x4"}) {
    const MazeRun run{topology, "processes=4,size=12x12,algorithm=2"};
    run.run();
    EXPECT_EQ(run.program->verify(), true);
  }
}

}  // namespace
}  // namespace dcube::testing
