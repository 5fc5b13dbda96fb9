"""Text as Markdown shows it."""

import re


def prose(text):
    """`text` with marks that Markdown would take for its own escaped, but for `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]{}#|$~^])", r"\\\1", part) for part in parts)


def cell(text):
    """`text` as the cell of a table."""
    parts = re.split(r"(`[^`]*`)", text.replace("\n", " "))
    return "".join(part.replace("|", r"\|") if part.startswith("`") else prose(part) for part in parts)


def code(text, language=""):
    return f"```{language}\n{text.strip(chr(10))}\n```"


def table(rows):
    """A table; the first of the rows is its head."""
    width = max(len(row) for row in rows)
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines) + "\n\n"
