"""dcube compare: the folder that it writes, and what it reads once."""

import json
import resource
import signal
import unittest

from program import ProgramTest, ring, scenario, wait_for


class ComparisonFolder(ProgramTest):
    """Whose folder is whose: a comparison never overwrites its inputs, nor mixes with another."""

    def compare(self, *options, name="ring.json", output="out"):
        return self.dcube("compare", name, "--output", output, "--no-pictures", "--no-report", *options)

    def listed(self, output="out"):
        """The results that the comparison lists, which must be there."""
        comparison = json.loads((self.folder / output / "comparison.json").read_text())
        files = [run["result"] for run in comparison["runs"]]
        for file in files:
            json.loads((self.folder / output / file).read_text())
        return files

    def runs(self, output="out"):
        return sorted(f"runs/{path.name}" for path in (self.folder / output / "runs").iterdir())

    def setUp(self):
        super().setUp()
        self.write("ring.json", scenario(ring(8)))

    def test_the_tables_may_be_written_alone(self):
        tables = [word for kind in ("json", "csv", "text") for word in ("--write", f"{kind}:alone.{kind}")]
        self.assertEqual(self.compare("--embedding", "standard,xor", *tables).returncode, 0)
        for kind, name in [("csv", "csv"), ("text", "txt")]:
            self.assertEqual((self.folder / f"alone.{kind}").read_text(), (self.folder / f"out/comparison.{name}").read_text())
        self.assertEqual(json.loads((self.folder / "alone.json").read_text())["best"], "xor")
        self.assert_refused(["compare", "ring.json", "--write", "csv:ring.json"], "--write", "is read")

    def test_inputs_are_not_overwritten(self):
        self.write("found.json", {"kind": "explicit", "map": [7, 6, 5, 4, 3, 2, 1, 0]})
        self.write("xor.json", scenario(ring(8)))
        inputs = {name: (self.folder / name).read_text() for name in ["found.json", "xor.json"]}
        done = self.compare("--embedding", "./found.json,xor", name="xor.json", output=".")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({name: (self.folder / name).read_text() for name in inputs}, inputs)
        self.assertEqual(self.listed("."), ["runs/found.json", "runs/xor.json"])
        self.write("out/runs/xor.json", scenario(ring(8)))
        self.assert_refused(["compare", "out/runs/xor.json", "--embedding", "xor", "--output", "out"], "--output", "is read")
        self.write("out/comparison.json", scenario(ring(8)))
        self.assert_refused(["compare", "out/comparison.json", "--embedding", "xor", "--output", "out", "--force"], "is read")

    def test_another_comparison_is_refused_or_replaced(self):
        self.assertEqual(self.compare("--embedding", "standard,xor").returncode, 0)
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        others = [["--embedding", "xor,gray"], ["--embedding", "xor"], ["--embedding", "standard,xor", "--set", "/program/compute=2s"],
                  ["--processes", "2,4"]]
        for options in others:
            done = self.compare(*options)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"^dcube: --output: out holds another comparison; .*--force.*\n$")
        self.assertEqual(before, {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()})
        self.write("out/runs/mine.txt", "kept")
        for options in others:
            done = self.compare(*options, "--force")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.runs(), sorted([*self.listed(), "runs/mine.txt"]))

    def test_the_same_comparison_overwrites_itself(self):
        for _ in range(2):
            done = self.compare("--embedding", "standard,xor", "--jobs", "1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.write("ring.json", scenario(ring(16)))
        self.assertEqual(self.compare("--embedding", "standard,xor").returncode, 2)

    def test_other_data_make_another_comparison(self):
        self.write("data.csv", "4\n3\n2\n1\n")
        sorting = {**scenario(ring(4)), "program": {"kind": "bitonic_sort", "input": "data.csv"}}
        sorting["machine"]["compute"] = {"compare": "1us"}
        self.write("sort.json", sorting)
        for _ in range(2):
            done = self.compare("--embedding", "standard", name="sort.json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.write("data.csv", "1\n2\n3\n4\n")
        self.assertIn("holds another comparison", self.compare("--embedding", "standard", name="sort.json").stderr)

    def test_replacing_removes_nothing_that_lies_elsewhere(self):
        self.write("precious", "x")
        self.write("out/precious", "x")
        self.write("out/sub/precious", "x")
        rows = [{"result": file, "trace": file} for file in
                ["../precious", "runs/../../precious", str(self.folder / "precious"), "precious", "sub/precious", "runs/..", "runs/", ""]]
        self.write("out/comparison.json", {"runs": [*rows, 5, {"result": 7}]})
        self.assertEqual(self.compare("--embedding", "xor", "--force").returncode, 0)
        for file in ["precious", "out/precious", "out/sub/precious"]:
            self.assertTrue((self.folder / file).exists())
        for other in ["[1]", "not JSON", '{"runs": 5}']:
            self.write("out/comparison.json", other)
            self.assertEqual(self.compare("--embedding", "xor").returncode, 2)
            self.assertEqual(self.compare("--embedding", "xor", "--force").returncode, 0)

    def killed(self, number, status):
        """Stops a comparison by a signal when one of its two runs has been written."""
        self.write("ring.json", scenario(ring(4096)))
        process = self.start("compare", "ring.json", "--embedding", "standard,random", "--jobs", "1", "--output", "out")
        comparison = self.folder / "out/comparison.json"
        self.assertTrue(wait_for(lambda: comparison.exists() and "runs/standard.json" in comparison.read_text()))
        process.send_signal(number)
        self.ended(process)
        self.assertEqual(process.returncode, status)
        comparison = json.loads((self.folder / "out/comparison.json").read_text())
        self.assertFalse(comparison["complete"])
        self.assertEqual(self.listed(), ["runs/standard.json"])

    def test_a_killed_comparison_keeps_what_was_finished(self):
        self.killed(signal.SIGKILL, -signal.SIGKILL)
        # It may be made again without --force, for it is the same.
        done = self.dcube("compare", "ring.json", "--embedding", "standard,random", "--output", "out", "--no-pictures", "--no-report")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.listed(), ["runs/standard.json", "runs/random.json"])

    def test_a_terminated_comparison_keeps_what_was_finished(self):
        self.killed(signal.SIGTERM, 130)
        self.assertIn("standard,completed", (self.folder / "out/comparison.csv").read_text())

    def test_a_full_disk_loses_files_but_not_the_comparison(self):
        def little_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        done = self.dcube("compare", "ring.json", "--embedding", "standard,xor", "--output", "out", "--no-pictures",
                          preexec_fn=little_disk, restore_signals=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout, r"\nxor wins with ")
        self.assertIn("File too large", done.stderr)
        self.assertNotIn("crashed", done.stdout + done.stderr)

    def test_the_scenario_is_read_once(self):
        text = (self.folder / "ring.json").read_text()
        for options in (["--embedding", "standard,xor"], ["--processes", "2,4"]):
            done = self.dcube("compare", "/dev/stdin", *options, input=text)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            plain = self.output("compare", "ring.json", *options)
            self.assertEqual(done.stdout.splitlines()[2:], plain.splitlines()[2:])
        done = self.dcube("search", "/dev/stdin", "--objective", "makespan", "--effort", "3", "--json", input=text)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_embedding_comes_through_a_pipe(self):
        text = json.dumps({"kind": "random", "seed": 7})
        (self.folder / "stdin.json").write_text(text)
        for options in ([], ["--network", "store_and_forward,cut_through"], ["--failures", "1", "--seeds", "2"]):
            done = self.dcube("compare", "ring.json", "--embedding", "standard,-", *options, input=text)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, self.output("compare", "ring.json", "--embedding", "standard,./stdin.json", *options))

    def test_a_map_file_comes_through_a_pipe(self):
        text = "".join(f"rank {process}=node-{7 - process} slot=0\n" for process in range(8))
        (self.folder / "stdin.rankfile").write_text(text)
        options = ["--network", "store_and_forward,cut_through"]
        done = self.dcube("compare", "ring.json", "--embedding", "xor,rankfile:-", *options, input=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.output("compare", "ring.json", "--embedding", "xor,stdin.rankfile", *options))


if __name__ == "__main__":
    unittest.main()
