#!/usr/bin/python3 -B
"""Times and bus bandwidths of a collective operation against its size.

Takes the JSON of `dcube collective`. A curve for each algorithm, under the embedding (and ports and
network) that makes it fastest at each size. Points mark the fastest algorithm at a size, dotted
lines the sizes at which it changes.
"""

# First, because it says which package is missing.
from plotting.canvas import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    SERIES,
    log_ticks,
    new_figure,
    save,
    set_title,
)
from plotting.documents import Unusable, read_document
from plotting.options import plot_parser, run
from plotting.text import NO_BREAK, plain, readable_time, short

from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

WAY_OUT = "make it with `dcube collective OPERATION --machine MACHINE --json`"
MOST_CURVES = 14
MOST_TICKS = 9
GIGA = 1e9


class Run:
    """The best of an algorithm at a size."""

    def __init__(self, row):
        self.bytes = row.get("bytes").whole(1)
        self.algorithm = plain(row.get("algorithm").text())
        self.embedding = plain(row.get("embedding").text())
        self.network = plain(row.get("network").text()) if row.has("network") else ""
        self.time_s = row.get("time_s").number(0)
        self.bus = None
        for key in ("busbw_bytes_per_s", "algbw_bytes_per_s"):
            if self.bus is None and row.has(key):
                self.bus = row.get(key).number(0)
                self.is_bus = key.startswith("bus")

    def curve(self):
        return (self.network, self.algorithm)


def best_runs(document):
    """The fastest run of each curve at each size; curves by name, runs by size."""
    curves = {}
    for row in document.get("rows").items():
        if row.get("outcome").text() != "completed":
            continue
        found = Run(row)
        runs = curves.setdefault(found.curve(), {})
        known = runs.get(found.bytes)
        if known is None or found.time_s < known.time_s:
            runs[found.bytes] = found
    curves = {key: [runs[size] for size in sorted(runs)] for key, runs in sorted(curves.items())}
    if not any(run.time_s > 0 for runs in curves.values() for run in runs):
        raise document.complaint("no run took any time; there is nothing to draw")
    if len(curves) > MOST_CURVES:
        raise Unusable(
            f"{document.file}: {len(curves)} curves are too many to tell apart (at most {MOST_CURVES}); "
            "choose some by --algorithm and --network"
        )
    return curves


def name_of(key, runs, has_networks, has_embeddings):
    network, algorithm = key
    embeddings = list(dict.fromkeys(run.embedding for run in runs))
    name = algorithm
    if has_embeddings:
        name += f" on {embeddings[0] if len(embeddings) == 1 else 'its best embedding'}"
    if has_networks:
        name += f", {network}"
    return short(name, 44)


def size_text(size, _=None):
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g}{NO_BREAK}{name}"
    return f"{size:.0f}{NO_BREAK}B"


