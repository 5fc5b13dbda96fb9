"""Link loads, node loads and embeddings, drawn on every shape of machine."""

import json
import unittest
import xml.etree.ElementTree as ElementTree

import numpy
from pictures import ROOT, PictureTest, scenario
from plotting.machines import Machine
from plotting.node_maps import layout_of
from plotting.results import forwarding_nodes, read_drawing, read_links, read_result

SHAPES = {
    "line": {"kind": "line", "nodes": 8},
    "long_line": {"kind": "line", "nodes": 128},
    "ring": {"kind": "ring", "nodes": 16},
    "long_ring": {"kind": "ring", "nodes": 128},
    "mesh": {"kind": "mesh", "shape": [8, 4]},
    "torus": {"kind": "torus", "shape": [8, 8]},
    "large_torus": {"kind": "torus", "shape": [64, 64]},
    "torus_3d": {"kind": "torus", "shape": [4, 4, 4]},
    "large_torus_3d": {"kind": "torus", "shape": [16, 8, 16]},
    "mesh_4d": {"kind": "mesh", "shape": [2, 4, 2, 4]},
    "hypercube": {"kind": "hypercube", "dimensions": 4},
    "twisted_torus": {"kind": "twisted_torus", "shape": [4, 8]},
    "twisted_torus_3d": {"kind": "twisted_torus", "shape": [2, 4, 4]},
    "open_torus": {"kind": "torus", "shape": [4, 8], "wrap": [True, False]},
}
FABRICS = {
    "fat_tree": {"kind": "fat_tree", "down": [4, 4], "up": [1, 2], "parallel": [1, 2]},
    "dragonfly": {"kind": "dragonfly", "p": 2, "a": 4, "h": 2, "g": 8},
    "hyperx": {"kind": "hyperx", "shape": [4, 4], "p": 2},
    "slim_fly": {"kind": "slim_fly", "q": 5, "p": 2},
    "blocks": {"kind": "blocks", "blocks": ["switch:4", "switch:4"]},
    "dense": {"kind": "jellyfish", "routers": 300, "degree": 20, "p": 2},
}
GRAPH = {"kind": "graph", "edges": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]}


