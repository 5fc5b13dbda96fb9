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
    def assert_does_not_fit(self, *arguments, place):
        done = self.dcube(
            *arguments,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)),
        )
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


if __name__ == "__main__":
    unittest.main()
