#!/usr/bin/python3 -B
"""When each link carried what: a row for each link that messages cross, a bar for each hop.

Links stand in the order of their first use. A bar lasts from the begin of a hop to its end, as in the
trace. Several traces are drawn one below the other on one time axis. Messages have colours of their
own; packets of a message have one colour.
"""

import math

# First, because it says which package is missing.
from plotting.canvas import INK, SERIES, label_bar, new_figure, plain_ticks, save, set_title
from plotting.documents import Unusable
from plotting.options import add_trace_names, names_of_traces, plot_parser, run
from plotting.text import figure as figure_text
from plotting.text import short, time_unit
from plotting.traces import PS_PER_S, read_hops

from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

MOST_ROWS = 100
MOST_BARS = 20_000
MOST_LABELLED = 600
BAR = 0.8


# --- What to draw ---


def links_in_order(trace):
    """The links from the top: in the order of their first use."""
    return list(dict.fromkeys(hop.link for hop in trace.hops))


def message_colours(traces):
    """A colour for each message, the same in all panels."""
    messages = sorted({hop.message for trace in traces for hop in trace.hops})
    return {message: SERIES[index % len(SERIES)] for index, message in enumerate(messages)}


def bars_of(trace):
    """The hops as (row, begin in s, end in s, message, destination), rows from the top."""
    row_of = {link: row for row, link in enumerate(links_in_order(trace))}
    return [
        (
            row_of[hop.link],
            hop.begin_ps / PS_PER_S,
            hop.end_ps / PS_PER_S,
            hop.message,
            hop.destination,
        )
        for hop in trace.hops
    ]


def check_size(trace):
    links = len(links_in_order(trace))
    if links > MOST_ROWS or len(trace.hops) > MOST_BARS:
        raise Unusable(
            f"{trace.file}: {links:,} links and {len(trace.hops):,} hops are too many to draw "
            f"(at most {MOST_ROWS} and {MOST_BARS:,}); trace some of them with --trace-link or "
            "--window"
        )


def panel_title(trace, name):
    seconds, unit = time_unit(trace.makespan_ps / PS_PER_S)
    end = f"{figure_text(trace.makespan_ps / PS_PER_S / seconds)} {unit}"
    return f"{short(name, 60)}: done after {end}"


# --- The picture ---


def draw(options):
    traces = [read_hops(file) for file in options.trace]
    for trace in traces:
        check_size(trace)
    names = names_of_traces(options, options.trace)
    last_ps = max(max(trace.makespan_ps, trace.hops[-1].end_ps) for trace in traces)
    unit, unit_name = time_unit(last_ps / PS_PER_S)
    heights = [len(links_in_order(trace)) + 1 for trace in traces]
    figure = new_figure(options, (8, min(16, 0.8 + 0.26 * sum(heights) + 0.3 * len(traces))))
    grid = figure.subplots(len(traces), 1, squeeze=False, sharex=True, height_ratios=heights)
    colours = message_colours(traces)
    for axes, trace, name in zip(grid[:, 0], traces, names):
        axes.set_xlim(0, last_ps / PS_PER_S / unit * 1.01)
        draw_panel(axes, trace, colours, unit)
        axes.set_title(panel_title(trace, name), loc="left")
    figure.axes[-1].xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
    plain_ticks(figure.axes[-1].xaxis)
    figure.axes[-1].set_xlabel(f"time ({unit_name})")
    set_title(figure, options, usual_title(traces))
    save(figure, options)


def draw_panel(axes, trace, colours, unit):
    bars = bars_of(trace)
    for message, colour in colours.items():
        boxes = [
            box(row, begin / unit, end / unit)
            for row, begin, end, carried, _ in bars
            if carried == message
        ]
        if boxes:
            axes.add_collection(
                PolyCollection(boxes, facecolors=colour, edgecolors="white", linewidths=0.8)
            )
    links = links_in_order(trace)
    step = math.ceil(len(links) / 40)
    axes.set_ylim(len(links) - 0.4, -0.6)
    axes.set_yticks(range(0, len(links), step), links[::step])
    axes.tick_params(axis="y", length=0)
    axes.set_ylabel("link")
    axes.grid(axis="x")
    axes.axvline(trace.makespan_ps / PS_PER_S / unit, color=INK, linewidth=1)
    if len(colours) > 1 and len(bars) <= MOST_LABELLED:
        label_bars(axes, bars, unit)


def box(row, begin, end):
    top, bottom = row - BAR / 2, row + BAR / 2
    return [(begin, top), (end, top), (end, bottom), (begin, bottom)]


def label_bars(axes, bars, unit):
    """Names the ends of each message if there is room for it."""
    for row, start, stop, (source, _), destination in bars:
        label_bar(axes, row, start / unit, stop / unit, f"{source}→{destination}")


def usual_title(traces):
    def shared(key):
        values = {trace.about.get(key, "") for trace in traces}
        return short(values.pop(), 40) if len(values) == 1 else ""

    return " on ".join(part for part in (shared("program"), shared("machine")) if part)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube run scenarios/switching.json --write csv:whole.csv\n"
        "  dcube run scenarios/switching.json --set /machine/switching=cut_through \\\n"
        "    --write csv:cut-through.csv\n"
        "  scripts/plot_links.py whole.csv cut-through.csv -o links.svg",
    )
    parser.add_argument(
        "trace",
        metavar="TRACE",
        nargs="+",
        help='of `dcube run --write csv:FILE`; "-": standard input',
    )
    add_trace_names(parser, "its file")
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
