#!/usr/bin/env python3
"""Writes the rows of epiphany.tsv as tables for `dcube fit`.

    epiphany.py FOLDER    writes epiphany-fitted.tsv, epiphany-others.tsv and epiphany-shared.tsv

epiphany.tsv: cycles at 600 MHz on the 4x4 mesh of an Epiphany-III, https://github.com/fabigB/myParallella,
noCPerformance/latency/README.md and noCPerformance/bandwidth/README.md, commit c0b42dce. Core 0 writes 4 bytes
(`write`) or starts its DMA engine (`dma`, `shared`), and waits for 4 bytes in answer; `others` are copies of
4 KiB under way at the same time. The timer's 89 cycles, which `dma` and `shared` contain, are taken off here.

Of `write` and of `dma` every other row, from the first on, is fitted. The rest is to be predicted, and all of
`shared`. Nothing is chosen by how well it is predicted.
"""

import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
CYCLES_IN_US = 600
TIMER = 89
ANSWER = 4
ENGINE = 16  # the node of core 0's DMA engine
COLUMNS = ["collective", "/name", "size", "/program/phases", "time_us"]


def table_row(row):
    source, target, size = int(row["from"]), int(row["to"]), int(row["bytes"])
    others = [pair.split("-") for pair in row["others"].split(";") if pair]
    messages = [(source, target, size), *((int(a), int(b), size) for a, b in others)]
    if size > ANSWER:
        messages = [(a + ENGINE, b, n) for a, b, n in messages]
    phases = [
        {"messages": [{"from": a, "to": b, "bytes": n} for a, b, n in sent]}
        for sent in (messages, [(target, source, ANSWER)])
    ]
    cycles = float(row["cycles"]) - (0 if row["experiment"] == "write" else TIMER)
    name = {"write": "hops", "dma": "bytes", "shared": "contention"}[row["experiment"]]
    return ["pingpong", name, size, json.dumps(phases, separators=(",", ":")), f"{cycles / CYCLES_IN_US:.6f}"]


def main():
    tables = {"fitted": [], "others": [], "shared": []}
    with open(HERE / "epiphany.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for experiment in ("write", "dma", "shared"):
        for number, row in enumerate(row for row in rows if row["experiment"] == experiment):
            table = "shared" if experiment == "shared" else "others" if number % 2 else "fitted"
            tables[table].append(table_row(row))
    for name, found in tables.items():
        lines = ["\t".join(map(str, row)) for row in (COLUMNS, *found)]
        path = pathlib.Path(sys.argv[1]) / f"epiphany-{name}.tsv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
