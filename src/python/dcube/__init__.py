"""dcube from Python: which process-to-processor embedding a parallel program should use, and why.

    >>> import dcube
    >>> dcube.run("quickstart").makespan_s

docs/howto/use-python.md is the page to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _dcube
from ._dcube import Awaitable, Group, Process, Received, Request, Started
from .arguments import checked
from .collective_times import CollectiveTimes, collective
from .comparing import Comparison, compare
from .errors import ArgumentError, ContractViolation, Error, InputError, OutcomeError
from .errors import MemoryError as MemoryError  # not in __all__: Python has one  # noqa: A004
from .fitting import Fit, fit
from .measures import Placement, embed
from .programs import Program
from .results import ACTIVITIES, Result
from .running import run
from .searching import Found, Placed, place, search
from .sweeping import Sweep, sweep
from .task_mapping import SubcubeMapping, subcubes

if TYPE_CHECKING:
    from .hints import NameOrGroup

__version__: str = _dcube.version
OBJECTIVES: tuple[str, ...] = tuple(_dcube.objectives())
#: {name: what it is} of the measures that a sweep gives.
MEASURES: dict[str, str] = {name: text for name, _, text in _dcube.measures()}


def scenarios() -> dict[str, str]:
    """{name: description} of the scenarios that dcube brings along."""
    return dict(_dcube.scenarios())


def machines() -> dict[str, str]:
    """{name: description} of the machines that dcube brings along."""
    return dict(_dcube.machines())


@checked
def fitting_embeddings(machine: NameOrGroup, guest: str) -> list[str]:
    """The names of the embeddings that place a shape of processes ("cube:6") on a machine."""
    from .measures import machine_fields

    return _dcube.fitting_embeddings(machine_fields(machine) | {"guest": guest})


__all__ = [
    "ACTIVITIES", "ContractViolation", "Error", "Found", "Group", "InputError", "MEASURES",
    "OBJECTIVES", "OutcomeError", "Placement", "Process", "Program", "Received", "Request", "Result", "Sweep",
    "embed", "fitting_embeddings", "machines", "run", "scenarios", "search", "sweep",
]  # fmt: skip
__all__ += ["ArgumentError", "Awaitable", "CollectiveTimes", "Comparison", "Placed", "Started", "collective", "compare"]
__all__ += ["Fit", "SubcubeMapping", "fit", "place", "subcubes"]
