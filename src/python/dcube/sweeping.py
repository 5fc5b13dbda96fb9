"""Many runs of one scenario."""

from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _dcube, plotting
from .arguments import checked, is_list, is_name, is_program, refuse_set
from .documents import Request, embedding_setting, json_text, named_embedding
from .errors import ArgumentError, InputError, shown
from .progress import Progress, of_sweep
from .tables import Table, Tabular, frame

if TYPE_CHECKING:
    from .hints import AnyProgram, Embedding, Group, Name, NameOrGroup, OnProgress
    from .programs import Program


class Sweep(Tabular):
    """The runs of a study: every combination of the values of its settings.

    `columns` has a list or an array for each setting, for the outcome and for every measure; what a
    run did not come to is NaN (then `makespan_ps` has floats), and None in lists.
    """

    def __init__(self, made: _dcube.Sweep, programs: Iterable[Program] = ()) -> None:
        self._made = made
        self._programs = programs

    @property
    def name(self) -> str:
        return self._made.name

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        return self._made.columns()

    @functools.cached_property
    def settings(self) -> dict[str, str]:
        """What is varied: {column: JSON pointer}."""
        return {setting["column"]: setting["pointer"] for setting in self._made.settings()}

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """What `dcube sweep --json` prints."""
        return json.loads(self._made.json())

    def __len__(self) -> int:
        return len(self.columns["outcome"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each run."""
        return frame(self.columns)

    @checked
    def spread(self, measure: str = "makespan_s") -> list[dict[str, Any]]:
        """Of runs that differ in their seed alone: a list of dicts with the settings, `count`, `mean`,
        `deviation`, `least`, `greatest` and `half_interval` (of the mean's 95 % interval)."""
        return [{**settings, **spread} for settings, _, spread in self._made.groups(measure)]

    @checked
    def ratio(self, question: str, measure: str = "makespan_s") -> list[dict[str, Any]]:
        """How runs compare that differ in one setting: "standard/xor". A list as that of spread()."""
        return [{**settings, **spread} for settings, spread in self._made.ratios(question, measure)]

    @checked
    def save(self, file: Name) -> None:
        """Writes a CSV file with a row for each run."""
        _dcube.write_file(os.fsencode(file), self._made.csv())

    @checked
    def plot(self, measure: str | None = None, **options: Any) -> Any:
        """A matplotlib figure: a measure against a setting. Options: x, lines, title, .."""
        first = measure or (self._made.shown or ["makespan_s"])[0]
        return plotting.figure("plot_sweep", {"sweep.json": self._made.json(first)}, **options)

    def _table(self, most: int = 20) -> Table:
        shown = [*self.settings, "outcome", *(self._made.shown or ["makespan_s"])]
        columns = [self.columns[name] for name in shown]
        rows = [[cell_text(column[row]) for column in columns] for row in range(min(most, len(self)))]
        if len(self) > most:
            rows.append([f".. {len(self):,} runs", *[""] * (len(shown) - 1)])
        return rows, shown, None

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self):,} runs>"


def cell_text(value):
    if isinstance(value, str):
        return value
    return "-" if math.isnan(value) else f"{value:.6g}"


def as_shown(value):
    """A float that is a whole number as that, by which tables show it and ratios name it."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def axes(argument, settings):
    """Values by JSON pointer as a study has them: texts as on the command line, "log:1s:100s:9", or lists."""
    found = []
    for pointer, values in settings.items():
        if not isinstance(values, str):
            if not is_list(values):
                raise ArgumentError(argument, f"{shown(values)} is not a text or a list of values for {pointer}")
            refuse_set(argument, values, f"give a list of values for {pointer}")
            values = [embedding_setting(value) if pointer == "/embedding" else as_shown(value) for value in values]
        found.append({"setting": pointer, "values": values})
    return found


def given_axes(settings):
    """Those of a study in a dict, where they may be as in the argument `vary`."""
    return axes("study", settings) if isinstance(settings, dict) else settings


def joined(own, more):
    """A list of the study with more; who reads the study complains of what is no list."""
    return [*own, *more] if is_list(own) else own


def study_of(study):
    """The document of a study and where it stands, if it is one."""
    if isinstance(study, dict):
        return (dict(study), "study.json") if "scenario" in study else (None, None)
    if is_name(study) and os.path.isfile(study):
        with open(study, encoding="utf-8") as stream:
            try:
                document = json.load(stream)
            except (ValueError, RecursionError):
                return None, None  # who reads it as a scenario complains
        if isinstance(document, dict) and "scenario" in document:
            return document, os.fspath(study)
    return None, None


@checked
def sweep(
    study: NameOrGroup | None = None,
    *,
    vary: Group | None = None,
    zip: Group | None = None,  # noqa: A002  as on the command line
    where: str | Iterable[str] | None = None,
    seeds: int | None = None,
    measures: str | Iterable[str] | None = None,
    machine: NameOrGroup | None = None,
    embedding: Embedding | None = None,
    program: AnyProgram | None = None,
    processes: int | None = None,
    guest: str | None = None,
    set: Group | None = None,  # noqa: A002
    progress: bool | OnProgress | None = None,
) -> Sweep:
    """Runs every combination of the values of some settings.

    study      a scenario as for run(), or a study: a file or a dict with "scenario", "vary", ..
    vary       {"/program/message": [1, 64, "4KiB"], "/embedding": ["xor", "gray"],
               "/program/compute": "log:1ms:1s:7"}: values by JSON pointer
    zip        the same; these go through their values together
    where      conditions such as "/program/message <= 64KiB"
    seeds      each run is made with the seeds 1 to this one
    measures   what is shown first, of dcube.MEASURES
    The other arguments are those of run(). Runs are made one after the other in this process.
    """
    document, file = study_of(study)
    changes = {"machine": machine, "program": program, "processes": processes, "guest": guest, "set": set}
    if document is None:
        request = Request(study, "study", **changes)
        document, file = {"scenario": json.loads(request.text) if request.text else request.file}, "study.json"
        if request.text:
            document["name"] = document["scenario"].get("name", "sweep")
    else:
        base = document["scenario"]
        if isinstance(base, dict):
            own = base.get("program")
            if program is None and (is_program(own) or processes is not None or guest is not None):
                changes["program"] = own
            document["scenario"] = {"schema_version": 1, **base}
            if is_program(own):
                del document["scenario"]["program"]
        elif is_name(base):
            base = os.path.join(os.path.dirname(file), base)
            base = base if os.path.exists(base) else document["scenario"]
        request = Request(base if is_name(base) else file, "study", **changes)
    changed = {pointer: json.loads(value) for pointer, value in request.overrides}
    if embedding is not None:
        if "/embedding" in changed:
            raise InputError("set /embedding", "is given twice (a value is replaced once)")
        changed["/embedding"] = named_embedding(embedding)
    document = {"schema_version": 1, **document}
    own = document.get("set", {})
    if changed and isinstance(own, dict):  # who reads the study complains of others
        document["set"] = {**own, **changed}
    document["vary"] = joined(given_axes(document.get("vary", [])), axes("vary", vary or {}))
    if zip:
        document["zip"] = joined(document.get("zip", []), [axes("zip", zip)])
    if where:
        document["where"] = joined(document.get("where", []), where)
    if seeds is not None:
        document["seeds"] = seeds
    if measures:
        document["measures"] = measures
    text = json_text(document, file, request.programs, {"vary": vary, "zip": zip, "embedding": embedding, "study": study})
    with Progress(progress, of_sweep) as on_progress:
        made = _dcube.sweep(text, file, on_progress)
    return Sweep(made, request.programs)
