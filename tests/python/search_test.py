"""dcube.embed and dcube.search."""

import json
import os
import pathlib
import subprocess
import tempfile
import types
import unittest

import dcube
import numpy

PROGRAM = os.environ["DCUBE_PROGRAM"]
HARD = {"machine": "torus:16x16", "traffic": "cube:8", "weights": [2**i for i in range(8)], "method": "annealing"}


def printed(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "--json"], text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


class Embed(unittest.TestCase):
    def test_the_measures_are_those_of_the_command_line(self):
        for machine, name in (("torus:4x8", "xor"), ("ring:16", "standard"), ("ncube10-64", "xor")):
            with self.subTest(machine=machine):
                self.assertEqual(dcube.embed(machine, name).data, printed("embed", machine, "--embedding", name))

    def test_what_it_offers(self):
        placed = dcube.embed("ring:16", "standard", compute="1us", hop="5us")
        self.assertEqual(placed.distances, [1, 2, 4, 8])
        self.assertEqual(placed.spectrum, {1: 8, 2: 8, 4: 8, 8: 8})
        self.assertEqual(placed.map.tolist(), list(range(16)))
        self.assertEqual(placed.map.dtype, numpy.uint32)
        self.assertEqual(placed.cc["makespan_s"], 79e-6)
        self.assertEqual(list(placed.to_pandas()["edges"]), [8, 8, 8, 8])
        self.assertIn("<table>", placed._repr_html_())
        self.assertIn("distances", str(placed))
        for kind in ("embedding", "dilation"):
            self.assertGreater(len(placed.plot(kind).axes), 0)

    def test_what_traffic_has_not_is_none(self):
        placed = dcube.embed("torus:4x4", "xor", traffic=numpy.ones((16, 16)))
        for name in ("spectrum", "link_load", "node_load", "gonzalez_load", "cc", "bound", "distances"):
            self.assertIsNone(getattr(placed, name), name)
        for call in (placed.to_pandas, lambda: placed.plot("dilation")):
            with self.assertRaisesRegex(dcube.Error, "^traffic has no dilation spectrum"):
                call()
        self.assertGreater(len(placed.plot().axes), 0)

    def test_maps_shapes_and_machines_of_ones_own(self):
        machine = {"topology": {"kind": "mesh", "shape": [4, 4]}}
        own = dcube.embed(machine, range(16), guest="mesh:4x4")
        self.assertEqual(own.dilation["longest"], 1)
        self.assertIsNone(own.cc)
        again = dcube.embed(machine, own, guest="mesh:4x4")
        self.assertEqual(again.map.tolist(), own.map.tolist())
        self.assertEqual(dcube.run(machine="torus:4x4", program="cc_dcube", embedding=own).map.tolist(), list(range(16)))

    def test_traffic_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "traffic.csv"
            file.write_text("from,to,bytes\n0,1,10\n1,2,20\n2,0,5\n")
            of_file = dcube.embed("ring:4", "identity", traffic=file).data
            found = dcube.search(machine="ring:4", traffic=file)
            tasks = dcube.subcubes(traffic=file, subcube=1).data
        self.assertEqual(found.cost, 40)
        dense = numpy.array([[0, 10, 0], [0, 0, 20], [5, 0, 0]])

        class Sparse:
            def tocoo(self):
                row, col = dense.nonzero()
                return types.SimpleNamespace(shape=dense.shape, row=row, col=col, data=dense[row, col])

        class Parts(Sparse):
            def tocoo(self):
                data = numpy.array([127, -117, 0.5, 19.5, 5], "f2")
                return types.SimpleNamespace(shape=(3, 3), row=numpy.array([0, 0, 1, 1, 2]), col=numpy.array([1, 1, 2, 2, 0]), data=data)

        rows = dense.tolist()
        for matrix in (dense, dense.astype("f4"), rows, Sparse(), Parts(), dense.astype(object), (tuple(row) for row in rows)):
            if isinstance(matrix, types.GeneratorType):
                self.assertEqual(dcube.embed("ring:4", "identity", traffic=matrix).data, of_file)
                continue
            with self.subTest(kind=type(matrix)):
                self.assertEqual(dcube.embed("ring:4", "identity", traffic=matrix).data, of_file)
                again = dcube.search(machine="ring:4", traffic=matrix)
                self.assertEqual((again.cost, again.map.tolist()), (40, found.map.tolist()))
                self.assertEqual(again.data["traffic"], found.data["traffic"] | {"name": "matrix"})
                self.assertEqual(dcube.place(machine="ring:4", traffic=matrix).cost, 40)
                self.assertEqual(dcube.subcubes(traffic=matrix, subcube=1).data, tasks | {"source": "matrix"})

    def test_the_largest_entry_of_a_matrix(self):
        for kind in ("i8", "u8"):
            most = dcube.embed("ring:4", "identity", traffic=numpy.array([[0, 2**63 - 1], [0, 0]], kind))
            self.assertEqual(most.data["traffic"]["bytes"], 2**63 - 1)

    def test_complaints_about_a_matrix(self):
        numbers, none = "entry that is no number of bytes", numpy.zeros(0, "u8")
        for matrix, words in (
            ([[0, 1, 5]], r"shape \(1, 3\)"), ([1, 2], r"shape \(2,\)"), ([], r"shape \(0,\)"), ([[1], [2, 3]], "shape"),
            ([[0, -1], [0, 0]], numbers), ([[0, 0.5], [0, 0]], numbers), ([[0, float("nan")], [0, 0]], numbers),
            ([["a", "b"], ["c", "d"]], numbers), ([[0, 2**63], [0, 0]], numbers), ([[0, 2**70], [0, 0]], numbers), ([[0, 2**62], [2**62, 0]], "adds up"),
            (7, "7 is not a text, a path or a matrix"), (numpy.zeros((0, 0)), r"has the shape \(0, 0\)"),
            (numpy.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [0, 0]]), "masked"), ([numpy.ma.array([0, 1])] * 2, "masked"),
            (types.SimpleNamespace(tocoo=lambda: types.SimpleNamespace(shape=(2**32, 2**32), row=none, col=none, data=none)),
             "4294967296 is not a whole number"),
        ):  # fmt: skip
            with self.subTest(matrix=matrix), self.assertRaisesRegex(dcube.InputError, f"traffic: .*{words}"):
                dcube.search(machine="ring:4", traffic=matrix)
        with self.assertRaisesRegex(dcube.InputError, "weights: a matrix has its own"):
            dcube.search(machine="ring:4", traffic=[[0, 1], [1, 0]], weights="doubling")

    def test_complaints(self):
        for options, words in (
            ({"machine": "ring:x"}, "ring:x"), ({"machine": "torus:3x3", "embedding": "xor"}, "xor does not fit"),
            ({"machine": "ring:4", "embedding": "xorr"}, "embedding: .*did you mean `xor`"),
            ({"machine": "ring:4", "guest": "blob"}, "guest: "),
            ({"machine": {"topology": {"kind": "ring"}}}, "machine: /topology"),
        ):  # fmt: skip
            with self.subTest(options=options), self.assertRaisesRegex(dcube.InputError, words):
                dcube.embed(**options)

    def test_names(self):
        self.assertIn("xor", dcube.fitting_embeddings("torus:4x4", "cube:4"))
        self.assertIn("ncube10-64", dcube.machines())
        self.assertIn("quickstart", dcube.scenarios())


