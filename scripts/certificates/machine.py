"""A machine, built from its shape: links, distances, routes."""

from collections import deque

CYCLIC = {"ring", "torus", "hypercube"}
KINDS = CYCLIC | {"line", "mesh"}


class Wrong(Exception):
    """A claim of a certificate is not true."""


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
    """The neighbours of every node."""
    shape, kind = machine["shape"], machine["kind"]
    cyclic = kind in CYCLIC
    require(kind in KINDS, f"unknown kind of machine {kind}")
    require(all(isinstance(side, int) and side > 0 for side in shape), "sides are positive")
    require(kind not in ("line", "ring") or len(shape) == 1, f"a {kind} has one dimension")
    require(kind != "hypercube" or set(shape) <= {2}, "sides of a hypercube are 2")
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


class Routes:
    """The route goes dimension by dimension, first dimension first, the shorter way round. `tie` says
        which way it goes when both are equally long."""

    def __init__(self, machine, tie, sharing):
        require(tie in ("no_wrap", "positive"), f"unknown tie {tie}")
        require(sharing in ("directed", "undirected"), f"unknown sharing of links {sharing}")
        self.shape, self.cyclic = machine["shape"], machine["kind"] in CYCLIC
        self.tie, self.sharing = tie, sharing
        self.known = {}

    def step(self, side, here, there):
        """+1 or -1 along one dimension."""
        direct = 1 if there > here else -1
        if not self.cyclic:
            return direct
        up = (there - here) % side
        if 2 * up == side:
            return 1 if self.tie == "positive" else direct
        return 1 if 2 * up < side else -1

    def nodes(self, start, end):
        """The nodes of the route, both ends included."""
        if (start, end) not in self.known:
            at, to = coordinates(start, self.shape), coordinates(end, self.shape)
            visited = [start]
            for j, side in enumerate(self.shape):
                while at[j] != to[j]:
                    at[j] = (at[j] + self.step(side, at[j], to[j])) % side
                    visited.append(number(at, self.shape))
            self.known[start, end] = visited
        return self.known[start, end]

    def links(self, start, end):
        visited = self.nodes(start, end)
        for pair in zip(visited, visited[1:]):
            yield pair if self.sharing == "directed" else tuple(sorted(pair))
