#!/usr/bin/python3 -B
"""A measure against a setting, with a line for each embedding or value of another setting.

Takes the JSON of `dcube sweep`, or the folder that it keeps a study in. Points are means over seeds,
bars their 95 % intervals. A second panel shows the ratios that the sweep was asked for.
"""

import os

# First, because it says which package is missing.
from plotting.canvas import (
    DASHES,
    GREY,
    MARKERS,
    SERIES,
    new_figure,
    plain_ticks,
    save,
    set_title,
)
from plotting.documents import Unusable, read_document
from plotting.options import plot_parser, run
from plotting.text import counted, plain, readable_rate, readable_time, short
from plotting.text import figure as figure_text

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

WAY_OUT = "make it with `dcube sweep SCENARIO --vary /POINTER=VALUES --json`"
MOST_LINES = 24
MOST_TICKS = 12


class Setting:
    def __init__(self, document):
        self.column = plain(document.get("column").text())
        self.pointer = plain(document.get("pointer").text())
        # Those that go through their values together share an axis.
        self.axis = document.get("axis").number() if document.has("axis") else self.pointer
        self.is_numeric = bool(document.get("numeric").value)
        self.texts = [plain(value.text()) for value in document.get("values").items()]

    def text(self):
        """What shows a number of it."""
        if self.column.endswith("_bytes_per_s"):
            return readable_rate
        return readable_time if self.column.endswith("_s") else figure_text

    def label(self):
        name = self.pointer.rsplit("/", 1)[-1]
        if self.is_numeric and self.text() is not figure_text:
            return name
        return name if self.column in (name, self.pointer) else self.column.replace("_", " ")


class Measure:
    def __init__(self, document, place):
        self.name = plain(document.get("name").text())
        self.unit = plain(document.get("unit").value or "")
        self.help = plain(document.get("help").text())
        self.place = place

    def label(self):
        if self.unit == "s":
            return self.name.removesuffix("_s").replace("_", " ")
        return self.name.replace("_", " ")


class Point:
    def __init__(self, x, mean, half, count):
        self.x = x
        self.mean = mean
        self.half = half
        self.count = count


class Sweep:
    def __init__(self, file):
        self.document = read_document(file, WAY_OUT)
        self.name = plain(self.document.get("study").text())
        self.settings = [Setting(item) for item in self.document.get("settings").items()]
        measures = self.document.get("measures").items()
        self.measures = [Measure(item, place) for place, item in enumerate(measures)]
        self.groups = self.document.get("groups").items()

    def setting(self, name):
        """By pointer or column."""
        for setting in self.settings:
            if name in (setting.pointer, setting.column):
                return setting
        known = ", ".join(setting.pointer for setting in self.settings) or "none"
        raise Unusable(f"{self.document.file}: {name} is not varied (varied: {known})")

    def measure(self, name):
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise Unusable(f"{self.document.file}: {name} is no measure (see its \"measures\")")

    def usual(self, key):
        shown = self.document.get("shown")
        return shown.get(key).text() if shown.has(key) else None


def value_of(group, setting):
    value = group.get("settings").get(setting.column)
    return value.number() if setting.is_numeric else plain(value.text())


def x_of(value, setting):
    return value if setting.is_numeric else setting.texts.index(value)


def lines_of(rows, sweep, x, line):
    """Points by name of their line. `rows` are groups and what they show: mean, half, count."""
    others = [
        setting
        for setting in sweep.settings
        if setting.axis != x.axis
        and setting is not line
        and setting.pointer != "/seed"
        and rows
        and rows[0][0].get("settings").has(setting.column)
        and len({str(value_of(group, setting)) for group, *_ in rows}) > 1
    ]
    lines = {}
    for group, mean, half, count in rows:
        names = []
        if line is not None and group.get("settings").has(line.column):
            names.append(named_value(group, line))
        names += [f"{setting.label()} {named_value(group, setting)}" for setting in others]
        point = Point(x_of(value_of(group, x), x), mean, half, count)
        lines.setdefault(", ".join(names), []).append(point)
    for points in lines.values():
        points.sort(key=lambda point: point.x)
    if len(lines) > MOST_LINES:
        raise Unusable(
            f"{sweep.document.file}: {len(lines)} lines are too many to tell apart (at most "
            f"{MOST_LINES}); vary fewer settings, or choose others by --x and --lines"
        )
    return lines


def named_value(group, setting):
    value = value_of(group, setting)
    return setting.text()(value) if setting.is_numeric else value


def measured_rows(sweep, measure):
    rows = []
    for group in sweep.groups:
        if not group.has("mean"):
            continue
        means = group.get("mean").items()
        if len(means) <= measure.place or means[measure.place].value is None:
            continue
        half = 0
        if group.has("half_interval"):
            half = group.get("half_interval").items()[measure.place].number(0)
        rows.append(
            (group, means[measure.place].number(), half, group.get("completed").whole())
        )
    return rows


def ratio_rows(ratio):
    rows = []
    for group in ratio.get("groups").items():
        if group.has("ratio"):
            spread = group.get("ratio")
            rows.append(
                (
                    group,
                    spread.get("mean").number(),
                    spread.get("half_interval").number(0),
                    spread.get("count").whole(),
                )
            )
    return rows


