"""Maps and traffic written for other tools and read back."""

import json
import pathlib
import unittest

from program import ProgramTest, machine, ring, scenario

SCENARIOS = pathlib.Path(__file__).parents[2] / "scenarios"

READ_BACK = {
    "bluegene": "x.bgmap",
    "csv": "x.csv",
    "hostfile": "x.hostfile",
    "hostlist": "x.hostlist",
    "jax": "x.jax",
    "json": "x.json",
    "rankfile": "x.rankfile",
    "scotch": "x.map",
}
WRITTEN_ONLY = {"dot": "x.dot", "grf": "x.grf", "simgrid": "x.xml", "tgt": "x.tgt"}


class MapFiles(ProgramTest):
    def map_of(self, machine, embedding, *more):
        return self.json("embed", machine, "--embedding", embedding, "--json", *more)["map"]

    def test_every_format_comes_back_through_its_suffix_and_its_name(self):
        for machine, *guest in (("torus:4x8",), ("mesh:5x3x3", "mesh:3x4"), ("ring:9", "cube:3"), ("line:1", "line:1"),
                                ("hypercube:5",), ("torus:3x4x5", "ring:60"), ("torus:2x3x2x3x2", "tree:31")):
            more = [part for shape in guest for part in ("--guest", shape)]
            nodes = self.map_of(machine, "random", "--seed", "2", *more)
            for name, file in READ_BACK.items():
                with self.subTest(machine=machine, format=name):
                    self.output("embed", machine, "--embedding", "random", "--seed", "2", *more,
                                "--export", f"{name}:{file}")
                    self.assertEqual(self.map_of(machine, file, *more), nodes)
                    (self.folder / file).rename(self.folder / "plain")
                    self.assertEqual(self.map_of(machine, f"{name}:plain", *more), nodes)

    def test_a_blue_gene_map_comes_back_where_nodes_stay_empty(self):
        mesh = {"kind": "mesh", "shape": [4, 4]}
        self.write("whole.json", machine(mesh))
        for failed in ({}, {"nodes": [5]}, {"spares": [5]}, {"nodes": [0, 15], "spares": [3]}):
            self.write("m.json", machine(mesh, failed=failed))
            subject = ("--traffic", "mesh:3x3", "--effort", "1000", "--json")
            for avoided in ((), ("--avoid", "6"), ("--avoid", "6,10-11")):
                with self.subTest(failed=failed, avoided=avoided):
                    found = self.json("search", "--machine", "m.json", *subject, *avoided, "--write", "bluegene:x.bgmap")["map"]
                    for reader in ("m.json", "whole.json"):
                        self.assertEqual(self.map_of(reader, "x.bgmap", "--traffic", "mesh:3x3"), found)
                    place = self.json("place", "--machine", "m.json", *subject, *avoided, "--against", "x.bgmap")["place"]
                    self.assertEqual(place["earlier"]["map"], found)

    def test_list_shows_every_format(self):
        text = self.output("list", "formats")
        for name in [*READ_BACK, *WRITTEN_ONLY, "mtx"]:
            self.assertRegex(text, rf"(?m)^  {name}: ")

    def test_several_exports_are_written_together_or_not_at_all(self):
        self.output("embed", "ring:8", "--embedding", "xor",
                    *(f"--export={name}:{file}" for name, file in {**READ_BACK, **WRITTEN_ONLY}.items()))
        self.assertEqual(self.files(), sorted({**READ_BACK, **WRITTEN_ONLY}.values()))

    def test_the_suffix_of_an_export_tells_its_format(self):
        for name, file in {**READ_BACK, **WRITTEN_ONLY}.items():
            with self.subTest(format=name):
                self.output("embed", "ring:8", "--embedding", "xor", "--export", file, "--export", f"{name}:plain")
                self.assertEqual((self.folder / file).read_text(), (self.folder / "plain").read_text())

    def test_an_export_that_cannot_be_leaves_no_file(self):
        self.assert_refused(
            ["embed", "torus:2x2x2x2x2x4", "--embedding", "standard", "--export", "csv:x.csv", "--export", "bluegene:x.bgmap"],
            "--export", "3 or 5 coordinates", "6 dimensions",
        )
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--export", "csv:no/x.csv"], "--export", "no is not a folder")
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--export", "rankfil:x"], "--export", "did you mean `rankfile`?")
        self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--export", "rankfil:x.rankfile"], "--export", "did you mean `rankfile`?")
        for export in ("x", "rankfile", "rankfile:"):
            self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--export", export], "--export")
        self.assertEqual(self.files(), [])

    def test_hosts_have_names_of_a_file_or_a_pattern(self):
        names = [f"rack{i // 4}.n{i % 4}" for i in range(8)]
        self.write("names", "# of the rack\n" + "\n".join(names) + "\n")
        nodes = self.map_of("ring:8", "xor")
        self.output("embed", "ring:8", "--embedding", "xor", "--hosts", "names", "--export", "rankfile:x.rankfile")
        self.assertEqual((self.folder / "x.rankfile").read_text().splitlines()[1], f"rank 1={names[nodes[1]]} slot=0")
        self.assertEqual(self.map_of("ring:8", "x.rankfile", "--hosts", "names"), nodes)
        self.assert_refused(["embed", "ring:8", "--embedding", "x.rankfile"], "x.rankfile: line 1: ", "none of the 8 hosts (node-{})")
        self.assert_refused(["embed", "ring:9", "--embedding", "standard", "--hosts", "names",
                             "--export", "hostfile:y"], "names: has 8 names for 9 nodes")
        self.output("embed", "ring:8", "--embedding", "xor", "--hosts", "pc{}.lan", "--export", "hostfile:y.hostfile")
        self.assertEqual((self.folder / "y.hostfile").read_text().split()[0], f"pc{nodes[0]}.lan")
        self.write("hosts", "".join(f"{name}:1\n" if i % 2 else f"{name} slots=1\n" for i, name in enumerate(names)))
        self.assertEqual(self.map_of("ring:8", "x.rankfile", "--hosts", "hosts"), nodes)
        for unnamed in ((), ("--write", "x.jax")):
            self.assert_refused(["embed", "ring:8", "--embedding", "xor", "--hosts", "hosts", *unnamed], "--hosts: no map file is read")

    def test_run_and_compare_take_map_files(self):
        self.write("scenarios/ring.json", scenario(ring(8)))
        self.output("embed", "ring:8", "--embedding", "xor", "--export", "scotch:maps.map")
        self.output("embed", "ring:8", "--embedding", "xor", "--export", "rankfile:x.rankfile", "--hosts", "pc{}")
        expected = self.json("run", "scenarios/ring.json", "--embedding", "xor", "--json")
        for more in (["maps.map"], ["scotch:maps.map"], ["x.rankfile", "--hosts", "pc{}"],
                     [str(self.folder / "maps.map")]):
            run = self.json("run", "scenarios/ring.json", "--json", "--embedding", *more)
            self.assertEqual(run["simulation"]["fingerprint"], expected["simulation"]["fingerprint"])
            self.assertEqual(run["embedding"], {"kind": "explicit", "map": expected["embedding"]["map"]})
        table = self.output("compare", "scenarios/ring.json", "--embedding", "standard,scotch:maps.map,x.rankfile", "--hosts", "pc{}")
        self.assertRegex(table, r"(?m)^maps .* completed$")
        self.assertRegex(table, r"(?m)^x .* completed$")
        self.assert_refused(["run", "scenarios/ring.json", "--hosts", "pc{}"], "--hosts", "no map file is read")
        self.assert_refused(["embed", "ring:8", "--embedding", "x.rankfile", "--hosts", "pc:{}"], "--hosts: \"pc:{}\" is not a pattern")
        self.write("broken.json", {**machine(ring(8)), "failed": {"nodes": [4]}})
        self.output("embed", "ring:8", "--embedding", "identity", "--guest", "line:5", "--export", "rankfile:few.rankfile")
        self.assert_refused(["embed", "broken.json", "--embedding", "few.rankfile", "--guest", "line:5"],
                            "dcube: few.rankfile: /map/4: node 4 has failed")

    def test_hosts_name_the_nodes_of_a_map_that_the_scenario_names(self):
        (self.folder / "sub").mkdir()
        self.output("embed", "ring:8", "--embedding", "xor", "--export", "rankfile:sub/x.rankfile", "--hosts", "pc{}")
        self.write("names", "".join(f"pc{i}\n" for i in range(8)))
        own = scenario(ring(8), embedding={"kind": "explicit", "file": "x.rankfile"})
        self.write("sub/s.json", own)
        nodes = self.json("run", "sub/s.json", "--embedding", "xor", "--json")["embedding"]["map"]
        self.assert_refused(["run", "sub/s.json"], "x.rankfile", "node-{}")
        for hosts in ("pc{}", "names"):
            more = ["--hosts", hosts]
            result = self.json("run", "sub/s.json", *more, "--json")
            self.assertEqual(result["embedding"]["map"], nodes)
            self.assertIn("valid scenario", self.output("validate", "sub/s.json", *more))
            self.assertIn(" completed", self.output("compare", "sub/s.json", *more, "--process-count", "8"))
        for without_file in ("xor", {"kind": "explicit", "map": list(range(8))}):
            self.write("sub/s.json", {**own, "embedding": without_file})
            self.assert_refused(["run", "sub/s.json", "--hosts", "pc{}"], "--hosts", "no map file is read")
        set_file = ["--set", '/embedding={"kind": "explicit", "file": "x.rankfile"}']
        self.assertEqual(
            self.json("run", "sub/s.json", *set_file, "--hosts", "pc{}", "--json")["embedding"]["map"], nodes
        )

    def test_a_scenario_names_a_map_file_beside_it(self):
        self.output("embed", "ring:8", "--embedding", "xor", "--export", "rankfile:r", "--hosts", "pc{}")
        (self.folder / "sub").mkdir()
        (self.folder / "r").rename(self.folder / "sub/r")
        explicit = {"kind": "explicit", "file": "r", "format": "rankfile", "hosts": "pc{}"}
        self.write("sub/s.json", scenario(ring(8), embedding=explicit))
        self.output("validate", "sub/s.json")
        self.assertEqual(self.json("run", "sub/s.json", "--json")["embedding"]["map"], self.map_of("ring:8", "xor"))
        prefixed = {"kind": "explicit", "file": "rankfile:r", "hosts": "pc{}"}
        self.write("sub/prefixed.json", scenario(ring(8), embedding=prefixed))
        self.assertEqual(
            self.json("run", "sub/prefixed.json", "--json")["embedding"]["map"], self.map_of("ring:8", "xor")
        )
        for change, complaint in (
            ({"format": "rankfil"}, "s.json: /embedding/format: \"rankfil\" is not a map format; did you mean `rankfile`?"),
            ({"format": "dot"}, "dot is written only"),
            ({"file": "gone"}, "sub/gone: cannot be read"),
            ({"map": [0, 1]}, "/embedding/file: given beside `map`"),
            ({"hosts": "a b{}"}, "/embedding/hosts"),
            ({"seed": 1}, "/embedding/seed: unknown key"),
        ):
            self.write("sub/s.json", scenario(ring(8), embedding={**explicit, **change}))
            self.assert_refused(["run", "sub/s.json"], complaint)
        self.write("sub/s.json", scenario(ring(8), embedding={"kind": "explicit", "file": "r"}))
        self.assert_refused(["run", "sub/s.json"], "/embedding/file: \"r\" has no suffix")
        self.write("sub/s.json", scenario(ring(16), embedding=explicit))
        self.assert_refused(["run", "sub/s.json"], "sub/r: 8 nodes for 16 processes")
        self.write("sub/x.json", {"kind": "explicit", "map": self.map_of("ring:8", "xor")})
        for more in ({"file": "x.json"}, {"file": "x.json", "format": "json", "guest": "cube:3"}):
            self.write("sub/s.json", scenario(ring(8), embedding={"kind": "explicit", **more}))
            self.assertEqual(self.json("run", "sub/s.json", "--json")["embedding"]["map"], self.map_of("ring:8", "xor"))
        for embedding, complaint in (
            ({"kind": "explicit", "map": [0, 1]}, "sub/x.json: /map: 2 nodes for 8 processes"),
            ({"kind": "explicit", "map": [9] * 8}, "sub/x.json: /map/0: 9 is not a node"),
            ({"kind": "random"}, "sub/x.json: /kind: \"random\" is no map"),
            ({"kind": "explicit", "file": "x.json"}, "sub/x.json: /file"),
        ):
            self.write("sub/x.json", embedding)
            self.assert_refused(["run", "sub/s.json"], complaint)
        self.write("sub/s.json", scenario(ring(8), embedding={"kind": "explicit", "map": [0], "hosts": "x{}"}))
        self.assert_refused(["run", "sub/s.json"], "/embedding/hosts: is about a map file")

    def test_a_map_of_another_number_of_processes_needs_their_shape(self):
        self.write("x.map", "3\n0 2\n1 1\n2 0\n")
        self.assert_refused(["embed", "ring:4", "--embedding", "x.map"], "--guest", "3 processes are no cube")
        self.assertEqual(self.map_of("ring:4", "x.map", "--guest", "line:3"), [2, 1, 0])
        self.write("x.map", "2\n0 2\n1 1\n")
        self.assertEqual(self.map_of("ring:4", "x.map"), [2, 1])
        self.assert_refused(["embed", "ring:4", "--embedding", "x.map", "--guest", "cube:2"], "x.map: 2 nodes for 4 processes")


