#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/topology/platform.hpp"
#include "dcube/topology/routing.hpp"
#include "reading.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using Nodes = std::vector<std::uint32_t>;

std::string written(const char* format, std::string_view machine_settings, const Nodes& nodes,
                    std::uint32_t slots = 1) {
  Machine machine = reading::machine(machine_settings);
  machine.node.slots = slots;
  std::vector<NodeId> map;
  for (const std::uint32_t node : nodes) {
    map.emplace_back(node);
  }
  const HostNames hosts;
  return find_kind(map_format_catalog(), format)
      ->write({machine, map, hosts, [&] {
                 return Traffic{static_cast<std::uint32_t>(nodes.size()), {}};
               }});
}

std::string problem(const char* format, std::string_view text,
                    std::string_view machine = "kind=torus,shape=4x3", std::uint32_t slots = 1) {
  return complaint([&] { reading::map(format, text, machine, {}, {}, slots); });
}

std::unique_ptr<Topology> ring_of(std::uint32_t nodes) {
  return make_topology(Params::parse("kind=ring,nodes=" + std::to_string(nodes)));
}

TEST(MapFormats, AreSortedByName) {
  const auto formats = map_format_catalog();
  EXPECT_EQ(formats.size(), 12U);
  EXPECT_TRUE(std::ranges::is_sorted(formats, {}, &MapFormat::name));
}

TEST(MapFormats, AreFoundByPrefixOrSuffix) {
  EXPECT_EQ(find_map_file("scotch:a.csv")->format->name, "scotch");
  EXPECT_EQ(find_map_file("scotch:a.csv")->file, "a.csv");
  EXPECT_EQ(find_map_file("b/x.map")->format->name, "scotch");
  EXPECT_EQ(find_map_file("odd:x.rankfile")->format->name, "rankfile");
  EXPECT_EQ(find_map_file("odd:x.rankfile")->file, "odd:x.rankfile");
  EXPECT_FALSE(find_map_file("xor"));
  EXPECT_FALSE(find_map_file("scotch:"));
  EXPECT_FALSE(find_map_file("b/x"));
}

TEST(MapFormats, ComeBackAsTheyWereWritten) {
  const Nodes nodes{7, 0, 11, 3, 4};
  for (const MapFormat* format : map_format_catalog()) {
    if (format->read != nullptr) {
      Nodes back =
          reading::map(format->name, written(format->name.c_str(), "kind=torus,shape=4x3", nodes),
                       "kind=torus,shape=4x3");
      back.resize(nodes.size());  // Blue Gene's empty nodes
      EXPECT_EQ(back, nodes) << format->name;
    }
  }
}

TEST(MapFormats, DoNotMindOtherEditors) {
  const Nodes nodes{7, 0, 11, 3, 4};
  for (const MapFormat* format : map_format_catalog()) {
    if (format->read != nullptr) {
      const std::string text = written(format->name.c_str(), "kind=torus,shape=4x3", nodes);
      for (const std::string& edited : reading::as_other_editors_write(text)) {
        Nodes back = reading::map(format->name, edited, "kind=torus,shape=4x3");
        back.resize(nodes.size());
        EXPECT_EQ(back, nodes) << format->name << "\n" << edited;
      }
    }
  }
}

TEST(MapFormats, ComeBackWithSeveralProcessesOnANode) {
  for (const Nodes& nodes : {Nodes{7, 7, 0, 11, 7, 0, 3}, Nodes{0, 0, 0, 1, 1, 1, 2, 2},
                             Nodes{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0}}) {
    for (const MapFormat* format : map_format_catalog()) {
      if (format->read != nullptr) {
        const std::string text = written(format->name.c_str(), "kind=torus,shape=4x3", nodes, 3);
        Nodes back = reading::map(format->name, text, "kind=torus,shape=4x3", {}, {}, 3);
        back.resize(nodes.size());  // Blue Gene's empty slots
        EXPECT_EQ(back, nodes) << format->name << "\n" << text;
      }
    }
  }
}

