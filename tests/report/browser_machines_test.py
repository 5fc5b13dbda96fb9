"""Report pages in a real browser: every kind of machine is drawn, with its busiest links."""

import pathlib
import unittest

from opened import CHARTS, TIMED, BrowserTest, setUpModule  # noqa: F401
from program import scenario

MACHINES = {
    "line-16": ({"kind": "line", "nodes": 16}, "by_weight"),
    "line-64": ({"kind": "line", "nodes": 64}, "standard"),
    "ring-16": ({"kind": "ring", "nodes": 16}, "xor"),
    "ring-128": ({"kind": "ring", "nodes": 128}, "standard"),
    "mesh-8x4": ({"kind": "mesh", "shape": [8, 4]}, "standard"),
    "torus-8x8": ({"kind": "torus", "shape": [8, 8]}, "xor"),
    "torus-4x4x4": ({"kind": "torus", "shape": [4, 4, 4]}, "standard"),
    "mesh-2x4x2x4": ({"kind": "mesh", "shape": [2, 4, 2, 4]}, "standard"),
    "hypercube-4": ({"kind": "hypercube", "dimensions": 4}, "standard"),
    "hypercube-6": ({"kind": "hypercube", "dimensions": 6}, "standard"),
    "hypercube-8": ({"kind": "hypercube", "dimensions": 8}, "standard"),
}
FABRICS = {
    "fat_tree": {"kind": "fat_tree", "down": [4, 4, 2], "up": [1, 2, 2]},
    "dragonfly": {"kind": "dragonfly", "p": 2, "a": 4, "h": 2},
    "blocks": {"kind": "blocks", "blocks": ["switch:4", "switch:4"]},
}


