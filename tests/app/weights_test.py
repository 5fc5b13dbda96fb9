"""Hierarchical process mapping, as a user meets it: weights of hops, graphs of METIS, slack, rounds."""

import json
import unittest

from program import ProgramTest, machine

SIDE = 6
# PEs of a processor, processors of a node, nodes; costs of two PEs that share one of these.
TREE = [2, 3, 4]
COSTS = [1, 10, 100]


def mesh_graph(side, weight=None):
    """A mesh of side^3 vertices as METIS writes it."""
    lines = []
    for vertex in range(side**3):
        at = [vertex // side**d % side for d in range(3)]
        near = [vertex + s * side**d for d in range(3) for s in (-1, 1) if 0 <= at[d] + s < side]
        lines.append(" ".join(f"{n + 1} {weight}" if weight else f"{n + 1}" for n in sorted(near)))
    edges = sum(len(line.split()) for line in lines) // (4 if weight else 2)
    return f"% mesh\n{side**3} {edges}{' 1' if weight else ''}\n" + "\n".join(lines) + "\n"


def weighted_tree(weights):
    classes = {f"level {level + 1}": {"weight": weight} for level, weight in enumerate(weights)}
    topology = {"kind": "fat_tree", "down": TREE, "up": [1, 1, 1]}
    return {"schema_version": 1, "topology": topology, "link": {"latency": "1us", "classes": classes}}


def hierarchy_cost(graph, nodes):
    """Twice the sum over both directions of edges of what two PEs cost each other."""
    lines = graph.splitlines()[2:]
    sizes = [TREE[0], TREE[0] * TREE[1]]
    cost = 0
    for vertex, line in enumerate(lines):
        for other in line.split():
            a, b = nodes[vertex], nodes[int(other) - 1]
            level = 0 if a // sizes[0] == b // sizes[0] else 1 if a // sizes[1] == b // sizes[1] else 2
            cost += 0 if a == b else COSTS[level]
    return 2 * cost


class Weights(ProgramTest):
    def setUp(self):
        super().setUp()
        self.graph = mesh_graph(SIDE)
        self.write("mesh.graph", self.graph)
        self.write("m.json", weighted_tree([1, 9, 90]))

    def test_costs_by_level_are_a_fat_tree_with_weights(self):
        search = ["search", "--machine", "m.json", "--traffic", "mesh.graph", "--slack", "3%", "--effort", "100000"]
        found = self.json(*search, "-o", "map.json", "--json")
        nodes = json.loads((self.folder / "map.json").read_text())["map"]
        self.assertEqual(found["found"]["cost"], hierarchy_cost(self.graph, nodes))
        # 216 vertices on 24 PEs: 9 each, and 3 % more is 10.
        self.assertEqual(found["network"]["slots"], 10)
        self.assertEqual(found["network"]["hop_weights"], [1, 9, 90])
        self.assertLessEqual(max(nodes.count(node) for node in range(24)), 10)
        self.assertGreaterEqual(found["found"]["cost"], found["bound"]["cost"])

    def test_costliest_pairs_are_told_where_ways_there_and_back_weigh_alike(self):
        edges = [[0, 1], [1, 2], [2, 3, "far"], [3, 4], [4, 5], [5, 0]]
        link = {"latency": "1us", "classes": {"far": {"weight": 5}}}
        self.write("pairs.csv", "from,to,bytes\n0,1,1\n1,0,1\n2,3,1\n3,2,1\n")
        for weight in (1, 5):
            link["classes"]["far"]["weight"] = weight
            self.write("ring.json", machine({"kind": "graph", "edges": edges}, link=link))
            text = self.output("search", "--machine", "ring.json", "--traffic", "pairs.csv", "--objective", "link-load",
                               "--pin", "0=1,1=4,2=0,3=5", "--why")  # fmt: skip
            self.assertEqual("costliest pair" in text, weight == 1, text)

    def test_the_nearest_nodes_are_those_of_least_weight(self):
        self.write("star.csv", "from,to,bytes\n0,1,100\n0,2,100\n")
        self.write("map.json", {"kind": "explicit", "map": [0, 23, 22]})
        embed = ["embed", "m.json", "--embedding", "map.json", "--traffic", "star.csv", "--why"]
        [losing, *_] = self.json(*embed, "--json")["why"]["losing_processes"]
        # A PE of the processor, and one of the node.
        self.assertEqual((losing["hop_bytes"], losing["least"]), (2 * 100 * 200, 100 * 2 + 100 * 20))
        self.assertIn("process 0 on node 0 loses up to 37,800 hop-bytes: it has 40,000, on its nearest nodes at least 2,200\n",
                      self.output(*embed))  # fmt: skip
        # Processes 0 and 1 have their partners on the nodes nearest to theirs.
        self.write("map.json", {"kind": "explicit", "map": [0, 1, 2]})
        self.assertEqual([one["process"] for one in self.json(*embed, "--json")["why"]["losing_processes"]], [2])

    def test_map_files_have_the_slots_of_the_machine_whatever_the_slack(self):
        self.write("four.json", machine({"kind": "ring", "nodes": 4}, node={"slots": 4}))
        search = ["place", "--machine", "four.json", "--traffic", "ring:8", "--slack", "0%"]
        for kind in ("jax", "bluegene"):
            found = self.json(*search, "--write", f"{kind}:o.{kind}", "--json")
            read = self.json("embed", "four.json", "--embedding", f"{kind}:o.{kind}", "--guest", "ring:8", "--json")
            self.assertEqual(read["map"], found["map"], kind)
            again = self.json(*search, "--against", f"{kind}:o.{kind}", "--json")
            self.assertEqual(again["place"]["earlier"]["map"], found["map"], kind)

    def test_slack_is_a_percentage_or_a_share(self):
        search = ["search", "--machine", "ring:8", "--traffic", "mesh.graph", "--effort", "1000", "--json", "--slack"]
        for slack, slots in (("0%", 27), ("3%", 28), ("0.03", 28), ("10 %", 30), ("3.7%", 28), ("3.8%", 29), ("1", 54), ("300%", 108)):
            self.assertEqual(self.json(*search, slack)["network"]["slots"], slots, slack)
        for slack in ("-3%", "x", "1e9%", "0.00001%"):
            self.assert_refused([*search[:-1], "--slack=" + slack], "--slack: ")
        self.assert_refused([*search, "1.000001"], "--slack: 1.000001 is a share above 1")
        self.assert_refused([*search, "3"], "--slack: 3 is a share above 1; write 3% or another percentage")
        self.assert_refused([*search, "1.5"], "--slack: 1.5 is a share above 1; write 1.5%")
        self.write("s.json", {"schema_version": 1, "machine": "ring:8", "program": {"kind": "all_to_all"}, "embedding": "identity"})
        self.assert_refused(["search", "s.json", "--slack", "3%"], "--slack: is for --machine and --traffic")

    def test_weights_are_whole_numbers(self):
        for weight in (0, -1, 1.5, "x", 65536):
            self.write("bad.json", weighted_tree([1, weight, 90]))
            self.assert_refused(
                ["embed", "bad.json", "--embedding", "identity"],
                "/link/classes/level 2/weight: ",
                "what a hop weighs in hop-bytes (a whole number from 1 to 65535)",
            )

    def test_what_weighs_no_hops_bears_any_weights(self):
        edges = [[0, 1, "wide"], [1, 2, "wide"], [2, 3, "wide"], [3, 0, "wide"]]
        self.write("ring.json", {"schema_version": 1, "topology": {"kind": "graph", "edges": edges},
                                 "link": {"latency": "1us", "per_byte": "1ns", "classes": {"wide": {"weight": 60000}}}})  # fmt: skip
        self.write("t.csv", "from,to,bytes,messages\n" + "".join(f"{i},{i + 1},400000000000000000,1\n" for i in range(3)))
        given = ["--machine", "ring.json", "--traffic", "t.csv", "--objective"]
        for objective, cost in (("longest-dilation", 1), ("average-dilation", 3), ("link-load", 4 * 10**17)):
            for command in ("search", "place"):
                answer = self.json(command, *given, objective, "--json", "--why")
                self.assertEqual(answer["found"]["cost"], cost)
                # Neither hop-bytes nor the time of a link stays within 63 bits.
                self.assertEqual([bound["objective"] for bound in answer["why"]["bounds"]], ["longest-dilation", "link-load"])
                self.assertNotIn("time_s", answer["why"]["busiest_links"][0])
        self.assert_refused(["search", *given, "hop-bytes"], "--traffic: bytes times weights of hops")

    def test_graphs_of_metis_come_back(self):
        self.write("t.graph", mesh_graph(2, 7))
        written = ["run", "s.json", "--quiet", "--write", "traffic:metis:back.graph"]
        self.write("s.json", {"schema_version": 1, "machine": "ring:8", "embedding": "identity",
                              "program": {"kind": "traffic", "file": "t.graph"}})  # fmt: skip
        self.output(*written)
        self.assertEqual((self.folder / "back.graph").read_text().replace(" 001", " 1"), mesh_graph(2, 7)[len("% mesh\n"):])
        self.write("two.graph", "2 1 11 2\n1 1 2 1\n1 1 1 1\n")
        self.assert_refused(["embed", "ring:2", "--embedding", "identity", "--traffic", "two.graph"],
                            "two.graph: line 1: 2 weights of a vertex")  # fmt: skip

    def test_rounds_over_switches_and_groups(self):
        def nodes(machine, embedding):
            return self.json("embed", machine, "--embedding", embedding, "--guest", "line:6", "--full", "--json")["map"]

        self.assertEqual(nodes("fat_tree:3,2/1,2", "cyclic:switch"), [0, 3, 1, 4, 2, 5])
        self.assertEqual(nodes("dragonfly:p=1,a=2,h=1", "cyclic:group"), [0, 2, 4, 1, 3, 5])
        self.assert_refused(["embed", "ring:8", "--embedding", "cyclic:switch"], "has no switches")
        self.assert_refused(["embed", "fat_tree:3,2/1,2", "--embedding", "cyclic:rack"], "rack")


if __name__ == "__main__":
    unittest.main()
