#!/usr/bin/env python3
"""Derives the expected figures of validation/collectives.json anew, without dcube.

    collective_figures.py ROOT

Costs without contention as MPICH states them, congestion deficiencies of Swing and bucket, and link
loads of an all-to-all by closed forms or by those of validation/torus.json.
"""

import json
import math
import pathlib
import re
import sys

UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "KiB": 2**10, "MiB": 2**20}


def number(value):
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"([0-9.]+)([a-zA-Z]+)", value)
    return float(match[1]) * UNITS[match[2]]


def without_contention(program, link, p):
    """Of p processes, each two of which are joined by a link."""
    a, b, g = number(link["latency"]), number(link["per_byte"]), number(program.get("compute", 0))
    n, lg, part = number(program["bytes"]), math.log2(p), (p - 1) / p
    whole, shares = n * b, n * part * b
    steps = {
        "ring": p - 1,
        "pairwise": p - 1,
        "neighbour_exchange": p / 2,
        "bucket": sum(side - 1 for side in program.get("shape", [p])),
    }.get(program["algorithm"], lg)
    combined = n * part * g
    key = program["operation"], program["algorithm"]
    return {
        ("allreduce", "recursive_doubling"): lg * (a + whole + n * g),
        ("allreduce", "swing_latency"): lg * (a + whole + n * g),
        ("reduce", "binomial"): lg * (a + whole + n * g),
        ("broadcast", "binomial"): lg * (a + whole),
        ("broadcast", "scatter_allgather"): 2 * lg * a + 2 * shares,
        ("broadcast", "scatter_ring"): (lg + p - 1) * a + 2 * shares,
        ("all_to_all", "bruck"): lg * a + n / 2 * lg * b,
    }.get(key) or {
        "allreduce": 2 * steps * a + 2 * shares + combined,
        "reduce": 2 * steps * a + 2 * shares + combined,
        "reduce_scatter": steps * a + shares + combined,
    }.get(program["operation"], steps * a + shares)


def busiest_link(program, link, sides):
    """Seconds; as many ports as links."""
    p, d = math.prod(sides), len(sides)
    deficiency = (p - 1) / p
    if program["algorithm"] == "swing_bandwidth":
        distances = [abs(1 - (-2) ** (s // d + 1)) // 3 for s in range(round(math.log2(p)))]
        deficiency = sum(distance / 2 ** (s + 1) for s, distance in enumerate(distances))
    return deficiency * number(program["bytes"]) * number(link["per_byte"]) / d


def all_links_busy(program, link):
    """Seconds of an allreduce on D edge-disjoint rings, or of buckets from each side of a twisted torus on."""
    sides = program["shape"]
    p, d = math.prod(sides), len(sides)
    steps = p - 1
    if "twist" in program:  # a wrap of a short side shifts the long one by half
        steps = max(sides) - 1 + (d - 1) * (min(sides) - 1)
    return 2 * steps * number(link["latency"]) + number(program["bytes"]) * (p - 1) / p / d * number(link["per_byte"])


def busiest_messages(topology, known):
    if topology["kind"] == "hypercube":
        return 2 ** topology["dimensions"] / 2
    sides = topology["shape"]
    nodes, longest = math.prod(sides), max(sides)
    if topology["kind"] == "mesh" and longest % 2 == 0:
        return nodes * longest / 4
    if topology["kind"] == "torus" and longest % 2 == 1:
        return nodes * (longest**2 - 1) / (8 * longest)
    return known[json.dumps(topology)]


def figures_of_tori(root):
    """By topology, of twisted tori with dimension order."""
    known = {}
    for experiment in json.loads((root / "validation/torus.json").read_text())["experiments"]:
        for point in experiment["points"]:
            topology = point["set"].get("/machine/topology", {})
            if experiment["quantity"] == "link_load_max" and topology.get("kind") == "twisted_torus":
                if "/machine/routing" not in point["set"] and "routing" not in experiment["scenario"]["machine"]:
                    known[json.dumps(topology)] = point.get("expected", point.get("printed"))
    return known


def derived(experiment, point, known):
    machine = json.loads(json.dumps(experiment["scenario"]["machine"]))
    program = dict(experiment["scenario"]["program"])
    for pointer, value in point["set"].items():
        *path, key = pointer.split("/")[1:]
        place = {"machine": machine, "program": program}[path[0]]
        for part in path[1:]:
            place = place[part]
        place[key] = value
    topology, link = machine["topology"], machine["link"]
    if experiment["quantity"] == "link_load_max":
        return busiest_messages(topology, known)
    if experiment["quantity"] == "link_busy_max_s":
        return busiest_link(program, link, topology["shape"])
    if topology["kind"] in ("torus", "twisted_torus"):
        return all_links_busy(program, link)
    return without_contention(program, link, int(re.search("[0-9]+", machine["name"])[0]))


def main():
    root = pathlib.Path(sys.argv[1])
    known = figures_of_tori(root)
    count, problems = 0, []
    for experiment in json.loads((root / "validation/collectives.json").read_text())["experiments"]:
        if experiment["quantity"] == "best_value":
            continue
        for point in experiment["points"]:
            if "expected" in point:
                count += 1
                figure = derived(experiment, point, known)
                if not math.isclose(point["expected"], figure, rel_tol=1e-4):
                    problems.append(f"{experiment['name']}: {point['label']}: should be {figure}")
    print("\n".join([*problems, f"{count} figures, {len(problems)} of them wrong"]))
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
