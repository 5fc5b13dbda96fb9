#!/usr/bin/python3 -B
"""Node-load map of a run: how many messages every node passed on, on the machine's own shape."""

# First, because it says which package is missing.
from plotting.canvas import add_load_bar, load_map, load_norm, new_figure, save, set_title
from plotting.node_maps import draw_values
from plotting.options import plot_parser, run
from plotting.results import read_drawing, read_node_loads, read_result

import numpy


def draw(options):
    result = read_result(options.result)
    loads = read_node_loads(result)
    norm = load_norm(float(loads.max()), is_count=True)
    figure, axes, mapped = draw_values(
        lambda size: new_figure(options, size),
        result.machine,
        numpy.ma.masked_equal(loads, 0),
        load_map(),
        norm,
        [f"{load:,}" for load in loads],
        read_drawing(result.document),
    )
    add_load_bar(figure, axes, mapped, "messages passed on", is_count=True)
    set_title(figure, options, f"Node load: {result.title()}")
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube run scenarios/quickstart.json --output xor.json\n"
        "  scripts/plot_node_load.py xor.json -o node-load.png",
    )
    parser.add_argument(
        "result", metavar="RESULT", help='of `dcube run --output`; "-": standard input'
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
