#include <gtest/gtest.h>

#include <string>

#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

TEST(Collapse, OneProcessAddsUpEverythingInTurn) {
  const SimulatedProgram run{
      "kind=ring,nodes=6", "standard", "kind=collapse,values=3", {.change = [](Machine& machine) {
        machine.compute["add"] = ExactTime{Ticks{30}};
      }}};
  EXPECT_EQ(run.program->sequential_time(), 5 * 3 * Ticks{30});
  const SimulatedProgram free{"kind=ring,nodes=6", "standard", "kind=collapse,values=3"};
  EXPECT_EQ(free.program->sequential_time(), std::nullopt);
}

TEST(Collapse, NeedsTheTimeOfAnAddition) {
  EXPECT_EQ(complaint([] {
              SimulatedProgram{
                  "kind=ring,nodes=6",
                  "standard",
                  "kind=collapse",
                  {.change = [](Machine& machine) { machine.compute["multiply"] = ExactTime{}; }}};
            }),
            "machine unit does not say how long `add` takes; add `add` to its `compute` table");
}

}  // namespace
}  // namespace dcube::testing
