#!/usr/bin/env python3
"""Checks the certificates that `dcube search --certificate FILE` writes: proofs by enumeration that
no map costs less. Shares no code with dcube: distances come from breadth-first search over links
built here, costs from the flows, and the enumeration is made again by the rules of docs/search.md.

    check_certificate.py FILE..    exit status 0 when all hold, 1 when one does not, 2 unreadable
"""

import argparse
import json
import sys
from collections import deque

CYCLIC = {"ring", "torus", "hypercube"}
KINDS = CYCLIC | {"line", "mesh"}


class Wrong(Exception):
    """What a certificate claims and is not so."""


def require(condition, what):
    if not condition:
        raise Wrong(what)


def coordinates(node, shape):
    result = []
    for side in shape:
        node, coordinate = divmod(node, side)
        result.append(coordinate)
    return result


def number(coordinates_of_node, shape):
    node = 0
    for side, coordinate in zip(reversed(shape), reversed(coordinates_of_node)):
        node = node * side + coordinate
    return node


def links(machine):
    """Neighbours of every node."""
    shape, cyclic = machine["shape"], machine["kind"] in CYCLIC
    require(machine["kind"] in KINDS, f"unknown kind of machine {machine['kind']}")
    count = 1
    for side in shape:
        count *= side
    require(count == machine["nodes"], "the shape has another number of nodes")
    neighbours = [set() for _ in range(count)]
    for node in range(count):
        at = coordinates(node, shape)
        for j, side in enumerate(shape):
            if at[j] + 1 < side or (cyclic and side > 1):
                there = list(at)
                there[j] = (at[j] + 1) % side
                other = number(there, shape)
                neighbours[node].add(other)
                neighbours[other].add(node)
    return neighbours


def breadth_first(neighbours, start):
    distance = [None] * len(neighbours)
    distance[start] = 0
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node]:
            if distance[other] is None:
                distance[other] = distance[node] + 1
                waiting.append(other)
    return distance


class Problem:
    """Machine, traffic and objective of a certificate."""

    def __init__(self, certificate):
        neighbours = links(certificate["machine"])
        self.nodes = len(neighbours)
        self.distance = [breadth_first(neighbours, node) for node in range(self.nodes)]
        self.processes = certificate["processes"]
        self.flows = [tuple(flow) for flow in certificate["flows"]]
        self.objective = certificate["objective"]
        self.compute = certificate["cc_compute_ps"]
        self.hop = certificate["cc_hop_ps"]
        require(
            self.objective in ("average-dilation", "longest-dilation", "hop-bytes", "cc-time"),
            f"no rules for {self.objective}",
        )
        # Weight of a hop between two processes.
        self.weight = [{} for _ in range(self.processes)]
        for source, target, size in self.flows:
            value = size if self.objective == "hop-bytes" else 1
            for a, b in ((source, target), (target, source)):
                self.weight[a][b] = self.weight[a].get(b, 0) + value
        if self.objective == "cc-time":
            self.stages = self.processes.bit_length() - 1
            require(1 << self.stages == self.processes, "a cube has 2^d processes")
            self.weight = [
                {p ^ (1 << i): 1 for i in range(self.stages)} for p in range(self.processes)
            ]

    def cost(self, place):
        """Of a whole map."""
        distance = self.distance
        if self.objective == "cc-time":
            finish = [0] * self.processes
            for stage in range(self.stages):
                before = list(finish)
                for process in range(self.processes):
                    partner = process ^ (1 << stage)
                    start = max(before[process], before[partner]) + self.compute
                    finish[process] = start + self.hop * distance[place[process]][place[partner]]
            return max(finish)
        lengths = [(distance[place[a]][place[b]], size) for a, b, size in self.flows]
        if self.objective == "longest-dilation":
            return max((length for length, _ in lengths), default=0)
        if self.objective == "hop-bytes":
            return sum(length * size for length, size in lengths)
        return sum(length for length, _ in lengths)


