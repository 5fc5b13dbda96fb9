"""Comparisons of embeddings."""

import json
import os

from . import _dcube, plotting
from .documents import Request, is_name
from .errors import InputError
from .progress import Progress
from .tables import Tabular, frame


class Comparison(Tabular):
    """What runs of one scenario under several embeddings came to.

    `rows` are dicts: embedding, outcome, makespan_ps, average_dilation, max_link_load, ..
    """

    def __init__(self, found):
        self.rows = found["rows"]
        self.machine = found["machine"]
        self.program = found["program"]
        self.processes = found["processes"]
        self.bound = found["bound"]  #: (seconds that no embedding can beat, why), or None
        self._cells = found["cells"]
        self._best = found["best"]
        self._rivals = found["rivals"]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, embedding):
        for row in self.rows:
            if row["embedding"] == embedding:
                return row
        raise KeyError(embedding)

    @property
    def best(self):
        """The fastest row that completed; None when none did."""
        return None if self._best is None else self.rows[self._best]

    @property
    def rivals(self):
        """Rows that are slower than the best, but need not be when computing times vary a little."""
        return [self.rows[place] for place in self._rivals]

    def to_pandas(self):
        return frame([{key: value for key, value in row.items() if not isinstance(value, dict)} for row in self.rows])

    def plot(self, **options):
        """A matplotlib figure: the makespans."""
        bound = {"bound": {"makespan_s": self.bound[0]}} if self.bound else {}
        several = len({row["processes"] for row in self.rows}) > 1
        runs = [{key: value for key, value in row.items() if several or key != "processes"} for row in self.rows]
        compared = {"machine": self.machine, "program": self.program, "runs": runs, **bound}
        return plotting.figure("plot_comparison", {"comparison.json": json.dumps(compared)}, **options)

    def __repr__(self):
        best = f", {self.best['embedding']} is the fastest" if self.best else ""
        return f"<{self.program} on {self.machine}: {len(self)} runs{best}>"

    def _table(self):
        return self._cells[1:], self._cells[0], f"{self.program} on {self.machine}"


def of_comparison(ended, runs, _):
    return f"simulating: {ended:,} of {runs:,} runs have ended"


def compare(
    scenario=None,
    embeddings=None,
    *,
    machine=None,
    embedding=None,
    program=None,
    processes=None,
    guest=None,
    seed=None,
    set=None,  # noqa: A002  as on the command line
    process_numbers=None,
    networks=None,
    failures=None,
    seeds=10,
    ties=None,
    why=False,
    jobs=None,
    time_limit_s=None,
    progress=None,
):
    """Simulates a scenario under several embeddings, each run in a process of its own.

    embeddings       names or files (default: all that fit but random)
    process_numbers  are compared in place of embeddings, or beside them
    networks         "store_and_forward", "cut_through", "fluid": all embeddings under each
    failures         numbers of links that fail at random, each in as many draws as `seeds` says
    ties             whether to find out what rests on ties, by runs whose computing times vary a
                     little; None: when that is cheap. Not of programs in Python unless asked for
    why              whether to find each run's critical path
    jobs             runs at a time (default: one a processor)
    time_limit_s     of each run
    The other arguments are those of run().
    """
    changes = {"machine": machine, "embedding": embedding, "seed": seed, "execution": None, "set": set}
    request = Request(scenario, changes, program, {"processes": processes, "guest": guest})
    overrides = list(request.overrides)
    if request.embedding:
        overrides.append(("/embedding", json.dumps(request.embedding)))
    embeddings = [embeddings] if is_name(embeddings) else list(embeddings or [])
    for name in embeddings:
        if not is_name(name):
            raise InputError("embeddings", f"{name!r} has no name; compare() takes names and files, and run() all others")
    if ties is None and request.program is not None:
        ties = False
    with Progress(progress, of_comparison) as on_progress:
        found = _dcube.compare(
            text=request.text,
            file=request.file,
            overrides=overrides,
            embeddings=[os.fspath(name) for name in embeddings],
            process_numbers=list(process_numbers or []),
            networks=[networks] if is_name(networks) else list(networks or []),
            failures=list(failures or []),
            seeds=seeds,
            ties=ties,
            explains=why,
            jobs=jobs,
            timeout_s=time_limit_s,
            on_progress=on_progress,
            is_python=request.program is not None,
        )
    return Comparison(found)
