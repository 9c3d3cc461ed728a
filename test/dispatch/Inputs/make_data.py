"""Writes the files that the tests read into a folder: numbers as NumPy writes them, and files that are damaged."""
import os
import struct
import sys


def npy(descr, shape, data, order="False", version=1, header=None):
    text = header or "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    size = 10 if version == 1 else 12
    text += " " * (-(size + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


def words(*values):
    return struct.pack("<%dI" % len(values), *values)


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
tenths = floats(*(i / 10 for i in range(100)))
particles = b"".join(floats(i, i + 0.5, -i, 1, 2, 3) + words(i) for i in range(5))
good = npy("'<f4'", "(100,)", tenths)
files = {
    "xs.npy": good,
    "xs2.npy": npy("'<f4'", "(4, 5, 5)", tenths, version=2),
    "one.npy": npy("'<f4'", "()", floats(2.5)),
    "none.npy": npy("'<f4'", "(0, 7)", b""),
    "tiny.npy": npy("'<f4'", "(40,)", floats(*(1e-40 * i for i in range(40)))),
    "data.bin": words(*((i * 7919) % 1000 for i in range(256))),
    "small.bin": words(*((i * 5 + 3) % 8 for i in range(64))),
    "particles.bin": particles,
    "particles.npy": npy("'|V28'", "(5,)", particles),
    "double.npy": npy("'<f8'", "(2,)", bytes(16)),
    "big.npy": npy("'>f4'", "(4,)", bytes(16)),
    "fortran.npy": npy("'<f4'", "(2, 2)", bytes(16), order="True"),
    "fields.npy": npy("[('x', '<f4')]", "(4,)", bytes(16)),
    "objects.npy": npy("'|O'", "(4,)", bytes(32)),
    "short.npy": good[:-1],
    "long.npy": good + b"x",
    "cut.npy": good[:40],
    "magic.npy": b"x" + good[1:],
    "version.npy": good[:6] + b"\x03" + good[7:],
    "keys.npy": npy("", "", b"", header="{'descr': '<f4', 'shape': (0,), 'other': 1, }"),
    "twice.npy": npy("", "", b"", header="{'descr': '<f4', 'descr': '<f4', 'shape': (0,), }"),
    "huge.npy": npy("'<f4'", "(4294967296, 4294967296, 4)", b""),
    "negative.npy": npy("'<f4'", "(-1,)", b""),
    "odd.bin": bytes(27),
}
for name, content in files.items():
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
