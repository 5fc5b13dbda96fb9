#!/usr/bin/python3 -B
"""Simulated makespan against total bandwidth: a point for each mapping of tasks to subcubes.

Left: links carry one message at a time. Right: messages never queue. The titles give the
coefficients of correlation.
"""

# First, because it says which package is missing.
from plotting.canvas import (
    BLUE,
    ORANGE,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.documents import read_document
from plotting.options import plot_parser, run
from plotting.text import counted
from plotting.text import figure as figure_text
from plotting.text import plain, time_unit

from matplotlib.ticker import FuncFormatter

WAY_OUT = "make it with `dcube subcubes .. --simulate 100 --json`"
LINKS = (
    ("one message at a time", "contention", "makespan_s"),
    ("never queueing", "no_contention", "makespan_uncontended_s"),
)
KINDS = ((True, "parallel", BLUE, "o"), (False, "not parallel", ORANGE, "s"))


def coefficient(correlation, key):
    return f"{correlation.get(key).number():.3f}" if correlation.has(key) else "none"


def points_of(simulation, makespan):
    """(bandwidth, seconds, parallel) of the mappings whose simulation has ended."""
    return [
        (
            mapping.get("bandwidth").number(0),
            mapping.get(makespan).number(0),
            mapping.get("parallel").value is True,
        )
        for mapping in simulation.get("mappings").items()
        if mapping.has(makespan)
    ]


def draw_points(axes, points, unit):
    for parallel, name, colour, marker in KINDS:
        chosen = [(bandwidth, time / unit) for bandwidth, time, is_ in points if is_ == parallel]
        if chosen:
            axes.plot(
                *zip(*chosen), linestyle="", marker=marker, markersize=4, fillstyle="none",
                color=colour, label=name,
            )  # fmt: skip
    axes.grid()
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: figure_text(value)))
    axes.tick_params(axis="x", rotation=30)
    plain_ticks(axes.yaxis)
    axes.set_xlabel("total bandwidth (bytes x hops)")


def draw(options):
    document = read_document(options.file, WAY_OUT)
    simulation = document.get("simulation")
    series = [points_of(simulation, makespan) for _, _, makespan in LINKS]
    if not any(series):
        raise simulation.complaint("no mapping was simulated to its end")
    unit, unit_name = time_unit(max(time for points in series for _, time, _ in points))
    figure = new_figure(options, (8.5, 4.2))
    every_axes = figure.subplots(1, 2, sharey=True)
    for axes, points, (links, key, _) in zip(every_axes, series, LINKS):
        draw_points(axes, points, unit)
        correlation = simulation.get(key)
        axes.set_title(
            f"{links}\nPearson {coefficient(correlation, 'pearson')}, "
            f"Spearman {coefficient(correlation, 'spearman')}"
        )
    every_axes[0].set_ylabel(f"makespan ({unit_name})")
    every_axes[0].legend(loc="upper left")
    source = plain(document.get("source").text())
    count = counted(len(simulation.get("mappings").items()), "mapping")
    set_title(
        figure, options, f"{source}: {count} on {plain(simulation.get('machine').text())}"
    )
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube subcubes --random tasks=25,ccp=0.2,w=20 --subcube 3 --simulate 200 --json > mapped.json\n"
        "  scripts/plot_correlation.py mapped.json -o correlation.png",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help='of `dcube subcubes --simulate K --json`; "-": standard input',
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
