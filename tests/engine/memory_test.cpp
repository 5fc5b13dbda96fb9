#include "dcube/engine/memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/cc_runs.hpp"

namespace dcube {
namespace {

RunSize size_of(const testing::CcRun& run, Execution execution, std::uint64_t data_bytes = 0) {
  return {.machine = *run.machine,
          .processes = static_cast<std::uint32_t>(run.map.size()),
          .execution = execution,
          .data_bytes = data_bytes};
}

TEST(RunMemory, ActorsTakeMuchMoreThanCoroutines) {
  const testing::CcRun run{"kind=torus,shape=64x64", "standard"};
  const std::uint64_t coroutines = estimated_memory_bytes(size_of(run, Execution::coroutines));
  const std::uint64_t actors = estimated_memory_bytes(size_of(run, Execution::actors));
  EXPECT_GT(actors - coroutines, 4096U * 8192U);
  EXPECT_EQ(estimated_memory_bytes(size_of(run, Execution::automatic)), coroutines);
}

TEST(RunMemory, DataOfTheProgramCount) {
  const testing::CcRun run{"kind=ring,nodes=8", "standard"};
  EXPECT_EQ(estimated_memory_bytes(size_of(run, Execution::actors, 1000)),
            estimated_memory_bytes(size_of(run, Execution::actors)) + 1000);
}

TEST(RunMemory, LinksThatDifferCount) {
  const testing::CcRun run{"kind=torus,shape=64x64", "standard"};
  const std::uint64_t alike = estimated_memory_bytes(size_of(run, Execution::coroutines));
  for (std::uint32_t link = 0; link < run.machine->topology->link_slots(); ++link) {
    run.machine->links.overrides[LinkId{link}] = {ExactTime{Ticks{link}}, {}};
  }
  const std::uint64_t different = estimated_memory_bytes(size_of(run, Execution::coroutines));
  EXPECT_GT(different - alike, std::uint64_t{8} << 20) << "the table of costs";
  EXPECT_LT(different - alike, std::uint64_t{14} << 20);
}

/// `peak_kib`: what the kernel said that a run of the CC algorithm took at its peak.
void expect_close(const RunSize& size, double peak_kib) {
  const auto estimated = static_cast<double>(estimated_memory_bytes(size));
  EXPECT_GT(estimated, 0.95 * 1024 * peak_kib);
  EXPECT_LT(estimated, 1.1 * 1024 * peak_kib);
}

TEST(RunMemory, IsEstimatedAsItWasMeasured) {
  const testing::CcRun torus{"kind=torus,shape=512x512", "xor"};
  expect_close(size_of(torus, Execution::coroutines), 135'868);
  RunSize drawn = size_of(torus, Execution::coroutines);
  drawn.times = ComputeTimes::varied;
  expect_close(drawn, 321'156);
  const testing::CcRun cube{"kind=hypercube,dimensions=18", "identity"};
  expect_close(size_of(cube, Execution::coroutines), 388'104);
}

TEST(RunMemory, ASmallRunFits) {
  const testing::CcRun run{"kind=ring,nodes=8", "standard"};
  EXPECT_NO_THROW(expect_fits_in_memory(size_of(run, Execution::actors)));
}

std::string refusal(const RunSize& size) {
  try {
    expect_fits_in_memory(size);
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "";
}

TEST(RunMemory, RefusalGivesBothFiguresAndAWayOut) {
  const testing::CcRun run{"kind=ring,nodes=8", "standard"};
  // Coroutines do not help where data alone are too many.
  for (const Execution execution : {Execution::coroutines, Execution::actors}) {
    const std::string text = refusal(size_of(run, execution, 5'000'000'000'000'000));
    EXPECT_TRUE(text.starts_with("the run does not fit in memory (it takes about 5000000 GB, and "))
        << text;
    EXPECT_TRUE(text.ends_with("use a smaller machine, fewer processes or a larger computer"))
        << text;
  }
}

}  // namespace
}  // namespace dcube
