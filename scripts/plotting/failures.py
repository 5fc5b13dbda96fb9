"""Crosses on nodes and links that fail: grey from the start, dark during the run."""

import numpy
from matplotlib.lines import Line2D

from .canvas import GREY, INK

NAMES = ("has failed", "fails during the run")


def colour_of(at_s):
    return INK if at_s > 0 else GREY


def cross(axes, x, y, at_s, points):
    axes.plot(
        [x], [y], linestyle="none", marker="x", markersize=points, markeredgewidth=max(1, points / 6),
        color=colour_of(at_s), zorder=5,
    )  # fmt: skip


def cross_cells(shown, layout, machine, cell_points):
    """Crosses the cells of nodes that fail."""
    for node, at_s in machine.failing_nodes:
        axes = shown[layout.panel[node]]
        cross(axes, layout.column[node], layout.row[node], at_s, min(10, 0.7 * cell_points))


def cross_circle(axes, machine, radius):
    """Crosses the nodes of a ring that fail."""
    for node, at_s in machine.failing_nodes:
        angle = node * 2 * numpy.pi / machine.nodes
        cross(axes, radius * numpy.sin(angle), -radius * numpy.cos(angle), at_s, 8)


def dashed(axes, start, end, at_s):
    """A link that fails: a line where it has failed from the start, and a cross in its middle."""
    if at_s == 0:
        axes.plot(*zip(start, end), linestyle=(0, (2, 2)), linewidth=1, color=GREY, zorder=1)
    middle = (numpy.asarray(start) + numpy.asarray(end)) / 2
    cross(axes, *middle, at_s, 7)


def explain(axes, machine, forwarding=(), lines_between=0.5):
    """Says below a map what the crosses and the discs mean."""
    instants = [at_s for *_, at_s in (*machine.failing_nodes, *machine.failing_links)]
    kinds = sorted({at_s > 0 for at_s in instants})
    entries = [
        Line2D([], [], linestyle="none", marker="x", color=colour_of(float(is_later)), label=NAMES[is_later])
        for is_later in kinds
    ]
    if forwarding:
        entries.append(
            Line2D([], [], linestyle="none", marker="o", markerfacecolor="white", color=INK, label="no process")
        )
    if not entries:
        return
    axes.legend(
        handles=entries, loc="upper left", bbox_to_anchor=(0, -0.02), ncols=3, frameon=False, fontsize=8,
        borderaxespad=lines_between,
    )
