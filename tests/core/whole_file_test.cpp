#include "dcube/core/whole_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <memory>
#include <string>
#include <vector>

#include "core/named_temporary.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace {
bool has_unnamed_files = true;
}  // namespace

// Replaces that of the C library in this program, which thereby finds itself on a file system that
// knows no files without a name.
extern "C" int open(const char* path, int flags, ...) {
  const bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (!has_unnamed_files && is_unnamed) {
    errno = EOPNOTSUPP;
    return -1;
  }
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 || is_unnamed ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return openat(AT_FDCWD, path, flags, mode);
}

namespace dcube {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
}

/// The parameter: whether the file system knows files without a name.
class WholeFileTest : public ::testing::TestWithParam<bool> {
 protected:
  WholeFileTest() { has_unnamed_files = GetParam(); }
  ~WholeFileTest() override { has_unnamed_files = true; }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  void put(const fs::path& file, std::string_view text) const {
    WholeFile whole{file};
    whole.write(text);
    whole.commit();
  }
  fs::perms permissions(const std::string& name) const {
    return fs::status(path(name)).permissions();
  }

  TemporaryFolder folder_;
};

TEST_P(WholeFileTest, AppearsWhenItIsCommitted) {
  {
    WholeFile file{path("a")};
    file.write(std::string(3'000'000, 'x'));
    EXPECT_FALSE(fs::exists(path("a")));
    EXPECT_EQ(entries(folder_.path()), GetParam() ? 0 : 1);
    file.commit();
  }
  EXPECT_EQ(file_content(path("a")), std::string(3'000'000, 'x'));
  EXPECT_EQ(entries(folder_.path()), 1);
}

TEST_P(WholeFileTest, LeavesNothingWhenItIsGivenUp) {
  { WholeFile{path("a")}.write("x"); }
  EXPECT_EQ(entries(folder_.path()), 0);
}

TEST_P(WholeFileTest, ReplacedFileKeepsItsPermissions) {
  folder_.write("secret", "old");
  fs::permissions(path("secret"), fs::perms{0600});
  put(path("secret"), "new");
  EXPECT_EQ(file_content(path("secret")), "new");
  EXPECT_EQ(permissions("secret"), fs::perms{0600});
  fs::permissions(path("secret"), fs::perms{0666});
  put(path("secret"), "new");
  EXPECT_EQ(permissions("secret"), fs::perms{0666});
  EXPECT_EQ(entries(folder_.path()), 1);
}

TEST_P(WholeFileTest, FileThatMayNotBeWrittenIsRefused) {
  folder_.write("kept", "old");
  fs::permissions(path("kept"), fs::perms{0444});
  fs::permissions(folder_.path(), fs::perms{0777});
  const uid_t me = ::getuid();
  if (me == 0) {  // root may write everything
    ASSERT_EQ(::setresuid(65534, 65534, me), 0);
  }
  EXPECT_EQ(folder_.shortened(complaint([&] { put(path("kept"), "new"); })),
            "kept: cannot be written (Permission denied)");
  ASSERT_EQ(::setresuid(me, me, me), 0);
  EXPECT_EQ(file_content(path("kept")), "old");
}

TEST_P(WholeFileTest, OtherHardLinksKeepWhatTheyHad) {
  folder_.write("a", "old");
  fs::create_hard_link(path("a"), path("b"));
  put(path("a"), "new");
  EXPECT_EQ(file_content(path("a")), "new");
  EXPECT_EQ(file_content(path("b")), "old");
}

TEST_P(WholeFileTest, DanglingLinkLeadsToTheFileItNames) {
  fs::create_directory(path("d"));
  fs::create_symlink("d/target", path("one"));
  fs::create_symlink("one", path("two"));
  put(path("two"), "x");
  EXPECT_TRUE(fs::is_symlink(path("one")));
  EXPECT_TRUE(fs::is_symlink(path("two")));
  EXPECT_EQ(file_content(path("d/target")), "x");
}

