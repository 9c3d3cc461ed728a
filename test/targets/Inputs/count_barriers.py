"""Barriers of an artifact's functions against those of their kernels, one more where shared memory is zeroed. A variant
has as many as its kernel.
Usage: count_barriers.py FILE.kir ptx|spirv < TEXT"""
import re
import sys


def expected(path):
    counts = {}
    for text in re.split(r"(?m)^(?=kernel )", open(path).read())[1:]:
        name = re.match(r"kernel @(\w+)", text).group(1)
        zeroed = bool(re.search(r"(?m)^  shared .* zeroed$", text))
        counts[name] = len(re.findall(r"(?m)^ +barrier ", text)) + zeroed
    return counts


def barriers(function, bodies):
    """An entry point may be a call of the kernel's function."""
    called = re.findall(r"OpFunctionCall %\w+ %(\w+)", bodies[function])
    return bodies[function].count("OpControlBarrier") + sum(barriers(name, bodies) for name in called)


def found(text, kind):
    if kind == "spirv":
        names = dict(re.findall(r'OpEntryPoint Kernel %(\w+) "(\w+)"', text))
        parts = re.split(r"%(\w+) = OpFunction ", text)
        bodies = dict(zip(parts[1::2], parts[2::2]))
        return {names[function]: barriers(function, bodies) for function in names}
    parts = re.split(r"\.entry (\w+)\(", text)
    return {name: body.count("bar.sync") for name, body in zip(parts[1::2], parts[2::2])}


kernels = expected(sys.argv[1])
have = found(sys.stdin.read(), sys.argv[2])
want = dict(kernels)
for name in have:
    want[name] = kernels.get(re.sub("__(proved|narrow)$", "", name))
for name in want:
    print("%s: %s barriers, %s expected" % (name, have.get(name), want[name]))
sys.exit(want != have)
