#include "core/file_text.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

TEST(FileText, IsTheWholeOfAFile) {
  const TemporaryFolder folder;
  const std::string text = std::string("a\0b\n", 4) + std::string(200'000, 'x');
  EXPECT_EQ(file_text(folder.write("a", text)), text);
  EXPECT_EQ(file_text(folder.write("b", "")), "");
}

TEST(FileText, AByteOrderMarkIsNoneOfIt) {
  const TemporaryFolder folder;
  EXPECT_EQ(file_text(folder.write("a", "\xef\xbb\xbf-\xef\xbb\xbf")), "-\xef\xbb\xbf");
  EXPECT_EQ(file_text(folder.write("b", "\xef\xbb")), "\xef\xbb");
}

TEST(FileText, IsTheWholeOfAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  EXPECT_EQ(file_text("/dev/fd/" + std::to_string(ends[0])), "piped");
  ::close(ends[0]);
}

TEST(FileText, FilesOfUnknownSizeAreRead) {
  EXPECT_EQ(file_text("/dev/null"), "");
  EXPECT_NE(file_text("/proc/self/status"), "");
}

TEST(FileText, DevicesWithoutEndAreRefused) {
  EXPECT_EQ(complaint([] { file_text("/dev/zero"); }),
            "/dev/zero: cannot be read (it is a device)");
}

TEST(FileText, TooLargeFilesAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.write("large", std::string(101, 'x'));
  EXPECT_EQ(file_text(file, 101).size(), 101U);
  EXPECT_EQ(folder.shortened(complaint([&] { file_text(file, 100); })),
            "large: cannot be read (it holds more than 100 bytes)");
  std::filesystem::resize_file(file, most_text_bytes + 1);  // takes no room on the disk
  EXPECT_EQ(folder.shortened(complaint([&] { file_text(file); })),
            "large: cannot be read (it holds more than 1,073,741,824 bytes)");
}

TEST(FileText, ANameEndsNowhereInTheMiddle) {
  const TemporaryFolder folder;
  folder.write("a", "x");
  EXPECT_EQ(complaint([&] {
              file_text((folder.path() / std::string{"a\0b", 3}).string());
            }),
            (folder.path() / "a").string() +
                "\\u0000b: cannot be read (its name has a NUL byte, where names end)");
}

TEST(FileText, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(folder.shortened(complaint([&] { file_text(folder.path() / "no"); })),
            "no: cannot be read (No such file or directory)");
  folder.write("d/x", "");
  EXPECT_EQ(folder.shortened(complaint([&] { file_text(folder.path() / "d"); })),
            "d: cannot be read (it is a directory)");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  EXPECT_EQ(folder.shortened(complaint([&] { file_text(folder.path() / "loop"); })),
            "loop: cannot be read (Too many levels of symbolic links)");
}

}  // namespace
}  // namespace dcube
