#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dcube
