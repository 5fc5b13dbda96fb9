"""dcube.run and its results."""

import builtins
import decimal
import fractions
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import dcube
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["DCUBE_PROGRAM"]
RING = {"machine": "ring:8", "program": {"kind": "cc_dcube", "compute": "1us"}}


def command_line(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True, check=False)


class Runs(unittest.TestCase):
    def test_every_scenario_has_the_fingerprint_that_the_command_line_gives(self):
        left_out = os.environ.get("DCUBE_WITHOUT", "").split()
        for file in sorted((ROOT / "scenarios").glob("*.json")):
            if any(f"-{reader}-" in file.name for reader in left_out):
                continue
            with self.subTest(scenario=file.name):
                golden = (ROOT / "tests/golden" / f"{file.stem}.txt").read_text(encoding="utf-8")
                self.assertIn(dcube.run(file).fingerprint, golden)

    def test_a_result_is_what_the_command_line_prints(self):
        printed = json.loads(command_line("run", "quickstart", "--json", "--full").stdout)
        data = dcube.run("quickstart").data
        for volatile in ("simulation", "scenario"):
            del printed[volatile], data[volatile]
        self.assertEqual(data, printed)

    def test_the_output_of_a_program_is_written_as_on_the_command_line(self):
        scenario = {"machine": "hypercube:2", "program": {"kind": "fft", "points": 8, "output": "o.csv"}}
        before = pathlib.Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                dcube.run(scenario)
                named = pathlib.Path(folder) / "named.csv"
                dcube.run(scenario, set={"/program/output": str(named)})
                pathlib.Path("s.json").write_text(json.dumps({"schema_version": 1, "embedding": "gray", **scenario}))
                command_line("run", "s.json", "--set", "/program/output=line.csv")
                texts = {pathlib.Path(file).read_text() for file in ("o.csv", named, "line.csv")}
                self.assertEqual(len(texts), 1)
                self.assertTrue(texts.pop().startswith("index,re,im\n0,"))
                scenario["program"]["output"] = "../o.csv"
                with self.assertRaisesRegex(dcube.InputError, "below the current folder"):
                    dcube.run(scenario)
            finally:
                os.chdir(before)

    def test_times_are_exact(self):
        result = dcube.run(RING)
        self.assertIsInstance(result.makespan_ps, int)
        self.assertEqual(result.makespan_ps, 7_000_003_000_000)
        self.assertEqual(result.process_ends_ps.dtype, numpy.int64)
        self.assertEqual(int(result.process_ends_ps.max()), result.makespan_ps)

    def test_arguments_replace_parts_of_a_scenario(self):
        for scenario in ("quickstart", ROOT / "scenarios/quickstart.json", RING):
            with self.subTest(scenario=scenario):
                result = dcube.run(scenario, machine="torus:4x4", embedding="standard", seed=5)
                self.assertEqual((result.machine, result.embedding), ("torus:4x4", "standard"))
                self.assertEqual(result.data["scenario"]["seed"], 5)

    def test_a_scenario_may_be_arguments_alone(self):
        self.assertEqual(dcube.run(machine="ring:8", program={"kind": "cc_dcube", "compute": "1us"}).fingerprint,
                         dcube.run(RING).fingerprint)  # fmt: skip
        self.assertEqual(dcube.run(machine="ring:8", program="all_to_all").program, "all_to_all")

    def test_values_by_pointer(self):
        result = dcube.run("quickstart", set={"/program/message": 64, "/machine/link/latency": "1us"})
        self.assertEqual(result.data["program"]["settings"]["message"], 64)

    def test_an_embedding_may_be_the_node_of_every_process(self):
        nodes = [7, 6, 5, 4, 3, 2, 1, 0]
        for given in (nodes, numpy.array(nodes), {"kind": "explicit", "map": nodes}, tuple(nodes)):
            self.assertEqual(dcube.run(RING, embedding=given).map.tolist(), nodes)

    def test_a_map_is_without_the_host_computer(self):
        made = dcube.run("hypercube-template_matching-host")
        self.assertEqual(made.map.tolist(), made.data["embedding"]["map"])
        self.assertEqual((len(made.map), len(made.process_ends_ps), len(made.to_pandas("processes"))), (64, 65, 64))
        self.assertEqual(dcube.run("hypercube-template_matching-host", embedding=made.map).fingerprint, made.fingerprint)

    def test_numbers_of_all_kinds(self):
        for message in (8, numpy.int64(8), "8"):
            document = {**RING, "program": {"kind": "cc_dcube", "message": message}}
            self.assertEqual(dcube.run(document).data["messages"]["bytes"], 8 * 24)
        exact = {"kind": "cc_dcube", "compute": decimal.Decimal("0.000001")}
        self.assertEqual(dcube.run(RING, program=exact).fingerprint, dcube.run(RING).fingerprint)

    def test_a_file_for_the_machine_is_relative_to_the_current_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.json"
            file.write_text(json.dumps({"schema_version": 1, "topology": {"kind": "ring", "nodes": 8}}))
            self.assertEqual(dcube.run("quickstart", machine=file).data["machine"]["nodes"], 8)

    def test_execution_changes_nothing(self):
        self.assertEqual(dcube.run(RING, execution="actors").fingerprint, dcube.run(RING).fingerprint)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = dcube.run(RING, embedding="standard", intervals=True)

    def test_link_loads_are_those_of_the_result(self):
        links = self.result.links
        self.assertEqual(self.result.link_loads.max(), self.result.data["link_load"]["max"])
        self.assertEqual(links["messages"].sum(), self.result.data["messages"]["hops"])
        self.assertEqual(len(links["source"]), 16)
        self.assertEqual(links["busy_ps"].dtype, numpy.int64)

    def test_intervals_fill_the_time_of_every_process(self):
        intervals = self.result.intervals
        lengths = intervals["end_ps"] - intervals["begin_ps"]
        ends = numpy.zeros(8, dtype=numpy.int64)
        numpy.add.at(ends, intervals["process"], lengths)
        self.assertEqual(ends.tolist(), self.result.process_ends_ps.tolist())

    def test_waiting_intervals_add_up(self):
        scenario = dict(RING, program={"kind": "cc_dcube", "compute": {"uniform": ["1s", "3s"]}})
        result = dcube.run(scenario, intervals=True)
        waiting = result.waiting
        total = (waiting["end_ps"] - waiting["begin_ps"]).sum() / 1e12
        self.assertGreater(len(waiting["process"]), 0)
        self.assertEqual(len(waiting["process"]), result.data["waiting"]["intervals"])
        self.assertAlmostEqual(total, result.data["time_s"]["waiting"]["total"], places=9)

    def test_intervals_that_were_not_kept_say_so(self):
        with self.assertRaisesRegex(AttributeError, "intervals=True"):
            _ = dcube.run(RING).intervals

    def test_why(self):
        wanted = json.loads(command_line("run", "quickstart", "--why", "--json", "--full").stdout)["critical_path"]
        self.assertEqual(dcube.run("quickstart", why=True).why, wanted)
        with self.assertRaisesRegex(AttributeError, "why=True"):
            _ = dcube.run("quickstart").why

        def starts(p):
            started = yield p.allreduce(1).start()
            yield p.compute("1s")
            yield p.wait(started)

        (overlap,) = dcube.run(machine="ring:8", program=dcube.Program(starts, 8), why=True).why["overlap"]
        self.assertEqual((overlap["operation"], overlap["count"]), ("allreduce", 8))
        self.assertAlmostEqual(overlap["time_s"], sum(overlap[key] for key in ("beside_compute_s", "beside_other_s", "exposed_s")))
        fluid = {"name": "fluid", "topology": {"kind": "ring", "nodes": 8}, "network": "fluid",
                 "link": {"latency": "1us", "bandwidth": "1GBps"}}  # fmt: skip
        with self.assertRaisesRegex(dcube.InputError, "why: .*fluid"):
            dcube.run(RING, machine=fluid, why=True)

    def test_pandas_is_imported_when_asked_for(self):
        code = (
            "import dcube, sys; r = dcube.run('quickstart', intervals=True); r.data; repr(r);"
            "assert 'pandas' not in sys.modules and 'matplotlib' not in sys.modules;"
            "print(len(r.to_pandas()), list(r.to_pandas('intervals').columns), len(r.to_pandas('processes')),"
            "len(r.to_pandas('stages')), len(r.to_pandas('nodes')))"
        )
        done = subprocess.run(["/usr/bin/python3", "-c", code], text=True, capture_output=True, check=False)
        self.assertEqual(done.stderr, "")
        columns = "['process', 'activity', 'stage', 'begin_ps', 'end_ps', 'peer']"
        self.assertEqual(done.stdout.strip(), f"256 {columns} 64 6 64")

    def test_phases_are_a_table(self):
        loop = {"repeat": 3, "phases": [{"exchange": 100, "name": "halo"}, {"compute": "1us * rank"}]}
        pattern = dict(RING, embedding="standard", program={"kind": "pattern", "guest": "ring:8", "phases": [loop]})
        result = dcube.run(pattern, why=True)
        table = result.to_pandas("phases")
        self.assertEqual(list(table["name"]), ["halo", "compute"])
        self.assertEqual(list(table["iterations"]), [3, 3])
        self.assertEqual(list(table["messages"]), [48, 0])
        self.assertAlmostEqual(table["critical_path_s"].sum(), result.makespan_s)
        self.assertAlmostEqual(table["time_s"].sum() + result.data["time_s"]["idle"]["mean"], result.makespan_s)
        self.assertEqual(dcube.run(RING).phases, [])

    def test_a_table_for_notebooks(self):
        text = self.result._repr_html_()
        self.assertIn("<table>", text)
        self.assertIn("cc_dcube", text)
        hostile = dcube.run(dict(RING, machine={"name": "<b>", "topology": {"kind": "ring", "nodes": 8}}))
        self.assertIn("&lt;b&gt;", hostile._repr_html_())
        self.assertNotIn("<b>", hostile._repr_html_())

    def test_pictures(self):
        from matplotlib.figure import Figure

        for kind in ("links", "nodes", "embedding"):
            with self.subTest(kind=kind):
                figure = self.result.plot(kind, title="a title")
                self.assertIsInstance(figure, Figure)
                self.assertEqual(figure._suptitle.get_text(), "a title")
        with self.assertRaisesRegex(ValueError, "links"):
            self.result.plot("nonsense")
        with self.assertRaisesRegex(TypeError, "no options"):
            self.result.plot("links", nonsense=1)

    def test_a_saved_result_is_one_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            self.result.save(file)
            self.assertEqual(json.loads(file.read_text())["simulation"]["fingerprint"], self.result.fingerprint)

    def test_what_is_saved_replaces_a_file_as_a_whole(self):
        for saved in (self.result, dcube.sweep("quickstart", vary={"/seed": [1, 2]})):
            with self.subTest(type(saved).__name__), tempfile.TemporaryDirectory() as name:
                file = pathlib.Path(name) / "kept"
                file.write_text("old")
                (file.parent / "other").hardlink_to(file)
                saved.save(file)
                self.assertGreater(len(file.read_text()), 100)
                self.assertEqual((file.parent / "other").read_text(), "old")
                with self.assertRaisesRegex(dcube.InputError, "missing/x: .*No such file or directory"):
                    saved.save(file.parent / "missing" / "x")

    def test_results_can_be_pickled(self):
        copy = pickle.loads(pickle.dumps(self.result))
        self.assertEqual(copy.fingerprint, self.result.fingerprint)
        self.assertEqual(copy.link_loads.tolist(), self.result.link_loads.tolist())
        self.assertEqual(copy.data, self.result.data)
        self.assertEqual(len(copy.intervals["process"]), len(self.result.intervals["process"]))
        self.assertEqual(str(copy), str(self.result))