TEST(MapFormats, RefuseAProcessTooManyOnANode) {
  const std::string full = "node 1 already hosts 2 processes (it has as many slots)";
  const auto complaint_of = [](const char* format, std::string_view text) {
    return problem(format, text, "kind=ring,nodes=3", 2);
  };
  EXPECT_EQ(complaint_of("csv", "0,1\n1,1\n2,1\n"), "x: line 3: " + full);
  EXPECT_EQ(complaint_of("hostfile", "node-1 slots=2\nnode-1\n"), "x: line 2: " + full);
  EXPECT_EQ(complaint_of("hostfile", "node-1 slots=3\n"),
            "x: line 1: 3 is not a number of slots (1 to 2)");
  EXPECT_EQ(complaint_of("rankfile", "rank 0=+n1 slot=0\nrank 1=+n1 slot=1\nrank 2=+n1 slot=2\n"),
            "x: line 3: " + full);
  EXPECT_EQ(complaint_of("scotch", "3\n0 1\n1 1\n2 1\n"), "x: line 4: " + full);
  EXPECT_EQ(complaint_of("scotch", "7\n"),
            "x: line 1: 7 is not a number of processes (1 to 6: 2 a node)");
  EXPECT_EQ(complaint_of("csv", "6,1\n"),
            "x: line 1: 6 is not a process (0 to 5: a node hosts at most 2)");
  EXPECT_EQ(complaint_of("jax", "[2, 3, 2]"),
            "x: line 1: slot 0 of node 1 already hosts process 0");
  EXPECT_EQ(complaint_of("jax", "[6]"), "x: line 1: 6 is not a device (0 to 5)");
  EXPECT_EQ(complaint_of("bluegene", "1 0 0 0\n1 0 0 1\n1 0 0 0\n"),
            "x: line 3: slot 0 of node 1 already hosts process 0");
  EXPECT_EQ(complaint_of("bluegene", "1 0 0 2\n"),
            "x: line 1: 2 is not a core (0 to 1: a node hosts at most 2 processes)");
}

TEST(MapFormats, NameSlots) {
  const auto text = [](const char* format, const Nodes& nodes) {
    return written(format, "kind=ring,nodes=2", nodes, 2);
  };
  EXPECT_EQ(text("rankfile", {1, 0, 1}),
            "rank 0=node-1 slot=0\nrank 1=node-0 slot=0\nrank 2=node-1 slot=1\n");
  EXPECT_EQ(text("hostfile", {1, 1, 0}), "node-1 slots=2\nnode-0 slots=1\n");
  EXPECT_EQ(text("bluegene", {1, 0, 1}), "1 0 0 0\n0 0 0 0\n1 0 0 1\n0 0 0 1\n");
  EXPECT_EQ(text("jax", {1, 0, 1}), "[2, 0, 3]\n");
  EXPECT_NE(text("dot", {1, 0, 1}).find("1 [label=\"0 2\""), std::string::npos);
  EXPECT_NE(text("simgrid", {1}).find("<host id=\"node-1\" speed=\"1Gf\" core=\"2\"/>"),
            std::string::npos);
}

TEST(Bluegene, EmptySlotsFollowWhenTheProcessesAreKnown) {
  const std::string text = written("bluegene", "kind=ring,nodes=4", {3, 3, 1}, 2);
  EXPECT_EQ(reading::map("bluegene", text, "kind=ring,nodes=4", {}, 3, 2), (Nodes{3, 3, 1}));
}

TEST(Bluegene, NamesTheCoordinatesOfEveryNode) {
  EXPECT_EQ(written("bluegene", "kind=torus,shape=3x2", {5, 1}),
            "2 1 0 0\n1 0 0 0\n0 0 0 0\n2 0 0 0\n0 1 0 0\n1 1 0 0\n");
  EXPECT_EQ(written("bluegene", "kind=hypercube,dimensions=4", {8}).substr(0, 24),
            "0 0 0 1 0 0\n0 0 0 0 0 0\n");
  EXPECT_EQ(complaint([] { written("bluegene", "kind=hypercube,dimensions=6", {0}); }),
            "a Blue Gene map has 3 or 5 coordinates, the machine 6 dimensions");
}

TEST(Bluegene, ReadsBothLengthsOfLines) {
  EXPECT_EQ(reading::map("bluegene", "# x y z t\n3 2 0 0\n\n0 1 0 0\n", "kind=torus,shape=4x3"),
            (Nodes{11, 4}));
  EXPECT_EQ(reading::map("bluegene", "3 2 0 0 0 0\n0 1 0 0 0 0\n", "kind=torus,shape=4x3"),
            (Nodes{11, 4}));
}

