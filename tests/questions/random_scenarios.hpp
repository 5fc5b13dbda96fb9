#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"

namespace dcube::testing {

inline std::string embedded(const std::string& machine, const std::string& program,
                            const std::string& embedding, const std::string& more = "") {
  return R"({"schema_version": 1, "seed": 5, "machine": )" + machine + R"(, "program": )" +
         program + R"(, "embedding": )" + embedding + more + "}";
}

/// Texts that are drawn, in their order; operands of `+` would be drawn in any.
inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
  }
  return text;
}

/// Draws parts of scenarios: machines of every kind, with every model of their networks, and
/// programs.
class ScenarioDraws {
 public:
  explicit ScenarioDraws(std::uint64_t seed) : random_{seed} {}

  std::uint64_t below(std::uint64_t bound) { return bounded(random_.next(), bound); }
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[below(choices.size())];
  }
  bool happens_once_in(std::uint64_t times) { return below(times) == 0; }

  std::string machine() {
    const std::string topology = one_of(
        {R"({"kind": "ring", "nodes": 8})", R"({"kind": "line", "nodes": 8})",
         R"({"kind": "mesh", "shape": [4, 2]})", R"({"kind": "torus", "shape": [4, 4]})",
         R"({"kind": "torus", "shape": [3, 3], "tie": "positive"})",
         R"({"kind": "torus", "shape": [4, 3], "wrap": [false, true]})",
         R"({"kind": "torus", "shape": [[2, 3], 2]})", R"({"kind": "hypercube", "dimensions": 3})",
         R"({"kind": "twisted_torus", "shape": [4, 8]})",
         R"({"kind": "twisted_torus", "shape": [2, 4]})",
         R"({"kind": "graph", "edges": [[0, 1], [1, 2], [2, 3], [3, 0], [2, 4], [4, 5],
                   [5, 6], [6, 7], [7, 0], [1, 8], [8, 3]]})"});
    const std::optional<RandomGraph> graph =
        happens_once_in(5) ? std::optional{random_graph()} : std::nullopt;
    std::string text = R"({"topology": )" + (graph ? graph->topology() : topology) +
                       R"(, "link": )" + link() +
                       R"(, "compute": {"flop": "2ns", "add": "3ns", "multiply": "5ns"})";
    const bool is_fluid = happens_once_in(4);
    if (is_fluid) {
      text += R"(, "network": )" + one_of({R"("fluid")", R"({"kind": "fluid", "model": "CM02"})",
                                           R"({"kind": "fluid", "model": "LV08"})"});
    } else {
      text += R"(, "switching": ")" + one_of({"store_and_forward", "cut_through"}) + R"(")";
    }
    if (happens_once_in(3)) {
      text += R"(, "endpoint": )" + endpoint();
    }
    if (graph && happens_once_in(2)) {
      text += R"(, "routing": {"kind": "table", "routes": [)" + table_of(*graph) + "]}";
    } else if (!is_fluid && happens_once_in(4)) {
      text += R"(, "routing": {"kind": ")" +
              one_of({"random_order", "valiant", "minimal_adaptive", "shortest"}) + R"("})";
    }
    if (happens_once_in(5)) {
      text +=
          joined({R"(, "links": [{"from": 0, "to": 1, "latency": ")", one_of({"0s", "3ns", "9us"}),
                  R"(", )", per_byte({"0s", "1ps", "20ns"}), "}])"});
    }
    if (happens_once_in(6)) {
      text += R"(, "failed": )" +
              one_of({R"({"nodes": [1]})", R"({"links": [[0, 1]]})", R"({"spares": [0, 3]})",
                      R"([{"links": [[0, 1]], "at": "4us"}])", R"([{"nodes": [1], "at": "9us"}])"});
    }
    if (happens_once_in(4)) {
      text +=
          joined({R"(, "host": {"attached_to": )", std::to_string(below(6)),
                  R"(, "latency": "1us", "per_byte": )", one_of({R"("0s")", R"("20ns")"}), "}"});
    }
    const std::string node = this->node();
    return text + (node.empty() ? "" : R"(, "node": {)" + node + "}") + "}";
  }

  /// Times from next to nothing up to those of links.
  std::string endpoint() {
    Draw draw{random_.next()};
    const Ticks unit{draw.one_of(std::array<Ticks::rep, 3>{50, 4'000, 100'000})};
    return endpoint_json(random_endpoint(draw, unit, 20));
  }

  std::string jitter() { return happens_once_in(6) ? R"(, "jitter": 0.01)" : ""; }

  std::string program() {
    if (happens_once_in(4)) {
      Draw draw{random_.next()};
      const std::uint32_t size = 1 + draw.below(9);
      RandomCall call;
      do {
        call = random_call(draw, size, 1 + draw.below(60));
      } while (call.call.kind == CollectiveKind::all_to_allv);
      return call_json(call, size);
    }
    return one_of(
        {R"({"kind": "cc_dcube", "dimensions": 3, "compute": "2us", "message": 30})",
         R"({"kind": "cc_dcube", "dimensions": 3, "compute": {"uniform": ["0s", "9us"]}, "message": 40})",
         R"({"kind": "cc_dcube", "dimensions": 3, "compute": {"uniform": ["1us", "3us"]}, "exchange": "eager"})",
         R"({"kind": "bitonic_sort", "processes": 8, "keys_per_process": 8})",
         R"({"kind": "broadcast", "processes": 7, "values": 8})",
         R"({"kind": "all_to_all", "processes": 6, "message": 50, "order": ")" +
             one_of({"shifted", "at_once"}) + R"("})",
         R"({"kind": "allreduce", "processes": 8, "bytes": 400, "compute": "1ns"})",
         R"({"kind": "barrier", "processes": 5})",
         R"({"kind": "pattern", "guest": "line:2", "phases": [{"messages": [{"from": 0, "to": 1, "bytes": 1000}]}]})",
         R"({"kind": "pattern", "guest": "ring:5", "phases": [{"messages": [{"from": 0, "to": 3, "bytes": 999}, {"from": 1, "to": 0, "bytes": 7}, {"from": 1, "to": 4, "bytes": 100}]}, {"compute": "700ns"}, {"exchange": [33]}]})",
         R"({"kind": "allreduce", "processes": 8, "bytes": 640, "algorithm": "swing_bandwidth", "shape": [4, 2], "ports": 4, "compute": "3ns"})",
         R"({"kind": "allreduce", "processes": 8, "bytes": 960, "algorithm": "bucket", "shape": [4, 2], "repeat": 2, "data": false})",
         R"({"kind": "reduce_scatter", "processes": 6, "bytes": 240, "algorithm": "ring", "ports": 2, "compute": "200ns"})",
         R"({"kind": "pattern", "guest": "ring:8", "phases": [{"repeat": 2, "phases": [{"compute": "3us"}, {"exchange": [64]}]}, {"collective": "allreduce", "bytes": 8}]})",
         R"({"kind": "pattern", "guest": "mesh:4x2", "phases": [{"exchange": [64, 16], "meanwhile": [{"compute": "5us"}]}, {"compute": "1us"}]})",
         R"({"kind": "fft", "processes": 8, "points_per_process": 4, "exchange": ")" +
             one_of({"rendezvous", "eager"}) + R"("})",
         R"({"kind": "knapsack", "processes": 4, "items": 9, "capacity": 8})",
         R"({"kind": "load_balance", "processes": 8, "most": 20, "work": "2us", "heuristic": )" +
             one_of({"0", "1", "2"}) + "}",
         joined({R"({"kind": "maze", "processes": 4, "size": [8, 8], "algorithm": )",
                 one_of({"1", "2"}), R"(, "termination": )", one_of({R"("global")", R"("free")"}),
                 "}"}),
         R"({"kind": "replication", "processes": 7, "g": "3us", "f": "4us", "values": 9, "mode": )" +
             one_of({R"("broadcast")", R"("everywhere")"}) + "}",
         R"({"kind": "template_matching", "image": ")" + scenarios_ + R"(/images/shapes.pgm",
             "template": ")" +
             scenarios_ + R"(/images/cross.pgm", "processes": 4,
             "variant": "replicated_borders", "host": true, "host_collects": )" +
             one_of({"true", "false"}) + "}",
         R"({"kind": "traffic", "file": ")" + scenarios_ +
             R"(/traces/stencil-16.csv", "messages": "one", "rounds": 2})",
         R"({"kind": "ti", "guest": "line:8", "file": ")" + scenarios_ + R"(/traces/jacobi-8.ti"})",
         R"({"kind": "goal", "file": ")" + scenarios_ + R"(/traces/tree-8.goal"})",
         R"({"kind": "otf2", "guest": "ring:4", "file": ")" + scenarios_ +
             R"(/traces/stencil-4/stencil.otf2"})",
         R"({"kind": "chakra", "file": ")" + scenarios_ + R"(/traces/train.{}.et"})"});
  }

 private:
  struct RandomGraph {
    std::vector<std::vector<std::uint64_t>> neighbours;

    /// Some edges have a class of links, which changes the numbers of links alone.
    std::string topology() const {
      std::string edges;
      for (std::uint64_t a = 0; a < neighbours.size(); ++a) {
        for (const std::uint64_t b : neighbours[a]) {
          const std::string_view link_class = (a + b) % 3 == 0 ? R"(, "other")" : "";
          edges +=
              a < b ? fmt::format("{}[{}, {}{}]", edges.empty() ? "" : ", ", a, b, link_class) : "";
        }
      }
      return R"({"kind": "graph", "edges": [)" + edges + "]}";
    }
  };

  /// A tree with some links more.
  RandomGraph random_graph() {
    RandomGraph graph{std::vector<std::vector<std::uint64_t>>(5 + below(6))};
    const auto join = [&](std::uint64_t a, std::uint64_t b) {
      if (a != b && std::ranges::count(graph.neighbours[a], b) == 0) {
        graph.neighbours[a].push_back(b);
        graph.neighbours[b].push_back(a);
      }
    };
    const std::uint64_t nodes = graph.neighbours.size();
    join(0, 1);
    for (std::uint64_t node = 2; node < nodes; ++node) {
      join(node, below(node));
    }
    for (std::uint64_t more = below(nodes); more > 0; --more) {
      join(below(nodes), below(nodes));
    }
    return graph;
  }

  /// Routes along a tree to each node, which may be longer than need be.
  std::string table_of(const RandomGraph& graph) {
    std::string rows;
    for (std::uint64_t to = 0; to < graph.neighbours.size(); ++to) {
      std::vector<std::uint64_t> reached{to};
      std::vector<bool> is_reached(graph.neighbours.size());
      is_reached[to] = true;
      while (reached.size() < graph.neighbours.size()) {
        const std::uint64_t next = reached[below(reached.size())];
        for (const std::uint64_t at : graph.neighbours[next]) {
          if (!is_reached[at] && !happens_once_in(3)) {
            is_reached[at] = true;
            reached.push_back(at);
            rows += fmt::format("{}[{}, {}, {}]", rows.empty() ? "" : ", ", at, to, next);
          }
        }
      }
    }
    return rows;
  }

  /// Whole picoseconds, or a rate whose bytes take no whole number.
  std::string per_byte(const std::vector<std::string>& times) {
    return happens_once_in(3)
               ? joined({R"("bandwidth": ")", one_of({"3GBps", "700MBps", "3000GBps"}), R"(")"})
               : joined({R"("per_byte": ")", one_of(times), R"(")"});
  }

  std::string link() {
    std::string link = joined({R"({"latency": ")", one_of({"1us", "0s", "7us", "1.0004ns"}),
                               R"(", )", per_byte({"1ns", "0s", "10ns"}), R"(, "contention": )",
                               one_of({"true", "true", "false"}), R"(, "duplex": )",
                               one_of({R"("full")", R"("full")", R"("half")"})});
    if (happens_once_in(5)) {
      link += R"(, "pipelined": true)";
    }
    if (happens_once_in(3)) {
      link += R"(, "packet": )" + one_of({"16", "100"});
    }
    return link + "}";
  }

  std::string node() {
    std::string node =
        happens_once_in(3)
            ? joined({R"("slots": )", one_of({"2", "2", "8"}), R"(, "local": {"latency": ")",
                      one_of({"100ns", "20us"}), one_of({"", R"(", "per_byte": "30ns)"}), R"("})",
                      one_of({"", R"(, "cores": 1)"})})
            : std::string{};
    if (happens_once_in(3)) {
      node += joined({node.empty() ? "" : ", ", R"("injection": {)", injection(),
                      one_of({"", R"(, "interfaces": 2)"}), "}"});
    }
    return node;
  }

  /// Costs of both directions, of one, or of each.
  std::string injection() {
    const auto cost = [this] {
      return joined(
          {R"("latency": ")", one_of({"0s", "500ns"}), R"(", )", per_byte({"0s", "10ns", "1us"})});
    };
    switch (bounded(random_.next(), 4)) {
      case 0:
        return joined({R"("out": {)", cost(), R"(}, "in": {)", cost(), "}"});
      case 1:
        return joined({one_of({R"("out": {)", R"("in": {)"}), cost(), "}"});
      default:
        return cost();
    }
  }

  std::string scenarios_ = DCUBE_SOURCE_DIR "/scenarios";
  SplitMix64 random_;
};

