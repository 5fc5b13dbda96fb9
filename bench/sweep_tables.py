"""How many runs a second a sweep makes and keeps, alone and shared among MPI ranks."""

import os
import shutil
import subprocess
import tempfile
import time

from harness import BenchError, build, root, say
from tables import Column, Table, significant, whole, words

sweeps_title = "Sweeps: the quickstart (64 processes, 384 messages) with one setting after another"
sweeps_note = """\
Whole commands with all that they write but pictures and the page; each run is a record on the disk.
Figures are differences between many runs and few, so neither start nor end of a command counts."""
sweeps_columns = (
    Column("what", "what", words),
    Column("runs", "runs", whole),
    Column("us/run", "us_per_run", significant),
    Column("runs/s", "runs_per_s", significant),
    Column("CPU us/run", "cpu_us_per_run", significant),
)
quickstart = root / "scenarios" / "quickstart.json"


def times_of(launcher, options, runs):
    """Wall and processor time of a sweep of so many runs."""
    with tempfile.TemporaryDirectory() as folder:
        values = f"/program/compute=lin:1ms:10s:{runs // 2}"
        command = [*launcher, build / "dcube", "sweep", quickstart, "--vary", values, "--embedding",
                   "standard,xor", "--output", folder, "--no-pictures", "--no-report", "--quiet", *options]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        before = os.times()
        begin = time.monotonic()
        done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
        wall = time.monotonic() - begin
        after = os.times()
        if done.returncode != 0:
            raise BenchError(f"dcube sweep ended with status {done.returncode}\n{done.stderr}".rstrip())
        cpu = (after.children_user + after.children_system) - (before.children_user + before.children_system)
        return wall, cpu


def measure(what, launcher, options, runs, repeats):
    say(f"sweeps: {what}")
    few = runs // 10
    fewest = [min(column) for column in zip(*(times_of(launcher, options, few) for _ in range(repeats)))]
    most = [min(column) for column in zip(*(times_of(launcher, options, runs) for _ in range(repeats)))]
    wall, cpu = ((long - short) / (runs - few) for long, short in zip(most, fewest))
    return {"what": what, "runs": runs, "us_per_run": 1e6 * wall, "runs_per_s": 1 / wall,
            "cpu_us_per_run": 1e6 * cpu}


def sweeps(size, repeats):
    runs = 20_000 if size == "quick" else 100_000
    records = [measure(f"--jobs {jobs}", [], ["--jobs", jobs], runs, repeats)
               for jobs in sorted({1, os.cpu_count(), 4})]
    if shutil.which("mpirun.openmpi"):
        launcher = ["mpirun.openmpi", "--oversubscribe", "-n", "4"]
        records.append(measure("mpirun -n 4", launcher, [], runs, repeats))
    return Table(sweeps_title, sweeps_note, sweeps_columns, records)
