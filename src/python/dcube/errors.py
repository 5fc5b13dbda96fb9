"""What can go wrong, in the words of the command line."""

from __future__ import annotations

import builtins
import inspect
from typing import Any


class Error(Exception):
    """Whatever dcube complains about."""


class InputError(Error, ValueError):
    """Something unusable was asked for. str() is the line that the command line prints."""

    def __init__(self, place: str, problem: str, line: str | None = None) -> None:
        super().__init__(place, problem, line)
        self.place = place  #: "scenario: /machine/topology/shape/1", or empty
        self.problem = problem  #: what is wrong, why, and the way out
        self.line = line or (f"{place}: {problem}" if place else problem)

    def __str__(self) -> str:
        return self.line


class ArgumentError(InputError, TypeError):
    """An argument of a wrong type, or out of its range. `place` is its name."""


class MemoryError(InputError, builtins.MemoryError):  # noqa: A001  like the C++ one
    """Something does not fit in this computer's memory."""


class ContractViolation(Error, RuntimeError):
    """A program broke a rule of the interface, or dcube one of its own."""


class OutcomeError(Error, RuntimeError):
    """raise_for_outcome(): a run did not complete, or its answer is wrong."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


def shown(value: Any, most: int = 60) -> str:
    """A value as complaints show it: on one short line."""
    try:
        text = repr(value).encode("utf-8", "backslashreplace").decode()
    except Exception:  # of the value's own __repr__
        text = f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 2] + ".."


def argument_of(field: str) -> str | None:
    """The argument of dcube's functions that fills a field of a request; None where there is none."""
    import dcube

    questions: tuple[Any, ...] = (
        dcube.run, dcube.compare, dcube.search, dcube.place, dcube.embed, dcube.sweep, dcube.collective, dcube.subcubes,
        dcube.fit,
    )  # fmt: skip
    known = {name for question in questions for name in inspect.signature(question).parameters}
    renamed = {"process_count": "process_numbers"}.get(field, field)
    return next((name for name in (renamed, renamed + "_s") if name in known), None)
