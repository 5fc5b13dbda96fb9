"""Values of collectives in Python programs: those that numpy computes in one process, or one sentence why not."""

import itertools
import operator
import os
import random
import unittest

import dcube
import numpy

PROGRAMS = 500 * int(os.environ.get("DCUBE_CASES", 1))
FIRST_SEED = int(os.environ.get("DCUBE_FIRST_SEED", 1))

ALGORITHMS = {
    "all_to_all": ["bine", "bruck", "linear", "pairwise", "shifted", "spread", "spread_bruck", "torus_linear"],
    "all_to_allv": ["linear", "pairwise"],
    "allgather": ["bruck", "bucket", "bucket_balanced", "disjoint_rings", "neighbour_exchange", "pat",
                  "recursive_doubling", "ring", "swing"],
    "allreduce": ["bucket", "bucket_balanced", "disjoint_rings", "disjoint_trees", "double_tree", "hierarchical", "hierarchical_rails",
                  "rabenseifner", "recursive_doubling", "ring", "swing_bandwidth", "swing_latency",
                  "torus_rabenseifner", "torus_recursive_doubling"],
    "broadcast": ["bine_bandwidth", "bine_latency", "binomial", "disjoint_trees", "double_tree", "kary", "pipelined", "scatter_allgather",
                  "scatter_ring", "split_binary"],
    "exscan": ["linear", "recursive_doubling"],
    "gather": ["bine", "binomial", "linear"],
    "reduce": ["bine_bandwidth", "bine_latency", "binomial", "disjoint_trees", "double_tree", "kary", "pipelined", "rabenseifner"],
    "reduce_scatter": ["bucket", "bucket_balanced", "disjoint_rings", "pairwise", "pat", "recursive_halving", "ring",
                       "swing"],
    "scan": ["linear", "recursive_doubling"],
    "scatter": ["bine", "binomial", "disjoint_trees", "linear"],
}  # fmt: skip
PREFIXES = ("exscan", "scan")  # of one type
REDUCTIONS = ("allreduce", "exscan", "reduce", "reduce_scatter", "scan")
OF_ROOT = ("broadcast", "scatter")
ROOTED = ("broadcast", "gather", "reduce", "scatter")
TYPES = ("bool", "int8", "int32", "int64", "uint8", "uint64", "float32", "float64", "complex128", "<U3", "<U5")
#: None: the sum that collectives compute unless told otherwise.
OPERATIONS = {
    "default": (None, numpy.add),
    "add": (operator.add, numpy.add),
    "in place": (operator.iadd, numpy.add),
    "multiply": (numpy.multiply, numpy.multiply),
    "maximum": (numpy.maximum, numpy.maximum),
    "of objects": (numpy.frompyfunc(lambda a, b: a + b, 2, 1), numpy.add),
    "floats": (numpy.hypot, numpy.hypot),
}