class Search(unittest.TestCase):
    def test_a_shape_on_a_machine(self):
        wanted = printed("search", "--machine", "torus:4x4", "--traffic", "cube:4", "--objective", "average-dilation",
                         "--effort", "5000")  # fmt: skip
        found = dcube.search(machine="torus:4x4", traffic="cube:4", objective="average-dilation", effort=5000)
        self.assertEqual(found.cost, wanted["found"]["cost"])
        self.assertEqual(found.value, wanted["found"]["value"])
        self.assertEqual(found.bound, wanted["bound"]["cost"])
        self.assertEqual(found.map.tolist(), wanted["map"])
        self.assertEqual(found.gap, wanted["gap"])
        self.assertEqual(found.origin, wanted["found"]["origin"])
        self.assertEqual(found.starts, {start["embedding"]: start["cost"] for start in wanted["starts"]})

    def test_weights(self):
        wanted = printed("search", "--machine", "ring:16", "--traffic", "cube:4", "--weights", "1,2,4,8",
                         "--effort", "2000")  # fmt: skip
        found = dcube.search(machine="ring:16", traffic="cube:4", weights=[1, 2, 4, 8], effort=2000)
        self.assertEqual(found.cost, wanted["found"]["cost"])

    def test_the_mean_over_seeds_of_the_jitter(self):
        wanted = printed("search", "quickstart", "--jitter", "0.05", "--objective", "makespan", "--effort", "10",
                         "--seeds", "2")  # fmt: skip
        found = dcube.search("quickstart", set={"/jitter": 0.05}, objective="makespan", effort=10, seeds=2)
        self.assertEqual(found.data["found"], wanted["found"])
        self.assertEqual(found.data["found"]["seeds"], 2)

    def test_an_enumeration(self):
        found = dcube.search(machine="ring:8", traffic="cube:3", objective="longest-dilation")
        self.assertEqual(found.method, "exhaustive")
        self.assertTrue(found.is_optimal)
        self.assertGreater(found.optima, 0)
        self.assertEqual(found.gap, 0)

    def test_a_scenario_by_its_traffic(self):
        found = dcube.search("quickstart", effort=2000, objective="hop-bytes")
        wanted = printed("search", "quickstart", "--effort", "2000", "--objective", "hop-bytes")
        self.assertEqual(found.cost, wanted["found"]["cost"])

    def test_a_scenario_by_simulation(self):
        wanted = printed("search", "quickstart", "--effort", "40", "--objective", "makespan", "--method", "annealing")
        found = dcube.search("quickstart", effort=40, objective="makespan", method="annealing")
        self.assertEqual(found.cost, wanted["found"]["cost"])
        self.assertEqual(dcube.run("quickstart", embedding=found).makespan_ps, found.cost)

    def test_a_time_limit_leaves_one_start_to_simulate(self):
        for jobs in (None, 2):
            found = dcube.search("quickstart", objective="makespan", time_limit_s=1e-9, jobs=jobs)
            self.assertEqual((len(found.starts), found.is_cut_short), (1, True))

    def test_a_program_in_python_by_simulation(self):
        def program(p):
            other = yield p.exchange(p.size - 1 - p.rank, bytes=1000)
            yield p.compute("1us")
            return other

        found = dcube.search(program=program, processes=8, machine="ring:8", objective="makespan", effort=50)
        best = dcube.run(program=program, processes=8, machine="ring:8", embedding=found)
        usual = dcube.run(program=program, processes=8, machine="ring:8", embedding="identity")
        self.assertEqual(best.makespan_ps, found.cost)
        self.assertLess(best.makespan_ps, usual.makespan_ps)
        self.assertIn("makespan", found._repr_html_())

    def test_what_a_program_raises_ends_the_search(self):
        def program(p):
            yield p.compute(1)
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            dcube.search(program=program, processes=8, machine="ring:8", objective="makespan")

    def test_the_number_of_threads_changes_nothing(self):
        one = dcube.search(**HARD, effort=300_000, jobs=1)
        three = dcube.search(**HARD, effort=300_000, jobs=3)
        self.assertEqual((one.cost, one.map.tolist()), (three.cost, three.map.tolist()))
        self.assertEqual(dcube.search(**HARD, effort=300_000).cost, one.cost)

    def test_what_progress_raises_ends_all_threads(self):
        def enough(*_):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            dcube.search(**HARD, effort=10**12, jobs=3, progress=enough)

    def test_an_allocation_of_a_few_nodes_is_enumerated(self):
        found = dcube.search(machine="mesh:4x4", traffic="ring:6", only=[0, 1, 2, 4, 5, 6])
        self.assertEqual((found.method, found.is_optimal), ("exhaustive", True))

    def test_only_takes_hosts(self):
        found = dcube.search(machine="mesh:4x4", traffic="ring:3", hosts="cn{}", only="cn[4-6]")
        self.assertEqual(sorted(found.map.tolist()), [4, 5, 6])
        with self.assertRaisesRegex(dcube.InputError, 'only: "gone.txt" is neither a node .* and no file is called'):
            dcube.search(machine="mesh:4x4", traffic="ring:3", only="gone.txt")

    def test_a_time_limit(self):
        found = dcube.search(**HARD, effort=10**9, time_limit_s=0.3)
        self.assertTrue(found.is_cut_short)

    def test_progress(self):
        told = []
        dcube.search(**HARD, effort=400_000, progress=lambda *words: told.append(words))
        self.assertTrue(told and told[-1][1] == 400_000)
        dcube.search(**HARD, time_limit_s=0.5, progress=lambda *words: told.append(words))
        self.assertEqual(told[-1][1], 0)  # a budget without an end
        self.assertEqual(dcube.progress.of_search(5_000, 0, 7), "searching: 5,000, best cost 7")

    def test_progress_of_subcubes_is_one_function(self):
        told = []
        dcube.subcubes(random="tasks=12,edges=30", subcube=1, simulate=4, progress=lambda done, most, more: told.append((most, more)))
        self.assertEqual({most for most, _ in told}, {1, 8})
        self.assertGreater(told[0][1], 0)

    def test_jobs_of_simulations(self):
        for question in (dcube.search, dcube.place):
            hard = {"scenario": "quickstart", "set": {"/jitter": 0.3}, "objective": "makespan", "effort": 40}
            maps = {tuple(question(**hard, jobs=jobs).map) for jobs in (None, 1, 3)}
            self.assertEqual(len(maps), 1)

        def raising(*_):
            raise ValueError

        with self.assertRaises(ValueError):
            dcube.search(**{**hard, "effort": 10_000}, jobs=2, progress=raising)

    def test_complaints(self):
        for options, words in (
            ({"machine": "ring:4", "traffic": "cube:3"}, "traffic"),
            ({"machine": "ring:4", "traffic": "cube:2", "objective": "makespan"}, "takes a scenario"),
            ({"machine": "ring:4", "traffic": "cube:2", "objective": "makspan"}, "did you mean `makespan`"),
            ({"machine": "ring:4", "traffic": "cube:2", "method": "anealing"}, "did you mean `annealing`"),
            ({"machine": "ring:4", "traffic": "cube:2", "weights": [1]}, "1 weights for 2 dimensions"),
            ({"machine": "ring:4", "traffic": "cube:2", "objective": "link-load", "jobs": 2}, "jobs: is a number of threads"),
            ({"machine": "ring:4", "traffic": "cube:2", "jobs": 0}, "jobs: 0 is not a whole number from 1"),
        ):  # fmt: skip
            with self.subTest(options=options), self.assertRaisesRegex(dcube.InputError, words):
                dcube.search(**options)
        with self.assertRaises(TypeError):
            dcube.search(traffic="cube:2")


class Nodes(unittest.TestCase):
    def test_nodes_are_chosen_and_processes_pinned(self):
        found = dcube.search(
            machine="torus:4x4", traffic="ring:8", only=range(12), avoid=[0, 5], pins={2: 7}, effort=2000,
            objective="hop-bytes+0.5*link-load",
        )  # fmt: skip
        self.assertFalse({0, 5, 12, 13, 14, 15} & set(found.map.tolist()))
        self.assertEqual(found.map[2], 7)
        self.assertEqual(found.value, found.cost / 2)
        for options, words in (
            ({"avoid": [16]}, "avoid: 16 is not a node"), ({"only": [3]}, "16 processes|8 processes"),
            ({"pins": {8: 1}}, "8 is not a process"), ({"pins": {0: 16}}, "16 is not a node"),
            ({"pins": {0: 1, 1: 1}}, "2 processes are pinned"), ({"objective": "link-time"}, "per_byte"),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(dcube.InputError, words):
                dcube.search(machine="torus:4x4", traffic="ring:8", **options)


if __name__ == "__main__":
    unittest.main()
