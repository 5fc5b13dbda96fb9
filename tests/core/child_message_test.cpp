#include "core/child_message.hpp"

#include <gtest/gtest.h>

namespace dcube {
namespace {

struct Pair {
  int number;
  double value;
};

TEST(ChildMessage, PartsAreReadInTheOrderInWhichTheyAreSent) {
  const std::string text{"a\0b", 3};
  const std::string message = sent(Pair{3, 0.5}, text, std::vector<int>{4, 5}, std::string{}, true);
  ChildReader reader{message};
  const auto pair = reader.read<Pair>();
  EXPECT_EQ(pair.number, 3);
  EXPECT_EQ(pair.value, 0.5);
  EXPECT_EQ(reader.read_text(), text);
  EXPECT_EQ(reader.read_list<int>(), (std::vector<int>{4, 5}));
  EXPECT_EQ(reader.read_text(), "");
  EXPECT_FALSE(reader.is_at_end());
  EXPECT_TRUE(reader.read<bool>());
  EXPECT_TRUE(reader.is_at_end());
}

TEST(ChildMessage, ThatIsCutShortIsADefect) {
  const std::string message = sent(std::string{"whole"});
  ChildReader reader{std::string_view{message}.substr(0, message.size() - 1)};
  EXPECT_THROW(reader.read_text(), ContractViolation);
}

}  // namespace
}  // namespace dcube
