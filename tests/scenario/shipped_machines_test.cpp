#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "dcube/network/machine.hpp"
#include "dcube/scenario/machines.hpp"
#include "shipped_files.hpp"

namespace dcube {
namespace {

TEST(ShippedMachines, AllSizesOfAFamilyHaveOneModel) {
  std::map<std::string, std::shared_ptr<const Machine>> families;
  std::size_t compared = 0;
  for (const std::filesystem::path& file : shipped_files("platforms")) {
    const std::string name = file.stem().string();
    const std::string family = name.substr(0, name.find('-'));
    if (family == "unit" || name == "ncube10-64-matching") {  // fitted to another experiment
      continue;
    }
    const auto machine = load_machine(file.string());
    EXPECT_EQ(machine->links.switching == Switching::cut_through, family != "ncube10") << name;
    const auto [first, is_first] = families.emplace(family, machine);
    if (!is_first) {
      const LinkModel& known = first->second->links;
      EXPECT_EQ(machine->links.switching, known.switching) << name;
      EXPECT_EQ(machine->links.per_dimension.front(), known.per_dimension.front()) << name;
      EXPECT_EQ(machine->links.duplex, known.duplex) << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 6U);
}

struct Published {
  const char* name;
  std::uint32_t terminals;
  std::uint32_t switches;
  std::uint64_t links;
};

TEST(ShippedMachines, NetworksOfSwitchesHaveThePublishedNumbers) {
  constexpr std::uint64_t groups = 74;
  constexpr std::array<Published, 6> machines{{
      // A link for each of 512 endpoints a group, every two of its 32 switches, and four for every
      // two groups.
      {"frontier-74x32x16", groups * 512, groups * 32,
       groups * 512 + groups * 32 * 31 / 2 + groups * (groups - 1) / 2 * 4},
      // Rows of 16 and columns of 6; 960 global ports of a group for 11 others.
      {"cray_xc40-12x96x4", 12 * 384, 12 * 96,
       12 * 384 + 12 * (6 * 16 * 15 / 2 + 16 * 6 * 5 / 2) + 12 * 11 / 2 * (960 / 11)},
      // Two ports a node, 18 links above a switch of a rack, 18 of a line card to spines.
      {"summit-16x16x18", 256 * 18, 2 * 256 + 2 * 288 + 2 * 324,
       256 * 18 * 2 + 512 * 18 + 576 * 18},
      // Half as many above the leaves.
      {"hdr_fat_tree-4x20x26", 2080, 80 + 52 + 26, 2080 + 1040 + 1040},
      // A switch a node, 32 leaves and 16 spines; a link of NVLink and one of InfiniBand a GPU, and
      // leaves of 32 ports either way.
      {"superpod_h100-128x8", 1024, 128 + 32 + 16, 1024 + 1024 + 1024},
      {"dgx_h100-8", 8, 1, 8},
  }};
  for (const Published& published : machines) {
    SCOPED_TRACE(published.name);
    const std::filesystem::path folder = shipped_files("platforms").front().parent_path();
    const auto machine = load_machine((folder / (std::string{published.name} + ".json")).string());
    EXPECT_EQ(machine->topology->terminal_count(), published.terminals);
    EXPECT_EQ(machine->topology->structure().switches, published.switches);
    EXPECT_EQ(machine->topology->link_count(), published.links);
  }
}

}  // namespace
}  // namespace dcube
