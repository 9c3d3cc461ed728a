"""Intervals of integer operations (spec/sspur.md 1.3). None: the result may not fit any type, or a trap is possible."""
from trees import INTEGERS


def corners(function, a, b):
    values = [function(x, y) for x in a for y in b]
    return min(values), max(values)


def quotient(x, y):
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def of_division(a, b):
    if b[0] <= 0 <= b[1]:
        return None
    candidates = [y for y in (b[0], b[1], -1, 1) if b[0] <= y <= b[1]]
    return corners(quotient, a, candidates)


def of_remainder(a, b, type):
    if b[0] <= 0 <= b[1] or (a[0] == INTEGERS[type][0] and b[0] <= -1 <= b[1]):
        return None
    most = max(abs(b[0]), abs(b[1])) - 1
    return max(a[0], -most) if a[0] < 0 else 0, min(a[1], most) if a[1] > 0 else 0


def bits_of(*values):
    return max((v if v >= 0 else ~v).bit_length() for v in values)


def of_bits(name, a, b):
    bits = bits_of(*a, *b)
    least = -(1 << bits)
    if a[0] >= 0 and b[0] >= 0:
        return (0, min(a[1], b[1])) if name == "band" else (0, (1 << bits) - 1)
    if name == "band" and a[0] >= 0:
        return 0, a[1]
    if name == "band" and b[0] >= 0:
        return 0, b[1]
    return least, (1 << bits) - 1


def of_left(a, count, type):
    """Counts are an interval; the result is a 64-bit pattern."""
    if count[0] > 63 or count[1] < 0:
        return 0, 0
    if count[0] == count[1]:
        low, high = a[0] << count[0], a[1] << count[0]
    else:
        n = min(count[1], 63)
        low, high = min(a[0] << n, a[0], 0), max(a[1] << n, a[1], 0)
    full = INTEGERS["Int"]
    return (low, high) if full[0] <= low and high <= full[1] else full if type == "Int" else None


def of_right(a, count):
    if count[0] > 63 or count[1] < 0:
        return 0, 0
    if a[0] >= 0:
        return 0 if count[1] > 0 else a[0], a[1] >> max(count[0], 0)
    if count[0] == count[1] and count[0] > 0:
        return 0, (2**64 - 1) >> count[0]
    return min(a[0], 0), 2**63 - 1


def of_binary(op, a, b, type):
    if op == "+":
        return a[0] + b[0], a[1] + b[1]
    if op == "-":
        return a[0] - b[1], a[1] - b[0]
    if op == "*":
        return corners(lambda x, y: x * y, a, b)
    if op == "/":
        return of_division(a, b)
    if op == "%":
        return of_remainder(a, b, type)
    if op == "min":
        return min(a[0], b[0]), min(a[1], b[1])
    if op == "max":
        return max(a[0], b[0]), max(a[1], b[1])
    if op == "shl":
        return of_left(a, b, type)
    if op == "shr":
        return of_right(a, b)
    return of_bits(op, a, b)


def of_negation(a):
    return -a[1], -a[0]


def of_magnitude(a):
    return (0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))), max(abs(a[0]), abs(a[1]))


def fits(interval, type):
    return interval is not None and INTEGERS[type][0] <= interval[0] and interval[1] <= INTEGERS[type][1]
