#include <gtest/gtest.h>

#include <string>

#include "support/complaint.hpp"
#include "support/program_run.hpp"

namespace dcube::testing {
namespace {

TEST(Collapse, OneProcessAddsUpEverythingInTurn) {
  const ProgramRun run{"kind=ring,nodes=6", "standard", "kind=collapse,values=3",
                       [](Machine& machine) { machine.compute["add"] = ExactTime{Ticks{30}}; }};
  EXPECT_EQ(run.program->sequential_time(), 5 * 3 * Ticks{30});
  const ProgramRun free{"kind=ring,nodes=6", "standard", "kind=collapse,values=3"};
  EXPECT_EQ(free.program->sequential_time(), std::nullopt);
}

TEST(Collapse, NeedsTheTimeOfAnAddition) {
  EXPECT_EQ(complaint([] {
              ProgramRun("kind=ring,nodes=6", "standard", "kind=collapse",
                         [](Machine& machine) { machine.compute["multiply"] = ExactTime{}; });
            }),
            "machine m does not say how long `add` takes; add `add` to its `compute` table");
}

}  // namespace
}  // namespace dcube::testing
