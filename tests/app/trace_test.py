"""dcube run --trace and dcube trace: files that other programs read, filters, failures."""

import collections
import csv
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time
import unittest

from program import ProgramTest, machine, ring, scenario

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"
# Stages and none, endpoint costs, queues, no contention, half duplex, a host computer, eager.
VARIED = [
    "hypercube-broadcast",
    "hypercube-cc_dcube-ncube",
    "hypercube-template_matching-host",
    "line-cc_dcube-by_weight",
    "line-cc_dcube-eager",
    "line-cc_dcube-no_contention",
    "ring-cc_dcube-half_duplex",
    "torus-cc_dcube-random_compute",
    "torus-cc_dcube-tpu_v4",
    "torus-load_balance",
]
KINDS = ["interval", "hop", "message"]


def picoseconds(microseconds):
    """Of a JSON number that was kept as text."""
    whole, _, fraction = microseconds.partition(".")
    return int(whole) * 10**6 + int(fraction.ljust(6, "0"))


class Trace(ProgramTest):
    def trace(self, name, *options, formats=("csv", "chrome", "paje")):
        traces = [word for one in formats for word in ("--trace", f"{one}:run.{one}")]
        self.output("run", SCENARIOS / f"{name}.json", "--quiet", *traces, *options)

    def text(self, name):
        return (self.folder / name).read_text()

    def comments(self):
        lines = self.text("run.csv").splitlines()
        return dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))

    def rows(self):
        lines = [line for line in self.text("run.csv").splitlines() if not line.startswith("#")]
        return list(csv.DictReader(lines))

    def counts(self):
        found = collections.Counter(row["record"] for row in self.rows())
        return [found[kind] for kind in KINDS]

    # Formats.

    def test_csv_says_what_the_result_says(self):
        for name in VARIED:
            with self.subTest(name):
                self.trace(name, formats=["csv"])
                result = self.json("run", SCENARIOS / f"{name}.json", "--json")
                comments = self.comments()
                self.assertEqual(int(comments["makespan"]), result["makespan_ps"])
                self.assertEqual(self.counts(), [int(comments[kind + "s"]) for kind in KINDS])
                self.assertEqual(self.counts()[1:], [result["messages"]["hops"], result["messages"]["count"]])
                map_of_processes = [int(node) for node in comments["map"].split()]
                self.assertEqual(map_of_processes[: len(result["embedding"]["map"])], result["embedding"]["map"])
                rows = self.rows()
                self.assertEqual(
                    sum(int(row["begin_ps"]) - int(row["arrival_ps"]) for row in rows if row["record"] == "hop"),
                    round(result["messages"]["queued_s"] * 1e12),
                )
                for activity in ["compute", "waiting", "communication", "endpoint"]:
                    total = sum(
                        int(row["end_ps"]) - int(row["begin_ps"]) for row in rows if row["activity"] == activity
                    )
                    self.assertAlmostEqual(total / 1e12, result["time_s"][activity]["total"])
                loads = collections.Counter(row["link"] for row in rows if row["record"] == "hop")
                for busy in result["link_load"]["top"]:
                    self.assertEqual(loads[busy["link"]], busy["messages"])

    def test_parallel_links_are_told(self):
        routers = {"kind": "hyperx", "shape": [2], "width": [3], "p": 3}
        messages = [{"from": process, "to": process + 3, "bytes": 1_000_000} for process in range(3)]
        self.write("s.json", {
            "schema_version": 1, "embedding": "identity",
            "machine": machine(routers, link={"latency": "1us", "bandwidth": "1GBps"}, routing={"kind": "ecmp", "by": "message"}),
            "program": {"kind": "pattern", "guest": "line:6", "phases": [{"messages": messages}]},
        })  # fmt: skip
        self.output("run", "s.json", "--quiet", "--write", "csv:run.csv")
        self.assertEqual(self.comments()["parallel_links"], "6-7:3")
        self.assertRegex(self.output("trace", "run.csv"), r"\n +6->7 \(3 links\) +3 +")
        links = {link["link"]: link.get("links") for link in self.json("trace", "run.csv", "--json")["links"]}
        self.assertEqual((links["6->7"], links["0->6"]), (3, None))
        (self.folder / "run.csv").write_text(self.text("run.csv").replace("6-7:3", "6-7"))
        self.assert_refused(["trace", "run.csv"], "run.csv: line 8: ", "`6-7` is not two nodes and a number of links (6-7:3)")

    def test_csv_is_read_by_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas here")
        self.trace("quickstart", formats=["csv"])
        table = pandas.read_csv(self.folder / "run.csv", comment="#")
        self.assertEqual([int((table.record == kind).sum()) for kind in KINDS], self.counts())
        self.assertEqual(str(table.begin_ps.dtype), "int64")

    def test_rows_are_in_order_of_time(self):
        self.trace("torus-cc_dcube-random_compute", formats=["csv"])
        keys = [(int(row["begin_ps"]), KINDS.index(row["record"])) for row in self.rows()]
        self.assertEqual(keys, sorted(keys))

    def test_both_executions_give_the_same_files(self):
        for name in VARIED:
            with self.subTest(name):
                files = []
                for execution in ["actors", "coroutines"]:
                    self.trace(name, "--execution", execution)
                    files.append([self.text(f"run.{one}") for one in ["csv", "chrome", "paje"]])
                self.assertEqual(*files)

    def check_chrome(self, counts):
        """Every slice fits its track, and every arrow goes from a slice to a slice."""
        trace = json.loads(self.text("run.chrome"), parse_float=str, parse_int=str)
        slices = collections.defaultdict(list)
        arrows = collections.defaultdict(dict)
        names = {}
        kinds = collections.Counter()
        for event in trace["traceEvents"]:
            track = (event["pid"], event["tid"])
            if event["ph"] == "X":
                begin = picoseconds(event["ts"])
                slices[track].append((begin, begin + picoseconds(event["dur"])))
                kinds[event["cat"]] += event["name"] != "idle"
            elif event["ph"] in "sf":
                self.assertNotIn(event["ph"], arrows[event["id"]])
                arrows[event["id"]][event["ph"]] = (track, picoseconds(event["ts"]))
            else:
                self.assertEqual(event["ph"], "M")
                names[track, event["name"]] = event["args"]
        for track, found in slices.items():
            self.assertIn((track, "thread_name"), names)
            found.sort()
            for (_, end), (begin, _) in zip(found, found[1:]):
                self.assertLessEqual(end, begin)
        for ends in arrows.values():
            self.assertEqual(sorted(ends), ["f", "s"])
            self.assertLessEqual(ends["s"][1], ends["f"][1])
            for track, instant in ends.values():
                self.assertTrue(any(begin <= instant < end for begin, end in slices[track]), (track, instant))
        self.assertEqual([kinds["interval"], kinds["hop"]], counts[:2])
        return len(arrows)

    def test_chrome_has_slices_for_all_and_arrows_between_slices(self):
        for name in VARIED:
            with self.subTest(name):
                self.trace(name)
                self.assertEqual(self.check_chrome(self.counts()), self.counts()[2])

    def test_chrome_of_a_part_has_no_loose_arrows(self):
        for options in [
            ["--window", "2s:5.5s"],
            ["--trace-process", "0-20"],
            ["--window", ":3s", "--trace-process", "1,5-40"],
        ]:
            with self.subTest(options):
                self.trace("quickstart", *options)
                self.assertGreater(self.check_chrome(self.counts()), 0)

    def pj_dump(self):
        done = subprocess.run(
            [os.environ["DCUBE_PJ_DUMP"], "run.paje"], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = collections.Counter()
        for line in done.stdout.splitlines():
            fields = [field.strip() for field in line.split(",")]
            found[{"State": fields[2], "Link": "message"}.get(fields[0], fields[0])] += 1
        return [found["activity"], found["traffic"], found["message"]]

    def test_paje_is_clean_under_pj_dump(self):
        for name in VARIED:
            with self.subTest(name):
                self.trace(name)
                self.assertEqual(self.pj_dump(), self.counts())

    def test_paje_of_a_part_is_clean(self):
        self.trace("quickstart", "--window", "2s:5.5s", "--trace-process", "0-20")
        self.assertEqual(self.pj_dump(), self.counts())

    def test_paje_is_in_order_of_time(self):
        self.trace("torus-cc_dcube-random_compute")
        events = [line.split() for line in self.text("run.paje").splitlines()]
        times = [tuple(map(int, words[1].split("."))) for words in events if words[0] in set("456789")]
        self.assertEqual(times, sorted(times))

    # Filters.

    def test_filters_say_what_is_kept(self):
        self.trace("quickstart", "--trace-process", "0,3-4", "--trace-link", "0-1", "--window", "1s:")
        self.assertEqual(
            {key: self.comments()[key] for key in ["only_processes", "only_links", "window"]},
            {"only_processes": "0 3-4", "only_links": "0->1 1->0", "window": "1000000000000ps:"},
        )
        for row in self.rows():
            self.assertGreater(int(row["end_ps"]), 10**12)
            if row["record"] == "interval":
                self.assertIn(row["process"], ["0", "3", "4"])
            else:
                self.assertTrue({row["source"], row["destination"]} & {"0", "3", "4"})
            if row["record"] == "hop":
                self.assertIn(row["link"], ["0->1", "1->0"])

    # Failures.

    def test_bad_options_are_refused_before_the_run(self):
        name = SCENARIOS / "quickstart.json"
        refused = [
            (["--trace", "cvs:x"], ["--trace", "`cvs`", "`csv`"]),
            (["--trace", "run.csv"], ["--trace", "KIND:FILE"]),
            (["--trace", "csv:no/run.csv"], ["--trace", "no is not a folder"]),
            (["--trace", "csv:a", "--trace", "paje:./a"], ["--trace", "given twice"]),
            (["--trace", "csv:a", "--trace-process", "0-64"], ["--trace-process", "64"]),
            (["--trace", "csv:a", "--trace-link", "0->9"], ["--trace-link", "0->9 is not a link"]),
            (["--trace", "csv:a", "--window", "3s"], ["--window", "`3s`"]),
            (["--window", "3s:"], ["--write", "nothing is traced"]),
        ]
        for options, parts in refused:
            with self.subTest(options):
                self.assert_refused(["run", name, *options], *parts)
                self.assertEqual(self.files(), [])

    def test_an_interrupt_leaves_no_file(self):
        name = self.write("slow.json", scenario(ring(16384), "random"))
        process = self.start("run", name, "--trace", "csv:run.csv", "--trace", "paje:run.paje")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        self.assertEqual(self.files(), ["slow.json"])

    def run_with_little_disk(self, *arguments, limit):
        def little_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return self.dcube(*arguments, preexec_fn=little_disk, restore_signals=False)

    def assert_too_large(self, done, *parts):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in ["File too large", *parts]:
            self.assertIn(part, done.stderr)

    def test_a_full_disk_is_an_error_of_one_line(self):
        done = self.run_with_little_disk(
            "run", SCENARIOS / "quickstart.json", "--quiet", "--trace", "csv:run.csv", limit=10_000
        )
        self.assert_too_large(done, "run.csv")
        self.assertEqual(self.files(), [])

    def test_a_disk_full_of_records_ends_the_run(self):
        # Enough hops for the memory to overflow into the temporary file.
        name = self.write("big.json", scenario({"kind": "torus", "shape": [128, 128]}, "random"))
        for execution in ["actors", "coroutines"]:
            done = self.run_with_little_disk(
                "run", name, "--quiet", "--execution", execution, "--trace", "csv:run.csv", limit=1_000_000
            )
            self.assert_too_large(done, "--window")
            self.assertEqual(self.files(), ["big.json"])

    # dcube trace.

    def test_summary_names_links_and_waits(self):
        self.trace("line-cc_dcube-by_weight", formats=["csv"])
        text = self.output("trace", "run.csv", "--processes")
        self.assertRegex(text, r"^run\.csv: cc_dcube under by_weight, 8 processes, .* completed at 12 s\n")
        self.assertRegex(text, r"\n  waiting +8 +8 s +1 s +8\.3 %\n")
        self.assertRegex(text, r"\n  3->4 +6 +50\.0 % +0 ")
        self.assertRegex(text, r"\n  process 0 +process 2 to be ready +1 +5 s +6 s +1 s\n")
        self.assertRegex(text, r"\n +0 +0 +3 s +6 s +2 s +0 s +1 s +1 s +3 +3\n")

    def test_summary_says_who_is_awaited_for_ever(self):
        self.write("late.goal", "num_ranks 2\n" + "\n".join(
            f"rank {rank} {{\nl0: calc {calc}\nl1: recv 8b from {1 - rank}\nl1 requires l0\nl2: send 8b to {1 - rank}\nl2 requires l1\n}}"
            for rank, calc in ((0, 1000), (1, 500))) + "\n")  # fmt: skip
        self.write("late.json", {"schema_version": 1, "machine": "ring:2", "embedding": "identity",
                                 "program": {"kind": "goal", "file": "late.goal"}})  # fmt: skip
        self.assertEqual(self.dcube("run", "late.json", "--quiet", "--write", "csv:late.csv").returncode, 1)
        self.assertRegex(self.output("trace", "late.csv"), r"\n  process 1 +others, for ever +- +500 ns +1 us +500 ns\n")

    def test_hops_of_packets_are_headed_so(self):
        self.write("pairs.csv", "from,to,bytes\n0,2,5000\n")
        for link, head in (({"packet": "1KiB"}, "packets"), ({}, "messages")):
            self.write("p.json", {"schema_version": 1, "embedding": "identity", "program": {"kind": "traffic", "file": "pairs.csv"},
                                  "machine": {"topology": {"kind": "ring", "nodes": 4}, "link": {"latency": "1us", "bandwidth": "1GBps", **link}}})  # fmt: skip
            self.output("run", "p.json", "--write", "csv:p.csv")
            self.assertRegex(self.output("trace", "p.csv"), rf"\nbusiest links +{head} +busy ")

    def test_summary_as_json_agrees_with_the_result(self):
        self.trace("torus-cc_dcube-random_compute", formats=["csv"])
        summary = self.json("trace", "run.csv", "--json")
        result = self.json("run", SCENARIOS / "torus-cc_dcube-random_compute.json", "--json")
        for activity, time_s in result["time_s"].items():
            self.assertAlmostEqual(summary["time"][activity]["total_s"], time_s["total"])
        self.assertEqual(summary["messages"]["count"], result["messages"]["count"])
        self.assertEqual(summary["hops"]["queued"], result["messages"]["queued"])
        self.assertEqual(len(summary["process_times"]), result["program"]["processes"])

    def test_conversion_gives_what_the_run_would_have_written(self):
        self.trace("quickstart", "--window", "2s:4s")
        parts = [self.text(f"run.{one}") for one in ["csv", "chrome", "paje"]]
        self.trace("quickstart", formats=["csv"])
        targets = [word for one in ["csv", "chrome", "paje"] for word in ("--to", f"{one}:part.{one}")]
        self.assertEqual(self.output("trace", "run.csv", *targets, "--window", "2s:4s"), "")
        self.assertEqual([self.text(f"part.{one}") for one in ["csv", "chrome", "paje"]], parts)

    def test_links_that_no_machine_of_so_many_nodes_has_are_refused(self):
        self.trace("quickstart", formats=["csv"])
        self.assert_refused(["trace", "run.csv", "--trace-link", "0-70"], "--trace-link: 70 is not a node of this machine (0 .. ")
        self.assert_refused(["trace", "run.csv", "--trace-link", "3-3"], "--trace-link: 3->3 is not a link (it ends where it begins)")
        self.assert_refused(["trace", "run.csv", "--trace-link", "0->9"], "--trace-link: 0->9 is not a link (node 0 is joined to 1, 7, 8, 56)")

    def test_a_window_after_the_end_is_refused(self):
        self.trace("quickstart", "--window", ":4s", formats=["csv"])
        self.assert_refused(["trace", "run.csv", "--window", "4s:60s"], "--window: begins at 4 s, and run.csv ends at 4 s")
        self.output("trace", "run.csv", "--window", "3999999999999ps:")

    def test_a_window_counts_the_queueing_inside_it_alone(self):
        """Of two messages the second queues for a second, then crosses the link for another."""
        self.write("two.json", {
            "schema_version": 1,
            "machine": {"topology": {"kind": "line", "nodes": 2}, "link": {"latency": "1s"}},
            "embedding": "identity",
            "program": {"kind": "pattern", "guest": "line:2", "phases": [
                {"messages": [{"from": 0, "to": 1, "bytes": 1}, {"from": 0, "to": 1, "bytes": 1}]},
            ]},
        })
        self.output("run", "two.json", "--quiet", "--write", "csv:run.csv")
        for window, queued, queued_s, longest_s in [
            ("0s:", 1, 1, 2), ("0.75s:", 1, 0.25, 1.25), ("1.5s:", 0, 0, 0.5), ("0.25s:1s", 1, 0.75, 0.75),
        ]:  # fmt: skip
            summary = self.json("trace", "run.csv", "--json", "--window", window)
            self.assertEqual(
                (summary["hops"]["queued"], summary["hops"]["queued_s"]), (queued, queued_s), window
            )
            self.assertEqual(summary["links"][0]["queued"], queued, window)
            self.assertEqual(summary["messages"]["longest_s"], longest_s, window)

    def test_a_window_counts_the_waiting_inside_it_alone(self):
        self.trace("torus-cc_dcube-random_embedding", formats=["csv"])
        summary = self.json("trace", "run.csv", "--json", "--window", "12s:13.5s")
        times = [wait["end_s"] - wait["begin_s"] for wait in summary["longest_waits"]]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(times[0], summary["time"]["waiting"]["longest_s"])
        self.assertEqual({wait["begin_s"] for wait in summary["longest_waits"]}, {12})

    def test_a_run_that_is_cut_off_counts_the_same_as_its_trace(self):
        """Of three messages in a queue one is over the link when failures cut a fourth off, and one is halfway."""
        sizes = [(0, 1, 5000), (0, 1, 5000), (0, 1, 5000), (2, 3, 20000)]
        self.write("it.json", {
            "schema_version": 1,
            "machine": {
                "schema_version": 1, "topology": {"kind": "line", "nodes": 4},
                "link": {"latency": "1us", "per_byte": "1ns"}, "failed": [{"links": [[2, 3]], "at": "9us"}],
            },
            "embedding": "identity",
            "program": {
                "kind": "pattern",
                "phases": [{"messages": [{"from": a, "to": b, "bytes": size} for a, b, size in sizes]}],
            },
        })  # fmt: skip
        done = self.dcube("run", "it.json", "--json", "--write", "csv:run.csv", "--write", "chrome:run.chrome")
        self.assertEqual(done.returncode, 1)
        result = json.loads(done.stdout)
        summary = self.json("trace", "run.csv", "--json")
        hops = {"count": 2, "queued": 1, "queued_s": 6e-6}
        self.assertEqual(summary["hops"], hops)
        self.assertEqual({key: result["messages"][key] for key in ("hops", "queued", "queued_s")}, dict(zip(("hops", "queued", "queued_s"), hops.values())))
        self.assertEqual(result["phases"][0]["queued"], 1)
        self.assertEqual(result["link_load"]["utilisation"]["max"], 1)
        self.assertEqual(summary["links"][0]["busy_s"], 9e-6)
        for process, time_s in ((1, 9e-6), (3, 9e-6)):
            self.assertEqual(summary["process_times"][process]["communication_s"], time_s)
        self.assertIn("why it takes 9 us", self.dcube("run", "it.json", "--why").stdout)

    def test_a_damaged_file_is_named_with_its_line(self):
        self.trace("quickstart", formats=["csv"])
        lines = self.text("run.csv").splitlines(keepends=True)
        header = next(i for i, line in enumerate(lines) if line.startswith("record"))
        self.write("bad.csv", "".join(lines[: header + 5]) + "hop,what\n")
        self.assert_refused(["trace", "bad.csv"], f"bad.csv: line {header + 6}: ")
        self.write("cut.csv", "".join(lines)[:-3])
        self.assert_refused(["trace", "cut.csv", "--to", "csv:x.csv"], f"cut.csv: line {len(lines)}: ")
        self.assert_refused(["trace", "none.csv"], "none.csv: cannot be read")
        self.assertEqual(self.files(), ["bad.csv", "cut.csv", "run.csv"])

    def test_the_example_of_the_help_runs(self):
        text = self.output("trace", "--help")
        os.symlink(SCENARIOS, self.folder / "scenarios")
        commands = re.findall(r"^  dcube (.*)$", text, re.MULTILINE)
        self.assertGreater(len(commands), 2)
        for command in commands:
            self.output(*command.split())

    def test_formats_are_listed(self):
        text = self.output("list", "traces")
        for name in ["chrome", "csv", "paje"]:
            self.assertRegex(text, rf"\n  {name}: ")


if __name__ == "__main__":
    unittest.main()
