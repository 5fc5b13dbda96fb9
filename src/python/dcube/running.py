"""Simulating."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _dcube
from .arguments import checked
from .documents import Request
from .progress import Progress, of_run
from .results import Result

if TYPE_CHECKING:
    from .hints import AnyProgram, Embedding, Group, NameOrGroup, OnProgress


@checked
def run(
    scenario: NameOrGroup | None = None,
    *,
    machine: NameOrGroup | None = None,
    embedding: Embedding | None = None,
    program: AnyProgram | None = None,
    processes: int | None = None,
    guest: str | None = None,
    seed: int | None = None,
    execution: str | None = None,
    set: Group | None = None,  # noqa: A002  as on the command line
    intervals: bool = False,
    why: bool = False,
    theory: bool | None = None,
    progress: bool | OnProgress | None = None,
) -> Result:
    """Simulates a scenario, and writes the file that its program names as `output`.

    scenario    a name, a file, or a dict as in a file; the other arguments replace its parts, and
                without a scenario make one
    machine     a name, a file, a network such as "torus:8x8", or a dict
    embedding   a name, a file, a dict, the node of every process, or what search() has found
    program     a name or a dict of the catalogue, a dcube.Program, or a generator function with
                processes=16 or guest="torus:4x4"
    set         {"/program/message": 64}: values by JSON pointer
    intervals   whether to keep what each process did when
    why         whether to find out why it takes as long as it does: result.why
    theory      whether small programs may run a second time, without contention, for
                result.data["theory"]; by default those that are not written in Python
    progress    None: shown on a terminal when it takes long; False; True; or a function of
                (processes that have ended, processes, simulated picoseconds)
    """
    request = Request(scenario, machine=machine, embedding=embedding, program=program, processes=processes, guest=guest,
                      seed=seed, execution=execution, set=set)  # fmt: skip
    if theory is None:
        theory = not request.programs
    with request.asked(), Progress(progress, of_run) as on_progress:
        made = _dcube.run(
            request.text,
            request.file,
            request.overrides,
            request.embedding,
            on_progress,
            "all" if theory else "stages",
            intervals,
            why,
        )
    return Result(made, request.programs)
