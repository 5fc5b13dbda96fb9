"""Arguments of every public function and method: the list is made of their signatures."""

import datetime
import decimal
import fractions
import inspect
import math
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import dcube
import numpy
from dcube import arguments, progress

COUNT = {"machine": "ring:4", "traffic": "cube:2"}


class Sealed:
    """A value that nothing takes."""

    def __repr__(self):
        raise RuntimeError("has no text")


PINS = {1: 2}
# Hardly an argument takes one of these, whatever it is: is_taken() says which.
WRONG = [
    Sealed(), b"bytes", 1 + 2j, ..., bytearray(b"x"), float("nan"), -math.inf, "a\0b", "\ud800", numpy.float64("nan"),
    numpy.zeros(()), numpy.zeros((2, 2)), datetime.timedelta(1), NotImplemented, type, [Sealed()],
    PINS, {"a": Sealed()}, [["x"]],
]  # fmt: skip
# Beside these, numbers of which no argument of a number takes all.
NUMBERS = [-1, 2**70, -(2**70), 1.5, decimal.Decimal("1.5"), fractions.Fraction(1, 2), numpy.int64(-3), True]

FIT = pathlib.Path(__file__).resolve().parents[2] / "examples" / "fit"
# What is needed beside the argument that is tested.
WITH = {
    dcube.run: {"scenario": "quickstart"},
    dcube.compare: {"scenario": "quickstart"},
    dcube.sweep: {"study": "quickstart"},
    dcube.search: {"scenario": "quickstart", "effort": 1},
    dcube.place: {"scenario": "quickstart", "effort": 1},
    dcube.embed: {"machine": "ring:4"},
    dcube.collective: {"operation": "allreduce", "machine": "ring:4", "bytes": 8, "algorithms": "ring", "crossovers": False},
    dcube.fit: {"machine": "ring:4", "measured": FIT / "osu_latency.txt"},
    dcube.subcubes: {"random": "tasks=3,edges=2", "subcube": 1},
    dcube.fitting_embeddings: {"machine": "ring:4", "guest": "ring:4"},
    dcube.Program: {"function": abs, "processes": 4},
    dcube.Sweep.ratio: {"question": "1/2"},
}  # fmt: skip

# Arguments of programs' methods whose value may be anything.
OPEN = {"data", "values"}
# Arguments that take functions, such as `type`.
CALLED = {"program", "function", "verify", "answer", "progress", "color"}
NUMBERS_TAKEN = {"time_limit_s": (1.5, 2**70, decimal.Decimal("1.5"), fractions.Fraction(1, 2)),
                 "prove_s": (1.5, 2**70, decimal.Decimal("1.5"), fractions.Fraction(1, 2)),
                 "duration": (fractions.Fraction(1, 2),), "until": (fractions.Fraction(1, 2),)}  # fmt: skip
TRUTHS = {"intervals", "why", "theory", "progress", "ties", "crossovers", "check_links", "any", "parallel", "non_parallel"}


def questions():
    """Public functions, and methods with an object that they are called of."""
    functions = [value for name in dcube.__all__ if inspect.isfunction(value := getattr(dcube, name))]
    result, swept = dcube.run("quickstart", intervals=True), dcube.sweep("quickstart", vary={"/program/message": [1, 2]})
    objects = [result, swept, dcube.compare("quickstart", ["xor"]), dcube.embed("ring:4"),
               dcube.search(**COUNT, effort=1), dcube.place(**COUNT, effort=1),
               dcube.collective("allreduce", "ring:4", bytes=8, algorithms="ring", crossovers=False),
               dcube.subcubes(random="tasks=3,edges=2", subcube=1)]  # fmt: skip
    yield from ((function, None) for function in [*functions, dcube.Program])
    for value in objects:
        for name, method in inspect.getmembers(type(value), inspect.isfunction):
            if not name.startswith("_"):
                yield method, value


def parameters_of(question):
    return [each for each in inspect.signature(question).parameters.values()
            if each.name != "self" and each.kind is not each.VAR_KEYWORD]  # fmt: skip


def wrong_values(name):
    return [*WRONG, *(value for value in NUMBERS if name not in TRUTHS or value is not True)]


def is_taken(name, value):
    if (value is type and name in CALLED) or (value is PINS and name == "pins"):
        return True
    if name == "traffic" and isinstance(value, numpy.ndarray) and value.ndim == 2:
        return True
    return any(type(value) is type(taken) and value == taken for taken in NUMBERS_TAKEN.get(name, ()))


