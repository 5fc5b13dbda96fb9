"""Proofs by trying every map."""

from functools import cache
from math import comb

from certificates.bound import Bound
from certificates.machine import require
from certificates.problem import Problem
from certificates.symmetries import check_symmetries


def has_constant_distances(place, problem):
    bits = range(len(place).bit_length() - 1)
    return all(
        problem.distance[place[p]][place[p ^ (1 << bit)]]
        == problem.distance[place[0]][place[1 << bit]]
        for bit in bits
        for p in range(len(place))
    )


@cache
def ways(free, processes):
    """In how many ways so many processes can be on nodes with so many free slots each."""
    if not free:
        return int(processes == 0)
    return sum(
        comb(processes, here) * ways(free[1:], processes - here)
        for here in range(min(free[0], processes) + 1)
        if processes - here <= sum(free[1:])
    )


class Enumeration:
    """Every partial map once, up to the symmetries that fix the nodes chosen before."""

    def __init__(self, certificate, problem):
        self.problem = problem
        self.limit = certificate["cost"]
        self.order = [level["process"] for level in certificate["levels"]]
        self.tried = [0] * len(self.order)
        self.pruned = [0] * len(self.order)
        self.bound = Bound(problem)
        self.optima = self.fixed = self.constant = 0
        talking = {p for p in range(problem.processes) if problem.weight[p]}
        require(self.order and self.order[0] == 0, "process 0 is placed first")
        require(len(set(self.order)) == len(self.order), "every process is placed once")
        require(talking <= set(self.order), "every process with flows is placed")
        self.is_cube = problem.is_cube() and len(self.order) == problem.processes
        self.descend({}, certificate["symmetries"], 1, 1)

    def descend(self, place, symmetries, alike, first_alike):
        level = len(place)
        if level == len(self.order):
            self.count(place, alike, first_alike)
            return
        free = self.problem.free_slots(place)
        for node in range(self.problem.nodes):
            if not free[node] or any(symmetry[node] < node for symmetry in symmetries):
                continue
            self.tried[level] += 1
            longer = {**place, self.order[level]: node}
            if self.bound(longer) > self.limit:
                self.pruned[level] += 1
                continue
            fixing = [symmetry for symmetry in symmetries if symmetry[node] == node]
            kind = len(symmetries) // len(fixing)
            self.descend(longer, fixing, alike * kind, kind if level == 0 else first_alike)

    def count(self, place, alike, first_alike):
        problem = self.problem
        free = problem.free_slots(place)
        silent = [p for p in range(problem.processes) if p not in place]
        slots = (node for node in range(problem.nodes) for _ in range(free[node]))
        whole = {**place, **dict(zip(silent, slots))}
        cost = problem.cost([whole[p] for p in range(problem.processes)])
        require(cost >= self.limit, f"a map costs {cost}, less than {self.limit}: {whole}")
        alike *= ways(tuple(sorted(free)), len(silent))
        self.optima += alike
        if place[0] == 0:
            self.fixed += alike // first_alike
            if self.is_cube and has_constant_distances(whole, problem):
                self.constant += alike // first_alike


def check_exhaustive(certificate):
    problem = Problem(certificate)
    place = certificate["map"]
    require(len(place) == problem.processes, "the map has a node for every process")
    require(all(0 <= node < problem.nodes for node in place), "the map is one of nodes")
    require(
        all(place.count(node) <= problem.slots for node in place),
        f"no node hosts more than {problem.slots} processes",
    )
    require(problem.cost(place) == certificate["cost"], f"the map costs {problem.cost(place)}")
    check_symmetries(certificate["symmetries"], problem)
    again = Enumeration(certificate, problem)
    for level, tried, pruned in zip(certificate["levels"], again.tried, again.pruned):
        require(
            (level["tried"], level["pruned"]) == (tried, pruned),
            f"process {level['process']}: {tried} tried and {pruned} pruned, not "
            f"{level['tried']} and {level['pruned']}",
        )
    found = {
        "optima": again.optima,
        "optima_fixed": again.fixed,
        "optima_fixed_constant": again.constant,
    }
    for name, value in found.items():
        require(certificate[name] == value, f"{name} is {value}, not {certificate[name]}")
    return f"no map costs less than {certificate['cost']}; {again.optima} maps cost that"
