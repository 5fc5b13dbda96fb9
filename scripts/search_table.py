#!/usr/bin/env python3
"""The table of docs/validation/search.md: machine by traffic, what each embedding and each search reaches.

    search_table.py DCUBE                   print the table
    search_table.py DCUBE --write PAGE.md   put it into the page, between its two markers
    search_table.py DCUBE --check PAGE.md   exit status 1 unless all but the times is what the page
                                            says
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

BEGIN = "<!-- made by scripts/search_table.py -->"
END = "<!-- end of what is made -->"
EFFORT = 2_000_000
EMBEDDINGS = ("standard", "xor", "gray", "weighted_xor")
HEADER = (
    "machine", "traffic", *EMBEDDINGS, "Scotch", "annealing", "bound", "gap", "Scotch ms", "annealing ms",
)  # fmt: skip
TIMES = 2  # columns at the end

MACHINES = ("line:64", "ring:64", "mesh:8x8", "torus:8x8", "torus:4x4x4", "hypercube:6")
LARGE = {"torus:16x16": "cube:8", "torus:32x32": "cube:10"}
WEIGHTS = ("", "doubling", "halving")
SHAPES = ("mesh:8x8", "ring:64", "tree:63")
SPARSE = "random, 64 processes, 160 flows"


def cases():
    for machine in MACHINES:
        for weights in WEIGHTS:
            yield machine, "cube:6", weights
        for shape in (*SHAPES, SPARSE):
            yield machine, shape, ""
    for machine, cube in LARGE.items():
        for weights in WEIGHTS:
            yield machine, cube, weights


def sparse_traffic():
    """The same graph everywhere: a linear congruential generator (Knuth's MMIX)."""
    state, lines = 1, ["from,to,bytes"]

    def draw(bound):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % bound

    while len(lines) <= 160:
        source, target, size = draw(64), draw(64), 1 + draw(16)
        if source != target:
            lines.append(f"{source},{target},{size}")
    lines.append("63,0,1")
    return "\n".join(lines) + "\n"


def search(program, machine, traffic, weights, method):
    command = [program, "search", "--json", "--machine", machine, "--traffic", traffic, "--method", method,
               "--seed", "1"]
    if weights:
        command += ["--weights", weights]
    if method == "annealing":
        command += ["--effort", str(EFFORT)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def number(value):
    return f"{value:.3f}"


def row(program, machine, traffic, weights, file):
    source = file if traffic == SPARSE else traffic
    annealing = search(program, machine, source, weights, "annealing")
    scotch = search(program, machine, source, weights, "scotch")
    starts = {start["embedding"]: start["value"] for start in annealing["starts"]}
    bound = annealing["bound"]["cost"]
    best = min(annealing["found"]["cost"], scotch["found"]["cost"])
    return [
        machine,
        f"{traffic} {weights}".strip(),
        *(number(starts[name]) if name in starts else "-" for name in EMBEDDINGS),
        number(scotch["found"]["value"]),
        number(annealing["found"]["value"]),
        number(annealing["bound"]["value"]),
        "optimal" if best == bound else f"{100 * (best / bound - 1):.1f} %",
        f"{1e3 * scotch['wall_s']:.0f}",
        f"{1e3 * annealing['wall_s']:.0f}",
    ]


def line(cells):
    return f"| {' | '.join(cells)} |"


def made_table(rows):
    rule = ["---", "---", *["---:"] * (len(HEADER) - 2)]
    return [line(HEADER), line(rule), *map(line, rows)]


def page_rows(page):
    """The cells of the table's rows without the times."""
    text = page.read_text(encoding="utf-8")
    lines = text.split(BEGIN)[1].split(END)[0].strip().splitlines()
    return [[cell.strip() for cell in one.strip("|").split("|")] for one in lines[2:]]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", metavar="DCUBE")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", metavar="PAGE", type=pathlib.Path)
    action.add_argument("--check", metavar="PAGE", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sparse.csv"
        file.write_text(sparse_traffic(), encoding="utf-8")
        rows = [row(options.program, *case, str(file)) for case in cases()]
    if options.write:
        before, rest = options.write.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        table = "\n".join(made_table(rows))
        options.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")
        return 0
    if options.check:
        expected = page_rows(options.check)
        wrong = [
            (said, now)
            for said, now in zip(expected, rows, strict=True)
            if said[:-TIMES] != now[:-TIMES]
        ]
        for said, now in wrong:
            print(f"the page says {line(said)}\n          now {line(now)}")
        return 1 if wrong else 0
    print("\n".join(made_table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
