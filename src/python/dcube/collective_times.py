"""Which algorithm and embedding make a collective operation fastest."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from . import _dcube, plotting
from .arguments import checked
from .comparing import of_comparison
from .documents import json_text
from .measures import machine_fields
from .progress import Progress
from .tables import Table, Tabular, datum, frame, time_text

if TYPE_CHECKING:
    from .hints import Group, Name, NameOrGroup, Names, OnProgress, Size


class CollectiveTimes(Tabular):
    """Algorithms and embeddings at several sizes. `data` is what `dcube collective --json` prints."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.data = json.loads(text)

    operation: Final[str] = datum("collective")
    rows: Final[list[dict[str, Any]]] = datum(
        "rows", 'Everything that was simulated: "algorithm", "embedding", "bytes", "time_ps", ..'
    )
    fastest: Final[list[dict[str, Any]]] = datum(
        "fastest", 'The fastest row of each size, with the one that comes "next".'
    )
    crossovers: Final[list[dict[str, Any]] | None] = datum(
        "crossovers", "The sizes at which another way is fastest; None where they were not looked for."
    )

    exceeded_node_bandwidth: Final[float | None] = datum(
        "exceeded_node_bandwidth_bytes_per_s",
        "The bandwidth of a node where that of a row exceeds it, since messages inside a node wait for nobody.",
    )

    def to_pandas(self) -> Any:
        return frame(self.rows)

    def plot(self, **options: Any) -> Any:
        """A matplotlib figure: times and bus bandwidths by size."""
        return plotting.figure("plot_collective", {"collective.json": self._text}, **options)

    def _table(self) -> Table:
        networks = ["network"] if any("network" in row for row in self.fastest) else []
        head = ["bytes", *networks, "algorithm", "embedding", "time", "next best"]
        rows = []
        for row in self.fastest:
            following = row["next"]
            ratio = following and following["ratio_to_best"]
            rows.append([f"{row['bytes']:,}", *(row[key] for key in networks), row["algorithm"], row["embedding"],
                         time_text(row["time_ps"]),
                         f"{ratio:.3f} x {following['algorithm']} on {following['embedding']}" if ratio else None])  # fmt: skip
        return rows, head, f"{self.operation} on {self.data['machine']['name']}"

    def __repr__(self) -> str:
        return f"<{self.operation} on {self.data['machine']['name']}: {len(self.rows):,} runs>"


def texts(values):
    """Values as the C++ side takes them; a default is a single one."""
    return [values] if isinstance(values, str) else [str(value) for value in values]


@checked
def collective(
    operation: str,
    machine: NameOrGroup,
    *,
    bytes: Size | Iterable[Size] = "1KiB:1GiB:x4",  # noqa: A002  as on the command line
    algorithms: Names = "all",
    embeddings: Names = "all",
    networks: Names | None = None,
    hosts: Name | None = None,
    axes: Group | None = None,
    over: Names | None = None,
    ports: int | str | None = None,
    root: int | None = None,
    compute: str | None = None,
    value_bytes: int = 4,
    seed: int = 0,
    set: Group | None = None,  # noqa: A002  as on the command line
    crossovers: bool = True,
    check_links: bool = False,
    jobs: int | None = None,
    time_limit_s: float | None = None,
    progress: bool | OnProgress | None = None,
) -> CollectiveTimes:
    """Simulates a collective operation of the processes of a machine: every algorithm on every
    embedding at every size, each run in a process of its own.

    operation     "allreduce", "allgather", "reduce_scatter", "all_to_all", "broadcast", ..
    machine       a name, a file, a network such as "torus:8x8", or a dict
    bytes         sizes as nccl-tests counts them: numbers, "1MiB", or ranges "1KiB:1GiB:x4"
    algorithms    names, or "automatic"
    embeddings    names or files (default: all that fit but random)
    networks      "store_and_forward", "cut_through", "fluid": everything under each
    axes          {"tensor": 8, "data": 16}: the processes as a torus whose dimensions have names,
                  the first counting fastest
    over          axes along which groups run the operation, all groups at once (default: all
                  processes are one group)
    hosts         what nodes are called in map files: a pattern or a file
    ports         parts of the data that travel at once, at most; "all": 1, 2 and as many as an
                  algorithm can use are compared (default: as many as it can use)
    root          the rank where broadcast and scatter come from, and reduce and gather go to
    compute       time to combine a byte: "1ns"
    value_bytes   bytes of a value, which no algorithm divides
    set           {"/machine/link/latency": "1us"}: replaces values of every scenario
    crossovers    whether to look for the sizes at which the fastest changes
    check_links   whether to run the fastest algorithms under fair links, too; otherwise where that
                  is cheap
    jobs          runs at a time (default: one a processor)
    time_limit_s  of each run
    """
    fields = machine_fields(machine) | {
        "operation": operation, "bytes": texts(bytes), "algorithms": texts(algorithms),
        "embeddings": texts(embeddings), "networks": texts(networks or ()), "hosts": hosts,
        "axes": axes and ",".join(f"{name}={side}" for name, side in axes.items()), "over": texts(over or ()), "root": root, "compute": compute,
        "value_bytes": value_bytes, "seed": seed, "crossovers": crossovers, "check_links": check_links, "jobs": jobs,
        "time_limit_s": time_limit_s, "compares_ports": ports == "all", "ports": None if ports == "all" else ports,
        "settings": [f"{pointer}={json_text(value, 'set')}" for pointer, value in (set or {}).items()],
    }  # fmt: skip
    with Progress(progress, of_comparison) as on_progress:
        return CollectiveTimes(_dcube.collective(fields, on_progress))
