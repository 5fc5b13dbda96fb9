"""Machines of the table, built from their definitions.

    line:N ring:N mesh:AxB.. torus:AxB.. hypercube:D      the first coordinate counts fastest
    fat_tree:M1,M2,../W1,W2,..                            XGFT (Öhring 1995): M children, W parents a level
    dragonfly:p=P,a=A,h=H                                 A H + 1 groups (Kim 2008), palm-tree ports in order

Processes are on the nodes of a grid, and on the terminals of the others.
"""

from collections import deque

import numpy

GRIDS = ("line", "ring", "mesh", "torus", "hypercube")


def sides_of(text):
    return [int(side) for side in text.split("x")]


def coordinates(shape):
    """Of every node: [node, dimension]."""
    count = int(numpy.prod(shape))
    strides = numpy.cumprod([1, *shape[:-1]])
    return numpy.arange(count)[:, None] // strides % numpy.array(shape)


class Machine:
    """`nodes` that host processes, `distance[a, b]` in hops of the route, `links` with a direction each."""

    def __init__(self, text, slots=1):
        self.kind, _, settings = text.partition(":")
        self.slots = slots
        self.shape = None
        if self.kind in GRIDS:
            self.make_grid(settings)
        elif self.kind == "fat_tree":
            self.make_fat_tree(settings)
        elif self.kind == "dragonfly":
            self.make_dragonfly(settings)
        else:
            raise ValueError(f"{text} is no machine of this table")
        self.nodes = len(self.distance)

    def make_grid(self, settings):
        self.shape = [2] * int(settings) if self.kind == "hypercube" else sides_of(settings)
        self.wraps = self.kind not in ("line", "mesh")
        at = coordinates(self.shape)
        apart = abs(at[:, None, :] - at[None, :, :])
        if self.wraps:
            apart = numpy.minimum(apart, numpy.array(self.shape) - apart)
        self.distance = apart.sum(axis=2)
        self.links = int((self.distance == 1).sum())

    def make_fat_tree(self, settings):
        """Nodes of level l have digits a_h .. a_(l+1), b_l .. b_1; a link replaces a_(l+1) by any b_(l+1)."""
        down, up = ([int(number) for number in part.split(",")] for part in settings.split("/"))
        neighbours = {}

        def join(a, b):
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)

        level = [(0, (), tuple(a)) for a in coordinates(down).tolist()]  # digits b, then a, lowest first
        terminals = level
        for number, parents in enumerate(up):
            above = {}
            for node in level:
                for b in range(parents):
                    parent = (number + 1, (*node[1], b), node[2][1:])
                    above[parent] = True
                    join(node, parent)
            level = list(above)
        self.measure(neighbours, terminals)

    def measure(self, neighbours, terminals):
        """Distances by breadth-first search."""
        number = {node: i for i, node in enumerate(terminals)}
        self.distance = numpy.zeros((len(terminals), len(terminals)), dtype=int)
        for start in terminals:
            hops, waiting = {start: 0}, deque([start])
            while waiting:
                node = waiting.popleft()
                if node in number:
                    self.distance[number[start], number[node]] = hops[node]
                for other in neighbours[node]:
                    if other not in hops:
                        hops[other] = hops[node] + 1
                        waiting.append(other)
        self.links = sum(map(len, neighbours.values()))

    def make_dragonfly(self, settings):
        """A route takes one global link at most. Port k of group i leads to group k, or k + 1 where k >= i;
        each router has h of them."""
        given = dict(part.split("=") for part in settings.split(","))
        p, a, h = (int(given[key]) for key in ("p", "a", "h"))
        groups = a * h + 1
        router = numpy.arange(groups * a * p) // p
        group = router // a
        gateway = numpy.zeros((groups, groups), dtype=int)
        for here in range(groups):
            for there in range(groups):
                port = there if there < here else there - 1
                gateway[here, there] = here * a + port // h
        near = router[:, None] != router[None, :]
        leave = gateway[group[:, None], group[None, :]]
        enter = leave.T
        far = 1 + (leave != router[:, None]) + (enter != router[None, :])
        self.distance = 2 + numpy.where(group[:, None] == group[None, :], near, far)
        numpy.fill_diagonal(self.distance, 0)
        self.links = 2 * (len(router) + groups * a * (a - 1) // 2 + groups * (groups - 1) // 2)

    def loads(self, place, flows):
        """Bytes over each directed link of a grid: dimension by dimension, the shorter way round; half way
        round a cycle not over the link that closes it."""
        carried = {}
        at_of = coordinates(self.shape).tolist()
        strides = numpy.cumprod([1, *self.shape[:-1]]).tolist()
        for (source, target), size in flows.items():
            at, to, node = list(at_of[place[source]]), at_of[place[target]], place[source]
            for d, side in enumerate(self.shape):
                ahead = (to[d] - at[d]) % side
                step = 1 if to[d] > at[d] else -1
                if self.wraps and 2 * ahead != side:
                    step = 1 if 2 * ahead < side else -1
                while at[d] != to[d]:
                    there = (at[d] + step) % side
                    after = node + (there - at[d]) * strides[d]
                    carried[node, after] = carried.get((node, after), 0) + size
                    at[d], node = there, after
        return carried
