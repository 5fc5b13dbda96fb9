#!/usr/bin/python3 -B
"""Embedding picture: which process sits on which node of the machine.

With --dimension i, nodes are coloured by bit i of their process, and the edges of that dimension of
the cube are drawn: how far and which way a message of that stage goes. Several dimensions, or all
of them, are drawn beside each other. Where nodes host several processes, the colour is the share of
them whose bit is 1, and edges inside nodes are counted.
"""

import argparse
import math

# First, because it says which package is missing.
from plotting.canvas import (
    GREY,
    SKY_BLUE,
    VERMILLION,
    add_load_bar,
    new_figure,
    save,
    set_title,
    whole_ticks,
)
from plotting.documents import Unusable
from plotting.node_maps import (
    cell_size,
    draw_circle,
    draw_on_places,
    draw_panels,
    fits_circle,
    is_on_a_circle,
    label_cells,
    layout_of,
    mark_failures,
    on_circle,
    usual_size,
)
from plotting.options import add_embedding_name, number_ranges, plot_parser, run
from plotting.results import read_placements, under_name
from plotting.text import counted, short

import matplotlib
import numpy
from matplotlib.collections import PathCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.path import Path

BITS = LinearSegmentedColormap.from_list("bits", ["#FFFFFF", SKY_BLUE])
MOST_EDGES = 256  # in one panel; when there are more, some of them are drawn
MOST_EDGES_OF_ALL = 2048
MOST_PANELS = 100
MOST_ARCS = 96  # over a row of cells


def dimensions(text):
    if text == "all":
        return "all"
    try:
        return number_ranges(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f'{text} is no cube dimension (a number, a list such as 0,2-4, or "all")'
        ) from None


def chosen_dimensions(options, placement):
    if options.dimension is None:
        return []
    count = placement.cube_dimensions
    if count == 0:
        raise placement.complaint(
            "--dimension: the processes are no cube (of two or more), so its dimensions cannot be drawn"
        )
    if options.dimension == "all":
        return list(range(count))
    listed = sorted(
        {d for first, last in options.dimension for d in range(first, min(last, 99) + 1)}
    )
    if listed[-1] >= count:
        raise Unusable(
            f"--dimension: {listed[-1]} is no dimension of a cube of "
            f"{counted(placement.processes, 'process')}; choose from 0 .. {count - 1}"
        )
    return listed


def process_of_nodes(placement):
    """The lowest process of every node; a node without one is masked."""
    found = numpy.ma.masked_all(placement.machine.nodes, dtype=int)
    found[placement.nodes[::-1]] = numpy.arange(placement.processes)[::-1]
    return found


# --- Which processes a node hosts ---


def runs_of(processes):
    """ "0–3, 8": ascending numbers, three or more in a row as one."""
    runs = []
    for process in processes:
        if runs and process == runs[-1][-1] + 1:
            runs[-1].append(process)
        else:
            runs.append([process])
    return [
        text
        for run in runs
        for text in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else map(str, run))
    ]


def in_lines(words):
    """Words in about as many lines as there are words in a line."""
    across = max(1, round(math.sqrt(len(words))))
    return "\n".join(" ".join(words[i : i + across]) for i in range(0, len(words), across))


def first_and_rest(processes):
    """ "0–3", or "0" and below it "+3"."""
    runs = runs_of(processes)
    if len(runs) < 2:
        return "".join(runs)
    return f"{processes[0]}\n+{len(processes) - 1}"


def label_choices(placement):
    """Labels of the nodes, in ways that need less and less room."""
    hosted = placement.of_nodes()
    first = ["".join(map(str, processes[:1])) for processes in hosted]
    if max(map(len, hosted)) == 1:
        return [first]
    every = [in_lines(runs_of(processes)) for processes in hosted]
    return [every, [first_and_rest(processes) for processes in hosted], first]


def widest(labels):
    return max(len(line) for label in labels for line in label.split("\n"))


def most_lines(labels):
    return max(label.count("\n") + 1 for label in labels)


# --- Edges ---


def cube_edges(placement, dimension):
    """The two nodes of each edge of a dimension; that of the lower process comes first."""
    lower = numpy.flatnonzero(numpy.arange(placement.processes) & (1 << dimension) == 0)
    return placement.nodes[lower], placement.nodes[lower | (1 << dimension)]


