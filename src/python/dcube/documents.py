"""Scenarios, machines and embeddings as they are given: texts, files, dictionaries, arrays."""

import json
import os

from .errors import InputError
from .programs import Program, program_of


def plain(value):
    """What JSON has no form for, in a form that it has."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return value.tolist()
    if hasattr(value, "as_tuple"):  # decimal.Decimal
        return str(value)
    if isinstance(value, (set, frozenset, range)):
        return sorted(value)
    raise TypeError(f"{value!r} cannot stand in a scenario")


def json_text(value, place):
    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(place, str(error)) from None


def is_name(value):
    return isinstance(value, (str, os.PathLike))


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


class Request:
    """A scenario with its changes, as the C++ side takes it: a text or a file, and overrides."""

    def __init__(self, scenario, changes, program, shape):
        self.program = None
        program = self.take_program(program, shape)
        given = {
            "machine": None if changes["machine"] is None else machine_setting(changes["machine"]),
            "program": program,
            "seed": changes["seed"],
            "execution": changes["execution"],
        }
        given = {key: value for key, value in given.items() if value is not None}
        embedding = changes["embedding"]
        self.embedding = ""
        if is_name(embedding):
            self.embedding = os.fspath(embedding)
        elif embedding is not None:
            given["embedding"] = embedding_setting(embedding)
        if scenario is None or isinstance(scenario, dict):
            self.of_document(scenario or {}, given)
        elif is_name(scenario):
            self.text, self.file = "", os.fspath(scenario)
            self.overrides = [
                (f"/{key}", json_text(value, f"set /{key}")) for key, value in given.items()
            ]
        else:
            raise TypeError(f"{scenario!r} is no scenario (a name, a file or a dict)")
        for pointer, value in (changes["set"] or {}).items():
            self.overrides.append((pointer, json_text(value, f"set {pointer}")))

    def take_program(self, program, shape):
        if isinstance(program, str):
            return {"kind": program}
        if program is None or isinstance(program, dict):
            return program
        self.program = program_of(program, **shape)
        return self.program.settings

    def of_document(self, scenario, given):
        document = {"schema_version": 1, **scenario, **given}
        own = document.get("program")
        if isinstance(own, Program) or callable(own):
            self.program = program_of(own)
            document["program"] = self.program.settings
        self.text, self.file, self.overrides = json_text(document, "scenario"), "scenario", []
