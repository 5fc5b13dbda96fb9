#include <gtest/gtest.h>

#include <string>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

TEST(Broadcast, SaysHowManyHoldTheValues) {
  const SimulatedProgram run{"kind=mesh,shape=3x5", "standard", "kind=broadcast"};
  run.run();
  EXPECT_TRUE(run.answer().starts_with("holders 15, values_hash ")) << run.answer();
}

TEST(Broadcast, AValueHasBytes) {
  EXPECT_EQ(complaint<InputError>([] {
              SimulatedProgram{"kind=line,nodes=8", "standard", "kind=broadcast,value_bytes=0"};
            }),
            "/value_bytes: 0 is not a size (at least 1 byte)");
}

// On a line processes 0 and 1 both send on the link 1->2: to 3, 5, 2 and 4, in this order. What
// goes to 2 is there at 4 s instead of 2 s, and 6 has it from there 4 hops later.
TEST(Broadcast, MessagesThatMeetOnALineTakeLonger) {
  const SimulatedProgram run{"kind=line,nodes=8", "standard", "kind=broadcast"};
  EXPECT_EQ(run.run_without_contention().makespan, std::chrono::seconds{7});
  EXPECT_EQ(run.run().makespan, std::chrono::seconds{8});
}

}  // namespace
}  // namespace dcube::testing
