#include "questions/fit/measured.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// A file with this text, for one test.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_{fmt::format("{}dcube-measured-{}.txt", ::testing::TempDir(), getpid())} {
    std::ofstream{path_} << text;
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { std::filesystem::remove(path_); }

  MeasuredFile read(const std::string& time = {}, const std::vector<std::string>& columns = {}) {
    return read_measured(path_, time, columns);
  }
  std::string problem(const std::string& time = {}, const std::vector<std::string>& columns = {}) {
    try {
      read(time, columns);
    } catch (const InputError& error) {
      return error.problem();
    }
    return "no error";
  }

 private:
  std::string path_;
};

TEST(Measured, ATableSaysWhatItsColumnsSay) {
  TextFile file{
      "# a comment\ncollective\talgorithm\tports\tsize\tmedian_us\tp90_us\tnode\n"
      "ALLREDUCE\tring\t\t64KiB\t12.5\t13\tx\nBCAST\tbinomial\t2\t8\t3e3\t1\ty\n"};
  const MeasuredFile measured = file.read();
  EXPECT_EQ(measured.unused, (std::vector<std::string>{"p90_us", "node"}));
  ASSERT_EQ(measured.rows.size(), 2U);
  EXPECT_EQ(measured.rows[0].operation, "allreduce");
  EXPECT_EQ(measured.rows[0].algorithm, "ring");
  EXPECT_EQ(measured.rows[0].bytes, 65536U);
  EXPECT_DOUBLE_EQ(measured.rows[0].seconds, 12.5e-6);
  EXPECT_TRUE(measured.rows[0].settings.empty());
  EXPECT_TRUE(measured.rows[0].place.ends_with(": line 3"));
  EXPECT_EQ(measured.rows[1].operation, "broadcast");
  EXPECT_DOUBLE_EQ(measured.rows[1].seconds, 3e-3);
  ASSERT_EQ(measured.rows[1].settings.size(), 1U);
  EXPECT_EQ(measured.rows[1].settings[0].first, "/program/ports");
}

