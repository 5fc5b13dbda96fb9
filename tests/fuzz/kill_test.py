#!/usr/bin/env python3
"""Kills dcube at random moments. Whatever the moment and the signal, every file that a command
writes must then be what it was before, or absent, or whole; no temporary file may remain, and no
process. Records of runs may end in a part of a line, and the same command then goes on from them.

    kill_test.py PROGRAM [--rounds N] [--seed S] [--folder DIR] [--without-unnamed-files SHIM]

SIGKILL alone may leave a temporary file, a hidden one: a whole one where a file is replaced, because
Linux gives a file without a name only a name that is free, so that it is renamed afterwards.
SHIM is a library that makes the disk one that knows no files without a name; then every command is
also killed with it. There the temporary file may hold a part.
DIR is where the commands write, for instance on a disk of a network.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
TEMPORARY = re.compile(r"\.dcube-.*")
OLD = "what the file held before\n"

MACHINE = {
    "schema_version": 1,
    "name": "unit",
    "topology": {"kind": "torus", "shape": [16, 8]},
    "link": {"latency": "1s"},
}
SCENARIO = {
    "schema_version": 1,
    "machine": MACHINE,
    "embedding": "standard",
    "program": {"kind": "cc_dcube", "message": 8},
}


def is_whole_json(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


# Commands that write files, and what makes each kind of file whole.
COMMANDS = [
    ["run", "s.json", "--quiet", "--output", "result.json", "--trace", "csv:run-trace.csv",
     "--trace", "chrome:run-trace.json"],
    ["compare", "s.json", "--embedding", "standard,random,identity", "--jobs", "2", "--output", "out",
     "--no-pictures"],
    ["search", "s.json", "--time-limit", "0.3s", "--output", "found.json"],
    ["reproduce", "experiments.json", "--output", "page.md"],
    ["report", "given.json", "--output", "page.html"],
]
WHOLE = {
    ".json": is_whole_json,
    ".html": lambda text: text.rstrip().endswith("</html>"),
    ".csv": lambda text: text.endswith("\n"),
    ".txt": lambda text: text.endswith("\n"),
    ".md": lambda text: text.endswith("\n"),
}
EXPERIMENTS = {
    "schema_version": 1,
    "title": "one",
    "source": "nobody",
    "experiments": [
        {"name": "one", "scenario": SCENARIO, "quantity": "makespan_s", "limit_percent": 900,
         "points": [{"label": "one", "expected": 1}]},
    ],
}


class Disk:
    """Where commands write, and how they are started there."""

    def __init__(self, program, folder, shim):
        self.program = program
        self.folder = folder
        self.shim = shim
        self.references = {}

    def name(self):
        return "a disk without unnamed files" if self.shim else "an ordinary disk"

    def start(self, command, folder):
        environment = {**os.environ}
        if self.shim:
            environment["LD_PRELOAD"] = str(self.shim)
            environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return subprocess.Popen([self.program, *command], cwd=folder, env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def prepared(self, has_old_files, inputs, outputs):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, text in inputs.items():
            (folder / name).write_text(text)
        for name in outputs if has_old_files else []:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(OLD)
        return folder


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def processes_in(folder):
    """Processes whose working directory is `folder`: those that a command has left."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder.resolve()):
                found.append(entry.name)
        except OSError:
            pass  # it has ended, or is somebody else's
    return found


def remove(folder):
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


def are_whole_records(text):
    """Whether every line but one that a kill cut off is JSON."""
    return all(is_whole_json(line) for line in text.split("\n")[:-1])


def problems(folder, inputs, number, has_shim):
    """What a killed command has left that it must not."""
    found = []
    end = time.monotonic() + 10
    while processes_in(folder) and time.monotonic() < end:
        time.sleep(0.01)
    if processes_in(folder):
        found.append("processes are left: " + " ".join(processes_in(folder)))
    for name in files_in(folder):
        text = (folder / name).read_text(errors="replace")
        base = pathlib.PurePath(name).name
        if name in inputs:
            if text != inputs[name]:
                found.append(f"{name}: an input has changed")
        elif TEMPORARY.fullmatch(base):
            if number != signal.SIGKILL:
                found.append(f"{name}: a temporary file is left")
            elif not has_shim and not any(is_whole(text) for is_whole in WHOLE.values()):
                found.append(f"{name}: a temporary file is left that holds a part")
        elif base.endswith(".jsonl"):
            if not are_whole_records(text):
                found.append(f"{name}: a record is not whole")
        elif base == "claims":
            continue
        elif pathlib.PurePath(name).suffix not in WHOLE:
            found.append(f"{name}: nobody has asked for it")
        elif text != OLD and not WHOLE[pathlib.PurePath(name).suffix](text):
            found.append(f"{name}: is not whole ({len(text)} characters)")
    return found


