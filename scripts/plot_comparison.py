#!/usr/bin/python3 -B
"""Comparison bars: the makespan of every run, and what its processes spend it on.

The parts are what a process does on average. They come from the results that the comparison names;
without these, bars show the makespan alone. Where links fail at random, a bar is the mean of all samples of
a number of failed links, and a line on it goes from the least to the greatest makespan.
"""

import math

# First, because it says which package is missing.
from plotting.canvas import (
    ACTIVITIES,
    BLUE,
    GREY,
    HATCH_COLOURS,
    INK,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.comparisons import read_comparison
from plotting.options import plot_parser, run
from plotting.text import counted
from plotting.text import figure as figure_text
from plotting.text import short, time_unit

from matplotlib.patches import Patch

MOST_ROWS = 60
# Of a bar whose result is missing or of another run.
UNKNOWN = "not known"


def shown_rows(comparison, options):
    """The runs to show: in order of time if asked, failed ones last. If there are too many, the fastest."""
    rows = comparison.rows
    if options.sort or len(rows) > MOST_ROWS:
        rows = sorted(rows, key=lambda row: math.inf if row.makespan_s is None else row.makespan_s)
    return rows[:MOST_ROWS]


def draw_row(axes, place, row, times, unit, whole):
    """A bar with a part for each activity, of the colour `whole` without any; returns the activities seen."""
    if times is None:
        axes.barh(place, row.makespan_s / unit, 0.7, color=whole, edgecolor=INK, linewidth=0.5)
        return {UNKNOWN}
    start, seen = 0.0, set()
    for activity, seconds in times.items():
        if seconds <= 0:
            continue
        colour, hatch = ACTIVITIES[activity]
        width = seconds / unit
        if hatch:
            axes.barh(
                place, width, 0.7, start, color=colour, hatch=hatch,
                edgecolor=HATCH_COLOURS[activity], linewidth=0,
            )  # fmt: skip
        axes.barh(
            place,
            width,
            0.7,
            start,
            color="none" if hatch else colour,
            edgecolor=INK,
            linewidth=0.5,
        )
        start += width
        seen.add(activity)
    return seen


def add_legend(axes, seen, bound):
    handles = [
        Patch(
            facecolor=colour,
            hatch=hatch,
            edgecolor=HATCH_COLOURS.get(activity, INK),
            linewidth=0.5,
            label=activity,
        )
        for activity, (colour, hatch) in ACTIVITIES.items()
        if activity in seen
    ]
    if UNKNOWN in seen and len(seen) > 1:
        handles.append(Patch(facecolor=GREY, edgecolor=INK, linewidth=0.5, label=UNKNOWN))
    handles += [bound] if bound else []
    if handles:
        axes.legend(
            handles=handles,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            borderaxespad=0.2,
            ncols=len(handles) if axes.figure.get_figwidth() >= 7 else 3,
        )


def row_name(row, several_embeddings):
    name = short(row.embedding, 32)
    if row.network is not None:
        return f"{row.network}, {name}"
    if row.processes is None:
        return name
    processes = counted(row.processes, "process")
    return f"{name}, {processes}" if several_embeddings else processes


def draws_together(comparison):
    """The runs of each embedding on each number of failed links that completed, and how many did not:
    [(row of the first, makespans, others), ..]; in the order of the embeddings."""
    groups = {}
    for row in comparison.rows:
        groups.setdefault((row.network, row.embedding), {}).setdefault(row.failures, []).append(row)
    found = []
    for of_embedding in groups.values():
        for failures in sorted(of_embedding):
            runs = of_embedding[failures]
            times = [row.makespan_s for row in runs if row.makespan_s is not None]
            found.append((runs[0], times, len(runs) - len(times)))
    return found


def draw_failures(comparison, options):
    groups = draws_together(comparison)
    if options.sort:
        groups.sort(key=lambda group: (group[0].failures, mean(group[1])))
    groups = groups[:MOST_ROWS]
    longest = max((max(times) for _, times, _ in groups if times), default=0.0)
    unit, unit_name = time_unit(longest)
    intact = {
        (row.network, row.embedding): mean(times)
        for row, times, _ in groups
        if row.failures == 0 and times
    }
    figure = new_figure(options, (8.5, min(14, 1.5 + 0.3 * len(groups))))
    axes = figure.subplots()
    for place, (row, times, others) in enumerate(groups):
        lost = f", {others} not completed" if others else ""
        if not times:
            axes.text(0, place, f" {row.outcome}", va="center", color=INK, style="italic")
            continue
        middle, least, greatest = mean(times) / unit, min(times) / unit, max(times) / unit
        colour = GREY if row.failures == 0 else BLUE
        axes.barh(place, middle, 0.7, color=colour, edgecolor=INK, linewidth=0.5)
        if greatest > least:
            axes.plot([least, greatest], [place, place], color=INK, linewidth=1.4, marker="|")
        usual = intact.get((row.network, row.embedding), 0)
        ratio = f"  ({mean(times) / usual:.3g}×)" if row.failures and usual > 0 else ""
        axes.text(
            max(middle, greatest), place, f" {figure_text(middle)}{ratio}{lost}", va="center"
        )
    axes.set_xlim(0, 1.2 * longest / unit if longest > 0 else 1)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    names = [f"{row_name(row, True)}, {counted(row.failures, 'failed link')}" for row, _, _ in groups]
    axes.set_yticks(range(len(groups)), names)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    plain_ticks(axes.xaxis)
    axes.set_xlabel(f"makespan ({unit_name}), mean of the samples")
    set_title(figure, options, comparison.title())
    save(figure, options)


def mean(times):
    return sum(times) / len(times) if times else math.inf


def draw(options):
    comparison = read_comparison(options.comparison)
    if any(row.failures is not None for row in comparison.rows):
        draw_failures(comparison, options)
        return
    rows = shown_rows(comparison, options)
    longest = max((row.makespan_s for row in rows if row.makespan_s is not None), default=0.0)
    unit, unit_name = time_unit(longest)
    best_under = {}  # each network
    for row in rows:
        if row.makespan_s is not None:
            best_under[row.network] = min(row.makespan_s, best_under.get(row.network, row.makespan_s))
    figure = new_figure(options, (8.5, min(14, 1.5 + 0.36 * len(rows))))
    axes = figure.subplots()
    seen = set()
    times = [None if row.makespan_s is None else comparison.times_of(row) for row in rows]
    whole = GREY if any(times) else BLUE  # blue is an activity, too
    for place, row in enumerate(rows):
        if row.makespan_s is None:
            axes.text(0, place, f" {row.outcome}", va="center", color=INK, style="italic")
            continue
        seen |= draw_row(axes, place, row, times[place], unit, whole)
        best = best_under[row.network]
        ratio = f"  ({row.makespan_s / best:.3g}×)" if best > 0 and row.makespan_s > best else ""
        axes.text(
            row.makespan_s / unit,
            place,
            f" {figure_text(row.makespan_s / unit)}{ratio}",
            va="center",
        )
    axes.set_xlim(0, 1.14 * longest / unit if longest > 0 else 1)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    bound = None
    if comparison.bound_s is not None:
        bound = axes.axvline(
            comparison.bound_s / unit,
            color=INK,
            linestyle="--",
            linewidth=1.1,
            label="lower bound",
            zorder=3,
        )
    several = len({row.embedding for row in rows}) > 1
    axes.set_yticks(range(len(rows)), [row_name(row, several) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    plain_ticks(axes.xaxis)
    axes.set_xlabel(f"makespan ({unit_name})" + (", mean of the processes" if any(times) else ""))
    add_legend(axes, seen, bound)
    if len(rows) < len(comparison.rows):
        axes.set_ylabel(f"the fastest {len(rows)} of {len(comparison.rows):,}", color=GREY)
    set_title(figure, options, comparison.title())
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube compare scenarios/quickstart.json --output comparison\n"
        "  scripts/plot_comparison.py comparison -o comparison.png",
    )
    parser.add_argument(
        "comparison",
        metavar="FILE",
        help="comparison.json or comparison.csv of `dcube compare --output DIR`, or DIR itself",
    )
    parser.add_argument("--sort", action="store_true", help="fastest first")
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
