"""dcube embed: static metrics, tables, exports."""

import csv
import io
import json
import unittest

from program import ProgramTest, machine, ring, scenario

# [X] Table I: node load under standard (min, max) and under xor (min, max).
TABLE_I = {
    "ring:8": (0, 3, 1, 1),
    "torus:2x4": (0, 1, 0, 0),
    "ring:16": (0, 8, 3, 4),
    "torus:2x8": (0, 3, 1, 1),
    "torus:4x4": (0, 2, 0, 0),
    "torus:8x8": (0, 6, 2, 2),
    "torus:16x16": (0, 16, 6, 8),
    "torus:16x32": (0, 26, 10, 14),
    "torus:32x32": (0, 36, 14, 20),
    "torus:32x64": (0, 57, 22, 33),
}


class Embed(ProgramTest):
    def test_one_command_prints_table_i(self):
        lines = self.output("embed", *TABLE_I, "--embedding", "standard,xor").splitlines()
        rows = {}
        for line in lines[-len(TABLE_I) :]:
            name, _, s_min, s_max, _, _, x_min, x_max, _, _ = line.split()
            rows[name] = (int(s_min), int(s_max), int(x_min), int(x_max))
        self.assertEqual(rows, TABLE_I)

    def test_json_is_that_of_the_contract(self):
        result = self.json("embed", "ring:8", "--embedding", "standard", "--json")
        self.assertEqual(result["dimensions"], 3)
        self.assertEqual(result["constant_distances"], True)
        self.assertEqual(result["distances"], [1, 2, 4])
        self.assertEqual(
            result["dilation"],
            {"longest": 4, "total": 28, "average": 7 / 3, "spectrum": {"1": 4, "2": 4, "4": 4}},
        )
        self.assertEqual(result["node_load"], {"min": 0, "max": 6, "average": 4})
        self.assertEqual(result["link_load"], {"min": 0, "max": 5, "average": 3.5})
        self.assertEqual(
            result["gonzalez_load"],
            {"node": {"min": 0, "max": 3, "average": 2}, "link": {"min": 0, "max": 5, "average": 3.5}},
        )
        self.assertEqual(result["cc"]["makespan_s"], 10)
        self.assertEqual(result["map"], list(range(8)))

    def test_several_make_a_json_array_machine_by_machine(self):
        results = self.json("embed", "ring:8", "ring:16", "--embedding", "standard,xor", "--json")
        self.assertEqual([one["dilation"]["longest"] for one in results], [4, 2, 8, 4])

    def test_json_names_machines_and_embeddings(self):
        self.write("mine.json", machine(ring(8)))
        self.write("back.json", {"kind": "explicit", "map": list(range(8))[::-1]})
        self.write("long.json", {"kind": "explicit", "map": list(range(9))})
        arguments = ["embed", "ring:8", "mine.json", "--embedding", "xor,back.json,long.json", "--json"]
        rows = json.loads(self.dcube(*arguments).stdout)
        told = [(one["machine"]["name"], one["embedding"]["name"], one["embedding"]["kind"]) for one in rows]
        kinds = [("xor", "xor"), ("back.json", "explicit"), ("long.json", "long.json")]
        self.assertEqual(told, [(name, *kind) for name in ("ring:8", "unit") for kind in kinds])

    def test_nothing_is_measured_twice(self):
        self.assert_refused(["embed", "ring:8", "--embedding", "xor,gray,xor"], "--embedding: xor is given twice")
        self.assert_refused(["embed", "ring:8", "ring:8", "--embedding", "xor"], "MACHINE: ring:8 is given twice")

    def test_summary_shows_dilation_loads_and_spectrum(self):
        text = self.output("embed", "ring:8", "--embedding", "standard")
        self.assertIn("mean 2.333, longest 4, total 28", text)
        self.assertRegex(text, "\n  node load +mean 4.000, 0 to 6\n")
        self.assertIn("node load mean 2.000, 0 to 3; link load mean 3.500, 0 to 5", text)
        self.assertIn("mean 3.500, 0 to 5", text)
        self.assertIn("10 s with stages of 1 s and hops of 1 s, nobody waits", text)
        self.assertRegex(text, r"\n +4 +4  #+\n")

    def test_compute_and_hop_are_the_costs_of_cc(self):
        arguments = ["embed", "ring:8", "--embedding", "standard", "--compute", "2s", "--hop", "500ms"]
        self.assertEqual(self.json(*arguments, "--json")["cc"]["makespan_s"], 9.5)
        self.assertIn("9.5 s with stages of 2 s and hops of 500 ms", self.output(*arguments))
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--hop", "fast"], "--hop", "fast")

    def test_machine_may_be_a_file(self):
        self.write("mine.json", machine(ring(8)))
        self.assertIn("ring of 8", self.output("embed", "mine.json", "--embedding", "xor"))

    def test_guest_may_be_another_graph(self):
        result = self.json("embed", "hypercube:6", "--embedding", "gray", "--guest", "mesh:8x8", "--json")
        self.assertEqual(result["dilation"]["longest"], 1)
        self.assertIsNone(result["cc"])
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--guest", "blob:3"], "--guest")
        self.assert_refused(["embed", "torus:4x4", "--embedding", "boxes:1", "--guest", "ring:8"], "dcube: --embedding: boxes does not fit")
        self.assert_refused(["embed", "ring:8", "--embedding", "cyclic:switch"], "dcube: --embedding: the ring of 8 has no switches")
        self.write("wide.json", {"kind": "boxes", "box": [3]})
        self.assert_refused(["embed", "ring:8", "--embedding", "wide.json", "--guest", "line:8"], "dcube: wide.json: /")

    def test_default_guest_is_the_largest_cube(self):
        text = self.output("embed", "mesh:3x3", "--embedding", "identity")
        self.assertIn("cube:3, 8 processes on 9 nodes", text)

    def test_seed_decides_the_random_embedding(self):
        maps = [
            self.json("embed", "ring:16", "--embedding", "random", "--seed", seed, "--json")["map"]
            for seed in (1, 1, 2)
        ]
        self.assertEqual(maps[0], maps[1])
        self.assertNotEqual(maps[0], maps[2])
        self.assert_refused(["embed", "ring:8", "--embedding", "random", "--seed", "-1"], "--seed")

    def test_an_exported_embedding_can_be_run(self):
        self.output("embed", "ring:8", "--embedding", "xor", "--export", "json:xor.json")
        name = self.write("ring.json", scenario(ring(8)))
        exported = self.json("run", name, "--embedding", "xor.json", "--json")
        self.assertEqual(exported["makespan_s"], self.json("run", name, "--embedding", "xor", "--json")["makespan_s"])
        self.assertEqual(json.loads((self.folder / "xor.json").read_text())["kind"], "explicit")

    def test_csv_export_has_a_line_for_every_process(self):
        self.output("embed", "ring:8", "--embedding", "xor", "--export", "csv:xor.csv")
        with open(self.folder / "xor.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["process"] for row in rows], [str(i) for i in range(8)])
        self.assertEqual(sorted(int(row["node"]) for row in rows), list(range(8)))

    def test_an_unusable_export_is_refused(self):
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--export", "png:x"], "--export", "png")
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--export", "csv"], "--export")
        self.assert_refused(
            ["embed", "ring:8", "--embedding", "xor,standard", "--export", "csv:x.csv"], "--export"
        )
        self.assertEqual(self.files(), [])

    def test_an_unusable_network_is_refused(self):
        self.assert_refused(["embed", "torus:4x0", "--embedding", "xor"], "torus:4x0: /shape/1: 0 is not a side")
        self.assert_refused(["embed", "no-such-machine", "--embedding", "xor"], "no-such-machine")

    def test_an_embedding_that_does_not_fit_is_refused(self):
        self.assert_refused(["embed", "mesh:3x3", "--embedding", "xor"], "xor")
        self.assert_refused(["embed", "mesh:3x3", "mesh:5x5", "--embedding", "xor,gray"], "powers of two")

    def test_one_of_several_that_does_not_fit_is_a_row(self):
        arguments = ["embed", "mesh:3x3", "ring:8", "--embedding", "xor,identity"]
        done = self.dcube(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^dcube: mesh:3x3: xor: refused \(.*powers of two.*\)\n$")
        self.assertRegex(done.stdout, r"\nmesh:3x3 +9 +refused( +-){3} +\d")
        self.assertRegex(done.stdout, r"\nring:8 +8 +\d")
        alone = self.json("embed", "ring:8", "--embedding", "xor", "--json")
        told = self.dcube(*arguments, "--json", "-o", "all.json")
        self.assertEqual(told.returncode, 1)
        for text in (told.stdout, (self.folder / "all.json").read_text()):
            refused, _, fitting, _ = json.loads(text)
            self.assertEqual(refused["outcome"], "refused")
            self.assertIn("powers of two", refused["problem"])
            self.assertEqual((refused["machine"]["shape"], refused["embedding"]), ([3, 3], {"kind": "xor", "name": "xor"}))
            self.assertEqual(fitting, alone)

    def test_csv_has_a_row_for_every_placement_with_the_keys_of_json(self):
        arguments = ["embed", "mesh:3x3", "ring:8", "--embedding", "xor,identity"]
        done = self.dcube(*arguments, "--csv", "-")
        self.assertEqual(done.returncode, 1)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        told = json.loads(self.dcube(*arguments, "--json").stdout)
        self.assertEqual([row["embedding"] for row in rows], ["xor", "identity"] * 2)
        self.assertIn("powers of two", rows[0]["problem"])
        self.assertEqual(rows[0]["dilation.total"], "")
        for row, result in zip(rows[1:], told[1:]):
            self.assertEqual(row["problem"], "")
            for key, value in row.items():
                if "." in key:
                    found = result
                    for part in key.split("."):
                        found = found[part]
                    self.assertEqual(float(value), found, key)

    def test_csv_of_traffic_leaves_out_loads_that_no_route_decides(self):
        files = ["--traffic", "ring:8", "--embedding", "identity", "--write", "table:all.csv", "--quiet"]
        self.output("embed", "ring:8", *files)
        first, second = (self.folder / "all.csv").read_text().splitlines()
        self.assertEqual(first, "machine,nodes,embedding,hop_bytes,average_hops,dilation.longest,dilation.average,"
                                "link_bytes.min,link_bytes.max,link_bytes.average,problem")
        self.assertEqual(second, "ring:8,8,identity,16,1,1,1,1,1,1,")
        (self.folder / "drawn.json").write_text(json.dumps(
            {**machine({"kind": "torus", "shape": [4, 4]}), "routing": {"kind": "valiant"}}))
        self.output("embed", "drawn.json", *files)
        self.assertTrue((self.folder / "all.csv").read_text().endswith(",,,\n"))
        text = self.output("embed", "drawn.json", "--embedding", "identity", "--traffic", "ring:8")
        self.assertIn("unknown: messages draw detours, which distances leave out", text)
        search = ["search", "--machine", "drawn.json", "--traffic", "ring:8", "--effort", "10"]
        note = "note:  distances leave out the detours that messages draw\n"
        self.assertIn(note, self.output(*search))
        (self.folder / "drawn.json").write_text(json.dumps(
            {**machine({"kind": "torus", "shape": [4, 4]}), "routing": {"kind": "random_order"}}))
        self.assertNotIn(note, self.output(*search))

    def test_one_of_several_that_is_unknown_is_refused(self):
        self.assert_refused(["embed", "ring:8", "--embedding", "xor,xro"], "did you mean `xor`?")

    def test_a_large_torus_needs_no_machine_file(self):
        result = self.json("embed", "torus:512x512", "--embedding", "standard", "--json")
        self.assertEqual(result["dilation"]["longest"], 256)
        self.assertNotIn("map", result)


if __name__ == "__main__":
    unittest.main()
