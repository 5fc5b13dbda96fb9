#!/usr/bin/env python3
"""Checks that scenarios still give the results they gave before.

    check.py PROGRAM scenarios/x.json..             compare with tests/golden/x.txt
    check.py --update PROGRAM scenarios/x.json..    write tests/golden/x.txt anew

A golden file holds what `PROGRAM run --json` says of the simulated world, one value a line, and
ends with the fingerprint of the run. What depends on the machine that simulates is left out.
"""

import argparse
import difflib
import json
import pathlib
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).resolve().parent

# How and where the simulation was made, rather than what was simulated.
UNSTABLE = {
    "scenario.source",
    "simulation.execution",
    "simulation.wall_s",
    "simulation.hops_per_s",
    "simulation.peak_memory_bytes",
    "program.answer.max_error",  # the rounding of one computer's mathematical library
}
FINGERPRINT = "simulation.fingerprint"
# What was simulated, what drawings go by, and long lists that the fingerprint stands for.
UNLISTED = (
    "scenario.document", "machine.structure", "drawing", "link_loads", "node_loads", "settings", "dcube",
)

# The exit status that goes with each outcome of a run.
STATUS = {"completed": 0, "deadlock": 1, "not_verified": 1}


def lines_of(value, path=""):
    """`path value` for every leaf, in the order of the document; a list without groups is a leaf."""
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from lines_of(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for index, item in enumerate(value):
            yield from lines_of(item, f"{path}[{index}]")
    else:
        yield path, json.dumps(value)


def stable_text(result):
    leaves = dict(lines_of(result))
    fingerprint = json.loads(leaves.pop(FINGERPRINT))
    lines = [f"{path} {value}" for path, value in leaves.items()
             if path not in UNSTABLE and not path.startswith(UNLISTED)]
    return "\n".join([*lines, f"fingerprint {fingerprint}", ""])


def run(program, scenario):
    done = subprocess.run(
        [program, "run", str(scenario), "--json"], capture_output=True, text=True, check=False
    )
    if not done.stdout:
        raise SystemExit(f"{scenario}: exit status {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)
    outcome = result["outcome"]
    if STATUS.get(outcome) != done.returncode:
        raise SystemExit(f"{scenario}: exit status {done.returncode} with outcome {outcome}")
    return stable_text(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write the golden files anew")
    parser.add_argument("program", help="the dcube executable")
    parser.add_argument("scenarios", nargs="+", type=pathlib.Path, metavar="scenario")
    options = parser.parse_args()

    status = 0
    for scenario in options.scenarios:
        golden = GOLDEN / f"{scenario.stem}.txt"
        actual = run(options.program, scenario)
        expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
        if actual == expected:
            continue
        if options.update:
            golden.write_text(actual, encoding="utf-8")
            print(f"wrote {golden}")
            continue
        status = 1
        sys.stdout.writelines(
            difflib.unified_diff(
                expected.splitlines(keepends=True),
                actual.splitlines(keepends=True),
                str(golden),
                f"{scenario} now",
            )
        )
        print(
            f"{scenario} gives another result. If that is meant, record it with\n"
            f"  {pathlib.Path(__file__)} --update {options.program} {scenario}"
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
