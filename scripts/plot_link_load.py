#!/usr/bin/python3 -B
"""Link-load heat map of a run, on the machine's own shape.

Of a placement that was not simulated (`dcube embed --write links:FILE`), colours are bytes.
"""

import math

# First, because it says which package is missing.
from plotting.canvas import (
    BLUE,
    ORANGE,
    add_load_bar,
    hide_frame,
    load_map,
    load_norm,
    new_figure,
    save,
    set_title,
    whole_ticks,
)
from plotting.failures import cross, cross_circle, dashed, explain
from plotting.node_maps import on_circle
from plotting.options import plot_parser, run
from plotting.results import read_links, read_loads
from plotting.roads import NODE, STUB, draw_circle_lanes, draw_lanes, draw_marks, draw_nodes, lanes_of
from plotting.text import figure as figure_text

import numpy

LABELS = {
    "messages": "messages",
    "busy": "share of the makespan that the link is busy",
    "bytes": "bytes",
}
AXES = "xyz"
ARROWS = ["→←", "↓↑", "▼▲"]
# Above these sides, lanes would be too thin to see.
MOST_ON_A_LINE = 32
MOST_ON_A_CIRCLE = 64
MOST_ON_A_PLANE = 20
MOST_ON_A_SLICE = 8
MOST_CELLS = 512  # along a side of the picture; more are put together


class LinkPicture:
    """A figure, its colours and the loads that it shows."""

    def __init__(self, options, machine, links, size):
        self.figure = new_figure(options, size)
        self.machine = machine
        self.links = links
        self.colours = load_map()
        self.norm = load_norm(links.most(), options.value != "busy")
        self.label = LABELS[options.value]
        self.mapped = None
        self.axes = []

    def grid(self, rows, columns):
        grid = self.figure.subplots(rows, columns, squeeze=False)
        self.axes += list(grid.flat)
        return grid


# --- Small machines: arrows ---


def draw_ring(options, machine, links):
    picture = LinkPicture(options, machine, links, (6.4, 5.6))
    axes = picture.grid(1, 1)[0, 0]
    nodes = machine.nodes
    angles = numpy.arange(nodes) * 2 * numpy.pi / nodes
    picture.mapped = draw_circle_lanes(
        axes,
        nodes,
        links.origin,
        links.step,
        links.values,
        links.is_half_duplex,
        picture.colours,
        picture.norm,
    )
    for node, (x, y) in enumerate(on_circle(1.0, angles)):
        axes.text(x, y, str(node), ha="center", va="center", fontsize=9 if nodes <= 32 else 6)
    for a, b, at_s in machine.failing_links:
        middle = min(a, b) + 0.5 if abs(a - b) == 1 else nodes - 0.5
        cross(axes, *on_circle(1.0, middle * 2 * numpy.pi / nodes), at_s, 7)
    cross_circle(axes, machine, 1.0)
    explain(axes, machine)
    if not links.is_half_duplex:
        axes.text(0, 0, "outside: clockwise\ninside: anticlockwise", ha="center", va="center")
    frame_map(axes, -1.2, 1.2, -1.2, 1.2)
    return picture


def frame_map(axes, left, right, top, bottom):
    hide_frame(axes)
    axes.set_aspect("equal")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)


def draw_plane(options, machine, links):
    """Draws lines, meshes and tori of one or two dimensions, and the slices of three."""
    width, height, depth = (*machine.sides, 1, 1)[:3]
    columns = min(depth, max(1, math.ceil(math.sqrt(depth))))
    rows = math.ceil(depth / columns)
    if depth > 1:
        size = (min(14, 1.5 + columns * max(2.0, width * 0.42)), 1 + rows * max(2.0, height * 0.45))
    else:
        size = (min(13, max(6.0, 2.2 + width * 0.62)), min(12, 1.5 + height * 0.62))
    picture = LinkPicture(options, machine, links, size)
    grid = picture.grid(rows, columns)
    places = machine.coordinates()
    margin = 0.75 if machine.is_closed else 0.45
    cell_points = 72 * min(size[0] / columns / (width + 1.5), size[1] / rows / (height + 1.5))
    for level, axes in enumerate(grid.flat):
        if level >= depth:
            axes.set_visible(False)
            continue
        draw_slice(picture, axes, places, level, cell_points)
        frame_map(axes, -margin, width - 1 + margin, -margin, height - 1 + margin)
        if depth > 1:
            axes.set_title(f"z = {level}", fontsize=9)
    if depth > 1:
        picture.figure.supxlabel("triangles: links along z, ▼ to z + 1, ▲ to z − 1", fontsize=8)
    explain(grid.flat[depth - 1], machine)
    return picture


