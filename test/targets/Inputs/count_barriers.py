"""Barriers of an artifact against those of its kernels, one more where shared memory is zeroed.
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


def found(text, kind):
    if kind == "spirv":
        return {"all": text.count("OpControlBarrier")}
    parts = re.split(r"\.entry (\w+)\(", text)
    return {name: body.count("bar.sync") for name, body in zip(parts[1::2], parts[2::2])}


want = expected(sys.argv[1])
if sys.argv[2] == "spirv":
    want = {"all": sum(want.values())}
have = found(sys.stdin.read(), sys.argv[2])
for name in want:
    print("%s: %d barriers, %d expected" % (name, have.get(name, 0), want[name]))
sys.exit(want != have)
