"""dcube.compare."""

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import warnings

import dcube
import numpy

PROGRAM = os.environ["DCUBE_PROGRAM"]


def talk(p):
    yield p.exchange(p.size - 1 - p.rank, bytes=1000)
    return p.rank


def farm(p):
    yield p.compute("5us")
    for _ in range(p.size - 1 if p.rank == 0 else 0):
        yield p.receive_any()
    if p.rank > 0:
        p.send(0, bytes=100)


def asks_the_time(p):
    yield p.compute("5us")
    return p.now_ps


def posts_for_anyone(p):
    yield p.compute("5us")
    request = p.post_receive(None)
    p.send((p.rank + 1) % p.size, bytes=1)
    yield p.wait(request)


first = []  # who has come first


def shares(p):
    """Two processes share who comes first: they compute side by side, or one waits for the other."""
    if p.rank == 0:
        first.clear()
        p.send(2, bytes=8)
        yield p.compute("1us")
        p.send(1, bytes=8)
        return
    yield p.receive(0)
    first.append(p.rank)
    if p.rank == 2:
        yield p.compute("50us")
        p.send(1, bytes=8)
    elif first[0] == 2:
        yield p.receive(2)
        yield p.compute("50us")
    else:
        yield p.compute("50us")
        yield p.receive(2)


runs = []


def computes_more_in_every_run(p):
    runs.append(p.rank)
    yield p.compute("1us", len(runs))


