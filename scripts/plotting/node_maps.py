"""Maps with a cell for every node, laid out as the machine is.

Lines go from left to right, rings round a circle while their nodes can be told apart; meshes and
tori have their first coordinate across and the second down; of three dimensions every slice is a
map of its own. A hypercube is folded like a Karnaugh map: half of the bits across, half down, both
in Gray code order, so that neighbours in the map are neighbours in the machine. Other shapes are
folded in two likewise, first dimensions across.
"""

import math
from dataclasses import dataclass

import numpy
from matplotlib.collections import PolyCollection

from .canvas import GREY, hide_frame, whole_ticks
from .failures import cross, cross_cells, cross_circle, explain
from .roads import draw_busy_nodes

MOST_ON_A_CIRCLE = 64
MOST_IN_A_ROW = 64
MOST_LABELLED_SIDE = 16
MOST_CELLS = 512  # along a side


@dataclass(frozen=True)
class Layout:
    """The places of the cells: panel, row and column of each node, and what is across and down."""

    panels: int
    rows: int
    columns: int
    panel: numpy.ndarray
    row: numpy.ndarray
    column: numpy.ndarray
    across: list  # labels of columns
    down: list  # labels of rows
    across_name: str
    down_name: str
    panel_name: str = ""

    def pixels(self, values):
        """The values of nodes as one array for each panel; cells without a node are masked."""
        picture = numpy.ma.masked_all((self.panels, self.rows, self.columns))
        picture[self.panel, self.row, self.column] = values
        return picture


def gray_rank(bits):
    """The position of every number of so many bits in Gray code order."""
    rank = numpy.arange(2**bits)
    order = rank ^ (rank >> 1)
    place = numpy.empty_like(order)
    place[order] = rank
    return place, [format(number, f"0{bits}b") if bits else "" for number in order]


def layout_of(machine):
    nodes = numpy.arange(machine.nodes)
    zeros = numpy.zeros_like(nodes)
    if machine.is_cube:
        low = (machine.dimensions + 1) // 2
        high = machine.dimensions - low
        columns, across = gray_rank(low)
        rows, down = gray_rank(high)
        return Layout(
            1, 2**high, 2**low, zeros, rows[nodes >> low], columns[nodes & (2**low - 1)],
            across, down, f"bits {low - 1} .. 0 of the node" if low > 1 else "bit 0 of the node",
            f"bits {machine.dimensions - 1} .. {low}" if high > 1 else (f"bit {low}" if high else ""),
        )  # fmt: skip
    if machine.dimensions == 1:
        columns = min(machine.nodes, MOST_IN_A_ROW)
        rows = math.ceil(machine.nodes / columns)
        return Layout(
            1, rows, columns, zeros, nodes // columns, nodes % columns,
            list(map(str, range(columns))), [str(row * columns) for row in range(rows)],
            "node" if rows == 1 else f"node, {columns} in a row", "",
        )  # fmt: skip
    if machine.dimensions <= 3:
        width, height, depth = (*machine.sides, 1)[:3]
        return Layout(
            depth, height, width, nodes // (width * height), nodes // width % height, nodes % width,
            list(map(str, range(width))), list(map(str, range(height))), "x", "y", "z = ",
        )  # fmt: skip
    half = (machine.dimensions + 1) // 2
    width = int(numpy.prod(machine.sides[:half]))
    height = machine.nodes // width
    return Layout(
        1, height, width, zeros, nodes // width, nodes % width,
        list(map(str, range(width))), list(map(str, range(height))),
        f"dimensions 1 .. {half}, the first varies fastest",
        f"dimensions {half + 1} .. {machine.dimensions}",
    )  # fmt: skip


def is_on_a_circle(machine):
    return machine.is_ring and 3 <= machine.nodes <= MOST_ON_A_CIRCLE


def usual_size(machine, layout):
    """A size in inches that suits the shape."""
    if is_on_a_circle(machine):
        return 6.4, 5.6
    columns, rows = panel_grid(layout.panels)
    cell = min(0.55, 9 / (columns * layout.columns))
    width = columns * layout.columns * cell
    height = rows * (layout.rows * cell + 0.35)
    return min(14, max(6, width + 2)), min(13, max(2.0, height + 1.3))


def panel_grid(count):
    columns = math.ceil(math.sqrt(count))
    return columns, math.ceil(count / columns)


