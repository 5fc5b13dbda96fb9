#!/usr/bin/python3 -B
"""What a search found, and when: the best cost against time, over the bound.

The cost falls in steps. The line below is the bound that no map can beat; the scale at the right is the gap
to it. Dots at the left edge are the embeddings that the search started from.
"""

# First, because it says which package is missing.
from plotting.canvas import (
    BLUE,
    GREY,
    ORANGE,
    VERMILLION,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.documents import read_document
from plotting.options import plot_parser, run
from plotting.text import figure as figure_text
from plotting.text import plain, readable_time, short, time_unit

WAY_OUT = "make it with `dcube search .. --json`"
MOST_STARTS = 6  # that are named
PERCENT = 100


def steps_of(document):
    """(seconds, value) of every improvement."""
    return [
        (step.get("wall_s").number(0), step.get("value").number(0))
        for step in document.get("history").items()
    ]


def bounds_of(document):
    """(seconds, value) of every better bound."""
    if not document.has("bound_history"):
        return []
    return [
        (step.get("wall_s").number(0), step.get("value").number(0))
        for step in document.get("bound_history").items()
    ]


def starts_of(document):
    """(value, name) of the embeddings that were tried, the best of each value first."""
    named = {}
    for start in document.get("starts").items():
        named.setdefault(start.get("value").number(0), plain(start.get("embedding").text()))
    return sorted(named.items())[:MOST_STARTS]


def draw_gap(axes, bound):
    """An axis at the right that counts from the bound."""
    right = axes.secondary_yaxis(
        "right",
        functions=(
            lambda value: (value / bound - 1) * PERCENT,
            lambda gap: (gap / PERCENT + 1) * bound,
        ),
    )
    plain_ticks(right.yaxis)
    right.set_ylabel("gap to the bound (%)")


def label_starts(axes, starts, line_height):
    """A dot for each start, and its name where that has room above the one before."""
    last = None
    for value, name in starts:
        axes.plot([0], [value], marker="s", markersize=4, color=ORANGE, clip_on=False)
        if last is None or value - last >= line_height:
            axes.annotate(
                short(name, 28), (0, value), xytext=(6, 3), textcoords="offset points", fontsize=7,
                color=GREY,
            )  # fmt: skip
            last = value


def top_of(times, values, starts, low):
    """The greatest value to show. What a search leaves within the first fiftieth of its time would press
    the rest flat."""
    early = next(
        value for time, value in reversed(list(zip(times, values))) if time <= max(times[0], times[-1] / 50)
    )
    highest = max([*values, *starts])
    return highest if highest - low <= 3 * (early - low) else low + 1.5 * (early - low)


def label_what_is_above(axes, starts, is_curve_above):
    """Names what is not in the picture."""
    names = ", ".join(f"{short(name, 20)} {figure_text(value)}" for value, name in starts[:3])
    more = ", .." if len(starts) > 3 else ""
    if names or is_curve_above:
        axes.annotate(
            f"above: {names or 'the first map'}{more}", (0, 1), xycoords="axes fraction", xytext=(6, -2),
            textcoords="offset points", fontsize=7, color=GREY, va="top",
        )  # fmt: skip


def draw(options):
    document = read_document(options.file, WAY_OUT)
    steps = steps_of(document)
    if not steps:
        raise document.complaint("the search found nothing")
    end = max(document.get("wall_s").number(0), steps[-1][0])
    bound = document.at("bound", "value").number(0)
    unit, unit_name = time_unit(end or 1.0)
    figure = new_figure(options, (8.0, 4.2))
    axes = figure.subplots()
    times = [time / unit for time, _ in steps] + [end / unit]
    values = [value for _, value in steps] + [steps[-1][1]]
    axes.step(times, values, where="post", color=BLUE, linewidth=1.6, label="best map so far")
    axes.plot(times[-1:], values[-1:], marker="o", markersize=5, color=BLUE)
    bounds = bounds_of(document)
    axes.step(
        [time / unit for time, _ in bounds] + [end / unit] if bounds else [0, end / unit],
        [value for _, value in bounds] + [bound] if bounds else [bound, bound],
        where="post", color=VERMILLION, linestyle="--", linewidth=1.2, label="bound",
    )  # fmt: skip
    starts = starts_of(document)
    low = bound if bound > 0 else 0
    top = top_of(times, values, [value for value, _ in starts], low)
    room = max(top - low, abs(top) * 0.05, 1e-12)
    label_starts(axes, [start for start in starts if start[0] <= top], 0.04 * room)
    label_what_is_above(axes, [start for start in starts if start[0] > top], values[0] > top)
    lowest = max([value for _, value in bounds[:1]] + [low - 0.4 * room]) if bounds else low
    axes.set_ylim(min(low, lowest) - 0.06 * room, top + 0.08 * room)
    axes.set_xlim(0, (end / unit or 1) * 1.02)
    axes.grid()
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    axes.set_xlabel(f"time ({unit_name})")
    quantity, _, quantity_unit = plain(document.get("quantity").text()).partition(", ")
    axes.set_ylabel(f"{quantity} ({quantity_unit})" if quantity_unit else quantity)
    if bound > 0:
        draw_gap(axes, bound)
    axes.legend(loc="center right" if values[-1] - low > 0.6 * room else "upper right")
    gap = document.get("gap").number() if document.has("gap") else None
    words = "" if gap is None else f", {figure_text(gap * PERCENT, 3)} % above the bound"
    cost = readable_time(values[-1]) if quantity_unit == "s" else f"{figure_text(values[-1])} {quantity}"
    set_title(
        figure,
        options,
        f"{short(document.get('objective').text(), 60)} of {short(document.at('traffic', 'name').text(), 40)}: "
        f"{cost}{words}",
    )
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube search --machine torus:8x8 --traffic mesh:9x7 --json > found.json\n"
        "  scripts/plot_search.py found.json -o gap.png",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help='of `dcube search --json` or `dcube place --json`; "-": standard input',
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
