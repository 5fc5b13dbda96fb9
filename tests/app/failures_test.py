"""dcube compare --failures: draws of links that fail, and how each embedding degrades."""

import csv
import io
import json
import unittest

from program import ProgramTest, machine, ring, scenario

TORUS = {"kind": "torus", "shape": [4, 4]}


class Failures(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", scenario(TORUS))
        self.words = ("compare", "s.json", "--embedding", "standard,xor", "--failures", "2,1", "--seeds", "3")

    def test_rows_are_embeddings_on_numbers_of_failures_and_the_end_ranks_them(self):
        lines = self.output(*self.words).splitlines()
        self.assertIn("3 samples of each number of failed links, the same for all embeddings", lines)
        rows = [line.split() for line in lines if line.endswith(" completed")]
        self.assertEqual(
            [row[:3] for row in rows],
            [
                [name, number, runs]
                for name in ("standard", "xor")
                for number, runs in (("0", "1"), ("1", "3"), ("2", "3"))
            ],
        )
        for row in rows:
            self.assertEqual(row[3:9:2] == [row[3]] * 3, row[1] == "0" or row[5] == row[7])
        self.assertRegex("\n".join(lines[-3:]), r"^0 failed links: .*\n1 failed link: .*\n2 failed links: .* [<=] .*$")

    def test_figures_are_those_of_the_single_runs(self):
        comparison = self.json(*self.words, "--json")
        runs = comparison["runs"]
        self.assertEqual(len(runs), 2 + 2 * 2 * 3)
        self.assertEqual(comparison["seeds"], 3)
        for part in comparison["degradation"]:
            of_part = [r for r in runs if (r["embedding"], r["failures"]) == (part["embedding"], part["failures"])]
            times = [r["makespan_s"] for r in of_part]
            self.assertEqual(part["runs"], len(times))
            self.assertEqual(part["outcomes"], {"completed": len(times)})
            self.assertAlmostEqual(part["makespan_mean_s"], sum(times) / len(times))
            self.assertEqual((part["makespan_least_s"], part["makespan_greatest_s"]), (min(times), max(times)))
            intact = next(r for r in runs if r["embedding"] == part["embedding"] and r["failures"] == 0)
            self.assertAlmostEqual(part["slowdown"], sum(times) / len(times) / intact["makespan_s"])
        for number, names in comparison["ranking"].items():
            parts = [part for part in comparison["degradation"] if part["failures"] == int(number)]
            means = {part["embedding"]: part["makespan_mean_s"] for part in parts}
            self.assertEqual([means[name] for name in names], sorted(means.values()))
            self.assertEqual(comparison["best"][number], names[0])

    def test_every_run_is_the_run_alone_and_all_embeddings_have_the_same_draws(self):
        draws = {}
        runs = self.json(*self.words, "--json")["runs"]
        for run in runs:
            self.assertEqual(len(run["failed_links"]), run["failures"])
            links = draws.setdefault((run["failures"], run["seed"]), run["failed_links"])
            self.assertEqual(links, run["failed_links"])
            failed = json.dumps({"links": run["failed_links"]})
            alone = self.json(
                "run", "s.json", "--embedding", run["embedding"], "--set", f"/machine/failed={failed}", "--json"
            )
            self.assertEqual(alone["simulation"]["fingerprint"], run["fingerprint"])
            beside = [r for r in runs if (r["failures"], r["seed"]) == (run["failures"], run["seed"])]
            best = min(r["makespan_s"] for r in beside)
            self.assertEqual(run["ratio_to_best"], run["makespan_s"] / best)
        self.assertEqual(set(draws), {(0, None)} | {(number, seed) for number in (1, 2) for seed in (1, 2, 3)})

    def test_more_seeds_and_other_numbers_keep_the_draws(self):
        def drawn(*words):
            runs = self.json("compare", "s.json", "--embedding", "xor", *words, "--json")["runs"]
            return {(r["failures"], r["seed"]): r["failed_links"] for r in runs}

        few, many = drawn("--failures", "2", "--seeds", 2), drawn("--failures", "1,2", "--seeds", 4)
        self.assertEqual(few, {key: many[key] for key in few})

    def test_rows_are_the_same_whatever_runs_at_a_time(self):
        outputs = {self.output(*self.words, "--json", "--jobs", jobs) for jobs in (1, 3)}
        self.assertEqual(len(outputs), 1)

    def test_csv_has_a_line_for_every_run(self):
        self.output(*self.words, "--write", "csv:t.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual(list(rows[0])[:4], ["embedding", "failures", "seed", "outcome"])
        self.assertEqual([(r["failures"], r["seed"]) for r in rows[:4]], [("0", ""), ("0", ""), ("1", "1"), ("1", "1")])
        self.output("compare", "s.json", "--embedding", "xor", "--write", "csv:plain.csv")
        self.assertNotIn("failures", (self.folder / "plain.csv").read_text())

    def test_a_folder_holds_every_run_and_a_page_of_those_without_failures(self):
        self.output(*self.words, "--output", "out", "--no-pictures")
        names = {path.name for path in (self.folder / "out/runs").iterdir()}
        self.assertEqual(len(names), 14)
        self.assertLessEqual({"xor.json", "xor-f1-s1.json", "standard-f2-s3.json"}, names)
        result = json.loads((self.folder / "out/runs/xor-f2-s1.json").read_text())
        self.assertEqual(result["machine"]["links"], 30)
        page = (self.folder / "out/index.html").read_text()
        self.assertIn('"file":"runs/xor.json"', page)
        self.assertNotIn("xor-f1-s1", page)
        self.output("report", "out", "--output", "all.html")
        self.output(*self.words, "--output", "out", "--no-pictures", "--no-report")  # the same comparison
        self.assert_refused([*self.words[:-1], "2", "--output", "out"], "--output", "holds another comparison")

    def test_networks_have_the_same_draws(self):
        comparison = self.json(*self.words, "--network", "store_and_forward,cut_through,fluid", "--json")
        draws = {}
        for run in comparison["runs"]:
            links = draws.setdefault((run["failures"], run["seed"]), run["failed_links"])
            self.assertEqual(links, run["failed_links"])
        self.assertEqual(list(comparison["ranking"]), ["store_and_forward", "cut_through", "fluid"])
        self.assertEqual(list(comparison["best"]["fluid"]), ["0", "1", "2"])
        text = self.output(*self.words, "--network", "store_and_forward,fluid")
        self.assertRegex(text, r"\nfluid, 2 failed links: (xor|standard) [<=] (xor|standard)\n$")

    def test_drawn_links_fail_besides_those_of_the_machine(self):
        for failed, least in (
            ({"links": [[0, 1]]}, 29),
            ([{"links": [[0, 1]]}, {"links": [[5, 6]], "at": "1s"}], 29),
            ({"links": [[5, 6]], "at": "1s"}, 30),
        ):
            described = scenario(TORUS)
            described["machine"] = machine(TORUS, failed=failed)
            self.write("f.json", described)
            folder = ("--output", "o", "--force", "--no-pictures", "--no-report")
            self.output("compare", "f.json", "--embedding", "standard", "--failures", "2", "--seeds", "1", *folder)
            result = json.loads((self.folder / "o/runs/standard-f2-s1.json").read_text())
            self.assertEqual(result["machine"]["links"], least)
        failed = json.dumps(failed)
        by_option = self.json("compare", "s.json", "--embedding", "standard", "--failures", "2", "--seeds", "1",
                              "--set", f"/machine/failed={failed}", "--json")
        by_file = self.json("compare", "f.json", "--embedding", "standard", "--failures", "2", "--seeds", "1", "--json")
        self.assertEqual(
            [run["fingerprint"] for run in by_option["runs"]], [run["fingerprint"] for run in by_file["runs"]]
        )

    def test_messages_that_failures_cut_off_are_counted(self):
        """A ring that has lost a link from the start is parted by a second one."""
        described = scenario(ring(8))
        described["machine"] = machine(ring(8), failed={"links": [[0, 1]], "at": "1500ms"})
        self.write("f.json", described)
        done = self.dcube("compare", "f.json", "--embedding", "standard", "--failures", "1", "--seeds", "5", "--json")
        self.assertEqual(done.returncode, 1)
        comparison = json.loads(done.stdout)
        part = comparison["degradation"][1]
        self.assertEqual(part["runs"], 5)
        self.assertGreaterEqual(part["outcomes"]["unreachable"], 4)  # a draw may be that very link
        if part["outcomes"]["unreachable"] == 5:
            self.assertIsNone(part["makespan_mean_s"])
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(
            lines[0], r"^dcube: f.json: standard \(1 failed link, seed \d\): unreachable \(failures have cut a message off from its destination; more by dcube run f.json"
        )
        text = self.dcube("compare", "f.json", "--embedding", "standard", "--failures", "1", "--seeds", "5").stdout
        self.assertRegex(text, r"unreachable\n")

    def test_a_machine_whose_links_fail_during_a_run_has_no_theory_without_contention(self):
        described = scenario(TORUS, exchange="eager", message=4)
        described["machine"] = machine(TORUS, failed={"links": [[0, 1]], "at": "1500ms"})
        result = self.json("run", self.write("f.json", described), "--embedding", "standard", "--json")
        self.assertGreater(result["messages"]["queued"], 0)
        self.assertIsNone(result["theory"])

    def test_an_embedding_that_does_not_fit_is_one_row(self):
        self.write("mesh.json", scenario({"kind": "mesh", "shape": [3, 3]}, dimensions=3))
        words = ("--embedding", "xor,identity", "--failures", "1", "--seeds", "2", "--json")
        done = self.dcube("compare", "mesh.json", *words)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        runs = json.loads(done.stdout)["runs"]
        self.assertEqual([run["outcome"] for run in runs], ["refused"] + 3 * ["completed"])

    def test_a_run_without_failures_may_be_all(self):
        text = self.output("compare", "s.json", "--embedding", "standard,xor", "--failures", "0")
        self.assertNotIn("draws", text)
        self.assertRegex(text, r"\n0 failed links: .*\n$")

    def test_what_cannot_be_drawn_is_refused(self):
        option = "dcube: --failures: "
        refused = {
            ("--failures", "x"): option + "x is not a number of failed links (0 to 1000000)\n",
            ("--failures", "-1"): option + "-1 is not a number of failed links (0 to 1000000)\n",
            ("--failures", "1,1"): option + "1 is given twice\n",
            ("--failures", "1", "--seeds", "0"): "dcube: --seeds: 0 is not a number of seeds (1 to 1000)\n",
            ("--failures", "1", "--seeds", "1001"): "dcube: --seeds: 1001 is not a number of seeds (1 to 1000)\n",
            ("--seeds", "3", "--jitter", "0"): (
                "dcube: --seeds: says how many samples of failed links or computing times there are (with --jitter 0 and "
                "without --failures there are none)\n"
            ),
            ("--failures", "18"): (
                option + "18 links cannot fail on unit without disconnecting it (16 nodes, 32 links)\n"
            ),
            ("--failures", "65", "--seeds", "1", "--set", "/machine=torus:8x8", "--set", "/program/dimensions=6"): (
                option + "65 failed links disconnect torus:8x8 in each of 1000 samples of seed 1 (fewer links may not)\n"
            ),
            ("--failures", "1", "--process-count", "4"): "dcube: compare: --process-count excludes --failures\n",
            ("--failures", "1", "--why"): "dcube: compare: --failures excludes --why\n",
        }
        for options, problem in refused.items():
            with self.subTest(options):
                self.assert_refused(("compare", "s.json", "--embedding", "xor", *options), problem)
        # Before anything is read.
        self.assert_refused(("compare", "missing.json", "--failures", "x"), option + "x is not")
        line = self.write("line.json", scenario({"kind": "line", "nodes": 8}))
        parted = option + "1 link cannot fail on unit without disconnecting it (8 nodes, 7 links)\n"
        self.assert_refused(("compare", line, "--failures", "1"), parted)


if __name__ == "__main__":
    unittest.main()
