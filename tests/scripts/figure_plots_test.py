"""Dilation spectra, comparisons, scaling, validation, and what all scripts have in common."""

import json
import os
import shutil
import tempfile
import unittest

from pictures import ROOT, PictureTest, scenario

EVERY_SCRIPT = (
    "gantt",
    "link_load",
    "node_load",
    "embedding",
    "dilation",
    "comparison",
    "scaling",
    "validation",
    "curves",
    "correlation",
    "links",
    "collective",
    "sweep",
    "search",
)


class Dilation(PictureTest):
    def test_spectra_stand_side_by_side(self):
        both = self.output("embed", "ring:16", "--embedding", "standard,xor", "--json")
        self.write("both.json", both)
        self.drawn("dilation", "both.json", "-o", "both.svg", "-o", "both.png")
        self.assert_picture("both.png")
        texts = self.texts("both.svg")
        for text in (
            "standard: 3.75 on average",
            "xor: 2.75 on average",
            "Dilation spectrum: ring of 16",
        ):
            self.assertIn(text, texts)
        self.assertEqual(texts.count("16"), 1)  # 16 of the edges of xor have dilation 4

    def test_long_spectra_are_curves(self):
        several = self.output(
            "embed", "torus:32x32", "--embedding", "random,by_weight,gray", "--json"
        )
        self.write("several.json", several)
        self.drawn("dilation", "several.json", "--log", "-o", "several.png")
        self.assert_picture("several.png")

    def test_few_edges_have_whole_ticks(self):
        self.write("few.json", self.output("embed", "ring:16", "--embedding", "xor", "--json"))
        self.drawn("dilation", "few.json", "-o", "few.svg")
        self.assertEqual({"3", "8", "13", "18"} & set(self.texts("few.svg")), {"8"})  # no tick at 2.5

    def test_other_files_are_refused(self):
        self.write("no.json", {"dilation": {"spectrum": {"one": 4}, "average": 1}})
        self.refused("dilation", ["no.json", "-o", "x.png"], "/dilation/spectrum", "dcube embed")
        self.write("no.json", [])
        self.refused("dilation", ["no.json", "-o", "x.png"], "holds no embedding")


class Sweep(PictureTest):
    def swept(self, *options):
        arguments = ["scenarios/quickstart.json", "--output", str(self.folder / "d"), "--no-pictures", "--no-report"]
        self.write("s.json", self.output("sweep", ROOT / arguments[0], *arguments[1:], "--json", *options))

    def test_a_line_for_each_embedding_and_a_panel_for_ratios(self):
        self.swept("--vary", "/program/compute=log:10ms:100s:5", "--embedding", "standard,xor", "--ratio",
                   "standard/xor")
        self.drawn("sweep", "s.json", "-o", "s.svg", "-o", "s.png")
        self.assert_picture("s.png")
        texts = self.texts("s.svg")
        for text in ("standard", "xor", "compute", "makespan", "10 s", "100 ms", "makespan, standard/xor"):
            self.assertIn(text, [found.replace("\u00a0", " ") for found in texts])
        self.drawn("sweep", "d", "--measure", "waiting_share", "--no-ratios", "-o", "d.svg")
        self.assertIn("waiting share", self.texts("d.svg"))
        self.assertNotIn("makespan, standard/xor", self.texts("d.svg"))

    def test_any_setting_may_be_across(self):
        self.swept("--vary", "/program/compute=1s,2s", "--seeds", "3", "--embedding", "standard,xor")
        self.drawn("sweep", "s.json", "--x", "/embedding", "--lines", "compute_s", "-o", "x.svg")
        texts = self.texts("x.svg")
        for text in ("standard", "xor", "1 s", "2 s", "quickstart, 3 seeds a point, bars: 95 % intervals"):
            self.assertIn(text, [found.replace("\u00a0", " ") for found in texts])
        self.refused("sweep", ["s.json", "--x", "/program/message", "-o", "x.png"], "is not varied")
        self.refused("sweep", ["s.json", "--measure", "makespan", "-o", "x.png"], "is no measure")

    def test_bandwidths_have_units(self):
        machine = '/machine={"schema_version":1,"topology":{"kind":"torus","shape":[8,8]},"link":{"latency":"1us","bandwidth":"1GBps"}}'
        self.swept("--set", machine, "--vary", "/machine/link/bandwidth=500MBps,2GBps", "--embedding", "standard,xor")
        self.drawn("sweep", "s.json", "-o", "s.svg")
        texts = [text.replace("\u00a0", " ") for text in self.texts("s.svg")]
        for text in ("bandwidth", "1 GB/s", "2 GB/s"):
            self.assertIn(text, texts)

    def test_one_run_is_no_curve(self):
        self.swept()
        self.refused("sweep", ["s.json", "-o", "x.png"], "nothing to draw")


