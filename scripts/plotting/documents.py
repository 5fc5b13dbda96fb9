"""JSON files, read with complaints that say where something is wrong."""

import json
import math
import sys


MOST_CHARACTERS = 2**30  # of a file; a program that draws more would run out of memory


class Unusable(Exception):
    """Input that cannot be drawn. The message names the place, the problem and a way out."""


def read_text(file):
    """The text of a file; "-" is standard input."""
    try:
        if file == "-":
            text = sys.stdin.buffer.read(MOST_CHARACTERS + 1).decode("utf-8")
        else:
            with open(file, encoding="utf-8", newline="") as stream:
                text = stream.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise Unusable(f"{file}: is not text; give a file that dcube wrote") from None
    except OSError as error:
        raise Unusable(f"{file}: {error.strerror}; give a file that dcube wrote") from None
    if len(text) > MOST_CHARACTERS:
        raise Unusable(
            f"{file}: is longer than {MOST_CHARACTERS:,} characters; draw a part of it "
            "(dcube trace FILE --write csv:PART --window A:B)"
        )
    return text


class Document:
    """A value of a JSON file with its place, and how such a file is made (the way out)."""

    def __init__(self, file, value, way_out, pointer=""):
        self.file = file
        self.value = value
        self.way_out = way_out
        self.pointer = pointer

    def complaint(self, problem):
        place = f"{self.file}: {self.pointer}" if self.pointer else self.file
        return Unusable(f"{place}: {problem}; {self.way_out}")

    def has(self, key):
        """Whether a group has the key, with a value other than null."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def get(self, key):
        if not isinstance(self.value, dict):
            raise self.complaint("is not a group of keys")
        if not self.has(key):
            raise self.complaint(f'has no "{key}"')
        return Document(self.file, self.value[key], self.way_out, f"{self.pointer}/{key}")

    def at(self, *keys):
        found = self
        for key in keys:
            found = found.get(key)
        return found

    def items(self):
        if not isinstance(self.value, list):
            raise self.complaint("is not a list")
        return [
            Document(self.file, item, self.way_out, f"{self.pointer}/{index}")
            for index, item in enumerate(self.value)
        ]

    def text(self):
        if not isinstance(self.value, str):
            raise self.complaint("is not text")
        return self.value

    def number(self, least=-math.inf):
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.complaint("is not a number")
        if not (math.isfinite(self.value) and abs(self.value) < 1e300 and self.value >= least):
            raise self.complaint(f"{self.value} is not a number that can be drawn")
        return self.value

    def whole(self, least=0, most=2**63 - 1):
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.complaint("is not a whole number")
        if not least <= self.value <= most:
            raise self.complaint(f"{self.value} is not in {least} .. {most}")
        return self.value


def parse_json(file, text, way_out):
    try:
        return Document(file, json.loads(text), way_out)
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}: " if isinstance(error, json.JSONDecodeError) else ""
        reason = (
            error.msg if where else "it is nested too deeply or holds a number that is too long"
        )
        raise Unusable(f"{file}: {where}is not JSON ({reason}); {way_out}") from None


def read_document(file, way_out):
    return parse_json(file, read_text(file), way_out)