def drawn_edges(placement, dimension):
    """The edges to draw: one for all between the same two nodes, and none inside nodes."""
    starts, ends = cube_edges(placement, dimension)
    if placement.machine.slots == 1:
        return starts, ends
    between = starts != ends
    pairs = numpy.stack([starts[between], ends[between]], axis=1)
    # Both ways between two nodes are one line.
    first = numpy.unique(numpy.sort(pairs, axis=1), axis=0, return_index=True)[1]
    pairs = pairs[numpy.sort(first)]
    return pairs[:, 0], pairs[:, 1]


def edges_inside(placement, dimension):
    starts, ends = cube_edges(placement, dimension)
    return int((starts == ends).sum())


def farthest(starts, ends):
    """In numbers of nodes."""
    return int(numpy.abs(starts - ends).max(initial=1))


def some_of(edges, most):
    """All edges, or evenly spread ones if there are too many; and how many edges each stands for."""
    starts, ends = edges
    step = max(1, math.ceil(len(starts) / most))
    # An even step would meet the same bits again and again.
    step += 1 if step > 1 and step % 2 == 0 else 0
    return (starts[::step], ends[::step]), step


def edge_paths(machine, layout, starts, ends):
    """Bows from cell to cell. One over a wrap-around link leaves at one side and enters at the other.

    A bow is (panel, path). An edge between two slices is a short line out of each.
    """
    paths = []
    for start, end in zip(starts.tolist(), ends.tolist()):
        from_, to = cell(layout, start), cell(layout, end)
        if layout.panel[start] != layout.panel[end]:
            paths += [(layout.panel[node], spike(cell(layout, node))) for node in (start, end)]
            continue
        shift = wrap_shift(machine, layout, from_, to)
        if shift.any():
            paths.append((layout.panel[start], bow(from_, to + shift)))
            paths.append((layout.panel[start], bow(from_ - shift, to)))
        else:
            paths.append((layout.panel[start], bow(from_, to)))
    return paths


def cell(layout, node):
    """The point above its number where edges meet a node."""
    return numpy.array([layout.column[node], layout.row[node] - 0.25])


def wrap_shift(machine, layout, from_, to):
    """What to add to `to`, so that a line to it goes the shorter way round."""
    shift = numpy.zeros(2)
    if not machine.is_closed or machine.dimensions > 3 or machine.dimensions == 1:
        return shift
    for axis, side in enumerate((layout.columns, layout.rows)):
        if machine.lines[axis] != "path" and abs(to[axis] - from_[axis]) * 2 > side:
            shift[axis] = side if to[axis] < from_[axis] else -side
    return shift


def bow(start, end):
    """A line that bends a little to its left. So edges of one row or column can be told apart, and
    pass between the numbers of the nodes."""
    along = end - start
    length = numpy.hypot(*along)
    left = numpy.array([along[1], -along[0]]) / length
    middle = (start + end) / 2 + left * min(0.8, 0.15 + 0.2 * length)
    return Path([start, middle, end], [Path.MOVETO, Path.CURVE3, Path.CURVE3])


def spike(start):
    return Path([start, start + (0.3, -0.22)], [Path.MOVETO, Path.LINETO])


def draw_paths(axes, paths, crowd):
    """The width of a line: the more edges, the thinner. Those that lead around are cut off at the frame."""
    width = 1.4 if crowd <= 16 else 1.0 if crowd <= 64 else 0.6
    frame = axes.viewLim
    inside = [all(frame.contains(*end) for end in path.vertices[[0, -1]]) for path in paths]
    for is_inside in (True, False):
        chosen = [path for path, found in zip(paths, inside) if found == is_inside]
        lines = PathCollection(chosen, facecolors="none", edgecolors=VERMILLION, linewidths=width)
        axes.add_collection(lines, autolim=False)
        lines.set_clip_on(not is_inside)


def chord(start, end, nodes):
    """Draws edges inside the circle of a ring."""
    angles = numpy.array([start, end]) * 2 * numpy.pi / nodes
    a, b = on_circle(0.71, angles)
    apart = min(abs(start - end), nodes - abs(start - end)) / nodes * 2
    return Path(
        [a, (a + b) / 2 * (1 - apart) ** 0.5 * 0.75, b], [Path.MOVETO, Path.CURVE3, Path.CURVE3]
    )


# --- Panels ---


