"""How many maps a second a search simulates, and what a repeated run costs without a search."""

import json
import os

from harness import build, root, run, run_program, say
from tables import Column, Table, readable_bytes, significant, whole, words

candidates_title = "Candidates: the quickstart (64 processes, 384 messages) under one map after another"
candidates_note = """\
In one process: no child processes, no search. dcube search: a link is twice as slow as the others, so
that no embedding reaches a bound and ends the search; the maps go to child processes and the makespans
come back. "memory early": after a hundredth of the runs."""
candidates_columns = (
    Column("what", "what", words),
    Column("runs", "runs", whole),
    Column("us/run", "us_per_run", significant),
    Column("runs/s", "runs_per_s", significant),
    Column("memory early", "early_memory", readable_bytes),
    Column("memory", "peak_memory", readable_bytes),
)
quickstart = root / "scenarios" / "quickstart.json"
slow_link = '/machine/links=[{"from":3,"to":4,"latency":"2s"}]'


def record(what, runs, s_per_run, **more):
    return {
        "what": what,
        "runs": runs,
        "us_per_run": 1e6 * s_per_run,
        "runs_per_s": 1 / s_per_run,
        **more,
    }


def measure_process(runs, repeats):
    say(f"candidates: {runs} runs in one process")
    figures = run_program(repeats, "repeated_runs", quickstart, runs)
    return record("in one process", runs, **figures)


def measure_search(runs, jobs):
    say(f"candidates: dcube search --jobs {jobs}")
    command = [build / "dcube", "search", quickstart, "--objective", "makespan", "--set", slow_link]
    options = ["--method", "annealing", "--effort", runs, "--jobs", jobs, "--json"]
    result = json.loads(run([*command, *options]))
    moves = result["moves"]
    return record(f"dcube search --jobs {jobs}", moves, result["wall_s"] / moves)


def candidates(size, _repeats):
    runs = 10_000 if size == "quick" else 100_000
    records = [measure_process(runs, 1)]
    records += [measure_search(runs, jobs) for jobs in sorted({1, os.cpu_count()})]
    return Table(candidates_title, candidates_note, candidates_columns, records)
