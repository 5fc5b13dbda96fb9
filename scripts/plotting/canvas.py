"""Figures that look alike, and files that are the same every time they are made.

Colours are those of Okabe and Ito, and the map viridis, reversed: they stay apart for
colour-blind readers and, as their lightness differs, on paper without colour.
"""

import importlib
import io
import os
import tempfile

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import BoundaryNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from . import activities
from .documents import Unusable
from .text import figure as figure_text
from .text import wrapped

BLACK = "#000000"
ORANGE = "#E69F00"
SKY_BLUE = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"

INK = "#222222"
GREY = "#8A8A8A"
PALE = "#E4E4E4"

# For things side by side that have no meaning of their own: neighbours differ in lightness.
SERIES = [BLUE, ORANGE, GREEN, SKY_BLUE, VERMILLION, PURPLE, BLACK]
HATCHES = ["", "///", "...", "\\\\\\", "xxx", "---", "ooo", "+++"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", "--", "-.", ":"]

# Colour and hatching of what a process does. On grey paper: light, dark, white with lines, nearly
# white with dots, white. The page of `dcube report` has the same colours.
ACTIVITIES = dict(
    zip(
        activities.ACTIVITIES,
        [(SKY_BLUE, ""), (BLUE, ""), ("#FFFFFF", "/////"), (YELLOW, "...."), ("#FFFFFF", "")],
    )
)
HATCH_COLOURS = {"waiting": VERMILLION, "endpoint": INK}

STYLE = {
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "hatch.linewidth": 0.9,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    # A "$" in a name does not begin a formula.
    "text.parse_math": False,
    # Text stays text, so that it can be searched and edited. Ids are the same every time.
    "svg.fonttype": "none",
    "svg.hashsalt": "dcube",
    "pdf.fonttype": 42,
}

# Without dates and versions, equal input gives equal files.
METADATA = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}

BACKENDS = {".png": "agg", ".svg": "svg", ".pdf": "pdf"}

MOST_COUNTS = 12  # that have colours of their own
INCHES_PER_LETTER = 0.092  # of a title


def load_map():
    """Colours for loads: a small load is pale, a large one dark, none at all white."""
    return matplotlib.colormaps["viridis_r"].with_extremes(bad="#FFFFFF", under="#FFFFFF")


def load_norm(most, is_count):
    """Loads from 0 to `most`. Each of a few counts has a colour of its own."""
    if is_count and 1 <= most <= MOST_COUNTS:
        levels = int(most) + 1
        return BoundaryNorm([0.5 + level for level in range(levels)], 256)
    return Normalize(0, most if most > 0 else 1)


def new_figure(options, default_size):
    """An empty figure in the house style, and in the size asked for."""
    matplotlib.rcdefaults()  # whatever the user's own settings are
    matplotlib.rcParams.update(STYLE)
    figure = Figure(figsize=options.size or default_size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def set_title(figure, options, usual):
    text = usual if options.title is None else options.title
    if text:
        width = figure.get_figwidth()
        figure.suptitle(wrapped(text, int(width / INCHES_PER_LETTER)), fontsize=11)


def whole_ticks(axis):
    axis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], nbins=8))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def log_ticks(axis, text):
    """Figures of a logarithmic axis. Over few decades powers of ten alone would leave one, or none."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=[1, 2, 5] if high < 100 * low else [1], numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def plain_ticks(axis):
    """Writes figures without exponents, which would need mathematical text."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: figure_text(value)))


def add_load_bar(figure, axes, mapped, label, is_count):
    """Adds a colour bar for the maps in `axes`."""
    is_flat = figure.get_figheight() < 3  # so there is more room below
    if is_flat:
        bar = figure.colorbar(mapped, ax=axes, location="bottom", shrink=0.6, aspect=40, pad=0.04)
    else:
        bar = figure.colorbar(mapped, ax=axes, shrink=0.8, aspect=25, pad=0.02)
    axis = bar.ax.xaxis if is_flat else bar.ax.yaxis
    if isinstance(mapped.norm, BoundaryNorm):
        bar.set_ticks(range(1, int(mapped.norm.vmax) + 1))
        label += f" ({'white' if min(mapped.cmap.get_bad()) == 1 else 'grey'}: none)"
    elif is_count:
        whole_ticks(axis)
    else:
        plain_ticks(axis)
    bar.outline.set_edgecolor(GREY)
    bar.set_label(label)
    measure_once(bar.ax)
    return bar


def measure_once(axes):
    """Measures axes anew only after they moved. The layout measures a colour bar for each of its maps."""
    measure, known = axes.get_tightbbox, {}

    def remembered(renderer, **how):
        key = renderer, axes.get_position(original=True).bounds, *how.items()
        if key not in known:
            known[key] = measure(renderer, **how)
        return known[key]

    axes.get_tightbbox = remembered


def hide_frame(axes):
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def save(figure, options):
    """Writes every file that was asked for, each whole or not at all."""
    pictures = [(file, rendered(figure, file, options)) for file in options.output]
    for file, picture in pictures:
        write_whole(file, picture)


def rendered(figure, file, options):
    """The content of a file. Figure.savefig() would draw a figure twice, the first time for its layout."""
    suffix = os.path.splitext(file)[1].lower()
    picture = io.BytesIO()
    figure.dpi = options.dpi
    backend = importlib.import_module(f"matplotlib.backends.backend_{BACKENDS[suffix]}")
    print_to = getattr(backend.FigureCanvas(figure), f"print_{suffix[1:]}")
    print_to(picture, metadata=METADATA[suffix])
    return picture.getvalue()


def write_whole(file, content):
    folder, name = os.path.split(os.path.abspath(file))
    temporary = None
    try:
        if os.path.exists(file) and not os.path.isfile(file):
            with open(file, "wb") as stream:  # a device or a pipe
                stream.write(content)
            return
        with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name[:100]}.", delete=False) as out:
            temporary = out.name
            out.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, file)
        temporary = None
    except OSError as error:
        raise Unusable(f"{file}: {error.strerror}; choose another place for -o") from None
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def label_bar(axes, row, start, stop, text):
    """Writes into a bar, if the text has room there."""
    begin, end = axes.get_xlim()
    inches = axes.figure.get_figwidth() * 0.85 * (stop - start) / (end - begin)
    if inches > 0.09 * len(text):
        axes.text(
            (start + stop) / 2, row, text, color="white", ha="center", va="center", fontsize=7
        )
