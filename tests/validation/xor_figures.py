#!/usr/bin/env python3
"""Derives the figures of validation/xor.json anew, without dcube.

    xor_figures.py PROGRAM ROOT

Places processes by the definitions of the paper, walks every route, and simulates messages that queue
for links. Each figure must be what PROGRAM computes or simulates, and what the file prints. Figures of
drawn computing times are left out. Also looks at every embedding of a cube with
constant distances on rings of up to 16 nodes, for what the lemmas of the paper say about them.
"""

import collections
import functools
import heapq
import itertools
import json
import math
import pathlib
import subprocess
import sys


def log2(number):
    return number.bit_length() - 1


# --- Machines and embeddings: one coordinate at a time ---


def sides_of(topology):
    """Sides, and whether they wrap around."""
    kind = topology["kind"]
    if kind == "hypercube":
        return [2] * topology["dimensions"], False
    return topology.get("shape") or [topology["nodes"]], kind in ("ring", "torus")


def steps(a, b, k, wraps):
    """The places from a to b, both included; half way round not over the wrap-around link."""
    goes_round = wraps and k > 2 and abs(a - b) > k - abs(a - b)
    step = (1 if b > a else -1) * (-1 if goes_round else 1)
    places = [a]
    while places[-1] != b:
        places.append((places[-1] + step) % k)
    return places


@functools.lru_cache(maxsize=None)
def place_in_side(name, k):
    """The place of every coordinate of a process label in one side."""
    d = log2(k)
    if name in ("standard", "identity"):
        return list(range(k))
    if name == "by_weight":
        order = sorted(range(k), key=lambda label: (bin(label).count("1"), -label))
        return [order.index(label) for label in range(k)]
    if name == "gray":
        order = [i ^ i >> 1 for i in range(k)]
        return [order.index(label) for label in range(k)]
    assert name == "xor"
    return [n ^ (n >> d - 1) << d - 2 if d >= 2 else n for n in range(k)]


@functools.lru_cache(maxsize=None)
def measured_side(name, k, wraps):
    """Distances [dimension][label], and how many edges pass through each place."""
    place, d = place_in_side(name, k), log2(k)
    distances, load = [[0] * k for _ in range(d)], [0] * k
    for i in range(d):
        for n in range(k):
            if not n >> i & 1:
                path = steps(place[n], place[n | 1 << i], k, wraps)
                distances[i][n] = distances[i][n | 1 << i] = len(path) - 1
                for passed in path[1:-1]:
                    load[passed] += 1
    return distances, load


