"""How fast embeddings are searched: recursive doubling (2^i bytes along dimension i) on a torus."""

from harness import run_benchmark, say
from tables import Column, Table, significant, words

search_title = "Searching: recursive doubling on a torus"
search_note = """\
A move: two nodes, blocks or segments change their processes, the cost follows, every second is taken
back. Scotch: the best of three maps; annealing: 200,000 moves and its start."""
search_columns = (
    Column("machine", "machine", words),
    Column("what", "what", words),
    Column("ns/move", "ns_per_move", significant),
    Column("ms", "ms", significant),
    Column("hops a byte", "hops_a_byte", lambda value: f"{value:.3f}"),
)
objectives = ("hop_bytes", "longest_dilation", "link_load", "cc_time")
annealing_moves = 200_000


def record(side, what, repeats):
    say(f"searching: {side}x{side} {what}")
    name = f"moves/{what}" if what in objectives else what
    ns, counters = run_benchmark("search_bench", f"{name}/side:{side}", repeats)
    figures = {"machine": f"{side}x{side}", "what": what}
    if what in objectives:
        return {**figures, "ns_per_move": ns}
    figures["hops_a_byte"] = counters["hops_a_byte"]
    if what == "annealing":
        return {**figures, "ns_per_move": ns, "ms": 1e-6 * ns * annealing_moves}
    return {**figures, "ms": 1e-6 * ns}


def search(_size, repeats):
    records = [
        record(side, what, repeats)
        for side in (16, 32)
        for what in (*objectives, "weighted_xor", "scotch", "annealing")
    ]
    return Table(search_title, search_note, search_columns, records)
