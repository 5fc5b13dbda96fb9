"""What no map can beat, from definitions: every kind of evidence in the table."""

import hashlib
import itertools
import json
import lzma
import math
import sys
from fractions import Fraction
from math import ceil
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "scripts"))

from certificates.exact_cosines import BITS  # noqa: E402
from certificates.exhaustive import check_exhaustive  # noqa: E402
from certificates.machine import Wrong, require  # noqa: E402
from certificates.semidefinite import Lagrangian, check_semidefinite, unit_of  # noqa: E402


def weights_by_process(problem):
    """Of every process the weights of its pairs, both directions together."""
    pairs = {}
    for (a, b), size in problem.weights.items():
        pair = (min(a, b), max(a, b))
        pairs[pair] = pairs.get(pair, 0) + size
    found = [[] for _ in range(problem.processes)]
    for (a, b), weight in pairs.items():
        found[a].append(weight)
        found[b].append(weight)
    return found


def nearest_slots(machine):
    """Distances to the other slots, nearest first, the least that any node has."""
    return numpy.repeat(numpy.sort(machine.distance, axis=1), machine.slots, axis=1).min(axis=0)[1:].tolist()


def degree(problem):
    """Partners of a process are on different slots, the heaviest nearest. A pair has two ends."""
    require(problem.objective in ("hop-bytes", "average-dilation"), "degree bounds sums")
    near = nearest_slots(problem.machine)
    total = 0
    for weights in weights_by_process(problem):
        total += sum(w * d for w, d in zip(sorted(weights, reverse=True), near))
    return -(-total // 2)


def densest(weights, most):
    """[k] the weight of all pairs among k processes, at most."""
    heaviest = -numpy.sort(-weights, axis=1)
    sums = [0, 0, int(weights.max())]
    for size in range(3, most + 1):
        # Each pair is in all but two of the sets of one less.
        least = sums[-1] * size // (size - 2)
        own = numpy.sort(heaviest[:, : size - 1].sum(axis=1))[::-1]
        least = min(least, int(own[:size].sum()) // 2)
        if size <= 4:
            least = min(least, densest_of_all(weights, size))
        sums.append(least)
    return sums


def densest_of_all(weights, size):
    """Of all sets of three or four."""
    apart = numpy.where(numpy.eye(len(weights), dtype=bool), -(2**40), 0)
    most = 0
    for a, b in itertools.combinations(range(len(weights)), 2):
        joined = weights[a] + weights[b] + apart[a] + apart[b]
        rest = joined if size == 3 else joined[:, None] + joined[None, :] + weights + apart
        most = max(most, int(weights[a, b] + rest.max()))
    return most


def groups(problem):
    """For each length, the pairs farther apart: all but those inside groups of slots within it of each other."""
    require(problem.objective in ("hop-bytes", "average-dilation"), "groups bound sums")
    weights = numpy.zeros((problem.processes, problem.processes), dtype=numpy.int64)
    for (a, b), size in problem.weights.items():
        weights[a, b] += size
        weights[b, a] += size
    lightest = numpy.sort(weights, axis=1)
    distance, slots, total = problem.machine.distance, problem.machine.slots, int(weights.sum()) // 2
    known, least = [0], 0
    for near, far in itertools.pairwise(sorted(set(distance.ravel().tolist()))):
        within = distance <= near
        beyond = int(lightest[:, : max(0, problem.processes - int(within.sum(axis=1).max()) * slots)].sum())
        farther = -(-beyond // 2)
        joined = within
        while (joined @ joined > joined).any():
            joined = joined @ joined
        group = int(joined.sum(axis=1).max()) * slots
        if group < problem.processes:
            known = known if len(known) > group else densest(weights, group)
            inside = [0]
            for count in range(1, problem.processes + 1):
                inside.append(max(inside[count - k] + known[k] for k in range(1, min(group, count) + 1)))
            farther = max(farther, total - inside[-1])
        least += (far - near) * farther
    return least


def growth(problem):
    """The processes within t steps of one are within L t hops."""
    require(problem.objective == "longest-dilation", "growth bounds the longest dilation")
    partners = [set() for _ in range(problem.processes)]
    for a, b in problem.flows:
        partners[a].add(b)
        partners[b].add(a)
    distance = problem.machine.distance
    room = [int((distance <= r).sum(axis=1).max()) * problem.machine.slots for r in range(distance.max() + 1)]
    least = 1 if problem.machine.slots < 2 and problem.flows else 0
    for start in range(problem.processes):
        reached, wave, steps = {start}, {start}, 0
        while wave:
            wave = set().union(*(partners[p] for p in wave)) - reached
            reached |= wave
            steps += 1
            while room[min(least * steps, len(room) - 1)] < len(reached):
                least += 1
    return least


def node(problem):
    """What a process sends or receives crosses the links of its node, each flow one of them."""
    require(problem.objective == "link-load" and problem.machine.slots == 1, "node bounds the link load")
    links = int((problem.machine.distance == 1).sum(axis=1).max())
    most = 0
    for end in (0, 1):
        sizes = [[] for _ in range(problem.processes)]
        for flow, size in problem.flows.items():
            sizes[flow[end]].append(size)
        for own in sizes:
            own.sort(reverse=True)
            most = max(most, -(-sum(own) // links))
            for k in range(1 + (len(own) - 1) // links if own else 0):
                most = max(most, sum(own[k * links - k : k * links + 1]))
    return most


def mean(problem, hop_bytes):
    """The least hop-bytes over all links, of which each carries whole flows: the least sum of these that is no less."""
    require(problem.objective == "link-load", "a mean bounds the link load")
    unit = math.gcd(*problem.flows.values())
    load = -(-hop_bytes // (problem.machine.links * unit))
    sums = 1  # a bit for each, in units
    for size in problem.flows.values():
        sums |= sums << size // unit
    sums >>= load
    return unit * (load + (sums & -sums).bit_length() - 1)


class Evaluation(Lagrangian):
    """The same sums with numpy: matrices in whole numbers, means of cosines rounded to 2^-60."""

    def matrices(self):
        for mode in self.modes:
            rows = len(mode.level)
            factor = numpy.array(mode.columns, dtype=numpy.int64).reshape(len(mode.columns), rows).T
            require(abs(factor).max(initial=0) <= 2**25 and factor.shape[1] <= 512, "products fit into 64 bits")
            require(max(map(abs, mode.level)) <= 2**58 and mode.idle <= 2**58, "levels fit into 64 bits")
            level = numpy.array(mode.level, dtype=numpy.int64)
            yield mode, factor @ factor.T + level[:, None] + level[None, :]

    def quick_bound(self):
        """Less than bound(), by no more than rounding; in costs."""
        real = numpy.longdouble
        count, first = len(self.talkers), self.first
        unit = real(2) ** -(self.shift - BITS)  # of an entry, in costs
        pairs = numpy.triu_indices(count, 1)
        hops = numpy.array([sum(map(sum, key)) for key in self.classes], dtype=real)
        weight = numpy.zeros((count, count), dtype=numpy.int64)
        for a, p in enumerate(self.talkers):
            for b, q in enumerate(self.talkers):
                weight[a, b] = self.problem.weight[p].get(q, 0)
        costs = weight[pairs].astype(real)[:, None] * hops
        idle_costs = numpy.zeros((count + 1, len(self.classes)), dtype=real)
        centre_costs = numpy.zeros((count + 1, len(self.orbits)), dtype=real)
        sizes = abs(costs).max(axis=1).sum()  # of everything that is added up
        for mode, matrix in self.matrices():
            means = numpy.array([self.grid.mean(mode.key, key) >> BITS - 60 for key in self.classes], dtype=real)
            means = means * real(2) ** -60
            entries = 2 * unit * matrix.astype(real)
            sizes += abs(entries).sum() * (self.idle + 1) ** (2 if self.idle else 0)
            own = entries[first : first + count, first : first + count]
            costs -= own[pairs][:, None] * means
            if self.idle:
                idle_costs[:count] -= entries[first : first + count, -1][:, None] * means
                both = 2 * unit * (real(int(matrix[-1, -1])) - mode.idle)
                idle_costs[count] -= both * means
            if mode.has_centre:
                orbits = numpy.array(
                    [self.grid.centre_mean(mode.key, orbit) >> BITS - 60 for orbit in self.orbits], dtype=real
                )
                row = [real(mode.centre_entry(a) >> BITS - 10) for a in range(1, len(mode.level))]
                row = 2 * unit * real(2) ** -10 * numpy.array(row)
                sizes += abs(row).sum() * (self.idle + 1)
                centre_costs[: len(row)] -= row[:, None] * orbits * real(2) ** -60
        sizes += self.add_cuts(costs, centre_costs, pairs, unit)
        total = real(self.constant() >> BITS) * unit
        total += costs.min(axis=1).sum()
        if self.idle:
            total += self.idle * idle_costs[:count].min(axis=1).sum()
            total += real(self.idle * (self.idle - 1) // 2) * idle_costs[count].min()
        if self.orbits:
            times = numpy.ones(count + 1)
            times[count] = self.idle
            total += (times * centre_costs.min(axis=1)).sum()
        # Every product is off by less than 2^-58 of it, a sum of so many terms by 2^-62 of it each.
        terms = len(self.modes) + len(self.cuts) + count * count
        least = float(total - (sizes + abs(total)) * real(2) ** -58 * (16 + terms / 16))
        return least - abs(least) * 2**-50

    def add_cuts(self, costs, centre_costs, pairs, unit):
        number = {pair: i for i, pair in enumerate(zip(*(part.tolist() for part in pairs)))}
        count, sizes = len(self.talkers), 0
        for points, signs, multiplier, length, from_centre, _ in self.cuts:
            lengths = numpy.array([length(key) for key in self.classes])
            for (a, x), (b, z) in itertools.combinations(sorted(zip(points, signs)), 2):
                factor = numpy.longdouble(x * z * multiplier) * unit
                if b == count:
                    lengths_there = numpy.array([from_centre(orbit) for orbit in self.orbits])
                    centre_costs[a] += factor * lengths_there
                else:
                    costs[number[a, b]] += factor * lengths
                sizes += abs(factor) * int(lengths.max())
        return sizes


def is_of(certificate, problem):
    """Whether the certificate is about this problem."""
    machine = certificate["machine"]
    flows = {(a, b): size for a, b, size in certificate["flows"]}
    shape = [side for side in machine["shape"] if side > 1]
    return (
        (machine["kind"] in ("line", "mesh")) != problem.machine.wraps
        and shape == [side for side in problem.machine.shape if side > 1]
        and machine.get("slots", 1) == problem.machine.slots
        and certificate["objective"] == problem.objective
        and certificate["processes"] == problem.processes
        and flows == problem.flows
    )


def check_certificate(certificate, problem, is_exact):
    """What the certificate proves about the problem."""
    require(is_of(certificate, problem), "the certificate is about another problem")
    kind = certificate["certificate"]
    if kind == "exhaustive":
        check_exhaustive(certificate)
        return certificate["cost"]
    require(kind == "semidefinite", f"unknown certificate {kind}")
    if not is_exact:
        evaluation = Evaluation(certificate)
        unit = unit_of(evaluation)
        proved = ceil(Fraction(evaluation.quick_bound()) / unit) * unit
        if proved >= certificate["bound"]:
            return certificate["bound"]
    check_semidefinite(certificate)
    return certificate["bound"]


def read_certificate(file):
    return json.loads(lzma.decompress(file.read_bytes()))


def digest(packed):
    return hashlib.sha256(packed).hexdigest()


__all__ = ["Wrong", "check_certificate", "degree", "digest", "groups", "growth", "mean", "node", "read_certificate"]
