#include "dcube/scenario/platform_search.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "dcube/scenario/machines.hpp"
#include "shipped_files.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view tiny_machine =
    R"({"schema_version": 1, "topology": {"kind": "line", "nodes": 2}})";

TEST(PlatformSearch, ShippedMachinesAreFoundFromAnywhere) {
  const TemporaryFolder folder;
  const WorkingFolder here{folder.path()};
  EXPECT_EQ(find_machine_file("unit-ring-8", {}, "").filename(), "unit-ring-8.json");
  EXPECT_EQ(load_machine("unit-ring-8")->name, "unit-ring-8");
}

TEST(PlatformSearch, FolderOfTheScenarioWins) {
  const TemporaryFolder folder;
  const fs::path beside = folder.write("work/platforms/unit-ring-8.json", tiny_machine);
  const fs::path scenarios = folder.write("work/sub/x.json", "").parent_path();
  EXPECT_EQ(find_machine_file("unit-ring-8", scenarios, ""), beside);
}

TEST(PlatformSearch, WorkingDirectoryHidesNoMachine) {
  const TemporaryFolder folder;
  folder.write("platforms/unit-ring-8.json", tiny_machine);
  folder.write("platforms/rare.json", tiny_machine);
  const fs::path beside = folder.write("work/platforms/rare.json", tiny_machine);
  folder.write("work/sub/x.json", "");
  const WorkingFolder here{folder.path()};
  EXPECT_EQ(load_machine("unit-ring-8")->topology->node_count(), 8U);
  EXPECT_EQ(find_machine_file("unit-ring-8", folder.path() / "work", "").filename(),
            "unit-ring-8.json");
  EXPECT_EQ(load_machine("unit-ring-8")->topology->node_count(), 8U);
  EXPECT_EQ(find_machine_file("rare", folder.path() / "work/sub", ""), beside);
  EXPECT_EQ(find_machine_file("rare", {}, ""), "platforms/rare.json");
}

TEST(PlatformSearch, ScenarioInTheWorkingDirectoryHasItsMachinesBesideIt) {
  const TemporaryFolder folder;
  folder.write("platforms/unit-ring-8.json", tiny_machine);
  const WorkingFolder here{folder.path()};
  EXPECT_EQ(find_machine_file("unit-ring-8", fs::path{}, ""), "platforms/unit-ring-8.json");
}

TEST(PlatformSearch, FolderThatCannotBeReadHasNoNames) {
  const TemporaryFolder folder;
  folder.write("platforms/rare.json", tiny_machine);
  const WorkingFolder here{folder.path()};
  fs::permissions(".", fs::perms{0755});
  fs::permissions("platforms", fs::perms{0711});  // may be entered, not listed
  if (::geteuid() == 0) {
    ASSERT_EQ(::seteuid(65534), 0);  // root may list everything
  }
  EXPECT_EQ(complaint([] { find_machine_file("unit-torus-8x9", {}, ""); }),
            "\"unit-torus-8x9\" is no machine in platforms/; did you mean `unit-torus-8x8`?");
  ASSERT_EQ(::seteuid(::getuid()), 0);
}

TEST(PlatformSearch, EnvironmentAddsAFolder) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("data/platforms/rare.json", tiny_machine);
  ::setenv("DCUBE_DATA", (folder.path() / "data").c_str(), 1);
  EXPECT_EQ(find_machine_file("rare", {}, ""), file);
  ::unsetenv("DCUBE_DATA");
  EXPECT_NE(complaint([] { find_machine_file("rare", {}, ""); }), "");
}

TEST(PlatformSearch, FilesAreRelativeToTheScenario) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("machines/m.json", tiny_machine);
  EXPECT_EQ(find_machine_file("machines/m.json", folder.path(), ""), file);
  EXPECT_EQ(find_machine_file("../machines/m.json", folder.path() / "s", ""), file);
  EXPECT_EQ(find_machine_file(file.string(), folder.path(), ""), file);
}

TEST(PlatformSearch, UnknownNameOffersTheNearest) {
  EXPECT_EQ(complaint([] { find_machine_file("unit-torus-8x9", {}, "x.json: /machine"); }),
            "x.json: /machine: \"unit-torus-8x9\" is no machine in platforms/; did you mean "
            "`unit-torus-8x8`?");
}

TEST(ListMachines, ShowsEveryShippedMachineAndItsNetwork) {
  const auto machines = list_machines();
  EXPECT_GE(machines.size(), shipped_files("platforms").size());
  EXPECT_TRUE(std::is_sorted(machines.begin(), machines.end()));
  const auto found = std::find_if(machines.begin(), machines.end(), [](const auto& machine) {
    return machine.first == "unit-torus-8x8";
  });
  ASSERT_NE(found, machines.end());
  EXPECT_EQ(found->second, "8x8 torus");
}

TEST(ListMachines, BrokenFileIsListedAsUnusable) {
  const TemporaryFolder folder;
  folder.write("platforms/aaa.json", "{");
  const WorkingFolder here{folder.path()};
  const auto machines = list_machines();
  EXPECT_EQ(machines.front().first, "aaa");
  EXPECT_TRUE(machines.front().second.starts_with("unusable: platforms/aaa.json: line 1"));
}

}  // namespace
}  // namespace dcube
