"""Platforms of SimGrid, and machines of other tools, as a user meets them."""

import unittest

from program import ProgramTest

HEAD = (
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    '<platform version="4.1">'
)


def cluster(**more):
    """A cluster of 4 hosts with a backbone."""
    keys = {"id": "c", "prefix": "n", "suffix": "", "radical": "0-3", "speed": "1Gf", "bw": "1GBps", "lat": "1us"}
    keys |= {"bb_bw": "500MBps", "bb_lat": "3us", **more}
    return HEAD + "<cluster " + " ".join(f'{key}="{value}"' for key, value in keys.items() if value is not None) + "/></platform>"


def ping(machine, *messages):
    """Messages that leave at once, as (from, to, bytes)."""
    phase = {"messages": [{"from": a, "to": b, "bytes": size} for a, b, size in messages]}
    return {
        "schema_version": 1,
        "machine": machine,
        "embedding": {"kind": "explicit", "map": [0, 1, 2, 3]},
        "program": {"kind": "pattern", "processes": 4, "phases": [phase]},
    }


class Platforms(ProgramTest):
    def time_ps(self, machine, *messages):
        self.write("s.json", ping(machine, *messages))
        return self.json("run", "s.json", "--json")["makespan_ps"]

    def test_times_are_those_of_the_links(self):
        self.write("c.xml", cluster())
        # Latencies of the way, and the bytes at the slowest link.
        self.assertEqual(self.time_ps("c.xml", (0, 3, 1000)), 5_000_000 + 2_000_000)
        # Two messages share the backbone, whatever their directions.
        self.assertEqual(self.time_ps("c.xml", (0, 3, 1000), (2, 1, 1000)), 5_000_000 + 4_000_000)
        self.assertEqual(self.time_ps("c.xml", (0, 3, 1000), (3, 0, 1000)), 5_000_000 + 4_000_000)

    def test_pipes_that_are_fat_never_queue(self):
        self.write("c.xml", cluster(bb_sharing_policy="FATPIPE"))
        self.assertEqual(self.time_ps("c.xml", (0, 3, 1000), (2, 1, 1000)), 5_000_000 + 2_000_000)
        self.output("embed", "c.xml", "--embedding", "identity", "--write", "simgrid:again.xml")
        self.assertEqual((self.folder / "again.xml").read_text().count("FATPIPE"), 1)
        own = {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "c.xml"}}
        # Stored and forwarded, each link takes its bytes again.
        alone = 5_000_000 + 1_000_000 + 2_000_000 + 1_000_000
        self.assertEqual(self.time_ps(own, (0, 3, 1000)), alone)
        self.assertEqual(self.time_ps(own, (0, 3, 1000), (2, 1, 1000)), alone)
        self.write("s.json", ping({**own, "network": "fluid"}, (0, 1, 8)))
        self.assert_refused(["run", "s.json"], "never queue (FATPIPE)")

    def test_pipes_that_are_fat_are_never_busy(self):
        self.write("c.xml", cluster(bb_bw="1MBps", bb_sharing_policy="FATPIPE"))
        program = {"kind": "collective", "operation": "all_to_all", "algorithm": "linear", "bytes": 4000, "data": False}
        self.write("s.json", {"schema_version": 1, "machine": "c.xml", "embedding": "identity", "program": program})
        found = self.json("search", "s.json", "--objective", "link-time", "--json")
        # Three messages of 1,000 bytes leave each host at 1 GB/s.
        self.assertEqual((found["found"]["value"], found["bound"]["value"]), (3e-6, 3e-6))

    def test_weights_of_hops_leave_times_alone(self):
        self.write("c.xml", cluster())
        own = {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "c.xml"}, "switching": "cut_through"}
        alone = self.time_ps(own, (0, 3, 1000), (2, 1, 1000))
        self.assertEqual(alone, 5_000_000 + 4_000_000)
        self.write("w.json", {**own, "link": {"weight": 2}})
        self.assertEqual(self.time_ps("w.json", (0, 3, 1000), (2, 1, 1000)), alone)
        embed = self.json("embed", "w.json", "--embedding", "identity", "--traffic", "ring:4", "--json")
        self.write("m.json", own)
        plain = self.json("embed", "m.json", "--embedding", "identity", "--traffic", "ring:4", "--json")
        self.assertEqual(embed["hop_bytes"], 2 * plain["hop_bytes"])

    def test_directions_share_a_link(self):
        text = HEAD + '<zone id="w" routing="Full">' + "".join(
            f'<host id="h{i}" speed="1Gf"/>' for i in range(4)) + "".join(
            f'<link id="l{i}" bandwidth="1GBps" latency="1us"/>' for i in range(4)) + "".join(
            f'<route src="h{i}" dst="h{j}"><link_ctn id="l{i}"/><link_ctn id="l{j}"/></route>'
            for i in range(4) for j in range(i + 1, 4)) + "</zone></platform>"  # fmt: skip
        self.write("p.xml", text)
        self.assertEqual(self.time_ps("p.xml", (0, 1, 1000)), 3_000_000)
        self.assertEqual(self.time_ps("p.xml", (0, 1, 1000), (1, 2, 2000)), 4_000_000)
        why = self.output("run", "s.json", "--why")
        self.assertIn("(l1)", why)
        result = self.json("run", "s.json", "--json")
        self.assertEqual(result["machine"]["nodes"], 4)
        self.assertIn("(l1)", str(result))

    def test_a_search_refuses_routes_that_differ_there_and_back(self):
        route = '<route src="h{}" dst="h{}" symmetrical="NO"><link_ctn id="l{}"/></route>'
        two = route.replace("</route>", '<link_ctn id="l{}"/></route>')
        self.write("p.xml", HEAD + '<zone id="w" routing="Full">' + "".join(
            f'<host id="h{i}" speed="1Gf"/>' for i in range(3)) + "".join(
            f'<link id="l{i}" bandwidth="1GBps" latency="1us"/>' for i in range(3)) +
            route.format(0, 1, 2) + "".join(
            two.format(i, j, i, j) for i in range(3) for j in range(3) if i != j and (i, j) != (0, 1)) +
            "</zone></platform>")  # fmt: skip
        self.assert_refused(["place", "--machine", "p.xml", "--traffic", "ring:3"],
                            "--machine: the network routes node 0 to node 1 over 3 links", "a search needs routes of one length")  # fmt: skip

    def test_speeds_and_loopbacks(self):
        self.write("c.xml", cluster(loopback_bw="2GBps", loopback_lat="1us", speed="4Gf"))
        own = {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "c.xml"}, "node": {"slots": 2}}
        self.write("m.json", own)
        self.assertEqual(self.output("validate", "m.json"), "m.json: valid machine\n")
        run = {**ping(own, (0, 1, 1000)), "embedding": {"kind": "explicit", "map": [0, 0, 1, 1]}}
        self.write("s.json", run)
        self.assertEqual(self.json("run", "s.json", "--json")["makespan_ps"], 1_000_000 + 500_000)
        run["program"] = {**run["program"], "phases": [{"compute": "flop", "count": 1000}]}
        self.write("s.json", run)
        self.assertEqual(self.json("run", "s.json", "--json")["makespan_ps"], 250_000)

    def test_other_commands_take_it(self):
        self.write("c.xml", cluster(bb_bw=None, bb_lat=None))
        place = self.json("place", "--machine", "c.xml", "--traffic", "ring:4", "--json")
        self.assertEqual(place["found"]["cost"], 8 * 2)
        embed = self.json("embed", "c.xml", "--embedding", "identity", "--traffic", "ring:4", "--json")
        self.assertEqual(embed["hop_bytes"], 8 * 2)
        self.output("embed", "c.xml", "--embedding", "identity")
        self.write("s.json", ping("c.xml", (0, 1, 8)))
        self.output("run", "s.json", "--output", "r.json", "--quiet")
        self.output("report", "r.json", "--output", "page.html")

    def test_nodes_are_the_hosts_in_the_order_of_their_numbers(self):
        ways = ("--embedding", "identity", "--traffic", "ring:12")
        direct = self.json("embed", "torus:3x4", *ways, "--write", "simgrid:p.xml", "--json")
        again = self.json("embed", "p.xml", *ways, "--write", "simgrid:q.xml", "--json")
        for figure in ("hop_bytes", "average_hops", "dilation"):
            self.assertEqual(again[figure], direct[figure])
        self.output("embed", "q.xml", *ways, "--write", "hostfile:hosts")
        self.assertEqual((self.folder / "hosts").read_text(), "".join(f"node-{i}\n" for i in range(12)))

    def written(self, machine, nodes):
        """The machine as a platform that SimGrid reads, and its text."""
        self.write("m.json", {"schema_version": 1, "network": "fluid", **machine})
        guest = ("--embedding", "identity", "--guest", f"line:{nodes}", "--quiet")
        self.output("embed", "m.json", *guest, "--write", "simgrid:p.xml")
        self.output("embed", "p.xml", *guest)
        return (self.folder / "p.xml").read_text()

    def fluid_times_ps(self, *messages):
        """Of the messages on the machine that was written, and on the platform."""
        platform = {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "p.xml"}, "network": "fluid"}
        return [self.time_ps(one, *messages) for one in ("m.json", platform)]

    def test_neighbours_on_a_large_platform_have_one_route(self):
        links = {"latency": "1us", "bandwidth": "1GBps"}
        # Each two routers have two links.
        text = self.written({"topology": {"kind": "hyperx", "shape": [2], "width": [2], "p": 150}, "link": links}, 300)
        self.assertEqual(text.count("<route "), 2 * 300 + 2)
        self.assertEqual(self.fluid_times_ps((0, 1, 1000)), [3_000_000] * 2)

    def test_failed_nodes_are_not_on_a_platform(self):
        for nodes in (8, 300):
            with self.subTest(nodes):
                text = self.written({"topology": {"kind": "ring", "nodes": nodes}, "failed": {"nodes": [5]}}, nodes - 1)
                self.assertNotIn('"node-5"', text)
                self.assertEqual(text.count("<host "), nodes - 1)

    def test_switches_are_routers_and_no_nodes(self):
        links = {"latency": "1us", "bandwidth": "1GBps"}
        for topology, nodes in (
            ({"kind": "fat_tree", "down": [4, 4], "up": [1, 2]}, 16),
            ({"kind": "fat_tree", "down": [4, 64], "up": [1, 1]}, 256),  # with shortest paths
            ({"kind": "dragonfly", "p": 2, "a": 4, "h": 2}, 72),
        ):
            for more in ({}, {"node": {"injection": {"latency": "2us", "bandwidth": "500MBps"}}}):
                with self.subTest(topology, **more):
                    text = self.written({"topology": topology, "link": links, "compute": {"flop": "3ns"}, **more}, nodes)
                    self.assertEqual(text.count("<host "), nodes)
                    again = self.json("embed", "p.xml", "--embedding", "identity", "--guest", f"line:{nodes}", "--json")
                    self.assertEqual(again["machine"]["nodes"], nodes)
                    for messages in ([(0, 3, 1000)], [(0, 3, 1000), (1, 3, 500)], [(2, 0, 4000), (2, 1, 500)]):
                        self.assertEqual(len(set(self.fluid_times_ps(*messages))), 1)

    def test_a_platform_has_the_speed_of_the_machine(self):
        own = {"topology": {"kind": "ring", "nodes": 4}, "link": {"latency": "1us"}}
        for flop, speed in (("1ns", 10**9), ("40ps", 25 * 10**9), ("2.5ns", 4 * 10**8), ("5us", 200_000)):
            self.assertIn(f'speed="{speed}f"', self.written({**own, "compute": {"flop": flop}}, 4))
            # It is read as it was written.
            self.output("embed", "p.xml", "--embedding", "identity", "--write", "simgrid:q.xml", "--quiet")
            self.assertIn(f'speed="{speed}f"', (self.folder / "q.xml").read_text())
        self.assertIn('speed="1Gf"', self.written(own, 4))

    def test_routes_that_messages_choose_are_not_on_a_platform(self):
        for routing in ("valiant", "minimal_adaptive", "random_order"):
            self.write("m.json", {"schema_version": 1, "topology": {"kind": "torus", "shape": [3, 3]}, "routing": {"kind": routing}})
            done = self.dcube("embed", "m.json", "--embedding", "identity", "--guest", "line:9", "--write", "simgrid:p.xml")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"the machine's own without {routing}", done.stderr)

    def test_the_slower_direction_of_a_half_duplex_link_decides(self):
        links = {"latency": "1us", "bandwidth": "1GBps", "duplex": "half"}
        for ends in ({"from": 1, "to": 0}, {"from": 0, "to": 1}):
            own = {"topology": {"kind": "ring", "nodes": 4}, "link": links, "links": [{**ends, "bandwidth": "250MBps"}]}
            self.written(own, 4)
            self.assertEqual(self.fluid_times_ps((1, 0, 1000)), [5_000_000] * 2)
            self.assertEqual(self.fluid_times_ps((0, 1, 1000)), [5_000_000] * 2)
        own["links"] = [{"from": 1, "to": 0, "latency": "3us"}]
        self.assertIn('<link id="link-0-1" bandwidth="1000000000Bps" latency="3e-06s"', self.written(own, 4))

    def test_messages_pass_network_interfaces(self):
        own = {"link": {"latency": "1us", "bandwidth": "1GBps"}, "node": {"injection": {"latency": "2us", "bandwidth": "500MBps"}}}
        for nodes in (8, 300):  # with all routes, and with shortest paths
            with self.subTest(nodes):
                self.written({**own, "topology": {"kind": "ring", "nodes": nodes}}, nodes)
                # Two messages that leave a node, and one that passes it.
                self.assertEqual(self.fluid_times_ps((0, 2, 1000)), [2_000_000 + 2_000_000 + 2_000_000 + 2_000_000] * 2)
                self.assertEqual(len(set(self.fluid_times_ps((1, 0, 1000), (1, 2, 1000), (0, 2, 1000)))), 1)
        own["node"]["injection"]["interfaces"] = 2
        self.write("m.json", {"schema_version": 1, "topology": {"kind": "ring", "nodes": 8}, **own})
        self.assert_refused(["embed", "m.json", "--embedding", "identity", "--write", "simgrid:p.xml"], "2 network interfaces")

    def test_hosts_have_the_names_of_the_platform(self):
        self.write("c.xml", cluster(prefix="cn", suffix=".lan", radical="1-12"))
        place = ("place", "--machine", "c.xml", "--traffic", "ring:11", "--avoid", "cn1.lan")
        self.output(*place, "--write", "hostlist:hosts")
        hosts = (self.folder / "hosts").read_text().split()
        self.assertEqual(sorted(hosts), sorted(f"cn{i}.lan" for i in range(2, 13)))
        own = {"schema_version": 1, "machine": "c.xml", "embedding": {"kind": "explicit", "file": "hosts", "format": "hostlist"}}
        self.write("s.json", {**own, "program": {"kind": "allreduce", "processes": 11, "bytes": 88}})
        self.output("run", "s.json")
        self.assert_refused([*place[:-1], "node-1"], "nor one of the hosts (cn1.lan to cn12.lan)")

    def test_bad_input_is_one_line(self):
        self.assert_refused(["place", "--machine", "none.xml", "--traffic", "ring:4"], "does not exist")
        self.write("none.json", {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "none.xml"}})
        self.assert_refused(["validate", "none.json"], "none.json: /topology/platform: ", "none.xml cannot be read (No such")
        self.write("bad.xml", "<platform")
        self.assert_refused(["place", "--machine", "bad.xml", "--traffic", "ring:4"], "SimGrid reads no platform from it")
        self.write("c.xml", cluster())
        own = {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "c.xml"}}

        def refuse(problem, **more):
            self.write("s.json", ping({**own, **more}, (0, 1, 8)))
            self.assert_refused(["run", "s.json"], problem)

        refuse("given beside a platform of SimGrid", link={"latency": "1us"})
        refuse("shortest does not suit the simgrid of 4 terminals", routing={"kind": "shortest"})
        refuse("s.json: /machine/failed: the routes of a platform of SimGrid lead round nothing", failed={"links": [[0, 4]]})
        refuse("/machine/failed", failed={"links": [[0, 4]], "at": "1us"})
        refuse("/machine/failed", failed={"nodes": [4]})
        refuse("unknown key", topology={"kind": "simgrid", "platform": "c.xml", "file": "x"})
        refuse("`platform` is missing", topology={"kind": "simgrid"})

    def test_a_platform_of_which_simgrid_dies_is_one_line(self):
        self.write("c.xml", cluster(topology="DRAGONFLY", topo_parameters="3,1;1,1;2,1;2", radical="0-11",
                                    sharing_policy="SHARED", bb_bw=None, bb_lat=None))  # fmt: skip
        if self.dcube("place", "--machine", "c.xml", "--traffic", "ring:12").returncode == 0:
            self.skipTest("this version of SimGrid reads it")
        self.assert_refused(["place", "--machine", "c.xml", "--traffic", "ring:12"],
                            "c.xml: SimGrid itself fails as it reads this platform (it was ended by signal 11",
                            "change the platform")  # fmt: skip

    def test_too_many_hosts_are_one_line(self):
        self.write("c.xml", cluster(radical="0-4096"))
        self.assert_refused(["place", "--machine", "c.xml", "--traffic", "ring:4"],
                            "c.xml: SimGrid reads no platform from it (4097 hosts", "fat_tree")  # fmt: skip

    def test_hosts_may_fail(self):
        self.write("c.xml", cluster())
        own = {"schema_version": 1, "topology": {"kind": "simgrid", "platform": "c.xml"}, "switching": "cut_through"}
        run = ping({**own, "failed": {"nodes": [3]}}, (0, 2, 1000))
        run["embedding"], run["program"]["processes"] = {"kind": "explicit", "map": [0, 1, 2]}, 3
        self.write("s.json", run)
        self.assertEqual(self.json("run", "s.json", "--json")["makespan_ps"], 5_000_000 + 2_000_000)
        run["machine"]["failed"] = {"nodes": [1]}
        self.write("s.json", run)
        self.assert_refused(["run", "s.json"], "/embedding/map/1: node 1 has failed")
        run["machine"]["failed"] = {"nodes": [1], "at": "1us"}
        self.write("s.json", run)
        self.assert_refused(["run", "s.json"], "/embedding/map/1: node 1 hosts no process: a spare, or it fails later")
        run["embedding"]["map"] = [0, 2, 3]
        self.write("s.json", run)
        self.assertEqual(self.json("run", "s.json", "--json")["makespan_ps"], 5_000_000 + 2_000_000)

    def test_networks_of_astra_sim_and_trees_of_htsim(self):
        self.write("n.yml", "topology: [Switch, Ring]\nnpus_count: [2, 2]\nbandwidth: [1, 2]\nlatency: [100, 1000]\n")
        # 2^30 bytes take a second at the slower of two links around the switch.
        self.assertEqual(self.time_ps("n.yml", (0, 1, 2**30)), 10**12 + 200_000)
        self.assertEqual(self.time_ps("n.yml", (0, 2, 2**30)), 10**12 // 2 + 1_000_000)
        tier = "Downlink_speed_Gbps 8\nRadix_Down 2\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 100\n"
        self.write("t.topo", f"Nodes 4\nTiers 2\nPodsize 4\nTier 0\nRadix_Up 1\n{tier}Tier 1\n{tier}")
        self.assertEqual(self.time_ps("t.topo", (0, 1, 1000)), 2_000_000 + 100_000 + 1_000_000)
        self.assertEqual(self.time_ps("t.topo", (0, 2, 1000)), 4_000_000 + 300_000 + 1_000_000)
        self.write("t.topo", "Nodes 4\n")
        self.assert_refused(["place", "--machine", "t.topo", "--traffic", "ring:4"], "`Tiers` is missing")


if __name__ == "__main__":
    unittest.main()
