#!/usr/bin/python3 -B
"""Link-load heat map of a run, on the machine's own shape.

Of a placement that was not simulated (`dcube embed --write links:FILE`), colours are bytes.
"""

import math

# First, because it says which package is missing.
from plotting.canvas import (
    GREY,
    INK,
    VERMILLION,
    add_load_bar,
    hide_frame,
    load_map,
    load_norm,
    new_figure,
    save,
    set_title,
    whole_ticks,
)
from plotting.documents import Unusable
from plotting.failures import cross, dashed, explain
from plotting.node_maps import drawing_scale, thinned
from plotting.options import add_embedding_name, plot_parser, run
from plotting.results import (
    forwarding_nodes,
    read_classes,
    read_drawing,
    read_links,
    read_loads,
    under_name,
)
from plotting.roads import LEAST_POINTS, arrow, draw_busy_nodes, draw_lanes, draw_nodes
from plotting.text import counted
from plotting.text import figure as figure_text

import numpy
from matplotlib.ticker import MaxNLocator

LABELS = {
    "messages": "messages",
    "busy": "busy time / makespan",
    "bytes": "bytes",
}
MOST_NODES_WITH_CLASSES = 2000  # above, a drawing shows less than figures do
AXES = "xyz"
ARROWS = ["→←", "↓↑", "▼▲"]


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


def draw_arrows(options, machine, links, drawing, forwarding):
    """Draws every link where dcube draws it: as an arrow, or as two stubs that lead round."""
    width, height = drawing.size
    scale = drawing_scale(drawing)
    size = (max(4.6, 1.6 + width * scale), 1.2 + height * scale)
    picture = LinkPicture(options, machine, links, size)
    axes = picture.grid(1, 1)[0, 0]
    if drawing.pieces:
        lanes, values = [], []
        for ends, value in links.all():
            for start, end in drawing.pieces[ends]:
                lanes.append(arrow(start, end, drawing.lane, links.is_half_duplex))
                values.append(value)
        lane_points = 72 * scale * drawing.lane
        picture.mapped = draw_lanes(axes, lanes, values, picture.colours, picture.norm, lane_points)
        points = 72 * scale * drawing.node_size * 0.4
        draw_nodes(axes, drawing.nodes, drawing.node_size / 2, points, forwarding)
    else:
        most = numpy.ma.masked_equal(busiest_at(links, len(drawing.nodes)), 0)
        picture.mapped = draw_busy_nodes(
            axes, drawing.nodes, 0.4, most, forwarding, picture.colours, picture.norm
        )
        axes.set_xlabel("each node: the busiest link that leaves it")
    points = 72 * scale * drawing.node_size
    corner = numpy.array([0.28, -0.28]) * drawing.node_size  # beside the number
    for node, at_s in machine.failing_nodes:
        if points * 0.4 >= LEAST_POINTS and drawing.pieces:
            cross(axes, *(drawing.nodes[node] + corner), at_s, min(10, points * 0.25))
        else:
            cross(axes, *drawing.nodes[node], at_s, min(10, points * 0.6))
    for pieces, at_s in drawing.failing:
        for start, end in pieces:
            dashed(axes, start, end, at_s)
    explain(axes, machine, forwarding)
    hide_frame(axes)
    axes.set(aspect="equal", xlim=(0, width), ylim=(height, 0))
    return picture


def busiest_at(links, nodes):
    """The load of the busiest link that leaves each node; half-duplex links leave both ends."""
    most = numpy.zeros(nodes)
    for (start, end), value in links.all():
        for node in (start, end) if links.is_half_duplex else (start,):
            most[node] = max(most[node], value)
    return most


# --- Large networks of switches: a row for each class of links ---