class Collective(PictureTest):
    def asked(self, *options):
        text = self.output("collective", "allreduce", "--machine", "tpu_v4-4x4x8", "--json", *options)
        self.write("r.json", text)
        return json.loads(text)

    def test_a_curve_for_each_algorithm(self):
        result = self.asked("--bytes", "1KiB:64MiB:x8", "--embedding", "identity")
        self.drawn("collective", "r.json", "-o", "r.svg", "-o", "r.png")
        self.assert_picture("r.png")
        texts = self.texts("r.svg")
        for text in ("time", "bus bandwidth (GB/s)", "size", "swing_latency", "ring"):
            self.assertIn(text, texts)
        self.assertGreaterEqual(len(result["crossovers"]), 1)
        self.assertIn("allreduce of 128 processes on tpu_v4-4x4x8", texts)

    def test_groups_are_in_the_title(self):
        self.asked("--bytes", "1KiB,1MiB", "--algorithm", "ring", "--axes", "tensor=8,data=16", "--over", "data")
        self.drawn("collective", "r.json", "-o", "r.svg")
        title = "allreduce of 16 processes over data, 8 groups at once, on tpu_v4-4x4x8"
        self.assertIn(title, self.texts("r.svg"))

    def test_an_axis_of_few_decades_has_numbers_between_them(self):
        self.asked("--bytes", "1KiB,4KiB", "--algorithm", "ring", "--embedding", "snake")
        self.drawn("collective", "r.json", "-o", "r.svg")
        times = [text for text in self.texts("r.svg") if text.endswith(" us")]
        self.assertGreater(len(set(times)), 1, times)
        self.assertEqual(len(set(times)), len(times), times)

    def test_other_files_are_refused(self):
        self.asked("--bytes", "1KiB", "--algorithm", "ring", "--embedding", "snake")
        self.refused("collective", ["r.json", "-o", "x.png"], "holds one size", "--bytes")
        self.write("no.json", {})
        self.refused("collective", ["no.json", "-o", "x.png"], "dcube collective")


