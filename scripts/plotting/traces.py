"""CSV traces of `dcube run --write csv:FILE`: the intervals of every process, and hops over links.

A trace is refused for the same reasons, and in the same words, as `dcube trace` refuses it.
"""

from dataclasses import dataclass

import numpy

from .activities import TRACED
from .documents import Unusable, read_text
from .text import counted, short

WAY_OUT = "make it with `dcube run SCENARIO --write csv:FILE`"
PS_PER_S = 1e12
MOST_PROCESSES = 2**24
LONGEST_PS = 2**63 - 1
MOST_NUMBERED = 2**32 - 2  # stages

FIRST_KEY, VERSION = "dcube trace", "1"
REQUIRED_KEYS = (
    "machine", "topology", "shape", "nodes", "duplex", "contention", "embedding", "program",
    "processes", "stages", "outcome", "makespan",
)  # fmt: skip
KINDS = ("interval", "hop", "message")
WHOLE_KEYS = (FIRST_KEY, "processes", "makespan", *(f"{kind}s" for kind in KINDS))
# All that a trace has; and those that are drawn.
ALL_COLUMNS = (
    "record", "process", "activity", "stage", "peer", "source", "send_number", "destination", "link",
    "from_node", "to_node", "bytes", "hops", "arrival_ps", "begin_ps", "end_ps",
)  # fmt: skip
COLUMNS = ("record", "process", "activity", "peer", "stage", "begin_ps", "end_ps")
HOP_COLUMNS = (
    "link", "source", "send_number", "destination", "from_node", "to_node", "arrival_ps", "begin_ps",
    "end_ps",
)  # fmt: skip


@dataclass(frozen=True)
class Trace:
    """Intervals as columns, in order of process and begin."""

    file: str
    about: dict  # what the first lines say of the run
    process: numpy.ndarray
    activity: numpy.ndarray  # index into TRACED
    peer: numpy.ndarray  # -1 where there is none
    stage: numpy.ndarray  # likewise
    begin_ps: numpy.ndarray
    end_ps: numpy.ndarray

    def __len__(self):
        return len(self.process)

    @property
    def makespan_ps(self):
        return int(self.about["makespan"])

    @property
    def process_count(self):
        return int(self.about["processes"])

    def title(self):
        parts = [self.about.get(key, "") for key in ("embedding", "machine", "program")]
        if not all(parts):
            return short(self.file, 60)
        embedding, machine, program = (short(part, 40) for part in parts)
        processes = counted(self.process_count, "process")
        return f"{embedding} on {machine}, {program} with {processes}"

    def rows(self, chosen):
        """A trace of the intervals in a mask."""
        columns = (self.process, self.activity, self.peer, self.stage, self.begin_ps, self.end_ps)
        return Trace(self.file, self.about, *(column[chosen] for column in columns))

    def place_of_processes(self):
        """The node of every process, or None if the trace does not say it."""
        words = self.about.get("map", "").split()
        if not words or not all(is_whole(word, MOST_NUMBERED) for word in words):
            return None
        return [int(word) for word in words]


@dataclass(frozen=True)
class Hop:
    """A message, or a packet of it, on a link."""

    link: str  # "0->1", half duplex "0-1"
    message: tuple  # (source, send number)
    destination: int
    begin_ps: int
    end_ps: int


@dataclass(frozen=True)
class HopTrace:
    """Hops in order of their begin."""

    file: str
    about: dict
    hops: list

    @property
    def makespan_ps(self):
        return int(self.about["makespan"])


def is_whole(text, most):
    """Whether a text is a number 0 .. `most` as dcube writes it."""
    return text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= most


def read_trace(file):
    trace = Reader(file).trace()
    if not len(trace):
        raise Unusable(f"{file}: holds no intervals; {WAY_OUT}, without --trace-process none")
    return trace


def read_hops(file):
    reader = Reader(file, keeps_hops=True)
    trace = reader.trace()
    if not reader.hops:
        raise Unusable(
            f"{file}: holds no hops; {WAY_OUT}, without --trace-link none, on a network that is "
            "not fluid"
        )
    return HopTrace(file, trace.about, sorted(reader.hops, key=lambda hop: hop.begin_ps))


