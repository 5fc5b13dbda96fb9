"""Programs that are written in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import _dcube
from .arguments import checked
from .errors import ArgumentError, InputError


class Program:
    """A program: what each process executes, and how many there are.

    `function(p)` is called once for each process and is a generator function: it yields what the
    calls of `p` give. What it returns is found in the result, by rank.

    processes   how many there are (a cube, if a power of two, else a line), or
    guest       their topology (guest graph): "cube:4", "ring:16", "mesh:4x4", "torus:4x4", "tree:15"
    stages      how many stages processes enter with p.enter_stage(), or the names of these, which
                results then have as `phases`: stages=["halo", "sum"]
    verify      a function of the list of returned values: is the answer right?
    answer      a function of the same list: a dict for the result
    """

    @checked
    def __init__(
        self,
        function: Callable[..., Any],
        processes: int | None = None,
        guest: str | None = None,
        *,
        name: str | None = None,
        stages: int | Iterable[str] = 0,
        verify: Callable[[list[Any]], Any] | None = None,
        answer: Callable[[list[Any]], dict[str, Any]] | None = None,
    ) -> None:
        if (processes is None) == (guest is None):
            raise ArgumentError("processes", "a program needs either processes=16 or a shape, guest='torus:4x4'")
        self.function = function
        self.name = name or getattr(function, "__name__", None) or type(function).__name__
        shape: int | str = guest if guest is not None else processes or 0  # of which one is given
        names = [] if isinstance(stages, int) else list(stages)
        if len(set(names)) < len(names):
            raise ArgumentError("stages", f"{names} names one twice")
        count = stages if isinstance(stages, int) else len(names)
        try:
            self._source = _dcube.ProgramSource(self.name, shape, count, names, function, verify, answer)
        except InputError as error:
            raise ArgumentError("processes" if guest is None else "guest", error.problem) from None

    @property
    def settings(self) -> dict[str, Any]:
        """How scenarios name it, while it is there."""
        return self._source.settings

    @property
    def guest(self) -> str:
        return str(self.settings["guest"])

    def __repr__(self) -> str:
        return f"Program({self.name}, {self.guest})"


def program_of(program, **shape):
    """A program as it is given, or a function with its shape."""
    shape = {key: value for key, value in shape.items() if value is not None}
    if not isinstance(program, Program):
        return Program(program, **shape)
    if shape:
        raise ArgumentError(next(iter(shape)), f"{program!r} has a shape of its own; leave it out")
    return program
