"""Which partial maps need no completion."""


class Bound:
    """The least cost of all ways to complete a partial map, by the rules of docs/theory/certificates.md."""

    def __init__(self, problem):
        self.problem = problem
        self.heaviest_first = [
            sorted(weights.items(), key=lambda item: (-item[1], item[0]))
            for weights in problem.weight
        ]
        self.nearest_first = [
            sorted((d, other) for other, d in enumerate(row)) for row in problem.distance
        ]

    def unplaced_nearby(self, process, node, place, free):
        """(weight, distance) of each unplaced partner if it were on the next nearest free slot."""
        weights = [
            weight for partner, weight in self.heaviest_first[process] if partner not in place
        ]
        own = process not in place  # then the process itself takes a slot of `node`
        distances = (
            d
            for d, other in self.nearest_first[node]
            for _ in range(free[other] - (own and other == node))
        )
        return list(zip(weights, distances))

    def placed(self, process, node, place):
        distance = self.problem.distance[node]
        return [
            (weight, distance[place[partner]])
            for partner, weight in self.heaviest_first[process]
            if partner in place
        ]

    def __call__(self, place):
        problem = self.problem
        free = problem.free_slots(place)
        open_nodes = [node for node in range(problem.nodes) if free[node]]

        def product(pairs):
            return sum(weight * length for weight, length in pairs)

        if problem.objective == "longest-dilation":
            return max(
                (
                    length
                    for process, node in place.items()
                    for _, length in self.placed(process, node, place)
                    + self.unplaced_nearby(process, node, place, free)
                ),
                default=0,
            )
        if problem.objective == "link-load":
            return problem.load(place)
        talking = [p for p in range(problem.processes) if self.heaviest_first[p]]
        if problem.objective == "cc-time":
            if len(place) == problem.processes:
                return problem.cost([place[p] for p in range(problem.processes)])
            longest = 0
            for process in talking:
                longest = max(
                    longest,
                    min(
                        product(self.placed(process, node, place))
                        + product(self.unplaced_nearby(process, node, place, free))
                        for node in ([place[process]] if process in place else open_nodes)
                    ),
                )
            return problem.stages * problem.compute + longest * problem.hop
        between_placed = sum(product(self.placed(p, node, place)) for p, node in place.items()) // 2
        outwards = sum(
            product(self.unplaced_nearby(p, node, place, free)) for p, node in place.items()
        )
        among = inwards = 0
        for process in talking:
            if process in place:
                continue
            here = [
                (product(self.placed(process, node, place)),
                 product(self.unplaced_nearby(process, node, place, free)))
                for node in open_nodes
            ]  # fmt: skip
            among += min(unplaced for _, unplaced in here)
            inwards += min(2 * placed + unplaced for placed, unplaced in here)
        return between_placed + max(outwards + (among + 1) // 2, (inwards + 1) // 2)
