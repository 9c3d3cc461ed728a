"""Barriers of an artifact's functions against those of their kernels, one more where shared memory is zeroed, which a
variant may find needless.
Usage: count_barriers.py FILE.kir ptx|spirv < TEXT"""
import re
import sys


def expected(path):
    counts = {}
    for text in re.split(r"(?m)^(?=kernel )", open(path).read())[1:]:
        name = re.match(r"kernel @(\w+)", text).group(1)
        zeroed = bool(re.search(r"(?m)^  shared .* zeroed$", text))
        own = len(re.findall(r"(?m)^ +barrier ", text))
        counts[name] = [own + zeroed]
        counts[name + "__proved"] = counts[name + "__narrow"] = [own, own + zeroed]
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


want = expected(sys.argv[1])
have = found(sys.stdin.read(), sys.argv[2])
for name in have:
    print("%s: %d barriers, %s expected" % (name, have[name], " or ".join(map(str, want.get(name, [0])))))
missing = [name for name in want if name not in have and not name.endswith(("__proved", "__narrow"))]
sys.exit(bool(missing) or any(have[name] not in want.get(name, [0]) for name in have))
