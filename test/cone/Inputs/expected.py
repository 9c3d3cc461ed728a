#!/usr/bin/env python3
"""What kernels of test/cone give, worked out again in Python: expected.py DIR, which run_dispatches --keep has filled.

Of each kernel here the last dispatch is compared, word for word; a line a kernel, and status 1 if one differs.
"""
import os
import struct
import sys
import zlib
from math import isqrt

M = 0xFFFFFFFF


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def read(folder, kernel, buffer, kind="I", read_only=True):
    path = os.path.join(folder, f"{kernel}.{buffer}{'.in' if read_only else ''}.bin")
    with open(path, "rb") as file:
        data = file.read()
    return list(struct.unpack(f"<{len(data) // 4}{kind}", data))


def loops(get):
    data, out = get("data"), []
    for l in range(16):
        row, part = [sum(range(l))], data[l:l + 16]

        def folded(numbers, factor, n=0):
            for k in numbers:
                n = n * factor + k & M
            return n

        row += [folded(range(l, 0, -1), 3), folded(range(l, -5, -3), 5), folded((250, 252, 254), 2),
                folded((-125, -126, -127, -128), 2), sum(range(0, l * 300, 1000)), folded(range(l, 21, 4), 7), 3]
        row += [sum(k for k in range(0, 40, l + 1) if k % 3), 0, folded(part, 2)]
        row += [sum(x * j for j, x in enumerate(part) if j % 2)]
        row += [folded((x * (l + 1) + j for j, x in enumerate([1, 2, 5, 5, 5, 7, 7, 7])), 3, row[11])]
        row += [next((j for j, x in enumerate(part) if x > 80), 16)]
        row += [next(n for n in range(99) if n * n >= l * 10)]
        m = next(1 << k for k in range(1, 99) if 1 << k > l * l)
        row += [m, next(k for k in (x & M for x in range(m - 1, m - 9, -1)) if k % 7 == 0)]
        row += [next((k for k in range(2, 60) if k * k % 61 == l), 1000)]
        lefts = [7 for left in range(l - 3, 0, -3) if left == 7 and left + 3 > 3]
        row += [57 if lefts else l if l <= 3 else (l - 1) % 3 + 1]
        n = 0
        for y in range(8):
            full = False
            for x in range(y + 1):
                if x * y == l:
                    n = n * 10 + y
                    full = n > 100
                    if full:
                        break
                n += x != 3
            if full:
                break
        row += [n]
        while True:
            n += 1
            if n % 11 == 0:
                break
            n += 2 * (n % 5 == 0)
        row += [n]
        row += [next((x * 100 + y for y in range(1, 10) for x in range(1, 10) if x * x + y * y == l * 5), 7)]
        row += [folded((a + b + c for a in range(3) for b in range(a, 3) for c in range(b, 3)), 2) + l]
        n = row[-1] - l
        for down in range(1, l, 2):
            n ^= down << 3
        out += row + [n] + [0] * (28 - len(row) - 1)
    return {"out": out}


def long(get):
    out = []
    for i in range(16):
        x = i
        for _ in range(i * 5000):
            x = x * 1664525 + 1013904223 & M
        out.append(x)
    return {"out": out}


def step(get):
    """Two generations: the second dispatch read what the first had left."""
    now, width, height = get("now"), 36, 30
    for _ in range(2):
        around = [sum(now[(x + dx) % width + width * ((y + dy) % height)] for dy in (-1, 0, 1) for dx in (-1, 0, 1)
                      if dx or dy) for y in range(height) for x in range(width)]
        now = [1 if n == 3 else alive if n == 2 else 0 for n, alive in zip(around, now)]
    return {"after": now}


def codes(get):
    def spread(v):
        return sum((v >> b & 1) << 3 * b for b in range(10))
    return {"out": [spread(x) | spread(y) << 1 | spread(z) << 2 for z in range(8) for y in range(8) for x in range(8)]}


def crc(get):
    return {"out": [zlib.crc32(b"123456789"[:n]) for n in range(10)]}


def arithmetic(get):
    out = []
    for a, b in zip(get("a", "i"), get("b", "i")):
        root = 0
        wanted = (signed(signed(a * a >> 16) + signed(b * b >> 16))) << 16
        root = min(isqrt(wanted), (1 << 24) - 1) if wanted >= 0 else 0
        out += [signed(a * b >> 16), 0x7FFFFFFF if b == 0 else signed(quotient(a << 16, b)),
                (a - b if a < b else a + b) >> 16, root, signed(quotient(a * 65536, 7)), 1 if a & 0xFFFF == 0 else -1]
    return {"out": [x & M for x in out]}


def filter_(get):
    def saturated(x):
        return max(-32768, min(32767, x))
    return {"out": [saturated(signed(s, 16) * 700 >> 8) & 0xFFFF | (saturated(signed(s >> 16, 16) * -300 >> 8) & 0xFFFF) << 16
                    for s in get("samples")]}


