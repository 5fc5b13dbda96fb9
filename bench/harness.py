"""Builds the benchmarks and runs each in a process of its own."""

import functools
import json
import statistics
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
build = root / "build" / "release"  # whose objects the program and the tests use, too
programs = build / "bench"

seconds_per_child = 1800


class BenchError(Exception):
    """A benchmark that did not build, did not run or gave a wrong answer."""


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def run(command, **options):
    """Runs a command to its end and returns what it printed."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE, **options)
    except subprocess.TimeoutExpired as error:
        raise BenchError(f"{command[0]} took more than {seconds_per_child} s") from error
    if done.returncode != 0:
        text = f"{' '.join(command)} ended with status {done.returncode}\n{done.stdout}"
        raise BenchError(text.rstrip())
    return done.stdout


def build_benchmarks():
    run([root / "scripts" / "install-packages", "build", "bench"])
    say(f"building in {build}")
    run(["cmake", "--preset", "release", "-D", "DCUBE_BUILD_BENCH=ON"], cwd=root)
    run(["cmake", "--build", build, "--target", "dcube_app", "benchmarks"])


@functools.cache
def run_benchmark(program, name, repeats):
    """Runs one benchmark of a Google Benchmark: the median ns per item, and its counters."""
    output = run(
        [
            programs / program,
            f"--benchmark_filter=^{name}/real_time$",
            "--benchmark_format=json",
            "--benchmark_min_time=0.1",
            f"--benchmark_repetitions={repeats}",
        ],
        stderr=subprocess.DEVNULL,
        timeout=seconds_per_child,
    )
    results = json.loads(output)["benchmarks"] if output.strip() else []
    runs = [result for result in results if result["run_type"] == "iteration"]
    if not runs:
        raise BenchError(f"{program} knows no benchmark {name}")
    for each in runs:
        if each.get("error_occurred"):
            raise BenchError(f"{name}: {each['error_message']}")
    return statistics.median(1e9 / each["items_per_second"] for each in runs), runs[0]


@functools.cache
def run_program(repeats, program, *words):
    """Runs a program that prints one line of JSON several times: the median of each figure."""
    command = [programs / program, *words]
    runs = [json.loads(run(command, timeout=seconds_per_child)) for _ in range(repeats)]
    return {key: statistics.median(each[key] for each in runs) for key in runs[0]}


def available_bytes():
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def fits(needed_bytes, what):
    """Whether there is memory for it; says so when there is not."""
    is_enough = needed_bytes < available_bytes()
    if not is_enough:
        say(f"skipped, not enough memory: {what}")
    return is_enough
