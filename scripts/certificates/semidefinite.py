"""A lower bound by semidefinite matrices: docs/theory/certificates.md says what is checked.

Everything is computed in whole numbers. A node is an element of a product of cycles: a cycle of four is a
square, a path of k nodes part of a cycle of 2 k - 1 or 2 k. A mode is a set of characters that exchanges of
equal sides and reflections lead to. With Y(a, b) the mean over its characters y of the product over sides of
cos(2 pi y x / order), x the difference of the nodes of a and b, the matrix Y of every map is positive
semidefinite, and Y w = 0 (w: 1 for processes; for the centre minus the sum of its row over all nodes).
"""

import itertools
import random
from functools import cache

from certificates.exact_cosines import BITS, cosines
from certificates.machine import CYCLIC, coordinates, require
from certificates.problem import Problem

FACTOR_BITS = 22
LEVEL_BITS = 44
PLACEMENTS = 20


class Grid:
    """Nodes as elements of the group, classes of their differences, modes."""

    def __init__(self, machine, padding):
        require(padding in (0, 1), "a path of k nodes is in a cycle of 2 k - 1 or 2 k")
        self.shape = machine["shape"]
        self.wraps = wraps = machine["kind"] in CYCLIC
        self.sides = []  # (order, nodes, is open), in the order of the dimensions
        self.first = []
        for nodes in self.shape:
            self.first.append(len(self.sides))
            is_open = nodes > 2 and not wraps
            if nodes == 4 and not is_open:
                self.sides += [(2, 2, False)] * 2
            elif nodes > 1:
                self.sides.append((2 * nodes - 1 + padding if is_open else nodes, nodes, is_open))
        self.has_centre = any(is_open for _, _, is_open in self.sides)
        self.kinds = sorted(set(self.sides), key=lambda side: (side[2], side[0]))
        self.cosines = {}
        for order, _, _ in self.sides:
            for count in (order, 2 * order):
                self.cosines[count] = cosines(count)
        count = 1
        for nodes in self.shape:
            count *= nodes
        self.places = [self.place(node) for node in range(count)]
        self.modes = {}
        for y in itertools.product(*(range(order) for order, _, _ in self.sides)):
            self.modes.setdefault(self.key(self.shortest(y)), []).append(self.shortest(y))

    def place(self, node):
        at = []
        for nodes, x in zip(self.shape, coordinates(node, self.shape)):
            if nodes == 4 and self.wraps:
                at += [(0, 0), (1, 0), (1, 1), (0, 1)][x]
            elif nodes > 1:
                at.append(x)
        return tuple(at)

    def shortest(self, x):
        return tuple(min(v % order, -v % order) for v, (order, _, _) in zip(x, self.sides))

    def key(self, lengths):
        """Lengths by kind of side, ascending."""
        return tuple(
            tuple(sorted(v for v, side in zip(lengths, self.sides) if side == kind)) for kind in self.kinds
        )

    def difference(self, a, b):
        """The class of the difference of two nodes."""
        return self.key(
            tuple(
                abs(x - z) if is_open else min((x - z) % order, (z - x) % order)
                for x, z, (order, _, is_open) in zip(self.places[a], self.places[b], self.sides)
            )
        )

    def orbit(self, node):
        """Doubled lengths from the centre by kind of side."""
        return self.key(
            tuple(
                abs(2 * x - (nodes - 1)) if is_open else 0
                for x, (_, nodes, is_open) in zip(self.places[node], self.sides)
            )
        )

    def lengths_of(self, key):
        """One element with that key, in the order of the sides."""
        left = [list(part) for part in key]
        return [left[self.kinds.index(side)].pop() for side in self.sides]

    @cache
    def mean(self, mode, key):
        """Of the mode's characters at a difference of that class; times 2^BITS."""
        lengths = self.lengths_of(key)
        total = 0
        for y in self.modes[mode]:
            product = 1 << BITS
            for x, v, (order, _, _) in zip(lengths, y, self.sides):
                product = product * self.cosines[order][x * v % order] >> BITS
            total += product
        return total // len(self.modes[mode])

    @cache
    def centre_mean(self, mode, orbit):
        """The same for the centre and a node; 0 where a character is not 0 on a cycle."""
        lengths = self.lengths_of(orbit)
        total = 0
        for y in self.modes[mode]:
            product = 1 << BITS
            for x, v, (order, _, is_open) in zip(lengths, y, self.sides):
                if is_open:
                    product = product * self.cosines[2 * order][x * v % (2 * order)] >> BITS
                elif v:
                    product = 0
            total += product
        return total // len(self.modes[mode])

    def is_on_paths(self, mode):
        return all(is_open or not any(part) for part, (_, _, is_open) in zip(mode, self.kinds))

    def distance(self, name):
        """(doubled length of a class, doubled length from the centre or None, doubled weight of all cuts or
        None): a sum of cuts."""
        if name == "parity of all hops":
            require(
                all(is_open or order % 2 == 0 for order, _, is_open in self.sides), "the machine has no odd cycle"
            )
            return lambda key: 2 * (sum(map(sum, key)) % 2), None, 2
        what, _, kind = name.partition(" of ")
        names = [f"{'paths' if is_open else 'cycles'} of {nodes}" for _, nodes, is_open in self.kinds]
        require(kind in names, f"unknown distance {name}")
        part = names.index(kind)
        order, nodes, is_open = self.kinds[part]
        count = self.sides.count(self.kinds[part])
        is_even = is_open or order % 2 == 0
        if what == "hops":
            total = 2 * count * (nodes - 1) if is_open else count * order
            return lambda key: 2 * sum(key[part]), (lambda orbit: sum(orbit[part])) if is_open else None, total
        if what == "parity" and is_even:
            return lambda key: 2 * (sum(key[part]) % 2), None, 2
        if what == "odd coordinates" and is_even:
            return lambda key: 2 * sum(v % 2 for v in key[part]), None, 2 * count
        require(what == "greatest coordinate", f"unknown distance {name}")
        return lambda key: 2 * max(key[part]), None, None


