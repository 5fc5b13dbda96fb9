"""What a hop costs on other kinds of networks, beside store and forward with a grid's own routes."""

from harness import run_program, say
from tables import Column, Table, significant, words
from throughput import shape_text

networks_title = "Networks: the CC d-cube algorithm on a torus, random computing times, coroutines"
networks_note = """\
Half of a hop is latency and half its byte. "packets": eight of one byte for each message, first come
first served; "packets_in_turn": round robin. "failed": a link from the start; "faults": the same at an
instant, after which messages go hop by hop."""
networks_columns = (
    Column("machine", "machine", words),
    Column("embedding", "embedding", words),
    Column("network", "network", words),
    Column("ns/hop", "ns_per_hop", significant),
    Column("Mhops/s", "million_per_s", significant),
    Column("of store and forward", "ratio", significant),
)


def measure_network(shape, embedding, network, repeats):
    say(f"networks: {shape_text(shape)} {embedding} {network}")
    case = (shape_text(shape), embedding, "coroutines", "on", "random", "5", network)
    figures = run_program(repeats, "engine_run", *case)
    return {
        "machine": shape_text(shape),
        "embedding": embedding,
        "network": network,
        "ns_per_hop": 1e9 * figures["wall_s"] / figures["hops"],
        "million_per_s": figures["hops"] / figures["wall_s"] / 1e6,
    }


def networks(size, repeats):
    simple = ("store_and_forward", "cut_through", "packets", "packets_in_turn")
    routed = ("random_order", "valiant", "minimal_adaptive", "shortest", "failed", "faults")
    cases = [((64, 64), "standard", simple), ((64, 64), "random", simple + routed)]
    if size != "quick":
        cases.append(((256, 256), "standard", simple))
    records = []
    for shape, embedding, names in cases:
        rows = [measure_network(shape, embedding, name, repeats) for name in names]
        for row in rows:
            row["ratio"] = rows[0]["ns_per_hop"] / row["ns_per_hop"]
        records += rows
    return Table(networks_title, networks_note, networks_columns, records)
