"""Programs that others wrote: MPI programs traced by SimGrid, and run again by dcube."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import ProgramTest

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "workload" / "mpi"
RANKS = 8

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""

LATENCY_PS = 1_000_000
BYTE_PS = 1_000


def edges():
    return [[a, b] for b in range(RANKS) for a in range(b)]


class Goal(ProgramTest):
    def test_a_deadlock_on_tags_names_them(self):
        self.write("s.goal", "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 0\n}\nrank 1 {\na: recv 8b from 0 tag 1\n}\n")
        self.write("s.json", {"schema_version": 1, "machine": "ring:4", "embedding": "identity",
                              "program": {"kind": "goal", "file": "s.goal"}})  # fmt: skip
        done = self.dcube("run", "s.json", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("process 1 awaits a message from process 0 since 1 s; tag 0 arrived, tag 1 awaited\n", done.stderr)
        self.assertEqual(json.loads(done.stdout)["blocked"][0]["tags"], {"sent": [0], "awaited": [1]})

    def test_a_deadlock_names_receives_and_their_cycle(self):
        self.write("s.goal", "num_ranks 3\n" + "".join(
            f"rank {rank} {{\na: calc {rank}\nb: recv {rank + 8}b from {(rank + 1) % 3} tag {rank}\n"
            f"c: send {(rank + 2) % 3 + 8}b to {(rank + 2) % 3} tag {(rank + 2) % 3}\nb requires a\nc requires b\n}}\n" for rank in range(3)))  # fmt: skip
        self.write("s.json", {"schema_version": 1, "machine": "ring:4", "embedding": "identity",
                              "program": {"kind": "goal", "file": "s.goal"}})  # fmt: skip
        done = self.dcube("run", "s.json", "--json")
        self.assertEqual(done.returncode, 1)
        for rank in range(3):
            self.assertIn(f"process {rank} awaits a message from process {(rank + 1) % 3} since ", done.stderr)
            self.assertIn(f"; it receives {rank + 8} bytes with tag {rank}\n", done.stderr)
        self.assertIn("cycle: 0 -> 1 -> 2 -> 0\n", done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual([one["receive"] for one in result["blocked"]], [{"bytes": rank + 8, "tag": rank} for rank in range(3)])
        self.assertEqual([one["awaits"] for one in result["blocked"]], [1, 2, 0])


class Smpi(ProgramTest):
    def trace(self, source, *arguments):
        """What the program prints, and the lines of its trace."""
        folder = self.folder
        program = folder / source
        subprocess.run(
            ["smpicc", "-O1", "-o", program, SOURCES / f"{source}.c", "-lm"], check=True, capture_output=True
        )
        (folder / "platform.xml").write_text(PLATFORM)
        (folder / "hosts").write_text("".join(f"n{i}\n" for i in range(RANKS)))
        done = subprocess.run(
            ["smpirun", "-np", str(RANKS), "-platform", "platform.xml", "-hostfile", "hosts",
             "-trace-ti", "-trace-file", f"{source}.ti", "--cfg=smpi/simulate-computation:no",
             "--log=root.thres:error", f"./{source}", *map(str, arguments)],
            cwd=folder, check=True, capture_output=True, text=True,
        )  # fmt: skip
        files = (folder / f"{source}.ti").read_text().split()
        lines = [line for file in files for line in (folder / file).read_text().splitlines()]
        return done.stdout.split(), [line.split() for line in lines]

    def replay(self, source, **program):
        """The result on a machine where every rank is a hop from every other and nothing queues."""
        scenario = self.write(
            "s.json",
            {
                "schema_version": 1,
                "machine": {
                    "topology": {"kind": "graph", "edges": edges()},
                    "link": {"latency": "1us", "per_byte": "1ns", "contention": False},
                },
                "embedding": "identity",
                "program": {"kind": "ti", "file": f"{source}.ti", "flop": 0, **program},
            },
        )
        return self.json("run", scenario, "--json")

    def test_jacobi_ends_when_its_own_arithmetic_says(self):
        columns, rows, iterations = 16, 4, 3
        printed, lines = self.trace("jacobi", columns, rows, iterations)
        # The same grid in one process.
        height = RANKS * rows
        old = [[1.0] * columns] + [[0.0] * columns for _ in range(height + 1)]
        for _ in range(iterations):
            new = [row[:] for row in old]
            for y in range(1, height + 1):
                for x in range(1, columns - 1):
                    new[y][x] = 0.25 * (old[y][x - 1] + old[y][x + 1] + old[y - 1][x] + old[y + 1][x])
            change = max(abs(a - b) for u, v in zip(old, new) for a, b in zip(u, v))
            old = new
        self.assertEqual(float(printed[-1]), change)

        result = self.replay("jacobi", algorithm="recursive_doubling")
        halos = [int(line[4]) * 8 for line in lines if line[1] == "isend"]
        allreduces = sum(line[1] == "allreduce" for line in lines) // RANKS
        self.assertEqual((len(halos), allreduces), (2 * (RANKS - 1) * iterations, iterations))
        steps = 3  # log2 8
        self.assertEqual(result["messages"]["count"], len(halos) + allreduces * RANKS * steps)
        self.assertEqual(result["messages"]["bytes"], sum(halos) + allreduces * RANKS * steps * 8)
        halo = LATENCY_PS + columns * 8 * BYTE_PS
        step = LATENCY_PS + 8 * BYTE_PS
        self.assertEqual(result["makespan_ps"], iterations * (halo + steps * step))

    def test_bucket_sort_sends_what_was_traced(self):
        keys = 500
        printed, lines = self.trace("bucket_sort", keys)
        self.assertEqual(printed[-2:], [str(RANKS * keys), "1"])
        result = self.replay("bucket_sort", algorithm={"all_to_all": "pairwise", "reduce": "binomial"})
        sent = collections.Counter()
        for line in lines:
            rank, action, *words = line
            if action == "send":
                sent["messages"] += 1
                sent["bytes"] += int(words[2]) * 4
            elif action == "alltoall":
                sent["messages"] += RANKS - 1
                sent["bytes"] += (RANKS - 1) * int(words[0]) * 4
            elif action == "alltoallv":
                counts = [int(word) for word in words[1 : 1 + RANKS]]
                counts[int(rank)] = 0
                sent["messages"] += RANKS - 1
                sent["bytes"] += 4 * sum(counts)
            elif action == "reduce" and rank != "0":
                sent["messages"] += 1
                sent["bytes"] += int(words[0]) * 4
        self.assertEqual(result["messages"]["bytes"], sent["bytes"])
        self.assertEqual(result["messages"]["count"], sent["messages"])

    def test_non_blocking_collectives_send_what_blocking_ones_do_in_less_time(self):
        self.trace("non_blocking")
        started = self.replay("non_blocking")
        for file in self.folder.glob("non_blocking.ti_files/*"):
            actions = [line.split() for line in file.read_text().splitlines()]
            self.assertEqual(sum(action[1].startswith("i") for action in actions), 1 + 28)  # init, too
            blocking = [
                " ".join([rank, name if name == "init" else name.removeprefix("i"), *words])
                for rank, name, *words in actions
                if not name.startswith("wait")
            ]
            file.write_text("\n".join(blocking))
        blocking = self.replay("non_blocking")
        self.assertEqual(started["program"]["answer"]["collectives"], 28)
        for key in ["count", "bytes"]:
            self.assertEqual(started["messages"][key], blocking["messages"][key])
        self.assertLess(started["makespan_ps"], blocking["makespan_ps"])

    def test_searches_compares_and_explains_a_trace(self):
        self.trace("jacobi", 16, 4, 2)
        self.replay("jacobi", guest="line:8")
        scenario = self.folder / "s.json"
        ring = ["--set", '/machine/topology={"kind": "ring", "nodes": 8}']
        table = self.output("compare", scenario, *ring, "--embedding", "identity,random")
        self.assertIn("identity", table)
        self.assertIn("where the time went", self.output("run", scenario, *ring, "--why"))
        found = self.json("search", scenario, *ring, "--objective", "makespan", "--json", "--time-limit", "2s")
        for start in found["starts"]:
            self.assertLessEqual(found["found"]["value"], start["value"])


class Options(ProgramTest):
    MACHINE = {"topology": {"kind": "line", "nodes": 2}, "link": {"latency": "1us"}}

    def scenario(self, kind, text, **machine):
        self.write(f"s.{kind}", text)
        return self.write(
            "s.json",
            {
                "schema_version": 1,
                "machine": self.MACHINE | machine,
                "program": {"kind": kind, "file": f"s.{kind}"},
            },
        )

    def test_ignore_leaves_out_actions_and_counts_them(self):
        text = "".join(f"{rank} init\n{rank} dance\n{rank} sing\n{rank} finalize\n" for rank in (0, 1))
        scenario = self.scenario("ti", text, compute={"flop": "1ns"})
        self.assert_refused(["run", scenario], "s.ti: line 2", "dance")
        self.assert_refused(["run", scenario, "--ignore", "dance"], "s.ti: line 3", "sing")
        result = self.json("run", scenario, "--ignore", "dance,sing", "--json")
        self.assertEqual(result["program"]["answer"]["ignored"], {"dance": 2, "sing": 2})
        self.assertEqual(result["settings"], {"/program/ignore": ["dance", "sing"]})

    GOAL = "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n"

    def test_gap_is_shown_with_the_costs_of_the_machine(self):
        gap = {"gap": "2us", "gap_per_byte": "1ns"}
        scenario = self.scenario("goal", self.GOAL, endpoint=gap)
        self.assertRegex(self.output("run", scenario), r"gap +2 us \+ 1 ns a byte")
        self.assertNotIn("gap", self.output("run", self.scenario("goal", self.GOAL)))

    def test_computing_times_of_graphs_vary_under_jitter(self):
        self.scenario("goal", "num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 1000\nb requires a\n}\n")
        ends = {
            self.json("run", "s.json", "--json", "--set", f'/jitter={{"part": 0.1, "seed": {seed}}}')["makespan_ps"]
            for seed in range(10)
        }
        self.assertEqual(len(ends), 10)
        self.assertGreaterEqual(min(ends), 1_800_000)
        self.assertLessEqual(max(ends), 2_200_000)

    def test_computing_times_of_chakra_traces_vary_under_jitter(self):
        if "chakra" in os.environ.get("DCUBE_WITHOUT", ""):
            self.skipTest("this dcube reads no Chakra traces")
        usual, varied = (
            self.json("run", "torus-chakra-train", "--jitter", part, "--json") for part in ("0", "0.1")
        )
        self.assertNotEqual(usual["time_s"]["compute"]["total"], varied["time_s"]["compute"]["total"])

    def test_gap_is_a_duration(self):
        for key in ("gap", "gap_per_byte"):
            for value in ("-1us", "soon", True, [1]):
                scenario = self.scenario("goal", self.GOAL, endpoint={key: value})
                self.assert_refused(["run", scenario], f"/machine/endpoint/{key}")


class Listing(ProgramTest):
    def test_names_each_collective_with_its_algorithms(self):
        text = self.output("list", "collectives")
        for name in ("allreduce", "recursive_doubling", "swing_latency", "barrier", "dissemination"):
            self.assertIn(name, text)


if __name__ == "__main__":
    if not shutil.which("smpicc"):
        del Smpi
    unittest.main()
