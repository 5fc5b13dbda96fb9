"""dcube reproduce: tables, page, JSON, exit status."""

import signal
import unittest

from program import ProgramTest, long_running_child, ring, scenario


def experiments(points, **more):
    """On a ring of 16 the standard embedding takes 19 s and xor 15 s."""
    experiment = {
        "name": "Fig 1",
        "quantity": "makespan_s",
        "scenario": scenario(ring(16)),
        "limit_percent": 1,
        "points": points,
        **more,
    }
    return {"schema_version": 1, "title": "Rings", "source": "[X]", "experiments": [experiment]}


STANDARD = {"label": "standard", "printed": 19.1}
XOR = {"label": "xor", "set": {"/embedding": "xor"}, "printed": 15}


class Reproduce(ProgramTest):
    def test_table_has_printed_and_simulated_figures_and_errors(self):
        name = self.write("x.json", experiments([STANDARD, XOR]))
        self.assertEqual(
            self.output("reproduce", name),
            "x.json: Rings\n[X]\n"
            "\nFig 1\n\n"
            "point     printed (s)  simulated (s)    error\n"
            "standard         19.1          19.00  -0.52 %\n"
            "xor                15           15.0   0.00 %\n"
            "\nlimits met: largest error 0.52 % (limit 1 %), mean error 0.26 %\n"
            "\nexperiment  points  largest error  limit  mean error  limit  outcome\n"
            "Fig 1            2         0.52 %    1 %      0.26 %      -      met\n",
        )

    def test_json_has_every_figure(self):
        name = self.write("x.json", experiments([STANDARD, XOR]))
        result = self.json("reproduce", name, "--json")
        self.assertTrue(result["passed"])
        points = result["experiments"][0]["points"]
        self.assertEqual([point["simulated"] for point in points], [19, 15])
        self.assertEqual([point["printed"] for point in points], [19.1, 15])
        self.assertAlmostEqual(result["experiments"][0]["largest_error_percent"], 10 / 19.1)

    def test_experiments_are_chosen_by_name(self):
        content = experiments([STANDARD, XOR])
        content["experiments"] += [
            {**content["experiments"][0], "name": name, "points": [XOR]} for name in ("Fig 2", "Fig 3")
        ]
        name = self.write("x.json", content)
        result = self.json("reproduce", name, "--experiment", "3", "--experiment", "ig 2", "--json")
        self.assertEqual([one["name"] for one in result["experiments"]], ["Fig 2", "Fig 3"])
        self.assertEqual(len(self.json("reproduce", name, "--json")["experiments"]), 3)
        self.assert_refused(
            ["reproduce", name, "--experiment", "Fog 3"],
            "--experiment: no experiment has `Fog 3` in its name; did you mean `Fig 3`?",
        )

    def test_saving_compares_two_runs(self):
        point = {"label": "a", "printed": [21, 22]}
        content = experiments(
            [point],
            quantity="saving_percent",
            scenario=scenario(ring(16), "xor"),
            baseline={"/embedding": "standard"},
        )
        del content["experiments"][0]["limit_percent"]
        result = self.json("reproduce", self.write("x.json", content), "--json")
        self.assertAlmostEqual(result["experiments"][0]["points"][0]["simulated"], 100 * 4 / 19)

    def test_link_loads_and_hops_are_counted(self):
        all_to_all = {**scenario(ring(6)), "program": {"kind": "all_to_all"}}
        for quantity, figure in (("link_load_max", 6), ("hops_per_pair", 1.5), ("link_busy_max_s", 6)):
            point = {"label": "a", "expected": figure}
            content = experiments([point], quantity=quantity, scenario=all_to_all, limit_percent=1e-9)
            self.output("reproduce", self.write("x.json", content))

    def test_numbers_of_results_are_found_by_pointer(self):
        for quantity, pointer, figure in (
            ("run_result", "/messages/hops", 176),
            ("run_result", "/stages/2/dilation_max", 4),
            ("embed_result", "/dilation/spectrum/4", 16),
            ("embed_result", "/constant_distances", 1),
        ):
            point = {"label": "a", "expected": figure, "pointer": pointer}
            content = experiments([point], quantity=quantity, scenario=scenario(ring(16), "xor"), limit_percent=0)
            self.output("reproduce", self.write("x.json", content))

    def test_ratios_compare_two_results(self):
        for quantity, pointer in (("run_ratio", "/messages/hops"), ("embed_ratio", "/dilation/total")):
            content = experiments(
                [{"label": "a", "expected": 240 / 176}],
                quantity=quantity,
                pointer=pointer,
                baseline={"/embedding": "xor"},
                limit_percent=1e-9,
            )
            text = self.output("reproduce", self.write("x.json", content))
            self.assertIn("computed" if quantity == "embed_ratio" else "simulated", text)

    def test_a_pointer_to_no_number_leaves_its_point_without_a_figure(self):
        adaptive = {"/machine/routing": {"kind": "minimal_adaptive"}}
        for quantity, pointer, settings, problem in (
            ("run_result", "/outcome", {}, "no number at /outcome of the result"),
            ("embed_result", "/map/16", {}, "no number at /map/16 of the result"),
            ("embed_result", "/map/1", adaptive, "no measures of an embedding, since messages draw or choose their routes"),
        ):
            point = {"label": "a", "expected": 1, "set": settings}
            name = self.write("x.json", experiments([point], quantity=quantity, pointer=pointer))
            done = self.dcube("reproduce", name)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"dcube: x.json: Fig 1: a: {problem}\n")

    def test_best_value_is_that_of_the_fastest_choice(self):
        choices = [{"value": 1}, {"value": 2, "set": {"/embedding": "xor"}}]
        point = {"label": "a", "printed": 2, "choices": choices}
        name = self.write("x.json", experiments([point], quantity="best_value"))
        self.assertEqual(self.json("reproduce", name, "--json")["experiments"][0]["points"][0]["simulated"], 2)

    def test_page_is_the_same_however_many_jobs(self):
        name = self.write("x.json", experiments([STANDARD, XOR]))
        for jobs in ["1", "2"]:
            self.output("reproduce", name, "--output", "page.md", "--jobs", jobs)
            page = (self.folder / "page.md").read_text()
            self.assertIn("| standard | 19.1 | 19.00 | -0.52 % |\n", page)
            self.assertIn("`dcube reproduce x.json --output page.md`", page)
        self.assertEqual(self.files(), ["page.md", "x.json"])

    def test_a_page_names_the_experiments_that_were_chosen(self):
        name = self.write("x.json", experiments([STANDARD, XOR]))
        self.output("reproduce", name, "--experiment", "Fig 1", "--output", "page.md")
        self.assertIn("`dcube reproduce x.json --experiment 'Fig 1' --output page.md`", (self.folder / "page.md").read_text())

    def test_an_error_above_the_limit_fails(self):
        name = self.write("x.json", experiments([{**STANDARD, "printed": 20}]))
        done = self.dcube("reproduce", name, "--output", "page.md")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "dcube: x.json: Fig 1: the largest error is 5.00 % (limit 1 %)\n")
        self.assertIn("limits not met", done.stdout)
        self.assertIn("Limits not met", (self.folder / "page.md").read_text())

    def test_a_run_that_does_not_fit_in_memory_is_a_point_without_a_figure(self):
        huge = {"label": "huge", "printed": 1, "set": {"/machine/topology": {"kind": "line", "nodes": 2**30}}}
        name = self.write("x.json", experiments([STANDARD, huge]))
        done = self.dcube("reproduce", name)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nhuge +1 +- +-\n")
        self.assertRegex(done.stderr, r"^dcube: x.json: Fig 1: huge: .*GB are available")

    def test_an_interrupt_keeps_what_is_finished_but_writes_no_page(self):
        large = {"label": "large", "printed": 1, "set": {"/machine/topology/nodes": 16384, "/embedding": "random"}}
        name = self.write("x.json", experiments([STANDARD, large]))
        process = self.start("reproduce", name, "--jobs", "1", "--output", "page.md")
        self.assertIsNotNone(long_running_child(process))  # the second; the first takes no time
        process.send_signal(signal.SIGINT)
        stdout, stderr = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(stdout, r"\nstandard +19\.1 +19\.00 +-0\.52 %\nlarge +1 +- +-\n")
        self.assertEqual(stderr, "dcube: x.json: interrupted (1 of 2 simulations done)\n")
        self.assertEqual(self.files(), ["x.json"])

    def test_unusable_files_are_refused_before_anything_runs(self):
        name = self.write("x.json", experiments([{"label": "a", "printed": 0}]))
        self.assert_refused(["reproduce", name, "--output", "page.md"], "/points/0/printed: 0 is not a figure")
        self.assert_refused(["reproduce", "none.json"], "none.json: cannot be read")
        self.assertEqual(self.files(), ["x.json"])

    def test_unusable_options_are_refused(self):
        name = self.write("x.json", experiments([STANDARD]))
        self.assert_refused(["reproduce", name, "--jobs", "0"], "--jobs", "0")
        self.assert_refused(["reproduce", name, "--output", "no/page.md"], "--output", "no is not a folder")

    def test_validate_knows_experiments(self):
        name = self.write("x.json", experiments([STANDARD]))
        self.assertEqual(self.output("validate", name), "x.json: valid file of experiments\n")


if __name__ == "__main__":
    unittest.main()
