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
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{colour}"'
            ' stroke-width="1.2"/>'
        )

    def text(self, x, y, words, size=13, colour=INK, anchor="middle", weight="normal"):
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"'
            f' text-anchor="{anchor}" font-weight="{weight}">{escape(str(words))}</text>'
        )

    def write(self, path):
        body = "\n".join(self.shapes)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}"'
            ' font-family="DejaVu Sans, Helvetica, Arial, sans-serif">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect width="{self.width}" height="{self.height}" rx="6" fill="#ffffff"/>\n'
            f"{body}\n</svg>\n",
            encoding="utf-8",
        )


class Machine:
    """Nodes of a line, ring, mesh, torus or hypercube: places on paper, dimension-order routes."""

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
                (
                    x + (u - x) * t,
                    ((1 - t) ** 2 + t * t) * (y - 18) + 2 * t * (1 - t) * above,
                )
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
            step = (sweep - 2 * skew) / count
            curve += [
                machine.around(begin + skew + step * i, radius) for i in range(count + 1)
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
                    back = shifted(back, shift, 0, 18 if last else 0)
                    drawing.line(back, colour, width, arrow=last)
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
        machine, embedding = names
        answer = self.run("embed", machine, "--guest", guest, "--embedding", embedding, "--json")
        return json.loads(answer)["map"]

    def trace(self, scenario, *settings):
        path = self.work / "trace.csv"
        self.run("run", scenario, *settings, "--quiet", "--write", f"csv:{path}")
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


LAYOUTS = {"ring": (87, 74), "hypercube": (52, 48, 62), "mesh": (62, 66), "torus": (62, 66)}


def topology(kind, shape):
    if kind == "hypercube":
        return {"kind": kind, "dimensions": len(shape)}
    return {"kind": kind, "nodes": shape[0]} if len(shape) == 1 else {"kind": kind, "shape": shape}


def routes_of_process(machine, places, dimensions, process, widths):
    routes = []
    for i, partner in enumerate(cube_neighbours(process, dimensions)):
        if places[process] != places[partner]:
            route = machine.route(places[process], places[partner])
            routes.append((route, COLOURS[i], 1 + widths[i]))
    return routes


def routes_of_edges(machine, places, guest):
    found = []
    for a, b in edges(guest):
        route = machine.route(places[a], places[b])
        if len(route) > 1 and route not in found:
            found.append(route)
    return [(route, HOPS.get(len(route) - 1, FAR), 2.2) for route in found]


def draw_embedding(program, folder, name, kind, shape, guest, note, **more):
    """A map; of a cube the messages of one process, of other guests all edges."""
    host = {
        "schema_version": 1,
        "topology": topology(kind, shape),
        "node": {"slots": more.get("slots", 1)},
    }
    places = program.map(host, guest, more.get("embedding", name))
    is_cube = guest.startswith("cube")
    layout = LAYOUTS.get(kind, (45, 112 if is_cube else 150, 58))
    machine = Machine(kind, shape, *layout)
    width = max(330, {"line": 60, "torus": 77}.get(kind, 0) * shape[0])
    height = max(y for _, y in machine.places) + {"ring": 84}.get(kind, 82)
    drawing = Drawing(width, round(height), f"{name} embedding")
    machine.draw_links(drawing)
    if is_cube:
        dimensions = int(guest.split(":")[1])
        widths = more.get("widths", [1] * dimensions)
        process = more.get("process", 0)
        routes = routes_of_process(machine, places, dimensions, process, widths)
        draw_routes(drawing, machine, routes)
    else:
        for route in routes_of_edges(machine, places, guest):
            draw_routes(drawing, machine, [route])
    machine.draw_nodes(drawing, hosted_by(places))
    drawing.text(12, drawing.height - 10, note, 12, FAINT, "start")
    drawing.text(12, 20, name, 14, INK, "start", "bold")
    drawing.write(folder / f"embedding-{name.replace(' ', '-')}.svg")


def draw_embeddings(program, folder):
    def draw(*arguments, **more):
        draw_embedding(program, folder, *arguments, **more)

    cube_on_ring = "3-cube on a ring of 8; messages of process 0"
    two_slots = "line of 8 processes, 2 slots a node"
    draw("identity", "line", [8], "ring:8", "ring of 8 processes on a line of 8; red: seven hops")
    draw("standard", "ring", [8], "cube:3", cube_on_ring)
    draw("xor", "ring", [8], "cube:3", cube_on_ring)
    bytes_sent = "widths: 1, 2 and 4 bytes; messages of process 0"
    draw("weighted_xor", "ring", [8], "cube:3", bytes_sent, widths=[0.6, 1.2, 2.4])
    by_weight = "3-cube on a line of 8; messages of process 2"
    draw("by_weight", "line", [8], "cube:3", by_weight, process=2)
    draw("gray", "hypercube", [2, 2, 2], "ring:8", "ring of 8 processes on a 3-cube")
    tree = "tree of 7 processes on a 3-cube; orange: two hops"
    draw("binary_tree", "hypercube", [2, 2, 2], "tree:7", tree)
    draw("snake", "torus", [4, 4], "ring:16", "ring of 16 processes on a 4x4 torus")
    draw("loop", "mesh", [4, 4], "ring:16", "ring of 16 processes on a 4x4 mesh")
    draw("block", "ring", [4], "line:8", two_slots, slots=2)
    draw("cyclic", "ring", [4], "line:8", two_slots, slots=2)
    seven = {"kind": "random", "seed": 7}
    drawn = "4-cube, seed 7; messages of process 0"
    draw("random", "torus", [4, 4], "cube:4", drawn, embedding=seven)
    listed = {"kind": "explicit", "map": [0, 2, 6, 4]}
    draw("explicit", "ring", [8], "cube:2", "2-cube, map [0, 2, 6, 4]; process 0", embedding=listed)
    for fold in ("low", "high"):
        folded = {"kind": "xor", "fold": fold}
        note = "3-cube, 2 slots a node; messages of process 0"
        draw(f"fold {fold}", "ring", [4], "cube:3", note, slots=2, embedding=folded)


def draw_model(program, folder):
    """The process graph, the map and the machine, with the messages of one process."""
    places = program.map("ring:8", "cube:3", "standard")
    drawing = Drawing(820, 350, "Processes, map and machine")
    drawing.text(140, 28, "process graph: a 3-cube", 15, weight="bold")
    shifts = [(120, 0), (0, 120), (62, -52)]
    spots = []
    for process in range(8):
        moved = [shift for d, shift in enumerate(shifts) if process >> d & 1]
        spots.append((50 + sum(x for x, _ in moved), 110 + sum(y for _, y in moved)))
    for a in range(8):
        for dimension, b in enumerate(cube_neighbours(a, 3)):
            if a < b:
                looks = (COLOURS[dimension], 3) if a == 0 else (FAINT, 1.5)
                drawing.line([spots[a], spots[b]], *looks)
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
    draw_routes(drawing, machine, routes_of_process(machine, places, 3, 0, [1.5] * 3))
    machine.draw_nodes(drawing, hosted_by(places))
    circles = "circle: process, with its number; line: a pair that talks"
    drawing.text(12, 310, circles, 12, FAINT, "start")
    drawing.text(12, 330, "colours: the three partners of process 0", 12, FAINT, "start")
    boxes = "box: node; bold: process that it hosts; small: its number"
    drawing.text(808, 310, boxes, 12, FAINT, "end")
    curves = "curves: routes of process 0's messages, with hops (dilation)"
    drawing.text(808, 330, curves, 12, FAINT, "end")
    drawing.write(folder / "model.svg")


def draw_two_messages(program, folder):
    """Two messages over one link: queued, and shared."""
    ends = {}
    messages = "/program/messages=[[0,1,4000],[0,1,4000]]"
    settings = ["--set", messages, "--set", "/embedding/map=[0,1]"]
    for name, more in (
        ("store and forward", []),
        ("cut-through", ["--set", "/machine/switching=cut_through"]),
        ("fluid", ["--set", '/machine/network="fluid"']),
    ):
        rows = program.trace("scenarios/switching.json", *settings, *more)
        hops = [row for row in rows if row["record"] == "hop"]
        ends[name] = (hops, [row for row in rows if row["record"] == "message"])
    drawing = Drawing(790, 250, "Two messages of 4,000 bytes over one link")
    scale, left = 52, 160
    title = "Two messages of 4,000 bytes, sent at once over one link (1 us latency, 1 GB/s)"
    drawing.text(12, 22, title, 14, INK, "start", "bold")
    for index, (name, (hops, messages)) in enumerate(ends.items()):
        y = 48 + 58 * index
        drawing.text(left - 12, y + 23, name, 13, anchor="end")
        for order, message in enumerate(messages):
            arrived = int(message["end_ps"]) / 1e6
            begin, end = (0, arrived)
            if hops:
                begin, end = (int(hops[order][key]) / 1e6 for key in ("begin_ps", "end_ps"))
            top = y + 20 * order
            wide = scale * (end - begin)
            drawing.box(left + scale * begin, top, wide, 16, COLOURS[order], INK, 0.6, 2)
            x = left + scale * arrived
            drawing.line([(x, top - 1), (x, top + 17)], INK, 2.5)
            drawing.text(x + 6, top + 13, f"arrives at {arrived:g} us", 11, INK, "start")
    for tick in range(0, 11, 2):
        drawing.line([(left + scale * tick, 222), (left + scale * tick, 227)], INK, 1)
        drawing.text(left + scale * tick, 241, f"{tick} us" if tick else "0", 11)
    drawing.line([(left, 222), (left + scale * 10, 222)], INK, 1)
    drawing.write(folder / "two-messages.svg")


def draw_ranges(program, folder):
    """What jitter makes of three makespans."""
    arguments = ["scenarios/quickstart.json", "--embedding", "standard,gray,xor", "--json"]
    answer = json.loads(program.run("compare", *arguments))
    drawing = Drawing(680, 190, "Ranges of makespans under jitter")
    left, scale, least = 130, 80, 15
    title = "Makespans when computing times vary by a millionth"
    drawing.text(12, 22, title, 14, INK, "start", "bold")
    for index, run in enumerate(answer["runs"]):
        y = 58 + 36 * index
        keys = ("jitter_least_s", "jitter_greatest_s", "makespan_s")
        begin, end, exact = (left + scale * (run[key] - least) for key in keys)
        drawing.text(left - 18, y + 5, run["embedding"], 13, anchor="end")
        drawing.line([(begin, y), (end, y)], COLOURS[index], 9)
        drawing.circle(exact, y, 5.5, "#ffffff")
        words, colour = ("tie-sensitive", FAR) if run["rests_on_ties"] else ("holds", FAINT)
        drawing.text(end + 14, y + 5, words, 12, colour, "start")
    for tick in range(15, 21):
        x = left + scale * (tick - least)
        drawing.line([(x, 152), (x, 157)], INK, 1)
        drawing.text(x, 172, f"{tick} s", 11)
    drawing.line([(left, 152), (left + scale * 5, 152)], INK, 1)
    drawing.text(12, 172, "circle: no jitter", 11, FAINT, "start")
    drawing.write(folder / "tie-ranges.svg")


def draw_critical_path(program, folder):
    """Two processes of the by_weight run on a line of 8, with the chain that ends last."""
    scenario = "scenarios/line-cc_dcube-by_weight.json"
    rows = program.trace(scenario)
    parts = json.loads(program.run("run", scenario, "--why", "--json"))["critical_path"]["parts"]
    shown = [1, 5]
    drawing = Drawing(780, 250, "Critical path of two processes")
    left, scale = 110, 53
    tops = {1: 62, 5: 142}
    title = "by_weight on a line of 8: processes 1 and 5"
    drawing.text(12, 24, title, 14, INK, "start", "bold")
    short = {"compute": "comp.", "waiting": "waits"}
    for row in rows:
        if row["record"] != "interval" or int(row["process"]) not in shown:
            continue
        begin, end = (left + scale * int(row[key]) / 1e12 for key in ("begin_ps", "end_ps"))
        top = tops[int(row["process"])]
        drawing.box(begin, top, end - begin, 30, ACTIVITIES[row["activity"]], INK, 0.8, 0)
        words = short.get(row["activity"], f"message from {row['peer']}")
        drawing.text((begin + end) / 2, top + 19, words, 11)
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
    path = "on the critical path (before 6 s it runs through processes 2 and 3, not shown)"
    drawing.text(left + 38, 241, path, 11, FAINT, "start")
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
    marks = (
        (bound, "lower bound", INK),
        (found, "map found", COLOURS[0]),
        (today, "today's map", COLOURS[1]),
    )
    for x, words, colour in marks:
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
