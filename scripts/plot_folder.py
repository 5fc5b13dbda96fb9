#!/usr/bin/python3
"""Every picture of a folder that `dcube compare --output` wrote, into that folder.

comparison.png (and scaling.png, where numbers of processes are compared), and for each run
NAME-link-load.png, NAME-embedding.png and, where a trace NAME.csv lies there, NAME-gantt.png.
`dcube compare --output` calls this; run it again after changes, or with --format svg.
"""

import os
import sys

import plot_comparison
import plot_embedding
import plot_gantt
import plot_link_load
import plot_scaling
from plotting import program_name
from plotting.comparisons import read_comparison
from plotting.documents import Unusable
from plotting.options import Parser, run, say
from plotting.results import read_result

MOST_RUNS = 64  # that get pictures of their own


class Pictures:
    """Draws one after the other; a complaint about one does not keep the others away."""

    def __init__(self, folder, suffix, is_told):
        self.folder = folder
        self.suffix = suffix
        self.is_told = is_told
        self.has_failed = False

    def file(self, name):
        return os.path.join(self.folder, name)

    def draw(self, script, arguments, picture):
        output = self.file(f"{picture}.{self.suffix}")
        try:
            script.draw(script.make_parser().parse_args([*arguments, "--output", output]))
        except Unusable as complaint:
            say(complaint)
            self.has_failed = True
            return
        if self.is_told:
            print(os.path.basename(output), flush=True)


def draw_run(pictures, name):
    """Of what the result lists: machines and maps that are too large are left out of it."""
    file = pictures.file(f"{name}.json")
    if not os.path.isfile(file):
        return  # it did not finish
    try:
        result = read_result(file)
    except Unusable as complaint:
        say(complaint)
        pictures.has_failed = True
        return
    if result.document.has("link_loads"):
        pictures.draw(plot_link_load, [file], f"{name}-link-load")
    if result.document.get("embedding").has("map"):
        pictures.draw(plot_embedding, [file, *dimension_option(result)], f"{name}-embedding")
    trace = pictures.file(f"{name}.csv")
    if os.path.isfile(trace):
        pictures.draw(plot_gantt, [trace], f"{name}-gantt")


def dimension_option(result):
    """All dimensions of a cube of processes."""
    guest = result.document.get("program")
    is_cube = guest.has("guest") and guest.get("guest").text().startswith("cube")
    return ["--dimension", "all"] if is_cube and result.processes > 1 else []


def draw(options):
    if not os.path.isdir(options.folder):
        raise Unusable(
            f"{options.folder}: is no folder; make it with `dcube compare SCENARIO --output DIR`"
        )
    comparison = read_comparison(options.folder)
    pictures = Pictures(options.folder, options.format, not options.quiet)
    pictures.draw(plot_comparison, [comparison.file], "comparison")
    if comparison.is_scaling and comparison.completed():
        pictures.draw(plot_scaling, [comparison.file], "scaling")
    for row in comparison.rows[:MOST_RUNS]:
        draw_run(pictures, row.label)
    if pictures.has_failed:
        sys.exit(2)


def make_parser():
    parser = Parser(
        prog=program_name(),
        description=__doc__,
        epilog="example:\n"
        "  dcube compare scenarios/quickstart.json --output comparison --no-pictures\n"
        "  scripts/plot_folder.py comparison --format svg",
        formatter_class=Parser.layout,
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="DIR", help="of `dcube compare --output`")
    parser.add_argument(
        "--format", choices=("png", "svg", "pdf"), default="png", help="of the pictures (default png)"
    )
    parser.add_argument("--quiet", action="store_true", help="do not name each picture when it is done")
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
