#!/usr/bin/env python3
"""Makes up command lines from the options that dcube's help texts name, with values good and bad.

    command_fuzz_test.py PROGRAM [--rounds N] [--seed S]

Whatever the command line: the exit status is one that dcube has for it (never that of a defect or of
a signal); unusable input is said in lines that begin with "dcube: "; nothing stays in the folder that has no
name of an option; standard error shows no control characters.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
USUAL = {0, 1, 2}
SECONDS = 120
VALUES = """
0 1 2 -1 3.5 64 1e9 18446744073709551616 1s 10ms -1s 1h "" - -- standard xor gray random explicit xor,standard
torus:8x8 ring:16 hypercube:3 torus: torus:0x8 cube:4 mesh:4x4 unit-ring-16 nosuch ../.. / . out.json csv:out.csv
gfr:out.mtx 0=1 3-5 n[0-3] hop-bytes+0.2*link-load x/y/z.json /dev/null /dev/full csv:/dev/full 0-3 2-3 1s:2s : none all doubling uniform annealing exhaustive
/program/message=64 /program/message= /machine=torus:4x4 /embedding=gray /nosuch=1 /seed=-1 = node-{} ring.map
""".split()
INPUTS = ["scenarios/line-cc_dcube-standard.json", "scenarios/tasks/pipeline.json", "platforms/unit-ring-16.json",
          "validation/ncube.json", "torus:4x4", "quickstart", "run.csv", "r.json"]  # fmt: skip
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# What the address sanitizer says of stacks that SimGrid has made.
SANITIZER_NOTE = re.compile(r"==\d+==WARNING: ASan is ignoring .*\nFalse positive .*\nFor details .*\n")
SLOW = {"reproduce"}  # simulates for half a minute whatever else is said


def said(program, *words):
    return subprocess.run([program, *words], check=True, text=True, capture_output=True).stdout


def vocabulary(program):
    """The options of each command."""
    commands = re.findall(r"^  ([a-z]+)  ", said(program, "--help").split("Subcommands:")[1], re.MULTILINE)
    return {
        command: re.findall(r"^  (?:-\w,)?(--[a-z-]+)", said(program, command, "--help"), re.MULTILINE)
        for command in commands
        if command not in SLOW
    }


def make_up(words, draw):
    """A command line: a command, something to work on, options with and without values."""
    command = draw.choice([*words, *words, "nosuch", ""])
    line = [command] + [draw.choice(INPUTS) for _ in range(draw.choice([0, 1, 1, 1, 1, 2]))]
    for _ in range(draw.randrange(4)):
        line.append(draw.choice(words.get(command) or ["--nosuch"]))
        if draw.random() < 0.8:
            line.append(draw.choice(VALUES).strip('"'))
    if draw.random() < 0.1:
        draw.shuffle(line)
    return line


def complaint(done):
    """What is wrong with how a command line ended; nothing when it behaved."""
    errors = SANITIZER_NOTE.sub("", done.stderr.decode(errors="replace"))
    if done.returncode not in USUAL:
        return f"status {done.returncode}: {errors[:300]}"
    if done.returncode == 2 and not errors.startswith("dcube: "):
        return f"status 2 without a word: {errors[:300]!r}"
    if found := CONTROL.search(errors.replace("\r\x1b[K", "")):
        return f"a control character on standard error: {found[0]!r}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = options.program.resolve()
    words = vocabulary(program)
    draw = random.Random(options.seed)
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for entry in ("scenarios", "platforms", "validation"):
            (folder / entry).symlink_to(ROOT / entry)
        for number in range(options.rounds):
            line = make_up(words, draw)
            try:
                done = subprocess.run(
                    [program, *line], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                    check=False, timeout=SECONDS
                )  # fmt: skip
                wrong = complaint(done)
            except subprocess.TimeoutExpired:
                wrong = f"not done after {SECONDS} s"
            if hidden := [file.name for file in folder.iterdir() if file.name.startswith(".")]:
                wrong = f"leaves {hidden[0]}"
                (folder / hidden[0]).unlink()
            if wrong:
                failures += 1
                print(f"{number}: dcube {' '.join(line)}\n  {wrong}")
    print(f"{options.rounds} command lines, {failures} failures")
    return 1 if failures or not words else 0


if __name__ == "__main__":
    sys.exit(main())
