#include "workload/child_records.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "dcube/core/errors.hpp"

namespace dcube::testing {
namespace {

using WriteBytes = std::function<void(std::string_view)>;

TEST(ChildRecords, EverythingArrives) {
  std::string heard;
  const std::string end = consume_from_child(
      [](const WriteBytes& write) {
        for (int i = 0; i < 100'000; ++i) {
          write(std::to_string(i) + " ");
        }
      },
      [&](std::string_view bytes) { heard += bytes; });
  EXPECT_EQ(end, "");
  EXPECT_EQ(heard.size(), 588'890U);
  EXPECT_TRUE(heard.ends_with(" 99998 99999 "));
}

TEST(ChildRecords, ACrashIsSaid) {
  const auto end_of = [](const std::function<void()>& act) {
    return consume_from_child([&](const WriteBytes&) { act(); }, [](std::string_view) {});
  };
  EXPECT_EQ(end_of([] { std::abort(); }), "it was ended by signal 6 (Aborted)");
  EXPECT_EQ(end_of([] { throw std::runtime_error("not here"); }), "it failed");
  EXPECT_NE(end_of([] { const std::string much(std::size_t{5} << 30, 'x'); }), "");
}

TEST(ChildRecords, WhoDoesNotWantMoreEndsIt) {
  EXPECT_THROW(consume_from_child(
                   [](const WriteBytes& write) {
                     for (;;) {
                       write(std::string(1000, 'x'));
                     }
                   },
                   [](std::string_view) { throw InputError("", "enough"); }),
               InputError);
}

}  // namespace
}  // namespace dcube::testing