class Comparison(PictureTest):
    def compared(self, *options):
        self.write("ring.json", scenario({"kind": "ring", "nodes": 16}))
        self.output("compare", "ring.json", "--output", "out", "--no-pictures", *options)

    def test_bars_say_what_makespans_are_made_of(self):
        self.compared("--embedding", "standard,by_weight,xor")
        self.drawn("comparison", "out", "--sort", "-o", "bars.svg", "-o", "bars.png")
        self.assert_picture("bars.png")
        texts = self.texts("bars.svg")
        for text in (
            "compute",
            "communication",
            "waiting",
            "lower bound",
            "xor",
            " 15",
            " 19  (1.27×)",
        ):
            self.assertIn(text, texts)
        self.assertNotIn("endpoint", texts)

    def test_without_results_bars_show_the_makespan(self):
        names = ("comparison.json", "comparison.csv")
        tables = [word for name in names for word in ("--write", f"{name.split('.')[1]}:{name}")]
        self.compared("--embedding", "standard,xor", *tables)  # the results lie elsewhere
        for name in names:
            self.drawn("comparison", name, "-o", "bars.svg")
            texts = self.texts("bars.svg")
            self.assertIn(" 15", texts)
            self.assertIn("lower bound", texts)
            self.assertNotIn("compute", texts)

    def test_files_that_the_comparison_does_not_name_are_not_read(self):
        self.write("xor.json", {"dilation": []})
        self.compared("--embedding", "standard,xor", "--write", "json:comparison.json")
        self.drawn("comparison", "comparison.json", "-o", "bars.svg")
        self.assertNotIn("compute", self.texts("bars.svg"))

    def test_a_bar_whose_result_is_of_another_run_has_a_colour_of_its_own(self):
        self.compared("--embedding", "standard,xor")
        self.drawn("comparison", "out", "-o", "bars.svg")
        self.assertNotIn("not known", self.texts("bars.svg"))
        self.output("run", "ring.json", "--set", "/program/compute=7s", "--json", "--write", "result:other.json")
        (self.folder / "other.json").replace(self.folder / "out/runs/xor.json")
        self.drawn("comparison", "out", "-o", "bars.svg")
        self.assertIn("not known", self.texts("bars.svg"))

    def test_failed_runs_are_named(self):
        rows = [
            {"embedding": "xor", "outcome": "completed", "makespan_s": 3},
            {"embedding": "e" * 200, "outcome": "timed_out"},
        ]
        self.write("c.json", {"runs": rows})
        self.drawn("comparison", "c.json", "-o", "c.svg")
        self.assertIn(" timed_out", self.texts("c.svg"))

    def test_draws_of_failures_are_a_bar_for_each_number(self):
        self.write("torus.json", scenario({"kind": "torus", "shape": [4, 4]}))
        words = ("--embedding", "standard,xor", "--failures", "1,2", "--seeds", "3")
        self.output("compare", "torus.json", "--output", "out", "--no-report", *words)
        pictures = sorted(path.name for path in (self.folder / "out").glob("*.png"))
        kinds = ("embedding", "gantt", "link-load")
        self.assertEqual(
            pictures,
            ["comparison.png", *(f"{name}-{kind}.png" for name in ("standard", "xor") for kind in kinds)],
        )
        for file in ("out", "out/comparison.csv"):
            self.drawn("comparison", file, "--sort", "-o", "bars.svg", "-o", "bars.png")
            self.assert_picture("bars.png")
            texts = self.texts("bars.svg")
            for text in ("xor, 0 failed links", "xor, 1 failed link", "standard, 2 failed links"):
                self.assertIn(text, texts)
            self.assertRegex(" ".join(texts), r"\(1\.\d+×\)")

    def test_other_files_are_refused(self):
        for text, problem in [
            ("embedding,outcome\nxor,completed\n", "makespan_s"),
            ("embedding,outcome,makespan_s\nxor,completed,soon\n", "line 2"),
            ("embedding,outcome,makespan_s\nxor,completed,nan\n", "line 2"),
            ("embedding,outcome,makespan_s\nxor\n", "line 2"),
            ("embedding,outcome,makespan_s\n", "holds no runs"),
        ]:
            self.refused("comparison", [self.write("c.csv", text), "-o", "x.png"], "c.csv", problem)

    def test_scaling_of_numbers_of_processes(self):
        name = ROOT / "scenarios/hypercube-knapsack-ncube.json"
        self.output(
            "compare", name, "--process-count", "1,2,4,8,16", "--output", "out", "--no-pictures"
        )
        for file in ("out", "out/comparison.json", "out/comparison.csv"):
            self.drawn("scaling", file, "-o", "scaling.svg", "-o", "scaling.png")
            self.assert_picture("scaling.png")
            texts = self.texts("scaling.svg")
            for text in ("perfect speedup", "processes", "50.13 ms", "16"):
                self.assertIn(text, texts)
        self.drawn("comparison", "out", "-o", "bars.svg")
        self.assertIn("4 processes", self.texts("bars.svg"))

    def test_the_least_time_does_not_cover_the_axis(self):
        exchange = {"kind": "all_to_all", "message": 1}
        self.write("exchange.json", {**scenario({"kind": "ring", "nodes": 8}, "identity"), "program": exchange})
        self.output("compare", "exchange.json", "--process-count", "1,2,4", "--output", "out", "--no-pictures")
        self.drawn("scaling", "out", "-o", "scaling.svg")
        heights = self.heights("scaling.svg")
        self.assertLess(heights["0 s"], heights["processes"] - 25)

    def test_scaling_of_results(self):
        files = [
            self.result(f"{embedding}{side}", {"kind": "torus", "shape": [side, side]}, embedding)
            for embedding in ("standard", "xor") for side in (4, 8, 16)
        ]  # fmt: skip
        self.drawn("scaling", *files, "--by", "nodes", "-o", "scaling.svg")
        texts = self.texts("scaling.svg")
        for text in ("standard", "xor", "256", "nodes of the machine"):
            self.assertIn(text, texts)

    def test_scaling_refuses_a_comparison_of_embeddings(self):
        self.compared("--embedding", "standard,xor")
        self.refused("scaling", ["out", "-o", "x.png"], "--process-count")


