"""Changes a bundle and makes it whole again: rebundle.py FROM TO [NUMBER=FILE | NUMBER= | version=N]...

`2=x.o` replaces part 2 by a file's bytes, `2=` leaves it out. The format is that of docs/api.md."""

import struct
import sys


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def padded(data):
    return data + bytes(-len(data) % 16)


source, target, *changes = sys.argv[1:]
data = open(source, "rb").read()
magic, version, count, size, head_sum, zero = struct.unpack_from("<8sIIQQQ", data)
assert magic == b"\x8bSPK\r\n\x1a\n" and size == len(data) and zero == 0
parts = {}
for i in range(count):
    number, zero, offset, length, part_sum = struct.unpack_from("<IIQQQ", data, 40 + 32 * i)
    parts[number] = data[offset : offset + length]
    assert zero == 0 and part_sum == checksum(parts[number])
for change in changes:
    name, value = change.split("=")
    if name == "version":
        version = int(value)
    elif value:
        parts[int(name)] = open(value, "rb").read()
    else:
        del parts[int(name)]


def head(total, head_sum):
    offset = len(padded(bytes(40 + 32 * len(parts))))
    out = struct.pack("<8sIIQQQ", magic, version, len(parts), total, head_sum, 0)
    for number, part in sorted(parts.items()):
        out += struct.pack("<IIQQQ", number, 0, offset, len(part), checksum(part))
        offset += len(padded(part))
    return padded(out)


body = b"".join(padded(parts[number]) for number in sorted(parts))
total = len(head(0, 0)) + len(body)
out = head(total, checksum(head(total, 0))) + body
if not changes:
    assert out == data
open(target, "wb").write(out)
