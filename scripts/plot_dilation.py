#!/usr/bin/python3 -B
"""Dilation spectrum of embeddings: how many edges lie how many hops apart."""

import math

# First, because it says which package is missing.
from plotting.canvas import (
    DASHES,
    HATCHES,
    INK,
    SERIES,
    new_figure,
    plain_ticks,
    save,
    set_title,
    whole_ticks,
)
from plotting.documents import Unusable, parse_json, read_text
from plotting.machines import read_machine
from plotting.options import plot_parser, run
from plotting.results import EMBED
from plotting.text import figure as figure_text
from plotting.text import plain, short

import numpy

MOST_SPECTRA = 16
MOST_BARS = 48  # of all spectra together; a picture of more has lines
MOST_NAMED = 16


class Spectrum:
    """Edges at each dilation, ascending."""

    def __init__(self, document):
        dilation = document.get("dilation")
        listed = dilation.get("spectrum")
        if not isinstance(listed.value, dict) or not listed.value:
            raise listed.complaint("is no spectrum")
        if not all(key.isascii() and key.isdecimal() and len(key) < 10 for key in listed.value):
            raise listed.complaint("has a dilation that is no number")
        edges = {int(key): listed.get(key).whole(0) for key in listed.value}
        self.dilations = sorted(edges)
        self.edges = [edges[key] for key in self.dilations]
        self.average = dilation.get("average").number(0)
        self.embedding = plain(document.at("embedding", "kind").text())
        self.machine = read_machine(document.get("machine"))
        self.guest = document.get("guest").text() if document.has("guest") else ""

    def at(self, dilation):
        """The number of edges with that dilation."""
        found = dict(zip(self.dilations, self.edges))
        return found.get(dilation, 0)


def read_spectra(files):
    spectra = []
    for file in files:
        document = parse_json(file, read_text(file), EMBED)
        found = document.items() if isinstance(document.value, list) else [document]
        if not found:
            raise document.complaint("holds no embedding")
        spectra += [Spectrum(item) for item in found]
    if len(spectra) > MOST_SPECTRA:
        raise Unusable(
            f"{files[0]}: {len(spectra)} embeddings are too many to tell apart; "
            f"draw at most {MOST_SPECTRA}"
        )
    return spectra


def names_of(spectra):
    """Names that tell the spectra apart (the embedding, the machine or both), and what all share."""
    embeddings = [spectrum.embedding for spectrum in spectra]
    machines = [spectrum.machine.describe() for spectrum in spectra]
    if len(set(machines)) == 1:
        return [short(name, 40) for name in embeddings], machines[0]
    if len(set(embeddings)) == 1:
        return machines, short(embeddings[0], 40)
    return [f"{short(e, 30)}, {m}" for e, m in zip(embeddings, machines)], ""


def labelled(names, spectra):
    return [
        f"{name}: {figure_text(spectrum.average)} on average"
        for name, spectrum in zip(names, spectra)
    ]


def draw_bars(axes, spectra, labels):
    dilations = sorted(set().union(*(spectrum.dilations for spectrum in spectra)))
    places = numpy.arange(len(dilations))
    width = 0.84 / len(spectra)
    for index, (spectrum, label) in enumerate(zip(spectra, labels)):
        heights = [spectrum.at(dilation) for dilation in dilations]
        bars = axes.bar(
            places + (index - (len(spectra) - 1) / 2) * width,
            heights,
            width,
            color=SERIES[index % len(SERIES)],
            hatch=HATCHES[index % len(HATCHES)],
            edgecolor="white" if index % len(HATCHES) else INK,
            linewidth=0.4,
            label=label,
        )
        axes.bar_label(
            bars,
            [f"{height:,}" if height else "" for height in heights]
            if len(places) * len(spectra) <= MOST_NAMED
            else [""] * len(heights),
            fontsize=7,
            padding=1,
        )
    step = math.ceil(len(dilations) / 24)
    axes.set_xticks(places[::step], [f"{dilation:,}" for dilation in dilations[::step]])


def draw_lines(axes, spectra, labels):
    for index, (spectrum, label) in enumerate(zip(spectra, labels)):
        dense = numpy.arange(spectrum.dilations[0] - 1, spectrum.dilations[-1] + 2)
        heights = numpy.zeros(len(dense))
        heights[numpy.array(spectrum.dilations) - dense[0]] = spectrum.edges
        axes.step(
            dense,
            heights,
            where="mid",
            color=SERIES[index % len(SERIES)],
            linestyle=DASHES[index % len(DASHES)],
            linewidth=1.3,
            label=label,
        )
    axes.set_xlim(left=0)
    whole_ticks(axes.xaxis)


def draw(options):
    spectra = read_spectra(options.embedding)
    names, shared = names_of(spectra)
    labels = labelled(names, spectra)
    figure = new_figure(options, (8, 4.2 + 0.2 * max(0, len(spectra) - 4)))
    axes = figure.subplots()
    distinct = len(set().union(*(spectrum.dilations for spectrum in spectra)))
    if distinct * len(spectra) <= MOST_BARS or distinct <= 4:
        draw_bars(axes, spectra, labels)
    else:
        draw_lines(axes, spectra, labels)
    if options.log:
        axes.set_yscale("symlog", linthresh=1)
        plain_ticks(axes.yaxis)
        axes.set_ylim(bottom=0)
    else:
        whole_ticks(axes.yaxis)
        axes.set_ylim(0, 1.08 * axes.get_ylim()[1])
    axes.grid(axis="y")
    axes.set_xlabel("dilation (hops between neighbours of the guest)")
    axes.set_ylabel("edges")
    axes.legend()
    set_title(figure, options, "Dilation spectrum" + (f": {shared}" if shared else ""))
    save(figure, options)


def make_parser():
    parser = plot_parser(
        __doc__,
        "  dcube embed torus:8x8 --embedding standard,xor,gray --json > embeddings.json\n"
        "  scripts/plot_dilation.py embeddings.json -o dilation.png",
    )
    parser.add_argument(
        "embedding", metavar="FILE", nargs="+", help='of `dcube embed --json`; "-": standard input'
    )
    parser.add_argument(
        "--log", action="store_true", help="numbers of edges on a logarithmic scale"
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
