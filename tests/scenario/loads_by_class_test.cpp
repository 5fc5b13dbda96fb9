#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/with_host.hpp"
#include "scenario/embed_result.hpp"

namespace dcube {
namespace {

std::shared_ptr<const Topology> shared_network(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

/// A load for each link number that is in use, some of them 0.
std::vector<double> some_loads(const Topology& run) {
  std::vector<double> values(run.link_slots(), -1);
  for (std::uint32_t slot = 0; slot < run.link_slots(); ++slot) {
    if (run.link(LinkId{slot})) {
      values[slot] = slot * 37 % 11;
    }
  }
  return values;
}

TEST(LoadsByClass, AreThoseOfAPlainCount) {
  const auto tree = shared_network("kind=fat_tree,down=[4,3],up=[1,2]");  // 12 + 3 + 2 nodes
  const std::vector<double> values = some_loads(*tree);
  const nlohmann::ordered_json rows = loads_by_class(*tree, *tree, Duplex::full, values);
  ASSERT_EQ(rows.size(), 4U);
  std::map<std::string, std::vector<std::pair<double, std::string>>> expected;
  double most_of_all = 0;
  for (std::uint32_t slot = 0; slot < tree->link_slots(); ++slot) {
    const Link link = tree->link(LinkId{slot}).value();
    const auto [low, high] = std::minmax({link.from.index(), link.to.index()});
    const std::string name = std::string{low < 12 ? "level 1" : "level 2"} +
                             (link.from.index() == low ? " up" : " down");
    expected[name].emplace_back(
        values[slot], std::to_string(link.from.index()) + "->" + std::to_string(link.to.index()));
    most_of_all = std::max(most_of_all, values[slot]);
    EXPECT_EQ(high >= 15, low >= 12);
  }
  for (const auto& row : rows) {
    const auto& of =
        expected.at(row["class"].get<std::string>() + " " + row["way"].get<std::string>());
    const auto most = std::ranges::max_element(of, {}, [](const auto& one) { return one.first; });
    EXPECT_EQ(row["links"], of.size());
    EXPECT_EQ(row["max"], most->first);
    EXPECT_EQ(row["busiest"], most->second);
    EXPECT_EQ(row["unused"],
              std::ranges::count(of, 0.0, [](const auto& one) { return one.first; }));
    const double sum = std::accumulate(of.begin(), of.end(), 0.0,
                                       [](double all, const auto& one) { return all + one.first; });
    EXPECT_DOUBLE_EQ(row["mean"], sum / static_cast<double>(of.size()));
    std::vector<std::uint64_t> counts(24);
    for (const auto& [value, link] : of) {
      ++counts[value == most_of_all ? 23 : static_cast<std::size_t>(value * 24 / most_of_all)];
    }
    EXPECT_EQ(row["histogram"], counts);
  }
}

TEST(LoadsByClass, HaveNoWayBetweenSwitchesOfNoLevelsAndInHalfDuplex) {
  const auto fly = shared_network("kind=dragonfly,p=2,a=3,h=1");
  std::vector<double> values = some_loads(*fly);
  std::vector<std::string> names;
  for (const auto& row : loads_by_class(*fly, *fly, Duplex::full, values)) {
    names.push_back(row["class"].get<std::string>() + " " + row["way"].get<std::string>());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"terminal up", "terminal down", "local ", "global "}));
  for (std::uint32_t slot = 1; slot < fly->link_slots(); slot += 2) {
    values[slot] = -1;  // counted with the other direction
  }
  std::uint64_t links = 0;
  for (const auto& row : loads_by_class(*fly, *fly, Duplex::half, values)) {
    EXPECT_EQ(row["way"], "");
    EXPECT_EQ(row["busiest"].get<std::string>().find('>'), std::string::npos);
    links += row["links"].get<std::uint64_t>();
  }
  EXPECT_EQ(links, fly->link_count());
}

TEST(LoadsByClass, TellLinksOfAHostComputerApart) {
  const auto tree = shared_network("kind=fat_tree,down=[4],up=[1]");
  const auto run = with_host(tree, NodeId{0});
  const auto rows = loads_by_class(*tree, *run, Duplex::full, some_loads(*run));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2]["class"], "host");
  EXPECT_EQ(rows[2]["links"], 2);
}

}  // namespace
}  // namespace dcube
