#include "dcube/trace/filter.hpp"

#include <gtest/gtest.h>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using Ranges = std::vector<ProcessRange>;

LinkEnds link(std::uint32_t from, std::uint32_t to) { return {NodeId{from}, NodeId{to}}; }

TEST(TraceFilter, RangesOfProcessesAreMerged) {
  EXPECT_EQ(parse_process_ranges("20,0-3,4,2-7"), (Ranges{{0, 7}, {20, 20}}));
  EXPECT_EQ(parse_process_ranges("4294967295,0"), (Ranges{{0, 0}, {4294967295, 4294967295}}));
  EXPECT_EQ(parse_process_ranges("none"), Ranges{});
  EXPECT_EQ(format_process_ranges({{0, 7}, {20, 20}}), "0-7 20");
  EXPECT_EQ(parse_process_ranges("0-7 20"), (Ranges{{0, 7}, {20, 20}}));
}

TEST(TraceFilter, UnusableProcessesAreNamed) {
  EXPECT_NE(complaint([] { parse_process_ranges("1-x"); }).find("`1-x`"), std::string::npos);
  EXPECT_NE(complaint([] { parse_process_ranges("-1"); }).find("`-1`"), std::string::npos);
  EXPECT_NE(complaint([] { parse_process_ranges("4294967296"); }), "");
  EXPECT_NE(complaint([] { parse_process_ranges(","); }), "");
  EXPECT_EQ(complaint([] { parse_process_ranges("5-3"); }),
            "5-3 is no range of processes (it ends before it begins)");
}

TEST(TraceFilter, LinksAreOneDirectionOrBoth) {
  EXPECT_EQ(parse_links("2->3"), std::vector{link(2, 3)});
  EXPECT_EQ(parse_links("4-3,2->3,2->3"), (std::vector{link(2, 3), link(3, 4), link(4, 3)}));
  EXPECT_EQ(parse_links("none"), std::vector<LinkEnds>{});
  EXPECT_NE(complaint([] { parse_links("2>3"); }).find("`2>3`"), std::string::npos);
  EXPECT_NE(complaint([] { parse_links("2->"); }), "");
}

TEST(TraceFilter, WindowMayBeOpenOnEitherSide) {
  EXPECT_EQ(parse_window("1us:2.5us"), std::pair(Ticks{1'000'000}, Ticks{2'500'000}));
  EXPECT_EQ(parse_window("3ps:"), std::pair(Ticks{3}, Ticks::max()));
  EXPECT_EQ(parse_window(":3ps"), std::pair(Ticks{0}, Ticks{3}));
  EXPECT_NE(complaint([] { parse_window("3"); }), "");
  EXPECT_NE(complaint([] { parse_window("2s:2s"); }).find("empty"), std::string::npos);
  EXPECT_NE(complaint([] { parse_window("soon:2s"); }), "");
}

TEST(TraceFilter, KeepsWhatOverlapsTheWindow) {
  TraceFilter filter;
  filter.begin = Ticks{10};
  filter.end = Ticks{20};
  EXPECT_FALSE(filter.overlaps(Ticks{5}, Ticks{10}));
  EXPECT_TRUE(filter.overlaps(Ticks{5}, Ticks{11}));
  EXPECT_TRUE(filter.overlaps(Ticks{5}, Ticks{50}));
  EXPECT_TRUE(filter.overlaps(Ticks{19}, Ticks{50}));
  EXPECT_FALSE(filter.overlaps(Ticks{20}, Ticks{50}));
  // What takes no time belongs to the window that its instant opens.
  EXPECT_TRUE(filter.overlaps(Ticks{10}, Ticks{10}));
  EXPECT_FALSE(filter.overlaps(Ticks{20}, Ticks{20}));
}

TEST(TraceFilter, BothKeepsWhatEachOfThemKeeps) {
  TraceFilter a;
  a.processes = parse_process_ranges("0-9,20");
  a.begin = Ticks{5};
  TraceFilter b;
  b.processes = parse_process_ranges("8-30");
  b.links = parse_links("1->2");
  b.end = Ticks{50};
  const TraceFilter filter = both(a, b);
  EXPECT_EQ(filter.processes, parse_process_ranges("8,9,20"));
  EXPECT_EQ(filter.links, parse_links("1->2"));
  EXPECT_EQ(filter.begin, Ticks{5});
  EXPECT_EQ(filter.end, Ticks{50});
  for (std::uint32_t rank = 0; rank < 40; ++rank) {
    const ProcessId process{rank};
    EXPECT_EQ(filter.shows(process), a.shows(process) && b.shows(process)) << rank;
  }
}

TEST(TraceFilter, ProcessesAndLinksMustBeThere) {
  const auto ring = make_topology(Params::parse("kind=ring,nodes=8"));
  TraceFilter filter;
  filter.processes = parse_process_ranges("3-8");
  EXPECT_EQ(complaint([&] { check_processes(filter, 8); }),
            ".trace_process: 8 is not a process of this run (0 .. 7)");
  filter.links = parse_links("7-0");
  check_links(filter, *ring);
  filter.links = parse_links("2->4");
  EXPECT_EQ(complaint([&] { check_links(filter, *ring); }),
            ".trace_link: 2->4 is not a link (node 2 is joined to 1, 3)");
  filter.links = parse_links("7->8");
  EXPECT_EQ(complaint([&] { check_links(filter, *ring); }),
            ".trace_link: 8 is not a node of this machine (0 .. 7)");
}

}  // namespace
}  // namespace dcube
