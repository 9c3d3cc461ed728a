"""Prints a program whose kernel has many statements, then what it prints as a CHECK line.

usage: long_kernels.py locals|stores COUNT"""
import random
import sys


def rest(a, b):
    """`a % b` with the sign of a."""
    return abs(a) % b if a >= 0 else -(abs(a) % b)


way, count = sys.argv[1], int(sys.argv[2])
# What each of three threads has in v0, v1, ...
values = [[1], [2], [3]]
choose = random.Random(5)
body = []
for i in range(count):
    a, b, k = choose.randrange(i + 1), i, choose.randrange(1, 1000)
    text, give = choose.choice([
        (f"v{a} % {k} + v{b}", lambda v: rest(v[a], k) + v[b]),
        (f"v{b} - v{a} % {k}", lambda v: v[b] - rest(v[a], k)),
        (f"if v{a} > v{b} then {k} else v{b} / {k}", lambda v: k if v[a] > v[b] else (v[b] - rest(v[b], k)) // k),
        (f"v{a}.abs.band(1048575).bxor({k})", lambda v: (abs(v[a]) & 1048575) ^ k),
        (f"(v{a} + {k}).min(v{b}.abs + x[gid])", lambda v: min(v[a] + k, abs(v[b]) + v[0])),
    ])
    for v in values:
        v.append(give(v))
    body.append(f"  v{i + 1} = {text}")
    if way == "stores":
        body.append(f"  y[gid] := y[gid].bxor(v{i + 1})")
if way == "locals":
    body.append(f"  y[gid] := v{count}")
    result = [v[-1] for v in values]
else:
    result = [0, 0, 0]
    for thread, v in enumerate(values):
        for n in v[1:]:
            result[thread] ^= n
print("kernel fn k(x: &[Int], y: &mut [Int]) @grid(y.len, 4)\n= do\n  v0 = x[gid]")
print("\n".join(body))
print('\nfn main() ! dev, log\n= do\n  var y = [0, 0, 0]\n  k(&[1, 2, 3], &mut y)\n  log("{y}")')
print("// CHECK: {{^}}" + str(result))
