"""Links of small machines as arrows between their nodes, like lanes of a road.

Their places are those of `dcube report`: one lane a direction, each on the right-hand side of its way;
half-duplex links have one lane without a head.
"""

import numpy
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.patches import Circle

from .canvas import GREY, INK, PALE


LEAST_POINTS = 4  # of a legible number


def arrow(start, end, width, is_half_duplex):
    """The corners of a lane from one point to another."""
    length = numpy.hypot(*(end - start))
    along = (end - start) / length
    half = numpy.array([-along[1], along[0]]) * width / 2
    if is_half_duplex:
        return [start - half, end - half, end + half, start + half]
    neck = end - along * min(0.2, 0.6 * length)
    body = half * 0.75
    return [start - body, neck - body, neck - half, end, neck + half, neck + body, start + body]


def draw_lanes(axes, lanes, values, colours, norm, points):
    """Draws lanes, `points` wide, in the colour of their value, those of most value on top; one that
    nothing went over is white, or grey where there is no room for its edges."""
    order = numpy.argsort(values, kind="stable")
    shown = numpy.ma.masked_equal(numpy.asarray(values, dtype=float)[order], 0)
    has_edges = points >= 1.5
    drawn = PolyCollection(
        [lanes[i] for i in order],
        array=shown,
        cmap=colours if has_edges else colours.with_extremes(bad=PALE),
        norm=norm,
        edgecolors=GREY if has_edges else "face",
        linewidths=0.4 if has_edges else max(0, 0.8 - points),
    )
    axes.add_collection(drawn)
    return drawn


def draw_busy_nodes(axes, places, half, values, forwarding, colours, norm):
    """Draws nodes in the colour of a value each: squares, or discs where they only forward messages."""
    corners = numpy.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    angles = numpy.linspace(0, 2 * numpy.pi, 17)[:-1]
    round_ = half * numpy.stack([numpy.cos(angles), numpy.sin(angles)], axis=1)
    shapes = [place + (round_ if node in forwarding else corners) for node, place in enumerate(places)]
    drawn = PolyCollection(
        shapes, array=values, cmap=colours, norm=norm, edgecolors=GREY,
        linewidths=0.3,
    )  # fmt: skip
    axes.add_collection(drawn)
    return drawn


def draw_nodes(axes, places, half, points, forwarding=()):
    """Draws nodes as squares of twice `half` a side, with their numbers if these are legible. Those that
    only forward messages are white discs."""
    corners = numpy.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    hosting = [node for node in range(len(places)) if node not in forwarding]
    squares = places[hosting][:, None, :] + corners[None, :, :]
    thin = min(1.0, points / 3)
    axes.add_collection(
        PolyCollection(squares, facecolors=PALE, edgecolors=GREY, linewidths=0.5 * thin, zorder=2)
    )
    discs = [Circle(places[node], half) for node in sorted(forwarding)]
    axes.add_collection(
        PatchCollection(discs, facecolors="white", edgecolors=INK, linewidths=0.8 * thin, zorder=2)
    )
    for node, (x, y) in enumerate(places if points >= LEAST_POINTS else ()):
        axes.text(
            x, y, str(node), ha="center", va="center", fontsize=min(points, 8), color=INK, zorder=3,
            in_layout=False,
        )  # fmt: skip
