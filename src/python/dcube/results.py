"""Results of runs."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from . import _dcube, plotting
from .arguments import checked
from .errors import ArgumentError, OutcomeError, shown
from .tables import Table, Tabular, datum, frame, share_text, time_text

if TYPE_CHECKING:
    from . import _dcube
    from .hints import Array, Name
    from .programs import Program

ACTIVITIES = ("compute", "communication", "waiting", "endpoint", "idle")


class Result(Tabular):
    """A run that was made.

    Times are exact: whole picoseconds (`.._ps`), beside seconds (`.._s`). Loads and intervals are
    numpy arrays. `data` is what `dcube run --json --full` prints.
    """

    def __init__(self, run: _dcube.Run | None, programs: Iterable[Program] = ()) -> None:
        self._run: Any = run
        self._programs = programs  # live as long as somebody may ask for its answer

    # --- In short ---

    @functools.cached_property
    def outcome(self) -> str:
        """ "completed", "deadlock", "not_verified" or "unreachable"."""
        return self._run.outcome

    @functools.cached_property
    def makespan_ps(self) -> int:
        return self._run.makespan_ps

    @property
    def makespan_s(self) -> float:
        return self.makespan_ps / 1e12

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of everything that happened, the same on every computer."""
        return self._run.fingerprint

    @functools.cached_property
    def verified(self) -> bool | None:
        """Whether the program's answer is right; None where it does not say."""
        return self._run.verified

    @functools.cached_property
    def returned(self) -> Any:
        """What the processes of a program in Python have returned, by rank; else None."""
        return self._run.returned()

    def raise_for_outcome(self) -> Result:
        """Gives the result back, or raises dcube.OutcomeError unless the run completed."""
        if self.outcome != "completed":
            raise OutcomeError(f"{self.title}: {self.outcome}", self)
        return self

    # --- In full ---

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        return json.loads(self._run.json(True))

    machine: Final[str] = datum("machine.name")
    embedding: Final[str] = datum("embedding.kind")
    program: Final[str] = datum("program.kind")

    @property
    def title(self) -> str:
        return f"{self.program} on {self.machine}, {self.embedding}"

    @functools.cached_property
    def map(self) -> Array:
        """The node of each process."""
        return self._run.map()

    @functools.cached_property
    def links(self) -> dict[str, Array]:
        """Each directed link: arrays `source`, `target`, `messages`, `busy_ps`. The last is rounded
        past 2**53."""
        return self._run.link_loads()

    @property
    def link_loads(self) -> Array:
        """Messages over each link, in the order of `links`."""
        return self.links["messages"]

    @functools.cached_property
    def node_loads(self) -> Array:
        """Messages that each node passed on."""
        return self._run.node_loads()

    @functools.cached_property
    def process_ends_ps(self) -> Array:
        """When each process ended; the last is the host computer's, if there is one."""
        return self._run.process_ends_ps()

    @functools.cached_property
    def _intervals(self) -> dict[str, Array] | None:
        return self._run.intervals()

    @property
    def intervals(self) -> dict[str, Array]:
        """What each process did when: arrays `process`, `activity` (a place in dcube.ACTIVITIES),
        `stage` (-1: none), `begin_ps`, `end_ps`, `peer`."""
        if self._intervals is None:
            raise AttributeError("intervals were not kept; run it with dcube.run(.., intervals=True)")
        return self._intervals

    @property
    def waiting(self) -> dict[str, Array]:
        """Those of the intervals in which a process waited."""
        every = self.intervals
        waits = every["activity"] == ACTIVITIES.index("waiting")
        return {name: column[waits] for name, column in every.items() if name != "activity"}

    @property
    def why(self) -> dict[str, Any]:
        """The critical path, and what caused the waiting, as `dcube run --why --json` prints them."""
        if "critical_path" not in self.data:
            raise AttributeError("causes were not kept; run it with dcube.run(.., why=True)")
        return self.data["critical_path"]

    @property
    def phases(self) -> list[dict[str, Any]]:
        """What each phase of the program costs, a dict a phase: its `name`, how often it was gone
        through (`iterations`), the time that a process is in it (`time_s`, the mean over processes,
        which is the sum of `compute_s`, `communication_s`, `waiting_s` and `endpoint_s`; and
        `time_max_s`), what is sent in it (`messages`, `bytes`, `queued` hops, `queued_s`),
        and with why=True its part of the critical path (`critical_path_s`). Empty where the program
        names no stages."""
        return self.data.get("phases", [])

    # --- For others ---

    @checked
    def to_pandas(self, what: str = "links") -> Any:
        """A pandas.DataFrame of "links", "nodes", "processes", "stages", "phases", "intervals" or
        "waiting"."""
        if what in ("links", "intervals", "waiting"):
            columns = dict(getattr(self, what))
            if "activity" in columns:
                import pandas

                columns["activity"] = pandas.Categorical.from_codes(
                    columns["activity"], categories=ACTIVITIES
                )
            return frame(columns)
        if what == "nodes":
            return frame({"messages": self.node_loads})
        if what == "processes":
            return frame({"node": self.map, "end_ps": self.process_ends_ps[: len(self.map)]})
        if what == "stages":
            return frame(self.data["stages"])
        if what == "phases":
            return frame(self.phases)
        raise ArgumentError(
            "what", f"{shown(what)} is no table of a result (links, nodes, processes, stages, phases, intervals, waiting)"
        )

    @checked
    def plot(self, kind: str = "links", **options: Any) -> Any:
        """A matplotlib figure: "links" or "nodes", loads on the machine's shape; "embedding"."""
        scripts = {"links": "plot_link_load", "nodes": "plot_node_load", "embedding": "plot_embedding"}
        if kind not in scripts:
            raise ArgumentError("kind", f"{shown(kind)} is no picture of a result ({', '.join(scripts)})")
        return plotting.figure(scripts[kind], {"result.json": self._json()}, **options)

    @checked
    def save(self, file: Name) -> None:
        """Writes what `dcube run --output FILE --full` does."""
        _dcube.write_file(os.fsencode(file), self._json())

    def _json(self) -> str:
        if self._run is not None:
            return self._run.json(True)
        return json.dumps(self.data, indent=1) + "\n"

    def _table(self) -> Table:
        data = self.data
        rows = [
            ("outcome", self.outcome),
            ("makespan", time_text(self.makespan_ps)),
            ("machine", f"{self.machine}, {data['machine']['nodes']:,} nodes"),
            ("embedding", self.embedding),
            ("program", f"{self.program}, {data['program']['processes']:,} processes"),
        ]
        if self.verified is not None:
            rows.append(("answer", "verified" if self.verified else "wrong"))
        for activity in ACTIVITIES:
            mean_s = data["time_s"][activity]["mean"]
            if mean_s:
                rows.append((f"mean {activity}", share_text(mean_s, self.makespan_s)))
        messages = data["messages"]
        rows.append(("messages", f"{messages['count']:,} over {messages['hops']:,} hops"))
        rows.append(("queued", f"{messages['queued']:,} hops"))
        theory = data["theory"]
        if theory:
            rows.append(("without contention", time_text(round(theory["makespan_s"] * 1e12))))
        if self.outcome == "deadlock":
            rows.append(("blocked", f"{data['blocked_processes']:,} processes"))
        return rows, None, self.title

    def __repr__(self) -> str:
        return f"<{self.title}: {self.outcome} in {time_text(self.makespan_ps)}>"

    # --- In another process ---

    def __getstate__(self) -> dict[str, Any]:
        names = ["outcome", "makespan_ps", "fingerprint", "verified", "returned", "data", "map"]
        names += ["links", "node_loads", "process_ends_ps", "_intervals"]
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _run=None, _programs=())