def thinned(picture):
    """The greatest values of neighbours if cells are too many; and how many rows and columns make one."""
    factors = [math.ceil(side / MOST_CELLS) for side in picture.shape]
    if max(factors) == 1:
        return picture, factors
    filled = numpy.ma.filled(picture, -numpy.inf)
    for axis, factor in enumerate(factors):
        starts = numpy.arange(0, filled.shape[axis], factor)
        filled = numpy.maximum.reduceat(filled, starts, axis=axis)
    return numpy.ma.masked_equal(filled, -numpy.inf), factors


def drawing_scale(drawing):
    """Inches of a unit in a picture of a machine."""
    width, height = drawing.size
    return min(0.62, 11 / width, 10 / height)


def draw_on_places(new_figure, machine, drawing, values, colours, norm, labels):
    """Draws a value for each node where its place is; switches are discs."""
    width, height = drawing.size
    scale = drawing_scale(drawing)
    figure = new_figure((max(6.0, 1.6 + width * scale), 1.2 + height * scale))
    axes = figure.subplots()
    switches = range(machine.nodes - machine.switches, machine.nodes)
    shown = numpy.ma.masked_all(len(drawing.nodes))
    shown[: len(values)] = values
    mapped = draw_busy_nodes(
        axes, drawing.nodes, drawing.node_size / 2, shown, {*switches, *machine.kept_free}, colours, norm
    )
    points = 72 * scale * drawing.node_size * 0.4
    for (x, y), label, value in zip(drawing.nodes, labels, values):
        if points * 3 >= 4.5 * max(1, len(label)) and points >= 4:
            colour = (1, 1, 1) if value is numpy.ma.masked else colours(norm(value))
            axes.text(
                x, y, label, ha="center", va="center", fontsize=min(points, 8),
                color=legible_on(colour), zorder=3, in_layout=False,
            )  # fmt: skip
    for node, at_s in machine.failing_nodes:
        cross(axes, *drawing.nodes[node], at_s, min(10, 72 * scale * drawing.node_size * 0.6))
    explain(axes, machine, {*switches, *machine.kept_free})
    hide_frame(axes)
    axes.set(aspect="equal", xlim=(0, width), ylim=(height, 0))
    return figure, [axes], mapped


def draw_values(new_figure, machine, values, colours, norm, labels, drawing=None):
    """Draws a value for each node; returns the figure, its axes and what a colour bar needs."""
    if drawing and machine.switches:
        return draw_on_places(new_figure, machine, drawing, values, colours, norm, labels)
    layout = layout_of(machine)
    figure = new_figure(usual_size(machine, layout))
    if is_on_a_circle(machine):
        axes = figure.subplots()
        mapped = draw_circle(axes, values, colours, norm, labels)
        mark_failures(figure, [axes], machine, layout)
        return figure, [axes], mapped
    shown, mapped = draw_panels(figure, layout, values, colours, norm)
    cell_inches = min(cell_size(layout, figure.get_figwidth() - 1.6, figure.get_figheight() - 0.8))
    longest = max(map(len, labels), default=1)
    if max(layout.rows, layout.columns) <= MOST_LABELLED_SIDE * 2 and cell_inches > 0.075 * longest:
        label_cells(shown, layout, values, norm, colours, labels)
    mark_failures(figure, shown, machine, layout)
    return figure, shown, mapped


def mark_failures(figure, shown, machine, layout):
    """Crosses what fails in the map of a whole machine, and says what the crosses mean."""
    if is_on_a_circle(machine):
        cross_circle(shown[0], machine, 0.86)
        explain(shown[0], machine)
    else:
        inches = min(cell_size(layout, figure.get_figwidth() - 1.6, figure.get_figheight() - 0.8))
        cross_cells(shown, layout, machine, 72 * inches)
        explain(shown[-1], machine, lines_between=4)  # below coordinates and their name


def cell_size(layout, width, height):
    """The size of a cell in inches, when panels have so many."""
    columns, rows = panel_grid(layout.panels)
    return width / columns / layout.columns, height / rows / layout.rows


