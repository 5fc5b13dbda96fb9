"""How far something long is."""

import contextlib
import sys
import time

from .tables import time_text


def in_cell():
    """What displays something below the cell of a notebook that runs, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


def is_watched():
    """Whether somebody sees what is printed: on a terminal or in a notebook."""
    try:
        return in_cell() is not None or sys.stderr.isatty()
    except (AttributeError, ValueError):  # of a service: there is no standard error, or it is closed
        return False


class Line:
    """A line that is written anew, from a second on: on standard error, or below the cell of a notebook."""

    def __init__(self, text):
        self.text = text
        self.begin = time.monotonic()
        self.next = self.begin + 1
        self.width = 0
        self.display = in_cell()
        self.shown = None  # below the cell

    def __call__(self, done, most, more=None):
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + 0.2
        self.show(self.text(done, most, more))

    def show(self, line):
        if self.display:
            self.show_in_cell(line)
            return
        self.width = max(self.width, len(line))
        self.write("\r" + line.ljust(self.width))

    def show_in_cell(self, line):
        content = {"text/plain": line}
        if self.shown:
            self.shown.update(content, raw=True)
        else:
            self.shown = self.display(content, raw=True, display_id=True)

    def end(self):
        if self.shown:
            self.show_in_cell("")
        if self.width:
            self.write("\r" + " " * self.width + "\r")

    def write(self, text):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # nobody can see it
            sys.stderr.write(text)
            sys.stderr.flush()


class Progress:
    """What is called while something goes on: `wanted` is None (as it fits), a truth value or a
    function."""

    def __init__(self, wanted, text):
        self.line = None
        if callable(wanted):
            self.call = wanted
            return
        if wanted or (wanted is None and is_watched()):
            self.line = Line(text)
        self.call = self.line

    def __enter__(self):
        return self.call

    def __exit__(self, *_):
        if self.line:
            self.line.end()


def of_run(ended, processes, time_ps):
    return f"simulating: at {time_text(time_ps)}, {ended:,} of {processes:,} processes have ended"


def of_search(done, effort, best):
    if not done:
        return "searching"
    budget = f" of {effort:,}" if effort else ""
    return f"searching: {done:,}{budget}, best cost {best:,}"


def of_subcubes(done, _, best):
    return f"mapping: {100 * done:.0f} % done, least bandwidth {best:,}"


def of_sweep(done, runs, _):
    return f"simulating: {done:,} of {runs:,} runs"