class Validation(PictureTest):
    def test_printed_and_simulated_figures_are_drawn(self):
        points = [
            {
                "label": f"p{i}",
                "printed": 2.0**i,
                "simulated": 2.0**i * 1.01,
                "error_percent": 1.0,
                "passed": True,
                "problem": None,
            }
            for i in range(5)
        ]
        ranges = [
            {
                "label": "inside",
                "printed": [25, 30],
                "simulated": 27,
                "error_percent": None,
                "passed": True,
                "problem": None,
            },
            {
                "label": "failed",
                "printed": [25, 30],
                "simulated": None,
                "error_percent": None,
                "passed": False,
                "problem": "deadlock",
            },
        ]
        document = {
            "title": "Two machines, predicted",
            "experiments": [
                {"name": "Table 1", "quantity": "makespan_s", "limit_percent": 2, "points": points},
                {"name": "Section 2", "quantity": "saving_percent", "points": ranges},
            ],
        }
        self.write("v.json", document)
        self.drawn("validation", "v.json", "-o", "v.svg", "-o", "v.png")
        self.assert_picture("v.png")
        self.assertLessEqual({"2 s", "5 s", "20 s"}, set(self.texts("v.svg")))  # of the axes, 0.6 to 26
        texts = self.texts("v.svg")
        for text in (
            "Two machines, predicted",
            "Table 1",
            "Section 2: inside",
            "published",
            "simulated",
        ):
            self.assertIn(text, texts)
        self.assertNotIn("Section 2: failed", texts)

    def test_what_reproduce_prints_is_drawn(self):
        experiments = {
            "schema_version": 1,
            "title": "A ring",
            "source": "nobody",
            "experiments": [
                {
                    "name": "Makespan",
                    "quantity": "makespan_s",
                    "scenario": scenario({"kind": "ring", "nodes": 8}),
                    "limit_percent": 5,
                    "points": [{"label": "as it is", "printed": 10.1}],
                }
            ],
        }
        self.write("e.json", experiments)
        self.write("v.json", self.output("reproduce", "e.json", "--json"))
        self.drawn("validation", "v.json", "-o", "v.svg")
        self.assertIn("Makespan", self.texts("v.svg"))

    def test_what_fit_prints_is_drawn_under_a_name(self):
        self.write("m.csv", "collective,size,time_us\npingpong,8,1.5\npingpong,80,2\n")
        answer = json.loads(self.output("fit", "ring:4", "--measured", "m.csv", "--json"))
        answer["rows"].append({"measured_s": 3, "simulated_s": None, "problem": "not simulated"})
        self.write("f.json", answer)
        self.drawn("validation", "f.json", "f.json", "--name", "one", "--name", "two", "-o", "f.svg")
        texts = self.texts("f.svg")
        for text in ("one", "two", "measured", "1 us"):
            self.assertIn(text, texts)
        named_once = ["f.json", "f.json", "--name", "one", "-o", "f.svg"]
        self.refused("validation", named_once, "1 names for 2 experiments")


