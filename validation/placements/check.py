#!/usr/bin/env -S python3 -B
"""Verifies the table of placements without dcube: every map, its cost, and what proves its bound.

    check.py [NAME..]              all problems, or those whose names begin with one of these
    check.py --exact               certificates also with 20 random maps each, in whole numbers (minutes)
    check.py --certificate FILE    a certificate that is elsewhere, of the one problem named
    check.py --dcube PROGRAM       whether `dcube embed` says the same of every map
    check.py --summary             a line for each problem, after the check

Flows of QAPLIB are read from $QAPLIB or Debian's r-cran-qap; without them such maps are only checked to be
maps. Exit status: 0 all hold, 1 some do not, 2 unreadable.
"""

import argparse
import csv
import json
import lzma
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import bounds
from bounds import HERE, Wrong, require
from machines import GRIDS, Machine
from traffic import NoFile, traffic_of

COLUMNS = (
    "name", "machine", "slots", "traffic", "objective", "cost", "found by", "bound", "bound by", "checked",
    "evidence",
)  # fmt: skip
OBJECTIVES = ("hop-bytes", "average-dilation", "longest-dilation", "link-load", "cc-time")


@cache
def machine_of(text, slots):
    return Machine(text, slots)


class Problem:
    """A line of the table."""

    def __init__(self, line):
        self.name, self.machine_text, self.traffic_text = line["name"], line["machine"], line["traffic"]
        self.objective, self.evidence = line["objective"], line["evidence"]
        self.slots, self.cost, self.bound, self.checked = (
            int(line[key]) for key in ("slots", "cost", "bound", "checked")
        )
        self.line = line
        require(self.objective in OBJECTIVES, f"unknown objective {self.objective}")
        self.machine = machine_of(self.machine_text, self.slots)
        self.is_known = True
        try:
            self.processes, self.flows = traffic_of(self.traffic_text)
        except NoFile:
            self.is_known, self.processes, self.flows = False, self.machine.nodes, {}
        is_counted = self.objective == "average-dilation"
        self.weights = {pair: 1 if is_counted else size for pair, size in self.flows.items()}

    def cost_of(self, place):
        distance = self.machine.distance
        if self.objective in ("hop-bytes", "average-dilation"):
            return sum(int(distance[place[a], place[b]]) * weight for (a, b), weight in self.weights.items())
        if self.objective == "longest-dilation":
            return max((int(distance[place[a], place[b]]) for a, b in self.flows), default=0)
        if self.objective == "link-load":
            require(self.machine.kind in GRIDS, "routes are those of grids")
            return max(self.machine.loads(place, self.flows).values(), default=0)
        return self.cc_time(place)

    def cc_time(self, place):
        """Picoseconds of the recurrence: a stage computes a second, a hop takes one."""
        require(self.processes & (self.processes - 1) == 0 and self.slots == 1, "a cube, a process a node")
        clock = [0] * self.processes
        for stage in range(self.processes.bit_length() - 1):
            clock = [
                max(clock[p], clock[p ^ 1 << stage])
                + 1
                + int(self.machine.distance[place[p], place[p ^ 1 << stage]])
                for p in range(self.processes)
            ]
        return 10**12 * max(clock)

    def check_map(self, place):
        require(len(place) == self.processes, f"{len(place)} nodes for {self.processes} processes")
        require(all(0 <= node < self.machine.nodes for node in place), "a node is not on the machine")
        require(max(Counter(place).values()) <= self.slots, "a node has more processes than slots")
        if self.is_known:
            cost = self.cost_of(place)
            require(cost == self.cost, f"the map costs {cost}, not {self.cost}")
        require(self.checked <= self.bound <= self.cost, "a bound is above the cost, or above the greatest")


class Table:
    def __init__(self, folder=HERE):
        self.folder = folder
        with open(folder / "table.csv", encoding="utf-8", newline="") as stream:
            self.lines = list(csv.DictReader(stream))
        self.maps = {}
        for line in (folder / "maps.txt").read_text(encoding="ascii").splitlines():  # NAME: NODE NODE ..
            name, _, nodes = line.partition(":")
            self.maps[name] = [int(node) for node in nodes.split()]
        self.by_name = {line["name"]: line for line in self.lines}

    def problems(self, names=()):
        for line in self.lines:
            if not names or line["name"].startswith(tuple(names)):
                yield Problem(line)

    def proved(self, problem, is_exact):
        """(what the evidence proves, or nothing where it is elsewhere, what that is)."""
        kind, _, what = problem.evidence.partition(" ")
        if kind == "certificate":
            file = self.folder / "certificates" / f"{problem.name}.json.xz"
            return bounds.check_certificate(bounds.read_certificate(file), problem, is_exact), kind
        if kind == "mean":
            other = Problem(self.by_name[what])
            require((other.machine_text, other.slots, other.traffic_text, other.objective) ==
                    (problem.machine_text, problem.slots, problem.traffic_text, "hop-bytes"), "mean of another")
            least, _ = self.proved(other, is_exact)
            return bounds.mean(problem, other.checked if least is None else least), kind
        if kind in ("degree", "groups", "growth", "node"):
            return getattr(bounds, kind)(problem), kind
        require(kind in ("elsewhere", "none"), f"unknown evidence {problem.evidence}")
        require(kind == "elsewhere" or problem.checked == 0, "nothing proves the bound")
        return None, kind

    def check(self, problem, is_exact=False):
        """What the bound rests on."""
        problem.check_map(self.maps[problem.name])
        if not problem.is_known:
            return "no flows here"
        least, kind = self.proved(problem, is_exact)
        require(least is None or least >= problem.checked, f"{kind} proves {least}, not {problem.checked}")
        return kind


