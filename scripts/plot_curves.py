#!/usr/bin/python3 -B
"""Repeated experiments as the curves of the figures they come from.

A panel for each experiment whose points are called "curve, quantity value", such as "sn-p, CCP
0.2"; a line for each curve, and hollow markers where the source gives a figure.
"""

import re

# First, because it says which package is missing.
from plotting.canvas import (
    GREY,
    MARKERS,
    SERIES,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.documents import read_document
from plotting.options import plot_parser, run
from plotting.text import plain, wrapped

from matplotlib.lines import Line2D

WAY_OUT = "make it with `dcube reproduce FILE --json`"
POINT = re.compile(r"(.+), ([^,]+?) (-?[0-9.]+)")
MOST_PANELS = 12
PUBLISHED = Line2D(
    [], [], linestyle="", marker="o", fillstyle="none", markersize=8, color=GREY, label="published"
)


class Panel:
    """The curves of one experiment."""

    def __init__(self, document):
        self.name = plain(document.get("name").text())
        self.quantity = ""  # of the horizontal axis
        self.curves = {}  # name -> (place, computed, published or None)
        for point in document.get("points").items():
            match = POINT.fullmatch(plain(point.get("label").text()))
            if match and point.has("simulated"):
                self.quantity = match[2]
                curve = self.curves.setdefault(match[1], [])
                curve.append(
                    (float(match[3]), point.get("simulated").number(), published_of(point))
                )

    def has_curve(self):
        return any(len(curve) > 1 for curve in self.curves.values())


def published_of(point):
    """The number that the source gives, or that follows from it. A range has none."""
    for key in ("printed", "expected"):
        if point.has(key) and not isinstance(point.get(key).value, list):
            return point.get(key).number()
    return None


def panels_of(options):
    document = read_document(options.file, WAY_OUT)
    panels = [Panel(item) for item in document.get("experiments").items()]
    if options.experiment:
        for name in options.experiment:
            if not any(name in panel.name for panel in panels):
                raise document.complaint(f'no experiment is called "{name}"')
        panels = [
            panel for panel in panels if any(name in panel.name for name in options.experiment)
        ]
    panels = [panel for panel in panels if panel.has_curve()][:MOST_PANELS]
    if not panels:
        raise document.complaint('no points are called "curve, quantity value"')
    return panels, document.get("title").text() if document.has("title") else ""


def draw_panel(axes, panel, styles):
    handles = []
    for name, curve in panel.curves.items():
        style = styles[name]
        places, computed, published = zip(*sorted(curve))
        handles += axes.plot(
            places, computed, linewidth=1.3, markersize=3.5, label=name, **style
        )
        given = [(place, value) for place, value in zip(places, published) if value is not None]
        if given:
            axes.plot(*zip(*given), linestyle="", fillstyle="none", markersize=8, **style)
    if any(published is not None for curve in panel.curves.values() for _, _, published in curve):
        handles.append(PUBLISHED)
    axes.legend(handles=handles)
    axes.grid()
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    axes.set_xlabel(panel.quantity)
    axes.set_title(wrapped(panel.name, 40, 2))


def draw(options):
    panels, title = panels_of(options)
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    styles = {
        name: {"color": SERIES[index % len(SERIES)], "marker": MARKERS[index % len(MARKERS)]}
        for index, name in enumerate(names)
    }
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure = new_figure(options, (0.6 + 3.3 * columns, 0.9 + 2.9 * rows))
    every_axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes, panel in zip(every_axes, panels):
        draw_panel(axes, panel, styles)
    for axes in every_axes[len(panels) :]:
        axes.set_visible(False)
    set_title(figure, options, title)
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube reproduce validation/subcubes.json --json > subcubes.json\n"
        '  scripts/plot_curves.py subcubes.json --experiment "Table 1" -o table1.png',
    )
    parser.add_argument(
        "file", metavar="FILE", help='of `dcube reproduce --json`; "-": standard input'
    )
    parser.add_argument(
        "--experiment", metavar="TEXT", action="append",
        help="only experiments with this in their name; may be given several times",
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