def is_converted(value):
    """Whether pybind11 takes it for a text or a list."""
    return isinstance(value, (bytes, bytearray)) or isinstance(value, str) and "\0" in value


class Arguments(unittest.TestCase):
    calls = 0

    def expect_complaint(self, name, call):
        """One sentence that begins with the argument's name."""
        Arguments.calls += 1
        try:
            given = call()
        except (TypeError, ValueError, dcube.Error) as error:
            text = str(error)
            self.assertRegex(text, rf"^{name}(\[.*?\])?: \S")
            self.assertNotIn("\n", text)
            self.assertLess(len(text), 400)
            self.assertNotRegex(text, r"Invoked with|Unable to cast|incompatible function|std::|object at 0x\w+ at")
        else:
            self.fail(f"took it, and gave {given!r}")

    def test_every_public_argument_refuses_what_it_cannot_be(self):
        seen = set()
        for question, owner in questions():
            of = WITH.get(question, {})
            for parameter in parameters_of(question):
                name = parameter.name
                seen.add(name)
                for value in wrong_values(name):
                    if is_taken(name, value) or value is parameter.default:
                        continue
                    with self.subTest(question=question.__qualname__, argument=name, value=arguments.shown(value)):
                        keywords = {**of, name: value}
                        if question is dcube.Program and name == "guest":
                            del keywords["processes"]
                        self.expect_complaint(name, lambda: question(*[owner] if owner else [], **keywords))
        self.assertGreater(Arguments.calls, 1000)
        self.assertEqual(seen, {name.rpartition(".")[2] for name in arguments.CHECKS})

    def test_every_argument_of_a_process_and_a_group_refuses_what_it_cannot_be(self):
        enough = {"to": 1, "source": 1, "partner": 1, "duration": 5, "stage": 0, "rank": 0, "first": 0, "count": 1,
                  "ranks": [0], "color": abs, "over": "a", "axes": {"a": 2}}  # fmt: skip

        def tested(p):
            request = p.post_receive(1 - p.rank)
            needed = {**enough, "request": request, "requests": [request]}
            for owner in (p, p.world()):
                for method, function in inspect.getmembers(type(owner), callable):
                    if not method.startswith("_"):
                        self.try_method(owner, method, function, needed)
            p.send(1 - p.rank)
            yield p.wait(request)

        dcube.run(program=dcube.Program(tested, 2), machine="ring:2")

    def test_fractions_are_not_cut_down_to_whole_numbers(self):
        def tested(p):
            group, half = p.world(), fractions.Fraction(1, 2)
            for name, call in (
                ("to", lambda: p.send(decimal.Decimal(1))), ("bytes", lambda: p.send(to=1, bytes=half)),
                ("tag", lambda: p.receive_any(tag=numpy.float32(1.5))), ("ranks", lambda: group.subgroup([0, half])),
                ("root", lambda: p.broadcast(1, root=half)), ("ports", lambda: p.allreduce(1, ports=decimal.Decimal(2))),
                ("counts", lambda: p.allgather([1], counts=[decimal.Decimal(1), 1])), ("count", lambda: p.compute("add", half)),
                ("op", lambda: p.allreduce(1, op=5)), ("op", lambda: group.allreduce(1, op="sum")),
            ):  # fmt: skip
                with self.subTest(argument=name):
                    self.expect_complaint(name, call)
            yield p.compute(half)  # of picoseconds

        dcube.run(program=dcube.Program(tested, 2), machine="ring:2")

    def test_whole_numbers_of_numpy_fit_in_programs(self):
        one, four, small = numpy.int64(1), numpy.uint64(4), numpy.uint8(3)

        def tested(p):
            other = numpy.int64(1 - p.rank)
            p.send(other, "x", tag=small, bytes=small)
            first = yield p.receive(other, tag=small)
            posted = p.post_receive(other, small)
            p.world().post_send(other, tag=small, bytes=one)
            second = yield p.wait(posted)
            p.enter_stage(numpy.int8(1))
            yield p.exchange(other, bytes=four)
            yield p.compute("1ns", small)
            yield p.compute(small)
            group = p.world().slice(numpy.int64(0), numpy.int64(2), one).subgroup(numpy.array([0, 1]))
            line = group.along("x", {"x": numpy.int64(2)})
            values = yield line.broadcast([5.0, 6.0], root=one, ports=one, segment_bytes=four, element_bytes=four)
            yield p.allgather(count=four)
            share = yield p.scatter([1.0, 2.0, 3.0], counts=numpy.array([1, 2]))
            moved = yield p.all_to_allv([1.0, 2.0], send_counts=numpy.array([1, 1]), receive_counts=[one, one])
            return first, second.bytes, values.tolist(), len(share), moved.tolist(), p.world().process(one)

        made = dcube.run(program=dcube.Program(tested, 2, stages=2), machine="ring:2")
        self.assertEqual(made.returned[0], ("x", 1, [5, 6], 1, [1, 1], 1))

    def test_truth_values_are_no_whole_numbers_in_programs(self):
        def tested(p):
            group = p.world()
            for true in (True, numpy.bool_(True)):
                for name, call in (
                    ("to", lambda: p.send(true)), ("tag", lambda: p.send(1, tag=true)), ("bytes", lambda: p.send(1, bytes=true)),
                    ("source", lambda: p.post_receive(true)), ("duration", lambda: p.compute(true)),
                    ("count", lambda: p.compute("1s", true)), ("stage", lambda: p.enter_stage(true)),
                    ("root", lambda: p.broadcast(1, root=true)), ("counts", lambda: p.scatter([1, 2], counts=[true, true])),
                    ("ranks", lambda: group.subgroup([true])), ("axes", lambda: group.along("a", {"a": true})),
                    ("copies", lambda: p.allreduce(1, copies=true)),
                ):  # fmt: skip
                    with self.subTest(argument=name, value=true):
                        self.expect_complaint(name, call)
            yield p.allreduce(1, plans=True)

        dcube.run(program=dcube.Program(tested, 2, stages=2), machine="ring:2")

    def try_method(self, owner, method, function, needed):
        signature = inspect.signature(function)
        required = {each.name: needed[each.name] for each in list(signature.parameters.values())[1:]
                    if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD}  # fmt: skip
        for parameter in list(signature.parameters.values())[1:]:
            name = parameter.name
            if name in OPEN or parameter.kind is parameter.VAR_KEYWORD:
                continue
            for value in wrong_values(name):
                if is_taken(name, value) or is_converted(value):
                    continue
                with self.subTest(method=method, argument=name, value=arguments.shown(value)):
                    if parameter.kind is parameter.VAR_POSITIONAL:
                        self.expect_complaint(name, lambda: getattr(owner, method)(value))
                    else:
                        self.expect_complaint(name, lambda: getattr(owner, method)(**{**required, name: value}))


