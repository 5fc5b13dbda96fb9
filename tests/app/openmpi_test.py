"""Open MPI puts every rank on the host that the map says.

The hosts do not exist. A rankfile is used in earnest, with a remote shell that stays on this
computer; a hostfile is only shown, because Open MPI can display a mapping without launching it.
"""

import re
import unittest

import tool
from program import ProgramTest

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
STAY_HERE = '#!/bin/sh\nshift\nexec sh -c "$*"\n'


class OpenMpi(ProgramTest):
    def displayed(self, *arguments):
        """Host of every rank in the mapping that mpirun displays."""
        done = tool.run(self.folder, "mpirun", "--display-map", *arguments, TMPDIR="/tmp", **AS_ROOT)
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

    def test_a_rankfile_places_every_rank(self):
        nodes = self.export("ring:8", "random", "--seed", "4")
        self.write("hosts", "".join(f"node-{i} slots=1\n" for i in range(8)))
        self.write("here", STAY_HERE)
        (self.folder / "here").chmod(0o755)
        hosts, text = self.displayed("--hostfile", "hosts", "--rankfile", "x.rankfile", "-np", "8",
                                     "--mca", "plm_rsh_agent", self.folder / "here", "true")
        self.assertEqual(hosts, [f"node-{node}" for node in nodes], text)

    def test_a_hostfile_is_filled_by_node(self):
        self.write("names", "".join(f"{name}\n" for name in "abcdefghi"))
        nodes = self.export("mesh:3x3", "random", "--guest", "cube:3", "--hosts", "names")
        hosts, text = self.displayed("--do-not-launch", "--bind-to", "none", "--map-by", "node",
                                     "--hostfile", "x.hostfile", "-np", "8", "true")
        self.assertEqual(hosts, ["abcdefghi"[node] for node in nodes], text)


if __name__ == "__main__":
    tool.require("mpirun", "ompi_info", package="openmpi-bin")
    unittest.main()
