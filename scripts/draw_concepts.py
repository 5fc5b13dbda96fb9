#!/usr/bin/env python3
"""Draws the pictures of docs/concepts: maps, timelines and ranges as dcube gives them.

    draw_concepts.py PROGRAM FOLDER
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from html import escape

ROOT = pathlib.Path(__file__).resolve().parents[1]
INK, FAINT, NODE = "#222222", "#8a8a8a", "#f1f3f5"
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#aa4499"]
HOPS = {1: "#0072b2", 2: "#d55e00"}  # of the edges of a process graph, by length
FAR = "#b2182b"
ACTIVITIES = {"compute": "#56a0d3", "communication": "#f0b35f", "waiting": "#ffffff"}


class Drawing:
    """Shapes of one SVG file, on a white ground so that dark pages show them too."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.shapes = []

    def line(self, points, colour=INK, width=1.5, dash=None, arrow=False):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width}"'
            f' stroke-linejoin="round" stroke-linecap="round"{dashes}/>'
        )
        if arrow:
            self.head(points[-2], points[-1], colour, width)

    def head(self, start, end, colour, width):
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        size = 4 + 2 * width
        corners = [end] + [
            (end[0] - size * math.cos(angle + turn), end[1] - size * math.sin(angle + turn))
            for turn in (0.4, -0.4)
        ]
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        self.shapes.append(f'<polygon points="{places}" fill="{colour}"/>')

    def box(self, x, y, width, height, fill=NODE, colour=INK, line=1.2, corner=3):
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner}"'
            f' fill="{fill}" stroke="{colour}" stroke-width="{line}"/>'
        )

    def circle(self, x, y, radius, fill=NODE, colour=INK):
        self.shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{colour}" stroke-width="1.2"/>'
        )

    def text(self, x, y, words, size=13, colour=INK, anchor="middle", weight="normal"):
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"'
            f' font-weight="{weight}">{escape(str(words))}</text>'
        )

    def write(self, path):
        body = "\n".join(self.shapes)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect width="{self.width}" height="{self.height}" rx="6" fill="#ffffff"/>\n{body}\n</svg>\n',
            encoding="utf-8",
        )


class Machine:
    """Nodes of a line, ring, mesh, torus or hypercube with places on paper and routes in dimension order."""

    def __init__(self, kind, shape, left=50, top=70, step=62):
        self.kind, self.shape = kind, shape
        self.nodes = math.prod(shape)
        self.wraps = kind in ("ring", "torus")
        if kind == "ring":
            radius = 78 if self.nodes > 4 else 62
            self.middle, self.radius = (left + radius, top + radius), radius
            turns = [2 * math.pi * n / self.nodes - math.pi / 2 for n in range(self.nodes)]
            self.places = [self.around(turn, radius) for turn in turns]
        elif kind == "hypercube":
            shifts = [(2, 0), (0, 2), (0.85, -0.75)]
            self.places = [
                (
                    left + step * sum(s[0] for d, s in enumerate(shifts) if n >> d & 1),
                    top + step * (0.75 + sum(s[1] for d, s in enumerate(shifts) if n >> d & 1)),
                )
                for n in range(self.nodes)
            ]
        else:
            self.places = [
                (left + step * self.coordinates(n)[0], top + step * (self.coordinates(n) + [0])[1])
                for n in range(self.nodes)
            ]

    def around(self, turn, radius):
        return self.middle[0] + radius * math.cos(turn), self.middle[1] + radius * math.sin(turn)

    def coordinates(self, node):
        found = []
        for side in self.shape:
            found.append(node % side)
            node //= side
        return found

    def node(self, coordinates):
        number = 0
        for side, coordinate in zip(reversed(self.shape), reversed(coordinates)):
            number = number * side + coordinate
        return number

    def route(self, source, destination):
        at, goal, nodes = self.coordinates(source), self.coordinates(destination), [source]
        for dimension, side in enumerate(self.shape):
            apart = goal[dimension] - at[dimension]
            step = 1 if apart > 0 else -1
            if self.wraps and abs(apart) * 2 > side:
                step = -step
            while at[dimension] != goal[dimension]:
                at[dimension] = (at[dimension] + step) % side
                nodes.append(self.node(at))
        return nodes

    def links(self):
        for node in range(self.nodes):
            for dimension, side in enumerate(self.shape):
                at = self.coordinates(node)
                at[dimension] += 1
                if at[dimension] < side:
                    yield node, self.node(at), False
                elif self.wraps and side > 2:
                    at[dimension] = 0
                    yield node, self.node(at), True

    def draw_links(self, drawing):
        for a, b, wrap in self.links():
            if wrap and self.kind == "torus":
                for start, end in ((a, b), (b, a)):
                    drawing.line([self.places[start], self.stub(start, end)], FAINT, 1.5)
            else:
                drawing.line([self.places[a], self.places[b]], FAINT, 1.5)

    def stub(self, start, end, length=32):
        """Where the wrap-around link from `start` to `end` leaves the picture."""
        (x, y), (u, v) = self.places[start], self.places[end]
        distance = math.hypot(x - u, y - v)
        return x + (x - u) / distance * length, y + (y - v) / distance * length

    def is_wrap(self, a, b):
        return self.kind == "torus" and any(
            abs(p - q) > 1 for p, q in zip(self.coordinates(a), self.coordinates(b))
        )

    def draw_nodes(self, drawing, hosted, half=17):
        for node, (x, y) in enumerate(self.places):
            words = " ".join(map(str, hosted.get(node, [])))
            wide = half if len(words) < 4 else half + 6
            drawing.box(x - wide, y - half, 2 * wide, 2 * half, NODE if words else "#ffffff")
            drawing.text(x, y + 5, words, 14, weight="bold")
            drawing.text(x + wide - 2, y + half + 10, node, 9, FAINT)