TEST(Bluegene, LeavesOutTheEmptyNodesOfAWholePartition) {
  const std::string partition = "0 1 0 0\n1 0 0 0\n0 0 0 0\n1 1 0 0\n";
  const auto map_of = [](const std::string& text, std::uint32_t processes) {
    return reading::map("bluegene", text, "kind=torus,shape=2x2", {}, processes);
  };
  EXPECT_EQ(map_of(partition, 4), (Nodes{2, 1, 0, 3}));
  EXPECT_EQ(map_of(partition, 2), (Nodes{2, 1}));
  // Nodes are missing, so the lines may all be processes.
  EXPECT_EQ(map_of("0 1 0 0\n1 0 0 0\n0 0 0 0\n", 2), (Nodes{2, 1, 0}));
}

TEST(Bluegene, DescribesTheWholePartitionWhateverHasFailed) {
  const auto ring =
      std::shared_ptr<const Topology>{make_topology(Params::parse("kind=ring,nodes=5"))};
  Machine machine = reading::machine("kind=ring,nodes=5");
  machine.topology = with_failures(ring, {{NodeId{1}}, {}, {NodeId{3}}});
  const std::vector<NodeId> map{NodeId{4}, NodeId{2}};
  const HostNames hosts;
  const MapFormat& format = *find_kind(map_format_catalog(), "bluegene");
  const std::string text = format.write({machine, map, hosts, {}});
  EXPECT_EQ(text, "4 0 0 0\n2 0 0 0\n0 0 0 0\n1 0 0 0\n3 0 0 0\n");
  const auto map_of = [&](std::string_view lines, std::optional<std::uint32_t> processes) {
    return format.read(lines, {"x", *machine.topology, hosts, processes}).size();
  };
  EXPECT_EQ(map_of(text, 2), 2U);
  // Those that can host nothing are no processes.
  EXPECT_EQ(map_of(text, {}), 3U);
  // A partition without them is whole, one without a working node is not.
  EXPECT_EQ(map_of("4 0 0 0\n2 0 0 0\n0 0 0 0\n", 2), 2U);
  EXPECT_EQ(map_of("4 0 0 0\n2 0 0 0\n1 0 0 0\n3 0 0 0\n", 2), 4U);
}

TEST(MapFormats, EachIsReadOrWrittenOnlyOrHoldsAnEmbedding) {
  for (const MapFormat* format : map_format_catalog()) {
    EXPECT_FALSE(format->holds_embedding && format->read != nullptr) << format->name;
  }
  EXPECT_TRUE(find_kind(map_format_catalog(), "json")->holds_embedding);
}

TEST(Bluegene, NamesTheLineThatCannotBe) {
  EXPECT_EQ(problem("bluegene", "0 0 0 0\n4 0 0 0\n"),
            "x: line 2: 4 is not a coordinate in dimension 0 (0 to 3)");
  EXPECT_EQ(problem("bluegene", "0 0 1 0\n"),
            "x: line 1: 1 is not a coordinate in dimension 2 (0 to 0)");
  EXPECT_EQ(problem("bluegene", "0 0 0 1\n"),
            "x: line 1: 1 is not the core 0 (a node hosts at most one process)");
  EXPECT_EQ(problem("bluegene", "0 0 0\n"),
            "x: line 1: 3 numbers (3 coordinates and the core are expected)");
  EXPECT_EQ(problem("bluegene", "0 0 0 0\n", "kind=torus,shape=2x2x2x2"),
            "x: line 1: 4 numbers (5 coordinates and the core are expected)");
  EXPECT_EQ(problem("bluegene", "0 0 0 0\n1 0 0 0\n0 0 0 0\n"),
            "x: line 3: node 0 already hosts process 0 (a node hosts at most one)");
  EXPECT_EQ(problem("bluegene", "\n"), "x: places no process (process 0 at least is expected)");
}

TEST(Csv, TakesColumnsInAnyOrder) {
  EXPECT_EQ(reading::map("csv", "node,process\n5,1\n7,0\n", "kind=ring,nodes=8"), (Nodes{7, 5}));
  EXPECT_EQ(reading::map("csv", "0,7\r\n1,5\r\n", "kind=ring,nodes=8"), (Nodes{7, 5}));
  EXPECT_EQ(reading::map("csv", "\xef\xbb\xbf\"process\",\"node\"\n0,7", "kind=ring,nodes=8"),
            (Nodes{7}));
}

