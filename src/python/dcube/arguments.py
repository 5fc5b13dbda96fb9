"""Arguments of the public functions, each of which is checked here and complained of by its name."""

from __future__ import annotations

import collections.abc
import contextlib
import functools
import inspect
import math
import numbers
import operator
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy

from .errors import ArgumentError, shown

Function = TypeVar("Function", bound=Callable[..., Any])


def refuse(name, value, wanted):
    raise ArgumentError(name, f"{shown(value)} is not {wanted}")


# --- What a value is ---


def is_name(value):
    return isinstance(value, (str, os.PathLike))


def is_text(value):
    return isinstance(value, str)


def is_truth(value):
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def is_number(value):
    return not is_truth(value) and (isinstance(value, numbers.Number) or is_whole(value))


def is_whole(value):
    """Whether it is a whole number of Python or numpy; an array of one is not."""
    return hasattr(value, "__index__") and not is_truth(value) and getattr(value, "ndim", 0) == 0


def is_group(value):
    return isinstance(value, collections.abc.Mapping)


def is_list(value):
    """Whether it is a list of values in some form, such as an array of numpy."""
    return (isinstance(value, collections.abc.Iterable)
            and not isinstance(value, (str, bytes, bytearray, os.PathLike, collections.abc.Mapping))
            and getattr(value, "ndim", 1) > 0)  # fmt: skip


def is_found(value):
    return hasattr(value, "embedding_setting") and not isinstance(value, type)


def is_program(value):
    from .programs import Program

    return isinstance(value, Program) or callable(value)


# --- Checks: functions of an argument's name and value that give the value as it goes on ---


def whole(least, most=2**64 - 1):
    def check(name, value):
        try:
            number = operator.index(value) if is_whole(value) else None
        except TypeError:  # an array of one fraction
            number = None
        if number is None or not least <= number <= most:
            refuse(name, value, f"a whole number from {least} to {most}")
        return number

    return check


def truth(name, value):
    if not is_truth(value):
        refuse(name, value, "True or False")
    return bool(value)


def text(name, value):
    if not is_text(value):
        refuse(name, value, "a text")
    expect_some(name, value, "text")
    return encodable(name, str(value))


def expect_some(name, value, kind):
    if not len(value):
        raise ArgumentError(name, f"is an empty {kind} (leave it out, or name something)")


def encodable(name, value):
    try:
        value.encode()
    except UnicodeEncodeError:
        refuse(name, value, "a text of Unicode (it has half a surrogate pair)")
    if "\0" in value:
        refuse(name, value, "a text without NUL")
    return value


def path(name, value):
    """A name or a file, as a text."""
    if not is_name(value) or not isinstance(os.fspath(value), str):
        refuse(name, value, "a text or a path")
    expect_some(name, os.fspath(value), "text")
    return encodable(name, str(os.fspath(value)))


def seconds(name, value):
    """Seconds of this computer's time; None where they never end."""
    try:
        number = float(value) if is_number(value) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or number <= 0:
        refuse(name, value, "a number of seconds above 0")
    return None if number >= 9e9 else number  # 285 years


def duration(name, value):
    """Simulated time. Numbers are seconds in scenarios and picoseconds in programs, so a bare one is neither."""
    if is_number(value):
        raise ArgumentError(name, f'{shown(value)} has no unit; write "{shown(value)}s" or "{shown(value)}ps"')
    if not is_text(value) or not value:
        refuse(name, value, 'a duration such as "1.5us"')
    return text(name, value)


def either(wanted, *cases):
    """The check of the first case that the value belongs to; a case is a test and a check."""

    def check(name, value):
        for belongs, of_case in cases:
            if belongs(value):
                return of_case(name, value)
        refuse(name, value, wanted)

    return check


def several(one, wanted, is_single=lambda _: False):
    """A list of what the check passes, or a single one."""

    def check(name, value):
        if is_single(value):
            return [one(name, value)]
        if not is_list(value):
            refuse(name, value, wanted)
        return [one(f"{name}[{place}]", item) for place, item in enumerate(value)]

    return check


def some(check):
    """The check of a list that is not empty."""

    def check_some(name, value):
        found = check(name, value)
        expect_some(name, found, "list")
        return found

    return check_some


def refuse_set(name, value, wanted="give a list"):
    if isinstance(value, (set, frozenset)):
        raise ArgumentError(name, f"is a set, which has no order ({wanted})")


def in_order(check):
    """The check of a list whose order counts."""

    def check_in_order(name, value):
        refuse_set(name, value)
        return check(name, value)

    return check_in_order


