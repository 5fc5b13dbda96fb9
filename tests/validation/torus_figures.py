#!/usr/bin/env python3
"""Derives every figure of validation/torus.json anew, without dcube.

    torus_figures.py PROGRAM ROOT

Each figure that the file prints or expects must be what formulas, or a walk along every route, give
for its machine. Tables that are too large for the tree are written, run with PROGRAM, and must reach
the bound of balanced routes.
"""

import collections
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile


# --- Plain tori, meshes, hypercubes: formulas ---


def shape_of(topology):
    return [2] * topology["dimensions"] if topology["kind"] == "hypercube" else topology["shape"]


def in_one_dimension(kind, k, splits_ties):
    """Messages over the busiest link of k nodes in a line or ring, one way."""
    if kind == "mesh":
        return (k // 2) * (k - k // 2)
    if k == 2:
        return 1  # a side of two is one link
    # All pairs at distance d cross every link d times; at k / 2 there is a choice.
    shorter = sum(range(1, (k + 1) // 2))
    half_way = 0 if k % 2 else k // 4 if splits_ties else k // 2
    return shorter + half_way


def busiest(kind, shape, splits_ties=False):
    return max(math.prod(shape) // k * in_one_dimension(kind, k, splits_ties) for k in shape)


def mean_hops(kind, shape):
    if kind == "mesh":
        return sum((k * k - 1) / (3 * k) for k in shape)
    return sum(k / 4 if k % 2 == 0 else (k * k - 1) / (4 * k) for k in shape)


# --- Twisted tori: every route of node 0, since all nodes are alike ---


class TwistedTorus:
    def __init__(self, shape):
        self.shape = shape
        self.directions = list(itertools.product(range(len(shape)), (1, -1)))
        origin = (0,) * len(shape)
        self.distance = {origin: 0}
        reached = [origin]
        for node in reached:
            for direction in self.directions:
                after = self.step(node, *direction)
                if after not in self.distance:
                    self.distance[after] = self.distance[node] + 1
                    reached.append(after)

    def step(self, node, dimension, sign):
        place = list(node)
        place[dimension] += sign
        if place[dimension] in (-1, self.shape[dimension]):
            for other in range(len(place)):
                if other != dimension:
                    place[other] += sign * self.shape[dimension]
        return tuple(c % side for c, side in zip(place, self.shape))

    def total(self):
        return sum(self.distance.values())

    def bound(self):
        return math.ceil(self.total() / len(self.directions))

    def dimension_order(self):
        """Of the shortest vectors of steps: few in the first dimension, .., then upwards."""
        longest = max(self.distance.values())
        best = {}
        for steps in itertools.product(*(range(-min(k, longest), min(k, longest) + 1) for k in self.shape)):
            length = sum(map(abs, steps))
            if length > longest:
                continue
            node = (0,) * len(self.shape)
            for dimension, count in enumerate(steps):
                for _ in range(abs(count)):
                    node = self.step(node, dimension, 1 if count > 0 else -1)
            rank = ([abs(count) for count in steps], [-count for count in steps])
            if length == self.distance[node] and (node not in best or rank < best[node][0]):
                best[node] = (rank, steps)
        load = collections.Counter()
        for _, steps in best.values():
            for dimension, count in enumerate(steps):
                load[dimension, count > 0] += abs(count)
        return max(load.values())


# --- The file ---


def derived(quantity, machine):
    topology = machine["topology"]
    kind, shape = topology["kind"], shape_of(topology)
    routing = machine.get("routing", {}).get("kind")
    if kind == "twisted_torus":
        torus = TwistedTorus(shape)
        if quantity == "hops_per_pair":
            return torus.total() / math.prod(shape)
        return torus.bound() if routing else torus.dimension_order()
    if quantity == "hops_per_pair":
        return mean_hops(kind, shape)
    return busiest(kind, shape, splits_ties=routing is not None)


def wrong_figures(experiments):
    for experiment in experiments["experiments"]:
        for point in experiment["points"]:
            machine = dict(experiment["scenario"]["machine"])
            for pointer, value in point["set"].items():
                machine[pointer.removeprefix("/machine/")] = value
            figure = point.get("printed", point.get("expected"))
            expected = derived(experiment["quantity"], machine)
            if not math.isclose(figure, expected, rel_tol=1e-6):
                yield f"{experiment['name']}: {point['label']}: {figure} should be {expected}"


def wrong_tables(program, root):
    for kind, text in [("twisted_torus", "8x16"), ("twisted_torus", "4x8x8"), ("torus", "4x4x8"), ("torus", "4x8x8")]:
        shape = [int(side) for side in text.split("x")]
        expected = TwistedTorus(shape).bound() if kind == "twisted_torus" else busiest(kind, shape, True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with (folder / "routes.csv").open("w") as table:
                script = root / "validation/balanced_routes.py"
                subprocess.run([sys.executable, script, kind, text], stdout=table, check=True)
            scenario = {
                "schema_version": 1,
                "machine": {
                    "topology": {"kind": kind, "shape": shape},
                    "routing": {"kind": "table", "file": "routes.csv"},
                },
                "program": {"kind": "all_to_all"},
            }
            (folder / "x.json").write_text(json.dumps(scenario))
            done = subprocess.run([program, "run", folder / "x.json", "--json"], capture_output=True, check=True)
        result = json.loads(done.stdout)
        hops = TwistedTorus(shape).total() if kind == "twisted_torus" else mean_hops(kind, shape) * math.prod(shape)
        if (result["link_load"]["max"], result["messages"]["hops"]) != (expected, hops * math.prod(shape)):
            yield f"{kind} {text}: {result['link_load']}, {result['messages']}"


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    experiments = json.loads((root / "validation/torus.json").read_text())
    problems = [*wrong_figures(experiments), *wrong_tables(program, root)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
