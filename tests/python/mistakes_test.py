"""Programs in Python: what goes wrong, and what is said of it."""

import traceback
import unittest

import dcube

from runs import run


class Mistakes(unittest.TestCase):
    def expect(self, error, words, program, processes=2, **options):
        with self.assertRaisesRegex(error, words) as caught:
            run(program, processes, **options)
        self.assertEqual(run(lambda p: (yield p.compute(1))).outcome, "completed")  # usable afterwards
        return caught.exception

    def test_an_exception_keeps_its_traceback(self):
        def inner(p):
            yield p.compute("1us")
            raise LookupError(f"of {p.rank}")

        def program(p):
            yield from inner(p)

        names = []
        try:
            run(program)
        except LookupError as error:
            names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        self.assertEqual(names[-2:], ["program", "inner"])

    def test_the_others_do_not_go_on(self):
        def at_once(p):
            if p.rank == 0:
                raise LookupError("at once")
            return computing(p)

        def computing(p):
            while True:
                yield p.compute(1)

        self.expect(LookupError, "at once", at_once)

        def without_yield(p):
            if p.rank == 0:
                raise LookupError("before any yield")

        self.expect(LookupError, "before any yield", without_yield)

    def test_a_call_that_is_not_yielded(self):
        def program(p):
            p.receive(p.rank ^ 1)
            yield p.compute(1)

        self.expect(dcube.ContractViolation, "process 0: what receive gave was not yielded before compute", program)
        self.expect(dcube.ContractViolation, "not yielded before its end", lambda p: p.compute(1) and None)

    def test_something_else_is_yielded(self):
        self.expect(dcube.ContractViolation, "process 0 yields 5", lambda p: (yield 5))
        self.expect(dcube.ContractViolation, "process 0 yields None", lambda p: (yield))

    def test_one_thing_is_yielded_twice(self):
        def program(p):
            once = p.compute(1)
            yield once
            yield once

        self.expect(dcube.ContractViolation, "process 0 yields .*, once", program)

    def test_async_functions(self):
        async def program(p):
            pass

        async def generator(p):
            yield 1

        self.expect(TypeError, "program is an async function", program)
        self.expect(TypeError, "generator is an async function", generator)

    def test_an_answer_is_a_dict(self):
        for wrong in (3, [1], None):
            made = dcube.Program(lambda p: p.rank, 2, answer=lambda _: wrong)
            with self.assertRaises(dcube.InputError) as raised:
                print(dcube.run(program=made, machine="ring:2").data)
            self.assertEqual(str(raised.exception), f"answer: gives {wrong!r}, not a dict of figures")

    def test_ranks_that_are_not_there(self):
        self.expect(dcube.ContractViolation, "ranks are 0 to 1", lambda p: (yield p.receive(2)))
        self.expect(dcube.ContractViolation, "ranks are 0 to 1", lambda p: p.send(2))
        self.expect(dcube.ContractViolation, "ranks are 0 to 1", lambda p: (yield p.exchange(9)))
        self.expect(TypeError, "^source: -1 is not a whole number from 0", lambda p: (yield p.receive(-1)))

    def test_durations_are_not_floating_point(self):
        self.expect(TypeError, "^duration: 1.5 is not a duration", lambda p: (yield p.compute(1.5)))
        self.expect(dcube.InputError, "less than no time", lambda p: (yield p.compute(-1)))
        self.expect(dcube.InputError, "63 bits", lambda p: (yield p.compute(2**63)))
        self.expect(dcube.InputError, "1 xs", lambda p: (yield p.compute("1 xs")))
        self.expect(dcube.InputError, "compute", lambda p: (yield p.compute("multiply", 2)))

    def test_time_that_is_too_late(self):
        def program(p):
            while True:
                yield p.compute(2**62)

        self.expect(dcube.InputError, "simulated time exceeds", program)

    def test_a_process_may_catch_what_a_call_raises(self):
        def program(p):
            request = p.post_receive(p.rank)
            p.send(p.rank, "self")
            yield p.wait(request)
            try:
                yield p.wait(request)
            except dcube.ContractViolation as error:
                return str(error)

        self.assertIn("waits for a request that it has waited for before", run(program).returned[0])

    def test_code_of_another_process(self):
        processes = []

        def program(p):
            processes.append(p)
            yield p.exchange(1 - p.rank)
            yield processes[1 - p.rank].compute(1)

        self.expect(dcube.ContractViolation, "in code that another process runs", program)

    def test_nobody_acts_as_another_process(self):
        for call, act in (
            ("send", lambda p: p.send(0, "forged", tag=3)),
            ("post_send", lambda p: p.post_send(0)),
            ("post_receive", lambda p: p.post_receive(0, 7)),
            ("enter_stage", lambda p: p.enter_stage(0)),
            ("send", lambda p: p.world().send(0)),
            ("post_receive", lambda p: p.world().post_receive(0)),
        ):
            processes = {}

            def program(p, act=act, processes=processes):
                processes[p.rank] = p
                yield p.exchange(1 - p.rank)
                if p.rank == 1:
                    yield p.receive(0, 9)  # still there
                act(processes[1])

            with self.subTest(call=call):
                words = f"^process 1 calls {call} in code that another process runs$"
                self.expect(dcube.ContractViolation, words, program)

        def in_operation(p):
            yield p.allreduce(1, op=lambda a, b: p.send(0) or a + b)

        self.expect(dcube.ContractViolation, "^process . calls send in code that no process runs$", in_operation)

    def test_who_has_raised_is_said(self):
        def program(p):
            yield p.compute("1us")
            if p.rank == 3:
                raise KeyError("my mistake")

        error = self.expect(KeyError, "my mistake", program, 4)
        if hasattr(error, "add_note"):
            self.assertEqual(error.__notes__, ["raised by process 3 of the program program"])
        compared = dcube.compare(machine="ring:4", program=dcube.Program(program, 4), embeddings=["standard"])
        self.assertEqual(compared["standard"]["problem"], "program: process 3 raised KeyError: 'my mistake'")

    def test_a_process_that_has_ended(self):
        kept = []

        def program(p):
            kept.append(p)
            yield p.compute(1)

        run(program)
        with self.assertRaisesRegex(dcube.ContractViolation, "has ended"):
            kept[0].send(1)
        with self.assertRaisesRegex(dcube.ContractViolation, "has ended"):
            kept[0].world()

    def test_generators_that_do_not_end_are_closed(self):
        closed = []

        def program(p):
            try:
                yield p.receive(p.rank ^ 1)
            finally:
                closed.append(p)

        self.assertEqual(run(program).outcome, "deadlock")
        self.assertEqual(len(closed), 2)

    def test_a_run_inside_a_run(self):
        self.expect(dcube.ContractViolation, "during a simulation", lambda p: dcube.run("quickstart"))

    def test_collectives(self):
        self.expect(TypeError, "unexpected keyword argument 'algoritm'", lambda p: (yield p.allreduce([1], algoritm="x")))
        self.expect(dcube.InputError, "nonsense", lambda p: (yield p.allreduce([1], algorithm="nonsense")))
        self.expect(TypeError, "element_bytes", lambda p: (yield p.allreduce(["a", object()])))
        self.expect(dcube.ContractViolation, "as many values", lambda p: (yield p.all_to_all([1])))
        self.expect(dcube.InputError, "count: 12 bytes are not", lambda p: (yield p.all_to_all(count=3, element_bytes=4)))
        self.expect(TypeError, "count stands beside counts", lambda p: (yield p.gather(count=3, counts=[1, 2])))
        self.expect(TypeError, "^element_bytes: 0 is not a whole number from 1", lambda p: (yield p.barrier(element_bytes=0)))
        self.expect(TypeError, "'count'", lambda p: (yield p.barrier(count=3)))
        self.expect(TypeError, "count stands beside values", lambda p: (yield p.allreduce([1], count=10)))
        self.expect(ZeroDivisionError, "", lambda p: (yield p.allreduce([1], op=lambda a, b: 1 / 0)))

    def test_counts_of_an_all_to_allv_fit_those_of_the_others(self):
        sent = ([1, 1], [2, 1])
        words = r"^(send|receive)_counts: rank . gives (send|receive)_counts\[.\]=. to all_to_allv, and rank . (send|receive)_counts\[.\]=."
        for values in (lambda p: [1.0] * sum(sent[p.rank]), lambda p: None):
            self.expect(
                dcube.InputError, words, lambda p: (yield p.all_to_allv(values(p), send_counts=sent[p.rank], receive_counts=[1, 1]))
            )

    def test_stages_that_are_not_there(self):
        for stage, stages, words in ((1, 1, r"stage 1, .*\(stages=1\)"), (2, ["a", "b"], r"stage 2, .*\['a', 'b'\]"), ("x", 0, "stage `x`, .*=0")):
            program = dcube.Program(lambda p: p.enter_stage(stage), 2, stages=stages)
            with self.assertRaisesRegex(dcube.ContractViolation, "^process 0 enters the " + words):
                dcube.run(machine="ring:2", program=program)

    def test_tags_of_collectives_are_no_tags_of_messages(self):
        first = 2**31
        for call in (
            lambda p: p.send(0, b"x", tag=first),
            lambda p: p.post_send(0, b"x", tag=first),
            lambda p: p.send(0, b"x", tag=2**32 - 1),
            lambda p: p.receive(0, tag=first),
            lambda p: p.receive_any(tag=first),
            lambda p: p.post_receive(0, tag=first),
            lambda p: p.world().send(0, tag=first),
            lambda p: p.world().post_receive(0, tag=first),
        ):

            def program(p, call=call):
                call(p)
                yield p.allreduce(p.rank)

            self.expect(TypeError, r"^tag: \d+ is not a whole number from 0 to 2147483647$", program)

        def own(p):
            p.send(p.rank, b"x", tag=first - 1)
            return (yield p.receive_any()).tag

        self.assertEqual(run(own).returned, [first - 1] * 2)

    def test_a_shape_is_needed(self):
        with self.assertRaisesRegex(TypeError, "processes=16"):
            dcube.run(program=lambda p: None, machine="ring:2")
        with self.assertRaisesRegex(dcube.InputError, "blob"):
            dcube.run(program=lambda p: None, guest="blob:4", machine="ring:2")


if __name__ == "__main__":
    unittest.main()