class Curves(PictureTest):
    def write_experiments(self, *, label="{}, CCP {}"):
        points = [
            {"label": label.format(curve, ccp), "printed": 5 * ccp, "simulated": 6 * ccp}
            for curve in ("this", "that")
            for ccp in (0.1, 0.2, 0.4)
        ]
        points[0] = {"label": label.format("this", 0.1), "expected": [0, 1], "simulated": 0.6}
        document = {
            "title": "Two ways",
            "experiments": [
                {"name": "Fig 1: length", "quantity": "mapping_mean", "points": points},
                {"name": "Fig 2: width", "quantity": "mapping_mean", "points": points},
            ],
        }
        self.write("e.json", document)

    def test_every_experiment_has_a_panel(self):
        self.write_experiments()
        self.drawn("curves", "e.json", "-o", "c.svg", "-o", "c.png")
        self.assert_picture("c.png")
        texts = self.texts("c.svg")
        for text in ("Two ways", "Fig 1: length", "Fig 2: width", "this", "that", "published", "CCP"):
            self.assertIn(text, texts)

    def test_experiments_are_chosen_by_name(self):
        self.write_experiments()
        self.drawn("curves", "e.json", "--experiment", "width", "-o", "c.svg")
        self.assertNotIn("Fig 1: length", self.texts("c.svg"))
        self.refused("curves", ["e.json", "--experiment", "x", "-o", "x.png"], "no experiment is called")

    def test_points_that_are_no_curve_are_refused(self):
        self.write_experiments(label="{}: {} CCP")
        self.refused("curves", ["e.json", "-o", "x.png"], 'no points are called "curve, quantity value"')


class Correlation(PictureTest):
    def test_mappings_are_points(self):
        arguments = ("subcubes", "--random", "tasks=8,ccp=0.5", "--subcube", "1", "--json")
        self.write("m.json", self.output(*arguments, "--simulate", "16"))
        self.drawn("correlation", "m.json", "-o", "c.svg", "-o", "c.png")
        self.assert_picture("c.png")
        texts = self.texts("c.svg")
        for text in ("one message at a time", "never queueing", "parallel", "not parallel"):
            self.assertIn(text, texts)
        self.assertTrue(any(text.startswith("Pearson 0.") for text in texts), texts)
        self.write("m.json", self.output(*arguments))
        self.refused("correlation", ["m.json", "-o", "x.png"], 'has no "simulation"', "--simulate")


