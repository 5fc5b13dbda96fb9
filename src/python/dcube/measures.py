"""Embeddings, measured without a simulation."""

from __future__ import annotations

import functools
import json
import os
from typing import TYPE_CHECKING, Any, Final

from . import _dcube, plotting
from .arguments import checked, is_name
from .documents import embedding_setting, json_text
from .errors import ArgumentError, Error, shown
from .tables import Table, Tabular, datum, frame, time_text

if TYPE_CHECKING:
    from .hints import Array, Embedding, Name, NameOrGroup, Traffic


class Placement(Tabular):
    """An embedding on a machine, measured. `data` is what `dcube embed --json` prints."""

    def __init__(self, text: str, map_: Array) -> None:
        self._text = text
        self.map = map_  #: the node of each process

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        return json.loads(self._text)

    embedding: Final[str] = datum("embedding.kind")
    dilation: Final[dict[str, Any]] = datum(
        "dilation", 'Hops between processes that talk: "average", "longest", "total", "spectrum".'
    )

    @property
    def distances(self) -> Any:
        """Hops between partners in each dimension; None where they are not constant."""
        return self.data["distances"] if self.data.get("constant_distances") else None

    @property
    def spectrum(self) -> Any:
        """How many edges have each dilation: {1: 24, 2: 8}. None of traffic, as are the loads below."""
        found = self.dilation.get("spectrum")
        return None if found is None else {int(hops): edges for hops, edges in found.items()}

    @property
    def link_load(self) -> Any:
        """Messages over a link, one each way of every edge: "min", "max", "average"."""
        return self.data.get("link_load")

    @property
    def node_load(self) -> Any:
        """Those messages that a node forwards: "min", "max", "average"."""
        return self.data.get("node_load")

    @property
    def gonzalez_load(self) -> Any:
        """Loads of "node" and "link" as Table I of [X] counts them: an edge once."""
        return self.data.get("gonzalez_load")

    @property
    def cc(self) -> Any:
        """The CC d-cube algorithm by its recurrence; None where the processes are no cube."""
        return self.data.get("cc")

    @property
    def bound(self) -> Any:
        """What no embedding can beat."""
        return self.data.get("bound")

    def embedding_setting(self) -> dict[str, Any]:
        """What a scenario takes as its embedding."""
        return {"kind": "explicit", "map": self.map.tolist()}

    def to_pandas(self) -> Any:
        """The spectrum."""
        spectrum = self._known_spectrum()
        return frame({"dilation": list(spectrum), "edges": list(spectrum.values())})

    @checked
    def plot(self, kind: str = "embedding", **options: Any) -> Any:
        """A matplotlib figure: "embedding" or "dilation"."""
        scripts = {"embedding": "plot_embedding", "dilation": "plot_dilation"}
        if kind not in scripts:
            raise ArgumentError("kind", f"{shown(kind)} is no picture of an embedding ({', '.join(scripts)})")
        if kind == "dilation":
            self._known_spectrum()
        return plotting.figure(scripts[kind], {"embedding.json": self._text}, **options)

    def _known_spectrum(self) -> dict[int, int]:
        if self.spectrum is None:
            raise Error("traffic has no dilation spectrum (measure a shape: dcube.embed(.., guest=..))")
        return self.spectrum

    def _table(self) -> Table:
        rows = [("embedding", self.embedding)]
        for key, words in (("dilation", "dilation"), ("link_load", "link load"), ("node_load", "node load")):
            found = self.data.get(key)
            if found:
                most = found.get("longest", found.get("max"))
                rows.append((words, f"{found['average']:.4g} on average, {most} at most"))
        if self.distances is not None:
            rows.append(("distances", " ".join(map(str, self.distances))))
        if self.bound:
            rows.append(("bound", f"{self.bound['average_dilation']:.4g} on average"))
        if self.cc:
            rows.append(("CC d-cube", time_text(round(self.cc["makespan_s"] * 1e12))))
        return rows, None, None

    def __repr__(self) -> str:
        return f"<{self.embedding}: {len(self.map):,} processes>"


@checked
def embed(
    machine: NameOrGroup,
    embedding: Embedding = "standard",
    *,
    guest: str | None = None,
    traffic: Traffic | None = None,
    compute: str = "1s",
    hop: str = "1s",
    hosts: Name | None = None,
) -> Placement:
    """Measures an embedding on a machine without simulating.

    machine     a name, a file, a network such as "torus:8x8", or a dict
    embedding   a name, a file, a dict, or the node of every process
    guest       the process topology (guest graph), "mesh:8x8" (default: the largest cube that fits)
    traffic     what processes send each other, measured in place of the shape: a file, or a matrix as of search()
    compute, hop   of the CC d-cube algorithm: of a stage, and of a message over a link
    hosts       what nodes are called in map files: a pattern or a file
    """
    fields = {"guest": guest, "traffic": traffic, "compute": compute, "hop": hop, "hosts": hosts}
    setting = embedding_setting(embedding)
    if is_name(setting):
        fields["embedding"] = os.fspath(setting)
    else:
        fields["embedding_text"] = json_text(setting, "embedding")
    return Placement(*_dcube.embed(fields | machine_fields(machine)))


def machine_fields(machine):
    if is_name(machine):
        return {"machine": os.fspath(machine)}
    return {"machine_text": json_text(machine, "machine")}