def is_whole(*values):
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


class Mode:
    """M = L L' + w v' + v w', in units of 2^-LEVEL_BITS but for the centre's row, which has BITS more."""

    def __init__(self, grid, problem, written, rows):
        sizes = iter(written["key"])
        self.key = tuple(tuple(next(sizes) for side in grid.sides if side == kind) for kind in grid.kinds)
        require(self.key in grid.modes and any(map(any, self.key)), f"there is no mode {written['key']}")
        self.columns, self.level, self.idle = written["columns"], written["level"], written["idle"]
        require(all(len(column) == rows for column in self.columns), "a column has an entry for each row")
        require(len(self.level) == rows and is_whole(*self.level, self.idle), "a level has one for each row")
        require(all(is_whole(*column) for column in self.columns), "entries are whole")
        require(self.idle >= 0, "a multiplier is not negative")
        self.lines = list(zip(*self.columns)) if self.columns else [()] * rows
        self.has_centre = grid.has_centre and grid.is_on_paths(self.key)
        self.first = 1 if grid.has_centre else 0
        self.centre_sum = 0
        if self.has_centre:
            self.centre_sum = problem.slots * sum(
                grid.centre_mean(self.key, grid.orbit(node)) for node in range(problem.nodes)
            )

    def product(self, a, b):
        return sum(x * y for x, y in zip(self.lines[a], self.lines[b]))

    def entry(self, a, b):
        """Of two processes."""
        return self.product(a, b) + self.level[a] + self.level[b]

    def centre_entry(self, a):
        """Of the centre and a process; times 2^BITS."""
        return ((self.product(0, a) + self.level[0]) << BITS) - self.centre_sum * self.level[a]

    def own_centre_entry(self):
        return (self.product(0, 0) << BITS) - 2 * self.centre_sum * self.level[0]