def draw_classes(options, result, classes):
    """Draws how many links of each class have which load, the mean and the busiest."""
    machine = result.machine
    share = result.makespan_s if options.value == "busy" and result.makespan_s > 0 else 1
    most = max(row.get("max").number(0) for row in classes) / share
    figure = new_figure(options, (9, 1.4 + 0.85 * len(classes)))
    rows = figure.subplots(len(classes), 1, sharex=True, squeeze=False)[:, 0]
    colours, norm = load_map(), load_norm(most, False)
    for axes, row in zip(rows, classes):
        counts = numpy.array([item.whole(0) for item in row.get("histogram").items()])
        edges = numpy.linspace(0, most or 1, len(counts) + 1)
        middles = (edges[:-1] + edges[1:]) / 2
        axes.bar(middles, counts, edges[1] * 0.94, color=colours(norm(middles)), edgecolor=GREY, linewidth=0.4)
        mean, top = (row.get(key).number(0) / share for key in ("mean", "max"))
        axes.axvline(mean, color=INK, linestyle="--", linewidth=1)
        axes.plot([top], [0], marker="v", color=VERMILLION, clip_on=False, zorder=3)
        way = row.get("way").text()
        name = row.get("class").text() + (f", {way}" if way else "")
        links, unused = (row.get(key).whole(0) for key in ("links", "unused"))
        busiest = row.get("busiest").text()
        axes.set_title(
            f"{name}: {counted(links, 'link')}, {unused:,} unused, mean {figure_text(mean)}, "
            f"busiest {figure_text(top)}" + (f" ({busiest})" if busiest else ""),
            loc="left",
            fontsize=8.5,
        )
        axes.set_ylabel("links", fontsize=8)
        axes.yaxis.set_major_locator(MaxNLocator(2, integer=True))
        axes.margins(x=0.01)
    rows[-1].set_xlabel(f"{LABELS[options.value]} of a link; dashed: the mean, triangle: the busiest")
    set_title(figure, options, f"Link load: {result.title()}")
    save(figure, options)


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


def show_field(picture, axes, values):
    shown, factors = thinned(values)
    picture.mapped = axes.imshow(
        numpy.ma.masked_equal(shown, 0),
        cmap=picture.colours,
        norm=picture.norm,
        interpolation="nearest",
        origin="upper",
        extent=(-0.5, values.shape[1] - 0.5, values.shape[0] - 0.5, -0.5),
    )
    return factors


def draw_fields(options, machine, links):
    """Draws a map for each direction, and in three dimensions for each direction and slice."""
    if machine.dimensions == 2:
        return draw_flat_fields(options, machine, links)
    depth = machine.sides[2]
    count = 3 * (1 if links.is_half_duplex else 2)
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
            axes.set(xticks=[], yticks=[])
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


# --- Long rings, cubes and tori of many dimensions: a row for each direction ---


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
        sign = "" if links.is_half_duplex else {1: " +1", -1: " −1"}[step]
        names.append(str(dimension) if is_cube else f"{dimension + 1}{sign}")
    if not options.size:
        picture.figure.set_size_inches(10, 1.5 + 0.34 * len(rows))
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


# --- All of it ---


def draw_links(options, machine, links, drawing, forwarding):
    """Draws the picture in the way that suits the shape and the size of the machine."""
    if drawing:
        if not {ends for ends, _ in links.all()} <= drawing.ends:
            raise Unusable(f"{options.result}: /link_loads: a link joins nodes that are no neighbours")
        return draw_arrows(options, machine, links, drawing, forwarding)
    if not machine.has_sides:
        problem = f"the links of a {machine.words()} have no picture where the result holds no drawing"
        raise Unusable(f"{options.result}: {problem}; `dcube report` draws them")
    are_fields = not machine.is_cube and machine.dimensions in (2, 3)
    return (draw_fields if are_fields else draw_matrix)(options, machine, links)


def draw_host(picture):
    """Describes the host computer's links beside the picture, for it has no place in maps."""
    links = picture.links
    if not len(links.host_nodes):
        return
    nodes = ", ".join([*map(str, links.host_nodes[:3]), *[".."] * (len(links.host_nodes) > 3)])
    to_host, from_host = (figure_text(float(list_.max())) for list_ in (links.to_host, links.from_host))
    picture.figure.supxlabel(
        f"host computer at {'node' if len(links.host_nodes) == 1 else 'nodes'} {nodes}: "
        f"to it {to_host}, from it {from_host}",
        fontsize=8,
    )


def draw(options):
    result = under_name(read_loads(options.result), options.name)
    options.value = options.value or ("messages" if result.outcome else "bytes")
    classes = read_classes(result, options.value)
    if classes and result.machine.nodes > MOST_NODES_WITH_CLASSES:
        draw_classes(options, result, classes)
        return
    links = read_links(result, options.value)
    picture = draw_links(
        options, result.machine, links, read_drawing(result.document), forwarding_nodes(result)
    )
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
    add_embedding_name(parser)
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
