"""Runs the commands that the pages show, in the order in which they stand, and compares what they print
with what the pages show.

    commands_test.py [PAGE..]    default: README.md and every page below docs/

What counts as a command: in a fenced block, a line that begins with "$ ", or every line of a block whose
lines all begin with dcube, ./dcube or scripts/. What is shown: the lines after a "$ " line, or the
block without a language that follows a block of one command. "..." stands for lines left out. Times that a
clock measured are not compared.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "app"))

import open_mpi  # noqa: E402

PROGRAM = os.environ["DCUBE_PROGRAM"]
COMMAND = re.compile(r"(\./)?(dcube|scripts/[a-z_-]+(\.py)?) ")
# They take minutes.
LEFT_TO_OTHERS = ("./run-tests", "scripts/bench")
# Pages with such a command are left out where it is not installed.
MAY_BE_MISSING = ("mpicc", "smpicc")
SECONDS = 300
MEASURED = [
    (re.compile(r"(^simulation .* events in) .*"), r"\1 TIME"),
    (re.compile(r"(\b(?:in|after|took|takes) )[0-9.]+ (?:s|ms|us)(?= of|$)"), r"\1TIME"),
]


class Page:
    def __init__(self, path):
        self.path = path
        self.steps = []  # [line number, command, shown lines or None]
        self.read(path.read_text(encoding="utf-8").splitlines())

    def runs(self):
        """The steps that are run, without the remarks after their commands."""
        for number, command, shown in self.steps:
            if not any(part in command for part in LEFT_TO_OTHERS):
                yield number, command.split("  #")[0].strip(), shown

    def missing(self):
        """A program that the commands need and this computer lacks, or None."""
        words = {command.split()[0] for _, command, _ in self.runs()}
        return next((name for name in MAY_BE_MISSING if name in words and not shutil.which(name)), None)

    def read(self, lines):
        block, language, begin = None, "", 0
        follows_one_command = False
        for number, line in enumerate(lines, 1):
            if not line.startswith("```"):
                if block is not None:
                    block.append(line)
                elif line.startswith("#"):
                    follows_one_command = False
                continue
            if block is None:
                block, language, begin = [], line[3:].strip(), number + 1
                continue
            follows_one_command = self.add(block, language, begin, follows_one_command)
            block = None

    def add(self, block, language, begin, follows_one_command):
        """Takes the steps of a block; says whether the next block may show what its command prints."""
        if block and block[0].startswith("$ "):
            for number, line in enumerate(block, begin):
                if line.startswith("$ "):
                    self.steps.append([number, line[2:], []])
                else:
                    self.steps[-1][2].append(line)
            return False
        commands = joined(block)
        if commands and all(COMMAND.match(command + " ") for _, command in commands):
            self.steps += [[begin + offset, command, None] for offset, command in commands]
            return len(commands) == 1
        if follows_one_command and not language:
            self.steps[-1][2] = block
        return False


def joined(block):
    """(offset, command) of the lines of a block; a backslash at the end continues a line."""
    commands = []
    continued = False
    for offset, line in enumerate(block):
        if not line.strip() or line.startswith("#"):
            continue
        if continued:
            commands[-1] = (commands[-1][0], commands[-1][1] + " " + line.strip().rstrip("\\"))
        else:
            commands.append((offset, line.rstrip("\\")))
        continued = line.endswith("\\")
    return commands


def comparable(line):
    for pattern, stand_in in MEASURED:
        line = pattern.sub(stand_in, line)
    return line.rstrip()


def first_difference(shown, printed):
    """The first shown line that is not printed where it should be; None when all are."""
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    lines = [comparable(line) for line in printed]
    at, anywhere = 0, True
    for line in map(comparable, shown):
        if line.strip() in ("...", ".."):
            anywhere = True
        elif anywhere:
            if line not in lines[at:]:
                return line
            at = lines.index(line, at) + 1
            anywhere = False
        elif at < len(lines) and lines[at] == line:
            at += 1
        else:
            return f"{line}\n  (printed there: {lines[at] if at < len(lines) else 'nothing more'})"
    return None


def run(command, folder):
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
        env=os.environ | open_mpi.AS_ROOT | {"PATH": f"{folder}:/usr/bin:/bin"},
    )


def checkout(folder):
    """A folder that looks like a checkout, in which commands may write."""
    for entry in ROOT.iterdir():
        if entry.name not in ("dcube", "build", ".git"):
            (folder / entry.name).symlink_to(entry)
    program = folder / "dcube"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(PROGRAM)} "$@"\n')
    program.chmod(0o755)


def complaints(page, known):
    """`known`: what commands did that neither found nor left files of a page, so they would do it again."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checkout(folder)
        fresh = sorted(folder.iterdir())
        for number, command, shown in page.runs():
            place = f"{page.path.relative_to(ROOT)}:{number}: {command}"
            is_fresh = sorted(folder.iterdir()) == fresh
            done = known.get(command) if is_fresh else None
            if done is None:
                done = run(command, folder)
                if is_fresh and sorted(folder.iterdir()) == fresh:
                    known[command] = done
            if done.returncode != 0 and open_mpi.is_to_blame(done.stdout):
                print(f"{place}: the rest of the page is left out: {open_mpi.UNREACHABLE}")
                return
            if done.returncode != 0:
                yield f"{place}\n  exit status {done.returncode}: {done.stdout[-400:]}"
            elif shown and (difference := first_difference(shown, done.stdout.splitlines())):
                yield f"{place}\n  does not print: {difference}"


def every_page():
    return [Page(path) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]


def main():
    pages = [Page(ROOT / name) for name in sys.argv[1:]] or every_page()
    for page in pages:
        if name := page.missing():
            print(f"{page.path.relative_to(ROOT)}: left out, there is no {name}")
    pages = [page for page in pages if not page.missing()]
    known = {}
    found = [complaint for page in pages for complaint in complaints(page, known)]
    for complaint in found:
        print(complaint)
    print(f"{sum(len(page.steps) for page in pages)} commands of {len(pages)} pages, {len(found)} complaints")
    return 1 if found or not any(page.steps for page in pages) else 0


if __name__ == "__main__":
    sys.exit(main())
