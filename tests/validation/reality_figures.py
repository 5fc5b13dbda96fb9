#!/usr/bin/env python3
"""Holds the tables of docs/validation/reality.md against what dcube says of the same rows.

    reality_figures.py PROGRAM ROOT

Fitted values are those of validation/reality/LAYER.json. A line of the page that is not what they give is
printed as it should be.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, ROOT = map(pathlib.Path, sys.argv[1:])
REALITY = ROOT / "validation" / "reality"
PARTS = {"2x2x2": "fitted", "4x4x4": "predicted"}


def line(layer, shape, folder):
    """The line of the page's table."""
    answer = json.loads(subprocess.run(
        [PROGRAM, "fit", REALITY / f"fugaku_{layer}.json", "--measured", f"{layer}-{shape}.tsv", "--jobs", "1", "--json"],
        check=True, cwd=folder, capture_output=True, text=True).stdout)  # fmt: skip
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


def main():
    page = (ROOT / "docs" / "validation" / "reality.md").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, REALITY / "fugaku.py", folder], check=True)
        lines = [line(layer, shape, folder) for layer in ("utofu", "mpi") for shape in PARTS]
    missing = [text for text in lines if text not in page]
    for text in missing:
        print(f"docs/validation/reality.md lacks: {text}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
