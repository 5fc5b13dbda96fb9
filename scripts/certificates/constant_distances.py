"""Proofs by trying every combination of constant distances."""

from certificates.machine import CYCLIC, require
from certificates.problem import Problem


def can_place(distances, problem, place):
    """Whether nodes can be found for the processes from len(place) on."""
    process = len(place)
    if process == 1 << len(distances):
        return True
    candidates = None
    for bit, length in enumerate(distances):
        partner = process ^ (1 << bit)
        if partner < process:
            row = problem.distance[place[partner]]
            sphere = {node for node in range(problem.nodes) if row[node] == length}
            candidates = sphere if candidates is None else candidates & sphere
    return any(
        can_place(distances, problem, [*place, node])
        for node in sorted(candidates - set(place))
    )  # fmt: skip


def check_witness(witness, distances, problem):
    require(len(witness) == 1 << len(distances), "a witness has a node for every process")
    require(len(set(witness)) == len(witness), "a witness takes no node twice")
    for bit, length in enumerate(distances):
        for process, node in enumerate(witness):
            there = witness[process ^ (1 << bit)]
            require(problem.distance[node][there] == length, f"a witness of {distances} has others")


def check_constant_distances(certificate):
    problem = Problem(certificate)
    require(certificate["machine"]["kind"] in CYCLIC, "node 0 stands for every node")
    require(problem.slots == 1, "a node hosts one process")
    require(problem.is_cube(), "the flows are a cube's")
    trials = {tuple(trial["distances"]): trial["witness"] for trial in certificate["trials"]}
    dimensions = problem.nodes.bit_length() - 1
    require(1 << dimensions == problem.nodes == problem.processes, "the cube fills the machine")
    optima = []

    def descend(prefix):
        left = dimensions - len(prefix)
        if left == 0:
            require(sum(prefix) == certificate["least_sum"], f"{prefix} has a smaller sum")
            optima.append(list(prefix))
            return
        farthest = max(problem.distance[0])
        for length in range(prefix[-1] if prefix else 1, farthest + 1):
            longer = (*prefix, length)
            if sum(prefix) + length * left > certificate["least_sum"]:
                break
            require(longer in trials, f"{longer} has not been tried")
            witness = trials[longer]
            if witness is not None:
                check_witness(witness, longer, problem)
                descend(longer)
            else:
                require(not can_place(longer, problem, [0]), f"{longer} is possible")

    descend(())
    require(optima and optima == certificate["optima"], f"the optima are {optima}")
    return f"no embedding with constant distances has a sum below {certificate['least_sum']}"