class TrafficFiles(ProgramTest):
    def test_the_traffic_of_a_run_is_that_of_its_program(self):
        self.write("s.json", scenario(ring(8), message=64))
        self.output("run", "s.json", "--traffic", "x.csv")
        rows = (self.folder / "x.csv").read_text().split()
        self.assertEqual(rows[0], "from,to,bytes,messages")
        self.assertEqual(rows[1:4], ["0,1,64,1", "0,2,64,1", "0,4,64,1"])
        self.assertEqual(len(rows), 1 + 24)
        result = self.json("embed", "ring:8", "--embedding", "standard", "--traffic", "x.csv", "--json")
        self.assertEqual(result["traffic"], {"processes": 8, "flows": 24, "bytes": 1536, "messages": 24})
        run = self.json("run", "s.json", "--json")
        self.assertEqual(result["hop_bytes"], 64 * run["messages"]["hops"])
        self.assertEqual(result["link_bytes"]["max"], 64 * run["link_load"]["max"])
        self.assertAlmostEqual(result["average_hops"], run["messages"]["hops"] / 24)

    def test_every_format_measures_the_same(self):
        self.write("s.json", scenario({"kind": "torus", "shape": [4, 4]}, message=3))
        results = []
        for target in ("x.csv", "x.mtx", "x.grf", "mtx:plain"):
            self.output("run", "s.json", "--traffic", target)
            results.append(self.json("embed", "torus:4x4", "--embedding", "xor", "--json", "--traffic", target))
        self.assertTrue(all(result == results[0] for result in results))

    def test_messages_stand_for_bytes_that_nobody_sends(self):
        self.write("s.json", scenario(ring(4), message=0))
        self.output("run", "s.json", "--traffic", "x.mtx", "--quiet")
        self.assertIn("\n4 4 8\n1 2 1\n", (self.folder / "x.mtx").read_text())
        self.assertIn("% messages from", (self.folder / "x.mtx").read_text())

    def test_observers_go_together(self):
        self.write("s.json", scenario(ring(4)))
        text = self.output("run", "s.json", "--traffic", "x.csv", "--processes")
        self.assertIn("process", text)
        self.assertEqual(self.files(), ["s.json", "x.csv"])

    def test_fewer_processes_than_nodes_fit_embeddings_that_need_no_cube(self):
        self.write("x.csv", "from,to,bytes\n0,1,10\n1,2,20\n2,0,30\n")
        arguments = ["embed", "mesh:3x3", "--traffic", "x.csv", "--embedding"]
        for embedding in ("identity", "standard", "random"):
            self.assertEqual(self.json(*arguments, embedding, "--json")["traffic"]["processes"], 3)
        self.write("x.map", "3\n0 0\n1 1\n2 4\n")
        result = self.json(*arguments, "x.map", "--json")
        self.assertEqual(result["hop_bytes"], 10 + 20 + 60)
        self.assertEqual(result["link_bytes"]["max"], 30)
        text = self.output(*arguments, "x.map")
        self.assertIn("traffic of 3 processes on 9 nodes", text)
        self.assertRegex(text, r"hop-bytes +90\n")
        self.assertIn("max link", self.output(*arguments, "x.map,identity"))
        self.assert_refused([*arguments, "xor"], "--embedding", "xor does not fit")
        self.assert_refused([*arguments, "identity", "--guest", "ring:4"], "--guest", "ring:4 has 4 processes, the traffic 3")

    def test_ranks_that_count_from_one_are_told_and_read(self):
        self.write("x.csv", "from,to,bytes\n1,2,10\n2,3,20\n3,1,30\n")
        arguments = ["embed", "ring:4", "--embedding", "identity", "--json", "--traffic"]
        done = self.dcube(*arguments, "x.csv")
        self.assertEqual(json.loads(done.stdout)["traffic"]["processes"], 4)
        self.assertEqual(done.stderr, "dcube: x.csv: no row names process 0, so 4 processes are read; "
                                      "if the file counts 3 from 1, say csv-from-1:x.csv\n")
        self.assertEqual(self.json(*arguments, "csv-from-1:x.csv")["traffic"]["processes"], 3)

    def test_a_shape_is_measured_as_the_traffic_of_its_edges(self):
        arguments = ["embed", "torus:4x4", "--embedding", "identity", "--json"]
        shape = self.json(*arguments, "--traffic", "ring:16")
        self.write("ring.csv", "".join(f"{i},{(i + step) % 16},1\n" for i in range(16) for step in (1, 15)))
        self.assertEqual(shape, self.json(*arguments, "--traffic", "ring.csv", "--guest", "ring:16"))
        self.assert_refused([*arguments, "--traffic", "rnig:16"], "--traffic", "did you mean `ring`?")
        self.assert_refused([*arguments, "--traffic", "ring:16", "--guest", "ring:8"], "--guest", "the traffic 16")

    def test_a_scenario_names_the_format_of_its_traffic_wherever_it_lies(self):
        (self.folder / "below").mkdir()
        self.write("below/plain", "0;7\n1;0\n")
        self.write("below/s.json", {**scenario(ring(4), "identity"), "program": {"kind": "traffic", "file": "matrix:plain"}})
        self.assertEqual(self.json("run", "below/s.json", "--json")["messages"]["bytes"], 8)
        phases = [{"traffic": "matrix:plain"}]
        self.write("below/p.json", {**scenario(ring(4), "identity"), "program": {"kind": "pattern", "phases": phases}})
        self.assertEqual(self.json("run", "below/p.json", "--json")["messages"]["bytes"], 8)

    def test_an_unusable_traffic_file_is_refused_by_line(self):
        self.write("x.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n1 4 5\n")
        self.assert_refused(["embed", "ring:4", "--embedding", "identity", "--traffic", "x.mtx"],
                            "x.mtx: line 4: 4 is not a process (1 to 3)")
        self.assert_refused(["embed", "ring:4", "--embedding", "identity", "--traffic", "x.foo"], "--traffic", "FORMAT:FILE")
        self.write("s.json", scenario(ring(4)))
        self.assert_refused(["run", "s.json", "--traffic", "x.foo"], "--traffic")
        self.assert_refused(["run", "s.json", "--traffic", "no/x.csv"], "--traffic", "no is not a folder")

    def test_a_host_computer_is_no_process_on_the_network(self):
        name = SCENARIOS / "hypercube-template_matching-host.json"
        self.output("run", name, "--traffic", "x.csv")
        rows = [row.split(",") for row in (self.folder / "x.csv").read_text().split()[1:]]
        self.assertEqual(max(int(cell) for row in rows for cell in row[:2]), 63)
        sent = self.json("run", name, "--json")["messages"]["count"]
        self.assertLess(sum(int(row[3]) for row in rows), sent)
        self.output("embed", "hypercube:6", "--embedding", "gray", "--traffic", "x.csv", "--guest", "mesh:8x8")


if __name__ == "__main__":
    unittest.main()