class EveryScript(PictureTest):
    made = None  # once for all tests

    @classmethod
    def tearDownClass(cls):
        if cls.made:
            cls.made[0].cleanup()

    def inputs(self):
        """A file for every script."""
        cls = type(self)
        if cls.made is None:
            files = self.make_inputs()
            kept = tempfile.TemporaryDirectory()
            shutil.copytree(self.folder, kept.name, dirs_exist_ok=True)
            cls.made = kept, files
        else:
            shutil.copytree(cls.made[0].name, self.folder, dirs_exist_ok=True)
        return cls.made[1]

    def make_inputs(self):
        result = self.result("torus", {"kind": "torus", "shape": [4, 4]})
        self.output("compare", "torus-scenario.json", "--output", "out", "--no-pictures")
        self.write("embedding.json", self.output("embed", "ring:8", "--embedding", "xor", "--json"))
        experiment = {
            "name": "t",
            "quantity": "makespan_s",
            "points": [{"label": "a", "printed": 1, "simulated": 1.1}],
        }
        self.write("v.json", {"experiments": [experiment]})
        for ccp in (1, 2):
            experiment["points"].append({**experiment["points"][0], "label": f"a, CCP {ccp}"})
        self.write("e.json", {"experiments": [experiment]})
        mapped = ("subcubes", "--random", "tasks=4,ccp=1", "--subcube", "1", "--simulate", "2")
        self.write("m.json", self.output(*mapped, "--json"))
        searched = ("search", "--machine", "ring:8", "--traffic", "cube:3", "--json")
        self.write("f.json", self.output(*searched))
        return {
            "search": "f.json",
            "gantt": self.trace("line-cc_dcube-by_weight"),
            "link_load": result,
            "node_load": result,
            "embedding": "embedding.json",
            "dilation": "embedding.json",
            "comparison": "out/comparison.json",
            "scaling": result,
            "validation": "v.json",
            "curves": "e.json",
            "correlation": "m.json",
        }

    def test_files_are_the_same_every_time(self):
        suffixes = ("png", "svg", "pdf")

        def outputs(name):
            return [word for suffix in suffixes for word in ("-o", f"{name}.{suffix}")]

        inputs = self.inputs()
        done = self.plots_apart((script, file, *outputs(f"{script}-second")) for script, file in inputs.items())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for script, file in inputs.items():
            self.drawn(script, file, *outputs(f"{script}-first"))
            for suffix in suffixes:
                first, second = (
                    (self.folder / f"{script}-{name}.{suffix}").read_bytes() for name in ("first", "second")
                )
                self.assertEqual(first, second, f"{script}, {suffix}")
                self.assertGreater(len(first), 1000)

    def test_title_and_size_are_those_asked_for(self):
        for script, file in self.inputs().items():
            options = [
                "--title",
                "Title of <my> own & $x$",
                "--size",
                "12.7x10.16cm",
                "--dpi",
                "80",
            ]
            self.drawn(script, file, *options, "-o", "own.svg", "-o", "own.png")
            self.assert_picture("own.png", 400, 320)
            self.assertIn("Title of <my> own & $x$", self.texts("own.svg"))

    def test_the_files_of_others_are_refused(self):
        self.write("empty.json", "")
        self.write("text.json", "once upon a time")
        self.write("list.json", [1, 2])
        self.write("other.json", {"outcome": "completed"})
        self.write("deep.json", "[" * 100_000)
        (self.folder / "binary.json").write_bytes(b"\xff\xfe\x00")
        for script in EVERY_SCRIPT:
            for file in ("empty", "text", "list", "other", "deep", "binary", "missing"):
                self.refused(script, [f"{file}.json", "-o", "x.png"], f"{file}.json")
        self.assertFalse((self.folder / "x.png").exists())

    def test_unusable_options_are_refused(self):
        for script, file in self.inputs().items():
            self.refused(script, [file], "-o")
            for options, problem in [
                (["-o", "x.gif"], ".png, .svg, .pdf"),
                (["-o", "no/x.png"], "no/x.png: No such file"),
                (["-o", "x.png", "--size", "big"], "--size"),
                (["-o", "x.png", "--size", "0x5"], "--size"),
                (["-o", "x.png", "--size", "90x5", "--dpi", "600"], "--size"),
                (["-o", "x.png", "--dpi", "0"], "--dpi"),
                (["-o", "x.png", "--colour", "red"], "--colour"),
            ]:
                self.refused(script, [file, *options], problem)
        self.assertFalse((self.folder / "x.png").exists())

    def test_help_has_an_example(self):
        for script in (*EVERY_SCRIPT, "folder"):
            done = self.plot(script, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"scripts/plot_{script}.py", done.stdout)

    def test_names_of_any_length_and_letters_can_be_drawn(self):
        name = self.result("torus", {"kind": "torus", "shape": [4, 4]})
        result = json.loads((self.folder / name).read_text())
        result["machine"]["name"] = "n" * 300 + "\x07\x1b$_^{ 漢字 \ud800"
        result["embedding"]["kind"] = "many words " * 40
        self.write("long.json", result)
        for script in ("link_load", "node_load", "embedding"):
            self.drawn(script, "long.json", "-o", "long.svg", "-o", "long.png")
            self.assert_picture("long.png")
            self.assertLess(max(map(len, self.texts("long.svg"))), 120)

    def test_a_missing_matplotlib_is_named_with_its_package(self):
        self.write("no/matplotlib/__init__.py", "raise ImportError('No module named matplotlib')")
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "no")}
        for script in EVERY_SCRIPT:
            done = self.plot_apart(script, "x.json", "-o", "x.png", environment=environment)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("python3-matplotlib", done.stderr)


if __name__ == "__main__":
    unittest.main()
