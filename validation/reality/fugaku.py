#!/usr/bin/env python3
"""Writes the rows of fugaku.tsv whose algorithms dcube has, as tables for `dcube fit`.

    fugaku.py FOLDER           writes LAYER-SHAPE.tsv: mpi-2x2x2.tsv, .., own-4x4x4.tsv, .., utofu-4x4x4.tsv
    fugaku.py FOLDER --rows F  of the rows of another file with the same columns, and of whatever tori it has

fugaku.tsv: medians of collectives on Fugaku by HLC-Lab, https://github.com/HLC-Lab/pico, results/fugaku,
commit 413bc5d0 (MIT licence), measured in March and April 2025 with a process a node.

Rows of 64 KiB to 64 MiB are taken, whole or in segments of 64 KiB or more, but for those whose 90th percentile is more
than 1.3 times the median. Of Fujitsu's MPI, trees, which write into each other's memory, and other algorithms that Open
MPI lacks are layers of their own. Nothing is chosen by how well it is predicted. Rows of other algorithms are counted.
"""

import argparse
import csv
import math
import pathlib

HERE = pathlib.Path(__file__).parent
LEAST, MOST = 64 * 2**10, 64 * 2**20
WIDEST_SPREAD = 1.3

# (collective, family, algorithm, ports; none: of a library without ports): dcube's algorithm, and settings of its own.
# BINE's exchanges have Swing's distances. INC: distances grow from message to message, DEC: they shrink. A gather's
# first messages are the last of the tree from its root.
ALGORITHMS = {
    ("ALLREDUCE", "BINE", "L", "any"): "swing_latency",
    ("ALLREDUCE", "BINE", "B_CONT", "any"): "swing_bandwidth",
    ("ALLREDUCE", "RING", "B_CONT", "any"): "bucket",
    ("ALLREDUCE", "RECDOUB", "L", "any"): "torus_recursive_doubling",
    ("ALLREDUCE", "RECDOUB", "B_CONT", "any"): "torus_rabenseifner",
    ("ALLREDUCE", "FJMPI", "recursive_doubling", ""): "recursive_doubling",
    ("ALLREDUCE", "FJMPI", "ring", ""): "ring",
    ("ALLGATHER", "BINE", "VEC_DOUBLING_CONT_PERMUTE", "any"): "swing",
    ("ALLGATHER", "BINE", "VEC_DOUBLING_CONT_SEND", "any"): "swing",
    ("ALLGATHER", "BINE", "VEC_DOUBLING_BLOCKS", "any"): "swing",
    ("ALLGATHER", "RING", "VEC_DOUBLING_CONT_PERMUTE", "any"): "bucket",
    ("ALLGATHER", "FJMPI", "recursive-doubling", ""): "recursive_doubling",
    ("ALLGATHER", "FJMPI", "ring", ""): "ring",
    ("ALLGATHER", "FJMPI", "neighbor", ""): "neighbour_exchange",
    ("ALLGATHER", "FJMPI", "bruck", ""): "bruck",
    ("ALLGATHER", "FJMPI", "3dtorus", ""): "bucket",
    ("REDUCE_SCATTER", "BINE", "VEC_HALVING_CONT_PERMUTE", "any"): "swing",
    ("REDUCE_SCATTER", "RING", "VEC_HALVING_CONT_PERMUTE", "any"): "bucket",
    ("REDUCE_SCATTER", "FJMPI", "recursive-halving", ""): "recursive_halving",
    ("REDUCE_SCATTER", "FJMPI", "ring", ""): "ring",
    ("ALLTOALL", "BINE", "LOG", "any"): "bine",
    ("ALLTOALL", "FJMPI", "pairwise", ""): "shifted",
    ("ALLTOALL", "FJMPI", "modified-bruck", ""): "bruck",
    ("ALLTOALL", "BRUCK", "LOG", "any"): "bruck",
    ("ALLTOALL", "FJMPI", "linear", ""): "linear",
    ("ALLTOALL", "FJMPI", "linear-sync", ""): "linear",
    ("ALLTOALL", "FJMPI", "crp", ""): "torus_linear",
    ("ALLTOALL", "FJMPI", "doublespread", ""): "torus_linear",
    ("ALLTOALL", "FJMPI", "blacc3d", ""): "torus_linear",
    ("BCAST", "BINE", "BINOMIAL_TREE", "any"): "bine_latency",
    ("BCAST", "BINE", "BINOMIAL_TREE_TMPBUF", "any"): "bine_latency",
    ("BCAST", "BINE", "SCATTER_ALLGATHER", "any"): "bine_bandwidth",
    ("BCAST", "FJMPI", "binomial", ""): "binomial distances=doubling",
    ("BCAST", "FJMPI", "binary-tree", ""): "kary",
    ("BCAST", "FJMPI", "pipeline", ""): "pipelined",
    ("BCAST", "FJMPI", "split-binary-tree", ""): "split_binary segment=0",
    ("REDUCE", "BINE", "BINOMIAL_TREE", "any"): "bine_latency",
    ("REDUCE", "BINE", "REDUCE_SCATTER_GATHER", "any"): "bine_bandwidth",
    ("REDUCE", "FJMPI", "binomial", ""): "binomial",
    ("REDUCE", "FJMPI", "binary", ""): "kary",
    ("REDUCE", "FJMPI", "linear", ""): "kary radix=nodes",
    ("REDUCE", "FJMPI", "pipeline", ""): "pipelined",
    ("REDUCE", "FJMPI", "in-order-binary", ""): "kary",
    ("GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE", "any"): "bine",
    ("GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-INC", "any"): "bine",
    ("GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-DEC", "any"): "bine distances=doubling",
    ("GATHER", "FJMPI", "binomial", ""): "binomial",
    ("GATHER", "FJMPI", "simple", ""): "linear",
    ("GATHER", "FJMPI", "default", ""): "linear",
    ("GATHER", "FJMPI", "basic-linear", ""): "linear",
    ("GATHER", "FJMPI", "linear-sync", ""): "linear",
    ("SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE", "any"): "bine",
    ("SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-INC", "any"): "bine distances=doubling",
    ("SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-DEC", "any"): "bine",
    ("SCATTER", "FJMPI", "binomial", ""): "binomial",
    ("SCATTER", "FJMPI", "basic-linear", ""): "linear",
}
# Fujitsu's trinary trees, by three or six interfaces (Adachi et al. 2012). Six need sides of three or more; else Fujitsu's
# MPI falls back. Those who measured cut their messages as its rules do: [(largest size, segment)]. Scatters that use
# broadcasts, `use-bcast`, take the default of large tori, six trees.
TREES = {"trinaryx3": 3, "trinaryx6": 6, "trix3": 3, "trix6": 6, "use-bcast": 6}
TREE_SEGMENTS = {
    "BCAST": [(393216, 4096), (50331648, 16384), (MOST, 65536)],
    "SCATTER": [(393216, 4096), (50331648, 16384), (MOST, 65536)],
    "REDUCE": [(393216, 4096), (6291456, 16384), (MOST, 65536)],
    "ALLREDUCE": [(393216, 4096), (6291456, 16384), (MOST, 65536)],
}
# Further algorithms of Fujitsu's own, which Open MPI lacks. Gathers of these sizes take `simple` by default: on 2x2x2 both
# are within 3 % of each other.
OWN = {
    ("ALLGATHER", "3dtorus"),
    ("ALLTOALL", "crp"),
    ("ALLTOALL", "doublespread"),
    ("ALLTOALL", "blacc3d"),
    ("GATHER", "simple"),
    ("GATHER", "default"),
}
# What a library does besides: copies of all data, of Bruck's algorithms known to dcube, by a thread for each port or by
# one for all; how often it works something out for each message (the library of UTOFU names its timers, in memory that
# threads get in turn), or whether it sends the blocks of a message one by one; and the ports that it uses, whatever it is
# told. The code of that library (HLC-Lab/bine_trees_fugaku) takes the ports of a tree's reduce one after the other, and
# of each the children. Before it gathers along rings, one core copies what the first ring of a port has. Where data are not
# in a buffer that all know, processes tell addresses first. Its rings ask for each message and start threads in each
# dimension: times of 2x2x2 have two things more to work out. Open MPI cuts what it reduces along binary trees into 32 KiB.
WORK = {
    ("UTOFU", "ALLREDUCE", "BINE", "L"): "segment=0",
    ("UTOFU", "ALLREDUCE", "RECDOUB", "L"): "segment=0",
    ("UTOFU", "ALLREDUCE", "BINE", "B_CONT"): "plans=8 exchanges=1",
    ("UTOFU", "ALLREDUCE", "RECDOUB", "B_CONT"): "plans=8 exchanges=1",
    ("UTOFU", "ALLREDUCE", "RING", "B_CONT"): "serial_copies=1 plans=2 exchanges=1",
    ("UTOFU", "ALLGATHER", "BINE", "VEC_DOUBLING_BLOCKS"): "pieces=true plans=3 exchanges=1",
    ("UTOFU", "ALLGATHER", "BINE", "VEC_DOUBLING_CONT_PERMUTE"): "copies=1 plans=1",
    ("UTOFU", "ALLGATHER", "BINE", "VEC_DOUBLING_CONT_SEND"): "exchanges=1",
    ("UTOFU", "ALLGATHER", "RING", "VEC_DOUBLING_CONT_PERMUTE"): "serial_copies=ring plans=2 exchanges=1",
    ("UTOFU", "REDUCE_SCATTER", "BINE", "VEC_HALVING_CONT_PERMUTE"): "copies=1 plans=1",
    ("UTOFU", "REDUCE_SCATTER", "RING", "VEC_HALVING_CONT_PERMUTE"): "serial_copies=1 plans=2 exchanges=1",
    ("UTOFU", "BCAST", "BINE", "BINOMIAL_TREE"): "plans=1 exchanges=1",
    ("UTOFU", "BCAST", "BINE", "BINOMIAL_TREE_TMPBUF"): "serial_copies=1 plans=1",
    ("UTOFU", "BCAST", "BINE", "SCATTER_ALLGATHER"): "copies=1 exchanges=1",
    ("UTOFU", "REDUCE", "BINE", "BINOMIAL_TREE"): "ports=1 child_by_child=true",
    ("UTOFU", "GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-INC"): "copies=1 plans=1",
    ("UTOFU", "GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-DEC"): "copies=1 plans=1",
    ("UTOFU", "SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-INC"): "copies=1",
    ("UTOFU", "SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-DEC"): "copies=1",
    ("MPI", "ALLGATHER", "BINE", "VEC_DOUBLING_CONT_PERMUTE"): "copies=1",
    ("MPI", "ALLGATHER", "FJMPI", "3dtorus"): "ports=6",
    ("MPI", "ALLTOALL", "FJMPI", "blacc3d"): "ports=3 plans=1",
    ("MPI", "BCAST", "FJMPI", "pipeline"): "segment=67108864",
    ("MPI", "REDUCE", "FJMPI", "binary"): "segment=32768",
    ("MPI", "REDUCE", "FJMPI", "in-order-binary"): "segment=32768",
    ("MPI", "REDUCE", "FJMPI", "pipeline"): "segment=67108864",
    ("MPI", "REDUCE_SCATTER", "BINE", "VEC_HALVING_CONT_PERMUTE"): "copies=1",
}
# Fujitsu's MPI descends from Open MPI, whose collectives send and receive one message after the other (MPI_Send, MPI_Recv,
# MPI_Sendrecv). These post all first.
POSTED = {
    ("BCAST", "FJMPI", "binomial"),
    ("BCAST", "FJMPI", "binary-tree"),
    ("BCAST", "FJMPI", "pipeline"),
    ("ALLTOALL", "FJMPI", "linear"),
    ("ALLTOALL", "FJMPI", "linear-sync"),
}
SETTINGS = ["distances", "radix", "copies", "serial_copies", "plans", "pieces", "blocking", "child_by_child",
            "exchanges"]
