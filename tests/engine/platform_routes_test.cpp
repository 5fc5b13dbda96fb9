// Platforms of every kind that SimGrid has: dcube's routes are those that SimGrid's route_to gives,
// pair by pair, with its latencies. SimGrid reads one platform in a process, so each comparison is
// made in a process of its own. DCUBE_PLATFORMS names a folder of more platforms, such as SimGrid's
// examples/platforms.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "core/argument_pointers.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/platform.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;
namespace sg4 = simgrid::s4u;

/// SimGrid 4.0 dies of a torus or tree that no zone is around.
std::string cluster(const std::string& attributes, const std::string& radical = "0-7") {
  return R"(<zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" radical=")" + radical +
         R"(" speed="1Gf" bw="125MBps" lat="50us" )" + attributes + "/></zone>";
}

const std::map<std::string, std::string>& platforms() {
  static const std::map<std::string, std::string> texts{
      {"crossbar", cluster("")},
      {"shared_links", cluster(R"(sharing_policy="SHARED")")},
      {"fatpipe_links", cluster(R"(sharing_policy="FATPIPE")")},
      {"backbone", cluster(R"(bb_bw="2.25GBps" bb_lat="500us")")},
      {"fatpipe_backbone",
       cluster(R"(bb_bw="2.25GBps" bb_lat="500us" bb_sharing_policy="FATPIPE")")},
      {"shared_backbone", cluster(R"(sharing_policy="SHARED" bb_bw="2.25GBps" bb_lat="500us")")},
      {"loopbacks", cluster(R"(loopback_bw="100MBps" loopback_lat="1us")")},
      {"limiters", cluster(R"(limiter_link="150MBps" loopback_bw="100MBps" loopback_lat="0")")},
      {"fat_tree", cluster(R"(topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2")", "0-15")},
      {"shared_fat_tree",
       cluster(R"(topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1" sharing_policy="SHARED")",
               "0-15")},
      {"dragonfly", cluster(R"(topology="DRAGONFLY" topo_parameters="3,4;4,3;3,2;2")", "0-71")},
      {"torus", cluster(R"(topology="TORUS" topo_parameters="3,2,2")", "0-11")},
      {"shared_torus",
       cluster(R"(topology="TORUS" topo_parameters="4,3" sharing_policy="SHARED")", "0-11")},
      {"two_clusters", R"(<zone id="w" routing="Full">
<cluster id="a" prefix="a" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us"
 bb_bw="10GBps" bb_lat="20us" router_id="ra"/>
<cluster id="b" prefix="b" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="10us" router_id="rb"/>
<link id="wan" bandwidth="100MBps" latency="5ms"/>
<zoneRoute src="a" dst="b" gw_src="ra" gw_dst="rb"><link_ctn id="wan"/></zoneRoute></zone>)"},
      {"full", R"(<zone id="w" routing="Full"><host id="x" speed="1Gf"/><host id="y" speed="2Gf"/>
<host id="z" speed="1Gf"/><link id="1" bandwidth="1MBps" latency="1ms"/>
<link id="2" bandwidth="2MBps" latency="2ms" sharing_policy="SPLITDUPLEX"/>
<link id="3" bandwidth="3MBps" latency="59.904us" sharing_policy="FATPIPE"/>
<route src="x" dst="y"><link_ctn id="1"/><link_ctn id="2" direction="UP"/></route>
<route src="x" dst="z"><link_ctn id="1"/><link_ctn id="3"/></route>
<route src="y" dst="z"><link_ctn id="2" direction="DOWN"/><link_ctn id="3"/></route></zone>)"},
      {"ways_differ", R"(<zone id="w" routing="Full"><host id="x" speed="1Gf"/>
<host id="y" speed="1Gf"/><link id="1" bandwidth="1MBps" latency="1ms"/>
<link id="2" bandwidth="2MBps" latency="2ms"/><link id="3" bandwidth="2MBps" latency="2ms"/>
<route src="x" dst="y" symmetrical="NO"><link_ctn id="1"/></route>
<route src="y" dst="x" symmetrical="NO"><link_ctn id="2"/><link_ctn id="3"/></route></zone>)"},
      {"wire", R"(<zone id="w" routing="Full"><host id="x" speed="1Gf"/><host id="y" speed="1Gf"/>
<host id="z" speed="1Gf"/><link id="wire" bandwidth="1MBps" latency="1ms"/>
<route src="x" dst="y"><link_ctn id="wire"/></route>
<route src="x" dst="z"><link_ctn id="wire"/></route>
<route src="y" dst="z"><link_ctn id="wire"/></route></zone>)"},
  };
  return texts;
}

