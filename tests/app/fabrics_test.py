"""Networks of terminals and switches, as a user meets them."""

import json
import pathlib
import unittest

from program import ProgramTest, machine

ROOT = pathlib.Path(__file__).resolve().parents[2]

SPELLED = {
    "fat_tree:4,4/1,2": (16, 4 + 2, 16 + 8),
    "fat_tree:4,2:4": (16, 4 + 2, 16 + 8),
    "fat_tree:4,4/1,2/1,2": (16, 4 + 2, 16 + 16),
    "fat_tree:k=4": (16, 20, 48),
    "dragonfly:p=1,a=2,h=1": (6, 6, 6 + 3 + 3),
    "dragonfly_plus:p=2,leaves=2,spines=2,h=1": (12, 12, 12 + 12 + 3),
    "hyperx:2x3,p=2": (12, 6, 12 + 3 + 6),
    "slim_fly:5": (50, 50, 50 + 50 * 7 // 2),
    "polarfly:2,p=1": (7, 7, 7 + 9),
    "jellyfish:6,degree=3,seed=2": (6, 6, 6 + 9),
    "blocks:switch:4,switch:2": (8, 2 + 4, 8 + 8),
    "blocks:full:3,fat_tree:2x2/1x2": (12, 3 * 4, 4 * 3 + 3 * 8),
}


def all_to_all(of_machine, embedding="identity", **program):
    return {
        "schema_version": 1,
        "machine": of_machine,
        "embedding": embedding,
        "program": {"kind": "all_to_all", "message": 1000, **program},
    }


def dragonfly(**keys):
    return machine({"kind": "dragonfly", "p": 1, "a": 4, "h": 1}, **keys)


class Fabrics(ProgramTest):
    def test_every_kind_is_spelled_on_the_command_line_and_runs(self):
        for name, (terminals, switches, links) in SPELLED.items():
            with self.subTest(name):
                self.write("s.json", all_to_all(name))
                result = self.json("run", "s.json", "--json")
                said = result["machine"]
                self.assertEqual((said["nodes"], said["switches"], said["links"]), (terminals, switches, links))
                self.assertEqual(result["outcome"], "completed")
                self.assertEqual(result["messages"]["count"], terminals * (terminals - 1))
                self.assertIn(f"{terminals} nodes", self.output("run", "s.json"))
                self.write("r.json", result)
                self.output("report", "r.json", "--output", "page.html")
                self.output("run", "s.json", "--why")

    def test_bounds_count_parallel_links(self):
        tree = {"kind": "fat_tree", "down": [4], "up": [1], "parallel": [2]}
        self.write("m.json", machine(tree, link={"latency": "1us", "duplex": "half"}))
        found = self.json("search", "--machine", "m.json", "--traffic", "ring:4", "--objective", "link-load", "--json")
        self.assertEqual((found["found"]["cost"], found["bound"]["cost"]), (2, 2))

    def test_hops_of_a_run_are_the_distances_of_its_routes(self):
        for name in SPELLED:
            with self.subTest(name):
                terminals = SPELLED[name][0]
                self.write("s.json", all_to_all(name))
                self.write("t.csv", "from,to,bytes\n" + "".join(
                    f"{a},{b},1\n" for a in range(terminals) for b in range(terminals) if a != b))  # fmt: skip
                run = self.json("run", "s.json", "--json")
                embed = self.json("embed", name, "--embedding", "identity", "--traffic", "t.csv", "--json")
                self.assertEqual(run["messages"]["hops"], embed["hop_bytes"])

    def test_classes_of_links_have_costs_of_their_own(self):
        link = {"latency": "1us", "classes": {"level 2": {"latency": "3us"}}}
        tree = {"schema_version": 1, "topology": {"kind": "fat_tree", "down": [2, 2], "up": [1, 1]}, "link": link}
        self.write("s.json", all_to_all(tree, order="at_once"))
        result = self.json("run", "s.json", "--json", "--full")
        self.assertIn("level 1: latency 1 us", result["model"]["hop"])
        self.assertIn("level 2: latency 3 us", result["model"]["hop"])
        # Both terminals of a leaf send two messages over one link up.
        self.assertEqual(result["makespan_ps"], (1 + 4 * 3 + 3 + 1) * 1000000)
        tree["link"]["classes"]["level 3"] = {}
        self.write("s.json", all_to_all(tree))
        self.assert_refused(["run", "s.json"], "/machine/link/classes/level 3: unknown key; did you mean `level 1`?")

    def test_routings_are_named_and_change_what_messages_do(self):
        seen = {}
        for routing in (None, "minimal", "shortest", "ecmp", "valiant_group", "ugal", "minimal_adaptive"):
            keys = {} if routing is None else {"routing": {"kind": routing}}
            self.write("s.json", all_to_all(dragonfly(**keys), order="at_once"))
            result = self.json("run", "s.json", "--json")
            seen[routing] = result["simulation"]["fingerprint"], result["messages"]["hops"]
            self.assertEqual(result["machine"].get("routing"), None if routing in (None, "minimal") else routing)
        self.assertEqual(seen[None], seen["minimal"])
        self.assertLess(seen["minimal"][1], seen["ugal"][1])
        self.assertLess(seen["ugal"][1], seen["valiant_group"][1])
        self.write("s.json", all_to_all(dragonfly(routing={"kind": "ugal", "threshold": 1000000})))
        self.assertEqual(self.json("run", "s.json", "--json")["messages"]["hops"], seen["minimal"][1])
        for by in ("pair", "message"):
            routing = {"kind": "ecmp", "by": by, "seed": 3}
            self.write("s.json", all_to_all(machine({"kind": "fat_tree", "k": 4}, routing=routing)))
            self.assertTrue(self.json("run", "s.json", "--json")["machine"]["routing"].startswith("ecmp"))

    def test_ugal_is_near_the_better_of_minimal_and_valiant(self):
        # Every terminal to the next group: minimal routes share one global link.
        shift = {"kind": "traffic", "file": "shift.csv"}
        group = 8
        self.write("shift.csv", "from,to,bytes\n" + "".join(
            f"{a},{(a + group) % 72},100000\n" for a in range(72)))  # fmt: skip
        times = {}
        for routing in ("minimal", "valiant_group", "ugal"):
            network = machine({"kind": "dragonfly", "p": 2, "a": 4, "h": 2}, routing={"kind": routing})
            network["link"] = {"latency": "100ns", "bandwidth": "10GBps", "packet": 1000}
            network["switching"] = "cut_through"
            document = {**all_to_all(network), "program": shift}
            self.write("s.json", document)
            times[routing] = self.json("run", "s.json", "--json")["makespan_s"]
        self.assertLess(times["valiant_group"], times["minimal"])
        self.assertLess(times["ugal"], times["minimal"])
        self.assertLess(times["ugal"], 1.25 * times["valiant_group"])

    def test_ugal_that_sees_whole_ways_carries_what_valiant_does(self):
        def time_of(**routing):
            return self.json("run", ROOT / "scenarios/dragonfly-next_group.json", "--json", "--set",
                             "/program/phases/0/phases/0/bytes=25000", "--set",
                             "/machine/routing=" + json.dumps(routing))["makespan_s"]  # fmt: skip

        valiant = time_of(kind="valiant_group")
        self.assertLess(time_of(kind="ugal", sees="way"), 1.1 * valiant)
        self.assertGreater(time_of(kind="ugal", sees="first_link"), 1.3 * valiant)
        self.assertGreater(time_of(kind="minimal"), 3 * valiant)

    def test_commands_take_fabrics(self):
        for name in ("fat_tree:4,4/1,2", "dragonfly:p=2,a=2,h=1", "blocks:switch:4,switch:3"):
            with self.subTest(name):
                self.write("s.json", all_to_all(name))
                search = self.json("search", "--machine", name, "--traffic", "ring:8", "--effort", "3000", "--json")
                self.assertGreaterEqual(search["found"]["cost"], search["bounds"][0]["cost"])
                self.assertTrue(all(node < search["network"]["nodes"] for node in search["map"]))
                for objective in ("link-load", "average-dilation", "longest-dilation"):
                    self.json("search", "--machine", name, "--traffic", "ring:8", "--objective", objective,
                              "--effort", "500", "--json")  # fmt: skip
                self.output("compare", "s.json", "--output", "pages-" + name.split(":")[0])
                self.output("collective", "allreduce", "--machine", name, "--bytes", "1KiB")
                self.output("embed", name, "--embedding", "random", "--guest", "ring:8",
                            "--write", "simgrid:p.xml", "--write", "rankfile:map.txt")  # fmt: skip
        tree = self.json("search", "--machine", "fat_tree:4,4/1,2", "--traffic", "ring:16", "--method", "scotch",
                         "--json")  # fmt: skip
        self.assertEqual(tree["found"]["cost"], 2 * (12 * 2 + 4 * 4))

    def test_failures_of_terminals_switches_and_links(self):
        tree = {"kind": "fat_tree", "down": [2, 2], "up": [1, 2], "parallel": [1, 2]}
        whole = all_to_all(machine(tree))
        self.write("s.json", whole)
        links = self.json("run", "s.json", "--json")["machine"]["links"]
        self.assertEqual(links, 4 + 8)
        for failed, left, nodes in (
            ({"links": [[4, 6]]}, 10, 4),
            ({"links": [[4, 6, 1]]}, 11, 4),
            ({"nodes": [6]}, 8, 4),
            ({"nodes": [3]}, 11, 3),
        ):
            self.write("s.json", all_to_all(machine(tree, failed=failed)))
            result = self.json("run", "s.json", "--json")
            self.assertEqual(result["machine"]["links"], left)
            self.assertEqual(result["messages"]["count"], nodes * (nodes - 1))
        self.write("s.json", all_to_all(machine(tree, failed={"nodes": [4]})))
        self.assert_refused(["run", "s.json"], "disconnects the machine")
        self.write("s.json", all_to_all(machine(tree, failed=[{"nodes": [6], "at": "1us"}])))
        self.assertEqual(self.json("run", "s.json", "--json")["outcome"], "completed")

    def test_bad_input_gets_one_line(self):
        def refuse(topology, words, **keys):
            self.write("s.json", all_to_all(machine(topology, **keys)))
            self.assert_refused(["run", "s.json"], words)

        tree = {"kind": "fat_tree", "k": 4}
        refuse({"kind": "fat_tree", "k": 5}, "/machine/topology/k: 5 ports cannot be halved")
        refuse({"kind": "fat_tree", "up": [1]}, "/machine/topology/up: given without `down`")
        refuse({"kind": "fat_tree", "down": [4], "up": [1, 2]}, "2 entries for the 1 level that")
        refuse({"kind": "slim_fly", "q": 9}, "/machine/topology/q: 9 is no prime")
        refuse({"kind": "dragonfly", "p": 1, "a": 2, "h": 1, "g": 9}, "9 groups are more than the 2 global ports")
        refuse(tree, "valiant does not suit the fat_tree", routing={"kind": "valiant"})
        refuse(tree, "/machine/routing/threshold: unknown key; known: kind, seed, by", routing={"kind": "ecmp", "threshold": 1})
        self.write("s.json", all_to_all(machine(tree), embedding={"kind": "explicit", "map": [0, 16]}, processes=2))
        self.assert_refused(["run", "s.json"], "/embedding/map/1: node 16 is switch 0 of level 1")
        self.assert_refused(
            ["search", "--machine", "fat_tree:k=4", "--traffic", "ring:4", "--avoid", "17"],
            "17 is switch 1 of level 1, which hosts nothing (nodes are 0 to 15)",
        )
        self.assert_refused(["embed", "fat_tree:4,4", "--embedding", "identity"], "is not the ports down and up")
        self.assert_refused(["embed", "fat_tree:4,2:4,4", "--embedding", "identity"], "of the last level")


if __name__ == "__main__":
    unittest.main()
