"""What an interpreter expects of a module: Ctrl-C, threads, processes, memory, and an orderly end."""

import concurrent.futures
import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref

import dcube

BIG = {"machine": "torus:1024x1024", "embedding": "standard", "program": {"kind": "cc_dcube", "compute": "1us"}}
RUNS = 10_000
LEAK_KIB = 3000  # that a memory allocator may come to hold in so many runs


def resident_kib():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def ping(p):
    for i in range(3):
        got = yield p.exchange(p.rank ^ 1, [p.rank, i])
    p.send(p.rank ^ 1, "nobody receives this")
    return got


class CtrlC(unittest.TestCase):
    def interrupted_after(self, call, delay=0.4):
        """Processor time after Ctrl-C: other programs on a busy computer do not count."""
        sent = []

        def send():
            sent.append((time.monotonic(), time.process_time()))
            os.kill(os.getpid(), signal.SIGINT)

        # A thread of Python sends it: the lock must be free for that, too.
        timer = threading.Timer(delay, send)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            call()
        took = time.process_time() - sent[0][1]
        self.assertLess(time.monotonic() - sent[0][0], 60)
        timer.join()
        self.assertEqual(dcube.run("quickstart").outcome, "completed")
        return took

    def test_during_a_run(self):
        self.assertLess(self.interrupted_after(lambda: dcube.run(BIG)), 2)

    def test_while_a_machine_of_millions_of_nodes_is_built(self):
        for delay in (0.1, 0.5):
            call = lambda: dcube.run("quickstart", machine="torus:2048x2048")  # noqa: E731
            self.assertLess(self.interrupted_after(call, delay), 1)

    def test_during_programs_in_python(self):
        def computes(p):
            while True:
                yield p.compute("1ps")

        def talks(p):
            while True:
                p.send(p.rank ^ 1, bytes=1)
                yield p.receive(p.rank ^ 1)

        def thinks(p):
            yield p.compute(1)
            while True:
                pass

        for program in (computes, talks, thinks):
            with self.subTest(program=program.__name__):
                run = lambda: dcube.run(program=program, processes=4, machine="ring:4")  # noqa: B023, E731
                self.assertLess(self.interrupted_after(run), 1)

    def test_during_searches(self):
        def shape():
            weights = [2**i for i in range(8)]
            dcube.search(machine="torus:16x16", traffic="cube:8", weights=weights, method="annealing", effort=10**9)

        def simulated():
            # A search that reaches its bound ends before anybody interrupts it.
            dcube.search("torus-cc_dcube-failed", method="annealing", objective="makespan", effort=10**7)

        def partitioned():  # takes 6 s; libscotch itself cannot be stopped
            dcube.search(machine="torus:64x64x8", traffic="cube:15", method="scotch")

        for call in (shape, simulated, partitioned):
            with self.subTest(call=call.__name__):
                self.assertLess(self.interrupted_after(call), 1)

    def test_during_a_sweep(self):
        vary = {"/program/message": "lin:1:50000:50000"}
        self.assertLess(self.interrupted_after(lambda: dcube.sweep("quickstart", vary=vary), 2), 1)
        many = {"/program/message": "lin:1:1000000:1000000"}  # whose study takes 2 s to build
        self.assertLess(self.interrupted_after(lambda: dcube.sweep("quickstart", vary=many), 0.7), 1)
        one = {"/program/message": [1, 2]}
        self.assertLess(self.interrupted_after(lambda: dcube.sweep(dict(BIG), vary=one), 1.5), 2)

    def test_while_compare_looks_for_a_map(self):
        code = (
            "import dcube\n"
            "try: dcube.compare({'machine': 'torus:64x64', 'program': {'kind': 'cc_dcube'}}, 'standard', place='makespan', jobs=1)\n"
            "except KeyboardInterrupt: print('raised')"
        )
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text(encoding="ascii"):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], "raised\n")

    def test_the_handler_is_pythons(self):
        code = (
            "import dcube, os, signal; dcube.run('quickstart')\n"
            "try: os.kill(os.getpid(), signal.SIGINT)\n"
            "except KeyboardInterrupt: print('raised')"
        )
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "raised\n")


