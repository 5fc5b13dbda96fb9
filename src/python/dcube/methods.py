"""Arguments of the methods of dcube.Process and dcube.Group, which check them themselves, in C++."""

import ast
import functools
import inspect
import numbers
import re

from .arguments import any_value, called, count, either, in_order, is_list, is_number, is_text, is_truth, is_whole
from .arguments import names, rank, refuse, several, sides, text, truth, whole
from .errors import ArgumentError, InputError, shown


def program_duration(name, value):
    """Simulated time in a program; the C++ side reads it."""
    if is_text(value):
        return text(name, value)
    if is_whole(value) or isinstance(value, numbers.Rational) and not is_truth(value):
        return value
    refuse(name, value, 'a duration ("1.5us", or a whole number or a Fraction of picoseconds)')


def optional(check):
    return lambda name, value: None if value is None else check(name, value)


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


def part_of_data(name, value):
    if not re.fullmatch(r"1/[1-9][0-9]{0,9}", value, re.ASCII) or int(value[2:]) >= 2**32:
        refuse(name, value, 'a part of the data ("1/1" to "1/4294967295")')
    return value


sizes = in_order(several(count, "a list of whole numbers"))

#: The check of every argument of a method of dcube.Process and dcube.Group, by name, or by class, method and name.
CHECKS_OF_METHODS = {
    "algorithm": text,
    "axes": sides,
    "blocking": truth,
    "bytes": optional(count),
    "child_by_child": truth,
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
    "exchanges": rank,
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
    "ranks": in_order(several(rank, "a list of ranks")),
    "receive_counts": sizes,
    "request": request_of,
    "Process.wait.request": request_or_started,
    "requests": requests,
    "root": rank,
    "segment_bytes": count,
    "send_counts": sizes,
    "serial_copies": either('a whole number or a part of the data ("1/4")', (is_text, part_of_data), (is_number, rank)),
    "sides": in_order(several(whole(1, 2**32 - 1), "a list of whole numbers")),
    "source": rank,
    "stage": either("a stage's number or name", (is_number, rank), (is_text, text)),
    "stride": rank,
    "tag": whole(0, 2**31 - 1),
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
