#!/usr/bin/python3
"""How near do searches for meshes of finite elements come to the maps of Scotch?

    mesh_searches.py DCUBE [NAME..]     meshes whose names begin with one of these; default: all

Makes meshes of some 100,000 vertices, numbered at random, and maps them onto a torus and onto a tree of 4:8:6 leaves
that are 1:10:100 apart, where a leaf may have 3 % more than its share. Prints the cost of a byte by Scotch alone and its
seconds, that of a search limited to twice as long, and of one that is not limited, with its seconds.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

TORUS = {"topology": {"kind": "torus", "shape": [8, 8, 8]}, "link": {"latency": "1us", "per_byte": "1ns"}}
TREE = {
    "topology": {"kind": "fat_tree", "down": [4, 8, 6], "up": [1, 1, 1]},
    "link": {
        "latency": "1us",
        "per_byte": "1ns",
        "classes": {"level 1": {"weight": 1}, "level 2": {"weight": 9}, "level 3": {"weight": 90}},
    },
}


def solid():
    """Tetrahedra (six a cube) of a ball with a bore."""
    side, inside = 63, {}
    for z in range(side):
        for y in range(side):
            for x in range(side):
                at = [2 * i - side + 1 for i in (x, y, z)]
                if sum(i * i for i in at) < side * side and at[0] ** 2 + at[1] ** 2 > 150:
                    inside[x, y, z] = len(inside)
    steps = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1))
    return len(inside), linked(inside, lambda at: [tuple(map(sum, zip(at, step))) for step in steps])


def plate():
    """Triangles of a plate with holes, their diagonals at random."""
    side, draw, inside = 380, random.Random(1), {}
    for y in range(side):
        for x in range(side):
            if (x % 95 - 47) ** 2 + (y % 95 - 47) ** 2 > 400 or (x // 95 + y // 95) % 2:
                inside[x, y] = len(inside)

    def partners(at):
        x, y = at
        rest = [(x + 1, y), (x, y + 1)]
        return [*rest, (x + 1, y + 1)] if draw.random() < 0.5 else rest

    crossed = [
        (inside[x + 1, y], inside[x, y + 1])
        for x, y in inside
        if draw.random() < 0.5 and (x + 1, y) in inside and (x, y + 1) in inside
    ]
    return len(inside), linked(inside, partners) + crossed


def points():
    """Points at random in a square, linked where near; ten partners in the mean."""
    count, cells, draw = 100_000, 178, random.Random(1)
    of_cell = {}
    for number in range(count):
        x, y = draw.random(), draw.random()
        of_cell.setdefault((int(x * cells), int(y * cells)), []).append((number, x, y))
    edges = []
    for (column, row), here in of_cell.items():
        there = [p for i in (-1, 0, 1) for j in (-1, 0, 1) for p in of_cell.get((column + i, row + j), [])]
        for a, x, y in here:
            edges += [(a, b) for b, u, v in there if a < b and ((x - u) ** 2 + (y - v) ** 2) * cells**2 < 1]
    return count, edges


def linked(inside, partners):
    return [(inside[at], inside[other]) for at in inside for other in partners(at) if other in inside]


MESHES = {"solid": solid, "plate": plate, "points": points}


def write_mesh(count, edges, file):
    label = list(range(count))
    random.Random(2).shuffle(label)
    beside = [[] for _ in label]
    for a, b in edges:
        beside[label[a]].append(label[b] + 1)
        beside[label[b]].append(label[a] + 1)
    lines = [f"{count} {len(edges)}", *(" ".join(map(str, one)) for one in beside)]
    file.write_text("\n".join(lines) + "\n")


def answer(program, machine, mesh, *more):
    command = [program, "search", "--machine", machine, "--traffic", mesh, "--slack", "3%", "--json", *more]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    program, *names = sys.argv[1:]
    print(f"{'mesh, machine':24} {'Scotch':>9} {'s':>6} {'twice':>9} {'longer':>9} {'s':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in MESHES.items():
            if names and not name.startswith(tuple(names)):
                continue
            mesh = Path(folder) / f"{name}.graph"
            count, edges = make()
            write_mesh(count, edges, mesh)
            for kind, description in (("torus", TORUS), ("tree", TREE)):
                machine = Path(folder) / f"{kind}.json"
                machine.write_text(json.dumps({"schema_version": 1, **description}))
                scotch = answer(program, machine, mesh, "--method", "scotch")
                equal = answer(program, machine, mesh, "--time-limit", f"{2 * scotch['wall_s'] + 1:.1f}s")
                longer = answer(program, machine, mesh)
                values = [one["found"]["value"] for one in (scotch, equal, longer)]
                print(f"{f'{name} ({count}), {kind}':24} {values[0]:9.4f} {scotch['wall_s']:6.1f} {values[1]:9.4f}"
                      f" {values[2]:9.4f} {longer['wall_s']:6.1f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
