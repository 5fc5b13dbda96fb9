#include "runs/key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

TEST(KeyMaker, KeepsTextsApart) {
  KeyMaker together;
  together.add("ab");
  together.add("c");
  KeyMaker apart;
  apart.add("a");
  apart.add("bc");
  EXPECT_NE(together.key(), apart.key());
}

TEST(KeyMaker, TakesAFileAsItsText) {
  const TemporaryFolder folder;
  std::string text;
  for (std::uint32_t i = 0; text.size() < 200'000; ++i) {
    text += std::to_string(i);
  }
  // Parts of 64 KiB: none, a byte, whole ones, and some more.
  for (const std::size_t bytes :
       std::vector<std::size_t>{0, 1, 7, 8, 65'535, 65'536, 65'537, 131'072, 199'999}) {
    KeyMaker maker;
    maker.add(text.substr(0, bytes));
    EXPECT_EQ(content_key(folder.write("x", text.substr(0, bytes))), maker.key()) << bytes;
  }
}

TEST(KeyMaker, NamesAFileThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(folder.shortened(complaint([&] { content_key(folder.path() / "none"); })),
            "none: cannot be read (No such file or directory)");
}

}  // namespace
}  // namespace dcube
