"""Searches for better embeddings."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from . import _dcube
from .arguments import checked, is_name
from .documents import Request, json_text
from .errors import ArgumentError
from .measures import machine_fields
from .progress import Progress, of_search
from .tables import Table, Tabular, datum

if TYPE_CHECKING:
    from .hints import AnyProgram, Array, Embedding, Group, Name, NameOrGroup, Node, OnProgress, Size, Traffic


class Found(Tabular):
    """The best map that a search found. `data` is what `dcube search --json` prints. Costs are whole
    numbers: hops, bytes, bytes times hops or picoseconds."""

    def __init__(self, objective: str, text: str, map_: Array, is_cut_short: bool) -> None:
        self.data = data = json.loads(text)
        self.objective = objective
        self.map = map_  #: the node of each process
        self.cost = data["found"]["cost"]
        self.origin = data["found"]["origin"]  #: what made it
        self.method = data["method"]
        self.moves = data["moves"]  #: maps that were tried
        self.starts = {start["embedding"]: start["cost"] for start in data["starts"]}  #: costs of maps it began with
        self.bounds = [(bound["cost"], bound["source"]) for bound in data["bounds"]]  #: greatest first
        self.is_optimal = self.cost <= self.bound  #: it is known that nothing is better
        #: maps of that cost, after an enumeration
        self.optima = data["proof"]["optima"] if data["proof"] and method_counts(data) else 0
        self.is_cut_short = is_cut_short  #: by its time limit

    value: Final[float] = datum(
        "found.value", "The cost as people say it: hops a flow, hops per byte (byte-weighted mean hops), seconds."
    )
    bound: Final[int] = datum("bound.cost")
    gap: Final[float | None] = datum(
        "gap", "How far the cost is above the bound, as a share of the bound; None where only that is 0."
    )

    def embedding_setting(self) -> dict[str, Any]:
        """What a scenario takes as its embedding; dcube.run(embedding=found) does, too."""
        return {"kind": "explicit", "map": self.map.tolist()}

    def _table(self) -> Table:
        bound = self.data["bound"]
        rows = [
            ("objective", self.objective),
            ("found", f"{self.value:.6g}"),
            ("by", self.origin),
            ("bound", f"{bound['value']:.6g} ({bound['source']})"),
            ("optimal", "yes" if self.is_optimal else "not known"),
            *((f"start: {start['embedding']}", f"{start['value']:.6g}") for start in self.data["starts"]),
        ]
        return rows, None, None

    def __repr__(self) -> str:
        return f"<{self.objective} {self.value:.6g} by {self.origin}>"


class Placed(Found):
    """A map to be used, and what it saves. `data` is what `dcube place --json` prints."""

    earlier: Final[dict[str, Any]] = datum(
        "place.earlier", 'The map of today: "name", "cost" (None where it cannot run), "map", ..'
    )
    saving: Final[float | None] = datum("place.saving", "Of the earlier cost; None where that is not known or 0.")
    moved: Final[int] = datum("place.moved", "Processes that are elsewhere.")


def method_counts(data):
    return data["method"] == "exhaustive"


def fields_of(scenario, machine, traffic, weights, only, avoid, pins, **fields):
    """What a search is asked, as the C++ side takes it."""
    of_scenario = {name: fields.pop(name) for name in ("program", "processes", "guest", "embedding", "set")}
    if traffic is None:
        request = Request(scenario, machine=machine, **of_scenario)
        fields["request"] = request  # whose programs live as long as the search
        fields["is_python"] = bool(request.programs)
        fields |= {"scenario": request.file, "scenario_text": request.text, "embedding": request.embedding}
        fields["settings"] = [f"{pointer}={value}" for pointer, value in request.overrides]
        if weights is not None:
            raise ArgumentError("weights", "needs traffic, a shape whose dimensions it weighs")
    else:
        for name, value in {"scenario": scenario, **of_scenario}.items():
            if value is not None:
                raise ArgumentError(name, "stands beside traffic, which needs a machine alone (leave one out)")
        if machine is None:
            raise ArgumentError("machine", "is missing; traffic needs one")
        fields |= machine_fields(machine) | {"traffic": traffic}
    if weights is not None:
        fields["weights"] = weights if isinstance(weights, str) else ",".join(str(weight) for weight in weights)
    if only is not None:
        fields["only"] = [only if is_name(only) else json_text(only, "only")]
    fields["avoid"] = [str(node) for node in avoid]
    fields["pins"] = [f"{process}={node}" for process, node in (pins or {}).items()]
    return fields


@checked
def search(
    scenario: NameOrGroup | None = None,
    *,
    machine: NameOrGroup | None = None,
    traffic: Traffic | None = None,
    weights: str | Iterable[Size] | None = None,
    program: AnyProgram | None = None,
    processes: int | None = None,
    guest: str | None = None,
    embedding: Embedding | None = None,
    seed: int = 0,
    set: Group | None = None,  # noqa: A002  as on the command line
    objective: str = "hop-bytes",
    method: str = "auto",
    effort: int | None = None,
    time_limit_s: float | None = None,
    prove_s: float | None = None,
    jobs: int | None = None,
    seeds: int | None = None,
    compute: str | None = None,
    hop: str | None = None,
    only: Name | Iterable[Node] | None = None,
    avoid: Iterable[Node] = (),
    pins: Mapping[int, Node] | None = None,
    hosts: Name | None = None,
    slack: str | None = None,
    why: bool = False,
    progress: bool | OnProgress | None = None,
) -> Found:
    """Searches for a good embedding: of a scenario's or a program's traffic, which is recorded in a
    run, or of given traffic on a machine.

    traffic       a shape ("cube:6"), a file, or a square matrix with the bytes from each process (row)
                  to each (column): of numpy, a sparse one of scipy, or lists
    objective     "hop-bytes", "average-dilation", "longest-dilation", "link-load", "link-time",
                  "cc-time", a sum such as "hop-bytes+20%*link-load", or "makespan" (by simulation)
    method        "auto", "annealing", "scotch", "exhaustive", "constant-distances"
    effort        evaluation budget: maps tried at most (default: about a second of them, or until the limit)
    weights       bytes by dimension of the shape: numbers, "doubling" or "halving"
    compute, hop  of "cc-time": of a stage, and of a message over a link (default: 1s)
    only, avoid   the nodes that alone may host processes (also a file, or a text such as "cn[0-9]"), and
                  those that may not
    pins          {process: node}: processes that have to be where they are
    hosts         what nodes are called, where they are not numbers: a pattern or a file
    slack         "3%": a node takes so many more processes than their mean, rounded up, in place of
                  the machine's slots
    why           whether `data` has what is busiest, and what the bounds forbid
    time_limit_s  what is found until then is given; another run may find something else
    prove_s       time for a better bound of "hop-bytes" or "average-dilation" after the search
    jobs          threads for "hop-bytes" and "average-dilation" (default: one a processor), and for
                  "makespan" simulations at a time (default: one; so it is for programs in Python);
                  their number changes nothing
    seeds         of the jitter, under which each map is simulated (default: 4); the cost is the mean
    """
    fields = dict(locals())
    return asked(_dcube.search, Found, fields)


@checked
def place(
    scenario: NameOrGroup | None = None,
    *,
    against: Name | None = None,
    machine: NameOrGroup | None = None,
    traffic: Traffic | None = None,
    weights: str | Iterable[Size] | None = None,
    program: AnyProgram | None = None,
    processes: int | None = None,
    guest: str | None = None,
    embedding: Embedding | None = None,
    seed: int = 0,
    set: Group | None = None,  # noqa: A002  as on the command line
    objective: str = "hop-bytes",
    method: str = "auto",
    effort: int | None = None,
    time_limit_s: float | None = None,
    prove_s: float | None = None,
    jobs: int | None = None,
    seeds: int | None = None,
    compute: str | None = None,
    hop: str | None = None,
    only: Name | Iterable[Node] | None = None,
    avoid: Iterable[Node] = (),
    pins: Mapping[int, Node] | None = None,
    hosts: Name | None = None,
    slack: str | None = None,
    why: bool = False,
    progress: bool | OnProgress | None = None,
) -> Placed:
    """search() from the map that is used today on, and what that saves.

    against   today's map: a file or an embedding's name (default: the scenario's own, or processes
              in the order of nodes)
    The other arguments are those of search().
    """
    fields = dict(locals())
    return asked(_dcube.place, Placed, fields)


def asked(question, answer, arguments):
    progress = arguments.pop("progress")
    fields = fields_of(**arguments)
    asked_of = fields["request"].asked() if "request" in fields else contextlib.nullcontext()
    with asked_of, Progress(progress, of_search) as on_progress:
        return answer(arguments["objective"], *question(fields, on_progress))
