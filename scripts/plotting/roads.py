"""Links of small machines as arrows between their nodes, like lanes of a road.

One lane a direction, each on the right-hand side of its way; half-duplex links have one lane
without a head. A link from one end of a dimension to the other is a stub at both ends.
"""

import numpy
from matplotlib.collections import PolyCollection

from .canvas import GREY, INK, PALE
from .node_maps import on_circle

NODE = 0.2  # half a side of a node, where neighbours are 1 apart
LANE = 0.085  # from the middle of a link to the middle of a lane
WIDTH = 0.075  # half the width of a lane
STUB = 0.62  # how far a link that wraps sticks out, from the middle of its node


def arrow(start, end, is_half_duplex):
    """The corners of a lane from one point to another."""
    along = (end - start) / numpy.hypot(*(end - start))
    right = numpy.array([-along[1], along[0]])  # the vertical axis points down
    if is_half_duplex:
        half = right * WIDTH
        return [start - half, end - half, end + half, start + half]
    start, end = start + right * LANE, end + right * LANE
    neck = end - along * 0.2
    body, head = right * WIDTH * 0.55, right * WIDTH
    return [start - body, neck - body, neck - head, end, neck + head, neck + body, start + body]


def lanes_of(start, end, step, wraps, axis, is_half_duplex):
    """The one arrow of a link, or the two stubs of one that wraps. `axis` is 0 across, 1 down."""
    along = numpy.zeros(2)
    along[axis] = step
    if not wraps:
        return [arrow(start + along * NODE, end - along * NODE, is_half_duplex)]
    return [
        arrow(start + along * NODE, start + along * STUB, is_half_duplex),
        arrow(end - along * STUB, end - along * NODE, is_half_duplex),
    ]


def draw_lanes(axes, lanes, values, colours, norm):
    """Draws lanes in the colour of their value; one that nothing went over is white."""
    shown = numpy.ma.masked_equal(numpy.asarray(values, dtype=float), 0)
    drawn = PolyCollection(
        lanes, array=shown, cmap=colours, norm=norm, edgecolors=GREY, linewidths=0.4
    )
    axes.add_collection(drawn)
    return drawn


def draw_nodes(axes, places, labels, points):
    """Draws nodes as squares, with their numbers if these are legible."""
    squares = [
        [(x - NODE, y - NODE), (x + NODE, y - NODE), (x + NODE, y + NODE), (x - NODE, y + NODE)]
        for x, y in places
    ]
    axes.add_collection(
        PolyCollection(squares, facecolors=PALE, edgecolors=GREY, linewidths=0.5, zorder=2)
    )
    if points >= 4:
        for (x, y), label in zip(places, labels):
            axes.text(
                x, y, label, ha="center", va="center", fontsize=min(points, 8), color=INK, zorder=3,
                in_layout=False,
            )  # fmt: skip


def draw_circle_lanes(axes, nodes, origin, step, values, is_half_duplex, colours, norm):
    """Draws a ring. Links are arcs; the clockwise ones are outside."""
    gap = 2 * numpy.pi / nodes
    lanes = []
    spread = 0.0 if is_half_duplex else 0.045
    for a, s in zip(origin.tolist(), step.tolist()):
        radius = 1 + spread * s
        angles = (a + s * numpy.linspace(0.22, 0.78, 12)) * gap
        lanes.append(arc_arrow(radius, angles, is_half_duplex))
    return draw_lanes(axes, lanes, values, colours, norm)


def arc_arrow(radius, angles, is_half_duplex):
    width = 0.028
    if is_half_duplex:
        outer, inner = on_circle(radius + width, angles), on_circle(radius - width, angles)
        return [*outer, *inner[::-1]]
    neck = angles[:-4]
    outer = on_circle(radius + width * 0.6, neck)
    inner = on_circle(radius - width * 0.6, neck)
    head = [
        on_circle(radius + width * 1.3, neck[-1]),
        on_circle(radius, angles[-1]),
        on_circle(radius - width * 1.3, neck[-1]),
    ]
    return [*outer, *head, *inner[::-1]]


def draw_marks(axes, places, values, colours, norm, points_down):
    """Draws links out of the plane as triangles in the corners of their nodes. They point down to the
    next slice and up to the one before."""
    size = 0.13
    sign = 1 if points_down else -1
    middle = places + 0.34 * sign
    corners = numpy.array([(-size, -size * sign), (size, -size * sign), (0, size * sign)])
    return draw_lanes(axes, middle[:, None, :] + corners[None, :, :], values, colours, norm)
