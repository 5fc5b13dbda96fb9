"""Twisted tori, graphs, other routes and nodes that have failed, as a user meets them."""

import json
import unittest

from program import ProgramTest, machine


def torus_without(**failed):
    return machine({"kind": "torus", "shape": [4, 4]}, failed=failed)


def cc(of_machine, embedding="standard", **program):
    return {
        "schema_version": 1,
        "machine": of_machine,
        "embedding": embedding,
        "program": {"kind": "cc_dcube", **program},
    }


class Networks(ProgramTest):
    def test_every_command_takes_a_twisted_torus(self):
        result = self.json("embed", "twisted_torus:4x4x8", "--embedding", "standard", "--json")
        self.assertEqual(result["machine"]["topology"], "twisted_torus")
        self.assertIn("degree bound", result["bound"]["source"])
        self.write("s.json", cc("tpu_v4-4x4x8-twisted"))
        run = self.json("run", "s.json", "--json")
        self.assertEqual(run["outcome"], "completed")
        self.assertEqual(run["machine"]["shape"], [4, 4, 8])
        search = self.json(
            "search", "--machine", "twisted_torus:4x8", "--traffic", "cube:5", "--effort", "2000", "--json"
        )
        self.assertGreaterEqual(search["found"]["cost"], search["bounds"][0]["cost"])

    def test_simulated_loads_are_those_of_the_routes(self):
        for topology in ("twisted_torus:4x8", "torus:4x8"):
            self.write("s.json", cc(topology, dimensions=5))
            run = self.json("run", "s.json", "--json")
            embed = self.json("embed", topology, "--embedding", "standard", "--json")
            self.assertEqual(run["messages"]["hops"], 2 * embed["dilation"]["total"])

    def test_a_graph_from_a_file_runs_beside_its_scenario(self):
        self.write("data/cluster.csv", "from,to,latency\n0,1,\n1,2,3s\n2,3,\n3,0,\n")
        self.write("data/m.json", machine({"kind": "graph", "edges": "cluster.csv"}))
        self.write("s.json", cc("data/m.json"))
        result = self.json("run", "s.json", "--json")
        self.assertEqual(result["machine"]["topology"], "graph")
        self.assertEqual(result["machine"]["links"], 4)
        self.assertNotIn("routing", result["machine"])
        self.write("r.json", result)
        again = self.json("run", "s.json", "--json")
        self.assertEqual(again["simulation"]["fingerprint"], result["simulation"]["fingerprint"])
        self.output("report", "r.json", "--output", "page.html")

    def test_a_graph_on_the_command_line(self):
        self.write("g.csv", "from,to\n0,1\n1,2\n2,0\n")
        text = self.output("embed", "graph:g.csv", "--embedding", "standard", "--guest", "line:3")
        self.assertIn("graph of 3 nodes and 3 links", text)
        self.assert_refused(["embed", "graph:none.csv", "--embedding", "standard"], "none.csv: cannot be read")

    def test_what_makes_no_graph_is_one_line(self):
        self.write("g.csv", "from,to\n0,1\n2,3\n")
        self.assert_refused(["embed", "graph:g.csv", "--embedding", "standard"], "g.csv: the graph is not connected")
        self.write("g.csv", "from,to\n0,1\n1,0\n")
        self.assert_refused(["embed", "graph:g.csv", "--embedding", "standard"], "g.csv: the edge 0-1 is named twice")
        self.write("g.csv", "from,to\n0,1\n1,x\n")
        self.assert_refused(["embed", "graph:g.csv", "--embedding", "standard"], "g.csv: line 3:")

    def test_results_say_which_routes(self):
        for routing, words in (
            ({"kind": "dimension_order", "order": [1, 0]}, "dimension_order 1 0"),
            ({"kind": "shortest"}, "shortest"),
        ):
            self.write("s.json", cc(machine({"kind": "torus", "shape": [4, 4]}, routing=routing)))
            self.assertEqual(self.json("run", "s.json", "--json")["machine"]["routing"], words)
            self.assertIn(f"routing {words}", self.output("run", "s.json"))

    def test_a_result_says_what_makes_the_machine_and_can_be_run_again(self):
        torus = {"kind": "torus", "shape": [4, 4]}
        later = [{"nodes": [5], "links": [[0, 1]], "spares": [15]}, {"at": "1us", "nodes": [14], "links": [[2, 3]]}]
        cases = (
            ({"topology": {**torus, "wrap": [True, False]}}, {"wrap": [True, False]}, "wrap [true, false]"),
            ({"topology": {**torus, "tie": "positive"}}, {"tie": "positive"}, "tie positive"),
            (
                {"topology": {"kind": "twisted_torus", "shape": [4, 4], "twist": [[0, 2], [0, 0]]}},
                {"twist": [[0, 2], [0, 0]]}, "twist [[0, 2], [0, 0]]",
            ),
            ({"topology": torus, "switching": "cut_through"}, {"switching": "cut_through"}, "cut-through"),
            ({"topology": torus, "link": {"latency": "1us", "pipelined": True}}, {"pipelined": True}, "pipelined"),
            ({"topology": torus, "link": {"latency": "1us", "packet": 1}}, {"packet": 1}, "packets of 1 byte"),
            (
                {"topology": torus, "link": {"latency": "1us", "packet": 1, "service": "round_robin"}},
                {"packet": 1, "service": "round_robin"}, "packets of 1 byte, round robin",
            ),
            (
                {"topology": torus, "routing": {"kind": "valiant", "seed": 7}},
                {"routing": "valiant", "routing_seed": 7}, "routing valiant (seed 7)",
            ),
            (
                {"topology": torus, "routing": {"kind": "minimal_adaptive"}},
                {"routing": "minimal_adaptive"}, "routing minimal_adaptive\n",
            ),
            (
                {"topology": torus, "failed": later},
                {
                    "usable_nodes": 13, "failed_nodes": [5], "failed_links": [[0, 1]], "kept_free": [14, 15],
                    "fails_later": [{"at_s": 1e-6, "nodes": [14], "links": [[2, 3]]}],
                },
                "failed     node 5, link 0-1; at 1 us node 14, link 2-3; kept free: node 15",
            ),
        )  # fmt: skip
        plain = None
        for changed, keys, words in cases:
            with self.subTest(keys=list(keys)):
                document = {"schema_version": 1, "name": "m", "link": {"latency": "1us"}, **changed}
                self.write("s.json", cc(document, dimensions=3))
                result = self.json("run", "s.json", "--json", "--full")
                stated = result["machine"]
                self.assertEqual({key: stated.get(key) for key in keys}, keys)
                plain = plain or {"name", "structure", "topology", "shape", "nodes", "links"}
                self.assertEqual(set(stated) - plain, set(keys))
                self.assertIn(words, self.output("run", "s.json"))
                self.write("again.json", result["scenario"]["document"])
                again = self.json("run", "again.json", "--json")
                self.assertEqual(again["simulation"]["fingerprint"], result["simulation"]["fingerprint"])
                self.assertEqual(again["machine"], stated)

    def test_no_message_crosses_what_has_failed(self):
        self.write("s.json", cc(torus_without(nodes=[5], links=[[0, 1]], spares=[15]), dimensions=3))
        result = self.json("run", "s.json", "--json")
        self.assertEqual(result["outcome"], "completed")
        self.assertEqual(result["machine"]["usable_nodes"], 14)
        self.assertEqual(result["machine"]["failed_nodes"], [5])
        self.assertEqual(result["machine"]["links"], 27)
        self.assertEqual(result["embedding"]["map"], [0, 1, 2, 3, 4, 6, 7, 8])
        loads = result["link_loads"]
        self.assertEqual(len(loads["from"]), 54)
        for ends in zip(loads["from"], loads["to"]):
            self.assertNotIn(5, ends)
            self.assertNotEqual(sorted(ends), [0, 1])
        self.output("run", "s.json", "--why")
        self.output("compare", "s.json", "--output", "pages")

    def test_what_needs_every_node_is_refused(self):
        self.write("s.json", cc(torus_without(nodes=[5]), embedding="xor", dimensions=3))
        self.assert_refused(["run", "s.json"], "it needs every node, and 1 of 16 have failed")
        explicit = {"kind": "explicit", "map": [0, 1, 4, 5]}
        self.write("s.json", cc(torus_without(nodes=[5]), embedding=explicit, dimensions=2))
        self.assert_refused(["run", "s.json"], "/embedding/map/3: node 5 has failed")
        self.write("m.json", torus_without(nodes=[1, 4, 3, 12]))
        self.assert_refused(["embed", "m.json", "--embedding", "standard"], "node 0 cannot reach the others")

    def test_a_search_leaves_out_what_has_failed(self):
        self.write("m.json", torus_without(nodes=[5], spares=[6]))
        found = self.json("search", "--machine", "m.json", "--traffic", "cube:3", "--effort", "3000", "--json")
        self.assertFalse({5, 6} & set(found["map"]))
        search = ["search", "--machine", "m.json", "--traffic"]
        self.assert_refused(
            [*search, "cube:2", "--method", "exhaustive", "--write", "certificate:c.json"],
            "a certificate is about a whole line",
        )
        self.assert_refused([*search, "cube:4"], "16 processes")
        scotch = self.json(*search, "cube:3", "--method", "scotch", "--json")
        self.assertFalse({5, 6} & set(scotch["map"]))
        self.assert_refused(
            ["search", "--machine", "twisted_torus:4x8", "--traffic", "cube:3", "--method", "scotch"],
            "libscotch has no target",
        )

    def test_subcubes_leave_out_what_has_failed(self):
        self.write("m.json", machine({"kind": "torus", "shape": [8, 8]}, failed={"nodes": [63]}))
        subcubes = ["subcubes", "--machine", "m.json", "--subcube", "2", "--simulate", "2", "--traffic"]
        found = self.json(*subcubes, "ring:15", "--json")
        self.assertEqual((found["dimensions"], found["left_out"]), (6, [63]))
        self.assert_refused([*subcubes, "ring:16"], "--dimensions: 16 2-cubes do not fit")

    def test_a_host_waits_beside_a_machine_with_failures(self):
        host = {"attached_to": 5, "latency": "1s"}
        self.write("m.json", {**torus_without(nodes=[5]), "host": host})
        self.assert_refused(["embed", "m.json", "--embedding", "standard"], "/host/attached_to: node 5 has failed")


if __name__ == "__main__":
    unittest.main()