TEST_P(WholeFileTest, LoopOfLinksIsRefused) {
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(folder_.shortened(complaint([&] { put(path("loop"), "x"); })),
            "loop: cannot be written (Too many levels of symbolic links)");
}

TEST_P(WholeFileTest, EveryNameThatTheSystemAllowsCanBeWritten) {
  const std::string longest(255, 'n');
  put(path(longest), "x");
  put(path(longest), "y");
  EXPECT_EQ(file_content(path(longest)), "y");
  EXPECT_EQ(folder_.shortened(complaint([&] { put(path(longest + "n"), "x"); })),
            longest + "n: cannot be written (File name too long)");
  EXPECT_EQ(entries(folder_.path()), 1);
}

TEST_P(WholeFileTest, OpenDescriptorIsWrittenWhereItStands) {
  const fs::path log = folder_.write("log", "before\n");
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_APPEND);
  for (const char* name : {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"}) {
    put(name + std::to_string(descriptor), "result\n");
  }
  fs::create_symlink("/dev/fd/" + std::to_string(descriptor), path("link"));
  put(path("link"), "linked\n");
  ASSERT_EQ(::write(descriptor, "after\n", 6), 6);
  ::close(descriptor);
  EXPECT_EQ(file_content(log), "before\nresult\nresult\nresult\nlinked\nafter\n");
}

TEST_P(WholeFileTest, ManyMayBeOpenAtOnce) {
  std::vector<std::unique_ptr<WholeFile>> files;
  for (int i = 0; i < 300; ++i) {
    files.push_back(std::make_unique<WholeFile>(path(std::to_string(i))));
  }
  files.back()->commit();
  files.clear();
  EXPECT_EQ(entries(folder_.path()), 1);
}

TEST_P(WholeFileTest, ProcessThatIsKilledLeavesNothingOnceItsParentCleansUp) {
  const pid_t child = ::fork();
  if (child == 0) {
    WholeFile file{path("a")};
    file.write("x");
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(entries(folder_.path()), GetParam() ? 0 : 1);
  remove_named_temporaries(child);
  EXPECT_EQ(entries(folder_.path()), 0);
}

TEST_P(WholeFileTest, WhatAKilledProcessLeftIsRemovedADayLater) {
  const std::string recent = ".dcube-012345670123456701234567.tmp";
  const std::string left = ".dcube-112345670123456701234567.tmp";
  const std::string others = ".dcube-notes.tmp";
  for (const std::string& name : {recent, left, others}) {
    folder_.write(name, "x");
    if (name != recent) {
      fs::last_write_time(path(name), fs::file_time_type::clock::now() - std::chrono::hours{25});
    }
  }
  put(path("a"), "x");
  put(path("a"), "y");  // takes a name where files need none
  EXPECT_TRUE(fs::exists(path(recent)));
  EXPECT_FALSE(fs::exists(path(left)));
  EXPECT_TRUE(fs::exists(path(others)));
}

TEST_P(WholeFileTest, FileOfALivingWriterStaysHoweverOldItIs) {
  has_unnamed_files = false;
  WholeFile living{path("a")};
  ASSERT_EQ(entries(folder_.path()), 1);
  const fs::path temporary = *fs::directory_iterator(folder_.path());
  fs::last_write_time(temporary, fs::file_time_type::clock::now() - std::chrono::hours{25});
  put(folder_.path() / "." / "b", "x");  // by another name of the folder: it is looked into anew
  EXPECT_TRUE(fs::exists(temporary));
  living.commit();
  EXPECT_EQ(entries(folder_.path()), 2);
}

INSTANTIATE_TEST_SUITE_P(Disks, WholeFileTest, ::testing::Bool(), [](const auto& test) {
  return test.param ? "WithUnnamedFiles" : "WithoutUnnamedFiles";
});

}  // namespace
}  // namespace dcube