class Threads(unittest.TestCase):
    def test_others_run_during_a_run(self):
        for program in ({}, {"program": talk_for_a_while, "processes": 4, "machine": "ring:4", "embedding": "identity"}):
            ticks, stop = [], threading.Event()

            def tick():
                while not stop.is_set():
                    ticks.append(time.monotonic())
                    time.sleep(0.001)

            other = threading.Thread(target=tick)
            other.start()
            begin = time.monotonic()
            try:
                dcube.run(**program) if program else dcube.run(dict(BIG, machine="torus:256x256"))
            finally:
                took = time.monotonic() - begin
                stop.set()
                other.join()
            with self.subTest(program=bool(program)):
                self.assertGreater(len(ticks), took / 0.1)

    def test_a_run_in_another_thread_is_refused_in_a_line(self):
        dcube.run("quickstart")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for future in [pool.submit(dcube.run, "quickstart") for _ in range(4)]:
                with self.assertRaisesRegex(dcube.ContractViolation, "another thread.*multiprocessing"):
                    future.result()
        self.assertEqual(dcube.run("quickstart").outcome, "completed")

    def test_all_runs_may_be_in_one_other_thread(self):
        code = (
            "import dcube, concurrent.futures as c\n"
            "with c.ThreadPoolExecutor(1) as pool:\n"
            "    print({f.result().outcome for f in [pool.submit(dcube.run, 'quickstart') for _ in range(9)]})"
        )
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "{'completed'}\n")

    def test_a_thread_that_comes_after_the_one_with_the_engine(self):
        """It may have the number of that one."""
        code = (
            "import dcube, threading\n"
            "said = []\n"
            "def run():\n"
            "    try: said.append(dcube.run('quickstart').outcome)\n"
            "    except dcube.ContractViolation: said.append('refused')\n"
            "for _ in range(3):\n"
            "    thread = threading.Thread(target=run); thread.start(); thread.join()\n"
            "print(*said)"
        )
        said = subprocess.check_output([sys.executable, "-c", code], text=True)
        self.assertEqual(said, "completed refused refused\n")

    def test_two_at_once(self):
        code = (
            "import dcube, threading\n"
            "said = []\n"
            "def run():\n"
            "    try: said.append(dcube.run('quickstart', machine='torus:128x128').outcome)\n"
            "    except dcube.ContractViolation: said.append('refused')\n"
            "threads = [threading.Thread(target=run) for _ in range(4)]\n"
            "for thread in threads: thread.start()\n"
            "for thread in threads: thread.join()\n"
            "print(*sorted(said))"
        )
        said = subprocess.check_output([sys.executable, "-c", code], text=True)
        self.assertEqual(said, "completed refused refused refused\n")

    def test_what_needs_no_simulation_works_anywhere(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(dcube.search, machine="ring:16", traffic="cube:4", effort=5000) for _ in range(4)]
            self.assertEqual(len({future.result().cost for future in futures}), 1)


def talk_for_a_while(p):
    for _ in range(20_000):
        yield p.exchange(p.rank ^ 1, bytes=1)


class Processes(unittest.TestCase):
    def test_fork_and_spawn(self):
        wanted = dcube.run("quickstart").fingerprint
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method=method), multiprocessing.get_context(method).Pool(2) as pool:
                results = pool.map(dcube.run, ["quickstart"] * 3, chunksize=1)
                self.assertEqual({result.fingerprint for result in results}, {wanted})

    def test_errors_come_back(self):
        with multiprocessing.get_context("fork").Pool(1) as pool, self.assertRaises(dcube.InputError):
            pool.map(dcube.run, ["there is none"])


    def test_children_simulate_after_a_thread_that_has_ended(self):
        code = (
            "import dcube, threading, multiprocessing as mp\n"
            "thread = threading.Thread(target=dcube.run, args=('quickstart',)); thread.start(); thread.join()\n"
            "with mp.get_context('fork').Pool(2) as pool:\n"
            "    got = pool.map(dcube.run, ['quickstart'] * 4, chunksize=1)\n"
            "print(*{result.outcome for result in got})"
        )
        said = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)
        self.assertEqual((said.stdout, said.stderr), ("completed\n", ""))