TEST(Csv, NamesTheLineThatCannotBe) {
  EXPECT_EQ(problem("csv", "process,nod\n"),
            "x: line 1: \"nod\" is no column; did you mean `node`?");
  EXPECT_EQ(problem("csv", "process\n"), "x: line 1: there is no column `node`");
  EXPECT_EQ(problem("csv", "node,node\n"), "x: line 1: the column `node` is there twice");
  EXPECT_EQ(problem("csv", "0,1,2\n"), "x: line 1: 3 cells (process, node)");
  EXPECT_EQ(problem("csv", "0,1\n1\n"), "x: line 2: 1 cells where the first line has 2");
  EXPECT_EQ(problem("csv", "0,12\n"), "x: line 1: 12 is not a node (0 to 11)");
  EXPECT_EQ(problem("csv", "0,\n"), "x: line 1: nothing is not a node (0 to 11)");
  EXPECT_EQ(problem("csv", "0,1\n0,2\n"), "x: line 2: process 0 has node 1 already");
  EXPECT_EQ(problem("csv", "0,1\n2,2\n"), "x: process 1 has no node (there are processes up to 2)");
  EXPECT_EQ(problem("csv", "4000000000,1\n"),
            "x: line 1: 4000000000 is not a process (0 to 11: a node hosts at most one)");
  EXPECT_EQ(problem("csv", ""), "x: places no process (process 0 at least is expected)");
}

TEST(Hostfile, ListsHostsInRankOrder) {
  EXPECT_EQ(written("hostfile", "kind=ring,nodes=8", {7, 5}), "node-7\nnode-5\n");
  EXPECT_EQ(reading::map("hostfile", "# hosts\nnode-7 slots=1 max_slots=4\nnode-5:1\n",
                         "kind=ring,nodes=8"),
            (Nodes{7, 5}));
}

TEST(Hostfile, HasALineForEachRankWhereAHostWouldStandInTwo) {
  EXPECT_EQ(written("hostfile", "kind=ring,nodes=3", {2, 0, 0, 2}, 2),
            "node-2\nnode-0\nnode-0\nnode-2\n");
  EXPECT_EQ(written("hostfile", "kind=ring,nodes=3", {2, 2, 0, 1, 1}, 2),
            "node-2 slots=2\nnode-0 slots=1\nnode-1 slots=2\n");
  EXPECT_EQ(written("hostlist", "kind=ring,nodes=3", {2, 2, 0}, 2), "node-2\nnode-2\nnode-0\n");
}

TEST(Hostfile, NamesTheLineThatCannotBe) {
  EXPECT_EQ(problem("hostfile", "node-1 slots=2\n"),
            "x: line 1: 2 is not 1 slot (a node hosts at most one process)");
  EXPECT_EQ(problem("hostfile", "node-1:4\n"),
            "x: line 1: 4 is not 1 slot (a node hosts at most one process)");
  EXPECT_EQ(problem("hostfile", "node-1 fast\n"),
            "x: line 1: \"fast\" is not a number of slots (slots=1)");
  EXPECT_EQ(problem("hostfile", "node-12\n"),
            "x: line 1: \"node-12\" is none of the 12 hosts (node-{}); `.hosts` gives their names");
  EXPECT_EQ(problem("hostfile", "node-01\n").substr(0, 30), "x: line 1: \"node-01\" is none o");
}

TEST(Jax, IsAListInRowMajorOrder) {
  EXPECT_EQ(written("jax", "kind=ring,nodes=8", {7, 5, 0}), "[7, 5, 0]\n");
  EXPECT_EQ(reading::map("jax", "[[7,5],\n [0, 1]]\n", "kind=ring,nodes=8"), (Nodes{7, 5, 0, 1}));
}