class MachinePlots(PictureTest):
    def test_every_shape_is_drawn(self):
        for name, topology in SHAPES.items():
            with self.subTest(name):
                file = self.result(name, topology)
                for script in ("link_load", "node_load", "embedding"):
                    self.drawn(script, file, "-o", "picture.png", "--size", "6x4", "--dpi", "100")
                    self.assert_picture("picture.png", 600, 400)
                some = "all" if name in ("ring", "mesh", "torus_3d") else "0,2"  # a panel takes 0.1 s
                self.drawn(
                    "embedding", file, "--dimension", some, "-o", "picture.png", "--dpi", "60"
                )
                self.assert_picture("picture.png")

    def test_networks_of_switches_are_drawn_where_pages_draw_them(self):
        for name, topology in FABRICS.items():
            with self.subTest(name):
                file = self.result(name, topology, dimensions=4)
                result = read_result(self.folder / file)
                drawing = read_drawing(result.document)
                ends = {ends for ends, _ in read_links(result, "messages").all()}
                self.assertEqual(drawing.ends, ends)
                self.assertEqual(set(drawing.pieces), set() if name == "dense" else ends)
                switches = result.machine.switches
                self.assertEqual(forwarding_nodes(result), set(range(result.machine.nodes - switches, result.machine.nodes)))
                others = ("node_load", "embedding") if name == "dragonfly" else ()
                for script in (*others, "link_load"):
                    self.drawn(script, file, "-o", "picture.svg", "-o", "picture.png", "--dpi", "60")
                    self.assert_picture("picture.png")
                    self.assertIn("no process", self.texts("picture.svg"))
                told = "each node: the busiest link that leaves it"
                self.assertEqual(told in self.texts("picture.svg"), name == "dense")

    def test_machines_of_one_are_called_by_their_names(self):
        one = {"hypercube:0": "0-dimensional hypercube", "fat_tree:1/1": "fat tree of 1 terminal and 1 switch",
               "dgx_h100-8": "blocks of 8 terminals and 1 switch"}  # fmt: skip
        for machine, words in one.items():
            self.output("embed", machine, "--embedding", "standard", "--output", "e.json", "--quiet")
            self.drawn("embedding", "e.json", "-o", "e.svg")
            self.assertIn(words, " ".join(self.texts("e.svg")))

    def test_of_large_networks_of_switches_the_links_of_each_class_are_counted(self):
        file = self.result("large", {"kind": "fat_tree", "down": [32, 70], "up": [1, 4]}, dimensions=11)
        self.drawn("link_load", file, "-o", "classes.svg")
        rows = json.loads((self.folder / file).read_text())["link_load"]["by_class"]["messages"]
        texts = " ".join(self.texts("classes.svg"))
        for row in rows:
            links = f"{row['class']}, {row['way']}: {row['links']:,} links, {row['unused']:,} unused"
            self.assertIn(links, texts)
        self.assertEqual(len(rows), 4)
        self.drawn("link_load", file, "--value", "busy", "-o", "classes.png")
        self.assert_picture("classes.png")

    def test_a_picture_goes_by_the_structure_and_not_by_the_name_of_the_kind(self):
        for name in ("ring", "torus", "twisted_torus", "hypercube"):
            with self.subTest(name):
                file = self.result(name, SHAPES[name])
                result = json.loads((self.folder / file).read_text())
                older, plugin = json.loads(json.dumps(result)), json.loads(json.dumps(result))
                del older["machine"]["structure"]
                plugin["machine"]["topology"] = "of_a_plugin"
                pictures = set()
                for document in (result, older, plugin):
                    self.write("drawn.json", document)
                    self.drawn("link_load", "drawn.json", "-o", "x.png", "--dpi", "40", "--title", "x")
                    pictures.add((self.folder / "x.png").read_bytes())
                self.assertEqual(len(pictures), 1)

    def test_links_are_where_pages_draw_them(self):
        for name in ("ring", "torus_3d", "hypercube", "graph"):
            with self.subTest(name):
                file = self.result(name, SHAPES.get(name, GRAPH))
                result = read_result(self.folder / file)
                drawing = read_drawing(result.document)
                self.assertEqual(len(drawing.nodes), result.machine.nodes)
                self.assertEqual(set(drawing.pieces), {ends for ends, _ in read_links(result, "messages").all()})
                for (origin, target), pieces in drawing.pieces.items():
                    for node, point in ((origin, pieces[0][0]), (target, pieces[-1][1])):
                        self.assertLess(numpy.hypot(*(drawing.nodes[node] - point)), drawing.node_size)

    def test_results_without_a_drawing_show_a_map_for_each_direction(self):
        """As those of earlier versions and of large machines. A graph has no directions."""
        shapes = SHAPES | {"flat": {"kind": "torus", "shape": [8, 4, 1]}}
        for name in ("ring", "torus", "torus_3d", "flat"):
            result = json.loads((self.folder / self.result(name, shapes[name])).read_text())
            del result["drawing"], result["machine"]["structure"]
            self.write("older.json", result)
            self.drawn("link_load", "older.json", "-o", "picture.png", "--dpi", "40")
        result = json.loads((self.folder / self.result("graph", GRAPH)).read_text())
        for script in ("link_load", "node_load", "embedding"):
            self.drawn(script, "graph.json", "-o", "picture.png", "--dpi", "40")
        del result["drawing"]
        self.write("older.json", result)
        self.refused("link_load", ["older.json", "-o", "x.png"], "the links of a graph have no picture")

    def test_what_fails_is_crossed_out(self):
        for name in ("ring", "torus", "torus_3d", "hypercube"):
            with self.subTest(name):
                file = self.result(name, SHAPES[name], dimensions=3)
                result = json.loads((self.folder / file).read_text())
                result["machine"] |= {
                    "failed_nodes": [3],
                    "failed_links": [[0, 1]],
                    "fails_later": [{"at_s": 0.5, "nodes": [9], "links": [[4, 5]]}],
                }
                self.write("failed.json", result)
                machine = read_result(self.folder / "failed.json").machine
                self.assertEqual(machine.failing_nodes, ((3, 0), (9, 0.5)))
                self.assertEqual(machine.failing_links, ((0, 1, 0), (4, 5, 0.5)))
                for script in ("link_load", "node_load", "embedding"):
                    if name == "hypercube" and script == "link_load":
                        continue
                    self.drawn(script, "failed.json", "-o", "picture.svg")
                    texts = self.texts("picture.svg")
                    self.assertIn("has failed", texts, script)
                    self.assertIn("fails during the run", texts, script)
                    if "x" in texts:  # the name of coordinates, below which this stands
                        heights = self.heights("picture.svg")
                        self.assertGreater(heights["has failed"], heights["x"] + 8, script)

    def test_crosses_leave_numbers_legible(self):
        self.output("run", ROOT / "scenarios/torus-cc_dcube-failed.json", "--quiet", "--output", "failed.json")
        self.drawn("link_load", "failed.json", "-o", "failed.svg")
        root = ElementTree.parse(self.folder / "failed.svg").getroot()
        svg = "{http://www.w3.org/2000/svg}"
        number = next(text for text in root.iter(f"{svg}text") if text.text == "5" and "middle" in text.get("style"))
        x, y = (float(number.get(axis)) for axis in "xy")
        marks = [tuple(float(use.get(axis)) for axis in "xy") for use in root.iter(f"{svg}use")]
        near = [mark for mark in marks if abs(mark[0] - x) < 20 and abs(mark[1] - y) < 20]
        self.assertEqual(len(near), 1, marks)
        self.assertGreater(near[0][0], x + 4)

    def test_edges_above_the_first_row_are_whole(self):
        self.output("embed", "torus:8x8", "--embedding", "xor", "--output", "e.json", "--quiet")
        self.drawn("embedding", "e.json", "--dimension", "1,2", "-o", "e.svg")
        root = ElementTree.parse(self.folder / "e.svg").getroot()
        edges = [element for element in root.iter() if "stroke: #d55e00" in element.get("style", "")]
        self.assertEqual({element.get("clip-path") is None for element in edges}, {True, False})

    def test_the_colour_of_idle_links_is_named(self):
        for name, topology, colour in [("small", SHAPES["torus"], "white"), ("large", "superpod_h100-128x8", "grey")]:
            self.write(f"{name}-scenario.json", {**scenario({}), "machine": topology} if colour == "grey" else scenario(topology))
            self.output("run", f"{name}-scenario.json", "--quiet", "--output", f"{name}.json")
            self.drawn("link_load", f"{name}.json", "-o", f"{name}.svg")
            self.assertIn(f"messages ({colour}: none)", self.texts(f"{name}.svg"))

    def test_the_wraps_of_a_twisted_torus_are_told_from_other_links(self):
        file = self.result("twisted", SHAPES["twisted_torus"], "xor", dimensions=5)
        links = read_links(read_result(self.folder / file), "messages")
        self.assertEqual(len(links.values), 128)
        ups = (links.dimension == 0) & (links.step == 1)
        self.assertEqual(sorted(links.origin[ups].tolist()), list(range(32)))
        self.assertEqual(links.target[ups & (links.origin == 3)].tolist(), [16])

    def test_dimensions_that_no_picture_can_hold_are_refused(self):
        file = self.result("deep", SHAPES["large_torus_3d"])
        arguments = [file, "--dimension", "all", "-o", "x.png"]
        self.refused("embedding", arguments, "--dimension: 11 dimensions in 16 slices", "at most 6")

    def test_both_directions_of_a_link_are_told_apart(self):
        file = self.result("line", {"kind": "line", "nodes": 8}, "by_weight")
        links = read_links(read_result(self.folder / file), "messages")
        self.assertFalse(links.is_half_duplex)
        self.assertEqual(len(links.values), 14)
        listed = json.loads((self.folder / file).read_text())["link_loads"]
        for a, b, messages in zip(listed["from"], listed["to"], listed["messages"]):
            found = links.values[(links.origin == a) & (links.target == b)]
            self.assertEqual(found.tolist(), [messages])
        self.assertEqual(set(links.step[links.origin < links.target].tolist()), {1})

    def test_links_over_the_end_of_a_dimension_wrap(self):
        file = self.result("torus", {"kind": "torus", "shape": [4, 2, 3]}, dimensions=3)
        links = read_links(read_result(self.folder / file), "busy")
        wraps = numpy.sign(links.target - links.origin) != links.step
        wrapped = list(zip(links.origin[wraps].tolist(), links.target[wraps].tolist()))
        # 4 wraps in six rows, 3 in eight columns; a side of 2 has one link and no way round.
        self.assertEqual(len(wrapped), 2 * (6 + 8))
        self.assertIn((3, 0), wrapped)
        self.assertIn((0, 16), wrapped)
        self.assertNotIn((0, 4), wrapped)
        forth = (links.origin == 3) & (links.target == 0)
        self.assertEqual(links.step[forth].tolist(), [1])
        self.assertLessEqual(links.values.max(), 1)

    def test_half_duplex_links_have_one_lane(self):
        self.output(
            "run",
            ROOT / "scenarios/ring-cc_dcube-half_duplex.json",
            "--quiet",
            "--output",
            "half.json",
        )
        links = read_links(read_result(self.folder / "half.json"), "messages")
        self.assertTrue(links.is_half_duplex)
        self.assertEqual(sorted(links.origin.tolist()), list(range(16)))
        self.assertEqual(((links.target - links.origin) % 16).tolist(), [1] * 16)
        self.drawn("link_load", "half.json", "-o", "half.svg")

    def test_a_host_computer_is_named_beside_the_picture(self):
        name = ROOT / "scenarios/hypercube-template_matching-host.json"
        self.output("run", name, "--quiet", "--output", "host.json")
        self.drawn("link_load", "host.json", "-o", "host.svg", "-o", "host.png")
        self.assertIn("host computer at node 0: to it 65, from it 65", self.texts("host.svg"))
        self.drawn("node_load", "host.json", "-o", "host.png")
        self.drawn("embedding", "host.json", "-o", "host.png")

    def test_maps_lie_as_the_machine_does(self):
        mesh = layout_of(Machine("", "mesh", (4, 2), ("path",) * 2))
        self.assertEqual((mesh.row[5], mesh.column[5]), (1, 1))
        torus = layout_of(Machine("", "torus", (4, 2, 3), ("cycle",) * 3))
        self.assertEqual((torus.panel[21], torus.row[21], torus.column[21]), (2, 1, 1))
        cube = layout_of(Machine("", "hypercube", (2,) * 5, ("cycle",) * 5, is_cube=True))
        for node in range(32):
            for bit in range(5):
                other = node ^ (1 << bit)
                same_row, same_column = (
                    cube.row[node] == cube.row[other],
                    cube.column[node] == cube.column[other],
                )
                self.assertNotEqual(same_row, same_column)
        places = set(zip(cube.row.tolist(), cube.column.tolist()))
        self.assertEqual(len(places), 32)
        # Neighbours in the map differ in one bit.
        at = {
            place: node for node, place in enumerate(zip(cube.row.tolist(), cube.column.tolist()))
        }
        for (row, column), node in at.items():
            if (row, column + 1) in at:
                self.assertEqual(bin(node ^ at[row, column + 1]).count("1"), 1)

    def test_node_loads_and_processes_stand_in_their_cells(self):
        file = self.result("ring", {"kind": "ring", "nodes": 16}, "xor")
        self.drawn("node_load", file, "-o", "nodes.svg")
        texts = self.texts("nodes.svg")
        loads = json.loads((self.folder / file).read_text())["node_loads"]
        self.assertGreaterEqual(texts.count("8"), loads.count(8))
        self.assertIn(
            "Node load: xor on unit (ring of 16), cc_dcube with 16 processes", " ".join(texts)
        )
        mesh = self.result("mesh", {"kind": "mesh", "shape": [8, 4]}, "by_weight")
        self.drawn("embedding", mesh, "--dimension", "4", "-o", "mesh.svg")
        texts = self.texts("mesh.svg")
        self.assertIn("cube dimension 4", texts)
        order = [text for text in texts if text.isdigit()]
        last_row = ["24", "28", "26", "25", "30", "29", "27", "31"]
        self.assertIn(" ".join(last_row), " ".join(order))

    def test_of_several_embeddings_one_is_chosen(self):
        self.write(
            "both.json", self.output("embed", "ring:16", "--embedding", "standard,xor", "--json")
        )
        self.drawn("embedding", "both.json", "--number", "2", "-o", "xor.svg")
        self.assertIn("xor on ring:16 (ring of 16)", self.texts("xor.svg"))
        self.refused(
            "embedding", ["both.json", "--number", "3", "-o", "x.png"], "--number", "1 .. 2"
        )
        self.write(
            "tree.json",
            self.output(
                "embed", "hypercube:4", "--embedding", "binary_tree", "--guest", "tree:15", "--json"
            ),
        )
        self.drawn("embedding", "tree.json", "-o", "tree.png")
        self.refused("embedding", ["tree.json", "--dimension", "0", "-o", "x.png"], "no cube")

    def test_what_a_large_result_leaves_out_is_asked_for(self):
        file = self.result("huge", {"kind": "torus", "shape": [128, 64]})
        self.refused("link_load", [file, "-o", "x.png"], "huge.json: does not list", "--full")
        self.refused("node_load", [file, "-o", "x.png"], "--full")
        self.refused("embedding", [file, "-o", "x.png"], "no map", "--full")
        file = self.result("huge", {"kind": "torus", "shape": [128, 64]}, "standard", "--full")
        for script in ("link_load", "node_load", "embedding"):
            self.drawn(script, file, "-o", "huge.png")
            self.assert_picture("huge.png")

    def test_loads_that_do_not_fit_the_machine_are_refused(self):
        file = self.folder / self.result("torus", {"kind": "torus", "shape": [4, 4]})
        result = json.loads(file.read_text())

        def spoilt(change):
            copy = json.loads(json.dumps(result))
            change(copy)
            return self.write("spoilt.json", copy)

        links = "link_loads"
        for change, problem in [
            (lambda r: r[links]["to"].__setitem__(0, 10), "no neighbours"),
            (lambda r: r[links]["to"].__setitem__(0, 99), "/link_loads/to/0: 99 is not in 0 .. 16"),
            (lambda r: r[links]["to"].pop(), "differ in length"),
            (lambda r: r[links]["messages"].__setitem__(2, "3"), "/link_loads/messages/2"),
            (lambda r: r["machine"].update(topology="sphere", structure=None), "/machine/topology"),
            (lambda r: r["machine"]["structure"].update(lines=["cycle"]), "/machine/structure"),
            (lambda r: r["machine"].update(shape=[4, 5]), "/machine/shape"),
            (lambda r: r.pop("machine"), '"machine"'),
        ]:
            self.refused("link_load", [spoilt(change), "-o", "x.png"], "spoilt.json: ", problem)
        twice = spoilt(lambda r: r["embedding"]["map"].__setitem__(0, 1))
        self.refused("embedding", [twice, "-o", "x.png"], "a node hosts two processes")
        crowded = spoilt(
            lambda r: r["machine"].update(slots=2) or r["embedding"]["map"].__setitem__(slice(1, 4), [0] * 3)
        )
        self.refused(
            "embedding", [crowded, "-o", "x.png"], "node 0 hosts 4 processes, and has 2 slots"
        )
        few = spoilt(lambda r: r["node_loads"].pop())
        self.refused("node_load", [few, "-o", "x.png"], "15 loads for 16 nodes")

    def of_slots(self, name, topology, slots, embedding, dimensions, **node):
        """A result on a machine whose nodes host several processes."""
        several = {
            "schema_version": 1, "name": "several", "topology": topology, "link": {"latency": "1s"},
            "node": {"slots": slots, "local": {"latency": "100ms"}, **node},
        }  # fmt: skip
        document = {**scenario(topology, embedding, dimensions=dimensions), "machine": several}
        self.write(f"{name}.s.json", document)
        self.output(
            "run", f"{name}.s.json", "--quiet", "--output", f"{name}.json", "--write", f"csv:{name}.csv"
        )
        return f"{name}.json"

    def test_nodes_of_several_processes(self):
        torus = {"kind": "torus", "shape": [4, 4]}
        low = self.of_slots("low", torus, 4, "xor", 6)
        self.drawn("embedding", low, "-o", "low.svg")
        texts = self.texts("low.svg")
        for text in ("xor on several (4×4 torus, 4 slots a node)", "0–3", "60–63", "lowest process of a node"):
            self.assertIn(text, texts)
        self.drawn("embedding", low, "--dimension", "all", "-o", "bits.svg")
        texts = self.texts("bits.svg")
        self.assertIn("cube dimension 1, inside nodes", texts)
        self.assertIn("cube dimension 2", texts)
        high = self.of_slots("high", torus, 4, {"kind": "xor", "fold": "high"}, 6, cores=2)
        self.drawn("embedding", high, "-o", "high.svg")
        words = " ".join(self.texts("high.svg"))
        self.assertIn("1 17", words)
        self.assertIn("33 49", words)
        for script in ("link_load", "node_load"):
            self.drawn(script, high, "-o", "loads.svg")
            self.assertIn("4×4 torus, 4 slots a node", " ".join(self.texts("loads.svg")))
        self.drawn("gantt", "high.csv", "--order", "node", "-o", "gantt.svg")
        # Every other row has a label; the processes of node 0 are 0, 16, 32 and 48.
        self.assertIn("0 32 1 33", " ".join(self.texts("gantt.svg")))

    def test_edges_inside_nodes_and_between_the_same_two_are_drawn_once(self):
        from plot_embedding import drawn_edges, edges_inside, in_lines, process_of_nodes, runs_of
        from plotting.results import read_placements

        ring = {"kind": "ring", "nodes": 4}
        file = self.of_slots("ring", ring, 4, {"kind": "explicit", "map": [0, 0, 1, 1, 0, 2, 1, 2]}, 3)
        placement = read_placements(self.folder / file)[0]
        self.assertEqual(process_of_nodes(placement).tolist(), [0, 2, 5, None])
        self.assertEqual([edges_inside(placement, d) for d in range(3)], [2, 1, 2])
        starts, ends = drawn_edges(placement, 1)  # 0-2 and 1-3 join nodes 0 and 1, so does 4-6; 5-7 none
        self.assertEqual(list(zip(starts.tolist(), ends.tolist())), [(0, 1)])
        self.assertEqual(placement.of_nodes(), [[0, 1, 4], [2, 3, 6], [5, 7], []])
        bits = placement.shares(numpy.arange(8) & 1)
        self.assertEqual(bits.tolist(), [1 / 3, 1 / 3, 1.0, None])
        self.assertEqual(runs_of([0, 1, 2, 5, 7, 8]), ["0–2", "5", "7", "8"])
        self.assertEqual(in_lines(["0", "16", "32", "48"]), "0 16\n32 48")
        for name, topology, slots, dimensions in (
            ("circle", {"kind": "ring", "nodes": 8}, 4, 5), ("line", {"kind": "line", "nodes": 8}, 16, 7),
            ("slices", {"kind": "mesh", "shape": [4, 2, 2]}, 4, 6), ("cube", {"kind": "hypercube", "dimensions": 3}, 32, 8),
            ("one", {"kind": "line", "nodes": 1}, 8, 3),
        ):  # fmt: skip
            for embedding, some in (("block", "all"), ("cyclic", "0,2")):
                file = self.of_slots(name, topology, slots, embedding, dimensions)
                self.drawn("embedding", file, "-o", "x.png", "--dpi", "60")
                self.drawn("embedding", file, "--dimension", some, "-o", "x.png", "--dpi", "60")
                self.assert_picture("x.png")

    def test_mask_of_unused_nodes(self):
        self.write(
            "part.json",
            self.output(
                "embed", "line:9", "--embedding", "standard", "--guest", "cube:3", "--json"
            ),
        )
        self.drawn("embedding", "part.json", "--dimension", "0-2", "-o", "part.svg")
        from plot_embedding import process_of_nodes
        from plotting.results import read_placements

        placement = read_placements(self.folder / "part.json")[0]
        self.assertEqual(numpy.ma.count(process_of_nodes(placement)), 8)


if __name__ == "__main__":
    unittest.main()
