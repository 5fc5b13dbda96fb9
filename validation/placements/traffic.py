"""Traffic of the table, by formulas: flows[from, to] in bytes (a pair stands once), and how many processes.

    random:P,F,SEED      F flows of 1 to 16 bytes between processes drawn at random, and one of the last to 0
    clustered:P,G,SEED   groups of G: all pairs of a group, 8 bytes each way, and 2 P random flows of 1 to 4
    scale_free:P,M,SEED  a process joins M earlier ones, each as likely as it has partners (Barabási & Albert)
    stencil:SHAPE,N      halos on an open grid: N = 5 (2-D), 7 (3-D): 64 bytes a face; 9, 27: and 8 an edge of
                         the face's, 1 a corner
    periodic:SHAPE,N     the same, around
    halos:SHAPE          200, 60, 20 KiB to the neighbours by dimension, around; 2 KiB to all of a row
    cg:P                 NAS CG: sums along rows of P = R x C processes by halves, and a transposed partner
    bt:P                 NAS BT, SP: multipartition of P = Q^2, six partners each
    mg:SHAPE             NAS MG: faces of levels 1, 2, 4, .. apart, each a quarter of the one before
    transpose:RxC        all to all in rows (2 bytes), then in columns (1)
    dissemination:P      to the processes 1, 2, 4, .. after it
    cube:D[,doubling|halving]   both ways along D dimensions: 1 byte, or 2^i, or 2^(D-1-i)
    tree:P               1 byte both ways between i and (i - 1) / 2
    training:TxPxD       rings of tensor (64), data (16) groups both ways, one way along the pipeline (4)
    qaplib:NAME          the flow matrix of an instance of QAPLIB; needs its file

A suffix @SEED numbers the processes at random.
"""

import itertools
import os

import numpy
from machines import coordinates, sides_of

QAPLIB = (
    os.environ.get("QAPLIB", ""),
    "/usr/lib/R/site-library/qap/qaplib",  # Debian's r-cran-qap
)