TEST(Jax, NamesTheLineThatCannotBe) {
  EXPECT_EQ(problem("jax", ""), "x: line 1: the list has no end (a `]` is missing)");
  EXPECT_EQ(problem("jax", "[1,\n2"), "x: line 2: the list has no end (a `]` is missing)");
  EXPECT_EQ(problem("jax", "[1] 2"), "x: line 1: the list goes on past its end");
  EXPECT_EQ(problem("jax", "1, 2"),
            "x: line 1: \"1,\" is not where it can be in a list [0, 1, ..]");
  EXPECT_EQ(problem("jax", "[1 2]"),
            "x: line 1: \"2]\" is not where it can be in a list [0, 1, ..]");
  EXPECT_EQ(problem("jax", "[,1]"),
            "x: line 1: \",1]\" is not where it can be in a list [0, 1, ..]");
  EXPECT_EQ(problem("jax", "[1][2]"), "x: line 1: the list goes on past its end");
  EXPECT_EQ(problem("jax", "[[1][2]]"),
            "x: line 1: \"[2]]\" is not where it can be in a list [0, 1, ..]");
  for (const char* const ragged :
       {"[0, [1, [2, 3]]]", "[[0, 1, 2], [3]]", "[[0], 1]", "[[], 0]", "[[[0]], [1]]"}) {
    EXPECT_EQ(problem("jax", ragged),
              "x: line 1: lists of unlike lengths or depths are no array of devices");
  }
  EXPECT_EQ(problem("jax", "[1.5]"), "x: line 1: 1.5 is not a node (0 to 11)");
  EXPECT_EQ(problem("jax", "]"), "x: line 1: \"]\" is not where it can be in a list [0, 1, ..]");
  EXPECT_EQ(problem("jax", "[]"), "x: places no process (process 0 at least is expected)");
}

TEST(Rankfile, NamesHostAndSlot) {
  EXPECT_EQ(written("rankfile", "kind=ring,nodes=8", {7, 5}),
            "rank 0=node-7 slot=0\nrank 1=node-5 slot=0\n");
  EXPECT_EQ(
      reading::map("rankfile", "# comment\nrank 1 = +n5 slot=1:0-2\n\nrank 0=node-7 slot=p0;1",
                   "kind=ring,nodes=8"),
      (Nodes{7, 5}));
}

TEST(Rankfile, TakesHostsThatAreCalledAsItsWords) {
  const HostNames hosts = HostNames::parse("rank-slot{}", *ring_of(8));
  EXPECT_EQ(reading::map("rankfile", "rank 0=rank-slot7 slot=0\nrank 1=rank-slot5\tslot = 0,1\n",
                         "kind=ring,nodes=8", hosts),
            (Nodes{7, 5}));
}

TEST(Rankfile, NamesTheLineThatCannotBe) {
  const std::string form = " is not `rank N=HOST slot=CORES`";
  EXPECT_EQ(problem("rankfile", "rank 0=node-1\n"), "x: line 1: \"rank 0=node-1\"" + form);
  EXPECT_EQ(problem("rankfile", "ranks 0=node-1 slot=0\n"),
            "x: line 1: \"ranks 0=node-1 slot=0\"" + form);
  EXPECT_EQ(problem("rankfile", "rank slot=node-1 0\n"),
            "x: line 1: \"rank slot=node-1 0\"" + form);
  EXPECT_EQ(problem("rankfile", "rank 0=node-1 slot=0\nrank 1=+n12 slot=0\n"),
            "x: line 2: 12 is not a node (0 to 11)");
}

TEST(Rankfile, KnowsTheCoresOfOpenMpi) {
  for (const char* const cores : {"0", "0-3", "0,2", "0-1,5", "p3", "P0-2", "1:0-2", "0:*", "*",
                                  "*:0", "0-1:0", "0:0,1:1", "p1:2", "0:0-2;1:3"}) {
    EXPECT_EQ(problem("rankfile", fmt::format("rank 0=node-1 slot={}\n", cores)), "") << cores;
  }
  for (const char* const cores : {"zzz", "-1", "0-", "0,,1", "0,", "0 junk", "0 slot=1", "3-1", "p",
                                  "1:", ":1", "0:1:2", "1.5"}) {
    EXPECT_NE(problem("rankfile", fmt::format("rank 0=node-1 slot={}\n", cores))
                  .find("is no list of cores (0, 0-3, 0,2, p1, 1:0-2, *)"),
              std::string::npos)
        << cores;
  }
}

TEST(Scotch, CountsItsLines) {
  EXPECT_EQ(written("scotch", "kind=ring,nodes=8", {7, 5}), "2\n0\t7\n1\t5\n");
  EXPECT_EQ(reading::map("scotch", "2\n1 5\n0 7\n", "kind=ring,nodes=8"), (Nodes{7, 5}));
  EXPECT_EQ(reading::map("scotch", "2\n1 5\n2 7\n", "kind=ring,nodes=8"), (Nodes{5, 7}));
}

