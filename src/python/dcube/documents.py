"""Scenarios, machines and embeddings as they are given: texts, files, dictionaries, arrays."""

import contextlib
import functools
import json
import math
import os
import re

from . import _dcube
from .arguments import is_name
from .errors import ArgumentError, InputError, shown
from .programs import Program, program_of


def plain(value, programs):
    """What JSON has no form for, in a form that it has. Adds to the programs that have to live."""
    if isinstance(value, Program):
        programs.append(value)
        return value.settings
    if hasattr(value, "embedding_setting"):
        return value.embedding_setting()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return value.tolist()
    if hasattr(value, "as_tuple"):  # decimal.Decimal
        return str(value)
    if isinstance(value, range):
        return list(value)
    if isinstance(value, (set, frozenset)):
        raise TypeError(f"{shown(value)} is a set, which has no order (give a list)")
    raise TypeError(f"{shown(value)} cannot stand in a scenario")


def json_text(value, place, programs=None, parts=None):
    """The value as JSON. What cannot be is complained of at the place, or at that of the parts to blame."""
    to_plain = functools.partial(plain, programs=[] if programs is None else programs)
    try:
        return json.dumps(value, default=to_plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        for name, part in (parts or {}).items():
            json_text(part, name)
        for pointer, number in endless_numbers(value):
            at = f"{place}: {pointer}" if pointer else place
            raise ArgumentError(at, f"{number} is no number of a scenario (give a finite one, or leave it out)") from None
        raise ArgumentError(place, " ".join(str(error).split())) from None


def endless_numbers(value, pointer=""):
    """Pairs of a pointer and what is no finite number there."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        yield pointer, value
    elif isinstance(value, (dict, list, tuple)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from endless_numbers(item, f"{pointer}/{str(key).lstrip('/')}")


def embedding_setting(embedding):
    """A name, a group of settings, or the node of every process."""
    if isinstance(embedding, dict) or is_name(embedding):
        return embedding
    if hasattr(embedding, "embedding_setting"):
        return embedding.embedding_setting()
    return {"kind": "explicit", "map": embedding}


def machine_setting(machine):
    """Files that are named here are relative to the current folder, and not to the scenario's."""
    if is_name(machine):
        name = os.fspath(machine)
        is_file = ("/" in name or name.endswith(".json")) and os.path.exists(name)
        return os.path.abspath(name) if is_file else name
    return machine


def named_embedding(embedding):
    """What a scenario takes as its embedding: of a file what it says, wherever the scenario stands."""
    if not is_name(embedding):
        return embedding_setting(embedding)
    return json.loads(_dcube.embedding_text(os.fspath(embedding)))


class Request:
    """A scenario with its changes, as the C++ side takes it: a text or a file, and overrides.

    `argument` is what the scenario is given as. `changes` are arguments by their names, each of which
    is optional: machine, embedding, seed, execution, set, program, and its shape: processes or guest.
    """

    def __init__(self, scenario, argument="scenario", **changes):
        changes = {name: value for name, value in changes.items() if value is not None}
        shape = {name: changes.pop(name) for name in ("processes", "guest") if name in changes}
        if len(shape) > 1:
            raise ArgumentError("processes", "stands beside guest, which says how many there are (leave one out)")
        self.shape = shape
        self.programs = []  #: that are written in Python
        settings = changes.pop("set", {})
        self.replaced = {f"/{name}" for name in changes}  #: by an argument
        is_group = scenario is None or isinstance(scenario, dict)
        pointers = [*settings, *self.replaced, *(f"/{name}" for name in (scenario or {}) if is_group)]
        self.has_embedding = any(re.match("/embedding(/|$)", pointer) for pointer in pointers)  #: that the caller gave
        embedding = changes.pop("embedding", None)
        self.embedding = ""
        if is_name(embedding):
            self.embedding = os.fspath(embedding)
        elif embedding is not None:
            changes["embedding"] = embedding_setting(embedding)
        if "machine" in changes:
            changes["machine"] = machine_setting(changes["machine"])
        if is_group:
            document = {"schema_version": 1, **(scenario or {}), **changes}
            if "program" in document or shape:
                document["program"] = self.of_program(document.get("program"), shape)
            self.text = json_text(document, argument, self.programs, changes)
            self.file, self.overrides = "scenario", []
        else:
            self.text, self.file = "", os.fspath(scenario)
            if "program" in changes:
                changes["program"] = self.of_program(changes["program"], shape)
            elif shape:
                kind = kind_in(self.file)
                changed = shape_settings(kind, shape) if kind else shape
                changes |= {f"program/{key}": value for key, value in changed.items()}
                self.replaced |= {f"/program/{key}" for key in changed}
            self.overrides = [(f"/{key}", json_text(value, key, self.programs)) for key, value in changes.items()]
        for pointer, value in settings.items():
            if pointer in self.replaced:
                raise InputError(f"set {pointer}", "is given twice (a value is replaced once)")
            self.overrides.append((pointer, json_text(value, f"set[{pointer}]", self.programs)))

    @contextlib.contextmanager
    def asked(self):
        """Where the shape that was asked for is what is wrong, the complaint is about that."""
        try:
            yield
        except InputError as error:
            place = error.place.rpartition(": ")[2]
            is_of_embedding = re.fullmatch("/embedding(/.*)?", place) and not self.has_embedding
            if self.shape and (is_of_embedding or re.fullmatch("/program/(processes|dimensions|guest)", place)):
                (name, value), = self.shape.items()
                raise ArgumentError(name, f"{value} is not possible here: {error.problem}") from None
            raise

    def of_program(self, program, shape):
        """The settings of a program of the catalogue, or of one in Python."""
        if isinstance(program, Program) or callable(program):
            self.programs.append(program_of(program, **shape))
            return self.programs[-1].settings
        if isinstance(program, str):
            program = {"kind": program}
        if not shape:
            return program
        if not isinstance(program, dict):
            raise ArgumentError(next(iter(shape)), "needs a program, whose processes it numbers (or a scenario that has one)")
        changed = shape_settings(program.get("kind"), shape)
        self.replaced |= {f"/program/{key}" for key in changed}
        return {**program, **changed}


def kind_in(file):
    """The kind of program in a scenario's file; None where the file says nothing that can be read."""
    try:
        file = _dcube.find_scenario(file)
        if not os.path.isfile(file):  # a pipe can be read once
            return None
        with open(file, encoding="utf-8") as stream:
            program = json.load(stream)["program"]
        return program if isinstance(program, str) else program["kind"]
    except (InputError, OSError, ValueError, LookupError, TypeError):
        return None  # who loads the file complains


def shape_settings(kind, shape):
    """The settings that give a program of the catalogue so many processes, or a shape."""
    kind = str(kind)
    known = _dcube.program_parameters(kind)
    if not known:
        return shape  # of no known kind; who builds the scenario complains
    if "guest" in shape:
        guest = shape["guest"]
        name, _, side = guest.partition(":")
        if "guest" in known:
            return {"guest": guest}
        if "dimensions" in known and name == "cube" and side.isdecimal():
            return {"dimensions": int(side)}
        raise ArgumentError("guest", f"the program {kind} has no setting for such a shape, {shown(guest)}")
    try:
        (setting,) = _dcube.processes_setting(kind, shape["processes"])
    except InputError as error:
        raise ArgumentError("processes", error.problem) from None
    pointer, _, value = setting.partition("=")
    return {pointer.rpartition("/")[2]: int(value)}