/// A zone of hosts, routers and links between them, each of which is a route.
std::string graph_zone(const std::string& routing) {
  return R"(<zone id="w" routing=")" + routing + R"("><host id="h0" speed="1Gf"/>
<host id="h1" speed="1Gf"/><host id="h2" speed="1Gf"/><host id="h3" speed="1Gf"/>
<router id="r0"/><router id="r1"/>
<link id="l0" bandwidth="1GBps" latency="1us"/><link id="l1" bandwidth="1GBps" latency="2us"/>
<link id="l2" bandwidth="1GBps" latency="3us"/><link id="l3" bandwidth="1GBps" latency="4us"/>
<link id="m" bandwidth="500MBps" latency="5us" sharing_policy="SPLITDUPLEX"/>
<link id="d" bandwidth="500MBps" latency="6us"/>
<route src="h0" dst="r0"><link_ctn id="l0"/></route>
<route src="h1" dst="r0"><link_ctn id="l1"/></route>
<route src="r0" dst="r1"><link_ctn id="m" direction="UP"/></route>
<route src="r1" dst="h2"><link_ctn id="l2"/></route>
<route src="r1" dst="h3"><link_ctn id="l3"/></route>
<route src="h2" dst="h3"><link_ctn id="d"/></route></zone>)";
}

/// Zones within zones, with gateways, and ways round their routes.
std::string nested_zones() {
  return R"(<zone id="w" routing="Full">
<zone id="p" routing="Full"><host id="p0" speed="1Gf"/><router id="pg"/>
<link id="pl" bandwidth="1GBps" latency="1us"/>
<route src="p0" dst="pg"><link_ctn id="pl"/></route></zone>
<zone id="q" routing="Floyd"><host id="q0" speed="1Gf"/><host id="q1" speed="1Gf"/><router id="qg"/>
<link id="ql0" bandwidth="1GBps" latency="1us"/><link id="ql1" bandwidth="1GBps" latency="1us"/>
<route src="q0" dst="qg"><link_ctn id="ql0"/></route>
<route src="q1" dst="qg"><link_ctn id="ql1"/></route></zone>
<zone id="s" routing="Full"><host id="s0" speed="1Gf"/></zone>
<link id="pq" bandwidth="1GBps" latency="10us"/><link id="qs" bandwidth="1GBps" latency="20us"/>
<link id="ps" bandwidth="1GBps" latency="30us"/><link id="short" bandwidth="1GBps" latency="1us"/>
<zoneRoute src="p" dst="q" gw_src="pg" gw_dst="qg"><link_ctn id="pq"/></zoneRoute>
<zoneRoute src="q" dst="s" gw_src="qg" gw_dst="s0"><link_ctn id="qs"/></zoneRoute>
<zoneRoute src="p" dst="s" gw_src="pg" gw_dst="s0"><link_ctn id="ps"/></zoneRoute>
<bypassZoneRoute src="p" dst="s" gw_src="pg" gw_dst="s0"><link_ctn id="short"/></bypassZoneRoute>
</zone>)";
}

fs::path written(const std::string& name, const std::string& content) {
  const fs::path file = fs::path{::testing::TempDir()} / ("dcube_" + name + ".xml");
  std::ofstream{file} << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                         "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">"
                      << content << "</platform>\n";
  return file;
}