COLUMNS = ["collective", "algorithm", "machine", "/machine/routing", "/program/shape", "ports", "segment",
           *(f"/program/{name}" for name in SETTINGS), "size", "time_us", "measured"]  # fmt: skip


def is_taken(row):
    is_in_range = LEAST <= int(row["buffer_bytes"]) <= MOST and not 0 < int(row["segment_bytes"] or 0) < LEAST
    return is_in_range and float(row["p90_us"]) <= WIDEST_SPREAD * float(row["median_us"])


def layer_of(row):
    """The library, as far as one set of values describes it."""
    if row["family"] == "FJMPI" and row["algorithm"] in TREES:
        return "trees"
    is_own = row["family"] == "FJMPI" and (row["collective"], row["algorithm"]) in OWN
    return "own" if is_own else row["layer"].lower()


def network_of(shape):
    """(machine, routing): rings are folded, as TofuD has dimensions of 2 and 3 beside the long ones. A ring of n goes up
    one line of n / 2 and down another. Messages first go along the lines of all rings, then across."""
    sides = [int(side) for side in shape.split("x")]
    folded = [f"{side // 2}*2" if side > 2 and side % 2 == 0 else str(side) for side in sides]
    lines, across, dimension = [], [], 0
    for side in folded:
        lines.insert(0, dimension)
        if "*" in side:
            dimension += 1
            across.insert(0, dimension)
        dimension += 1
    order = ",".join(map(str, lines + across))
    routing = f'{{"kind":"dimension_order","order":[{order}]}}' if across else ""
    return "torus:" + "x".join(folded), routing


