"""The pictures that dcube compare --output leaves, and plot_folder.py, which draws them."""

import json
import os
import signal
import unittest

from pictures import PictureTest, children, scenario, wait_for


class Folder(PictureTest):
    def compare(self, *options, **environment):
        name = self.write("ring.json", scenario({"kind": "ring", "nodes": 16}))
        return self.dcube("compare", name, "--output", "out", *options, environment=environment)

    def pictures(self, suffix="png"):
        return sorted(path.name for path in (self.folder / "out").glob(f"*.{suffix}"))

    def test_a_comparison_leaves_its_table_and_pictures(self):
        done = self.compare("--embedding", "standard,by_weight")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "out/comparison.txt").read_text(), done.stdout)
        runs = [
            f"{name}-{kind}.png"
            for name in ("by_weight", "standard")
            for kind in ("embedding", "gantt", "link-load")
        ]
        self.assertEqual(self.pictures(), sorted([*runs, "comparison.png"]))
        for name in self.pictures():
            self.assert_picture(f"out/{name}")
        self.assertEqual(
            self.pictures("csv"), ["by_weight-trace.csv", "comparison.csv", "standard-trace.csv"]
        )

    def test_traces_change_no_result(self):
        self.compare("--embedding", "gray")
        traced = json.loads((self.folder / "out/gray.json").read_text())
        self.compare("--embedding", "gray", "--no-pictures")
        plain = json.loads((self.folder / "out/gray.json").read_text())
        for result in (traced, plain):
            for key in ("wall_s", "hops_per_s", "peak_memory_bytes"):
                del result["simulation"][key]
        self.assertEqual(traced, plain)

    def test_no_pictures_leaves_them_out(self):
        done = self.compare("--embedding", "xor", "--no-pictures", "--no-report")
        self.assertEqual(done.returncode, 0)
        files = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(files, ["comparison.csv", "comparison.json", "comparison.txt", "xor.json"])

    def test_without_matplotlib_the_rest_is_written(self):
        done = self.compare("--embedding", "xor", DCUBE_PYTHON="/bin/false")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertRegex(
            done.stderr, r"^dcube: out: no pictures: .*python3-matplotlib.*--no-pictures"
        )
        self.assertEqual(self.pictures(), [])
        self.assertTrue((self.folder / "out/xor.json").exists())

    def test_a_failed_run_has_no_pictures_of_its_own(self):
        name = self.write("ring.json", scenario({"kind": "ring", "nodes": 16384}))
        done = self.dcube(
            "compare", name, "--embedding", "random", "--time-limit", "1ms", "--output", "out"
        )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.pictures(), ["comparison.png"])

    def test_an_interrupt_ends_the_drawing(self):
        name = self.write("torus.json", scenario({"kind": "torus", "shape": [64, 64]}))
        process = self.start(
            "compare", name, "--embedding", "standard,xor,gray,identity", "--output", "out", "--no-report"
        )
        self.assertTrue(wait_for((self.folder / "out/comparison.json").exists))
        self.assertTrue(wait_for(lambda: children(process)))
        process.send_signal(signal.SIGINT)
        _, stderr = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(stderr, "dcube: out: interrupted while drawing pictures\n")

    def test_numbers_of_processes_are_drawn_as_scaling(self):
        name = self.write("ring.json", scenario({"kind": "ring", "nodes": 16}, "standard"))
        self.output("compare", name, "--process-count", "4,16", "--output", "out")
        self.assertIn("scaling.png", self.pictures())
        self.assertIn("standard-16-gantt.png", self.pictures())

    def test_a_folder_is_drawn_again(self):
        self.compare("--embedding", "standard,xor", "--no-pictures")
        done = self.plot_apart("folder", "out", "--format", "svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.split()), self.pictures("svg"))
        self.assertIn("cube dimension 3", self.texts("out/xor-embedding.svg"))
        (self.folder / "out/xor.json").write_text("{}")
        (self.folder / "out/standard-embedding.svg").unlink()
        done = self.plot_apart("folder", "out", "--format", "svg", "--quiet")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^plot_folder: out/xor.json: .*\n")
        self.assertIn("standard-embedding.svg", self.pictures("svg"))

    def test_what_is_no_such_folder_is_refused(self):
        os.mkdir(self.folder / "empty")
        for name in ("empty", "missing"):
            self.refused("folder", [name], name, "dcube compare")


if __name__ == "__main__":
    unittest.main()