class RandomProgram:
    """One collective of a few processes, which give values of one type or of several."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.kind = draw.choice(sorted(ALGORITHMS))
        # An exscan of two combines nothing, or what nobody gets.
        self.size = draw.randint(3 if self.kind == "exscan" else 1, 6)
        self.root = draw.randrange(self.size)
        self.algorithm = draw.choice([*ALGORITHMS[self.kind], "automatic"])
        self.operation = draw.choice(sorted(OPERATIONS))
        self.is_sized = draw.random() < 0.25
        self.is_group = draw.random() < 0.3  # every second process, or all
        first, *others = draw.sample(TYPES, 3)
        if self.kind in REDUCTIONS:
            first = draw.choice([name for name in TYPES if "U" not in name])
        weights = draw.choice([(1, 0, 0), (1, 0, 0), (2, 1, 0), (2, 1, 1)])
        types = draw.choice([(first, *others), (first, *others), ("int64", "float64", "float64")])
        self.types = [draw.choices(types, weights)[0] for _ in range(self.size)]
        self.rows = draw.choice([0, 1, 2, 3]) if self.kind not in REDUCTIONS else draw.choice([1, 2, 3])
        self.row = draw.choice([(), (), (2,), (3, 2)])
        self.is_scalar = self.kind not in ("scatter", "reduce_scatter", "all_to_all", "all_to_allv") and draw.random() < 0.2
        self.is_large = self.kind != "exscan" and draw.random() < 0.1
        self.counts = None
        if self.kind in ("allgather", "gather", "scatter", "reduce_scatter") and draw.random() < 0.3:
            self.is_scalar = False
            self.counts = [draw.randrange(3) for _ in range(self.size)]
        self.between = [[draw.randrange(3) for _ in range(self.size)] for _ in range(self.size)]
        if self.operation == "of objects" and "bool" in self.types:
            self.operation = "add"  # Python's sum of truths is a number
        if self.kind in REDUCTIONS and all("U" in name for name in self.types):
            self.types[0] = first
        self.is_large = self.is_large and len(set(self.types)) == 1
        self.is_sized = self.is_sized and not self.is_large
        self.values = [self.values_of(draw, rank) for rank in range(self.size)]

    def rows_of(self, rank):
        if self.kind == "all_to_allv":
            return sum(self.between[rank])
        if self.counts:
            return self.counts[rank] if self.kind in ("allgather", "gather") else sum(self.counts)
        return self.rows * self.size if self.kind in ("scatter", "reduce_scatter", "all_to_all") else self.rows

    def values_of(self, draw, rank):
        shape = () if self.is_scalar else (self.rows_of(rank), *self.row)
        name = self.types[rank]
        many = int(numpy.prod(shape, dtype=int))
        if "U" in name:
            drawn = ["x" * draw.randint(0, int(name[-1])) for _ in range(many)]
        elif self.is_large and name in ("int8", "int32", "int64", "uint8", "uint64"):
            # Sums of both signs fit in the end where those on the way do not.
            signs = [1] if name[0] == "u" or self.operation == "of objects" else [1, -1]
            drawn = [draw.choice(signs) * (int(numpy.iinfo(name).max) // 3 * 2) for _ in range(many)]
        else:
            drawn = [draw.randint(0, 2) for _ in range(many)]  # sums and products are exact
        return numpy.array(drawn, dtype=name).reshape(shape)

    def options(self, rank):
        options = {"algorithm": self.algorithm}
        if self.kind in ROOTED:
            options["root"] = self.root
        if self.is_sized:
            options["element_bytes"] = 8
        if self.kind in REDUCTIONS:
            options["op"] = OPERATIONS[self.operation][0]
        per_row = int(numpy.prod(self.row, dtype=int))
        if self.counts:
            options["counts"] = [count * per_row for count in self.counts]
        if self.kind == "all_to_allv":
            options["send_counts"] = [count * per_row for count in self.between[rank]]
            options["receive_counts"] = [line[rank] * per_row for line in self.between]
        return options

    def run(self):
        values = [value.copy() for value in self.values]

        def program(p):
            caller, rank = p, p.rank
            if self.is_group:
                if p.rank % 2:
                    return None
                caller, rank = p.world().slice(0, self.size, 2), p.rank // 2
            return (yield getattr(caller, self.kind)(values[rank], **self.options(rank)))

        processes = 2 * self.size if self.is_group else self.size
        made = dcube.run(program=program, processes=processes, machine=f"ring:{processes}", embedding="identity")
        for own, before in zip(values, self.values):
            numpy.testing.assert_array_equal(own, before)
        return made.returned[:: 2 if self.is_group else 1]

    def given(self):
        """The arrays as they enter: sums count truths."""
        counts = self.kind in REDUCTIONS and self.operation == "default"
        return [value.astype("int64") if counts and value.dtype == bool else value for value in self.values]

    def types_go_together(self, given):
        sizes = {value.itemsize for value in given}
        if not self.is_sized and len(sizes) > 1:
            return False
        if self.kind in OF_ROOT:
            return True
        types = {value.dtype for value in given}
        if len(types) == 1:
            return True
        if len({dtype.kind == "U" for dtype in types}) > 1:
            return False
        if self.kind in PREFIXES:
            return False
        if self.kind in REDUCTIONS and (len(sizes) > 1 or any(dtype.kind == "b" for dtype in types)):
            return False
        # A type that holds all is among them, whoever comes first.
        return all(numpy.promote_types(a, b) in (a, b) for a in types for b in types)

    def is_refused(self, given):
        """Whether numpy has no exact answer in messages of one size."""
        if not self.types_go_together(given):
            return True
        if self.kind not in REDUCTIONS or self.size == 1:
            return False
        dtype = numpy.result_type(*given)
        of_one = numpy.ones(1, dtype)
        try:
            made = OPERATIONS[self.operation][1](of_one, of_one).dtype
        except TypeError:
            return False
        if not self.is_sized and numpy.promote_types(dtype, made).itemsize != dtype.itemsize:
            return True
        exact = [value.astype(object) for value in given]
        if dtype.kind in "iu" and self.operation not in ("maximum", "floats"):
            ufunc = OPERATIONS[self.operation][1]
            results = itertools.accumulate(exact, ufunc) if self.kind == "scan" else [ufunc.reduce(exact, axis=0)]
            limits = numpy.iinfo(dtype)
            return any(numpy.any((result > limits.max) | (result < limits.min)) for result in results)
        return False

    def wanted(self, given):
        """What numpy makes of all values in one process."""
        ufunc = OPERATIONS[self.operation][1]
        all_values = [value.astype(numpy.result_type(*given)) for value in given]
        combined = list(itertools.accumulate(all_values, ufunc)) if self.kind in REDUCTIONS else None
        shares = numpy.cumsum([0, *(self.counts or [self.rows] * self.size)])
        share = lambda values, rank: values[shares[rank] : shares[rank + 1]]  # noqa: E731
        root = lambda value, rank: value if rank == self.root else None  # noqa: E731
        joined = lambda: numpy.concatenate([numpy.atleast_1d(value) for value in all_values])  # noqa: E731
        part = lambda source, rank: numpy.cumsum([0, *self.between[source]])[rank : rank + 2]  # noqa: E731
        one = {
            "broadcast": lambda rank: given[self.root],
            "scatter": lambda rank: share(given[self.root], rank),
            "reduce": lambda rank: root(combined[-1], rank),
            "allreduce": lambda rank: combined[-1],
            "scan": lambda rank: combined[rank],
            "exscan": lambda rank: combined[rank - 1] if rank else None,
            "reduce_scatter": lambda rank: share(combined[-1], rank),
            "gather": lambda rank: root(joined(), rank),
            "allgather": lambda rank: joined(),
            "all_to_all": lambda rank: numpy.concatenate([share(value, rank) for value in all_values]),
            "all_to_allv": lambda rank: numpy.concatenate(
                [value[slice(*part(source, rank))] for source, value in enumerate(all_values)]),
        }[self.kind]  # fmt: skip
        return [one(rank) for rank in range(self.size)]


class RandomCases(unittest.TestCase):
    def test_a_collective_gives_what_numpy_computes_in_one_process(self):
        refused = checked = 0
        for seed in range(FIRST_SEED, FIRST_SEED + PROGRAMS):
            program = RandomProgram(seed)
            with self.subTest(seed=seed, kind=program.kind, algorithm=program.algorithm, types=program.types):
                with numpy.errstate(over="ignore"):
                    refused += self.check(program)
                checked += 1
        self.assertLess(refused, checked / 2)

    def check(self, program):
        """Whether the program is refused, as it has to be."""
        given = program.given()
        try:
            returned = program.run()
        except dcube.InputError as error:
            if error.problem.startswith(f"{program.algorithm} of {program.kind}") or " needs " in error.problem:
                program.algorithm = "automatic"
                return self.check(program)
            self.assertIn(error.place, ("values", "op"))
            self.assertTrue(program.is_refused(given), error)
            self.assertNotIn("\n", str(error))
            return True
        except TypeError as error:  # numpy's: it has no such operation
            self.assertRaises(TypeError, program.wanted, given)
            self.assertIn("ufunc", str(error))
            return True
        self.assertFalse(program.is_refused(given), returned)
        for got, wanted in zip(returned, program.wanted(given), strict=True):
            if wanted is None:
                self.assertIsNone(got)
            else:
                self.assertEqual(numpy.shape(got), numpy.shape(wanted))
                if numpy.size(wanted) == 0:
                    continue
                if program.operation == "floats" and program.kind in REDUCTIONS:
                    numpy.testing.assert_allclose(got, wanted, rtol=1e-2)  # in another order
                else:
                    numpy.testing.assert_array_equal(got, wanted)
                has_all_types = program.kind not in (*PREFIXES, "all_to_allv") and not program.counts
                if has_all_types and numpy.ndim(got) > 0:
                    self.assertEqual(got.dtype, wanted.dtype)
        return False

class Collectives(unittest.TestCase):
    def returned(self, kind, give, processes=4, **options):
        def program(p):
            return (yield getattr(p, kind)(give(p.rank), **options))

        return dcube.run(program=program, processes=processes, machine=f"ring:{processes}").returned

    def expect_refused(self, line, *arguments, **options):
        with self.assertRaises(dcube.InputError) as caught:
            self.returned(*arguments, **options)
        self.assertEqual(str(caught.exception), line)

    def test_default_shares_of_values_differ_by_one_at_most(self):
        ten = numpy.arange(10)
        for kind, whole in (("reduce_scatter", 4 * ten), ("scatter", ten)):
            shares = self.returned(kind, lambda rank: ten)
            self.assertEqual([len(share) for share in shares], [3, 3, 2, 2], kind)
            numpy.testing.assert_array_equal(numpy.concatenate(shares), whole, kind)

    def test_numbers_of_two_types_are_of_the_wider(self):
        for algorithm in ALGORITHMS["allreduce"]:
            self.assertEqual(self.returned("allreduce", lambda rank: 0.5 if rank else 0, algorithm=algorithm), [1.5] * 4)
        self.assertEqual(self.returned("reduce", lambda rank: 0.5 if rank else 0)[0], 1.5)
        self.assertEqual(self.returned("gather", lambda rank: 0.5 if rank else 0)[0].tolist(), [0, 0.5, 0.5, 0.5])

    def test_a_broadcast_has_the_type_and_the_shape_of_the_root(self):
        self.assertEqual(self.returned("broadcast", lambda rank: 0 if rank else 0.5), [0.5] * 4)
        matrix = numpy.arange(6).reshape(2, 3) / 2
        for got in self.returned("broadcast", lambda rank: numpy.zeros(6, int) if rank else matrix):
            numpy.testing.assert_array_equal(got, matrix)

    def test_what_does_not_go_together_is_refused_by_rank_and_type(self):
        mixed = "values: rank 1 gives values of type {} to allreduce, and rank 0 values of type {} ({})"
        differ = "their messages differ in size: convert values to one type"
        convert = "convert values to one type"
        for one, other, why in (("float32", "int64", differ), ("float64", "<U2", convert), ("int64", "uint64", convert)):
            give = lambda rank: numpy.zeros(2, one if rank == 1 else other)  # noqa: B023, E731
            self.expect_refused(mixed.format(one, other, why), "allreduce", give)
        self.expect_refused(
            "values: rank 1 gives values of type <U1 to broadcast, and rank 0 values of type <U11 (their messages differ in "
            "size: convert values to one type)", "broadcast", lambda rank: "" if rank else "a long text")  # fmt: skip
        self.expect_refused(
            "values: rank 1 gives no values to broadcast, and rank 0 values of type int64 (all give values, or sizes alone)",
            "broadcast", lambda rank: None if rank else 1)  # fmt: skip
        self.expect_refused(
            "values: rank 1 gives values of shape (4,) to scan, and rank 0 (2, 2) (all give one shape)",
            "scan", lambda rank: numpy.ones(4) if rank else numpy.ones((2, 2)))  # fmt: skip

    def test_roots_and_algorithms_are_those_of_all(self):
        def roots(p):
            yield p.broadcast(1, root=p.rank % 2)

        def algorithms(p):
            yield p.world().slice(0, 2).allreduce(1, algorithm="ring" if p.rank else "automatic")

        for program, line in (
            (roots, "root: rank 1 gives root=1 to broadcast, and rank 0 root=0 (all give one root)"),
            (algorithms, "algorithm: rank 1 gives algorithm='ring' to allreduce, and rank 0 'automatic' (all give one algorithm)"),
        ):  # fmt: skip
            with self.assertRaises(dcube.InputError) as caught:
                dcube.run(program=program, processes=2, machine="ring:2")
            self.assertEqual(str(caught.exception), line)

    def test_an_operation_that_gives_floats(self):
        mean = lambda a, b: (a + b) / 2  # noqa: E731
        self.assertEqual(self.returned("allreduce", lambda rank: rank, op=mean, algorithm="recursive_doubling"), [1.5] * 4)
        objects = numpy.frompyfunc(mean, 2, 1)
        self.assertEqual(self.returned("allreduce", lambda rank: rank, op=objects, algorithm="recursive_doubling"), [1.5] * 4)
        self.expect_refused(
            "op: gives values of type float64 of two of type int32 (convert values beforehand, or say element_bytes=)",
            "allreduce", numpy.int32, op=mean)  # fmt: skip
        self.expect_refused("op: gives 1 value of two arrays of 2 (give as many, as numpy.maximum does)",
                            "allreduce", lambda rank: [1, 2], op=lambda a, b: 3)  # fmt: skip

    def test_an_operation_may_write_into_its_first_array(self):
        for algorithm in ALGORITHMS["scan"]:
            got = self.returned("scan", lambda rank: [rank], 5, op=operator.iadd, algorithm=algorithm)
            self.assertEqual([values.tolist() for values in got], [[0], [1], [3], [6], [10]])

    def test_integers_are_exact(self):
        big = 2**61 + 1
        self.assertEqual(self.returned("allreduce", lambda rank: big if rank < 3 else 0), [3 * big] * 4)
        too_large = "values: the result does not fit in {} (give floats, say)"
        self.expect_refused(too_large.format("int64"), "allreduce", lambda rank: 2**62)
        self.expect_refused(too_large.format("int64"), "reduce", lambda rank: 2**20, op=operator.mul)
        self.expect_refused(too_large.format("uint8"), "allreduce", lambda rank: numpy.uint8(80))
        for given in (2**63, [2**63, -1], 2**64, -(2**63) - 1):
            number = given[0] if isinstance(given, list) else given
            self.expect_refused(
                f"values: {number} does not fit in 64 bits with a sign (give floats, or element_bytes=, the size of such a "
                "number in a message)", "allreduce", lambda rank: given)  # fmt: skip  # noqa: B023
        self.assertEqual(self.returned("allreduce", lambda rank: 2**64, element_bytes=9), [2**66] * 4)

    def test_integers_may_be_too_large_on_the_way(self):
        given = numpy.array([100, 100, -100, -100], numpy.int8)
        for algorithm in ALGORITHMS["allreduce"]:
            got = self.returned("allreduce", lambda rank: given[rank], algorithm=algorithm)
            self.assertEqual([(value, type(value)) for value in got], [(0, numpy.int8)] * 4)
        for algorithm in ALGORITHMS["reduce_scatter"]:
            got = self.returned("reduce_scatter", lambda rank: numpy.full(4, given[rank]), algorithm=algorithm)
            self.assertEqual([(value.tolist(), value.dtype) for value in got], [([0], numpy.int8)] * 4)
        for op in (numpy.multiply, operator.mul, operator.imul):
            got = self.returned("allreduce", lambda rank: [2**40, 2**40, 2**40, 0][rank], op=op)  # noqa: B023
            self.assertEqual(got, [0] * 4)
        self.expect_refused("values: the result does not fit in int8 (give floats, say)", "scan", lambda rank: given[rank])
        self.expect_refused("values: the result does not fit in int64 (give floats, say)", "allreduce", lambda rank: -(2**62))

        def some(p):
            try:
                return int((yield p.scan(given[p.rank])))
            except dcube.InputError as error:
                return error.problem

        too_large = "the result does not fit in int8 (give floats, say)"
        self.assertEqual(dcube.run(program=some, processes=4, machine="ring:4").returned, [100, too_large, 100, 0])

    def test_mixed_integers_are_not_rounded(self):
        line = "values: rank 1 gives {} to {}, and rank 0 {} (convert values to one type)"
        floats, beyond = "values of type float64", "integers that float64 does not hold"
        odd = 2**53 + 1
        for kind in ("allgather", "allreduce", "gather"):
            self.expect_refused(line.format(floats, kind, beyond), kind, lambda rank: 2.5 if rank else odd, 2)
            self.expect_refused(line.format(beyond, kind, floats), kind, lambda rank: -odd if rank else 2.5, 2)
        even = -(2**62) - 2**12
        self.assertEqual(self.returned("allgather", lambda rank: 2.5 if rank else even, 2)[1].tolist(), [even, 2.5])
        self.expect_refused(line.format(floats, "scan", "values of type int64"), "scan", lambda rank: 2.5 if rank else 1, 2)

    def test_all_call_the_same_collectives(self):
        def kinds(p):
            yield p.allreduce(1) if p.rank == 0 else p.reduce(1)

        def orders(p):
            yield p.world().subgroup([0, 1, 2, 3] if p.rank else [3, 2, 1, 0]).allgather(p.rank)

        def operations(p):
            yield p.allreduce(1, op=numpy.maximum if p.rank else None)

        def ports(p):
            yield p.allreduce(1, ports=2 if p.rank else 1)

        def sides(p):
            yield p.allreduce(count=1, sides=[2, 2] if p.rank else [4])

        def apart(p):
            started = {}
            for tag in (1, 2) if p.rank else (2, 1):
                started[tag] = yield (p.reduce(p.rank, tag=1) if tag == 1 else p.allreduce(p.rank, tag=2)).start()
            reduced = yield p.wait(started[1])
            return reduced, (yield p.wait(started[2]))

        def alike(p):
            return (yield p.allreduce(p.rank, op=(numpy.add, None, operator.add, operator.iadd)[p.rank]))

        run = lambda program: dcube.run(program=program, processes=4, machine="ring:4", embedding="identity")  # noqa: E731
        for program, line in (
            (kinds, "reduce: rank 1 calls it where rank 0 calls allreduce (all call collectives in one order, or give each a tag)"),
            (orders, "allgather: process 1 has the members of the group in another order than process 0 (all give one order)"),
            (operations, "op: rank 1 gives op=numpy.maximum to allreduce, and rank 0 op=numpy.add (all give one operation)"),
            (ports, "ports: rank 1 gives ports=2 to allreduce, and rank 0 ports=1 (all give one)"),
            (sides, "sides: rank 1 gives sides=[2, 2] to allreduce, and rank 0 sides=[4] (all give one)"),
        ):  # fmt: skip
            with self.assertRaises(dcube.InputError) as caught:
                run(program)
            self.assertEqual(str(caught.exception), line)
        self.assertEqual(run(apart).returned, [(6, 6), (None, 6), (None, 6), (None, 6)])
        self.assertEqual(run(alike).returned, [6] * 4)

    def test_truths_are_counted_as_numpy_sums_them(self):
        self.assertEqual(self.returned("allreduce", lambda rank: rank % 2 == 0), [2] * 4)
        got = self.returned("allreduce", lambda rank: rank % 2 == 0, op=numpy.logical_or)
        self.assertTrue(all(isinstance(value, numpy.bool_) for value in got), got)

    def test_matrices_keep_their_shape(self):
        def shapes(kind, shape, processes=4, **options):
            got = self.returned(kind, lambda rank: numpy.ones(shape), processes, **options)
            return [numpy.shape(values) for values in got]

        self.assertEqual(shapes("allreduce", (2, 3)), [(2, 3)] * 4)
        self.assertEqual(shapes("allgather", (2, 3)), [(8, 3)] * 4)
        self.assertEqual(shapes("reduce_scatter", (4, 3)), [(1, 3)] * 4)
        self.assertEqual(shapes("scatter", (2, 2)), [(1,)] * 4)  # halves of rows
        self.assertEqual(shapes("all_to_all", (4, 3)), [(4, 3)] * 4)
        self.assertEqual(shapes("allgather", (), 1), [(1,)])

    def test_masks_are_not_lost(self):
        self.expect_refused("values: a masked array has no place for its mask in messages (give x.filled(0), say)",
                            "allreduce", lambda rank: numpy.ma.array([1.0, 999.0], mask=[0, 1]))  # fmt: skip

    def test_rows_of_unequal_lengths(self):
        self.expect_refused("values: numpy makes no array of them (are all rows of one length?)",
                            "allreduce", lambda rank: [[1], [1, 2]])  # fmt: skip

    def test_messages_of_values_have_the_size_that_they_had(self):
        """Agreements send nothing."""

        def values(p):
            yield p.allreduce(0.5 if p.rank else 0)

        def sizes(p):
            yield p.allreduce(count=1, element_bytes=8)

        made = [dcube.run(program=program, processes=4, machine="ring:4") for program in (values, sizes)]
        self.assertEqual(made[0].fingerprint, made[1].fingerprint)


if __name__ == "__main__":
    unittest.main()