def draw_slice(picture, axes, places, level, cell_points):
    links = picture.links
    is_flat = picture.machine.dimensions < 3
    here = numpy.arange(len(places)) if is_flat else numpy.flatnonzero(places[:, 2] == level)
    plane = numpy.zeros((len(places), 2))
    plane[:, : min(2, places.shape[1])] = places[:, :2]
    lanes, values = [], []
    for link in numpy.flatnonzero(numpy.isin(links.origin, here) & (links.dimension < 2)):
        made = lanes_of(
            plane[links.origin[link]],
            plane[links.target[link]],
            links.step[link],
            links.wraps[link],
            links.dimension[link],
            links.is_half_duplex,
        )
        lanes += made
        values += [links.values[link]] * len(made)
    picture.mapped = draw_lanes(axes, lanes, values, picture.colours, picture.norm)
    for step in (1, -1):
        up = numpy.isin(links.origin, here) & (links.dimension == 2) & (links.step == step)
        if up.any():
            picture.mapped = draw_marks(
                axes,
                plane[links.origin[up]],
                links.values[up],
                picture.colours,
                picture.norm,
                step > 0,
            )
    draw_nodes(axes, plane[here], [str(node) for node in here], cell_points * 0.17)
    mark_slice(axes, picture.machine, places, set(here.tolist()), cell_points)


def mark_slice(axes, machine, places, here, cell_points):
    """Crosses the nodes of a slice that fail, and their links in its plane."""
    for node, at_s in machine.failing_nodes:
        if node in here:
            cross(axes, *point(places, node), at_s, min(10, 0.3 * cell_points))
    for a, b, at_s in machine.failing_links:
        if not {a, b} <= here:
            continue
        start, end = point(places, a), point(places, b)
        along = end - start
        if numpy.abs(along).sum() <= 1:
            dashed(axes, start + along * NODE, end - along * NODE, at_s)
            continue
        # Round the machine: a stub at either end. A wrap of a twisted torus shifts the other side.
        last = numpy.array([*machine.sides, 1][:2]) - 1
        outwards = numpy.where(numpy.abs(along) == last, numpy.sign(along), 0)
        dashed(axes, start - outwards * NODE, start - outwards * STUB, at_s)
        dashed(axes, end + outwards * NODE, end + outwards * STUB, at_s)


def point(places, node):
    """Where a node is in the plane of its slice."""
    return numpy.array([*places[node, :2], 0.0][:2], dtype=float)


# --- Large machines: a map for each direction ---


def field(picture, dimension, step):
    """The load of the link that leaves each node this way, as an array with the last coordinate first."""
    links, machine = picture.links, picture.machine
    values = numpy.zeros(machine.nodes)
    chosen = (links.dimension == dimension) & (links.step == step)
    values[links.origin[chosen]] = links.values[chosen]
    return values.reshape(machine.sides[::-1])


def ways(picture):
    steps = (1,) if picture.links.is_half_duplex else (1, -1)
    return [(dim, step) for dim in range(picture.machine.dimensions) for step in steps]


def way_name(picture, dimension, step):
    if picture.links.is_half_duplex:
        return f"along {AXES[dimension]}"
    arrow = ARROWS[dimension][0 if step > 0 else 1]
    return f"{AXES[dimension]} {'+' if step > 0 else '−'} 1 {arrow}"


def thinned(values, most=MOST_CELLS):
    """The greatest values of neighbours, at most `most` along a side; and how many make one."""
    factors = [math.ceil(side / most) for side in values.shape]
    for axis, factor in enumerate(factors):
        if factor > 1:
            side = values.shape[axis]
            starts = numpy.arange(0, side, factor)
            values = numpy.maximum.reduceat(values, starts, axis=axis)
    return values, factors


