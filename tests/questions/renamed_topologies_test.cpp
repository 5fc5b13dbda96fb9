// A topology that a plug-in registers gets the answers of the shipped kind with the same structure.

#include "support/renamed_topologies.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "dcube/questions/collective.hpp"
#include "dcube/questions/embed.hpp"
#include "dcube/questions/search.hpp"

namespace dcube {
namespace {

struct Case {
  std::string topology;
  std::string guest;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.topology << " " << one.guest; }

Params machine_with(const Params& topology) {
  Params machine = Params::parse("schema_version=1,name=net");
  machine.set("topology", topology);
  machine.set("link", Params::parse("latency=1us,bandwidth=1GBps"));
  return machine;
}

class RenamedTopology : public ::testing::TestWithParam<Case> {
 protected:
  /// Asks the same of both.
  template <class Ask>
  void expect_equal(Ask ask) {
    const auto [shipped, renamed] = shipped_and_renamed(GetParam().topology);
    const std::string wanted = ask(machine_with(shipped));
    const std::string found = ask(machine_with(renamed));
    EXPECT_EQ(with_shipped_names(found), wanted);
    EXPECT_NE(found, wanted);  // it names the kind
  }
};

TEST_P(RenamedTopology, HasTheBoundsAndStartsOfTheShippedKind) {
  for (const char* objective : {"hop-bytes", "longest-dilation", "link-load"}) {
    expect_equal([&](const Params& machine) {
      SearchRequest request{.traffic = GetParam().guest, .objective = objective, .effort = 2000};
      request.machine_document = machine;
      SearchAnswer answer = search(request);
      answer.wall_s = 0;
      answer.history.clear();
      answer.bound_history.clear();
      return search_json(answer);
    });
  }
}

TEST_P(RenamedTopology, HasTheCertificateOfTheShippedKind) {
  const auto [shipped, renamed] = shipped_and_renamed(GetParam().topology);
  const auto certificate = [](const Params& topology) {
    SearchRequest request{.traffic = GetParam().guest, .method = "exhaustive"};
    request.machine_document = machine_with(topology);
    const SearchAnswer answer = search(request);
    try {
      expect_certificate(answer);
      return certificate_json(answer);
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
  };
  if (make_topology(shipped)->node_count() <= 8) {  // more take long
    EXPECT_EQ(certificate(renamed), certificate(shipped));
  }
}

TEST_P(RenamedTopology, HasTheEmbeddingsAndFormulasOfTheShippedKind) {
  for (const char* embedding :
       {"standard", "xor", "gray", "snake", "loop", "binary_tree", "by_weight", "weighted_xor"}) {
    expect_equal([&](const Params& machine) {
      EmbedRequest request{
          .machines = {"net"}, .embeddings = {embedding}, .guest = GetParam().guest};
      request.machine_document = machine;
      try {
        std::vector<std::string> refuted;
        return embed_json(embed(request), refuted);
      } catch (const InputError& error) {
        return std::string{error.what()} + " " + machine.group("topology").text("kind");
      }
    });
  }
}

TEST_P(RenamedTopology, HasTheCollectivesOfTheShippedKind) {
  expect_equal([&](const Params& machine) {
    CollectiveRequest request{.operation = "allreduce", .machine = ""};
    request.machine_document = machine;
    request.bytes = {"4KiB"};
    request.crossovers = false;
    CollectiveAnswer answer = collective(request);
    answer.id.clear();  // which follows from the names
    return collective_json(answer);
  });
}

INSTANTIATE_TEST_SUITE_P(, RenamedTopology,
                         ::testing::Values(Case{"line,nodes=8", "cube:3"},
                                           Case{"ring,nodes=8", "cube:3"},
                                           Case{"mesh,shape=4x4", "line:16"},
                                           Case{"torus,shape=4x4", "cube:4"},
                                           Case{"torus,shape=4x4,wrap=[true,false]", "cube:4"},
                                           Case{"hypercube,dimensions=3", "tree:7"},
                                           Case{"hypercube,dimensions=3", "cube:3"},
                                           Case{"twisted_torus,shape=2x4", "ring:8"},
                                           Case{"graph,edges=[[0,1],[1,2],[2,3],[3,0]]", "cube:2"}),
                         [](const auto& one) {
                           std::string name;
                           for (const char c : one.param.topology + "_" + one.param.guest) {
                             name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace dcube
