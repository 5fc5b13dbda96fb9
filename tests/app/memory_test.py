"""What does not fit in memory is refused before any of it is taken: one line with what is needed
and what is available, exit status 2. The commands run in a small address space, so that the tests
give the same on every computer."""

import re
import resource
import unittest

from program import ProgramTest, is_sanitized, scenario

ADDRESS_SPACE = 1_500_000_000

TASKS = {"schema_version": 1, "tasks": 2, "messages": [[0, 1, 5]]}


@unittest.skipIf(is_sanitized(), "the address sanitizer reserves more than the limit")
class Memory(ProgramTest):
    def in_small_space(self, *arguments):
        return self.dcube(
            *arguments,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)),
        )

    def assert_does_not_fit(self, *arguments, place):
        done = self.in_small_space(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(
            done.stderr,
            rf"\Adcube: {re.escape(place)}: .* does not fit in memory "
            r"\(it takes about [0-9.]+ GB, and [0-9.]+ GB are available\); .*\n\Z",
        )

    def test_of_embeddings(self):
        for embedding in ["random", "standard", "xor"]:
            self.assert_does_not_fit(
                "embed", "torus:32768x16384", "--embedding", embedding, place="--embedding"
            )

    def test_of_several_embeddings(self):
        self.assert_does_not_fit(
            "embed", "ring:16", "hypercube:26", "--embedding", "random,standard", place="--embedding"
        )

    def test_of_traffic(self):
        self.assert_does_not_fit(
            "embed", "torus:32768x16384", "--embedding", "standard", "--export", "grf:x.grf",
            place="--embedding",
        )  # fmt: skip
        self.write("x.csv", "from,to,bytes,messages\n0,1,5,1\n")
        self.assert_does_not_fit(
            "embed", "torus:32768x16384", "--embedding", "standard", "--traffic", "x.csv",
            place="--traffic",
        )  # fmt: skip

    def test_of_a_search(self):
        self.assert_does_not_fit(
            "search", "--machine", "torus:32768x16384", "--traffic", "cube:29", place="--traffic"
        )
        self.assert_does_not_fit(
            "search", "--machine", "torus:32768x16384", "--traffic", "cube:4", place="--traffic"
        )

    def test_of_scenarios(self):
        topology = {"kind": "torus", "shape": [32768, 16384]}
        for embedding, program in [("random", "cc_dcube"), ("xor", "cc_dcube"), ("xor", "load_balance")]:
            with self.subTest(embedding=embedding, program=program):
                self.write("x.json", scenario(topology, embedding, kind=program))
                self.assert_does_not_fit("run", "x.json", place="x.json")

    def test_of_a_reduction(self):
        self.assert_does_not_fit(
            "subcubes", "--random", "tasks=2048,ccp=1,w=1", "--subcube", "9", "--reduction", "x.mtx",
            place="--reduction",
        )  # fmt: skip

    def test_of_many_simulations(self):
        self.write("tasks.json", TASKS)
        self.assert_does_not_fit(
            "subcubes", "tasks.json", "--subcube", "1", "--simulate", "1000000000", place="--simulate"
        )

    def test_of_schedules(self):
        for rows in ["0,1,5,1000000000000\n", "0,1,5,9223372036854775807\n1,0,5,9223372036854775807\n",
                     "0,4000000000,5,1\n", "0,1,5,5000000\n"]:  # fmt: skip
            self.write("a.csv", "from,to,bytes,messages\n" + rows)
            self.write("x.json", scenario({"kind": "ring", "nodes": 4}, kind="traffic", file="a.csv"))
            for command in ["run", "validate"]:
                with self.subTest(rows=rows, command=command):
                    self.assert_does_not_fit(command, "x.json", place="x.json: /program/file")
        self.write("a.csv", "from,to,bytes,messages\n0,1,5,3000000\n")
        self.assertEqual(self.in_small_space("validate", "x.json").returncode, 0)

    def test_of_exchanges(self):
        phases = [{"exchange": 8}]
        self.write("x.json", scenario({"kind": "ring", "nodes": 4}, kind="pattern", guest="torus:16384x16384", phases=phases))
        for command in ["run", "validate"]:
            self.assert_does_not_fit(command, "x.json", place="x.json: /program/phases/0/exchange")

    def test_counts_are_checked_before_anything_is_made(self):
        self.write("s.json", scenario({"kind": "ring", "nodes": 4}))
        self.write("study.json", {"schema_version": 1, "scenario": "s.json", "seeds": 4000000000})
        self.write("pieces.json", scenario({"kind": "ring", "nodes": 4}, kind="collective", operation="broadcast",
                                           algorithm="pipelined", bytes=2**40, segment=1, value_bytes=1))  # fmt: skip
        million = "lin:1:1000000:1000000"
        runs = "makes more than 10,000,000 runs (give fewer values)"
        pieces = "pieces.json: /program/algorithm: the algorithm pipelined of broadcast would send 1099511627776 segments"
        for arguments, problem in [
            (["sweep", "s.json", "--seeds", "4000000000"], f"--seeds: {runs}"),
            (["sweep", "s.json", "--seeds", "10000001"], f"--seeds: {runs}"),
            (["sweep", "s.json", "--vary", f"/program/message={million}", "--seeds", "20"], f"--seeds: {runs}"),
            (["validate", "study.json"], f"study.json: /seeds: {runs}"),
            (["sweep", "study.json"], f"study.json: /seeds: {runs}"),
            (["run", "pieces.json"], pieces),
            (["validate", "pieces.json"], pieces),
        ]:
            with self.subTest(arguments=arguments):
                done = self.in_small_space(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"dcube: {problem}", done.stderr)


if __name__ == "__main__":
    unittest.main()
