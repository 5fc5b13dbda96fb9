"""Scotch reads the graphs, targets and maps that are written, and measures what dcube measures."""

import re
import shutil
import unittest

import tool
from program import ProgramTest

MACHINES = ["line:8", "ring:8", "mesh:4x2", "torus:4x8", "mesh:2x4x4", "torus:4x2x8", "torus:2x2x2x4", "hypercube:4"]


class Scotch(ProgramTest):
    def export(self, machine, embedding, *more):
        """What dcube says of the map, whose files are x.map, x.tgt and x.grf."""
        formats = [f"--export={name}:x.{suffix}" for name, suffix in
                   (("scotch", "map"), ("tgt", "tgt"), ("grf", "grf"))]
        return self.json("embed", machine, "--embedding", embedding, "--json", *formats, *more)

    def figure(self, text, name):
        return float(re.search(rf"{name}=([0-9.]+)", text).group(1))

    def gmtst(self, mapping="x.map"):
        done = tool.run(self.folder, "gmtst", "x.grf", "x.tgt", mapping, "-")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("ERROR", done.stdout)
        return done.stdout

    def test_distances_are_those_of_scotch(self):
        for machine in MACHINES:
            for embedding in ("standard", "xor"):
                with self.subTest(machine=machine, embedding=embedding):
                    result = self.export(machine, embedding)
                    average = result["dilation"]["average"]
                    self.assertAlmostEqual(self.figure(self.gmtst(), "CommDilat"), average, places=5)

    def test_odd_sides_and_empty_nodes(self):
        for machine, nodes in (("torus:3x5", 15), ("mesh:5x3x3", 45), ("ring:13", 13), ("line:9", 9)):
            with self.subTest(machine=machine):
                result = self.export(machine, "random", "--guest", "cube:3", "--seed", "5")
                self.fill_with_silent_vertices(nodes)
                text = self.gmtst()
                self.assertAlmostEqual(self.figure(text, "CommDilat"), result["dilation"]["average"], places=5)
                self.assertIn(f"Processors {nodes}/{nodes}", text)

    def fill_with_silent_vertices(self, nodes):
        """Scotch 7.0.3 measures wrongly when a graph has fewer vertices than the target."""
        lines = (self.folder / "x.map").read_text().splitlines()[1:]
        empty = sorted(set(range(nodes)) - {int(line.split()[1]) for line in lines})
        lines += [f"{len(lines) + i} {node}" for i, node in enumerate(empty)]
        self.write("x.map", "\n".join([str(nodes), *lines]) + "\n")
        version, counts, *rest = (self.folder / "x.grf").read_text().splitlines()
        counts = f"{nodes} {counts.split()[1]}"
        self.write("x.grf", "\n".join([version, counts, *rest, *("0" for _ in empty)]) + "\n")

    def test_graphs_are_consistent(self):
        self.write("x.csv", "from,to,bytes,messages\n0,1,10,1\n1,0,3,1\n2,3,5,2\n6,7,0,1\n")
        self.export("torus:4x4", "identity", "--traffic", "x.csv")
        done = tool.run(self.folder, "gtst", "x.grf", "-")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("ERROR", done.stdout)
        self.assertIn("nbr=8", done.stdout)
        self.assertRegex(done.stdout, r"Edge\tnbr=3")

    def test_hop_bytes_are_those_of_scotch(self):
        rows = [f"{i},{(i * 5 + 3) % 32},{1 + i * i}" for i in range(32)]
        symmetric = rows + [",".join([b, a, w]) for a, b, w in (row.split(",") for row in rows)]
        self.write("x.csv", "from,to,bytes\n" + "\n".join(symmetric) + "\n")
        result = self.export("torus:4x8", "xor", "--traffic", "x.csv")
        self.assertAlmostEqual(self.figure(self.gmtst(), "CommExpan"), result["average_hops"], places=5)

    def gmap(self):
        gmap = "scotch_gmap" if shutil.which("scotch_gmap") else "gmap"
        done = tool.run(self.folder, gmap, "-cqt", "x.grf", "x.tgt", "scotch.map")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_labels_of_vertices_are_processes(self):
        edges = [(i, (i * 3 + 5) % 8, 1 + i * i) for i in range(8)]
        lines = []
        for label in (5, 2, 7, 0, 1, 6, 4, 3):
            ends = [(b, w) for a, b, w in edges if a == label] + [(a, w) for a, b, w in edges if b == label]
            lines.append(f"{label} {len(ends)} " + " ".join(f"{weight} {end}" for end, weight in ends))
        self.write("x.grf", "0\n8 16\n0 110\n" + "\n".join(lines) + "\n")
        self.output("embed", "ring:8", "--embedding", "identity", "--export", "tgt:x.tgt")
        self.gmap()
        result = self.json("embed", "ring:8", "--embedding", "scotch.map", "--traffic", "x.grf", "--json")
        self.assertAlmostEqual(self.figure(self.gmtst("scotch.map"), "CommExpan"), result["average_hops"], places=5)

    def test_a_map_of_scotch_is_read(self):
        self.export("torus:4x8", "standard")
        self.gmap()
        result = self.json("embed", "torus:4x8", "--embedding", "scotch.map", "--json")
        self.assertEqual(result["embedding"]["kind"], "explicit")
        self.assertAlmostEqual(
            self.figure(self.gmtst("scotch.map"), "CommDilat"), result["dilation"]["average"], places=5
        )


if __name__ == "__main__":
    unittest.main()
