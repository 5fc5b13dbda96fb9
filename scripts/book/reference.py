"""The generated part of the reference: what the program, the schemas and the sources say of themselves."""

import json
import re
import subprocess

from . import keys, python_api
from .pages import write
from .text import cell, code, prose, table

LISTS = {
    "topologies": "Topologies",
    "embeddings": "Embeddings",
    "programs": "Programs",
    "collectives": "Collectives and their algorithms",
    "formats": "Formats of maps and traffic",
    "traces": "Formats of traces",
    "measures": "Measures of runs",
    "machines": "Machines that dcube brings along",
    "scenarios": "Scenarios that dcube brings along",
}
CPP = [
    ("Processes", "doxygenclass", ["Process", "Group"]),
    ("Messages", "doxygenstruct", ["Received", "Completed"]),
    ("Programs", "doxygenclass", ["Program"]),
    ("Collectives", "doxygenfile", ["collective/collective.hpp", "collective/typed.hpp"]),
    ("Runs", "doxygenfile", ["scenario/run.hpp", "engine/simulation.hpp"]),
    (
        "Questions",
        "doxygenfile",
        [
            f"questions/{name}.hpp"
            for name in ("compare", "comparison", "sweep", "embed", "search", "place", "collective", "fit", "subcubes", "reproduce")
        ],
    ),
]


def said(program, *words):
    return subprocess.run([program, *words], check=True, text=True, capture_output=True).stdout


def commands_page(program):
    """What `dcube COMMAND --help` prints, command by command."""
    main = said(program, "--help")
    names = re.findall(r"^  (\w+) {2,}\S", main.split("Subcommands:")[1], re.MULTILINE)
    text = "# Options of every command\n\nWhat `dcube COMMAND --help` prints. [Commands](../reference/commands.md) says what they share.\n\n"
    text += code(main) + "\n"
    for name in names:
        what, _, rest = said(program, name, "--help").strip().partition("\n")
        text += f"\n## dcube {name}\n\n{prose(sentence(what))}\n\n{code(rest)}\n"
    return text


def sentence(text):
    """A line of help as a sentence; one that begins with a name stays small."""
    text = text if re.match(r"\w+[-_]", text) else text[0].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


def columns(line):
    return re.split(r" {2,}", line.strip(), maxsplit=2)


def list_page(program, kind, title):
    """What `dcube list KIND` prints: entries with tables below them, or one table."""
    head, *lines = said(program, "list", kind).rstrip().splitlines()
    text = f"# {title}\n\nWhat `dcube list {kind}` prints.\n\n"
    text += f"{prose(sentence(head))}\n\n" if head != kind else ""
    rows = []

    def rows_text():
        nonlocal rows
        taken, rows = rows, []
        if not taken:
            return ""
        return table([["setting", "default", "what"] if len(taken[0]) == 3 else ["name", "what"], *taken])

    for line in lines:
        indent = len(line) - len(line.lstrip())
        named = re.fullmatch(r"  ([\w-]+)(?:: (.*))?", line)
        example = re.fullmatch(r"\s+(example[^:]*): (.*)", line)
        if not line.strip():
            continue
        if named and (named[2] or kind == "collectives"):
            text += rows_text() + f"\n## {named[1]}\n\n"
            text += f"{prose(sentence(named[2]))}\n\n" if named[2] else ""
        elif example:
            text += rows_text() + f"{example[1].capitalize()}: `{example[2]}`\n\n"
        elif indent == 0 or ": " in line and indent == 2 and "  " not in line.strip():
            text += rows_text() + f"\n{prose(sentence(line.strip()))}\n\n"
        else:
            first, *others = columns(line)
            rows.append([f"`{first}`", *(cell(other.removeprefix("default ")) for other in others)])
    return text + rows_text()


