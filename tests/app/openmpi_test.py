"""Open MPI puts every rank on the host that the map says.

The hosts do not exist. Open MPI displays a mapping without launching it; but before version 5 it maps by
a rankfile or a hostlist only in earnest, so there a remote shell stays on this computer.
"""

import pathlib
import re
import tempfile
import unittest

import open_mpi
import tool
from program import ProgramTest, machine, ring

# Each daemon believes to have a computer of its own, so each needs a folder for temporary files of
# its own; with a short name, because sockets go there.
STAY_HERE = """#!/bin/sh
shift
TMPDIR=$(mktemp -d "$(dirname "$0")/XXX") exec sh -c "$*"
"""


class OpenMpi(ProgramTest):
    def setUp(self):
        super().setUp()
        short = tempfile.TemporaryDirectory(dir="/tmp")
        self.addCleanup(short.cleanup)
        self.short = short.name

    def displayed(self, *arguments):
        """Host of every rank in the mapping that mpirun displays: orterun or, since Open MPI 5, prterun."""
        done = tool.run(self.folder, "mpirun.openmpi", "--display-map", *arguments, TMPDIR=self.short, **open_mpi.AS_ROOT)
        hosts = {}
        host = None
        for line in done.stdout.splitlines():
            if found := re.search(r"Data for node: (\S+)", line):
                host = found.group(1)
            elif found := re.search(r"Process rank: (\d+)", line):
                hosts[int(found.group(1))] = host
        return [hosts.get(rank) for rank in range(len(hosts))], done.stdout

    def export(self, machine, embedding, *more):
        result = self.json("embed", machine, "--embedding", embedding, "--json", "--export",
                           "rankfile:x.rankfile", "--export", "hostfile:x.hostfile", *more)
        return result["map"]

    def stay_here(self):
        version = tool.run(self.folder, "mpirun.openmpi", "--version", **open_mpi.AS_ROOT).stdout
        # mpirun.openmpi (OpenRTE) 4.1.4, mpirun.openmpi (Open MPI) 5.0.7
        if int(re.search(r"\) (\d+)", version).group(1)) >= 5:
            return "--do-not-launch", "true"
        here = pathlib.Path(self.short) / "here"
        here.write_text(STAY_HERE)
        here.chmod(0o755)
        return "--mca", "plm_rsh_agent", here, "true"

    def test_a_host_may_have_any_ranks(self):
        """A hostfile with slots would name a host twice, which Open MPI refuses."""
        self.write("m.json", machine(ring(3), node={"slots": 2}))
        nodes = self.export("m.json", "cyclic", "--guest", "ring:5", "--export", "hostlist:x.hostlist")
        self.assertEqual(nodes, [0, 1, 2, 0, 1])
        for file in ("x.hostfile", "x.hostlist"):
            hosts, text = self.displayed("--map-by", "seq", "--hostfile", file, "-np", "5", *self.stay_here())
            self.assertEqual(hosts, [f"node-{node}" for node in nodes], text)

    def test_a_rankfile_places_every_rank(self):
        nodes = self.export("ring:8", "random", "--seed", "4")
        self.write("hosts", "".join(f"node-{i} slots=1\n" for i in range(8)))
        hosts, text = self.displayed("--hostfile", "hosts", "--rankfile", "x.rankfile", "-np", "8", *self.stay_here())
        self.assertEqual(hosts, [f"node-{node}" for node in nodes], text)

    def test_a_hostfile_is_filled_by_node(self):
        self.write("names", "".join(f"{name}\n" for name in "abcdefghi"))
        nodes = self.export("mesh:3x3", "random", "--guest", "cube:3", "--hosts", "names")
        hosts, text = self.displayed("--do-not-launch", "--bind-to", "none", "--map-by", "node",
                                     "--hostfile", "x.hostfile", "-np", "8", "true")
        self.assertEqual(hosts, ["abcdefghi"[node] for node in nodes], text)


if __name__ == "__main__":
    unittest.main()
