#!/usr/bin/env python3
"""Holds the tables of docs/validation/reality.md against what dcube says of the same rows.

    reality_figures.py PROGRAM ROOT

Fitted values are those of validation/reality/LAYER.json. A line or sentence of the page that is not what they
give is printed as it should be.
"""

import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM, ROOT = map(pathlib.Path, sys.argv[1:])
REALITY = ROOT / "validation" / "reality"
PARTS = {"2x2x2": "fitted", "4x4x4": "predicted"}
LARGE = 8 * 2**20
sys.dont_write_bytecode = True
sys.path.insert(0, str(REALITY))

import fugaku  # noqa: E402


def answer_of(layer, shape, folder):
    return json.loads(subprocess.run(
        [PROGRAM, "fit", REALITY / f"fugaku_{layer}.json", "--measured", f"{layer}-{shape}.tsv", "--jobs", "1", "--json"],
        check=True, cwd=folder, capture_output=True, text=True).stdout)  # fmt: skip


def line(layer, shape, answer):
    """The line of the page's table."""
    errors, ranking = answer["errors"], answer["ranking"]
    assert not answer["left_out"], answer["left_out"]
    cells = [
        f"{layer.upper()} {shape}, {PARTS[shape]}",
        f"{errors['rows']}",
        f"{100 * errors['median']:.1f} %",
        f"{100 * errors['within_30_percent']:.0f} %",
        f"{ranking['right']} of {ranking['cases']}",
        f"{ranking['pairs_right']} of {ranking['pairs']}",
    ]
    return f"| {' | '.join(cells)} |"


def times_of(layer, shape, answer, folder):
    """{(collective, size): [(simulated, measured)]}, in seconds."""
    with open(pathlib.Path(folder) / f"{layer}-{shape}.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    times = {}
    for row in answer["rows"]:
        at = rows[int(row["row"].rpartition(" ")[2]) - 2]
        times.setdefault((at["collective"], at["size"]), []).append((row["simulated_s"], row["measured_s"]))
    return times


def median_and_within(times, least):
    """The median error of all times from a size on, and how many are within 30 %."""
    errors = [abs(simulated / measured - 1) for (_, size), pairs in times for simulated, measured in pairs
              if int(size) >= least]  # fmt: skip
    within = sum(error <= 0.3 for error in errors) / len(errors)
    return len(errors), f"{100 * statistics.median(errors):.1f} %", f"{100 * within:.0f} %"


def together(shape, answers, folder):
    """The page's words on all predictions."""
    times = [case for layer, answer in answers.items() for case in times_of(layer, shape, answer, folder).items()]
    number, median, within = median_and_within(times, 0)
    yield f"All {number} predictions are {median} off in the median, {within} within 30 %."
    _, median, within = median_and_within(times, LARGE)
    utofu = times_of("utofu", shape, answers["utofu"], folder).items()
    yield f"From 8 MiB they are {median} off, UTOFU's {median_and_within(utofu, LARGE)[1]}, and {within} within 30 %."


def ranking(shape, answers, folder):
    """The page's words on the fastest algorithms of both libraries together."""
    times = {}
    for layer, answer in answers.items():
        for case, pairs in times_of(layer, shape, answer, folder).items():
            times.setdefault(case, []).extend(pairs)
    least = {}
    with open(REALITY / "fugaku.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["shape"] == shape and fugaku.is_taken(row):
                case = row["collective"], row["buffer_bytes"]
                least[case] = min(least.get(case, float("inf")), float(row["median_us"]) * 1e-6)
    called = {case: min(pairs)[1] for case, pairs in times.items()}
    known = sum(called[case] <= 1.1 * min(pair[1] for pair in times[case]) for case in called)
    right = sum(called[case] <= 1.1 * least[case] for case in called)
    return f"in {known} of {len(called)} cases; in {right} if those count, too, that dcube lacks"


def main():
    page = " ".join((ROOT / "docs" / "validation" / "reality.md").read_text(encoding="utf-8").split())
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, REALITY / "fugaku.py", folder], check=True)
        for shape in PARTS:
            answers = {layer: answer_of(layer, shape, folder) for layer in ("utofu", "mpi", "trees", "own")}
            lines += [line(layer, shape, answer) for layer, answer in answers.items()]
        lines += [*together(shape, answers, folder), ranking(shape, answers, folder)]
    missing = [text for text in lines if text not in page]
    for text in missing:
        print(f"docs/validation/reality.md lacks: {text}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
