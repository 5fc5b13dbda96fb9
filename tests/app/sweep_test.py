"""`dcube sweep`: every combination once, whatever happens in between."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import open_mpi
from program import PROGRAM, ProgramTest, children, is_sanitized

RING = {
    "schema_version": 1,
    "machine": "ring:8",
    "embedding": "standard",
    "program": {"kind": "cc_dcube", "compute": "1s", "message": 1},
}
MPIRUN = shutil.which("mpirun.openmpi")
# All ranks are on this computer; Open MPI 5 complains of networks that it cannot use.
AS_ROOT = open_mpi.AS_ROOT | {"OMPI_MCA_btl": "^tcp"}
MODULES = pathlib.Path(PROGRAM).parent.parent  # checked/dcube


def has_module(name):
    return any((folder / name).exists() for folder in (MODULES, MODULES.parent))


HAS_MPI = MPIRUN and has_module("dcube-mpi.so")


def without_keys(rows):
    return [{key: value for key, value in row.items() if key not in ("key", "problem")} for row in rows]


class SweepTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", RING)

    def sweep(self, *arguments, status=0):
        done = self.dcube("sweep", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, *arguments, status=0):
        done = self.sweep(*arguments, "--csv", "-", "--no-pictures", "--no-report", status=status)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def complaint(self, *arguments):
        done = self.dcube("sweep", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def records(self, folder):
        """All lines of the files of records but their heads."""
        lines = []
        for file in sorted((pathlib.Path(self.folder) / folder / "runs").glob("*.jsonl")):
            lines += file.read_text().splitlines()[1:]
        return [json.loads(line) for line in lines]


class Sweep(SweepTest):
    def test_rows_are_those_of_run(self):
        rows = self.rows("s.json", "--vary", "/program/compute=500ms,2s", "--embedding", "standard,xor",
                         "-o", "d")
        self.assertEqual(
            [(row["compute_s"], row["embedding"]) for row in rows],
            [("0.5", "standard"), ("0.5", "xor"), ("2", "standard"), ("2", "xor")],
        )
        for row in rows:
            run = self.json("run", "s.json", "--set", f"/program/compute={row['compute_s']}",
                            "--embedding", row["embedding"], "--json")
            self.assertEqual(row["outcome"], "completed")
            self.assertEqual(float(row["makespan_s"]), run["makespan_s"])
            self.assertEqual(int(row["messages"]), run["messages"]["count"])
            self.assertEqual(int(row["queued_hops"]), run["messages"]["queued"])
            self.assertEqual(int(row["max_link_load"]), run["link_load"]["max"])
            self.assertEqual(float(row["waiting_mean_s"]), run["time_s"]["waiting"]["mean"])
            self.assertEqual(row["fingerprint"], run["simulation"]["fingerprint"])

    def test_what_does_not_fit_is_a_row_that_says_why(self):
        rows = self.rows("s.json", "--vary", "/machine=ring:8,ring:6", "--embedding", "standard,xor",
                         "-o", "d", status=1)
        self.assertEqual([row["outcome"] for row in rows], ["completed"] * 2 + ["refused"] * 2)
        self.assertIn("power", rows[3]["problem"])
        self.assertEqual(rows[3]["makespan_s"], "")

    def test_seeds_give_mean_and_interval(self):
        arguments = ["s.json", "--set", '/program/compute={"uniform":["1s","3s"]}', "--seeds", "6",
                     "--embedding", "standard,xor", "--ratio", "standard/xor", "-o", "d", "--no-pictures"]
        result = json.loads(self.sweep(*arguments, "--json").stdout)
        self.assertEqual([group["runs"] for group in result["groups"]], [6, 6])
        rows = self.rows(*arguments)
        for group in result["groups"]:
            times = [float(row["makespan_s"]) for row in rows
                     if row["embedding"] == group["settings"]["embedding"]]
            self.assertEqual(len(set(times)), 6)
            self.assertAlmostEqual(group["mean"][0], sum(times) / 6)
            mean = sum(times) / 6
            deviation = (sum((t - mean) ** 2 for t in times) / 5) ** 0.5
            self.assertAlmostEqual(group["deviation"][0], deviation)
            self.assertAlmostEqual(group["half_interval"][0], 2.57058 * deviation / 6**0.5, places=5)
        times = {(row["embedding"], row["seed"]): float(row["makespan_s"]) for row in rows}
        ratios = [times["standard", str(seed)] / times["xor", str(seed)] for seed in range(1, 7)]
        self.assertAlmostEqual(result["ratios"][0]["groups"][0]["ratio"]["mean"], sum(ratios) / 6)
        text = self.sweep(*arguments).stdout
        self.assertIn("+- 95 %", text)
        self.assertIn("makespan of standard/xor", text)

    def test_a_ratio_that_two_settings_have_is_refused(self):
        axes = ["s.json", "--vary", "/program/message=1,2", "--vary", "/seed=1,2", "-o", "d", "--no-pictures"]
        self.assert_refused(
            ["sweep", *axes, "--ratio", "1/2"],
            'dcube: --ratio: "1/2" is a ratio of /program/message and of /seed (name one of them, as in /program/message:1/2)\n')
        self.assertIn("makespan of /program/message:1/2\n", self.sweep(*axes, "--ratio", "/program/message:1/2").stdout)

    def test_a_folder_keeps_what_is_shown_of_it(self):
        asked = ["s.json", "--vary", "/program/message=1,2", "--vary", "/program/compute=1s,2s",
                 "--embedding", "standard,xor", "-o", "d", "--no-pictures"]
        shown = ["--ratio", "standard/xor", "--x", "/program/compute", "--lines", "/program/message"]
        made = self.sweep(*asked, *shown).stdout
        result = json.loads((self.folder / "d/sweep.json").read_text())
        self.assertEqual(result["shown"]["x"], "compute_s")
        self.assertEqual(self.sweep("--collect", "d", "--no-pictures").stdout, made)
        self.assertEqual(json.loads((self.folder / "d/sweep.json").read_text()), result)
        self.assertIn("makespan of xor/standard", self.sweep("--collect", "d", "--no-pictures", "--ratio", "xor/standard").stdout)
        self.assertEqual(self.sweep("--collect", "d", "--no-pictures").stdout, made)
        self.sweep(*asked)  # the last command says what is shown
        self.assertNotIn("standard/xor", self.sweep("--collect", "d", "--no-pictures").stdout)

    def test_values_in_quotes_are_the_texts_inside(self):
        self.output("embed", "ring:8", "--embedding", "xor", "--write", "csv:x,y.csv")
        rows = self.rows("s.json", "--vary", '/embedding="x,y.csv",standard', "--vary", '/program/compute="1s",2s', "-o", "d")
        self.assertEqual([(row["embedding"], row["compute_s"]) for row in rows],
                         [("x,y.csv", "1"), ("x,y.csv", "2"), ("standard", "1"), ("standard", "2")])
        self.assert_refused(["sweep", "s.json", "--vary", '/program/compute="1s",1s'], 'the value "1s" is given twice')

    def test_a_lengthened_column_has_its_unit(self):
        rows = self.rows("s.json", "--set", '/machine/host={"attached_to":0}', "--vary", "/machine/link/latency=1us,2us",
                         "--vary", "/machine/host/latency=1us,2us", "-o", "d")
        self.assertEqual(list(rows[0])[1:3], ["latency_s", "machine_host_latency_s"])

    def test_times_of_very_different_lengths_have_units_of_their_own(self):
        text = self.sweep("s.json", "--set", "/machine/link/latency=1ns", "--vary", "/program/compute=1ns,10s", "-o", "d",
                          "--no-pictures").stdout
        self.assertRegex(text, r"\n *1ns +\d+ ns ")
        self.assertRegex(text, r"\n *10s +\d+(\.\d+)? s ")

    def test_a_folder_of_another_command_is_refused(self):
        sweep = ["sweep", "s.json", "--seeds", "1", "--no-pictures"]
        compare = ["compare", "s.json", "--embedding", "xor", "--no-pictures"]
        collective = ["collective", "allreduce", "--machine", "torus:4x4", "--bytes", "1KiB", "--algorithm", "ring"]
        made = {"sweep": sweep, "compare": compare, "collective": collective}
        for name, command in made.items():
            self.output(*command, "-o", name)
            self.output(*command, "-o", name)
        for name in made:
            for other, command in made.items():
                if other != name:
                    with self.subTest(folder=name, command=other):
                        page = (self.folder / name / "index.html").read_text()
                        self.assert_refused([*command, "-o", name], f"--output: {name} holds results of dcube {name} (")
                        self.assertEqual((self.folder / name / "index.html").read_text(), page)
        self.assert_refused([*collective, "--value-bytes", "8", "-o", "collective"],
                            "--output: collective holds results of another question; name another folder\n")

    def test_a_folder_that_cannot_be_written_can_be_looked_at(self):
        made = self.sweep("s.json", "--vary", "/program/message=1,2", "-o", "d", "--no-pictures").stdout
        program = (PROGRAM,)
        if os.geteuid() == 0:
            self.folder.chmod(0o755)
            program = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PROGRAM)
        for file in (self.folder / "d").rglob("*"):
            file.chmod(0o555 if file.is_dir() else 0o444)
        (self.folder / "d").chmod(0o555)
        self.addCleanup((self.folder / "d").chmod, 0o755)
        self.addCleanup((self.folder / "d/runs").chmod, 0o755)
        for arguments, shown in ((("--collect", "d"), made), (("--collect", "d", "--csv", "-"), "run,message"),
                                 (("--status", "d"), "d: s\n")):  # fmt: skip
            done = self.dcube("sweep", *arguments, program=program)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(shown), done.stdout)

    def test_settings_that_change_together_share_the_points_of_a_curve(self):
        self.sweep("s.json", "--zip", "/program/message=1,2,3", "--zip", "/program/compute=1s,2s,3s",
                   "-o", "d", "--no-pictures", "--dat", "x.dat")
        blocks = (self.folder / "x.dat").read_text().split("\n\n\n")[1:]
        self.assertEqual([len(block.splitlines()) for block in blocks], [4])

    def test_quotes_in_titles_of_gnuplot_are_single_ones(self):
        self.sweep("s.json", "--vary", "/program/message=1,2", "--vary", '/embedding={"kind":"identity"},"xor"',
                   "-o", "d", "--no-pictures", "--dat", "x.dat")
        blocks = (self.folder / "x.dat").read_text().split("\n\n\n")[1:]
        self.assertEqual([block.splitlines()[0] for block in blocks], ['"{\'kind\':\'identity\'}"', '"xor"'])

    def test_values_of_several_lines_stay_in_one_row_of_gnuplots(self):
        self.sweep("s.json", "--vary", '/description="one\nline","another"', "-o", "d", "--no-pictures", "--dat", "x.dat")
        rows = (self.folder / "x.dat").read_text().split("\n\n\n")[1].splitlines()[1:]
        self.assertEqual([row.split(" 1")[0] for row in rows], ['"\'one line\'"', "another"])

    def test_a_link_is_busy_for_whole_picoseconds(self):
        arguments = ("--vary", "/program/compute=0.1s,0.3s,0.7s", "--vary", "/embedding=xor,standard")
        self.sweep("s.json", *arguments, "-o", "d", "--no-pictures")
        for row in csv.DictReader((self.folder / "d/table.csv").read_text().splitlines()):
            self.assertEqual(float(row["link_busy_max_s"]), round(float(row["link_busy_max_s"])), row)

    def test_every_output_holds_the_same_runs(self):
        self.sweep("s.json", "--vary", "/program/message=lin:1:5:5", "--embedding", "standard,xor",
                   "-o", "d", "--dat", "x.dat", "--write", "x.html", "--write", "summary:x.csv")
        folder = pathlib.Path(self.folder)
        for name in ("table.csv", "summary.csv", "table.txt", "sweep.json", "curves.png",
                     "index.html"):
            self.assertTrue((folder / "d" / name).stat().st_size > 0, name)
        table = list(csv.DictReader(io.StringIO((folder / "d" / "table.csv").read_text())))
        self.assertEqual(len(table), 10)
        if not has_module("dcube-sqlite.so"):
            return
        found = self.in_database("d", "message, embedding, makespan_s")
        self.assertEqual(found, [(float(row["message"]), row["embedding"], float(row["makespan_s"])) for row in table])
        blocks = (folder / "x.dat").read_text().split("\n\n\n")[1:]
        self.assertEqual([block.split("\n")[0] for block in blocks], ['"standard"', '"xor"'])
        points = [line.split()[:2] for line in blocks[0].strip().split("\n")[1:]]
        self.assertEqual([[float(x), float(y)] for x, y in points],
                         [[float(row["message"]), float(row["makespan_s"])] for row in table
                          if row["embedding"] == "standard"])

    def in_database(self, folder, columns):
        database = sqlite3.connect(self.folder / folder / "runs.db")
        found = database.execute(f"select {columns} from runs order by run").fetchall()
        database.close()
        return found

    def test_seeds_above_the_integers_of_a_database_stay_positive(self):
        self.sweep("s.json", "--vary", f"/seed={2**64 - 1},7", "-o", "d", "--no-pictures")
        if has_module("dcube-sqlite.so"):
            self.assertEqual(self.in_database("d", "seed"), [(float(2**64 - 1),), (7,)])

    def test_records_of_a_folder_are_not_written_over(self):
        made = ("s.json", "--vary", "/program/message=1,2", "--output", "d", "--no-pictures", "--quiet")
        self.output("sweep", *made)
        kept = self.records("d")
        records = next((self.folder / "d/runs").iterdir())
        for file in ("d/study.json", "d/claims", records.relative_to(self.folder)):
            for again in (("--collect", "d"), made):
                self.assertIn("is read, so it cannot be written", self.complaint(*again, "--csv", file))
        self.assertEqual(self.records("d"), kept)

    def test_what_a_folder_holds_is_not_changed_by_options(self):
        self.output("sweep", "s.json", "--vary", "/program/message=1,2", "--output", "d", "--no-pictures", "--quiet")
        for option, value in (("--vary", "/seed=1"), ("--zip", "/seed=1"), ("--where", "/seed < 2"), ("--seeds", 2), ("--jitter", "0.1"),
                              ("--set", "/seed=1"), ("--embedding", "xor"), ("--hosts", "cn{}"), ("--output", "e")):  # fmt: skip
            for folder in ("--collect", "--status"):
                self.assert_refused(["sweep", folder, "d", option, value],
                                    f"dcube: {option}: is for runs that are made, and {folder} says what a folder holds\n")  # fmt: skip
        self.assertFalse((self.folder / "e").exists())
        (self.folder / "f").mkdir()
        (self.folder / "f/study.json").write_text('{"schema_version": 1, "scenario": "../s.json"}')
        self.assert_refused(["sweep", "--status", "f"], "dcube: f/study.json: is not what dcube sweep writes into a folder of results\n")

    def test_bad_input_is_one_line_before_anything_runs(self):
        cases = {
            ("--vary", "/program/mesage=1,2"): "s.json: /program/mesage: unknown key",
            ("--vary", "/program/message="): "--vary /program/message: has no value",
            ("--vary", "program/message=1"): "--vary: ",
            ("--vary", "/program/message=1,2", "--vary", "/program/message=3"): "varied twice",
            ("--vary", "/program/message=1,2", "--set", "/program/message=3"): "is set as well",
            ("--vary", "/program/message=1,2", "--where", "/program/message > 2"): "leaves none of 2 runs",
            ("--vary", "/program/message=1,2", "--where", "/program/mesage > 2"): "neither varied nor",
            ("--vary", "/program/compute=1s,2parsecs"): "no time as",
            ("--vary", "/program/compute=log:0:1s:3"): "--vary /program/compute: ",
            ("--embedding", "xor,standrd"): "did you mean `standard`",
            ("--vary", "/program/message=1,2", "--hosts", "cn{}"): "--hosts: no map file is read",
            ("--embedding", "xor,standard", "--hosts", "cn{}"): "--hosts: no map file is read",
            ("--vary", "/embedding=xor,standard", "--hosts", "cn{}"): "--hosts: no map file is read",
            ("--embedding", "xor,standard", "--ratio", "xor/gray"): "--ratio: ",
            ("--embedding", "xor,standard", "--measure", "makespan"): "did you mean `makespan_s`",
            ("--embedding", "xor,standard", "--x", "/program/message"): "--x: ",
            ("--seeds", "0"): "--seeds: ",
            ("--seeds", "2", "--dat", "x.dat"): "nothing to draw",
            ("--seeds", "2", "--shard", "65/64"): "there is no shard 65 of 64",
            ("--seeds", "2", "--shard", "0/64"): "there is no shard 0 of 64",
            ("--seeds", "2", "--shard", "1/0"): "is not a shard (I/N",
            ("--seeds", "2", "--shard", "3"): "--shard: ",
            ("--seeds", "2", "--zip", "/program/message=1,2", "--zip", "/program/compute=1s"): "--zip",
        }
        for arguments, expected in cases.items():
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.complaint("s.json", *arguments))
        self.assertEqual(sorted(os.listdir(self.folder)), ["s.json"])
        self.assertIn("is missing", self.complaint())
        self.assertIn("holds no study", self.complaint("--status", "."))

    def test_what_is_refused_leaves_no_folder(self):
        before = sorted(self.folder.iterdir())
        for options in (
            ["--csv", "no/such.csv"],
            ["--dat", "/"],
            ["--write", "csv:no/such.csv"],
            ["--csv", "x.csv", "--write", "csv:x.csv"],
            ["--jitter", "2"],
            ["--measure", "nope"],
        ):
            self.assert_refused(["sweep", "quickstart", "--vary", "/program/message=1,2", *options], options[0])
            self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_a_folder_of_another_study_is_refused(self):
        self.sweep("s.json", "--seeds", "2", "-o", "d", "--no-pictures")
        self.assertIn("what /seed goes through is different", self.complaint("s.json", "--seeds", "3", "-o", "d"))
        self.write("s.json", {**RING, "program": {**RING["program"], "message": 2}})
        self.assertIn("the scenario's /program/message", self.complaint("s.json", "--seeds", "2", "-o", "d"))
        self.assertIn("study.json", self.complaint("s.json", "--seeds", "2", "-o", "d"))

    def test_a_changed_input_file_is_another_study(self):
        self.write("map.json", {"kind": "explicit", "map": [0, 1, 2, 3, 4, 5, 6, 7]})
        self.sweep("s.json", "--embedding", "./map.json,xor", "-o", "d", "--no-pictures")
        self.write("map.json", {"kind": "explicit", "map": [1, 0, 2, 3, 4, 5, 6, 7]})
        self.assertIn("map.json", self.complaint("s.json", "--embedding", "./map.json,xor", "-o", "d"))

    def test_study_files_say_the_same_as_options(self):
        self.write("study.json", {
            "schema_version": 1,
            "scenario": "s.json",
            "set": {"/program/message": 4},
            "vary": [{"setting": "/embedding", "values": ["standard", "xor"]}],
            "zip": [[{"setting": "/program/compute", "values": "1s,2s,3s"},
                     {"setting": "/program/dimensions", "values": [3, 2, 3]}]],
            "where": ["/program/compute != 3s"],
            "seeds": 2,
        })
        by_file = self.rows("study.json", "-o", "a", status=1)
        self.write("t.json", {**RING, "program": {**RING["program"], "message": 4}})
        by_options = self.rows("t.json", "--vary", "/embedding=standard,xor", "--zip",
                               "/program/compute=1s,2s,3s", "--zip", "/program/dimensions=3,2,3", "--where",
                               "/program/compute != 3s", "--seeds", "2", "-o", "b", status=1)
        self.assertEqual(len(by_file), 8)
        self.assertEqual(without_keys(by_file), without_keys(by_options))
        self.assertIn("valid study", self.dcube("validate", "study.json").stdout)


class LongSweep(SweepTest):
    ARGUMENTS = ["s.json", "--vary", "/program/compute=lin:1ms:400ms:400", "--embedding", "standard,xor",
                 "--no-pictures", "--no-report"]

    def whole(self):
        return self.rows(*self.ARGUMENTS, "-o", "whole")

    def begin(self, *arguments, program=(PROGRAM,), **more):
        process = subprocess.Popen([*program, "sweep", *map(str, arguments)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def await_records(self, folder, count, process):
        begin = time.monotonic()
        while time.monotonic() < begin + 100 and process.poll() is None:
            files = (pathlib.Path(self.folder) / folder / "runs").glob("*.jsonl")
            if sum(file.read_bytes().count(b"\n") for file in files) > count:
                return
            time.sleep(0.005)

    def check(self, folder, whole):
        """Every run is there once, and as in an undisturbed sweep."""
        records = self.records(folder)
        self.assertEqual(sorted(record["run"] for record in records), list(range(len(whole))))
        self.assertEqual(len({record["key"] for record in records}), len(whole))

    def records_that_are_whole(self, folder):
        lines = []
        for file in sorted((pathlib.Path(self.folder) / folder / "runs").glob("*.jsonl")):
            text = file.read_text()
            lines += text[: text.rfind("\n") + 1].splitlines()[1:]
        return [json.loads(line) for line in lines]

    def check_whole(self, folder, whole):
        records = self.records_that_are_whole(folder)
        self.assertEqual(sorted(record["run"] for record in records), list(range(len(whole))))

class Resuming(LongSweep):
    def test_the_same_command_goes_on_after_kill_9(self):
        whole = self.whole()
        for after in (1, 100, 400):
            process = self.begin(*self.ARGUMENTS, "-o", f"d{after}", "--jobs", "1")
            self.await_records(f"d{after}", after, process)
            process.kill()
            process.wait()
            before = len(self.records_that_are_whole(f"d{after}"))
            self.assertEqual(self.rows(*self.ARGUMENTS, "-o", f"d{after}"), whole)
            self.assertGreater(before, 0)
            self.check_whole(f"d{after}", whole)

    def test_a_child_that_is_killed_loses_nothing(self):
        whole = self.whole()
        process = self.begin(*self.ARGUMENTS, "-o", "d", "--jobs", "1", "--csv", "-")
        for _ in range(3):
            self.await_records("d", 1, process)
            for child in children(process):
                os.kill(int(child), signal.SIGKILL)
            time.sleep(0.05)
        output, errors = process.communicate(timeout=120)
        rows = list(csv.DictReader(io.StringIO(output)))
        # A run whose own child is killed is lost to that; all others are as they would have been.
        crashed = [row for row in rows if row["outcome"] == "crashed"]
        self.assertLessEqual(len(crashed), 3)
        numbers = {row["run"] for row in crashed}
        self.assertEqual([row for row in rows if row["run"] not in numbers],
                         [row for row in whole if row["run"] not in numbers])
        self.check("d", whole)

    def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(self):
        whole = self.whole()
        for number in (signal.SIGINT, signal.SIGTERM):
            folder = f"d{number}"
            process = self.begin(*self.ARGUMENTS, "-o", folder, "--jobs", "1")
            self.await_records(folder, 1, process)
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            if process.returncode == 0:
                continue  # it was faster
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("the same command goes on", errors)
            self.assertEqual(output, "")
            self.assertEqual(self.rows(*self.ARGUMENTS, "-o", folder), whole)
            self.check(folder, whole)

    def test_a_second_command_makes_nothing_again(self):
        self.rows(*self.ARGUMENTS, "-o", "d")
        files = sorted((pathlib.Path(self.folder) / "d" / "runs").iterdir())
        self.rows(*self.ARGUMENTS, "-o", "d")
        self.assertEqual(sorted((pathlib.Path(self.folder) / "d" / "runs").iterdir()), files)

    def test_two_commands_on_one_folder_share_the_runs(self):
        whole = self.whole()
        processes = [self.begin(*self.ARGUMENTS, "-o", "d", "--jobs", "1", "--csv", "-") for _ in range(3)]
        for process in processes:
            output, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(list(csv.DictReader(io.StringIO(output))), whole)
        self.check("d", whole)

    def test_what_a_killed_command_leaves_another_makes(self):
        whole = self.whole()
        first = self.begin(*self.ARGUMENTS, "-o", "d", "--jobs", "1")
        self.await_records("d", 1, first)
        second = self.begin(*self.ARGUMENTS, "-o", "d", "--jobs", "1", "--csv", "-")
        time.sleep(0.1)
        first.kill()
        first.wait()
        output, errors = second.communicate(timeout=120)
        self.assertEqual(second.returncode, 0, errors)
        self.assertEqual(list(csv.DictReader(io.StringIO(output))), whole)
        self.check_whole("d", whole)

    def test_shards_together_are_the_sweep(self):
        whole = self.whole()
        for shard in (2, 1, 3):
            done = self.sweep(*self.ARGUMENTS, "-o", "d", "--shard", f"{shard}/3")
            if shard != 3:
                self.assertIn(f"shard {shard} of 3 is done", done.stdout)
        self.check("d", whole)
        collected = self.dcube("sweep", "--collect", "d", "--csv", "-", "--no-pictures")
        self.assertEqual(list(csv.DictReader(io.StringIO(collected.stdout))), whole)

    def test_collecting_too_early_says_what_is_missing(self):
        self.sweep(*self.ARGUMENTS, "-o", "d", "--shard", "1/4")
        done = self.dcube("sweep", "--collect", "d", "--csv", "-", "--no-pictures")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stdout.splitlines()), 201)
        self.assertIn("600 of 800 runs missing", done.stderr)
        status = json.loads(self.dcube("sweep", "--status", "d", "--json").stdout)
        self.assertEqual((status["runs"], status["done"], status["open"]), (800, 200, 600))
        self.assertIn("completed  200", self.dcube("sweep", "--status", "d").stdout)

    def test_an_unreadable_record_in_the_middle_is_named(self):
        self.sweep(*self.ARGUMENTS, "-o", "d")
        file = next((pathlib.Path(self.folder) / "d" / "runs").iterdir())
        lines = file.read_text().splitlines(keepends=True)
        lines[5] = "{" + lines[5]
        file.write_text("".join(lines))
        complaint = self.complaint(*self.ARGUMENTS, "-o", "d")
        self.assertIn(f"{file.name}: line 6: is no record", complaint)

    def test_a_run_that_takes_too_long_is_a_row(self):
        # Seventeen billion hops take half a minute at least; a busy computer may need a second for eight processes.
        self.write("s.json", {**RING, "embedding": "random"})
        rows = self.rows("s.json", "--vary", "/machine=ring:8,ring:65536", "--time-limit", "3s", "-o", "d", status=1)
        self.assertEqual([row["outcome"] for row in rows], ["completed", "timed_out"])


@unittest.skipUnless(HAS_MPI, "needs Open MPI's mpirun and the module dcube-mpi")
@unittest.skipIf(is_sanitized(), "MPI and SimGrid's own MPI are only kept apart without the sanitizer")
class Mpi(LongSweep):
    """A thousand scenarios on four ranks."""

    ARGUMENTS = ["s.json", "--vary", "/program/compute=lin:1ms:500ms:500", "--embedding", "standard,xor",
                 "--no-pictures", "--no-report"]
    RANKS = (MPIRUN, "--oversubscribe", "-n", "4", PROGRAM)

    def setUp(self):
        super().setUp()
        os.environ.update(AS_ROOT)

    def test_four_ranks_give_what_one_core_gives(self):
        whole = self.rows(*self.ARGUMENTS, "-o", "whole", "--jobs", "1")
        process = self.begin(*self.ARGUMENTS, "-o", "d", "--csv", "-", program=self.RANKS)
        output, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(list(csv.DictReader(io.StringIO(output))), whole)
        self.check("d", whole)

    def ranks_of(self, launcher):
        children = pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
        return [int(child) for child in children
                if os.path.realpath(f"/proc/{child}/exe") == os.path.realpath(PROGRAM)]

    def test_a_killed_rank_loses_nothing(self):
        whole = self.rows(*self.ARGUMENTS, "-o", "whole", "--jobs", "1")
        self.assertEqual(len(whole), 1000)
        for victim in (2, 0):
            folder = f"d{victim}"
            process = self.begin(*self.ARGUMENTS, "-o", folder, program=self.RANKS)
            self.await_records(folder, 1, process)
            ranks = self.ranks_of(process)
            if process.poll() is None and len(ranks) == 4:
                os.kill(ranks[victim], signal.SIGKILL)
            process.communicate(timeout=100)
            before = len(self.records_that_are_whole(folder))
            process = self.begin(*self.ARGUMENTS, "-o", folder, "--csv", "-", program=self.RANKS)
            output, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(list(csv.DictReader(io.StringIO(output))), whole)
            self.assertGreater(before, 0)
            self.check_whole(folder, whole)

    def test_one_rank_says_what_is_wrong(self):
        process = self.begin("s.json", "--vary", "/program/mesage=1,2", program=self.RANKS)
        output, errors = process.communicate(timeout=100)
        self.assertEqual(errors.count("unknown key"), 1, errors)
        self.assertEqual(process.returncode, 2)


if __name__ == "__main__":
    unittest.main()
