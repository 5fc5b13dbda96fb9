"""What a user waits for without a simulation: static metrics, and the start of the program."""

from harness import build, fits, root, run_benchmark, run_program, say
from tables import Column, Table, readable_bytes, significant, words

metrics_title = "Static metrics: a hypercube on a torus"
metrics_note = """\
The metrics of an embedding, and the recurrence that predicts the makespan of CC d-cube."""
metrics_columns = (
    Column("machine", "machine", words),
    Column("embedding", "embedding", words),
    Column("metrics ns/edge", "measure_ns_per_edge", significant),
    Column("ms", "measure_ms", significant),
    Column("memory", "measure_peak_memory", readable_bytes),
    Column("recurrence ns/edge", "predict_ns_per_edge", significant),
    Column("ms", "predict_ms", significant),
    Column("memory", "predict_peak_memory", readable_bytes),
)
metrics_sides = {"quick": (64,), "default": (64, 1024), "full": (64, 1024, 4096)}


def measure_metrics(side, embedding, repeats):
    say(f"static metrics: {side}x{side} {embedding}")
    record = {"machine": f"{side}x{side}", "embedding": embedding}
    for function in ("measure", "predict"):
        name = f"{function}/{embedding}/side:{side}"
        ns_per_edge, counters = run_benchmark("embedding_metrics_bench", name, repeats)
        record[f"{function}_ns_per_edge"] = ns_per_edge
        record[f"{function}_ms"] = 1e-6 * ns_per_edge * counters["edges"]
        record[f"{function}_peak_memory"] = counters["peak_memory"]
    return record


def static_metrics(size, repeats):
    bytes_per_node = 200
    records = [
        measure_metrics(side, embedding, repeats if side <= 1024 else 1)
        for side in metrics_sides[size]
        if fits(side**2 * bytes_per_node, f"static metrics: {side}x{side}")
        for embedding in ("standard", "xor", "random")
    ]
    return Table(metrics_title, metrics_note, metrics_columns, records)


start_up_title = "Start-up: a whole command, 64 processes on an 8x8 torus"
start_up_columns = (
    Column("command", "command", words),
    Column("ms", "wall_ms", significant),
    Column("memory", "peak_memory", readable_bytes),
)


def measure_command(runs, command, *arguments):
    say(f"start-up: dcube {command}")
    figures = run_program(runs, "start_up", build / "dcube", command, *arguments)
    return {
        "command": f"dcube {command}",
        "wall_ms": 1e3 * figures["wall_s"],
        "peak_memory": figures["peak_memory"],
    }


def start_up(size, _repeats):
    runs = 5 if size == "quick" else 20
    records = [
        measure_command(runs, "--version"),
        measure_command(runs, "run", root / "scenarios" / "quickstart.json", "--json"),
    ]
    return Table(start_up_title, f"Median of {runs} runs.", start_up_columns, records)
