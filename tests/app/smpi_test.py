"""smpirun puts every rank on the node that the map says, on a platform that dcube has written."""

import re
import unittest
import xml.etree.ElementTree

import tool
from program import ProgramTest, machine

WHO = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, length, token = 0;
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(host, &length);
  MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d is on %s\n", rank, host);
  MPI_Finalize();
  return 0;
}
"""


class Smpi(ProgramTest):
    def hosts_by_rank(self, count):
        """Where smpirun puts the ranks."""
        self.write("who.c", WHO)
        done = tool.run(self.folder, "smpicc", "-O0", "who.c", "-o", "who")
        self.assertEqual(done.returncode, 0, done.stdout)
        done = tool.run(self.folder, "smpirun", "-np", count, "-platform", "platform.xml",
                        "-hostfile", "x.hostfile", "./who")
        self.assertEqual(done.returncode, 0, done.stdout)
        hosts = dict(re.findall(r"rank (\d+) is on (\S+)", done.stdout))
        return [hosts[str(rank)] for rank in range(count)]

    def check(self, machine, embedding, *more, pattern="node-{}"):
        result = self.json("embed", machine, "--embedding", embedding, "--json",
                           "--export", "simgrid:platform.xml", "--export", "hostfile:x.hostfile", *more)
        hosts = [pattern.format(node) for node in result["map"]]
        self.assertEqual(self.hosts_by_rank(len(hosts)), hosts)

    def test_ranks_are_where_the_map_puts_them(self):
        self.check("torus:4x4", "xor")
        self.check("hypercube:3", "random", "--seed", "3")
        self.check("mesh:3x3", "random", "--guest", "cube:2", "--hosts", "pc{}.lan", pattern="pc{}.lan")

    def test_a_large_machine_has_single_hops_for_routes(self):
        self.check("torus:17x16", "random", "--guest", "cube:3")
        self.assertIn('routing="Floyd"', (self.folder / "platform.xml").read_text())

    def test_routes_are_those_of_the_machine(self):
        self.output("embed", "torus:4x4", "--embedding", "xor", "--export", "simgrid:platform.xml")
        root = xml.etree.ElementTree.parse(self.folder / "platform.xml").getroot()
        routes = {(route.get("src"), route.get("dst")): [hop.get("id") for hop in route]
                  for route in root.iter("route")}
        self.assertEqual(len(routes), 16 * 15)
        # First dimension first, the shorter way round; half way round without the wrap-around link.
        self.assertEqual(routes["node-0", "node-7"], ["link-0-3", "link-3-7"])
        self.assertEqual(routes["node-0", "node-10"], ["link-0-1", "link-1-2", "link-2-6", "link-6-10"])
        self.assertEqual(len(root.findall("zone/link")), 64)

    def test_links_are_those_of_the_machine(self):
        network = machine({"kind": "ring", "nodes": 4})
        network["link"] = {"latency": "2us", "bandwidth": "4GBps", "duplex": "half", "contention": False}
        network["links"] = [{"from": 0, "to": 1, "latency": "5us"}]
        self.write("mine.json", network)
        self.check("mine.json", "xor")
        links = {link.get("id"): link for link in
                 xml.etree.ElementTree.parse(self.folder / "platform.xml").getroot().iter("link")}
        self.assertEqual(sorted(links), ["link-0-1", "link-0-3", "link-1-2", "link-2-3"])
        self.assertEqual(links["link-0-1"].get("latency"), "5e-06s")
        self.assertEqual(links["link-1-2"].get("latency"), "2e-06s")
        self.assertEqual(float(links["link-1-2"].get("bandwidth").removesuffix("Bps")), 4e9)
        self.assertEqual(links["link-1-2"].get("sharing_policy"), "FATPIPE")


if __name__ == "__main__":
    tool.require("smpicc", "smpirun", package="libsimgrid-dev")
    unittest.main()