def names(name, value):
    """A name, names between commas as on the command line, or a list of names."""
    if is_text(value) and "," in value and not os.path.exists(value):
        value = value.split(",")
    return several(path, "a name or a list of names", is_name)(name, value)


def group(name, value):
    """Settings as in a JSON file."""
    if not is_group(value):
        refuse(name, value, "a dict")
    for key in value:
        if not is_text(key):
            raise ArgumentError(name, f"has the key {shown(key)}, which is not a text")
        encodable(name, key)
    return dict(value)


def called(name, value):
    if not callable(value):
        refuse(name, value, "a function")
    return value


def places(name, value):
    """The node of every process."""
    refuse_set(name, value, "give a list: the node of process 0, of process 1, ..")
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("i", "u") and value.ndim == 1:
        return value
    value = list(value)
    if not all(type(node) is int for node in value):  # most are, and there may be millions
        value = several(whole(0, 2**32 - 1), "a list of nodes")(name, value)
    if not value:
        raise ArgumentError(name, "is an empty list; it has the node of every process")
    return value


def nodes_by_process(name, value):
    if not is_group(value):
        refuse(name, value, "a dict {process: node}")
    process = whole(0, 2**32 - 1)
    return {process(name, key): node_or_name(f"{name}[{shown(key)}]", at) for key, at in value.items()}


def embeddings_or_maps(name, value):
    """Embeddings, one or more, of which a list of numbers is a single one."""
    if is_name(value):
        return names(name, value)
    if is_list(value) and not is_found(value):
        value = list(value)
        if not value:
            raise ArgumentError(name, "is an empty list (leave it out, or name an embedding)")
        if not all(map(is_whole, value)):
            return [embedding(f"{name}[{place}]", item) for place, item in enumerate(value)]
    return [embedding(name, value)]


def of_objects(array):
    """Whole numbers in objects, as pandas may have them, as those of numpy; another array as it is."""
    if array.dtype.kind == "O" and all(map(is_whole, array.flat)):
        with contextlib.suppress(OverflowError):
            return numpy.array([operator.index(entry) for entry in array.flat], "i8").reshape(array.shape)
    return array


def matrix(name, value):
    """(processes, senders, receivers, bytes) of a square matrix of bytes: numpy's, a sparse one of scipy, lists."""
    if hasattr(value, "tocoo"):
        sparse = value.tocoo()
        shape = sparse.shape
        entries = sparse.row.astype("u8") * numpy.uint64(shape[1]) + sparse.col.astype("u8")
        entries, places = numpy.unique(entries, return_inverse=True)  # an entry may be given in parts
        wide = {"b": "u8", "u": "u8", "i": "i8", "f": "f8"}.get(sparse.data.dtype.kind, sparse.data.dtype)
        found = numpy.zeros(len(entries), wide)
        numpy.add.at(found, places, sparse.data)
        senders, receivers = numpy.divmod(entries, numpy.uint64(max(shape[1], 1)))
    else:
        if not hasattr(value, "__array__"):  # rows may be given one after the other
            value = [list(row) if isinstance(row, collections.abc.Iterator) else row for row in value]
        if any(isinstance(part, numpy.ma.MaskedArray) for part in (value, *value)):
            raise ArgumentError(name, "is a masked array, whose mask has no place in traffic (give x.filled(0), say)")
        try:
            dense = of_objects(numpy.asarray(value))
        except ValueError:  # rows of several lengths
            dense = numpy.empty(0)
        shape = dense.shape
        is_matrix = dense.ndim == 2 and dense.dtype.kind != "O"
        senders, receivers = dense.nonzero() if is_matrix else ((), ())
        found = dense[senders, receivers] if is_matrix else dense
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        wanted = "a text, a path or a square matrix with the bytes from each process (row) to each (column)"
        raise ArgumentError(name, f"has the shape {tuple(shape)}, and is not {wanted}")
    with numpy.errstate(invalid="ignore"):  # what is no number becomes some other
        whole_bytes = found.astype("u8") if found.dtype.kind in "biuf" else None
    if whole_bytes is None or (found < 0).any() or (found != whole_bytes).any() or (whole_bytes >> 63).any():
        raise ArgumentError(name, "has an entry that is no number of bytes (whole numbers from 0 to 2^63-1)")
    return processes(name, shape[0]), senders.astype("u4"), receivers.astype("u4"), whole_bytes


def sides(name, value):
    """Sides of a torus by the names of its dimensions."""
    if not isinstance(value, dict):
        refuse(name, value, "a dict {name: side}")
    if not value:
        raise ArgumentError(name, "is an empty dict (leave it out, or name sides)")
    return {text(name, axis): processes(f"{name}[{shown(axis)}]", side) for axis, side in value.items()}


def any_value(_, value):
    return value


