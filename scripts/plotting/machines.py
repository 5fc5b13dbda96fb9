"""Machines: where their nodes are, and which way their links go.

Node id = i1 + k1*(i2 + k2*(..)): the first coordinate varies fastest. A line is a mesh and a ring a
torus of one dimension; a hypercube has sides of 2. Nodes of a graph stand in a row. A host computer
is a node past the last one.
"""

import math
from dataclasses import dataclass

import numpy

from .text import short

# The lines of every dimension, for files of dcube 0.1.0 and before, which do not say them.
LINES = {
    "line": "path", "ring": "cycle", "mesh": "path", "torus": "cycle", "hypercube": "cycle",
    "twisted_torus": "twisted", "graph": None,
}  # fmt: skip
MOST_NODES = 2**24


@dataclass(frozen=True)
class Machine:
    name: str
    kind: str
    sides: tuple
    lines: tuple  # "path", "cycle" or "twisted", for each side; none in a graph
    is_cube: bool = False
    slots: int = 1  # processes that a node hosts at most
    failing_nodes: tuple = ()  # (node, seconds); 0: from the start
    failing_links: tuple = ()  # (node, node, seconds)
    kept_free: tuple = ()  # nodes that host nothing
    switches: int = 0  # the last nodes

    @property
    def nodes(self):
        return math.prod(self.sides)

    @property
    def dimensions(self):
        return len(self.sides)

    @property
    def has_sides(self):
        """Whether node numbers are coordinates."""
        return self.is_cube or len(self.lines) > 0

    @property
    def is_closed(self):
        """Whether links lead from one end of a dimension to the other."""
        return not self.is_cube and any(line != "path" for line in self.lines)

    @property
    def is_ring(self):
        return self.dimensions == 1 and self.is_closed

    def describe(self):
        return self.shape() + (f", {self.slots:,} slots a node" if self.slots > 1 else "")

    def shape(self):
        if self.is_cube:
            return f"{self.nodes.bit_length() - 1}-dimensional {self.words()}"  # one node has a side, too
        if self.switches:
            terminals = self.nodes - self.switches
            return (f"{self.words()} of {terminals:,} terminal{'s' * (terminals != 1)} "
                    f"and {self.switches:,} switch{'es' * (self.switches != 1)}")  # fmt: skip
        if self.dimensions == 1:
            return f"{self.words()} of {self.nodes:,}"
        return f"{'×'.join(map(str, self.sides))} {self.words()}"

    def words(self):
        return self.kind.replace("_", " ")

    def title(self):
        return f"{short(self.name, 40)} ({self.describe()})" if self.name else self.describe()

    def coordinates(self):
        """A row for each node and a column for each dimension."""
        places = numpy.unravel_index(numpy.arange(self.nodes), self.sides, order="F")
        return numpy.stack(places, axis=1)


def read_machine(document):
    """The `machine` of a result or of an embedding."""
    kind = document.get("topology")
    sides = tuple(side.whole(1) for side in document.get("shape").items()) or (1,)  # one node
    nodes = document.get("nodes").whole(1, MOST_NODES)
    if math.prod(sides) != nodes:
        raise document.get("shape").complaint(f"does not give {nodes:,} nodes")
    switches = document.get("switches").whole(0, MOST_NODES) if document.has("switches") else 0
    if switches:
        nodes += switches
        sides = (nodes,)
    name = document.get("name").text() if document.has("name") else ""
    slots = document.get("slots").whole(1) if document.has("slots") else 1
    lines, is_cube = read_structure(document, kind)
    free = document.get("kept_free").items() if document.has("kept_free") else ()
    kept_free = tuple(node.whole(0, nodes - 1) for node in free)
    failures = read_failures(document, nodes)
    return Machine(name, kind.text(), sides, lines, is_cube, slots, *failures, kept_free, switches)


def read_structure(document, kind):
    """The line of each dimension, and whether they make a hypercube."""
    dimensions = len(document.get("shape").value)
    if not document.has("structure"):
        if kind.text() not in LINES:
            raise kind.complaint(f'"{kind.value}" is no shape to draw ({", ".join(LINES)})')
        line = LINES[kind.value]
        return (line,) * dimensions if line else (), kind.value == "hypercube"
    structure = document.get("structure")
    lines = tuple(line.text() for line in structure.get("lines").items())
    if len(lines) not in (0, dimensions):
        raise structure.complaint(f"does not name a line for each of {dimensions} dimensions")
    return lines, structure.has("is_cube") and structure.get("is_cube").value is True


