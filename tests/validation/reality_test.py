"""Machines and tables of validation/reality say what their data say."""

import csv
import itertools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REALITY = Path(__file__).resolve().parents[2] / "validation/reality"


def data(name):
    with open(REALITY / f"{name}.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def tables(machine):
    """The rows that its script writes, by the name of the table."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, REALITY / f"{machine}.py", folder], check=True)
        return {path.stem: path.read_text(encoding="utf-8").splitlines()[1:] for path in Path(folder).iterdir()}


class Mi250x(unittest.TestCase):
    def setUp(self):
        self.rows = data("mi250x")
        self.machine = json.loads((REALITY / "mi250x.json").read_text(encoding="utf-8"))
        self.width = {(int(row["from"]), int(row["to"])): int(row["width"]) for row in self.rows}

    def test_edges_are_the_links_of_the_data(self):
        found = {}
        classes = self.machine["link"]["classes"]
        for a, b, *named in self.machine["topology"]["edges"]:
            rate = classes[named[0]]["bandwidth"] if named else "50GBps"
            found[a, b] = found[b, a] = int(rate.removesuffix("GBps")) // 50
        self.assertEqual(found, {pair: width for pair, width in self.width.items() if width})

    def test_routes_are_the_shortest_of_the_widest(self):
        following = {(at, to): there for at, to, there in self.machine["routing"]["routes"]}

        def cost(way):
            return -min(self.width[link] for link in itertools.pairwise(way)), len(way)

        for a, b in self.width:
            way = [a]
            while way[-1] != b:
                way.append(following[way[-1], b])
            others = [node for node in range(8) if node not in (a, b)]
            ways = [(a, *between, b) for count in range(4) for between in itertools.permutations(others, count)]
            with self.subTest(way=way):
                self.assertEqual(cost(way), min(map(cost, ways)))

    def test_every_time_is_in_one_table(self):
        made = tables("mi250x")
        self.assertEqual({name: len(rows) for name, rows in made.items()}, {"mi250x-fitted": 56, "mi250x-others": 56})
        pairs = [{tuple(sorted(row.split("\t")[2:4])) for row in rows} for rows in made.values()]
        self.assertEqual([len(found) for found in (*pairs, pairs[0] & pairs[1])], [14, 14, 0])


class Epiphany(unittest.TestCase):
    def test_every_time_is_in_one_table(self):
        made = tables("epiphany")
        found = {name: len(rows) for name, rows in made.items()}
        self.assertEqual(found, {"epiphany-fitted": 14, "epiphany-others": 12, "epiphany-shared": 8})
        self.assertEqual(len(set().union(*made.values())), len(data("epiphany")))

    def test_hops_are_those_of_the_mesh(self):
        for row in data("epiphany"):
            (ax, ay), (bx, by) = (divmod(int(row[end]), 4) for end in ("from", "to"))
            self.assertEqual(abs(ax - bx) + abs(ay - by), int(row["hops"]), row)


if __name__ == "__main__":
    unittest.main()