class Draw:
    """A linear congruential generator (Knuth's MMIX)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def order(self, count):
        """A permutation (Fisher & Yates)."""
        numbers = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.below(i + 1)
            numbers[i], numbers[j] = numbers[j], numbers[i]
        return numbers


class Flows(dict):
    def add(self, a, b, size):
        if a != b and size:
            self[int(a), int(b)] = self.get((int(a), int(b)), 0) + int(size)

    def both(self, a, b, size):
        self.add(a, b, size)
        self.add(b, a, size)


def random_flows(flows, processes, count, seed):
    draw, drawn = Draw(seed), 0
    while drawn < count:
        source, target, size = draw.below(processes), draw.below(processes), 1 + draw.below(16)
        if source != target:
            flows.add(source, target, size)
            drawn += 1
    flows.add(processes - 1, 0, 1)
    return processes


def clustered(flows, processes, group, seed):
    draw = Draw(seed)
    for a in range(processes):
        for b in range(a // group * group, a // group * group + group):
            flows.add(a, b, 8)
    for _ in range(2 * processes):
        a, b, size = draw.below(processes), draw.below(processes), 1 + draw.below(4)
        flows.add(a, b, size)
    return processes


def scale_free(flows, processes, each, seed):
    draw, ends = Draw(seed), list(range(each))
    for a in range(each, processes):
        partners = set()
        while len(partners) < each:
            partners.add(ends[draw.below(len(ends))])
        for b in sorted(partners):
            flows.both(a, b, 1 + draw.below(8))
            ends += [a, b]
    return processes


def stencil(flows, shape, points, wraps):
    sides = sides_of(shape)
    at = coordinates(sides)
    strides = numpy.cumprod([1, *sides[:-1]])
    near = points in (5, 7)
    for step in itertools.product((-1, 0, 1), repeat=len(sides)):
        moves = sum(map(abs, step))
        if moves == 0 or (near and moves > 1):
            continue
        for node, here in enumerate(at):
            there = here + step
            if wraps:
                there %= sides
            elif (there < 0).any() or (there >= sides).any():
                continue
            flows.add(node, (there * strides).sum(), 64 // 8 ** (moves - 1))
    return len(at)


def halos(flows, shape):
    sides = sides_of(shape)
    strides = numpy.cumprod([1, *sides[:-1]]).tolist()
    for rank, at in enumerate(coordinates(sides).tolist()):
        for d, kib in enumerate((200, 60, 20)):
            for step in (1, sides[d] - 1):
                flows.add(rank, rank + ((at[d] + step) % sides[d] - at[d]) * strides[d], 1024 * kib)
        for other in range(rank - at[0], rank - at[0] + sides[0]):
            flows.add(rank, other, 2048)
    return len(coordinates(sides))


def cg(flows, processes):
    columns = 1
    while columns * columns < processes:
        columns *= 2
    rows = processes // columns
    for rank in range(processes):
        row, column = divmod(rank, columns)
        step = columns // 2
        while step:
            flows.add(rank, row * columns + (column ^ step), 8)
            step //= 2
        if rows == columns:
            partner = column * columns + row
        else:
            partner = 2 * (rank // 2 % rows * rows + rank // 2 // rows) + rank % 2
        flows.add(rank, partner, 8)
    return processes


def bt(flows, processes):
    side = round(processes**0.5)
    for rank in range(processes):
        i, j = rank % side, rank // side
        for by_i, by_j in ((1, 0), (0, 1), (-1, 1)):
            flows.both(rank, (i + by_i) % side + (j + by_j) % side * side, 3)
    return processes


def mg(flows, shape):
    sides = sides_of(shape)
    at = coordinates(sides)
    strides = numpy.cumprod([1, *sides[:-1]])
    step, size = 1, 64
    while step < max(sides) and size:
        for node, here in enumerate(at):
            if (here % step).any():
                continue
            for d, side in enumerate(sides):
                for by in (step, -step):
                    there = here.copy()
                    there[d] = (here[d] + by) % side
                    flows.add(node, (there * strides).sum(), size)
        step, size = 2 * step, size // 4
    return len(at)


def transpose(flows, shape):
    rows, columns = sides_of(shape)
    for a, b in itertools.permutations(range(rows * columns), 2):
        if a // columns == b // columns:
            flows.add(a, b, 2)
        elif a % columns == b % columns:
            flows.add(a, b, 1)
    return rows * columns


def dissemination(flows, processes):
    step = 1
    while step < processes:
        for rank in range(processes):
            flows.add(rank, (rank + step) % processes, 1)
        step *= 2
    return processes


def cube(flows, dimensions, weights="equal"):
    for rank in range(2**dimensions):
        for i in range(dimensions):
            size = {"equal": 1, "doubling": 2**i, "halving": 2 ** (dimensions - 1 - i)}[weights]
            flows.add(rank, rank ^ 1 << i, size)
    return 2**dimensions


def tree(flows, processes):
    for rank in range(1, processes):
        flows.both(rank, (rank - 1) // 2, 1)
    return processes


def training(flows, shape):
    tensor, stages, data = sides_of(shape)
    for rank, (t, p, d) in enumerate(coordinates([tensor, stages, data]).tolist()):
        flows.both(rank, rank - t + (t + 1) % tensor, 64)
        flows.both(rank, rank + ((d + 1) % data - d) * tensor * stages, 16)
        if p + 1 < stages:
            flows.add(rank, rank + tensor, 4)
    return tensor * stages * data


# Instances whose first matrix holds distances; in all others it is the second.
DISTANCES_FIRST = ("nug", "sko", "ste", "tho", "wil")


class NoFile(Exception):
    """QAPLIB is not on this computer."""


def qaplib(flows, name):
    file = next((f"{folder}/{name}.dat" for folder in QAPLIB if os.path.exists(f"{folder}/{name}.dat")), None)
    if file is None:
        raise NoFile
    with open(file, encoding="ascii") as stream:
        count, *entries = map(int, stream.read().split())
    first, second = (numpy.array(entries[i : i + count**2]).reshape(count, count) for i in (0, count**2))
    is_first = name.startswith(DISTANCES_FIRST) and name != "nug27" and name != "nug28"
    matrix = second if is_first else first
    for a, b in numpy.argwhere(matrix):
        flows.add(a, b, matrix[a, b])
    return count


def traffic_of(text):
    """(number of processes, flows)."""
    text, _, seed = text.partition("@")
    kind, _, rest = text.partition(":")
    settings = [int(word) if word.isdigit() else word for word in rest.split(",")]
    settings = [str(word) if kind in ("qaplib",) else word for word in settings]
    flows = Flows()
    if kind in ("stencil", "periodic"):
        processes = stencil(flows, *settings, kind == "periodic")
    else:
        maker = {"random": random_flows, "clustered": clustered, "scale_free": scale_free, "halos": halos,
                 "cg": cg, "bt": bt, "mg": mg, "transpose": transpose, "dissemination": dissemination,
                 "cube": cube, "tree": tree, "training": training, "qaplib": qaplib}[kind]  # fmt: skip
        processes = maker(flows, *settings)
    if seed:
        label = Draw(int(seed)).order(processes)
        flows = Flows({(label[a], label[b]): size for (a, b), size in flows.items()})
    return processes, flows