def read_failures(document, nodes):
    """The nodes and the links that fail, each with its instant; 0: from the start."""
    found_nodes, found_links = [], []

    def add(group, nodes_key, links_key, at_s):
        if group.has(nodes_key):
            found_nodes.extend((n.whole(0, nodes - 1), at_s) for n in group.get(nodes_key).items())
        for link in group.get(links_key).items() if group.has(links_key) else ():
            found_links.append((*(end.whole(0, nodes - 1) for end in link.items()), at_s))

    add(document, "failed_nodes", "failed_links", 0.0)
    for later in document.get("fails_later").items() if document.has("fails_later") else ():
        add(later, "nodes", "links", later.get("at_s").number(0))
    return tuple(found_nodes), tuple(found_links)


@dataclass(frozen=True)
class Links:
    """Directed links: each list has an entry for every link. One direction of a half-duplex link stands
    for both.

    `dimension` and `step` (+1, -1) say which way one goes. Links of a host computer are apart.
    """

    origin: numpy.ndarray
    target: numpy.ndarray
    dimension: numpy.ndarray
    step: numpy.ndarray
    values: numpy.ndarray
    is_half_duplex: bool
    host: int  # the number of a host computer
    host_nodes: numpy.ndarray  # nodes that a host computer is joined to
    to_host: numpy.ndarray
    from_host: numpy.ndarray

    def all(self):
        """((origin, target), value) of every link, those of a host computer last."""
        yield from zip(zip(self.origin.tolist(), self.target.tolist()), self.values.tolist())
        for node, to_host, from_host in zip(self.host_nodes, self.to_host, self.from_host):
            yield (int(node), self.host), max(to_host, from_host) if self.is_half_duplex else to_host
            if not self.is_half_duplex:
                yield (self.host, int(node)), from_host

    def most(self):
        lists = (self.values, self.to_host, self.from_host)
        return max((float(list_.max()) for list_ in lists if len(list_)), default=0.0)


def directed_links(machine, origin, target, values, complain):
    """The links of a machine. `complain(problem)` makes an error for ends that no link has."""
    has_host = (origin >= machine.nodes) | (target >= machine.nodes)
    inside = ~has_host
    places = machine.coordinates()
    start, end = places[origin[inside]], places[target[inside]]
    difference = end - start
    changed = (difference != 0).sum(axis=1)
    # A wrap of a twisted torus leads from one end of its dimension to the other and shifts others.
    is_shifted = changed > 1
    at_ends = (numpy.abs(difference) == numpy.array(machine.sides) - 1) & (difference != 0)
    may_shift = at_ends.any(axis=1) & ("twisted" in machine.lines)
    if machine.has_sides and not ((changed == 1) | (is_shifted & may_shift)).all():
        raise complain("a link joins nodes that are no neighbours")
    farthest = numpy.abs(difference).argmax(axis=1)
    dimension = numpy.where(is_shifted, at_ends.argmax(axis=1), farthest)
    rows = numpy.arange(len(dimension))
    step = difference[rows, dimension]
    wraps = ((numpy.abs(step) > 1) | is_shifted) & machine.has_sides
    if wraps.any() and not machine.is_closed:
        raise complain("a link joins nodes that are no neighbours")
    step = numpy.where(wraps, -numpy.sign(step), numpy.sign(step))
    pairs = set(zip(origin[inside].tolist(), target[inside].tolist()))
    is_half = bool(pairs) and not any((b, a) in pairs for a, b in pairs)
    if is_half:  # links then go the way in which coordinates grow, even over the end
        backward = step < 0
        first, second = origin[inside], target[inside]
        origin, target = origin.copy(), target.copy()
        origin[inside] = numpy.where(backward, second, first)
        target[inside] = numpy.where(backward, first, second)
        step = numpy.abs(step)
    host = host_loads(machine.nodes, origin[has_host], target[has_host], values[has_host])
    return Links(
        origin[inside], target[inside], dimension, step, values[inside], is_half, machine.nodes,
        *host,
    )  # fmt: skip


def host_loads(nodes, origin, target, values):
    """The nodes that have a link to the host, and the loads to and from it."""
    ends = numpy.unique(numpy.minimum(origin, target))
    to_host, from_host = numpy.zeros((2, len(ends)))
    leaves = target >= nodes
    to_host[numpy.searchsorted(ends, origin[leaves])] = values[leaves]
    from_host[numpy.searchsorted(ends, target[~leaves])] = values[~leaves]
    return ends, to_host, from_host
