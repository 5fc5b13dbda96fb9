#!/usr/bin/python3 -B
"""Published or measured figures against simulated ones, with the error of each.

Left: every figure with a number. Right: errors, experiment by experiment, with their limits. Below:
figures of which a range was published.
"""

# First, because it says which package is missing.
from plotting.canvas import (
    GREY,
    INK,
    MARKERS,
    ORANGE,
    PALE,
    SERIES,
    log_ticks,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.documents import Unusable, read_document
from plotting.options import plot_parser, run
from plotting.text import figure as figure_text
from plotting.text import plain, readable_time, short, wrapped

import numpy
from matplotlib.ticker import NullLocator

WAY_OUT = "make it with `dcube reproduce FILE --json` or `dcube fit .. --json`"
UNITS = {
    "makespan_s": "s",
    "rate_kB_per_s": "kB/s",
    "saving_percent": "%",
    "best_value": "",
    "crossover": "",
}
LETTERS = 30  # of the name of an experiment
LETTERS_OF_POINT = 40
MOST_RANGES = 48


class Experiment:
    """Points with a published number, and points with a published range."""

    def __init__(self, name, unit, limit=None):
        self.name = plain(name)
        self.unit = unit
        self.limit = limit
        self.origin = "published"
        self.numbers = []  # (published, simulated)
        self.ranges = []  # (label, low, high, simulated, whether it was published)

    @classmethod
    def reproduced(cls, document):
        limit = document.get("limit_percent").number(0) if document.has("limit_percent") else None
        unit = UNITS.get(document.get("quantity").text(), "")
        made = cls(document.get("name").text(), unit, limit)
        for point in document.get("points").items():
            made.add(point)
        return made

    @classmethod
    def fitted(cls, document):
        """Rows of `dcube fit`, but for those that it could not simulate."""
        made = cls(document.get("machine").text(), "s")
        made.origin = "measured"
        made.numbers = [
            (row.get("measured_s").number(), row.get("simulated_s").number())
            for row in document.get("rows").items()
            if row.has("simulated_s")
        ]
        return made

    def add(self, point):
        published = point.get("printed") if point.has("printed") else point.get("expected")
        if not point.has("simulated"):
            return  # its simulation failed
        simulated = point.get("simulated").number()
        if isinstance(published.value, list):
            ends = published.items()
            if len(ends) != 2:
                raise published.complaint("is no range of two numbers")
            label = plain(point.get("label").text())
            self.ranges.append(
                (label, ends[0].number(), ends[1].number(), simulated, point.has("printed"))
            )
        elif published.number() != 0:
            self.numbers.append((published.value, simulated))

    def errors_percent(self):
        return [100 * (simulated - published) / published for published, simulated in self.numbers]


def read_experiments(file):
    document = read_document(file, WAY_OUT)
    if document.has("rows"):
        key, experiments = "rows", [Experiment.fitted(document)]
    elif document.has("experiments"):
        key = "experiments"
        experiments = [Experiment.reproduced(item) for item in document.get(key).items()]
    else:
        raise document.complaint("holds no experiments")
    if not any(experiment.numbers or experiment.ranges for experiment in experiments):
        raise document.get(key).complaint("no figure was simulated")
    title = document.get("title").text() if document.has("title") else ""
    return experiments, title


def read_all(files, names):
    """The experiments of all files, and a title if one file has it. Names are those of experiments."""
    read = [read_experiments(file) for file in files]
    experiments = [experiment for found, _ in read for experiment in found]
    if names and len(names) != len(experiments):
        raise Unusable(
            f"--name: {len(names)} names for {len(experiments)} experiments; give one for each"
        )
    for experiment, name in zip(experiments, names):
        experiment.name = plain(name)
    return experiments, read[0][1] if len(read) == 1 else ""


def style_of(index):
    return {"color": SERIES[index % len(SERIES)], "marker": MARKERS[index % len(MARKERS)]}


def draw_numbers(axes, experiments):
    """Draws simulated against published figures, both axes logarithmic; on the diagonal they are equal."""
    ends = []
    are_times = all(experiment.unit == "s" for experiment in experiments)
    for index, experiment in enumerate(experiments):
        pairs = [pair for pair in experiment.numbers if min(pair) > 0]
        if not pairs:
            continue
        published, simulated = zip(*pairs)
        ends += [*published, *simulated]
        unit = f" ({experiment.unit})" if experiment.unit and not are_times else ""
        axes.plot(
            published, simulated, linestyle="", markersize=4.5, fillstyle="none",
            label=wrapped(experiment.name, LETTERS + 6, 2) + unit, **style_of(index),
        )  # fmt: skip
    if ends:
        low, high = min(ends) / 1.6, max(ends) * 1.6
        axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=0)
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
    for scale, axis in ((axes.set_xscale, axes.xaxis), (axes.set_yscale, axes.yaxis)):
        scale("log")
        log_ticks(axis, readable_time if are_times else figure_text)
        axis.set_minor_locator(NullLocator())
    axes.set_aspect("equal")
    axes.grid()
    axes.set_xlabel(" or ".join(sorted({experiment.origin for experiment in experiments})))
    axes.set_ylabel("simulated")
    axes.legend(loc="upper left", fontsize=7, handletextpad=0.1)


