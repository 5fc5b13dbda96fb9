"""smpirun puts every rank on the node that the map says, on a platform that dcube has written, and
messages take the links that dcube's do."""

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

# Rank 0 sends each other rank, which is waiting by then, a message of 1000 bytes.
HOW_LONG = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  double data[125];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int to = 1; rank == 0 && to < size; ++to) {
    usleep(1000000);
    data[0] = MPI_Wtime();
    MPI_Send(data, 125, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
  }
  if (rank > 0) {
    MPI_Recv(data, 125, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d waited %.9f\n", rank, MPI_Wtime() - data[0]);
  }
  MPI_Finalize();
  return 0;
}
"""
# SimGrid's plainest model: latencies of the links add up, and the bytes flow over all at once.
PLAIN = ["--cfg=network/model:CM02", "--cfg=smpi/wtime:0", "--cfg=smpi/simulate-computation:no"]
HEADER_BYTES = 16  # SMPI's, of every message


class Smpi(ProgramTest):
    def said_by_rank(self, source, pattern, count, *options):
        """What every rank prints, where `pattern` has a number for it and that."""
        self.write("program.c", source)
        done = tool.run(self.folder, "smpicc", "-O0", "program.c", "-o", "program")
        self.assertEqual(done.returncode, 0, done.stdout)
        done = tool.run(self.folder, "smpirun", "-np", count, "-platform", "platform.xml",
                        "-hostfile", "x.hostfile", *options, "./program")
        self.assertEqual(done.returncode, 0, done.stdout)
        return dict(re.findall(pattern, done.stdout))

    def hosts_by_rank(self, count):
        hosts = self.said_by_rank(WHO, r"rank (\d+) is on (\S+)", count)
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

    def test_a_message_takes_the_links_of_its_route(self):
        network = machine({"kind": "torus", "shape": [5, 4]})
        network["link"] = [{"latency": latency, "bandwidth": "1MBps"} for latency in ("1ms", "7ms")]
        self.write("mine.json", network)
        nodes = self.json("embed", "mine.json", "--embedding", "random", "--guest", "line:12", "--json",
                          "--export", "platform.xml", "--export", "x.hostfile")["map"]
        waited = self.said_by_rank(HOW_LONG, r"rank (\d+) waited (\S+)", 12, *PLAIN)
        self.assertEqual(len(waited), 11)
        for rank in range(1, 12):
            x, y = (abs(at(nodes[rank]) - at(nodes[0])) for at in (lambda node: node % 5, lambda node: node // 5))
            expected = 1e-3 * min(x, 5 - x) + 7e-3 * min(y, 4 - y) + (1000 + HEADER_BYTES) / 1e6
            self.assertAlmostEqual(float(waited[str(rank)]), expected, places=8)

    def test_a_large_machine_has_single_hops_for_routes(self):
        self.check("torus:80x80", "random", "--guest", "cube:3")
        self.assertIn('routing="DijkstraCache"', (self.folder / "platform.xml").read_text())

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
    unittest.main()