def words_of(row):
    """dcube's algorithm and its settings; nothing where dcube lacks it."""
    name = row["collective"], row["family"], row["algorithm"]
    trees = TREES.get(row["algorithm"])
    if trees is None:
        return ALGORITHMS.get((*name, row["ports"]), ALGORITHMS.get((*name, "any")))
    sides = row["shape"].split("x")
    if trees > len(sides) and "2" in sides:
        return None
    segment = next(cut for most, cut in TREE_SEGMENTS[row["collective"]] if int(row["buffer_bytes"]) <= most)
    return f"disjoint_trees ports={trees} segment={segment}"


def cells_of(row):
    """The cells of a row of the table; nothing where dcube lacks the algorithm."""
    name = row["collective"], row["family"], row["algorithm"]
    words = words_of(row)
    if words is None:
        return None
    algorithm, *words = f"{words} {WORK.get((row['layer'], *name), '')}".split()
    settings = dict(word.split("=") for word in words)
    if layer_of(row) == "mpi" and name not in POSTED:
        settings["blocking"] = "true"
    shape = row["shape"]
    if settings.get("radix") == "nodes":
        settings["radix"] = row["nodes"]
    if settings.get("serial_copies") == "ring":
        settings["serial_copies"] = f"1/{math.prod(map(int, shape.split('x')[:-1]))}"
    ports = settings.get("ports", row["ports"] or "1")
    segment = settings.get("segment", row["segment_bytes"] or "0")
    return [row["collective"], algorithm, *network_of(shape), f"[{shape.replace('x', ',')}]", ports,
            segment if segment != "0" else "", *(settings.get(name, "") for name in SETTINGS),
            row["buffer_bytes"], row["median_us"], f"{row['family']}-{row['algorithm']}"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--rows", metavar="F", type=pathlib.Path, default=HERE / "fugaku.tsv")
    options = parser.parse_args()
    tables = {}
    with open(options.rows, encoding="utf-8") as rows:
        for row in filter(is_taken, csv.DictReader(rows, delimiter="\t")):
            cells = cells_of(row)
            layer = layer_of(row) if cells else row["layer"].lower()
            tables.setdefault((layer, row["shape"]), []).append(cells)
    for (layer, shape), cells in sorted(tables.items()):
        known = [row for row in cells if row is not None]
        file = options.folder / f"{layer}-{shape}.tsv"
        lines = ["\t".join(row) for row in (COLUMNS, *known)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{file.name}: {len(known)} rows; {len(cells) - len(known)} of algorithms that dcube lacks")


if __name__ == "__main__":
    main()
