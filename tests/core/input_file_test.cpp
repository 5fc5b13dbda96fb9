#include "core/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

using namespace std::string_literals;

TEST(InputFile, IsReadAsItIs) {
  const TemporaryFolder folder;
  const std::string content = "a\r\n\0\xff"s + std::string(200'000, 'x');
  EXPECT_EQ(read_input_file(folder.write("x", content), "/input"), content);
}

TEST(InputFile, MayBeAPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer{[&pipe] { std::ofstream{pipe} << "1,2\n"; }};
  EXPECT_EQ(read_input_file(pipe, "/input"), "1,2\n");
  writer.join();
}

TEST(InputFile, ThatCannotBeReadOrHoldsNothingIsAnInputError) {
  const TemporaryFolder folder;
  const auto problem = [&folder](const std::filesystem::path& file) {
    return folder.shortened(complaint([&] { read_input_file(file, "/input"); }));
  };
  EXPECT_EQ(problem(folder.path() / "gone"),
            "/input: gone cannot be read (No such file or directory)");
  EXPECT_EQ(problem("/"), "/input: / cannot be read (it is a directory)");
  EXPECT_EQ(problem("/dev/zero"), "/input: /dev/zero cannot be read (it is a device)");
  EXPECT_EQ(problem(folder.write("x", "")), "/input: x is empty");
  const std::filesystem::path secret = folder.write("secret", "1");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (::geteuid() != 0) {  // who may read everything
    EXPECT_EQ(problem(secret), "/input: secret cannot be read (Permission denied)");
  }
}

TEST(InputFile, OfOneEndlessWordIsRefusedBeforeItFillsTheMemory) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("x", "x");
  std::filesystem::resize_file(file, std::uint64_t{1} << 40);
  TextWindow window = input_file_window(file, "/input");
  EXPECT_EQ(folder.shortened(complaint([&] { window.take_line(); })),
            "/input: x cannot be read (a word or a line of it is longer than 256 MiB)");
}

}  // namespace
}  // namespace dcube::testing
