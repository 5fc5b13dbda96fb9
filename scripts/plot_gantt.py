#!/usr/bin/python3 -B
"""Gantt chart of a traced run: what every process did when, waiting included.

Several traces are drawn one below the other on one time axis, as Fig 4 of [X] compares two
embeddings. With more processes than fit, each row stands for several of them.
"""

import argparse
import math
import re

# First, because it says which package is missing.
from plotting.canvas import (
    ACTIVITIES,
    GREY,
    HATCH_COLOURS,
    INK,
    label_bar,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.activities import TRACED as NAMES
from plotting.documents import Unusable
from plotting.options import add_trace_names, names_of_traces, number_ranges, plot_parser, run
from plotting.text import short, time_unit
from plotting.traces import PS_PER_S, read_trace

import numpy
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

MOST_ROWS = 100  # of bars; more processes are put together
MOST_BARS = 20_000
MOST_GROUPS = 256
MOST_BINS = 1_000
MOST_LABELLED = 600
BAR = 0.8
UNITS_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "": 10**12}


# --- What to draw ---


def time_ps(text):
    match = re.fullmatch(r"([0-9.]{1,20}(?:e-?\d\d?)?) ?(ps|ns|us|ms|s|)", text.strip())
    if not match:
        raise ValueError(text)
    return float(match[1]) * UNITS_PS[match[2]]


def window(text):
    """ "1s:2.5s" as two times in ps; either may be missing."""
    begin, colon, end = text.partition(":")
    try:
        first = time_ps(begin) if begin else 0.0
        last = time_ps(end) if end else math.inf
    except ValueError:
        colon = ""
    if not colon or not first < last:
        raise argparse.ArgumentTypeError(f"{text} is no window of time such as 1s:2.5s")
    return first, last


def chosen_part(trace, options):
    """The intervals of the processes and the window asked for."""
    chosen = numpy.ones(len(trace), dtype=bool)
    if options.processes:
        chosen &= numpy.any(
            [
                (trace.process >= first) & (trace.process <= last)
                for first, last in options.processes
            ],
            axis=0,
        )
    first, last = options.window
    chosen &= (trace.end_ps > first) & (trace.begin_ps < last)
    if not chosen.any():
        raise Unusable(
            f"{trace.file}: nothing happens in this part of the run; "
            "choose other --processes or another --window"
        )
    return trace.rows(chosen)


def row_order(trace, options):
    """The processes from the top: those asked for, or all of the run, even if they did nothing."""
    if options.processes:
        shown = sorted(set(trace.process.tolist()))
    elif "only_processes" in trace.about:
        shown = sorted(set(trace.process.tolist()))
    else:
        shown = list(range(trace.process_count))
    if options.order == "node":
        nodes = trace.place_of_processes()
        if nodes is None:
            raise Unusable(
                f"{trace.file}: does not say which node hosts which process; "
                "trace it with --full, or leave --order out"
            )
        shown.sort(
            key=lambda process: (nodes[process] if process < len(nodes) else math.inf, process)
        )
    return shown


def time_span_ps(traces, options):
    """From where to where the time axis goes."""
    first, last = options.window
    longest = max(trace.makespan_ps for trace in traces)
    return first, min(last, longest) if longest > 0 else 1.0


def bars_of(trace, order):
    """The intervals to draw as (row, activity, begin in s, end in s, peer, stage), rows from the top."""
    row_of = {process: row for row, process in enumerate(order)}
    columns = (trace.process, trace.activity, trace.begin_ps, trace.end_ps, trace.peer, trace.stage)
    return [
        (row_of[process], NAMES[activity], begin / PS_PER_S, end / PS_PER_S, peer, stage)
        for process, activity, begin, end, peer, stage in zip(*(c.tolist() for c in columns))
    ]


# --- One bar an interval ---


def draw_bars(axes, bars, order, unit, labels):
    for activity in NAMES:
        boxes = [
            box(row, begin / unit, end / unit)
            for row, name, begin, end, _, _ in bars
            if name == activity
        ]
        colour, hatch = ACTIVITIES[activity]
        edge = HATCH_COLOURS.get(activity, INK)
        drawn = PolyCollection(
            boxes,
            facecolors=colour,
            edgecolors=edge,
            hatch=hatch,
            linewidths=0.5 if len(bars) < 2000 else 0,
        )
        axes.add_collection(drawn)
        if hatch:  # the edge has the colour of the hatching
            axes.add_collection(
                PolyCollection(
                    boxes,
                    facecolors="none",
                    edgecolors=INK,
                    linewidths=0.5 if len(bars) < 2000 else 0,
                )
            )
    axes.set_ylim(len(order) - 0.4, -0.6)
    label_rows(axes, order)
    if labels and len(bars) <= MOST_LABELLED:
        label_bars(axes, bars, unit)