def draw_errors(axes, experiments):
    """Draws the errors. Each experiment has an equal part of the axis, with its points in the order
    of the file. The band is the limit."""
    place, ticks, names = 0, [], []
    for index, experiment in enumerate(experiments):
        errors = experiment.errors_percent()
        places = place + (numpy.arange(len(errors)) + 0.5) / len(errors)
        if experiment.limit is not None:
            axes.fill_between(
                [place, place + 1], -experiment.limit, experiment.limit, color=PALE, linewidth=0
            )
        axes.vlines(places, 0, errors, color=GREY, linewidth=0.7)
        axes.plot(places, errors, linestyle="", markersize=4, fillstyle="none", **style_of(index))
        ticks.append(place + 0.5)
        names.append(wrapped(experiment.name, LETTERS, 2))
        place += 1.15
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xticks(ticks, names, rotation=30, ha="right", rotation_mode="anchor", fontsize=7)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.1, max(place, 1))
    plain_ticks(axes.yaxis)
    axes.grid(axis="y")
    has_limit = any(experiment.limit is not None for experiment in experiments)
    axes.set_ylabel("error (%); grey: within the limit" if has_limit else "error (%)")


def draw_ranges(axes, ranges):
    """Draws a bar from the lower to the upper published figure, and the simulated figure."""
    for place, (_, _, _, low, high, simulated, is_published) in enumerate(ranges):
        axes.barh(
            place,
            high - low,
            0.6,
            low,
            color=PALE,
            edgecolor=GREY,
            linewidth=0.8,
            linestyle="-" if is_published else "--",
        )
        inside = low <= simulated <= high
        axes.plot(
            simulated, place, marker="o" if inside else "X", color=SERIES[0] if inside else ORANGE,
            markersize=5, linestyle="",
        )  # fmt: skip
    axes.set_yticks(
        range(len(ranges)),
        [f"{short(row[1], 44)}: {short(row[2], LETTERS_OF_POINT)}" for row in ranges],
        fontsize=7,
    )
    axes.set_ylim(len(ranges) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    plain_ticks(axes.xaxis)
    axes.grid(axis="x")
    units = sorted({row[0] for row in ranges})
    axes.set_xlabel(
        f"published range (dashed: expected) and simulated figure ({', '.join(unit for unit in units if unit)})"
    )


def ranges_of(experiments):
    found = [
        (experiment.unit, experiment.name, *row)
        for experiment in experiments
        for row in experiment.ranges
    ]
    step = -(-len(found) // MOST_RANGES) or 1
    return found[::step]


def draw(options):
    experiments, title = read_all(options.file, options.name)
    ranges = ranges_of(experiments)
    with_numbers = [experiment for experiment in experiments if experiment.numbers]
    low = 0.7 + 0.17 * len(ranges) if ranges else 0
    top = 4.6 if with_numbers else 0
    figure = new_figure(options, (10, 0.5 + top + low))
    parts = figure.subfigures(2, 1, height_ratios=[top, low]) if top and low else [figure, figure]
    if with_numbers:
        left, right = parts[0].subplots(1, 2)
        draw_numbers(left, with_numbers)
        draw_errors(right, with_numbers)
    if ranges:
        draw_ranges(parts[1].subplots(), ranges)
    set_title(figure, options, title)
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube reproduce validation/ncube.json --json > ncube.json\n"
        "  scripts/plot_validation.py ncube.json -o ncube.png",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="+",
        help='of `dcube reproduce --json` or `dcube fit --json`; "-": standard input',
    )
    parser.add_argument(
        "--name",
        metavar="TEXT",
        action="append",
        default=[],
        help="names an experiment; once for each, in the order of the files",
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