TEST(Scotch, NamesTheLineThatCannotBe) {
  EXPECT_EQ(
      problem("scotch", "0 0 0 0\n"),
      "x: line 1: \"0 0 0 0\" is not the number of lines that a Scotch map begins with; a map "
      "for Blue Gene is read as bluegene:x");
  EXPECT_EQ(problem("scotch", "13\n"),
            "x: line 1: 13 is not a number of processes (1 to 12: one a node)");
  EXPECT_EQ(problem("scotch", "2\n0 1\n"), "x: line 2: a line is missing (the file ends)");
  EXPECT_EQ(problem("scotch", "1\n0 1\n1 2\n"), "x: line 3: 1 is past what should be the end");
  EXPECT_EQ(problem("scotch", "1\n0 -1\n"), "x: line 2: -1 is not a node (0 to 11)");
  EXPECT_EQ(problem("scotch", "2\n0 1\n0 2\n"), "x: line 3: process 0 has node 1 already");
  // Labels count from 0 or 1.
  EXPECT_EQ(problem("scotch", "2\n2 5\n3 7\n"),
            "x: process 0 has no node (there are processes up to 2)");
}

TEST(Tgt, NamesTheTargetOfScotch) {
  EXPECT_EQ(written("tgt", "kind=line,nodes=5", {0}), "mesh2D 5 1\n");
  EXPECT_EQ(written("tgt", "kind=ring,nodes=5", {0}), "torus2D 5 1\n");
  EXPECT_EQ(written("tgt", "kind=mesh,shape=4x3", {0}), "mesh2D 4 3\n");
  EXPECT_EQ(written("tgt", "kind=torus,shape=4x3x5", {0}), "torus3D 4 3 5\n");
  EXPECT_EQ(written("tgt", "kind=torus,shape=4x3x5x2", {0}), "torusXD 4 4 3 5 2\n");
  EXPECT_EQ(written("tgt", "kind=hypercube,dimensions=7", {0}), "hcub 7\n");
  EXPECT_EQ(written("tgt", "kind=torus,shape=2x2x2x2x2x2", {0}), "hcub 6\n");
  EXPECT_EQ(complaint([] { written("tgt", "kind=torus,shape=2x2x2x2x2x3", {0}); }),
            "Scotch knows torus targets of up to 5 dimensions, not 6");
}

TEST(HostNames, ComeFromAPattern) {
  const HostNames hosts = HostNames::parse("rack-{}.lan", *ring_of(4));
  EXPECT_EQ(hosts.of(NodeId{3}), "rack-3.lan");
  EXPECT_EQ(hosts.find("rack-12.lan"), NodeId{12});
  for (const char* name : {"rack-.lan", "rack-1", "rack-1.lan2", "rack-x.lan", "rack--1.lan",
                           "rack-01.lan", "rack-99999999999.lan", "", "rack-.la"}) {
    EXPECT_FALSE(hosts.find(name)) << name;
  }
  EXPECT_EQ(complaint([] { HostNames::parse("a {}", *ring_of(4)); }),
            "\"a {}\" is not a pattern of names (letters, digits, `.`, `-` and `_` around one {}, "
            "or {:03} for three digits)");
  EXPECT_EQ(complaint([] { HostNames::parse("{}{}", *ring_of(4)); }).substr(0, 23),
            "\"{}{}\" is not a pattern");
}

TEST(HostNames, APatternCanPadWithZeros) {
  for (const char* pattern : {"cn{:03}", "cn{:03d}", "cn{0:03d}"}) {
    const HostNames hosts = HostNames::parse(pattern, *ring_of(2000));
    EXPECT_EQ(hosts.of(NodeId{7}), "cn007") << pattern;
    EXPECT_EQ(hosts.of(NodeId{1234}), "cn1234") << pattern;
    EXPECT_EQ(hosts.find("cn007"), NodeId{7}) << pattern;
    EXPECT_FALSE(hosts.find("cn7")) << pattern;
    EXPECT_FALSE(hosts.find("cn0007")) << pattern;
  }
  EXPECT_EQ(HostNames::parse("cn{0}", *ring_of(4)).of(NodeId{3}), "cn3");
  EXPECT_EQ(HostNames::parse("cn{:d}", *ring_of(4)).of(NodeId{3}), "cn3");
  for (const char* pattern : {"cn{:3}", "cn{:03x}", "cn{1:03d}", "cn{:099}", "cn{", "cn{:-3}"}) {
    EXPECT_NE(complaint([&] { HostNames::parse(pattern, *ring_of(4)); }), "") << pattern;
  }
}