/// Compares all routes in this process, which ends with 0 if they agree.
[[noreturn]] void compare(const fs::path& file) {
  try {
    const auto network = make_platform_network(read_platform(file), file.string());
    const PlatformCosts& costs = *platform_costs(*network);
    std::vector<std::string> words{"test", "--log=root.thresh:critical",
                                   "--cfg=network/model:CM02"};
    std::vector<char*> arguments = argument_pointers(words);
    int count = static_cast<int>(words.size());
    sg4::Engine engine{&count, arguments.data()};
    engine.load_platform(file.string());
    engine.seal_platform();
    std::vector<sg4::Host*> hosts;
    for (const std::string& name : costs.host_names) {
      hosts.push_back(engine.host_by_name(name));
    }
    if (hosts.size() != network->terminal_count() || hosts.size() != engine.get_host_count()) {
      std::fprintf(stderr, "%zu hosts\n", hosts.size());
      std::_Exit(1);
    }
    for (std::uint32_t from = 0; from < hosts.size(); ++from) {
      for (std::uint32_t to = 0; to < hosts.size(); ++to) {
        if (from == to) {
          continue;
        }
        std::vector<sg4::Link*> links;
        double latency = 0;
        hosts[from]->route_to(hosts[to], links, &latency);
        std::string expected;
        for (const sg4::Link* link : links) {
          expected += " " + link->get_name();
        }
        std::string found;
        std::int64_t ticks = 0;
        std::int64_t connectors = 0;
        for_each_link(*network, NodeId{from}, NodeId{to}, [&](LinkId link) {
          const std::string& name = platform_costs(*network)->link_names[link.index() / 2];
          found += name.empty() ? "" : " " + name;
          connectors += name.empty() ? 1 : 0;
          ticks += costs.links[link.index() / 2].latency.numerator();
        });
        const auto exact = std::llround(latency * 1e12);
        const bool is_close =
            std::llabs(ticks - exact) <= connectors + static_cast<std::int64_t>(links.size());
        if (found != expected || !is_close) {
          std::fprintf(stderr, "%s to %s:%s, %lld ps, and not%s, %lld ps\n",
                       hosts[from]->get_cname(), hosts[to]->get_cname(), found.c_str(),
                       static_cast<long long>(ticks), expected.c_str(),
                       static_cast<long long>(exact));
          std::_Exit(1);
        }
      }
    }
    std::_Exit(0);
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(2);
  }
}

class PlatformRoutes : public ::testing::Test {
 protected:
  // Not a copy of this process, which may have an engine of SimGrid.
  PlatformRoutes() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(PlatformRoutes, AreThoseOfSimGrid) {
  std::map<std::string, std::string> all = platforms();
  all.emplace("floyd", graph_zone("Floyd"));
  all.emplace("dijkstra", graph_zone("Dijkstra"));
  all.emplace("nested", nested_zones());
  for (const auto& [name, content] : all) {
    SCOPED_TRACE(name);
    const fs::path file = written(name, content);
    EXPECT_EXIT(compare(file), ::testing::ExitedWithCode(0), "");
  }
}

/// Problem of a platform that is refused.
std::string problem_of(const std::string& name, const std::string& content) {
  const fs::path file = written(name, content);
  try {
    make_platform_network(read_platform(file), file.string());
  } catch (const InputError& error) {
    return error.problem();
  }
  return "no error";
}

TEST_F(PlatformRoutes, OthersAreRefusedInOneLine) {
  EXPECT_EQ(problem_of("vivaldi", R"(<zone id="w" routing="Vivaldi">
<host id="a" speed="1Gf" coordinates="1 2 3"/><host id="b" speed="1Gf" coordinates="4 5 6"/></zone>)"),
            "no links lead from a to b (every two hosts of a machine need some)");
  EXPECT_EQ(problem_of("none", R"(<zone id="w" routing="None"><host id="a" speed="1Gf"/>
<host id="b" speed="1Gf"/></zone>)"),
            "SimGrid reads no platform from it (There can't be route in an Empty zone)");
  const std::string broken = problem_of("broken", "<zone");
  EXPECT_TRUE(broken.starts_with("SimGrid reads no platform from it (")) << broken;
  const std::string twice =
      problem_of("twice", R"(<zone id="w" routing="Full"><host id="a" speed="1Gf"/>
<host id="a" speed="1Gf"/></zone>)");
  EXPECT_TRUE(twice.starts_with("SimGrid reads no platform from it (")) << twice;
  EXPECT_THROW(read_platform("/nowhere.xml"), InputError);
}

TEST_F(PlatformRoutes, OfAFolderAreThoseOfSimGrid) {
  const char* const folder = std::getenv("DCUBE_PLATFORMS");
  if (folder == nullptr) {
    GTEST_SKIP() << "DCUBE_PLATFORMS names no folder";
  }
  for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
    if (entry.path().extension() != ".xml") {
      continue;
    }
    SCOPED_TRACE(entry.path().string());
    try {
      make_platform_network(read_platform(entry.path()), entry.path().string());
    } catch (const InputError& error) {
      std::printf("refused: %s\n", error.what());
      continue;
    }
    EXPECT_EXIT(compare(entry.path()), ::testing::ExitedWithCode(0), "");
  }
}

}  // namespace
}  // namespace dcube
