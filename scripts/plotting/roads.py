"""Links of small machines as arrows between their nodes, like lanes of a road.

Their places are those of `dcube report`: one lane a direction, each on the right-hand side of its way;
half-duplex links have one lane without a head.
"""

import numpy
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.patches import Circle

from .canvas import GREY, INK, PALE


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


def draw_lanes(axes, lanes, values, colours, norm):
    """Draws lanes in the colour of their value; one that nothing went over is white."""
    shown = numpy.ma.masked_equal(numpy.asarray(values, dtype=float), 0)
    drawn = PolyCollection(
        lanes, array=shown, cmap=colours, norm=norm, edgecolors=GREY, linewidths=0.4
    )
    axes.add_collection(drawn)
    return drawn


def draw_nodes(axes, places, half, points, forwarding=()):
    """Draws nodes as squares of twice `half` a side, with their numbers if these are legible. Those that
    only forward messages are white discs."""
    corners = numpy.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    hosting = [node for node in range(len(places)) if node not in forwarding]
    squares = places[hosting][:, None, :] + corners[None, :, :]
    axes.add_collection(
        PolyCollection(squares, facecolors=PALE, edgecolors=GREY, linewidths=0.5, zorder=2)
    )
    discs = [Circle(places[node], half) for node in sorted(forwarding)]
    axes.add_collection(
        PatchCollection(discs, facecolors="white", edgecolors=INK, linewidths=0.8, zorder=2)
    )
    for node, (x, y) in enumerate(places if points >= 4 else ()):
        axes.text(
            x, y, str(node), ha="center", va="center", fontsize=min(points, 8), color=INK, zorder=3,
            in_layout=False,
        )  # fmt: skip