def show_field(picture, axes, values, extent=None):
    shown, factors = thinned(values)
    picture.mapped = axes.imshow(
        numpy.ma.masked_equal(shown, 0),
        cmap=picture.colours,
        norm=picture.norm,
        interpolation="nearest",
        origin="upper",
        extent=extent or (-0.5, values.shape[1] - 0.5, values.shape[0] - 0.5, -0.5),
    )
    return factors


def draw_fields(options, machine, links):
    """Draws a map for each direction, and in three dimensions for each direction and slice."""
    depth = machine.sides[2] if machine.dimensions == 3 else 1
    count = machine.dimensions * (1 if links.is_half_duplex else 2)
    if depth == 1:
        return draw_flat_fields(options, machine, links)
    shown = min(depth, 16)
    size = (min(16, 2 + shown * 0.95), 1.2 + count * 0.95)
    picture = LinkPicture(options, machine, links, size)
    grid = picture.grid(count, shown)
    groups = numpy.array_split(numpy.arange(depth), shown)
    for row, (dimension, step) in enumerate(ways(picture)):
        values = field(picture, dimension, step)
        for column, group in enumerate(groups):
            axes = grid[row, column]
            show_field(picture, axes, values[group].max(axis=0))
            axes.set_xticks([])
            axes.set_yticks([])
            if row == 0:
                last = f"–{group[-1]}" if len(group) > 1 else ""
                axes.set_title(f"z = {group[0]}{last}", fontsize=8)
        grid[row, 0].set_ylabel(way_name(picture, dimension, step), fontsize=8)
    picture.figure.supxlabel("each cell: the link that leaves a node this way", fontsize=8)
    return picture


