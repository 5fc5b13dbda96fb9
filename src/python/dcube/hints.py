"""Types of arguments, for type checkers."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, Union

import numpy

from .programs import Program


class Map(Protocol):
    """What search(), place() and embed() give: an embedding of its own."""

    def embedding_setting(self) -> dict[str, Any]: ...


class Sparse(Protocol):
    """A sparse matrix of scipy."""

    def tocoo(self) -> Any: ...


Array = numpy.ndarray[Any, numpy.dtype[Any]]
Name = Union[str, "os.PathLike[str]"]
Names = Union[Name, Iterable[Name]]
Group = Mapping[str, Any]
NameOrGroup = Union[Name, Group]
Node = Union[int, str]
Size = Union[int, str]
Embedding = Union[Name, Group, Map, Iterable[int]]
Embeddings = Union[Name, Group, Map, Iterable[Any]]
AnyProgram = Union[str, Group, Program, Callable[..., Any]]
Traffic = Union[Name, Array, Sparse, Iterable[Iterable[int]]]
OnProgress = Callable[..., object]
