#!/usr/bin/python3
"""How near do searches for meshes of finite elements come to the maps of Scotch?

    mesh_searches.py DCUBE [NAME|GRAPH..]     meshes whose names begin with one of these, METIS graphs; default: all meshes

Makes meshes of some 100,000 vertices, numbered at random, and maps them and the graphs onto a torus and onto a tree of
4:8:6 leaves that are 1:10:100 apart, where a leaf may have 3 % more than its share. Prints the cost of a byte by Scotch
alone and its seconds, that of a search limited to twice as long, and of one that is not limited, with its seconds. Last
the least cost by four strategies of Scotch's own program (Debian's package `scotch`), and its seconds for all.

Graphs of Walshaw's archive are in Debian's sources of scotch (`grf`: 3elt, 4elt, 4elt2), trilinos (`ch_brack2_3`) and
parmetis (`rotor`); copter2 and mdual are in its package libmetis-doc.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
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


def edges_of(graph):
    """Vertices and edges of a METIS graph without weights."""
    count, *lines = (line.split() for line in graph.read_text().splitlines() if not line.startswith("%"))
    if len(count) > 2 and int(count[2]) != 0:
        sys.exit(f"{graph}: has weights; strip them first")
    pairs = ((a, int(b) - 1) for a, line in enumerate(lines) for b in line)
    return int(count[0]), [(a, b) for a, b in pairs if a < b]


def torus_distance(a, b):
    steps = [abs(a // stride % 8 - b // stride % 8) for stride in (1, 8, 64)]
    return sum(min(step, 8 - step) for step in steps)


def tree_distance(a, b):
    return 0 if a == b else 2 if a // 4 == b // 4 else 20 if a // 32 == b // 32 else 200


def best_by_scotch(folder, count, edges, target, nodes, distance):
    """The least cost of an edge, and seconds, of the strategies of Scotch's program."""
    beside = [[] for _ in range(count)]
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    lines = [f"{len(one)} {' '.join(map(str, one))}" for one in beside]
    (folder / "graph.grf").write_text("\n".join(["0", f"{count} {2 * len(edges)}", "0 000", *lines]) + "\n")
    (folder / "target.tgt").write_text(target + "\n")
    table = [[distance(a, b) for b in range(nodes)] for a in range(nodes)]
    most = -(-103 * count // (100 * nodes))
    costs, begin = [], time.monotonic()
    for strategy in ([], ["-cq"], ["-cb"], ["-cqb"]):
        files = [folder / name for name in ("graph.grf", "target.tgt", "found.map")]
        subprocess.run(["scotch_gmap", *strategy, "-b0.02", *files], stdout=subprocess.DEVNULL, check=True)
        pairs = [line.split() for line in files[2].read_text().splitlines()[1:]]
        node = [place for _, place in sorted((int(vertex), int(place)) for vertex, place in pairs)]
        if max(map(node.count, range(nodes))) <= most:
            costs.append(sum(table[node[a]][node[b]] for a, b in edges) / len(edges))
    return min(costs, default=float("inf")), time.monotonic() - begin


def answer(program, machine, mesh, *more):
    command = [program, "search", "--machine", machine, "--traffic", mesh, "--slack", "3%", "--json", *more]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


MACHINES = {
    "torus": (TORUS, ("torusXD 3 8 8 8", 512, torus_distance)),
    "tree": (TREE, ("tleaf 3 6 100 8 10 4 1", 192, tree_distance)),
}


def compare(program, name, folder, mesh, count, edges):
    for kind, (description, target) in MACHINES.items():
        machine = folder / f"{kind}.json"
        machine.write_text(json.dumps({"schema_version": 1, **description}))
        scotch = answer(program, machine, mesh, "--method", "scotch")
        equal = answer(program, machine, mesh, "--time-limit", f"{2 * scotch['wall_s'] + 1:.1f}s")
        longer = answer(program, machine, mesh)
        values = [one["found"]["value"] for one in (scotch, equal, longer)]
        line = (
            f"{f'{name} ({count}), {kind}':24} {values[0]:9.4f} {scotch['wall_s']:6.1f} {values[1]:9.4f}"
            f" {values[2]:9.4f} {longer['wall_s']:6.1f}"
        )
        if shutil.which("scotch_gmap"):
            cost, seconds = best_by_scotch(folder, count, edges, *target)
            line += f" {cost:9.4f} {seconds:6.1f}"
        print(line, flush=True)


def main():
    program, *names = sys.argv[1:]
    graphs = [Path(name) for name in names if name.endswith(".graph")]
    prefixes = tuple(name for name in names if not name.endswith(".graph"))
    for name in names:
        if not (Path(name).is_file() if name.endswith(".graph") else any(mesh.startswith(name) for mesh in MESHES)):
            sys.exit(f"{name}: is no file of a graph and no mesh; meshes: {', '.join(MESHES)}")
    print(f"{'mesh, machine':24} {'Scotch':>9} {'s':>6} {'twice':>9} {'longer':>9} {'s':>6} {'program':>9} {'s':>6}")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, make in MESHES.items():
            if not names or name.startswith(prefixes):
                mesh = folder / f"{name}.graph"
                write_mesh(*make(), mesh)
                compare(program, name, folder, mesh, *edges_of(mesh))
        for graph in graphs:
            compare(program, graph.stem, folder, graph, *edges_of(graph))


if __name__ == "__main__":
    main()