def draw_flat_fields(options, machine, links):
    count = 2 * (1 if links.is_half_duplex else 2)
    width, height = machine.sides
    is_wide = width >= 3 * height
    rows, columns = (count, 1) if is_wide else (count // 2, 2)
    if count == 2 and not is_wide:
        rows, columns = 1, 2
    shape = min(3.0, height / width)
    size = (9.5, min(12, 1.2 + rows * (0.6 + 8.4 / columns * shape)))
    picture = LinkPicture(options, machine, links, size)
    grid = picture.grid(rows, columns)
    for axes, (dimension, step) in zip(grid.flat, ways(picture)):
        factors = show_field(picture, axes, field(picture, dimension, step))
        axes.set_title(f"links {way_name(picture, dimension, step)}")
        for node, at_s in machine.failing_nodes:
            cross(axes, node % width, node // width, at_s, max(2.0, min(8, 150 / max(width, height))))
        whole_ticks(axes.xaxis)
        whole_ticks(axes.yaxis)
    note_of_thinning(picture, factors)
    if machine.failing_nodes:
        explain(axes, machine)
    return picture


def note_of_thinning(picture, factors):
    if max(factors) > 1:
        cells = "×".join(str(factor) for factor in factors[::-1])
        picture.figure.supxlabel(f"each cell: the greatest load of {cells} nodes", fontsize=8)


# --- Long lines and rings: a profile ---


def draw_profile(options, machine, links):
    """Draws load against position, with a curve for each way over a strip that shows the same."""
    picture = LinkPicture(options, machine, links, (10, 4.2))
    top, strip = picture.figure.subplots(2, 1, sharex=True, height_ratios=[5, 1])
    picture.axes = [top, strip]
    directions = ways(picture)
    names = ["to the next node", "to the node before"]
    rows = []
    for (dimension, step), colour, dashes, name in zip(
        directions, (BLUE, ORANGE), ("-", "--"), names
    ):
        values = field(picture, dimension, step)
        shown, factors = thinned(values, 1000)
        places = numpy.arange(len(shown)) * factors[0]
        top.step(
            places, shown, where="post", color=colour, linestyle=dashes, linewidth=1, label=name
        )
        rows.append(values)
    if not links.is_half_duplex:
        top.legend(loc="upper right", ncols=2)
    top.grid(axis="y")
    top.set_ylim(0)
    top.set_ylabel(picture.label)
    if options.value != "busy":
        whole_ticks(top.yaxis)
    extent = (0, machine.nodes, len(rows) - 0.5, -0.5)
    factors = show_field(picture, strip, numpy.array(rows), extent)
    strip.set_aspect("auto")
    strip.set_yticks(range(len(rows)), ["→", "←"][: len(rows)])
    strip.set_xlabel("node that the link leaves")
    whole_ticks(strip.xaxis)
    if max(factors) > 1:
        strip.set_xlabel(
            f"node that the link leaves (each cell: the greatest load of {max(factors)})"
        )
    return picture


# --- Cubes and tori of many dimensions: a row for each direction ---


def draw_matrix(options, machine, links):
    is_cube = machine.is_cube
    picture = LinkPicture(options, machine, links, (10, 1))
    rows, names = [], []
    for dimension, step in ways(picture):
        if is_cube and step < 0:
            continue
        values = field(picture, dimension, step).ravel()
        if is_cube and not links.is_half_duplex:
            values = values + field(picture, dimension, -step).ravel()
        rows.append(values)
        names.append(str(dimension) if is_cube else matrix_name(picture, dimension, step))
    height = 1.5 + 0.34 * len(rows)
    if not options.size:
        picture.figure.set_size_inches(10, height)
    axes = picture.grid(1, 1)[0, 0]
    factors = show_field(picture, axes, numpy.array(rows))
    axes.set_aspect("auto")
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylabel("cube dimension" if is_cube else "direction")
    whole_ticks(axes.xaxis)
    axes.set_xlabel(
        "node that the link leaves" if not links.is_half_duplex else "lower node of the link"
    )
    if factors[1] > 1:
        axes.set_xlabel(f"node that the link leaves (each cell: the greatest load of {factors[1]})")
    if machine.nodes <= 128:
        axes.set_xticks(numpy.arange(machine.nodes + 1) - 0.5, minor=True)
        axes.set_yticks(numpy.arange(len(rows) + 1) - 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=0.6)
        axes.tick_params(which="minor", length=0)
    return picture


def matrix_name(picture, dimension, step):
    sign = "" if picture.links.is_half_duplex else {1: " +1", -1: " −1"}[step]
    return f"{dimension + 1}{sign}"


# --- All of it ---


def draw_links(options, machine, links):
    """Draws the picture in the way that suits the shape and the size of the machine."""
    sides = machine.sides
    if machine.is_cube or machine.dimensions > 3:
        return draw_matrix(options, machine, links)
    if machine.dimensions == 1:
        if machine.is_ring and machine.nodes <= MOST_ON_A_CIRCLE:
            return draw_ring(options, machine, links)
        if not machine.is_ring and machine.nodes <= MOST_ON_A_LINE:
            return draw_plane(options, machine, links)
        return draw_profile(options, machine, links)
    most = MOST_ON_A_PLANE if machine.dimensions == 2 else MOST_ON_A_SLICE
    if max(sides) <= most and (machine.dimensions < 3 or sides[2] <= 9):
        return draw_plane(options, machine, links)
    return draw_fields(options, machine, links)


def draw_host(picture):
    """Describes the host computer's links beside the picture, for it has no place in the shape."""
    links = picture.links
    if not len(links.host_nodes):
        return
    nodes = ", ".join(map(str, links.host_nodes[:3])) + (
        ", .." if len(links.host_nodes) > 3 else ""
    )
    text = (
        f"host computer at {'node' if len(links.host_nodes) == 1 else 'nodes'} {nodes}: "
        f"to it {figure_text(float(links.to_host.max()))}, from it {figure_text(float(links.from_host.max()))}"
    )
    picture.figure.supxlabel(text, fontsize=8)


def draw(options):
    result = read_loads(options.result)
    options.value = options.value or ("messages" if result.outcome else "bytes")
    links = read_links(result, options.value)
    picture = draw_links(options, result.machine, links)
    draw_host(picture)
    is_count = options.value != "busy"
    add_load_bar(picture.figure, picture.axes, picture.mapped, picture.label, is_count)
    set_title(picture.figure, options, f"Link load: {result.title()}")
    save(picture.figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube run scenarios/quickstart.json --output xor.json\n"
        "  scripts/plot_link_load.py xor.json -o link-load.png",
    )
    parser.add_argument(
        "result", metavar="RESULT", help='of `dcube run --output`; "-": standard input'
    )
    parser.add_argument(
        "--value",
        choices=["messages", "busy", "bytes"],
        help="what a colour stands for: messages that crossed the link, the share of the makespan "
        "it was busy, or the bytes of a placement (default: messages)",
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
