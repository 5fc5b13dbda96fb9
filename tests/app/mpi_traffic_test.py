"""From an MPI program to its matrix, to a map, to a run under Open MPI that shows the ranks where the map
put them: the examples of docs/howto/get-a-matrix.md, checked against counts that do not use MPI."""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import open_mpi
from program import ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "mpi_traffic"
STEPS = 5
COLUMNS, ROWS = 256, 32  # cells

# Rank r of four sends 1 double to r+1 in a communicator that reverses the ranks, exchanges 2 with r^1, and
# starts a persistent send twice. What MPI_Pcontrol(0) switches off does not count.
CALLS = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, provided, none = MPI_PROC_NULL;
  double out[4] = {0}, in[4];
  MPI_Comm back;
  MPI_Request requests[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
  int of_back = 3 - rank;
  MPI_Irecv(in, 1, MPI_DOUBLE, (of_back + 3) % 4, 0, back, requests);
  MPI_Ssend(out, of_back < 4, MPI_DOUBLE, (of_back + 1) % 4, 0, back);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 2, MPI_DOUBLE, rank ^ 1, 1, in, 2, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 4, MPI_DOUBLE, none, 0, MPI_COMM_WORLD);
  MPI_Bcast(out, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(rank ? out : MPI_IN_PLACE, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(out, 2, MPI_DOUBLE, rank ^ 2, 1, in, 2, MPI_DOUBLE, rank ^ 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Pcontrol(1);
  MPI_Send_init(out, 4, MPI_DOUBLE, rank ^ 1, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 4, MPI_DOUBLE, rank ^ 1, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
"""


def heat_traffic(down, across):
    """(from, to) -> (bytes, messages) of heat.c on a grid of ranks, by its own words: a shuffle says who has
    which part, and neighbours send each other an edge of doubles in every step."""
    ranks = list(range(down * across))
    state = 1
    for i in range(len(ranks) - 1, 0, -1):
        state = (state * 1664525 + 1013904223) % 2**32
        other = (state >> 16) % (i + 1)
        ranks[i], ranks[other] = ranks[other], ranks[i]
    traffic = {}
    for y in range(down):
        for x in range(across):
            me = ranks[y * across + x]
            for right, below, cells in ((1, 0, ROWS // down), (0, 1, COLUMNS // across)):
                if x + right < across and y + below < down:
                    you = ranks[(y + below) * across + x + right]
                    traffic[me, you] = traffic[you, me] = (8 * cells * STEPS, STEPS)
    return traffic


def lines(folder, name):
    return (pathlib.Path(folder) / name).read_text().split()


@unittest.skipUnless(shutil.which("mpicc.openmpi"), "Debian's package libopenmpi-dev is not there")
class MpiTraffic(ProgramTest):
    def setUp(self):
        super().setUp()
        for file in EXAMPLE.iterdir():
            shutil.copy(file, self.folder)
        self.build("-fPIC", "-shared", "traffic.c", "-o", "libtraffic.so")

    def build(self, *arguments):
        done = self.shell("mpicc.openmpi", "-O2", "-Wall", "-Wextra", *arguments)
        self.assertEqual(done, "", "no warnings")

    def shell(self, *command, **environment):
        done = subprocess.run(command, cwd=self.folder, env=os.environ | open_mpi.AS_ROOT | environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, check=False)
        if done.returncode != 0 and open_mpi.is_to_blame(done.stdout):
            self.skipTest(open_mpi.UNREACHABLE)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def counted(self, ranks, program, *options, **environment):
        """What the library reports, and its table."""
        said = self.shell("./pretend-hosts", "mpirun.openmpi", "-n", str(ranks), "--hostfile", "hosts", *options,
                          "-x", f"LD_PRELOAD={self.folder}/libtraffic.so", "-x", "DCUBE_TRAFFIC_HOSTS=now.hostlist",
                          *program, **environment)
        report = [line.removeprefix("traffic: ") for line in said.splitlines() if line.startswith("traffic: ")]
        with open(pathlib.Path(self.folder) / "traffic.csv", encoding="utf-8") as file:
            table = {(int(row["from"]), int(row["to"])): (int(row["bytes"]), int(row["messages"]))
                     for row in csv.DictReader(file)}
        return report, table

    def report_of(self, traffic, hosts):
        """What the library should report of messages, if rank r is on hosts[r]."""
        sums = {True: [0, 0], False: [0, 0]}
        for (a, b), (size, messages) in traffic.items():
            sums[hosts[a] == hosts[b]][0] += messages
            sums[hosts[a] == hosts[b]][1] += size
        return [f"{where} nodes: {sums[inside][0]} messages, {sums[inside][1]} bytes"
                for where, inside in (("between", False), ("inside", True))]

    def test_a_map_puts_the_messages_where_it_says(self):
        self.build("heat.c", "-o", "heat", "-lm")
        expected = heat_traffic(4, 4)
        heat = ["./heat", str(COLUMNS), str(ROWS), str(STEPS)]

        report, table = self.counted(16, heat)
        self.assertEqual(table, expected)
        today = lines(self.folder, "now.hostlist")
        self.assertEqual(today, [f"node-{rank // 2}" for rank in range(16)])
        self.assertEqual(report[:2], self.report_of(expected, today))
        shutil.move(f"{self.folder}/now.hostlist", f"{self.folder}/today.hostlist")

        found = self.json("place", "--machine", "machine.json", "--traffic", "traffic.csv", "--against",
                          "today.hostlist", "--effort", "20000", "--export", "new.rankfile", "--export",
                          "new.hostlist", "--json")
        report, table = self.counted(16, heat, "--rankfile", "new.rankfile")
        self.assertEqual(table, expected)
        new = lines(self.folder, "new.hostlist")
        self.assertEqual(lines(self.folder, "now.hostlist"), new)
        self.assertNotEqual(new, today)
        self.assertEqual(report[:2], self.report_of(expected, new))

        nodes = [int(host.removeprefix("node-")) for host in new]

        def hops(a, b):  # on the torus of 4x2 nodes
            across = abs(a % 4 - b % 4)
            return min(across, 4 - across) + (a // 4 != b // 4)

        hop_bytes = sum(size * hops(nodes[a], nodes[b]) for (a, b), (size, _) in expected.items())
        measured = self.json("embed", "machine.json", "--traffic", "traffic.csv", "--embedding", "now.hostlist",
                             "--json")
        self.assertIn(hop_bytes, every_number(measured))
        self.assertIn(hop_bytes, every_number(found))

    def test_calls_of_other_kinds_count_or_are_named(self):
        self.write("calls.c", CALLS)
        self.build("calls.c", "-o", "calls")
        report, table = self.counted(4, ["./calls"])
        expected = {}
        for rank in range(4):
            for to, doubles in (((rank - 1) % 4, 1), (rank ^ 1, 2)):
                size, messages = expected.get((rank, to), (0, 0))
                expected[rank, to] = (size + 8 * doubles, messages + 1)
        self.assertEqual(table, expected)
        self.assertEqual(report, [*self.report_of(expected, [0, 0, 1, 1]),
                                  "not in the table: MPI_Send_init: 4 calls, 128 bytes",
                                  "not in the table: MPI_Bcast: 4 calls, 96 bytes",
                                  "not in the table: MPI_Gather: 4 calls, 32 bytes"])

    def test_the_page_shows_the_machine_file(self):
        page = (ROOT / "docs" / "howto" / "describe-my-machine.md").read_text(encoding="utf-8")
        shown = page.split("```json\n")[1].split("```")[0]
        self.assertEqual(json.loads(shown), json.loads((EXAMPLE / "machine.json").read_text(encoding="utf-8")))


def every_number(value):
    if isinstance(value, dict):
        return [number for part in value.values() for number in every_number(part)]
    if isinstance(value, list):
        return [number for part in value for number in every_number(part)]
    return [value] if isinstance(value, (int, float)) else []


if __name__ == "__main__":
    unittest.main()