TEST(Measured, PointersAndCellsWithUnitsAreColumns) {
  TextFile file{"/program/message, /link/latency, time\n64, 2us, 1.5 ms\n"};
  const MeasuredFile measured = file.read();
  ASSERT_EQ(measured.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(measured.rows[0].seconds, 1.5e-3);
  EXPECT_EQ(measured.rows[0].settings[1].first, "/machine/link/latency");
}

TEST(Measured, ARowThatCannotBeReadIsKeptWithItsProblem) {
  TextFile file{
      "collective,size,time_us\nallreduce,8,nan\nallreduce,8\nallreduce,much,3\nallreduce,8,-1\n"};
  const MeasuredFile measured = file.read();
  ASSERT_EQ(measured.rows.size(), 4U);
  EXPECT_NE(measured.rows[0].problem.find("is not a time"), std::string::npos);
  EXPECT_EQ(measured.rows[1].problem, "2 cells where the first line has 3");
  EXPECT_NE(measured.rows[2].problem.find("much"), std::string::npos);
  EXPECT_FALSE(measured.rows[3].problem.empty());
}

TEST(Measured, ColumnsWithoutTimesOrUnitsAreRefused) {
  EXPECT_NE(TextFile{"collective,size\nallreduce,8\n"}.problem().find("no column is one of times"),
            std::string::npos);
  EXPECT_NE(TextFile{"collective,size,time\nallreduce,8,12\n"}.problem().find("12 has no unit"),
            std::string::npos);
  EXPECT_NE(TextFile{"size,p10_us,p90_us\n8,1,2\n"}.problem().find("several columns"),
            std::string::npos);
  EXPECT_NE(TextFile{"size,p10_us\n8,1\n"}.problem("p11_us").find("did you mean"),
            std::string::npos);
  EXPECT_NE(TextFile{"size,time_us\n8,1\n"}.problem({}, {"algoritm=ring"}).find("did you mean"),
            std::string::npos);
  EXPECT_NE(TextFile{"size,bytes,time_us\n8,8,1\n"}.problem().find("say the same"),
            std::string::npos);
  EXPECT_NE(TextFile{""}.problem().find("is empty"), std::string::npos);
}

TEST(Measured, AHeadWithoutTimesIsRefused) {
  EXPECT_EQ(TextFile{"collective,size,time_us\n"}.problem(), "has a head, and no times below it");
  EXPECT_EQ(TextFile{"# OSU MPI Latency Test\n# Size Latency (us)\n"}.problem(),
            "has a head, and no times below it");
}

TEST(Measured, GivenColumnsAreForRowsWithoutThem) {
  TextFile file{"algorithm,size,time_us\nring,8,1\n,16,2\n"};
  const MeasuredFile measured = file.read({}, {"algorithm=bucket", "collective=allgather"});
  EXPECT_EQ(measured.rows[0].algorithm, "ring");
  EXPECT_EQ(measured.rows[1].algorithm, "bucket");
  EXPECT_EQ(measured.rows[1].operation, "allgather");
}

TEST(Measured, OsuTablesAreRead) {
  TextFile file{
      "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n# Datatype: MPI_CHAR.\n"
      "1                       1.61\n"
      "# OSU MPI Allreduce Latency Test v7.0\n"
      "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
      "4                     136.08             99.29            164.85        1000\n"
      "# OSU MPI All-to-All Personalized Exchange Latency Test v5.9\n# Size       Avg Latency(us)\n"
      "8     20.5\n"
      "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n8   100\n"};
  const MeasuredFile measured = file.read();
  ASSERT_EQ(measured.rows.size(), 4U);
  EXPECT_TRUE(measured.rows[0].is_ping_pong());
  EXPECT_DOUBLE_EQ(measured.rows[0].seconds, 1.61e-6);
  EXPECT_EQ(measured.rows[1].operation, "allreduce");
  EXPECT_DOUBLE_EQ(measured.rows[1].seconds, 164.85e-6);
  EXPECT_EQ(measured.rows[2].operation, "alltoall");
  EXPECT_TRUE(measured.rows[2].is_of_share);
  EXPECT_EQ(measured.rows[3].operation, "Bandwidth");  // which is no collective
}

TEST(Measured, AHeadOfNcclTestsNeedsSizeAndTime) {
  for (const std::string missing : {"size", "time"}) {
    TextFile file{"# all_reduce_perf\n# count " + std::string{missing == "size" ? "time" : "size"} +
                  " algbw\n1 2 3\n"};
    EXPECT_EQ(file.read().rows.at(0).problem, "the head has no `" + missing + "`");
  }
}

TEST(Measured, NcclTestsAreRead) {
  TextFile file{
      "# Collective test starting: reduce_scatter_perf\n#  Rank  0 Group  0 Pid 1 on a device 0\n"
      "#  Rank  1 Group  0 Pid 2 on a device 1\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
      "(us)\n"
      "        1024           256     float     sum      -1    24.97    0.04    0.02      0    "
      "24.60\n"
      "# Avg bus bandwidth    : 0.02\n"};
  const MeasuredFile measured = file.read();
  ASSERT_EQ(measured.rows.size(), 1U);
  EXPECT_EQ(measured.rows[0].operation, "reducescatter");
  EXPECT_EQ(measured.rows[0].bytes, 1024U);
  EXPECT_EQ(measured.rows[0].processes, 2U);
  EXPECT_FALSE(measured.rows[0].is_of_share);
  EXPECT_DOUBLE_EQ(measured.rows[0].seconds, 24.97e-6);
  EXPECT_TRUE(measured.rows[0].settings.empty());
}

TEST(Measured, MpiBenchIsRead) {
  TextFile file{
      "START mpiBench v1.5\n"
      "Allgather           \tBytes:\t      64\tIters:\t   1000\tAvg:\t  9.1000\tMin:\t  8.9000\t"
      "Max:\t  9.4000\tComm: MPI_COMM_WORLD\tRanks: 8\n"};
  const MeasuredFile measured = file.read();
  ASSERT_EQ(measured.rows.size(), 1U);
  EXPECT_EQ(measured.rows[0].operation, "allgather");
  EXPECT_EQ(measured.rows[0].bytes, 64U);
  EXPECT_EQ(measured.rows[0].processes, 8U);
  EXPECT_DOUBLE_EQ(measured.rows[0].seconds, 9.4e-6);
}

}  // namespace
}  // namespace dcube
