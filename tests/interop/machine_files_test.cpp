// Machines of other tools: what their files become, and complaints.

#include "dcube/interop/machine_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

Params document_of(const std::string& suffix, const std::string& text) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / ("dcube_machine" + suffix);
  std::ofstream{file} << text;
  return machine_format_of(file.string())->read(file);
}

/// Complaint without the folder of the file.
std::string problem_of(const std::string& suffix, const std::string& text) {
  try {
    make_topology(document_of(suffix, text).group("topology"));
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.substr(what.find("dcube_machine") + 13);
  }
  return "no error";
}

std::string cost_of(const Params& document, const std::string& of_class, const std::string& key) {
  return *document.group("link").group("classes").group(of_class).find(key)->text();
}

TEST(MachineFormats, SuffixesTellThem) {
  EXPECT_EQ(machine_format_of("a/network.yml")->name, "astra-sim");
  EXPECT_EQ(machine_format_of("x.topo")->name, "htsim");
  EXPECT_EQ(machine_format_of("cluster.xml")->name, "simgrid");
  EXPECT_EQ(machine_format_of("torus:8x8"), nullptr);
  EXPECT_EQ(machine_format_of("x.json"), nullptr);
}

constexpr const char* network = R"(# a node and rails
topology: [ FullyConnected, Ring, Switch ]  # kinds
npus_count: [ 4,
  3, 2 ]
bandwidth:
  - 200.0
  - "100"
- 50
latency: [ 50.0, 500.0, 2000.0 ]  # ns
)";

TEST(AstraSim, DimensionsAreBlocksWithCosts) {
  const Params document = document_of(".yml", network);
  const auto topology = make_topology(document.group("topology"));
  EXPECT_EQ(topology->terminal_count(), 24U);
  EXPECT_EQ(topology->node_count(), 24U + 12U);
  EXPECT_EQ(topology->link_count(), 6U * 6 + 8U * 3 + 24U);
  EXPECT_EQ(topology->distance(NodeId{0}, NodeId{1}), 1U) << "the first dimension is fastest";
  EXPECT_EQ(topology->distance(NodeId{0}, NodeId{12}), 2U);
  EXPECT_EQ(cost_of(document, "block 0", "latency"), "50.0ns");
  EXPECT_EQ(parse_time_per_byte(cost_of(document, "block 2", "bandwidth")),
            ExactTime(1'000'000'000'000, std::int64_t{50} << 30U));
}

TEST(AstraSim, OneDimensionMayBeAValue) {
  const Params document =
      document_of(".yml", "topology: Ring\nnpus_count: 8\nbandwidth: 50\nlatency: 500\n");
  EXPECT_EQ(make_topology(document.group("topology"))->link_count(), 8U);
}

TEST(AstraSim, ComplaintsNameTheLine) {
  const auto problem = [](const std::string& text) { return problem_of(".yml", text); };
  EXPECT_EQ(
      problem("topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\n"),
      ".yml: `latency` is missing (a network of ASTRA-sim has topology, npus_count, bandwidth "
      "and latency)");
  EXPECT_EQ(problem("topology: [Ring, Ring]\nnpus_count: [4]\nbandwidth: [1, 1]\nlatency: [1, 1]"),
            ".yml:2: `npus_count` has 1 value for 2 dimensions");
  EXPECT_EQ(problem("topology: [Mesh]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [1]"),
            ".yml:1: \"Mesh\" is no building block that dcube reads (Ring, FullyConnected or "
            "Switch)");
  EXPECT_EQ(problem("topology: [Ring]\nnpus_count: [0]\nbandwidth: [1]\nlatency: [1]"),
            ".yml:2: 0 is no number of NPUs (1 or more)");
  EXPECT_EQ(problem("topology: [Ring]\nlinks: [2]\n"),
            ".yml:2: \"links\" is no key of a network of ASTRA-sim that dcube reads (topology, "
            "npus_count, bandwidth, latency)");
  EXPECT_EQ(problem("topology: [Ring\n"), ".yml:2: a list has no end (`]`)");
  EXPECT_EQ(problem("topology: [Ring] x\n"), ".yml:1: \"x\" follows the end of a list");
  EXPECT_EQ(problem("topology: Ring\ntopology: Ring\n"), ".yml:2: `topology` is given twice");
  EXPECT_TRUE(problem("topology: Ring\nnpus_count: 4\nbandwidth: 0\nlatency: 1\n")
                  .starts_with(".yml:3: \"0GiB/s\" is not a rate"));
  EXPECT_EQ(problem("- Ring\n"), ".yml:1: an item belongs to no key");
  EXPECT_EQ(problem("{topology}\n"),
            ".yml:1: \"{topology}\" is no line of a network (`key: "
            "[value, ..]`)");
}

