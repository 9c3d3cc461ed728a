"""usage: part.py BUNDLE NUMBER OUT: writes one part of a bundle (docs/api.md)"""
import struct
import sys

data = open(sys.argv[1], "rb").read()
for i in range(struct.unpack_from("<I", data, 12)[0]):
    number, _, offset, size = struct.unpack_from("<IIQQ", data, 40 + 32 * i)
    if number == int(sys.argv[2]):
        open(sys.argv[3], "wb").write(data[offset : offset + size])
        sys.exit(0)
sys.exit("the bundle has no part " + sys.argv[2])