/// No run of the cases `part * count` .. is faster than its bound; `program` draws theirs.
inline void expect_no_faster_run(
    std::uint64_t part, const TemporaryFolder& folder,
    const std::function<std::string(ScenarioDraws&, const TemporaryFolder&)>& program_of) {
  const RandomCases cases = random_cases(400);
  std::uint64_t bounds = 0;
  std::uint64_t refused = 0;
  std::set<std::string> complaints;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    const std::uint64_t seed = cases.first_seed + part * cases.count + i;
    ScenarioDraws draws{hash_of(seed)};
    const std::string machine = draws.machine();
    const std::string program = program_of(draws, folder);
    const std::string jitter = draws.jitter();
    std::optional<MakespanBound> bound;
    for (const std::string embedding : {R"("identity")", R"({"kind": "random", "seed": 1})",
                                        R"({"kind": "random", "seed": 2})"}) {
      const std::string text = embedded(machine, program, embedding, jitter);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
      std::optional<Scenario> scenario;
      try {
        scenario = load_scenario(folder.write("x.json", text));
      } catch (const InputError& error) {
        ++refused;
        complaints.insert(error.problem());
        continue;
      }
      bound = bound ? bound : makespan_bound(*scenario, nullptr, 1e7);
      if (!bound) {
        continue;
      }
      ++bounds;
      const RunReport report = run_scenario(*scenario, nullptr, {}, Findings::report).report;
      if (report.outcome == Outcome::completed) {
        ASSERT_GE(to_seconds(report.makespan), to_seconds(bound->makespan)) << bound->source;
      }
    }
  }
  EXPECT_GT(bounds, cases.count) << refused << " refused: " << ::testing::PrintToString(complaints);
}

}  // namespace dcube::testing