constexpr const char* tree = R"(Nodes 64
Tiers 3
Podsize 16

# hosts below
Tier 0
Downlink_speed_Gbps 400
Radix_Down 4
Radix_Up 4
Downlink_Latency_ns 500
Switch_Latency_ns 300

Tier 1
Downlink_speed_Gbps 200
Bundle 2
Radix_Down 8
Radix_Up 2
Downlink_Latency_ns 600
Switch_Latency_ns 100

tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 700
)";

TEST(Htsim, TiersAreLevels) {
  const Params document = document_of(".topo", tree);
  const auto topology = make_topology(document.group("topology"));
  // 16 switches of tier 0, in each of 4 pods 2 of tier 1, and 2 x 2 of tier 2.
  EXPECT_EQ(topology->terminal_count(), 64U);
  EXPECT_EQ(topology->node_count(), 64U + 16 + 8 + 4);
  EXPECT_EQ(topology->link_count(), 64U + 16 * 4 + 8 * 2);
  EXPECT_EQ(cost_of(document, "level 1", "bandwidth"), "400Gbps");
  // Each way up and down passes the switches of its height.
  const auto latency = [&](const char* level) {
    return parse_duration(cost_of(document, level, "latency")).numerator();
  };
  EXPECT_EQ(2 * latency("level 1"), 2 * 500'000 + 300'000);
  EXPECT_EQ(2 * (latency("level 1") + latency("level 2")),
            2 * (500'000 + 600'000) + 2 * 300'000 + 100'000);
  EXPECT_EQ(2 * (latency("level 1") + latency("level 2") + latency("level 3")),
            2 * (500'000 + 600'000 + 700'000) + 2 * 300'000 + 2 * 100'000);
}

TEST(Htsim, ComplaintsNameWhatDoesNotComeOut) {
  const auto problem = [](std::string text, const std::string& old, const std::string& now) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return problem_of(".topo", text.replace(at, old.size(), now));
  };
  EXPECT_EQ(problem(tree, "Nodes 64", "Nodes 48"),
            ".topo: its tiers join 64 nodes and not 48; a tree that is cut short is none that "
            "dcube reads");
  EXPECT_EQ(problem(tree, "Podsize 16", "Podsize 8"),
            ".topo: its tiers make pods of 16 and not 8 nodes");
  EXPECT_EQ(problem(tree, "Bundle 2", "Bundle 3"),
            ".topo: Radix_Up 4 of tier 0 is no multiple of the bundles of 3 above it");
  EXPECT_EQ(problem(tree, "tier 2", "Radix_Lower 2"),
            ".topo:21: \"Radix_Lower\" is no key of a tier of htsim");
  EXPECT_EQ(problem(tree, "Radix_Up 4", "Radix_Up 4\nOversubscribed 3"),
            ".topo: tier 0 is not oversubscribed 3 to 1 (1600 Gbps below, 800 above)");
  EXPECT_EQ(problem(tree, "Tiers 3", "Tiers 2"),
            ".topo: tier 1 has Radix_Up, and nothing is above it");
  EXPECT_EQ(problem(tree, "Nodes 64", "Nodes many"),
            ".topo:1: \"Nodes\" has no value (a whole number up to 1000000000 after the key)");
  EXPECT_EQ(problem(tree, "Downlink_Latency_ns 700", ""),
            ".topo: tier 2 has no Downlink_Latency_ns");
  EXPECT_EQ(problem(tree, "Downlink_speed_Gbps 100", ""),
            ".topo: tier 2 has no Downlink_speed_Gbps");
  EXPECT_EQ(problem(tree, "Downlink_speed_Gbps 200", "Downlink_speed_Gbps 0"),
            ".topo: tier 1 has no Downlink_speed_Gbps");
  EXPECT_EQ(problem(tree, "Radix_Down 8", ""), ".topo: tier 1 has no Radix_Down");
  EXPECT_EQ(problem(tree, "Radix_Up 2", ""), ".topo: tier 1 has no Radix_Up");
}

}  // namespace
}  // namespace dcube
