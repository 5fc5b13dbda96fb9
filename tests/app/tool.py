"""Other people's programs that read what dcube writes."""

import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def require(*programs, package):
    """Ends the test as skipped unless all programs are there."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not found (Debian package {package})")
        sys.exit(SKIPPED)


def run(folder, *command, **more):
    """What a program says, standard output and errors together, and how it ended."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=pathlib.Path(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        env={**os.environ, **more},
    )