class Reader:
    """Goes through the lines of a trace, and knows in which one it is."""

    def __init__(self, file, keeps_hops=False):
        self.file = file
        self.hops = []
        self.keeps_hops = keeps_hops
        self.lines = read_text(file).split("\n")
        self.number = 0
        self.about = {}
        self.counts = dict.fromkeys(KINDS, 0)

    def complaint(self, problem):
        return Unusable(f"{self.file}: line {self.number}: {problem}; {WAY_OUT}")

    def line(self):
        """The next line, or None at the end."""
        self.number += 1
        if self.number == len(self.lines):  # here is what follows the last end of a line
            if self.lines[-1]:
                raise self.complaint("the line is cut off (the file is not complete)")
            return None
        return self.lines[self.number - 1].removesuffix("\r")

    def trace(self):
        names = self.read_description()
        self.check_description()
        rows = self.read_rows(names)
        self.check_counts()
        table = numpy.array(rows, dtype=numpy.int64).reshape(-1, 6)
        table = table[numpy.lexsort((table[:, 4], table[:, 0]))]
        return Trace(self.file, self.about, *table.T)

    def read_description(self):
        """The lines that begin with "#"; returns the one after them, the names of the columns."""
        no_trace = f"this is no CSV trace of dcube (its first line is `# {FIRST_KEY}: {VERSION}`)"
        while (line := self.line()) is not None and line.startswith("#"):
            key, colon, value = line.removeprefix("# ").partition(":")
            if not colon or not line.startswith("# "):
                raise self.complaint("a line of the description is `# key: value`")
            if not self.about and key != FIRST_KEY:
                raise self.complaint(no_trace)
            if key in self.about:
                raise self.complaint(f"`{short(key, 30)}` is given twice")
            self.about[key] = value.lstrip(" ")
            self.check_value(key, self.about[key])
        if not self.about:
            raise self.complaint(no_trace)
        return line

    def check_value(self, key, value):
        shown = short(value, 30)
        if key in WHOLE_KEYS and not is_whole(value, LONGEST_PS):
            raise self.complaint(f"`{key}`: `{shown}` is not a whole number")
        if key == FIRST_KEY and value != VERSION:
            raise self.complaint(
                f"`{key}`: version {shown} of the format is not known (only {VERSION})"
            )
        if key == "time_unit" and value != "ps":
            raise self.complaint(f"`{key}`: `{shown}` is not ps, the unit of all times")

    def check_description(self):
        for key in REQUIRED_KEYS:
            if key not in self.about:
                raise self.complaint(
                    f"the description has no `{key}` (a line `# {key}: ..` before this one)"
                )
        processes = self.about["processes"]
        if int(processes) > MOST_PROCESSES:
            raise self.complaint(
                f"{processes} processes are too many to be read (at most {MOST_PROCESSES})"
            )

    def read_rows(self, header):
        """The intervals. Other records must have as many cells as there are columns."""
        if header is None:
            raise self.complaint("the names of the columns are missing")
        names = header.split(",")
        for name in ALL_COLUMNS:
            if name not in names:
                raise self.complaint(f"the column `{name}` is missing")
        record, *places = (names.index(name) for name in COLUMNS)
        hop_places = [names.index(name) for name in HOP_COLUMNS]
        rows = []
        while (line := self.line()) is not None:
            cells = line.split(",")
            if len(cells) != len(names):
                raise self.complaint(
                    f"{len(cells)} cells in place of {len(names)}"
                    if len(cells) < len(names)
                    else f"more than {len(names)} cells"
                )
            kind = cells[record]
            if kind not in self.counts:
                raise self.complaint(
                    f"`{short(kind, 30)}` is not a record ({', '.join(self.counts)})"
                )
            self.counts[kind] += 1
            if kind == "interval":
                rows.append(self.interval([cells[place] for place in places]))
            elif kind == "hop" and self.keeps_hops:
                self.hops.append(self.hop([cells[place] for place in hop_places]))
        return rows

    def interval(self, cells):
        process, activity, peer, stage, begin, end = cells
        last = int(self.about["processes"]) - 1
        if activity not in TRACED:
            raise self.complaint(
                f"`{short(activity, 30)}` is not an activity ({', '.join(TRACED)})"
            )
        row = (
            self.whole("process", process, last),
            TRACED.index(activity),
            self.whole("peer", peer, last) if peer else -1,
            self.whole("stage", stage, MOST_NUMBERED) if stage else -1,
            self.whole("begin_ps", begin, LONGEST_PS),
            self.whole("end_ps", end, LONGEST_PS),
        )
        if row[4] >= row[5]:
            raise self.complaint("an interval ends no later than it begins")
        if row[5] > int(self.about["makespan"]):
            raise self.complaint(
                f"an interval ends at {end} ps, after the makespan ({self.about['makespan']} ps)"
            )
        return row

    def hop(self, cells):
        link, source, send_number, destination, from_node, to_node, arrival, begin, end = cells
        last = int(self.about["processes"]) - 1
        message = (
            self.whole("source", source, last),
            self.whole("send_number", send_number, MOST_NUMBERED),
        )
        reached = self.whole("arrival_ps", arrival, LONGEST_PS)
        hop = Hop(
            link,
            message,
            self.whole("destination", destination, last),
            self.whole("begin_ps", begin, LONGEST_PS),
            self.whole("end_ps", end, LONGEST_PS),
        )
        if not reached <= hop.begin_ps < hop.end_ps:
            raise self.complaint(
                "a hop begins before its message has reached the link, or ends no later than it begins"
            )
        names = (
            (f"{from_node}->{to_node}",)
            if self.about["duplex"] == "full"
            else (f"{from_node}-{to_node}", f"{to_node}-{from_node}")
        )
        if link not in names:
            raise self.complaint(
                f"`{short(link, 30)}` is not the link from node {short(from_node, 30)} to node "
                f"{short(to_node, 30)}"
            )
        return hop

    def whole(self, column, text, most):
        if is_whole(text, most):
            return int(text)
        if is_whole(text, LONGEST_PS):
            raise self.complaint(f"{text} in column {column} is too large (at most {most})")
        raise self.complaint(f"`{short(text, 30)}` in column {column} is not a whole number")

    def check_counts(self):
        for kind, count in self.counts.items():
            key = f"{kind}s"
            if key in self.about and int(self.about[key]) != count:
                raise self.complaint(
                    f"the file ends with {count} of {self.about[key]} {key}; it is not complete "
                    "(when rows were taken out on purpose, take out the line "
                    f"`# {key}: {self.about[key]}` too)"
                )