class Lagrangian:
    """What every pair costs by the class of its difference, in units of 2^-(LEVEL_BITS + BITS)."""

    def __init__(self, certificate):
        self.problem = problem = Problem(certificate)
        require(problem.objective in ("hop-bytes", "average-dilation"), f"no rules for {problem.objective}")
        self.grid = grid = Grid(certificate["machine"], certificate["padding"])
        self.shift = LEVEL_BITS + BITS - certificate["scale_bits"]
        require(is_whole(certificate["scale_bits"]) and self.shift > 0, "a scale is a power of two")
        self.talkers = [p for p in range(problem.processes) if any(problem.weight[p].values())]
        self.idle = problem.nodes * problem.slots - len(self.talkers)
        require(self.idle >= 0, "all processes have room")
        self.check_hops()
        self.first = 1 if grid.has_centre else 0
        rows = self.first + len(self.talkers) + (self.idle > 0)
        self.modes = [Mode(grid, problem, written, rows) for written in certificate["modes"]]
        require(len({mode.key for mode in self.modes}) == len(self.modes), "a mode stands once")
        self.classes = sorted(
            {grid.difference(0, b) for b in range(problem.nodes)}
            if not grid.has_centre
            else {grid.difference(a, b) for a in range(problem.nodes) for b in range(problem.nodes)}
        )
        if problem.slots == 1:
            self.classes = [key for key in self.classes if any(map(any, key))]
        self.orbits = sorted({grid.orbit(node) for node in range(problem.nodes)}) if grid.has_centre else []
        self.read_cuts(certificate["cuts"])

    def check_hops(self):
        """Distances by breadth-first search are sums of lengths."""
        for a in range(self.problem.nodes):
            for b in range(self.problem.nodes):
                hops = sum(map(sum, self.grid.difference(a, b)))
                require(hops == self.problem.distance[a][b], f"nodes {a} and {b} are {hops} hops apart")

    def read_cuts(self, cuts):
        self.cuts = []
        numbers = {process: i for i, process in enumerate(self.talkers)}
        numbers[self.problem.processes] = len(self.talkers)  # the centre
        for cut in cuts:
            length, from_centre, total = self.grid.distance(cut["distance"])
            points, signs, multiplier = [numbers[p] for p in cut["points"]], cut["signs"], cut["multiplier"]
            require(is_whole(multiplier) and multiplier >= 0, "a multiplier is not negative")
            require(len(set(points)) == len(points) == len(signs) and len(points) % 2 == 1, "points differ")
            require(set(signs) <= {-1, 1}, "signs are 1 or -1")
            require(from_centre or len(self.talkers) not in points, "the centre is a point of paths alone")
            sizes = sum(signs) ** 2 - 1
            require(total or (len(points) == 3 and sizes == 0), "only triangles are known to hold")
            self.cuts.append((points, signs, multiplier, length, from_centre, (total or 0) * sizes // 4))

    def constant(self):
        total, count = 0, len(self.talkers)
        for mode in self.modes:
            own = sum(mode.entry(a, a) for a in range(self.first, self.first + count))
            if self.idle:
                last = self.first + count
                own += self.idle * (mode.entry(last, last) + (self.idle - 1) * mode.idle)
            total -= own << BITS
            if mode.has_centre:
                total -= mode.own_centre_entry()
        for _, _, multiplier, _, _, most in self.cuts:
            total -= multiplier * most << BITS
        return total

    def bound(self):
        """The sum of what every pair costs at least; and by how much it may be too great, for the cosines."""
        count, first = len(self.talkers), self.first
        by_pair, by_centre = {}, {}
        for points, signs, multiplier, length, from_centre, _ in self.cuts:
            for (a, x), (b, z) in itertools.combinations(sorted(zip(points, signs)), 2):
                if b == count:
                    by_centre.setdefault(a, []).append((x * z * multiplier, from_centre))
                else:
                    by_pair.setdefault((a, b), []).append((x * z * multiplier, length))
        means = [[self.grid.mean(mode.key, key) for key in self.classes] for mode in self.modes]
        total, doubt = self.constant(), 0

        def least(factors, weight, cuts, times):
            nonlocal doubt
            doubt += times * sum(map(abs, factors))
            costs = [(weight * sum(map(sum, key))) << self.shift for key in self.classes]
            for multiplier, length in cuts:
                for t, key in enumerate(self.classes):
                    costs[t] += multiplier * length(key) << BITS
            for factor, row in zip(factors, means):
                if factor:
                    costs = [cost - factor * mean for cost, mean in zip(costs, row)]
            return times * min(costs)

        for a, b in itertools.combinations(range(count), 2):
            weight = self.problem.weight[self.talkers[a]].get(self.talkers[b], 0)
            factors = [2 * mode.entry(first + a, first + b) for mode in self.modes]
            total += least(factors, weight, by_pair.get((a, b), []), 1)
        last = first + count
        if self.idle:
            for a in range(count):
                total += least([2 * mode.entry(first + a, last) for mode in self.modes], 0, [], self.idle)
            factors = [2 * (mode.entry(last, last) - mode.idle) for mode in self.modes]
            total += least(factors, 0, [], self.idle * (self.idle - 1) // 2)
        if self.grid.has_centre:
            modes = [mode for mode in self.modes if mode.has_centre]
            for a in range(1, last + (self.idle > 0)):
                times = self.idle if a == last else 1
                entries = [2 * mode.centre_entry(a) >> BITS for mode in modes]
                doubt += times * sum(abs(entry) + 1 + abs(mode.level[a]) for entry, mode in zip(entries, modes))
                costs = []
                for orbit in self.orbits:
                    cost = sum(multiplier * of(orbit) for multiplier, of in by_centre.get(a - 1, [])) << BITS
                    for entry, mode in zip(entries, modes):
                        cost -= entry * self.grid.centre_mean(mode.key, orbit)
                    costs.append(cost)
                total += times * min(costs)
                doubt += times * len(modes) << BITS
        # Products of cosines and their means are a few units of 2^-BITS away from the truth, and sums of the
        # centre's row over nodes as many for each.
        return total - doubt * 64 * len(self.grid.sides) * self.problem.nodes * self.problem.slots

    def value_at(self, place):
        """The Lagrangian of a whole map of all slots, but for rounding, in costs; nothing where a matrix is
        not what it should be."""
        grid, count, first = self.grid, len(self.talkers), self.first
        scale = 2.0 ** -(self.shift)
        places = place[:count] + place[count:]
        cost = sum(
            self.problem.weight[self.talkers[a]].get(self.talkers[b], 0) * self.problem.distance[places[a]][places[b]]
            for a, b in itertools.combinations(range(count), 2)
        )
        value = float(cost)
        row = lambda a: first + min(a, count)  # noqa: E731
        for mode in self.modes:
            total = 0
            for a, b in itertools.combinations(range(len(places)), 2):
                mean = grid.mean(mode.key, grid.difference(places[a], places[b]))
                entry = mode.entry(row(a), row(b))
                if a >= count:
                    entry -= mode.idle
                total += 2 * entry * mean
            own = sum(mode.entry(row(a), row(a)) for a in range(len(places)))
            total += (own + self.idle * (self.idle - 1) * mode.idle) << BITS
            if mode.has_centre:
                total += mode.own_centre_entry()
                for a, node in enumerate(places):
                    total += 2 * mode.centre_entry(row(a)) * grid.centre_mean(mode.key, grid.orbit(node)) >> BITS
            require(total * scale > -1e-6 * (1 + cost), "a product of positive matrices is not negative")
            value -= total * scale
        for points, signs, multiplier, length, from_centre, most in self.cuts:
            left = most
            for (a, x), (b, z) in itertools.combinations(sorted(zip(points, signs)), 2):
                if b == count:
                    left -= x * z * from_centre(grid.orbit(places[a]))
                else:
                    left -= x * z * length(grid.difference(places[a], places[b]))
            require(left >= 0, "a sum of cuts satisfies the inequality")
            value -= float((multiplier * left) << BITS) * scale
        return value, cost


def unit_of(lagrangian):
    """A number that divides every cost."""
    from math import gcd

    weights = [lagrangian.problem.weight[a].get(b, 0) for a in lagrangian.talkers for b in lagrangian.talkers]
    unit = gcd(*weights) or 1
    even = all(
        sum(lagrangian.problem.weight[a].get(b, 0) // unit for b in lagrangian.talkers) % 2 == 0
        for a in lagrangian.talkers
    )
    bipartite = all(is_open or order % 2 == 0 for order, _, is_open in lagrangian.grid.sides)
    return unit * (2 if even and bipartite else 1)


def check_semidefinite(certificate):
    """Verifies the certificate; returns what it proves."""
    lagrangian = Lagrangian(certificate)
    exact = lagrangian.bound()
    unit = unit_of(lagrangian)
    proved = max(0, -(-exact // (unit << lagrangian.shift)) * unit)
    bound = certificate["bound"]
    require(is_whole(bound) and proved >= bound, f"the numbers prove {proved}, not {bound}")
    generator = random.Random(1)
    slots = [node for node in range(lagrangian.problem.nodes) for _ in range(lagrangian.problem.slots)]
    for _ in range(PLACEMENTS):
        generator.shuffle(slots)
        value, cost = lagrangian.value_at(list(slots))
        lowest = exact / 2.0**lagrangian.shift
        require(lowest - 1e-6 * (1 + cost) <= value <= cost + 1e-6 * (1 + cost), "the Lagrangian is in between")
    return f"no map costs less than {bound}"
