"""Tasks on subcubes of a hypercube."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from . import _dcube
from .arguments import checked
from .comparing import of_comparison
from .documents import json_text
from .errors import ArgumentError
from .progress import Progress, of_subcubes
from .tables import Table, Tabular, datum, frame, share_text

if TYPE_CHECKING:
    from .hints import Group, Name, OnProgress, Traffic


class SubcubeMapping(Tabular):
    """A mapping of tasks to subcubes. `data` is what `dcube subcubes --json` prints."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text)

    mapping: Final[list[str]] = datum("mapping", 'The subcube of each task: "0*1", ..')
    bandwidth: Final[int] = datum("bandwidth", "Bytes times hops.")
    bound: Final[int] = datum("bound", "No mapping of its kind has less bandwidth.")
    gap: Final[float | None] = datum(
        "gap", "How far the bandwidth is above the bound, as a share of the bound; None where that is 0."
    )
    is_optimal: Final[bool] = datum("optimal", "Whether it is known that no mapping of its kind is better.")
    simulation: Final[dict[str, Any] | None] = datum(
        "simulation", "How bandwidths and makespans of other mappings correlate, where some were simulated."
    )

    def to_pandas(self) -> Any:
        """The mappings that were simulated."""
        return frame(self.simulation["mappings"] if self.simulation else [])

    def _table(self) -> Table:
        data = self.data
        rows = [
            ("bandwidth", f"{self.bandwidth:,}"),
            ("bound", f"{self.bound:,}"),
            ("optimal", "yes" if self.is_optimal else "not known"),
            ("of a random mapping's", share_text(self.bandwidth, data["random_bandwidth"] or 0)),
            *((f"task {task}", subcube) for task, subcube in enumerate(self.mapping[:32])),
        ]
        return rows, None, None

    def __repr__(self) -> str:
        return f"<{len(self.mapping)} tasks on subcubes, bandwidth {self.bandwidth:,}>"


@checked
def subcubes(
    graph: Name | None = None,
    *,
    traffic: Traffic | None = None,
    random: str | Group | None = None,
    subcube: int | None = None,
    dimensions: int | None = None,
    method: str = "annealing",
    parallel: bool = False,
    non_parallel: bool = False,
    any: bool = False,  # noqa: A002  as on the command line
    seed: int = 0,
    restarts: int | None = None,
    moves: int | None = None,
    evaluate: Name | None = None,
    map: Name | None = None,  # noqa: A002  as on the command line
    hosts: Name | None = None,
    simulate: int | None = None,
    machine: Name | None = None,
    jobs: int | None = None,
    time_limit_s: float | None = None,
    progress: bool | OnProgress | None = None,
) -> SubcubeMapping:
    """Maps communicating tasks to subcubes of a hypercube with least bandwidth.

    graph         the file of a task graph
    traffic       in its place: a traffic file, a shape such as "mesh:4x4", or a matrix as of search()
    random        in its place, drawn from the seed: {"tasks": 25, "ccp": 0.2, "w": 20}
    subcube       dimensions of the subcube of each task
    dimensions    of the cube (default: as few as give every task a subcube)
    method        "annealing", "paper" (annealing as published), "random", "exhaustive"
    parallel, non_parallel, any
                  which mappings, at most one of them (default: parallel)
    restarts      annealings from other starts, or random mappings; the best counts
    moves         at each temperature
    evaluate      measures the mapping in this file in place of looking for one
    map, hosts    the same with the map of the nodes of a reduction, and what nodes are called in it
    simulate      simulates so many mappings, and compares bandwidths with makespans
    machine       on which they are simulated (default: a hypercube on which a byte takes 1 us a hop)
    jobs          simulations at a time (default: one a processor)
    time_limit_s  of each simulation
    progress      None, True, False, or a function of (share that is done, 1, least bandwidth), and of
                  (runs that have ended, runs, None) while mappings are simulated
    """
    fields = dict(locals())
    del fields["progress"]
    for name in ("jobs", "time_limit_s"):
        if fields[name] is not None and simulate is None:
            raise ArgumentError(name, "is for the simulations that simulate asks for (leave it out)")
    if random is not None and not isinstance(random, str):
        fields["random"] = ",".join(f"{name}={json_text(value, 'random')}" for name, value in random.items())
    with Progress(progress, of_subcubes) as on_search, Progress(progress, of_comparison) as on_runs:
        return SubcubeMapping(_dcube.subcubes(fields, on_search, on_runs))
