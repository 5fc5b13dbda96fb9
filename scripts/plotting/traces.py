"""CSV traces of `dcube run --trace csv:FILE`: the intervals of every process."""

from dataclasses import dataclass

import numpy

from .documents import Unusable, read_text
from .text import counted, short

WAY_OUT = "make it with `dcube run SCENARIO --trace csv:FILE`"
ACTIVITIES = ("compute", "communication", "waiting", "endpoint")
NEEDED = ("record", "process", "activity", "begin_ps", "end_ps")
PS_PER_S = 1e12
MOST_PROCESSES = 2**24
LONGEST_PS = 2**63 - 1


@dataclass(frozen=True)
class Trace:
    """Intervals as columns, one row each, in order of process and begin."""

    file: str
    about: dict  # what the first lines say of the run
    process: numpy.ndarray
    activity: numpy.ndarray  # index into ACTIVITIES
    peer: numpy.ndarray  # -1 where there is none
    stage: numpy.ndarray  # likewise
    begin_ps: numpy.ndarray
    end_ps: numpy.ndarray

    def __len__(self):
        return len(self.process)

    @property
    def makespan_ps(self):
        last = int(self.end_ps.max()) if len(self) else 0
        return max(last, whole_about(self, "makespan"))

    @property
    def process_count(self):
        most = int(self.process.max()) + 1 if len(self) else 0
        return max(most, whole_about(self, "processes"))

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
        """Node of every process, or None where the trace does not say."""
        words = self.about.get("map", "").split()
        if not words or not all(word.isdecimal() and len(word) < 10 for word in words):
            return None
        return [int(word) for word in words]


def whole_about(trace, key):
    text = trace.about.get(key, "0")
    is_whole = text.isdecimal() and text.isascii() and len(text) < 19
    if not is_whole:
        raise Unusable(f"{trace.file}: # {key}: {short(text, 30)} is not a whole number; {WAY_OUT}")
    return int(text)


def read_trace(file):
    lines = read_text(file).splitlines()
    about, header = {}, None
    rows = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, _, value = line[1:].partition(":")
            about[key.strip()] = value.strip()
        elif header is None:
            header = line.split(",")
            columns = column_places(file, number, header)
        elif line.startswith("interval,"):
            rows.append(interval(file, number, line, columns))
    if header is None:
        raise Unusable(f"{file}: has no line of column names; {WAY_OUT}")
    if not rows:
        raise Unusable(f"{file}: holds no intervals; {WAY_OUT}, without --trace-process none")
    table = numpy.array(rows, dtype=numpy.int64)
    table = table[numpy.lexsort((table[:, 4], table[:, 0]))]
    trace = Trace(file, about, *table.T)
    if trace.process_count > MOST_PROCESSES:
        raise Unusable(f"{file}: more than {MOST_PROCESSES:,} processes; {WAY_OUT}")
    return trace


def column_places(file, line, header):
    """Where to find what an interval is: process, activity, peer, stage, begin and end."""
    missing = [name for name in NEEDED if name not in header]
    if missing or header[0] != "record":
        what = f'no column "{missing[0]}"' if missing else 'a first column other than "record"'
        raise Unusable(f"{file}: line {line}: {what}; {WAY_OUT}")
    names = ("process", "activity", "peer", "stage", "begin_ps", "end_ps")
    return [header.index(name) if name in header else None for name in names]


def interval(file, number, line, columns):
    cells = line.split(",")
    try:
        process, activity, peer, stage, begin, end = (
            "" if place is None else cells[place] for place in columns
        )
        row = (
            int(process),
            ACTIVITIES.index(activity),
            int(peer) if peer else -1,
            int(stage) if stage else -1,
            int(begin),
            int(end),
        )
    except (ValueError, IndexError):
        raise Unusable(
            f"{file}: line {number}: is no interval of a trace ({short(line, 50)}); {WAY_OUT}"
        ) from None
    if not (
        0 <= row[0] < MOST_PROCESSES
        and 0 <= row[4] <= row[5] <= LONGEST_PS
        and max(row[2:4]) < 2**31
    ):
        raise Unusable(
            f"{file}: line {number}: its numbers are out of range ({short(line, 50)}); {WAY_OUT}"
        )
    return row
