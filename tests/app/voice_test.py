"""One voice: the same idea has the same option with the same default in every command."""

import collections
import csv
import json
import re
import unittest

from program import ProgramTest, machine, ring, scenario
from usage_test import COMMANDS, TOP_LEVEL

OPTION = re.compile(r"^  (?:-\w,)?(--[a-z-]+)(?: ([A-Z/\[].*?))?(?:  +(.*))?$", re.MULTILINE)
TAKES_SCENARIO = ["run", "compare", "search", "place", "report", "validate"]
#: An option that means something else in one command, and why.
DIFFERENT = {
    ("--output", "compare"): "a folder",
    ("--output", "sweep"): "a folder",
    ("--embedding", "compare"): "a list",
    ("--embedding", "sweep"): "a list",
    ("--embedding", "embed"): "a list",
    ("--traffic", "search"): "a shape, too",
    ("--traffic", "place"): "a shape, too",
    ("--traffic", "subcubes"): "a shape, too",
    ("--output", "reproduce"): "a page",
    ("--vary", "fit"): "values to find",
}
RANK_FILE = "".join(f"rank {process}={host} slot=0\n" for process, host in enumerate("hgfedcba"))


class Help(ProgramTest):
    def options(self, command):
        """What follows each option in the help of a command."""
        return {name: what for name, what, _ in OPTION.findall(self.output(command, "--help"))}

    def test_an_option_takes_the_same_value_in_every_command(self):
        values = collections.defaultdict(set)
        for command in COMMANDS:
            for option, what in self.options(command).items():
                if (option, command) not in DIFFERENT:
                    values[option].add(what.split("Excludes:")[0].strip())
        self.assertEqual({option: what for option, what in values.items() if len(what) > 1}, {})
        self.assertGreater(len(values), 30)

    def test_every_command_that_takes_a_scenario_can_change_it(self):
        for command in TAKES_SCENARIO:
            self.assertLessEqual({"--set", "--embedding", "--hosts"}, self.options(command).keys())

    def test_older_spellings_are_not_shown(self):
        for command in COMMANDS:
            shown = self.options(command).keys()
            self.assertFalse(shown & {"--timeout", "--trace-window", "--timeline-window"}, command)

    def test_help_is_a_command_too(self):
        for command in COMMANDS:
            self.assertEqual(self.output("help", command), self.output(command, "--help"))
        self.assertEqual(self.output("help"), self.output("--help"))

    def test_help_of_an_unknown_command_is_refused(self):
        self.assert_refused(["embd", "--help"], "dcube: embd: unknown command", "`embed`")
        self.assert_refused(["help", "embd"], "dcube: embd: unknown command", "`embed`")