class Complaints(unittest.TestCase):
    def complaint(self, *arguments, **options):
        with self.assertRaises(dcube.InputError) as caught:
            dcube.run(*arguments, **options)
        return caught.exception

    def test_the_line_is_that_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bad.json"
            file.write_text(json.dumps({"schema_version": 1, "machine": {"topology": {"kind": "torus", "shape": [4, 0]}},
                                        "program": {"kind": "fft"}}))  # fmt: skip
            error = self.complaint(file)
            printed = command_line("run", file).stderr
            self.assertEqual(f"dcube: {error}\n", printed)
            self.assertEqual(error.place, f"{file}: /machine/topology/shape/1")
            self.assertEqual(error.problem, "0 is not a side (a positive integer)")

    def test_what_is_legal_and_hardly_meant_is_a_warning(self):
        with self.assertWarnsRegex(RuntimeWarning, "/link/bandwidth: is below 1 kB/s"):
            dcube.run("quickstart", set={"/machine/link": {"latency": "1us", "bandwidth": 10}})

    def test_a_dict_has_places_too(self):
        error = self.complaint({"machine": "ring:8", "program": {"kind": "cc_dcube", "mesage": 1}})
        self.assertEqual(str(error), "scenario: /program/mesage: unknown key; did you mean `message`?")
        self.assertIsInstance(error, ValueError)

    def test_what_json_has_no_form_for(self):
        for value in (float("nan"), float("inf"), object(), 1j, fractions.Fraction(1, 3)):
            with self.subTest(value=value):
                self.assertEqual(self.complaint(dict(RING, seed=value)).place.partition(":")[0], "scenario")
        endless = float("nan")
        for place, given in (
            ("scenario: /seed", {"scenario": {**RING, "seed": endless}}),
            ("set[/program/compute]", {"scenario": "quickstart", "set": {"/program/compute": endless}}),
            ("set[/embedding]: /map/1", {"scenario": "quickstart", "set": {"/embedding": {"map": [0, endless]}}}),
        ):
            with self.subTest(place=place):
                error = self.complaint(**given)
                self.assertEqual((error.place, error.problem[:21]), (place, "nan is no number of a"))
        with self.assertRaisesRegex(dcube.ArgumentError, "^vary: /program/compute/1: nan is no number"):
            dcube.sweep("quickstart", vary={"/program/compute": [1, endless]})

    def test_unknown_names(self):
        self.assertIn("no embedding", str(self.complaint("quickstart", embedding="xorr")))
        self.assertEqual(self.complaint("quickstart", embedding="xorr").place, "embedding")
        self.assertIn("neither such a file", str(self.complaint("nothing-of-the-kind")))
        with self.assertRaises(TypeError):
            dcube.run(5)
        with self.assertRaises(TypeError):
            dcube.run("quickstart", embeding="xor")

    def test_errors_can_be_pickled(self):
        error = pickle.loads(pickle.dumps(self.complaint("quickstart", embedding="xorr")))
        self.assertEqual((error.place, type(error)), ("embedding", dcube.InputError))

    def test_what_does_not_fit_in_memory(self):
        for call in (
            "run(machine='hypercube:22', program='cc_dcube', embedding='identity')",
            "search(machine='torus:8192x8192', traffic='mesh:4096x4096', effort=10)",
            "subcubes(traffic='mesh:4096x4096', subcube=1)",
            "embed('torus:8192x8192', traffic='mesh:4096x4096')",
        ):
            code = f"import dcube, resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); dcube.{call}"
            done = subprocess.run(["/usr/bin/python3", "-c", code], text=True, capture_output=True, check=False)
            self.assertRegex(done.stderr, r"dcube\.errors\.MemoryError: .* does not fit in memory")
        self.assertTrue(issubclass(dcube.MemoryError, (MemoryError, dcube.InputError)))

    def test_what_python_has_keeps_its_name(self):
        names = {}
        exec("from dcube import *", names)
        self.assertFalse((set(names) - {"__builtins__"}) & set(dir(builtins)))
        self.assertIn("InputError", names)

    def test_an_outcome_is_a_result(self):
        result = dcube.run(program=lambda p: (yield p.receive(p.rank ^ 1)), processes=2, machine="ring:2")
        self.assertEqual(result.outcome, "deadlock")
        self.assertEqual(result.data["cycle"], [0, 1])
        with self.assertRaisesRegex(dcube.OutcomeError, "deadlock") as caught:
            result.raise_for_outcome()
        self.assertIs(caught.exception.result, result)
        self.assertEqual(dcube.run(RING).raise_for_outcome().outcome, "completed")


class Progress(unittest.TestCase):
    def test_a_function_is_told(self):
        told = []
        dcube.run("quickstart", machine="torus:256x256", progress=lambda *words: told.append(words))
        self.assertGreater(len(told), 0)
        ended, processes, time_ps = told[-1]
        self.assertTrue(0 <= ended <= processes == 65536 and isinstance(time_ps, int))

    def test_what_it_raises_ends_the_run(self):
        def stop(*_):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            dcube.run("quickstart", machine="torus:256x256", progress=stop)
        self.assertEqual(dcube.run("quickstart").outcome, "completed")


if __name__ == "__main__":
    unittest.main()
