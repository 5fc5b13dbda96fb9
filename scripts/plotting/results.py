"""Results of `dcube run --output FILE`, and embeddings of `dcube embed --json`."""

from dataclasses import dataclass, replace

import numpy

from .activities import ACTIVITIES
from .documents import Document, parse_json, read_text
from .machines import Machine, directed_links, read_machine
from .text import counted, short

RUN = "make it with `dcube run SCENARIO --output FILE`"
FULL = "make it with `dcube run SCENARIO --full --output FILE`"
EMBED = "make it with `dcube embed MACHINE --embedding NAME --json`"


@dataclass(frozen=True)
class Result:
    """The result of a run."""

    document: Document
    machine: Machine
    embedding: str
    program: str
    processes: int
    makespan_s: float
    outcome: str

    def title(self):
        embedding = short(self.embedding, 30)
        return (
            f"{embedding} on {self.machine.title()}, "
            f"{short(self.program, 30)} with {counted(self.processes, 'process')}"
        )

    def mean_times_s(self):
        """What a process does on average; the parts add up to the makespan."""
        times = self.document.get("time_s")
        return {name: times.at(name, "mean").number(0) for name in ACTIVITIES}


def under_name(drawn, name):
    """The result or placement with its embedding called so, if there is a name."""
    return replace(drawn, embedding=name) if name else drawn


def read_result(file, way_out=RUN):
    return result_of(parse_json(file, read_text(file), way_out))


def result_of(document):
    if document.has("runs") or document.has("experiments") or not document.has("outcome"):
        raise document.complaint("is no result of a run")
    return Result(
        document,
        read_machine(document.get("machine")),
        document.at("embedding", "kind").text(),
        document.at("program", "kind").text(),
        document.at("program", "processes").whole(1),
        document.get("makespan_s").number(0),
        document.get("outcome").text(),
    )


def read_loads(file):
    """The result of a run, or a placement with the bytes over every link, which has no outcome."""
    document = parse_json(file, read_text(file), RUN)
    if not document.has("traffic") or document.has("outcome"):
        return result_of(document)
    processes = document.at("traffic", "processes").whole(1)
    return Result(
        document,
        read_machine(document.get("machine")),
        document.at("embedding", "kind").text(),
        document.at("traffic", "name").text(),
        processes,
        0.0,
        "",
    )


def column(document, key, convert):
    return numpy.array([convert(item) for item in document.get(key).items()])


def forwarding_nodes(result):
    """Switches and nodes that are kept free; in a graph, which names no switches, nodes without a process."""
    if result.machine.switches:
        switches = range(result.machine.nodes - result.machine.switches, result.machine.nodes)
        return {*switches, *result.machine.kept_free}
    embedding = result.document.get("embedding")
    if not embedding.has("map") or embedding.get("map").value is None:
        return set(result.machine.kept_free)
    hosting = {node.whole(0, result.machine.nodes - 1) for node in embedding.get("map").items()}
    return set(range(result.machine.nodes)) - hosting


@dataclass(frozen=True)
class Drawing:
    """A small machine on paper, as dcube lays it out; y grows downwards."""

    size: tuple
    node_size: float
    lane: float  # the width of one
    nodes: numpy.ndarray  # a row (x, y) for each, a host computer last
    ends: set  # (from, to) of every link
    pieces: dict  # (from, to) -> [(begin, end)], one or two of them; empty where lines could not be told apart
    failing: list  # (pieces, seconds)


def read_drawing(document):
    """None where the result has no drawing: of a large machine, or written by an earlier version."""
    if not document.has("drawing"):
        return None
    drawing = document.get("drawing")

    def numbers(group, *keys):
        return [column(group, key, Document.number) for key in keys]

    def pieces_of(links):
        first, second = (list_.reshape(-1, 2, 2) / 100 for list_ in numbers(links, "first", "second"))
        found = [[piece] for piece in first]
        for link, piece in zip(links.get("with_second").items(), second):
            found[link.whole(0, len(found) - 1)].append(piece)
        return found

    links = drawing.get("links")
    ends = list(zip(*numbers(links, "from", "to")))
    failing = drawing.get("failing") if drawing.has("failing") else None
    return Drawing(
        (drawing.get("width").number(), drawing.get("height").number()),
        drawing.get("node_size").number(),
        drawing.get("link_width").number(),
        numpy.stack(numbers(drawing.get("nodes"), "x", "y"), axis=1) / 100,
        set(ends),
        dict(zip(ends, pieces_of(links))),
        list(zip(pieces_of(failing.get("links")), *numbers(failing, "links_at_s"))) if failing else [],
    )