def scale_sizes(axes, sizes):
    axes.set_xscale("log", base=2)
    step = -(-len(sizes) // MOST_TICKS)
    axes.xaxis.set_major_locator(FixedLocator(sizes[::step]))
    axes.xaxis.set_major_formatter(FuncFormatter(size_text))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("size")
    axes.grid(which="major")


def scale_logarithmic(axis, text):
    low, high = axis.get_view_interval()
    if high < 2 * low:  # numbers of so little difference would look the same
        axis.axes.set_ylim(low / 2, high * 2)
    log_ticks(axis, text)
    axis.set_minor_formatter(NullFormatter())


def draw_curves(axes, curves, styles, value):
    handles = []
    for key, runs in curves.items():
        points = [(run.bytes, value(run)) for run in runs if value(run)]
        handles += axes.plot(
            [size for size, _ in points],
            [height for _, height in points],
            label=styles[key]["label"],
            **{name: style for name, style in styles[key].items() if name != "label"},
        )
    return handles


def mark_fastest(axes, curves, styles, value):
    """A full marker for the fastest at each size."""
    networks = {key[0] for key in curves}
    for network in networks:
        own = {key: runs for key, runs in curves.items() if key[0] == network}
        sizes = sorted({run.bytes for runs in own.values() for run in runs})
        for size in sizes:
            at_size = [(run, key) for key, runs in own.items() for run in runs if run.bytes == size]
            best, key = min(at_size, key=lambda pair: pair[0].time_s)
            if value(best):
                axes.plot(
                    [size],
                    [value(best)],
                    linestyle="",
                    marker=styles[key]["marker"],
                    color=styles[key]["color"],
                    markersize=7,
                    zorder=4,
                )


def draw_crossovers(axes, document, is_named):
    if not document.has("crossovers"):
        return
    found = document.get("crossovers").items()
    for crossover in found[:MOST_CURVES]:
        size = crossover.get("bytes").whole(1)
        axes.axvline(size, color=GREY, linestyle=":", linewidth=1)
        if is_named and len(found) <= 4:
            axes.annotate(
                size_text(size),
                (size, 0),
                xycoords=("data", "axes fraction"),
                xytext=(3, 4),
                textcoords="offset points",
                fontsize=7,
                color=INK,
            )


def draw(options):
    document = read_document(options.file, WAY_OUT)
    curves = best_runs(document)
    if not any(len(runs) > 1 for runs in curves.values()):
        raise document.complaint("holds one size; give several by --bytes 1KiB:1GiB")
    has_networks = len({key[0] for key in curves}) > 1
    has_embeddings = len({run.embedding for runs in curves.values() for run in runs}) > 1
    styles = {
        key: {
            "label": name_of(key, runs, has_networks, has_embeddings),
            "color": SERIES[index % len(SERIES)],
            "marker": MARKERS[index % len(MARKERS)],
            "linestyle": DASHES[index // len(SERIES) % len(DASHES)],
            "markersize": 4,
            "fillstyle": "none",
            "linewidth": 1.4,
        }
        for index, (key, runs) in enumerate(curves.items())
    }
    sizes = sorted({run.bytes for runs in curves.values() for run in runs})
    has_rates = any(run.bus for runs in curves.values() for run in runs)
    figure = new_figure(options, (12.4, 4.8) if has_rates else (8.8, 4.8))
    panels = figure.subplots(1, 2 if has_rates else 1, squeeze=False)[0]
    handles = draw_curves(panels[0], curves, styles, lambda run: run.time_s)
    mark_fastest(panels[0], curves, styles, lambda run: run.time_s)
    draw_crossovers(panels[0], document, True)
    panels[0].set_yscale("log")
    scale_logarithmic(panels[0].yaxis, readable_time)
    panels[0].set_ylabel("time")
    scale_sizes(panels[0], sizes)
    if has_rates:
        rates = [run for runs in curves.values() for run in runs if run.bus]
        draw_curves(panels[1], curves, styles, lambda run: (run.bus or 0) / GIGA)
        mark_fastest(panels[1], curves, styles, lambda run: (run.bus or 0) / GIGA)
        draw_crossovers(panels[1], document, False)
        panels[1].set_yscale("log")
        scale_logarithmic(panels[1].yaxis, lambda value: f"{value:,.10g}")
        panels[1].set_ylabel(
            ("bus" if rates and rates[0].is_bus else "algorithm") + " bandwidth (GB/s)"
        )
        scale_sizes(panels[1], sizes)
    # Beside the panels: inside, a dozen names would cover curves.
    panels[-1].legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
    set_title(figure, options, title_of(document))
    save(figure, options)


def title_of(document):
    processes = document.get("processes").whole(1)
    ranks, groups = processes, ""
    if document.has("over"):
        ranks = document.get("group_size").whole(1)
        axes = ", ".join(axis.text() for axis in document.get("over").items())
        groups = f" over {axes}, {processes // ranks:,} groups at once,"
    return (
        f"{document.get('collective').text()} of {ranks:,} processes{groups} "
        f"on {document.get('machine').get('name').text()}"
    )


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube collective allreduce --machine tpu_v4-4x4x8 --json > allreduce.json\n"
        "  scripts/plot_collective.py allreduce.json -o allreduce.png",
    )
    parser.add_argument("file", metavar="FILE", help="of `dcube collective --json`")
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
