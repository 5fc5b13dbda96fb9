"""Processes: what they cost to block and wake, what to send messages, and their memory."""

import math

from harness import fits, run_benchmark, run_program, say
from tables import Column, Table, readable_bytes, significant, whole, words
from throughput import bytes_per_process, measure_engine, shape_text

# --- Block and wake ---

wake_title = "Block and wake: all processes, over and over, SimGrid alone"
wake_note = """\
"vs suspend": how many times less time than with actors. Coroutines are resumed by one actor."""
wake_columns = (
    Column("processes", "processes", whole),
    Column("as", "kind", words),
    Column("ns/wake", "ns_per_wake", significant),
    Column("vs suspend", "vs_suspend", significant),
    Column("bytes each", "bytes_each", whole),
)
kinds = {"suspend": "actors, suspend and resume", "coroutine": "coroutines"}


def measure_wakes(count, kind, repeats):
    say(f"block and wake: {count} {kinds[kind]}")
    figures = run_program(repeats, "block_and_wake", str(count), kind)
    return {
        "processes": count,
        "kind": kinds[kind],
        "ns_per_wake": 1e9 * figures["wall_s"] / figures["wakes"],
        "bytes_each": figures["bytes_each"],
    }


def block_and_wake(size, repeats):
    records = []
    for count in (1024,) if size == "quick" else (1024, 65_536):
        if fits(count * bytes_per_process["actors"], f"block and wake of {count}"):
            pair = [measure_wakes(count, kind, repeats) for kind in kinds]
            for record in pair:
                record["vs_suspend"] = pair[0]["ns_per_wake"] / record["ns_per_wake"]
            records += pair
    return Table(wake_title, wake_note, wake_columns, records)


# --- Messages ---

messages_title = "Messages: 64 processes on an 8x8 torus, without SimGrid"
messages_note = """\
Each sends to its neighbour, or all to one process. "bytes each": of a message under way."""
messages_columns = (
    Column("messages are", "program", words),
    Column("sent by each", "sent_by_each", whole),
    Column("messages", "messages", whole),
    Column("ns/message", "ns_per_message", significant),
    Column("bytes each", "bytes_each", whole),
    Column("memory", "peak_memory", readable_bytes),
)
message_programs = {
    "take_each": "taken as they come",
    "send_first": "all sent first",
    "all_to_one": "all to one, last first",
}
most_seconds = 60


def measure_messages(program, count, repeats):
    say(f"messages: {message_programs[program]}, {count}")
    name = f"measure/{program}/messages:{count}"
    ns_per_message, counters = run_benchmark("messages_bench", name, repeats)
    are_all_under_way = program != "take_each"
    total = counters["messages"]
    return {
        "program": message_programs[program],
        "sent_by_each": count,
        "messages": total,
        "ns_per_message": ns_per_message,
        "bytes_each": counters["memory_taken"] / total if are_all_under_way else None,
        "peak_memory": counters["peak_memory"],
    }


def message_series(program, counts, repeats):
    """More and more messages, each time ten times as many: a hundred times the time at worst."""
    series = []
    for count in counts:
        worst = 100e-9 * series[-1]["ns_per_message"] * series[-1]["messages"] if series else 0
        if worst > most_seconds:
            say(f"skipped, could take {worst:.0f} s: {message_programs[program]}, {count}")
            break
        series.append(measure_messages(program, count, repeats))
    return series


def messages(size, repeats):
    counts = (100, 1000) if size == "quick" else (100, 1000, 10_000, 100_000)
    series = [message_series(program, counts, repeats) for program in message_programs]
    return Table(messages_title, messages_note, messages_columns, sum(series, []))


# --- Memory ---

memory_title = "Memory: what one more takes, at the peak of a run"
memory_note = """\
Processes of the CC d-cube algorithm, each with its node and links, standard embedding."""
memory_columns = (
    Column("one more", "what", words),
    Column("between", "between", words),
    Column("bytes", "bytes_each", whole),
)


def process_memory(engine, smaller, larger):
    """By the difference of two runs: one process, its node and its links."""
    between = f"{shape_text(smaller)} and {shape_text(larger)}"
    record = {"what": f"process, {engine}", "between": between}
    if fits(math.prod(larger) * bytes_per_process[engine], f"memory: {between}, {engine}"):
        say(f"memory: {between}, {engine}")
        less, more = (
            measure_engine(shape, "standard", engine, "on", "uniform").peak_memory
            for shape in (smaller, larger)
        )
        record["bytes_each"] = (more - less) / (math.prod(larger) - math.prod(smaller))
    return record


def message_memory():
    record = measure_messages("send_first", 10_000, 1)
    between = f"none and {whole(record['messages'])} messages"
    return {"what": "message under way", "between": between, "bytes_each": record["bytes_each"]}


def memory(size, _repeats):
    large, huge = (256, 256), (1024, 1024)
    pairs = [("coroutines", (64, 64), large), ("actors", (128, 128), large)]
    if size != "quick":
        pairs.append(("coroutines", large, huge))
    if size == "full":
        pairs.append(("actors", large, huge))
    records = [process_memory(*pair) for pair in pairs] + [message_memory()]
    return Table(memory_title, memory_note, memory_columns, records)
