"""What a certificate is about: machine, traffic, objective; and what a map costs."""

from certificates.machine import Routes, breadth_first, links, require


class Problem:
    """Machine, traffic and objective of a certificate."""

    def __init__(self, certificate):
        require(certificate["version"] == 1, f"unknown version {certificate['version']}")
        neighbours = links(certificate["machine"])
        self.nodes = len(neighbours)
        self.slots = certificate["machine"].get("slots", 1)
        require(isinstance(self.slots, int) and self.slots > 0, "a node has a slot")
        self.distance = [breadth_first(neighbours, node) for node in range(self.nodes)]
        self.processes = certificate["processes"]
        self.flows = [tuple(flow) for flow in certificate["flows"]]
        self.objective = certificate["objective"]
        self.compute = certificate["cc_compute_ps"]
        self.hop = certificate["cc_hop_ps"]
        self.local = certificate["cc_local_ps"] if self.slots > 1 else 0
        require(min(self.compute, self.hop, self.local) >= 0, "no time is negative")
        require(
            self.objective
            in ("average-dilation", "longest-dilation", "link-load", "hop-bytes", "cc-time"),
            f"no rules for {self.objective}",
        )
        for source, target, size in self.flows:
            require(source != target and size >= 0, "a flow joins two processes")
            require({source, target} <= set(range(self.processes)), "a flow joins processes")
        self.routes = None
        if self.objective == "link-load":
            self.routes = Routes(certificate["machine"], certificate["tie"], certificate["sharing"])
        # The weight of a hop between two processes.
        self.weight = [{} for _ in range(self.processes)]
        for source, target, size in self.flows:
            value = size if self.objective in ("hop-bytes", "link-load") else 1
            for a, b in ((source, target), (target, source)):
                self.weight[a][b] = self.weight[a].get(b, 0) + value
        if self.objective == "cc-time":
            self.stages = self.processes.bit_length() - 1
            require(1 << self.stages == self.processes, "a cube has 2^d processes")
            self.weight = [
                {p ^ (1 << i): 1 for i in range(self.stages)} for p in range(self.processes)
            ]

    def load(self, place):
        """Bytes on the busiest link, from the flows between the processes in the dictionary `place`."""
        loads = {}
        for source, target, size in self.flows:
            if source in place and target in place:
                for link in self.routes.links(place[source], place[target]):
                    loads[link] = loads.get(link, 0) + size
        return max(loads.values(), default=0)

    def free_slots(self, place):
        """How many slots of each node the dictionary `place` leaves."""
        free = [self.slots] * self.nodes
        for node in place.values():
            free[node] -= 1
        return free

    def is_cube(self):
        """Whether every process talks to all its neighbours in a cube and to nobody else, and all pairs
        of a dimension exchange the same."""
        if self.processes.bit_count() != 1:
            return False
        weight = [{} for _ in range(self.processes)]
        for source, target, size in self.flows:
            for a, b in ((source, target), (target, source)):
                weight[a][b] = weight[a].get(b, 0) + size
        by_bit = {}
        for a, partners in enumerate(weight):
            for b, size in partners.items():
                by_bit.setdefault(a ^ b, []).append(size)
        return all(
            bit.bit_count() == 1 and len(sizes) == self.processes and len(set(sizes)) == 1
            for bit, sizes in by_bit.items()
        )

    def cost(self, place):
        """The cost of a whole map."""
        distance = self.distance
        if self.objective == "cc-time":
            finish = [0] * self.processes
            for stage in range(self.stages):
                before = list(finish)
                for process in range(self.processes):
                    partner = process ^ (1 << stage)
                    start = max(before[process], before[partner]) + self.compute
                    hops = distance[place[process]][place[partner]]
                    finish[process] = start + (self.hop * hops if hops else self.local)
            return max(finish)
        if self.objective == "link-load":
            return self.load(dict(enumerate(place)))
        lengths = [(distance[place[a]][place[b]], size) for a, b, size in self.flows]
        if self.objective == "longest-dilation":
            return max((length for length, _ in lengths), default=0)
        if self.objective == "hop-bytes":
            return sum(length * size for length, size in lengths)
        return sum(length for length, _ in lengths)
