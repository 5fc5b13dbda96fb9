"""Searches for better embeddings."""

import os

from . import _dcube
from .documents import Request, json_text
from .measures import machine_text_or_name
from .progress import Progress, of_search
from .tables import html_table, text_table


class Found:
    """The best map that a search found. Costs are whole numbers: hops, bytes, bytes times hops or
    picoseconds."""

    def __init__(self, objective, found):
        self.objective = objective
        self.map = found["map"]  #: the node of each process
        self.cost = found["cost"]
        self.origin = found["origin"]  #: what made it
        self.method = found["method"]
        self.moves = found["moves"]  #: maps that were tried
        self.starts = found["starts"]  #: the costs of the embeddings that it started from
        self.bounds = found["bounds"]  #: (cost that no map can beat, why), greatest first
        self.is_optimal = found["is_optimal"]  #: it is known that nothing is better
        self.optima = found["optima"]  #: maps of that cost, after an enumeration
        self.is_cut_short = found["is_cut_short"]  #: by its time limit
        self._per = {
            "average-dilation": found["flows"] or 1,
            "hop-bytes": found["bytes"] or 1,
            "cc-time": 10**12,
            "makespan": 10**12,
            "link-time": 10**12,
        }.get(objective, found["scale"])

    @property
    def value(self):
        """The cost as people say it: hops a flow, hops a byte, seconds."""
        return self.cost / self._per

    @property
    def bound(self):
        return self.bounds[0][0] if self.bounds else 0

    @property
    def gap(self):
        """How far the cost is above the bound, as a share of the bound; None where that is 0."""
        return (self.cost - self.bound) / self.bound if self.bound else None

    def embedding_setting(self):
        """What a scenario takes as its embedding; dcube.run(embedding=found) does, too."""
        return {"kind": "explicit", "map": self.map.tolist()}

    def _rows(self):
        rows = [("objective", self.objective), ("found", f"{self.value:.6g}"), ("by", self.origin)]
        if self.bounds:
            rows.append(("bound", f"{self.bound / self._per:.6g} ({self.bounds[0][1]})"))
        rows.append(("optimal", "yes" if self.is_optimal else "not known"))
        rows += [(f"start: {name}", f"{cost / self._per:.6g}") for name, cost in self.starts.items()]
        return rows

    def __repr__(self):
        return f"<{self.objective} {self.value:.6g} by {self.origin}>"

    def __str__(self):
        return text_table(self._rows())

    def _repr_html_(self):
        return html_table(self._rows())


def search(
    scenario=None,
    *,
    machine=None,
    traffic=None,
    weights=None,
    program=None,
    processes=None,
    guest=None,
    embedding=None,
    seed=0,
    set=None,  # noqa: A002  as on the command line
    objective="hop-bytes",
    method="auto",
    effort=None,
    time_limit_s=None,
    jobs=None,
    compute="1s",
    hop="1s",
    only=None,
    avoid=(),
    pins=None,
    progress=None,
):
    """Searches for a good embedding: of a scenario's or a program's traffic, which is recorded in a
    run, or of a shape ("cube:6") or a file on a machine.

    objective     "hop-bytes", "average-dilation", "longest-dilation", "link-load", "link-time",
                  "cc-time", a sum such as "hop-bytes+20%*link-load", or "makespan" (by simulation)
    method        "auto", "annealing", "scotch", "exhaustive", "constant-distances"
    effort        maps that are tried at most
    only, avoid   numbers of the nodes that alone may host processes, and of those that may not
    pins          {process: node}: processes that have to be where they are
    time_limit_s  what is found until then is given; another run may find something else
    jobs          threads for "hop-bytes" and "average-dilation" (default: one a processor); their
                  number changes nothing
    """
    request = None
    if traffic is None:
        changes = {"machine": machine, "embedding": embedding, "seed": None, "execution": None, "set": set}
        request = Request(scenario, changes, program, {"processes": processes, "guest": guest})
    elif scenario is not None or program is not None or machine is None:
        raise TypeError("give either a scenario or a program, or a machine with its traffic")
    text, name = ("", "") if request else machine_text_or_name(machine)
    overrides = list(request.overrides) if request else []
    if request and request.embedding:
        overrides.append(("/embedding", json_text(request.embedding, "embedding")))
    with Progress(progress, of_search) as on_progress:
        found = _dcube.search(
            scenario_text=request.text if request else "",
            scenario_file=request.file if request else "",
            overrides=overrides,
            machine_text=text,
            machine_name=name,
            traffic="" if traffic is None else os.fspath(traffic),
            weights=list(weights) if weights is not None else [],
            objective=objective,
            method=method,
            seed=seed,
            effort=effort,
            time_limit_s=time_limit_s,
            jobs=jobs,
            compute=compute,
            hop=hop,
            only=None if only is None else [int(node) for node in only],
            avoid=[int(node) for node in avoid],
            pins=[(int(process), int(node)) for process, node in (pins or {}).items()],
            on_progress=on_progress,
        )
    return Found(objective, found)
