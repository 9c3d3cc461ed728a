"""The functions of twin_recursion.cone and twin_recursion_references.cone in another language: writes inputs to
PREFIX.*.npy, and prints what is to come out."""
import struct
import sys

sys.setrecursionlimit(10000)
M = 2**32


def save(path, shape, values):
    header = "{'descr': '<u4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%dI" % len(values), *values))


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ack(m, n):
    return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))


def hanoi(n, source, to, via, moves):
    if n:
        hanoi(n - 1, source, via, to, moves)
        moves[0] = (moves[0] * 3 + source) % M
        hanoi(n - 1, via, to, source, moves)


NODES = [(0, 0, 0), (2, 3, 10), (4, 0, 20), (0, 5, 30), (0, 0, 40), (0, 0, 50)]


def total(i):
    return total(NODES[i][0]) + NODES[i][2] + total(NODES[i][1]) if i else 0


def loops(n):
    t = 0
    for i in range(n):
        if i != 1:
            t = t * 2 + loops(i) + i
    return t + 1


def down(n):
    t = 0
    for i in range(n, 0, -2):
        t += down(i // 2)
        if t > 20:
            break
    return t + 1


def until(n):
    k, c = n, 0
    while until2(k) > 1:
        k //= 2
        c += until(k)
    return c + 1


def until2(n):
    return until(3) if n > 100 else n


def mine(x, n):
    y = [n]
    if n > 0:
        mine(y, n - 1)
    x[0] = (x[0] * 10 + y[0]) % M


def arrays(n):
    a = [n, n + 1, n + 2]
    if n > 0:
        a[1] += arrays(n - 1)
        a[2] = arrays(n - 1) + a[0]
    return a[0] + a[1] * 10 + a[2] * 100


def pick(c, a, b):
    return a if c == 0 else pick(c - 1, b, a)


def pair(n):
    if n == 0:
        return 0, 1
    a, b = pair(n - 1)
    return b, a + b


def kinds(n, x, d, s, b):
    return (x if b else d + s) if n == 0 else kinds(n - 1, x * 2, d + 1, s - 1, not b) + x


def logic(n):
    return n == 0 or (n % 3 != 1 and logic(n - 1)) or (n > 2 and logic(n - 3))


def plain(a):
    moves, q = [0], [1]
    hanoi(4, 0, 1, 2, moves)
    mine(q, 5)
    bits = 0
    for i in range(16):
        bits = bits * 2 + logic(i)
    x, y = [3, 4], [5]
    return [fib(a[0]), ack(2, 3), 1 if a[1] % 2 == 0 else 10, 12, moves[0], total(1), loops(4), down(9), until(10),
            q[0], arrays(2), pick(a[0], x, y)[0] * 10 + pick(a[1], x, y)[0], sum(pair(20)),
            int(kinds(5, 1.5, 2.0, 7, True) * 16), bits]


def square(x, n):
    return x * (n + 1)


def twice(n):
    return fib(n) + twice(n - 1) if n else 0


def fold(n, f, acc):
    return fold(n - 1, f, f(acc) % M) if n else acc


def switching(n, f, g):
    return switching(n - 1, g, f) + g(n) if n else f(100)


def structs(p, n):
    if n == 0:
        return p
    q = (p[0] + n, p[1] * 2, [*p[2]])
    q[2][n % 3] += n
    r = structs(q, n - 1)
    return (r[0] + 1, r[1], [r[2][0], r[2][1] + q[2][1], r[2][2]])


def walk(s, out, n):
    if s:
        out[n] = s[0] * 10 + n
        walk(s[1:], out, n + 1)
        if len(s) > 2:
            walk(s[2:], out, n + 1)


def chain(x, n):
    return (chain(x + n, n - 1) * 2 + x + 1000) % M if n else x


def option(n):
    if n == 0:
        return None
    v = option(n // 2)
    return n if v is None else v + n


def matched(n):
    return n + 1 if n < 2 else (matched(n - 1) * matched(n - 2) + n) % M


def closures(n):
    return closures(n - 1) + n + 10 if n else 1


def generic(f, n):
    return generic(f, n - 1) + f(n) if n else f(0)


def mixed(a, i):
    n, k, o, inn, out = i + 2, a[i], [0] * 25, [4, 5, 6, 7, 8, 9], [0] * 8
    o[0] = square(k, n) if i % 2 == 0 else 4 * n
    o[1] = twice(n + 3)
    o[2] = fold(n, lambda x: x * 3 + k, 1) + fold(2, lambda x: 2 * x, fib(n))
    o[3] = switching(n, lambda x: x + 1, lambda x: 2 * x)
    p = structs((1, 1.5, [n, 1, 2]), n)
    o[4:7] = p[0], int(p[1] * 4), p[2][0] + p[2][1] * 100 + p[2][2] * 10000
    walk(inn[i:], out, 0)
    for v in out:
        o[7] = (o[7] * 7 + v) % M
    o[8], o[9] = chain(5, n), option(n * 9)
    for j in range(n):
        if j != 1:
            o[10] = (o[10] * 3 + fib(j + 3)) % M
    o[11:19] = (2 ** (n + 1) - 1, matched(n + 2), closures(n), generic(lambda x: x * x + k, n), max(inn[: i + 2]),
                fib(n), 2 * (n + 1), fib(n + 2))
    m, calls = 7 - i * 2, 0
    while m > 5:
        m, calls = m - 1, calls + 1
    if m != 3:  # the assert of `checked`
        o[19:21] = m + calls, 1
    return o


SORTED = [11, 6, 200, 7, 3, 9, 1, 8, 8, 2]
SMALL = [5, 6, 7, 8]
save(sys.argv[1] + ".a.npy", "(10,)", SORTED)
save(sys.argv[1] + ".b.npy", "(4,)", SMALL)
save(sys.argv[1] + ".nodes.npy", "(6, 3)", [v for n in NODES for v in n])
print("o:", *plain(SORTED))
print("a:", *sorted(SORTED))
print("o:", *[v for i in range(4) for v in mixed(SMALL, i)])
