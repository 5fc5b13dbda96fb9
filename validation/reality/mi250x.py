#!/usr/bin/env python3
"""Writes the rows of mi250x.tsv as tables for `dcube fit`.

    mi250x.py FOLDER    writes mi250x-fitted.tsv and mi250x-others.tsv

mi250x.tsv: copies between the eight dies of a node with four MI250X, https://github.com/KTH-ScaLab/multi-gpu-comm,
figures/p2p-mat.py and figures/p2p-adjacency.py, commit 8dae5704 (p2pBandwidthLatencyTest with copy engines). `width`
is the number of links of 50 GB/s each way between neighbours; 0: no neighbours.
A latency is the time of a copy of 16 bytes in a queue of 100, a bandwidth that of copies of 160 MB, the sizes of that
test. A row here is one copy.

Every other pair of dies, in the order of their numbers and from the first on, is fitted, both directions of it. The
other pairs are to be predicted. Nothing is chosen by how well it is predicted.
"""

import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
SMALL, LARGE = 16, 160_000_000
COLUMNS = ["collective", "/name", "from", "to", "size", "time_us"]


def table_rows(row):
    near = "direct" if int(row["width"]) else "not direct"
    pair = [row["from"], row["to"]]
    yield ["pingpong", f"latency, {near}", *pair, SMALL, row["latency_us"]]
    yield ["pingpong", f"bandwidth, {near}", *pair, LARGE, f"{LARGE / float(row['bandwidth_GBps']) / 1000:.3f}"]


def main():
    with open(HERE / "mi250x.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    pairs = sorted({tuple(sorted((row["from"], row["to"]))) for row in rows})
    for number, name in enumerate(("fitted", "others")):
        chosen = [row for row in rows if pairs.index(tuple(sorted((row["from"], row["to"])))) % 2 == number]
        found = sorted((line for row in chosen for line in table_rows(row)), key=lambda line: line[1])
        lines = ["\t".join(map(str, row)) for row in (COLUMNS, *found)]
        path = pathlib.Path(sys.argv[1]) / f"mi250x-{name}.tsv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
