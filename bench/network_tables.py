"""The network core alone: what a hop costs in queues, and where links differ."""

from harness import run_benchmark, say
from tables import Column, Table, percent, readable_bytes, significant, whole, words

contention_title = "Contention: every node sends all its messages at time 0, network core"
contention_note = """\
"waits": mean over all hops, in hops of 1 s; "vs one": the time of a hop against that with one
message a node."""
contention_columns = (
    Column("machine", "machine", words),
    Column("to", "to", words),
    Column("messages", "messages", whole),
    Column("queued", "queued", percent),
    Column("waits", "mean_wait_s", significant),
    Column("Mhops/s", "mhops_per_s", significant),
    Column("ns/hop", "ns_per_hop", significant),
    Column("vs one", "vs_one", significant),
    Column("memory", "peak_memory", readable_bytes),
)

costs_title = "Many costs: random traffic on a 256x256 torus whose links differ, network core"
costs_note = """\
"vs heap": how many times less time a hop takes than with one binary heap of all events."""
costs_columns = (
    Column("load", "load", words),
    Column("under way", "under_way", whole),
    Column("costs", "costs", whole),
    Column("ns/hop", "ns_per_hop", significant),
    Column("heap ns/hop", "heap_ns_per_hop", significant),
    Column("vs heap", "vs_heap", significant),
)


def contention_series(size):
    """Who receives, the side of the torus, and numbers of messages a node, from one on."""
    if size == "quick":
        return [("random", 64, (1, 16)), ("all_to_one", 64, (1, 4))]
    return [
        ("random", 64, (1, 4, 16, 64, 256)),
        ("all_to_one", 64, (1, 4, 16)),
        ("all_to_one", 128, (1, 4, 16)),
    ]


def measure_contention(to, side, messages, repeats):
    say(f"contention: {side}x{side} {to}, messages: {messages}")
    name = f"{to}/side:{side}/messages:{messages}"
    ns_per_hop, counters = run_benchmark("contention_bench", name, repeats)
    figures = {key: counters[key] for key in ("queued", "mean_wait_s", "peak_memory")}
    return figures | {
        "machine": f"{side}x{side}",
        "to": to.replace("_", " "),
        "messages": messages,
        "mhops_per_s": 1e3 / ns_per_hop,
        "ns_per_hop": ns_per_hop,
    }


def contention(size, repeats):
    records = []
    for to, side, counts in contention_series(size):
        series = [measure_contention(to, side, count, repeats) for count in counts]
        for record in series:
            record["vs_one"] = record["ns_per_hop"] / series[0]["ns_per_hop"]
        records += series
    return Table(contention_title, contention_note, contention_columns, records)


messages_under_way = {"sparse": 64, "medium": 16_384, "saturated": 131_072}
links = 4 * 256**2


def measure_costs(load, costs, repeats):
    say(f"many costs: {load}, {costs}")
    name = f"{load}/costs:{costs}"
    network = run_benchmark("hop_costs_bench", f"network/{name}", repeats)[0]
    # It takes so long that its time is steady.
    heap = run_benchmark("hop_costs_bench", f"binary_heap/{name}", 1)[0]
    return {
        "load": load,
        "under_way": messages_under_way[load],
        "costs": costs,
        "ns_per_hop": network,
        "heap_ns_per_hop": heap,
        "vs_heap": heap / network,
    }


def many_costs(size, repeats):
    is_quick = size == "quick"
    loads = ("sparse", "medium") if is_quick else ("sparse", "medium", "saturated")
    counts = (1, 16) if is_quick else (1, 4, 16, 1024, links)
    records = [measure_costs(load, costs, repeats) for load in loads for costs in counts]
    return Table(costs_title, costs_note, costs_columns, records)
