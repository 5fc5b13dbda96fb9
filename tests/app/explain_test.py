"""dcube explain: makes each complaint happen and asks with the program's own words."""

import os
import pathlib
import resource
import subprocess
import sys
import unittest

from program import PROGRAM, ProgramTest, is_sanitized, machine, ring, scenario

GOAL = """num_ranks 2
rank 0 {
l1: recv 8b from 1
l2: send 8b to 1
l2 requires l1
}
rank 1 {
l1: recv 8b from 0
l2: send 8b to 0
l2 requires l1
}
"""
FILES = {
    "q.json": scenario(ring(8)),
    "long.json": scenario(ring(16384)),
    "no.json": '{"schema_version": 1,}',
    "twice.json": {"kind": "explicit", "map": [0, 0, 1, 2, 3, 4, 5, 6]},
    "ranks.txt": "rank 0=a slot=0\n",
    "bytes.csv": "from,to,bytes,messages\n0,1,x,1\n",
    "one.csv": "from,to,bytes,messages\n1,2,10,1\n2,3,10,1\n8,1,4,1\n",
    "traffic.xyz": "0 1\n",
    "dead.goal": GOAL,
    "drawn.json": machine(
        {"kind": "torus", "shape": [4, 4]}, routing={"kind": "minimal_adaptive"}
    ),
}
SEARCH = ["search", "--machine", "ring:8", "--traffic"]
SWEEP = ["sweep", "q.json", "--quiet", "--vary"]
RANKS = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}


def changed(*settings, command="run"):
    return [command, "q.json", *(word for setting in settings for word in ("--set", setting))]


COMPLAINTS = [
    ("unknown-key", changed("/program/mesage=1")),
    ("missing-key", changed('/machine/topology={"kind": "ring"}')),
    ("missing-key", ["validate", "twice.json"]),
    ("unknown-name", ["run", "q.json", "--embedding", "xr"]),
    ("unknown-name", ["embed", "torrus:8x8", "--embedding", "xor"]),
    ("unknown-name", changed("/machine=cray")),
    ("unknown-name", [*SEARCH, "ring:8", "--objective", "dilation"]),
    ("no-such-file", ["run", "nothing.json"]),
    ("no-such-file", ["embed", "nothing.json", "--embedding", "xor"]),
    ("no-json", ["validate", "no.json"]),
    ("bad-set", changed("/program/message")),
    ("bad-set", changed("/seed=1", "/seed=2")),
    ("bad-value", changed("/machine/topology/nodes=-8")),
    ("bad-value", [*SEARCH, "ring:8", "--avoid", "9"]),
    ("schema-version", changed("/schema_version=2")),
    ("bad-unit", changed("/program/compute=5 hours")),
    ("bad-unit", ["collective", "allreduce", "--machine", "ring:8", "--bytes", "5x"]),
    ("bad-unit", changed("/program/compute=-1s")),
    ("missing-unit", changed('/machine/link={"latency": "1us", "bandwidth": 10}')),
    ("missing-unit", changed("/program/compute=600")),
    ("too-long-time", changed("/machine/link/latency=1e9s")),
    ("too-long-time", changed("/program/message=9223372036854775807", "/machine/link/per_byte=1s")),
    ("long-table", [*changed("/machine/topology/nodes=8192"), "--processes"]),
    ("too-few-nodes", changed("/program/dimensions=4")),
    ("too-few-nodes", [*SEARCH, "ring:16"]),
    ("too-few-nodes", [*SEARCH, "ring:8", "--avoid", "0"]),
    ("power-of-two", changed("/machine/topology/nodes=6")),
    ("power-of-two", [*changed("/machine/topology/nodes=12", "/program/dimensions=3"), "--embedding", "xor"]),
    ("does-not-fit", [*changed("/machine/topology/nodes=16", "/program/dimensions=3"), "--embedding", "xor"]),
    ("node-twice", ["embed", "ring:8", "--embedding", "twice.json"]),
    ("node-twice", [*SEARCH, "ring:4", "--pin", "0=3,1=3"]),
    ("pinned", [*SEARCH, "ring:4", "--pin", "0=3", "--avoid", "3"]),
    ("hosts", ["embed", "ring:8", "--embedding", "rankfile:ranks.txt"]),
    ("hosts", [*SEARCH, "ring:4", "--avoid", "pc7"]),
    ("disconnected", changed('/machine/failed={"links": [[0, 1], [3, 4]]}')),
    ("disconnected", changed('/machine/topology={"kind": "graph", "edges": [[0, 1], [2, 3]]}')),
    ("cut-off", changed('/machine/failed={"links": [[0, 1], [3, 4]], "at": "1s"}')),
    ("unknown-routes", ["search", "--machine", "drawn.json", "--traffic", "ring:8", "--objective", "link-load"]),
    ("traffic-format", [*SEARCH, "traffic.xyz"]),
    ("traffic-line", [*SEARCH, "bytes.csv"]),
    ("counts-from-1", ["embed", "ring:9", "--embedding", "standard", "--traffic", "one.csv"]),
    ("deadlock", changed('/program={"kind": "goal", "file": "dead.goal"}')),
    ("timed-out", ["compare", "long.json", "--embedding", "xor", "--jitter", "0", "--time-limit", "1us"]),
    ("output-exists", [*SWEEP, "/program/message=1,3", "--output", "kept"]),
    ("output-is-input", ["run", "q.json", "--output", "q.json"]),
    ("output-folder", ["run", "q.json", "--output", "nowhere/x.json"]),
    ("output-kind", ["run", "q.json", "--write", "x.json"]),
    ("output-kind", ["run", "q.json", "--write", "gantt:x"]),
    ("unknown-option", ["rnu", "q.json"]),
    ("unknown-option", ["run", "q.json", "--seed", "4"]),
    ("unknown-option", ["run", "q.json", "x.json"]),
    ("missing-argument", ["run"]),
    ("missing-argument", ["search", "--machine", "ring:8"]),
    ("shard", [*SWEEP, "/program/message=1,2", "--shard", "3"]),
    ("shard", [*SWEEP, "/program/message=1,2", "--shard", "5/4"]),
    ("mpi", [*SWEEP, "/program/message=1,2", "--mpi", "--shard", "1/2"]),
    ("mpi", ["sweep", "-", "--quiet", "--vary", "/program/message=1,2"]),
]


