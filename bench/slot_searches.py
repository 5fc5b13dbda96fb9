#!/usr/bin/python3
"""How near do searches on nodes of several slots come to maps by hand and Scotch's, in what time?

    slot_searches.py DCUBE [NAME..]

Prints for each problem the hops of an average byte found, by the best boxes by hand, and by Scotch, and seconds.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

# Name: shape of the processes, nodes, box by hand, whether processes are numbered at random.
PROBLEMS = {
    "512 on 128": ([8, 8, 8], [8, 4, 4], "4x1x1", False),
    "512 on 128, at random": ([8, 8, 8], [8, 4, 4], "4x1x1", True),
    "640 on 160": ([8, 8, 10], [8, 4, 5], "4x1x1", False),
    "4096 on 1024": ([16, 16, 16], [16, 8, 8], "4x1x1", False),
    "4096 on 1024, at random": ([16, 16, 16], [16, 8, 8], "4x1x1", True),
}
SLOTS = 4
KIB = (200, 60, 20)  # to neighbours, by dimension
IN_A_ROW = 2  # KiB to all others of a row


def exchange(shape):
    """Bytes by pair of processes."""
    traffic = {}

    def add(a, b, kib):
        if a != b:
            traffic[a, b] = traffic.get((a, b), 0) + 1024 * kib

    count = shape[0] * shape[1] * shape[2]
    for rank in range(count):
        stride = 1
        for side, kib in zip(shape, KIB):
            at = rank // stride % side
            for step in (1, side - 1):
                add(rank, rank + ((at + step) % side - at) * stride, kib)
            stride *= side
        row = rank // shape[0] * shape[0]
        for other in range(row, row + shape[0]):
            add(rank, other, IN_A_ROW)
    return traffic


def write_problem(folder, shape, nodes, is_random):
    count = shape[0] * shape[1] * shape[2]
    label = list(range(count))
    traffic = exchange(shape)

    def write(name):
        lines = [f"{label[a]},{label[b]},{size},1" for (a, b), size in sorted(traffic.items())]
        (folder / name).write_text("\n".join(["from,to,bytes,messages", *lines]) + "\n")

    write("ordered.csv")
    if is_random:
        random.Random(1).shuffle(label)
    write("traffic.csv")
    machine = {
        "schema_version": 1,
        "topology": {"kind": "torus", "shape": nodes},
        "node": {"slots": SLOTS},
        "link": {"latency": "1us", "per_byte": "1ns"},
    }
    (folder / "machine.json").write_text(json.dumps(machine))


def answer(program, *arguments):
    command = [program, *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    program, *names = sys.argv[1:]
    print(f"{'problem':26} {'found':>9} {'by hand':>9} {'Scotch':>9} {'s':>6}")
    for name, (shape, nodes, box, is_random) in PROBLEMS.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write_problem(folder, shape, nodes, is_random)
            machine = folder / "machine.json"
            traffic = folder / "traffic.csv"
            found = answer(program, "search", "--machine", machine, "--traffic", traffic)
            guest = "torus:" + "x".join(map(str, shape))
            by_hand = answer(
                program, "embed", machine, "--guest", guest, "--embedding", f"boxes:{box}",
                "--traffic", folder / "ordered.csv",
            )
            starts = found["starts"]
            scotch = min(one["value"] for one in starts if one["embedding"].startswith("scotch"))
        value, seconds = found["found"]["value"], found["wall_s"]
        print(f"{name:26} {value:9.4f} {by_hand['average_hops']:9.4f} {scotch:9.4f} {seconds:6.1f}")


if __name__ == "__main__":
    main()
