"""Writes operands that are hard for integers and floats into a folder: pairs, shifts and floats."""
import os
import struct
import sys

os.makedirs(sys.argv[1], exist_ok=True)


def write(name, form, values):
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(struct.pack("<%d%s" % (len(values), form), *values))


least, most = -0x80000000, 0x7fffffff
pairs = [(x, y) for x in (0, 1, -1, 7, -7, least, most, 12345678) for y in (0, 1, -1, 3, -3, least, most, 1000)]
write("x.bin", "i", [x for x, _ in pairs])
write("y.bin", "i", [y for _, y in pairs])
counts = [0, 1, 4, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 5, 8, 16, 24]
write("shifted.bin", "I", [(1, 0x80000000, 0xffffffff, 0x12345678)[i // 16] for i in range(64)])
write("counts.bin", "I", [counts[i % 16] for i in range(64)])
infinity = float("inf")
write("floats.bin", "f", [0.0, -0.0, 1.5, -1.5, infinity, -infinity, 2.5, 1e-10, 3e9, -3e9, 5e9, 1e20, -0.4,
                          2147483648.0, -2147483648.0, 4294967295.0])
write("parts.bin", "i", list(range(30)))