def errors_page(program):
    """What `dcube explain CODE` prints of every code."""
    codes = re.findall(r"^  ([\w-]+) {2,}", said(program, "explain"), re.MULTILINE)
    text = "# Errors and what helps\n\nWhat `dcube explain` prints; `..` stands for names and numbers. [Errors](../reference/errors.md) says how to ask it.\n"
    for name in codes:
        words = " ".join(said(program, "explain", name).split())
        messages, cause, remedy = re.fullmatch(rf"{name} messages (.*) cause (.*) remedy (.*)", words).groups()
        text += f"\n## {name}\n\n" + "".join(f"* `` {message} ``\n" if "`" in message else f"* `{message}`\n" for message in messages.split(" | "))
        text += f"\n{prose(cause)}\n\n**Remedy.** {prose(remedy)}\n"
    return text


def cpp_page():
    """Directives of Breathe for the public headers that users of the library need."""
    text = "# C++ API\n\nThe headers are in `include/dcube`; [writing programs](../howto/write-a-program.md) shows their use.\n"
    for title, directive, names in CPP:
        text += f"\n## {title}\n"
        for name in names:
            if directive == "doxygenfile":
                text += f"\n### dcube/{name}\n\n```{{doxygenfile}} dcube/{name}\n:sections: briefdescription detaileddescription innerclass enum typedef func var public-attrib public-func\n```\n"
            else:
                text += f"\n### {name}\n\n```{{{directive}}} dcube::{name}\n:members:\n```\n"
    return text


def index_page(names):
    pages = "\n".join(names)
    return f"# Generated reference\n\nMade from the program, its schemas and its sources.\n\n```{{toctree}}\n:maxdepth: 1\n\n{pages}\n```\n"


def texts(root, program):
    pages = {"command-options": commands_page(program)}
    pages |= {kind: list_page(program, kind, title) for kind, title in LISTS.items()}
    pages["errors"] = errors_page(program)
    schemas = {path.name: json.loads(path.read_text()) for path in sorted((root / "schema").glob("*.schema.json"))}
    pages |= keys.pages(schemas)
    pages["python-api"] = python_api.page(root / "src" / "python" / "dcube", program.parent / "python")
    pages["cpp-api"] = cpp_page()
    pages["index"] = index_page(list(pages))
    return pages


def generate(root, program, folder):
    """Writes the pages to `folder`; gives their files."""
    made = set()
    for name, text in texts(root, program).items():
        write(folder / f"{name}.md", text)
        made.add(folder / f"{name}.md")
    return made


def doxygen_settings(root, folder):
    """Writes the file with which Doxygen writes the public headers' words as XML for Breathe."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "PROJECT_NAME": "dcube",
        "INPUT": root / "include" / "dcube",
        "STRIP_FROM_PATH": root / "include",
        "STRIP_FROM_INC_PATH": root / "include",
        "RECURSIVE": "YES",
        "GENERATE_XML": "YES",
        "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO",
        "XML_PROGRAMLISTING": "NO",
        "JAVADOC_AUTOBRIEF": "YES",
        "EXCLUDE_SYMBOLS": "dcube::detail dcube::detail::*",
        # Its class in `detail` would be listed, without a page, as derived from one of Process.
        "EXCLUDE": root / "include" / "dcube" / "engine" / "listener.hpp",
        "EXTRACT_ALL": "YES",
        "HIDE_FRIEND_COMPOUNDS": "YES",
        "FULL_PATH_NAMES": "YES",
        "OUTPUT_DIRECTORY": folder,
        "QUIET": "YES",
        "WARNINGS": "YES",
        "WARN_IF_UNDOCUMENTED": "NO",
        "WARN_AS_ERROR": "FAIL_ON_WARNINGS",
        "MARKDOWN_SUPPORT": "YES",
        "AUTOLINK_SUPPORT": "NO",
        "ENABLE_PREPROCESSING": "YES",
        "FILE_PATTERNS": "*.hpp",
    }
    write(folder / "Doxyfile", "".join(f"{name} = {value}\n" for name, value in settings.items()))
    return folder / "Doxyfile"
