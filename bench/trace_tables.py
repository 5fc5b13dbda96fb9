"""What a trace costs: a whole run without one and with each format."""

import json
import tempfile
from pathlib import Path

from harness import build, run_program, say
from tables import Column, Table, readable_bytes, significant, whole, words

traces_title = "Traces: CC d-cube on a torus, standard embedding, coroutines"
traces_note = """\
Seconds of the whole command. The memory that a trace adds is that of the records being sorted."""
traces_columns = (
    Column("machine", "machine", words),
    Column("trace", "trace", words),
    Column("records", "records", whole),
    Column("s", "wall_s", significant),
    Column("records/s", "records_per_s", whole),
    Column("file", "file_bytes", readable_bytes),
    Column("bytes/record", "bytes_per_record", significant),
    Column("memory", "peak_memory", readable_bytes),
)
traces_sides = {"quick": (64,), "default": (64, 256), "full": (64, 256, 512)}
formats = ("none", "csv", "chrome", "paje")


def scenario(side):
    return {
        "schema_version": 1,
        "machine": {"topology": {"kind": "torus", "shape": [side, side]}, "link": {"latency": "1s"}},
        "embedding": "standard",
        "program": {"kind": "cc_dcube"},
        "execution": "coroutines",
    }


def record_count(file):
    """From the description at the head of a CSV trace."""
    counts = 0
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                return counts
            key, _, value = line[2:].partition(": ")
            counts += int(value) if key in ("intervals", "hops", "messages") else 0
    return counts


def measure_traces(side, repeats, folder):
    source = folder / f"{side}.json"
    source.write_text(json.dumps(scenario(side)), encoding="utf-8")
    records = None
    rows = []
    for name in ("csv", "none", "chrome", "paje"):  # the CSV tells how many records there are
        say(f"traces: {side}x{side} {name}")
        file = folder / f"trace.{name}"
        options = [] if name == "none" else ["--trace", f"{name}:{file}"]
        figures = run_program(repeats, "start_up", build / "dcube", "run", source, "--quiet", *options)
        row = {"machine": f"{side}x{side}", "trace": name, **figures}
        if name == "csv":
            records = record_count(file)
        if options:
            size = file.stat().st_size
            row |= {
                "records": records,
                "records_per_s": records / figures["wall_s"],
                "file_bytes": size,
                "bytes_per_record": size / records,
            }
            file.unlink()
        rows.append(row)
    return sorted(rows, key=lambda row: formats.index(row["trace"]))


def traces(size, repeats):
    with tempfile.TemporaryDirectory(dir=build) as name:
        rows = [
            row
            for side in traces_sides[size]
            for row in measure_traces(side, repeats if side < 256 else 1, Path(name))
        ]
    return Table(traces_title, traces_note, traces_columns, rows)
