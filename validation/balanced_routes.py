#!/usr/bin/env python3
"""Writes a table of shortest routes that spread an all-to-all evenly over the links of a torus.

    balanced_routes.py torus 4x8 > routes.csv
    balanced_routes.py twisted_torus 4x4x8 > routes.csv

The table is for "routing": {"kind": "table", "file": "routes.csv"} of a machine.

torus: dimension order. Half way round a ring, messages of even places go upwards and those of odd
places downwards, which is even where a quarter of every even side but 2 is whole.

twisted_torus: all nodes are alike, so a route may depend on the difference of its ends alone, and
all links of a direction carry the same. A search chooses the first step of every difference until
no direction carries more than the whole, divided by the directions and rounded up.
"""

import argparse
import itertools
import math
import random
import sys


class Torus:
    """Nodes are coordinates; directions are (dimension, +1 or -1)."""

    def __init__(self, shape, is_twisted):
        self.shape = shape
        self.is_twisted = is_twisted
        self.nodes = [place[::-1] for place in itertools.product(*map(range, reversed(shape)))]
        self.number = {node: i for i, node in enumerate(self.nodes)}
        self.directions = [(d, sign) for d in range(len(shape)) for sign in (1, -1)]

    def step(self, node, direction):
        dimension, sign = direction
        place = list(node)
        place[dimension] += sign
        if not 0 <= place[dimension] < self.shape[dimension] and self.is_twisted:
            for other, side in enumerate(self.shape):
                if other != dimension:
                    place[other] = (place[other] + sign * self.shape[dimension]) % side
        place[dimension] %= self.shape[dimension]
        return tuple(place)

    def distances(self):
        """Of every node from node 0."""
        origin = self.nodes[0]
        distance = {origin: 0}
        reached = [origin]
        for node in reached:
            for direction in self.directions:
                after = self.step(node, direction)
                if after not in distance:
                    distance[after] = distance[node] + 1
                    reached.append(after)
        return distance


# --- Twisted: a first step for every difference ---


class FirstSteps:
    """A choice of first steps, and what the directions carry of an all-to-all from one node.

    The way to a difference is its first step, then the way of the difference that is left.
    """

    def __init__(self, torus, seed):
        self.torus = torus
        distance = torus.distances()
        self.order = sorted((node for node in torus.nodes if distance[node]), key=lambda node: distance[node])
        # Undoing a step from a difference leaves the rest of the way.
        self.rest = {
            node: {
                (d, sign): torus.step(node, (d, -sign))
                for d, sign in torus.directions
                if distance[torus.step(node, (d, -sign))] < distance[node]
            }
            for node in self.order
        }
        draw = random.Random(seed)
        self.first = {node: draw.choice(sorted(self.rest[node])) for node in self.order}
        self.least = math.ceil(sum(distance.values()) / len(torus.directions))

    def way(self, node):
        """How many steps in each direction."""
        steps = dict.fromkeys(self.torus.directions, 0)
        while node in self.first:
            direction = self.first[node]
            steps[direction] += 1
            node = self.rest[node][direction]
        return steps

    def loads(self):
        loads = dict.fromkeys(self.torus.directions, 0)
        for node in self.order:
            for direction, count in self.way(node).items():
                loads[direction] += count
        return loads

    def users(self):
        """How many ways lead through each difference, its own included."""
        users = dict.fromkeys(self.order, 1)
        for node in reversed(self.order):
            after = self.rest[node][self.first[node]]
            if after in users:
                users[after] += users[node]
        return users

    def improve(self):
        """Until no other first step makes the loads more even."""
        loads = self.loads()
        improved = True
        while improved:
            improved = False
            for node in self.order:
                before = self.way(node)
                weight = self.users()[node]
                for direction in sorted(self.rest[node]):
                    chosen = self.first[node]
                    self.first[node] = direction
                    after = self.way(node)
                    changed = {d: loads[d] + weight * (after[d] - before[d]) for d in loads}
                    if sum(load * load for load in changed.values()) < sum(load * load for load in loads.values()):
                        loads, before, improved = changed, after, True
                    else:
                        self.first[node] = chosen
        return max(loads.values())


def twisted_routes(shape):
    torus = Torus(shape, is_twisted=True)
    for seed in range(1000):
        steps = FirstSteps(torus, seed)
        if steps.improve() == steps.least:
            break
    else:
        sys.exit("no even routes found")

    for at in torus.nodes:
        # All nodes are alike, and steps can be exchanged: a difference is its first step and the
        # difference that is left, from here as from node 0.
        target = {torus.nodes[0]: at}
        for node in steps.order:
            direction = steps.first[node]
            target[node] = torus.step(target[steps.rest[node][direction]], direction)
        for node in steps.order:
            yield at, target[node], torus.step(at, steps.first[node])


# --- Plain: dimension order ---


def even_routes(shape):
    torus = Torus(shape, is_twisted=False)
    if any(side % 4 == 2 and side > 2 for side in shape):
        sys.exit("a side is neither odd nor 2 nor divisible by 4")
    for at, to in itertools.permutations(torus.nodes, 2):
        dimension = next(d for d in range(len(shape)) if at[d] != to[d])
        side = shape[dimension]
        up = (to[dimension] - at[dimension]) % side
        goes_up = 2 * up < side or (2 * up == side and at[dimension] % 2 == 0)
        yield at, to, torus.step(at, (dimension, 1 if goes_up else -1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=["torus", "twisted_torus"])
    parser.add_argument("shape", help="4x4x8")
    options = parser.parse_args()
    shape = tuple(int(side) for side in options.shape.split("x"))
    routes = twisted_routes(shape) if options.kind == "twisted_torus" else even_routes(shape)
    number = Torus(shape, is_twisted=False).number
    rows = sorted((number[at], number[to], number[after]) for at, to, after in routes)
    print("at,to,next")
    for row in rows:
        print(",".join(map(str, row)))


if __name__ == "__main__":
    main()
