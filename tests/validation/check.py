#!/usr/bin/env python3
"""Regenerates a page of docs/ from its file of experiments and compares it with the one in the tree.

    check.py PROGRAM ROOT validation/ncube.json docs/validation/ncube.md

Fails when a limit is not met, and when any byte of the page is not what the program writes now.
"""

import difflib
import pathlib
import subprocess
import sys
import tempfile


def main():
    program, root, experiments, page = sys.argv[1:]
    root = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # The page names both files as given, so they are given as a user would, from the top.
        for part in root.iterdir():
            if part.name != pathlib.Path(page).parts[0]:
                (folder / part.name).symlink_to(part)
        written = folder / page
        written.parent.mkdir(parents=True)
        done = subprocess.run(
            [program, "reproduce", experiments, "--output", page], cwd=folder, stdout=subprocess.DEVNULL
        )
        if not written.exists():
            return done.returncode or 1
        committed = (root / page).read_text().splitlines(keepends=True)
        regenerated = written.read_text().splitlines(keepends=True)
    if committed != regenerated:
        sys.stdout.writelines(difflib.unified_diff(committed, regenerated, page, "regenerated"))
        print(f"{page} is out of date: dcube reproduce {experiments} --output {page}")
        return 1
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
