"""Values of a machine for which simulated times match measured ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from . import _dcube
from .arguments import checked, is_number, is_text, refuse
from .collective_times import texts
from .comparing import of_comparison
from .documents import json_text
from .measures import machine_fields
from .progress import Progress
from .tables import Table, Tabular, datum, frame

if TYPE_CHECKING:
    from .hints import Group, Name, NameOrGroup, Names, OnProgress


class Fit(Tabular):
    """Fitted values and their errors. `data` is what `dcube fit --json` prints."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text)

    @property
    def values(self) -> dict[str, str]:
        """{pointer: value} as they stand in the machine: {"/link/latency": "1.2us"}."""
        return {value["pointer"]: value["text"] for value in self.data["values"]}

    machine: Final[dict[str, Any]] = datum("document", "The machine with the values, which every other function takes.")
    rows: Final[list[dict[str, Any]]] = datum(
        "rows", 'Every row: "measured_s", "simulated_s", "error", or the "problem" for which it was left out.'
    )
    errors: Final[dict[str, Any]] = datum(
        "errors", 'Errors of all rows: "median", "ninth_tenth", "within_30_percent", ..'
    )

    @property
    def indistinct(self) -> list[list[str]]:
        """Pointers of values that the rows cannot tell apart."""
        return [values["pointers"] for values in self.data["indistinct"]]

    def to_pandas(self) -> Any:
        return frame(self.rows)

    def _table(self) -> Table:
        rows = [
            [value["pointer"], value["before"], value["text"],
             "at its bound" if value["at_bound"] else
             value["relative_error"] and f"+-{100 * value['relative_error']:.1f} %"]
            for value in self.data["values"]
        ]  # fmt: skip
        title = f"{self.data['machine']}: {100 * self.errors['median']:.1f} % off in the median"
        return rows, ["value", "before", "fitted", "leaving rows out"], title

    def __repr__(self) -> str:
        return f"<{self.data['machine']} fitted to {self.errors['rows']:,} times>"


@checked
def fit(
    machine: NameOrGroup,
    measured: Names,
    *,
    vary: Names = (),
    columns: Group | None = None,
    time: str | None = None,
    set: Group | None = None,  # noqa: A002  as on the command line
    jobs: int | None = None,
    time_limit_s: float | None = None,
    progress: bool | OnProgress | None = None,
) -> Fit:
    """Finds the values of a machine for which simulated times are nearest to measured ones.

    machine       a name, a file, a network such as "torus:8x8", or a dict
    measured      files: tables with columns such as collective, algorithm, size, time_us, or what
                  nccl-tests, the OSU micro-benchmarks or mpiBench print
    vary          times and bandwidths: "/link/latency", with bounds "/link/latency=10ns:2us"
                  (default: none, and the machine is held against the times as it is)
    columns       {"algorithm": "ring"}: columns for rows that have none
    time          the column of times (default: the one that looks like it)
    set           {"/machine/switching": "cut_through"}: replaces values of every scenario
    jobs          runs at a time (default: one a processor)
    time_limit_s  of each run
    """
    def cell(value):
        return value if is_text(value) or is_number(value) else refuse("columns", value, "a text or a number")

    fields = machine_fields(machine) | {
        "measured": texts(measured), "vary": texts(vary), "time": time, "jobs": jobs, "time_limit_s": time_limit_s,
        "columns": [f"{name}={cell(value)}" for name, value in (columns or {}).items()],
        "settings": [f"{pointer}={json_text(value, 'set')}" for pointer, value in (set or {}).items()],
    }  # fmt: skip
    with Progress(progress, of_comparison) as on_progress:
        return Fit(_dcube.fit(fields, on_progress))
