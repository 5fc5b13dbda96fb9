// A run of a random scenario is the same whenever and however it is made.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "random_scenarios.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/random_cases.hpp"

namespace dcube::testing {
namespace {

TEST(RandomCasesRuns, AreTheSameAgainExplainedAndAmongRepeatedRuns) {
  const TemporaryFolder folder;
  const auto [first, number] = random_cases(300);
  std::uint64_t compared = 0, with_calls = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScenarioDraws draws{hash_of(seed)};
    const std::string machine = draws.machine();
    const std::string program = draws.program();
    const std::string text = embedded(machine, program, R"("identity")", draws.jitter());
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
    std::optional<Scenario> scenario;
    try {
      scenario = load_scenario(folder.write("x.json", text));
    } catch (const InputError&) {
      continue;
    }
    const std::vector<NodeId> map = scenario->embedding->map();
    std::vector<NodeId> reversed = map;
    std::ranges::reverse(reversed);
    RepeatedRuns runs{load_scenario(folder.path() / "x.json")};
    const RunReport elsewhere = runs.run(reversed);
    const RunReport again = runs.run(map);
    const RunReport alone = run_scenario(*scenario, nullptr, {}, Findings::report).report;
    ASSERT_EQ(again.fingerprint, alone.fingerprint);
    ASSERT_EQ(again.outcome, alone.outcome);
    ASSERT_EQ(again.messages, alone.messages);
    ASSERT_EQ(again.bytes, alone.bytes);
    ASSERT_EQ(runs.run(reversed).fingerprint, elsewhere.fingerprint);
    Scenario explained = load_scenario(folder.path() / "x.json");
    CausalRecord record{run_size(explained).processes, explained.run_machine->links};
    ASSERT_EQ(run_scenario(explained, &record).report.fingerprint, alone.fingerprint);
    ++compared;
    with_calls += program.find(R"("serial_copies")") == std::string::npos ? 0 : 1;
  }
  fmt::print("{} scenarios, {} of them collectives of all options\n", compared, with_calls);
  EXPECT_GT(compared, number / 2);
  EXPECT_GT(with_calls, number / 10);
}

}  // namespace
}  // namespace dcube::testing