def draw_lines(axes, lines, legend=True):
    for index, (name, points) in enumerate(lines.items()):
        has_bars = any(point.half > 0 for point in points)
        axes.errorbar(
            [point.x for point in points],
            [point.mean for point in points],
            yerr=[point.half for point in points] if has_bars else None,
            color=SERIES[index % len(SERIES)],
            marker=MARKERS[index % len(MARKERS)],
            linestyle=DASHES[index // len(SERIES) % len(DASHES)],
            linewidth=1.4,
            markersize=4.5 if len(points) <= 40 else 0,
            capsize=2.5,
            elinewidth=1,
            label=short(name, 48) or None,
        )
    if legend and (len(lines) > 1 or list(lines) != [""]):
        axes.legend(ncols=2 if len(lines) > 8 else 1)
    axes.grid(which="major")


def scale(axes, axis, values, text, is_log):
    if is_log and min(values) > 0:
        (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)("log")
        axis.set_minor_formatter(NullFormatter())
        if max(values) < 200 * min(values):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def is_wide(values):
    """Whether values spread over more than a factor of 30, without 0."""
    return min(values) > 0 and max(values) > 30 * min(values)


def scale_x(axes, sweep, x, points):
    if not x.is_numeric:
        step = -(-len(x.texts) // MOST_TICKS)
        shown = range(0, len(x.texts), step)
        axes.set_xticks(list(shown), [short(x.texts[i], 20) for i in shown])
        axes.set_xlim(-0.4, len(x.texts) - 0.6)
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        values = sorted({point.x for point in points})
        scale(axes, axes.xaxis, values, x.text(), is_wide(values))
    axes.set_xlabel(x.label())


def scale_y(axes, measure, points, options):
    values = [point.mean for point in points]
    text = readable_time if measure.unit == "s" else figure_text
    is_log = options.log if options.log is not None else is_wide(values)
    scale(axes, axes.yaxis, values, text, is_log)
    if not (is_log and min(values) > 0) and min(values) >= 0:
        axes.set_ylim(bottom=0, top=None if max(values) > 0 else 1)
    axes.set_ylabel(measure.label() + (f" ({measure.unit})" if measure.unit == "kB/s" else ""))


def draw(options):
    file = options.file
    if os.path.isdir(file):
        file = os.path.join(file, "sweep.json")
    sweep = Sweep(file)
    measure = sweep.measure(options.measure or sweep.document.at("shown", "measures").items()[0].text())
    x_name = options.x or sweep.usual("x")
    if x_name is None:
        raise sweep.document.complaint("no setting has two values, so there is nothing to draw")
    x = sweep.setting(x_name)
    line_name = options.lines or (sweep.usual("lines") if not options.x else None)
    line = sweep.setting(line_name) if line_name else None
    if line is x:
        line = None
    if line is None and options.x:
        line = next((s for s in sweep.settings if s.pointer == "/embedding" and s is not x), None)
    lines = lines_of(measured_rows(sweep, measure), sweep, x, line)
    if not lines:
        raise sweep.document.complaint(f"no run completed that has {measure.name}")
    ratios = [] if options.no_ratios else ratio_panels(sweep, x, line)
    figure = new_figure(options, (7.5, 4.6 + 2.6 * len(ratios)))
    heights = [1.7] + [1] * len(ratios)
    panels = figure.subplots(1 + len(ratios), 1, height_ratios=heights, squeeze=False)[:, 0]
    draw_lines(panels[0], lines)
    points = [point for line_points in lines.values() for point in line_points]
    scale_x(panels[0], sweep, x, points)
    scale_y(panels[0], measure, points, options)
    for axes, (name, ratio_lines) in zip(panels[1:], ratios):
        draw_lines(axes, ratio_lines)
        axes.axhline(1, color=GREY, linestyle=":", linewidth=1)
        scale_x(axes, sweep, x, [point for line in ratio_lines.values() for point in line])
        plain_ticks(axes.yaxis)
        axes.set_ylabel(name)
    most = max(point.count for point in points)
    seeds = f", {counted(most, 'seed')} a point, bars: 95 % intervals" if most > 1 else ""
    set_title(figure, options, f"{sweep.name}{seeds}")
    save(figure, options)


def ratio_panels(sweep, x, line):
    panels = []
    for ratio in sweep.document.get("ratios").items() if sweep.document.has("ratios") else []:
        asked = ratio.get("setting").text()
        if asked == x.pointer:
            continue
        rows = ratio_rows(ratio)
        kept = None if line is None or line.pointer == asked else line
        lines = lines_of(rows, sweep, x, kept)
        if lines:
            name = plain(ratio.get("measure").text()).removesuffix("_s").replace("_", " ")
            panels.append((f"{name}, {plain(ratio.get('ratio').text())}", lines))
    return panels[:4]


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube sweep scenarios/quickstart.json --vary /program/compute=log:10ms:100s:5 "
        "--embedding standard,xor --json > sweep.json\n"
        "  scripts/plot_sweep.py sweep.json --measure communication_share -o sweep.png",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help='the JSON of `dcube sweep`, or the folder of a study; "-": standard input',
    )
    parser.add_argument(
        "--measure", metavar="NAME", help="what to draw (default: what the sweep shows first)"
    )
    parser.add_argument(
        "--x", metavar="SETTING", help="setting of the horizontal axis, by pointer or column"
    )
    parser.add_argument(
        "--lines", metavar="SETTING", help="setting with a line for each value (default: embedding)"
    )
    parser.add_argument("--no-ratios", action="store_true", help="leave the ratios out")
    parser.add_argument(
        "--log", action="store_true", default=None, help="the measure on a logarithmic scale"
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
