"""dcube compare: the table, its files, failing rows and interrupts."""

import csv
import json
import os
import signal
import unittest

from program import ProgramTest, children, exists, ring, scenario, wait_for


class Compare(ProgramTest):
    def test_table_compares_makespans_and_says_who_wins_and_why(self):
        name = self.write("ring.json", scenario(ring(16)))
        lines = self.output("compare", name, "--embedding", "standard,xor").splitlines()
        rows = {line.split()[0]: line.split() for line in lines if line.endswith(" completed")}
        self.assertEqual(rows["standard"][1:4], ["19", "s", "1.267"])
        self.assertEqual(rows["xor"][1:5], ["15", "s", "1.000", "1.000"])
        self.assertRegex(lines[-1], r"^xor wins with 15 s, 21\.1 % less than standard \(19 s\): .*2\.750.*3\.750")

    def test_why_says_what_every_critical_path_goes_on(self):
        self.write("s.json", scenario({"kind": "torus", "shape": [8, 8]}))
        text = self.output("compare", "s.json", "--embedding", "gray,xor", "--why")
        self.assertRegex(text, r"\nembedding +compute +endpoint +hop +queueing\n")
        self.assertIn("\nxor against gray: ", text)
        runs = self.json("compare", "s.json", "--embedding", "gray,xor", "--why", "--json")["runs"]
        for run in runs:
            parts = run["critical_path"]["time_s"]
            self.assertAlmostEqual(sum(parts.values()), run["makespan_s"])
            alone = self.json("run", "s.json", "--embedding", run["embedding"], "--why", "--json")
            self.assertEqual(parts, alone["critical_path"]["time_s"])
        plain = self.output("compare", "s.json", "--embedding", "gray,xor")
        self.assertTrue(text.startswith(plain))
        numbers = self.output("compare", "s.json", "--process-count", "16,64", "--why")
        self.assertIn("\nrun           compute", numbers)

    def test_default_is_every_embedding_that_fits_but_random(self):
        name = self.write("ring.json", scenario(ring(16)))
        comparison = self.json("compare", name, "--json")
        names = [run["embedding"] for run in comparison["runs"]]
        self.assertTrue({"standard", "xor", "by_weight", "gray", "identity"} <= set(names))
        self.assertNotIn("random", names)
        self.assertEqual(names, sorted(names))

    def test_json_gives_figures_and_ratios(self):
        name = self.write("ring.json", scenario(ring(16)))
        comparison = self.json("compare", name, "--embedding", "standard,xor", "--json")
        self.assertEqual(comparison["best"], "xor")
        self.assertEqual(comparison["bound"]["makespan_s"], 15)
        standard = comparison["runs"][0]
        self.assertEqual(standard["makespan_s"], 19)
        self.assertEqual(standard["makespan_ps"], 19 * 10**12)
        self.assertEqual(standard["ratio_to_best"], 19 / 15)
        self.assertEqual(standard["dilation_average"], 3.75)
        self.assertEqual(standard["dilation_longest"], 8)
        self.assertEqual(standard["outcome"], "completed")

    def test_without_a_uniform_cost_there_is_no_bound(self):
        name = self.write("ring.json", scenario(ring(16), compute={"uniform": ["1s", "3s"]}))
        self.assertIsNone(self.json("compare", name, "--embedding", "xor", "--json")["bound"])
        self.assertNotIn("to bound", self.output("compare", name, "--embedding", "xor"))

    def test_rows_are_the_same_whatever_runs_at_a_time(self):
        name = self.write("ring.json", scenario(ring(64), "xor", compute={"uniform": ["1s", "3s"]}))
        outputs = {self.output("compare", name, "--json", "--jobs", jobs) for jobs in (1, 2, 5)}
        self.assertEqual(len(outputs), 1)

    def test_output_writes_the_comparison_and_every_result(self):
        name = self.write("ring.json", scenario(ring(16)))
        self.output("compare", name, "--embedding", "standard,xor", "--output", "out/deep", "--no-pictures")
        folder = self.folder / "out/deep"
        self.assertEqual(
            sorted(path.name for path in folder.iterdir()),
            ["comparison.csv", "comparison.json", "comparison.txt", "index.html", "standard.json", "xor.json"],
        )
        with open(folder / "comparison.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["makespan_s"] for row in rows], ["19", "15"])
        result = json.loads((folder / "xor.json").read_text())
        self.assertEqual(result["makespan_s"], 15)
        self.assertEqual(result["simulation"]["fingerprint"], rows[1]["fingerprint"])
        self.assertTrue(json.loads((folder / "comparison.json").read_text())["complete"])

    def test_the_report_page_holds_every_result_and_may_be_left_out(self):
        name = self.write("ring.json", scenario(ring(16)))
        self.output("compare", name, "--embedding", "standard,xor", "--output", "out")
        page = (self.folder / "out/index.html").read_text()
        for file in ("standard.json", "xor.json"):
            self.assertIn(f'"file":"{file}"', page)
        self.output("compare", name, "--embedding", "standard,xor", "--output", "plain", "--no-report")
        self.assertFalse((self.folder / "plain/index.html").exists())

    def test_embeddings_may_be_files(self):
        name = self.write("ring.json", scenario(ring(8)))
        self.write("mine.json", {"kind": "explicit", "map": [7, 6, 5, 4, 3, 2, 1, 0]})
        comparison = self.json("compare", name, "--embedding", "standard,mine.json", "--json")
        self.assertEqual([run["makespan_s"] for run in comparison["runs"]], [10, 10])
        self.assertEqual(comparison["runs"][1]["embedding"], "mine")
        self.assert_refused(["compare", name, "--embedding", "xor,xor"], "--embedding", "xor")

    def test_set_reaches_every_run(self):
        name = self.write("ring.json", scenario(ring(8)))
        comparison = self.json(
            "compare", name, "--embedding", "standard,xor", "--set", "/program/compute=0s", "--json"
        )
        self.assertEqual([run["makespan_s"] for run in comparison["runs"]], [7, 5])

    def test_an_embedding_that_does_not_fit_is_refused_before_anything_runs(self):
        mesh = scenario({"kind": "mesh", "shape": [3, 3]}, dimensions=3)
        name = self.write("mesh.json", mesh)
        self.assert_refused(["compare", name, "--embedding", "identity,xor"], "xor")

    def test_unusable_numbers_are_refused(self):
        name = self.write("ring.json", scenario(ring(8)))
        for option, value in [("--jobs", "0"), ("--jobs", "many"), ("--time-limit", "0"), ("--time-limit", "soon")]:
            self.assert_refused(["compare", name, option, value, "--output", "out"], option, value)
        self.assertFalse((self.folder / "out").exists())

    def test_a_run_past_the_time_limit_is_a_row(self):
        name = self.write("ring.json", scenario(ring(16384)))
        done = self.dcube("compare", name, "--embedding", "standard,random", "--time-limit", "1ms", "--output", "out", "--no-pictures")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("timed_out"), 2)
        self.assertEqual(
            done.stderr.splitlines()[0],
            "dcube: ring.json: standard: timed_out (not done after 0.001 s)",
        )
        runs = json.loads((self.folder / "out/comparison.json").read_text())["runs"]
        self.assertEqual([run["outcome"] for run in runs], ["timed_out", "timed_out"])
        self.assertEqual(self.files(), ["comparison.csv", "comparison.json", "comparison.txt", "ring.json"])

    def test_a_run_that_cannot_fit_in_memory_is_a_row(self):
        name = self.write("huge.json", scenario({"kind": "line", "nodes": 2**30}))
        done = self.dcube("compare", name, "--embedding", "standard")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nstandard +- .* refused\n")
        self.assertRegex(done.stderr, r"^dcube: huge.json: standard: refused \(.*GB are available\)")

    def test_a_run_that_is_killed_is_a_row(self):
        name = self.write("ring.json", scenario(ring(4096)))
        process = self.start("compare", name, "--embedding", "random,identity", "--jobs", "1")
        self.assertTrue(wait_for(lambda: children(process)))
        os.kill(int(children(process)[0]), signal.SIGKILL)
        stdout, stderr = self.ended(process, timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(stdout, r"\nrandom +- .* crashed\nidentity .* completed\n")
        self.assertEqual(stderr, "dcube: ring.json: random: crashed (killed by signal 9 (Killed))\n")

    def test_no_simulation_outlives_the_program(self):
        name = self.write("ring.json", scenario(ring(16384)))
        process = self.start("compare", name, "--embedding", "random,by_weight", "--jobs", "2")
        self.assertTrue(wait_for(lambda: len(children(process)) == 2))
        running = children(process)
        process.kill()
        self.assertTrue(wait_for(lambda: not any(exists(child) for child in running)))

    def test_a_file_in_the_place_of_the_output_folder_is_refused(self):
        name = self.write("ring.json", scenario(ring(8)))
        self.assert_refused(["compare", name, "--output", name], "--output", name)

    def test_an_interrupt_keeps_the_rows_that_are_finished(self):
        name = self.write("ring.json", scenario(ring(4096)))
        process = self.start("compare", name, "--embedding", "standard,random", "--jobs", "1", "--output", "out")
        self.assertTrue(wait_for(lambda: children(process)))
        first = children(process)
        self.assertTrue(wait_for(lambda: children(process) not in ([], first)))
        second = children(process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(stdout, r"\nstandard .* completed\n")
        self.assertNotIn("random", stdout)
        self.assertEqual(stderr, "dcube: ring.json: interrupted (1 of 2 embeddings done)\n")
        self.assertFalse(any(exists(child) for child in second))
        self.assertFalse(json.loads((self.folder / "out/comparison.json").read_text())["complete"])
        self.assertEqual(self.files(), ["comparison.csv", "comparison.json", "comparison.txt", "ring.json", "standard.json"])


def knapsack(nodes=16):
    """Shares that take 30 us an entry, tables that combine in 25 us a step, on a cube."""
    return {
        **scenario({"kind": "ring", "nodes": nodes}),
        "machine": {
            "schema_version": 1,
            "name": "cube",
            "topology": {"kind": "hypercube", "dimensions": nodes.bit_length() - 1},
            "link": {"latency": "446.7us", "per_byte": "2.4us"},
            "compute": {"knapsack_step": "30us", "combine_step": "25us"},
        },
        "program": {"kind": "knapsack", "items": 100, "capacity": 30},
    }


class CompareNumbersOfProcesses(ProgramTest):
    def test_a_larger_cube_is_not_always_faster(self):
        name = self.write("knapsack.json", knapsack())
        lines = self.output("compare", name, "--process-count", "1,2,4,8,16").splitlines()
        rows = [line.split() for line in lines if line.endswith(" completed")]
        self.assertEqual([row[0] for row in rows], ["1", "2", "4", "8", "16"])
        self.assertEqual(rows[0][1:6], ["93.00", "ms", "1.00", "100.0", "%"])
        self.assertRegex(lines[-1], r"^the shortest time is that of 4 processes: 50\.\d+ ms; 16 processes take ")

    def test_json_and_files_give_speedup_and_efficiency(self):
        name = self.write("knapsack.json", knapsack())
        comparison = self.json("compare", name, "--process-count", "4,2", "--json", "--output", "out", "--no-pictures")
        self.assertEqual(comparison["best"], {"embedding": "standard", "processes": 4})
        self.assertEqual([run["processes"] for run in comparison["runs"]], [4, 2])
        run = comparison["runs"][0]
        self.assertEqual(run["sequential_s"], 0.093)
        self.assertAlmostEqual(run["speedup"], 0.093 / run["makespan_s"])
        self.assertAlmostEqual(run["efficiency"], run["speedup"] / 4)
        self.assertEqual(
            self.files(),
            ["comparison.csv", "comparison.json", "comparison.txt", "index.html", "knapsack.json", "standard-2.json", "standard-4.json"],
        )
        with open(self.folder / "out/comparison.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["processes"] for row in rows], ["4", "2"])
        self.assertEqual(float(rows[0]["speedup"]), run["speedup"])
        result = json.loads((self.folder / "out/standard-4.json").read_text())
        self.assertEqual(result["makespan_ps"], run["makespan_ps"])
        self.assertEqual(result["simulation"]["fingerprint"], run["fingerprint"])

    def test_cube_dimensions_stand_for_their_processes(self):
        name = self.write("ring.json", scenario(ring(16), "standard"))
        comparison = self.json("compare", name, "--process-count", "2,4,16", "--json")
        self.assertEqual([run["makespan_s"] for run in comparison["runs"]], [2, 5, 19])

    def test_every_embedding_meets_every_number(self):
        name = self.write("ring.json", scenario(ring(16), "xor"))
        comparison = self.json(
            "compare", name, "--process-count", "2,8", "--embedding", "standard,random", "--json"
        )
        self.assertEqual(
            [(run["embedding"], run["processes"]) for run in comparison["runs"]],
            [("standard", 2), ("standard", 8), ("random", 2), ("random", 8)],
        )

    def test_numbers_that_are_refused_are_refused_before_anything_runs(self):
        name = self.write("knapsack.json", knapsack())
        for numbers, problem in [
            ("1,2,3", "dcube: --process-count: 3 is not a power of two; the nearest are 2 and 4\n"),
            ("1,32", "dcube: --process-count: 32 are too many (the 4-dimensional hypercube has 16 nodes, "
                     "and each hosts at most one)\n"),
            ("2,2", "dcube: --process-count: 2 is given twice\n"),
            ("0", "dcube: --process-count: 0 is not a positive integer\n"),
        ]:
            done = self.dcube("compare", name, "--process-count", numbers, "--output", "out")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", problem))
        self.assertFalse((self.folder / "out").exists())
        ring_of_16 = self.write("ring.json", scenario(ring(16), "xor"))
        self.assert_refused(["compare", ring_of_16, "--process-count", "16,4"], "--process-count: 4 processes: xor does not fit")
        self.assert_refused(["compare", ring_of_16, "--process-count", "6"], "6 is not a power of two; the nearest are 4 and 8")

    def test_a_run_past_the_time_limit_is_a_row(self):
        name = self.write("ring.json", scenario(ring(16384)))
        done = self.dcube("compare", name, "--process-count", "16384", "--time-limit", "1ms")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\n +16,384 +- .* timed_out\n")
        self.assertEqual(
            done.stderr, "dcube: ring.json: standard: 16,384 processes: timed_out (not done after 0.001 s)\n"
        )


if __name__ == "__main__":
    unittest.main()
