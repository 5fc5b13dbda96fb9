"""dcube report: what it reads, refuses and says; the page itself is tested in tests/report."""

import json
import os
import re
import signal
import unittest

from program import ProgramTest, children, machine, ring, scenario, wait_for


class Report(ProgramTest):
    def result(self, name="result.json", document=None):
        self.output("run", self.write("it.json", document or scenario(ring(8))), "--quiet", "--output", name)
        return name

    def data(self, name="report.html"):
        page = (self.folder / name).read_text()
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])

    def report_without_course(self, name, *options):
        """What is said of it; the page has no course in time, and says the same."""
        done = self.dcube("report", name, *options)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"^dcube: {re.escape(name)}: its course in time is not shown: [^\n]+\n$")
        run = self.data()["runs"][0]
        self.assertIsNone(run["timeline"])
        said = done.stderr.split("not shown: ")[1].strip()
        self.assertEqual(run["notes"], [f"Its course in time is not shown: {said}."])
        return said

    def pattern(self, phases):
        return {
            "schema_version": 1, "machine": "torus:2x2",
            "program": {"kind": "pattern", "guest": "torus:2x2", "phases": phases},
        }  # fmt: skip

    def test_the_files_of_phases_are_found_again_from_another_folder(self):
        (self.folder / "in").mkdir()
        for name in ("t", "u"):
            (self.folder / f"in/{name}.csv").write_text("0,3,100\n1,2,50\n")
        loop = {"repeat": 2, "phases": [{"traffic": "t.csv"}, {"compute": "1us"}, {"traffic": "u.csv", "name": "again"}]}
        (self.folder / "in/it.json").write_text(json.dumps(self.pattern([loop])))
        self.output("run", "in/it.json", "--quiet", "--output", "result.json")
        self.output("report", "result.json")
        run = self.data()["runs"][0]
        self.assertEqual(run["notes"], [])
        self.assertEqual(len(run["timeline"]["hops"]["source"]), 8)
        self.assertEqual([phase["name"] for phase in run["result"]["phases"]], ["traffic", "compute", "again"])
        self.assertEqual(run["result"]["phases"][2]["messages"], 4)
        self.assertAlmostEqual(
            sum(phase["total_s"] for phase in run["explanation"]["by_phase"]), run["result"]["makespan_s"]
        )

    def test_a_result_becomes_a_page(self):
        said = self.output("report", self.result(), "-o", "page.html")
        self.assertRegex(said, r"^page\.html: 1 result, \d+ kB\n$")
        run = self.data("page.html")["runs"][0]
        self.assertEqual(run["name"], "result")
        self.assertEqual(run["result"]["makespan_s"], 10)
        self.assertEqual(run["notes"], [])
        self.assertEqual(len(run["timeline"]["hops"]["source"]), 24)
        self.assertEqual(run["loads"]["node_of"], list(range(8)))
        self.assertNotIn("document", run["result"]["scenario"])

    def test_stages_have_no_loads_where_messages_choose_their_routes(self):
        document = {**scenario(ring(8)), "machine": machine(ring(8), routing={"kind": "minimal_adaptive"})}
        self.output("report", self.result(document=document))
        self.assertEqual({stage["link_load_max"] for stage in self.data()["runs"][0]["result"]["stages"]}, {None})
        self.output("compare", "it.json", "--embedding", "standard,gray", "--output", "both", "--quiet")

    def test_links_without_contention_are_busier_than_the_run_is_long(self):
        message = {"from": 0, "to": 1, "bytes": 4000}
        self.write("it.json", {
            "schema_version": 1,
            "machine": {
                "schema_version": 1, "topology": {"kind": "line", "nodes": 5},
                "link": {"latency": "1us", "per_byte": "1ns", "contention": False},
            },
            "embedding": "identity",
            "program": {"kind": "pattern", "phases": [{"messages": [message, message]}]},
        })  # fmt: skip
        self.output("run", "it.json", "--quiet", "--output", "r.json")
        result = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(result["link_load"]["utilisation"]["max"], 2)
        self.output("report", "r.json")
        self.assertEqual(self.data()["runs"][0]["result"]["link_load"]["utilisation"]["max"], 2)
        self.output("compare", "it.json", "--embedding", "identity,random", "--output", "all", "--quiet")
        self.assertTrue((self.folder / "all/index.html").exists())

    def test_the_busiest_links_are_those_that_why_names(self):
        lines = [f"{p},{(5 * p + 3) % 16},{100 + 37 * p}" for p in range(16)]
        (self.folder / "t.csv").write_text("from,to,bytes\n" + "\n".join(lines) + "\n")
        slow = [{"from": 1, "to": 2, "latency": "1us", "per_byte": "40ns"}]
        machine = {
            "schema_version": 1, "name": "m", "topology": {"kind": "mesh", "shape": [4, 4]},
            "link": {"latency": "1us", "per_byte": "1ns"}, "links": slow,
        }  # fmt: skip
        self.write("m.json", machine)
        program = {"kind": "traffic", "file": "t.csv"}
        it = {"schema_version": 1, "machine": "m.json", "embedding": "identity", "program": program}
        self.output("report", self.write("it.json", it))
        loads = self.data()["runs"][0]["loads"]
        why = json.loads(self.output("embed", "m.json", "--embedding", "identity", "--traffic", "t.csv", "--why", "--json"))["why"]
        self.assertEqual(len(loads["busiest"]), 5)
        for shown, named in zip(loads["busiest"], why["busiest_links"]):
            self.assertEqual(shown["link"], f"{named['from']}->{named['to']}")
            for key in ("bytes", "flows"):
                self.assertEqual(shown[key], named[key])
            for key in ("of_mean", "time_s"):
                self.assertAlmostEqual(shown[key], named[key], places=12)
            pairs = lambda flows: sorted((flow["bytes"], flow["from"], flow["to"]) for flow in flows)
            self.assertEqual(pairs(shown["heaviest"]), pairs(named["heaviest"]))

    def test_the_page_is_the_same_every_time(self):
        name = self.result()
        self.output("report", name, "-o", "a.html")
        self.output("report", name, "-o", "b.html")
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())

    def test_a_scenario_is_simulated_first(self):
        self.output("report", self.write("it.json", scenario(ring(8))))
        self.assertEqual(self.data()["runs"][0]["result"]["makespan_s"], 10)

    def test_the_files_of_a_scenario_are_beside_it(self):
        (self.folder / "study").mkdir()
        (self.folder / "study/t.csv").write_text("from,to,bytes\n0,1,100\n")
        it = {**scenario(ring(8)), "program": {"kind": "traffic", "file": "t.csv"}, "embedding": "identity"}
        self.output("report", self.write("study/it.json", it))
        run = self.data()["runs"][0]
        self.assertEqual(run["notes"], [])
        self.assertEqual(run["loads"]["busiest"][0]["bytes"], 100)

    def test_a_folder_or_its_comparison_stands_for_the_results_in_it(self):
        self.output("compare", self.write("it.json", scenario(ring(8))), "--embedding", "xor,gray", "--output", "out",
                    "--no-pictures")
        rows = json.loads((self.folder / "out/comparison.json").read_text())["runs"]
        for name in ("out", "out/comparison.json"):
            self.output("report", name)
            self.assertEqual([run["name"] for run in self.data()["runs"]], [row["embedding"] for row in rows])
        last = rows[-1]
        self.output("report", f"out/{last.get('result', last['embedding'] + '.json')}", "out")
        self.assertEqual(
            [run["name"] for run in self.data()["runs"]], [last["embedding"], rows[0]["embedding"]]
        )

    def test_a_page_shows_the_runs_that_the_comparison_lists_and_no_others(self):
        self.output(
            "compare", self.write("it.json", scenario(ring(8))), "--embedding", "xor", "--no-pictures",
            "--output", "out",
        )  # fmt: skip
        self.result("out/gray.json")
        self.write("out/foreign.json", {"outcome": 3})
        done = self.dcube("report", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([run["name"] for run in self.data()["runs"]], ["xor"])

    def test_a_folder_of_results_without_a_comparison_leaves_out_what_is_none(self):
        (self.folder / "out").mkdir()
        self.result("out/b.json")
        self.result("out/a.json")
        self.write("out/scenario.json", scenario(ring(8)))
        (self.folder / "out/broken.json").write_text("{")
        os.mkfifo(self.folder / "out/pipe.json")  # which nobody writes to
        done = self.dcube("report", "out")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            done.stderr, "dcube: out: left out, not being the result of a run: broken.json, scenario.json\n"
        )
        self.assertEqual([run["name"] for run in self.data()["runs"]], ["a", "b"])

    def test_paths_that_cannot_be_read_are_refused(self):
        os.symlink("loop", self.folder / "loop")
        (self.folder / "looped").mkdir()
        os.symlink("comparison.json", self.folder / "looped/comparison.json")
        (self.folder / "empty").mkdir()
        for name, problem in [
            ("loop", "loop: cannot be read (Too many levels of symbolic links)"),
            ("loop/comparison.json", "Too many levels of symbolic links"),
            ("looped", "looped"),
            ("x" * 300, "File name too long"),
            ("empty", "empty: holds neither comparison.json nor the result of a run"),
            ("/proc/1/mem", "/proc/1/mem: cannot be read"),
        ]:
            with self.subTest(name):
                self.assert_refused(["report", name, "-o", "page.html"], problem)

    def test_a_folder_that_cannot_be_listed_is_refused(self):
        folder = self.folder / "closed"
        folder.mkdir()
        folder.chmod(0o311)
        self.folder.chmod(0o777)
        user = {"user": 65534} if os.geteuid() == 0 else {}  # permissions do not hold root up
        try:
            done = self.dcube("report", "closed", "-o", "page.html", **user)
        except PermissionError:
            self.skipTest("the program lies where other users cannot run it")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr, "dcube: closed: cannot be listed (Permission denied)\n")

    def test_results_of_one_name_are_told_apart_by_their_folder(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        self.output("report", self.result("a/r.json"), self.result("b/r.json"))
        self.assertEqual([run["name"] for run in self.data()["runs"]], ["a/r.json", "b/r.json"])

    def test_the_course_in_time_can_be_left_out_or_cut(self):
        name = self.result()
        self.output("report", name, "--no-timeline")
        self.assertIsNone(self.data()["runs"][0]["timeline"])
        self.output("report", name, "--window", "0s:1s")
        timeline = self.data()["runs"][0]["timeline"]
        self.assertEqual(timeline["end"] * timeline["unit_s"], 1)
        self.assertEqual((timeline["interval_count"], timeline["hop_count"]), (8, 0))
        self.assertIn("ends before the window", self.report_without_course(name, "--window", "20s:30s"))

    def test_a_run_that_repeats_differently_is_said(self):
        name = self.result()
        changed = json.loads((self.folder / name).read_text())
        changed["simulation"]["fingerprint"] = "0123456789abcdef"
        self.write("changed.json", changed)
        done = self.dcube("report", "changed.json")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^dcube: changed\.json: repeated, the run differs: .* instead of 0123456789abcdef")
        self.assertIn("0123456789abcdef", self.data()["runs"][0]["notes"][0])

    def test_a_run_that_cannot_be_repeated_has_a_page_without_its_course(self):
        result = json.loads((self.folder / self.result()).read_text())
        del result["scenario"]["document"]
        self.assertIn("leaves its scenario out", self.report_without_course(self.write("less.json", result)))
        self.assertEqual(len(self.data()["machines"][0]["nodes"]["x"]), 8)

    def test_a_missing_file_of_the_program_is_said_in_the_page(self):
        document = scenario(ring(4))
        document["program"] = {"kind": "fft", "input": "points.csv"}
        (self.folder / "points.csv").write_text("".join(f"{i}\n" for i in range(16)))
        name = self.result(document=document)
        (self.folder / "points.csv").unlink()
        self.assertIn("points.csv", self.report_without_course(name))

    def test_a_machine_above_4096_nodes_is_drawn_as_tiles(self):
        name = self.write("big.json", scenario({"kind": "torus", "shape": [128, 64]}))
        self.output("run", name, "--quiet", "--output", "short.json")
        self.output("run", name, "--quiet", "--full", "--output", "full.json")
        self.output("report", "short.json", "full.json")
        data = self.data()
        self.assertIsNone(data["machines"][0]["nodes"])
        short, full = data["runs"]
        self.assertIsNone(short["loads"]["tile_messages"])
        self.assertEqual(max(full["loads"]["tile_messages"]["max"]), full["result"]["link_load"]["max"])
        self.assertIsNone(full["timeline"]["hops"])
        self.assertEqual(len(full["timeline"]["tiles"]["busy"]), len(data["machines"][0]["tiles"]["x"]))

    def test_a_machine_of_one_node_has_no_sides(self):
        alone = scenario({"kind": "hypercube", "dimensions": 0}, "block", kind="all_to_all", processes=2)
        alone["machine"]["node"] = {"slots": 2}
        self.output("run", self.write("alone.json", alone), "--quiet", "--output", "result.json")
        self.output("report", "result.json")
        self.assertEqual(self.data()["runs"][0]["result"]["machine"]["shape"], [])

    def test_unusable_files_are_refused(self):
        self.write("machine.json", {"topology": ring(8)})
        (self.folder / "broken.json").write_text('{"outcome": ')
        result = json.loads((self.folder / self.result()).read_text())
        del result["time_s"]["waiting"]["mean"]
        self.write("less.json", result)
        self.write("number.json", {**result, "makespan_ps": -1})
        for name, *parts in [
            ("machine.json", "machine.json", "is not the result of a run", "dcube run SCENARIO --output FILE"),
            ("broken.json", "broken.json: line 1"),
            ("less.json", "less.json: /time_s/waiting/mean", "missing"),
            ("number.json", "number.json: /makespan_ps"),
            ("none.json", "none.json", "cannot be read"),
        ]:
            self.assert_refused(["report", name], *parts)
        self.assertNotIn("report.html", self.files())

    def test_unusable_options_are_refused(self):
        name = self.result()
        self.assert_refused(["report", name, "-o", "no/page.html"], "--output", "no is not a folder")
        for window in ("1s", "2s:1s", "1s:1s", "a:b"):
            self.assert_refused(["report", name, "--window", window], "--window")
        self.assert_refused(["report", name, "--window", "0s:1s", "--no-timeline"], "--no-timeline")
        self.assert_refused(["report"], "RESULT")

    def test_an_interrupt_leaves_no_page(self):
        name = self.write("big.json", scenario(ring(4096)))
        process = self.start("report", name)
        self.assertTrue(wait_for(lambda: children(process)))
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(process)[1], "dcube: interrupted (no page is written)\n")
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("report.html", self.files())


if __name__ == "__main__":
    unittest.main()