def of_shape(made):
    return made.data["program"]["processes"]


class ProgressInNotebooks(unittest.TestCase):
    def test_is_a_line_below_the_cell(self):
        shown = []

        class Shown:
            def update(self, content, raw):
                shown.append((content["text/plain"], raw))

        def display(content, raw, display_id):
            shown.append((content["text/plain"], raw and display_id))
            return Shown()

        shell = types.SimpleNamespace(kernel=object())
        module = types.SimpleNamespace(get_ipython=lambda: shell, display=types.SimpleNamespace(display=display))
        with unittest.mock.patch.dict(sys.modules, {"IPython": module, "IPython.display": module.display}):
            line = progress.Line(progress.of_sweep)
            line(0, 3)  # too early
            for done in (1, 2):
                line.next = 0
                line(done, 3)
            line.end()
            self.assertTrue(progress.is_watched())
        self.assertEqual(shown, [("simulating: 1 of 3 runs", True), ("simulating: 2 of 3 runs", True), ("", True)])


class Emptiness(unittest.TestCase):
    """What is empty is not the same as what is left out."""

    def expect_refusal(self, name, words, call):
        with self.subTest(argument=name), self.assertRaises(dcube.ArgumentError) as raised:
            call()
        self.assertEqual(str(raised.exception), f"{name}: is an empty {words} (leave it out, or name something)")

    def test_lists(self):
        for name in ("networks", "failures", "process_numbers"):
            for empty in ([], (), numpy.array([]), iter([])):
                self.expect_refusal(name, "list", lambda: dcube.compare("quickstart", ["xor"], **{name: empty}))
        self.expect_refusal("measures", "list", lambda: dcube.sweep("quickstart", measures=[]))
        for weights in ([], range(0)):
            self.expect_refusal("weights", "list", lambda: dcube.search(**COUNT, weights=weights, effort=1))

    def test_texts(self):
        self.expect_refusal("guest", "text", lambda: dcube.embed("ring:8", guest=""))
        self.expect_refusal("place", "text", lambda: dcube.compare("quickstart", ["xor"], place=""))
        self.expect_refusal("slack", "text", lambda: dcube.search(**COUNT, slack=""))
        self.expect_refusal("avoid[0]", "text", lambda: dcube.search(**COUNT, avoid=[""]))
        self.expect_refusal("time", "text", lambda: dcube.fit("ring:4", FIT / "osu_latency.txt", time=""))

    def test_nothing_to_avoid_or_pin(self):
        self.assertEqual(len(dcube.search(**COUNT, avoid=[], pins={}, effort=1).map), 4)