class Placed:
    """An embedding of a cube that fills a machine. A cube edge changes one coordinate only."""

    def __init__(self, scenario):
        self.sides, self.wraps = sides_of(scenario["machine"]["topology"])
        self.name = scenario["embedding"]
        self.count = math.prod(self.sides)
        self.d = log2(self.count)
        self.parts = [measured_side(self.name, k, self.wraps) for k in self.sides]

    def spectrum(self):
        edges = collections.Counter()
        for k, (distances, _) in zip(self.sides, self.parts):
            for row in distances:
                for distance in row:
                    edges[distance] += self.count // k
        return {distance: ends // 2 for distance, ends in edges.items()}

    def total(self):
        return sum(distance * edges for distance, edges in self.spectrum().items())

    def average(self):
        return self.total() / (self.d * self.count / 2)

    def distances(self):
        """Of every cube dimension; nothing where they differ between processes."""
        rows = [row for distances, _ in self.parts for row in distances]
        return [row[0] for row in rows] if all(len(set(row)) == 1 for row in rows) else None

    def load(self, which):
        of_side = {"min": min, "max": max, "average": lambda loads: sum(loads) / len(loads)}[which]
        return sum(of_side(load) for _, load in self.parts)

    def coordinates(self, process):
        place = []
        for k in self.sides:
            place.append(place_in_side(self.name, k)[process % k])
            process //= k
        return place

    def node(self, coordinates):
        node = 0
        for k, coordinate in zip(reversed(self.sides), reversed(coordinates)):
            node = node * k + coordinate
        return node

    def route(self, source, target):
        """Nodes from process to process, first dimension first."""
        here, there = self.coordinates(source), self.coordinates(target)
        nodes = [self.node(here)]
        for j, k in enumerate(self.sides):
            for place in steps(here[j], there[j], k, self.wraps)[1:]:
                here[j] = place
                nodes.append(self.node(here))
        return nodes

    def links(self):
        if self.count == 2 ** len(self.sides):
            return self.d * self.count // 2
        return sum(self.count // k * (k if self.wraps and k > 2 else k - 1) for k in self.sides)


# --- Runs: messages that queue for directed links ---


class Network:
    """Links carry one message at a time, first come first served; at one instant the lower source
    and its earlier message go first."""

    def __init__(self, hop, queues=True):
        self.hop, self.queues = hop, queues
        self.events, self.waiting, self.free = [], collections.defaultdict(list), {}
        self.queued, self.queued_s, self.hops = 0, 0, 0
        self.forwarded = collections.Counter()

    def send(self, now, route, source, number, arrived):
        heapq.heappush(self.events, (now, source, number, 0, route, arrived))

    def run(self):
        """Until nothing is on its way; returns the last arrival."""
        now = 0
        while self.events or any(self.waiting.values()):
            times = [self.events[0][0]] if self.events else []
            times += [max(self.free.get(link, 0), queue[0][0]) for link, queue in self.waiting.items() if queue]
            now = min(times)
            while self.events and self.events[0][0] == now:
                _, source, number, at, route, arrived = heapq.heappop(self.events)
                if at + 1 == len(route):
                    arrived(now)
                    continue
                if at > 0:
                    self.forwarded[route[at]] += 1
                link = route[at], route[at + 1]
                heapq.heappush(self.waiting[link], (now, source, number, at, route, arrived))
            self.serve(now)
        return now

    def serve(self, now):
        for link, queue in self.waiting.items():
            while queue and (not self.queues or self.free.get(link, 0) <= now):
                since, source, number, at, route, arrived = heapq.heappop(queue)
                self.queued += since < now
                self.queued_s += now - since
                self.hops += 1
                self.free[link] = now + self.hop
                heapq.heappush(self.events, (now + self.hop, source, number, at + 1, route, arrived))


class CcRun:
    """The CC d-cube algorithm: in stage i compute, then exchange with the neighbour in dimension i
    as soon as both are ready."""

    def __init__(self, placed, compute, hop, queues):
        self.placed, self.compute = placed, compute
        self.network = Network(hop, queues)
        self.ready, self.received = {}, collections.Counter()
        self.waits = [[0] * placed.count for _ in range(placed.d)]
        self.ends = [0] * placed.d
        for process in range(placed.count):
            self.reach(process, 0, compute)
        self.makespan = max(self.network.run(), placed.d * compute)

    def reach(self, process, stage, time):
        """The process is ready to exchange. An instant to come is a message that is on its way."""
        if time > 0:
            self.network.send(time, [None], process, stage, lambda now: self.meet(process, stage, now))
        else:
            self.meet(process, stage, time)

    def meet(self, process, stage, now):
        partner = process ^ 1 << stage
        self.ready[process, stage] = now
        if (partner, stage) in self.ready:
            self.waits[stage][partner] = now - self.ready[partner, stage]
            for source, target in ((process, partner), (partner, process)):
                route = self.placed.route(source, target)
                self.network.send(now, route, source, stage, lambda t, p=target, s=stage: self.end(p, s, t))

    def end(self, process, stage, now):
        self.ends[stage] = max(self.ends[stage], now)
        if stage + 1 < self.placed.d:
            self.reach(process, stage + 1, now + self.compute)


def all_at_once(placed, hop):
    network = Network(hop)
    for process in range(placed.count):
        for i in range(placed.d):
            network.send(0, placed.route(process, process ^ 1 << i), process, i, lambda now: None)
    return network, network.run()


def seconds(duration):
    return float(duration.removesuffix("s"))


# --- Figures ---


def measured(scenario, pointer):
    """A number out of what `dcube embed --json` prints."""
    placed = Placed(scenario)
    part, *rest = pointer.split("/")[1:]
    if pointer == "/machine/links":
        return placed.links()
    if pointer == "/bound/average_dilation":  # the least that the paper proves or quotes
        least = [k - 1 if not placed.wraps or k == 2 else 3 * k // 4 - 1 for k in placed.sides]
        return sum(least) / placed.d
    if part == "map":
        return placed.route(int(rest[0]), int(rest[0]))[0]
    if part == "distances":
        return placed.distances()[int(rest[0])]
    if part == "constant_distances":
        return placed.distances() is not None
    if part == "gonzalez_load":
        assert rest[0] == "node", pointer
        return placed.load(rest[1])
    assert part == "dilation", pointer
    if rest[0] == "spectrum":
        return placed.spectrum()[int(rest[1])]
    return {"longest": lambda: max(placed.spectrum()), "total": placed.total, "average": placed.average}[rest[0]]()


def run_of_cc(scenario):
    """Constant distances make a large run simple: nobody waits and nothing queues."""
    placed, program, link = Placed(scenario), scenario["program"], scenario["machine"]["link"]
    compute, hop = seconds(program.get("compute", "1s")), seconds(link["latency"])
    distances = placed.distances()
    if distances is not None and placed.count > 64:
        return {
            "/makespan_s": placed.d * compute + hop * sum(distances),
            "/messages/hops": 2 * placed.total(),
            "/messages/queued": 0,
            "/time_s/waiting/total": 0,
            "/node_load/min": 2 * placed.load("min"),
            "/node_load/max": 2 * placed.load("max"),
        }
    run = CcRun(placed, compute, hop, link.get("contention", True))
    loads = [run.network.forwarded[node] for node in range(placed.count)]
    waits = [wait for stage in run.waits for wait in stage if wait > 0]
    figures = {
        "/makespan_s": run.makespan,
        "/messages/hops": run.network.hops,
        "/messages/queued": run.network.queued,
        "/time_s/waiting/total": sum(waits),
        "/waiting/intervals": len(waits),
        "/waiting/processes": sum(any(waits) for waits in zip(*run.waits)),
        "/waiting/longest_s": max(waits, default=0),
        "/node_load/min": min(loads),
        "/node_load/max": max(loads),
    }
    for i in range(placed.d):
        figures[f"/stages/{i}/finish_max_s"] = run.ends[i]
        figures[f"/stages/{i}/waiting_total_s"] = sum(run.waits[i])
        lengths = [len(placed.route(n, n ^ 1 << i)) - 1 for n in range(placed.count)]
        figures[f"/stages/{i}/dilation_max"] = max(lengths)
    return figures


def run_of_pattern(scenario):
    placed, hop = Placed(scenario), seconds(scenario["machine"]["link"]["latency"])
    (phase,) = scenario["program"]["phases"]
    if "exchange" in phase:
        network, makespan = all_at_once(placed, hop)
        return {
            "/makespan_s": makespan,
            "/messages/queued": network.queued,
            "/messages/queued_s": network.queued_s,
        }
    passed = collections.Counter()
    for message in phase["messages"]:
        passed.update(placed.route(message["from"], message["to"])[1:-1])
    return {f"/node_loads/{node}": passed[node] for node in range(placed.count)}


def run_of_others(scenario):
    """Exchanges in each dimension of an FFT, and of a bitonic sort: d - j of them in dimension j."""
    placed = Placed(scenario)
    sorts = scenario["program"]["kind"] == "bitonic_sort"
    hops = sum((placed.d - j if sorts else 1) * distance for j, distance in enumerate(placed.distances()))
    return {"/messages/hops": hops * placed.count}


RUNS = {"cc_dcube": run_of_cc, "pattern": run_of_pattern, "fft": run_of_others, "bitonic_sort": run_of_others}


@functools.lru_cache(maxsize=None)
def run_of(document):
    scenario = json.loads(document)
    return RUNS[scenario["program"]["kind"]](scenario)


def number_of(quantity, pointer, scenario):
    if quantity.startswith("embed_"):
        return measured(scenario, pointer)
    return run_of(json.dumps(scenario))["/makespan_s" if quantity == "makespan_s" else pointer]


def with_settings(scenario, settings):
    scenario = json.loads(json.dumps(scenario))
    for pointer, value in settings.items():
        *path, key = pointer.split("/")[1:]
        functools.reduce(lambda group, name: group[name], path, scenario)[key] = value
    return scenario


def derived(experiment, point):
    """The figure; nothing where computing times are drawn."""
    scenario = with_settings(experiment["scenario"], point.get("set", {}))
    if isinstance(scenario["program"].get("compute"), dict):
        return None
    quantity, pointer = experiment["quantity"], point.get("pointer", experiment.get("pointer"))
    figure = number_of(quantity, pointer, scenario)
    if "baseline" in experiment:
        figure /= number_of(quantity, pointer, with_settings(scenario, experiment["baseline"]))
    return figure


def complaints_about(experiment, results):
    for point, result in zip(experiment["points"], results["points"], strict=True):
        figure = derived(experiment, point)
        printed = point.get("printed", point.get("expected"))
        if figure is None:
            continue
        if not math.isclose(figure, result["simulated"], rel_tol=1e-12):
            yield f"{experiment['name']}: {point['label']}: derived {figure}, but dcube has {result['simulated']}"
        if isinstance(printed, list):
            is_right = printed[0] <= figure <= printed[1]
        else:
            is_right = abs(figure - printed) <= abs(printed) * max(experiment["limit_percent"] / 100, 1e-9)
        if not is_right:
            yield f"{experiment['name']}: {point['label']}: derived {figure}, but the file has {printed}"


# --- Section V: all embeddings with constant distances on small rings ---


def embeddings(distances):
    """All bijections from a cube to a ring with these distances that put process 0 on node 0."""
    d, size = len(distances), 2 ** len(distances)
    places, taken = [0] * size, {0}

    def place(n):
        if n == size:
            yield list(places)
            return
        allowed = None
        for i in range(d):
            if n >> i & 1:
                near = {(places[n ^ 1 << i] + s * distances[i]) % size for s in (1, -1)}
                allowed = near if allowed is None else allowed & near
        for node in allowed - taken:
            places[n] = node
            taken.add(node)
            yield from place(n + 1)
            taken.remove(node)

    return place(1)


def check_corollary_7(places, n, short, distances):
    """From a node whose short neighbours are all clockwise, all ways over them are."""
    for length in range(len(short) + 1):
        for ways in itertools.combinations(short, length):
            target = functools.reduce(lambda node, i: node ^ 1 << i, ways, n)
            moved = sum(distances[i] for i in ways)
            assert places[target] == (places[n] + moved) % len(places), f"Corollary 7: {distances}"


def check_lemmas(d):
    """Returns how many embeddings there are. They are the same in any order of the dimensions."""
    size, quarter, half = 2**d, 2**d // 4, 2 ** (d - 1)
    count, sums = 0, set()
    for distances in itertools.combinations_with_replacement(range(1, half + 1), d):
        short = [i for i in range(d) if distances[i] < quarter]
        found = 0
        for places in embeddings(distances):
            found += 1
            clockwise = [
                {i for i in short if places[n ^ 1 << i] == (places[n] + distances[i]) % size} for n in range(size)
            ]
            assert any(len(c) == len(short) for c in clockwise), f"Lemma 4: {distances}"
            for n in range(size):
                if len(clockwise[n]) == len(short):
                    check_corollary_7(places, n, short, distances)
                for j in set(short) - clockwise[n]:
                    assert clockwise[n] | {j} <= clockwise[n ^ 1 << j], f"Lemma 3: {distances}"
        if found:
            assert sum(distances[:-1]) >= half - 1, f"Lemma 1: {distances}"
            for a, b in itertools.pairwise(distances):
                assert a != b or (a - quarter) % half == 0, f"Lemma 2: {distances}"
            assert distances[-1] >= quarter or sum(distances) >= size - 1, f"Lemma 8: {distances}"
            sums.add(sum(distances))
        count += found
    assert min(sums) == 3 * quarter - 1, "Theorem 10"
    for nodes in itertools.combinations(range(size), half):
        apart = max(min(b - a, size - b + a) for a, b in itertools.combinations(nodes, 2))
        assert apart >= half - 1, "proof of Lemma 1"
    return count


def main():
    program, root = sys.argv[1:]
    file = pathlib.Path(root) / "validation/xor.json"
    done = subprocess.run([program, "reproduce", file, "--json"], stdout=subprocess.PIPE, check=True)
    pairs = zip(json.loads(file.read_text())["experiments"], json.loads(done.stdout)["experiments"], strict=True)
    wrong = [line for experiment, results in pairs for line in complaints_about(experiment, results)]
    for line in wrong:
        print(line)
    print(", ".join(f"{check_lemmas(d)} embeddings with constant distances on a ring of {2**d}" for d in (2, 3, 4)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
