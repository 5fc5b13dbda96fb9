#include "core/going_on.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace dcube {
namespace {

void go_through(int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    ask_to_go_on();
  }
}

TEST(GoingOn, IsAskedForNowAndThenWhileSomebodyListens) {
  int asked = 0;
  {
    const AskedToGoOn listening{[&] { ++asked; }};
    go_through(1024 * 10);
  }
  EXPECT_EQ(asked, 10);
  go_through(1024 * 10);
  EXPECT_EQ(asked, 10);
}

TEST(GoingOn, IsAskedForOnceAfterAStepThatIsAsLongAsManyPasses) {
  int asked = 0;
  const AskedToGoOn listening{[&] { ++asked; }};
  ask_to_go_on(5000);
  EXPECT_EQ(asked, 1);
  go_through(1023);
  EXPECT_EQ(asked, 1);
}

TEST(GoingOn, EndsByAnException) {
  const AskedToGoOn listening{[] { throw std::runtime_error("enough"); }};
  EXPECT_THROW(go_through(1024), std::runtime_error);
}

}  // namespace
}  // namespace dcube
