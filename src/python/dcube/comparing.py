"""Comparisons of embeddings."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _dcube, plotting
from .arguments import checked, is_name
from .documents import Request, embedding_setting, json_text
from .errors import ArgumentError, InputError
from .progress import Progress
from .tables import Table, Tabular, frame

if TYPE_CHECKING:
    from .hints import AnyProgram, Embedding, Embeddings, Group, NameOrGroup, Names, OnProgress


class Comparison(Tabular):
    """What runs of one scenario under several embeddings came to.

    `rows` are dicts: embedding, outcome, makespan_ps, average_dilation, max_link_load, ..
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.rows = found["rows"]
        self.machine = found["machine"]
        self.program = found["program"]
        self.processes = found["processes"]
        self.bound = found["bound"]  #: (seconds that no embedding can beat, why), or None
        self._cells = found["cells"]
        self._best = found["best"]
        self._rivals = found["rivals"]
        self._fair = found["best_under_fair_links"]
        self.hop = found["hop"]  #: "a hop takes 1 s (no bandwidth)"
        self.network = found["network"]  #: switching, service of links, failures
        self.placed = found["placed"]  #: {"objective", "cost", "bound", "gap"} of the row "placed", or None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, embedding: str) -> dict[str, Any]:
        for row in self.rows:
            if row["embedding"] == embedding:
                return row
        raise KeyError(embedding)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __contains__(self, embedding: object) -> bool:
        return any(row["embedding"] == embedding for row in self.rows)

    @property
    def best(self) -> Any:
        """The fastest row that completed; None when none did."""
        return None if self._best is None else self.rows[self._best]

    @property
    def best_under_fair_links(self) -> Any:
        """The fastest row where links serve packets in turn, where that is another; else None."""
        return None if self._fair is None else self.rows[self._fair]

    @property
    def rivals(self) -> list[dict[str, Any]]:
        """Rows that are slower than the best, but need not be when computing times vary a little."""
        return [self.rows[place] for place in self._rivals]

    def to_pandas(self) -> Any:
        return frame([{key: value for key, value in row.items() if not isinstance(value, dict)} for row in self.rows])

    def plot(self, **options: Any) -> Any:
        """A matplotlib figure: the makespans."""
        bound = {"bound": {"makespan_s": self.bound[0]}} if self.bound else {}
        several = len({row["processes"] for row in self.rows}) > 1
        left_out = set() if several else {"processes"}
        runs = [{key: value for key, value in row.items() if key not in left_out and (key, value) != ("seed", 0)} for row in self.rows]
        compared = {"machine": self.machine, "program": self.program, "runs": runs, **bound}
        return plotting.figure("plot_comparison", {"comparison.json": json.dumps(compared)}, **options)

    def __repr__(self) -> str:
        best = f", {self.best['embedding']} is the fastest" if self.best else ""
        return f"<{self.program} on {self.machine}: {len(self)} runs{best}>"

    def _table(self) -> Table:
        return self._cells[1:], self._cells[0], f"{self.program} on {self.machine}"


def of_comparison(ended, runs, _):
    return f"simulating: {ended:,} of {runs:,} runs have ended"


@checked
def compare(
    scenario: NameOrGroup | None = None,
    embeddings: Embeddings | None = None,
    *,
    machine: NameOrGroup | None = None,
    embedding: Embedding | None = None,
    program: AnyProgram | None = None,
    processes: int | None = None,
    guest: str | None = None,
    seed: int | None = None,
    set: Group | None = None,  # noqa: A002  as on the command line
    axis_orders: bool = False,
    place: str | None = None,
    process_numbers: Iterable[int] | int | None = None,
    networks: Names | None = None,
    failures: Iterable[int] | int | None = None,
    seeds: int | None = None,
    ties: bool | None = None,
    check_links: bool = False,
    why: bool = False,
    jobs: int | None = None,
    time_limit_s: float | None = None,
    progress: bool | OnProgress | None = None,
) -> Comparison:
    """Simulates a scenario under several embeddings, each run in a process of its own.

    embeddings       names, files, dicts, maps as run() takes them, or "own", the scenario's (default: all that fit but
                     random and weighted_xor, block and cyclic where nodes have several slots, and own);
                     in rows the third is called map_3 where it has no name
    embedding        the only one
    axis_orders      whether to compare every order of the axes of the program, too
    place            objective of a map that place() finds, which is the row "placed": "hop-bytes"
    process_numbers  are compared in place of embeddings, or beside them
    networks         "store_and_forward", "cut_through", "fluid": all embeddings under each
    failures         numbers of links that fail at random, each in as many samples as `seeds` says
                     (default: 10)
    ties             whether to find out what is tie-sensitive, by runs whose computing times vary a
                     little; None: when that is cheap. Not of programs in Python unless asked for
    check_links      whether to run all under fair links, too; otherwise where that is cheap
    why              whether to find each run's critical path
    jobs             runs at a time (default: one a processor)
    time_limit_s     of each run
    The other arguments are those of run().
    """
    if embedding is not None:
        if embeddings is not None:
            raise ArgumentError("embedding", "stands beside embeddings, which are compared in its place (leave one out)")
        embeddings = [embedding]
        json_text(embeddings, "embedding")
    if processes is not None and process_numbers is not None:
        raise ArgumentError("processes", "stands beside process_numbers, which are compared in its place (leave one out)")
    if seeds is not None and failures is None:
        raise ArgumentError("seeds", "needs failures, whose samples it counts")
    request = Request(scenario, machine=machine, program=program, processes=processes, guest=guest, seed=seed, set=set)
    if ties is None and request.programs:
        ties = False
    with (
        request.asked(),
        Progress(progress, of_comparison) as on_progress,
        named_embeddings(embeddings or []) as named,
    ):
        fields = {
            "text": request.text, "file": request.file, "overrides": request.overrides, "embeddings": named,
            "axis_orders": axis_orders, "place": place, "process_numbers": process_numbers, "networks": networks,
            "failures": failures, "seeds": seeds, "ties": ties, "check_links": check_links, "explains": why,
            "jobs": jobs, "time_limit_s": time_limit_s, "is_python": bool(request.programs),
        }  # fmt: skip
        return Comparison(_dcube.compare(fields, on_progress))


@contextlib.contextmanager
def named_embeddings(embeddings):
    """Names and files, of maps and settings in files of their own: map_1, map_2, .., by their places."""
    with tempfile.TemporaryDirectory() as folder:
        named = []
        for place, embedding in enumerate(embeddings):
            if not is_name(embedding):
                file = os.path.join(folder, f"map_{place + 1}.json")
                with open(file, "w", encoding="utf-8") as stream:
                    stream.write(json_text(embedding_setting(embedding), f"embeddings[{place}]"))
                embedding = file
            named.append(embedding)
        try:
            yield named
        except InputError as error:
            if folder not in error.line:
                raise
            texts = [text.replace(folder + os.sep, "") for text in (error.place, error.problem, error.line)]
            raise type(error)(*texts) from None
