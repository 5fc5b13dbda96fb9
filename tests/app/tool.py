"""Other people's programs that read what dcube writes."""

import os
import pathlib
import subprocess


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
