"""Cosines of parts of a circle as whole numbers of 2^-BITS."""

BITS = 128
GUARD = 32  # bits more while computing


def arctangent_of_inverse(n, one):
    """arctan(1 / n) by its series."""
    power = one // n
    total, sign, divisor = power, -1, 3
    while power:
        power //= n * n
        total += sign * (power // divisor)
        sign, divisor = -sign, divisor + 2
    return total


def cosines(count):
    """cos(2 pi i / count) for i = 0 .. count - 1, each less than a unit away."""
    one = 1 << (BITS + GUARD)
    pi = 4 * (4 * arctangent_of_inverse(5, one) - arctangent_of_inverse(239, one))  # Machin 1706
    result = []
    for i in range(count):
        angle = 2 * pi * min(i, count - i) // count
        square = angle * angle // one
        term, total, n = one, one, 0
        while term:
            term = term * square // one // ((n + 1) * (n + 2))
            n += 2
            total += -term if n % 4 == 2 else term
        result.append((total + (1 << (GUARD - 1))) >> GUARD)
    return result