class Explain(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, content in FILES.items():
            self.write(name, content)

    def assert_explained(self, code, message):
        done = self.dcube("explain", "-", input=message)
        self.assertEqual(done.returncode, 0, message + done.stderr)
        self.assertTrue(done.stdout.startswith(f"{code}\n"), message + done.stdout)

    def test_the_program_s_own_words_find_the_entry(self):
        self.output(*SWEEP, "/program/message=1,2", "--output", "kept")
        for code, command in COMPLAINTS:
            with self.subTest(command=command):
                environment = RANKS if "mpi" == code else None
                done = self.dcube(*command, environment=environment)
                self.assertTrue(done.stderr.startswith("dcube: "), done.stdout)
                self.assert_explained(code, done.stderr)

    @unittest.skipIf(is_sanitized(), "the sanitizer reserves more")
    def test_memory(self):
        done = self.dcube(
            *changed("/machine/topology/nodes=8388608"),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (250_000_000, 250_000_000)),
        )
        self.assert_explained("memory", done.stderr)

    def test_arguments_of_python(self):
        package = next((path / "python" for path in pathlib.Path(PROGRAM).resolve().parents if list(path.glob("python/dcube/_dcube.*.so"))), None)
        if package is None:
            self.skipTest("the package for Python was not built")
        for call in ("dcube.run('q.json', seed='x')", "dcube.run('q.json', compute='1s')"):
            done = subprocess.run(
                [sys.executable, "-B", "-c", f"import dcube; {call}"],
                cwd=self.folder, env={**os.environ, "PYTHONPATH": str(package)}, capture_output=True, text=True,
            )  # fmt: skip
            self.assert_explained("python-argument", done.stderr)

    def test_every_entry_is_tried(self):
        listed = [line.split()[0] for line in self.output("explain").splitlines()[1:]]
        tried = {code for code, _ in COMPLAINTS} | {"memory", "python-argument"}
        self.assertEqual(sorted(listed), sorted(tried))
        self.assertGreaterEqual(len(listed), 30)

    def test_a_code_and_a_message_find_the_same(self):
        by_code = self.output("explain", "disconnected")
        self.assertRegex(by_code, r"^disconnected\n  messages .*\n  cause ")
        self.assertIn("  remedy ", by_code)
        message = "Dcube: m.json: /machine/failed: the graph is\nNOT  connected: 2 of its 4 nodes"
        self.assertEqual(self.output("explain", message), by_code)

    def test_every_line_is_explained_once(self):
        text = self.output("explain", "x: unknown key\nwell\ny: deadlock at 0 s\nz: unknown key")
        self.assertEqual([part.split("\n")[0] for part in text.split("\n\n")], ["unknown-key", "deadlock"])

    def test_a_message_that_no_entry_has_is_refused_with_the_nearest(self):
        self.assert_refused(["explain", "which", "embedding?"], "explain: no entry has", "nearest are unknown-name")
        self.assert_refused(["explain", "hello"], "no entry has the words of this message; `dcube explain`")


if __name__ == "__main__":
    unittest.main()