def draw_by_process(options, placement):
    layout = layout_of(placement.machine)
    processes = process_of_nodes(placement)
    colours = matplotlib.colormaps["viridis_r"].with_extremes(bad="#F4F4F4")
    norm = Normalize(0, max(1, placement.processes - 1))
    if placement.drawing and placement.machine.switches:
        figure, *shown = draw_on_places(
            lambda size: new_figure(options, size), placement.machine, placement.drawing, processes,
            colours, norm, label_choices(placement)[-1],
        )  # fmt: skip
    else:
        figure = new_figure(options, usual_size(placement.machine, layout))
        shown = panels_of_one(figure, placement, layout, processes, colours, norm)
        mark_failures(figure, shown[0], placement.machine, layout)
    is_shared = placement.processes > numpy.ma.count(processes)
    name = "lowest process of a node" if is_shared else "process"
    add_load_bar(figure, shown[0], shown[1], name, is_count=True)
    return figure


def panels_of_one(figure, placement, layout, values, colours, norm):
    """Draws one map of the whole machine; returns its axes and what a colour bar needs."""
    if is_on_a_circle(placement.machine):
        axes = figure.subplots()
        mapped = draw_circle(axes, values, colours, norm, circle_labels(placement))
        return [axes], mapped
    shown, mapped = draw_panels(figure, layout, values, colours, norm)
    if labels := legible_labels(
        layout, placement, figure.get_figwidth() - 1, figure.get_figheight() - 0.8
    ):
        label_cells(shown, layout, values, norm, colours, labels)
    return shown, mapped


def circle_labels(placement):
    """The labels that say most and have room in a circle, or else the shortest."""
    choices = label_choices(placement)
    return next(filter(fits_circle, choices), choices[-1])


def legible_labels(layout, placement, width, height, most=99):
    """The labels, of `most` lines at most, to write into cells; none if panels of so many inches
    have no room for them."""
    if placement.machine.nodes > 1024:
        return []
    cell_width, cell_height = cell_size(layout, width, height)
    if placement.machine.slots > 1:  # long labels need to know that cells are squares
        cell_width = cell_height = min(cell_width, cell_height)
    for labels in label_choices(placement):
        is_legible = min(cell_width / widest(labels), cell_height / most_lines(labels)) > 0.085
        if is_legible and most_lines(labels) <= most:
            return labels
    return []


