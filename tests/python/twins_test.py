"""Python and the command line give the same answers, field by field, and the same refusals."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import dcube

PROGRAM = os.environ["DCUBE_PROGRAM"]
MEASURED = {"wall_s", "history", "bound_history"}  # what the clock has a part in
SCENARIO = {
    "schema_version": 1,
    "machine": {"topology": {"kind": "mesh", "shape": [3, 3]}, "node": {"slots": 2},
                "link": {"latency": "1us", "per_byte": "1ns"}},
    "program": {"kind": "all_to_all", "processes": 12, "message": 24},
    "embedding": {"kind": "block"},
}  # fmt: skip
#: A command line, and the same as keywords of Python.
SHAPES = (
    ("--machine ring:8 --traffic cube:3", {"machine": "ring:8", "traffic": "cube:3"}),
    ("--machine ring:8 --traffic cube:3 --objective longest-dilation --method exhaustive",
     {"machine": "ring:8", "traffic": "cube:3", "objective": "longest-dilation", "method": "exhaustive"}),
    ("--machine torus:2x4 --traffic ring:7 --objective link-load", {"machine": "torus:2x4", "traffic": "ring:7",
     "objective": "link-load"}),
    ("--machine torus:4x4 --traffic cube:4 --weights doubling --effort 3000 --seed 5",
     {"machine": "torus:4x4", "traffic": "cube:4", "weights": "doubling", "effort": 3000, "seed": 5}),
    ("--machine mesh:4x4 --traffic mesh:4x4 --weights 1,5000000000 --effort 3000 --method annealing",
     {"machine": "mesh:4x4", "traffic": "mesh:4x4", "weights": [1, 5000000000], "effort": 3000,
      "method": "annealing"}),
    ("--machine torus:4x4 --traffic cube:4 --method scotch", {"machine": "torus:4x4", "traffic": "cube:4",
     "method": "scotch"}),
    ("--machine ring:8 --traffic cube:3 --method constant-distances",
     {"machine": "ring:8", "traffic": "cube:3", "method": "constant-distances"}),
    ("--machine ring:8 --traffic cube:3 --objective cc-time --compute 2us --hop 3us",
     {"machine": "ring:8", "traffic": "cube:3", "objective": "cc-time", "compute": "2us", "hop": "3us"}),
    ("--machine ncube10-64 --traffic mesh:4x4 --objective link-time --effort 2000 --why",
     {"machine": "ncube10-64", "traffic": "mesh:4x4", "objective": "link-time", "effort": 2000, "why": True}),
    ("--machine torus:4x4 --traffic ring:8 --only 0-11 --avoid 0,5 --pin 2=7 --effort 2000 --why "
     "--objective hop-bytes+20%*link-load",
     {"machine": "torus:4x4", "traffic": "ring:8", "only": range(12), "avoid": [0, 5], "pins": {2: 7},
      "effort": 2000, "why": True, "objective": "hop-bytes+20%*link-load"}),
    ("--machine mesh:2x2 --traffic line:3 --hosts n{} --avoid n1 --pin 0=n3",
     {"machine": "mesh:2x2", "traffic": "line:3", "hosts": "n{}", "avoid": ["n1"], "pins": {0: "n3"}}),
)  # fmt: skip
SCENARIOS = (
    ("--effort 2000", {"effort": 2000}),
    ("--embedding cyclic --effort 2000 --avoid 8 --objective average-dilation",
     {"embedding": "cyclic", "effort": 2000, "avoid": [8], "objective": "average-dilation"}),
    ("--set /program/message=99 --set /machine/node/slots=3 --effort 1000",
     {"set": {"/program/message": 99, "/machine/node/slots": 3}, "effort": 1000}),
    ("--objective makespan --method annealing --effort 30 --why",
     {"objective": "makespan", "method": "annealing", "effort": 30, "why": True}),
    ("--objective cc-time", {"objective": "cc-time"}),
)  # fmt: skip
PLACES = (
    ("--machine torus:4x4 --traffic cube:4 --weights halving --against standard --effort 2000",
     {"machine": "torus:4x4", "traffic": "cube:4", "weights": "halving", "against": "standard", "effort": 2000}),
    ("--machine torus:4x4 --traffic cube:4 --method scotch --against xor",
     {"machine": "torus:4x4", "traffic": "cube:4", "method": "scotch", "against": "xor"}),
    ("--machine mesh:3x3 --traffic ring:8 --effort 2000 --avoid 4", {"machine": "mesh:3x3", "traffic": "ring:8",
     "effort": 2000, "avoid": [4]}),
)  # fmt: skip
DRAWN = {"machine": {"topology": {"kind": "torus", "shape": [4, 4]}, "link": {"latency": "1us"},
                     "routing": {"kind": "minimal_adaptive"}}}  # fmt: skip
REFUSALS = (
    ("--machine ring:4 --traffic cube:3", {"machine": "ring:4", "traffic": "cube:3"}),
    ("--machine ring:4 --traffic cube:2 --weights 1", {"machine": "ring:4", "traffic": "cube:2", "weights": [1]}),
    ("--machine ring:4 --traffic cube:2 --weights 1,x", {"machine": "ring:4", "traffic": "cube:2", "weights": "1,x"}),
    ("--machine ring:4 --traffic cube:2 --objective makespan",
     {"machine": "ring:4", "traffic": "cube:2", "objective": "makespan"}),
    ("--machine ring:4 --traffic cube:2 --objective makspan",
     {"machine": "ring:4", "traffic": "cube:2", "objective": "makspan"}),
    ("--machine ring:4 --traffic cube:2 --effort 9 --method scotch",
     {"machine": "ring:4", "traffic": "cube:2", "effort": 9, "method": "scotch"}),
    ("--machine ring:4 --traffic cube:2 --hop 2us", {"machine": "ring:4", "traffic": "cube:2", "hop": "2us"}),
    ("--machine ring:4 --traffic cube:2 --avoid 4", {"machine": "ring:4", "traffic": "cube:2", "avoid": [4]}),
    ("--machine ring:4 --traffic cube:2 --avoid 3", {"machine": "ring:4", "traffic": "cube:2", "avoid": [3]}),
    ("--machine ring:4 --traffic cube:2 --avoid node", {"machine": "ring:4", "traffic": "cube:2", "avoid": ["node"]}),
    ("--machine ring:4 --traffic line:3 --pin 3=0", {"machine": "ring:4", "traffic": "line:3", "pins": {3: 0}}),
    ("--machine ring:4 --traffic line:3 --pin 0=0,1=0",
     {"machine": "ring:4", "traffic": "line:3", "pins": {0: 0, 1: 0}}),
    ("--machine ring:4 --traffic no.csv", {"machine": "ring:4", "traffic": "no.csv"}),
    ("--machine ring:4 --traffic cube:2 --objective link-time",
     {"machine": "ring:4", "traffic": "cube:2", "objective": "link-time"}),
    ("drawn.json --objective link-load", {"scenario": "drawn.json", "objective": "link-load"}),
    ("drawn.json --hosts x{}", {"scenario": "drawn.json", "hosts": "x{}"}),
    ("drawn.json --set /program/x/y/z=1", {"scenario": "drawn.json", "set": {"/program/x/y/z": 1}}),
    ("drawn.json --embedding xorr", {"scenario": "drawn.json", "embedding": "xorr"}),
)  # fmt: skip
OPTIONS = ("--objective", "--method", "--machine", "--traffic", "--weights", "--avoid", "--only", "--hosts", "--effort",
           "--hop", "--set", "--embedding")  # fmt: skip


def asked(command, words, code=0):
    done = subprocess.run([PROGRAM, command, *words.split()], text=True, capture_output=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stderr}")
    return done


def printed(command, words):
    return json.loads(asked(command, words + " --json").stdout)


def in_keywords(complaint):
    """A complaint of the command line in the words of Python."""
    for option in OPTIONS:
        complaint = complaint.replace(option, option[2:].replace("-", "_"))
    return complaint.replace("--pin", "pins").replace("SCENARIO", "scenario").removeprefix("dcube: ").strip()


class Twins(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.before = os.getcwd()
        os.chdir(cls.folder.name)
        pathlib.Path("own.json").write_text(json.dumps(SCENARIO))
        pathlib.Path("drawn.json").write_text(json.dumps(SCENARIO | DRAWN | {"embedding": "xor",
                                              "program": {"kind": "all_to_all", "processes": 16}}))  # fmt: skip

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.folder.cleanup()

    def expect_same(self, command, words, found):
        wanted = printed(command, words)
        self.assertEqual(list(found.data), list(wanted))
        for key, value in wanted.items():
            if key == "place":
                value, got = value | {"files": []}, found.data[key] | {"files": []}
                self.assertEqual(got, value)
            elif key not in MEASURED:
                self.assertEqual(found.data[key], value, key)
        self.assertEqual(found.map.tolist(), wanted["map"])
        self.assertEqual([step["cost"] for step in found.data["history"]],
                         [step["cost"] for step in wanted["history"]])  # fmt: skip

    def test_shapes_on_machines(self):
        for words, keywords in SHAPES:
            with self.subTest(words=words):
                self.expect_same("search", words, dcube.search(**keywords))

    def test_scenarios_in_files_and_as_dictionaries(self):
        for words, keywords in SCENARIOS:
            with self.subTest(words=words):
                if keywords.get("objective") == "cc-time":
                    self.expect_refusal("own.json " + words, {"scenario": "own.json", **keywords})
                    continue
                self.expect_same("search", "own.json " + words, dcube.search("own.json", **keywords))
                self.expect_same("search", "own.json " + words, dcube.search(SCENARIO, **keywords))

    def test_places(self):
        for words, keywords in PLACES:
            with self.subTest(words=words):
                self.expect_same("place", words, dcube.place(**keywords))
        for words, keywords in SCENARIOS[:-1]:
            with self.subTest(words=words):
                self.expect_same("place", "own.json " + words, dcube.place("own.json", **keywords))

    def test_collectives(self):
        for words, keywords in (
            ("allreduce --machine torus:2x4 --bytes 1KiB:64KiB:x8",
             {"operation": "allreduce", "machine": "torus:2x4", "bytes": "1KiB:64KiB:x8"}),
            ("alltoall --machine mesh:2x2 --bytes 4096,1MiB --algorithm linear --embedding identity,snake "
             "--network cut_through,fluid --no-crossovers --set /machine/link/latency=2us",
             {"operation": "alltoall", "machine": "mesh:2x2", "bytes": [4096, "1MiB"], "algorithms": "linear",
              "embeddings": ["identity", "snake"], "networks": ["cut_through", "fluid"], "crossovers": False,
              "set": {"/machine/link/latency": "2us"}}),
            ("broadcast --machine ring:5 --bytes 60 --root 3 --ports all --value-bytes 1",
             {"operation": "broadcast", "machine": "ring:5", "bytes": 60, "root": 3, "ports": "all", "value_bytes": 1}),
            ("allreduce --machine torus:2x4 --bytes 1KiB --axes b=4,a=2 --over a",
             {"operation": "allreduce", "machine": "torus:2x4", "bytes": 1024, "axes": {"b": 4, "a": 2}, "over": "a"}),
            ("reduce --machine ring:4 --bytes 1KiB --compute 1ns --seed 3 --embedding random",
             {"operation": "reduce", "machine": "ring:4", "bytes": 1024, "compute": "1ns", "seed": 3,
              "embeddings": "random"}),
        ):  # fmt: skip
            with self.subTest(words=words):
                self.assertEqual(dcube.collective(**keywords).data, printed("collective", words))

    def test_refusals_of_collectives(self):
        for words, keywords in (
            ("allredu --machine ring:4", {"operation": "allredu", "machine": "ring:4"}),
            ("allreduce --machine rin:4", {"operation": "allreduce", "machine": "rin:4"}),
            ("allreduce --machine ring:4 --bytes 3", {"operation": "allreduce", "machine": "ring:4", "bytes": 3}),
            ("allreduce --machine ring:4 --root 1", {"operation": "allreduce", "machine": "ring:4", "root": 1}),
            ("scatter --machine ring:4 --root 4", {"operation": "scatter", "machine": "ring:4", "root": 4}),
            ("scatter --machine ring:4 --compute 1s", {"operation": "scatter", "machine": "ring:4", "compute": "1s"}),
            ("allreduce --machine ring:4 --algorithm ringg",
             {"operation": "allreduce", "machine": "ring:4", "algorithms": "ringg"}),
            ("allreduce --machine ring:4 --embedding no.map",
             {"operation": "allreduce", "machine": "ring:4", "embeddings": "no.map"}),
            ("allreduce --machine ring:4 --axes a=4 --over b",
             {"operation": "allreduce", "machine": "ring:4", "axes": {"a": 4}, "over": "b"}),
            ("allreduce --machine ring:4 --network fluid --check-links",
             {"operation": "allreduce", "machine": "ring:4", "networks": "fluid", "check_links": True}),
            ("allreduce --machine ring:4 --set /program/bytes=8",
             {"operation": "allreduce", "machine": "ring:4", "set": {"/program/bytes": 8}}),
            ("allreduce --machine ring:4 --network fluid --set /machine/network=switched",
             {"operation": "allreduce", "machine": "ring:4", "networks": "fluid", "set": {"/machine/network": "switched"}}),
            ("allreduce --machine ring:4 --network fluidd",
             {"operation": "allreduce", "machine": "ring:4", "networks": "fluidd"}),
        ):  # fmt: skip
            with self.subTest(words=words):
                wanted = asked("collective", words, 2).stderr.removeprefix("dcube: ").strip()
                for option, keyword in (("--bytes", "bytes"), ("--machine", "machine"), ("--root", "root"),
                                        ("--compute", "compute"), ("--algorithm", "algorithms"),
                                        ("--embedding", "embeddings"), ("--network", "networks"), ("--over", "over"),
                                        ("--check-links", "check_links"), ("--set", "set"),
                                        ("OPERATION", "operation")):  # fmt: skip
                    wanted = wanted.replace(option, keyword)
                with self.assertRaises(dcube.InputError) as raised:
                    dcube.collective(**keywords)
                self.assertEqual(str(raised.exception), wanted)

    def test_a_placed_map_and_fair_links_are_compared(self):
        machine = ('/machine={"topology":{"kind":"mesh","shape":[3,3]},"node":{"slots":2},'
                   '"link":{"latency":"200ns","bandwidth":"1GBps"},"switching":"cut_through"}')  # fmt: skip
        words = ["compare", "own.json", "--embedding", "block,cyclic", "--set", machine, "--place", "link-load", "--check-links", "--json"]
        wanted = json.loads(subprocess.run([PROGRAM, *words], text=True, capture_output=True, check=True).stdout)
        found = dcube.compare("own.json", ["block", "cyclic"], set={"/machine": json.loads(machine[9:])},
                              place="link-load", check_links=True)  # fmt: skip
        self.assertEqual(found.placed, wanted["placed"])
        self.assertEqual((found.machine, found.hop, found.network), (wanted["machine"], wanted["hop"], wanted["network"]))
        keys = ("embedding", "makespan_ps", "fingerprint", "fair_links_makespan_s")
        self.assertEqual([[row[key] for key in keys] for row in found.rows], [[run[key] for key in keys] for run in wanted["runs"]])
        self.assertEqual(found.rows[2]["embedding"], "placed")
        fair = found.best_under_fair_links
        self.assertEqual(fair and fair["embedding"], wanted.get("best_under_fair_links"))
        for words, keywords in (
            ("--place banana", {"place": "banana"}),
            ("--place hop-bytes --network fluid", {"place": "hop-bytes", "networks": "fluid"}),
            ("--place hop-bytes --process-count 4", {"place": "hop-bytes", "process_numbers": 4}),
            ("--check-links --network fluid", {"check_links": True, "networks": "fluid"}),
        ):  # fmt: skip
            with self.subTest(words=words), self.assertRaises(dcube.InputError) as raised:
                dcube.compare("own.json", **keywords)
            complaint = asked("compare", "own.json " + words, 2).stderr.removeprefix("dcube: ").strip()
            self.assertEqual(str(raised.exception), complaint.replace("--place", "place").replace("--check-links", "check_links"))

    def test_comparisons_have_the_same_rows(self):
        own = {"embeddings": ["block", "cyclic"]}
        for words, keywords in (
            ("--jitter 0", {"ties": False}), ("--why", {"why": True}), ("--network store_and_forward,fluid", {"networks": ["store_and_forward", "fluid"]}),
            ("--failures 1", {"failures": 1}), ("--failures 1,2 --seeds 3", {"failures": [1, 2], "seeds": 3}),
        ):  # fmt: skip
            with self.subTest(words=words):
                wanted = printed("compare", f"own.json --embedding block,cyclic {words}")["runs"]
                found = dcube.compare("own.json", **own, **keywords).rows
                known = [key for key in wanted[0] if key in found[0] and key != "problem"]
                self.assertGreater(len(known), 10)
                self.assertEqual([{key: run[key] or 0 for key in known} for run in wanted],
                                 [{key: row[key] or 0 for key in known} for row in found])  # fmt: skip

    def test_fit(self):
        folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "fit"
        found = dcube.fit(folder / "guess.json", folder / "osu_latency.txt", vary=["/link/latency=1ns:9us", "/link/bandwidth"],
                          set={"/machine/endpoint/send": "820ns"})  # fmt: skip
        words = f"{folder}/guess.json --measured {folder}/osu_latency.txt --vary /link/latency=1ns:9us,/link/bandwidth"
        self.assertEqual(found.data, printed("fit", words + " --set /machine/endpoint/send=820ns"))
        self.assertAlmostEqual(found.data["values"][1]["value"], 11.7e9, delta=0.02 * 11.7e9)
        self.assertEqual(found.machine["link"]["bandwidth"], found.values["/link/bandwidth"])
        self.assertEqual((len(found.rows), len(found.to_pandas())), (10, 10))
        self.assertIn("/link/latency", str(found))
        with self.assertRaisesRegex(dcube.InputError, "vary: .* is not a JSON pointer"):
            dcube.fit("ring:4", folder / "osu_latency.txt", vary="latency")

    def test_subcubes(self):
        pipeline = pathlib.Path(__file__).resolve().parents[2] / "scenarios/tasks/pipeline.json"
        pathlib.Path("mapped.json").write_text('{"schema_version": 1, "mapping": ["0*0", "0*1", "1*0"]}')
        for words, keywords in (
            (f"{pipeline} --subcube 2", {"graph": pipeline, "subcube": 2}),
            ("--random tasks=9,edges=12,w=20 --subcube 1 --seed 4 --restarts 2 --moves 10",
             {"random": {"tasks": 9, "edges": 12, "w": 20}, "subcube": 1, "seed": 4, "restarts": 2, "moves": 10}),
            ("--random tasks=4,ccp=0.5 --subcube 1 --dimensions 4 --method random --any",
             {"random": "tasks=4,ccp=0.5", "subcube": 1, "dimensions": 4, "method": "random", "any": True}),
            ("--traffic ring:3 --subcube 1 --method exhaustive --non-parallel",
             {"traffic": "ring:3", "subcube": 1, "method": "exhaustive", "non_parallel": True}),
            ("--traffic ring:3 --evaluate mapped.json", {"traffic": "ring:3", "evaluate": "mapped.json"}),
            ("--traffic mesh:2x2 --subcube 1 --simulate 3 --machine hypercube:3 --method paper",
             {"traffic": "mesh:2x2", "subcube": 1, "simulate": 3, "machine": "hypercube:3", "method": "paper"}),
        ):  # fmt: skip
            with self.subTest(words=words):
                found, wanted = dcube.subcubes(**keywords), printed("subcubes", words)
                self.assertEqual(found.data, wanted)
                self.assertEqual((found.mapping, found.bandwidth, found.gap), (wanted["mapping"], wanted["bandwidth"], wanted["gap"]))

    def test_refusals_of_subcubes(self):
        for words, keywords in (
            ("--subcube 1", {"subcube": 1}),
            ("--traffic ring:3 --random tasks=3,edges=2 --subcube 1",
             {"traffic": "ring:3", "random": "tasks=3,edges=2", "subcube": 1}),
            ("--random tasks=x --subcube 1", {"random": "tasks=x", "subcube": 1}),
            ("--traffic ring:3 --subcube 1 --moves 3 --method random",
             {"traffic": "ring:3", "subcube": 1, "moves": 3, "method": "random"}),
            ("--traffic ring:3 --subcube 1 --parallel --any",
             {"traffic": "ring:3", "subcube": 1, "parallel": True, "any": True}),
            ("--traffic ring:3 --evaluate no.json", {"traffic": "ring:3", "evaluate": "no.json"}),
            ("--traffic ring:9 --subcube 1 --dimensions 2", {"traffic": "ring:9", "subcube": 1, "dimensions": 2}),
        ):  # fmt: skip
            with self.subTest(words=words):
                wanted = asked("subcubes", words, 2).stderr.removeprefix("dcube: ").strip()
                for option in ("random", "traffic", "moves", "method", "parallel", "non-parallel", "any", "evaluate", "map",
                               "subcube", "dimensions"):  # fmt: skip
                    wanted = wanted.replace("--" + option, option.replace("-", "_"))
                with self.assertRaises(dcube.InputError) as raised:
                    dcube.subcubes(**keywords)
                self.assertEqual(str(raised.exception), wanted.replace("GRAPH", "graph"))

    def test_limits_and_types_that_python_alone_lets_through(self):
        for keywords, words in (
            ({"jobs": 0}, "jobs: 0 is not"), ({"time_limit_s": -1}, "time_limit_s: -1 is not a number of seconds above 0"),
            ({"ports": -1}, "ports: -1 is not a whole number from 1"), ({"ports": 0}, "ports: 0 is not a whole number from 1"),
            ({"networks": []}, "networks: is an empty list"), ({"over": []}, "over: is an empty list"), ({"compute": 3}, "compute: 3 has no unit"),
            ({"ports": "many"}, "ports: 'many' is not a whole number, or"), ({"bytes": []}, "bytes: names no size"),
            ({"algorithms": []}, "algorithms: names no algorithm"), ({"embeddings": ()}, "embeddings: names no embedding"),
            ({"compute": "x"}, 'compute: "x" is not a duration'), ({"compute": ""}, "compute: '' is not a duration"),
            ({"axes": {}}, "axes: is an empty dict"),
        ):  # fmt: skip
            with self.subTest(keywords=keywords), self.assertRaisesRegex(dcube.InputError, "^" + words):
                dcube.collective("allreduce", "ring:4", **{"bytes": "1KiB", **keywords})
        for keywords, words in (({"jobs": 0}, "jobs: 0 is not"), ({"time_limit_s": 0}, "time_limit_s: 0 is not"),
                                ({"embeddings": []}, "embeddings: is an empty list"),
                                ({"process_numbers": 4, "set": {"/program/dimensions": 2}},
                                 r"set: /program/dimensions changes .* \(name those to compare by process_numbers\)"),
                                ({"process_numbers": 4, "processes": 8}, "processes: stands beside process_numbers")):  # fmt: skip
            with self.subTest(keywords=keywords), self.assertRaisesRegex(dcube.InputError, "^" + words):
                dcube.compare("own.json", **{"embeddings": ["block"], **keywords})

    def test_complaints_name_arguments(self):
        times = pathlib.Path(__file__).resolve().parents[2] / "examples" / "fit" / "osu_latency.txt"
        for call, words in (
            (lambda: dcube.embed("ring:4", hop="x"), 'hop: "x" is not a duration'),
            (lambda: dcube.search(machine="ring:4", traffic="ring:4", compute="1 y"), 'compute: "1 y" is not a duration'),
            (lambda: dcube.compare("quickstart", process_numbers=3), "process_numbers: 3 is not a power of two"),
            (lambda: dcube.fit("ring:4", []), "measured: names no file"),
            (lambda: dcube.fit("ring:4", times, columns={"a": 1}), "columns: `a` is no column"),
            (lambda: dcube.fit("ring:4", times, set={"/program/phases": []}), r"set: /program/phases changes .* \(columns gives"),
        ):
            with self.subTest(words), self.assertRaisesRegex(dcube.InputError, "^" + words):
                call()

    def test_a_proven_optimum_has_no_gap(self):
        found = dcube.search(machine="mesh:2x4", traffic="tree:7", objective="longest-dilation")
        self.assertEqual((found.gap, found.is_optimal), (0, True))
        self.assertEqual(found.bounds[0][1], "enumeration of every map up to symmetry")

    def test_a_makespan_has_the_bound_of_a_run_without_queues(self):
        found = dcube.search("own.json", objective="makespan", method="annealing", effort=10)
        self.assertGreater(found.bound, 0)

    def test_embeddings(self):
        for words, keywords in (
            ("torus:4x4 --embedding xor", {"machine": "torus:4x4", "embedding": "xor"}),
            ("ring:8 --embedding standard --compute 1us --hop 2us",
             {"machine": "ring:8", "embedding": "standard", "compute": "1us", "hop": "2us"}),
            ("mesh:3x3 --embedding identity --guest ring:9 --full",
             {"machine": "mesh:3x3", "embedding": "identity", "guest": "ring:9"}),
        ):  # fmt: skip
            with self.subTest(words=words):
                self.assertEqual(dcube.embed(**keywords).data, printed("embed", words + " --full"))

    def test_sweeps(self):
        compute = ("--vary /program/message=1,64 --embedding block,cyclic",
                   {"vary": {"/program/message": [1, 64], "/embedding": ["block", "cyclic"]}})  # fmt: skip
        for words, keywords in (
            compute,
            (compute[0] + " --seeds 3 --set /jitter=0.1 --measure waiting_share,makespan_s",
             {**compute[1], "seeds": 3, "set": {"/jitter": 0.1}, "measures": ["waiting_share", "makespan_s"]}),
            ("--zip /program/message=1,2 --zip /machine/node/slots=2,3 --vary /embedding=block",
             {"zip": {"/program/message": "1,2", "/machine/node/slots": "2,3"}, "vary": {"/embedding": "block"}}),
            ("--vary /program/message=lin:1:9:5 --where /program/message<=5",
             {"vary": {"/program/message": "lin:1:9:5"}, "where": "/program/message<=5"}),
        ):  # fmt: skip
            with self.subTest(words=words):
                wanted = printed("sweep", f"own.json {words} --no-pictures --no-report")
                found = dcube.sweep("own.json", **keywords)
                named = {"study": "", "id": ""}  # after a file in Python, which has a study in any case
                for given in (wanted, found.data):
                    given["settings"].sort(key=lambda setting: setting["column"])
                self.assertEqual(found.data | named, wanted | named)

    def test_refusals_of_sweeps(self):
        words = "own.json --vary /program/message=1,2 --measure makespan_s,makespan_s"
        wanted = asked("sweep", words, 2).stderr.removeprefix("dcube: ").strip().replace("--measure", "measures")
        with self.assertRaises(dcube.InputError) as raised:
            dcube.sweep("own.json", vary={"/program/message": [1, 2]}, measures=["makespan_s", "makespan_s"])
        self.assertEqual(str(raised.exception), wanted)

    def expect_refusal(self, words, keywords):
        wanted = in_keywords(asked("search", words, 2).stderr)
        with self.assertRaises(dcube.InputError) as raised:
            dcube.search(**keywords)
        self.assertEqual(str(raised.exception), wanted)

    def test_refusals(self):
        for words, keywords in REFUSALS:
            with self.subTest(words=words):
                self.expect_refusal(words, keywords)

    def test_the_place_of_a_complaint_about_a_hidden_file_is_the_file(self):
        for name in (".hidden", ".objectives_of_mine"):
            pathlib.Path(name).write_text("{")
            with self.subTest(name=name), self.assertRaises(dcube.InputError) as raised:
                dcube.search(name)
            self.assertIn(name, str(raised.exception))

    def test_arguments_that_python_alone_lets_through(self):
        for keywords, words in (
            ({"time_limit_s": 0}, "time_limit_s: 0 is not a number of seconds"),
            ({"time_limit_s": -1.5}, "time_limit_s: -1.5 is not"),
            ({"effort": 0}, "effort: 0 is not a whole number from 1"),
            ({"only": []}, "only: names no node"),
        ):
            with self.subTest(keywords=keywords), self.assertRaisesRegex(dcube.InputError, "^" + words):
                dcube.search(machine="ring:4", traffic="cube:2", **keywords)


if __name__ == "__main__":
    unittest.main()