def draw_panels(figure, layout, values, colours, norm, title_size=9):
    """Draws panels in a figure or a part of one; returns their axes and what a colour bar needs.
    Coordinates stand beside the first panels and below the last ones, for ticks take most of the time."""
    columns, rows = panel_grid(layout.panels)
    grid = figure.subplots(rows, columns, squeeze=False)
    for unused in grid.flat[layout.panels :]:
        unused.set_visible(False)
    shown = list(grid.flat[: layout.panels])
    for panel, (axes, picture) in enumerate(zip(shown, layout.pixels(values))):
        mapped, factors = draw_panel(axes, picture, colours, norm)
        is_lowest = panel + columns >= layout.panels
        label_ticks(axes.xaxis, layout.across if is_lowest else [], may_slant=True)
        label_ticks(axes.yaxis, layout.down if panel % columns == 0 else [])
        if layout.panels == 1:
            axes.set_xlabel(layout.across_name)
            axes.set_ylabel(layout.down_name)
        if max(factors) > 1:
            cells = f"each cell: the greatest of {factors[1]}×{factors[0]}"
            axes.set_xlabel(f"{layout.across_name} ({cells})")
        if layout.panels > 1:
            axes.set_title(f"{layout.panel_name}{panel}", fontsize=title_size)
    return shown, mapped


def draw_panel(axes, picture, colours, norm):
    shown, factors = thinned(picture)
    height, width = picture.shape
    mapped = axes.imshow(
        shown, cmap=colours, norm=norm, interpolation="nearest",
        extent=(-0.5, width - 0.5, height - 0.5, -0.5),
    )  # fmt: skip
    for spine in axes.spines.values():
        spine.set_visible(True)
    return mapped, factors


def label_ticks(axis, labels, may_slant=False):
    longest = max(map(len, labels), default=0)
    if len(labels) <= 1:
        axis.set_ticks([])
    elif labels[:2] == ["0", "1"] and (len(labels) > 16 or longest > 8):
        whole_ticks(axis)
    else:
        shown = range(0, len(labels), math.ceil(len(labels) / 16))
        is_slanted = may_slant and longest > 4
        texts = [labels[place] for place in shown]
        axis.set_ticks(shown, texts, rotation=90 if is_slanted else 0)


def legible_on(colour):
    """Black or white, whichever stands out more."""
    red, green, blue = colour[:3]
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"


def label_cells(shown, layout, values, norm, colours, labels, below=0.0):
    """Writes numbers into cells, `below` their middle (in cells)."""
    for node, label in enumerate(labels):
        colour = colours(norm(values[node])) if values[node] is not numpy.ma.masked else (1, 1, 1)
        shown[layout.panel[node]].text(
            layout.column[node], layout.row[node] + below, label,
            ha="center", va="center", fontsize=7, color=legible_on(colour), in_layout=False,
        )  # fmt: skip


def draw_circle(axes, values, colours, norm, labels):
    """Draws the nodes of a ring as sectors, clockwise from the top, with their numbers outside."""
    nodes = len(values)
    gap = 2 * numpy.pi / nodes
    sectors = []
    for node in range(nodes):
        angles = (node + numpy.linspace(-0.47, 0.47, 12)) * gap
        sectors.append([*on_circle(1.0, angles), *on_circle(0.72, angles)[::-1]])
    mapped = PolyCollection(
        sectors, array=values, cmap=colours, norm=norm, edgecolors=GREY, linewidths=0.5
    )
    axes.add_collection(mapped)
    angles = numpy.arange(nodes) * gap
    for node, (x, y) in enumerate(on_circle(1.09, angles)):
        axes.text(x, y, str(node), ha="center", va="center", fontsize=8 if nodes <= 32 else 6)
    if fits_circle(labels):
        for node, (x, y) in enumerate(on_circle(0.86, angles)):
            is_empty = values[node] is numpy.ma.masked
            colour = (1, 1, 1) if is_empty else colours(norm(values[node]))
            axes.text(
                x, y, labels[node], ha="center", va="center", fontsize=8, color=legible_on(colour)
            )
    hide_frame(axes)
    axes.set_aspect("equal")
    axes.set_xlim(-1.2, 1.2)
    axes.set_ylim(1.2, -1.2)
    return mapped


def fits_circle(labels):
    """Whether so many labels, maybe of several lines, have room in a circle."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=1)
    lines = max((label.count("\n") + 1 for label in labels), default=1)
    return len(labels) * max(longest, 3 * lines - 2) <= 80 and lines <= 3


def on_circle(radius, angles):
    """A point on a circle, clockwise from the top; the vertical axis points down."""
    return numpy.stack([radius * numpy.sin(angles), -radius * numpy.cos(angles)], axis=-1)
