"""Programs in Python: what a process may do, and that they are simulated like those in C++."""

import enum
import json
import operator
import os
import pathlib
import subprocess
import tempfile
import unittest

import dcube
import numpy

from runs import run

MACHINE = {"name": "test", "topology": {"kind": "torus", "shape": [4, 4]},
           "link": {"latency": "1us", "per_byte": "3ns"},
           "endpoint": {"send": "2us", "send_per_byte": "1ns", "receive": "3us"},
           "compute": {"compare": "7ns", "add": "5ns"}}  # fmt: skip


class Twins(unittest.TestCase):
    """A program in Python has the fingerprint of the same in C++."""

    def expect_same(self, python, settings, **options):
        for embedding in ("xor", "standard"):
            for execution in ("coroutines", "actors"):
                with self.subTest(embedding=embedding, execution=execution):
                    scenario = {"machine": MACHINE, "embedding": embedding, "seed": 3}
                    wanted = dcube.run(scenario, program=settings)
                    made = dcube.run(scenario, program=dcube.Program(python, 16, **options), execution=execution)
                    self.assertEqual(made.fingerprint, wanted.fingerprint)
                    self.assertEqual(made.makespan_ps, wanted.makespan_ps)
                    self.assertEqual(made.data["time_s"], wanted.data["time_s"])
                    self.assertEqual(made.data["stages"], wanted.data["stages"])
        return made

    def test_cc_dcube(self):
        for mode in ("rendezvous", "eager"):

            def cc(p, mode=mode):
                for dimension in range(4):
                    p.enter_stage(dimension)
                    yield p.compute("11us")
                    yield p.exchange(p.rank ^ 1 << dimension, bytes=64, mode=mode)

            settings = {"kind": "cc_dcube", "compute": "11us", "message": 64, "exchange": mode}
            self.expect_same(cc, settings, stages=4)

    def test_a_ring(self):
        def shifted(p):
            for i in range(1, p.size):
                p.send((p.rank + i) % p.size, bytes=24)
                yield p.receive((p.rank - i) % p.size)

        self.expect_same(shifted, {"kind": "all_to_all", "message": 24})

    def test_bitonic_sort(self):
        keys = 16
        drawn = numpy.random.default_rng(1).integers(0, 1000, (16, keys), dtype=numpy.int64)

        def bitonic(p):
            block = numpy.sort(drawn[p.rank])
            stage = 0
            for size in range(1, 5):
                for dimension in reversed(range(size)):
                    p.enter_stage(stage)
                    if stage == 0:
                        yield p.compute("compare", keys * (keys - 1).bit_length())
                    other = yield p.exchange(p.rank ^ 1 << dimension, block)
                    both = numpy.sort(numpy.concatenate([block, other]))
                    keeps_lower = (p.rank >> size & 1 == 0) == (p.rank >> dimension & 1 == 0)
                    block = both[:keys] if keeps_lower else both[keys:]
                    yield p.compute("compare", keys)
                    stage += 1
            return block

        def is_sorted(blocks):
            return numpy.concatenate(blocks).tolist() == sorted(drawn.ravel().tolist())

        settings = {"kind": "bitonic_sort", "keys_per_process": keys}
        made = self.expect_same(bitonic, settings, stages=10, verify=is_sorted)
        self.assertIs(made.verified, True)

    def test_stages_with_names_are_phases(self):
        def walk(p):
            for _ in range(2):
                p.enter_stage("there")
                yield p.exchange(p.rank ^ 1, bytes(10))
                p.enter_stage(1)
                yield p.compute("1us")

        program = dcube.Program(walk, processes=2, stages=["there", "back"])
        made = dcube.run(program=program, machine="ring:2")
        phases = made.phases
        self.assertEqual(made.data["stages"], [])
        self.assertEqual([(p["name"], p["iterations"], p["messages"]) for p in phases], [("there", 2, 4), ("back", 2, 0)])

        def lost(p):
            p.enter_stage("elsewhere")
            yield p.compute("1us")

        with self.assertRaisesRegex(Exception, r"process 0 enters the stage `elsewhere`, .*'there', 'back'"):
            dcube.run(program=dcube.Program(lost, processes=2, stages=["there", "back"]), machine="ring:2")
        with self.assertRaisesRegex(TypeError, "twice"):
            dcube.Program(walk, processes=2, stages=["there", "there"])

    def test_collectives(self):
        for kind, algorithm, bytes_ in (
            ("allreduce", "ring", 400), ("allreduce", "recursive_doubling", 400), ("allreduce", "automatic", 4096),
            ("allgather", "automatic", 640), ("reduce_scatter", "automatic", 640),
        ):  # fmt: skip
            with self.subTest(kind=kind, algorithm=algorithm):
                count = bytes_ // 8

                def collective(p, kind=kind, algorithm=algorithm, count=count):
                    own = count // p.size if kind == "allgather" else count
                    return (yield getattr(p, kind)(numpy.ones(own, dtype=numpy.int64), algorithm=algorithm))

                settings = {"kind": kind, "algorithm": algorithm, "bytes": bytes_}
                made = self.expect_same(collective, settings)

                def sizes(p, kind=kind, algorithm=algorithm, count=count):
                    yield getattr(p, kind)(count=count, element_bytes=8, algorithm=algorithm)

                self.expect_same(sizes, settings)
                wanted = {"allreduce": [16] * count, "allgather": [1] * count, "reduce_scatter": [16] * (count // 16)}
                for value in made.returned:
                    self.assertEqual(value.tolist(), wanted[kind])


    def test_distances_of_trees_are_those_of_scenarios(self):
        for distances in ("halving", "doubling"):
            def tree(p, distances=distances):
                yield p.broadcast(count=400, element_bytes=1, algorithm="binomial", distances=distances)

            settings = {"kind": "collective", "operation": "broadcast", "algorithm": "binomial", "bytes": 400}
            self.expect_same(tree, {**settings, "distances": distances})
        with self.assertRaisesRegex(ValueError, "distances are halving or doubling, not nearest"):
            run(lambda p: p.broadcast(count=400, distances="nearest"), 4)

    def test_sizes_of_collectives_are_those_of_scenarios_and_of_the_command(self):
        machine = {"schema_version": 1, "topology": {"kind": "ring", "nodes": 6}, "link": {"per_byte": "1ns"}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "m.json"
            file.write_text(json.dumps(machine))
            for kind in ("all_to_all", "allgather", "allreduce", "broadcast", "exscan", "gather", "reduce",
                         "reduce_scatter", "scan", "scatter"):  # fmt: skip
                for count in (42, 44):  # equal shares and others
                    if kind == "all_to_all" and count == 44:
                        continue

                    def sizes(p, kind=kind, count=count):
                        yield getattr(p, kind)(count=count, element_bytes=4)

                    settings = {"kind": "collective", "operation": kind, "bytes": 4 * count, "value_bytes": 4, "data": False}
                    made = run(sizes, 6, machine=str(file))
                    wanted = dcube.run({"machine": str(file), "embedding": "identity", "program": settings})
                    self.assertEqual(made.data["messages"], wanted.data["messages"], kind)
                    self.assertEqual(made.fingerprint, wanted.fingerprint, kind)
                    done = subprocess.run(
                        [os.environ["DCUBE_PROGRAM"], "collective", kind, "--machine", file, "--bytes", str(4 * count),
                         "--algorithm", "automatic", "--embedding", "identity", "--ports", "1", "--no-crossovers", "--json"],
                        check=True, capture_output=True,
                    )  # fmt: skip
                    self.assertEqual(json.loads(done.stdout)["rows"][0]["fingerprint"], made.fingerprint, kind)


class Interface(unittest.TestCase):
    def test_send_and_receive(self):
        def program(p):
            if p.rank == 0:
                p.send(1, {"a": [1, 2]}, tag=7)
                p.send(1, "hello")
                return (yield p.receive(1))
            text = yield p.receive(0)
            value = yield p.receive(0, tag=7)
            p.send(0, (text, value))
            return p.size

        self.assertEqual(run(program).returned, [("hello", {"a": [1, 2]}), 2])

    def test_bytes_of_a_message(self):
        for data, bytes_, wanted in (
            (numpy.zeros(10), None, 80), (b"abc", None, 3), (None, 5, 5), ("text", 1000, 1000), (None, None, 0),
            (numpy.zeros(10), 8, 8), (bytearray(9), None, 9), ([1, 2], None, 20), (numpy.float32(1), 4, 4),
            (numpy.float32(1), None, 4), (numpy.ones(3).sum(), None, 8), (numpy.bool_(True), None, 1), (1.5, None, 21),
        ):  # fmt: skip
            with self.subTest(data=data, bytes=bytes_):

                def program(p, data=data, bytes_=bytes_):
                    if p.rank == 0:
                        p.send(1, data, bytes=bytes_)
                    else:
                        yield p.receive(0)

                self.assertEqual(run(program).data["messages"]["bytes"], wanted)

    def test_an_array_is_copied_when_it_is_sent(self):
        def program(p):
            if p.rank == 0:
                array = numpy.arange(3)
                p.send(1, array)
                array[:] = 0
            else:
                return (yield p.receive(0)).tolist()

        self.assertEqual(run(program).returned, [None, [0, 1, 2]])

    def test_time_is_exact(self):
        def program(p):
            yield p.compute("1.5us")
            yield p.compute(250)
            yield p.compute(numpy.int32(250))
            import fractions

            yield p.compute(fractions.Fraction(1, 3), 3000)
            yield p.compute("add", 4)
            return p.now_ps

        result = run(program, 16, machine=MACHINE)
        self.assertEqual(result.returned, [1_500_000 + 250 + 250 + 1000 + 20_000] * 16)

    def test_requests(self):
        def program(p):
            other = 1 - p.rank
            first = p.post_receive(other, tag=1)
            second = p.post_receive(tag=2)
            p.send(other, "two", tag=2)
            sent = p.post_send(other, "one", tag=1)
            assert (yield p.test(first)) is False
            yield p.compute("10us")
            left = yield p.wait(sent)
            assert left.data is None
            one, two = yield p.wait_all(first, second)
            assert (yield p.wait_all([])) == []
            return one.data, one.source, one.tag, two.data, two.bytes, two.arrival_ps > 0

        result = run(program, machine=dict(MACHINE, topology={"kind": "ring", "nodes": 2}))
        self.assertEqual(result.returned[0], ("one", 1, 1, "two", 18, True))

    def test_waiting_for_the_first(self):
        def program(p):
            if p.rank != 0:
                yield p.compute(f"{p.rank * 10}us")
                p.send(0, p.rank)
                return None
            requests = {source: p.post_receive(source) for source in (1, 2, 3)}
            seen = []
            while requests:
                index, message = yield p.wait_any(list(requests.values()))
                seen.append((index, message.data))
                del requests[message.source]
            never = p.post_receive(1, tag=5)
            index, message = yield p.wait_any([never], until=p.now_ps + 500, meanwhile="compute")
            return seen, index, message

        self.assertEqual(run(program, 4).returned[0], ([(0, 1), (1, 3), (0, 2)], None, None))

    def test_receiving_from_anyone(self):
        def program(p):
            if p.rank:
                p.send(0, p.rank, tag=p.rank)
                return None
            found = []
            for _ in range(p.size - 1):
                message = yield p.receive_any()
                found.append((message.source, message.tag, message.data))
            return found

        self.assertEqual(run(program, 4).returned[0], [(1, 1, 1), (3, 3, 3), (2, 2, 2)])

    def test_collectives_go_on_beside_other_things(self):
        def program(p):
            world = p.world()
            pair = world.slice(p.rank // 2 * 2, 2)
            everybody = yield world.allreduce(numpy.arange(1000) + p.rank, algorithm="ring").start()
            both = yield pair.allreduce(p.rank).start()
            yield p.compute("20s")
            other = yield p.exchange(p.rank ^ 1, p.rank)
            request = p.post_receive(p.rank ^ 2)
            p.send(p.rank ^ 2, "far")
            far = (yield p.wait(request)).data
            total = yield world.allreduce(1)
            both = yield p.wait(both)
            everybody = yield p.wait(everybody)
            return other, far, total, both, everybody.tolist(), p.now_ps

        for rank, (other, far, total, both, everybody, _) in enumerate(run(program, 4).returned):
            self.assertEqual((other, far, total, both), (rank ^ 1, "far", 4, rank // 2 * 4 + 1))
            self.assertEqual(everybody, [4 * i + 6 for i in range(1000)])

        def alone(p, apart):
            call = p.world().allreduce(numpy.zeros(1000), algorithm="ring")
            started = yield call.start() if apart else call
            yield p.compute("20s")
            if apart:
                yield p.wait(started)
            return p.now_ps

        ends = {apart: run(lambda p, apart=apart: alone(p, apart), 4).returned for apart in (False, True)}
        self.assertEqual(ends, {False: [26 * 10**12] * 4, True: [20 * 10**12] * 4})

    def test_only_collectives_are_started_and_each_is_waited_for_once(self):
        def compute(p):
            yield p.compute("1s").start()

        def twice(p):
            started = yield p.world().barrier().start()
            yield p.wait(started)
            yield p.wait(started)

        with self.assertRaisesRegex(TypeError, "only a collective can be started"):
            run(compute, 2)
        with self.assertRaisesRegex(dcube.ContractViolation, "waited for once"):
            run(twice, 2)

    def test_groups(self):
        def program(p):
            world = p.world()
            row, column = world.slice(p.rank // 4 * 4, 4), world.slice(p.rank % 4, 4, 4)
            parity = world.split(lambda rank: rank % 2)
            row.send((row.rank + 1) % 4, p.rank)
            left = yield row.receive((row.rank - 1) % 4)
            across = yield column.exchange(column.rank ^ 1, p.rank)
            total = yield parity.allreduce(p.rank)
            assert column.process(1) == p.rank % 4 + 4 and len(parity) == 8
            axes = {"x": 4, "y": 4}
            assert [world.along("y", axes).process(i) for i in range(4)] == [column.process(i) for i in range(4)]
            assert world.along(["y", "x"], axes).process(1) == 4
            request = row.post_receive(row.rank ^ 1)
            row.post_send(row.rank ^ 1, "x")
            assert (yield p.wait(request)).data == "x"
            some = world.subgroup([3, 2, 1]).size if p.rank in (1, 2, 3) else 0
            return left, across, total, some

        def expected(rank):
            x, y = rank % 4, rank // 4
            some = 3 if rank in (1, 2, 3) else 0
            return y * 4 + (x - 1) % 4, (y ^ 1) * 4 + x, sum(range(rank % 2, 16, 2)), some

        result = run(program, 16, machine="torus:4x4")
        self.assertEqual(result.returned, [expected(rank) for rank in range(16)])

    def test_collectives_take_what_libraries_do_besides(self):
        machine = {
            "topology": {"kind": "hypercube", "dimensions": 2},
            "link": {"latency": "1us"},
            "endpoint": {"copy_per_byte": "1ns", "plan": "1ms", "piece": "1s", "exchange": "1us"},
        }

        def time_with(**options):
            def program(p):
                yield p.scatter(count=1000, element_bytes=1, algorithm="linear", **options)

            return run(program, 4, machine=machine).makespan_ps

        plain = time_with()
        self.assertEqual(plain, 3_000_000)  # the message over two links waits for another
        self.assertEqual(time_with(copies=2), plain + 2_000_000)
        self.assertEqual(time_with(serial_copies=2), plain + 2_000_000)
        self.assertEqual(time_with(serial_copies="1/4"), plain + 250_000)
        for wrong in ["2/4", "1/04", "1/4294967296", "", "1/"]:
            with self.assertRaisesRegex(dcube.ArgumentError, "serial_copies.*part of the data"):
                time_with(serial_copies=wrong)
        with self.assertRaisesRegex(dcube.ArgumentError, "serial_copies: 0.25 is not a whole number"):
            time_with(serial_copies=0.25)
        self.assertEqual(time_with(exchanges=3), plain + 2 * 3_000_000)
        self.assertEqual(time_with(plans=True), 3_002_000_000)
        self.assertEqual(time_with(plans=2), 6_002_000_000)
        self.assertEqual(time_with(pieces=True), plain)
        self.assertEqual(time_with(blocking=True), 4_000_000)
        with self.assertRaises(TypeError):
            time_with(blocking="yes")

    def test_values_of_collectives(self):
        def program(p):
            n, me = p.size, p.rank
            got = {}
            got["broadcast"] = yield p.broadcast([me, 5], root=2)
            got["reduce"] = yield p.reduce([me, 1], root=1)
            got["allreduce"] = yield p.allreduce([float(me), -me], op=numpy.maximum)
            got["scan"] = yield p.scan([me])
            got["exscan"] = yield p.exscan([me])
            got["gather"] = yield p.gather([me], root=3)
            got["allgather"] = yield p.allgather([me, me])
            got["uneven"] = yield p.allgather([me] * (me + 1), counts=[1, 2, 3, 4])
            got["scatter"] = yield p.scatter(list(range(2 * n)), root=1)
            got["reduce_scatter"] = yield p.reduce_scatter([1] * n)
            got["all_to_all"] = yield p.all_to_all([me * n + i for i in range(n)])
            got["all_to_allv"] = yield p.all_to_allv(
                [me] * (0 + 1 + 2 + 3), send_counts=[0, 1, 2, 3], receive_counts=[me] * 4
            )
            got["barrier"] = yield p.barrier()
            got["product"] = yield p.allreduce(me + 1, op=operator.mul, algorithm="ring")
            text = numpy.array([f"p{me}"], dtype=object)
            got["text"] = yield p.allreduce(text, element_bytes=2, commutative=False)
            return {key: value.tolist() if hasattr(value, "tolist") else value for key, value in got.items()}

        returned = run(program, 4).returned
        for rank, got in enumerate(returned):
            with self.subTest(rank=rank):
                self.assertEqual(got["broadcast"], [2, 5])
                self.assertEqual(got["reduce"], [6, 4] if rank == 1 else None)
                self.assertEqual(got["allreduce"], [3, 0])
                self.assertEqual(got["scan"], [sum(range(rank + 1))])
                self.assertEqual(got["exscan"], None if rank == 0 else [sum(range(rank))])
                self.assertEqual(got["gather"], [0, 1, 2, 3] if rank == 3 else None)
                self.assertEqual(got["allgather"], [0, 0, 1, 1, 2, 2, 3, 3])
                self.assertEqual(got["uneven"], [0, 1, 1, 2, 2, 2, 3, 3, 3, 3])
                self.assertEqual(got["scatter"], [2 * rank, 2 * rank + 1])
                self.assertEqual(got["reduce_scatter"], [4])
                self.assertEqual(got["all_to_all"], [rank, 4 + rank, 8 + rank, 12 + rank])
                self.assertEqual(got["all_to_allv"], [source for source in range(4) for _ in range(rank)])
                self.assertIsNone(got["barrier"])
                self.assertEqual(got["product"], 24)
                self.assertEqual(got["text"], ["p0p1p2p3"])

    def test_a_function_without_yield_is_a_program_too(self):
        result = run(lambda p: p.send(p.rank ^ 1, bytes=3) or p.rank)
        self.assertEqual((result.returned, result.outcome), ([0, 1], "completed"))

    def test_shapes_answers_and_embeddings(self):
        def program(p):
            yield p.compute("1us")
            return p.rank

        made = dcube.Program(program, guest="torus:4x4", name="mine", answer=lambda values: {"sum": sum(values)})
        result = dcube.run(program=made, machine="torus:8x8", embedding="standard")
        self.assertEqual((result.program, result.data["program"]["guest"]), ("mine", "torus:4x4"))
        self.assertEqual(result.data["program"]["answer"], {"sum": 120})
        self.assertEqual(result.data["program"]["processes"], 16)
        wrong = dcube.run(program=dcube.Program(program, 4, verify=lambda values: False), machine="ring:4")
        self.assertEqual((wrong.outcome, wrong.verified), ("not_verified", False))
        self.assertEqual(dcube.run({"machine": "ring:4", "program": dcube.Program(program, 4)}).outcome, "completed")

    def test_numbers_of_answers_keep_their_value(self):
        class Colour(enum.IntEnum):
            RED = 2

        class Named(float):
            def __repr__(self):
                return "named"

        def program(p):
            yield p.compute(1)

        values = {
            "enum": (Colour.RED, 2), "subclass": (Named(2.5), 2.5), "int64": (numpy.int64(4), 4), "float32": (numpy.float32(0.5), 0.5),
            "bool": (numpy.bool_(True), True), "array": (numpy.array(7), 7), "large": (2**63 - 1, 2**63 - 1), "least": (-2**63, -2**63), "round": (2**64, str(2**64)),
            "beyond": (2**63, str(2**63)), "hundred": (10**20, str(10**20)),
            "huge": (10**400, str(10**400)), "digits": (10**20 + 1, str(10**20 + 1)), "nan": (float("nan"), "nan"),
            "ranks": ([0, 1, 2.5, None], [0, 1, 2.5, None]), "tuple": ((1, (2, "x")), [1, [2, "x"]]), "range": (range(3), [0, 1, 2]),
            "long": (numpy.arange(2000), list(range(2000))), "matrix": (numpy.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
            "odd": ([float("inf"), 10**20 + 1, 1j], ["inf", str(10**20 + 1), "1j"]), "none": ([], []),
        }  # fmt: skip
        made = dcube.Program(program, 2, answer=lambda _: {name: value for name, (value, _) in values.items()})
        answer = dcube.run(machine="ring:2", program=made).data["program"]["answer"]
        for name, (_, wanted) in values.items():
            self.assertEqual((answer[name], type(answer[name])), (wanted, type(wanted)), name)
        endless = []
        endless.append(endless)
        with self.assertRaises(RecursionError):
            dcube.run(machine="ring:2", program=dcube.Program(program, 2, answer=lambda _: {"endless": endless})).data

    def test_a_program_runs_once_unless_a_theory_is_wanted(self):
        calls = []

        def crowded(p):
            calls.append(p.rank)
            for distance in (2, 3):
                p.send((p.rank + distance) % p.size, bytes=100)
            for distance in (2, 3):
                yield p.receive((p.rank - distance) % p.size)

        self.assertIsNone(run(crowded, 8).data["theory"])
        self.assertEqual(len(calls), 8)
        self.assertEqual(run(crowded, 8, theory=True).data["theory"]["source"], "the program without contention")
        self.assertEqual(len(calls), 24)


if __name__ == "__main__":
    unittest.main()
