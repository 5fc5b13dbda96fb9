#include <gtest/gtest.h>

#include "app/compare/compared_numbers.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "support/complaint.hpp"

namespace dcube::app {
namespace {

TEST(ProcessNumber, ComesFromPositiveIntegers) {
  EXPECT_EQ(process_numbers({"4", "1", "16"}), (std::vector<std::uint32_t>{4, 1, 16}));
  EXPECT_EQ(complaint([] { process_numbers({"0"}); }),
            "--process-count: 0 is not a positive integer");
}

TEST(ProcessNumber, IsTheSettingOfItsProgramThatCounts) {
  const ScenarioRequest options{.file = "s.json", .settings = {"/seed=3"}};
  EXPECT_EQ(with_processes(options, "knapsack", 8).settings,
            (std::vector<std::string>{"/seed=3", "/program/processes=8"}));
  EXPECT_EQ(with_processes(options, "cc_dcube", 8).settings,
            (std::vector<std::string>{"/seed=3", "/program/dimensions=3"}));
  EXPECT_EQ(with_processes(options, "cc_dcube", 1).settings.back(), "/program/dimensions=0");
}

TEST(ProcessNumber, OfACubeIsAPowerOfTwo) {
  EXPECT_EQ(complaint([] { with_processes({.file = "s.json"}, "cc_dcube", 12); }),
            ".process_count: 12 is not a power of two; the nearest are 8 and 16");
}

TEST(ProcessNumber, NeedsAProgramThatCanBeToldSo) {
  EXPECT_EQ(complaint([] { with_processes({.file = "s.json"}, "none", 2); }),
            ".process_count: the program none has no setting for its number of processes");
}

}  // namespace
}  // namespace dcube::app
