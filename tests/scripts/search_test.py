"""Pictures of a search: the best cost against time, and the bytes over every link."""

import json
import unittest

from pictures import PictureTest


class History(PictureTest):
    def found(self, *options):
        text = self.output(
            "search", "--machine", "torus:8x8", "--traffic", "mesh:9x7", "--effort", "20000", "--json", *options
        )
        self.write("found.json", text)
        return json.loads(text)

    def test_the_cost_falls_to_what_is_found_over_the_bound(self):
        result = self.found()
        self.drawn("search", "found.json", "-o", "gap.svg", "-o", "gap.png")
        self.assert_picture("gap.png")
        texts = " ".join(self.texts("gap.svg"))
        for text in ("best map so far", "bound", "hops per byte", "gap to the bound (%)", "identity",
                     f"{100 * result['gap']:.3g} % above the bound"):
            self.assertIn(text, texts)

    def test_times_have_their_unit(self):
        self.write("s.json", {"schema_version": 1, "machine": "unit-torus-8x8", "program": {"kind": "cc_dcube"}, "embedding": "xor"})
        self.write("found.json", self.output("search", "s.json", "--objective", "makespan", "--effort", "20", "--json"))
        self.drawn("search", "found.json", "-o", "gap.svg")
        texts = self.texts("gap.svg")
        self.assertIn("makespan (s)", texts)
        self.assertIn("makespan of cc_dcube: 16 s, 0 % above the bound", " ".join(texts))

    def test_without_a_bound_there_is_no_gap(self):
        result = self.found()
        result["bound"]["value"] = 0
        result["gap"] = None
        result["history"] = result["history"][-1:]
        self.write("flat.json", result)
        self.drawn("search", "flat.json", "-o", "flat.svg", "-o", "flat.png")
        self.assert_picture("flat.png")
        self.assertNotIn("gap to the bound (%)", self.texts("flat.svg"))

    def test_what_search_draws_is_what_the_script_draws(self):
        self.found("--write", "picture:p.svg", "--write", "result:r.json")
        self.drawn("search", "r.json", "-o", "again.svg")
        self.assertEqual((self.folder / "p.svg").read_text(), (self.folder / "again.svg").read_text())

    def test_other_files_are_refused(self):
        result = self.found()
        self.write("none.json", {**result, "history": []})
        self.refused("search", ["none.json", "-o", "x.png"], "found nothing")
        self.write("text.json", {**result, "history": [{"wall_s": "soon", "value": 1}]})
        self.refused("search", ["text.json", "-o", "x.png"], "/history/0/wall_s")


class LinkBytes(PictureTest):
    def test_links_of_every_kind_of_machine_are_coloured_by_bytes(self):
        half = {"schema_version": 1, "name": "half", "topology": {"kind": "torus", "shape": [4, 4]},
                "link": {"latency": "1s", "duplex": "half"}}  # fmt: skip
        self.write("half.json", half)
        for machine in ("ring:16", "line:8", "torus:8x8", "mesh:4x4x2", "hypercube:5", "torus:32x32", "half.json"):
            self.output("embed", machine, "--embedding", "standard", "--write", "links:l.png", "--quiet")
            self.assert_picture("l.png")
        self.output("embed", "torus:4x4", "--embedding", "xor", "--write", "links:l.svg", "--quiet")
        texts = " ".join(self.texts("l.svg"))
        self.assertIn("bytes (white: none)", texts)
        self.assertIn("Link load: xor on", texts)

    def test_the_links_of_a_small_graph_are_drawn_and_those_of_a_large_one_refused(self):
        command = ("embed", "graph:edges.csv", "--embedding", "standard", "--write", "links:l.png", "--quiet")
        self.write("edges.csv", "from,to\n0,1\n1,2\n2,0\n2,3\n")
        self.output(*command)
        self.assert_picture("l.png")
        self.write("edges.csv", "from,to\n" + "".join(f"{node},{(node + 1) % 300}\n" for node in range(300)))
        done = self.dcube(*command)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the links of a graph have no picture", done.stderr)


if __name__ == "__main__":
    unittest.main()
