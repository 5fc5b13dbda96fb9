"""Plug-ins with an installed dcube: the examples, the commands of the page on them, and libraries that are
no plug-ins.

The environment: DCUBE_PROGRAM; DCUBE_EXAMPLES, the folder of their scenarios; DCUBE_PLUGINS, where all are
built; DCUBE_ROOT, the source tree.
"""

import json
import os
import pathlib
import re
import shutil
import sys
import unittest

ROOT = pathlib.Path(os.environ["DCUBE_ROOT"])
EXAMPLES = pathlib.Path(os.environ["DCUBE_EXAMPLES"])
PLUGINS = pathlib.Path(os.environ["DCUBE_PLUGINS"])
sys.path += [str(ROOT / "tests" / folder) for folder in ("app", "pages")]

from commands_test import first_difference  # noqa: E402
from program import ProgramTest  # noqa: E402


class PluginTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for file in [*EXAMPLES.glob("*.json"), *PLUGINS.glob("*.so")]:
            shutil.copy(file, self.folder)

    def result(self, name, *more):
        result = self.json("--plugin", f"{name}.so", "run", f"{name}.json", "--json", *more)
        self.assertEqual(result["outcome"], "completed")
        self.assertEqual(result["program"]["kind"], name)
        return result


class Examples(PluginTest):
    def check_commands(self, name, embedding, other):
        """compare, --why, search, a trace, a report and validate."""
        plugin = ["--plugin", f"{name}.so"]
        self.output(*plugin, "compare", f"{name}.json", "--embedding", f"{embedding},{other}", "--output", "c", "--no-pictures")
        compared = json.loads((self.folder / "c" / "comparison.json").read_text())
        rows = {row["embedding"]: row for row in compared["runs"]}
        run = self.result(name, "--embedding", embedding)
        self.assertEqual(rows[embedding]["makespan_ps"], run["makespan_ps"])
        self.assertEqual(rows[other]["outcome"], "completed")
        why = self.json(*plugin, "run", f"{name}.json", "--why", "--json", "--write", "csv:t.csv")
        self.assertEqual(why["critical_path"]["length_ps"], why["makespan_ps"])
        self.assertIn(name, self.output("trace", "t.csv"))
        self.output(*plugin, "report", f"{name}.json", "-o", "r.html")
        self.assertIn(name, (self.folder / "r.html").read_text())
        self.assertEqual(self.output(*plugin, "validate", f"{name}.json"), f"{name}.json: valid scenario\n")

    def test_ping_pong(self):
        result = self.result("ping_pong")
        self.assertTrue(result["verified"])
        # 200 messages of 1000 bytes over the one link between the first and the last.
        self.assertEqual(result["makespan_ps"], 200 * (1_000_000 + 1_000_000))
        self.assertEqual(result["program"]["answer"], {"round_trip": "4 us"})
        # Gray code places process 7 three nodes from process 0.
        gray = self.result("ping_pong", "--embedding", "gray")
        self.assertEqual(gray["makespan_ps"], 3 * result["makespan_ps"])
        self.check_commands("ping_pong", "standard", "gray")

    def test_halo_exchange(self):
        result = self.result("halo_exchange")
        self.assertTrue(result["verified"])
        # A step: the rows inside take 6 * 128 * 5 ns = 3.84 us, which hides the messages of 1024 bytes
        # over one link; the outer two take 1.28 us.
        self.assertEqual(result["makespan_ps"], 10 * (3_840_000 + 1_280_000))
        self.check_commands("halo_exchange", "gray", "standard")

    def test_wavefront(self):
        result = self.result("wavefront")
        self.assertTrue(result["verified"])
        self.assertGreater(result["program"]["answer"]["longest"], 500)
        self.check_commands("wavefront", "standard", "gray")

    def test_cannon(self):
        result = self.result("cannon")
        self.assertTrue(result["verified"])
        self.assertEqual(result["messages"]["bytes"], 16 * 2 * 4 * 16 * 16 * 8)
        self.check_commands("cannon", "gray", "standard")

    def test_client_server(self):
        result = self.result("client_server")
        self.assertTrue(result["verified"])
        answer = result["program"]["answer"]
        self.assertEqual(answer["primes"], 2262)
        self.assertLess(answer["fewest_ranges"], answer["most_ranges"])
        self.check_commands("client_server", "standard", "gray")

    def test_small_ones(self):
        for name, settings in [
            ("ping_pong", {"rounds": 1, "numbers": 1}),
            ("halo_exchange", {"processes": 1, "rows": 1, "columns": 1, "steps": 3}),
            ("halo_exchange", {"processes": 2, "rows": 1, "columns": 5, "steps": 3}),
            ("wavefront", {"processes": 1, "columns": 3, "rows": 7, "block": 3}),
            ("wavefront", {"processes": 3, "columns": 3, "rows": 7, "block": 3}),
            ("cannon", {"side": 1, "rows": 3}),
            ("cannon", {"side": 2, "rows": 1}),
            ("cannon", {"side": 3, "rows": 2}),
            ("client_server", {"processes": 2, "below": 1, "range": 5}),
            ("client_server", {"processes": 9, "below": 30, "range": 100}),
        ]:
            changes = [f"--set=/program/{key}={value}" for key, value in settings.items()]
            with self.subTest(name, **settings):
                self.assertTrue(self.result(name, "--embedding", "standard", *changes)["verified"])

    def test_all_ways_to_run_processes_agree(self):
        for name in ("halo_exchange", "client_server"):
            runs = [self.result(name, f"--set=/execution={how}") for how in ("actors", "coroutines")]
            self.assertEqual(*(run["simulation"]["fingerprint"] for run in runs))

    def test_search_for_the_least_makespan_runs_them_in_child_processes(self):
        found = self.json(
            "--plugin", "cannon.so", "search", "cannon.json", "--objective", "makespan", "--effort", "20",
            "--jobs", "2", "--json",
        )  # fmt: skip
        self.assertEqual(found["traffic"]["name"], "cannon")
        self.assertEqual({start["value"] for start in found["starts"]}, {3.1624e-05, 3.772e-05})

    def test_are_listed_and_offered(self):
        plugins = ["--plugin", "cannon.so", "--plugin=wavefront.so"]
        programs = self.output(*plugins, "list", "programs")
        names = re.findall(r"^  (\w+): ", programs, re.MULTILINE)
        self.assertEqual(names, sorted(names))
        self.assertLess({"cannon", "cc_dcube", "wavefront"}, set(names))
        self.assertNotIn("cannon", self.output("list", "programs"))
        self.assert_refused(
            [*plugins, "run", "cannon.json", "--set", "/program/kind=canon"], "did you mean `cannon`?"
        )
        self.assert_refused(
            [*plugins, "run", "cannon.json", "--set", "/program/row=4"], "/program/row", "did you mean `rows`?"
        )

    def test_the_page_shows_what_they_print(self):
        text = (ROOT / "docs/howto/write-a-program.md").read_text()
        checked = 0
        for block in re.findall(r"^```\w*\n(dcube .*?)^```", text, re.MULTILINE | re.DOTALL):
            command, *shown = block.splitlines()
            done = self.dcube(*command.split()[1:])
            printed = (done.stdout + done.stderr).splitlines()
            self.assertIsNone(first_difference(shown, printed), command)
            checked += 1
        self.assertGreater(checked, 2)


