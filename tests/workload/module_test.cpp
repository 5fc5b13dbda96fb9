#include "dcube/workload/module.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

TEST(Module, AMissingOneIsOneLineThatSaysHowToGetIt) {
  EXPECT_EQ(complaint<InputError>([] {
              load_module({"read X traces", "dcube-x.so", "read_x_1", "libx-dev"});
            }),
            "this dcube cannot read X traces: it was built without dcube-x.so (on Debian: apt "
            "install libx-dev; then build dcube again)");
}

#ifndef DCUBE_WITHOUT_OTF2
TEST(Module, OneOfAnotherVersionIsOneLine) {
  const std::string said = complaint<InputError>([] {
    load_module({"read OTF2 traces", "dcube-otf2.so", "dcube_read_otf2_0", "libotf2-trace-dev"});
  });
  EXPECT_TRUE(said.starts_with("this dcube cannot read OTF2 traces: ")) << said;
  EXPECT_NE(said.find("dcube-otf2.so belongs to another dcube (build and install both"),
            std::string::npos)
      << said;
}
#endif

}  // namespace
}  // namespace dcube::testing
