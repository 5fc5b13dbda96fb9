#!/usr/bin/python3 -B
"""Makespan against the number of processes or the size of the machine.

Takes a comparison of `dcube compare --process-count`, or results of several `dcube run`. One curve for
each program, embedding and kind of machine; a dotted line shows where a perfect speedup would be,
where the program knows the time of one process.
"""

import os

# First, because it says which package is missing.
from plotting.canvas import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    SERIES,
    log_ticks,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.comparisons import read_comparison
from plotting.documents import Unusable, parse_json, read_text
from plotting.options import plot_parser, run
from plotting.results import RUN, read_result
from plotting.text import figure as figure_text
from plotting.text import readable_time, short, time_unit

from matplotlib.ticker import NullLocator

MOST_CURVES = 24


class Point:
    """A run: where it is on the horizontal axis, its time, and the time of one process if known."""

    def __init__(self, curve, size, makespan_s, sequential_s):
        self.curve = curve
        self.size = size
        self.makespan_s = makespan_s
        self.sequential_s = sequential_s


def is_comparison(file):
    if os.path.isdir(file) or file.endswith(".csv"):
        return True
    return parse_json(file, read_text(file), RUN).has("runs") if file != "-" else False


def points_of_comparison(file):
    comparison = read_comparison(file)
    if not comparison.is_scaling:
        raise Unusable(
            f"{file}: compares embeddings, not numbers of processes; "
            "make it with `dcube compare SCENARIO --process-count 1,2,4 --output DIR`"
        )
    points = [
        Point(
            (comparison.program, row.embedding, ""), row.processes, row.makespan_s, row.sequential_s
        )
        for row in comparison.completed()
    ]
    return points, comparison.title()


def point_of_result(file, options):
    result = read_result(file)
    if result.outcome != "completed":
        raise Unusable(f"{file}: /outcome: the run did not complete; leave it out")
    speedup = result.document
    sequential = speedup.at("speedup", "sequential_s").number(0) if speedup.has("speedup") else None
    size = result.machine.nodes if options.by == "nodes" else result.processes
    has_rows = result.machine.dimensions > 1 and not result.machine.is_cube
    shape = f"{result.machine.dimensions}-D " if has_rows else ""
    return Point(
        (result.program, result.embedding, shape + result.machine.kind),
        size,
        result.makespan_s,
        sequential,
    )


def read_points(options):
    points, titles = [], set()
    for file in options.file:
        if is_comparison(file):
            if options.by == "nodes":
                raise Unusable(f"{file}: a comparison has one machine; leave --by nodes out")
            found, title = points_of_comparison(file)
            points += found
            titles.add(title)
        else:
            points.append(point_of_result(file, options))
    if not points:
        raise Unusable(f"{options.file[0]}: no run completed; there is nothing to draw")
    return points, titles.pop() if len(titles) == 1 else ""


def curves_of(points):
    """Points by curve, each in order of size."""
    curves = {}
    for point in points:
        curves.setdefault(point.curve, []).append(point)
    for curve in curves.values():
        curve.sort(key=lambda point: point.size)
    return dict(sorted(curves.items()))


def names_of(curves):
    """The parts in which the curves differ."""
    keys = list(curves)
    differing = [len({key[part] for key in keys}) > 1 for part in range(3)]
    names = []
    for key in keys:
        parts = [short(key[part], 28) for part in (1, 2, 0) if differing[part] and key[part]]
        names.append(", ".join(parts) or short(key[1], 28))
    shared = [
        short(keys[0][part], 40) for part in (0, 1, 2) if not differing[part] and keys[0][part]
    ]
    return names, ", ".join(shared)


def draw(options):
    points, title = read_points(options)
    curves = curves_of(points)
    if len(curves) > MOST_CURVES:
        raise Unusable(
            f"{options.file[0]}: {len(curves)} curves are too many to tell apart; "
            f"draw at most {MOST_CURVES}"
        )
    names, shared = names_of(curves)
    unit, unit_name = time_unit(max(point.makespan_s for point in points))
    figure = new_figure(options, (7.5, 4.6))
    axes = figure.subplots()
    for index, (curve, name) in enumerate(zip(curves.values(), names)):
        axes.plot(
            [point.size for point in curve],
            [point.makespan_s / unit for point in curve],
            color=SERIES[index % len(SERIES)],
            marker=MARKERS[index % len(MARKERS)],
            linestyle=DASHES[index // len(SERIES) % len(DASHES)],
            markersize=5,
            label=name,
        )
    draw_ideal(axes, points, unit)
    scale_axes(axes, points, unit, options)
    if len(curves) == 1:
        mark_best(axes, points, unit)
    axes.grid(which="major")
    axes.set_xlabel("nodes of the machine" if options.by == "nodes" else "processes")
    axes.set_ylabel(f"makespan ({unit_name})")
    axes.legend(ncols=2 if len(curves) > 8 else 1)
    set_title(figure, options, title or shared)
    save(figure, options)


def draw_ideal(axes, points, unit):
    """Draws the time of one process divided by their number, if that is the same for all points."""
    times = {point.sequential_s for point in points}
    if len(times) != 1 or not points[0].sequential_s:
        return
    sizes = sorted({point.size for point in points})
    ideal = [points[0].sequential_s / size / unit for size in sizes]
    axes.plot(sizes, ideal, color=GREY, linestyle=":", linewidth=1.2, label="perfect speedup")


def scale_axes(axes, points, unit, options):
    sizes = sorted({point.size for point in points})
    if len(sizes) > 1 and sizes[-1] >= 4 * sizes[0]:
        axes.set_xscale("log", base=2)
    axes.xaxis.set_minor_locator(NullLocator())
    shown = sizes if len(sizes) <= 12 else sizes[:: -(-len(sizes) // 12)]
    axes.set_xticks(shown, [f"{size:,}" for size in shown], rotation=0 if len(shown) <= 9 else 45)
    times = [point.makespan_s / unit for point in points]
    is_log = (
        options.log if options.log is not None else min(times) > 0 and max(times) > 30 * min(times)
    )
    if is_log and min(times) > 0:
        axes.set_yscale("log")
        axes.set_ylim(min(times) / 1.6, max(times) * 1.6)
        log_ticks(axes.yaxis, figure_text)
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(bottom=0)
        plain_ticks(axes.yaxis)


def mark_best(axes, points, unit):
    """Marks the shortest time, unless several points have it."""
    best = min(points, key=lambda point: (point.makespan_s, point.size))
    if len(points) < 2 or sum(point.makespan_s == best.makespan_s for point in points) > 1:
        return
    place = best.size, best.makespan_s / unit
    _, height = axes.transAxes.inverted().transform(axes.transData.transform(place))
    axes.annotate(
        f"{readable_time(best.makespan_s)}",
        place,
        xytext=(0, -14 if height > 0.08 else 7),  # not onto the figures of the axis
        textcoords="offset points",
        ha="center",
        fontsize=8,
        color=INK,
    )


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube compare scenarios/hypercube-knapsack-ncube.json --process-count 1,2,4,8,16 --output knapsack\n"
        "  scripts/plot_scaling.py knapsack -o knapsack.png",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="+",
        help="comparison.json or .csv of `dcube compare --process-count`, its folder, or results of `dcube run`",
    )
    parser.add_argument(
        "--by",
        choices=("processes", "nodes"),
        default="processes",
        help="what the horizontal axis shows (default processes)",
    )
    parser.add_argument(
        "--log", action="store_true", default=None, help="times on a logarithmic scale"
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