class Comparisons(unittest.TestCase):
    def test_goes_through_its_rows(self):
        found = dcube.compare("quickstart", ["standard", "xor"], ties=False)
        self.assertEqual([row["embedding"] for row in found], ["standard", "xor"])
        self.assertTrue("xor" in found and "gray" not in found and len(found) == 2)

    def test_orders_of_axes_are_rows(self):
        program = {"kind": "collective", "operation": "allreduce", "bytes": 64, "over": "data",
                   "guest": {"axes": {"tensor": 2, "data": 4}}}
        found = dcube.compare(machine="torus:4x2", program=program, axis_orders=True)
        self.assertEqual([row["embedding"] for row in found.rows], ["data,tensor", "tensor,data"])

    def test_a_map_for_a_program_in_python_is_placed(self):
        def pairs(p):
            p.send((p.rank + 4) % 8, bytes=100)
            yield p.receive((p.rank + 4) % 8)

        machine = {"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": "1us"}}
        found = dcube.compare(program=pairs, processes=8, machine=machine, embeddings=["identity"], place="hop-bytes")
        self.assertEqual([row["embedding"] for row in found.rows], ["identity", "placed"])
        self.assertEqual(found.placed, {"objective": "hop-bytes", "cost": "1 hops per byte", "bound": "1 hops per byte", "gap": 0.0})
        self.assertEqual([row["makespan_ps"] for row in found.rows], [4_000_000, 1_000_000])

    def test_a_bound_that_a_run_refutes_is_left_out_with_a_warning(self):
        machine = {"topology": {"kind": "line", "nodes": 5}, "link": {"latency": "1us"}}
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/map.json", "w", encoding="utf-8") as stream:
                json.dump({"kind": "explicit", "map": [0, 1, 4]}, stream)
            with self.assertWarnsRegex(RuntimeWarning, "^a lower bound of 0.000102 s is false, .* share variables"):
                made = dcube.compare(program=shares, guest="line:3", machine=machine, embeddings=[folder + "/map.json"])
        self.assertEqual(made.rows[0]["makespan_ps"], 57_000_000)
        self.assertIsNone(made.bound)

    def test_a_program_that_computes_something_else_in_every_run_has_no_bound(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = dcube.compare(program=computes_more_in_every_run, processes=4, machine="ring:4", embeddings=["identity"])
        self.assertIsNone(made.bound)

    def test_programs_that_heed_the_time_run_though_their_bound_ends_before(self):
        for program in (farm, asks_the_time, posts_for_anyone):
            made = dcube.compare(program=program, processes=8, machine="torus:4x2", embeddings=["identity"])
            self.assertEqual(made.rows[0]["outcome"], "completed")
            if program is farm:
                self.assertGreaterEqual(made.bound[0], 5e-6)

    def test_rows_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "compare", "quickstart", "--output", folder + "/c", "--no-pictures"], check=True,
                           capture_output=True)  # fmt: skip
            with open(folder + "/c/comparison.json", encoding="utf-8") as stream:
                wanted = json.load(stream)
        made = dcube.compare("quickstart")
        self.assertEqual([row["embedding"] for row in made.rows], [row["embedding"] for row in wanted["runs"]])
        for row, other in zip(made.rows, wanted["runs"]):
            for key in ("outcome", "makespan_s", "fingerprint", "max_link_load"):
                if key in other:
                    self.assertEqual(row[key], other[key])
        self.assertEqual(made.best["embedding"], "xor")
        self.assertEqual(made.machine, wanted["machine"])

    def test_each_run_is_that_of_run(self):
        made = dcube.compare("quickstart", ["xor", "gray"], machine="torus:4x4", why=True)
        self.assertEqual(len(made), 2)
        for name in ("xor", "gray"):
            alone = dcube.run("quickstart", machine="torus:4x4", embedding=name)
            self.assertEqual(made[name]["fingerprint"], alone.fingerprint)
            self.assertEqual(made[name]["makespan_ps"], alone.makespan_ps)
            self.assertEqual(sum(made[name]["critical_path_ps"].values()), alone.makespan_ps)

    def test_what_does_not_fit_is_a_row(self):
        made = dcube.compare({"machine": "torus:3x3", "program": {"kind": "all_to_all"}}, ["standard", "xor"])
        self.assertEqual([row["outcome"] for row in made.rows], ["completed", "refused"])
        self.assertIn("does not fit", str(made))

    def test_networks_failures_and_numbers(self):
        self.assertEqual(len(dcube.compare("quickstart", ["xor"], networks=["store_and_forward", "cut_through"])), 2)
        failing = dcube.compare("quickstart", ["standard"], machine="torus:4x4", failures=[0, 1], seeds=3)
        self.assertEqual([row["seed"] for row in failing.rows], [0, 1, 2, 3])
        self.assertGreater(len(failing.plot().axes), 0)

    def test_programs_in_python(self):
        made = dcube.compare(program=talk, processes=8, machine="ring:8", embeddings=["identity", "xor", "gray"])
        self.assertEqual({row["outcome"] for row in made.rows}, {"completed"})
        for row in made.rows:
            alone = dcube.run(program=talk, processes=8, machine="ring:8", embedding=row["embedding"])
            self.assertEqual(row["fingerprint"], alone.fingerprint)

    def test_tables_and_pictures(self):
        made = dcube.compare("quickstart", ["standard", "xor"])
        self.assertEqual(list(made.to_pandas()["embedding"]), ["standard", "xor"])
        self.assertIn("<table>", made._repr_html_())
        self.assertGreater(len(made.plot().axes), 0)
        self.assertIsNotNone(made.bound)

    def test_complaints(self):
        with self.assertRaisesRegex(dcube.InputError, "xorr"):
            dcube.compare("quickstart", ["xorr"])
        with self.assertRaisesRegex(dcube.InputError, "^map_1.json: /map: 63 nodes for 64 processes"):
            dcube.compare("quickstart", [range(63)])
        refused = dcube.compare("quickstart", ["xor", range(63)])["map_2"]  # a row, where another one fits
        self.assertEqual(refused["outcome"], "refused")
        with self.assertRaisesRegex(dcube.InputError, "^processes: 128 is not possible here: xor"):
            dcube.compare("quickstart", processes=128)
        fitting = dcube.compare("quickstart", processes=16).rows  # not the scenario's own
        self.assertEqual([row["embedding"] for row in fitting], ["identity", "standard"])

    def test_maps_and_settings_are_compared_beside_names(self):
        found = dcube.search("quickstart", effort=1)
        made = dcube.compare("quickstart", [range(64), "xor", {"kind": "gray"}, found, numpy.arange(64)[::-1]])
        self.assertEqual([row["embedding"] for row in made.rows], ["map_1", "xor", "map_3", "map_4", "map_5"])
        for row, embedding in zip(made.rows, (range(64), "xor", "gray", found, range(63, -1, -1))):
            self.assertEqual(row["fingerprint"], dcube.run("quickstart", embedding=embedding).fingerprint)
        self.assertEqual(len(dcube.compare("quickstart", range(64))), 1)
        self.assertEqual(len(dcube.compare("quickstart", numpy.array(["xor", "gray"]))), 2)
        self.assertEqual(len(dcube.compare("quickstart", "xor,gray")), 2)
        self.assertEqual(dcube.compare("quickstart", embedding="gray").rows[0]["embedding"], "gray")

    def test_ctrl_c(self):
        long = {"machine": "torus:1024x1024", "program": {"kind": "cc_dcube"}}
        timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            dcube.compare(long, ["standard", "xor"], jobs=1)
        self.assertLess(time.monotonic() - begin, 4)
        timer.join()
        with self.assertRaises(KeyboardInterrupt):  # Python gets it again
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        self.assertEqual(dcube.run("quickstart").outcome, "completed")


if __name__ == "__main__":
    unittest.main()