rank = whole(0, 2**32 - 1)
count = whole(0)
name_or_group = either("a name, a file or a dict", (is_name, path), (is_group, group))
node_or_name = either("the number or the name of a node", (is_number, rank), (is_text, text))
embedding = either("a name, a file, a dict, or the node of every process",
                   (is_found, any_value), (is_name, path), (is_group, group), (is_list, places))  # fmt: skip
size = either("a size", (is_number, whole(1)), (is_text, text))
nodes = several(node_or_name, "a list of nodes")
processes = whole(1, 2**32 - 1)
dimensions = whole(0, 20)
weight = either("a number of bytes", (is_number, count), (is_text, text))


#: The check of every argument of a public function, by name, or by function and name. None is what is not given.
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "against": path,
    "algorithms": names,
    "answer": called,
    "any": truth,
    "avoid": nodes,
    "axes": sides,
    "axis_orders": truth,
    "bytes": several(size, "a size or a list of sizes", lambda value: is_number(value) or is_text(value)),
    "check_links": truth,
    "columns": group,
    "compute": duration,
    "crossovers": truth,
    "dimensions": dimensions,
    "effort": whole(1),
    "embedding": embedding,
    "embeddings": names,
    "evaluate": path,
    "compare.embeddings": embeddings_or_maps,
    "execution": text,
    "failures": some(several(rank, "a list of whole numbers", is_number)),
    "file": path,
    "fit.vary": names,
    "function": called,
    "graph": path,
    "guest": text,
    "hop": duration,
    "hosts": path,
    "intervals": truth,
    "jobs": processes,
    "kind": text,
    "machine": name_or_group,
    "subcubes.machine": path,
    "map": path,
    "measure": text,
    "measured": names,
    "measures": some(several(text, "a name or a list of names", is_text)),
    "method": text,
    "moves": processes,
    "name": text,
    "networks": some(names),
    "non_parallel": truth,
    "objective": text,
    "only": either("a file, or a list of nodes", (is_name, path), (is_list, nodes)),
    "operation": text,
    "over": some(names),
    "parallel": truth,
    "pins": nodes_by_process,
    "place": text,
    "ports": either('a whole number, or "all"', (is_number, processes), (lambda value: is_text(value) and value == "all", text)),
    "process_numbers": some(several(processes, "a list of whole numbers", is_number)),
    "processes": processes,
    "program": either("a name, a dict, a dcube.Program or a function", (is_text, path), (is_group, group), (is_program, any_value)),
    "progress": either("True, False or a function", (is_truth, truth), (callable, called)),
    "prove_s": seconds,
    "question": text,
    "random": either("a text or a dict", (is_text, text), (is_group, group)),
    "restarts": processes,
    "root": rank,
    "scenario": name_or_group,
    "seed": count,
    "seeds": processes,
    "set": group,
    "simulate": processes,
    "slack": text,
    "stages": either("a whole number or a list of names", (is_number, whole(0, 2**32 - 2)), (is_list, in_order(several(text, "a list of names")))),
    "study": name_or_group,
    "subcube": dimensions,
    "theory": truth,
    "ties": truth,
    "time": text,
    "time_limit_s": seconds,
    "traffic": either("a text, a path or a matrix", (is_name, path), (lambda value: is_list(value) or hasattr(value, "tocoo"), matrix)),
    "value_bytes": whole(1),
    "vary": group,
    "verify": called,
    "weights": either("a text or a list of sizes", (is_text, text), (is_list, in_order(some(several(weight, "a list of sizes"))))),
    "what": text,
    "where": several(text, "a condition or a list of conditions", is_text),
    "why": truth,
    "zip": group,
}  # fmt: skip


def checked(function: Function) -> Function:
    """Checks the arguments of the function. Each has to be in CHECKS."""
    every = inspect.signature(function).parameters
    parameters = {
        name: (CHECKS.get(f"{function.__name__}.{name}") or CHECKS[name], parameter.default)
        for name, parameter in every.items()
        if name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    }
    is_method = "self" in every
    in_order = [name for name in parameters if every[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]

    @functools.wraps(function)
    def call(*given, **named):
        own, given = given[:is_method], given[is_method:]
        if len(given) > len(in_order) or named.keys() & in_order[: len(given)]:
            return function(*own, *given, **named)  # which complains
        values = dict(zip(in_order, given), **named)
        for name, value in values.items():
            if name in parameters and value is not parameters[name][1]:
                try:
                    values[name] = parameters[name][0](name, value)
                except ArgumentError as error:
                    raise error.with_traceback(None) from None  # the user has not written the checks
        return function(*own, **values)

    return call  # type: ignore[return-value]