def is_started(process):
    """Whether a command has come so far that it looks after its own end."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return True
    caught = int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def undisturbed(disk, command, inputs):
    """How long a command takes, and the files that it writes."""
    folder = disk.prepared(False, inputs, [])
    begin = time.monotonic()
    process = disk.start(command, folder)
    errors = process.communicate(timeout=300)[1]
    duration = time.monotonic() - begin
    outputs = [name for name in files_in(folder) if name not in inputs]
    broken = problems(folder, inputs, None, False)
    if process.returncode not in (0, 1) or not outputs or broken:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}: {errors}{broken}")
    remove(folder)
    return duration, outputs


def problems_of_going_on(disk, command, folder, inputs, outputs):
    """What the same command, started again, finds wrong with records that a kill left."""
    # A temporary file of a process that could not clean up is nobody's: it may as well stay.
    left = {name: (folder / name).read_text(errors="replace") for name in files_in(folder)
            if TEMPORARY.fullmatch(pathlib.PurePath(name).name)}
    process = disk.start(command, folder)
    errors = process.communicate(timeout=300)[1]
    found = problems(folder, {**inputs, **left}, None, bool(disk.shim))
    if process.returncode != 0:
        found.append(f"started again: exit status {process.returncode}: {errors}")
    pages = {name for name in outputs if "records" not in pathlib.PurePath(name).parts}
    found += [f"started again: {name} is missing" for name in sorted(pages - set(files_in(folder)))]
    return found


def kill_once(disk, command, inputs, duration, outputs, draw):
    has_old_files = draw.random() < 0.5 and command[0] != "compare"
    folder = disk.prepared(has_old_files, inputs, outputs)
    number = draw.choice(SIGNALS)
    process = disk.start(command, folder)
    moment = draw.uniform(0, 1.1 * duration)
    time.sleep(moment)
    may_end_with = {0, 1, 130}
    if number == signal.SIGKILL or not is_started(process):
        may_end_with.add(-number)
    process.send_signal(number)
    errors = process.communicate(timeout=120)[1]
    found = problems(folder, inputs, number, bool(disk.shim))
    if process.returncode not in may_end_with:
        found.append(f"exit status {process.returncode}: {errors}")
    if command[0] == "compare" and not found:
        found += problems_of_going_on(disk, command, folder, inputs, outputs)
    if found:
        what = f"{' '.join(command)}: {number.name} after {moment:.3f} s on {disk.name()}"
        print("\n  ".join([what, *found, f"(kept in {folder})"]))
    else:
        remove(folder)
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--rounds", type=int, default=6, help="kills of each command on each disk")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--folder", type=pathlib.Path, help="where commands write")
    parser.add_argument("--without-unnamed-files", dest="shim", type=pathlib.Path)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    kills = failures = 0
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        given = pathlib.Path(folder) / "given.json"
        (pathlib.Path(folder) / "s.json").write_text(json.dumps(SCENARIO))
        subprocess.run([options.program, "run", "s.json", "--quiet", "--output", given.name],
                       cwd=folder, check=True)
        inputs = {
            "s.json": json.dumps(SCENARIO),
            "given.json": given.read_text(),
            "experiments.json": json.dumps(EXPERIMENTS),
        }
        for shim in [None, options.shim] if options.shim else [None]:
            disk = Disk(options.program.resolve(), folder, shim and shim.resolve())
            for command in COMMANDS:
                duration, outputs = undisturbed(disk, command, inputs)
                for _ in range(options.rounds):
                    kills += 1
                    failures += not kill_once(disk, command, inputs, duration, outputs, draw)
        if failures:
            print(f"{failures} of {kills} kills left something behind (--seed {options.seed})")
            os._exit(1)  # keeps the folder
    print(f"{kills} kills, nothing left behind (--seed {options.seed})")


if __name__ == "__main__":
    main()
