"""The command line that all plotting scripts have, and how they end."""

import argparse
import logging
import math
import os
import re
import sys
import warnings

from . import program_name
from .documents import Unusable
from .text import NO_BREAK

FORMATS = (".png", ".svg", ".pdf")
INCHES = {"": 1.0, "in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4}
MOST_INCHES = 100
MOST_PIXELS = 20_000


class Parser(argparse.ArgumentParser):
    """A parser that complains in one line and shows help as it is written."""

    layout = argparse.RawDescriptionHelpFormatter

    def error(self, message):
        say(f"{' '.join(message.split())}; {self.prog} --help tells more")
        sys.exit(2)


def say(message):
    """Tells something to whoever started the script."""
    print(f"{program_name()}: {message}".replace(NO_BREAK, " "), file=sys.stderr)


def add_embedding_name(parser):
    parser.add_argument(
        "--name", metavar="TEXT", help="what titles call the embedding (default: its kind)"
    )


def add_trace_names(parser, usual):
    parser.add_argument(
        "--name",
        metavar="TEXT",
        action="append",
        help=f"what a trace is called, once for each trace (default: {usual})",
    )


def names_of_traces(options, usual):
    names = options.name or usual
    if len(names) != len(options.trace):
        raise Unusable(f"--name: {len(names)} names for {len(options.trace)} traces; give one for each")
    return names


def plot_parser(what, example):
    """A parser with the options that all scripts share. The help says `what` is drawn and has an
    `example` that runs."""
    parser = Parser(
        prog=program_name(),
        description=what,
        epilog=f"example:\n{example}",
        formatter_class=Parser.layout,
        allow_abbrev=False,
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        action="append",
        type=picture_file,
        required=True,
        help="where to draw to; .png, .svg or .pdf says how. May be given several times",
    )
    parser.add_argument("--title", metavar="TEXT", help='instead of the usual title; "" for none')
    parser.add_argument(
        "--size",
        metavar="WxH",
        type=picture_size,
        help="width and height in inches (default), cm or mm: 8x5, 16x10cm",
    )
    parser.add_argument(
        "--dpi", type=dots_per_inch, default=150, help="pixels per inch of a PNG (default 150)"
    )
    return parser


def picture_file(text):
    if os.path.splitext(text)[1].lower() not in FORMATS:
        raise argparse.ArgumentTypeError(f"{text} does not end in {', '.join(FORMATS)}")
    return text


def picture_size(text):
    match = re.fullmatch(r"([0-9.]{1,9})x([0-9.]{1,9})(in|cm|mm|)", text)
    try:
        size = [round(float(side) * INCHES[match[3]], 6) for side in match.group(1, 2)]
    except (AttributeError, ValueError):  # no match, no number
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 8x5 or 16x10cm") from None
    if not all(1 <= side <= MOST_INCHES for side in size):
        raise argparse.ArgumentTypeError(f"{text} is not within 1 and {MOST_INCHES} inches")
    return tuple(size)


def dots_per_inch(text):
    try:
        dpi = float(text)
    except ValueError:
        dpi = math.nan
    if not 20 <= dpi <= 1200:
        raise argparse.ArgumentTypeError(f"{text} is not a number of pixels in 20 .. 1200")
    return dpi


def number_ranges(text):
    """The numbers of "0-15,20", as pairs of first and last."""
    ranges = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,10})(?:-(\d{1,10}))?\s*", part)
        if not match or (match[2] and int(match[2]) < int(match[1])):
            raise argparse.ArgumentTypeError(f"{text} is not a list of numbers such as 0-15,20")
        ranges.append((int(match[1]), int(match[2] or match[1])))
    return ranges


def run(parser, draw):
    """Calls `draw(options)`, which saves its pictures; ends the program as its user expects."""
    # Whoever draws a picture cannot help missing glyphs or caches that cannot be written.
    warnings.simplefilter("ignore")
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    options = parser.parse_args()
    try:
        if getattr(options, "size", None) and max(options.size) * options.dpi > MOST_PIXELS:
            raise Unusable(
                f"--size: more than {MOST_PIXELS:,} pixels a side; choose a smaller --size or --dpi"
            )
        draw(options)
    except Unusable as complaint:
        say(complaint)
        sys.exit(2)
    except MemoryError:
        say("memory ran out; draw a part of it")
        sys.exit(2)
    except BrokenPipeError:  # nobody reads the output any more
        os._exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