class Topologies(PluginTest):
    def test_a_topology_is_as_good_as_one_of_dcube(self):
        scenario = json.loads((self.folder / "ping_pong.json").read_text())
        scenario["machine"]["topology"] = {"kind": "loop", "length": 8}
        self.write("loop.json", scenario)
        plugins = ["--plugin", "loop.so", "--plugin", "ping_pong.so"]
        on_loop = self.json(*plugins, "run", "loop.json", "--json")
        self.assertEqual(on_loop["makespan_ps"], self.result("ping_pong")["makespan_ps"])
        self.assertIn("\n  loop: a ring by another name\n", self.output(*plugins, "list", "topologies"))
        for question in (
            ["embed", "NET:8", "--embedding", "gray", "--guest", "ring:8", "--json"],
            ["embed", "NET:8", "--embedding", "xor"],
            ["collective", "allreduce", "--machine", "NET:8", "--bytes", "1KiB"],
        ):
            loop, ring = (
                self.output("--plugin", "loop.so", *(word.replace("NET", kind) for word in question))
                for kind in ("loop", "ring")
            )
            self.assertEqual(loop.replace("loop", "ring"), ring)


class FalseBounds(PluginTest):
    """A bound above what is reached is left out wherever it would be shown, and one line says so."""

    def without_bound(self, plugin, bound, *arguments):
        done = self.dcube("--plugin", plugin, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.splitlines()
        for line in lines:
            self.assertRegex(
                line,
                r"^dcube: a lower bound of .* is false, because .* was reached, and is left out\. Unless this is about "
                r"a program whose processes share variables, .* please report it .*$",
            )
        self.assertEqual(len(lines), len(set(lines)))
        self.assertTrue(any(f" of {bound} is" in line for line in lines), done.stderr)
        return done.stdout

    def test_of_maps_on_a_machine_that_is_not_what_it_says(self):
        # Eight neighbours in a row are 8 hops, not 12.
        embed = ["embed", "one_way:8", "--embedding", "identity", "--guest", "ring:8"]
        self.assertRegex(self.without_bound("one_way.so", 12, *embed), r"bound +mean 0\.000 or more\n +no bound is left")
        shown = json.loads(self.without_bound("one_way.so", 12, *embed, "--json"))
        self.assertEqual(shown["bound"], {"average_dilation": 0, "source": "no bound is left"})
        self.without_bound("one_way.so", 12, *embed, "--output", "result.json")
        for command in ("search", "place"):
            subject = [command, "--machine", "one_way:8", "--traffic", "ring:8", "--json"]
            shown = json.loads(self.without_bound("one_way.so", 24, *subject))
            self.assertEqual((shown["found"]["cost"], shown["bound"]["cost"], shown["gap"]), (16, 16, 0))
            shown = json.loads(self.without_bound("one_way.so", 24, *subject, "--objective", "hop-bytes+link-load"))
            self.assertEqual([part["bound"] <= part["cost"] for part in shown["found"]["parts"]], [True, True])

    def compare_shares(self, **settings):
        """The arguments of a comparison of one map."""
        self.write(
            "shares.json",
            {
                "schema_version": 1, "program": {"kind": "shares", **settings},
                "machine": {"topology": {"kind": "line", "nodes": 5}, "link": {"latency": "1us"}},
            },
        )  # fmt: skip
        self.write("map.json", {"kind": "explicit", "map": [0, 1, 4]})
        return ["compare", "shares.json", "--embedding", "map.json", "--json"]

    def test_of_a_program_whose_processes_share_a_variable(self):
        shown = json.loads(self.without_bound("shares.so", "0.000102 s", *self.compare_shares()))
        self.assertIsNone(shown["bound"])
        self.assertEqual(shown["runs"][0]["makespan_ps"], 57_000_000)

    def test_a_program_that_computes_something_else_in_every_run_has_none(self):
        shown = self.json("--plugin", "shares.so", *self.compare_shares(by_run=True))
        self.assertIsNone(shown["bound"])


class NoPlugins(PluginTest):
    def assert_refused_as(self, plugin, *parts):
        self.assert_refused(["--plugin", plugin, "list"], f"dcube: {plugin}: ", *parts)

    def test_missing(self):
        self.assert_refused_as("./no.so", "No such file or directory")

    def test_no_library(self):
        self.assert_refused_as("cannon.json", "cannot be loaded: ", "dcube::plugin")
        self.assert_refused_as(".", "cannot be loaded: ")

    def test_registers_nothing(self):
        self.assert_refused_as(
            "nothing.so", "registers neither a program nor a topology", "dcube::register_program()"
        )

    def test_of_another_version(self):
        self.assert_refused_as("old_headers.so", "was built for dcube 0.0.9, and this is dcube ", "build it again")

    def test_needs_what_is_not_there(self):
        self.assert_refused_as("undefined.so", "nothing defines dcube::register_printer(dcube::Params const&)")

    def test_name_that_is_taken(self):
        self.assert_refused_as("taken_name.so", "there is a program `fft` already")

    def test_given_twice(self):
        self.assert_refused(["--plugin", "cannon.so", "--plugin", "./cannon.so", "list"], "./cannon.so: is loaded already")

    def test_place_on_the_command_line(self):
        self.assert_refused(["--plugin"], "--plugin")
        self.assert_refused(["--plugin="], "--plugin", "is empty")
        self.assert_refused(["run", "cannon.json", "--plugin", "cannon.so"], "--plugin: stands after the command")
        self.assert_refused(["--plugin", "cannon.so", "rum", "cannon.json"], "rum: unknown command", "`run`")
        self.assertEqual(self.dcube("--plugin", "cannon.so").returncode, 2)

    def test_a_broken_promise_names_process_and_call(self):
        self.write("twice.json", {"schema_version": 1, "machine": "ring:2", "program": {"kind": "waits_twice"}})
        done = self.dcube("--plugin", "waits_twice.so", "run", "twice.json")
        self.assertEqual(done.returncode, 70)
        self.assertRegex(
            done.stderr,
            "^dcube: internal error: process [01] waits for a request that it has waited for before"
            r" \(wait for each once\)\n$",
        )


if __name__ == "__main__":
    unittest.main()