def draw_by_bits(options, placement, chosen):
    """Draws a map for each dimension with its edges; a three-dimensional machine takes several maps."""
    machine, layout = placement.machine, layout_of(placement.machine)
    if len(chosen) * layout.panels > MOST_PANELS:
        raise Unusable(
            f"--dimension: {len(chosen)} dimensions in {layout.panels} slices each are too much "
            f"for one picture; choose at most {max(1, MOST_PANELS // layout.panels)}"
        )
    across = 1 if len(chosen) == 1 else min(3, math.ceil(math.sqrt(len(chosen))))
    if is_strip(machine):
        across = 1
    down = math.ceil(len(chosen) / across)
    figure = new_figure(options, size_of_all(machine, layout, across, down))
    parts = figure.subfigures(down, across, squeeze=False)
    most = min(
        MOST_ARCS if is_strip(machine) else MOST_EDGES, max(16, MOST_EDGES_OF_ALL // len(chosen))
    )
    longest = max(farthest(*drawn_edges(placement, dimension)) for dimension in chosen)
    for part, dimension in zip(parts.flat, chosen):
        part.set_facecolor("none")
        draw_dimension(part, placement, layout, dimension, most, (across, down), longest)
    return figure


def size_of_all(machine, layout, across, down):
    if is_strip(machine):
        return 9, min(18, 0.5 + 2 * down)
    width, height = usual_size(machine, layout)
    if layout.columns * layout.panels > 64 and across > 1:
        width, height = 5.0, 5.0
    scale = 1 if across == 1 else 0.62
    return min(15, width * scale * across), min(18, height * scale * down)


def is_strip(machine):
    """Whether the nodes are drawn in one row, with edges above them."""
    return machine.dimensions == 1 and not is_on_a_circle(machine)


def draw_strip(axes, placement, bits, edges, longest):
    """Draws a line, or a ring that is too long for a circle, as arcs over a row of cells. The height
    of an arc shows how long its edge is, compared with the `longest` one in the picture."""
    nodes = placement.machine.nodes
    colours = BITS.with_extremes(bad="#D8D8D8")
    axes.imshow(
        bits[None, :], cmap=colours, norm=Normalize(0, 1), aspect="auto", interpolation="nearest",
        extent=(-0.5, nodes - 0.5, -0.22, 0),
    )  # fmt: skip
    paths = []
    for a, b in zip(edges[0].tolist(), edges[1].tolist()):
        height = 1.25 * (abs(a - b) / longest) ** 0.6
        points = [(a, 0), (a, height), (b, height), (b, 0)]
        paths.append(Path(points, [Path.MOVETO] + 3 * [Path.CURVE4]))
    draw_paths(axes, paths, len(paths))
    axes.plot(
        [-0.5, nodes - 0.5, nodes - 0.5, -0.5, -0.5],
        [0, 0, -0.22, -0.22, 0],
        color=GREY,
        linewidth=0.8,
    )
    axes.set_ylim(-0.22, 1)
    for name in ("left", "bottom"):
        axes.spines[name].set_visible(False)
    axes.set_yticks([])
    whole_ticks(axes.xaxis)
    if nodes <= 64:
        axes.set_xticks(range(0, nodes, 1 if nodes <= 32 else 4))
        room = 8 / nodes  # inches across a cell
        choices = label_choices(placement)
        fitting = (one for one in choices if widest(one) * 0.05 < room and most_lines(one) <= 3)
        labels = next(fitting, choices[-1])
        for node, label in enumerate(labels):
            size = (8 if nodes <= 32 else 5.5) - (most_lines(labels) - 1)
            axes.text(node, -0.11, label, ha="center", va="center", fontsize=size)
    numbers = (
        "the number in a cell is its process"
        if placement.machine.slots == 1
        else "the numbers in a cell are its processes"
    )
    axes.set_xlabel(f"node; {numbers}" if nodes <= 64 else "node")


def draw_dimension(part, placement, layout, dimension, most, parts, longest):
    machine = placement.machine
    bits = placement.shares(numpy.arange(placement.processes) >> dimension & 1)
    edges, step = some_of(drawn_edges(placement, dimension), most)
    note = "" if step == 1 else f", 1 edge of {step}"
    if inside := edges_inside(placement, dimension):
        whole = inside == placement.processes // 2
        note = ", inside nodes" if whole else f"{note}, {counted(inside, 'edge')} inside nodes"
    part.suptitle(f"cube dimension {dimension}{note}", fontsize=9)
    norm = Normalize(0, 1)
    colours = BITS.with_extremes(bad="#D8D8D8")
    if is_on_a_circle(machine):
        axes = part.subplots()
        draw_circle(axes, bits, colours, norm, circle_labels(placement))
        paths = [chord(a, b, machine.nodes) for a, b in zip(edges[0].tolist(), edges[1].tolist())]
        draw_paths(axes, paths, len(paths))
        return
    if is_strip(machine):
        draw_strip(part.subplots(), placement, bits, edges, longest)
        return
    shown, _ = draw_panels(part, layout, bits, colours, norm, title_size=8)
    by_panel = [[] for _ in shown]
    for panel, path in edge_paths(machine, layout, *edges):
        by_panel[panel].append(path)
    for axes, paths in zip(shown, by_panel):
        draw_paths(axes, paths, len(paths))
    root = part.figure
    width = root.get_figwidth() / parts[0] - 0.6
    height = root.get_figheight() / parts[1] - 0.6
    if labels := legible_labels(layout, placement, width, height, most=1):  # edges pass above
        label_cells(shown, layout, bits, norm, colours, labels, below=0.18)


def draw(options):
    placements = read_placements(options.embedding)
    if not 1 <= options.number <= len(placements):
        raise Unusable(
            f"--number: {options.embedding} has {counted(len(placements), 'embedding')}; "
            f"choose from 1 .. {len(placements)}"
        )
    placement = under_name(placements[options.number - 1], options.name)
    chosen = chosen_dimensions(options, placement)
    figure = (
        draw_by_bits(options, placement, chosen) if chosen else draw_by_process(options, placement)
    )
    usual = f"{short(placement.embedding, 30)} on {placement.machine.title()}"
    if chosen:
        usual += (
            ": blue where the bit of the process is 1"
            if placement.machine.slots == 1
            else ": the bluer, the more processes whose bit is 1"
        )
    set_title(figure, options, usual)
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube embed ring:16 --embedding xor --json > xor.json\n"
        "  scripts/plot_embedding.py xor.json --dimension all -o xor.png",
    )
    parser.add_argument(
        "embedding",
        metavar="FILE",
        help='of `dcube embed --json` or of `dcube run --output`; "-": standard input',
    )
    parser.add_argument(
        "--dimension",
        metavar="I",
        type=dimensions,
        help='dimensions of the cube to draw: a number, a list such as 0,2-4, or "all" '
        "(default: colours show the number of the process)",
    )
    parser.add_argument(
        "--number",
        metavar="N",
        type=int,
        default=1,
        help="which embedding of a file that has several",
    )
    add_embedding_name(parser)
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
