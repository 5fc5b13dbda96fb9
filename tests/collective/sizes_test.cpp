#include <gtest/gtest.h>

#include <cstdint>

#include "collective/blocks.hpp"
#include "dcube/collective/collective.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

TEST(CollectiveSizes, EveryAlgorithmOfTheCatalogueRuns) {
  for (const CollectiveKind kind : collective_kinds()) {
    EXPECT_EQ(find_collective(name_of(kind)), kind);
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      const std::vector<std::uint64_t> counts(8, 3);
      CollectiveCall call{.kind = kind, .root = 2, .count = 24};
      call.send_counts = call.receive_counts = counts;
      call.options.algorithm = algorithm->name;
      const RunReport report = run_without_simgrid(
          unit_machine("kind=ring,nodes=8"), 8,
          [&](Process& process) -> Task<> { co_await run_collective(process.world(), call); });
      EXPECT_EQ(report.outcome, Outcome::completed) << name_of(kind) << " " << algorithm->name;
      EXPECT_GT(report.messages, 0U);
    }
  }
}

TEST(Blocks, PortionsOfHugeBuffersMeet) {
  constexpr std::uint64_t elements = std::uint64_t{3} << 61;
  const Blocks first = Blocks::split_portion(elements, {.before = 0, .own = 8, .all = 12}, 1);
  const Blocks second = Blocks::split_portion(elements, {.before = 8, .own = 4, .all = 12}, 1);
  EXPECT_EQ(first.all(), (ElementRanges{{0, elements / 3 * 2}}));
  EXPECT_EQ(second.all(), (ElementRanges{{elements / 3 * 2, elements}}));
}

}  // namespace
}  // namespace dcube::testing