class Experiment:
    """Keeps its own program, and what that came to."""

    def __init__(self):
        self.program = dcube.Program(self.body, 2, verify=self.verify)
        self.result = None

    def body(self, p):
        yield p.compute(1)
        return self

    def verify(self, values):
        return len(values) == 2


class Memory(unittest.TestCase):
    """Ten thousand runs leave nothing behind."""

    def test_a_program_that_reaches_itself_or_its_result_is_freed(self):
        for is_run in (False, True):
            experiment = Experiment()
            if is_run:
                experiment.result = dcube.run(program=experiment.program, machine="ring:2")
                gc.collect()
                self.assertEqual(experiment.result.returned, [experiment] * 2)
            gone = weakref.ref(experiment)
            del experiment
            gc.collect()
            self.assertIsNone(gone())

    def test_what_does_not_fit_is_a_memory_error(self):
        code = (
            "import dcube, resource\n"
            "dcube.run('quickstart')\n"
            "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
            "try: dcube.embed('torus:4096x4096')\n"
            "except MemoryError as error: print(error)"
        )
        said = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)
        self.assertRegex(said.stdout, "^embedding: measuring standard does not fit in memory")

    def expect_no_leak(self, call):
        for _ in range(500):
            call()
        gc.collect()
        before = resident_kib()
        for _ in range(RUNS):
            call()
        gc.collect()
        self.assertLess(resident_kib() - before, LEAK_KIB)

    def test_runs(self):
        scenario = {"machine": "torus:4x4", "program": {"kind": "cc_dcube"}, "embedding": "xor"}
        self.expect_no_leak(lambda: dcube.run(scenario, intervals=True).link_loads)

    def test_programs_in_python(self):
        self.expect_no_leak(lambda: dcube.run(program=ping, processes=4, machine="ring:4").returned)

    def test_failures(self):
        def fails(p):
            yield p.receive(p.rank ^ 1) if p.rank else p.compute(1)
            raise LookupError

        def call():
            try:
                dcube.run(program=fails, processes=4, machine="ring:4")
            except LookupError:
                pass

        self.expect_no_leak(call)


class TheEnd(unittest.TestCase):
    def expect_quiet(self, code):
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_results_may_outlive_everything(self):
        self.expect_quiet(
            "import dcube, builtins\n"
            "def f(p):\n"
            "    p.send(p.rank ^ 1, [1]); yield p.compute(1); return p\n"
            "builtins.kept = [dcube.run(program=f, processes=2, machine='ring:2'), dcube.Program(f, 2)]\n"
        )

    def test_threads_may_simulate_while_the_interpreter_ends(self):
        calls = (
            "dcube.run(program=talks, processes=2, machine='ring:2')",
            "dcube.run(program=thinks, processes=2, machine='ring:2')",
            "dcube.run(machine='torus:512x512', program={'kind': 'cc_dcube'}, embedding='random')",
            "dcube.search(machine='torus:62x66', traffic='mesh:60x60', effort=10**9)",
            "dcube.compare(machine='torus:512x512', program={'kind': 'cc_dcube'}, embeddings=['random'], jobs=1)",
            "dcube.sweep('quickstart', vary={'/program/message': list(range(1, 20000))})",
        )
        for call in calls:
            code = (
                "import dcube, threading, time\n"
                "def talks(p):\n"
                "    while True: p.send(1 - p.rank, [1]); yield p.receive(1 - p.rank)\n"
                "def thinks(p):\n"
                "    yield p.compute(1)\n"
                "    while True: pass\n"
                f"threading.Thread(target=lambda: {call}, daemon=True).start(); time.sleep(0.3)\n"
            )
            with self.subTest(call=call):
                self.expect_quiet(code)

    def test_a_deep_stack_is_an_exception(self):
        """Programs run on a stack of their own, which must be as large as Python expects."""
        self.expect_quiet(
            "import dcube\n"
            "def deep(n): return sorted([n], key=lambda k: deep(k - 1))\n"
            "def f(p):\n"
            "    yield p.compute(1)\n"
            "    try: deep(10**6)\n"
            "    except RecursionError: pass\n"
            "    import pandas\n"
            "dcube.run(program=f, processes=2, machine='ring:2')\n"
        )


if __name__ == "__main__":
    unittest.main()
