"""Arguments of the public functions, each of which is checked here and complained of by its name."""

from __future__ import annotations

import ast
import collections.abc
import functools
import inspect
import math
import numbers
import operator
import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import ArgumentError, InputError, shown

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
    return encodable(name, str(value))


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
    if not os.fspath(value):
        raise ArgumentError(name, "is an empty text (leave it out, or name something)")
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
    if not is_text(value):
        refuse(name, value, 'a duration such as "1.5us"')
    return text(name, value)


def program_duration(name, value):
    """Simulated time in a program; the C++ side reads it."""
    if is_text(value):
        return text(name, value)
    if is_whole(value) or isinstance(value, numbers.Rational) and not is_truth(value):
        return value
    refuse(name, value, 'a duration ("1.5us", or a whole number or a Fraction of picoseconds)')


def either(wanted, *cases):
    """The check of the first case that the value belongs to; a case is a test and a check."""

    def check(name, value):
        for belongs, of_case in cases:
            if belongs(value):
                return of_case(name, value)
        refuse(name, value, wanted)

    return check


def optional(check):
    return lambda name, value: None if value is None else check(name, value)


def several(one, wanted, is_single=lambda _: False):
    """A list of what the check passes, or a single one."""

    def check(name, value):
        if is_single(value):
            return [one(name, value)]
        if not is_list(value):
            refuse(name, value, wanted)
        return [one(f"{name}[{place}]", item) for place, item in enumerate(value)]

    return check


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
    """Embeddings, of which a list of numbers is a single one."""
    if is_name(value):
        return names(name, value)
    if is_list(value) and not is_found(value):
        value = list(value)
        if not (value and all(map(is_whole, value))):
            return [embedding(f"{name}[{place}]", item) for place, item in enumerate(value)]
    return [embedding(name, value)]


def sides(name, value):
    """Sides of a torus by the names of its dimensions."""
    if not isinstance(value, dict):
        refuse(name, value, "a dict {name: side}")
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


def request_of(name, value):
    from ._dcube import Request

    if not isinstance(value, Request):
        refuse(name, value, "a request, as post_receive() and post_send() give them")
    return value


def request_or_started(name, value):
    from ._dcube import Started

    return value if isinstance(value, Started) else request_of(name, value)


def requests(name, value):
    """One argument or several, of which one may be a list."""
    if isinstance(value, tuple) and len(value) == 1 and is_list(value[0]):
        (value,) = value
    return several(request_of, "a list of requests")(name, value)


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
    "failures": several(rank, "a list of whole numbers", is_number),
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
    "measures": several(text, "a name or a list of names", is_text),
    "method": text,
    "moves": processes,
    "name": text,
    "networks": names,
    "non_parallel": truth,
    "objective": text,
    "only": either("a file, or a list of nodes", (is_name, path), (is_list, nodes)),
    "operation": text,
    "over": names,
    "parallel": truth,
    "pins": nodes_by_process,
    "place": text,
    "ports": either('a whole number, or "all"', (is_number, rank), (lambda value: is_text(value) and value == "all", text)),
    "process_numbers": several(processes, "a list of whole numbers", is_number),
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
    "stages": either("a whole number or a list of names", (is_number, whole(0, 2**32 - 2)), (is_list, several(text, "a list of names"))),
    "study": name_or_group,
    "subcube": dimensions,
    "theory": truth,
    "ties": truth,
    "time": text,
    "time_limit_s": seconds,
    "traffic": path,
    "value_bytes": whole(1),
    "vary": group,
    "verify": called,
    "weights": either("a text or a list of sizes", (is_text, text), (is_list, several(weight, "a list of sizes"))),
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


# --- Methods in C++, which check their arguments themselves ---

sizes = several(count, "a list of whole numbers")

