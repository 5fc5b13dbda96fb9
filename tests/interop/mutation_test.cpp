#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reading.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/mutator.hpp"

namespace dcube {
namespace {

constexpr int rounds = 5000;

Mutator mutator() {
  return {20260201,
          {"-1",
           "0",
           "1",
           "1e999",
           "0.5",
           "4294967295",
           "4294967296",
           "9223372036854775807",
           "99999999999999999999",
           "[",
           "]",
           ",",
           ";",
           ":",
           "=",
           "\"",
           "\xff",
           "\xef\xbb\xbf",
           "\n",
           "\r\n",
           "\t",
           "#",
           "%",
           "rank ",
           " slot=0",
           "+n3",
           "node-",
           "symmetric",
           "array",
           "pattern",
           "111",
           std::string(1, '\0')}};
}

TEST(MutatedMaps, AreAcceptedOrGiveAnInputErrorOfOneLine) {
  const Machine machine = reading::machine("kind=torus,shape=4x4");
  const std::vector<NodeId> map{NodeId{5}, NodeId{0}, NodeId{15}, NodeId{2}, NodeId{7}};
  const HostNames hosts;
  for (const MapFormat* format : map_format_catalog()) {
    if (format->read != nullptr) {
      const std::string text = format->write({machine, map, hosts, {}});
      const auto read = [&](const std::string& mutated) {
        const std::vector<NodeId> nodes = format->read(mutated, {"x", *machine.topology, hosts});
        std::vector<bool> is_used(16);
        for (const NodeId node : nodes) {
          ASSERT_LT(node.index(), 16U);
          ASSERT_FALSE(is_used[node.index()]);
          is_used[node.index()] = true;
        }
      };
      Mutator lots = mutator();
      const int rejected = read_mutations(
          lots, rounds, [&](Mutator&) { return text; }, read);
      EXPECT_GT(rejected, rounds / 4) << format->name;
    }
  }
}

TEST(MutatedTraffic, IsAcceptedOrGivesAnInputErrorOfOneLine) {
  const Traffic traffic = Traffic::of(Guest::cube(3), std::vector<std::uint64_t>{1, 20, 300});
  for (const TrafficFormat* format : traffic_format_catalog()) {
    std::vector<std::string> texts{format->write(traffic)};
    if (format->name == "csv" || format->name == "matrix") {
      texts.emplace_back("0 7 0 2 1\n1 0 0 0 0\n0 2e3 0 0 0\n0 0 0 0 9\n5 0 0 4 0\n");
      texts.emplace_back(",a,b\na,0,7\nb,1,0\n");
    }
    if (format->name == "csv") {
      texts.emplace_back("source;destination\n0;1\n2;0\n");
    } else if (format->name == "mtx") {
      texts.emplace_back("%%MatrixMarket matrix array real symmetric\n3 3\n0\n2e3\n3\n0\n5\n0\n");
    } else if (format->name == "metis") {
      texts.emplace_back("% sizes\n4 2 111 1\n1 1 3 7 2 9\n\n1 1 1 9\n1 2 1 7\n");
      texts.emplace_back("4 2 111\n1 1 3 7 2 9\n1 5 1 9\n1 2 1 7\n0 0\n");
      texts.emplace_back("5 3\n2 3\n1\n1 5\n\n3\n");
    } else if (format->name == "grf") {
      texts.emplace_back("0\n3 4\n1 111\n7 9 1 4 5\n5 9 2 4 7 8 6\n6 9 1 8 5\n");
    }
    Mutator lots = mutator();
    const int rejected = read_mutations(
        lots, rounds, [&](Mutator& mutator) { return texts.at(mutator.below(texts.size())); },
        [&](const std::string& mutated) { reading::traffic(format->name, mutated); });
    EXPECT_GT(rejected, rounds / 4) << format->name;
  }
}

TEST(MutatedHostNames, AreAcceptedOrGiveAnInputErrorOfOneLine) {
  constexpr int files = rounds / 10;
  const TemporaryFolder folder;
  const auto nodes = make_topology(Params::parse("kind=ring,nodes=4"));
  const std::string text = "# rack 7\na.lan\nb-2.lan slots=1\nc_3:1\nd\n";
  Mutator lots = mutator();
  const int rejected = read_mutations(
      lots, files, [&](Mutator&) { return text; },
      [&](const std::string& mutated) {
        const HostNames hosts = HostNames::parse(folder.write("x", mutated).string(), *nodes);
        for (std::uint32_t node = 0; node < 4; ++node) {
          ASSERT_EQ(hosts.find(hosts.of(NodeId{node})), NodeId{node});
        }
      });
  EXPECT_GT(rejected, files / 8);
}

}  // namespace
}  // namespace dcube