def hosted_by(places):
    hosted = {}
    for process, node in enumerate(places):
        hosted.setdefault(node, []).append(process)
    return hosted


def draw_routes(drawing, machine, routes, lane_gap=8):
    """Each route (nodes, colour, width) beside the links that it takes, with its number of hops."""
    for lane, (nodes, colour, width) in enumerate(routes):
        hops = len(nodes) - 1
        ends = [machine.places[nodes[0]], machine.places[nodes[-1]]]
        if machine.kind == "line":
            (x, y), (u, _) = ends
            above = y - 20 - 16 * hops
            steps = [i / 24 for i in range(25)]
            curve = [
                (x + (u - x) * t, (1 - t) ** 2 * (y - 18) + 2 * t * (1 - t) * above + t * t * (y - 18))
                for t in steps
            ]
            drawing.line(curve, colour, width, arrow=True)
            drawing.text((x + u) / 2, (y - 18 + above) / 2 - 4, hops, 12, colour, weight="bold")
        elif machine.kind == "ring":
            turn = 2 * math.pi / machine.nodes
            begin = nodes[0] * turn - math.pi / 2
            forward = (nodes[1] - nodes[0]) % machine.nodes == 1
            sweep = hops * turn * (1 if forward else -1)
            radius = machine.radius + 24 + lane_gap * 1.7 * lane
            skew = 0.05 * (lane + 1) * (1 if forward else -1)
            curve = [machine.around(begin + skew, machine.radius + 17)]
            count = 8 * hops
            curve += [
                machine.around(begin + skew + (sweep - 2 * skew) * i / count, radius) for i in range(count + 1)
            ]
            curve.append(machine.around(begin + sweep - skew, machine.radius + 17))
            drawing.line(curve, colour, width, arrow=True)
            place = machine.around(begin + sweep / 2, radius + 11)
            drawing.text(place[0], place[1] + 4, hops, 12, colour, weight="bold")
        else:
            shift = lane_gap * (lane - (len(routes) - 1) / 2)
            for index, (a, b) in enumerate(zip(nodes, nodes[1:])):
                last = index == hops - 1
                if machine.is_wrap(a, b):
                    out = [machine.places[a], machine.stub(a, b)]
                    back = [machine.stub(b, a), machine.places[b]]
                    drawing.line(shifted(out, shift, 17, 0), colour, width)
                    drawing.line(shifted(back, shift, 0, 18 if last else 0), colour, width, arrow=last)
                else:
                    both = [machine.places[a], machine.places[b]]
                    ended = shifted(both, shift, 17 if index == 0 else 0, 18 if last else 0)
                    drawing.line(ended, colour, width, arrow=last)


