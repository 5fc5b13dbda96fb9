"""The pictures that dcube compare --output leaves, and plot_folder.py, which draws them."""

import json
import os
import shutil
import signal
import unittest

from pictures import PictureTest, children, scenario, wait_for


class Folder(PictureTest):
    def compare(self, *options, **environment):
        name = self.write("ring.json", scenario({"kind": "ring", "nodes": 16}))
        return self.dcube("compare", name, "--output", "out", *options, environment=environment)

    def pictures(self, suffix="png"):
        return sorted(path.name for path in (self.folder / "out").glob(f"*.{suffix}"))

    def row(self, name):
        rows = json.loads((self.folder / "out/comparison.json").read_text())["runs"]
        return next(row for row in rows if row["embedding"] == name)

    def result_file(self, name):
        """Beside the comparison, or where the comparison says."""
        return self.folder / "out" / self.row(name).get("result", f"{name}.json")

    def move_to_runs(self):
        """The results and traces of the runs, as comparisons say where they are."""
        file = self.folder / "out/comparison.json"
        comparison = json.loads(file.read_text())
        (self.folder / "out/runs").mkdir(exist_ok=True)
        for row in comparison["runs"]:
            for key, name in (
                ("result", f"{row['embedding']}.json"),
                ("trace", f"{row['embedding']}-trace.csv"),
            ):
                if (self.folder / "out" / name).exists():
                    row[key] = f"runs/{name}"
                    os.rename(self.folder / "out" / name, self.folder / "out/runs" / name)
        file.write_text(json.dumps(comparison))

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
        traces = sorted(path.name for path in (self.folder / "out").rglob("*-trace.csv"))
        self.assertEqual(traces, ["by_weight-trace.csv", "standard-trace.csv"])

    def test_titles_name_map_files(self):
        self.write("mine.json", {"kind": "explicit", "map": list(range(16))})
        self.compare("--embedding", "mine.json,xor")
        self.assertEqual(self.plot_apart("folder", "out", "--format", "svg").returncode, 0)
        for kind in ("link-load", "embedding", "gantt"):
            titles = [text for text in self.texts(f"out/mine-{kind}.svg") if " on " in text]
            self.assertRegex(titles[0], "^(Link load: )?mine on ", kind)

    def test_traces_change_no_result(self):
        self.compare("--embedding", "gray")
        traced = json.loads(self.result_file("gray").read_text())
        shutil.rmtree(self.folder / "out")
        self.compare("--embedding", "gray", "--no-pictures")
        plain = json.loads(self.result_file("gray").read_text())
        for result in (traced, plain):
            for key in ("wall_s", "hops_per_s", "peak_memory_bytes"):
                del result["simulation"][key]
        self.assertEqual(traced, plain)

    def test_no_pictures_leaves_them_out(self):
        done = self.compare("--embedding", "xor", "--no-pictures", "--no-report")
        self.assertEqual(done.returncode, 0)
        out = self.folder / "out"
        files = sorted(path.name for path in out.rglob("*.*") if "records" not in path.parts)
        self.assertEqual(files, ["comparison.csv", "comparison.json", "comparison.txt", "xor.json"])

    def test_without_matplotlib_the_rest_is_written(self):
        done = self.compare("--embedding", "xor", DCUBE_PYTHON="/bin/false")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertRegex(
            done.stderr, r"^dcube: out: no pictures: .*python3-matplotlib.*--no-pictures"
        )
        self.assertEqual(self.pictures(), [])
        self.assertTrue(self.result_file("xor").exists())

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
        comparison = self.folder / "out/comparison.json"
        self.assertTrue(wait_for(lambda: comparison.exists() and '"complete": true' in comparison.read_text()))
        self.assertTrue(wait_for(lambda: children(process)))
        process.send_signal(signal.SIGINT)
        _, stderr = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(stderr, "dcube: torus.json: interrupted (pictures are not drawn)\n")

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
        self.result_file("xor").write_text("{}")
        (self.folder / "out/standard-embedding.svg").unlink()
        done = self.plot_apart("folder", "out", "--format", "svg", "--quiet")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^plot_folder: out/(runs/)?xor.json: .*\n")
        self.assertIn("standard-embedding.svg", self.pictures("svg"))

    def test_the_runs_that_the_comparison_lists_are_drawn_and_no_others(self):
        self.compare("--embedding", "standard,xor", "--no-report")
        before = self.pictures()
        self.move_to_runs()
        (self.folder / "out/foreign.json").write_text('{"outcome": ')
        (self.folder / "out/xor.json").write_text("{}")
        (self.folder / "out/gray.json").write_text("{}")
        for name in before:
            (self.folder / "out" / name).unlink()
        done = self.plot_apart("folder", "out", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.pictures(), before)
        (self.folder / "out/runs/xor.json").unlink()
        self.refused("folder", ["out", "--quiet"], "out/runs/xor.json: No such file")

    def test_a_comparison_cannot_make_pictures_lie_elsewhere(self):
        self.compare("--embedding", "standard", "--no-pictures", "--no-report")
        file = self.folder / "out/comparison.json"
        file.write_text(file.read_text().replace('"standard"', '"../../standard"'))
        self.refused("folder", ["out"], "/runs/0/embedding", "is not a name that a file can have")

    def test_nodes_of_several_processes_are_drawn_without_complaint(self):
        topology = {"kind": "torus", "shape": [4, 2]}
        document = scenario(topology, dimensions=5)
        document["machine"] = {
            "schema_version": 1, "topology": topology, "link": {"latency": "1s"},
            "node": {"slots": 4, "cores": 2, "local": {"latency": "100ms"}},
        }  # fmt: skip
        self.write("several.json", document)
        done = self.dcube("compare", "several.json", "--output", "out", "--embedding", "block,cyclic,xor")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("block", "cyclic", "xor"):
            for kind in ("embedding", "gantt", "link-load"):
                self.assertIn(f"{name}-{kind}.png", self.pictures())
        report = (self.folder / "out/index.html").read_text()
        self.assertIn('"slots":4', report.replace(" ", ""))

    def test_a_run_of_one_process_is_drawn_without_complaint(self):
        name = self.write("one.json", scenario({"kind": "ring", "nodes": 1}))
        done = self.dcube("compare", name, "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("comparison.png", self.pictures())

    def test_what_is_no_such_folder_is_refused(self):
        os.mkdir(self.folder / "empty")
        for name in ("empty", "missing"):
            self.refused("folder", [name], name, "dcube compare")


if __name__ == "__main__":
    unittest.main()
