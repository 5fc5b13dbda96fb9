#include <gtest/gtest.h>

#include <string>

#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

TEST(Replication, BothModesComputeTheSame) {
  const auto answer = [](const char* mode) {
    const SimulatedProgram run{"kind=ring,nodes=6", "standard",
                               std::string{"kind=replication,mode="} + mode};
    EXPECT_EQ(run.run().messages, mode == std::string{"broadcast"} ? 5U : 0U);
    EXPECT_EQ(run.program->sequential_time(), std::chrono::seconds{1 + 6});
    return run.answer();
  };
  EXPECT_EQ(answer("broadcast"), answer("everywhere"));
}

TEST(Replication, BadSettingsAreInputErrors) {
  const auto complaint_about = [](const std::string& settings) {
    return complaint([&] { SimulatedProgram{"kind=ring,nodes=6", "standard", settings}; });
  };
  EXPECT_EQ(complaint_about("kind=replication,mode=nowhere"),
            "/mode: \"nowhere\" is unknown; known: broadcast, everywhere");
  EXPECT_EQ(complaint_about("kind=replication,g=-1s"),
            "/g: \"-1s\" is not a duration (a non-negative number of seconds, or with a unit: ps, "
            "ns, us, ms, s)");
  EXPECT_EQ(complaint_about("kind=replication,f=soon"),
            "/f: \"soon\" is not a duration (a non-negative number of seconds, or with a unit: "
            "ps, ns, us, ms, s)");
}

}  // namespace
}  // namespace dcube::testing