def shifted(points, shift, off_begin, off_end):
    """A segment moved sideways and shortened at its ends."""
    (x, y), (u, v) = points
    length = math.hypot(u - x, v - y)
    along = ((u - x) / length, (v - y) / length)
    aside = (-along[1] * shift, along[0] * shift)
    if along[0] + along[1] < 0:
        aside = (-aside[0], -aside[1])
    return [
        (x + aside[0] + along[0] * off_begin, y + aside[1] + along[1] * off_begin),
        (u + aside[0] - along[0] * off_end, v + aside[1] - along[1] * off_end),
    ]


class Program:
    def __init__(self, path, work):
        self.path, self.work = path, work

    def run(self, *arguments):
        return subprocess.run(
            [self.path, *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def map(self, machine, guest, embedding):
        names = []
        for name, content in (("machine", machine), ("embedding", embedding)):
            if isinstance(content, dict):
                path = self.work / f"{name}.json"
                path.write_text(json.dumps(content), encoding="utf-8")
                content = str(path)
            names.append(content)
        return json.loads(self.run("embed", names[0], "--guest", guest, "--embedding", names[1], "--json"))["map"]

    def trace(self, scenario):
        path = self.work / "trace.csv"
        self.run("run", scenario, "--quiet", "--write", f"csv:{path}")
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        return list(csv.DictReader(lines))


def cube_neighbours(process, dimensions):
    return [process ^ (1 << i) for i in range(dimensions)]


def edges(guest):
    kind, size = guest.split(":")
    count = int(size)
    if kind == "tree":
        return [((child - 1) // 2, child) for child in range(1, count)]
    return [(i, i + 1) for i in range(count - 1)] + ([(count - 1, 0)] if kind == "ring" else [])


def draw_embedding(program, folder, name, kind, shape, guest, *, embedding=None, process=0, slots=1, note="", weights=None):
    topology = {"kind": kind}
    topology.update({"nodes": shape[0]} if kind in ("line", "ring") else {"shape": shape})
    if kind == "hypercube":
        topology = {"kind": kind, "dimensions": len(shape)}
    machine_file = {"schema_version": 1, "topology": topology, "node": {"slots": slots}}
    places = program.map(machine_file, guest, embedding or name)
    wide = {"line": 60 * shape[0], "ring": 330, "hypercube": 300}.get(kind, 62 * shape[0] + 60)
    machine = Machine(kind, shape, *{"line": (45, 112, 58) if guest.startswith("cube") else (45, 150, 58), "ring": (87, 74), "hypercube": (52, 48, 62)}.get(kind, (62, 66, 62)))
    high = max(y for _, y in machine.places) + {"ring": 60}.get(kind, 58)
    drawing = Drawing(max(wide, 330), round(high + 24), f"{name} embedding")
    machine.draw_links(drawing)
    if guest.startswith("cube"):
        dimensions = int(guest.split(":")[1])
        routes = [
            (machine.route(places[process], places[partner]), COLOURS[i], 1 + weights[i] if weights else 2)
            for i, partner in enumerate(cube_neighbours(process, dimensions))
            if places[process] != places[partner]
        ]
    else:
        found = []
        for a, b in edges(guest):
            route = machine.route(places[a], places[b])
            if len(route) > 1 and route not in found:
                found.append(route)
        routes = [(nodes, HOPS.get(len(nodes) - 1, FAR), 2.2) for nodes in found]
    if guest.startswith("cube"):
        draw_routes(drawing, machine, routes)
    else:
        for route in routes:
            draw_routes(drawing, machine, [route])
    machine.draw_nodes(drawing, hosted_by(places))
    drawing.text(12, drawing.height - 10, note, 12, FAINT, "start")
    drawing.text(12, 20, name, 14, INK, "start", "bold")
    drawing.write(folder / f"embedding-{name.replace(' ', '-')}.svg")


def draw_embeddings(program, folder):
    def draw(*arguments, **settings):
        draw_embedding(program, folder, *arguments, **settings)

    draw("identity", "line", [8], "ring:8", note="ring of 8 processes on a line of 8; red: seven hops")
    draw("standard", "ring", [8], "cube:3", note="3-cube on a ring of 8; messages of process 0")
    draw("xor", "ring", [8], "cube:3", note="3-cube on a ring of 8; messages of process 0")
    draw("weighted_xor", "ring", [8], "cube:3", weights=[0.6, 1.2, 2.4], note="widths: 1, 2 and 4 bytes; messages of process 0")
    draw("by_weight", "line", [8], "cube:3", process=2, note="3-cube on a line of 8; messages of process 2")
    draw("gray", "hypercube", [2, 2, 2], "ring:8", note="ring of 8 processes on a 3-cube")
    draw("binary_tree", "hypercube", [2, 2, 2], "tree:7", note="tree of 7 processes on a 3-cube; orange: two hops")
    draw("snake", "torus", [4, 4], "ring:16", note="ring of 16 processes on a 4x4 torus")
    draw("block", "ring", [4], "line:8", slots=2, note="line of 8 processes, 2 slots a node")
    draw("cyclic", "ring", [4], "line:8", slots=2, note="line of 8 processes, 2 slots a node")
    draw("random", "torus", [4, 4], "cube:4", embedding={"kind": "random", "seed": 7}, note="4-cube, seed 7; messages of process 0")
    draw("explicit", "ring", [8], "cube:2", embedding={"kind": "explicit", "map": [0, 2, 6, 4]}, note='2-cube, "map": [0, 2, 6, 4]; process 0')
    for fold in ("low", "high"):
        draw(f"fold {fold}", "ring", [4], "cube:3", slots=2, embedding={"kind": "xor", "fold": fold}, note="3-cube, 2 slots a node; messages of process 0")


def draw_model(program, folder):
    """The process graph, the map and the machine, with the messages of one process."""
    places = program.map({"schema_version": 1, "topology": {"kind": "ring", "nodes": 8}}, "cube:3", "standard")
    drawing = Drawing(820, 350, "Processes, map and machine")
    drawing.text(140, 28, "process graph: a 3-cube", 15, weight="bold")
    shifts = [(120, 0), (0, 120), (62, -52)]
    spots = [
        (50 + sum(s[0] for d, s in enumerate(shifts) if n >> d & 1), 110 + sum(s[1] for d, s in enumerate(shifts) if n >> d & 1))
        for n in range(8)
    ]
    for a in range(8):
        for dimension, b in enumerate(cube_neighbours(a, 3)):
            if a < b:
                drawing.line([spots[a], spots[b]], COLOURS[dimension] if a == 0 else FAINT, 3 if a == 0 else 1.5)
    for process, (x, y) in enumerate(spots):
        drawing.circle(x, y, 16, "#fff6e0")
        drawing.text(x, y + 5, process, 14, weight="bold")
    drawing.text(390, 28, "map (embedding)", 15, weight="bold")
    for process, node in enumerate(places):
        y = 62 + 24 * process
        drawing.text(340, y, f"process {process}", 12, anchor="start")
        drawing.line([(402, y - 4), (420, y - 4)], FAINT, 1.2, arrow=True)
        drawing.text(427, y, f"node {node}", 12, anchor="start")
    drawing.text(660, 28, "machine: a ring of 8", 15, weight="bold")
    machine = Machine("ring", [8], 582, 84)
    machine.draw_links(drawing)
    draw_routes(drawing, machine, [(machine.route(places[0], places[p]), COLOURS[i], 2.5) for i, p in enumerate(cube_neighbours(0, 3))])
    machine.draw_nodes(drawing, hosted_by(places))
    drawing.text(12, 310, "circle: process, with its number; line: a pair that talks", 12, FAINT, "start")
    drawing.text(12, 330, "colours: the three partners of process 0", 12, FAINT, "start")
    drawing.text(808, 310, "box: node; bold: process that it hosts; small: its number", 12, FAINT, "end")
    drawing.text(808, 330, "curves: routes of process 0's messages, with hops (dilation)", 12, FAINT, "end")
    drawing.write(folder / "model.svg")


def draw_two_messages(program, folder):
    """Two messages over one link: queued, and shared."""
    ends = {}
    settings = ["--set", "/program/messages=[[0,1,4000],[0,1,4000]]", "--set", "/embedding/map=[0,1]"]
    for name, more in (
        ("store and forward", []),
        ("cut-through", ["--set", "/machine/switching=cut_through"]),
        ("fluid", ["--set", '/machine/network="fluid"']),
    ):
        path = program.work / "two.csv"
        program.run("run", "scenarios/switching.json", *settings, *more, "--quiet", "--write", f"csv:{path}")
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        rows = list(csv.DictReader(lines))
        hops = [row for row in rows if row["record"] == "hop"]
        messages = [row for row in rows if row["record"] == "message"]
        ends[name] = (hops, messages)
    drawing = Drawing(790, 250, "Two messages of 4,000 bytes over one link")
    scale, left = 52, 160
    drawing.text(12, 22, "Two messages of 4,000 bytes, sent at once over one link (1 us latency, 1 GB/s)", 14, INK, "start", "bold")
    for index, (name, (hops, messages)) in enumerate(ends.items()):
        y = 48 + 58 * index
        drawing.text(left - 12, y + 23, name, 13, anchor="end")
        for order, message in enumerate(messages):
            arrived = int(message["end_ps"]) / 1e6
            begin, end = (0, arrived)
            if hops:
                begin, end = (int(hops[order][key]) / 1e6 for key in ("begin_ps", "end_ps"))
            top = y + 20 * order
            drawing.box(left + scale * begin, top, scale * (end - begin), 16, COLOURS[order], INK, 0.6, 2)
            drawing.line([(left + scale * arrived, top - 1), (left + scale * arrived, top + 17)], INK, 2.5)
            drawing.text(left + scale * arrived + 6, top + 13, f"arrives at {arrived:g} us", 11, INK, "start")
    for tick in range(0, 11, 2):
        drawing.line([(left + scale * tick, 222), (left + scale * tick, 227)], INK, 1)
        drawing.text(left + scale * tick, 241, f"{tick} us" if tick else "0", 11)
    drawing.line([(left, 222), (left + scale * 10, 222)], INK, 1)
    drawing.write(folder / "two-messages.svg")


def draw_ranges(program, folder):
    """What jitter makes of three makespans."""
    answer = json.loads(program.run("compare", "scenarios/quickstart.json", "--embedding", "standard,gray,xor", "--json"))
    drawing = Drawing(680, 190, "Ranges of makespans under jitter")
    left, scale, least = 130, 80, 15
    drawing.text(12, 22, "Makespans when computing times vary by a millionth", 14, INK, "start", "bold")
    for index, run in enumerate(answer["runs"]):
        y = 58 + 36 * index
        begin, end, exact = (left + scale * (run[key] - least) for key in ("jitter_least_s", "jitter_greatest_s", "makespan_s"))
        drawing.text(left - 18, y + 5, run["embedding"], 13, anchor="end")
        drawing.line([(begin, y), (end, y)], COLOURS[index], 9)
        drawing.circle(exact, y, 5.5, "#ffffff")
        words = "tie-sensitive" if run["rests_on_ties"] else "holds"
        drawing.text(end + 14, y + 5, words, 12, FAR if run["rests_on_ties"] else FAINT, "start")
    for tick in range(15, 21):
        x = left + scale * (tick - least)
        drawing.line([(x, 152), (x, 157)], INK, 1)
        drawing.text(x, 172, f"{tick} s", 11)
    drawing.line([(left, 152), (left + scale * 5, 152)], INK, 1)
    drawing.text(12, 172, "circle: no jitter", 11, FAINT, "start")
    drawing.write(folder / "tie-ranges.svg")


def draw_critical_path(program, folder):
    """Two processes of the by_weight run on a line of 8, with the chain that ends last."""
    rows = program.trace("scenarios/line-cc_dcube-by_weight.json")
    result = json.loads(program.run("run", "scenarios/line-cc_dcube-by_weight.json", "--why", "--json"))
    parts = result["critical_path"]["parts"]
    shown = [1, 5]
    drawing = Drawing(780, 250, "Critical path of two processes")
    left, scale = 110, 53
    tops = {1: 62, 5: 142}
    drawing.text(12, 24, "by_weight on a line of 8: processes 1 and 5", 14, INK, "start", "bold")
    for row in rows:
        if row["record"] != "interval" or int(row["process"]) not in shown:
            continue
        begin, end = int(row["begin_ps"]) / 1e12, int(row["end_ps"]) / 1e12
        top = tops[int(row["process"])]
        drawing.box(left + scale * begin, top, scale * (end - begin), 30, ACTIVITIES[row["activity"]], INK, 0.8, 0)
        words = row["activity"] if row["activity"] != "communication" else f"message from {row['peer']}"
        if (end - begin) * scale > 100:
            drawing.text(left + scale * (begin + end) / 2, top + 19, words, 11)
        elif row["activity"] != "communication":
            drawing.text(left + scale * (begin + end) / 2, top + 19, {"compute": "comp.", "waiting": "waits"}[row["activity"]], 10)
    for process in shown:
        drawing.text(left - 12, tops[process] + 20, f"process {process}", 13, anchor="end")
    for part in parts:
        begin, end = part["begin_ps"] / 1e12, part["end_ps"] / 1e12
        process, peer = part["process"], part.get("peer")
        receiver = peer if part["kind"] in ("hop", "queueing") else process
        if receiver in shown:
            y = tops[receiver] + 36
            drawing.line([(left + scale * begin + 1, y), (left + scale * end - 1, y)], FAR, 5)
    for tick in range(0, 13):
        x = left + scale * tick
        drawing.line([(x, 200), (x, 205)], INK, 1)
        if tick % 2 == 0:
            drawing.text(x, 220, f"{tick} s", 11)
    drawing.line([(left, 200), (left + scale * 12, 200)], INK, 1)
    drawing.line([(left, 237), (left + 30, 237)], FAR, 5)
    drawing.text(left + 38, 241, "on the critical path (before 6 s it runs through processes 2 and 3, not shown)", 11, FAINT, "start")
    drawing.write(folder / "critical-path.svg")


def draw_gap(folder):
    """Where the optimum can be."""
    drawing = Drawing(700, 180, "Bound, optimum and gap")
    left, right = 60, 640
    bound, found, today = 180, 330, 560
    drawing.line([(left, 90), (right, 90)], INK, 1.5, arrow=True)
    drawing.text(right, 112, "cost", 12, FAINT, "end")
    drawing.box(left, 76, bound - left, 28, "#e3e3e3", "#e3e3e3", 0)
    drawing.text((left + bound) / 2, 66, "no map is here", 12, FAINT)
    drawing.box(bound, 76, found - bound, 28, "#fde4c8", "#fde4c8", 0)
    drawing.text((bound + found) / 2, 95, "optimum: here", 12)
    for x, words, colour in ((bound, "lower bound", INK), (found, "map found", COLOURS[0]), (today, "today's map", COLOURS[1])):
        drawing.line([(x, 70), (x, 112)], colour, 3)
        drawing.text(x, 52, words, 13, colour, weight="bold")
    for begin, end, y, words in ((bound, found, 132, "gap"), (found, today, 132, "saved")):
        drawing.line([(begin + 3, y), (end - 3, y)], INK, 1.2, arrow=True)
        drawing.line([(end - 3, y), (begin + 3, y)], INK, 1.2, arrow=True)
        drawing.text((begin + end) / 2, y + 20, words, 13)
    drawing.write(folder / "gap.svg")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        program = Program(sys.argv[1], pathlib.Path(work))
        draw_model(program, folder)
        draw_embeddings(program, folder)
        draw_two_messages(program, folder)
        draw_ranges(program, folder)
        draw_critical_path(program, folder)
        draw_gap(folder)


if __name__ == "__main__":
    main()