def read_links(result, value):
    """The links of a result with one `value` each: "messages", "bytes", or "busy" (a share of the
    makespan)."""
    document = result.document
    if not document.has("link_loads"):
        raise Document(document.file, None, FULL).complaint("does not list the load of every link")
    loads = document.get("link_loads")
    last = result.machine.nodes  # the host computer
    origin = column(loads, "from", lambda item: item.whole(0, last))
    target = column(loads, "to", lambda item: item.whole(0, last))
    if value != "busy":
        values = column(loads, value, lambda item: item.whole(0))
    else:
        values = column(loads, "busy_s", lambda item: item.number(0))
        values = values / result.makespan_s if result.makespan_s > 0 else values * 0
    if not len(origin) == len(target) == len(values):
        raise loads.complaint("its lists differ in length")
    if (origin == target).any():
        raise loads.complaint("a link joins a node to itself")
    return directed_links(
        result.machine, origin.astype(int), target.astype(int), values, loads.complaint
    )


def read_classes(result, value):
    """Figures of each class of links, for a `value` as in read_links(); none where links have no classes."""
    if not result.document.has("link_load") or not result.document.get("link_load").has("by_class"):
        return []
    by_class = result.document.at("link_load", "by_class")
    return by_class.get("busy_s" if value == "busy" else value).items()


def read_node_loads(result):
    """The number of messages that every node forwarded, without a host computer."""
    document = result.document
    if not document.has("node_loads"):
        raise Document(document.file, None, FULL).complaint("does not list the load of every node")
    loads = column(document, "node_loads", lambda item: item.whole(0))
    if len(loads) < result.machine.nodes:
        raise document.get("node_loads").complaint(
            f"{counted(len(loads), 'load')} for {counted(result.machine.nodes, 'node')}"
        )
    return loads[: result.machine.nodes]


@dataclass(frozen=True)
class Placement:
    """Which node hosts which process; a node hosts as many as it has slots."""

    machine: Machine
    embedding: str
    nodes: numpy.ndarray  # node of every process
    is_cube: bool  # whether the processes may be the nodes of a cube
    complaint: object
    drawing: object = None  # where the result of a run has one

    @property
    def processes(self):
        return len(self.nodes)

    @property
    def cube_dimensions(self):
        """0 if the processes are not a cube."""
        count = self.processes
        return count.bit_length() - 1 if self.is_cube and count & (count - 1) == 0 else 0

    def of_nodes(self):
        """The processes of every node, ascending."""
        hosted = [[] for _ in range(self.machine.nodes)]
        for process, node in enumerate(self.nodes.tolist()):
            hosted[node].append(process)
        return hosted

    def shares(self, of_processes):
        """The mean of a number of each process over the processes of every node; masked where
        there are none."""
        counts = numpy.bincount(self.nodes, minlength=self.machine.nodes)
        sums = numpy.bincount(self.nodes, of_processes, self.machine.nodes)
        return numpy.ma.masked_array(sums / numpy.maximum(counts, 1), counts == 0)


def read_placements(file):
    """All placements of a file. The result of a run has one, the output of `dcube embed` maybe several."""
    document = parse_json(file, read_text(file), EMBED)
    several = isinstance(document.value, list)
    found = document.items() if several else [document]
    if not found:
        raise document.complaint("holds no embedding")
    return [placement_of(item) for item in found]


def placement_of(document):
    machine = read_machine(document.get("machine"))
    embedding = document.get("embedding")
    kind = embedding.get("kind").text()
    holder = document if document.has("map") else embedding
    if not holder.has("map"):
        way_out = "add --full to the command that made it"
        raise Document(document.file, None, way_out).complaint("has no map of the processes")
    listed = holder.get("map")
    last = machine.nodes - 1
    nodes = numpy.array([item.whole(0, last) for item in listed.items()], dtype=int)
    if not len(nodes):
        raise listed.complaint("is empty")
    counts = numpy.bincount(nodes)
    if counts.max() > machine.slots:
        raise listed.complaint(
            "a node hosts two processes"
            if machine.slots == 1
            else f"node {counts.argmax()} hosts {counts.max()} processes, "
            f"and has {machine.slots} slots"
        )
    guest = document.get("guest").text() if document.has("guest") else ""
    return Placement(
        machine, kind, nodes, guest.startswith("cube") or not guest, document.complaint,
        read_drawing(document),
    )  # fmt: skip