def box(row, begin, end):
    top, bottom = row - BAR / 2, row + BAR / 2
    return [(begin, top), (end, top), (end, bottom), (begin, bottom)]


def label_rows(axes, order):
    step = math.ceil(len(order) / 40)
    axes.set_yticks(range(0, len(order), step), [str(process) for process in order[::step]])
    axes.tick_params(axis="y", length=0)


def label_bars(axes, bars, unit):
    """Names the partner of each communication if there is room for it."""
    rows = sum(
        abs(numpy.diff(other.get_ylim())[0]) for other in axes.figure.axes if other.has_data()
    )
    if axes.figure.get_figheight() * 0.8 / rows < 0.16:
        return
    for row, activity, start, stop, peer, _ in bars:
        if activity == "communication" and peer >= 0:
            label_bar(axes, row, start / unit, stop / unit, f"↔ {peer}")


# --- Many processes: shares ---


def shares(trace, order, span, groups, bins):
    """The share of each activity (idle last) in the time of each group of rows and bin of time."""
    row_of = numpy.full(max(trace.process_count, max(order) + 1), -1)
    row_of[order] = numpy.arange(len(order))
    first, last = span
    scale = bins / (last - first)
    group = row_of[trace.process] * groups // len(order)
    begin = numpy.clip((trace.begin_ps - first) * scale, 0, bins)
    end = numpy.clip((trace.end_ps - first) * scale, 0, bins)
    table = numpy.zeros((len(NAMES), groups, bins + 2))
    # Two steps of the derivative at each end; twice summed up they give the time in every bin.
    for place, sign in ((begin, 1.0), (end, -1.0)):
        cell = numpy.floor(place).astype(int)
        rest = cell + 1 - place
        numpy.add.at(table, (trace.activity, group, cell), sign * rest)
        numpy.add.at(table, (trace.activity, group, cell + 1), sign * (1 - rest))
    table = numpy.cumsum(table, axis=2)[:, :, :bins]
    sizes = numpy.bincount(numpy.arange(len(order)) * groups // len(order), minlength=groups)
    table = numpy.clip(table / sizes[None, :, None], 0, 1)
    idle = numpy.clip(1 - table.sum(axis=0), 0, 1)
    return numpy.concatenate([table, idle[None]])


def draw_shares(top, below, trace, order, span, unit):
    """Draws above how all processes share their time, below what each group does for the most part."""
    groups = min(MOST_GROUPS, len(order))
    table = shares(trace, order, span, groups, MOST_BINS)
    times = numpy.linspace(span[0], span[1], MOST_BINS) / PS_PER_S / unit
    sizes = numpy.bincount(numpy.arange(len(order)) * groups // len(order), minlength=groups)
    together = (table * sizes[None, :, None]).sum(axis=1) / len(order)
    for activity, low, high in zip(ACTIVITIES, *stacked(together)):
        colour, hatch = ACTIVITIES[activity]
        if activity != "idle" and (high - low).any():
            top.fill_between(
                times,
                low,
                high,
                facecolor=colour,
                hatch=hatch,
                edgecolor=HATCH_COLOURS.get(activity, colour),
                linewidth=0.0,
            )
    top.set_ylim(0, 1)
    top.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    top.set_ylabel("processes")
    names = list(ACTIVITIES)
    colours = [
        HATCH_COLOURS.get(name, ACTIVITIES[name][0]) if name == "waiting" else ACTIVITIES[name][0]
        for name in names
    ]
    picture = numpy.array([to_rgb(colour) for colour in colours])[table.argmax(axis=0)]
    below.imshow(
        picture,
        aspect="auto",
        interpolation="nearest",
        extent=(times[0], times[-1], len(order), 0),
    )
    step = max(1, 2 ** round(math.log2(max(1, len(order) / 8))))
    ticks = range(0, len(order), step)
    below.set_yticks(ticks, [f"{order[row]:,}" for row in ticks])


def stacked(parts):
    high = numpy.cumsum(parts, axis=0)
    return high - parts, high


# --- The picture ---


def is_aggregated(parts, orders):
    rows = max(len(order) for order in orders)
    return rows > MOST_ROWS or max(len(part) for part in parts) > MOST_BARS


def draw(options):
    options.window = options.window or (0.0, math.inf)
    names = names_of_traces(options, [None] * len(options.trace))
    traces = [read_trace(file) for file in options.trace]
    parts = [chosen_part(trace, options) for trace in traces]
    for part, name in zip(parts, names):
        if name:
            part.about["embedding"] = name
    orders = [row_order(part, options) for part in parts]
    span = time_span_ps(parts, options)
    unit, unit_name = time_unit(span[1] / PS_PER_S)
    limits = [edge / PS_PER_S / unit for edge in span]
    if is_aggregated(parts, orders):
        figure = many_processes(options, parts, orders, span, unit)
    else:
        figure = few_processes(options, parts, orders, limits, unit)
    for axes in figure.axes:
        axes.set_xlim(*limits)
    plain_ticks(figure.axes[-1].xaxis)
    figure.axes[-1].set_xlabel(f"time ({unit_name})")
    add_legend(figure, parts)
    set_title(figure, options, parts[0].title() if len(parts) == 1 else common_title(parts))
    save(figure, options)


def few_processes(options, parts, orders, limits, unit):
    heights = [max(3, len(order)) for order in orders]
    rows = sum(heights)
    figure = new_figure(
        options, (9, min(16, 1.5 + min(0.24 * rows, 2 + 0.11 * rows) + 0.3 * len(parts)))
    )
    grid = figure.subplots(len(parts), 1, squeeze=False, sharex=True, height_ratios=heights)
    for axes, part, order in zip(grid[:, 0], parts, orders):
        axes.set_xlim(*limits)
        draw_bars(axes, bars_of(part, order), order, unit, not options.no_labels)
        axes.grid(axis="x")
        axes.set_ylabel(row_label(options))
        name_panel(axes, part, parts)
        mark_end(axes, part, unit)
    return figure


def many_processes(options, parts, orders, span, unit):
    figure = new_figure(options, (9, min(16, 1 + 4.2 * len(parts))))
    grid = figure.subplots(
        2 * len(parts), 1, squeeze=False, sharex=True, height_ratios=[1, 2] * len(parts)
    )[:, 0]
    for index, (part, order) in enumerate(zip(parts, orders)):
        top, below = grid[2 * index], grid[2 * index + 1]
        draw_shares(top, below, part, order, span, unit)
        below.set_ylabel(row_label(options))
        name_panel(top, part, parts)
        for axes in (top, below):
            mark_end(axes, part, unit)
    return figure


def row_label(options):
    return "process (in order of nodes)" if options.order == "node" else "process"


def mark_end(axes, part, unit):
    axes.axvline(part.makespan_ps / PS_PER_S / unit, color=INK, linewidth=1)


def name_panel(axes, part, parts):
    """Writes above a panel which run it shows and when that ended, if there are several."""
    if len(parts) > 1:
        seconds, name = time_unit(part.makespan_ps / PS_PER_S)
        end = f"{part.makespan_ps / PS_PER_S / seconds:.10g} {name}"
        embedding = part.about.get("embedding", part.file)
        is_named = len({other.about.get("embedding", other.file) for other in parts}) == len(parts)
        name = short(embedding if is_named else part.file, 60)
        axes.set_title(f"{name}: done after {end}", loc="left")


def common_title(parts):
    def shared(key):
        values = {part.about.get(key, "") for part in parts}
        return short(values.pop(), 40) if len(values) == 1 else ""

    program, machine = shared("program"), shared("machine")
    return " on ".join(part for part in (program, machine) if part)


def add_legend(figure, parts):
    found = numpy.unique(numpy.concatenate([part.activity for part in parts]))
    handles = []
    for index in found:
        name = NAMES[index]
        colour, hatch = ACTIVITIES[name]
        handles.append(
            Patch(
                facecolor=colour,
                hatch=hatch,
                edgecolor=HATCH_COLOURS.get(name, INK),
                label=name,
                linewidth=0.5,
            )
        )
    handles.append(Patch(facecolor="white", edgecolor=GREY, label="idle", linewidth=0.5))
    figure.axes[0].legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0.2,
        ncols=len(handles) if figure.get_figwidth() >= 6 else 2,
    )


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube run scenarios/line-cc_dcube-standard.json --write csv:standard.csv\n"
        "  dcube run scenarios/line-cc_dcube-by_weight.json --write csv:by-weight.csv\n"
        "  scripts/plot_gantt.py standard.csv by-weight.csv --order node -o fig4.svg",
    )
    parser.add_argument(
        "trace",
        metavar="TRACE",
        nargs="+",
        help='of `dcube run --write csv:FILE`; "-": standard input',
    )
    parser.add_argument(
        "--order",
        choices=("process", "node"),
        default="process",
        help="rows by number of process (default), or by node, so that neighbours on a line are "
        "neighbours in the picture",
    )
    parser.add_argument(
        "--processes", metavar="LIST", type=number_ranges, help="these alone: 0-15,20"
    )
    parser.add_argument(
        "--window", metavar="A:B", type=window, help="this time alone: 1s:2.5s, 10ms:"
    )
    parser.add_argument("--no-labels", action="store_true", help="do not name partners in the bars")
    add_trace_names(parser, "its embedding")
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