class Scenarios(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", scenario(ring(8)))
        self.write("hosts", "\n".join("abcdefgh") + "\n")
        self.write("x.rankfile", RANK_FILE)

    CHANGES = ["--set", "/program/compute=2s", "--embedding", "x.rankfile", "--hosts", "hosts"]

    def test_every_command_changes_it_alike(self):
        result = self.json("run", "s.json", *self.CHANGES, "--json")
        self.assertEqual((result["makespan_s"], result["embedding"]["map"]), (13, list(range(7, -1, -1))))
        compared = self.json("compare", "s.json", *self.CHANGES, "--json")
        self.assertEqual([run["makespan_s"] for run in compared["runs"]], [13])
        self.assertEqual(self.output("validate", "s.json", *self.CHANGES), "s.json: valid scenario\n")
        self.output("search", "s.json", *self.CHANGES, "--quiet")
        self.output("report", "s.json", *self.CHANGES, "--no-timeline")
        page = (self.folder / "report.html").read_text()
        self.assertIn('"makespan_s":13', page.replace(" ", ""))

    def test_changes_where_nothing_is_simulated_are_refused(self):
        self.output("run", "s.json", "--output", "r.json")
        for change in (["--set", "/seed=3"], ["--jitter", "0.1"], ["--embedding", "gray"]):
            self.assert_refused(["report", "r.json", *change], "dcube: r.json: is no scenario; nothing is simulated", change[0])
        self.assert_refused(["run", "s.json", "--hosts", "hosts"], "--hosts", "no map file")
        self.assert_refused(["validate", "s.json", "--hosts", "hosts"], "--hosts", "no map file")

    def test_a_setting_of_an_embedding_that_is_replaced_is_refused(self):
        self.assert_refused(
            ["run", "s.json", "--embedding", "xor", "--set", "/embedding=gray"], "--set", "--embedding"
        )

    def test_it_may_come_from_standard_input(self):
        text = (self.folder / "s.json").read_text()
        for command in (["run", "-", "--json"], ["run", "/dev/stdin", "--json"]):
            done = self.dcube(*command, input=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["makespan_s"], 10)
        self.assertEqual(self.dcube("validate", "-", input=text).stdout, "/dev/stdin: valid scenario\n")
        traffic = self.dcube(
            "embed", "ring:8", "--embedding", "standard", "--traffic", "csv:-", "--json", input="0,1,5\n7,0,1\n"
        )
        self.assertEqual(traffic.returncode, 0, traffic.stderr)
        placed = self.dcube("run", "s.json", "--embedding", "rankfile:-", "--hosts", "hosts", "--json", input=RANK_FILE)
        self.assertEqual(json.loads(placed.stdout)["embedding"]["map"], list(range(7, -1, -1)))

    def test_what_standard_input_names_is_relative_to_the_current_folder(self):
        self.write("ring.csv", "from,to\n0,1\n1,2\n2,0\n")
        graph = {"schema_version": 1, "topology": {"kind": "graph", "edges": "ring.csv"}}
        sending = scenario(graph["topology"]) | {"program": {"kind": "traffic", "file": "ring.csv"}, "embedding": "identity"}
        study = {"schema_version": 1, "name": "x", "scenario": sending, "vary": [{"setting": "/seed", "values": [1, 2]}]}
        self.write("map.csv", "process,node\n0,1\n1,0\n")
        placed = {"kind": "explicit", "file": "map.csv"}
        self.write("sending.json", sending)
        links = {"schema_version": 1, "title": "x", "source": "x", "experiments": [
            {"name": "x", "quantity": "embed_result", "pointer": "/machine/links", "scenario": "sending.json",
             "limit_percent": 0, "points": [{"label": "x", "printed": 3}]}]}  # fmt: skip
        for document, *command in (
            (placed, "embed", "ring:2", "--embedding", "-"), (links, "reproduce", "-"), (graph, "validate", "-"),
            (graph, "embed", "-", "--embedding", "standard"), (sending, "run", "-"), (sending, "validate", "-"),
            (sending, "report", "-"), (study, "validate", "-"),
        ):  # fmt: skip
            done = self.dcube(*command, input=json.dumps(document))
            self.assertEqual(done.returncode, 0, (command, done.stderr))
        self.assertEqual(done.stdout, "/dev/stdin: valid study\n")

    def test_two_hyphens_end_the_options(self):
        self.write("-s.json", scenario(ring(8)))
        self.assertEqual(self.json("run", "--json", "--", "-s.json")["makespan_s"], 10)

    def test_those_of_dcube_are_found_by_name(self):
        by_name = self.json("run", "quickstart", "--json")
        by_file = self.json("run", TOP_LEVEL / "scenarios/quickstart.json", "--json")
        self.assertEqual(by_name["simulation"]["fingerprint"], by_file["simulation"]["fingerprint"])
        self.assert_refused(["run", "quikstart"], "quikstart", "`quickstart`")
        self.assertEqual(self.output("validate", "quickstart"), "quickstart: valid scenario\n")

    def test_a_network_is_a_machine_everywhere(self):
        self.output("run", "s.json", "--set", "/machine=torus:4x2", "--quiet")
        self.output("embed", "torus:4x2", "--embedding", "xor", "--quiet")
        self.output("search", "--machine", "torus:4x2", "--traffic", "cube:3", "--quiet")
        self.output(
            "subcubes", "--random", "tasks=2,edges=1", "--subcube", "1", "--simulate", "1", "--machine", "hypercube:2", "--quiet"
        )

    def test_the_current_folder_hides_no_machine(self):
        self.write("platforms/unit-ring-8.json", {**machine(ring(4)), "name": "planted"})
        text = self.output("embed", "unit-ring-8", "--embedding", "standard")
        self.assertIn("ring of 8", text)

    def test_csv_tells_settings_and_version(self):
        self.output(
            "compare", "s.json", "--embedding", "xor", "--set", "/program/message=64", "--output", "out", "--no-pictures", "--no-report"
        )
        with open(self.folder / "out/comparison.csv", encoding="utf-8") as file:
            row = list(csv.DictReader(file))[0]
        self.assertEqual(row["/program/message"], "64")
        self.assertIn(row["version"], self.output("--version"))


class Embeddings(ProgramTest):
    def test_a_file_in_an_embedding_belongs_to_the_embedding(self):
        self.write("scenarios/s.json", scenario(ring(8)))
        self.write("maps/x.rankfile", RANK_FILE)
        self.write("maps/hosts", "\n".join("abcdefgh") + "\n")
        self.write("maps/e.json", {"kind": "explicit", "file": "x.rankfile", "hosts": "hosts"})
        self.write("maps/plain.json", {"kind": "explicit", "file": "x.rankfile"})
        expected = list(range(7, -1, -1))
        for more in (["maps/e.json"], ["maps/plain.json", "--hosts", "maps/hosts"]):
            result = self.json("run", "scenarios/s.json", "--json", "--embedding", *more)
            self.assertEqual(result["embedding"]["map"], expected)
            self.assertEqual(self.json("embed", "ring:8", "--json", "--embedding", *more)["map"], expected)


class Quiet(ProgramTest):
    def test_quiet_prints_nothing(self):
        self.write("s.json", scenario(ring(8)))
        self.output("run", "s.json", "--quiet", "--write", "csv:t.csv")
        for command in (
            ["run", "s.json"],
            ["compare", "s.json"],
            ["embed", "ring:8", "--embedding", "xor"],
            ["search", "s.json"],
            ["subcubes", "--random", "tasks=2,edges=1", "--subcube", "1"],
            ["report", "s.json"],
            ["trace", "t.csv"],
            ["validate", "s.json"],
        ):
            self.assertEqual(self.output(*command, "--quiet"), "", command)


if __name__ == "__main__":
    unittest.main()
