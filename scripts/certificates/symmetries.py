"""Whether symmetries are what they are said to be."""

from certificates.machine import require


def check_symmetries(symmetries, problem):
    nodes = range(problem.nodes)
    require(symmetries and symmetries[0] == list(nodes), "the identity is the first symmetry")
    known = {tuple(symmetry) for symmetry in symmetries}
    require(len(known) == len(symmetries), "no symmetry is there twice")
    for symmetry in symmetries:
        require(sorted(symmetry) == list(nodes), "a symmetry is a permutation of the nodes")
        for a in nodes:
            row, image = problem.distance[a], problem.distance[symmetry[a]]
            require(
                all(row[b] == image[symmetry[b]] for b in nodes), "a symmetry keeps all distances"
            )
        if problem.routes:
            require(keeps_routes(symmetry, problem), "a symmetry keeps all routes")
    require(is_group(known, tuple(nodes)), "the symmetries form a group")


def keeps_routes(symmetry, problem):
    nodes, route = range(problem.nodes), problem.routes.nodes
    return all(
        [symmetry[node] for node in route(a, b)] == route(symmetry[a], symmetry[b])
        for a in nodes
        for b in nodes
    )


def is_group(known, identity):
    """Whether the generators, a few of the symmetries, make all of them and nothing else."""
    generators, made = [], {identity}
    for candidate in sorted(known):
        if candidate in made:
            continue
        generators.append(candidate)
        made, new = {identity}, [identity]
        while new:
            products = {tuple(one[node] for node in step) for one in new for step in generators}
            new = products - made
            if not new <= known:
                return False
            made |= new
    return made == known
