"""The CC d-cube algorithm on tori of many sizes: network core, whole runs, baseline and floor."""

import math
from collections import namedtuple

from harness import BenchError, fits, run_benchmark, run_program, say
from tables import Column, Table, readable_bytes, significant, words

title = "Throughput: the CC d-cube algorithm on a torus, hops of 1 s"
note = """\
The network core runs alone; coroutines and actors are whole simulations; s4u is the baseline
written by hand. "vs s4u": how many times less time a hop takes than in the baseline on 64x64,
standard embedding, same compute times. "vs floor": how many times more than the memory traffic of
a hop. Times include building the simulated machine; of every memory, 30 MB are the libraries."""

columns = (
    Column("machine", "machine", words),
    Column("embedding", "embedding", words),
    Column("variant", "variant", words),
    Column("Mhops/s", "mhops_per_s", significant),
    Column("ns/hop", "ns_per_hop", significant),
    Column("vs s4u", "vs_s4u", significant),
    Column("vs floor", "vs_floor", significant),
    Column("memory", "peak_memory", readable_bytes),
)

baseline_shape = (64, 64)
largest_repeated = (256, 256)
million_nodes = (1024, 1024)
largest_shape = (256, 256, 128)

# Of a process with its share of the machine; most of an actor is its stack.
bytes_per_process = {"actors": 14_000, "coroutines": 700, "core": 400, "s4u": 110_000}

Case = namedtuple("Case", "shape embedding engine contention compute")
Measurement = namedtuple("Measurement", "ns_per_hop makespan_s peak_memory")


def shape_text(shape):
    return "x".join(map(str, shape))


def shapes(size):
    chosen = [(16, 16), (64, 64)]
    if size != "quick":
        chosen += [(128, 128), (256, 256)]
    if size == "full":
        chosen += [(512, 512), million_nodes, largest_shape]
    return chosen


def cases_of(shape):
    """What to run on one machine; the baseline first, because ratios need it."""
    if shape <= baseline_shape:
        yield Case(shape, "standard", "s4u", "on", "uniform")
        yield Case(shape, "standard", "s4u", "on", "random")
    for embedding in ("standard", "xor", "random"):
        yield Case(shape, embedding, "core", "on", "uniform")
        yield Case(shape, embedding, "core", "off", "uniform")
        for engine in ("coroutines", "actors"):
            yield Case(shape, embedding, engine, "on", "uniform")
            yield Case(shape, embedding, engine, "off", "uniform")
            yield Case(shape, embedding, engine, "on", "random")


def takes_minutes(case):
    """Whether it is left out: on the largest machines only some runs are worth the time."""
    variation = (case.embedding, case.contention, case.compute)
    is_plain = variation == ("standard", "on", "uniform")
    if case.shape == largest_shape:
        return not is_plain or case.engine != "coroutines"
    if case.engine == "actors" and case.shape > largest_repeated:
        return not is_plain
    return case.embedding == "random" and case.shape > largest_repeated


def variant(case):
    parts = [case.engine]
    if case.contention == "off":
        parts.append("no contention")
    if case.compute == "random":
        parts.append("random compute")
    return ", ".join(parts)


def measure_core(case, repeats):
    name = f"cc_traffic/{case.embedding}_{case.contention}/side:{case.shape[0]}"
    ns_per_hop, counters = run_benchmark("network_bench", name, repeats)
    return Measurement(ns_per_hop, counters["makespan_s"], counters["peak_memory"])


def measure_engine(shape, embedding, engine, contention, compute, repeats=1):
    figures = run_program(
        repeats, "engine_run", shape_text(shape), embedding, engine, contention, compute, "1"
    )
    return of_program(figures)


def of_program(figures):
    return Measurement(
        1e9 * figures["wall_s"] / figures["hops"], figures["makespan_s"], figures["peak_memory"]
    )


def measure(case, repeats):
    if case.engine == "s4u":
        # One run takes as long as all others on the machine together.
        return of_program(run_program(1, "s4u_relay", str(case.shape[0]), case.compute))
    if case.shape > largest_repeated:
        repeats = 1
    if case.engine == "core":
        return measure_core(case, repeats)
    return measure_engine(*case, repeats)


def same_scenario(case):
    """What must not change the makespan left out."""
    return case._replace(engine=None)


def check_makespan(makespan_s, reference):
    # The hand-written version computes in floating point.
    if abs(makespan_s - reference.makespan_s) > 1e-9 * reference.makespan_s:
        raise BenchError(f"makespan {makespan_s} s, but elsewhere {reference.makespan_s} s")


def measure_all(chosen, repeats):
    results = {}
    makespans = {}
    cases = [case for shape in chosen for case in cases_of(shape) if not takes_minutes(case)]
    for case in cases:
        what = f"{shape_text(case.shape)} {case.embedding}, {variant(case)}"
        if not fits(math.prod(case.shape) * bytes_per_process[case.engine], what):
            continue
        say(what)
        result = measure(case, repeats)
        check_makespan(result.makespan_s, makespans.setdefault(same_scenario(case), result))
        results[case] = result
    return results


def measure_floor(shape, repeats):
    """Nanoseconds of a hop's memory traffic."""
    name = f"memory_of_hops/nodes:{math.prod(shape)}"
    return run_benchmark("memory_floor_bench", name, repeats)[0]


def floor_record(shape, ns_per_hop):
    return {
        "machine": shape_text(shape),
        "variant": "floor",
        "mhops_per_s": 1e3 / ns_per_hop,
        "ns_per_hop": ns_per_hop,
        "vs_floor": 1,
    }


def record(case, result, baseline, floor):
    return {
        "machine": shape_text(case.shape),
        "embedding": case.embedding,
        "variant": variant(case),
        "mhops_per_s": 1e3 / result.ns_per_hop,
        "ns_per_hop": result.ns_per_hop,
        "vs_s4u": baseline.ns_per_hop / result.ns_per_hop if baseline else None,
        "vs_floor": result.ns_per_hop / floor,
        "peak_memory": result.peak_memory,
        "makespan_s": result.makespan_s,
    }


def throughput(size, repeats):
    chosen = shapes(size)
    floors = {shape: measure_floor(shape, repeats) for shape in chosen}
    results = measure_all(chosen, repeats)
    records = [floor_record(*item) for item in floors.items()]
    for case, result in results.items():
        baseline = results.get(Case(baseline_shape, "standard", "s4u", "on", case.compute))
        records.append(record(case, result, baseline, floors[case.shape]))
    return Table(title, note, columns, records)
