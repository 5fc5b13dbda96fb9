"""What a message costs by the distance of its partner, and small runs made again and again."""

from harness import run_program, say
from tables import Column, Table, significant, whole, words
from throughput import shape_text

# --- Distances ---

distances_title = "Distances: 16 exchanges with one partner on a torus, standard embedding, coroutines"
distances_note = """\
Good embeddings keep partners near, where what a message costs matters more than what a hop costs."""
distances_columns = (
    Column("machine", "machine", words),
    Column("hops", "hops", whole),
    Column("ns/message", "ns_per_message", significant),
    Column("ns/hop", "ns_per_hop", significant),
)


def per(figures, what):
    return 1e9 * figures["wall_s"] / figures[what]


def measure_distance(shape, dimension, repeats):
    say(f"distances: {shape_text(shape)}, cube dimension {dimension}")
    figures = run_program(
        repeats, "engine_run", shape_text(shape), "standard", "coroutines", "on", dimension, "5"
    )
    return {
        "machine": shape_text(shape),
        "hops": round(figures["hops"] / figures["messages"]),
        "ns_per_message": per(figures, "messages"),
        "ns_per_hop": per(figures, "hops"),
    }


def distances(size, repeats):
    shape = (64, 64) if size == "quick" else (256, 256)
    dimensions = ("0", "2", "4") if size == "quick" else ("0", "2", "4", "6")
    records = [measure_distance(shape, dimension, repeats) for dimension in dimensions]
    return Table(distances_title, distances_note, distances_columns, records)


# --- Repeated runs ---

repeated_title = "Repeated runs: the CC d-cube algorithm in one operating-system process, coroutines"
repeated_note = """\
The fastest of 200 runs. "alone": the only run of its process, most of which sets SimGrid up."""
repeated_columns = (
    Column("machine", "machine", words),
    Column("embedding", "embedding", words),
    Column("us/run", "us_per_run", significant),
    Column("us alone", "us_alone", significant),
    Column("ns/hop", "ns_per_hop", significant),
)


def measure_repeated(shape, embedding, repeats):
    say(f"repeated runs: {shape_text(shape)} {embedding}")
    words_of_case = (shape_text(shape), embedding, "coroutines", "on", "uniform")
    figures = run_program(repeats, "engine_run", *words_of_case, "200")
    alone = run_program(repeats, "engine_run", *words_of_case, "1")
    return {
        "machine": shape_text(shape),
        "embedding": embedding,
        "us_per_run": 1e6 * figures["wall_s"],
        "us_alone": 1e6 * alone["wall_s"],
        "ns_per_hop": per(figures, "hops"),
    }


def repeated_runs(_size, repeats):
    cases = (((8, 8), "xor"), ((16, 16), "standard"), ((64, 64), "standard"))
    records = [measure_repeated(*case, repeats) for case in cases]
    return Table(repeated_title, repeated_note, repeated_columns, records)