def blocks(get):
    keeps = [int(v % 7 < 3) for v in get("values")]
    return {"before": [sum(keeps[i // 64 * 64:i]) for i in range(300)],
            "totals": [sum(keeps[g * 64:g * 64 + 64]) for g in range(5)]}


def gather(get):
    kept = [v for v in get("values") if v % 7 < 3]
    return {"out": kept + [0] * (300 - len(kept))}


def sort(get):
    data = get("data")
    return {"data": [x for g in range(3) for x in sorted(data[g * 128:g * 128 + 128])]}


def ring(get):
    return {"out": [(g + 1) * (l + 1) * (l + 2) // 2 for g in range(3) for l in range(16)]}


def turn(get):
    data, out = get("data"), [0] * 256
    for gz in range(2):
        for gx in range(2):
            group = (gx + 2 * gz) * 64
            for n in range(64):
                x, y, z = n % 4, n // 4 % 4, n // 16
                # cube[x][z][y]: written by the invocation at (y, z, x).
                out[group + n] = data[group + y + 4 * z + 16 * x] + (gz * 4 + z) * 1000 + gx * 4 + x & M
    return {"out": out}


def smooth(get):
    data = get("data")
    for _ in range(5):
        data = [(data[g + l] + data[g + (l + 1) % 32] * 2 + data[g + (l + 31) % 32]) // 4
                for g in range(0, len(data), 32) for l in range(32)]
    return {"data": data}


def mixed(s, x):
    return (s ^ x & M) * 16777619 & M


def integers(get):
    out = []
    for v in get("x", "i"):
        u8, i8, u16, i16, u32 = v & 255, signed(v, 8), v & 65535, signed(v, 16), v & M
        s = 2166136261
        half = struct.unpack("<Q", struct.pack("<d", v * 0.5))[0]
        for x in (u8, i8, u16, i16, i8, v >> 32, u32 >> 3, (v & (1 << 64) - 1) >> 33, 2 * v,
                  (v != 0) + (u8 != 0) * 2, f32(v), f32(u32), f32(v * 3), f32(i16), f32(u8), half + (v * 1.0e-3 > 7.0),
                  u8 + i16, (i8 < signed(v >> 8, 8)) + (u8 < (v >> 8 & 255)) * 2 + (u32 > 5) * 4):
            s = mixed(s, x)
        out.append(s)
    return {"out": out}


def matches(get):
    x, out = get("x", "i"), []

    def classify(v):
        return {0: 100, 1: 200, -1: 300}.get(v, 1 if v > 100 else 400)
    for i, v in enumerate(x):
        row = [classify(v) + classify(v - quotient(v, 2) * 2 if v else 0), max(v, 0) % 3 + 1]
        row += [0 if v < 0 else v * v * 3 if v % 2 == 0 else v * v]
        want = 7 * ((abs(v) % 8) * (-1 if v < 0 else 1))
        found = x.index(want) if want in x else None
        row += [6400 if found is None else (found + 1) * 100 + found]
        row += [isqrt(v) if v >= 0 else -1000 + v]
        three = (v, x[(i + 1) % 64], x[(i + 2) % 64])
        row += [min(three) * 1000 + max(three) + (1000000 if min(three) == max(three) else 0)]
        state, rounds = v + 10, 0
        while state <= 50:
            rounds += 1
            state = state * 2 + 1
            if rounds > 1000:
                break
        row += [rounds, v if v > 5 else -5]
        out += row
    return {"out": [n & M for n in out]}


def calculator(get):
    tokens, out = get("tokens"), []
    for i in range(32):
        stack, wrong = [], 0
        for t in range(6):
            kind, value = tokens[(i * 6 + t) * 2], signed(tokens[(i * 6 + t) * 2 + 1])
            if kind == 0 or kind > 4:
                wrong = 2 if len(stack) == 4 else 0
                stack.append(value)
            elif len(stack) < 2:
                wrong = 1
            else:
                b, a = stack.pop(), stack.pop()
                wrong = 3 if kind == 4 and b == 0 else 0
                stack.append(signed(a + b if kind == 1 else a - b if kind == 2 else a * b if kind == 3
                                    else 0 if wrong else quotient(a, b)))
            if wrong:
                break
        wrong = wrong or (0 if stack else 1)
        out += [0, wrong] if wrong else [stack[-1] & M, 0]
    return {"out": out}


KERNELS = {"loops": loops, "long": long, "step": step, "codes": codes, "crc": crc, "arithmetic": arithmetic,
           "filter": filter_, "blocks": blocks, "gather": gather, "sort": sort, "ring": ring, "turn": turn,
           "smooth": smooth, "integers": integers, "matches": matches, "calculator": calculator}


def main():
    folder, wrong = sys.argv[1], 0
    for kernel, work in KERNELS.items():
        wanted = work(lambda buffer, kind="I": read(folder, kernel, buffer, kind))
        for buffer, words in wanted.items():
            got = read(folder, kernel, buffer, read_only=False)
            bad = [i for i, (a, b) in enumerate(zip(words, got)) if a != b]
            same = len(words) == len(got) and not bad
            wrong += not same
            print(f"{kernel}.{buffer}: " + (f"{len(got)} words" if same else
                  f"word {bad[0] if bad else -1} of {len(got)}: {words[bad[0]] if bad else len(words)} expected, "
                  f"{got[bad[0]] if bad else len(got)} got; {len(bad)} differ"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
