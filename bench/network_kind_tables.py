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


fabrics_title = "Fabrics: the CC d-cube algorithm with 4,096 processes at random, random computing times, coroutines"
fabrics_note = """\
Processor time of a hop, which other programs on the computer change little, and how many times that of
a hop on the torus it is. Messages with few hops have more of the work of leaving and arriving in each."""
fabrics_columns = (
    Column("machine", "machine", words),
    Column("routing", "routing", words),
    Column("hops/message", "hops_per_message", significant),
    Column("ns/hop", "ns_per_hop", significant),
    Column("of the torus", "ratio", significant),
)
fabric_cases = (
    ("16x16x16", "16x16x16", ("store_and_forward",)),
    ("fat tree", "fat_tree,down=[16,16,16],up=[1,16,16]", ("store_and_forward", "ecmp")),
    ("dragonfly", "dragonfly,p=4,a=16,h=4,g=64", ("store_and_forward", "valiant_group", "ugal")),
    ("hyperx", "hyperx,shape=[8,8,8],p=8", ("store_and_forward",)),
    ("slim fly", "slim_fly,q=13,p=13", ("store_and_forward",)),
)
own_routes = {"16x16x16": "dimension_order", "fat tree": "d_mod_k", "dragonfly": "minimal", "slim fly": "shortest"}


def fabrics(size, repeats):
    del size
    records = []
    for machine, network, routings in fabric_cases:
        for routing in routings:
            is_own = routing == "store_and_forward"
            name = own_routes.get(machine, "dimension_order") if is_own else routing
            say(f"fabrics: {machine} {name}")
            figures = run_program(repeats, "engine_run", network, "random", "coroutines", "on", "random", "5", routing)
            records.append(
                {
                    "machine": machine,
                    "routing": name,
                    "hops_per_message": figures["hops"] / figures["messages"],
                    "ns_per_hop": 1e9 * figures["cpu_s"] / figures["hops"],
                }
            )
            records[-1]["ratio"] = records[-1]["ns_per_hop"] / records[0]["ns_per_hop"]
    return Table(fabrics_title, fabrics_note, fabrics_columns, records)
