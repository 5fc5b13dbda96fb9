"""Runs of programs in Python."""

import dcube


def run(program, processes=2, **options):
    options.setdefault("machine", f"ring:{processes}")
    options.setdefault("embedding", "identity")
    return dcube.run(program=program, processes=processes, **options)