class EveryMachine(BrowserTest):
    def test_every_kind_of_machine_is_drawn_with_its_busiest_links(self):
        for name, (topology, embedding) in MACHINES.items():
            with self.subTest(name):
                page = self.open_scenario(topology, embedding, message=100, **TIMED)
                for chart in CHARTS:
                    self.assertGreater(page.painted(chart), 0.01, chart)
                page.wait_for("const m = dcube_report.motion(); m.step(); return m.dots.data('dots').length > 3")
                self.assertGreater(page.painted("#motion-dots"), 0)
                self.assertLessEqual(page.run("return document.documentElement.scrollWidth"), 1280)
                page.screenshot(name)
                page.resize(420, 900)
                self.assertLessEqual(page.run("return document.documentElement.scrollWidth"), 420)
                page.resize_back()
                self.assert_busiest_are_told(page)

    def assert_busiest_are_told(self, page):
        view = "document.querySelector('#load-chart').view"
        self.assertEqual(page.find("#load-quantity").get_attribute("value"), "bytes")
        self.assertRegex(page.texts("#load-legend")[0], r"\bthe 5 busiest links|\b5 of the [\d,]+ busiest links")
        # One that leads around is marked at both of its ends.
        self.assertIn(page.run(f"return {view}.data('marked').length"), range(5, 11))
        titles = page.texts("#load-busiest th")
        self.assertEqual(titles, ["busiest link", "bytes", "times the mean", "who crosses it (bytes)"])
        busiest = page.texts("#load-busiest td:first-child")
        crossed = page.texts("#load-busiest td:last-child")
        self.assertEqual(len(busiest), 5)
        self.assertRegex(crossed[0], r"^\d+->\d+ \([\d,]+\)(, \d+->\d+ \([\d,]+\))*( and \d+ more)?$")
        tips = page.run(f"return {view}.data('links').map(l => l.tip())")
        first = busiest[0].replace("->", " → node ")
        tip = next(tip for tip in tips if tip.startswith(f"node {first}\n"))
        self.assertIn(f"who crosses it (bytes): {crossed[0]}", tip)
        self.assertRegex(tip, r"\n[\d,]+ bytes, \d+\.\d\d times the mean\n")
        page.choose("#load-quantity", "messages")
        self.assertEqual(page.run(f"return {view}.data('marked').length"), 0)

    def test_a_page_of_64_processes_is_small(self):
        self.output("report", self.write_scenario(*MACHINES["torus-8x8"], **TIMED), "-o", "report.html")
        self.assertLess((self.folder / "report.html").stat().st_size, 3e6)

    def test_nodes_of_several_processes(self):
        several = {**scenario({"kind": "torus", "shape": [4, 4]}, {"kind": "xor", "fold": "high"}, dimensions=6)}
        several["machine"] = {
            "schema_version": 1, "topology": {"kind": "torus", "shape": [4, 4]}, "link": {"latency": "1s"},
            "node": {"slots": 4, "local": {"latency": "100ms"}},
        }  # fmt: skip
        page = self.open(self.write("several.json", several))
        nodes = "return document.querySelector('#embedding-chart').view.data('nodes').map(n => n.{})"
        self.assertEqual(page.run(nodes.format("label"))[1], ["1 17", "33 49"])
        self.assertEqual(page.run(nodes.format("tip"))[1].split("\n")[0], "node 1: processes 1, 17, 33, 49")
        self.assertIn("lowest process", page.texts("#embedding-legend")[0])
        page.choose("#embedding-colour", "bit 0")
        self.assertEqual(len(set(page.run(nodes.format("colour")))), 2)
        page.choose("#embedding-colour", "bit 5")  # inside nodes
        self.assertEqual(len(set(page.run(nodes.format("colour")))), 1)
        self.assertIn("share", page.texts("#embedding-legend")[0])
        self.assertEqual(page.run("return dcube_report.motion().view.data('nodes')[1].label"), ["1 17", "33 49"])
        page.run("const m = dcube_report.motion(); m.show(m.timeline.end * 0.99)")
        self.assertIn("32 processes waiting", page.texts("#motion-counts")[0])  # two on each node
        widths = page.run("return dcube_report.motion().view.data('nodes').map(n => n.border_width)")
        self.assertEqual(widths, [2] * 16)
        self.assertIn("torus 4×4, 16 nodes of 4 slots", " ".join(page.texts("#summary dd")))
        page.screenshot("several-processes")

    def test_links_that_both_directions_share_are_named(self):
        machine = {
            "schema_version": 1, "topology": {"kind": "ring", "nodes": 16},
            "link": {"latency": "1s", "bandwidth": "100Bps", "duplex": "half"},
        }  # fmt: skip
        shared = {**scenario({}, "standard", message=100), "machine": machine}
        for network in ("switched", "fluid"):
            page = self.open(self.write("shared.json", {**shared, "machine": {**machine, "network": network}}))
            busiest = page.run("return dcube_report.data.runs[0].result.link_load.busiest")
            self.assertRegex(busiest, r"^\d+-\d+$")
            self.assertIn(f"busiest {busiest};", " ".join(page.texts("#summary dd")))
            self.assertIn(f"both directions together. The number in a square is its node. Most messages: {busiest}.", page.texts("#load-caption")[0])
            tips = page.run("return document.querySelector('#load-chart').view.data('links').map(l => l.tip())")
            self.assertTrue(any(tip.startswith(f"node {busiest.replace('-', ' – node ')}\n") for tip in tips), tips)
            self.assertNotIn("NaN", page.texts("body")[0])
            if network == "switched":
                self.assertRegex(" ".join(page.texts("#load-busiest td:first-child")), r"^\d+-\d+( \d+-\d+){4}$")
                self.assertRegex(page.texts("#why-totals dd")[3], r"^\d+-\d+ for ")
        page.screenshot("shared-links")

    def test_links_have_the_names_of_a_platform(self):
        self.output("embed", "torus:4x4", "--embedding", "identity", "--write", "simgrid:platform.xml")
        exchange = {"kind": "all_to_all", "processes": 16, "message": "1KiB"}
        named = {**scenario({}, "identity"), "machine": str(self.folder / "platform.xml"), "program": exchange}
        page = self.open(self.write("named.json", named))
        self.assertRegex(page.texts("#load-busiest td:first-child")[0], r"^\d+(->|-)\d+ \(\S+\)$")
        self.assertNotIn("NaN", page.texts("body")[0])

    def test_a_host_computer_is_drawn(self):
        root = pathlib.Path(__file__).parents[2]
        page = self.open(root / "scenarios/hypercube-template_matching-host.json")
        labels = page.run("return dcube_report.motion().view.data('nodes').map(n => n.label)")
        self.assertEqual(labels.count("host"), 1)
        self.assertEqual(page.texts("#load-busiest td:first-child")[:2], ["0->host", "host->0"])
        facts = page.texts("#why-totals dd")
        self.assertTrue(facts[1].endswith("it ends with host"), facts)
        self.assertIn("host->0 for", facts[3])
        self.assertIn("busiest 0->host", " ".join(page.texts("#summary dd")))
        page.run("document.querySelector('#why details').open = true")
        parts = page.texts("#why-parts tbody td:nth-child(3)") + page.texts("#why-parts tbody td:last-child")
        self.assertIn("host", parts)
        self.assertNotRegex(" ".join(parts), r"\b64\b")
        # Much is dark in both pictures.
        bars = page.run("return [...document.querySelectorAll('#embedding .gradient, #load .gradient')].map(e => e.style.background)")
        self.assertEqual(len(set(bars)), 1)
        page.screenshot("host")

    def test_what_fails_is_crossed_out(self):
        machine = {
            "schema_version": 1, "name": "torn", "topology": {"kind": "torus", "shape": [4, 4]},
            "link": {"latency": "1s"},
            "failed": [{"nodes": [5], "links": [[0, 3], [9, 10]]}, {"at": "2s", "nodes": [15], "links": [[1, 2]]}],
        }  # fmt: skip
        torn = {**scenario({"kind": "torus", "shape": [4, 4]}, "standard", dimensions=3), "machine": machine}
        page = self.open(self.write("torn.json", torn))
        for legend in ("#embedding-legend", "#load-legend", "#motion-legend"):
            said = " ".join(page.texts(legend))
            self.assertIn("has failed", said)
            self.assertIn("fails during the run", said)
        view = "document.querySelector('#load-chart').view"
        tips = page.run(f"return {view}.data('crosses').map(c => c.tip)")
        self.assertEqual(len(tips), 6)  # the link around the machine is two strokes
        self.assertIn("link 9–10\nhas failed", tips)
        self.assertIn("link 1–2\nfails at 2 s", tips)
        self.assertIn("node 15\nfails at 2 s", tips)
        self.assertEqual(len(page.run(f"return {view}.data('failed_links')")), 3)
        node = page.run(f"return {view}.data('nodes').find(n => n.node === 5)")
        self.assertEqual((node["colour"], node["tip"].split("\n")[-1]), ("#d0d7de", "has failed"))
        self.assertIn("node 5, link", " ".join(page.texts("#summary dd")))
        page.screenshot("failed")

    def test_switches_are_round(self):
        machine = {
            "schema_version": 1, "name": "switched", "link": {"latency": "1s"}, "failed": {"spares": [4]},
            "topology": {"kind": "graph", "edges": [[node, 4] for node in range(4)]},
        }  # fmt: skip
        page = self.open(self.write("switched.json", {**scenario({}, "identity", dimensions=2), "machine": machine}))
        for legend in ("#embedding-legend", "#load-legend", "#motion-legend"):
            self.assertIn("hosts no processes (a switch or a spare)", page.texts(legend)[0])
        for chart in ("#embedding-chart", "#load-chart", "#motion-machine"):
            round_ones = f"return document.querySelector('{chart}').view.data('nodes').filter(n => n.is_round).map(n => n.node)"
            self.assertEqual(page.run(round_ones), [4], chart)
        page.screenshot("switches")

    def test_networks_of_switches_are_drawn_with_figures_of_each_class(self):
        for name, topology in FABRICS.items():
            page = self.open_scenario(topology, dimensions=4, message=100)
            nodes, switches = page.run("const { nodes, switches } = dcube_report.data.runs[0].result.machine; return [nodes, switches]")
            for chart in ("#embedding-chart", "#load-chart", "#motion-machine"):
                round_ones = f"return document.querySelector('{chart}').view.data('nodes').filter(n => n.is_round).map(n => n.node)"
                self.assertEqual(page.run(round_ones), list(range(nodes, nodes + switches)), chart)
            shares = page.run("return document.querySelector('#load-chart').view.data('links').map(({value}) => value)")
            self.assertEqual(shares, sorted(shares), "the busiest links are on top")
            classes = page.run("return dcube_report.data.runs[0].loads.by_class.bytes")
            told = [row["class"] + (f", {row['way']}" if row["way"] else "") for row in classes]
            self.assertEqual(page.texts("#load-classes td:first-child"), told)
            self.assertEqual(page.run("return document.querySelectorAll('#load-classes svg rect').length"),
                             sum(1 for row in classes for count in row["histogram"] if count > 0))
            self.assert_readable_everywhere(page)
            page.screenshot(f"fabric-{name}")
        tip = page.run("return document.querySelector('#load-chart').view.data('nodes').at(-1).tip")
        self.assertIn("switch 3 of block 1", tip)

    def test_of_large_networks_of_switches_figures_of_each_class_are_shown(self):
        page = self.open_scenario({"kind": "fat_tree", "down": [32, 70], "up": [1, 4]}, dimensions=11, message=100)
        self.assertEqual(page.texts("#load-classes td:first-child"), ["level 1, up", "level 1, down", "level 2, up", "level 2, down"])
        self.assertFalse(page.find("#load-chart").is_displayed())
        self.assertIn("too many nodes", page.texts("#load-caption")[0])
        page.choose("#load-quantity", "busy")
        self.assertIn("%", page.texts("#load-classes td:nth-child(4)")[0])
        self.assert_readable_everywhere(page)
        page.screenshot("fabric-large")

    def test_whole_figures_have_all_their_digits(self):
        page = self.open_scenario({"kind": "line", "nodes": 4}, "standard", message=1234567)
        self.assertIn("2,469,134", page.texts("#load-legend")[0])

    def test_long_messages_stay_within_the_page(self):
        page = self.open_scenario({"kind": "line", "nodes": 4})
        wide = "document.querySelector('#load-chart').innerHTML = `<p class='missing'>${'x'.repeat(2000)}</p>`"
        for width in (1200, 400):
            page.resize(width, 900)
            page.run(wide)
            room = page.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertLessEqual(room[0], room[1])
        page.resize_back()

    def test_slow_links_can_be_told_by_the_time_of_their_bytes(self):
        machine = {
            "schema_version": 1, "topology": {"kind": "torus", "shape": [4, 4]}, "link": {"latency": "1us", "per_byte": "1ns"},
            "links": [{"from": 0, "to": 1, "latency": "1us", "per_byte": "50ns"}],
        }  # fmt: skip
        slow = {**scenario({"kind": "torus", "shape": [4, 4]}, "xor", message=100), "machine": machine}
        page = self.open(self.write("slow.json", slow))
        self.assertEqual(page.find("#load-quantity").get_attribute("value"), "time")
        self.assertEqual(page.texts("#load-busiest td:first-child")[0], "0->1")
        self.assertIn("time", page.texts("#load-busiest th"))
        page.screenshot("slow-link")

    def test_a_machine_of_tiles_has_a_table_of_its_busiest_links(self):
        page = self.open_scenario({"kind": "hypercube", "dimensions": 13}, "standard", message=100)
        self.assertEqual(len(page.texts("#load-busiest td:first-child")), 5)
        self.assertIn("bytes", page.texts("#load-legend")[0])
        self.assertGreater(page.painted("#load-chart"), 0.01)

    def test_without_the_course_of_the_run_messages_are_shown(self):
        name = self.write("it.json", scenario({"kind": "line", "nodes": 8}, "standard"))
        page = self.open(name, "--no-timeline")
        self.assertEqual(page.find("#load-quantity").get_attribute("value"), "messages")
        self.assertFalse(page.find("#load-busiest").is_displayed())


if __name__ == "__main__":
    unittest.main()
