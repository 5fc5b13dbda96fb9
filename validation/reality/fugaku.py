#!/usr/bin/env python3
"""Writes the rows of fugaku.tsv whose algorithms dcube has, as tables for `dcube fit`.

    fugaku.py FOLDER    writes LAYER-SHAPE.tsv: mpi-2x2x2.tsv, mpi-4x4x4.tsv, utofu-2x2x2.tsv, utofu-4x4x4.tsv

fugaku.tsv: medians of collectives on Fugaku by HLC-Lab, https://github.com/HLC-Lab/pico, results/fugaku,
commit 413bc5d0 (MIT licence), measured in March and April 2025 with a process a node.

Rows of 64 KiB to 64 MiB are taken, but for those whose 90th percentile is more than 1.3 times the median.
Nothing is chosen by how well it is predicted.
"""

import csv
import pathlib
import sys

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
    ("BCAST", "BINE", "BINOMIAL_TREE", "any"): "bine_latency",
    ("BCAST", "BINE", "BINOMIAL_TREE_TMPBUF", "any"): "bine_latency",
    ("BCAST", "BINE", "SCATTER_ALLGATHER", "any"): "bine_bandwidth",
    ("BCAST", "FJMPI", "binomial", ""): "binomial distances=doubling",
    ("BCAST", "FJMPI", "binary-tree", ""): "kary",
    ("BCAST", "FJMPI", "pipeline", ""): "pipelined",
    ("REDUCE", "BINE", "BINOMIAL_TREE", "any"): "bine_latency",
    ("REDUCE", "BINE", "REDUCE_SCATTER_GATHER", "any"): "bine_bandwidth",
    ("REDUCE", "FJMPI", "binomial", ""): "binomial",
    ("REDUCE", "FJMPI", "binary", ""): "kary",
    ("REDUCE", "FJMPI", "linear", ""): "kary radix=64",
    ("REDUCE", "FJMPI", "pipeline", ""): "pipelined",
    ("REDUCE", "FJMPI", "in-order-binary", ""): "double_tree",
    ("GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE", "any"): "bine",
    ("GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-INC", "any"): "bine",
    ("GATHER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-DEC", "any"): "bine distances=doubling",
    ("GATHER", "FJMPI", "binomial", ""): "binomial",
    ("GATHER", "FJMPI", "simple", ""): "linear",
    ("GATHER", "FJMPI", "basic-linear", ""): "linear",
    ("GATHER", "FJMPI", "linear-sync", ""): "linear",
    ("SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE", "any"): "bine",
    ("SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-INC", "any"): "bine distances=doubling",
    ("SCATTER", "BINE", "BINOMIAL_TREE_CONT_PERMUTE-DEC", "any"): "bine",
    ("SCATTER", "FJMPI", "binomial", ""): "binomial",
    ("SCATTER", "FJMPI", "basic-linear", ""): "linear",
}
# A ring of 4 is folded: 2 x 2 in Gray order, as TofuD has dimensions of 2 and 3 beside the long ones.
NETWORKS = {"2x2x2": "torus:2x2x2", "4x4x4": "hypercube:6"}
SETTINGS = ["distances", "radix"]
COLUMNS = ["collective", "algorithm", "machine", "embedding", "/program/shape", "ports", "segment",
           *(f"/program/{name}" for name in SETTINGS), "size", "time_us", "measured"]  # fmt: skip


def table_rows(shape, layer):
    with open(HERE / "fugaku.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["shape"] != shape or row["layer"] != layer:
                continue
            if not LEAST <= int(row["buffer_bytes"]) <= MOST:
                continue
            if float(row["p90_us"]) > WIDEST_SPREAD * float(row["median_us"]):
                continue
            name = row["collective"], row["family"], row["algorithm"]
            algorithm = ALGORITHMS.get((*name, row["ports"]), ALGORITHMS.get((*name, "any")))
            if algorithm:
                guest = f"torus:{shape}"
                algorithm, *words = algorithm.split()
                settings = dict(word.split("=") for word in words)
                segment = row["segment_bytes"] if row["segment_bytes"] != "0" else ""
                yield [row["collective"], algorithm, NETWORKS[shape],
                       f'{{"kind":"gray","guest":"{guest}"}}' if shape == "4x4x4" else "standard",
                       f"[{shape.replace('x', ',')}]", row["ports"] or "1", segment,
                       *(settings.get(name, "") for name in SETTINGS), row["buffer_bytes"], row["median_us"],
                       f"{row['family']}-{row['algorithm']}"]  # fmt: skip


def main():
    folder = pathlib.Path(sys.argv[1])
    for layer in ("MPI", "UTOFU"):
        for shape in NETWORKS:
            lines = ["\t".join(map(str, row)) for row in (COLUMNS, *table_rows(shape, layer))]
            (folder / f"{layer.lower()}-{shape}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
