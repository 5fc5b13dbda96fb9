// What every embedding promises, for the example of each catalogue entry and for all kinds on a
// range of machines and process shapes, wherever they fit.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"
#include "placing.hpp"

namespace dcube {
namespace {

/// One embedding in words.
struct Case {
  std::string machine;
  std::string guest;
  std::string settings;  ///< without the kind
};

Case parse_example(const std::string& example) {
  const std::size_t first = example.find(" | ");
  const std::size_t second = example.find(" | ", first + 3);
  return {example.substr(0, first), example.substr(first + 3, second - first - 3),
          example.substr(second + 3)};
}

std::vector<std::string> machines() {
  return {"kind=line,nodes=1",           "kind=line,nodes=16",
          "kind=ring,nodes=8",           "kind=ring,nodes=2",
          "kind=ring,nodes=13",          "kind=mesh,shape=8x4",
          "kind=mesh,shape=3x5",         "kind=torus,shape=4x4x2",
          "kind=torus,shape=1x8x2",      "kind=torus,shape=16x8,tie=positive",
          "kind=torus,shape=5x7",        "kind=hypercube,dimensions=0",
          "kind=hypercube,dimensions=3", "kind=hypercube,dimensions=7",
          "kind=torus,shape=2*2x2*2",    "kind=torus,shape=3*2x2"};
}

std::vector<std::string> guests() {
  return {"cube:0",  "cube:1",   "cube:3",    "cube:4",     "cube:5",     "cube:7",   "ring:16",
          "ring:13", "line:8",   "mesh:8x4",  "torus:4x32", "mesh:2x4x2", "tree:7",   "tree:127",
          "tree:1",  "mesh:3x5", "torus:5x7", "line:1",     "ring:2",     "torus:8x1"};
}

/// The example and every pair of machine and guest that fits; kinds with settings of their own that
/// have no default keep to their example.
std::vector<Case> cases_of(const EmbeddingKind& kind) {
  std::vector<Case> cases{parse_example(kind.example)};
  const bool needs_settings =
      std::any_of(kind.parameters.begin(), kind.parameters.end(),
                  [](const ParameterHelp& parameter) { return parameter.default_value.empty(); });
  if (needs_settings) {
    return cases;
  }
  for (const std::string& machine : machines()) {
    const auto topology = placing::machine(machine);
    for (const std::string& guest : guests()) {
      const Guest shape = Guest::parse(guest);
      if (!kind.obstacle({*topology, shape})) {
        cases.push_back({machine, guest, ""});
      }
    }
  }
  return cases;
}

class EmbeddingLaws : public ::testing::TestWithParam<const EmbeddingKind*> {
 protected:
  /// Calls `law(topology, guest, embedding)` for every case of the kind.
  template <class Law>
  void for_each_case(Law law) {
    for (const auto& [machine, guest, settings] : cases_of(*GetParam())) {
      SCOPED_TRACE(fmt::format("{} | {} | {}", machine, guest, settings));
      const auto topology = placing::machine(machine);
      Params params = Params::parse(settings);
      params.set("kind", GetParam()->name);
      const Guest shape = Guest::parse(guest);
      law(*topology, shape, *make_embedding(*topology, shape, params));
    }
  }
};

TEST_P(EmbeddingLaws, HostsEveryProcessOnANodeOfItsOwn) {
  for_each_case([](const Topology& topology, const Guest& guest, const Embedding& embedding) {
    std::vector<NodeId> nodes = embedding.map();
    EXPECT_EQ(nodes.size(), guest.process_count());
    std::sort(nodes.begin(), nodes.end());
    EXPECT_EQ(std::adjacent_find(nodes.begin(), nodes.end()), nodes.end());
    EXPECT_TRUE(topology.contains(nodes.back()));
  });
}

TEST_P(EmbeddingLaws, NodesOneByOneAreThoseOfTheMap) {
  for_each_case([](const Topology&, const Guest&, const Embedding& embedding) {
    std::vector<NodeId> nodes;
    for (std::uint32_t process = 0; process < embedding.process_count(); ++process) {
      nodes.push_back(embedding.node_of(ProcessId{process}));
    }
    EXPECT_EQ(nodes, embedding.map());
  });
}

TEST_P(EmbeddingLaws, NodesInBlocksAreThoseOfTheMap) {
  for_each_case([](const Topology&, const Guest&, const Embedding& embedding) {
    const std::vector<NodeId> map = embedding.map();
    for (std::size_t first = 0; first < map.size(); first += 3) {
      std::vector<NodeId> block(std::min<std::size_t>(3, map.size() - first));
      embedding.nodes_of(ProcessId{static_cast<std::uint32_t>(first)}, block);
      EXPECT_TRUE(
          std::equal(block.begin(), block.end(), map.begin() + static_cast<std::ptrdiff_t>(first)));
    }
  });
}

TEST_P(EmbeddingLaws, KnowsItsKind) {
  for_each_case([](const Topology&, const Guest&, const Embedding& embedding) {
    EXPECT_EQ(embedding.kind(), GetParam()->name);
  });
}

TEST_P(EmbeddingLaws, ProcessesOutsideAreContractViolations) {
  for_each_case([](const Topology&, const Guest&, const Embedding& embedding) {
    std::vector<NodeId> two(2);
    EXPECT_THROW(embedding.node_of(ProcessId{embedding.process_count()}), ContractViolation);
    EXPECT_THROW(embedding.nodes_of(ProcessId{embedding.process_count() - 1}, two),
                 ContractViolation);
  });
}

INSTANTIATE_TEST_SUITE_P(AllKinds, EmbeddingLaws,
                         ::testing::ValuesIn(embedding_catalog().begin(),
                                             embedding_catalog().end()),
                         [](const auto& test) { return test.param->name; });

}  // namespace
}  // namespace dcube
