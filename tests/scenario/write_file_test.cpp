#include "dcube/scenario/write_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
}

TEST(WriteFile, WritesTheWholeContent) {
  const TemporaryFolder folder;
  const std::string content = std::string("a\0b\n", 4) + std::string(100'000, 'x');
  write_file(folder.path() / "out.json", content);
  EXPECT_EQ(file_content(folder.path() / "out.json"), content);
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(WriteFile, ReplacesAFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("out.json", "a longer text than the next");
  write_file(file, "short");
  EXPECT_EQ(file_content(file), "short");
}

TEST(WriteFile, NewFileFollowsTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder.path() / "out.json", "x");
  ::umask(before);
  EXPECT_EQ(fs::status(folder.path() / "out.json").permissions(), fs::perms{0640});
}

TEST(WriteFile, SymbolicLinkStaysOne) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("real/out.json", "old");
  fs::create_symlink(file, folder.path() / "link.json");
  write_file(folder.path() / "link.json", "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.json"));
  EXPECT_EQ(file_content(file), "new");
}

TEST(WriteFile, MissingFolderIsAnInputError) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      folder.shortened(complaint([&] { write_file(folder.path() / "none" / "out.json", "x"); })),
      "none/out.json: cannot be written (No such file or directory)");
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(WriteFile, DirectoryIsAnInputErrorAndKeepsItsContent) {
  const TemporaryFolder folder;
  folder.write("d/a", "x");
  EXPECT_EQ(folder.shortened(complaint([&] { write_file(folder.path() / "d", "x"); })),
            "d: cannot be written (it is a directory)");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(WriteFile, FailureLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string too_long(300, 'a');
  EXPECT_NE(complaint([&] { write_file(folder.path() / too_long, "x"); }), "");
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(WriteFile, FullDiskIsAnInputError) {
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(complaint([] { write_file("/dev/full", "x"); }),
              "/dev/full: cannot be written (No space left on device)");
  }
}

}  // namespace
}  // namespace dcube
