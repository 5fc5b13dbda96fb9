"""dcube fit: values of a machine from measured times."""

import json
import math
import pathlib
import random
import subprocess
import sys
import unittest

from program import PROGRAM, ProgramTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "fit"
SEND, LATENCY, RATE = 0.8e-6, 0.3e-6, 12e9


def guess(**endpoint):
    return {
        "schema_version": 1, "name": "line", "topology": {"kind": "line", "nodes": 5}, "switching": "cut_through",
        "link": {"latency": "1us", "bandwidth": "1GBps"}, "endpoint": endpoint or {"send": "100ns"},
    }  # fmt: skip


def ping(size, hops):
    """A message along a line under cut-through, by hand."""
    return SEND + hops * LATENCY + size / RATE


def table(noise=0.0, more=""):
    draw = random.Random(7)
    lines = ["collective,from,to,size,time_us"]
    for hops in (1, 2, 4):
        for size in (0, 64, 1024, 16384, 65536, 2**20):
            time = ping(size, hops) * (1 + noise * draw.gauss(0, 1))
            lines.append(f"pingpong,0,{hops},{size},{time * 1e6:.9f}")
    return "\n".join(lines) + "\n" + more


class Fit(ProgramTest):
    VARY = "/link/latency,/link/bandwidth,/endpoint/send"

    def setUp(self):
        super().setUp()
        self.write("guess.json", guess())
        self.write("exact.csv", table())

    def fitted(self, *arguments, machine="guess.json", measured="exact.csv", vary=VARY):
        return self.json("fit", machine, "--measured", measured, "--vary", vary, "--json", *arguments)

    def values(self, result):
        return {value["pointer"]: value["value"] for value in result["values"]}

    def test_exact_times_give_the_values_they_are_made_of(self):
        result = self.fitted()
        for pointer, true in (("/link/latency", LATENCY), ("/link/bandwidth", RATE), ("/endpoint/send", SEND)):
            self.assertAlmostEqual(self.values(result)[pointer] / true, 1, delta=1e-4, msg=pointer)
        self.assertLess(result["errors"]["median"], 1e-4)
        self.assertGreater(result["errors_before"]["median"], 0.3)
        self.assertEqual(result["indistinct"], [])

    def test_folded_sides_are_the_shape_of_collectives(self):
        gray = '{"kind":"gray","guest":"torus:4x4"}'
        rows = [
            ["collective", "algorithm", "machine", "embedding", "/program/shape", "size", "time_us"],
            ["allreduce", "swing_bandwidth", "torus:2*2x2*2", "standard", "", "65536", "100"],
            ["allreduce", "swing_bandwidth", "hypercube:4", gray, "[4,4]", "65536", "100"],
        ]
        self.write("rows.tsv", "".join("\t".join(row) + "\n" for row in rows))
        result = self.json("fit", "guess.json", "--measured", "rows.tsv", "--json")
        on_torus, in_hypercube = (row["simulated_s"] for row in result["rows"])
        self.assertEqual(on_torus, in_hypercube)

    def test_edges_of_a_class_share_their_values(self):
        rates = {"wide": 12e9, "thin": 3e9}
        edges = [[0, 1, "wide"], [1, 2, "thin"], [2, 3, "wide"]]
        classes = {name: {"bandwidth": "1GBps"} for name in rates}
        self.write("graph.json", {**guess(send="800ns"), "topology": {"kind": "graph", "edges": edges},
                                  "link": {"latency": "1us", "classes": classes}})  # fmt: skip
        lines = ["collective,from,to,size,time_us"]
        for start, end, name in edges:
            for size in (0, 16384, 65536, 2**20):
                lines.append(f"pingpong,{start},{end},{size},{(SEND + LATENCY + size / rates[name]) * 1e6:.9f}")
        self.write("edges.csv", "\n".join(lines) + "\n")
        pointers = {f"/link/classes/{name}/bandwidth": rate for name, rate in rates.items()}
        result = self.fitted(machine="graph.json", measured="edges.csv", vary=",".join(["/link/latency", *pointers]))
        for pointer, true in {"/link/latency": LATENCY, **pointers}.items():
            self.assertAlmostEqual(self.values(result)[pointer] / true, 1, delta=1e-3, msg=pointer)

    def test_the_start_does_not_matter(self):
        for factor in (1e-3, 1e3):
            machine = guess(send=100e-9 * factor)
            machine["link"] = {"latency": 1e-6 / factor, "bandwidth": 1e9 * factor}
            self.write("far.json", machine)
            result = self.fitted(machine="far.json")
            self.assertAlmostEqual(self.values(result)["/link/latency"] / LATENCY, 1, delta=1e-3)

    def test_a_value_that_a_search_drives_to_0_comes_back(self):
        true = {"/link/latency": 310e-9, "/link/bandwidth": 11.7e9, "/endpoint/send": 820e-9}

        def machine(latency, rate, send):
            return {**guess(send=send, receive="410ns"), "topology": {"kind": "torus", "shape": [4, 4]},
                    "link": {"latency": latency, "bandwidth": rate}}  # fmt: skip

        kinds = ("allreduce,ring", "allreduce,recursive_doubling", "allgather,recursive_doubling")
        rows = [f"{kind},{size}" for size in (8, 1024, 65536, 2**20) for kind in kinds]

        def write(times):
            self.write("c.csv", "\n".join(["collective,algorithm,size,time_us", *(f"{row},{time}" for row, time in zip(rows, times))]))

        self.write("true.json", machine(*true.values()))
        write([1] * len(rows))
        held = self.json("fit", "true.json", "--measured", "c.csv", "--json")
        write([row["simulated_s"] * 1e6 for row in held["rows"]])
        for start in (("300ns", "5GBps", "500ns"), ("100ns", "1GBps", "100ns"), ("1us", "100GBps", "2us"), ("310ns", "25GBps", "2us")):
            self.write("start.json", machine(*start))
            values = self.values(self.fitted(machine="start.json", measured="c.csv"))
            for pointer, value in values.items():
                self.assertAlmostEqual(value / true[pointer], 1, delta=1e-4, msg=(start, pointer))

    def test_noise_is_within_the_errors_that_are_said(self):
        self.write("noisy.csv", table(noise=0.01))
        result = self.fitted(measured="noisy.csv")
        true = {"/link/latency": LATENCY, "/link/bandwidth": RATE, "/endpoint/send": SEND}
        for value in result["values"]:
            off = value["value"] / true[value["pointer"]] - 1
            self.assertGreater(value["relative_error"], 1e-4)
            self.assertLess(abs(off), 3.5 * value["relative_error"], value)

    def test_a_time_that_is_far_off_changes_little(self):
        self.write("slip.csv", table(more="pingpong,0,1,1024,500\n"))
        result = self.fitted(measured="slip.csv")
        self.assertAlmostEqual(self.values(result)["/link/bandwidth"] / RATE, 1, delta=0.02)
        self.assertAlmostEqual(self.values(result)["/endpoint/send"] / SEND, 1, delta=0.1)

    def test_values_that_rows_cannot_tell_apart_are_named(self):
        result = self.fitted(vary="/endpoint/send,/endpoint/receive,/link/latency,/link/bandwidth")
        self.assertEqual([set(each["pointers"]) for each in result["indistinct"]], [{"/endpoint/send", "/endpoint/receive"}])
        values = self.values(result)
        self.assertAlmostEqual((values["/endpoint/send"] + values["/endpoint/receive"]) / SEND, 1, delta=1e-3)
        text = self.output("fit", "guess.json", "--measured", "exact.csv", "--vary", self.VARY + ",/endpoint/receive")
        self.assertIn("not told apart: /endpoint/send, /endpoint/receive", text)

    def test_values_near_0_are_told_apart_no_better(self):
        # Of a ping-pong between neighbours only the sum of latency and send is known.
        lines = [f"pingpong,0,1,{size},{ping(size, 1) * 1e6:.9f}" for size in (8, 128, 1024, 8192, 65536, 2**20)]
        self.write("near.csv", "\n".join(["collective,from,to,size,time_us", *lines]))
        for latency, rate, send in (("50us", "5GBps", "20ns"), ("5us", "25GBps", "50ns"), ("20ns", "1GBps", "50us"), ("500ns", "5GBps", "2us")):
            self.write("start.json", {**guess(send=send), "link": {"latency": latency, "bandwidth": rate}})
            result = self.fitted(machine="start.json", measured="near.csv")
            self.assertEqual([set(each["pointers"]) for each in result["indistinct"]], [{"/link/latency", "/endpoint/send"}], latency)
            values = self.values(result)
            self.assertAlmostEqual((values["/link/latency"] + values["/endpoint/send"]) / (LATENCY + SEND), 1, delta=1e-4)
            self.assertEqual([value["relative_error"] is None for value in result["values"]], [True, False, True])

    def test_times_that_jump_where_an_algorithm_is_chosen_do_not_make_values_certain(self):
        result = self.json("fit", str(EXAMPLES / "guess.json"), "--measured", str(EXAMPLES / "osu_allreduce.txt"), "--vary", self.VARY, "--json")
        self.assertLess(max(value["effect"] for value in result["values"]), 1)
        self.assertLess(result["errors"]["ninth_tenth"], 0.01)
        for value, true in zip(result["values"], (310e-9, 11.7e9, 820e-9)):
            if value["relative_error"] is not None:
                self.assertLess(abs(value["value"] / true - 1), 3.5 * value["relative_error"], value)

    def test_a_machine_without_a_varied_value_is_as_far_off_before_the_fit_as_it_is(self):
        bare = guess()
        del bare["link"]["bandwidth"]
        for machine in (guess(receive="1us"), bare):
            self.write("lacking.json", machine)
            held = self.json("fit", "lacking.json", "--measured", "exact.csv", "--json")
            self.assertEqual(self.fitted(machine="lacking.json")["errors_before"], held["errors"])

    def test_a_run_that_takes_no_time_is_simulated_as_0_s(self):
        self.write("free.json", {**guess(), "endpoint": {}})
        self.write("own.csv", "collective,algorithm,processes,size,time_us\nallreduce,ring,1,64,5\n")
        arguments = ("fit", "free.json", "--measured", "own.csv")
        self.assertEqual(self.json(*arguments, "--json")["rows"][0]["simulated_s"], 0)
        self.assertIn("  0 s  -100.0 %", self.output(*arguments, "--all-rows"))

    def test_a_message_from_a_rank_to_itself_is_left_out(self):
        self.write("own.csv", "collective,from,to,size,time_us\npingpong,0,0,64,5\npingpong,0,1,64,5\n")
        done = self.dcube("fit", self.write("m.json", guess()), "--measured", "own.csv", "--json")
        self.assertEqual([row["simulated_s"] is None for row in json.loads(done.stdout)["rows"]], [True, False])
        self.assertIn("own.csv: line 2: rank 0 is at both ends", done.stderr)

    def test_rows_that_give_a_varied_value_are_left_out(self):
        cell = {"/link/latency": "300ns", "/machine/link": '{"latency":"300ns","bandwidth":"12GBps"}'}
        for column, value in cell.items():
            lines = [line + "\t" for line in table().replace(",", "\t").splitlines()]
            lines[0] += column
            lines[3] += value
            self.write("own.tsv", "\n".join(lines) + "\n")
            arguments = ("fit", "guess.json", "--measured", "own.tsv", "--vary", self.VARY)
            run = self.dcube(*arguments, "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr, "dcube: own.tsv: line 4: `/link/latency` is varied, and the row gives it (left out)\n")
            self.assertEqual(json.loads(run.stdout)["errors"]["rows"], 17)
            self.write("own.tsv", "\n".join([lines[0], lines[3]]) + "\n")
            self.assert_refused(arguments, "dcube: own.tsv: line 2: `/link/latency` is varied, and the row gives it (and no other row can be used)")

    def test_bounds_hold(self):
        result = self.fitted(vary="/link/latency=100ns:250ns,/link/bandwidth=1GBps:20GBps,/endpoint/send")
        latency = result["values"][0]
        self.assertTrue(latency["at_bound"])
        self.assertAlmostEqual(latency["value"], 250e-9, delta=1e-12)
        self.assertIsNone(latency["relative_error"])

    def test_the_number_of_jobs_changes_nothing(self):
        self.write("noisy.csv", table(noise=0.02))
        one, two = (self.fitted("--jobs", jobs, measured="noisy.csv") for jobs in ("1", "2"))
        self.assertEqual(one, two)

    def test_the_machine_that_is_written_takes_the_times(self):
        self.output("fit", "guess.json", "--measured", "exact.csv", "--vary", self.VARY, "--write", "machine:found.json")
        written = (self.folder / "found.json").read_bytes()
        (self.folder / "found.json").unlink()
        self.output("fit", "guess.json", "--measured", "exact.csv", "--vary", self.VARY, "--output", "found.json")
        self.assertEqual((self.folder / "found.json").read_bytes(), written)
        self.assertIn("valid machine", self.output("validate", "found.json"))
        machine = json.loads((self.folder / "found.json").read_text())
        self.assertEqual(machine["name"], "found")
        self.assertRegex(machine["description"], r"fitted by dcube [\d.]+ to 18 times of exact.csv .*: /link/latency, ")
        (self.folder / "times").mkdir()
        (self.folder / "exact.csv").rename(self.folder / "times/exact.csv")
        self.output("fit", "guess.json", "--measured", "times/exact.csv", "--vary", self.VARY, "--output", "again.json")
        self.assertEqual(json.loads((self.folder / "again.json").read_text())["description"], machine["description"])
        (self.folder / "times/exact.csv").rename(self.folder / "exact.csv")
        self.assertEqual(machine["topology"], guess()["topology"])
        held = self.json("fit", "found.json", "--measured", "exact.csv", "--json")
        self.assertEqual(held["values"], [])
        self.assertLess(held["errors"]["ninth_tenth"], 1e-3)
        self.assertEqual(held["errors"], held["errors_before"])

    def test_rows_of_collectives_are_ranked(self):
        lines = ["collective\talgorithm\tmachine\tsize\ttime_us"]
        for algorithm in ("ring", "recursive_doubling"):
            for size in ("64", "1MiB"):
                rows = self.json("collective", "allreduce", "--machine", "guess.json", "--bytes", size, "--algorithm", algorithm,
                                 "--embedding", "standard", "--ports", "1", "--no-crossovers", "--set",
                                 "/machine/topology=" + json.dumps({"kind": "torus", "shape": [2, 4]}), "--json")["rows"]  # fmt: skip
                lines.append(f"ALLREDUCE\t{algorithm}\ttorus:2x4\t{size}\t{rows[0]['time_ps'] / 1e6}")
        lines.append("ALLREDUCE\ttrix\ttorus:2x4\t64\t3")
        lines.append("ALLREDUCE\ttrix\ttorus:2x4\t128\t3")
        lines.append("MAGIC\tring\ttorus:2x4\t64\t3")
        self.write("c.tsv", "\n".join(lines) + "\n")
        run = self.dcube("fit", "guess.json", "--measured", "c.tsv", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)
        self.assertLess(result["errors"]["ninth_tenth"], 1e-9)
        self.assertEqual(result["ranking"], {"cases": 2, "right": 2, "pairs": 2, "pairs_right": 2})
        self.assertEqual([each["rows"] for each in result["left_out"]], [2, 1])
        complaints = run.stderr.splitlines()
        self.assertEqual(len(complaints), 2, complaints)
        self.assertRegex(complaints[0], r"^dcube: c.tsv: line 6: `?trix`? .*; so 2 rows in all \(left out\)$")
        self.assertRegex(complaints[1], r"^dcube: c.tsv: line 8: `magic` is not a collective")
        self.assertEqual(len(result["rows"]), 7)

    def test_a_time_that_cannot_be_read_is_no_figure(self):
        self.write("some.csv", "collective,size,time_us\npingpong,8,3\npingpong,8,-1\n")
        rows = json.loads(self.dcube("fit", "guess.json", "--measured", "some.csv", "--json").stdout)["rows"]
        self.assertEqual([row["measured_s"] for row in rows], [3e-6, None])
        self.assertIn("  -  ", self.dcube("fit", "guess.json", "--measured", "some.csv", "--all-rows").stdout.splitlines()[3])

    def test_unusable_input_is_one_line(self):
        self.write("units.csv", "collective,size,time\nallreduce,8,3\n")
        self.write("none.csv", "collective,size,time_us\nmagic,8,3\n")
        self.write("head.csv", "collective,size,time_us\n")
        self.write("few.csv", "collective,size,time_us\npingpong,8,3\n")
        self.write("all.csv", "collective,size,time_us\nallreduce,8,3\n")
        for arguments, complaint in (
            (("--measured", EXAMPLES / "osu_latency.txt", "--time", "t"), "dcube: --time: is of a table, and benchmarks"),
            (("--measured", "units.csv"), "3 has no unit"),
            (("--measured", "none.csv"), "no other row can be used"),
            (("--measured", "missing.csv"), "missing.csv"),
            (("--measured", "head.csv"), "head.csv: has a head, and no times below it"),
            (("--measured", "exact.csv", "--measured", "head.csv"), "head.csv: has a head, and no times below it"),
            (("--measured", "exact.csv,./exact.csv"), "dcube: --measured: ./exact.csv is given twice"),
            (("--measured", "few.csv", "--vary", "/link/latency,/link/bandwidth"), "has 2 values, and 1 row can be used"),
            (("--measured", "exact.csv", "--vary", "link/latency"), "is not a JSON pointer"),
            (("--measured", "exact.csv", "--vary", "/topology/shape"), "neither a time nor a bandwidth"),
            (("--measured", "exact.csv", "--vary", "/name"), "/name"),
            (("--measured", "exact.csv", "--vary", "/link/latency=2us:1us"), "has no room"),
            (("--measured", "exact.csv", "--vary", "/link/latency,/link/latency"), "is given twice"),
            (("--measured", "exact.csv", "--vary", "/lnk/latency"), "lnk"),
            (("--measured", "exact.csv", "--time", "tim_us"), "did you mean `time_us`"),
            (("--measured", "exact.csv", "--column", "ring"), "is not a column with its value"),
            (("--measured", "exact.csv", "--set", "/program/phases/0/bytes=8"), "--set: /program/phases/0/bytes changes what is compared"),
            (("--measured", "all.csv", "--set", "/program/bytes=8"), "the size (--column gives what rows lack)"),
            (("--measured", "all.csv", "--set", "/link/latency=1us"), "dcube: --set: /link: unknown key"),
            (("--measured", "all.csv", "--set", "/program/foo=1"), "dcube: --set: /program/foo: unknown key"),
            (("--measured", "all.csv", "--set", "/embedding=foo"), 'dcube: --set: "foo" is no embedding'),
            (("--measured", "all.csv", "--set", "/program/algorithm=ring"), "--set: /program/algorithm changes what is compared"),
        ):
            run = self.dcube("fit", "guess.json", *arguments)
            self.assertEqual(run.returncode, 2, (arguments, run.stdout, run.stderr))
            self.assertIn(complaint, run.stderr, arguments)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_the_tables_of_the_page_come_from_the_machine_that_it_finds(self):
        subprocess.run([sys.executable, str(EXAMPLES / "tables.py"), str(self.folder)], check=True, env={"DCUBE_PROGRAM": PROGRAM, "PATH": ""})
        for name in ("osu_latency.txt", "osu_allreduce.txt", "all_reduce_perf.txt"):
            self.assertEqual((self.folder / name).read_text(), (EXAMPLES / name).read_text(), name)
        result = self.json("fit", str(EXAMPLES / "guess.json"), "--measured", "osu_latency.txt,osu_allreduce.txt", "--vary", self.VARY, "--json")
        machine = json.loads((EXAMPLES / "cluster.json").read_text())
        true = {"/link/latency": float(machine["link"]["latency"].removesuffix("ns")) * 1e-9,
                "/link/bandwidth": float(machine["link"]["bandwidth"].removesuffix("GBps")) * 1e9,
                "/endpoint/send": float(machine["endpoint"]["send"].removesuffix("ns")) * 1e-9}  # fmt: skip
        for pointer, value in self.values(result).items():
            self.assertLess(math.fabs(value / true[pointer] - 1), 0.02, pointer)


if __name__ == "__main__":
    unittest.main()