def write_problem(problem, folder):
    """Files for dcube: machine, traffic."""
    traffic, machine = Path(folder) / "traffic.csv", Path(folder) / "machine.json"
    rows = [f"{a},{b},{size}" for (a, b), size in sorted(problem.flows.items())]
    last = problem.processes - 1
    if not any(last in pair for pair in problem.flows):
        rows.append(f"{last},{last},1")  # so that it is counted
    traffic.write_text("\n".join(["from,to,bytes", *rows]) + "\n", encoding="ascii")
    kind, _, settings = problem.machine_text.partition(":")
    if kind == "hypercube":
        topology = {"kind": kind, "dimensions": int(settings)}
    elif kind in ("line", "ring"):
        topology = {"kind": kind, "nodes": int(settings)}
    elif kind in GRIDS:
        topology = {"kind": kind, "shape": problem.machine.shape}
    elif kind == "fat_tree":
        down, up = ([int(number) for number in part.split(",")] for part in settings.split("/"))
        topology = {"kind": kind, "down": down, "up": up}
    else:
        topology = {"kind": kind, **{key: int(value) for key, value in (
            part.split("=") for part in settings.split(","))}}  # fmt: skip
    whole = {"schema_version": 1, "topology": topology, "link": {"latency": "1us", "per_byte": "1ns"}}
    if problem.slots > 1:
        whole["node"] = {"slots": problem.slots}
    machine.write_text(json.dumps(whole), encoding="ascii")
    return machine, traffic


def cost_by_dcube(problem, place, program, folder):
    """What `dcube embed` says that the map costs."""
    machine, traffic = write_problem(problem, folder)
    embedding = Path(folder) / "map.json"
    embedding.write_text(json.dumps({"kind": "explicit", "map": place}), encoding="ascii")
    is_cc = problem.objective == "cc-time"
    of = ["--guest", problem.traffic_text] if is_cc else ["--traffic", traffic]
    command = [program, "embed", machine, "--embedding", embedding, *of, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"dcube: {done.stderr.strip()}")
    said = json.loads(done.stdout)
    if is_cc:
        return round(1e12 * said["cc"]["makespan_s"])
    return {
        "hop-bytes": lambda: said["hop_bytes"],
        "average-dilation": lambda: round(said["dilation"]["average"] * said["traffic"]["flows"]),
        "longest-dilation": lambda: said["dilation"]["longest"],
        "link-load": lambda: said["link_bytes"]["max"],
    }[problem.objective]()


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--certificate", type=Path, metavar="FILE")
    parser.add_argument("--dcube", metavar="PROGRAM")
    parser.add_argument("--summary", action="store_true")
    return parser.parse_intermixed_args()


def check_elsewhere(problem, file):
    """A certificate that is not here."""
    text = lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()
    proved = bounds.check_certificate(json.loads(text), problem, True)
    print(f"{problem.name}: no map costs less than {proved}, and the table says {problem.checked}")
    return 0 if proved >= problem.checked else 1


def check_all(table, options):
    kinds, wrong = Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for problem in table.problems(options.names):
            try:
                kind = table.check(problem, options.exact)
                if options.dcube and problem.is_known:
                    said = cost_by_dcube(problem, table.maps[problem.name], options.dcube, folder)
                    require(said == problem.cost, f"dcube says that the map costs {said}, not {problem.cost}")
            except Wrong as error:
                print(f"{problem.name}: {error}")
                wrong += 1
                continue
            kinds[kind] += 1
            if options.summary:
                gap = f"{100 * (problem.cost / problem.bound - 1):.1f} %" if problem.bound else "-"
                print(f"{problem.name:28} {problem.cost:>16} {problem.bound:>16} {gap:>8} {problem.checked:>16}  {kind}")
    by_kind = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{sum(kinds.values())} problems hold, {wrong} do not; bounds by {by_kind}")
    return 1 if wrong else 0


def main():
    options = read_options()
    try:
        table = Table()
        if options.certificate:
            (problem,) = table.problems(options.names)
            return check_elsewhere(problem, options.certificate)
        return check_all(table, options)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        print(f"check.py: {type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