class Meanings(unittest.TestCase):
    def test_a_set_is_no_map(self):
        for wrong in ({0, 1}, frozenset([0, 1])):
            with self.assertRaisesRegex(dcube.ArgumentError, "^embedding: is a set, which has no order"):
                dcube.embed("ring:4", wrong)

    def test_a_range_keeps_its_order_and_a_set_has_none(self):
        own = {"machine": "ring:8", "program": {"kind": "cc_dcube", "compute": "1s"}}
        down = {"kind": "explicit", "map": range(7, -1, -1)}
        for made in (
            dcube.run(own, embedding=down),
            dcube.run({**own, "embedding": down}),
            dcube.run(own, set={"/embedding": down}),
        ):
            self.assertEqual(made.map.tolist(), list(range(7, -1, -1)))
        swept = dcube.sweep(own, vary={"/embedding": [down, {"kind": "explicit", "map": range(8)}]})
        self.assertEqual([text[-9:] for text in swept.columns["embedding"]], ["3,2,1,0]}", "4,5,6,7]}"])
        zipped = [[{"setting": "/seed", "values": range(4, 0, -1)}, {"setting": "/program/message", "values": range(1, 5)}]]
        self.assertEqual(dcube.sweep({"scenario": own, "zip": zipped}).columns["seed"], [4, 3, 2, 1])
        machine = {"topology": {"kind": "mesh", "shape": range(16, 3, -12)}}
        self.assertEqual(dcube.run(machine=machine, program="cc_dcube").data["machine"]["shape"], [16, 4])
        for name, call in (
            ("embedding", lambda: dcube.run(own, embedding={"kind": "explicit", "map": set(range(8))})),
            (r"set\[/embedding\]", lambda: dcube.run(own, set={"/embedding": {"kind": "explicit", "map": set(range(8))}})),
            ("vary", lambda: dcube.sweep(own, vary={"/program/message": {1, 2}})),
            ("zip", lambda: dcube.sweep(own, zip={"/program/message": {1, 2}, "/seed": [1, 2]})),
            ("weights", lambda: dcube.search(**COUNT, weights={1, 2})),
            ("stages", lambda: dcube.Program(abs, 2, stages={"a", "b"})),
        ):
            with self.subTest(name=name), self.assertRaisesRegex(dcube.ArgumentError, f"^{name}: .*is a set, which has no order"):
                call()

    def test_limits_of_simulations_need_some(self):
        for name, value in (("jobs", 2), ("time_limit_s", 1)):
            with self.assertRaisesRegex(dcube.ArgumentError, f"^{name}: is for the simulations that simulate asks for"):
                dcube.subcubes(random="tasks=3,edges=2", subcube=1, **{name: value})

    def test_an_embedding_that_the_caller_gave_is_to_blame_for_itself(self):
        def program(p):
            yield p.compute(1)

        for of in ({"machine": "ring:16", "program": "cc_dcube"}, {"machine": "ring:16", "program": program}):
            for question in (dcube.run, dcube.search):
                for wrong, place in (
                    ([0] * 16, "scenario: /embedding/map/1"), ([99] * 16, "scenario: /embedding/map/0"),
                    ({"kind": "xorr"}, "scenario: /embedding/kind"), ({"kind": "xor", "foo": 3}, "scenario: /embedding/foo"),
                    ("xorr", "embedding"),
                ):  # fmt: skip
                    with self.subTest(question=question.__name__, wrong=wrong), self.assertRaises(dcube.InputError) as caught:
                        question(**of, processes=16, embedding=wrong)
                    self.assertEqual(caught.exception.place, place)
        for wrong in ({"scenario": {"machine": "ring:16", "embedding": "xorr"}}, {"machine": "ring:16", "set": {"/embedding": "xorr"}}):
            with self.assertRaisesRegex(dcube.InputError, "^scenario: /embedding: "):
                dcube.run(**wrong, program="cc_dcube", guest="cube:4")

    def test_what_an_argument_replaces_is_not_set_too(self):
        own = {"machine": "ring:8", "program": {"kind": "cc_dcube"}}
        for scenario in (own, "quickstart"):
            for question in (dcube.run, dcube.compare, dcube.search, dcube.sweep):
                for pointer, given in (
                    ("/machine", {"machine": "ring:8", "set": {"/machine": "ring:8"}}),
                    ("/embedding", {"embedding": "xor", "set": {"/embedding": "xor"}}),
                    ("/embedding", {"embedding": range(8), "set": {"/embedding": "xor"}}),
                    ("/program/dimensions", {"processes": 8, "set": {"/program/dimensions": 3}}),
                ):
                    if question is dcube.compare and pointer == "/embedding":
                        continue  # its embedding takes the place of the scenario's
                    with (
                        self.subTest(scenario=scenario, question=question.__name__, given=given),
                        self.assertRaisesRegex(dcube.InputError, f"^set {pointer}: is given twice"),
                    ):
                        question(scenario, **given)

    def test_processes_and_guest_of_a_catalogue_program_apply(self):
        own = {"machine": "torus:4x4", "program": {"kind": "cc_dcube"}}
        self.assertEqual(of_shape(dcube.run("quickstart", processes=16, embedding="standard")), 16)
        self.assertEqual(of_shape(dcube.run(**own, processes=numpy.int64(4))), 4)
        self.assertEqual(of_shape(dcube.run({**own}, guest="cube:2")), 4)
        self.assertEqual(of_shape(dcube.run(machine="torus:4x4", program="allreduce", processes=7)), 7)
        self.assertEqual(of_shape(dcube.run({"machine": "ring:8", "program": lambda p: p.rank}, processes=2)), 2)
        self.assertEqual(len(dcube.search("quickstart", processes=16, embedding="standard", effort=1).map), 16)
        self.assertEqual(dcube.compare("quickstart", ["standard"], processes=16).processes, 16)
        study = {"scenario": "quickstart", "vary": {"/program/message": [1]}}
        for given in ("quickstart", study, {**study, "scenario": own}):
            with self.subTest(given=given):
                swept = dcube.sweep(given, processes=16, embedding="standard")
                fewer = dcube.sweep(given, set={"/program/dimensions": 4, "/embedding": "standard"})
                self.assertEqual(swept.columns["makespan_ps"].tolist(), fewer.columns["makespan_ps"].tolist())

    def test_what_cannot_apply_is_refused(self):
        def yields(p):
            yield p.compute(1)

        program = dcube.Program(yields, 4)
        for question, keywords, words in (
            (dcube.run, {"scenario": "quickstart", "processes": 16}, "processes: 16 is not possible here: xor does not fit"),
            (dcube.run, {"scenario": "quickstart", "processes": 17}, "processes: 17 is not a power of two; the nearest are 16 and 32"),
            (dcube.run, {"scenario": "quickstart", "processes": 4, "guest": "cube:2"}, "processes: stands beside guest"),
            (dcube.run, {"scenario": "quickstart", "guest": "ring:4"}, "guest: the program cc_dcube has no setting for such a shape"),
            (dcube.run, {"program": program, "machine": "ring:4", "processes": 4}, r"processes: Program\(yields, cube:2\) has a shape"),
            (dcube.run, {"machine": "ring:4", "processes": 4}, "processes: needs a program"),
            (dcube.run, {"scenario": "quickstart", "embedding": ""}, "embedding: is an empty text"),
            (dcube.search, {**COUNT, "embedding": "xor"}, "embedding: stands beside traffic"),
            (dcube.search, {**COUNT, "set": {"/a": 1}}, "set: stands beside traffic"),
            (dcube.search, {**COUNT, "processes": 3}, "processes: stands beside traffic"),
            (dcube.place, {**COUNT, "guest": "ring:4"}, "guest: stands beside traffic"),
            (dcube.search, {**COUNT, "program": "fft"}, "program: stands beside traffic"),
            (dcube.search, {**COUNT, "scenario": "quickstart"}, "scenario: stands beside traffic"),
            (dcube.search, {"traffic": "cube:2"}, "machine: is missing"),
            (dcube.search, {"scenario": "quickstart", "weights": [1] * 6}, "weights: needs traffic"),
            (dcube.search, {**COUNT, "pins": {0.9: 5.9}}, "pins: 0.9 is not a whole number"),
            (dcube.search, {**COUNT, "pins": {0: 5.9}}, r"pins\[0\]: 5.9 is not a whole number"),
            (dcube.search, {**COUNT, "only": "0123"}, "only: 0123 is not a node"),
            (dcube.search, {**COUNT, "only": [0.9]}, r"only\[0\]: 0.9 is not a whole number"),
            (dcube.compare, {"scenario": "quickstart", "jobs": 0}, "jobs: 0 is not a whole number from 1"),
            (dcube.compare, {"scenario": "quickstart", "jobs": fractions.Fraction(1, 2)}, "jobs: Fraction"),
            (dcube.compare, {"scenario": "quickstart", "embeddings": ["xor"], "embedding": "gray"}, "embedding: stands beside embeddings"),
            (dcube.compare, {"scenario": "quickstart", "seeds": 3}, "seeds: needs failures"),
            (dcube.compare, {"scenario": "quickstart", "place": 3}, "place: 3 is not a text"),
            (dcube.compare, {"scenario": "quickstart", "check_links": 1}, "check_links: 1 is not True or False"),
            (dcube.compare, {"scenario": "quickstart", "time_limit_s": 0}, "time_limit_s: 0 is not a number of seconds above 0"),
            (dcube.embed, {"machine": "ring:4", "hop": 1}, 'hop: 1 has no unit; write "1s" or "1ps"'),
        ):  # fmt: skip
            with self.subTest(words=words), self.assertRaisesRegex(dcube.InputError, "^" + words) as caught:
                question(**keywords)
            self.assertNotIn("\n", str(caught.exception))

    def test_a_limit_that_is_never_reached_is_none(self):
        hard = {"machine": "torus:4x4", "traffic": "cube:4", "weights": [1, 2, 4, 8], "method": "annealing", "effort": 500}
        moves = {dcube.search(**hard, time_limit_s=limit).moves for limit in (None, 1e9, 1e10, 1e300, math.inf, 10**30)}
        self.assertEqual(len(moves), 1)
        self.assertEqual(dcube.compare("quickstart", ["xor"], time_limit_s=math.inf).rows[0]["outcome"], "completed")

    def test_numbers_arrays_and_paths_of_any_kind_fit(self):
        self.assertEqual(dcube.run("quickstart", embedding=numpy.arange(64)).map.tolist(), list(range(64)))
        found = dcube.search(**COUNT, only=numpy.arange(4), pins={numpy.int8(0): numpy.uint64(3)}, effort=numpy.int64(5))
        self.assertEqual(found.map[0], 3)
        self.assertEqual(len(dcube.compare("quickstart", ("xor",), failures=numpy.arange(2), seeds=numpy.int64(1))), 2)
        self.assertTrue(dcube.run("quickstart", intervals=numpy.bool_(True)).intervals)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            dcube.run("quickstart").save(folder / "result.json")
            (folder / "map.json").write_text('{"kind": "explicit", "map": [3, 2, 1, 0]}')
            own = {"machine": "ring:4", "program": {"kind": "cc_dcube"}}
            for question in (dcube.run, dcube.sweep, dcube.search, dcube.compare):
                with self.subTest(question=question.__name__):
                    question(own, embedding=folder / "map.json")
            swept = dcube.sweep(own, embedding=folder / "map.json")
            self.assertEqual(swept.columns["makespan_ps"][0], dcube.run(own, embedding=[3, 2, 1, 0]).makespan_ps)

    def test_nothing_needs_a_standard_error(self):
        code = "import dcube; dcube.run('quickstart', progress={}); dcube.search('quickstart', effort=1); print('done')"
        for progress in (None, True):
            for closing in ("2>&-", ""):
                code_here = code.format(progress) if closing else "import sys; sys.stderr.close(); " + code.format(progress)
                with self.subTest(progress=progress, closing=closing):
                    words = ["/bin/sh", "-c", f'"$0" -Bc "$1" {closing}', sys.executable, code_here]
                    self.assertEqual(subprocess.check_output(words, text=True), "done\n")


if __name__ == "__main__":
    unittest.main()
