"""dcube.sweep."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import dcube
import numpy

PROGRAM = os.environ["DCUBE_PROGRAM"]
VARY = {"/program/compute": ["1s", "2s", "4s"], "/embedding": ["standard", "xor"]}


class Sweeps(unittest.TestCase):
    def test_every_run_is_that_of_run(self):
        swept = dcube.sweep("quickstart", vary=VARY)
        self.assertEqual(len(swept), 6)
        self.assertEqual(swept.settings, {"compute_s": "/program/compute", "embedding": "/embedding"})
        columns = swept.columns
        for row in range(6):
            compute, embedding = columns["compute_s"][row], columns["embedding"][row]
            alone = dcube.run("quickstart", embedding=embedding, set={"/program/compute": f"{compute:g}s"})
            self.assertEqual(columns["makespan_ps"][row], alone.makespan_ps)
            self.assertEqual(columns["fingerprint"][row], alone.fingerprint)
            self.assertEqual(columns["outcome"][row], "completed")

    def test_whole_numbers_have_all_their_digits(self):
        seeds = [2**64 - 1, 2**64 - 2, 2**53 + 1]
        columns = dcube.sweep("quickstart", vary={"/seed": seeds, "/program/compute": [0.5, 1]}).columns
        self.assertEqual(columns["seed"], [seed for seed in seeds for _ in range(2)])
        self.assertEqual(columns["compute"], [0.5, 1] * 3)
        self.assertEqual({type(seed) for seed in columns["seed"]}, {int})

    def test_its_table_is_that_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "runs.csv"
            subprocess.run(
                [PROGRAM, "sweep", "quickstart", "--vary", "/program/compute=1s,2s,4s", "--vary", "/embedding=standard,xor",
                 "--quiet", "--csv", file, "--no-pictures", "--no-report", "--output", folder + "/kept"],
                check=True, capture_output=True,
            )  # fmt: skip
            printed = list(csv.DictReader(file.read_text().splitlines()))
            dcube.sweep("quickstart", vary=VARY).save(file)
            made = list(csv.DictReader(file.read_text().splitlines()))
        for row in printed + made:
            del row["key"]
        self.assertEqual(made, printed)

    def test_seeds_spread_and_ratio(self):
        document = {"machine": "ring:8", "program": {"kind": "cc_dcube", "compute": {"uniform": ["1s", "3s"]}}}
        swept = dcube.sweep(document, vary={"/embedding": ["standard", "xor"]}, seeds=5)
        self.assertEqual(len(swept), 10)
        makespans = swept.columns["makespan_s"].reshape(2, 5)
        for row, spread in zip(makespans, swept.spread()):
            self.assertEqual(spread["count"], 5)
            self.assertAlmostEqual(spread["mean"], row.mean())
            self.assertAlmostEqual(spread["deviation"], row.std(ddof=1))
        (ratio,) = swept.ratio("standard/xor")
        self.assertAlmostEqual(ratio["mean"], (makespans[0] / makespans[1]).mean())

    def test_ratios_name_values_as_tables_show_them(self):
        swept = dcube.sweep("quickstart", vary={"/program/message": numpy.array([1.0, 2.0])})
        self.assertEqual([ratio["count"] for ratio in swept.ratio("1/2")], [1])

    def test_of_runs_that_did_not_complete_there_is_no_mean(self):
        document = {"machine": "ring:6", "program": {"kind": "all_to_all"}}
        swept = dcube.sweep(document, vary={"/embedding": ["identity", "gray"]})
        fits, refused = swept.spread()
        self.assertEqual((fits["count"], fits["deviation"]), (1, 0))
        figures = ("mean", "deviation", "least", "greatest", "half_interval")
        self.assertEqual((refused["count"], {refused[figure] for figure in figures}), (0, {None}))
        self.assertEqual([row["mean"] for row in swept.ratio("identity/gray")], [None])

    def test_tables_and_pictures(self):
        swept = dcube.sweep("quickstart", vary=VARY, measures=["makespan_s", "waiting_share"])
        self.assertEqual(list(swept.to_pandas()["makespan_s"])[:2], list(swept.columns["makespan_s"][:2]))
        self.assertIn("<th", swept._repr_html_())
        self.assertIn("makespan_s", str(swept))
        self.assertEqual(swept.plot(x="/program/compute").axes[0].get_xlabel()[:7], "compute")
        self.assertGreater(len(swept.plot("max_link_load").axes), 0)

    def test_conditions_lists_that_go_together_and_ranges(self):
        swept = dcube.sweep("quickstart", vary={"/program/message": "lin:1:9:5"}, where="/program/message <= 5")
        self.assertEqual(list(swept.columns[list(swept.settings)[0]]), [1, 3, 5])
        both = dcube.sweep("quickstart", zip={"/program/message": [1, 2], "/program/compute": ["1s", "2s"]})
        self.assertEqual(len(both), 2)

    def test_a_study_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, study = pathlib.Path(folder) / "mine.json", pathlib.Path(folder) / "study.json"
            scenario.write_text(json.dumps({"schema_version": 1, "machine": "ring:8", "program": {"kind": "cc_dcube"}}))
            study.write_text(json.dumps({"schema_version": 1, "scenario": "mine.json",
                                         "vary": [{"setting": "/program/message", "values": [1, 8]}]}))  # fmt: skip
            self.assertEqual(len(dcube.sweep(study)), 2)
            self.assertEqual(len(dcube.sweep(study, vary={"/embedding": ["xor", "gray", range(8)]})), 6)

    def test_a_part_of_a_study_that_is_no_list_is_named_whatever_is_added(self):
        added = {"vary": {"/program/message": [1]}, "zip": {"/seed": [1]}, "where": "/seed < 5", "set": {"/seed": 3}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "study.json"
            for part in added:
                for wrong in (None, 5, "x"):
                    study = {"schema_version": 1, "scenario": "quickstart", part: wrong}
                    file.write_text(json.dumps(study))
                    for given in (study, file):
                        for more in ({}, {part: added[part]}):
                            with (
                                self.subTest(part=part, wrong=wrong, given=given, more=more),
                                self.assertRaisesRegex(dcube.InputError, f"study.json: /{part}: {json.dumps(wrong)} is not a "),
                            ):
                                dcube.sweep(given, **more)

    def test_what_does_not_fit_is_a_row(self):
        swept = dcube.sweep(machine="torus:3x3", program="all_to_all", vary={"/embedding": ["standard", "xor"]})
        self.assertEqual(swept.columns["outcome"], ["completed", "refused"])
        self.assertIn("xor", swept.columns["problem"][1])
        self.assertTrue(numpy.isnan(swept.columns["makespan_s"][1]))
        self.assertTrue(numpy.isnan(swept.columns["makespan_ps"][1]))
        self.assertEqual(swept.columns["makespan_ps"][0], round(swept.columns["makespan_s"][0] * 1e12))
        self.assertIsNone(swept.columns["fingerprint"][1])
        self.assertEqual(dcube.sweep("quickstart").columns["makespan_ps"].dtype, "int64")

    def test_programs_in_python(self):
        def program(p):
            yield p.exchange(p.size - 1 - p.rank, bytes=1000)

        swept = dcube.sweep(program=program, processes=8, machine="ring:8", vary={"/embedding": ["identity", "xor", [0, 7, 1, 6, 2, 5, 3, 4]]})
        self.assertEqual(len(swept), 3)
        self.assertEqual(set(swept.columns["outcome"]), {"completed"})

    def test_a_file_that_is_nested_too_deeply_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in ("[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000):
                file = pathlib.Path(folder) / "deep.json"
                file.write_text(text)
                with self.assertRaisesRegex(dcube.InputError, "deep.json: .*nested too deeply"):
                    dcube.sweep(file)

    def test_complaints_and_progress(self):
        with self.assertRaisesRegex(dcube.InputError, "mesage"):
            dcube.sweep("quickstart", vary={"/program/mesage": [1]})
        with self.assertRaisesRegex(dcube.InputError, "did you mean"):
            dcube.sweep("quickstart", vary=VARY).spread("makespan")
        told = []
        dcube.sweep("quickstart", vary=VARY, progress=lambda *words: told.append(words))
        self.assertEqual(told[0], (0, 6, None))


if __name__ == "__main__":
    unittest.main()