class Bound:
    """The least cost of all ways to complete a partial map, by the rules of docs/search.md."""

    def __init__(self, problem):
        self.problem = problem
        self.heaviest_first = [
            sorted(weights.items(), key=lambda item: (-item[1], item[0])) for weights in problem.weight
        ]
        self.nearest_first = [
            sorted((d, other) for other, d in enumerate(row) if other != node)
            for node, row in enumerate(problem.distance)
        ]

    def unplaced_nearby(self, process, node, place, taken):
        """(weight, distance) of each unplaced partner, were it on the next nearest free node."""
        weights = [weight for partner, weight in self.heaviest_first[process] if partner not in place]
        free = (d for d, other in self.nearest_first[node] if other not in taken and other != node)
        return list(zip(weights, free))

    def placed(self, process, node, place):
        distance = self.problem.distance[node]
        return [
            (weight, distance[place[partner]])
            for partner, weight in self.heaviest_first[process]
            if partner in place
        ]

    def __call__(self, place):
        problem = self.problem
        taken = set(place.values())
        free = [node for node in range(problem.nodes) if node not in taken]

        def product(pairs):
            return sum(weight * length for weight, length in pairs)

        if problem.objective == "longest-dilation":
            return max(
                (
                    length
                    for process, node in place.items()
                    for _, length in self.placed(process, node, place)
                    + self.unplaced_nearby(process, node, place, taken)
                ),
                default=0,
            )
        talking = [p for p in range(problem.processes) if self.heaviest_first[p]]
        if problem.objective == "cc-time":
            if len(place) == problem.processes:
                return problem.cost([place[p] for p in range(problem.processes)])
            longest = 0
            for process in talking:
                longest = max(
                    longest,
                    min(
                        product(self.placed(process, node, place))
                        + product(self.unplaced_nearby(process, node, place, taken))
                        for node in ([place[process]] if process in place else free)
                    ),
                )
            return problem.stages * problem.compute + longest * problem.hop
        between_placed = sum(product(self.placed(p, node, place)) for p, node in place.items()) // 2
        outwards = sum(
            product(self.unplaced_nearby(p, node, place, taken)) for p, node in place.items()
        )
        among = inwards = 0
        for process in talking:
            if process in place:
                continue
            here = [
                (product(self.placed(process, node, place)),
                 product(self.unplaced_nearby(process, node, place, taken)))
                for node in free
            ]  # fmt: skip
            among += min(unplaced for _, unplaced in here)
            inwards += min(2 * placed + unplaced for placed, unplaced in here)
        return between_placed + max(outwards + (among + 1) // 2, (inwards + 1) // 2)


def check_symmetries(symmetries, problem):
    nodes = range(problem.nodes)
    require(symmetries and symmetries[0] == list(nodes), "the identity is the first symmetry")
    known = {tuple(symmetry) for symmetry in symmetries}
    for symmetry in symmetries:
        require(sorted(symmetry) == list(nodes), "a symmetry is a permutation of the nodes")
        for a in nodes:
            row, image = problem.distance[a], problem.distance[symmetry[a]]
            require(
                all(row[b] == image[symmetry[b]] for b in nodes), "a symmetry keeps all distances"
            )
    for one in known:
        for other in known:
            require(tuple(one[node] for node in other) in known, "the symmetries form a group")


def has_constant_distances(place, problem):
    bits = range(len(place).bit_length() - 1)
    return all(
        problem.distance[place[p]][place[p ^ (1 << bit)]]
        == problem.distance[place[0]][place[1 << bit]]
        for bit in bits
        for p in range(len(place))
    )


class Enumeration:
    """Every partial map once, up to the symmetries that fix the nodes chosen before."""

    def __init__(self, certificate, problem):
        self.problem = problem
        self.limit = certificate["cost"]
        self.order = [level["process"] for level in certificate["levels"]]
        self.tried = [0] * len(self.order)
        self.pruned = [0] * len(self.order)
        self.bound = Bound(problem)
        self.optima = self.fixed = self.constant = 0
        talking = {p for p in range(problem.processes) if problem.weight[p]}
        require(self.order[0] == 0, "process 0 is placed first")
        require(len(set(self.order)) == len(self.order), "every process is placed once")
        require(talking <= set(self.order), "every process with flows is placed")
        self.is_cube = all(
            (a ^ b).bit_count() == 1 for a, weights in enumerate(problem.weight) for b in weights
        ) and problem.processes.bit_count() == 1 and certificate["optima_fixed_constant"] > 0  # fmt: skip
        self.descend({}, certificate["symmetries"], 1, 1)

    def descend(self, place, symmetries, alike, first_alike):
        level = len(place)
        if level == len(self.order):
            self.count(place, alike, first_alike)
            return
        taken = set(place.values())
        for node in range(self.problem.nodes):
            if node in taken or any(symmetry[node] < node for symmetry in symmetries):
                continue
            self.tried[level] += 1
            longer = {**place, self.order[level]: node}
            if self.bound(longer) > self.limit:
                self.pruned[level] += 1
                continue
            fixing = [symmetry for symmetry in symmetries if symmetry[node] == node]
            kind = len(symmetries) // len(fixing)
            self.descend(longer, fixing, alike * kind, kind if level == 0 else first_alike)

    def count(self, place, alike, first_alike):
        problem = self.problem
        free = [node for node in range(problem.nodes) if node not in place.values()]
        silent = [p for p in range(problem.processes) if p not in place]
        whole = {**place, **dict(zip(silent, free))}
        cost = problem.cost([whole[p] for p in range(problem.processes)])
        require(cost >= self.limit, f"a map costs {cost}, less than {self.limit}: {whole}")
        for i in range(len(silent)):
            alike *= len(free) - i
        self.optima += alike
        if place[0] == 0:
            self.fixed += alike // first_alike
            if self.is_cube and has_constant_distances(whole, problem):
                self.constant += alike // first_alike


def check_exhaustive(certificate):
    problem = Problem(certificate)
    place = certificate["map"]
    require(len(place) == problem.processes, "the map has a node for every process")
    require(len(set(place)) == len(place), "no node hosts two processes")
    require(all(0 <= node < problem.nodes for node in place), "the map is one of nodes")
    require(problem.cost(place) == certificate["cost"], f"the map costs {problem.cost(place)}")
    check_symmetries(certificate["symmetries"], problem)
    again = Enumeration(certificate, problem)
    for level, tried, pruned in zip(certificate["levels"], again.tried, again.pruned):
        require(
            (level["tried"], level["pruned"]) == (tried, pruned),
            f"process {level['process']}: {tried} tried and {pruned} pruned, not "
            f"{level['tried']} and {level['pruned']}",
        )
    found = {
        "optima": again.optima,
        "optima_fixed": again.fixed,
        "optima_fixed_constant": again.constant,
    }
    for name, value in found.items():
        require(certificate[name] == value, f"{name} is {value}, not {certificate[name]}")
    return f"no map costs less than {certificate['cost']}; {again.optima} maps cost that"


def can_place(distances, problem, place):
    """Whether the processes from len(place) on find nodes."""
    process = len(place)
    if process == 1 << len(distances):
        return True
    candidates = None
    for bit, length in enumerate(distances):
        partner = process ^ (1 << bit)
        if partner < process:
            row = problem.distance[place[partner]]
            sphere = {node for node in range(problem.nodes) if row[node] == length}
            candidates = sphere if candidates is None else candidates & sphere
    return any(
        can_place(distances, problem, [*place, node])
        for node in sorted(candidates - set(place))
    )  # fmt: skip


def check_witness(witness, distances, problem):
    require(len(witness) == 1 << len(distances), "a witness has a node for every process")
    require(len(set(witness)) == len(witness), "a witness takes no node twice")
    for bit, length in enumerate(distances):
        for process, node in enumerate(witness):
            there = witness[process ^ (1 << bit)]
            require(problem.distance[node][there] == length, f"a witness of {distances} has others")


def check_constant_distances(certificate):
    problem = Problem(certificate)
    require(certificate["machine"]["kind"] in CYCLIC, "node 0 stands for every node")
    trials = {tuple(trial["distances"]): trial["witness"] for trial in certificate["trials"]}
    dimensions = problem.nodes.bit_length() - 1
    require(1 << dimensions == problem.nodes == problem.processes, "the cube fills the machine")
    optima = []

    def descend(prefix):
        left = dimensions - len(prefix)
        if left == 0:
            require(sum(prefix) == certificate["least_sum"], f"{prefix} has a smaller sum")
            optima.append(list(prefix))
            return
        farthest = max(problem.distance[0])
        for length in range(prefix[-1] if prefix else 1, farthest + 1):
            longer = (*prefix, length)
            if sum(prefix) + length * left > certificate["least_sum"]:
                break
            require(longer in trials, f"{longer} has not been tried")
            witness = trials[longer]
            if witness is not None:
                check_witness(witness, longer, problem)
                descend(longer)
            else:
                require(not can_place(longer, problem, [0]), f"{longer} is possible")

    descend(())
    require(optima == certificate["optima"], f"the optima are {optima}")
    return f"no embedding with constant distances has a sum below {certificate['least_sum']}"


CHECKS = {"exhaustive": check_exhaustive, "constant-distances": check_constant_distances}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    status = 0
    sys.setrecursionlimit(10_000)
    for file in parser.parse_args().files:
        try:
            with open(file, encoding="utf-8") as stream:
                certificate = json.load(stream)
            print(f"{file}: holds: {CHECKS[certificate['certificate']](certificate)}")
        except Wrong as wrong:
            print(f"{file}: does not hold: {wrong}")
            status = max(status, 1)
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            print(f"{file}: no certificate ({error})", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