#: The check of every argument of a method of dcube.Process and dcube.Group, by name, or by class, method and name.
CHECKS_OF_METHODS = {
    "algorithm": text,
    "axes": sides,
    "blocking": truth,
    "child_by_child": truth,
    "bytes": optional(count),
    "color": called,
    "commutative": truth,
    "compute": program_duration,
    "copies": optional(count),
    "count": optional(count),
    "counts": sizes,
    "data": any_value,
    "duration": program_duration,
    "distances": text,
    "element_bytes": whole(1),
    "first": rank,
    "Group.slice.count": rank,
    "meanwhile": text,
    "mode": text,
    "node_size": whole(1, 2**32 - 1),
    "op": called,
    "over": names,
    "partner": rank,
    "pieces": truth,
    "plans": either("a whole number, True or False", (is_truth, truth), (is_number, rank)),
    "ports": rank,
    "Process.post_receive.source": optional(rank),
    "radix": whole(2, 65536),
    "rank": rank,
    "ranks": several(rank, "a list of ranks"),
    "receive_counts": sizes,
    "request": request_of,
    "Process.wait.request": request_or_started,
    "requests": requests,
    "root": rank,
    "segment_bytes": count,
    "send_counts": sizes,
    "serial_copies": rank,
    "sides": several(whole(1, 2**32 - 1), "a list of whole numbers"),
    "source": rank,
    "stage": either("a stage's number or name", (is_number, rank), (is_text, text)),
    "stride": rank,
    "tag": whole(0, 2**32 - 1),
    "to": rank,
    "until": optional(program_duration),
    "values": any_value,
}


@functools.cache
def signature_of(method):
    """The signature that pybind11 writes into the first line of a method's help."""
    line = method.__doc__.partition("\n")[0]
    definition = ast.parse(f"def {line}: pass").body[0].args
    parameters = [inspect.Parameter(each.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in definition.args]
    first = len(parameters) - len(definition.defaults)
    for place, default in enumerate(definition.defaults, first):
        parameters[place] = parameters[place].replace(default=ast.literal_eval(default))
    if definition.vararg:
        parameters.append(inspect.Parameter("requests", inspect.Parameter.VAR_POSITIONAL))
    if definition.kwarg:
        parameters.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)


def bound(method, given, named):
    """The values of a call by their names, without `self`."""
    values = signature_of(method).bind(*given, **named).arguments
    values = {**values, **values.pop("options", {})}
    del values["self"]
    return values


def wrong(name, method, key, value):
    """The complaint about a value of a method's argument, or None."""
    check = CHECKS_OF_METHODS.get(f"{name}.{key}") or CHECKS_OF_METHODS.get(key)
    parameter = signature_of(method).parameters.get(key)
    try:
        if check and (parameter is None or value is not parameter.default):
            check(key, value)
    except ArgumentError as found:
        return found
    return None


def is_fraction(value):
    """Whether it is a number that pybind11 would cut down to a whole one, or a list with such."""
    if isinstance(value, (list, tuple)):
        return any(map(is_fraction, value))
    is_cut = hasattr(value, "__int__") or hasattr(value, "__trunc__")
    return is_cut and not hasattr(value, "__index__") and not isinstance(value, float)


def fraction(name, method, given, named):
    """The complaint about a fraction where a method takes whole numbers, or None."""
    try:
        values = bound(method, given, named)
    except TypeError:
        return None  # the method complains
    found = (wrong(name, method, key, value) for key, value in values.items() if is_fraction(value))
    return next(filter(None, found), None)


def complaint(name, method, given, named, error):
    """What is raised where a method has raised: an ArgumentError where that is pybind11's, or about an argument."""
    problem = str(error)
    is_of_pybind = "incompatible function arguments" in problem or problem.startswith("Unable to cast Python instance")
    if type(error) not in (TypeError, ValueError, RuntimeError) and not (type(error) is InputError and not error.place):
        return error
    call = name.rpartition(".")[2]
    signature = signature_of(method)
    try:
        values = bound(method, given, named)
    except TypeError as mismatch:
        missing = re.fullmatch(r"missing a required argument: '(\w+)'", str(mismatch))
        unknown = re.fullmatch(r"got an unexpected keyword argument '(\w+)'", str(mismatch))
        if missing:
            return ArgumentError(missing[1], f"is missing in a call of {call}")
        known = ", ".join(list(signature.parameters)[1:])
        if unknown:
            return ArgumentError(unknown[1], f"is no argument of {call} ({known})")
        return ArgumentError(call, f"{mismatch} (it takes {known})")
    for key, value in values.items():
        found = wrong(name, method, key, value)
        if found:
            return found
    blamed = [key for key, value in values.items() if problem.startswith((repr(value), f"{value} ", f"`{value}`"))]
    if is_of_pybind:
        blamed = [key for key, value in values.items() if callable(value)]
        problem = "gives something that is not a whole number" if blamed else f"is nothing that {call} takes"
        blamed += [*values, call]
        problem = f"{shown(values.get(blamed[0]))} {problem}"
    elif isinstance(error, InputError) and not blamed:
        blamed = [key for key in ("duration", "until", "compute") if key in values]
    return ArgumentError(blamed[0], problem) if blamed and "\n" not in problem else error