TEST(HostNames, ComeFromAFileOfHosts) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("x", "\xef\xbb\xbf# rack 7\r\nb.lan slots=1\r\n\r\na:1\r\n").string();
  const HostNames hosts = HostNames::parse(file, *ring_of(2));
  EXPECT_EQ(hosts.of(NodeId{0}), "b.lan");
  EXPECT_EQ(hosts.find("a"), NodeId{1});
  EXPECT_FALSE(hosts.find("c"));
  const auto problem = [&](std::string_view text) {
    folder.write("x", text);
    return folder.shortened(complaint([&] { HostNames::parse(file, *ring_of(2)); }));
  };
  EXPECT_EQ(problem("a\na\n"), "x: line 2: a is node 0 already");
  EXPECT_EQ(problem("a\nb\nc\n"), "x: line 3: c is one too many for 2 nodes");
  EXPECT_EQ(problem("a\n"), "x: has 1 name for 2 nodes (one for each)");
  EXPECT_EQ(problem("a\n<b>\n"),
            "x: line 2: \"<b>\" is not a host's name (of letters, digits, `.`, `-` and `_`)");
}

TEST(HostNames, AreThoseOfAPlatform) {
  Platform platform{.hosts = {{"n2.lan", 1e9, {}}, {"n10.lan", 1e9, {}}},
                    .links = {{"l", 1e-6, 1e9}},
                    .lengths = {0, 1, 1, 0},
                    .routes = {0, 0}};
  const auto names = [&] { return HostNames::of_machine(*make_platform_network(platform, "x")); };
  EXPECT_EQ(names().of(NodeId{1}), "n10.lan");
  EXPECT_EQ(names().find("n2.lan"), NodeId{0});
  EXPECT_FALSE(names().find("node-0"));
  EXPECT_EQ(names().source(), "n2.lan to n10.lan");
  platform.hosts[0].name = "n 2";  // which map files cannot hold
  EXPECT_EQ(names().of(NodeId{1}), "node-1");
  EXPECT_EQ(HostNames::of_machine(*ring_of(4)).of(NodeId{3}), "node-3");
}

TEST(MapFormats, SwitchesAreNoHostsOfMaps) {
  const char* const tree = "kind=fat_tree,down=[2,2],up=[1,1]";
  EXPECT_EQ(problem("hostlist", "pc1\n", tree),
            "x: line 1: \"pc1\" is none of the 4 hosts (node-{}); `.hosts` gives their names");
  Machine machine = reading::machine(tree);
  machine.links.per_dimension.resize(machine.topology->class_count());
  const HostNames hosts = HostNames::parse("switch-{}", *machine.topology);
  const std::string platform =
      find_kind(map_format_catalog(), "simgrid")->write({machine, {}, hosts, {}});
  EXPECT_NE(platform.find("<host id=\"switch-0\" speed=\"1Gf\"/>"), std::string::npos);
  EXPECT_EQ(platform.find("<host id=\"switch-4\""), std::string::npos);
  EXPECT_NE(platform.find("<router id=\"own-switch-0\"/>"), std::string::npos);
  machine.compute.emplace("flop", ExactTime{25, 10});
  EXPECT_NE(find_kind(map_format_catalog(), "simgrid")
                ->write({machine, {}, hosts, {}})
                .find(" speed=\"400000000000f\"/>"),
            std::string::npos);
}

TEST(HostNames, OfAFileMayLeaveOutSwitches) {
  const TemporaryFolder folder;
  const auto topology =
      make_topology(Params::parse("kind=fat_tree,down=[2,2],up=[1,1]"));  // 4 terminals
  const HostNames hosts = HostNames::parse(folder.write("x", "a\nb\nc\nd\n").string(), *topology);
  EXPECT_EQ(hosts.of(NodeId{3}), "d");
  EXPECT_EQ(hosts.of(NodeId{4}), "switch-4");
  EXPECT_FALSE(hosts.find("switch-4"));
  const auto all = folder.write("y", "a\nb\nc\nd\nleaf0\nleaf1\nspine\n").string();
  EXPECT_EQ(HostNames::parse(all, *topology).of(NodeId{6}), "spine");
  const std::string few = folder.write("z", "a\nb\nc\nd\nleaf0\n").string();
  EXPECT_EQ(folder.shortened(complaint([&] { HostNames::parse(few, *topology); })),
            "z: has 5 names for 4 nodes (one for each; 3 switches may follow)");
}

}  // namespace
}  // namespace dcube
