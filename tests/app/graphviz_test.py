"""Graphviz draws the pictures that are written."""

import json
import unittest

import tool
from program import ProgramTest


class Graphviz(ProgramTest):
    def drawn(self, machine, *more):
        self.output("embed", machine, "--embedding", "standard", "--export", "dot:x.dot", *more)
        done = tool.run(self.folder, "dot", "-Tjson", "x.dot")
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads(done.stdout)

    def test_every_node_and_link_is_drawn(self):
        for machine, nodes, links in (("torus:4x4", 16, 32), ("mesh:3x3x2", 18, 33), ("hypercube:5", 32, 80)):
            with self.subTest(machine=machine):
                graph = self.drawn(machine)
                self.assertEqual(len(graph["objects"]), nodes)
                self.assertEqual(len(graph["edges"]), links)
                self.assertEqual(len({node["pos"] for node in graph["objects"]}), nodes)

    def test_labels_are_processes(self):
        self.write("map.json", {"kind": "explicit", "map": [4, 0]})
        self.output("embed", "ring:5", "--embedding", "map.json", "--export", "dot:x.dot", "--hosts", "pc{}")
        done = tool.run(self.folder, "dot", "-Tjson", "x.dot")
        nodes = {node["name"]: node for node in json.loads(done.stdout)["objects"]}
        self.assertEqual([nodes[name]["label"] for name in "01234"], ["1", "", "", "", "0"])
        self.assertEqual(nodes["3"]["tooltip"], "pc3")

    def test_switches_and_parallel_links_have_places_of_their_own(self):
        for machine, nodes, links in (("fat_tree:4,4/1,2", 16 + 4 + 2, 24), ("fat_tree:4,4/1,2/1,2", 16 + 4 + 2, 32),
                                      ("hyperx:2,p=3,width=3", 6 + 2, 6 + 3)):  # fmt: skip
            with self.subTest(machine=machine):
                self.output("embed", machine, "--embedding", "identity", "--guest", "line:6", "--export", "dot:x.dot")
                graph = json.loads(tool.run(self.folder, "dot", "-Tjson", "x.dot").stdout)
                self.assertEqual(len(graph["edges"]), links)
                self.assertEqual(len({node["pos"] for node in graph["objects"]}), nodes)
                names = [node["tooltip"] for node in graph["objects"]]
                terminals = 16 if nodes == 22 else 6
                self.assertEqual(names[terminals:], [f"switch-{i}" for i in range(nodes - terminals)])


if __name__ == "__main__":
    unittest.main()
