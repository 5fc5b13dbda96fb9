"""What check.py of the table of placements must find: maps, costs, bounds and certificates that are wrong."""

import json
import lzma
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACEMENTS = ROOT / "validation" / "placements"
sys.path.insert(0, str(PLACEMENTS))

import numpy  # noqa: E402
from bounds import Wrong, read_certificate  # noqa: E402
from check import Problem, Table  # noqa: E402
from machines import Machine  # noqa: E402
from traffic import traffic_of  # noqa: E402

CERTIFIED = "cg64-mesh4x4-4"


class Mistakes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("table.csv", "maps.txt"):
            shutil.copy(PLACEMENTS / name, self.folder)
        (self.folder / "certificates").mkdir()
        shutil.copy(PLACEMENTS / "certificates" / f"{CERTIFIED}.json.xz", self.folder / "certificates")
        self.table = Table(self.folder)
        self.line = dict(self.table.by_name[CERTIFIED])
        self.map = self.table.maps[CERTIFIED]

    def check(self):
        return self.table.check(Problem(self.line))

    def expect_wrong(self, text):
        with self.assertRaisesRegex(Wrong, text):
            self.check()

    def write_certificate(self, change):
        file = self.folder / "certificates" / f"{CERTIFIED}.json.xz"
        certificate = read_certificate(file)
        change(certificate)
        file.write_bytes(lzma.compress(json.dumps(certificate).encode()))

    def test_the_table_itself_is_right(self):
        self.assertEqual(self.check(), "certificate")

    def test_another_cost(self):
        self.line["cost"] = int(self.line["cost"]) - 1
        self.expect_wrong("costs")

    def test_all_processes_on_a_node(self):
        self.map[:] = [0] * len(self.map)
        self.expect_wrong("more processes than slots")

    def test_a_node_too_few(self):
        self.map.pop()
        self.expect_wrong("nodes for")

    def test_a_node_that_is_not_there(self):
        self.map[0] = 16
        self.expect_wrong("not on the machine")

    def test_a_checked_bound_above_what_is_proved(self):
        self.line["checked"] = self.line["bound"] = self.line["cost"]
        self.expect_wrong("proves")

    def test_a_bound_without_evidence(self):
        self.line["evidence"] = "none"
        self.expect_wrong("nothing proves")

    def test_a_certificate_that_claims_more(self):
        def claim(certificate):
            certificate["bound"] += 100

        self.write_certificate(claim)
        self.expect_wrong("the numbers prove")

    def test_a_certificate_with_another_number(self):
        def change(certificate):
            certificate["modes"][0]["columns"][0][0] += 1 << 22

        self.write_certificate(change)
        self.expect_wrong("the numbers prove")

    def test_a_certificate_of_another_problem(self):
        def change(certificate):
            certificate["flows"][0][2] += 1

        self.write_certificate(change)
        self.expect_wrong("another problem")


class Definitions(unittest.TestCase):
    def test_distances_of_small_machines(self):
        self.assertEqual(Machine("ring:5").distance[0].tolist(), [0, 1, 2, 2, 1])
        self.assertEqual(Machine("mesh:2x3").distance[0].tolist(), [0, 1, 1, 2, 2, 3])
        self.assertEqual(Machine("hypercube:3").distance[0].tolist(), [0, 1, 1, 2, 1, 2, 2, 3])
        tree = Machine("fat_tree:2,2/1,2")
        self.assertEqual(tree.distance[0].tolist(), [0, 2, 4, 4])
        self.assertEqual(tree.links, 2 * (4 + 4))
        dragonfly = Machine("dragonfly:p=1,a=2,h=1")
        # Port 0 of group 0 is on its first router and leads to group 1, whose port 0 leads back.
        self.assertEqual(dragonfly.distance[0].tolist(), [0, 3, 3, 4, 4, 5][: dragonfly.nodes])

    def test_loads_add_up_to_hop_bytes(self):
        for text in ("torus:4x3", "mesh:3x4", "ring:6", "hypercube:3"):
            machine = Machine(text)
            place = list(reversed(range(machine.nodes)))
            flows = {(a, (a * 5 + 1) % machine.nodes): a + 1 for a in range(machine.nodes)}
            hops = sum(machine.distance[place[a], place[b]] * size for (a, b), size in flows.items())
            self.assertEqual(sum(machine.loads(place, flows).values()), hops)

    def test_numbers_of_flows(self):
        for text, processes, flows in (
            ("tree:7", 7, 12),
            ("cube:4", 16, 64),
            ("bt:16", 16, 96),
            ("stencil:3x3,5", 9, 24),
            ("stencil:3x3,9", 9, 40),
            ("periodic:4x4,5", 16, 64),
            ("transpose:3x4", 12, 12 * 5),
            ("dissemination:8", 8, 24),
        ):
            found = traffic_of(text)
            self.assertEqual((found[0], len(found[1])), (processes, flows), text)

    def test_a_seed_numbers_processes_anew(self):
        plain, shuffled = traffic_of("cg:16"), traffic_of("cg:16@1")
        self.assertNotEqual(plain[1], shuffled[1])
        self.assertEqual(sorted(plain[1].values()), sorted(shuffled[1].values()))
        degrees = [numpy.bincount([a for a, _ in flows], minlength=16) for _, flows in (plain, shuffled)]
        self.assertEqual(sorted(degrees[0]), sorted(degrees[1]))


if __name__ == "__main__":
    unittest.main()
