#!/usr/bin/env python3
"""Writes what osu_latency, osu_allreduce and all_reduce_perf would print on the machine cluster.json,
with times that dcube simulates and noise: each is off by a normal number with a deviation of 0.5 %.

    tables.py FOLDER    the program is $DCUBE_PROGRAM, or dcube
"""

import json
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ.get("DCUBE_PROGRAM", "dcube")
NOISE = 0.005


def answer(*arguments):
    return json.loads(subprocess.run([PROGRAM, *arguments, "--json"], check=True, capture_output=True).stdout)


def ping_us(size):
    """A message from node 0 to node 1."""
    phase = {"messages": [{"from": 0, "to": 1, "bytes": size}]}
    scenario = {"schema_version": 1, "machine": str(HERE / "cluster.json"), "program": {"kind": "pattern", "phases": [phase]}}
    run = subprocess.run([PROGRAM, "run", "-", "--json"], input=json.dumps(scenario), check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["makespan_ps"] / 1e6


def allreduce_us(sizes, algorithm):
    rows = answer("collective", "allreduce", "--machine", str(HERE / "cluster.json"), "--bytes", sizes, "--algorithm",
                  algorithm, "--embedding", "standard", "--ports", "1", "--no-crossovers")["rows"]  # fmt: skip
    return sorted((row["bytes"], row["time_ps"] / 1e6) for row in rows)


def main():
    folder = pathlib.Path(sys.argv[1])
    draw = random.Random(1)

    def noisy(time_us):
        return time_us * (1 + NOISE * draw.gauss(0, 1))

    lines = ["# OSU MPI Latency Test v7.3", "# Size          Latency (us)"]
    lines += [f"{size:<16}{noisy(ping_us(size)):.2f}" for size in (8 * 4**i for i in range(10))]
    (folder / "osu_latency.txt").write_text("\n".join(lines) + "\n")
    lines = ["# OSU MPI Allreduce Latency Test v7.3", "# Size       Avg Latency(us)"]
    lines += [f"{size:<13}{noisy(time):.2f}" for size, time in allreduce_us("8:2MiB:x4", "automatic")]
    (folder / "osu_allreduce.txt").write_text("\n".join(lines) + "\n")
    lines = ["# Collective test starting: all_reduce_perf",
             "#       size         count      type   redop    root     time   algbw   busbw #wrong",
             "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)"]  # fmt: skip
    for size, exact in allreduce_us("64KiB:64MiB:x4", "ring"):
        time = noisy(exact)
        rate = size / time / 1e3
        lines.append(f"{size:>12}{size // 4:>14}     float     sum      -1{time:>10.2f}{rate:>8.2f}{rate * 1.875:>8.2f}      0")
    (folder / "all_reduce_perf.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
