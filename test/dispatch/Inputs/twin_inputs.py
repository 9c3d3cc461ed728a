"""Writes the inputs of twin_references.test, or compares bits of f64 functions with those of the C library."""
import math
import struct
import sys


def save(path, kind, values):
    header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d,), }" % (kind, len(values))
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%d%s" % (len(values), {"u4": "I", "f4": "f"}[kind]), *values))


if sys.argv[1] == "--math":
    with open(sys.argv[2], "rb") as f:
        words = struct.unpack("<20I", f.read()[-80:])
    x = 0.7
    wanted = [f(x) for f in (math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.exp, math.log)]
    wanted += [math.atan2(x, -0.3), math.pow(x, 1.7)]
    got = [struct.unpack("<d", struct.pack("<II", words[2 * n + 1], words[2 * n]))[0] for n in range(10)]
    print(sum(a == b for a, b in zip(wanted, got)), "functions alike")
else:
    save(sys.argv[1] + ".a.npy", "u4", [5, 6, 7, 8])
    save(sys.argv[1] + ".b.npy", "u4", [1, 2, 3, 4, 9])
    save(sys.argv[1] + ".f.npy", "f4", [0.5, 1.5, 2.5, 3.25])
