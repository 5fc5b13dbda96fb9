"""Comparisons of `dcube compare --output DIR`: comparison.json or .csv, or the folder."""

import csv
import io
import os
from dataclasses import dataclass
from typing import Optional

from .documents import Document, Unusable, parse_json, read_text
from .results import read_result
from .text import plain

WAY_OUT = "make it with `dcube compare SCENARIO --output DIR`"


@dataclass(frozen=True)
class Row:
    """A run of a comparison."""

    embedding: str
    processes: Optional[int]  # if numbers of processes are compared
    outcome: str
    makespan_s: Optional[float]  # of a run that completed
    sequential_s: Optional[float]
    result: Optional[str] = None  # files, relative to the comparison; tables alone name none
    trace: Optional[str] = None
    network: Optional[str] = None  # where networks are compared, too
    failures: Optional[int] = None  # number of links that fail at random, where some do
    seed: Optional[int] = None  # that they are drawn with

    @property
    def label(self):
        """The name of its pictures."""
        draw = f"-f{self.failures}-s{self.seed}" if self.failures else ""
        if self.network is not None:
            return f"{self.network.replace(':', '-')}-{self.embedding}{draw}"
        if draw:
            return self.embedding + draw
        return self.embedding if self.processes is None else f"{self.embedding}-{self.processes}"


@dataclass(frozen=True)
class Comparison:
    file: str
    rows: list
    machine: str
    program: str
    processes: Optional[int]
    bound_s: Optional[float]

    @property
    def is_scaling(self):
        return any(row.processes is not None for row in self.rows)

    def title(self):
        parts = [plain(self.program), plain(self.machine)]
        return " on ".join(part for part in parts if part)

    def result_of(self, row):
        """The file of a run's result, or None."""
        return self.beside(row.result)

    def trace_of(self, row):
        return self.beside(row.trace)

    def beside(self, named):
        return os.path.join(os.path.dirname(self.file), named) if named and self.file != "-" else None

    def completed(self):
        return [row for row in self.rows if row.makespan_s is not None]

    def times_of(self, row):
        """What a process of the run does on average, from its result; None if there is none."""
        file = self.result_of(row)
        if file is None:
            return None
        result = read_result(file, "remove it, or make it anew with `dcube compare --output`")
        times = result.mean_times_s()
        fits = abs(sum(times.values()) - row.makespan_s) <= 1e-6 * max(row.makespan_s, 1e-12)
        return times if fits else None  # the result is of another run


def read_comparison(file):
    """`file` may also be a folder that `dcube compare` wrote."""
    if os.path.isdir(file):
        file = os.path.join(file, "comparison.json")
        if not os.path.isfile(file):
            raise Unusable(f"{file}: is not there; {WAY_OUT}")
    text = read_text(file)
    if text.lstrip()[:1] in ("{", "["):
        return from_json(file, parse_json(file, text, WAY_OUT))
    return from_csv(file, text)


def from_json(file, document):
    if not document.has("runs"):
        raise document.complaint("is no comparison")
    rows = [row_of(item) for item in document.get("runs").items()]
    bound = document.get("bound").get("makespan_s").number(0) if document.has("bound") else None

    def text(key):
        return document.get(key).text() if document.has(key) else ""

    processes = document.get("processes").whole(1) if document.has("processes") else None
    return checked(Comparison(file, rows, text("machine"), text("program"), processes, bound))


def row_of(item):
    outcome = item.get("outcome").text()
    is_completed = outcome == "completed"
    row = Row(
        item.get("embedding").text(),
        item.get("processes").whole(1) if item.has("processes") else None,
        outcome,
        item.get("makespan_s").number(0) if is_completed else None,
        item.get("sequential_s").number(0) if item.has("sequential_s") else None,
        item.get("result").text() if item.has("result") else None,
        item.get("trace").text() if item.has("trace") else None,
        item.get("network").text() if item.has("network") else None,
        item.get("failures").whole(0) if item.has("failures") else None,
        item.get("seed").whole(1) if item.has("seed") else None,
    )
    if "/" in row.label or "\0" in row.label:  # a picture would lie outside the folder
        raise item.get("embedding").complaint("is not a name that a file can have")
    return row


def from_csv(file, text):
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        lines = list(reader)
    except csv.Error as error:
        raise Unusable(f"{file}: is no CSV ({error}); {WAY_OUT}") from None
    columns = reader.fieldnames or []
    for needed in ("embedding", "outcome", "makespan_s"):
        if needed not in columns:
            raise Unusable(f'{file}: has no column "{needed}"; {WAY_OUT}')
    rows = [csv_row(file, number, line) for number, line in enumerate(lines, 2)]
    bounds = [
        row.makespan_s / float(line["ratio_to_bound"])
        for row, line in zip(rows, lines)
        if row.makespan_s and is_ratio(line.get("ratio_to_bound"))
    ]
    return checked(Comparison(file, rows, "", "", None, bounds[0] if bounds else None))


def is_ratio(text):
    try:
        return text is not None and 1e-9 < float(text) < 1e9
    except ValueError:
        return False


def csv_row(file, number, line):
    def value(key, convert):
        text = line.get(key)
        if not text:
            return None
        try:
            found = convert(text)
        except ValueError:
            raise Unusable(f"{file}: line {number}: {key} is no number; {WAY_OUT}") from None
        return Document(file, found, WAY_OUT, f"line {number}: {key}").number(0)

    if None in line or line.get("outcome") is None:
        raise Unusable(f"{file}: line {number}: has not as many cells as the first line; {WAY_OUT}")
    is_completed = line["outcome"] == "completed"
    makespan = value("makespan_s", float) if is_completed else None
    if is_completed and makespan is None:
        raise Unusable(f"{file}: line {number}: has no makespan_s; {WAY_OUT}")
    return Row(
        line["embedding"],
        value("processes", int),
        line["outcome"],
        makespan,
        value("sequential_s", float),
        network=line.get("network") or None,
        failures=value("failures", int),
        seed=value("seed", int),
    )


def checked(comparison):
    if not comparison.rows:
        raise Unusable(f"{comparison.file}: holds no runs; {WAY_OUT}")
    return comparison
